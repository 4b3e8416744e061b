"""The log of a tournament: sealing its events, and its record file (docs/formats.md).

An event is sealed like one of a game: `hash` is the SHA-256 of its canonical JSON without `hash`, and `prev`
is the hash of the event before it. The record is a signed header, followed by all events.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from domain.errors import Unreadable
from domain.event import ZEROS
from domain.json_types import JsonObject
from domain.messages import Message, message
from domain.tournaments.events import (
    TOURNAMENT_ID,
    TOURNAMENT_VERSION,
    TOURNAMENT_VERSIONS,
    Decided,
    TournamentBy,
    TournamentEvent,
)
from domain.tournaments.folding import evolve_tournament
from domain.tournaments.tournament import Tournament
from ledger.canonical import canonical, decode, entry_hash
from ledger.envelope import is_actor, is_hash, is_object, is_positive, is_timestamp, is_word
from ledger.record import MAX_LINE_BYTES, MAX_RECORD_BYTES, engine
from ledger.record_schema import check_key_entries

TOURNAMENT_FORMAT: Final = "cartulary-tournament/1"
_is_id = re.compile(TOURNAMENT_ID).fullmatch


def is_tournament_id(value: object) -> bool:
    """Return whether the value can be the id of a tournament."""
    return isinstance(value, str) and _is_id(value) is not None


_CHECKS: Final[Mapping[str, Callable[[object], bool]]] = {
    "v": lambda value: type(value) is int and value in TOURNAMENT_VERSIONS,
    "tournament": is_tournament_id,
    "seq": is_positive,
    "type": is_word,
    "at": is_timestamp,
    "by": is_actor,
    "data": is_object,
    "prev": is_hash,
    "hash": is_hash,
}


class PendingTournamentEvents:
    """The events that follow `base`, sealed one after the other; all have the same time."""

    def __init__(self, id: str, base: Tournament | None, at: str) -> None:
        self.id = id
        self.base = base
        self.at = at
        self.events: list[TournamentEvent] = []
        self._current = base

    @property
    def tournament(self) -> Tournament:
        """The tournament after the last pending event. Raises LookupError if there is no event yet."""
        if self._current is None:
            raise LookupError(f"tournament {self.id} has no events yet")
        return self._current

    @property
    def lines(self) -> list[bytes]:
        """The canonical lines of the pending events, without line feeds."""
        return [canonical(event) for event in self.events]

    def add(self, decided: Decided, by: TournamentBy) -> Tournament:
        """Seal another event, and return the tournament after it."""
        current = self._current
        event: TournamentEvent = {
            "v": TOURNAMENT_VERSION if current is None else current.version,
            "tournament": self.id,
            "seq": 1 if current is None else current.seq + 1,
            "type": decided.type,
            "at": self.at,
            "by": by,
            "data": cast("JsonObject", decided.data),
            "prev": ZEROS if current is None else current.hash,
            "hash": "",
        }
        event["hash"] = entry_hash(event)
        self.events.append(event)
        self._current = evolve_tournament(current, event)
        return self._current


def chain_fault(event: TournamentEvent, id: str, prev: str | None) -> Message | None:
    """Return the reason why an event does not continue the log of a tournament; None if it does.

    `prev` is the hash of the event before it; None if it is not known.
    """
    if event["tournament"] != id:
        return message("it is an event of another tournament")
    if prev is not None and event["prev"] != prev:
        return message("its prev is not the hash of the previous event")
    if event["hash"] != entry_hash(event):
        return message("its hash does not match its content")
    return None


def parse_event(line: bytes) -> TournamentEvent:
    """Return the event in a canonical line, its hash and its data unchecked. Raises Unreadable."""
    value = decode(line)
    if not isinstance(value, dict):
        raise Unreadable.with_message("a line must be a JSON object")
    for name, is_valid in _CHECKS.items():
        if not is_valid(value.get(name)):
            raise Unreadable.with_message("the field {name} has an invalid value", name=name)
    return cast("TournamentEvent", value)


@dataclass(frozen=True, slots=True)
class TournamentRecord:
    """A decoded record of a tournament."""

    header: JsonObject
    events: Sequence[TournamentEvent]

    @property
    def names(self) -> dict[str, str]:
        """The handles of the players by id, as the header states them."""
        return {
            player["id"]: player["handle"]
            for player in self.header.get("players", ())
            if player["handle"] is not None
        }


def tournament_header(
    tournament: Tournament,
    keys: Iterable[JsonObject],
    sign_head: Callable[[JsonObject], JsonObject],
    players: Sequence[JsonObject],
    inclusion: JsonObject | None,
    log: str | None,
) -> JsonObject:
    """Return the signed header for a record of all events so far; the fields are those of a game's record."""
    unsigned: JsonObject = {
        "format": TOURNAMENT_FORMAT,
        "tournament": tournament.id,
        "keys": list(keys),
        "head": {"seq": tournament.seq, "hash": tournament.hash},
        "engine": engine(),
        "players": list(players),
    }
    if log is not None:
        unsigned["log"] = log
    if inclusion is not None:
        unsigned["inclusion"] = inclusion
    return sign_head(unsigned)


def write_tournament(header: JsonObject, lines: Iterable[bytes]) -> Iterator[bytes]:
    """Iterate over the lines of a record, each with its line feed."""
    yield canonical(header) + b"\n"
    for line in lines:
        yield line + b"\n"


def read_tournament(data: bytes) -> TournamentRecord:
    """Return the record in a file. Raises Unreadable for the first line that is not valid."""
    if len(data) > MAX_RECORD_BYTES:
        raise Unreadable.with_message(
            "the record is larger than {most} bytes", most=MAX_RECORD_BYTES
        )
    if not data.endswith(b"\n"):
        raise Unreadable.with_message("the last line does not end with a line feed")
    first, *lines = data.removesuffix(b"\n").split(b"\n")
    header = _parse_header(first)
    events = []
    for number, line in enumerate(lines, 2):
        if len(line) >= MAX_LINE_BYTES:
            raise Unreadable(message("the line is too long"), number)
        try:
            events.append(parse_event(line))
        except Unreadable as error:
            raise Unreadable(error.why, number) from None
    if not events:
        raise Unreadable(message("there are no events"), 2)
    return TournamentRecord(header, events)


def _parse_header(line: bytes) -> JsonObject:
    try:
        header = decode(line)
    except Unreadable as error:
        raise Unreadable(error.why, 1) from None
    if not isinstance(header, dict) or header.get("format") != TOURNAMENT_FORMAT:
        raise Unreadable(
            message(
                "the header does not name the format {format}: this is not the record of a tournament",
                format=TOURNAMENT_FORMAT,
            ),
            1,
        )
    head, players = header.get("head"), header.get("players", [])
    is_valid = (
        is_tournament_id(header.get("tournament"))
        and isinstance(head, dict)
        and is_positive(head.get("seq"))
        and is_hash(head.get("hash"))
        and isinstance(players, list)
        and all(
            isinstance(player, dict)
            and is_word(player.get("id"))
            and isinstance(player.get("handle"), str | None)
            for player in players
        )
    )
    if not is_valid:
        raise Unreadable(message("the header does not have the fields of its format"), 1)
    check_key_entries(header.get("keys"))
    return header
