"""What organisers may change, and when."""

from typing import Any

import pytest

from domain.errors import Malformed, NotNow
from domain.tournaments import decisions
from domain.tournaments.announcements import MAX_ANNOUNCEMENT, MAX_PER_DAY
from domain.tournaments.change import MAX_REASON
from domain.tournaments.changes import MAX_CHANGES, can_change, decide_change
from domain.tournaments.events import Decided
from domain.tournaments.organisers import MAX_ORGANISERS
from domain.tournaments.tournament import Tournament
from replay.language.renderer import english
from replay.tournaments.dates import CALENDAR
from tests.domain.tournaments.test_decisions import CLOSES, OPENED, Log

LATER = "2026-03-05T09:00:00.000Z"
NEVER = "2036-03-05T09:00:00.000Z"


class Organised(Log):
    """A tournament whose organiser changes it."""

    def change(self, type: str, reason: object = "because", **fields: Any) -> Tournament:
        """Make a change."""
        at = self.pending.at
        decided = decide_change(self.tournament, type, fields, reason, at, CALENDAR)
        return self.pending.add(decided, {"player": "olga"})

    def refused(self, type: str, reason: object = "because", **fields: Any) -> str:
        """Return why a change is refused."""
        with pytest.raises((NotNow, Malformed)) as error:
            self.change(type, reason, **fields)
        return english(error.value.message)


def test_texts_are_changed_at_any_time_and_only_those_that_differ_are_recorded() -> None:
    log = Organised(("ada", "ben"))
    log.change("TextsChanged", name="Spring cup", description="", contact="olga@example.org")
    recorded = log.tournament.changes[-1]
    assert recorded.data == {
        "name": "Spring cup",
        "contact": "olga@example.org",
        "reason": "because",
    }
    assert (log.tournament.name, log.tournament.contact) == ("Spring cup", "olga@example.org")
    log.close()
    log.change("TextsChanged", name="Summer cup")
    # The games of a round have the name that the tournament had when the round was drawn.
    assert decisions.game_options(log.tournament, 1, 1)["name"] == "Spring cup"
    assert log.refused("TextsChanged", name="Summer cup") == "nothing would change"
    assert "description" in log.refused("TextsChanged", description=7)
    assert "at most" in log.refused("TextsChanged", contact="x" * 201)


def test_a_change_needs_a_reason_and_fields_of_its_type() -> None:
    log = Organised(("ada", "ben"))
    assert "reason" in log.refused("TextsChanged", "  ", name="Spring cup")
    assert "reason" in log.refused("TextsChanged", "x" * (MAX_REASON + 1), name="Spring cup")
    assert "not a field" in log.refused("TextsChanged", closes=LATER)
    assert "not a change" in log.refused("PlayerRegistered", player="eve")
    assert log.tournament.changes == ()


def test_the_number_of_changes_is_bounded() -> None:
    log = Organised(("ada", "ben"))
    for number in range(MAX_CHANGES):
        log.change("TextsChanged", name=f"Cup {number}")
    assert "at most" in log.refused("TextsChanged", name="Cup")


def test_registration_closes_later_or_at_once() -> None:
    log = Organised(("ada",))
    assert log.refused("ClosingDateChanged") == "too few players have registered to begin earlier"
    assert "future" in log.refused("ClosingDateChanged", closes="2026-03-01T09:00:00.000Z")
    assert "366 days" in log.refused("ClosingDateChanged", closes=NEVER)
    assert "a time such as" in log.refused("ClosingDateChanged", closes="2026-02-30T09:00:00.000Z")
    assert log.refused("ClosingDateChanged", closes=CLOSES) == "nothing would change"
    log.change("ClosingDateChanged", closes=LATER)
    log.pending.at = CLOSES
    log.register("ben")
    log.change("ClosingDateChanged")
    assert log.tournament.closes == CLOSES
    with pytest.raises(NotNow):
        log.register("cyd")
    assert log.refused("ClosingDateChanged", closes=LATER) == "registration has closed"
    log.close()
    assert log.refused("ClosingDateChanged", closes=LATER) == "the tournament is in progress"


