"""The formats of tournaments, played to their end."""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import TypeVar

import pytest

from domain.chance import Chance
from domain.errors import Malformed
from domain.tournaments.format_settings import BOUNDS, FIELDS, FORMATS, FormatSettings
from domain.tournaments.formats import (
    Round,
    is_decided_by_lot,
    ladder,
    next_round,
    points_in_advance,
    round_title,
    seasons,
    standings,
)
from domain.tournaments.pairing import Player, Table, meetings
from domain.tournaments.standings import Result
from replay.language.renderer import english
from tests.support.variants import nightly_except

T = TypeVar("T")


class Lots:
    """A draw of lots from a fixed seed."""

    def __init__(self, seed: bytes = b"") -> None:
        self._seed = seed

    def shuffle(self, items: Sequence[T], label: str) -> list[T]:
        return Chance(self._seed + label.encode()).shuffle(items)


def stronger_wins(table: Table) -> Result:
    """Return a result in which players with smaller numbers are before those with larger ones."""
    return Result(table, tuple(sorted(table).index(player) + 1 for player in table))


def nobody(number: int) -> frozenset[Player]:
    return frozenset()


def play(
    settings: FormatSettings,
    players: int,
    *,
    result: Callable[[Table], Result] = stronger_wins,
    absent: Callable[[int], frozenset[Player]] = nobody,
    most: int = 200,
) -> list[Round]:
    """Return the rounds of a whole tournament; `absent` returns those who are absent in a round."""
    rounds: list[Round] = []
    while len(rounds) < most:
        away = absent(len(rounds) + 1)
        tables = next_round(settings, range(players), rounds, away, Lots())
        assert tables == next_round(settings, range(players), rounds, away, Lots())
        if tables is None:
            return rounds
        seats = [player for table in tables for player in table]
        assert len(seats) == len(set(seats)), "somebody sits twice in one round"
        assert not away.intersection(seats)
        assert all(1 <= len(table) <= settings.table_size for table in tables)
        rounds.append(Round(tables, tuple(map(result, tables))))
    raise AssertionError(f"{settings} does not end")


def all_tables(rounds: Sequence[Round]) -> list[Table]:
    return [table for round in rounds for table in round.tables]


def places(settings: FormatSettings, players: int, rounds: Sequence[Round]) -> list[list[Player]]:
    """Return the players of each group in the order of the standings."""
    groups = standings(settings, range(players), rounds)
    return [[row.player for row in group.standings] for group in groups]


SETTINGS = [
    FormatSettings("single_group", table_size=4, rounds=8),
    FormatSettings("single_group", table_size=2, rounds=3),
    FormatSettings("round_robin"),
    FormatSettings("round_robin", cycles=2),
    FormatSettings("round_robin", table_size=3),
    FormatSettings("swiss", rounds=5),
    FormatSettings("swiss", table_size=4, rounds=4),
    FormatSettings("knockout"),
    FormatSettings("knockout", table_size=3),
    FormatSettings("knockout", table_size=4, advance=2),
    FormatSettings("knockout", table_size=5, advance=4),
    FormatSettings("league", divisions=3, promoted=1, seasons=3),
    FormatSettings("league", table_size=4, divisions=2, promoted=2, seasons=2),
    FormatSettings("ladder", rounds=6),
    FormatSettings("ladder", table_size=3, rounds=7),
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("players", nightly_except([2, 8, 13], [2, 3, 5, 8, 13, 17]))
def test_a_tournament_ends_with_everybody_in_the_standings(
    settings: FormatSettings, players: int
) -> None:
    rounds = play(settings, players)
    groups = places(settings, players, rounds)
    assert sorted(player for group in groups for player in group) == [*range(players)]
    if settings.format not in {"ladder", "single_group", "swiss"}:
        assert groups[0][0] == 0, "the strongest player has not won"


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("players", [6, 13])
def test_a_tournament_ends_although_players_withdraw_and_are_absent(
    settings: FormatSettings, players: int
) -> None:
    def absent(number: int) -> frozenset[Player]:
        withdrawn = {0} if number > 2 else set()
        return frozenset({*withdrawn, number % players, number * 3 % players})

    rounds = play(settings, players, absent=absent)
    groups = places(settings, players, rounds)
    assert {*groups[0]} <= {*range(players)}
    play(settings, players, absent=lambda number: frozenset(range(players if number > 2 else 0)))


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_settings_are_read_as_they_were_written(settings: FormatSettings) -> None:
    assert FormatSettings.from_json(settings.to_json()) == settings
    assert settings.most_players >= 32


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        ([], ""),
        ({}, "format"),
        ({"format": "lottery"}, "format"),
        ({"format": "swiss", "advance": 1}, "advance"),
        ({"format": "swiss", "colour": 1}, "colour"),
        ({"format": "swiss", "rounds": 0}, "rounds"),
        ({"format": "swiss", "rounds": True}, "rounds"),
        ({"format": "swiss", "rounds": "5"}, "rounds"),
        ({"format": "swiss", "table_size": 6}, "table_size"),
        ({"format": "knockout", "table_size": 3, "advance": 3}, "advance"),
        ({"format": "knockout", "advance": 2}, "advance"),
    ],
)
def test_wrong_settings_are_refused_with_the_field(raw: object, field: str) -> None:
    with pytest.raises(Malformed) as error:
        FormatSettings.from_json(raw)
    assert [*error.value.fields] == [field]


