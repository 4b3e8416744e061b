"""The decisions in an arena that has begun: entering it, breaks, the draws, and its end.

Each function returns the event that follows, or raises Refused, as those of `domain.tournaments.decisions`.
"""

from domain.errors import NotNow, not_now
from domain.tournaments import draws
from domain.tournaments.arena import MAX_BREAKS, arena_tables, points_of
from domain.tournaments.events import (
    BreakEnded,
    BreakTaken,
    Decided,
    LateEntrantRegistered,
    RoundDrawn,
    TournamentFinished,
)
from domain.tournaments.format_settings import MAX_IN_ARENA
from domain.tournaments.formats import pairing_method
from domain.tournaments.pairing import Player, Table, seated
from domain.tournaments.tournament import STATUS_CLAUSES, Tournament, standings_as_json


def can_enter_arena(tournament: Tournament, player: str | None) -> bool:
    """Return whether there is room for a player in an arena that has begun. Those who have left it get their
    own place back.
    """
    number = tournament.places.get(player or "", None)
    if tournament.status != "running" or tournament.arena is None:
        return False
    if number is not None and number not in tournament.withdrawn:
        return False
    present = len(tournament.entrants) - len(tournament.withdrawn)
    return present < tournament.most and (
        number is not None or len(tournament.entrants) < MAX_IN_ARENA
    )


def enter_arena(tournament: Tournament, player: str, nonce: bytes, at: str) -> Decided:
    """`LateEntrantRegistered`. Raises NotNow (the end has come, full)."""
    require_seating(tournament, at)
    if not can_enter_arena(tournament, player):
        raise not_now("all {count} places are taken", count=tournament.most)
    data: LateEntrantRegistered = {
        "player": player,
        "nonce": nonce.hex(),
        "entrant": tournament.places.get(player, len(tournament.entrants)),
    }
    return Decided("LateEntrantRegistered", data)


def require_seating(tournament: Tournament, at: str) -> None:
    """Raise NotNow unless players are seated at a time: in an arena that has begun, before its end."""
    if not tournament.format.is_arena:
        raise not_now("this is no arena")
    if tournament.status != "running" or tournament.arena is None:
        raise NotNow(None, STATUS_CLAUSES[tournament.status])
    if at >= tournament.arena.ends:
        raise not_now("the arena seats nobody any more")


def take_break(tournament: Tournament, player: str, at: str) -> Decided:
    """`BreakTaken`. Raises NotNow (no arena in progress, takes no part, rests already, too often)."""
    number = _entrant(tournament, player, at)
    assert tournament.arena is not None, "an arena in progress has a state"
    if number in tournament.arena.resting:
        raise not_now("this player takes a break already")
    if tournament.arena.breaks.get(number, 0) >= MAX_BREAKS:
        raise not_now("at most {count} breaks are possible", count=MAX_BREAKS)
    data: BreakTaken = {"player": player}
    return Decided("BreakTaken", data)


def end_break(tournament: Tournament, player: str, at: str) -> Decided:
    """`BreakEnded`. Raises NotNow (no arena in progress, takes no part, does not rest)."""
    number = _entrant(tournament, player, at)
    assert tournament.arena is not None, "an arena in progress has a state"
    if number not in tournament.arena.resting:
        raise not_now("this player takes no break")
    data: BreakEnded = {"player": player}
    return Decided("BreakEnded", data)


def _entrant(tournament: Tournament, player: str, at: str) -> Player:
    require_seating(tournament, at)
    number = tournament.number_of(player)
    if number is None:
        raise not_now("this player does not take part")
    return number


def next_arena_tables(tournament: Tournament, patient_since: str) -> tuple[Table, ...]:
    """Return the tables for those who are free; see `arena_tables`. () if nobody can be seated."""
    assert tournament.arena is not None, "an arena in progress has a state"
    since = tournament.arena.free(tournament.withdrawn)
    if len(since) < 2:
        return ()
    number, rounds = len(tournament.rounds) + 1, tournament.rounds
    points = points_of(result for drawn in rounds for result in drawn.results if result is not None)
    order = tournament.draw.shuffle(sorted(since), f"arena/{number}")
    order.sort(key=lambda player: -points.get(player, 0))
    tables = arena_tables(
        order,
        tournament.format.table_size,
        since,
        patient_since,
        tournament.arena.last_tables,
        tournament.prohibited_pairs(),
    )
    if not tables:
        return ()
    return seated(tables, (table for drawn in rounds for table in drawn.tables))


def draw_tables(tournament: Tournament, at: str, ends: str, patient_since: str) -> Decided:
    """`RoundDrawn` with tables for those who are free. Raises NotNow (the end has come, nobody to be seated).

    `ends` is the last date of the tables, and `patient_since` is PATIENCE_SECONDS before `at`.
    """
    require_seating(tournament, at)
    tables = next_arena_tables(tournament, patient_since)
    if not tables:
        raise not_now("nobody can be seated")
    number = len(tournament.rounds) + 1
    data: RoundDrawn = {
        "round": number,
        "tables": [list(table) for table in tables],
        "games": [
            draws.game_id(tournament.id, number, place, tournament.hash)
            for place, _ in enumerate(tables, 1)
        ],
        "absent": [],
        "ends": ends,
        "pairing": pairing_method(tournament.format),
    }
    return Decided("RoundDrawn", data)


def finish_arena(tournament: Tournament, at: str) -> Decided:
    """`TournamentFinished`. Raises NotNow before the end, and while a table has no result."""
    if tournament.status != "running" or tournament.arena is None:
        raise NotNow(None, STATUS_CLAUSES[tournament.status])
    if at < tournament.arena.ends:
        raise not_now("the end of the arena has not come")
    if tournament.open_rounds:
        raise not_now("the round has not ended")
    data: TournamentFinished = {"standings": standings_as_json(tournament)}
    return Decided("TournamentFinished", data)
