"""Positions as text: what the drawings of all games have in common, the course and the rows of cells.

What a cell says, and what stands between the first line and the board, is each game's own.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from domain.contract import State
from domain.hex_text import hex_from_text, hex_text
from domain.hexes import Hex


def course_words(state: State) -> list[str]:
    """The first words of a drawing: `play`, `round 3`, `turn 12`, `seat 1`."""
    seat = [] if state.to_act is None else [f"seat {state.to_act}"]
    return [state.phase, f"round {state.round}", f"turn {state.turn}", *seat]


def read_course(state: Any, line: str) -> dict[str, str]:
    """Write what the first line says of the course into a state; told is each word with the next one.

    Raises ValueError for what cannot be read.
    """
    state.phase, *words = line.split()
    numbers = dict(pairwise(words))
    state.round = int(numbers.get("round", 0 if state.phase == "setup" else 1))
    state.turn = int(numbers.get("turn", 1))
    state.to_act = int(numbers["seat"]) if "seat" in numbers else None
    return numbers


def rows(cells: Mapping[Hex, str]) -> list[str]:
    """The line `board` and the rows of cells, each half a cell to the right of the one above."""
    west, east = min(q for q, _ in cells), max(q for q, _ in cells)
    north, south = min(r for _, r in cells), max(r for _, r in cells)
    width = max(map(len, cells.values())) // 2 * 2 + 2
    lines = [f"board {hex_text((west, north))}"]
    for r in range(north, south + 1):
        row = "".join(cells.get((q, r), ".").ljust(width) for q in range(west, east + 1))
        lines.append((" " * (width // 2 * (r - north)) + row).rstrip())
    return lines


def split(text: str) -> tuple[list[str], dict[Hex, str]]:
    """The lines before the board, and the cells on it. Raises ValueError."""
    lines = [line.strip() for line in text.strip().splitlines()]
    try:
        start = next(i for i, line in enumerate(lines) if line.split()[:1] == ["board"])
    except StopIteration:
        raise ValueError("a drawing has a line `board`") from None
    origin = lines[start].split()[1:]
    west, north = hex_from_text(origin[0]) if origin else (0, 0)
    cells = {
        (q, r): cell
        for r, row in enumerate(lines[start + 1 :], start=north)
        for q, cell in enumerate(row.split(), start=west)
        if cell != "."
    }
    return [line for line in lines[:start] if line], cells
