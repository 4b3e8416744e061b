"""Imports a game from its record, after verifying the record.

A record can create a game that is missing, or continue a game that is a prefix of it. It never changes a
stored event. Secrets that only the server knew, such as the hidden tiles of a game in progress, are not in a
record; a game that needs them cannot be imported.
"""

from dataclasses import dataclass
from io import BytesIO
from typing import Final

import orjson

from domain.contract import STATEMENT
from domain.errors import CartularyError
from domain.fold import fold
from ledger.record import Record, read
from replay.audit.runner import audit
from service.bootstrap import Service
from service.games.outbox import rebuild_outbox
from service.store.event_store import AppendRequest, HeadMoved
from service.transparency.store import TransparencyStore

MAX_SECRETS: Final = 3_000
"""The most secrets of one append: Redis limits the number of arguments of a command in a script."""


class ImportRefused(CartularyError):
    """A record cannot be imported."""


@dataclass(frozen=True, slots=True)
class Imported:
    """The imported events `first` to `last` of a game; none if `last` is less than `first`."""

    game: str
    first: int
    last: int


def import_record(
    service: Service, data: bytes, keys: list[str] | None = None, *, is_incomplete: bool = False
) -> Imported:
    """Store the events of a record that the store does not have, and return their range.

    One of `keys` (public keys in hex; None: the keys of the service) must have signed the record.
    With `is_incomplete`, a record that ends before the last event in the transparency log is accepted. Raises
    ImportRefused, Unreadable (not a record) and Unavailable. This may run while games are played.
    """
    record = read(BytesIO(data))
    published = [entry["public"] for entry in service.keyring.public_keys()]
    report = audit(BytesIO(data), keys=published if keys is None else keys)
    if report.first is not None:
        raise ImportRefused.with_message(
            "the record is broken: {problem}", problem=report.first.located_problem
        )
    stored = service.store.read(record.game)
    count = len(stored)
    if stored != record.lines[:count]:
        raise ImportRefused.with_message(
            "the stored game {game} has other or more events than the record", game=record.game
        )
    result = Imported(record.game, count + 1, len(record.lines))
    if result.last < result.first:
        return result
    _check_transparency_log(service, record, is_incomplete=is_incomplete)
    request = _request(service, record, count)
    service.store.mark_active(record.game)
    if any(STATEMENT in event.get("secrets", {}) for event in record.events):
        service.store.mark_statements(record.game)
    try:
        service.store.append(record.game, count, request)
    except HeadMoved:
        raise ImportRefused.with_message(
            "the game {game} has changed in the meantime", game=record.game
        ) from None
    service.games.repository.update_listings(record.game)
    return result


def _request(service: Service, record: Record, count: int) -> AppendRequest:
    """Return the append that stores the events after the first `count`. Raises ImportRefused."""
    game = fold(record.events, None, record.opened_values())
    assert game is not None, "a record has events"
    receipts = {receipt["seq"]: receipt for receipt in record.receipts if receipt["seq"] > count}
    return AppendRequest(
        events=tuple(record.lines[count:]),
        secrets=_secrets(service, record, count),
        outbox={**rebuild_outbox(game), "index": f'{{"seq":{game.seq}}}'},
        ends_game=record.has_ended,
        prev_hash=record.events[count - 1]["hash"] if count else None,
        receipts=receipts,
    )


def _secrets(service: Service, record: Record, count: int) -> dict[str, str]:
    """Return the secrets of the events after the first `count`. Raises ImportRefused if one is missing."""
    secrets = {
        f"{seq}/{name}": orjson.dumps(opening).decode()
        for seq, openings in record.openings.items()
        for name, opening in openings.items()
        if seq > count
    }
    needed = {
        f"{event['seq']}/{name}"
        for event in record.events[count:]
        for name in event.get("secrets", {})
        if name != STATEMENT
    }
    if not count:
        needed.add("seed")
        if record.has_ended and "secret" in (last := record.events[-1]["data"]):
            secrets["seed"] = last["secret"]
    if needed - secrets.keys():
        raise ImportRefused.with_message(
            "the record does not contain the secrets of the game, which only the server knew: the game"
            " could not be played on"
        )
    if len(secrets) > MAX_SECRETS:
        raise ImportRefused.with_message(
            "the record has more than {most} secrets", most=MAX_SECRETS
        )
    return secrets


def _check_transparency_log(service: Service, record: Record, *, is_incomplete: bool) -> None:
    """Raise ImportRefused if the record contradicts the head of the game in the transparency log."""
    _, heads = TransparencyStore(service.redis).state([record.game])
    head = heads[record.game]
    if head is None:
        return
    if head.seq > len(record.events):
        if is_incomplete:
            return
        raise ImportRefused.with_message(
            "the transparency log contains event {seq} of the game, and the record ends with event"
            " {last}: play would go on differently from what was published. Find a later record, or"
            " pass --incomplete",
            seq=head.seq,
            last=len(record.events),
        )
    if record.events[head.seq - 1]["hash"] != head.hash:
        raise ImportRefused.with_message(
            "the transparency log contains another event {seq} of the game than the record",
            seq=head.seq,
        )
