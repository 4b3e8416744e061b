"""What pages and responses show of an arena: its last draws, and what a player does now."""

from typing import Final, Literal, TypeAlias

from domain.tournaments.tournament import DrawnRound, Tournament

SHOWN_RESULTS: Final = 20
"""How many draws of an arena are shown that have all results."""


def shown_rounds(tournament: Tournament) -> list[DrawnRound]:
    """Return the rounds that are shown: all, but of an arena those in progress and the last others."""
    if not tournament.format.is_arena:
        return list(tournament.rounds)
    closed = [drawn for drawn in tournament.rounds if drawn.is_closed][-SHOWN_RESULTS:]
    return sorted((*closed, *tournament.open_rounds), key=lambda drawn: drawn.number)


ArenaPlace: TypeAlias = Literal["plays", "rests", "done", "waits", "over"]


def arena_place(tournament: Tournament, player: str | None, at: str) -> ArenaPlace | None:
    """Return what a player of an arena does at a time; None for others, and before it begins."""
    arena = tournament.arena
    number = None if player is None else tournament.number_of(player)
    if arena is None or number is None:
        return None
    if number not in arena.free_since:
        return "plays"
    if at >= arena.ends:
        return "over"
    if number in arena.resting:
        return "rests"
    return "waits" if number in arena.free(tournament.withdrawn) else "done"
