"""The parts that the text diagrams of all games share: the first line, and the rows of cells.

The cells, and the lines between the first line and the board, differ between games.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from domain.contract import State
from domain.hexes import Hex, hex_from_text, hex_text


def first_line_words(state: State) -> list[str]:
    """The words of the first line: `play`, `round 3`, `turn 12`, `seat 1`."""
    seat = [] if state.to_act is None else [f"seat {state.to_act}"]
    return [state.phase, f"round {state.round}", f"turn {state.turn}", *seat]


def parse_first_line(state: Any, line: str) -> dict[str, str]:
    """Write phase, round, turn and seat to act into a state; return every word with the next one.

    Raises ValueError for an invalid number.
    """
    state.phase, *words = line.split()
    numbers = dict(pairwise(words))
    state.round = int(numbers.get("round", 0 if state.phase == "setup" else 1))
    state.turn = int(numbers.get("turn", 1))
    state.to_act = int(numbers["seat"]) if "seat" in numbers else None
    return numbers


def rows(cells: Mapping[Hex, str]) -> list[str]:
    """The line `board` and the rows of cells, each half a cell further right than the row above."""
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
        raise ValueError("a diagram needs a line `board`") from None
    origin = lines[start].split()[1:]
    west, north = hex_from_text(origin[0]) if origin else (0, 0)
    cells = {
        (q, r): cell
        for r, row in enumerate(lines[start + 1 :], start=north)
        for q, cell in enumerate(row.split(), start=west)
        if cell != "."
    }
    return [line for line in lines[:start] if line], cells
