"""Filtered lists of games: each condition, pages whose work is bounded, and private games."""

from typing import Any

import pytest

from domain.event import Clock
from service.bootstrap import Service
from service.games.game_filter import PACES, GameFilter, Pace, pace_of
from service.games.listings import EXAMINED
from tests.support.service_games import create_game, start_game

HOUR = 3600


def create(service: Service, rules: str = "barony", seats: int = 2, **fields: Any) -> str:
    """Create an open game of ada and return its id."""
    return create_game(service, rules=rules, seats=seats, **fields).id


def matching_games(
    service: Service, game_filter: GameFilter, *, viewer: str | None = None, limit: int = 50
) -> set[str]:
    """Return the ids of the games on all pages of the filtered list of games of any status."""
    games: list[str] = []
    cursor = None
    for _ in range(100):
        summaries, cursor = service.games.queries.filtered_summaries(
            lambda after, count: service.games.listings.page(
                (), None, after, count, viewer, game_filter.kinds
            ),
            game_filter,
            cursor,
            limit,
        )
        assert len(summaries) <= limit
        games += [summary.id for summary in summaries]
        if cursor is None:
            assert len(set(games)) == len(games)
            return set(games)
    raise AssertionError("the list does not end")


@pytest.mark.parametrize(
    ("clock", "pace"),
    [
        (None, "none"),
        ({"per_turn": 60}, "hour"),
        ({"per_turn": HOUR}, "hour"),
        ({"per_turn": HOUR + 1}, "day"),
        ({"per_turn": 24 * HOUR, "bank": 90 * HOUR}, "day"),
        ({"per_turn": 24 * HOUR + 1}, "slow"),
        ({"bank": 72 * HOUR}, "slow"),
    ],
)
def test_the_pace_of_a_clock_is_its_time_for_a_turn(clock: Clock | None, pace: Pace) -> None:
    assert pace_of(clock) == pace
    assert pace in PACES


def test_each_condition_selects_games(service: Service) -> None:
    barony = create(service, seats=3, clock={"per_turn": 60})
    sorcery = create(service, seats=3, options={"sorcery": True})
    baron = create(service, "baron", seats=4, clock={"per_turn": 24 * HOUR}, bots=("random",))
    playing = start_game(service).id
    everything = {barony, sorcery, baron, playing}
    expected = [
        (GameFilter(), everything),
        (GameFilter(rules="barony"), {barony, sorcery, playing}),
        (GameFilter(rules="barony", expansions={"sorcery": False}), {barony, playing}),
        (GameFilter(expansions={"sorcery": True}), {sorcery}),
        (GameFilter(seats=3), {barony, sorcery}),
        (GameFilter(free=1), {barony, sorcery, baron}),
        (GameFilter(free=2), {barony, sorcery, baron}),
        (GameFilter(free=3), set()),
        (GameFilter(pace="none"), {sorcery, playing}),
        (GameFilter(pace="hour"), {barony}),
        (GameFilter(pace="day", free=2, seats=4), {baron}),
        (GameFilter(rules="chess"), set()),
    ]
    for game_filter, games in expected:
        for limit in (1, 50):
            assert matching_games(service, game_filter, limit=limit) == games, game_filter


def test_private_games_are_found_by_those_who_may_see_them(service: Service) -> None:
    game = create(service, "baron", options={"private": True}, invited=("bea",))
    baron = GameFilter(rules="baron")
    assert matching_games(service, baron) == set()
    assert matching_games(service, baron, viewer="eve") == set()
    assert matching_games(service, baron, viewer="bea") == {game}


def test_the_work_for_a_page_is_bounded(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.games.queries.EXAMINED", 3)
    assert EXAMINED > 3
    slow = GameFilter(pace="slow")
    game = create(service, clock={"per_turn": 72 * HOUR})
    for _ in range(7):
        create(service)
    sizes = []

    def read_page(after: str | None, count: int) -> Any:
        sizes.append(count)
        return service.games.listings.page(["open"], None, after, count)

    summaries, cursor = service.games.queries.filtered_summaries(read_page, slow, None, 2)
    assert (summaries, sizes) == ([], [3])
    assert cursor is not None
    assert matching_games(service, slow, limit=2) == {game}


def test_rules_and_seats_are_found_in_indexes_without_reading_other_games(service: Service) -> None:
    games = {create(service, "baron", seats=4) for _ in range(3)}
    for _ in range(3):
        create(service)
    sizes = []
    game_filter = GameFilter(rules="baron", seats=4)

    def read_page(after: str | None, count: int) -> Any:
        page = service.games.listings.page(["open"], None, after, count, kinds=game_filter.kinds)
        sizes.append(len(page.games))
        return page

    summaries, cursor = service.games.queries.filtered_summaries(read_page, game_filter, None, 3)
    assert ({summary.id for summary in summaries}, cursor, sizes) == (games, None, [3])
