"""Finds contradictions among the witness files of browsers (docs/formats.md).

A server signs the head of a game whenever it shows it. Two heads contradict each other if they cover
different events with the same seq, or if a later one states that the game has fewer events.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import combinations
from typing import Any, Final, Literal, TypeAlias

from domain.errors import Unreadable
from domain.event import Event
from domain.json_types import JsonObject
from domain.messages import Instant, Message, message
from ledger.canonical import decode, entry_hash, unhex
from ledger.envelope import is_game_id, is_hash, is_object, is_positive, is_timestamp, is_word
from ledger.keys import SHOWN_HEAD_PAYLOAD, BadSignature, check_signed, key_id

FORMAT: Final = "cartulary-witness/1"
SUFFIX: Final = ".witness"
MAX_FILE_BYTES: Final = 1 << 26
CLOCK_TOLERANCE: Final = timedelta(minutes=1)
"""The most by which the clocks of the machines of one server may differ."""

Kind: TypeAlias = Literal["two_histories", "taken_back"]

_FIELDS: Final = {"format", "server", "keys", "heads", "events", "checkpoints", "consistency"}
_HEAD_FIELDS: Final = {
    "sign": lambda value: value == SHOWN_HEAD_PAYLOAD,
    "game": is_game_id,
    "seq": is_positive,
    "hash": is_hash,
    "shown_at": is_timestamp,
    "key": is_word,
    "signature": is_word,
}
_MOST_HEADS: Final = 1000


@dataclass(frozen=True, slots=True)
class WitnessFile:
    """The observations of a browser. `keys` are the keys that the server listed then, which nobody has
    signed.

    `events` lead to one of the signed `heads`. `consistency` is the server's proof that the last of the
    `checkpoints`, which are signed notes, continues the first one.
    """

    server: str
    keys: Sequence[JsonObject]
    heads: Sequence[JsonObject]
    events: Sequence[Event]
    checkpoints: Sequence[str]
    consistency: JsonObject | None

    @classmethod
    def parse(cls, data: bytes) -> "WitnessFile":
        """Parse the contents of a file; no signature is checked. Raises Unreadable."""
        if len(data) > MAX_FILE_BYTES:
            raise Unreadable.with_message(
                "the file has more than {limit} bytes", limit=MAX_FILE_BYTES
            )
        value = decode(data.removesuffix(b"\n"))
        if not isinstance(value, dict) or value.get("format") != FORMAT:
            raise Unreadable.with_message("the file is not in the format {format}", format=FORMAT)
        lists = [value.get(name) for name in ("keys", "heads", "events", "checkpoints")]
        is_valid = (
            value.keys() == _FIELDS
            and isinstance(value["server"], str)
            and all(isinstance(items, list) for items in lists)
            and all(map(_is_key, value["keys"]))
            and all(map(_is_head, value["heads"]))
            and all(map(is_object, value["events"]))
            and all(isinstance(note, str) for note in value["checkpoints"])
            and (value["consistency"] is None or _is_consistency(value["consistency"]))
        )
        if not is_valid or len(value["heads"]) > _MOST_HEADS:
            raise Unreadable.with_message("the file does not have the fields of its format")
        return cls(*(value[name] for name in cls.__slots__))

    def public_keys(self) -> dict[str, str]:
        """Return the public keys in hex, by id. Keys that do not match their stated id are left out."""
        return {
            entry["key"]: entry["public"]
            for entry in self.keys
            if key_id(unhex(entry["public"])) == entry["key"]
        }


@dataclass(frozen=True, slots=True)
class SignedHead:
    """A head with a valid signature of the key `public`, and all hashes that it covers, by seq."""

    game: str
    seq: int
    shown_at: str
    public: str
    hashes: dict[int, str]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two heads of one game that no honest server would sign. `seq` is the event about which they differ."""

    kind: Kind
    first: SignedHead
    second: SignedHead
    seq: int
    is_trusted: bool

    @property
    def message(self) -> Message:
        """The proof by the two heads, in a sentence."""
        if self.kind == "taken_back":
            return message(
                "Proof against the holder of key {key}, who took back events of game {game}: what was signed"
                " on {before} has event {seq}, and what was signed on {after} ends with event {last}.",
                key=key_id(unhex(self.second.public)),
                game=self.first.game,
                before=Instant(self.first.shown_at, is_exact=True),
                seq=self.first.seq,
                after=Instant(self.second.shown_at, is_exact=True),
                last=self.second.seq,
            )
        return message(
            "Proof against the holder of key {key}, who signed two histories of game {game}: in one, event"
            " {seq} has the hash {first}…, and in the other {second}…. No single history has both.",
            key=key_id(unhex(self.second.public)),
            game=self.first.game,
            seq=self.seq,
            first=self.first.hashes[self.seq][:12],
            second=self.second.hashes[self.seq][:12],
        )

    def as_json(self) -> JsonObject:
        """Return the contradiction as a JSON object."""
        return {
            "kind": self.kind,
            "game": self.first.game,
            "seq": self.seq,
            "against": sorted({self.first.public, self.second.public}),
            "trusted": self.is_trusted,
        }


