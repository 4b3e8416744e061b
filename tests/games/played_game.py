"""Plays one game through the HTTP interface of a real web server, and downloads its record.

The server draws what is random from a fixed stream and reads the time from a file
(tests/games/deterministic_server.py), so the same script makes the same record. The scripts are in
tests/games/dispute_scripts.py.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import httpx
from freezegun import freeze_time

from domain.chance import Chance
from domain.json_types import JsonObject
from domain.registry import rule_system_for
from ledger.canonical import canonical
from ledger.keys import SigningKey
from ledger.player_signatures import key_payload, sign_action
from service.bootstrap import Service
from tests.support.accounts import PASSWORD
from tests.support.processes import HANG_SECONDS
from tests.support.server import WebServer

PLAYERS: Final = ("ada", "bea", "cid")
ARBITER: Final = "zoe"
START: Final = datetime(2026, 11, 22, 9, tzinfo=UTC)


class PlayedGame:
    """One game of `ada`, `bea` and, with three seats, `cid`. `zoe` is the arbiter, if there is one."""

    def __init__(
        self,
        server: WebServer,
        service: Service,
        clock_file: Path,
        name: str,
        *,
        rules: str,
        seats: int = 3,
        has_arbiter: bool = True,
        sends_nonces: bool = False,
        **options: Any,
    ) -> None:
        """Create the game and let all players join. `service` does the work of the workers.

        `sends_nonces`: whether nonces are sent with takebacks and disputes too.
        """
        self._sends_nonces = sends_nonces
        self._service = service
        self._clock_file = clock_file
        self._chance = Chance(sha256(f"cartulary tests/games {name}".encode()).digest())
        self._now = START
        self._url = f"{server.url}/api/v1"
        self._clients = {player: self._log_in(player) for player in (*PLAYERS[:seats], ARBITER)}
        self.players = PLAYERS[:seats]
        self._keys: dict[str, SigningKey] = {}
        body: JsonObject = {
            "rules": rules,
            "seats": seats,
            "options": {"seating": "joined", "takebacks": True, **options},
            "clock": {"per_turn": 24 * 3600},
            "nonce": self._nonce(),
        }
        if has_arbiter:
            body["arbiter"] = ARBITER
        summary = self.post("ada", "/games", body)
        self._rules = rule_system_for(rules, summary["options"])
        self.id: str = summary["id"]
        for player in self.players[1:]:
            self.post(player, "/players", {"nonce": self._nonce()})

    @property
    def summary(self) -> JsonObject:
        """The summary of the game."""
        summary: JsonObject = self._get("ada", "")
        return summary

    @property
    def seq(self) -> int:
        """The seq of the last event."""
        seq: int = self.summary["head"]["seq"]
        return seq

    @property
    def round(self) -> int:
        """The round in progress."""
        number: int = self._get("ada", "/position")["round"]
        return number

    def post(self, player: str, path: str, body: JsonObject) -> Any:
        """Send a request about the game, some time after the last one; return the body of the response."""
        self._now += timedelta(milliseconds=1 + self._chance.below(600_000))
        self._set_clock()
        if self._sends_nonces and path.startswith(("/disputes", "/takebacks")):
            body = {**body, "nonce": self._nonce()}
        prefix = "" if path == "/games" else f"/games/{self.id}"
        response = self._clients[player].post(f"{self._url}{prefix}{path}", json=body)
        assert response.status_code == 201, response.text
        return response.json()

    def act(self, *, avoid: JsonObject | None = None) -> tuple[str, JsonObject]:
        """Let a bot act for the player whose turn it is; return the player and the action.

        `avoid`: an action that the bot does not choose.
        """
        seat = self.summary["to_act"]
        player = self.players[seat]
        legal = self._get(player, "/legal-actions")
        actions = [
            self._rules.parse_action(action) for action in legal["actions"] if action != avoid
        ]
        position = self._get(player, "/position")
        action = self._rules.BOTS["sensible"](position, actions, seat, self._chance)
        raw: Any = self._rules.action_to_json(action)
        body: JsonObject = {"action": raw, "expected_seq": legal["seq"]}
        if player in self._keys:
            key, head = self._keys[player], self.summary["head"]["hash"]
            signed = sign_action(key, self.id, head, raw)
            body["signature"] = {"key": signed["key"], "signature": signed["signature"]}
        self.post(player, "/actions", body)
        self.score()
        return player, raw

    def play_until(self, condition: Callable[["PlayedGame"], bool]) -> None:
        """Let bots act until the condition holds."""
        while not condition(self):
            self.act()

    def add_key(self, player: str) -> None:
        """Register a key for a player, who from now on signs the actions that a bot chooses."""
        key = SigningKey.from_seed(sha256(f"cartulary tests/games {player}".encode()).digest())
        id = self._clients[player].get(f"{self._url}/me").json()["player"]["id"]
        proof = key.signature(canonical(key_payload(id, key.public)))
        body = {"public": key.public, "proof": proof}
        response = self._clients[player].post(f"{self._url}/me/keys", json=body)
        assert response.status_code == 201, response.text
        self._keys[player] = key

    def revoke_key(self, player: str) -> None:
        """Revoke the key of a player."""
        key = self._keys.pop(player)
        response = self._clients[player].delete(f"{self._url}/me/keys/{key.id}")
        assert response.status_code == 204, response.text

    def resign(self, player: str) -> None:
        """Let a player resign."""
        body = {"action": {"type": "resign"}, "expected_seq": self.seq}
        self.post(player, "/actions", body)

    def dispute(self, player: str, seq: int, statement: str) -> int:
        """Let a player open a dispute about an event; return its number."""
        body = {"seq": seq, "statement": statement}
        number: int = self.post(player, "/disputes", body)["events"][0]["seq"]
        return number

    def answer(self, player: str, number: int, statement: str) -> None:
        """Let a player answer a dispute."""
        self.post(player, f"/disputes/{number}/answers", {"statement": statement})

    def rule(
        self, player: str, number: int, ruling: JsonObject, statement: str | None = None
    ) -> None:
        """Let the arbiter rule a dispute, or a player propose a ruling."""
        body = {"ruling": ruling, "statement": statement}
        self.post(player, f"/disputes/{number}/rulings", body)

    def withdraw(self, player: str, number: int) -> None:
        """Let a player withdraw a dispute."""
        url = f"{self._url}/games/{self.id}/disputes/{number}"
        assert self._clients[player].delete(url).status_code == 204

    def request_takeback(self, player: str) -> int:
        """Let a player ask for a takeback; return its number."""
        number: int = self.post(player, "/takebacks", {})["events"][0]["seq"]
        return number

    def answer_takeback(self, player: str, number: int, *, agree: bool) -> None:
        """Let a player answer a takeback."""
        self.post(player, f"/takebacks/{number}/answers", {"agree": agree})

    def score(self) -> None:
        """Do the work of the workers: score the rounds that have ended, and finish the game."""
        with freeze_time(self._now):
            self._service.games.commands.score(self.id)

    def record(self) -> bytes:
        """Download the record, which everybody may see once the game has ended."""
        assert self.summary["status"] in ("finished", "abandoned")
        return httpx.get(f"{self._url}/games/{self.id}/record").content

    def _log_in(self, player: str) -> httpx.Client:
        """Register a player, or log in a registered one; return a client with the player's token."""
        self._set_clock()
        body = {"handle": player, "password": PASSWORD}
        response = httpx.post(f"{self._url}/players", json=body)
        if response.status_code == 409:
            response = httpx.post(f"{self._url}/tokens", json=body)
        headers = {
            "Authorization": f"Bearer {response.json()['token']}",
            # Otherwise the server draws an id for each request.
            "X-Request-ID": "script",
        }
        return httpx.Client(headers=headers, timeout=HANG_SECONDS)

    def _get(self, player: str, path: str) -> Any:
        response = self._clients[player].get(f"{self._url}/games/{self.id}{path}")
        assert response.status_code == 200, response.text
        return response.json()

    def _nonce(self) -> str:
        return bytes(self._chance.below(256) for _ in range(16)).hex()

    def _set_clock(self) -> None:
        self._clock_file.write_text(self._now.isoformat())
