"""Puzzles: the one of the day, the list, what a player answers, and the ratings of players and puzzles.

A player's first answer to a puzzle is rated like a game between the player and the puzzle, which the player
wins with the right answer. Puzzles use the model of the ratings of games, but have ratings of their own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from domain.errors import CartularyError, NotNow
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import message
from replay.ratings.player_ratings import rate_places
from service import wall_clock
from service.analyses.retry import Answer
from service.errors import NotFound, Unavailable
from service.games.queries import GameQueries
from service.puzzles.search import PuzzleSearch
from service.puzzles.store import Attempt, Puzzle, PuzzleRating, PuzzleStore

PAGE: Final = 20
_TRIALS: Final = 20
"""How often a rating is computed again because it has changed meanwhile."""


@dataclass(frozen=True, slots=True)
class ListedPuzzle:
    """A puzzle of the list, with its rating, and the first answer of the viewer, if there is one."""

    puzzle: Puzzle
    rating: PuzzleRating
    attempt: Attempt | None


class Puzzles:
    """The puzzles of this server. Thread-safe. Every method raises Unavailable."""

    def __init__(self, queries: GameQueries, store: PuzzleStore, search: PuzzleSearch) -> None:
        self._queries = queries
        self.store = store
        self.search = search

    def get(self, number: int) -> tuple[Puzzle, Game]:
        """Return a puzzle, and the game before the action that is looked for.

        Raises NotFound, also for a puzzle whose game is not as it was, which is deleted.
        """
        puzzles = self.store.get([number])
        if not puzzles:
            raise _no_puzzle(number)
        (puzzle,) = puzzles
        try:
            head = self._queries.visible_game(puzzle.game, None)
        except NotFound:
            head = None
        if head is None or head.hash != puzzle.result["head"] or not self.search.is_searched(head):
            self.store.remove(number)
            raise _no_puzzle(number)
        return puzzle, self._queries.game_at(puzzle.game, puzzle.seq - 1)

    def of_today(self) -> Puzzle | None:
        """Return the puzzle of today (UTC), which is the same for everybody; None if there is no puzzle.

        A puzzle that has not been one of a day yet comes first, and then the one for which it is longest ago.
        """
        today = wall_clock.format(wall_clock.now())[:10]
        for _ in range(_TRIALS):
            number = self.store.day(today)
            if number is not None:
                try:
                    return self.get(number)[0]
                except NotFound:
                    pass
            chosen = _choice(self.store.numbers(), self.store.days(), today)
            if chosen is None:
                return None
            self.store.choose(today, number, chosen)
        raise Unavailable(message("the puzzle of the day cannot be chosen now"), 1)

    def page(
        self, viewer: str | None, before: int | None = None, limit: int = PAGE
    ) -> tuple[list[ListedPuzzle], int | None]:
        """Return puzzles with a smaller number than `before`, the newest first, and that of the next page."""
        numbers = [n for n in reversed(self.store.numbers()) if before is None or n < before]
        shown = numbers[:limit]
        ratings = self.store.ratings(shown)
        attempts = {} if viewer is None else self.store.attempts(viewer, shown)
        by_number = dict(zip(shown, ratings, strict=True))
        listed = [
            ListedPuzzle(puzzle, by_number[puzzle.number], attempts.get(puzzle.number))
            for puzzle in self.store.get(shown)
        ]
        return listed, shown[-1] if len(numbers) > limit else None

    def listed(self, puzzle: Puzzle, viewer: str | None) -> ListedPuzzle:
        """Return a puzzle as the list shows it."""
        (rating,) = self.store.ratings([puzzle.number])
        attempts = {} if viewer is None else self.store.attempts(viewer, [puzzle.number])
        return ListedPuzzle(puzzle, rating, attempts.get(puzzle.number))

    def next_for(self, viewer: str | None, after: int | None) -> int | None:
        """Return the number of the newest puzzle before `after` that the viewer has not answered.

        If there is none, the newest one of all that they have not answered; None without any.
        """
        numbers = list(reversed(self.store.numbers()))
        if viewer is not None:
            answered = self.store.attempts(viewer, numbers)
            numbers = [number for number in numbers if number not in answered]
        others = [number for number in numbers if number != after]
        return next((n for n in others if after is None or n < after), next(iter(others), None))

    def attempt(self, number: int, player: str, action: Any | None) -> tuple[Answer, bool]:
        """Answer a puzzle for a player, with a parsed action, or None to give up.

        Return what the check says of the answer, and whether it counts: only the first one does. Raises
        NotFound, and Refused for an action that is not legal; nothing changes then.
        """
        puzzle, before = self.get(number)
        answer = Answer("unknown") if action is None else answer_of(puzzle, before, action)
        text = "" if action is None else before.rules.action_text(action)
        attempt = Attempt(answer.is_solution, text)
        for _ in range(_TRIALS):
            rating = self.store.rating_of(player)
            (of_puzzle,) = self.store.ratings([number])
            after, puzzle_after = _rated(rating, of_puzzle, is_solved=attempt.is_solved)
            is_stored = self.store.answer(player, number, attempt, rating, after)
            if is_stored is None:
                continue
            if is_stored and not self.store.replace_rating(number, of_puzzle, puzzle_after):
                self._rate_puzzle(number, rating, is_solved=attempt.is_solved)
            return answer, is_stored
        raise Unavailable(message("too many answers arrive at the same time"), 1)

    def solution(self, number: int, viewer: str | None) -> JsonObject:
        """Return what `cartulary check-puzzle` computes for a puzzle.

        Raises NotFound, and NotNow for a player who has not answered yet, so that the answer counts.
        """
        puzzle, _ = self.get(number)
        if viewer is not None and not self.store.attempts(viewer, [number]):
            raise NotNow(None, message("answer the puzzle first"))
        return puzzle.result

    def _rate_puzzle(self, number: int, player: PuzzleRating, *, is_solved: bool) -> None:
        """Rate a puzzle whose rating others change at the same time."""
        for _ in range(_TRIALS):
            (before,) = self.store.ratings([number])
            _, after = _rated(player, before, is_solved=is_solved)
            if self.store.replace_rating(number, before, after):
                return


def answer_of(puzzle: Puzzle, before: Game, action: Any) -> Answer:
    """Return what the check says of an action. Raises Refused if it is not legal.

    The best action solves the puzzle, and so does one that comes to the same. One that was compared is worse;
    one that was not was left out after the first playouts.
    """
    rules, state = before.rules, before.state
    outcome = rules.decide(state, puzzle.seat, action)

    def is_same(text: str) -> bool:
        try:
            other = rules.decide(state, puzzle.seat, rules.parse_action_text(text))
        except CartularyError:
            return False
        return bool((other.type, other.data) == (outcome.type, outcome.data))

    check = puzzle.result["checks"][0]
    if is_same(check["best"]):
        least = min(check["others"], key=lambda other: float(other["lead"]))
        return Answer("best", round(100 * least["lead"]), round(100 * least["error"]))
    for other in check["others"]:
        if is_same(other["action"]):
            return Answer("worse", round(100 * other["lead"]), round(100 * other["error"]))
    return Answer("unknown")


def _rated(
    player: PuzzleRating, puzzle: PuzzleRating, *, is_solved: bool
) -> tuple[PuzzleRating, PuzzleRating]:
    """Return the ratings of a player and of a puzzle after a first answer."""
    places = {"player": 1 if is_solved else 2, "puzzle": 2 if is_solved else 1}
    after = rate_places(places, {"player": player.rating, "puzzle": puzzle.rating})
    return (
        PuzzleRating(after["player"], player.attempts + 1, player.solved + is_solved),
        PuzzleRating(after["puzzle"], puzzle.attempts + 1, puzzle.solved + is_solved),
    )


def _choice(numbers: Sequence[int], days: dict[str, int], today: str) -> int | None:
    """Return the puzzle of a day for which none is chosen."""
    if not numbers:
        return None
    last = {number: day for day, number in sorted(days.items()) if day != today}
    return min(numbers, key=lambda number: (last.get(number, ""), number))


def _no_puzzle(number: int) -> NotFound:
    return NotFound.with_message("there is no puzzle {number}", number=number)
