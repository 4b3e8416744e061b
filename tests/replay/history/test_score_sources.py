"""What points come from, and the turning point, in every recorded game."""

from functools import cache
from pathlib import Path

import pytest

from domain.contract import OwnOptions
from domain.registry import with_game
from replay.bots.playout import plan, play
from replay.history.score_chart import NoScores, ScoreChart, score_chart
from replay.language.renderer import english
from tests.support.records import Table, read
from tests.support.seven_hexes import SevenHexes, State

GAMES = sorted((Path(__file__).parents[2] / "games").glob("*.jsonl"))


@cache
def chart_of(path: Path) -> ScoreChart:
    return score_chart(read(path.read_bytes()))


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_the_points_by_source_add_up_to_the_final_scores(path: Path) -> None:
    try:
        chart = chart_of(path)
    except NoScores:
        pytest.skip("the game never started")
    last = chart.points[-1].scores
    assert [sum(points for _, points in of_seat) for of_seat in chart.sources] == [*last]


class HeadStart(SevenHexes):
    """Seat 1 begins with two points."""

    def start(self, seats: int, options: OwnOptions) -> State:
        return State(seats=seats, points=(0, 2))


def test_the_points_at_the_start_are_a_source() -> None:
    with with_game(HeadStart()):
        chart = score_chart(read(play(plan(SevenHexes.NAME, 2, b"s" * 32, {})).record))
    assert next(english(source) for source, _ in chart.sources[1]) == "at the start"
    last = chart.points[-1].scores
    assert [sum(points for _, points in of_seat) for of_seat in chart.sources] == [*last]


def named(name: str) -> ScoreChart:
    return chart_of(next(path for path in GAMES if path.stem == name))


def sources(name: str, seat: int) -> dict[str, int]:
    return {english(source): points for source, points in named(name).sources[seat]}


def test_the_sources_are_those_of_the_rules() -> None:
    """BY-TTL-1, BY-CTY-4, BY-END-3, BS-MYS-5, BN-DRW-2, BN-LAY-3, BN-BAR-4, BN-FGT-5."""
    barony = {english(source) for rows in named("duke-of-three").sources for source, _ in rows}
    assert {"noble titles", "new cities", "tokens left"} <= barony
    sorcery = {
        english(source) for rows in named("sorcery-imprints-decide").sources for source, _ in rows
    }
    assert "imprints" in sorcery
    baron = {english(source) for rows in named("baron-five").sources for source, _ in rows}
    assert baron == {"paid for tiles", "tiles laid", "baronies established", "baronies lost"}


def leaders_by_event(chart: ScoreChart) -> dict[int, set[int]]:
    return {
        point.seq: {seat for seat, score in enumerate(point.scores) if score == max(point.scores)}
        for point in chart.points
    }


@pytest.mark.parametrize("name", ["duke-of-three", "baron-battles", "sorcery-duke-of-two"])
def test_since_the_turning_point_the_winner_has_been_first(name: str) -> None:
    """In games that nobody has left."""
    chart = named(name)
    turn = chart.turning_point
    assert turn is not None
    assert turn.seat is not None
    assert chart.places[turn.seat] == 1
    leaders = leaders_by_event(chart)
    *_, before = [first for seq, first in leaders.items() if seq < turn.seq]
    assert before != {turn.seat}
    # The final ranking breaks ties, and counts tokens.
    after = [first for seq, first in leaders.items() if turn.seq <= seq < chart.points[-1].seq]
    assert all(first == {turn.seat} for first in after)


def test_somebody_has_led_before_the_turning_point() -> None:
    for path in GAMES:
        try:
            chart = chart_of(path)
        except NoScores:
            continue
        turn, leaders = chart.turning_point, leaders_by_event(chart)
        if turn is not None:
            before = [len(first) for seq, first in leaders.items() if seq < turn.seq]
            assert min(before) < len(chart.places), path.stem


def test_a_departure_can_be_the_turning_point() -> None:
    chart = named("duke-resigns")
    turn = chart.turning_point
    assert turn is not None
    departures = {mark.seq: mark for mark in chart.marks if mark.kind == "departure"}
    assert turn.seq in departures


def test_a_running_game_has_no_turning_point() -> None:
    table = Table("barony", seats=2).start().act_at_random(60)
    assert score_chart(read(table.record())).turning_point is None


def test_superseded_events_yield_nothing() -> None:
    """The sources of a game in which play resumed from an earlier event are those of its last branch."""
    table = Table("baron", seats=2).start()
    table.act_at_random(12, b"x")
    origin = table.game.seq
    before = score_chart(read(table.record())).sources
    table.act_at_random(9, b"y")
    assert score_chart(read(table.record())).sources != before
    table.resume(origin)
    assert score_chart(read(table.record())).sources == before
