"""Guests: programs that play whole games over HTTP, and keep every receipt they get.

A guest repeats a request with the same Idempotency-Key until it is answered, however often the server dies
meanwhile; so whatever is in the log was acknowledged, and the other way round.
"""

import random
import secrets
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import httpx
from typing_extensions import override

PATIENCE = 120.0
"""Seconds after which a guest believes that the server will not come back."""
NAP = 0.03


@dataclass
class Notebook:
    """What all guests of a house were told, and how often they had to ask again."""

    receipts: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    events: dict[str, dict[int, str]] = field(default_factory=dict)
    """Acknowledged events by game and seq: their hashes."""
    games: list[str] = field(default_factory=list)
    repeated: int = 0
    contradicted: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def acknowledge(self, game: str, answer: dict[str, Any]) -> None:
        """Keep what an accepted action was find_idempotency_record."""
        with self.lock:
            self.receipts.setdefault(game, []).append(answer["receipt"])
            known = self.events.setdefault(game, {})
            for event in answer["events"]:
                if known.setdefault(event["seq"], event["hash"]) != event["hash"]:
                    self.contradicted.append(
                        f"{game}: event {event['seq']} was acknowledged as two"
                    )

    @property
    def acknowledged(self) -> int:
        """How many events were acknowledged."""
        return sum(len(events) for events in self.events.values())


class Guest:
    """One player of a service, in one thread."""

    def __init__(self, url: str, notebook: Notebook, chance: random.Random) -> None:
        self._client = httpx.Client(base_url=f"{url}/api/v1", timeout=5)
        self._notebook = notebook
        self._chance = chance
        self.handle = f"guest-{secrets.token_hex(6)}"
        account = {"handle": self.handle, "password": "correct horse"}
        answer = self.ask("POST", "/players", account, 201, 409)
        if answer.status_code == 409:
            # The answer to an earlier try was lost, the account is there.
            answer = self.ask("POST", "/tokens", account, 201)
        self._client.headers["Authorization"] = f"Bearer {answer.json()['token']}"
        self.id = self.ask("GET", "/me", None, 200).json()["player"]["id"]

    def ask(
        self, method: str, path: str, body: Any, *expected: int, key: str | None = None
    ) -> httpx.Response:
        """Send a request until it is answered; the answer is of an expected status."""
        headers = {} if key is None else {"Idempotency-Key": key}
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                answer = self._client.request(method, path, json=body, headers=headers)
            except httpx.TransportError:
                answer = None
            if answer is not None and answer.status_code != 503:
                told = f"{method} {path}: {answer.status_code} {answer.text[:300]}"
                assert answer.status_code in expected, told
                return answer
            assert time.monotonic() < deadline, f"{method} {path}: no answer for too long"
            with self._notebook.lock:
                self._notebook.repeated += 1
            time.sleep(2 * NAP)

    def create(self, seats: int, rounds: int, clock: dict[str, int] | None) -> str:
        """Open a game; its id."""
        body = {
            "rules": "barony",
            "seats": seats,
            "options": {"round_limit": rounds, "seating": "joined"},
            "clock": clock,
        }
        game: str = self.ask("POST", "/games", body, 201).json()["id"]
        with self._notebook.lock:
            self._notebook.games.append(game)
        return game

    def join(self, game: str) -> None:
        """Take a place."""
        # 409: the place was taken by a try whose answer was lost.
        self.ask("POST", f"/games/{game}/players", {}, 201, 409)

    def summary(self, game: str) -> dict[str, Any]:
        """What the game's page says."""
        found: dict[str, Any] = self.ask("GET", f"/games/{game}", None, 200).json()
        return found

    def play(self, game: str, *, sleeps: bool) -> None:
        """Play until the game is over; who sleeps never acts, and waits."""
        while (told := self.summary(game))["status"] == "playing":
            acts = told["to_act"] is not None and self._is_me(told, told["to_act"])
            if sleeps or not acts:
                time.sleep(NAP)
                continue
            listed = self.ask("GET", f"/games/{game}/legal-actions", None, 200).json()
            if not listed["actions"]:
                continue
            body = {"action": self._chosen(listed["actions"]), "expected_seq": listed["seq"]}
            answer = self.ask(
                "POST", f"/games/{game}/actions", body, 201, 409, key=secrets.token_hex(8)
            )
            if answer.status_code == 201:
                self._notebook.acknowledge(game, answer.json())

    def leave(self) -> None:
        """Go home."""
        self._client.close()

    def _is_me(self, told: dict[str, Any], seat: int) -> bool:
        return any(player["seat"] == seat and player["id"] == self.id for player in told["players"])

    def _chosen(self, actions: list[dict[str, Any]]) -> dict[str, Any]:
        # First a type and then one of it: else nearly all would be moves.
        type = self._chance.choice(sorted({action["type"] for action in actions}))
        return self._chance.choice([action for action in actions if action["type"] == type])


class Table(threading.Thread):
    """Guests who play one game after the other until they are told that it is late."""

    def __init__(self, url: str, notebook: Notebook, seed: int, late: threading.Event) -> None:
        super().__init__(name=f"table {seed}")
        self._url = url
        self._notebook = notebook
        self._chance = random.Random(seed)
        self._late = late
        self.error: BaseException | None = None

    @override
    def run(self) -> None:
        """Play."""
        try:
            guests = [Guest(self._url, self._notebook, self._chance) for _ in range(3)]
            self._game(guests)
            while not self._late.is_set():
                self._game(guests)
            for guest in guests:
                guest.leave()
        except BaseException as error:  # noqa: BLE001 (whoever waits for the table raises it)
            self.error = error

    def _game(self, guests: list[Guest]) -> None:
        chance = self._chance
        seated = chance.sample(guests, chance.choice((2, 2, 3)))
        # Most have no clock; at those that have one somebody may sleep through it.
        clock = {"per_turn": 1} if chance.random() < 0.3 else None
        sleeper = chance.choice(seated) if clock is not None and chance.random() < 0.5 else None
        game = seated[0].create(len(seated), chance.choice((1, 2, 3)), clock)
        for guest in seated[1:]:
            guest.join(game)
        errors: list[BaseException] = []

        def play(guest: Guest) -> None:
            try:
                guest.play(game, sleeps=guest is sleeper)
            except BaseException as error:  # noqa: BLE001 (raised by the table)
                errors.append(error)

        threads = [threading.Thread(target=play, args=(guest,)) for guest in seated]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]
