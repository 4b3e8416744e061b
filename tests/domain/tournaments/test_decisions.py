"""Who registers when, and who gets the places of players who withdraw."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import pytest

from domain.errors import NotNow
from domain.tournaments import decisions
from domain.tournaments.decisions import MAX_SUBSTITUTES
from domain.tournaments.events import SYSTEM, Decided
from domain.tournaments.places import without_places
from domain.tournaments.tournament import Tournament
from replay.language.renderer import english
from replay.tournaments.log import PendingTournamentEvents
from tests.support.tournaments import CLOCK, DAY, SWISS

OPENED, CLOSES = "2026-03-02T09:00:00.000Z", "2026-03-03T09:00:00.000Z"
KNOCKOUT: dict[str, Any] = {"format": "knockout", "table_size": 2, "advance": 1}


class Log:
    """A tournament of some players, at whose tables the entrants with the smaller numbers win."""

    def __init__(
        self,
        players: Iterable[str] = (),
        *,
        clock: Any = CLOCK,
        most: int = 32,
        stated: Mapping[str, Any] = MappingProxyType({}),
        **format: Any,
    ) -> None:
        self.pending = PendingTournamentEvents("t0000000000000000", None, OPENED)
        created = decisions.create(
            name="Cup",
            description="",
            format=format or dict(SWISS),
            rules="barony",
            options={},
            clock=clock,
            private=False,
            least=2,
            most=most,
            closes=CLOSES,
            round_seconds=DAY,
            invited=(),
            secret=bytes(32),
            games_secret=bytes(32),
            **stated,
        )
        self.pending.add(created, {"player": "olga"})
        for player in players:
            self.register(player)

    @property
    def tournament(self) -> Tournament:
        """The tournament after the last event."""
        return self.pending.tournament

    def register(self, player: str) -> None:
        """Register a player, or a substitute."""
        decided = decisions.register(self.tournament, player, player.encode(), self.pending.at)
        self.pending.add(decided, {"player": player})

    def withdraw(self, player: str, by: str | None = None) -> None:
        """Withdraw a player."""
        self.pending.add(decisions.withdraw(self.tournament, player), {"player": by or player})

    def close(self) -> None:
        """Close registration, and draw the first round."""
        self.pending.at = CLOSES
        self.pending.add(decisions.close_registration(self.tournament, bytes(32)), SYSTEM)
        self.draw()

    def draw(self) -> None:
        """Draw a round, or end, as a worker does."""
        for decided in decisions.waiting_substitutions(self.tournament):
            self.pending.add(decided, SYSTEM)
        self.pending.add(decisions.draw_round(self.tournament, CLOSES), SYSTEM)

    def play(self) -> None:
        """Record results at all tables, close the round, and draw the next one."""
        drawn = self.tournament.rounds[-1]
        for number in drawn.open_tables:
            table = drawn.tables[number - 1]
            data: Any = {
                "round": drawn.number,
                "table": number,
                "game": drawn.games[number - 1],
                "seq": 1,
                "hash": "0" * 64,
                "places": [1 + sorted(table).index(entrant) for entrant in table],
            }
            self.pending.add(Decided("ResultRecorded", data), SYSTEM)
        self.pending.add(decisions.close_round(self.tournament), SYSTEM)
        self.draw()


def test_registration_ends_when_it_closes_even_if_the_draw_is_late() -> None:
    log = Log(("ada",))
    with pytest.raises(NotNow):
        decisions.register(log.tournament, "ben", b"", CLOSES)
    decisions.register(log.tournament, "ben", b"", OPENED)


def test_nobody_exchanges_their_points_for_those_of_another_entrant() -> None:
    log = Log(("ada", "ben", "cyd", "dan"))
    log.close()
    first, *_, last = log.tournament.entrants
    log.withdraw(last)
    log.register(last)
    log.withdraw(first)
    log.register("eve")
    for entrant in (0, 1):
        with pytest.raises(NotNow):
            decisions.replace_entrant(log.tournament, entrant, last)
    log.play()
    assert log.tournament.entrants[0] == "eve"
    assert log.tournament.entrants[-1] == last
    assert log.tournament.withdrawn == frozenset()
    with pytest.raises(NotNow):
        log.register(first)


def test_a_player_who_is_excluded_does_not_come_back() -> None:
    log = Log(("ada", "ben", "cyd"))
    log.withdraw("ada", by="olga")
    with pytest.raises(NotNow):
        log.register("ada")
    log.withdraw("ben")
    log.register("ben")
    log.close()
    log.withdraw("cyd", by="olga")
    with pytest.raises(NotNow):
        log.register("cyd")


def test_a_bounded_number_of_substitutes_waits() -> None:
    log = Log(("ada", "ben"))
    log.close()
    for number in range(MAX_SUBSTITUTES):
        log.register(f"substitute{number}")
    with pytest.raises(NotNow):
        log.register("eve")


def test_substitutes_get_no_place_that_is_out_of_a_knockout() -> None:
    log = Log(("ada", "ben", "cyd", "dan"), **KNOCKOUT)
    log.close()
    (winner, loser), _ = (sorted(table) for table in log.tournament.rounds[0].tables)
    entrants = log.tournament.entrants
    log.register("eve")
    log.withdraw(entrants[loser])
    log.play()
    assert log.tournament.volunteers == ("eve",)
    with pytest.raises(NotNow):
        decisions.replace_entrant(log.tournament, loser, "eve")
    log.play()
    assert log.tournament.status == "finished"

    log = Log(("ada", "ben", "cyd", "dan"), **KNOCKOUT)
    log.close()
    log.register("eve")
    for entrant in (winner, loser):
        log.withdraw(entrants[entrant])
    log.play()
    assert log.tournament.entrants[winner] == "eve"
    assert "eve" in [player for table in log.tournament.rounds[1].players for player in table]


@pytest.mark.parametrize(
    "format",
    [
        {"format": "swiss", "table_size": 2, "rounds": 1},
        {"format": "ladder", "table_size": 2, "rounds": 1},
        {"format": "round_robin", "table_size": 2, "cycles": 1},
        {"format": "knockout", "table_size": 2, "advance": 1},
        {"format": "league", "table_size": 2, "divisions": 1, "seasons": 1},
    ],
)
def test_nobody_who_never_played_is_in_the_final_standings(format: dict[str, Any]) -> None:
    log = Log(("ada", "ben"), **format)
    log.close()
    winner = log.tournament.entrants[0]
    log.withdraw(winner)
    # The last round is drawn, so that a substitute would never play.
    with pytest.raises(NotNow) as error:
        log.register("eve")
    assert english(error.value.why) == "no further round will be drawn"
    log.play()
    assert log.tournament.status == "finished"
    assert log.tournament.final_standings is not None
    ((first, _),) = log.tournament.final_standings
    assert first["player"] == winner


@pytest.mark.parametrize("format", [{**SWISS, "rounds": 2}, KNOCKOUT])
def test_a_substitute_who_waits_gets_no_place_when_the_last_round_is_drawn(
    format: dict[str, Any],
) -> None:
    log = Log(("ada", "ben", "cyd", "dan"), **format)
    log.close()
    log.register("eve")
    log.play()
    with pytest.raises(NotNow):
        log.register("fay")
    with pytest.raises(NotNow):
        decisions.replace_entrant(log.tournament, 0, "eve")


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({}, {"remove_after": 2}),
        ({"on_deadline": {"turn": "bot"}}, {"turn": "bot", "remove_after": 2}),
        ({"on_deadline": {"remove_after": None}}, {"remove_after": None}),
        ({"on_deadline": {"remove_after": 5}}, {"remove_after": 5}),
    ],
)
def test_a_tournament_says_at_its_creation_what_happens_to_players_who_are_absent(
    stated: Any, expected: dict[str, Any]
) -> None:
    assert Log(clock={**CLOCK, **stated}).tournament.clock == {**CLOCK, "on_deadline": expected}


@pytest.mark.parametrize(
    ("places", "seats", "expected"),
    [
        ((1, 2), (), (1, 2)),
        ((1, 1), (0,), (0, 1)),
        ((1, 2), (0,), (0, 1)),
        ((1, 2), (0, 1), (0, 0)),
        ((2, 1, 2, 4), (1,), (1, 0, 1, 3)),
        ((0, 0), (1,), (0, 0)),
    ],
)
def test_others_move_up_when_a_place_is_forfeited(
    places: tuple[int, ...], seats: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    assert without_places(places, seats) == expected


def test_a_substitute_who_would_be_alone_gets_no_place() -> None:
    log = Log(("ada", "ben", "cyd"))
    log.close()
    entrants = log.tournament.entrants
    for player in entrants:
        log.withdraw(player)
    log.register("eve")
    log.play()
    assert log.tournament.status == "finished"
    assert log.tournament.entrants == entrants


def test_the_server_chooses_no_moment_for_a_substitution() -> None:
    log = Log(("ada", "ben", "cyd", "dan"))
    log.close()
    log.register("eve")
    log.withdraw(log.tournament.entrants[3])
    assert list(decisions.waiting_substitutions(log.tournament)) == []
    log.withdraw(log.tournament.entrants[0])
    log.play()
    assert log.tournament.entrants[0] == "eve"


def test_a_round_of_a_league_in_which_nobody_can_play_does_not_end_it() -> None:
    format: dict[str, Any] = {
        "format": "league",
        "table_size": 2,
        "divisions": 2,
        "promoted": 1,
        "seasons": 2,
    }
    log = Log(("ada", "ben", "cyd", "dan", "eve"), **format)
    log.close()
    # In the first division, each of three players has one round without a game: the second one or the third
    # for the one remaining player, when the second division has played all of its games.
    (table,) = (table for table in log.tournament.rounds[0].tables if max(table) < 3)
    for entrant in {0, 1, 2} - {table[0]}:
        log.withdraw(log.tournament.entrants[entrant])
    log.play()
    while log.tournament.status == "running":
        log.play()
    tables = [drawn.tables for drawn in log.tournament.rounds]
    assert () in tables
    assert len(tables) > 3, "there was no second season"
