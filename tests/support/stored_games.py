"""Recorded games in the store of a test, as if they had been played on its service."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import orjson

from domain.event import ENDINGS, ZEROS
from domain.json_types import JsonObject
from ledger.canonical import canonical, digest
from ledger.pending import commitment
from ledger.record import Record, read
from service.bootstrap import Service
from service.store.event_store import AppendRequest

NO_OPENINGS: Mapping[tuple[int, str], JsonObject] = {}
GAMES = Path(__file__).parent.parent / "games"


def recorded_game(name: str) -> Record:
    """Return a record of tests/games by the name of its file, without `.jsonl`."""
    with (GAMES / f"{name}.jsonl").open("rb") as file:
        return read(file)


def store_game(
    service: Service,
    record: Record,
    length: int | None = None,
    *,
    game_id: str | None = None,
    players: Mapping[str, str] | None = None,
    secrets: Mapping[str, object] | None = None,
) -> str:
    """Store a recorded game, or only its first `length` events, with all secrets, and return its id.

    `game_id` is another id for it, `players` have other ids for its players, and `secrets` other values of
    secrets, by name. The hashes are those of these events. Projections such as listings are not written.
    """
    names = {record.game: game_id or record.game, **(players or {})}
    openings = {
        (seq, name): {
            **opening,
            **({"value": secrets[name]} if secrets and name in secrets else {}),
        }
        for seq, of_event in record.openings.items()
        for name, opening in of_event.items()
    }
    lines = rechained((_renamed(line, names) for line in record.lines[:length]), openings)
    stored = {
        f"{seq}/{name}": orjson.dumps(opening).decode()
        for (seq, name), opening in openings.items()
        if seq <= len(lines)
    }
    last = record.events[-1]
    if last["type"] in ENDINGS:
        stored["seed"] = last["data"]["secret"]
    id = names[record.game]
    service.store.append(id, 0, AppendRequest(tuple(lines), stored))
    return id


def rechained(
    lines: Iterable[bytes],
    openings: Mapping[tuple[int, str], JsonObject] = NO_OPENINGS,
    prev: str = ZEROS,
) -> list[bytes]:
    """Return changed lines of a log with the hashes that they must have, and the commitments to openings.

    `prev` is the hash of the event before them.
    """
    chained = []
    for line in lines:
        event = orjson.loads(line)
        for name in event.get("secrets", ()):
            if (opening := openings.get((event["seq"], name))) is not None:
                event["secrets"][name] = commitment(opening)
        del event["hash"]
        event["prev"] = prev
        event["hash"] = prev = digest(canonical(event))
        chained.append(canonical(event))
    return chained


def players_of(record: Record) -> list[str]:
    """Return the ids of the players of a recorded game by seat."""
    players: list[str] = next(
        event["data"]["players"] for event in record.events if event["type"] == "GameStarted"
    )
    return players


def _renamed(line: bytes, names: Mapping[str, str]) -> bytes:
    for name, other in names.items():
        line = line.replace(b'"%b"' % name.encode(), b'"%b"' % other.encode())
    return line
