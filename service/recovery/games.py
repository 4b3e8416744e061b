"""Finding and removing what the log of a game has lost, after damage to the stored data.

Every event contains the hash of the event before it. So the events after a lost or changed one depend on it,
and are lost with it; those before it, and all events of other games, are not. An append writes an event and
its secrets in one step, so an event with a changed secret is lost as well.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import orjson
import redis

from domain.errors import Unreadable
from domain.event import ZEROS
from ledger.pending import commitment, hash_in
from service.conditional_actions.store import CONDITIONAL, CONDITIONAL_VOID
from service.connection import to_text, unavailable_on_error
from service.notifications.deliveries import DUE, PREFIX
from service.store.redis_event_store import ARCHIVED, RedisEventStore, game_key

_PAGE: Final = 500


@dataclass(frozen=True, slots=True)
class LostEvents:
    """The events that a game has lost: all after event `kept`.

    `seqs` are those of which there was still a trace.
    """

    game: str
    kept: int
    seqs: tuple[int, ...]


def find_lost_events(
    client: redis.Redis, store: RedisEventStore, damaged: Iterable[tuple[str, int]]
) -> list[LostEvents]:
    """Check the logs of all games, and return what is lost, by game.

    `damaged` are events (id of the game, seq) that were recognized among damaged writes. Raises Unavailable.
    """
    in_damage: dict[str, set[int]] = {}
    for game, seq in damaged:
        in_damage.setdefault(game, set()).add(seq)
    lost = []
    for game in sorted({*store.game_ids(), *in_damage}):
        with unavailable_on_error():
            if client.exists(game_key(game, ARCHIVED)):
                # Its log is in the archive, whatever writes of it were damaged before.
                continue
        kept, stored = _last_sound(client, store, game)
        seqs = {seq for seq in in_damage.get(game, ()) if seq > kept} | stored
        if seqs:
            lost.append(LostEvents(game, kept, tuple(range(kept + 1, max(seqs) + 1))))
    return lost


def remove_lost_events(client: redis.Redis, lost: LostEvents) -> None:
    """Remove the events of a game after the last one that is kept, and all that was stored with them.

    What the outbox has to contain, the command `reindex` adds. Raises Unavailable.
    """
    game, kept = lost.game, lost.kept
    with unavailable_on_error():
        _remove_deliveries(client, game, kept)
        if not kept:
            for key in client.scan_iter(game_key(_escaped(game), "*"), count=_PAGE):
                client.delete(key)
            return
        log = game_key(game, "log")
        ids = [id for id, _ in _entries(client, game, kept)]
        for start in range(0, len(ids), _PAGE):
            client.xdel(log, *ids[start : start + _PAGE])
        client.execute_command("XSETID", log, f"{kept}-0")  # type: ignore[no-untyped-call]  # redis-py has no method for it
        client.delete(game_key(game, CONDITIONAL), game_key(game, CONDITIONAL_VOID))
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


def _remove_deliveries(client: redis.Redis, game: str, kept: int) -> None:
    """Remove the deliveries about lost events, so that those about the events in their place are created."""
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
    """Return the hash of an event if it is the one that belongs here, with sound secrets; else None."""
    try:
        event: Any = orjson.loads(line)
        if (event["game"], event["seq"], event["prev"]) != (game, seq, prev):
            return None
        if hash_in(line, event["hash"]) != event["hash"]:
            return None
        commitments = {f"{seq}/{name}": value for name, value in event.get("secrets", {}).items()}
        stored = store.secrets(game, commitments) if commitments else {}
        # The statement of a dispute may have been erased.
        is_sound = all(
            commitment(orjson.loads(opening)) == commitments[name]
            for name, opening in stored.items()
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
    """Return the number in a text; that of no event if it is none."""
    return int(text) if text.isascii() and text.isdigit() else 1 << 63


def _escaped(game: str) -> str:
    """Return an id so that a pattern of Redis matches nothing else."""
    return "".join(f"\\{character}" if character in "*?[]\\" else character for character in game)
