"""The audit of what organisers change: an honest tournament holds, and each lie is found at its event."""

from collections.abc import Callable
from typing import Any

import pytest

from domain.json_types import JsonObject
from replay.tournaments.audit import audit_tournament
from service.bootstrap import Service
from tests.support.organised_tournaments import (
    EnteredTournament,
    OrganisedTournament,
    PairedTournament,
)
from tests.support.tournaments import forged, of_type

Lie = Callable[[list[JsonObject]], None]


def by_another(type: str, number: int = 0) -> Lie:
    """Return a lie: a player who is no organiser has made a change."""

    def change(events: list[JsonObject]) -> None:
        player = of_type(events, "PlayerRegistered")["data"]["player"]
        of_type(events, type, number)["by"] = {"player": player}

    return change


def by_server(type: str) -> Lie:
    """Return a lie: the server has made a change by itself."""

    def change(events: list[JsonObject]) -> None:
        of_type(events, type)["by"] = {"system": "tournament"}

    return change


def with_data(type: str, number: int = 0, /, **data: Any) -> Lie:
    """Return a lie: other data of an event; None leaves a field out."""

    def change(events: list[JsonObject]) -> None:
        event = of_type(events, type, number)
        merged = {**event["data"], **data}
        event["data"] = {name: value for name, value in merged.items() if value is not None}

    return change


def without(type: str, number: int = 0) -> Lie:
    """Return a lie: an event is left out."""
    return lambda events: events.remove(of_type(events, type, number))


def twice(type: str, number: int = 0) -> Lie:
    """Return a lie: an event is in the log twice."""

    def change(events: list[JsonObject]) -> None:
        event = of_type(events, type, number)
        events.insert(events.index(event), {**event})

    return change


def twice_with_former_game(events: list[JsonObject]) -> None:
    """Record the result of a table that plays again from the game that counts no more."""
    replayed = of_type(events, "TableReplayed")
    data = {name: replayed["data"][name] for name in ("round", "table", "game", "seq", "hash")}
    result = of_type(events, "ResultRecorded", 2)
    before = {**result, "data": {**data, "places": result["data"]["places"]}}
    events.insert(events.index(result), before)


def by_dismissed(events: list[JsonObject]) -> None:
    """Let an organiser who was dismissed make a change."""
    player = of_type(events, "OrganiserDismissed")["data"]["player"]
    of_type(events, "ClosingDateChanged")["by"] = {"player": player}


LIES: list[tuple[Lie, str]] = [
    (by_another("OrganiserNamed"), "OrganiserNamed"),
    (with_data("OrganiserNamed", reason=None), "OrganiserNamed"),
    (without("OrganiserNamed"), "TextsChanged"),
    (by_another("OrganiserDismissed"), "OrganiserDismissed"),
    (by_dismissed, "ClosingDateChanged"),
    (by_another("TextsChanged"), "TextsChanged"),
    (by_server("TextsChanged"), "TextsChanged"),
    (with_data("TextsChanged", reason=None), "TextsChanged"),
    (with_data("TextsChanged", name="x" * 61), "TextsChanged"),
    # The games have the name that the tournament had when they were drawn.
    (with_data("TextsChanged", name="Other cup"), "RoundDrawn"),
    (by_another("ClosingDateChanged"), "ClosingDateChanged"),
    (with_data("ClosingDateChanged", reason=" "), "ClosingDateChanged"),
    (with_data("ClosingDateChanged", closes="2026-03-01T09:00:00.000Z"), "ClosingDateChanged"),
    # Registration would not have been over.
    (without("ClosingDateChanged", 1), "RegistrationClosed"),
    (by_another("AnnouncementMade"), "AnnouncementMade"),
    (by_server("AnnouncementMade"), "AnnouncementMade"),
    (with_data("AnnouncementMade", text=""), "AnnouncementMade"),
    (with_data("AnnouncementMade", reason="because"), "AnnouncementMade"),
    (with_data("AnnouncementMade", 1, table=9), "AnnouncementMade"),
    (by_another("RoundExtended"), "RoundExtended"),
    (with_data("RoundExtended", ends="2026-03-02T09:00:00.000Z"), "RoundExtended"),
    (with_data("RoundExtended", round=2), "RoundExtended"),
    (twice("RoundExtended"), "RoundExtended"),
    (without("RoundExtended"), "TournamentPaused"),
    (by_another("TournamentPaused", 1), "TournamentPaused"),
    (without("TournamentPaused", 1), "TournamentResumed"),
    (with_data("TournamentResumed", ends="2026-03-30T09:00:00.000Z"), "TournamentResumed"),
    (with_data("TournamentResumed", 1, ends="2026-03-30T09:00:00.000Z"), "TournamentResumed"),
    (with_data("TournamentResumed", 1, ends=None), "TournamentResumed"),
    # In a pause, no round is closed.
    (without("TournamentResumed", 1), "ResultRecorded"),
    (by_another("TableRuled"), "TableRuled"),
    (by_server("TableRuled"), "TableRuled"),
    (with_data("TableRuled", reason=None), "TableRuled"),
    (with_data("TableRuled", hash="0" * 64), "TableRuled"),
    (with_data("TableRuled", seq=1), "TableRuled"),
    (with_data("TableRuled", places=[2, 2]), "TableRuled"),
    (with_data("TableRuled", game="0" * 16), "TableRuled"),
    (with_data("TableRuled", 1, places=[1, 1]), "TournamentFinished"),
    (twice("TableRuled", 2), "TableRuled"),
    (without("TableRuled", 2), "RoundClosed"),
    (by_another("TableReplayed"), "TableReplayed"),
    (with_data("TableReplayed", reason=""), "TableReplayed"),
    (with_data("TableReplayed", replay="0" * 16), "TableReplayed"),
    (with_data("TableReplayed", hash="0" * 64), "TableReplayed"),
    # The result of the game before the replay is counted instead, or as well.
    (without("TableReplayed"), "ResultRecorded"),
    (twice_with_former_game, "ResultRecorded"),
]
"""Changes after which the server repairs every hash and signs anew, and the event at which each is found."""