def test_every_setting_of_a_format_has_bounds_and_a_default_within_them() -> None:
    for format in FORMATS:
        for name in FIELDS[format]:
            least, most = BOUNDS[name]
            assert least <= getattr(FormatSettings(format), name) <= most


@pytest.mark.parametrize(
    ("settings", "most"),
    [
        (FormatSettings("swiss"), 128),
        (FormatSettings("round_robin"), 32),
        (FormatSettings("league", divisions=3), 96),
        (FormatSettings("league", divisions=16), 128),
    ],
)
def test_a_format_has_a_greatest_number_of_players(settings: FormatSettings, most: int) -> None:
    settings.check_players(2)
    settings.check_players(most)
    for count in (1, most + 1):
        with pytest.raises(Malformed) as error:
            settings.check_players(count)
        assert [*error.value.fields] == ["players"]


def test_the_players_of_a_single_table_take_every_seat() -> None:
    rounds = play(FormatSettings("single_group", table_size=4, rounds=4), 4)
    assert all(len(round.tables) == 1 for round in rounds)
    for player in range(4):
        assert {round.tables[0].index(player) for round in rounds} == {0, 1, 2, 3}


def test_a_double_round_robin_gives_each_two_players_both_seats() -> None:
    rounds = play(FormatSettings("round_robin", cycles=2), 6)
    assert len(rounds) == 10
    pairs = {*combinations(range(6), 2)}
    assert sorted(all_tables(rounds)) == sorted({*pairs, *((b, a) for a, b in pairs)})


def test_a_player_whose_opponent_is_absent_has_a_bye() -> None:
    settings = FormatSettings("round_robin")
    rounds = play(settings, 4, absent=lambda _: frozenset({3}))
    byes = sorted(table for table in all_tables(rounds) if len(table) == 1)
    assert byes == [(0,), (1,), (2,)]
    assert places(settings, 4, rounds) == [[0, 1, 2, 3]]


def test_an_odd_player_of_a_round_robin_has_no_table_and_no_points() -> None:
    settings = FormatSettings("round_robin")
    rounds = play(settings, 5)
    assert all(len(table) == 2 for table in all_tables(rounds))
    (group,) = standings(settings, range(5), rounds)
    assert [row.points for row in group.standings] == [4, 3, 2, 1, 0]


def test_a_swiss_tournament_finds_the_strongest_players() -> None:
    settings = FormatSettings("swiss", rounds=5)
    rounds = play(settings, 32)
    assert max(meetings(all_tables(rounds)).values()) == 1
    (group,) = standings(settings, range(32), rounds)
    assert group.standings[0].player == 0
    assert group.standings[0].points == 5
    assert group.standings[-1].player == 31


def test_live_standings_count_only_the_results_that_there_are() -> None:
    settings = FormatSettings("swiss", rounds=5)
    tables = ((0, 1), (2, 3))
    (group,) = standings(settings, range(4), [Round(tables, (None, Result((2, 3), (2, 1))))])
    assert [row.player for row in group.standings] == [3, 2, 0, 1]
    assert [row.points for row in group.standings] == [1, 0, 0, 0]


@pytest.mark.parametrize("players", range(2, 34))
def test_a_knockout_of_two_has_byes_in_its_first_round_only(players: int) -> None:
    rounds = play(FormatSettings("knockout"), players)
    assert len(rounds) == (players - 1).bit_length()
    assert all(len(table) == 2 for table in all_tables(rounds[1:]))
    assert sum(len(table) == 2 for table in all_tables(rounds)) == players - 1


