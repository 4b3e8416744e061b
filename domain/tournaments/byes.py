"""Half-point byes: a player asks in advance for half a point instead of a table (docs/tournaments.md)."""

from domain.errors import NotNow, not_now
from domain.tournaments.events import ByeCancelled, ByeRequested, Decided
from domain.tournaments.tournament import STATUS_CLAUSES, Tournament


def request_bye(tournament: Tournament, player: str, round: int, at: str) -> Decided:
    """`ByeRequested`. Raises NotNow (not in advance, too many, the last round, asked before, takes no part).

    A place has the byes of all who have had it, so that nobody gets more by leaving and coming back.
    """
    _require_in_advance(tournament, player, round, at)
    asked = tournament.requested_byes.get(player, frozenset())
    if round in asked:
        raise not_now("this player has asked for this bye already")
    if not has_bye_left(tournament, player):
        raise not_now(
            "a player has at most {count} half-point byes",
            count=tournament.entry_rules.half_point_byes,
        )
    data: ByeRequested = {"player": player, "round": round}
    return Decided("ByeRequested", data)


def has_bye_left(tournament: Tournament, player: str) -> bool:
    """Return whether a player may ask for another bye, if it is time."""
    asked = tournament.requested_byes.get(player, frozenset())
    had = tournament.half_points_of(player)
    return len(asked) + had < tournament.entry_rules.half_point_byes


def cancel_bye(tournament: Tournament, player: str, round: int, at: str) -> Decided:
    """`ByeCancelled`: the player plays in the round after all. Raises NotNow (not in advance, not asked)."""
    _require_in_advance(tournament, player, round, at)
    if round not in tournament.requested_byes.get(player, frozenset()):
        raise not_now("this player has not asked for this bye")
    data: ByeCancelled = {"player": player, "round": round}
    return Decided("ByeCancelled", data)


def bye_rounds(tournament: Tournament, at: str) -> range:
    """Return the rounds for which players can ask for a bye, or cancel one, at a time.

    It is in advance while the round before is in progress, or registration is open: nobody knows yet whom
    they would meet. The last round has none.
    """
    rules, drawn = tournament.entry_rules, tournament.current_round
    if tournament.is_over or not rules.half_point_byes:
        return range(0)
    first = len(tournament.rounds) + 1
    if tournament.status == "open":
        first += tournament.has_closed(at)
    elif drawn is None or drawn.is_closed:
        first += 1
    return range(first, tournament.format.rounds)


def _require_in_advance(tournament: Tournament, player: str, round: int, at: str) -> None:
    if tournament.is_over:
        raise NotNow(None, STATUS_CLAUSES[tournament.status])
    if not tournament.entry_rules.half_point_byes:
        raise not_now("there are no half-point byes in this tournament")
    if tournament.status == "open":
        if player not in tournament.registered:
            raise not_now("this player does not take part")
    elif tournament.number_of(player) is None:
        raise not_now("this player does not take part")
    if round >= tournament.format.rounds:
        raise not_now("there are no half-point byes in the last round")
    if round not in bye_rounds(tournament, at):
        raise not_now("half-point byes are asked for before the round before ends")