def without_review(events: list[JsonObject]) -> None:
    """Let no round wait for its release, and be released nonetheless."""
    events.remove(of_type(events, "ReviewChanged"))


def draw_prohibited_pair(events: list[JsonObject]) -> None:
    """Prohibit, before the first round, a pair that was drawn in it."""
    drawn = of_type(events, "RoundDrawn")
    closed = of_type(events, "RegistrationClosed")
    pair = next(table for table in drawn["data"]["tables"] if len(table) == 2)
    players = sorted(closed["data"]["players"][number] for number in pair)
    of_type(events, "PairingsProhibited")["data"]["players"] = players


def swap_by_hand(events: list[JsonObject]) -> None:
    """Draw other tables than those by hand."""
    of_type(events, "RoundDrawn", 1)["data"]["tables"].reverse()


LIES_ABOUT_PAIRINGS: list[tuple[Lie, str]] = [
    (by_another("SeedingChanged"), "SeedingChanged"),
    (with_data("SeedingChanged", reason=None), "SeedingChanged"),
    (with_data("SeedingChanged", players=None, seeding="lots"), "RegistrationClosed"),
    (with_data("SeedingChanged", players=None, seeding="rating"), "RegistrationClosed"),
    (without("SeedingChanged"), "RegistrationClosed"),
    (by_another("PairingsProhibited"), "PairingsProhibited"),
    (with_data("PairingsProhibited", players=["x"]), "PairingsProhibited"),
    (draw_prohibited_pair, "RoundDrawn"),
    (by_another("PairingsAllowed"), "PairingsAllowed"),
    (twice("PairingsAllowed"), "PairingsAllowed"),
    (without("PairingsAllowed"), "RoundDrawn"),
    (without("PairingsProhibited", 1), "PairingFailed"),
    (without("PairingFailed"), "RoundDrawn"),
    (by_another("ReviewChanged"), "ReviewChanged"),
    (without_review, "RoundReleased"),
    (without("RoundReleased"), "RoundDrawn"),
    (by_another("RoundReleased"), "RoundReleased"),
    (by_server("RoundReleased"), "RoundReleased"),
    (with_data("RoundReleased", round=2), "RoundReleased"),
    (with_data("RoundReleased", 1, reason=""), "RoundReleased"),
    # What an organiser has paired is said to be drawn, or the other way round.
    (with_data("RoundReleased", 1, tables=None), "RoundDrawn"),
    (with_data("RoundDrawn", 1, pairing="exact"), "RoundDrawn"),
    (with_data("RoundDrawn", 0, pairing="organiser"), "RoundDrawn"),
    (with_data("RoundReleased", 1, tables=[["p1"]]), "RoundReleased"),
    (swap_by_hand, "RoundDrawn"),
]
"""The same about the pairings."""