def test_players_who_come_from_one_table_of_a_knockout_meet_in_the_next_round_last() -> None:
    rounds = play(FormatSettings("knockout", table_size=4, advance=2), 16)
    assert [len(round.tables) for round in rounds] == [4, 2, 1]
    for table in rounds[1].tables:
        for former in rounds[0].tables:
            assert len({*table} & {*former}) <= 1


def test_a_tie_in_a_knockout_is_decided_by_lot() -> None:
    settings = FormatSettings("knockout")
    rounds = play(settings, 4, result=lambda table: Result(table, (1,) * len(table)))
    assert rounds[1].tables == ((0, 2),)
    assert places(settings, 4, rounds) == [[0, 2, 1, 3]]
    assert all(is_decided_by_lot(settings, range(4), rounds[:1], table) for table in (0, 1))
    # Nobody goes on from the final, whose places are those of the standings.
    assert not is_decided_by_lot(settings, range(4), rounds, 0)


def test_points_of_earlier_rounds_decide_before_the_lots_who_goes_on_in_a_knockout() -> None:
    settings = FormatSettings("knockout", table_size=3, advance=2)

    def first_two_share_the_second_place(table: Table) -> Result:
        return Result(table, (2, 2, 1) if 3 in table else (1, 2, 3))

    rounds = [
        Round(tables, tuple(map(result, tables)))
        for tables, result in (
            (((0, 1, 2), (3, 4, 5), (6, 7, 8)), first_two_share_the_second_place),
            (((0, 5, 7), (6, 1, 3)), lambda table: Result(table, (1, 1, 1))),
        )
    ]
    decided = [is_decided_by_lot(settings, range(9), rounds[:1], table) for table in range(3)]
    assert decided == [False, True, False]
    # At the second table, 6 has won before, 1 was second, and 3 has shared the second place.
    assert is_decided_by_lot(settings, range(9), rounds, 0) is False
    assert is_decided_by_lot(settings, range(9), rounds, 1) is False


def test_the_last_player_of_a_knockout_wins_when_the_others_are_absent() -> None:
    settings = FormatSettings("knockout")
    rounds = play(settings, 4, absent=lambda number: frozenset({0} if number == 2 else ()))
    assert rounds[1].tables == ((2,),)
    assert places(settings, 4, rounds)[0][:2] == [2, 0]


def test_nobody_goes_on_from_a_table_of_a_knockout_at_which_nobody_played() -> None:
    settings = FormatSettings("knockout")

    def forfeit_of_zero(table: Table) -> Result:
        return Result(table, (0, 0)) if 0 in table else stronger_wins(table)

    rounds = play(settings, 4, result=forfeit_of_zero)
    assert len(rounds[1].tables) == 1
    assert 0 not in rounds[1].tables[0]
    assert len(rounds[1].tables[0]) == 1


def test_players_go_up_and_down_between_the_divisions_of_a_league() -> None:
    settings = FormatSettings("league", divisions=3, promoted=1, seasons=2)

    def reversed_wins(table: Table) -> Result:
        return stronger_wins(tuple(-player for player in table))

    def weaker_wins(table: Table) -> Result:
        return Result(table, reversed_wins(table).places)

    rounds = play(settings, 12, result=weaker_wins)
    assert len(rounds) == 6
    first, second = seasons(settings, range(12), rounds)
    assert first.divisions == ((0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 10, 11))
    assert [{*division} for division in second.divisions] == [
        {3, 2, 1, 7},
        {0, 6, 5, 11},
        {4, 10, 9, 8},
    ]
    assert places(settings, 12, rounds) == [[7, 3, 2, 1], [11, 6, 5, 0], [10, 9, 8, 4]]


def test_each_season_of_a_league_is_a_round_robin_of_each_division() -> None:
    settings = FormatSettings("league", divisions=2, promoted=2, seasons=2)
    rounds = play(settings, 11)
    for season in seasons(settings, range(11), rounds):
        assert [*map(len, season.divisions)] == [6, 5]
        tables = all_tables(rounds[season.start : season.start + season.length])
        expected = Counter(
            (min(two), max(two))
            for division in season.divisions
            for two in combinations(division, 2)
        )
        assert meetings(tables) == expected


