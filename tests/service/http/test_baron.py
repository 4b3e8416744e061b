"""Games of Baron over HTTP: creating them, refusals, and which viewer sees which tiles (docs/http.md)."""

from io import BytesIO

import pytest

from ledger.record import Record, read
from tests.support.accounts import Accounts, PlayerClient, take_turn
from tests.support.http_contract import Json
from tests.support.records import secret_values


def start_game(accounts: Accounts, seats: int) -> tuple[str, list[PlayerClient]]:
    """Start a game of Baron; return its id and its players by seat."""
    return accounts.start_game(seats, rules="baron")


def position(player: PlayerClient, game: str, **query: int) -> Json:
    body: Json = player.http.get(f"/api/v1/games/{game}/position", params=query).json()
    return body


def reserves(position: Json) -> list[list[str] | None]:
    return [player["reserve"] for player in position["players"]]


def record(player: PlayerClient, game: str) -> Record:
    return read(BytesIO(player.http.get(f"/api/v1/games/{game}/record").content))


@pytest.mark.parametrize(("seats", "pile"), [(2, 65), (3, 63), (4, 61), (5, 57)])
def test_a_game_has_two_to_five_seats(accounts: Accounts, seats: int, pile: int) -> None:
    game, players = start_game(accounts, seats)
    summary = accounts.anonymous.get(f"/api/v1/games/{game}").json()
    assert (summary["rules"], summary["seats"], summary["status"]) == ("baron", seats, "playing")
    assert summary["options"] == {"seating": "joined", "private": False}
    shown = position(players[0], game)
    assert (shown["rules"], shown["phase"], shown["round"]) == ("baron", "draw", 1)
    assert (len(shown["players"]), len(shown["market"]), shown["pile"]) == (seats, 3, pile)
    assert len(shown["removed"]) == (2 if seats == 5 else 0)


def test_a_reserve_is_shown_to_its_own_player(accounts: Accounts) -> None:
    game, players = start_game(accounts, 3)
    seq = [take_turn(game, players)["seq"] for _ in range(7)][-1]
    sizes = [player["reserve_size"] for player in position(players[0], game)["players"]]
    for seat, player in enumerate(players):
        for shown in [reserves(position(player, game, seq=place)) for place in (5, seq)]:
            assert [tiles is not None for tiles in shown] == [it == seat for it in range(3)]
        shown = reserves(position(player, game))
        assert len(shown[seat] or ()) == sizes[seat]
        around = player.http.get(f"/api/v1/games/{game}/events/{seq}").json()
        assert reserves(around["after"]) == shown
        assert {*secret_values(record(player, game))} == {f"reserve/{seat}"}
    without_token = accounts.anonymous.get(f"/api/v1/games/{game}/position").json()
    for public in (without_token, position(accounts.register(), game)):
        assert reserves(public) == [None] * 3
        assert [player["reserve_size"] for player in public["players"]] == sizes
    assert secret_values(record(accounts.register(), game)) == {}


def test_only_the_player_to_act_has_legal_actions(accounts: Accounts) -> None:
    game, (ada, bea) = start_game(accounts, 2)
    assert ada.legal_actions(game)[1][0] == {"type": "draw", "slot": 1}
    assert ada.act(game).status_code == 201
    tiles = {action["tile"] for action in ada.legal_actions(game)[1]}
    assert tiles <= {*position(ada, game)["players"][0]["reserve"]}
    assert bea.legal_actions(game) == (ada.legal_actions(game)[0], [])
    stranger = accounts.register().http.get(f"/api/v1/games/{game}/legal-actions")
    assert stranger.status_code == 403


@pytest.mark.parametrize(
    ("action", "status", "clause"),
    [
        ({"type": "agree_to_end", "agree": True}, 400, "FORMAT"),
        ({"type": "place_city", "at": [0, 0]}, 400, "FORMAT"),
        ({"type": "draw", "slot": 4}, 400, "FORMAT"),
        ({"type": "draw", "slot": 3.0}, 400, None),
        ({"type": "end_turn"}, 422, "BN-TRN-3"),
    ],
)
def test_an_illegal_or_malformed_action_is_refused(
    accounts: Accounts, action: Json, status: int, clause: str | None
) -> None:
    game, (ada, bea) = start_game(accounts, 2)
    refused = ada.act(game, action)
    assert (refused.status_code, refused.json().get("clause")) == (status, clause)
    not_on_turn = bea.act(game, {"type": "draw", "slot": 1})
    assert (not_on_turn.status_code, not_on_turn.json()["clause"]) == (422, "BN-TRN-2")
