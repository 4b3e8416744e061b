"""The audit of arenas: an honest one holds, and each lie is found at its event."""

from collections.abc import Callable

from domain.json_types import JsonObject
from replay.tournaments.audit import audit_tournament
from service.bootstrap import Service
from tests.replay.tournaments.test_changes_audit import Lie, by_server, twice, with_data, without
from tests.support.arenas import Arena
from tests.support.tournaments import forged, of_type


def test_an_honest_arena_holds(service: Service) -> None:
    played = Arena(service)
    types = {event["type"] for event in played.record.events}
    assert {"BreakTaken", "BreakEnded", "LateEntrantRegistered", "PlayerWithdrawn"} <= types
    assert {"TableRuled", "TableSettled", "TournamentFinished"} <= types
    verdict = audit_tournament(played.record, played.games.get)
    assert verdict.outcome == "sound", verdict
    assert len(played.games) == 9


def by_another(type: str, number: int = 0) -> Lie:
    """Return a lie: another player is the author."""

    def change(events: list[JsonObject]) -> None:
        event = of_type(events, type, number)
        players = [each["data"]["player"] for each in events if each["type"] == "PlayerRegistered"]
        event["by"] = {"player": next(each for each in players if each != event["data"]["player"])}

    return change


def with_tables(
    number: int, of: Callable[[list[list[int]]], object], keep: int | None = None
) -> Lie:
    """Return a lie: other tables of a draw."""

    def change(events: list[JsonObject]) -> None:
        data = of_type(events, "RoundDrawn", number)["data"]
        of(data["tables"])
        if keep is not None:
            data["tables"], data["games"] = data["tables"][:keep], data["games"][:keep]

    return change


def with_other_opponents(tables: list[list[int]]) -> None:
    """Exchange the second players of the first tables."""
    tables[0][1], tables[1][1] = tables[1][1], tables[0][1]


def reverse_seats(tables: list[list[int]]) -> None:
    """Exchange the seats of a table."""
    tables[0].reverse()


def swap_tables(tables: list[list[int]]) -> None:
    """Put the tables into another order."""
    tables.reverse()


def seat(number: int) -> Callable[[list[list[int]]], None]:
    """Return a change: an entrant sits in the first seat of the first table."""

    def change(tables: list[list[int]]) -> None:
        tables[0][0] = number

    return change


def at(type: str, number: int, moment: str) -> Lie:
    """Return a lie: an event, and those after it, are not earlier than a moment."""

    def change(events: list[JsonObject]) -> None:
        event = of_type(events, type, number)
        event["at"] = moment
        for later in events[events.index(event) + 1 :]:
            later["at"] = max(later["at"], moment)

    return change


def before(type: str, number: int, other: str, index: int) -> Lie:
    """Return a lie: an event comes before another one."""

    def change(events: list[JsonObject]) -> None:
        event, next = of_type(events, type, number), of_type(events, other, index)
        events.remove(event)
        event["at"] = next["at"]
        events.insert(events.index(next), event)

    return change


def return_excluded(events: list[JsonObject]) -> None:
    """Let an excluded player enter again."""
    excluded, entry = (
        of_type(events, "PlayerWithdrawn", 1),
        of_type(events, "LateEntrantRegistered", 1),
    )
    player = excluded["data"]["player"]
    place = of_type(events, "RegistrationClosed")["data"]["players"].index(player)
    again = {
        **entry,
        "at": excluded["at"],
        "by": {"player": player},
        "data": {**entry["data"], "player": player, "entrant": place},
    }
    events.insert(events.index(excluded) + 1, again)


def end_early(events: list[JsonObject]) -> None:
    """End the arena before its time, when the last game is over."""
    finished, last = of_type(events, "TournamentFinished"), of_type(events, "TableSettled", 1)
    early = "2026-03-03T09:59:59.999Z"
    for event in events[events.index(last) - 1 :]:
        event["at"] = early
        if event["type"] == "TableSettled":
            # What the lie would need: a game that is over by then.
            event["type"] = "ResultRecorded"
    assert finished["at"] == early


def seat_after_the_end(events: list[JsonObject]) -> None:
    """Draw tables at the end, and not a moment before."""
    for event in events[events.index(of_type(events, "RoundDrawn", 4)) :]:
        event["at"] = max(event["at"], "2026-03-03T10:00:00.000Z")


def rest_at_the_end(events: list[JsonObject]) -> None:
    """Let somebody take a break when nobody is seated any more."""
    taken, finished = of_type(events, "BreakTaken"), of_type(events, "TournamentFinished")
    events.insert(events.index(finished), {**taken, "at": finished["at"]})


