"""Damage to the stored log of a game: each kind, as a fault of the disk or an edit by hand causes it."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from service.bootstrap import Service
from service.store.redis_event_store import game_key

Damage: TypeAlias = Callable[[bytes], bytes | None]
"""Returns what becomes of a line; None if it is removed."""

MARK: Final = re.compile(rb"(?<![0-9a-f])302\d(?![0-9a-f])|\{broken|0{60}dead")
"""What only a damaged line contains."""


def change_digit(line: bytes) -> bytes:
    """Change a digit of the time."""
    return line.replace(b'"at":"2', b'"at":"3', 1)


def break_json(line: bytes) -> bytes:
    """Make the line unreadable."""
    return b"{broken" + line[7:]


def change_hash(line: bytes) -> bytes:
    """Change the hash."""
    return re.sub(rb'"hash":"\w{64}"', b'"hash":"%bdead"' % (b"0" * 60), line, count=1)


def remove(_line: bytes) -> None:
    """Remove the event."""


KINDS: Final[Mapping[str, Damage]] = {
    damage.__name__: damage for damage in (change_digit, break_json, change_hash, remove)
}


def damage_event(service: Service, game_id: str, seq: int, damage: Damage) -> list[bytes]:
    """Damage an event of a game in Redis; return the lines of its log before."""
    lines = service.store.read(game_id)
    store_lines(
        service,
        game_id,
        [damage(line) if number == seq else line for number, line in enumerate(lines, 1)],
    )
    return lines


def store_lines(service: Service, game_id: str, lines: list[bytes] | list[bytes | None]) -> None:
    """Store these lines as the log of a game; None stands for an event that is missing."""
    store_lines_at(service, game_key(game_id, "log"), lines)


def store_lines_at(service: Service, key: str, lines: Sequence[bytes | None]) -> None:
    """Store these lines as the log at a key, as `store_lines` does."""
    service.redis.delete(key)
    for seq, line in enumerate(lines, 1):
        service.redis.xadd(key, {"e": line or b"-"}, id=f"{seq}-0")
    for seq, line in enumerate(lines, 1):
        if line is None:
            service.redis.xdel(key, f"{seq}-0")
