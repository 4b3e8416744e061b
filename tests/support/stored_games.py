"""Recorded games in the store of a test, as if they had been played on its service."""

from collections.abc import Collection
from pathlib import Path

import orjson

from domain.event import ENDINGS
from ledger.record import Record, read
from service.bootstrap import Service
from service.store.event_store import AppendRequest

GAMES = Path(__file__).parent.parent / "games"


def recorded_game(name: str) -> Record:
    """Return a record of tests/games by the name of its file, without `.jsonl`."""
    with (GAMES / f"{name}.jsonl").open("rb") as file:
        return read(file)


def store_game(service: Service, record: Record, length: int | None = None) -> str:
    """Store a recorded game, or only its first `length` events, with all secrets, and return its id.

    The players have no accounts. Projections such as listings are not written.
    """
    lines = record.lines[:length]
    secrets = {
        f"{seq}/{name}": orjson.dumps(dict(opening)).decode()
        for seq, openings in record.openings.items()
        for name, opening in openings.items()
        if seq <= len(lines)
    }
    last = record.events[-1]
    if last["type"] in ENDINGS:
        secrets["seed"] = last["data"]["secret"]
    service.store.append(record.game, 0, AppendRequest(tuple(lines), secrets))
    return record.game


def players_of(record: Record) -> Collection[str]:
    """Return the ids of the players of a recorded game by seat."""
    players: list[str] = next(
        event["data"]["players"] for event in record.events if event["type"] == "GameStarted"
    )
    return players