def test_a_round_is_extended_before_its_last_date_only() -> None:
    log = Organised(("ada", "ben"))
    assert log.refused("RoundExtended", ends=LATER) == "the tournament has not begun"
    log.close()
    assert log.refused("RoundExtended", ends=LATER) == "the last date of the round has come"
    log.pending.at = OPENED
    assert log.refused("RoundExtended", ends=LATER, round=2) == "this is not the current round"
    assert "later" in log.refused("RoundExtended", ends=CLOSES)
    assert "366 days" in log.refused("RoundExtended", ends=NEVER)
    log.change("RoundExtended", ends=LATER)
    assert log.tournament.rounds[0].ends == LATER


def test_a_pause_holds_everything_and_moves_the_next_date_by_its_length() -> None:
    log = Organised(("ada", "ben"))
    assert log.refused("TournamentResumed") == "the tournament is not paused"
    log.change("TournamentPaused")
    assert log.refused("TournamentPaused") == "the tournament is paused"
    assert log.refused("ClosingDateChanged", closes=LATER) == "the tournament is paused"
    log.pending.at = CLOSES
    log.register("cyd")
    with pytest.raises(NotNow):
        decisions.close_registration(log.tournament, bytes(32))
    log.change("TournamentResumed")
    assert log.tournament.closes == "2026-03-04T09:00:00.000Z"
    log.close()
    assert log.refused("TournamentPaused") == "the last date of the round has come"
    log.pending.at = OPENED
    log.change("TournamentPaused")
    assert log.refused("RoundExtended", ends=LATER) == "the tournament is paused"
    drawn = log.tournament.rounds[0]
    for table in drawn.open_tables:
        data: Any = {
            "round": 1,
            "table": table,
            "game": drawn.games[table - 1],
            "seq": 1,
            "hash": "0" * 64,
            "places": [1, 2],
        }
        log.pending.add(Decided("ResultRecorded", data), {"system": "tournament"})
    with pytest.raises(NotNow):
        decisions.close_round(log.tournament)
    log.pending.at = CLOSES
    log.change("TournamentResumed")
    assert log.tournament.rounds[0].ends == "2026-03-04T09:00:00.000Z"
    decisions.close_round(log.tournament)


def ground(**fields: Any) -> dict[str, Any]:
    """Return the fields of a ruling on the first table, with its ground."""
    return {"round": 1, "table": 1, "seq": 7, "hash": "f" * 64, **fields}


def test_a_result_is_ruled_with_places_that_are_a_ranking() -> None:
    log = Organised(("ada", "ben", "cyd", "dan"), format="single_group", table_size=4)
    assert (
        log.refused("TableRuled", **ground(places=[1, 2, 3, 4])) == "the tournament has not begun"
    )
    log.close()
    for wrong in ([1, 2, 3], [1, 2, 2, 3], [2, 3, 4, 0], [1, 1, 1, True], "1", [1, 2, 4, 4]):
        assert "places by seat" in log.refused("TableRuled", **ground(places=wrong)), wrong
    assert "round" in log.refused("TableRuled", **ground(round=2, places=[1, 2, 3, 4]))
    assert "hash" in log.refused("TableRuled", **ground(hash=None, places=[1, 2, 3, 4]))
    log.change("TableRuled", **ground(places=[1, 2, 2, 0]))
    assert log.refused("TableRuled", **ground(places=[1, 2, 2, 0])) == "nothing would change"
    drawn = log.tournament.rounds[0]
    assert (drawn.open_tables, dict(drawn.rulings)) == ((), {1: log.tournament.seq})
    log.change("TableRuled", **ground(places=[0, 0, 0, 0]))
    assert [row.points for row in log.tournament.standings()[0].standings] == [0, 0, 0, 0]


def test_a_bye_is_not_ruled() -> None:
    log = Organised(("ada", "ben", "cyd"))
    log.close()
    assert log.refused("TableRuled", **ground(table=2, places=[1])) == "this table has no game"


