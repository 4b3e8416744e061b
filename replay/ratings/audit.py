"""Computes the ratings of a server again from records, and compares them with its signed statement.

The records need not be complete: lines that cannot be checked without a missing record are reported.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any, Final, cast

from domain.errors import CartularyError, Unreadable
from domain.json_types import JsonObject
from domain.messages import Message, message
from ledger.canonical import entry_hash
from ledger.envelope import is_game_id, is_timestamp
from ledger.keys import RATINGS_PAYLOAD, BadSignature, check_signed
from ledger.record import read
from ledger.transparency.checkpoint import Checkpoint
from ledger.transparency.signed_note import SignedNote
from replay.audit.findings import Outcome
from replay.audit.inclusion import check_inclusion
from replay.audit.quick import quick_audit
from replay.ratings.player_ratings import (
    FIRST_HASH,
    MODEL_NAME,
    NotRated,
    RatingExclusion,
    RatingTable,
    Result,
    rated_result,
)

_STATEMENT: Final = {
    *("sign", "log", "size", "root", "model", "games", "hash", "at", "key", "signature")
}
_EXCLUDED: Final = "excluded"
"""A field of statements since administrators can exclude games."""
_CLUB: Final = "club"
"""A field of the statements about the ratings in a club: its id."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of the comparison. `number` is the line of the history that is not sound, if any.

    `excluded` are the games that do not count by rulings of administrators, if the statement is valid.
    """

    outcome: Outcome
    reason: Message
    number: int | None = None
    excluded: Sequence[RatingExclusion] = ()


@dataclass(frozen=True, slots=True)
class RatedRecord:
    """The contents of a record: its game, its place in the log, and its result or why it does not count.

    `index` is None if the record does not prove the place of its last event, `result` if it ends before the
    game does and may count. `checkpoint` is that of the proof.
    """

    game: str
    index: int | None
    result: Result | NotRated | None
    checkpoint: Checkpoint | None = None

    @property
    def weight(self) -> tuple[bool, bool, bool]:
        """The completeness of the record, for comparison with other records of the same game."""
        return isinstance(self.result, Result), self.result is not None, self.index is not None


def club_of_statement(statement: object) -> str | None:
    """Return the id of the club whose ratings a statement is about; None for those of the server."""
    club = statement.get(_CLUB) if isinstance(statement, dict) else None
    return club if isinstance(club, str) else None


def examine_record(
    data: bytes, log: str, keys: Sequence[JsonObject], club: str | None = None
) -> RatedRecord:
    """Examine a record. Raises Unreadable if it is broken, or signed by another server.

    `log` is the name of the transparency log of the server, and `keys` are its public keys. With a `club`,
    the result is that for its ratings.
    """
    record = read(BytesIO(data))
    if (
        quick_audit(BytesIO(data)).verdict == "broken"
        or check_inclusion(record).verdict == "broken"
    ):
        raise Unreadable.with_message(
            "the record of game {game} is broken: `cartulary audit` says where", game=record.game
        )
    publics = {entry.get("public") for entry in keys}
    if any(entry["public"] not in publics for entry in record.header["keys"]):
        raise Unreadable.with_message(
            "the record of game {game} is of another server", game=record.game
        )
    result: Result | NotRated | None
    try:
        result = rated_result(record.events, club)
    except NotRated as error:
        result = error if record.has_ended or error.clause != "RT-5" else None
    proof = record.header.get("inclusion")
    if proof is None:
        return RatedRecord(record.game, None, result)
    checkpoint = Checkpoint.of_note(SignedNote.parse(proof["checkpoint"]))
    if checkpoint.origin != log:
        return RatedRecord(record.game, None, result)
    index = proof["index"] if proof["seq"] == len(record.events) else None
    return RatedRecord(record.game, index, result, checkpoint)


def proves_end(data: bytes) -> bool:
    """Return whether a record has the end of its game, and a proof of its place in the log.

    The proof is not checked. Raises Unreadable.
    """
    record = read(BytesIO(data))
    proof = record.header.get("inclusion")
    return record.has_ended and isinstance(proof, dict) and proof.get("seq") == len(record.events)


def check_ratings(
    statement: object,
    lines: Sequence[Any],
    keys: Sequence[JsonObject],
    records: Iterable[RatedRecord],
) -> Verdict:
    """Compare the history of a server, which its statement covers, with records.

    `keys` are the public keys of the server. The records may be in any order, and several of the same game.
    """
    fault = _statement_fault(statement, lines, keys)
    if fault is not None:
        return fault
    assert isinstance(statement, dict), "it was checked"
    verdict = _history_fault(lines) or _check_history(statement, lines, records)
    return replace(verdict, excluded=_exclusions(statement))


def _check_history(
    statement: JsonObject, lines: Sequence[Any], records: Iterable[RatedRecord]
) -> Verdict:
    if statement["model"] != MODEL_NAME:
        return Verdict(
            "unknown",
            message(
                "the ratings follow by the model {model}, which this version does not have",
                model=str(statement["model"]),
            ),
        )
    all_records = list(records)
    fault = _contradiction(statement, all_records)
    if fault is not None:
        return Verdict("broken", fault)
    by_game = {
        record.game: record for record in sorted(all_records, key=lambda record: record.weight)
    }
    excluded = {exclusion["game"] for exclusion in _exclusions(statement)}
    for number, line in enumerate(lines, 1):
        if line["game"] in excluded:
            fault = message(
                "game {game} is in the history, and the statement says that it is excluded (RT-9)",
                game=line["game"],
            )
            return Verdict("broken", fault, number)
    for game in excluded & by_game.keys():
        del by_game[game]
    counted = {
        record.index: record.result
        for record in by_game.values()
        if isinstance(record.result, Result)
        and record.index is not None
        and record.index < statement["size"]
    }
    return _compare(lines, [counted[index] for index in sorted(counted)], by_game)


def _contradiction(statement: JsonObject, records: Sequence[RatedRecord]) -> Message | None:
    """Return a contradiction in the signatures of the server: two ends of a game, or two logs."""
    ends: dict[str, str] = {}
    games: dict[int, str] = {}
    roots: dict[int, object] = {statement["size"]: statement["root"]}
    for record in records:
        if isinstance(record.result, Result) and (
            ends.setdefault(record.game, record.result.hash) != record.result.hash
        ):
            return message(
                "the server has signed two different ends of game {game}", game=record.game
            )
        if record.index is not None:
            other = games.setdefault(record.index, record.game)
            if other != record.game:
                return message(
                    "games {game} and {other} have the same place in the log",
                    game=other,
                    other=record.game,
                )
        if (checkpoint := record.checkpoint) is not None:
            root = checkpoint.root.hex()
            if roots.setdefault(checkpoint.size, root) != root:
                return message(
                    "the server has signed two different checkpoints of size {size}",
                    size=checkpoint.size,
                )
    return None


def _compare(
    lines: Sequence[JsonObject], results: Sequence[Result], records: Mapping[str, RatedRecord]
) -> Verdict:
    table = RatingTable()
    listed = {line["game"] for line in lines}
    for number, line in enumerate(lines, 1):
        record = records.get(line["game"])
        if (
            record is None
            or record.result is None
            or (record.index is None and isinstance(record.result, Result))
        ):
            return Verdict("unknown", _missing(line["game"], record), number)
        if isinstance(record.result, NotRated):
            fault = message(
                "game {game} does not count: {reason}",
                game=record.game,
                reason=record.result.message,
            )
            return Verdict("broken", fault, number)
        if number > len(results):
            fault = message(
                "game {game} was finished after the part of the log that the statement covers",
                game=line["game"],
            )
            return Verdict("broken", fault, number)
        expected = results[number - 1]
        if expected.game != line["game"]:
            return Verdict("broken", _other_game(expected.game, line["game"], listed), number)
        if table.add(expected) != line:
            fault = message(
                "the result of game {game}, or the ratings after it, are not those of the records",
                game=line["game"],
            )
            return Verdict("broken", fault, number)
    if len(results) > len(lines):
        left_out = results[len(lines)].game
        return Verdict("broken", _other_game(left_out, "", listed), len(lines) + 1)
    for record in records.values():
        if record.index is None and isinstance(record.result, Result) and record.game not in listed:
            return Verdict("unknown", _missing(record.game, record))
    return Verdict("sound", message("the ratings are those of the records"))


def _missing(game: str, record: RatedRecord | None) -> Message:
    if record is None:
        return message("the record of game {game} is missing", game=game)
    return message(
        "the record of game {game} does not prove when the game was finished: download it again",
        game=game,
    )


def _other_game(expected: str, game: str, listed: set[str]) -> Message:
    if expected not in listed:
        return message("game {game} counts, and is left out", game=expected)
    return message("game {game} counts before game {other}", game=expected, other=game)


def _statement_fault(
    statement: object, lines: Sequence[Any], keys: Sequence[JsonObject]
) -> Verdict | None:
    if not isinstance(statement, dict) or statement.keys() - {_EXCLUDED, _CLUB} != _STATEMENT:
        return Verdict("broken", message("the statement does not have the fields of its format"))
    try:
        check_signed(statement, keys)
    except (BadSignature, CartularyError, ValueError, TypeError, KeyError):
        return Verdict("broken", message("the signature of the statement is not valid"))
    if (
        statement["sign"] != RATINGS_PAYLOAD
        or type(statement["size"]) is not int
        or not _are_exclusions(statement.get(_EXCLUDED, []))
        or not isinstance(statement.get(_CLUB, ""), str)
    ):
        return Verdict("broken", message("the statement does not have the fields of its format"))
    last = lines[-1].get("hash") if lines and isinstance(lines[-1], dict) else FIRST_HASH
    if statement["games"] != len(lines) or statement["hash"] != last:
        return Verdict("broken", message("the history is not the one that the server has signed"))
    return None


def _are_exclusions(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(entry, dict)
        and entry.keys() == RatingExclusion.__annotations__.keys()
        and is_game_id(entry["game"])
        and is_timestamp(entry["at"])
        and isinstance(entry["reason"], str)
        for entry in value
    )


def _exclusions(statement: JsonObject) -> Sequence[RatingExclusion]:
    """Return the games that do not count by rulings of administrators, as a valid statement names them."""
    return cast("Sequence[RatingExclusion]", statement.get(_EXCLUDED, []))


def _history_fault(lines: Sequence[Any]) -> Verdict | None:
    """Return the fault of a history by itself: each line must have its number, and cover those before it."""
    prev = FIRST_HASH
    for number, line in enumerate(lines, 1):
        try:
            is_next = line["number"] == number and line["prev"] == prev
            is_next = is_next and isinstance(line["game"], str)
            is_hashed = line["hash"] == entry_hash(line)
        except (AttributeError, KeyError, TypeError, ValueError):
            is_next = is_hashed = False
        if not (is_next and is_hashed):
            return Verdict(
                "broken", message("the line is not one that follows those before it"), number
            )
        prev = line["hash"]
    return None
