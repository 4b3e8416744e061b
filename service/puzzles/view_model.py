"""What the page of a puzzle shows: the position as its player saw it, the actions on trial, the answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from domain.game import Game
from domain.messages import Text
from replay.history.event_text import outcome_message
from service.analyses.lines import LineStep, line_steps
from service.analyses.retry import Answer
from service.games.visibility import visibility_for
from service.pages.view_models.action_query import read_query
from service.pages.view_models.action_steps import action_steps
from service.pages.view_models.replayed_analysis import BetterLine, Mark
from service.pages.view_models.replayed_event import ReplayedEvent
from service.pages.view_models.replayed_game import replayed_game
from service.puzzles.puzzles import ListedPuzzle, answer_of
from service.puzzles.store import Puzzle

LINE: Final = "line"
"""The parameter of an address with which the page shows a step of the line after the best action."""
ANSWER: Final = "answer"
"""The parameter with which the action that was tried is compared with the best one."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An action that the check has compared: what it does, and the share of winning after it in per cent.

    `lead` is how much worse it is than the best one; None for the best one.
    """

    outcome: Text
    percent: int
    lead: int | None
    error: int | None


@dataclass(frozen=True)
class PuzzleView:
    """A puzzle for templates/puzzle.html. `answer` is what the check says of the action that was tried.

    `is_open` is whether the solution may be shown: after the first answer, and to visitors without an
    account.
    """

    listed: ListedPuzzle
    event: ReplayedEvent
    is_open: bool
    answer: Answer | None
    played: Text
    candidates: Sequence[Candidate]

    @property
    def puzzle(self) -> Puzzle:
        """The puzzle."""
        return self.listed.puzzle


def puzzle_view(
    listed: ListedPuzzle, before: Game, viewer: str | None, parameters: Mapping[str, Sequence[str]]
) -> PuzzleView:
    """Return the puzzle with what the parameters of the address ask for. Raises Malformed, NotFound."""
    puzzle = listed.puzzle
    source = replace(
        replayed_game(puzzle.game, puzzle.seq - 1), replay_address=f"/puzzles/{puzzle.number}"
    )
    event = ReplayedEvent(
        source,
        source.events.transition(source.head, puzzle.seq - 1),
        visibility_for(source.head, source.player, puzzle.seat),
        as_seat=puzzle.seat,
    )
    is_open = viewer is None or listed.attempt is not None
    played = source.events.transition(source.head, puzzle.seq)
    shown = parameters.get(LINE, ("",))[0]
    if is_open and shown.isdecimal():
        event.line = _line(puzzle, before, int(shown[:3]))
    answer = None
    if event.line is None:
        event.steps = action_steps(before, puzzle.seat, read_query(parameters))
        if ANSWER in parameters and is_open and event.steps is not None and event.steps.action:
            answer = answer_of(puzzle, before, event.steps.action)
    return PuzzleView(
        listed,
        event,
        is_open,
        answer,
        outcome_message(before.rules, played.event, played.after),
        _candidates(puzzle, before) if is_open and (answer or event.line) else (),
    )


def _line(puzzle: Puzzle, before: Game, shown: int) -> BetterLine | None:
    """Return the line after the best action, up to a step; None if there is no such step."""
    steps = list(line_steps(before.rules, before.state, puzzle.result["line"]))
    if not 1 <= shown <= len(steps):
        return None
    check = puzzle.result["checks"][0]
    least = min(check["others"], key=lambda other: float(other["lead"]))
    mark = Mark(
        "!", puzzle.seat, round(100 * least["lead"]), round(100 * least["error"]), has_line=True
    )
    return BetterLine(before, steps[0].outcome, mark, steps, shown)


def _candidates(puzzle: Puzzle, before: Game) -> list[Candidate]:
    check = puzzle.result["checks"][0]

    def outcome(text: str) -> Text:
        steps: list[LineStep] = list(
            line_steps(before.rules, before.state, [{"seat": puzzle.seat, "action": text}])
        )
        return steps[0].outcome

    best = Candidate(outcome(check["best"]), round(100 * check["share"]), None, None)
    return [
        best,
        *(
            Candidate(
                outcome(other["action"]),
                round(100 * other["share"]),
                round(100 * other["lead"]),
                round(100 * other["error"]),
            )
            for other in check["others"]
        ),
    ]
