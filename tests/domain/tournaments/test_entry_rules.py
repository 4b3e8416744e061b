"""Half-point byes, late entry, and tournaments that start when they are full."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import pytest

from domain.errors import Malformed, NotNow
from domain.tournaments import byes
from domain.tournaments.entry_rules import MAX_HALF_POINT_BYES
from domain.tournaments.tournament import Tournament
from replay.language.renderer import english
from tests.domain.tournaments.test_decisions import CLOSES, OPENED, Log
from tests.support.tournaments import SWISS


class Entered(Log):
    """A Swiss tournament whose players ask for byes and enter late."""

    def __init__(self, players: Iterable[str] = (), *, most: int = 32, **stated: Any) -> None:
        names = ("format", "rounds", "table_size")
        changed = {name: stated.pop(name) for name in names if name in stated}
        format = {**SWISS, **changed} if changed.get("format", "swiss") == "swiss" else changed
        super().__init__(players, most=most, stated=stated, **format)

    def ask(self, player: str, round: int) -> Tournament:
        """Ask for a bye."""
        decided = byes.request_bye(self.tournament, player, round, self.pending.at)
        return self.pending.add(decided, {"player": player})

    def cancel(self, player: str, round: int) -> Tournament:
        """Cancel a bye."""
        decided = byes.cancel_bye(self.tournament, player, round, self.pending.at)
        return self.pending.add(decided, {"player": player})

    def refused(self, player: str, round: int) -> str:
        """Return why a bye is refused."""
        with pytest.raises(NotNow) as error:
            self.ask(player, round)
        return english(error.value.message)

    def points(self) -> dict[str, Fraction]:
        """Return the points by player."""
        (group,) = self.tournament.standings()
        return {self.tournament.entrants[row.player]: row.points for row in group.standings}

    def seated(self, round: int) -> set[str]:
        """Return who sits at a table in a round."""
        tables = self.tournament.rounds[round - 1].players
        return {player for table in tables for player in table}


def test_a_player_who_asked_in_advance_has_half_a_point_and_no_table() -> None:
    log = Entered(("ada", "ben", "cyd", "dan"), half_point_byes=1)
    log.ask("ada", 1)
    log.ask("ben", 2)
    assert "at most 1" in log.refused("ada", 2)
    assert "already" in log.refused("ada", 1)
    assert "does not take part" in log.refused("eve", 1)
    assert "last round" in log.refused("cyd", 3)
    log.close()
    assert log.seated(1) == {"ben", "cyd", "dan"}
    number = log.tournament.number_of("ada")
    assert log.tournament.rounds[0].half_points == {number}
    assert log.tournament.rounds[0].absent == frozenset()
    assert log.points()["ada"] == Fraction(1, 2)
    # The round is drawn: it is too late for it, and time for the next one.
    assert "before the round before ends" in log.refused("cyd", 1)
    log.play()
    assert log.seated(2) == {"ada", "cyd", "dan"}
    assert log.tournament.requested_byes == {}


def test_a_bye_is_cancelled_in_advance_only() -> None:
    log = Entered(("ada", "ben", "cyd", "dan"), half_point_byes=2)
    log.ask("ada", 1)
    log.cancel("ada", 1)
    with pytest.raises(NotNow):
        log.cancel("ada", 1)
    log.ask("ada", 2)
    log.close()
    assert log.seated(1) == {"ada", "ben", "cyd", "dan"}
    log.play()
    with pytest.raises(NotNow):
        log.cancel("ada", 2)


def test_byes_belong_to_the_place_and_are_not_collected_by_leaving_and_coming_back() -> None:
    log = Entered(("ada", "ben", "cyd", "dan"), half_point_byes=1, rounds=5)
    log.ask("ada", 1)
    log.close()
    log.withdraw("ada")
    log.register("ada")
    log.play()
    assert log.tournament.number_of("ada") is not None
    assert "at most 1" in log.refused("ada", 3)
    # Nobody has half a point for a round from which they have withdrawn.
    log.ask("ben", 3)
    log.withdraw("ben")
    log.play()
    assert log.tournament.rounds[2].half_points == frozenset()


def test_a_round_in_which_all_rest_has_no_tables_and_the_tournament_goes_on() -> None:
    for resting in (("ada", "ben"), ("ada",)):
        log = Entered(("ada", "ben"), half_point_byes=1)
        for player in resting:
            log.ask(player, 2)
        log.close()
        log.play()
        drawn = log.tournament.rounds[1]
        assert len(drawn.half_points) == len(resting)
        assert len(drawn.tables) == 2 - len(resting)
        log.play()
        assert len(log.tournament.rounds) == 3


@pytest.mark.parametrize(("points", "total"), [("0", 0), ("1/2", 1)])
def test_a_late_player_has_a_place_behind_all_lots_and_pays_for_missed_rounds(
    points: str, total: int
) -> None:
    rules: dict[str, Any] = {"late_rounds": 2, "late_points": points, "half_point_byes": 2}
    log = Entered(("ada", "ben", "cyd", "dan"), rounds=4, **rules)
    log.close()
    log.play()
    seed = log.tournament.draw.shuffle(range(9), "lots")
    log.register("eve")
    assert log.pending.events[-1]["type"] == "LateEntrantRegistered"
    assert log.tournament.entrants[-1] == "eve"
    assert log.tournament.late == {4: 3}
    # The lots and tables that are drawn depend on nobody who enters after the secret is known.
    assert log.tournament.draw.shuffle(range(9), "lots") == seed
    assert log.points()["eve"] == total
    if total:
        # Half points of missed rounds count as byes.
        assert "at most 2" in log.refused("eve", 3)
    log.play()
    assert "eve" in log.seated(3)
    log.register("fay")
    assert log.pending.events[-1]["type"] == "SubstituteRegistered"


def test_late_entry_needs_room_and_is_not_for_those_who_have_had_a_place() -> None:
    log = Entered(("ada", "ben", "cyd"), late_rounds=2, most=4)
    log.close()
    log.withdraw("ada")
    log.register("ada")
    assert log.pending.events[-1]["type"] == "SubstituteRegistered"
    log.register("dan")
    log.register("eve")
    assert [event["type"] for event in log.pending.events[-2:]] == ["LateEntrantRegistered"] * 2
    log.register("fay")
    assert log.pending.events[-1]["type"] == "SubstituteRegistered"


def test_registration_closes_as_soon_as_all_places_are_taken() -> None:
    log = Entered(("ada",), starts_when_full=True, most=2)
    assert not log.tournament.has_closed(OPENED)
    log.register("ben")
    assert log.tournament.has_closed(OPENED)
    with pytest.raises(NotNow):
        log.register("cyd")
    log.withdraw("ben")
    assert not log.tournament.has_closed(OPENED)
    assert log.tournament.has_closed(CLOSES)


@pytest.mark.parametrize(
    ("rules", "format", "field"),
    [
        ({"half_point_byes": MAX_HALF_POINT_BYES + 1}, {"rounds": 20}, "half_point_byes"),
        ({"half_point_byes": 3}, {}, "half_point_byes"),
        ({"half_point_byes": -1}, {}, "half_point_byes"),
        ({"half_point_byes": True}, {}, "half_point_byes"),
        ({"half_point_byes": 1}, {"format": "knockout"}, "half_point_byes"),
        ({"late_rounds": 3}, {}, "late_rounds"),
        ({"late_rounds": 1}, {"format": "league"}, "late_rounds"),
        ({"late_points": "1"}, {}, "late_points"),
        ({"late_points": "1/2"}, {}, "late_points"),
        ({"starts_when_full": "yes"}, {}, "starts_when_full"),
        ({"else": 1}, {}, "else"),
    ],
)
def test_what_cannot_be_stated_is_refused(
    rules: dict[str, Any], format: dict[str, Any], field: str
) -> None:
    with pytest.raises(Malformed) as error:
        Entered(**rules, **format)
    assert [*error.value.fields] == [field]


def test_nothing_is_stated_by_default() -> None:
    log = Entered(("ada", "ben"))
    data = log.pending.events[0]["data"]
    assert not {"half_point_byes", "late_rounds", "late_points", "starts_when_full"} & data.keys()
    assert "no half-point byes" in log.refused("ada", 1)
