"""Positions with one clearly best action.

`python -m service.http.client_generator` has written this file.
"""

from typing import NotRequired, TypedDict, Unpack

from client.methods import C_co, Group, Method
from client.requests import Call, call, reader, segment
from domain.json_types import JsonObject


class RatingAtPuzzles(TypedDict):
    """A rating by first answers to puzzles, of a player or of a puzzle. The ratings of games are
    others.
    """

    points: int
    provisional: bool
    attempts: int
    solved: int


class Puzzle(TypedDict):
    """A puzzle: `seat` is to act after event `seq` − 1 of a finished game, and one action is
    clearly best. `head` is the hash of the last event of the game. `solved` is whether the first
    answer of the player was right, null without an answer.
    """

    number: int
    game: str
    head: str
    rules: str
    seats: int
    seq: int
    seat: int
    made_at: str
    rating: RatingAtPuzzles
    solved: bool | None


class PuzzleAnswer(TypedDict):
    """What the check says of an answer, and the rating of the player. `worse` is an action that
    was compared, `percent` by how much it is worse, in points of the chance of winning, and
    `error` one standard error of that; for `best`, they are the lead over the next one.
    `unknown` are the others, and giving up. `counts` is whether it was the first answer of the
    player.
    """

    verdict: str
    percent: int | None
    error: int | None
    counts: bool
    rating: RatingAtPuzzles


class PuzzleAttempt(TypedDict):
    """The body of a request: PuzzleAttempt."""

    action: NotRequired[JsonObject | None]


class PuzzleList(TypedDict):
    """A page of the list, the newest puzzle first, and the rating of the player, null without a
    token. `next` is the `before` of the next page, or null.
    """

    puzzles: list[Puzzle]
    rating: RatingAtPuzzles | None
    next: int | None


class PuzzleSolution(TypedDict):
    """The solution of a puzzle: what `cartulary analyse --puzzle --json` prints
    (docs/analysis.md).
    """

    number: int
    solution: JsonObject


def list_puzzles(*, before: int | None = None, limit: int | None = None) -> Call[PuzzleList]:
    """List the puzzles of the server."""
    return call("GET", "/puzzles", reader(PuzzleList), params={"before": before, "limit": limit})


def get_puzzle_of_today() -> Call[Puzzle]:
    """Get the puzzle of today (UTC), which is the same for everybody. There may be none yet."""
    return call("GET", "/puzzles/today", reader(Puzzle))


def get_puzzle(number: int, /) -> Call[Puzzle]:
    """Get a puzzle. Its position is that of its game after event `seq` − 1, as the seat saw it."""
    return call("GET", f"/puzzles/{segment(number)}", reader(Puzzle))


def get_puzzle_solution(number: int, /) -> Call[PuzzleSolution]:
    """Get the solution of a puzzle, with both checks, from which anybody can compute it again.

    With a token, the player must have answered before.
    """
    return call("GET", f"/puzzles/{segment(number)}/solution", reader(PuzzleSolution))


def answer_puzzle(number: int, /, **body: Unpack[PuzzleAttempt]) -> Call[PuzzleAnswer]:
    """Answer a puzzle. The first answer changes the rating of the player at puzzles, and that of
    the puzzle.

    If the rules forbid the action, the response is a 422 with the clause, and nothing changes.
    """
    return call("POST", f"/puzzles/{segment(number)}/attempts", reader(PuzzleAnswer), body=body)


class PuzzlesCalls(Group[C_co]):
    """Positions with one clearly best action."""

    list = Method(list_puzzles)
    get_of_today = Method(get_puzzle_of_today)
    get = Method(get_puzzle)
    get_solution = Method(get_puzzle_solution)
    answer = Method(answer_puzzle)
