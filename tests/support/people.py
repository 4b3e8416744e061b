"""People who play over HTTP: each with an account, a token and a client of their own."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from tests.support.http_contract import Contract

Json = dict[str, Any]
PASSWORD = "correct horse"
_names = (f"player-{number}" for number in itertools.count(1))


def client(url: str, contract: Contract | None = None, token: str | None = None) -> httpx.Client:
    """A client of the interface; with a contract, all that it is answered is held against that."""

    def see(response: httpx.Response) -> None:
        if contract is not None:
            if response.headers.get("content-type") != "text/event-stream":
                response.read()
            contract.see(response)

    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return httpx.Client(
        base_url=url, headers=headers, event_hooks={"response": [see]}, timeout=30.0
    )


@dataclass
class Person:
    """Somebody with an account."""

    handle: str
    id: str
    token: str
    http: httpx.Client

    def creates(self, seats: int = 2, **others: Any) -> str:
        """Create a game; its id."""
        body = {"rules": "barony", "seats": seats, **others}
        body["options"] = {"seating": "joined", **body.get("options", {})}
        response = self.http.post("/api/v1/games", json=body)
        assert response.status_code == 201, response.text
        return str(response.json()["id"])

    def joins(self, game: str) -> None:
        """Join a game."""
        response = self.http.post(f"/api/v1/games/{game}/players", json={})
        assert response.status_code == 201, response.text

    def legal(self, game: str) -> tuple[int, list[Json]]:
        """The head's seq and what may be done."""
        told = self.http.get(f"/api/v1/games/{game}/legal-actions").json()
        return told["seq"], told["actions"]

    def acts(
        self, game: str, action: Any = None, seq: int | None = None, **headers: str
    ) -> httpx.Response:
        """Act: as said, or the first legal action."""
        if action is None or seq is None:
            head, actions = self.legal(game)
            action, seq = action or actions[0], seq if seq is not None else head
        body = {"action": action, "expected_seq": seq}
        return self.http.post(f"/api/v1/games/{game}/actions", json=body, headers=headers)


def moves(game: str, players: Sequence[Person]) -> Json:
    """Whose turn it is takes the first legal action; the event. `players` are by seat."""
    seat = players[0].http.get(f"/api/v1/games/{game}").json()["to_act"]
    response = players[seat].acts(game)
    assert response.status_code == 201, response.text
    event: Json = response.json()["events"][0]
    return event


class People:
    """Registers people on one server."""

    def __init__(self, url: str, contract: Contract | None = None) -> None:
        self.url = url
        self.contract = contract
        self.stranger = client(url, contract)
        """A client without a token."""
        self._clients = [self.stranger]

    def new(self, handle: str | None = None) -> Person:
        """Somebody new."""
        handle = handle or next(_names)
        body = {"handle": handle, "password": PASSWORD}
        response = self.stranger.post("/api/v1/players", json=body)
        assert response.status_code == 201, response.text
        told = response.json()
        http = client(self.url, self.contract, told["token"])
        self._clients.append(http)
        return Person(handle, told["player"]["id"], told["token"], http)

    def table(self, seats: int = 2, **others: Any) -> "tuple[str, list[Person]]":
        """A game that has just started, and its players by seat."""
        players = [self.new() for _ in range(seats)]
        game = players[0].creates(seats, **others)
        for player in players[1:]:
            player.joins(game)
        return game, players

    def close(self) -> None:
        """Close all connections."""
        for one in self._clients:
            one.close()
