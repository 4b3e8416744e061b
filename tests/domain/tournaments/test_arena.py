"""An arena: who is free, who of them sit together, breaks, and the end."""

import random
from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from typing import Any

import pytest
from typing_extensions import override

from domain.errors import Malformed
from domain.tournaments import arena_decisions, decisions
from domain.tournaments.arena import BLOCK, MAX_BREAKS, MAX_GAMES, PATIENCE_SECONDS, arena_tables
from domain.tournaments.changes import decide_change
from domain.tournaments.events import SYSTEM, Decided
from domain.tournaments.format_settings import MAX_IN_ARENA, FormatSettings
from domain.tournaments.matching import most_pairs
from domain.tournaments.pairing import Table
from domain.tournaments.tournament import Tournament, standings_as_json
from replay.tournaments.dates import CALENDAR
from tests.domain.tournaments.test_decisions import CLOSES, Log
from tests.domain.tournaments.test_teams import refusal
from tests.support.tournaments import DAY

ENDS = "2026-03-03T10:00:00.000Z"
NOW, LONG_AGO = "2026-03-03T09:30:00.000Z", "2026-03-03T09:00:00.000Z"
NAMES = ("ada", "ben", "cyd", "dan", "eve", "fay")


class ArenaLog(Log):
    """An arena of an hour."""

    def __init__(self, players: Iterable[str] = NAMES, *, size: int = 2, most: int = 32) -> None:
        super().__init__(players, most=most, format="arena", table_size=size, minutes=60)

    def begin(self) -> None:
        """Close registration, and seat the players."""
        self.pending.at = CLOSES
        decided = decisions.close_registration(self.tournament, bytes(32), None, ENDS)
        self.pending.add(decided, SYSTEM)
        self.draw()

    @override
    def draw(self) -> None:
        at = self.pending.at
        ends = CALENDAR.plus(ENDS, DAY)
        patient_since = CALENDAR.plus(at, -PATIENCE_SECONDS)
        self.pending.add(
            arena_decisions.draw_tables(self.tournament, at, ends, patient_since), SYSTEM
        )

    def wait(self, seconds: int) -> None:
        """Let time pass."""
        self.pending.at = CALENDAR.plus(self.pending.at, seconds)

    def result(self, round: int, table: int = 1, places: Iterable[int] = (1, 2)) -> Tournament:
        """Record the result of a table."""
        data: Any = {
            "round": round,
            "table": table,
            "game": self.tournament.rounds[round - 1].games[table - 1],
            "seq": 1,
            "hash": "0" * 64,
            "places": list(places),
        }
        return self.pending.add(Decided("ResultRecorded", data), SYSTEM)

    def rest(self, player: str) -> None:
        """Take a break."""
        decided = arena_decisions.take_break(self.tournament, player, self.pending.at)
        self.pending.add(decided, {"player": player})

    def go_on(self, player: str) -> None:
        """End a break."""
        decided = arena_decisions.end_break(self.tournament, player, self.pending.at)
        self.pending.add(decided, {"player": player})

    def free(self) -> set[str]:
        """Return the players who can be seated."""
        assert self.tournament.arena is not None
        numbers = self.tournament.arena.free(self.tournament.withdrawn)
        return {self.tournament.entrants[number] for number in numbers}


def tables_of(
    order: Iterable[int],
    size: int = 2,
    *,
    since: dict[int, str] | None = None,
    last: Iterable[Table] = (),
    prohibited: Iterable[tuple[int, int]] = (),
) -> list[Table]:
    """Return the tables of free players, none of whom has waited for long but those in `since`."""
    players = list(order)
    return arena_tables(
        players,
        size,
        dict.fromkeys(players, NOW) | (since or {}),
        LONG_AGO,
        {player: table for table in last for player in table},
        set(prohibited),
    )


def test_similar_players_meet_and_one_of_an_odd_number_waits() -> None:
    assert tables_of([3, 1, 2, 0]) == [(3, 1), (2, 0)]
    assert tables_of([3, 1, 2, 0, 4]) == [(3, 1), (2, 0)]
    assert tables_of([5]) == []


def test_who_waits_longest_is_seated_first() -> None:
    assert tables_of([0, 1, 2], since={2: LONG_AGO}) == [(0, 2)]
    assert tables_of(range(4), 3, since={3: LONG_AGO}) == [(1, 2, 3)]


def test_nobody_meets_the_last_opponents_again_before_they_have_waited() -> None:
    assert tables_of([0, 1, 2, 3], last=[(0, 1), (2, 3)]) == [(0, 2), (1, 3)]
    assert tables_of([0, 1], last=[(0, 1)]) == []
    # One of them has played with somebody else since.
    assert tables_of([0, 1], last=[(0, 1), (1, 2)]) == []
    assert tables_of([0, 1], last=[(0, 1)], since={0: LONG_AGO}) == []
    assert tables_of([0, 1], last=[(0, 1)], since={0: LONG_AGO, 1: LONG_AGO}) == [(0, 1)]
    assert tables_of([0, 1, 2], 3, last=[(0, 1)]) == []


