"""Where two analyses, or two results for a puzzle, differ: in their headers, or in what was examined."""

from collections.abc import Iterator

from domain.errors import Malformed
from domain.json_types import JsonObject
from domain.messages import Message, message
from replay.analysis.analysis import FORMAT
from replay.analysis.puzzle import FORMAT as PUZZLE_FORMAT


def check_format(value: object) -> JsonObject:
    """Return a decoded file as an analysis, or a result for a puzzle. Raises Malformed if it is neither."""
    if isinstance(value, dict) and value.get("format") == PUZZLE_FORMAT:
        return value
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise Malformed({"": message("is not an analysis")})
    turns = value.get("turns")
    if not isinstance(turns, list) or not all(isinstance(turn, dict) for turn in turns):
        raise Malformed({"turns": message("must be a list of objects")})
    return value


def differences(one: JsonObject, other: JsonObject) -> Iterator[Message]:
    """Yield where two results differ; nothing if they are equal."""
    names = [name for name in {**one, **other} if name not in {"turns", "summary"}]
    for name in names:
        if one.get(name) != other.get(name):
            yield message(
                "{field} is {one} here and {other} there",
                field=name,
                one=str(one.get(name)),
                other=str(other.get(name)),
            )
    if not one["format"] == other["format"] == FORMAT:
        return
    for mine, theirs in zip(one["turns"], other["turns"], strict=False):
        if mine != theirs:
            fields = [name for name in {**mine, **theirs} if mine.get(name) != theirs.get(name)]
            yield message(
                "turn {turn} differs: {fields}", turn=mine["turn"], fields=", ".join(fields)
            )
    if len(one["turns"]) != len(other["turns"]):
        yield message(
            "{one} turns are examined here, and {other} there",
            one=len(one["turns"]),
            other=len(other["turns"]),
        )
    if one["turns"] == other["turns"] and one.get("summary") != other.get("summary"):
        yield message("the turns are equal, and the summary differs")
