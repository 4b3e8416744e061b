"""The recorded games in this folder, read and folded once for all tests."""

from functools import cache
from pathlib import Path
from typing import Final

from domain.fold import EarlierGames, evolve
from domain.game import Game
from ledger.record import Record, read

FOLDER: Final = Path(__file__).parent


@cache
def record_of(name: str) -> Record:
    """Return the record with this name."""
    with (FOLDER / f"{name}.jsonl").open("rb") as file:
        return read(file)


@cache
def course_of(name: str) -> list[Game]:
    """Return the game after each of its events, with all secrets known."""
    record = record_of(name)
    opened = record.opened_values()
    earlier = EarlierGames(record.events)
    course: list[Game] = []
    for event in record.events:
        course.append(evolve(course[-1] if course else None, event, opened, earlier))
        earlier.keep(course[-1])
    return course
