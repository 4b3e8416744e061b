"""Players who use the HTTP interface: each has an account, a token and a client of their own."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from tests.support.http_contract import Contract
from tests.support.processes import HANG_SECONDS

Json = dict[str, Any]
PASSWORD = "correct horse"
_handles = (f"player-{number}" for number in itertools.count(1))


def http_client(
    url: str, contract: Contract | None = None, token: str | None = None
) -> httpx.Client:
    """Return a client that sends `token`, and checks each response against `contract`."""

    def check(response: httpx.Response) -> None:
        if contract is not None:
            if response.headers.get("content-type") != "text/event-stream":
                response.read()
            contract.check(response)

    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return httpx.Client(
        base_url=url, headers=headers, event_hooks={"response": [check]}, timeout=HANG_SECONDS
    )


@dataclass
class PlayerClient:
    """A registered player, with a client that sends the player's token."""

    handle: str
    id: str
    token: str
    http: httpx.Client

    def create_game(self, seats: int = 2, **fields: Any) -> str:
        """Create a game and return its id; seats are in the order of joining."""
        body = {"rules": "barony", "seats": seats, **fields}
        body["options"] = {"seating": "joined", **body.get("options", {})}
        response = self.http.post("/api/v1/games", json=body)
        assert response.status_code == 201, response.text
        return str(response.json()["id"])

    def join(self, game_id: str) -> None:
        """Join a game."""
        response = self.http.post(f"/api/v1/games/{game_id}/players", json={"nonce": "00ff"})
        assert response.status_code == 201, response.text

    def legal_actions(self, game_id: str) -> tuple[int, list[Json]]:
        """Return the seq of the head and the legal actions of the player."""
        body = self.http.get(f"/api/v1/games/{game_id}/legal-actions").json()
        return body["seq"], body["actions"]

    def act(
        self, game_id: str, action: Any = None, seq: int | None = None, **headers: str
    ) -> httpx.Response:
        """Submit an action, by default the first legal one, at `seq`, by default the head."""
        if action is None or seq is None:
            head, actions = self.legal_actions(game_id)
            action, seq = action or actions[0], seq if seq is not None else head
        body = {"action": action, "expected_seq": seq}
        return self.http.post(f"/api/v1/games/{game_id}/actions", json=body, headers=headers)


def take_turn(game_id: str, players: Sequence[PlayerClient]) -> Json:
    """Let the player to act take the first legal action; returns the event. `players` are by seat."""
    seat = players[0].http.get(f"/api/v1/games/{game_id}").json()["to_act"]
    response = players[seat].act(game_id)
    assert response.status_code == 201, response.text
    event: Json = response.json()["events"][0]
    return event


class Accounts:
    """Registers players on one server. `anonymous` is a client without a token."""

    def __init__(self, url: str, contract: Contract | None = None) -> None:
        self.url = url
        self.contract = contract
        self.anonymous = http_client(url, contract)
        self._clients = [self.anonymous]

    def register(self, handle: str | None = None, locale: str | None = None) -> PlayerClient:
        """Register a player."""
        handle = handle or next(_handles)
        body = {"handle": handle, "password": PASSWORD, "locale": locale}
        response = self.anonymous.post("/api/v1/players", json=body)
        assert response.status_code == 201, response.text
        account = response.json()
        http = http_client(self.url, self.contract, account["token"])
        self._clients.append(http)
        return PlayerClient(handle, account["player"]["id"], account["token"], http)

    def start_game(self, seats: int = 2, **fields: Any) -> "tuple[str, list[PlayerClient]]":
        """Start a game of new players; returns its id, and the players by seat."""
        players = [self.register() for _ in range(seats)]
        game_id = players[0].create_game(seats, **fields)
        for player in players[1:]:
            player.join(game_id)
        return game_id, players

    def close(self) -> None:
        """Close all connections."""
        for client in self._clients:
            client.close()
