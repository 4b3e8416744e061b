"""Bots that play whole games over HTTP while the service is killed, and keep every receipt.

To the service, they are people; it plays bots of its own in some of their games.

A bot repeats each request with the same Idempotency-Key until it gets a response, however often the
server dies in the meantime. So the events of a log that have an action are exactly those that were
acknowledged to a bot, and those of the service's own bots.
"""

import random
import secrets
import threading
import time
from dataclasses import dataclass, field
from typing import Any

import httpx
from typing_extensions import override

SECONDS_TO_RESPOND = 120.0
"""How long a bot repeats a request before it gives up."""
PAUSE = 0.03
"""Seconds between two looks at the game while another seat is to act."""


@dataclass
class Acknowledgements:
    """What the server has acknowledged to all bots of a test, and how many requests had to be repeated."""

    receipts: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """By game id."""
    event_hashes: dict[str, dict[int, str]] = field(default_factory=dict)
    """By game id and seq."""
    games: list[str] = field(default_factory=list)
    repeated_requests: int = 0
    messages: dict[str, list[str]] = field(default_factory=dict)
    """By game id, the texts of messages."""
    contradictions: list[str] = field(default_factory=list)
    """Events that were acknowledged with two different hashes."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add_action(self, game_id: str, response: dict[str, Any]) -> None:
        """Add the events and the receipt of an accepted action."""
        with self.lock:
            self.receipts.setdefault(game_id, []).append(response["receipt"])
            hashes = self.event_hashes.setdefault(game_id, {})
            for event in response["events"]:
                if hashes.setdefault(event["seq"], event["hash"]) != event["hash"]:
                    self.contradictions.append(f"event {event['seq']} of game {game_id}")

    @property
    def number_of_events(self) -> int:
        """How many events were acknowledged."""
        return sum(len(hashes) for hashes in self.event_hashes.values())


class BotPlayer:
    """A player who takes random actions. For one thread."""

    def __init__(
        self, url: str, acknowledgements: Acknowledgements, chance: random.Random, webhook: str
    ) -> None:
        self._http = httpx.Client(base_url=f"{url}/api/v1", timeout=5)
        self._acknowledgements = acknowledgements
        self._chance = chance
        account = {"handle": f"bot-{secrets.token_hex(6)}", "password": "correct horse"}
        response = self.request("POST", "/players", account, 201, 409)
        if response.status_code == 409:
            # An earlier attempt has created the account, and its response was lost.
            response = self.request("POST", "/tokens", account, 201)
        self._http.headers["Authorization"] = f"Bearer {response.json()['token']}"
        self.id = self.request("GET", "/me", None, 200).json()["player"]["id"]
        # 409: an earlier attempt has registered it, and its response was lost.
        if not self.request("GET", "/me/webhooks", None, 200).json()["webhooks"]:
            self.request("POST", "/me/webhooks", {"url": webhook}, 201, 409)

    def request(
        self, method: str, path: str, body: Any, *statuses: int, key: str | None = None
    ) -> httpx.Response:
        """Repeat a request until there is a response, which must have one of these statuses."""
        headers = {} if key is None else {"Idempotency-Key": key}
        deadline = time.monotonic() + SECONDS_TO_RESPOND
        while True:
            try:
                response = self._http.request(method, path, json=body, headers=headers)
            except httpx.TransportError:
                response = None
            if response is not None and response.status_code != 503:
                description = f"{method} {path}: {response.status_code} {response.text[:300]}"
                assert response.status_code in statuses, description
                return response
            assert time.monotonic() < deadline, f"{method} {path}: no response"
            with self._acknowledgements.lock:
                self._acknowledgements.repeated_requests += 1
            time.sleep(2 * PAUSE)

    def create_game(self, seats: int, rounds: int, clock: dict[str, int] | None) -> str:
        """Create a game and return its id."""
        body = {
            "rules": "barony",
            "seats": seats,
            "options": {"round_limit": rounds, "seating": "joined"},
            "clock": clock,
        }
        game_id: str = self.request("POST", "/games", body, 201).json()["id"]
        with self._acknowledgements.lock:
            self._acknowledgements.games.append(game_id)
        return game_id

    def join(self, game_id: str) -> None:
        """Join a game."""
        # 409: an earlier attempt has taken the place, and its response was lost.
        self.request("POST", f"/games/{game_id}/players", {}, 201, 409)

    def add_bot(self, game_id: str) -> None:
        """Give a place in a game to a bot of the service."""
        key = secrets.token_hex(8)
        self.request("POST", f"/games/{game_id}/bots", {}, 201, key=key)

    def play(self, game_id: str, *, acts: bool) -> None:
        """Play until the game is over. A bot that does not act misses all its deadlines."""
        while (game := self._summary(game_id))["status"] == "playing":
            if not acts or game["to_act"] is None or not self._has_seat(game, game["to_act"]):
                time.sleep(PAUSE)
                continue
            path = f"/games/{game_id}"
            legal = self.request("GET", f"{path}/legal-actions", None, 200).json()
            if not legal["actions"]:
                continue
            body = {"action": self._choose(legal["actions"]), "expected_seq": legal["seq"]}
            key = secrets.token_hex(8)
            # 409: the turn was forfeited in the meantime.
            response = self.request("POST", f"{path}/actions", body, 201, 409, key=key)
            if response.status_code == 201:
                self._acknowledgements.add_action(game_id, response.json())
                if self._chance.random() < 0.3:
                    self._write(game_id)

    def _write(self, game_id: str) -> None:
        """Write a message that no other one is equal to."""
        key = secrets.token_hex(8)
        text = f"message {key}"
        self.request("POST", f"/games/{game_id}/messages", {"text": text}, 201, key=key)
        with self._acknowledgements.lock:
            self._acknowledgements.messages.setdefault(game_id, []).append(text)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _summary(self, game_id: str) -> dict[str, Any]:
        summary: dict[str, Any] = self.request("GET", f"/games/{game_id}", None, 200).json()
        return summary

    def _has_seat(self, game: dict[str, Any], seat: int) -> bool:
        return any(player["seat"] == seat and player["id"] == self.id for player in game["players"])

    def _choose(self, actions: list[dict[str, Any]]) -> dict[str, Any]:
        # First a type and then an action of it; otherwise nearly all actions would be moves.
        type = self._chance.choice(sorted({action["type"] for action in actions}))
        return self._chance.choice([action for action in actions if action["type"] == type])


class BotTable(threading.Thread):
    """A thread in which three bots play one game after the other, one at least, until `stop` is set.

    `error` is what went wrong, if anything did.
    """

    def __init__(
        self,
        url: str,
        acknowledgements: Acknowledgements,
        seed: int,
        stop: threading.Event,
        webhook: str,
    ) -> None:
        super().__init__(name=f"table {seed}")
        self._url = url
        self._acknowledgements = acknowledgements
        self._chance = random.Random(seed)
        self._stop_event = stop
        self._webhook = webhook
        self.error: BaseException | None = None

    @override
    def run(self) -> None:
        """Play."""
        try:
            bots = [
                BotPlayer(self._url, self._acknowledgements, self._chance, self._webhook)
                for _ in range(3)
            ]
            self._play_game(bots)
            while not self._stop_event.is_set():
                self._play_game(bots)
            for bot in bots:
                bot.close()
        except BaseException as error:  # noqa: BLE001 # the test that waits for this thread raises it
            self.error = error

    def _play_game(self, bots: list[BotPlayer]) -> None:
        chance = self._chance
        players = chance.sample(bots, chance.choice((2, 2, 3)))
        # Most games have no clock. In one that has, one player may never act.
        clock = {"per_turn": 1} if chance.random() < 0.3 else None
        absent = chance.choice(players) if clock is not None and chance.random() < 0.5 else None
        bots_of_service = chance.choice((0, 1, 4 - len(players)))
        seats = len(players) + bots_of_service
        game_id = players[0].create_game(seats, chance.choice((1, 2, 3)), clock)
        for _ in range(bots_of_service):
            players[0].add_bot(game_id)
        for bot in players[1:]:
            bot.join(game_id)
        errors: list[BaseException] = []

        def play(bot: BotPlayer) -> None:
            try:
                bot.play(game_id, acts=bot is not absent)
            except BaseException as error:  # noqa: BLE001 # raised again below
                errors.append(error)

        threads = [threading.Thread(target=play, args=(bot,)) for bot in players]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]
