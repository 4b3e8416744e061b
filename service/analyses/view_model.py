"""What the page of an analysis shows: the graph of the shares, and the marked actions in words."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import Text
from replay.analysis.estimates import TWO_SIDED_95
from replay.analysis.summary import marked_decisions
from service.analyses.lines import LineStep, line_steps
from service.http.context import service

WIDTH: Final = 1000
HEIGHT: Final = 240
MAX_MARKS: Final = 30
"""Marked actions that a page shows, in the order of the game."""


@dataclass(frozen=True, slots=True)
class MarkedAction:
    """An action with a mark. `percent` is how much of the share it lost, or gained over the next best one."""

    seq: int
    seat: int
    mark: str
    percent: int
    error: int
    played: Text
    better: tuple[LineStep, ...]
    """How the game could have gone on, beginning with the better action; none for an action that was good."""

    @property
    def is_good(self) -> bool:
        """Whether it was the only good action."""
        return not self.better


@dataclass(frozen=True, slots=True)
class GraphMark:
    """A mark in the graph, `x` from its left edge."""

    seq: int
    seat: int
    mark: str
    x: float


@dataclass(frozen=True, slots=True)
class Graph:
    """The shares of the seats through the game, as areas on top of each other, and the marks above them."""

    areas: tuple[str, ...]
    """The points of each seat's area, as an SVG polygon has them."""
    marks: tuple[GraphMark, ...]


@dataclass(frozen=True, slots=True)
class Luck:
    """How much the share of a seat changed by what came up, in per cent, with the margin at 95 %."""

    seat: int
    percent: int
    margin: int


def luck_of_players(analysis: JsonObject) -> list[Luck]:
    """Return the luck of each seat in a complete analysis; nothing where no action turns anything up."""
    # Analyses of the first version, which are kept for a while, have none.
    return [
        Luck(row["seat"], round(100 * row["luck"]), round(100 * TWO_SIDED_95 * row["error"]))
        for row in analysis["summary"].get("luck", ())
    ]


def graph_of(analysis: JsonObject) -> Graph:
    """Return the graph of a complete analysis."""
    turns = analysis["turns"]
    step = WIDTH / max(1, len(turns) - 1)
    tops: list[list[float]] = [[0.0] * len(turns)]
    for seat in range(analysis["seats"]):
        below = tops[-1]
        tops.append([low + turn["shares"][seat] for low, turn in zip(below, turns, strict=True)])
    areas = [
        " ".join(
            (
                *(f"{step * x:.1f},{HEIGHT * low:.1f}" for x, low in enumerate(lower)),
                *(
                    f"{step * x:.1f},{HEIGHT * min(1.0, high):.1f}"
                    for x, high in reversed([*enumerate(upper)])
                ),
            )
        )
        for lower, upper in pairwise(tops)
    ]
    marks = [
        GraphMark(decision["seq"], decision["seat"], decision["mark"], round(step * index, 1))
        for index, decision in marked_decisions(analysis)
    ]
    return Graph(tuple(areas), tuple(marks))


def marked_actions(game: Game, analysis: JsonObject) -> list[MarkedAction]:
    """Return the marked actions of a game with what was played and what was better, MAX_MARKS at most."""
    return [
        _marked_action(game, decision) for _, decision in marked_decisions(analysis)[:MAX_MARKS]
    ]


def _marked_action(game: Game, decision: JsonObject) -> MarkedAction:
    before = service().games.queries.game_at(game.id, decision["seq"] - 1)
    line = decision.get("line") or []
    played = [{"seat": decision["seat"], "action": decision["action"]}]
    return MarkedAction(
        decision["seq"],
        decision["seat"],
        decision["mark"],
        round(100 * (decision["drop"] if line else decision["lead"])),
        round(100 * decision["error"]),
        next(line_steps(before.rules, before.state, played)).outcome,
        tuple(line_steps(before.rules, before.state, line)),
    )