def test_a_player_who_missed_a_whole_season_of_a_league_leaves_it() -> None:
    settings = FormatSettings("league", divisions=2, seasons=2)
    rounds = play(settings, 8, absent=lambda _: frozenset({2}))
    first, second = seasons(settings, range(8), rounds)
    assert sum(map(len, first.divisions)) == 8
    assert sum(map(len, second.divisions)) == 7
    assert all(2 not in division for division in second.divisions)


def test_players_of_a_ladder_change_rungs_by_their_places() -> None:
    settings = FormatSettings("ladder", table_size=3, rounds=1)
    rounds = [Round(((0, 1, 2), (3, 4)), (Result((0, 1, 2), (3, 2, 1)), Result((3, 4), (1, 1))))]
    assert ladder(range(5), rounds) == [2, 1, 0, 3, 4]
    assert places(settings, 5, rounds) == [[2, 1, 0, 3, 4]]


def test_neighbours_on_a_ladder_meet_and_the_tables_shift_in_every_second_round() -> None:
    rounds = play(FormatSettings("ladder", rounds=2), 6)
    assert [{*table} for table in rounds[0].tables] == [{0, 1}, {2, 3}, {4, 5}]
    assert [{*table} for table in rounds[1].tables] == [{0}, {1, 2}, {3, 4}, {5}]


def test_a_player_who_misses_a_round_falls_behind_the_next_one_on_the_ladder() -> None:
    settings = FormatSettings("ladder", rounds=3)
    rounds = play(settings, 4, absent=lambda _: frozenset({0}))
    assert places(settings, 4, rounds) == [[1, 2, 3, 0]]


def test_the_strongest_player_climbs_from_the_bottom_of_a_ladder_to_its_top() -> None:
    settings = FormatSettings("ladder", rounds=8)

    def last_wins(table: Table) -> Result:
        return Result(table, tuple(1 if player == 7 else 2 for player in table))

    rounds = play(settings, 8, result=last_wins)
    assert places(settings, 8, rounds)[0][0] == 7


def test_rounds_of_a_league_are_called_by_their_seasons() -> None:
    settings = FormatSettings("league", seasons=2)
    rounds = play(settings, 4)
    titles = [english(round_title(settings, range(4), rounds, number)) for number in (1, 3, 4)]
    assert titles == ["Season 1, round 1", "Season 1, round 3", "Season 2, round 1"]
    assert english(round_title(FormatSettings("swiss"), range(4), rounds, 4)) == "Round 4"


def accelerated(rounds: int, players: int) -> list[Round]:
    """Play rounds of a Swiss tournament with three accelerated ones, in which the better seeds win."""
    settings = FormatSettings("swiss", rounds=6, accelerated=3)
    played: list[Round] = []
    for _ in range(rounds):
        tables = next_round(settings, range(players), played, frozenset(), Lots(), is_seeded=True)
        assert tables is not None
        played.append(Round(tables, tuple(map(stronger_wins, tables))))
    return played


def test_in_accelerated_rounds_the_halves_of_the_starting_order_meet_among_themselves() -> None:
    first, second, third = accelerated(3, 16)
    assert [sorted(table) for table in first.tables] == [
        *([seed, seed + 4] for seed in range(4)),
        *([seed, seed + 4] for seed in range(8, 12)),
    ]
    # The winners of the upper half have two points for the pairing, its losers and the winners of the lower
    # half one.
    groups = (range(4), range(4, 12), range(12, 16))
    assert all(any(set(table) <= set(group) for group in groups) for table in second.tables)
    assert third.tables != second.tables
    settings = FormatSettings("swiss", rounds=6, accelerated=3)
    ahead = [points_in_advance(settings, range(14), number) for number in (1, 2, 3, 4)]
    assert [len(points) for points in ahead] == [8, 8, 8, 0]
    assert [set(points.values()) for points in ahead] == [{1}, {1}, {Fraction(1, 2)}, set()]


def test_without_a_starting_order_nothing_is_accelerated() -> None:
    plain, fast = (FormatSettings("swiss", rounds=6, accelerated=count) for count in (0, 3))
    drawn = [next_round(settings, range(8), [], frozenset(), Lots()) for settings in (plain, fast)]
    assert drawn[0] == drawn[1]
    assert "accelerated" not in plain.to_json()
    assert FormatSettings.from_json(fast.to_json()) == fast
    with pytest.raises(Malformed) as error:
        FormatSettings.from_json({"format": "swiss", "rounds": 3, "accelerated": 3})
    assert [*error.value.fields] == ["accelerated"]