def test_a_table_that_plays_again_has_a_new_game_and_no_result() -> None:
    log = Organised(("ada", "ben"))
    log.close()
    log.pending.at = OPENED
    log.change("TableRuled", **ground(places=[1, 2]))
    (former,) = log.tournament.rounds[0].games
    log.change("TableReplayed", **ground())
    drawn = log.tournament.rounds[0]
    assert (drawn.open_tables, dict(drawn.rulings)) == ((1,), {})
    assert drawn.all_games == (drawn.games[0], former)
    assert former != drawn.games[0]
    # The history of the new game covers the order to play it.
    named = decisions.game_options(log.tournament, 1, 1)["tournament"]["drawn"]
    assert named == log.tournament.hash != drawn.hash
    log.withdraw("ada")
    assert log.refused("TableReplayed", **ground()) == "a player of this table takes part no more"


@pytest.mark.parametrize(
    ("format", "can_rule"),
    [
        ({"format": "swiss", "rounds": 3}, True),
        ({"format": "round_robin", "cycles": 1}, True),
        ({"format": "league", "seasons": 2}, True),
        ({"format": "knockout"}, False),
        ({"format": "ladder", "rounds": 3}, False),
    ],
)
def test_an_earlier_result_is_ruled_only_where_nobody_has_advanced_by_it(
    format: dict[str, Any], can_rule: bool
) -> None:
    log = Organised(("ada", "ben", "cyd", "dan"), **format)
    log.close()
    log.play()
    assert log.refused("TableReplayed", **ground()) == "this is not the current round"
    if can_rule:
        log.change("TableRuled", **ground(places=[1, 1]))
    else:
        assert "has advanced" in log.refused("TableRuled", **ground(places=[1, 1]))


def test_organisers_name_others_and_dismiss_them() -> None:
    log = Organised(("ada", "ben"))
    assert "already" in log.refused("OrganiserNamed", player="olga")
    assert "player" in log.refused("OrganiserNamed", player=7)
    assert "was not named" in log.refused("OrganiserDismissed", player="olga")
    for number in range(MAX_ORGANISERS - 1):
        log.change("OrganiserNamed", player=f"helper{number}")
    assert "at most" in log.refused("OrganiserNamed", player="gus")
    assert can_change(log.tournament, "helper3")
    assert not can_change(log.tournament, "ada")
    log.change("OrganiserDismissed", player="helper3")
    assert not can_change(log.tournament, "helper3")


def test_announcements_are_for_all_or_for_one_table_and_few_in_a_day() -> None:
    log = Organised(("ada", "ben", "cyd"))
    log.change("AnnouncementMade", None, text="Welcome")
    assert log.tournament.changes[-1].data == {"text": "Welcome"}
    (said,) = log.tournament.announcements
    assert log.tournament.addressees(said) == {"ada", "ben", "cyd"}
    assert "not a field" in log.refused("AnnouncementMade", "because", text="Welcome")
    for wrong in (None, "", "  ", 7, "x" * (MAX_ANNOUNCEMENT + 1)):
        assert "text" in log.refused("AnnouncementMade", None, text=wrong)
    assert "no round" in log.refused("AnnouncementMade", None, text="x", round=1, table=1)
    log.withdraw("ada")
    log.close()
    log.pending.at = OPENED
    assert log.tournament.addressees(said) == {"ben", "cyd"}
    for wrong_place in ({"round": 2, "table": 1}, {"round": 1, "table": 2}, {"round": 1}):
        assert "whole number" in log.refused("AnnouncementMade", None, text="x", **wrong_place)
    log.change("AnnouncementMade", None, text="Hurry", round=1, table=1)
    assert log.tournament.addressees(log.tournament.announcements[-1]) == {"ben", "cyd"}
    for _ in range(MAX_PER_DAY - 2):
        log.change("AnnouncementMade", None, text="More")
    assert "in a day" in log.refused("AnnouncementMade", None, text="Too much")
    log.pending.at = LATER
    log.change("AnnouncementMade", None, text="The next day")
