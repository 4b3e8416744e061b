"""Retrying marked mistakes: those of a player's last games, and what the analysis says of other actions."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from domain.errors import CartularyError
from domain.game import Game
from domain.json_types import JsonObject
from replay.analysis.examination import LEAST_MARKED
from replay.analysis.summary import marked_decisions
from service.analyses.analyses import Analyses
from service.games.listings import Listings
from service.games.queries import GameQueries

RECENT_GAMES: Final = 20
"""A player's last finished games, whose mistakes are retried."""

Verdict: TypeAlias = Literal["best", "good", "better", "worse", "taken", "unknown"]


class Mistake(NamedTuple):
    """A marked action of a game that there was a better one for."""

    game: str
    seq: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What the analysis says of an action in place of the mistake.

    `best` is the better action that it found, `good` one that is worse than that by less than what is marked,
    `taken` the mistake itself, and `unknown` an action that it has not compared. `percent` is how much better
    than the mistake the action is, and `error` one standard error of that; both None if that is not known.
    """

    verdict: Verdict
    percent: int | None = None
    error: int | None = None

    @property
    def is_solution(self) -> bool:
        """Whether the action solves the task."""
        return self.verdict in ("best", "good")


def answer_of(decision: JsonObject, before: Game, action: Any) -> Answer:
    """Return what the analysis says of an action in place of a marked one; `before` is the game before it.

    Different actions that come to the same are the same answer. The action must be legal.
    """
    rules, state = before.rules, before.state
    outcome = rules.decide(state, decision["seat"], action).data

    def is_same(text: str) -> bool:
        try:
            other = rules.decide(state, decision["seat"], rules.parse_action_text(text))
        except CartularyError:
            return False
        return bool(other.data == outcome)

    if is_same(decision["action"]):
        return Answer("taken")
    if is_same(decision["better"]):
        return Answer("best", _percent(decision["drop"]), _percent(decision["error"]))
    # Analyses of the first version, which are kept for a while, have no other candidates.
    for other in decision.get("others", ()):
        if is_same(other["action"]):
            gain = other["gain"]
            verdict: Verdict = "better" if gain > 0 else "worse"
            if decision["drop"] - gain < LEAST_MARKED:
                verdict = "good"
            return Answer(verdict, _percent(gain), _percent(other["error"]))
    return Answer("unknown")


def _percent(share: float) -> int:
    return round(100 * share)


def mistakes_of_game(analyses: Analyses, game: Game, player: str | None) -> list[Mistake]:
    """Return the mistakes of a player in a game that they may see, in its order; none without an analysis."""
    seat = None if player is None else game.seat_of(player)
    analysis = None if seat is None else analyses.complete(game)
    if analysis is None:
        return []
    return [
        Mistake(game.id, decision["seq"])
        for _, decision in marked_decisions(analysis)
        if decision["seat"] == seat and "line" in decision
    ]


def recent_mistakes(
    analyses: Analyses, queries: GameQueries, listings: Listings, player: str
) -> Iterator[Mistake]:
    """Yield the mistakes of a player's last finished games, those of the latest game first."""
    page = listings.page(("finished",), player, None, RECENT_GAMES, player)
    for game in queries.games(page.games):
        if game is not None:
            yield from mistakes_of_game(analyses, game, player)
