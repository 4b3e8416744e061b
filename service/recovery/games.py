"""Finds and removes lost events of games, after damage to the stored data.

Every event contains the hash of the event before it. The events after a lost or changed one therefore depend
on it, and are lost with it; earlier events, and those of other games, are not. An append writes an event and
its secrets in one step, so an event with a changed or lost secret is lost as well.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import orjson
import redis

from domain.contract import STATEMENT
from domain.errors import Unreadable
from domain.event import ZEROS
from ledger.pending import commitment, hash_in
from service.conditional_actions.store import CONDITIONAL, CONDITIONAL_VOID
from service.connection import to_text, unavailable_on_error
from service.notifications.deliveries import DUE, PREFIX
from service.store.redis_event_store import ARCHIVED, DAMAGED, RECEIPTS, RedisEventStore, game_key

_PAGE: Final = 500
_MOST_LOST: Final = 100_000
"""The most events after the last sound one for which a seq is plausible. A larger seq is itself damaged."""


@dataclass(frozen=True, slots=True)
class LostEvents:
    """The events that a game has lost: all after event `kept`.

    `seqs` are the lost events of which there was still a trace.
    """

    game: str
    kept: int
    seqs: tuple[int, ...]


def find_lost_events(
    client: redis.Redis, store: RedisEventStore, traces: Iterable[tuple[str, int]]
) -> list[LostEvents]:
    """Check the logs of all games, and return their lost events, by game.

    `traces` are events (id of the game, seq) that are known to have existed. Raises Unavailable.
    """
    traces_of: dict[str, set[int]] = {}
    for game, seq in (*traces, *_traces_of_lost_logs(client)):
        traces_of.setdefault(game, set()).add(seq)
    losses = (
        find_lost_events_of(client, store, game, traces_of.get(game, ()))
        for game in sorted({*store.game_ids(), *traces_of})
    )
    return [lost for lost in losses if lost is not None]


def find_lost_events_of(
    client: redis.Redis, store: RedisEventStore, game: str, traces: Iterable[int] = ()
) -> LostEvents | None:
    """Check the log of a game, and return its losses; None if it is sound. Raises Unavailable.

    `traces` are the seqs of events that are known to have existed. A game whose log is in the archive has
    lost nothing.
    """
    with unavailable_on_error():
        if client.exists(game_key(game, ARCHIVED)):
            return None
    kept, stored = _last_sound(client, store, game)
    seqs = {seq for seq in (*traces, *stored) if kept < seq <= kept + _MOST_LOST}
    if stored:
        seqs.add(kept + 1)
    return LostEvents(game, kept, tuple(range(kept + 1, max(seqs) + 1))) if seqs else None


def remove_lost_events(client: redis.Redis, lost: LostEvents) -> None:
    """Remove the events of a game after the last one that is kept, and all data that was stored with them.

    The command `reindex` adds the missing entries of the outbox. Raises Unavailable.
    """
    game, kept = lost.game, lost.kept
    with unavailable_on_error():
        _remove_deliveries(client, game, kept)
        if not kept:
            for key in client.scan_iter(game_key(_escaped(game), "*"), count=_PAGE):
                client.delete(key)
            return
        shorten_log(client, game, kept)
        client.delete(*(game_key(game, it) for it in (CONDITIONAL, CONDITIONAL_VOID, DAMAGED)))
        client.persist(game_key(game, "answers"))
        for part, is_lost in (
            ("secrets", lambda name, _: name != "seed" and _seq(name.partition("/")[0]) > kept),
            ("receipts", lambda name, _: _seq(name) > kept),
            ("answers", lambda _, value: _seq(value.rpartition(" ")[2]) > kept),
            ("notes", lambda name, value: not _is_of_kept_event(name, value, kept)),
        ):
            key = game_key(game, part)
            pairs = [(to_text(n), to_text(v)) for n, v in client.hscan_iter(key, count=_PAGE)]
            names = [name for name, value in pairs if is_lost(name, value)]
            if names:
                client.hdel(key, *names)


def find_lost_seeds(client: redis.Redis, store: RedisEventStore) -> tuple[str, ...]:
    """Return the ids of the unfinished games whose secret is lost. Raises Unavailable.

    Their logs are complete, but only the secret proves that their chance was drawn as promised.
    """
    return tuple(
        sorted(
            game
            for game in store.game_ids()
            if "seed" not in store.secrets(game, {"seed"}) and not _has_opened_seed(store, game)
        )
    )


def _has_opened_seed(store: RedisEventStore, game: str) -> bool:
    try:
        event: Any = orjson.loads(store.read(game, store.head(game) - 1)[0])
        return "secret" in event["data"]
    except (ValueError, KeyError, TypeError, IndexError, Unreadable):
        return False


def _traces_of_lost_logs(client: redis.Redis) -> Iterator[tuple[str, int]]:
    """Yield the last event with a receipt, or else the first event, of each game without a log."""
    prefix, suffix = game_key("\0", "secrets").split("\0")
    with unavailable_on_error():
        for key in map(to_text, client.scan_iter(f"{prefix}*{suffix}", count=_PAGE)):
            game = key.removeprefix(prefix).removesuffix(suffix)
            if not client.exists(game_key(game, "log")):
                names: Any = client.hkeys(game_key(game, RECEIPTS))
                seqs = [int(name) for name in map(to_text, names) if name.isdecimal()]
                yield game, max(seqs, default=1)


def shorten_log(client: redis.Redis, game: str, kept: int) -> None:
    """Make the log of a game end with event `kept`, so that the next event can be appended after it.

    The entries up to it are written to a new stream, which replaces the log: an engine may refuse to decrease
    the last id of a stream after entries were deleted (XSETID). Raises Unavailable.
    """
    log, new = game_key(game, "log"), game_key(game, "log/new")
    with unavailable_on_error(), client.pipeline() as pipeline:
        pipeline.delete(new)
        for id, fields in islice(_entries(client, game, 0), kept):
            pipeline.xadd(new, fields, id=id)
        pipeline.rename(new, log)
        pipeline.execute()


def _remove_deliveries(client: redis.Redis, game: str, kept: int) -> None:
    """Remove the deliveries about lost events, so that new events with their seqs get deliveries."""
    index = f"{PREFIX}of-game:{game}"
    ids: Any = client.zrangebyscore(index, f"({kept}", "+inf")
    for id in map(to_text, ids):
        client.delete(f"{PREFIX}record:{id}")
        client.zrem(DUE, id)
        client.zrem(index, id)


def _last_sound(client: redis.Redis, store: RedisEventStore, game: str) -> tuple[int, set[int]]:
    """Return the seq of the last event up to which a log is sound, and the seqs of entries after it."""
    kept, prev = 0, ZEROS
    later: set[int] = set()
    for id, fields in _entries(client, game, 0):
        seq = _seq(to_text(id).partition("-")[0])
        if not later:
            hash = _hash_if_sound(store, game, kept + 1, prev, fields.get(b"e", b""))
            if hash is not None and to_text(id) == f"{kept + 1}-0":
                kept, prev = kept + 1, hash
                continue
        later.add(seq)
    return kept, later


def _hash_if_sound(
    store: RedisEventStore, game: str, seq: int, prev: str, line: bytes
) -> str | None:
    """Return the hash of an event if it is the expected one, with sound secrets; else None."""
    try:
        event: Any = orjson.loads(line)
        if (event["game"], event["seq"], event["prev"]) != (game, seq, prev):
            return None
        if hash_in(line, event["hash"]) != event["hash"]:
            return None
        commitments = {f"{seq}/{name}": value for name, value in event.get("secrets", {}).items()}
        stored = store.secrets(game, commitments) if commitments else {}
        is_sound = all(
            # The statement of a dispute may have been erased.
            commitment(orjson.loads(stored[name])) == value
            for name, value in commitments.items()
            if name in stored or not name.endswith(f"/{STATEMENT}")
        )
    except (ValueError, KeyError, TypeError, AttributeError, Unreadable):
        return None
    return event["hash"] if is_sound else None


def _entries(client: redis.Redis, game: str, after: int) -> Iterator[tuple[bytes, Any]]:
    """Iterate over the entries of a log after event `after`: the id and the fields of each."""
    start = f"{after + 1}-0"
    while True:
        with unavailable_on_error():
            page: Any = client.xrange(game_key(game, "log"), start, count=_PAGE)
        yield from page
        if len(page) < _PAGE:
            return
        start = f"({to_text(page[-1][0])}"


def _is_of_kept_event(name: str, value: str, kept: int) -> bool:
    """Return whether an entry of the outbox is a notification about an event that is kept."""
    try:
        seq = orjson.loads(value)["seq"]
    except (ValueError, KeyError, TypeError):
        return False
    return name.startswith("notify/") and isinstance(seq, int) and seq <= kept


def _seq(text: str) -> int:
    """Return the seq in a text; if the text is not a number, one that no event has."""
    return int(text) if text.isascii() and text.isdigit() else 1 << 63


def _escaped(game: str) -> str:
    """Return an id escaped for use in a pattern of Redis."""
    return "".join(f"\\{character}" if character in "*?[]\\" else character for character in game)
