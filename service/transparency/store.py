"""The transparency log in Redis. All keys have one hash tag, so that a script may use several of them.

    cartulary:{transparency}:size         number of leaves
    cartulary:{transparency}:nodes:L:C    string, the hashes of the nodes of level L from C * CHUNK_NODES on
    cartulary:{transparency}:heads        hash, the last logged head of each game: `GAME` -> `SEQ HASH INDEX`
    cartulary:{transparency}:entries:C    hash, the entries of the leaves from C * CHUNK_ENTRIES on:
                                          `INDEX` -> `GAME FIRST LAST`; "" for a leaf whose event is lost
    cartulary:{transparency}:origin       the origin, unless CARTULARY_ORIGIN is set
    cartulary:{transparency}:epochs       list of signed declarations of new epochs (`EpochDeclaration`)
    cartulary:{transparency}:checkpoints  hash, the last published checkpoints: size -> note
    cartulary:{transparency}:latest       size of the latest checkpoint
    cartulary:{transparency}:cosigned     size of the latest checkpoint with a cosignature
    cartulary:{transparency}:fresh        exists while the latest checkpoint is new

Only nodes with complete subtrees are stored (ledger/transparency/merkle.py); they never change. A node takes
32 bytes, and a tree has twice as many nodes as leaves.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import redis

from domain.errors import Unreadable
from ledger.transparency.checkpoint import head_leaf_hash
from ledger.transparency.merkle import HASH_BYTES, MemoryTree, Node, new_nodes
from ledger.transparency.signed_note import SignedNote
from service.connection import read_field, text_or_none, to_text, unavailable_on_error
from service.errors import Unavailable

CHUNK_NODES: Final = 65_536
CHUNK_ENTRIES: Final = 128
"""The number of entries in one hash: as many as Redis stores compactly."""
KEPT_CHECKPOINTS: Final = 256
"""The number of published checkpoints that are kept, so that witnesses have time to cosign them."""
_PREFIX: Final = "cartulary:{transparency}:"
_PUBLISHED: Final = ("latest", "checkpoints", "cosigned", "fresh")
"""The keys with the checkpoints of the current epoch."""


@dataclass(frozen=True, slots=True)
class LoggedHead:
    """The last head of a game that is in the log: seq and hash of an event, and the index of the leaf."""

    seq: int
    hash: str
    index: int

    @classmethod
    def parse(cls, text: str) -> "LoggedHead":
        """Return the head in a stored text. Raises Unreadable."""
        try:
            seq, hash, index = text.split(" ")
            return cls(int(seq), hash, int(index))
        except ValueError:
            raise Unreadable.with_message(
                "a logged head of the transparency log is damaged"
            ) from None

    def encode(self) -> str:
        """Return the head as text, for storage."""
        return f"{self.seq} {self.hash} {self.index}"


@dataclass(frozen=True, slots=True)
class LogEntry:
    """The entry of a leaf: a game after its events `first` to `last`, which no earlier leaf covers.

    `first` is 1 if the game had a later head before, which was lost.
    """

    game: str
    first: int
    last: int

    @classmethod
    def parse(cls, text: str) -> "LogEntry | None":
        """Return the entry in a stored text; None for a lost event. Raises Unreadable."""
        if not text:
            return None
        try:
            game, first, last = text.split(" ")
            return cls(game, int(first), int(last))
        except ValueError:
            raise Unreadable.with_message("an entry of the transparency log is damaged") from None

    @classmethod
    def of_head(cls, game: str, before: LoggedHead | None, after: LoggedHead) -> "LogEntry":
        """Return the entry for a new head of a game whose last logged head is `before`."""
        is_later = before is not None and before.seq < after.seq
        return cls(game, before.seq + 1 if before is not None and is_later else 1, after.seq)

    def encode(self) -> str:
        """Return the entry as text, for storage."""
        return f"{self.game} {self.first} {self.last}"


class EntriesMissing(Unavailable):
    """The entry of a leaf of the log is not stored, because an earlier version logged it."""


class TransparencyStore:
    """Reads and writes the log; implements `ledger.transparency.merkle.NodeReader`. Thread-safe.

    Every method raises Unavailable if Redis does not respond, and Unreadable if the data is damaged.
    """

    heads_key: Final = _PREFIX + "heads"
    checkpoints_key: Final = _PREFIX + "checkpoints"

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        folder = Path(__file__).parent
        self._append = client.register_script((folder / "append.lua").read_text(encoding="utf-8"))
        self._publish = client.register_script((folder / "publish.lua").read_text(encoding="utf-8"))
        self._replace = client.register_script(_REPLACE_CHECKPOINT)

    def logged_events(self) -> Iterator[tuple[str, int]]:
        """Iterate over the last logged event of each game: the id of the game, and the seq.

        Entries that do not match their leaf are left out. Raises Unavailable.
        """
        with unavailable_on_error():
            for name, text in self._redis.hscan_iter(self.heads_key):
                game = to_text(name)
                with suppress(Unreadable):
                    head = LoggedHead.parse(to_text(text))
                    leaf = head_leaf_hash(game, head.seq, head.hash)
                    if self.leaf_hashes(head.index, 1) == [leaf]:
                        yield game, head.seq

    def size(self) -> int:
        """Return the number of leaves."""
        with unavailable_on_error():
            return _number(self._redis.get(_PREFIX + "size")) or 0

    def state(self, game_ids: Sequence[str]) -> tuple[int, dict[str, LoggedHead | None]]:
        """Return the number of leaves, and the last logged head of each game, in one round trip.

        Another process may change them in between; `append` then refuses an outdated change.
        """
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            pipeline.get(_PREFIX + "size")
            pipeline.hmget(_PREFIX + "heads", list(game_ids))
            size, heads = pipeline.execute()
        logged = {
            game_id: None if head is None else LoggedHead.parse(to_text(head))
            for game_id, head in zip(game_ids, heads, strict=True)
        }
        return _number(size) or 0, logged

    def append(
        self,
        size: int,
        nodes: Mapping[int, tuple[int, Sequence[bytes]]],
        heads: Mapping[str, tuple[LoggedHead | None, LoggedHead]],
    ) -> bool:
        """Append leaves to a tree of `size` leaves; return False, and change nothing, if it has another size.

        `nodes` are the new nodes (`ledger.transparency.merkle.new_nodes`). `heads` has the logged head and
        the new head by game id; nothing is changed either if another head is logged.
        """
        first_chunk = size // CHUNK_ENTRIES
        chunks = range(first_chunk, (size + len(heads) - 1) // CHUNK_ENTRIES + 1)
        keys = [_PREFIX + "size", _PREFIX + "heads", *map(_entries_key, chunks)]
        args: list[str | bytes | int] = [size, size + len(heads), len(heads), len(chunks)]
        for game_id, (before, after) in heads.items():
            args += (game_id, "" if before is None else before.encode(), after.encode())
            number = 3 + after.index // CHUNK_ENTRIES - first_chunk
            args += (number, after.index, LogEntry.of_head(game_id, before, after).encode())
        for level, (first, hashes) in nodes.items():
            data = b"".join(hashes)
            for index, chunk, offset, length in _chunk_parts(first, len(hashes)):
                keys.append(_chunk_key(level, chunk))
                begin = (index - first) * HASH_BYTES
                args += (offset * HASH_BYTES, data[begin : begin + length * HASH_BYTES])
        with unavailable_on_error():
            return bool(self._append(keys=keys, args=args))

    def entries(self, first: int, count: int) -> list[LogEntry | None]:
        """Return the entries of `count` existing leaves, from leaf `first` on; None for a lost event.

        Raises EntriesMissing if not all of them are stored.
        """
        chunks = range(first // CHUNK_ENTRIES, (first + count - 1) // CHUNK_ENTRIES + 1)
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for chunk in chunks:
                pipeline.hgetall(_entries_key(chunk))
            stored = {
                int(index): text for page in pipeline.execute() for index, text in page.items()
            }
        missing = [index for index in range(first, first + count) if index not in stored]
        if missing:
            raise EntriesMissing.with_message(
                "the events of entry {index} of the transparency log are not indexed yet: the operator of the"
                " server has to run `cartulary reindex`",
                index=missing[0],
            )
        return [LogEntry.parse(to_text(stored[index])) for index in range(first, first + count)]

    def missing_entries(self, first: int, count: int) -> list[int]:
        """Return the leaves, of these, whose entries are not stored."""
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for index in range(first, first + count):
                pipeline.hexists(_entries_key(index // CHUNK_ENTRIES), str(index))
            is_stored = pipeline.execute()
        return [index for index, found in enumerate(is_stored, first) if not found]

    def put_entries(self, entries: Mapping[int, LogEntry | None]) -> None:
        """Store the entries of leaves, by index; None for a lost event."""
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for index, entry in entries.items():
                text = "" if entry is None else entry.encode()
                pipeline.hset(_entries_key(index // CHUNK_ENTRIES), str(index), text)
            pipeline.execute()

    def read_nodes(self, nodes: Sequence[Node]) -> list[bytes]:
        """See `NodeReader.read_nodes`."""
        if not nodes:
            return []
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for level, index in nodes:
                chunk, offset = divmod(index, CHUNK_NODES)
                begin = offset * HASH_BYTES
                pipeline.getrange(_chunk_key(level, chunk), begin, begin + HASH_BYTES - 1)
            hashes: list[bytes] = pipeline.execute()
        if any(len(hash) != HASH_BYTES for hash in hashes):
            raise Unreadable.with_message("the transparency log has lost nodes of its tree")
        return hashes

    def leaf_hashes(self, first: int, count: int) -> list[bytes]:
        """Return the hashes of `count` existing leaves, from leaf `first` on."""
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for _, chunk, offset, length in _chunk_parts(first, count):
                begin = offset * HASH_BYTES
                pipeline.getrange(_chunk_key(0, chunk), begin, begin + length * HASH_BYTES - 1)
            data = b"".join(pipeline.execute())
        if len(data) != count * HASH_BYTES:
            raise Unreadable.with_message("the transparency log has lost leaves of its tree")
        return [data[at : at + HASH_BYTES] for at in range(0, len(data), HASH_BYTES)]

    def stored_levels(self) -> dict[int, bytes]:
        """Return the stored hashes of the nodes of each level, up to the first missing chunk."""
        levels: dict[int, bytes] = {}
        with unavailable_on_error():
            while True:
                chunks: list[Any] = []
                while data := self._redis.get(_chunk_key(len(levels), len(chunks))):
                    chunks.append(data)
                if not chunks:
                    return levels
                levels[len(levels)] = b"".join(chunks)

    def has_nodes_above(self, level: int) -> bool:
        """Return whether nodes of a higher level are stored. Raises Unavailable."""
        prefix = _PREFIX + "nodes:"
        with unavailable_on_error():
            names = [to_text(key) for key in self._redis.scan_iter(f"{prefix}*")]
        levels = [name.removeprefix(prefix).partition(":")[0] for name in names]
        return any(not text.isdecimal() or int(text) > level for text in levels)

    def replace_tree(self, leaf_hashes: Sequence[bytes]) -> None:
        """Replace the stored tree by that of these leaves. No other process may write.

        The entries of the leaves are not stored then (`recovery/transparency_log.py`).
        """
        with unavailable_on_error():
            for pattern in (_PREFIX + "nodes:*", _PREFIX + "entries:*"):
                for key in self._redis.scan_iter(pattern):
                    self._redis.delete(key)
            for level, (_, hashes) in new_nodes(MemoryTree(), 0, leaf_hashes).items():
                for first, chunk, _, length in _chunk_parts(0, len(hashes)):
                    self._redis.set(
                        _chunk_key(level, chunk), b"".join(hashes[first : first + length])
                    )
            self._redis.set(_PREFIX + "size", len(leaf_hashes))

    def origin(self) -> str | None:
        """Return the stored origin; None if there is none yet."""
        with unavailable_on_error():
            origin = self._redis.get(_PREFIX + "origin")
        return text_or_none(origin)

    def set_origin(self, origin: str) -> None:
        """Store the origin, unless there is one already."""
        with unavailable_on_error():
            self._redis.setnx(_PREFIX + "origin", origin)

    def latest_checkpoint(self) -> tuple[SignedNote | None, bool]:
        """Return the note of the latest published checkpoint, and whether it is still fresh."""
        with unavailable_on_error(), self._redis.pipeline(transaction=True) as pipeline:
            pipeline.get(_PREFIX + "latest")
            pipeline.exists(_PREFIX + "fresh")
            size, is_fresh = pipeline.execute()
        return self.checkpoint(_number(size)), bool(is_fresh)

    def cosigned_checkpoint(self) -> SignedNote | None:
        """Return the note of the latest checkpoint that has a cosignature."""
        with unavailable_on_error():
            size = _number(self._redis.get(_PREFIX + "cosigned"))
        return self.checkpoint(size)

    def checkpoint(self, size: int | None) -> SignedNote | None:
        """Return the note of the published checkpoint of this size; None if it is no longer kept."""
        if size is None:
            return None
        note = read_field(self._redis, _PREFIX + "checkpoints", str(size))
        return None if note is None else SignedNote.parse(note)

    def checkpoints(self) -> list[str]:
        """Return the notes of all checkpoints that are kept."""
        with unavailable_on_error():
            return [to_text(note) for note in self._redis.hvals(self.checkpoints_key)]

    def epochs(self) -> list[SignedNote]:
        """Return the declarations of new epochs, in order."""
        with unavailable_on_error():
            notes = self._redis.lrange(_PREFIX + "epochs", 0, -1)
        return [SignedNote.parse(to_text(note)) for note in notes]

    def add_epoch(self, note: str) -> None:
        """Add the declaration of a new epoch. The checkpoints of the old one are no longer published."""
        with unavailable_on_error(), self._redis.pipeline(transaction=True) as pipeline:
            pipeline.rpush(_PREFIX + "epochs", note)
            pipeline.delete(*(_PREFIX + part for part in _PUBLISHED))
            pipeline.execute()

    def publish(self, origin: str, size: int, note: str, fresh_seconds: float, epochs: int) -> bool:
        """Publish a checkpoint, unless one for a larger tree of this log has been published.

        Returns False if there are no longer exactly `epochs` declarations of new epochs: another process has
        begun one, so that this checkpoint belongs to a former epoch.
        """
        keys = [*(_PREFIX + part for part in _PUBLISHED), _PREFIX + "epochs"]
        args: list[str | int] = [
            origin,
            size,
            note,
            max(1, round(fresh_seconds * 1000)),
            KEPT_CHECKPOINTS,
            epochs,
        ]
        with unavailable_on_error():
            return bool(self._publish(keys=keys, args=args) != -1)

    def replace_checkpoint(self, size: int, before: str, after: str) -> bool:
        """Replace the note of a checkpoint by one with more cosignatures; return False if it has changed."""
        keys = [_PREFIX + "checkpoints", _PREFIX + "cosigned"]
        with unavailable_on_error():
            return bool(self._replace(keys=keys, args=[size, before, after]))


_REPLACE_CHECKPOINT: Final = """
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
local cosigned = tonumber(redis.call('GET', KEYS[2]) or '-1')
if cosigned < tonumber(ARGV[1]) then redis.call('SET', KEYS[2], ARGV[1]) end
return 1
"""


def _chunk_key(level: int, chunk: int) -> str:
    return f"{_PREFIX}nodes:{level}:{chunk}"


def _entries_key(chunk: int) -> str:
    return f"{_PREFIX}entries:{chunk}"


def _chunk_parts(first: int, count: int) -> Iterable[tuple[int, int, int, int]]:
    """Yield, for each chunk with nodes of a range, the first index, the chunk, its offset and the length."""
    index, end = first, first + count
    while index < end:
        chunk, offset = divmod(index, CHUNK_NODES)
        length = min(end - index, CHUNK_NODES - offset)
        yield index, chunk, offset, length
        index += length


def _number(value: bytes | str | None) -> int | None:
    """Return the number in a reply; None without one. Raises Unreadable."""
    if value is None:
        return None
    text = to_text(value)
    if not (text.isascii() and text.isdigit()):
        raise Unreadable.with_message("a number of the transparency log is damaged")
    return int(text)