@dataclass(frozen=True, slots=True)
class HeadComparison:
    """The contradictions among heads, and the numbers of pairs that agree and that cannot be compared.

    `invalid` counts the heads that are not signed by a key of their file.
    """

    contradictions: Sequence[Contradiction]
    compared: int
    undecided: int
    invalid: int


def compare_heads(files: Sequence[WitnessFile], trusted: Collection[str] = ()) -> HeadComparison:
    """Compare the signed heads in files. `trusted` are public keys, in hex, that the reader knows."""
    heads = [head for file in files for head in _signed_heads(file)]
    contradictions: list[Contradiction] = []
    compared = undecided = 0
    for first, second in combinations(heads, 2):
        is_one_server = first.public == second.public or {first.public, second.public} <= {*trusted}
        if first.game != second.game or not is_one_server:
            undecided += first.game == second.game
            continue
        earlier, later = sorted((first, second), key=lambda head: head.shown_at)
        is_trusted = {first.public, second.public} <= {*trusted}
        common = earlier.hashes.keys() & later.hashes.keys()
        different = [seq for seq in common if earlier.hashes[seq] != later.hashes[seq]]
        if different:
            contradictions.append(
                Contradiction("two_histories", earlier, later, min(different), is_trusted)
            )
        elif later.seq < earlier.seq and _is_clearly_before(earlier.shown_at, later.shown_at):
            contradictions.append(
                Contradiction("taken_back", earlier, later, earlier.seq, is_trusted)
            )
        elif common:
            compared += 1
        else:
            undecided += 1
    invalid = sum(len(file.heads) for file in files) - len(heads)
    return HeadComparison(contradictions, compared, undecided, invalid)


def _signed_heads(file: WitnessFile) -> Iterator[SignedHead]:
    public_keys = file.public_keys()
    chain = _chain(file.events)
    for head in file.heads:
        try:
            check_signed(head, file.keys)
        except BadSignature:
            continue
        game, seq, hash = head["game"], head["seq"], head["hash"]
        is_end = chain.get(seq) == hash and file.events[-1].get("game") == game
        hashes = chain if is_end and file.events[-1]["seq"] == seq else {seq: hash}
        yield SignedHead(game, seq, head["shown_at"], public_keys[head["key"]], hashes)


def _chain(events: Sequence[Event]) -> dict[int, str]:
    """Return the hashes, by seq, of events and the one before them; {} without an unbroken chain."""
    hashes: dict[int, str] = {}
    for event in events:
        seq, prev, stated = event.get("seq"), event.get("prev"), event.get("hash")
        if not is_positive(seq) or not is_hash(prev) or entry_hash(event) != stated:
            return {}
        if hashes and (hashes.get(seq - 1) != prev or event.get("game") != events[0].get("game")):
            return {}
        hashes |= {seq - 1: prev, seq: stated}
    return hashes


def _is_clearly_before(one: str, other: str) -> bool:
    return datetime.fromisoformat(other) - datetime.fromisoformat(one) > CLOCK_TOLERANCE


def _is_key(value: Any) -> bool:
    return isinstance(value, dict) and is_word(value.get("key")) and is_hash(value.get("public"))


def _is_head(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == _HEAD_FIELDS.keys()
        and all(is_valid(value[name]) for name, is_valid in _HEAD_FIELDS.items())
    )


def _is_consistency(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"from", "to", "root", "path"}
        and is_positive(value["from"])
        and is_positive(value["to"])
        and isinstance(value["path"], list)
        and all(map(is_hash, [value["root"], *value["path"]]))
    )
