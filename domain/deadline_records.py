"""What a game keeps of missed deadlines, vacant seats and substitutes, and how their events change it.

`domain.fold` applies these events to a game that it owns.
"""

from dataclasses import replace
from typing import cast

from domain.administration import ADMINISTRATOR
from domain.deadline_events import DeadlineExcused, SeatVacated, SubstituteSeated
from domain.event import Event, TurnForfeited
from domain.game import Game, Misses


def count_miss(game: Game, event: Event) -> None:
    """Count a turn that the clock has ended. A removal is no miss, and no action."""
    if event["type"] != "PlayerRemoved":
        seat = cast("TurnForfeited", event["data"])["seat"]
        game.forfeits = _with(game.forfeits, seat, event["seq"])
        game.misses = _with(game.misses, seat, event["seq"])


def _with(misses: Misses, seat: int, seq: int) -> Misses:
    return {**misses, seat: (*misses.get(seat, ()), seq)}


def misses_until(misses: Misses, origin: int) -> Misses:
    """Return the misses that still count when play has resumed after event `origin`.

    Later ones are superseded. Misses that have ended since then do not come back.
    """
    kept = {seat: tuple(seq for seq in seqs if seq <= origin) for seat, seqs in misses.items()}
    return {seat: seqs for seat, seqs in kept.items() if seqs}


def end_misses(game: Game, seat: int) -> None:
    """Begin the count of a seat's misses in a row anew, because it has acted."""
    if game.misses.get(seat):
        game.misses = {other: seqs for other, seqs in game.misses.items() if other != seat}


def excused(game: Game, event: Event, data: DeadlineExcused, opened: object) -> None:
    """Apply `DeadlineExcused`: the time of the turn begins anew."""
    seat = data["seat"]
    game.excuses = {**game.excuses, seat: game.excuses.get(seat, 0) + 1}
    game.turn_at = event["at"]
    game.turn_extension = 0


def vacated(game: Game, event: Event, data: SeatVacated, opened: object) -> None:
    """Apply `SeatVacated`."""
    game.vacant_seats = tuple(sorted({*game.vacant_seats, data["seat"]}))
    _drop_takeback(game)


def substituted(game: Game, event: Event, data: SubstituteSeated, opened: object) -> None:
    """Apply `SubstituteSeated`. Misses and excuses are counted anew, those of the former player do not
    matter. A player from whom an administrator takes the seat is excluded from the game.
    """
    seat = data["seat"]
    players = list(game.players)
    players[seat] = data["player"]
    game.players = tuple(players)
    game.former_players += (data["replaces"],)
    if event["by"] == ADMINISTRATOR:
        game.excluded_players += (data["replaces"],)
    game.vacant_seats = tuple(vacant for vacant in game.vacant_seats if vacant != seat)
    game.misses = {other: seqs for other, seqs in game.misses.items() if other != seat}
    game.excuses = {other: count for other, count in game.excuses.items() if other != seat}
    game.forfeits = {}
    _drop_takeback(game)
    if game.to_act == seat:
        game.turn_at = event["at"]
        game.turn_extension = 0


def _drop_takeback(game: Game) -> None:
    """Let a pending takeback lapse, because other people have to agree from now on."""
    if game.last_play is not None and game.last_play.takeback is not None:
        game.last_play = replace(game.last_play, takeback=None)
