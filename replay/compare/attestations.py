"""The signatures about the history of a game: the heads of records, receipts, and players' actions.

A valid signature of an event's hash covers all events up to it, because each event contains the hash of the
one before. The owner of the key, and whether they can be trusted, is not decided here.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from domain.event import ActionSignature, Event
from domain.json_types import JsonObject
from domain.messages import Instant, Text, message
from ledger.envelope import is_hash, is_positive, is_timestamp
from ledger.keys import BadSignature, check_head, check_signed, id_of_public
from ledger.player_signatures import check_event
from replay.compare.histories import SIDES, History, Side
from replay.language.renderer import Renderer

Kind: TypeAlias = Literal["head", "receipt", "action"]
NumberedReceipt: TypeAlias = tuple[int, JsonObject]
"""A receipt, with the number of its line."""
Progress: TypeAlias = Callable[[Iterable[NumberedReceipt], int], Iterable[NumberedReceipt]]
"""Iterates over receipts, given their number, and can show the progress."""

_MOST_CHARACTERS: Final = 64
"""The most characters of an id that a fault quotes."""


def no_progress(receipts: Iterable[NumberedReceipt], _total: int) -> Iterable[NumberedReceipt]:
    """Iterate without showing the progress."""
    return receipts


@dataclass(frozen=True, slots=True)
class Attestation:
    """A signature that is valid, or the reason why it does not count (`fault`, else None).

    A head or a receipt states the hash of event `seq`. The signature of an action states the hash of the
    event that the player saw last, `seq` (None if neither record has it), and `action_seq` is the event that
    the action became. `public` is the signer's public key in hex; `player` is the player whose key it is.
    """

    side: Side
    kind: Kind
    line: int | None
    key: str
    public: str
    seq: int | None
    hash: str
    fault: Text | None = None
    player: str | None = None
    action_seq: int | None = None

    def as_json(self, renderer: Renderer) -> JsonObject:
        """Return all fields as a JSON object."""
        return {
            "record": self.side,
            "kind": self.kind,
            "line": self.line,
            "key": self.key,
            "public": self.public or None,
            "seq": self.seq,
            "hash": self.hash,
            "valid": not self.fault,
            "fault": None if self.fault is None else renderer(self.fault),
            "player": self.player,
            "action_seq": self.action_seq,
        }


def attestations(
    a: History, b: History, trusted: Collection[str] = (), progress: Progress = no_progress
) -> list[Attestation]:
    """Return the attestations in both records, in the order of the files.

    The keys are those that the records list, and the public keys (hex) that the reader knows.
    """
    keys = listed_keys(a, b)
    listed = {entry["public"] for entry in keys}
    keys += [
        {"key": id_of_public(public), "public": public, "from": "", "until": None}
        for public in sorted(trusted)
        if public not in listed
    ]
    return [
        attestation
        for side, history, other in zip(SIDES, (a, b), (b, a), strict=True)
        for attestation in (
            *_head(side, history, other, keys),
            *_actions(side, history, other),
            *_receipts(side, history, history.game or other.game, keys, progress),
        )
    ]


def acknowledged_keys(history: History, head: Attestation) -> frozenset[str]:
    """Return the public keys that the signer of a record's header lists there as its server's own."""
    if head.fault:
        return frozenset()
    listed = (entry["public"] for entry in history.record.header["keys"])
    return frozenset({head.public, *listed})


def listed_keys(a: History, b: History) -> list[JsonObject]:
    """Return the entries of all keys that the headers list, without repetitions, with the earliest
    retirement.

    Entries whose id is not that of their public key are left out.
    """
    entries: dict[str, JsonObject] = {}
    for history in (a, b):
        for entry in history.record.header.get("keys", ()):
            if id_of_public(entry["public"]) != entry["key"]:
                continue
            first = entries.setdefault(entry["key"], entry)
            untils = [until for until in (first["until"], entry["until"]) if until is not None]
            since = min(first["from"], entry["from"])
            entries[entry["key"]] = {**first, "from": since, "until": min(untils, default=None)}
    return list(entries.values())


def _head(
    side: Side, history: History, other: History, keys: Sequence[JsonObject]
) -> Iterator[Attestation]:
    """Return the head in a record's header, which need not be that of the record's events."""
    header = history.record.header
    if not header:
        return
    head = header["head"]
    entry = _entry(head["key"], keys)
    fault = _fault(lambda: check_head(header, keys))
    if not fault and header["game"] != history.game:
        fault = message("it is the head of another game, {game}", game=header["game"])
    if not fault and (event := _event(head["seq"], head["hash"], history, other)) is not None:
        fault = _retirement_fault(entry, event["at"])
    yield Attestation(
        side, "head", 1, head["key"], entry["public"], head["seq"], head["hash"], fault
    )


def _receipts(
    side: Side, history: History, game: str | None, keys: Sequence[JsonObject], progress: Progress
) -> Iterator[Attestation]:
    record = history.record
    receipts = [*zip(record.receipt_lines, record.receipts, strict=True)]
    for line, receipt in progress(receipts, len(receipts)):
        yield receipt_attestation(side, line, receipt, game, keys)


def receipt_attestation(
    side: Side, line: int | None, receipt: JsonObject, game: str | None, keys: Sequence[JsonObject]
) -> Attestation:
    """Return a receipt, or a head that was shown, as an attestation about a game.

    It has a fault if it is not valid.
    """
    entry = _entry(receipt.get("key"), keys)
    seq, at = receipt.get("seq"), receipt.get("at", receipt.get("shown_at"))
    fault = _fault(lambda: check_signed(receipt, keys))
    if not fault and receipt.get("game") != game:
        game_text = str(receipt.get("game"))[:_MOST_CHARACTERS]
        fault = message("it is a receipt for another game, {game}", game=game_text)
    if not fault and not (is_positive(seq) and is_timestamp(at) and is_hash(receipt.get("hash"))):
        fault = message("it is not a receipt for an event")
    if not fault:
        fault = _retirement_fault(entry, str(at))
        if not fault and str(at) < entry["from"]:
            fault = message(
                "its key is only valid from {since} on", since=Instant(entry["from"], is_exact=True)
            )
    return Attestation(
        side,
        "receipt",
        line,
        str(receipt.get("key")),
        entry["public"],
        seq if is_positive(seq) else None,
        str(receipt.get("hash")),
        fault,
    )


def _actions(side: Side, history: History, other: History) -> Iterator[Attestation]:
    """Return the players' signatures in the intact events of a history, by keys that it added before."""
    keys: dict[str, tuple[str, str]] = {}
    for event in history.events[: history.intact]:
        data = event["data"]
        if event["type"] == "PlayerKeyAdded":
            keys[str(data.get("key"))] = (str(data.get("public")), str(data.get("player")))
        elif event["type"] == "PlayerKeyRevoked":
            keys.pop(str(data.get("key")), None)
        if "signature" in event:
            yield _action(side, event, event["signature"], keys, (history, other))


