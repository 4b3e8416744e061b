"""The stream over all games of a player: new games join it, and it resumes without gaps or repetitions."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile
from typing import Any

import httpx
import orjson
import pytest
import redis

from tests.support.accounts import Accounts, PlayerClient
from tests.support.administrators import ADMIN, WHY, register_administrator

PATH = "/api/v1/me/stream"
Event = tuple[str, str, Any]
"""The id, the name and the data of a server-sent event."""


@contextmanager
def open_stream(player: PlayerClient, last_id: str | None = None) -> Iterator[Iterator[Event]]:
    """Open the stream of a player, which ends with the context."""
    headers = {} if last_id is None else {"Last-Event-ID": last_id}
    timeout = httpx.Timeout(15.0)
    with player.http.stream("GET", PATH, headers=headers, timeout=timeout) as response:
        assert response.status_code == 200
        yield events_of(response)


def events_of(response: httpx.Response) -> Iterator[Event]:
    fields: dict[str, str] = {}
    for line in response.iter_lines():
        if line and not line.startswith(":"):
            name, value = line.split(": ", 1)
            fields[name] = value
        elif fields:
            yield fields["id"], fields.get("event", "message"), orjson.loads(fields["data"])
            fields = {}


def take_action(players: list[PlayerClient], game: str, seat: int) -> int:
    """Have a seat take its first legal action; return the seq of its event."""
    seq, actions = players[seat].legal_actions(game)
    assert players[seat].act(game, actions[0], seq).status_code == 201
    return seq + 1


def test_events_of_all_games_arrive_and_a_client_resumes_after_the_last_one(
    accounts: Accounts,
) -> None:
    first, players = accounts.start_game()
    ada, bea = players
    second = bea.create_game()
    ada.join(second)
    with open_stream(ada) as events:
        id, name, data = next(events)
        assert (name, data) == ("games", {"games": {first: 4, second: 4}})
        take_action(players, first, 0)
        id, name, event = next(events)
        assert (name, event["game"], event["seq"]) == ("message", first, 5)
        take_action([bea, ada], second, 0)
        last_id, _, event = next(events)
        assert (event["game"], event["seq"]) == (second, 5)
    # While the client is away, both games go on, and a third one begins.
    take_action(players, first, 1)
    take_action([bea, ada], second, 1)
    third = ada.create_game()
    with open_stream(ada, last_id) as events:
        assert next(events)[1] == "games"
        missed = [next(events)[2] for _ in range(4)]
        assert {(event["game"], event["seq"]) for event in missed} == {
            (first, 6),
            (second, 6),
            (third, 1),
            (third, 2),
        }
    with open_stream(ada, id) as events:
        next(events)
        repeated = [next(events)[2] for _ in range(5)]
        assert (second, 5) in {(event["game"], event["seq"]) for event in repeated}


def test_a_game_that_is_joined_later_is_streamed_from_its_first_event(accounts: Accounts) -> None:
    ada, bea = accounts.register(), accounts.register()
    game = bea.create_game()
    with open_stream(ada) as events:
        assert next(events)[2] == {"games": {}}
        ada.join(game)
        assert [next(events)[2]["seq"] for _ in range(4)] == [1, 2, 3, 4]


def test_a_game_that_was_left_and_joined_again_is_streamed(accounts: Accounts) -> None:
    ada, bea = accounts.register(), accounts.register()
    game = bea.create_game(3)
    ada.join(game)
    assert ada.http.delete(f"/api/v1/games/{game}/players/me").status_code == 204
    ada.join(game)
    newer = ada.create_game()
    with open_stream(ada, "nothing:1") as events:
        next(events)
        missed = iter(lambda: next(events)[2], None)
        types = [event["type"] for event in takewhile(lambda event: event["game"] == game, missed)]
        assert types == ["GameCreated", "SeatTaken", "SeatTaken", "SeatLeft", "SeatTaken"]
        assert next(missed)["game"] == newer
        bea.http.delete(f"/api/v1/games/{game}/players/me")
        assert next(missed)["type"] == "SeatLeft"


def test_a_game_that_ends_or_is_left_is_not_followed_any_more(accounts: Accounts) -> None:
    game, players = accounts.start_game()
    ada, bea = players
    left = bea.create_game()
    with open_stream(bea) as events:
        next(events)
        assert bea.http.delete(f"/api/v1/games/{left}/players/me").status_code == 204
        seq, _ = ada.legal_actions(game)
        assert ada.act(game, {"type": "resign"}, seq).status_code == 201
        id, _, event = next(events)
        assert (event["game"], event["type"]) == (game, "PlayerResigned")
        assert left not in id


def test_an_id_that_is_not_of_the_stream_is_refused(accounts: Accounts) -> None:
    ada = accounts.register()
    for header in (
        "x",
        "game",
        "game:x",
        ":5",
        "a:1  b:2",
        " ".join(f"g{n}:1" for n in range(1001)),
    ):
        response = ada.http.get(PATH, headers={"Last-Event-ID": header})
        assert response.status_code == 400, header
    assert accounts.anonymous.get(PATH).status_code == 401


def test_games_of_others_cannot_be_named(accounts: Accounts) -> None:
    game, _ = accounts.start_game(options={"private": False})
    outsider = accounts.register()
    with open_stream(outsider, f"{game}:0 nothing:3") as events:
        assert next(events)[2] == {"games": {}}


def test_a_client_with_events_that_are_not_in_the_log_begins_again(accounts: Accounts) -> None:
    game, (ada, _) = accounts.start_game()
    with open_stream(ada, f"{game}:99") as events:
        assert list(events) == [("0", "reset", {})]
    with open_stream(ada, "0") as events:
        assert next(events)[2] == {"games": {game: 4}}


@pytest.mark.parametrize("private", [False, True])
def test_a_game_leaves_the_stream_of_the_player_whose_seat_an_administrator_moves(
    accounts: Accounts, redis_client: redis.Redis, *, private: bool
) -> None:
    admin = register_administrator(accounts, redis_client)
    ada, bea, zoe = (accounts.register() for _ in range(3))
    game = ada.create_game(2, options={"private": private}, invite=[bea.handle])
    bea.join(game)
    other = bea.create_game()
    with open_stream(bea) as events:
        last_id, _, data = next(events)
        assert data["games"].keys() == {game, other}
        body = {**WHY, "seat": 1, "player": zoe.id}
        moved = admin.http.post(f"{ADMIN}/games/{game}/seat-moves", json=body)
        assert moved.status_code == 201
        assert ada.act(game).status_code == 201
        zoe.join(other)
        received = [next(events)[2] for _ in range(3)]
        assert [event["type"] for event in received if event["game"] == game] == [
            "AdministratorDecided"
        ]
    with open_stream(bea, last_id) as events:
        assert next(events)[2]["games"].keys() == {other}
