"""Bots that play whole games over HTTP while the service is killed, and keep every receipt.

To the service, they are people; it plays bots of its own in some of their games. They also write messages,
open, answer, rule and withdraw disputes, take actions back, and prepare actions for each other's turns.

A bot repeats each request with the same Idempotency-Key until it gets a response, however often the
server dies in the meantime. So the events of a log that a seat has caused are exactly those that were
acknowledged to a bot, those that a bot had prepared, and those of the service's own bots.
"""

import random
import secrets
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import httpx
from typing_extensions import override

from service.notifications.deliveries import CLAIM
from tests.support.acknowledgements import Acknowledgements, PreparedAction
from tests.support.processes import IDLE_SECONDS, Patience

PAUSE = 0.03
"""Seconds between two looks at the game while another seat is to act."""
SHORT_WAIT = 100
"""Pauses after which a bot begins to look whether anything still happens."""
STUCK_SECONDS = IDLE_SECONDS + CLAIM.total_seconds()
"""How long everything may be idle. What a killed process had claimed, others do when the claim expires."""
SECONDS_TO_RESPOND = 30.0
"""How long a bot waits for one response before it repeats the request."""


class Wait:
    """The wait of a bot, which fails when nothing happens any more."""

    def __init__(self, awaited: str) -> None:
        self._awaited = awaited
        self._pauses = 0
        self._patience: Patience | None = None

    def pause(self) -> None:
        """Wait for a moment."""
        self._pauses += 1
        # Most waits end soon, and looking at all processes takes time.
        if self._pauses > SHORT_WAIT:
            self._patience = self._patience or Patience(idle_seconds=STUCK_SECONDS)
            self._patience.check(f"{self._awaited} is missing")
        time.sleep(PAUSE)