def test_prohibited_pairs_never_meet() -> None:
    ages = {0: LONG_AGO, 1: LONG_AGO, 2: LONG_AGO}
    assert tables_of([0, 1], since=ages, prohibited=[(0, 1)]) == []
    assert tables_of([0, 1, 2], 3, since=ages, prohibited=[(0, 1)]) == [(0, 2)]


def test_smaller_tables_wait() -> None:
    assert tables_of(range(3), 4) == []
    since = dict.fromkeys(range(3), LONG_AGO)
    assert tables_of(range(3), 4, since=since) == [(0, 1, 2)]
    assert tables_of(range(5), 4, since={0: LONG_AGO, 1: LONG_AGO}) == [(0, 1, 2, 3)]


Edges = dict[tuple[int, int], int]


def matchings(edges: Edges, left: frozenset[int]) -> list[tuple[tuple[int, int], ...]]:
    """Return all ways to pair some of the vertices that are left."""
    if len(left) < 2:
        return [()]
    one, *others = sorted(left)
    found = matchings(edges, left - {one})
    for other in others:
        if (one, other) in edges:
            rest = matchings(edges, left - {one, other})
            found += [((one, other), *pairs) for pairs in rest]
    return found


def best_pairs(count: int, edges: Edges) -> list[tuple[int, int]]:
    """Return the best way, by trying all."""
    best = min(
        matchings(edges, frozenset(range(count))),
        key=lambda pairs: (
            -len(pairs),
            sum(edges[two] for two in pairs),
            [dict(pairs).get(vertex, 0) for vertex in range(count)],
        ),
    )
    return list(best)


