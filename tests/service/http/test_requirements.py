"""What a game requires of the players who join it, and what a refusal says."""

from collections.abc import Iterator

import pytest

from domain.options import RANGES, REQUIREMENTS
from service.bootstrap import Service, build
from service.games.player_statistics import PlayerStatistics
from tests.support.accounts import Accounts, PlayerClient
from tests.support.http_contract import invalid_fields
from tests.support.server import WebServer
from tests.support.service_games import play_out, start_game


@pytest.fixture
def stored(web: WebServer) -> Iterator[Service]:
    """A service on the Redis of the web server."""
    service = build(web.settings)
    yield service
    service.redis.close()


def join(player: PlayerClient, game: str) -> tuple[int, str]:
    response = player.http.post(f"/api/v1/games/{game}/players", json={"nonce": "00"})
    return response.status_code, response.json().get("detail", "")


def finish(service: Service, *players: str) -> None:
    game = play_out(service, start_game(service, players=players, round_limit=1).id).id
    while service.games.queries.game(game).status != "finished":
        service.games.commands.score(game)
    service.transparency.head_log.log([game])
    assert service.games.projections.catch_up()


def set_turns(service: Service, player: str, turns: str) -> None:
    """Give a player these last turns, as if they had been counted."""
    statistics = PlayerStatistics()
    statistics.reliability.recent = turns
    key = "cartulary:{projection:players}"
    live = service.redis.hget(key, "live") or b"1"
    generation = live.decode() if isinstance(live, bytes) else live
    service.redis.hset(f"{key}:{generation}", f"player {player}", statistics.encode())


def test_a_number_of_finished_games_is_required(accounts: Accounts, stored: Service) -> None:
    ada, bea, cid = (accounts.register() for _ in range(3))
    game = ada.create_game(3, options={"least_finished": 1})
    status, detail = join(bea, game)
    assert status == 403
    assert "have finished a public game without bots, and you have finished 0" in detail
    finish(stored, bea.id, cid.id)
    assert join(bea, game)[0] == 201
    again = bea.http.post(f"/api/v1/games/{game}/players", json={"nonce": "00"})
    assert again.status_code == 409


def test_a_reliability_is_required_of_players_of_whom_it_is_known(
    accounts: Accounts, stored: Service
) -> None:
    ada, bea, cid, dan = (accounts.register() for _ in range(4))
    game = ada.create_game(4, options={"least_reliability": 90})
    set_turns(stored, bea.id, "1" * 8 + "0" * 2)
    set_turns(stored, cid.id, "1" * 9 + "0")
    status, detail = join(bea, game)
    assert status == 403
    assert "90 % of their turns in time, and you take 80 %" in detail
    assert join(cid, game)[0] == 201
    assert join(dan, game)[0] == 201, "nothing is known of a newcomer"


def test_a_range_of_ratings_is_required_and_everything_missing_is_named(accounts: Accounts) -> None:
    ada, bea, cid = (accounts.register() for _ in range(3))
    options = {"least_rating": 1001, "least_finished": 2}
    game = ada.create_game(3, options=options, invite=[cid.handle])
    status, detail = join(bea, game)
    assert status == 403
    assert "finished 2 public games" in detail
    assert "a rating of at least 1001, and yours is 1000" in detail
    assert join(cid, game)[0] == 201, "the creator has invited this player"
    weak = ada.create_game(2, options={"most_rating": 999})
    assert "at most 999" in join(bea, weak)[1]
    fitting = ada.create_game(2, options={"least_rating": 1000, "most_rating": 1000})
    assert join(bea, fitting)[0] == 201


def test_requirements_apply_to_substitutes(accounts: Accounts) -> None:
    ada, bea, cid = (accounts.register() for _ in range(3))
    game = ada.create_game(
        2, options={"least_finished": 1, "substitutes": True}, invite=[bea.handle]
    )
    bea.join(game)
    assert bea.http.delete(f"/api/v1/games/{game}/seats/me").status_code == 200
    response = cid.http.post(f"/api/v1/games/{game}/substitutes", json={"seat": 1})
    assert response.status_code == 403


def test_invalid_requirements_are_refused(accounts: Accounts) -> None:
    ada = accounts.register()
    options = {
        "least_reliability": 0,
        "least_finished": "3",
        "least_rating": -1,
        "most_rating": 10_001,
    }
    body = {"rules": "barony", "seats": 2, "options": options}
    response = ada.http.post("/api/v1/games", json=body)
    assert response.status_code == 400
    assert invalid_fields(response) == {f"options.{name}" for name in options}


@pytest.mark.parametrize(("least", "most"), RANGES)
def test_a_range_that_is_empty_is_refused_in_a_new_game(
    accounts: Accounts, least: str, most: str
) -> None:
    ada = accounts.register()
    body = {"rules": "barony", "seats": 2, "options": {least: 51, most: 50}}
    response = ada.http.post("/api/v1/games", json=body)
    assert response.status_code == 400
    assert invalid_fields(response) == {f"options.{most}"}


def test_every_pair_of_bounds_among_the_requirements_is_a_range() -> None:
    ends = {name.partition("_")[2] for name in REQUIREMENTS if name.startswith("most_")}
    assert {most for _, most in RANGES} == {f"most_{end}" for end in ends}
    assert ("least_rating", "most_rating") in RANGES