def _action(
    side: Side,
    event: Event,
    signature: ActionSignature,
    keys: Mapping[str, tuple[str, str]],
    histories: Sequence[History],
) -> Attestation:
    key, head = signature["key"], signature["head"]
    public, player = keys.get(key, ("", None))
    if public:
        fault = _fault(lambda: check_event(event, signature, public))
    else:
        fault = message("no event before it adds its key")
    seqs = (_seq_of(history, head) for history in histories)
    seq = next((seq for seq in seqs if seq is not None), None)
    return Attestation(
        side, "action", event["seq"] + 1, key, public, seq, head, fault, player, event["seq"]
    )


def _seq_of(history: History, hash: str) -> int | None:
    intact = history.events[: history.intact]
    return next((event["seq"] for event in intact if event["hash"] == hash), None)


def _event(seq: int, hash: str, *histories: History) -> Event | None:
    return next((h.events[seq - 1] for h in histories if h.contains(seq, hash)), None)


def _entry(key: object, keys: Sequence[JsonObject]) -> JsonObject:
    unlisted = {"public": "", "from": "", "until": None}
    return next((entry for entry in keys if entry["key"] == key), unlisted)


def _retirement_fault(entry: JsonObject, at: str) -> Text | None:
    if entry["until"] is None or at <= entry["until"]:
        return None
    return message(
        "its key was retired on {until}, and the event is of {time}",
        until=Instant(entry["until"], is_exact=True),
        time=Instant(at, is_exact=True),
    )


def _fault(check: Callable[[], None]) -> Text | None:
    try:
        check()
    except BadSignature as bad:
        return bad.message
    except ValueError:
        return message("it contains something that is not lowercase hex")
    return None
