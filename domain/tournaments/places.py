"""The places of the players of a game, also of one that is not over, and of those who have let it pass."""

from collections.abc import Collection, Iterable, Sequence

from domain.event import Event, acting_seat
from domain.game import Game
from domain.tournaments.standings import NO_PLACE


def places_in(game: Game) -> tuple[int, ...]:
    """Return the places by seat: those of the ranking, or the order of the position if there is none.

    Players who share places have the first of them. Nobody has one (0) in a game that was abandoned.
    """
    if game.ranking is not None:
        by_seat = {entry["seat"]: entry["place"] for entry in game.ranking}
        return tuple(by_seat[seat] for seat in range(game.seats))
    if game.status != "playing" or game.state is None:
        return (0,) * game.seats
    in_game = set(game.state.in_game())
    scores = {entry["seat"]: entry["score"] for entry in game.rules.standings(game.state)}
    keys = {seat: (seat in in_game, scores.get(seat, 0)) for seat in range(game.seats)}
    return tuple(
        1 + sum(other > keys[seat] for other in keys.values()) for seat in range(game.seats)
    )


def seats_without_play(game: Game, events: Iterable[Event], middle: str) -> frozenset[int]:
    """Return the seats whose players have let the whole game pass.

    They never acted, not even to resign, and have missed a deadline; or the game still waits for them, and
    has done so since the middle of the round or longer.
    """
    acted = {
        seat
        for event in events
        if event["action"] is not None and (seat := acting_seat(event["by"])) is not None
    }
    missed = {*game.missed_deadlines, *game.excuses}
    if game.to_act is not None and game.turn_at <= middle:
        missed.add(game.to_act)
    return frozenset(missed - acted)


def removed_seats(events: Iterable[Event]) -> frozenset[int]:
    """Return the seats whose players have lost them by missing deadlines."""
    removed = (event["data"]["seat"] for event in events if event["type"] == "PlayerRemoved")
    return frozenset(removed)


def without_places(places: Sequence[int], seats: Collection[int]) -> tuple[int, ...]:
    """Return the places by seat if some seats have none: the others move up."""
    return tuple(
        NO_PLACE
        if seat in seats or not place
        else 1 + sum(0 < other < place and at not in seats for at, other in enumerate(places))
        for seat, place in enumerate(places)
    )
