"""Text diagrams of Barony: states as text that is easy to type in a test and to read in a failure.

    play round 3 seat 1                   phase, round, seat to act; also: turn 12, limit 40, agreement
    0: count, 2P 1F, new cities 1         a seat: rank, tokens; also: removed 2, asked, passed, out
    1: baron
    bank: 20M 19F 18P 20D                 may be left out: what the seats do not have
    board -1,0                            the hex of the first cell; may be left out: 0,0
    P0ckk  F      .     L
       M      D1v   P0k

A row of cells is a row of hexes (r) from west to east (q). Each row is half a cell further to the right than
the row above, so that the diagram has the shape of the board, although only the order of the cells counts. A
cell is a terrain (M F P D L S), or `.` off the board, and then for each seat its number and pawns: c city,
s stronghold, v village, k a knight. Pawns that are not on the board are in the reserve or removed, and the
score follows from ranks and cities (BY-END-1).
"""

import re
from collections.abc import Callable, Iterable

from domain.barony.board import Board
from domain.barony.components import (
    CITY,
    LETTERS,
    POINTS_A_CITY,
    POINTS_A_RANK,
    RANKS,
    STRONGHOLD,
    VILLAGE,
)
from domain.barony.state import State, replaced
from domain.hexes import Hex
from tests.support.text_diagrams import first_line_words, parse_first_line, rows
from tests.support.text_diagrams import split as split_diagram

_BUILDING_LETTERS = {VILLAGE: "v", STRONGHOLD: "s", CITY: "c"}
_BUILDINGS = {letter: building for building, letter in _BUILDING_LETTERS.items()}


def diagram(state: State, cell_text: Callable[[State, int], str] | None = None) -> str:
    """The state as a text diagram; `cell_text` returns the cell of a hex, by default as in the base game."""
    head = first_line_words(state)
    if state.round_limit is not None:
        head.append(f"limit {state.round_limit}")
    if state.end_by_agreement:
        head.append("agreement")
    lines = [" ".join(head)]
    for seat in range(state.seats):
        new_cities, removed_knights = state.new_cities[seat], state.removed_knights[seat]
        words = [RANKS[state.rank[seat]], _tokens_text(state.resources[seat])]
        words += [f"new cities {new_cities}"] if new_cities else []
        words += [f"removed {removed_knights}"] if removed_knights else []
        words += ["asked"] if seat in state.end_agreed_by else []
        words += ["passed"] if seat in state.passed else []
        words += ["out"] if state.is_out[seat] else []
        lines.append(f"{seat}: " + ", ".join(word for word in words if word))
    lines.append(f"bank: {_tokens_text(state.bank)}")
    text_of = cell_text or base_cell_text
    cells = {at: text_of(state, hex) for hex, at in enumerate(state.board.hexes)}
    return "\n".join([*lines, *rows(cells)]) + "\n"


def _tokens_text(tokens: Iterable[int]) -> str:
    return " ".join(
        f"{count}{letter}" for count, letter in zip(tokens, LETTERS, strict=False) if count
    )


def base_cell_text(state: State, hex: int) -> str:
    """The cell of a hex: its terrain, then the pawns of each seat."""
    text = LETTERS[state.board.terrain[hex]]
    for seat, knights in enumerate(state.knights):
        building = state.building[hex] if state.owner[hex] == seat else 0
        if building or knights[hex]:
            text += f"{seat}{_BUILDING_LETTERS.get(building, '')}{'k' * knights[hex]}"
    return text


def parse_diagram(text: str) -> State:
    """The state of a text diagram. Raises ValueError for an invalid diagram."""
    head, cells = split(text)
    terrain = {at: LETTERS.index(cell[0]) for at, cell in cells.items()}
    state = State(Board(terrain), seats_in(head))
    write_state(state, head, cells)
    return state


def split(text: str) -> tuple[list[str], dict[Hex, str]]:
    """The lines before the board, and the cells on it. Raises ValueError."""
    head, cells = split_diagram(text)
    for cell in cells.values():
        if cell[0] not in LETTERS:
            raise ValueError(f"not a cell: {cell!r}")
    return head, cells


def seats_in(head: list[str]) -> int:
    """The number of seats that have a line; 2 if there is no such line."""
    return len(_seat_lines(head)) or 2


def _seat_lines(head: list[str]) -> dict[str, str]:
    return dict(line.split(":", 1) for line in head if re.match(r"\d+:", line))


def write_state(state: State, head: list[str], cells: dict[Hex, str]) -> None:
    """Write the lines and cells of a diagram into a new state. Raises ValueError for an invalid diagram."""
    _parse_head(state, head[0] if head and ":" not in head[0] else "play round 1 seat 0")
    for at, cell in cells.items():
        if not re.fullmatch(r".(\d[csv]?k*)*", cell):
            raise ValueError(f"not a cell: {cell!r}")
        _parse_cell(state, state.board.index[at], cell)
    for seat, words in _seat_lines(head).items():
        _parse_seat(state, int(seat), words)
    bank = next((line[5:] for line in head if line.startswith("bank:")), None)
    if bank is None:
        owned = [sum(counts) for counts in zip(*state.resources, strict=True)]
        state.bank = [stock - count for stock, count in zip(state.bank, owned, strict=True)]
    else:
        state.bank = [*_tokens(bank)]


def _parse_head(state: State, line: str) -> None:
    numbers = parse_first_line(state, line)
    state.end_by_agreement = "agreement" in line.split()
    if "limit" in numbers:
        state.round_limit = int(numbers["limit"])


def _parse_cell(state: State, hex: int, cell: str) -> None:
    for seat_text, pawns in re.findall(r"(\d)([csv]?k*)", cell[1:]):
        seat = int(seat_text)
        knights = pawns.count("k")
        state.knights[seat][hex] = knights
        state.reserve_knights[seat] -= knights
        building = _BUILDINGS.get(pawns[:1])
        if building is not None:
            state.building[hex], state.owner[hex] = building, seat
            state.reserve_villages[seat] -= building == VILLAGE
            state.reserve_strongholds[seat] -= building == STRONGHOLD
            state.reserve_cities[seat] -= building == CITY


def _parse_seat(state: State, seat: int, words: str) -> None:
    rank = new_cities = 0
    for word in filter(None, (part.strip() for part in words.split(","))):
        name, _, number = word.rpartition(" ")
        if word in RANKS:
            rank = RANKS.index(word)
        elif word == "out":
            state.is_out = replaced(state.is_out, seat, True)
        elif word == "asked":
            state.end_agreed_by += (seat,)
        elif word == "passed":
            state.passed += (seat,)
        elif name == "new cities":
            new_cities = int(number)
        elif name == "removed":
            state.removed_knights = replaced(state.removed_knights, seat, int(number))
            state.reserve_knights[seat] -= int(number)
        else:
            state.resources[seat] = _tokens(word)
    score = rank * POINTS_A_RANK + new_cities * POINTS_A_CITY
    state.rank = replaced(state.rank, seat, rank)
    state.new_cities = replaced(state.new_cities, seat, new_cities)
    state.score = replaced(state.score, seat, score)


def _tokens(text: str) -> tuple[int, ...]:
    tokens = [0, 0, 0, 0]
    for word in text.split():
        match = re.fullmatch(r"(\d+)([MFPD])", word)
        if match is None:
            raise ValueError(f"not tokens: {word!r}")
        tokens[LETTERS.index(match[2])] = int(match[1])
    return tuple(tokens)