def another_asks(type: str) -> Lie:
    """Return a lie: a player asks for the bye of another one."""

    def change(events: list[JsonObject]) -> None:
        event, other = of_type(events, type), of_type(events, "PlayerRegistered", 2)
        event["by"] = {"player": other["data"]["player"]}

    return change


def asked_too_late(events: list[JsonObject]) -> None:
    """Ask for a bye of the first round when it is drawn."""
    asked = of_type(events, "ByeRequested")
    events.remove(asked)
    drawn = of_type(events, "RoundDrawn")
    events.insert(events.index(drawn) + 1, {**asked, "at": drawn["at"]})


def enter_in_time(events: list[JsonObject]) -> None:
    """Let a late player have been an entrant from the beginning."""
    late = of_type(events, "LateEntrantRegistered")
    events.remove(late)
    data = {name: late["data"][name] for name in ("player", "nonce")}
    closed = of_type(events, "RegistrationClosed")
    first = {**late, "type": "PlayerRegistered", "data": data, "at": closed["at"]}
    events.insert(events.index(closed), first)


LIES_ABOUT_ENTRY: list[tuple[Lie, str]] = [
    (with_data("TournamentCreated", half_point_byes=None), "ByeRequested"),
    # The ids of the games follow from everything before the draw.
    (with_data("TournamentCreated", late_rounds=None), "RoundDrawn"),
    (with_data("TournamentCreated", late_points=None), "RoundDrawn"),
    (with_data("TournamentCreated", starts_when_full=None), "RegistrationClosed"),
    (with_data("TournamentCreated", most=5), "RegistrationClosed"),
    (another_asks("ByeRequested"), "ByeRequested"),
    (by_server("ByeRequested"), "ByeRequested"),
    (with_data("ByeRequested", round=4), "ByeRequested"),
    (with_data("ByeRequested", round=2), "RoundDrawn"),
    (with_data("ByeRequested", round="1"), "ByeRequested"),
    (with_data("ByeRequested", 1, round=1), "ByeCancelled"),
    (without("ByeRequested"), "RoundDrawn"),
    (without("ByeRequested", 2), "RoundDrawn"),
    (twice("ByeRequested"), "ByeRequested"),
    (asked_too_late, "RoundDrawn"),
    (another_asks("ByeCancelled"), "ByeCancelled"),
    (without("ByeCancelled"), "RoundDrawn"),
    (twice("ByeCancelled"), "ByeCancelled"),
    (with_data("RoundDrawn", half_points=None), "RoundDrawn"),
    (with_data("RoundDrawn", half_points=[0, 1]), "RoundDrawn"),
    (another_asks("LateEntrantRegistered"), "LateEntrantRegistered"),
    (with_data("LateEntrantRegistered", entrant=0), "LateEntrantRegistered"),
    (with_data("LateEntrantRegistered", nonce="zz"), "LateEntrantRegistered"),
    (twice("LateEntrantRegistered"), "LateEntrantRegistered"),
    (without("LateEntrantRegistered"), "RoundDrawn"),
    (enter_in_time, "PlayerRegistered"),
]
"""The same about half-point byes, late entry and the start."""


@pytest.mark.parametrize(
    ("kind", "lies"),
    [
        (OrganisedTournament, LIES),
        (PairedTournament, LIES_ABOUT_PAIRINGS),
        (EnteredTournament, LIES_ABOUT_ENTRY),
    ],
)
def test_an_honest_tournament_holds_and_each_lie_is_found(
    service: Service, kind: type[OrganisedTournament], lies: list[tuple[Lie, str]]
) -> None:
    organised = kind(service)
    verdict = audit_tournament(organised.record, organised.games.get)
    assert verdict.outcome == "sound", verdict
    for number, (change, type) in enumerate(lies):
        record = forged(organised, change)
        verdict = audit_tournament(record, organised.games.get)
        assert verdict.outcome == "broken", (number, type, verdict)
        assert verdict.seq is not None
        assert record.events[verdict.seq - 1]["type"] == type, (number, type, verdict)
