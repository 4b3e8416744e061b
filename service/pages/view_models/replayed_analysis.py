"""What the analysis of a finished game says at its replay: chances after moves, marks, and better lines."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from domain.game import Game, copy
from domain.json_types import JsonObject
from domain.messages import Text
from domain.scene import Scene, with_changes
from replay.analysis.summary import marked_decisions
from replay.history.recap import marked_by
from service.analyses.lines import LineStep, line_steps
from service.analyses.retry import Answer
from service.games.visibility import Visibility
from service.pages.view_models.position_view import unsealed_event


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark of an action. `percent` is how much of the chances it cost, or what it was better by.

    `has_line` is whether there is a line that begins with a better action.
    """

    sign: str
    seat: int
    percent: int
    error: int
    has_line: bool


@dataclass(frozen=True, slots=True)
class Chance:
    """The chance of a seat, in per cent, as a part of a bar that begins at `start`."""

    seat: int
    start: int
    percent: int


class ReplayedAnalysis:
    """A complete analysis, as the pages of the events of its game show it."""

    def __init__(self, analysis: JsonObject) -> None:
        """Begin with the analysis as docs/analysis.md defines it."""
        self.analysis = analysis
        self._marked = {decision["seq"]: decision for _, decision in marked_decisions(analysis)}
        self._turns = [turn["seq"] for turn in analysis["turns"]]

    @property
    def accuracy(self) -> list[tuple[int, int]]:
        """The seats with their accuracy in per cent; those of which no decision was examined are left out."""
        return [
            (row["seat"], round(100 * row["accuracy"]))
            for row in self.analysis["summary"]["accuracy"]
            if "accuracy" in row
        ]

    @property
    def turning_point(self) -> JsonObject | None:
        """The turning point, as docs/analysis.md defines it."""
        point: JsonObject | None = self.analysis["summary"]["turning_point"]
        return point

    @property
    def decisive_seq(self) -> int | None:
        """The event at which the game was decided: the turning point, or else the gravest mistake, if any."""
        if self.turning_point is not None:
            seq: int = self.turning_point["seq"]
            return seq
        drops = {seq: row["drop"] for seq, row in self._marked.items() if "line" in row}
        return max(drops, key=drops.__getitem__, default=None)

    def next_marked(self, seq: int) -> int | None:
        """Return the next event with a mark after an event, which after the last one is the first.

        None if no other event has a mark.
        """
        others = sorted(each for each in self._marked if each != seq)
        return next((each for each in others if each > seq), others[0] if others else None)

    def mark(self, seq: int) -> Mark | None:
        """Return the mark of an event; None without one."""
        decision = self._marked.get(seq)
        if decision is None:
            return None
        has_line = "line" in decision
        return Mark(
            decision["mark"],
            decision["seat"],
            round(100 * decision["drop" if has_line else "lead"]),
            round(100 * decision["error"]),
            has_line,
        )

    def decision(self, seq: int) -> JsonObject | None:
        """Return the decision of a marked event for which there was a better action; None without one."""
        decision = self._marked.get(seq)
        return decision if decision is not None and "line" in decision else None

    def line(self, seq: int) -> Sequence[JsonObject]:
        """Return the line that begins with an action better than that of the event; () without one."""
        line: Sequence[JsonObject] = self._marked.get(seq, {}).get("line", ())
        return line

    def chances(self, seq: int, next_seq: int | None) -> list[Chance]:
        """Return the chances after an event, as they are at the beginning of the next turn.

        There are none if the turn goes on with event `next_seq`, the next move. After the last move, they are
        those of the result.
        """
        index = bisect_right(self._turns, seq)
        if index == len(self._turns):
            winners = self.analysis["winners"]
            shares = [(seat in winners) / len(winners) for seat in range(self.analysis["seats"])]
            return [*_bar(shares)] if next_seq is None else []
        if next_seq is not None and self._turns[index] > next_seq:
            return []
        return [*_bar(self.analysis["turns"][index]["shares"])]


def _bar(shares: Sequence[float]) -> Iterator[Chance]:
    start, total = 0, 0.0
    for seat, share in enumerate(shares):
        total += share
        end = min(100, round(100 * total))
        if end > start:
            yield Chance(seat, start, end - start)
        start = max(start, end)


@dataclass(frozen=True)
class BetterLine:
    """A line that begins with an action better than the one that was taken, up to the step that is shown.

    `game` is the game before the action, and `played` what was done, in words. `shown` counts from 1.
    """

    game: Game
    played: Text
    mark: Mark
    steps: Sequence[LineStep]
    shown: int

    @property
    def step(self) -> LineStep:
        """The step that is shown."""
        return self.steps[self.shown - 1]

    @cached_property
    def after(self) -> Game:
        """The game after the step that is shown."""
        after = copy(self.game)
        after.state = self.step.state
        return after

    def scene(self, visibility: Visibility) -> Scene:
        """Return the position after the step that is shown, with what all steps up to it have changed."""
        rules, position = self.game.rules, visibility.position(self.after)
        scenes = []
        for step in self.steps[: self.shown]:
            action = dict(rules.action_to_json(step.action))
            event = unsealed_event(self.game, step.seat, step.event, action)
            scenes.append(marked_by(rules.scene(position, event), step.seat))
        return replace(with_changes(scenes), caption=None)


@dataclass(frozen=True, slots=True)
class Retry:
    """A marked action of an event, in place of which the reader looks for a better one.

    `played` is what was done, in words. `answer` is what the analysis says of the action that was tried.
    """

    seq: int
    mark: Mark
    played: Text
    answer: Answer | None = None


def better_line(
    analysis: ReplayedAnalysis, seq: int, before: Game, played: Text, shown: int
) -> BetterLine | None:
    """Return the line of a marked event, shown up to a step; None if there is no such line or step.

    `before` is the game before the event, and `played` what was done, in words.
    """
    mark, line = analysis.mark(seq), analysis.line(seq)
    if mark is None or not 1 <= shown <= len(line):
        return None
    steps = list(line_steps(before.rules, before.state, line))
    return BetterLine(before, played, mark, steps, shown) if shown <= len(steps) else None