def test_as_many_pairs_as_possible_are_found() -> None:
    chance = random.Random(7)
    for _ in range(100):
        count = chance.randint(2, 7)
        edges = {two: chance.randint(0, 5) for two in combinations(range(count), 2)}
        for two in chance.sample(sorted(edges), len(edges) // 2):
            del edges[two]
        prices = edges.copy()
        found = most_pairs(count, lambda *two, prices=prices: prices.get(two))
        assert found == best_pairs(count, edges)


def test_a_large_arena_is_seated_in_blocks() -> None:
    tables = tables_of(range(MAX_IN_ARENA))
    assert len(tables) == MAX_IN_ARENA // 2
    assert all(one // BLOCK == other // BLOCK for one, other in tables)


def test_players_are_seated_as_soon_as_they_are_free() -> None:
    log = ArenaLog()
    log.begin()
    assert [len(drawn.tables) for drawn in log.tournament.rounds] == [3]
    assert log.free() == set()
    assert "nobody can be seated" in refusal(log.draw)
    log.result(1, 1)
    assert len(log.free()) == 2
    assert "nobody can be seated" in refusal(log.draw)
    log.result(1, 3)
    log.draw()
    second = log.tournament.rounds[1]
    assert len(second.tables) == 2
    assert {*second.tables[0]} not in [{*table} for table in log.tournament.rounds[0].tables]
    assert [drawn.number for drawn in log.tournament.open_rounds] == [1, 2]
    log.result(1, 2)
    assert [drawn.number for drawn in log.tournament.open_rounds] == [2]
    log.wait(PATIENCE_SECONDS)
    log.draw()
    assert log.tournament.rounds[2].tables[0] in (
        log.tournament.rounds[0].tables[1],
        log.tournament.rounds[0].tables[1][::-1],
    )


def test_everybody_sits_in_each_seat_as_seldom_as_possible() -> None:
    log = ArenaLog(NAMES[:4])
    log.begin()
    for number in range(1, 9):
        for table in log.tournament.rounds[number - 1].open_tables:
            log.result(number, table)
        log.draw()
    seats = Counter(
        (player, seat)
        for drawn in log.tournament.rounds[:8]
        for table in drawn.tables
        for seat, player in enumerate(table)
    )
    assert set(seats.values()) == {4}


def test_a_break_and_a_game_that_somebody_lets_pass_end_when_the_player_goes_on() -> None:
    log = ArenaLog(NAMES[:4])
    log.begin()
    first, second = log.tournament.rounds[0].players
    log.rest(first[0])
    assert "takes a break already" in refusal(log.rest, first[0])
    log.result(1, 1)
    log.result(1, 2, (1, 0))
    assert log.free() == {first[1], second[0]}
    log.draw()
    assert "takes no break" in refusal(log.go_on, first[1])
    log.wait(60)
    log.go_on(second[1])
    assert log.free() == {second[1]}
    assert "nobody can be seated" in refusal(log.draw)
    log.go_on(first[0])
    log.draw()
    assert {*log.tournament.rounds[2].players[0]} == {first[0], second[1]}
    for _ in range(MAX_BREAKS - 1):
        log.rest(first[0])
        log.go_on(first[0])
    assert "at most 32 breaks" in refusal(log.rest, first[0])
    assert "does not take part" in refusal(log.rest, "zoe")


def test_breaks_are_for_an_arena_in_progress() -> None:
    assert "this is no arena" in refusal(
        arena_decisions.take_break, Log(NAMES).tournament, "ada", NOW
    )
    assert "has not begun" in refusal(arena_decisions.take_break, ArenaLog().tournament, "ada", NOW)


def test_players_come_and_go() -> None:
    log = ArenaLog(NAMES[:2], most=3)
    log.begin()
    log.register("cyd")
    assert "all 3 places are taken" in refusal(log.register, "dan")
    log.withdraw("ada")
    log.register("dan")
    log.result(1)
    assert log.free() == {"ben", "cyd", "dan"}
    assert "all 3 places are taken" in refusal(log.register, "ada")
    log.withdraw("cyd", by="olga")
    log.register("ada")
    assert log.tournament.number_of("ada") == log.tournament.entrants.index("ada") < 2
    assert "was excluded" in refusal(log.register, "cyd")
    assert "takes part already" in refusal(log.register, "ada")
    assert log.free() == {"ada", "ben", "dan"}
    log.draw()
    (table,) = log.tournament.rounds[1].players
    assert "dan" in table
    assert [row["points"] for row in standings_as_json(log.tournament)[0]] == ["1", "0", "0", "0"]


def test_who_leaves_and_comes_back_during_a_game_has_one_table() -> None:
    log = ArenaLog(NAMES[:2])
    log.begin()
    log.withdraw("ada")
    log.register("ada")
    assert log.free() == set()
    log.register("cyd")
    log.result(1)
    log.draw()
    seated = [player for drawn in log.tournament.open_rounds for player in drawn.players[0]]
    assert len(seated) == len({*seated}) == 2
    assert "cyd" in seated


def test_nobody_is_seated_at_the_end_and_games_go_on() -> None:
    log = ArenaLog(NAMES[:4])
    log.begin()
    log.result(1, 1)
    log.result(1, 2)
    assert "the end of the arena has not come" in refusal(
        arena_decisions.finish_arena, log.tournament, log.pending.at
    )
    log.draw()
    log.pending.at = ENDS
    assert "seats nobody any more" in refusal(log.draw)
    assert "seats nobody any more" in refusal(log.register, "zoe")
    assert "seats nobody any more" in refusal(log.rest, "ada")
    log.result(2, 1)
    assert "has not ended" in refusal(arena_decisions.finish_arena, log.tournament, ENDS)
    log.result(2, 2)
    log.pending.add(arena_decisions.finish_arena(log.tournament, ENDS), SYSTEM)
    assert log.tournament.status == "finished"
    (standings,) = log.tournament.final_standings or []
    assert sum(int(row["points"]) for row in standings) == 4


def test_an_entrant_plays_a_bounded_number_of_games() -> None:
    log = ArenaLog(NAMES[:2])
    log.begin()
    for number in range(1, MAX_GAMES):
        log.result(number)
        log.wait(PATIENCE_SECONDS)
        log.draw()
    log.result(MAX_GAMES)
    assert log.free() == set()


def decide(log: ArenaLog, type: str, **raw: Any) -> Decided:
    """Return a change by the organiser."""
    return decide_change(log.tournament, type, raw, "a test", log.pending.at, CALENDAR)


def test_what_an_organiser_does_not_change_in_an_arena() -> None:
    log = ArenaLog()
    assert "no starting order" in refusal(decide, log, "SeedingChanged", seeding="rating")
    assert "nobody waits" in refusal(decide, log, "ReviewChanged", review=True)
    assert decide(log, "TournamentPaused").type == "TournamentPaused"
    log.begin()
    assert "end of an arena is fixed" in refusal(decide, log, "TournamentPaused")
    assert "end of an arena is fixed" in refusal(
        decide, log, "RoundExtended", ends="2026-03-08T10:00:00.000Z"
    )
    assert "no table plays again" in refusal(
        decide, log, "TableReplayed", round=1, table=1, seq=1, hash="0" * 64
    )


def test_a_ruled_table_frees_its_players_and_an_earlier_result_can_be_ruled() -> None:
    log = ArenaLog(NAMES[:4])
    log.begin()
    ground = {"round": 1, "table": 1, "seq": 1, "hash": "0" * 64}
    olga: Any = {"player": "olga"}
    log.pending.add(decide(log, "TableRuled", places=[1, 2], **ground), olga)
    assert log.free() == {*log.tournament.rounds[0].players[0]}
    log.result(1, 2)
    log.draw()
    log.pending.add(decide(log, "TableRuled", places=[2, 1], **ground), olga)
    assert log.free() == set()
    loser = log.tournament.rounds[0].tables[0][0]
    rows = {row["entrant"]: row["points"] for row in standings_as_json(log.tournament)[0]}
    assert rows[loser] == "0"


def test_the_settings_of_an_arena() -> None:
    settings = FormatSettings.from_json({"format": "arena", "minutes": 90})
    assert settings.to_json() == {"format": "arena", "table_size": 2, "minutes": 90}
    settings.check_players(MAX_IN_ARENA)
    for fields in ({"minutes": 9}, {"minutes": 721}, {"boards": 2}, {"scoring": "sums"}):
        with pytest.raises(Malformed):
            FormatSettings.from_json({"format": "arena", **fields})
    with pytest.raises(Malformed):
        ArenaLog(most=MAX_IN_ARENA + 1)
