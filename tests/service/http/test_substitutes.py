"""Leaving seats to substitutes, and taking vacant seats, over HTTP."""

from typing import Any

from tests.support.accounts import Accounts, PlayerClient
from tests.support.http_contract import invalid_fields


def game_with_substitutes(accounts: Accounts, **options: Any) -> tuple[str, list[PlayerClient]]:
    """Start a game of three with substitutes, in which nobody has acted yet."""
    return accounts.start_game(3, rules="baron", options={"substitutes": True, **options})


def leave(account: PlayerClient, game: str) -> Any:
    return account.http.delete(f"/api/v1/games/{game}/seats/me")


def take(account: PlayerClient, game: str, seat: object) -> Any:
    return account.http.post(f"/api/v1/games/{game}/substitutes", json={"seat": seat})


def seat_of(account: PlayerClient, game: str) -> int | None:
    players = account.http.get(f"/api/v1/games/{game}").json()["players"]
    return next((player["seat"] for player in players if player["id"] == account.id), None)


def vacant_games(player: PlayerClient) -> list[str]:
    """Return the games with vacant seats that a player sees. Other tests have some on the same server."""
    games = player.http.get("/api/v1/games?vacant=true&limit=100").json()["games"]
    return [entry["id"] for entry in games]


def test_a_substitute_takes_over_a_seat_with_all_that_belongs_to_it(accounts: Accounts) -> None:
    game, players = game_with_substitutes(accounts)
    ada, zoe = players[0], accounts.register()
    seat = seat_of(ada, game)
    assert seat is not None
    assert take(zoe, game, seat).status_code == 409
    left = leave(ada, game)
    assert (left.status_code, left.json()["vacant"]) == (200, [seat])
    assert seat_of(ada, game) is None
    assert leave(ada, game).status_code == 403
    assert game in vacant_games(zoe)
    assert ada.http.get(f"/api/v1/games?player={ada.handle}").json()["games"] == []
    for other in (ada, players[1]):
        assert take(other, game, seat).status_code == 409
    taken = take(zoe, game, seat)
    assert (taken.status_code, taken.json()["vacant"]) == (201, [])
    assert seat_of(zoe, game) == seat
    assert game not in vacant_games(zoe)
    assert [
        entry["id"] for entry in zoe.http.get(f"/api/v1/games?player={zoe.handle}").json()["games"]
    ] == [game]
    # What belongs to the seat is visible to the substitute, and no longer to the former player.
    position = zoe.http.get(f"/api/v1/games/{game}/position").json()
    former = ada.http.get(f"/api/v1/games/{game}/position").json()
    assert former == accounts.anonymous.get(f"/api/v1/games/{game}/position").json()
    assert position["players"][seat]["reserve"] is not None
    assert former["players"][seat]["reserve"] is None
    refused = ada.http.post(
        f"/api/v1/games/{game}/actions", json={"action": {"type": "resign"}, "expected_seq": 0}
    )
    assert refused.status_code == 403


def test_bad_requests_about_seats_change_nothing(accounts: Accounts) -> None:
    players = [accounts.register() for _ in range(2)]
    options = {"substitutes": True, "private": True}
    game = players[0].create_game(invite=[players[1].handle], rules="baron", options=options)
    players[1].join(game)
    zoe = accounts.register()
    seat = seat_of(players[0], game)
    leave(players[0], game)
    # A private game does not exist for anybody else.
    assert take(zoe, game, seat).status_code == 404
    assert leave(zoe, game).status_code == 404
    assert game not in vacant_games(zoe)
    assert take(players[1], game, 7).status_code == 404
    for body in (-1, "zero", True):
        response = take(players[1], game, body)
        assert (response.status_code, invalid_fields(response)) == (400, {"seat"})
    for query, field in (("vacant=yes", "vacant"), ("vacant=true&status=open", "status")):
        response = zoe.http.get(f"/api/v1/games?{query}")
        assert (response.status_code, invalid_fields(response)) == (400, {field})
    assert players[1].http.get(f"/api/v1/games/{game}").json()["vacant"] == [seat]


def test_games_without_substitutes_and_open_games_have_no_vacant_seats(accounts: Accounts) -> None:
    game, players = accounts.start_game(2)
    assert leave(players[0], game).status_code == 409
    ada = accounts.register()
    waiting = ada.create_game(2, options={"substitutes": True})
    assert leave(ada, waiting).status_code == 409


def take_with_key(account: PlayerClient, game: str, seat: int, key: str) -> int:
    response = account.http.post(
        f"/api/v1/games/{game}/substitutes", json={"seat": seat}, headers={"Idempotency-Key": key}
    )
    return response.status_code


def test_a_repeated_request_with_its_key_has_the_same_result(accounts: Accounts) -> None:
    game, players = game_with_substitutes(accounts)
    headers = {"Idempotency-Key": "leaving"}
    path = f"/api/v1/games/{game}/seats/me"
    first = players[0].http.delete(path, headers=headers)
    again = players[0].http.delete(path, headers=headers)
    assert (first.status_code, again.json()) == (200, first.json())
    seat, zoe = first.json()["vacant"][0], accounts.register()
    assert take_with_key(zoe, game, seat, "mine") == take_with_key(zoe, game, seat, "mine") == 201
    assert take_with_key(zoe, game, 1, "mine") == 422
    assert zoe.http.delete(path, headers={"Idempotency-Key": "mine"}).status_code == 422
    assert zoe.http.delete(path, headers={"Idempotency-Key": "x" * 300}).status_code == 400
