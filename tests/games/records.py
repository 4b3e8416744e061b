"""The recorded games beside it, read and folded once for all tests that look at them."""

from functools import cache
from pathlib import Path
from typing import Final

from domain.game import Game, evolve
from ledger.record import Record, read

FOLDER: Final = Path(__file__).parent


@cache
def record_of(name: str) -> Record:
    """The record of that name."""
    with (FOLDER / f"{name}.jsonl").open("rb") as file:
        return read(file)


@cache
def course_of(name: str) -> list[Game]:
    """The game after each of its events, with all known that was opened at its end."""
    record = record_of(name)
    opened = record.opened()
    course: list[Game] = []
    for event in record.events:
        course.append(evolve(course[-1] if course else None, event, opened))
    return course
