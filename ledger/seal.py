"""Sealing: a fact becomes the next event of its game's chain.

Here `seq`, `prev`, the commitments of secrets, `state` and `hash` are made, as docs/formats.md has them, and
the game after the event comes along. Whether the fact may happen was judged before.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import cast

from domain.contract import DomainEvent, Json
from domain.event import VERSION, ZEROS, By, Event
from domain.game import Game, evolve
from ledger.canonical import canonical, digest, unhex

SALT_BYTES = 32


@dataclass(frozen=True, slots=True)
class Sealed:
    """An event, its canonical line (no line feed), the game after it, and how its secrets are opened:
    by name `{"salt": hex, "value": …}`.
    """

    event: Event
    line: bytes
    game: Game
    opens: dict[str, Json] = field(repr=False)


def seal(
    game: Game | None,
    fact: DomainEvent,
    *,
    game_id: str,
    by: By,
    action: Mapping[str, object] | None,
    at: str,
    salt: Callable[[], bytes],
) -> Sealed:
    """The fact as the event that follows `game` (None: as the first one).

    `at` is not before the game's; `salt` gives 32 fresh bytes for each secret. The game given stays as it
    was. Raises ValueError for what has no canonical JSON.
    """
    opens = {
        name: {"salt": salt().hex(), "value": value} for name, value in sorted(fact.secrets.items())
    }
    event: Event = {
        "v": VERSION,
        "game": game_id,
        "seq": 1 if game is None else game.seq + 1,
        "type": fact.type,
        "at": at,
        "by": by,
        "action": cast("Json | None", action),
        "data": cast("Json", fact.data),
        "state": ZEROS,
        "prev": ZEROS if game is None else game.hash,
        "hash": "",
    }
    if opens:
        event["secrets"] = {name: commitment(opening) for name, opening in opens.items()}
    after = evolve(game, event, fact.secrets)
    event["state"] = state_hash(after)
    start, end = _around_hash(event)
    event["hash"] = digest(start + end)
    after.hash, after.state_hash = event["hash"], event["state"]
    line = b'%b"hash":"%b",%b' % (start, event["hash"].encode(), end)
    return Sealed(event, line, after, opens)


def commitment(opening: Json) -> str:
    """The commitment that an opening `{"salt", "value"}` opens: SHA-256(salt ‖ canonical JSON of value).

    Raises ValueError for a salt that is not lowercase hex, or a value without canonical JSON.
    """
    return digest(unhex(opening["salt"]) + canonical(opening["value"]))


def state_hash(game: Game) -> str:
    """`state` of the game's last event: the hash of the position as spectators see it while it is on."""
    position = game.position_while_on()
    return ZEROS if position is None else digest(canonical(position))


def hash_in(line: bytes, written: str) -> str:
    """The hash that the event of a canonical line should have; `written` is the one it has.

    The written hash is cut out of the line instead of writing the rest again.
    """
    return digest(line.replace(b'"hash":"%b",' % written.encode(), b"", 1))


def _around_hash(event: Event) -> tuple[bytes, bytes]:
    """The canonical line without `hash`, in the two pieces between which it stands."""
    start = canonical({name: event[name] for name in ("action", "at", "by", "data", "game")})
    after: Json = {name: event[name] for name in ("prev", "seq", "state", "type", "v")}
    if "secrets" in event:
        after["secrets"] = event["secrets"]
    return start[:-1] + b",", canonical(after)[1:]