class BotPlayer:
    """A player who takes random actions. For one thread, except for `prepare`."""

    def __init__(
        self, url: str, acknowledgements: Acknowledgements, chance: random.Random, webhook: str
    ) -> None:
        self._http = httpx.Client(base_url=f"{url}/api/v1", timeout=SECONDS_TO_RESPOND)
        self._acknowledgements = acknowledgements
        self._chance = chance
        self._answered: set[tuple[str, int]] = set()
        """The disputes and takebacks that the bot has answered, by game and number."""
        self._legal: dict[str, list[dict[str, Any]]] = {}
        """By game, what the bot could do in its last turn."""
        self._prepared: set[str] = set()
        """The games in which the bot has prepared something."""
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
        wait = Wait(f"the response to {method} {path}")
        while True:
            try:
                response = self._http.request(method, path, json=body, headers=headers)
            except httpx.TransportError:
                response = None
            if response is not None and response.status_code != 503:
                description = f"{method} {path}: {response.status_code} {response.text[:300]}"
                assert response.status_code in statuses, description
                return response
            with self._acknowledgements.lock:
                self._acknowledgements.repeated_requests += 1
            wait.pause()

    def create_game(
        self, seats: int, rounds: int, clock: dict[str, int] | None, *, takebacks: bool
    ) -> str:
        """Create a game and return its id."""
        body = {
            "rules": "barony",
            "seats": seats,
            "options": {"round_limit": rounds, "seating": "joined", "takebacks": takebacks},
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

    def play(self, game_id: str, others: Sequence["BotPlayer"], *, acts: bool) -> None:
        """Play until the game is over. `others` are those that act for other seats.

        A bot that does not act misses all its deadlines.
        """
        wait, head = Wait(f"an event of game {game_id}"), 0
        while (game := self._summary(game_id))["status"] == "playing":
            if game["head"]["seq"] != head:
                wait, head = Wait(f"an event of game {game_id}"), game["head"]["seq"]
            if not acts or not self._do_next(game, others):
                wait.pause()

    def prepare(self, game_id: str, seq: int, rival: int, condition: dict[str, Any]) -> None:
        """Prepare an action for the case that a rival takes the action `condition` after event `seq`.

        Does nothing if the rules refuse all that the bot tries, or it is too late.
        """
        seat = self._seat(self._summary(game_id))
        legal = self._legal.get(game_id, [])
        for action in self._chance.sample(legal, min(5, len(legal))):
            preparation = PreparedAction(seq, rival, condition, seat, action)
            with self._acknowledgements.lock:
                requested = self._acknowledgements.requested_preparations
                requested.setdefault(game_id, []).append(preparation)
            self._prepared.add(game_id)
            own = {"seat": seat, "action": action}
            body = {
                "branches": [{"seat": rival, "action": condition, "then": [own]}],
                "expected_seq": seq,
            }
            path = f"/games/{game_id}/conditional-actions"
            response = self.request("PUT", path, body, 200, 409, 422)
            if response.status_code == 200:
                # An event that left the position as it was, such as a dispute, may have come before.
                accepted = replace(preparation, seq=response.json()["seq"])
                with self._acknowledgements.lock:
                    self._acknowledgements.preparations.setdefault(game_id, []).append(accepted)
            if response.status_code != 422:
                return

    def _do_next(self, game: dict[str, Any], others: Sequence["BotPlayer"]) -> bool:
        """Do the next thing in a game; return False if the bot only waits."""
        game_id, seat = game["id"], self._seat(game)
        if game["dispute"] is not None and self._settle(game, game["dispute"], seat):
            return True
        takeback = game["takeback"]
        if takeback is not None:
            number = takeback["takeback"]
            if takeback["seat"] != seat and self._is_first_answer(game_id, number):
                agreement = {"agree": self._chance.random() < 0.9}
                self._add(game_id, f"takebacks/{number}/answers", agreement)
                return True
            if self._chance.random() < 0.97:
                # Any action would end the request before the others have answered it.
                return False
        return game["to_act"] == seat and self._act(game, seat, others)

    def _act(self, game: dict[str, Any], seat: int, others: Sequence["BotPlayer"]) -> bool:
        """Take an action, and perhaps ask to take it back, or open a dispute.

        Return False if nothing can be done yet.
        """
        game_id, path = game["id"], f"/games/{game['id']}"
        legal = self.request("GET", f"{path}/legal-actions", None, 200).json()
        # If the server takes a prepared action after this look, the request comes too late.
        if not legal["actions"] or self._has_prepared(game_id, seat):
            return False
        self._legal[game_id] = legal["actions"]
        action = self._choose(legal["actions"])
        if others and self._chance.random() < 0.4:
            self._chance.choice(others).prepare(game_id, legal["seq"], seat, action)
        body = {"action": action, "expected_seq": legal["seq"]}
        # 409: the turn was forfeited in the meantime, or play has resumed from an earlier event.
        event = self._add(game_id, "actions", body)
        if event is None:
            return True
        if self._chance.random() < 0.3:
            self._write(game_id)
        if game["options"].get("takebacks") and self._chance.random() < 0.2:
            # 409: another seat has acted.
            self._add(game_id, "takebacks", {})
        elif self._chance.random() < 0.1:
            # 409: another dispute is open, or the bot has opened as many as it may.
            about = self._chance.randint(1, event["seq"])
            self._add(game_id, "disputes", {"seq": about, "statement": "I remember it otherwise."})
        return True

    def _settle(self, game: dict[str, Any], dispute: dict[str, Any], seat: int) -> bool:
        """Answer a dispute of another seat and propose to dismiss it; withdraw or dismiss one's own.

        Return False if there is nothing to do at the moment.
        """
        game_id, number = game["id"], dispute["dispute"]
        path = f"disputes/{number}"
        ruling = {"ruling": {"type": "dismiss"}}
        if dispute["seat"] != seat:
            if not self._is_first_answer(game_id, number):
                return False
            self._add(game_id, f"{path}/answers", {"statement": "I do not."})
            # 409: the dispute is over, or the bot is out of the game.
            self._add(game_id, f"{path}/rulings", ruling)
            return True
        chance = self._chance.random()
        if chance < 0.1:
            self._add(game_id, f"{path}/rulings", ruling)
        elif chance < 0.15:
            key = secrets.token_hex(8)
            url = f"/games/{game_id}/{path}"
            if self.request("DELETE", url, None, 204, *self._too_late, key=key).status_code == 204:
                with self._acknowledgements.lock:
                    self._acknowledgements.withdrawals.setdefault(game_id, []).append(number)
        return chance < 0.15

    def _add(self, game_id: str, path: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """Send a request that adds events to a game; return the first, or None if it comes too late."""
        key = secrets.token_hex(8)
        response = self.request(
            "POST", f"/games/{game_id}/{path}", body, 201, *self._too_late, key=key
        )
        if response.status_code != 201:
            return None
        accepted = response.json()
        self._acknowledgements.add_events(game_id, accepted)
        event: dict[str, Any] = accepted["events"][0]
        return event

    @property
    def _too_late(self) -> tuple[int, ...]:
        """The statuses of requests about what has changed meanwhile.

        A dispute that was shown and not acknowledged may not exist any more: the checks at the end find an
        acknowledged one that is lost.
        """
        return (404, 409, 422) if self._acknowledgements.may_lose_shown_events else (409,)

    def _has_prepared(self, game_id: str, seat: int) -> bool:
        """Whether the server is to take an action that the bot has prepared for this turn."""
        if game_id not in self._prepared:
            return False
        path = f"/games/{game_id}/conditional-actions"
        branches = self.request("GET", path, None, 200).json()["branches"]
        return bool(branches) and branches[0]["seat"] == seat

    def _is_first_answer(self, game_id: str, number: int) -> bool:
        """Return whether the bot has yet to answer a dispute or a takeback, which it then does."""
        is_first = (game_id, number) not in self._answered
        self._answered.add((game_id, number))
        return is_first

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

    def _seat(self, game: dict[str, Any]) -> int:
        (seat,) = [player["seat"] for player in game["players"] if player["id"] == self.id]
        return int(seat)

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
        takebacks = chance.random() < 0.5
        rounds = chance.choice((1, 2, 3))
        game_id = players[0].create_game(seats, rounds, clock, takebacks=takebacks)
        for _ in range(bots_of_service):
            players[0].add_bot(game_id)
        for bot in players[1:]:
            bot.join(game_id)
        errors: list[BaseException] = []

        def play(bot: BotPlayer) -> None:
            try:
                others = [other for other in players if other not in (bot, absent)]
                bot.play(game_id, others, acts=bot is not absent)
            except BaseException as error:  # noqa: BLE001 # raised again below
                errors.append(error)

        threads = [threading.Thread(target=play, args=(bot,)) for bot in players]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]