LIES: list[tuple[Lie, str]] = [
    (
        with_data("TournamentCreated", format={"format": "arena", "table_size": 2, "minutes": 50}),
        "RegistrationClosed",
    ),
    (
        with_data("TournamentCreated", format={"format": "arena", "table_size": 3, "minutes": 60}),
        "RoundDrawn",
    ),
    (with_data("TournamentCreated", round_seconds=901), "RoundDrawn"),
    (with_data("RegistrationClosed", ends="2026-03-03T10:00:00.001Z"), "RegistrationClosed"),
    (with_data("RegistrationClosed", ends=None), "RegistrationClosed"),
    (with_data("PlayerRegistered", nonce="00"), "RegistrationClosed"),
    (with_tables(0, with_other_opponents), "RoundDrawn"),
    (with_tables(0, reverse_seats), "RoundDrawn"),
    (with_tables(0, swap_tables), "RoundDrawn"),
    # Fewer tables than could be seated.
    (with_tables(0, len, keep=2), "RoundDrawn"),
    (with_tables(3, len, keep=1), "RoundDrawn"),
    # Who takes a break, who sits elsewhere, who has left, and nobody.
    (with_tables(1, seat(3)), "RoundDrawn"),
    (with_tables(1, seat(0)), "RoundDrawn"),
    (with_tables(1, seat(5)), "RoundDrawn"),
    (with_tables(1, seat(9)), "RoundDrawn"),
    (with_data("RoundDrawn", 1, ends="2026-03-03T10:16:00.000Z"), "RoundDrawn"),
    (with_data("RoundDrawn", 1, games=["0" * 16]), "RoundDrawn"),
    (with_data("RoundDrawn", 1, absent=[1]), "RoundDrawn"),
    (with_data("RoundDrawn", 1, round=3), "RoundDrawn"),
    (with_data("RoundDrawn", 1, pairing="organiser"), "RoundDrawn"),
    (twice("RoundDrawn", 1), "RoundDrawn"),
    # A table before there is the result of the last one, or before who has just met has waited.
    (before("RoundDrawn", 1, "ResultRecorded", 0), "RoundDrawn"),
    (without("ResultRecorded"), "RoundDrawn"),
    (seat_after_the_end, "RoundDrawn"),
    (by_another("BreakTaken"), "BreakTaken"),
    (by_server("BreakTaken"), "BreakTaken"),
    (twice("BreakTaken"), "BreakTaken"),
    # Who has taken a break is free without it.
    (without("BreakTaken"), "RoundDrawn"),
    (with_data("BreakTaken", player="0" * 16), "BreakTaken"),
    (with_data("BreakTaken", player={}), "BreakTaken"),
    (with_data("BreakTaken", player=None), "BreakTaken"),
    (with_data("PlayerWithdrawn", player={}), "PlayerWithdrawn"),
    (with_data("PlayerRegistered", player=None), "PlayerRegistered"),
    (rest_at_the_end, "BreakTaken"),
    (by_another("BreakEnded"), "BreakEnded"),
    (twice("BreakEnded"), "BreakEnded"),
    # Without the break, other players are free.
    (without("BreakEnded"), "RoundDrawn"),
    (by_another("LateEntrantRegistered"), "LateEntrantRegistered"),
    (with_data("LateEntrantRegistered", entrant=0), "LateEntrantRegistered"),
    (with_data("LateEntrantRegistered", 1, entrant=7), "LateEntrantRegistered"),
    (with_data("LateEntrantRegistered", nonce="zz"), "LateEntrantRegistered"),
    (twice("LateEntrantRegistered", 1), "LateEntrantRegistered"),
    (without("LateEntrantRegistered"), "RoundDrawn"),
    (return_excluded, "LateEntrantRegistered"),
    (with_data("ResultRecorded", places=[2, 1]), "ResultRecorded"),
    (with_data("ResultRecorded", 3, places=[2, 1]), "ResultRecorded"),
    (with_data("ResultRecorded", 1, round=1), "ResultRecorded"),
    (with_data("ResultRecorded", 1, round="2"), "ResultRecorded"),
    (with_data("ResultRecorded", 1, round=99), "ResultRecorded"),
    (with_data("ResultRecorded", 1, seq=5), "ResultRecorded"),
    (twice("ResultRecorded", 1), "ResultRecorded"),
    (at("TableSettled", 0, "2026-03-03T10:14:59.999Z"), "TableSettled"),
    (with_data("TableSettled", places=[1, 2]), "TableSettled"),
    (without("TableSettled"), "TournamentFinished"),
    (end_early, "ResultRecorded"),
    (with_data("TournamentFinished", standings=[[]]), "TournamentFinished"),
]
"""Changes after which the server repairs every hash and signs anew, and the event at which each is found."""


def test_every_lie_about_an_arena_is_found_at_its_event(service: Service) -> None:
    played = Arena(service)
    wrong: list[str] = []
    for number, (lie, type) in enumerate(LIES):
        record = forged(played, lie)
        verdict = audit_tournament(record, played.games.get)
        found = None if verdict.seq is None else record.events[verdict.seq - 1]["type"]
        if (verdict.outcome, found) != ("broken", type):
            wrong.append(f"{number}: {found} instead of {type}: {verdict.reason.values}")
    assert not wrong, "\n".join(wrong)
