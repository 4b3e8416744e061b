"""Puzzles: the list, the one of today, answering one, and what is to be checked."""

from typing import Annotated, Literal, TypedDict

from flask import Response

from domain.errors import Malformed
from domain.json_types import Count, Digest, GameId, JsonObject, PositiveCount, Timestamp
from domain.messages import Text
from service.errors import NotFound
from service.http.blueprint import Blueprint, json_response, response
from service.http.context import service
from service.http.ratelimits import limit_audits
from service.http.schemas.type_schemas import REFERENCE
from service.http.validation import AnyValue, PageLimit, QueryInteger, StrictSchema
from service.puzzles.puzzles import ListedPuzzle
from service.puzzles.store import PuzzleRating


class PuzzlesQuery(StrictSchema):
    """Which page of the list of puzzles to show."""

    before = QueryInteger(
        load_default=None, description="`next` of the previous page: puzzles with smaller numbers."
    )
    limit = PageLimit("Puzzles", most=100, default=20)


class PuzzleAttempt(StrictSchema):
    """An answer to a puzzle."""

    action = AnyValue(
        load_default=None,
        description="The action; without it, the player gives up.",
        allOf=[{"$ref": REFERENCE + "Action"}],
    )


class RatingAtPuzzles(TypedDict):
    """A rating by first answers to puzzles, of a player or of a puzzle. The ratings of games are others."""

    points: int
    provisional: Annotated[bool, "Whether it follows from too few answers."]
    attempts: Count
    solved: Count


class Puzzle(TypedDict):
    """A puzzle: `seat` is to act after event `seq` − 1 of a finished game, and one action is clearly best.

    `head` is the hash of the last event of the game. `solved` is whether the first answer of the player was
    right, null without an answer.
    """

    number: PositiveCount
    game: GameId
    head: Digest
    rules: str
    seats: PositiveCount
    seq: PositiveCount
    seat: Count
    made_at: Timestamp
    rating: RatingAtPuzzles
    solved: bool | None


class PuzzleList(TypedDict):
    """A page of the list, the newest puzzle first, and the rating of the player, null without a token.

    `next` is the `before` of the next page, or null.
    """

    puzzles: list[Puzzle]
    rating: RatingAtPuzzles | None
    next: PositiveCount | None


class PuzzleSolution(TypedDict):
    """The solution of a puzzle: what `cartulary analyse --puzzle --json` prints (docs/analysis.md)."""

    number: PositiveCount
    solution: JsonObject


class PuzzleAnswer(TypedDict):
    """What the check says of an answer, and the rating of the player.

    `worse` is an action that was compared, `percent` by how much it is worse, in points of the chance of
    winning, and `error` one standard error of that; for `best`, they are the lead over the next one.
    `unknown` are the others, and giving up. `counts` is whether it was the first answer of the player.
    """

    verdict: Literal["best", "worse", "unknown"]
    percent: int | None
    error: int | None
    counts: bool
    rating: RatingAtPuzzles


blueprint = Blueprint("puzzles", "Positions with one clearly best action.", auth="optional_auth")


def _rating(rating: PuzzleRating) -> JsonObject:
    return {
        "points": rating.rating.points,
        "provisional": rating.rating.is_provisional,
        "attempts": rating.attempts,
        "solved": rating.solved,
    }


def _as_json(listed: ListedPuzzle) -> JsonObject:
    puzzle = listed.puzzle
    return {
        "number": puzzle.number,
        "game": puzzle.game,
        "head": puzzle.result["head"],
        "rules": puzzle.system,
        "seats": puzzle.seats,
        "seq": puzzle.seq,
        "seat": puzzle.seat,
        "made_at": puzzle.made_at,
        "rating": _rating(listed.rating),
        "solved": None if listed.attempt is None else listed.attempt.is_solved,
    }


@blueprint.get("/puzzles", "A page of the list.", PuzzleList, query=PuzzlesQuery())
def list_puzzles(player: str | None, query: JsonObject) -> JsonObject:
    """List the puzzles of the server."""
    puzzles = service().puzzles
    listed, following = puzzles.page(player, query["before"], query["limit"])
    return {
        "puzzles": [_as_json(each) for each in listed],
        "rating": None if player is None else _rating(puzzles.store.rating_of(player)),
        "next": following,
    }


@blueprint.get("/puzzles/today", "The puzzle.", Puzzle, errors=(404,))
def get_puzzle_of_today(player: str | None) -> JsonObject:
    """Get the puzzle of today (UTC), which is the same for everybody. There may be none yet."""
    puzzles = service().puzzles
    puzzle = puzzles.of_today()
    if puzzle is None:
        raise NotFound.with_message("there is no puzzle yet")
    return _as_json(puzzles.listed(puzzle, player))


@blueprint.get("/puzzles/<int:number>", "The puzzle.", Puzzle)
def get_puzzle(number: int, player: str | None) -> JsonObject:
    """Get a puzzle. Its position is that of its game after event `seq` − 1, as the seat saw it."""
    puzzle, _ = service().puzzles.get(number)
    return _as_json(service().puzzles.listed(puzzle, player))


@blueprint.get("/puzzles/<int:number>/solution", "The solution.", PuzzleSolution, errors=(409,))
def get_puzzle_solution(number: int, player: str | None) -> JsonObject:
    """Get the solution of a puzzle, with both checks, from which anybody can compute it again.

    With a token, the player must have answered before.
    """
    return {"number": number, "solution": service().puzzles.solution(number, player)}


def _action_errors(body: JsonObject, number: int, player: str) -> dict[str, Text]:
    """Return what is wrong with the form of the action, by field."""
    if body.get("action") is None:
        return {}
    _, before = service().puzzles.get(number)
    try:
        before.rules.parse_action(body["action"])
    except Malformed as error:
        return {
            f"action.{path}" if path else "action": fault for path, fault in error.fields.items()
        }
    return {}


@blueprint.post(
    "/puzzles/<int:number>/attempts",
    responses={
        200: response("What the check says. The player has answered before.", PuzzleAnswer),
        201: response("What the check says. It was the first answer.", PuzzleAnswer),
    },
    errors=(422,),
    json_body=PuzzleAttempt(),
    extra_validation=_action_errors,
    auth="login_required",
    limit=limit_audits,
)
def answer_puzzle(number: int, player: str, body: JsonObject) -> Response:
    """Answer a puzzle. The first answer changes the rating of the player at puzzles, and that of the puzzle.

    If the rules forbid the action, the response is a 422 with the clause, and nothing changes.
    """
    puzzles = service().puzzles
    _, before = puzzles.get(number)
    action = None if body["action"] is None else before.rules.parse_action(body["action"])
    answer, counts = puzzles.attempt(number, player, action)
    content = {
        "verdict": answer.verdict,
        "percent": answer.percent,
        "error": answer.error,
        "counts": counts,
        "rating": _rating(puzzles.store.rating_of(player)),
    }
    return json_response(content, 201 if counts else 200)
