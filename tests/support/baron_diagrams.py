"""Text diagrams of Baron: states as text that is easy to type in a test and to read in a failure.

    keep round 3 seat 1                   phase, round, seat to act; also: turn 12
    0: 4, MP, keeps 2                     a seat: honour, reserve; also: resting 1, turns 2, out 1
    1: -2, ??                             a reserve of which only the size is known
    market MFP                            this line and the next two may be left out: nothing
    pile WWQ                              the next tile first; or a number, if the order is unknown
    removed MP
    board -1,0                            the hex of the first cell; may be left out: 0,0
    M0k  F    .     W
       M    V    M1b7

A row of cells is a row of hexes (r) from west to east (q). Each row is half a cell further to the right than
the row above, so that the diagram has the shape of the board, although only the order of the cells counts. A
cell is a tile (M meadow, V village, F field, W forest, Y vineyard, Q quarry, P pond, S marsh, C cursed place)
or `.` for none, and then a keep: its seat and `k` for a knight or `b` for a baron, with the value of the
baron, by default the sum of its barony. The keeps of a seat are by default those that are not on the board.
"""

import re
from typing import Final

from domain.baron.components import BARON, KEEPS, KNIGHT, TILES, VALUES
from domain.baron.formats import Tile
from domain.baron.state import Player, State
from domain.hexes import Hex, neighbours
from tests.support.text_diagrams import first_line_words, parse_first_line, rows, split

LETTERS: Final = "MVFWYQPSC"
"""The letter of each kind of tile, in the order of BN-MAT-1."""
_KIND: Final[dict[str, Tile]] = dict(zip(LETTERS, TILES, strict=True))
_LETTER: Final = {kind: letter for letter, kind in _KIND.items()}
_CELL: Final = re.compile(rf"([{LETTERS}])(?:(\d)(?:(k)|b(-?\d+)?))?")


def diagram(state: State) -> str:
    """The state as a text diagram."""
    lines = [" ".join(first_line_words(state))]
    for seat, player in enumerate(state.players):
        words = [f"{player.honour}"]
        if player.reserve_size:
            unknown = "?" * player.reserve_size
            words.append(unknown if player.reserve is None else _letters(player.reserve))
        words.append(f"keeps {player.keeps}")
        words += [f"resting {player.resting}"] if player.resting else []
        words += [f"turns {state.turns_left[seat]}"] if state.turns_left is not None else []
        words += [f"out {player.out}"] if player.out is not None else []
        lines.append(f"{seat}: " + ", ".join(words))
    left = state.pile_left
    lines += [f"market {_letters(state.market)}"] if state.market else []
    if left:
        lines.append(f"pile {left if state.pile is None else _letters(state.pile[-left:])}")
    lines += [f"removed {_letters(state.removed)}"] if state.removed else []
    cells = {at: _cell_text(state, at) for at in state.tiles}
    return "\n".join([*lines, *rows(cells)]) + "\n"


def _letters(tiles: tuple[Tile, ...]) -> str:
    return "".join(_LETTER[tile] for tile in tiles)


def _cell_text(state: State, at: Hex) -> str:
    """The cell of a hex: its tile and its keep."""
    text = _LETTER[state.tiles[at]]
    if at in state.keeps:
        seat, side = state.keeps[at]
        text += f"{seat}k" if side == KNIGHT else f"{seat}b{state.values[at]}"
    return text


def parse_diagram(text: str) -> State:
    """The state that a text diagram shows. Raises ValueError for invalid text."""
    (course, *lines), cells = split(text)
    words = dict(line.split(":", 1) for line in lines if ":" in line)
    state = State([Player(KEEPS[len(words)], (), 0) for _ in words])
    parse_first_line(state, course)
    _parse_board(state, cells)
    for line in lines:
        if ":" not in line:
            _parse_stock(state, *line.split())
    turns = [_parse_seat(state.players[int(seat)], words[seat]) for seat in words]
    state.turns_left = None if None in turns else tuple(left for left in turns if left is not None)
    return state


def _parse_stock(state: State, name: str, text: str) -> None:
    """Parse the market, the pile or the removed tiles."""
    if name == "pile":
        state.pile = None if text.isdigit() else _tiles(text)
        state.pile_left = len(text) if state.pile is not None else int(text)
    elif name == "market":
        state.market = _tiles(text)
    elif name == "removed":
        state.removed = _tiles(text)
    else:
        raise ValueError(f"not a line of a diagram: {name!r}")


def _parse_board(state: State, cells: dict[Hex, str]) -> None:
    for at, cell in cells.items():
        _parse_cell(state, at, cell)
    for at, (_, side) in state.keeps.items():
        if side == BARON and at not in state.values:
            barony = (at, *neighbours(at))
            state.values[at] = sum(VALUES[state.tiles[hex]] for hex in barony if hex in state.tiles)


def _parse_cell(state: State, at: Hex, cell: str) -> None:
    match = _CELL.fullmatch(cell)
    if match is None:
        raise ValueError(f"not a cell: {cell!r}")
    tile, seat, knight, value = match.groups()
    state.lay_tile(at, _KIND[tile])
    if seat is not None:
        state.keeps[at] = (int(seat), KNIGHT if knight else BARON)
        state.players[int(seat)].keeps -= 1
    if value is not None:
        state.values[at] = int(value)


def _parse_seat(player: Player, words: str) -> int | None:
    """Write the words into a player, and return the turns that are left, if the words have them."""
    turns = None
    for word in filter(None, (part.strip() for part in words.split(","))):
        name, _, number = word.rpartition(" ")
        if re.fullmatch(r"-?\d+", word):
            player.honour = int(word)
        elif re.fullmatch(r"\?+", word):
            player.reserve, player.reserve_size = None, len(word)
        elif name == "keeps":
            player.keeps = int(number)
        elif name == "resting":
            player.resting = int(number)
            player.keeps -= 0 if "keeps" in words else int(number)
        elif name == "turns":
            turns = int(number)
        elif name == "out":
            player.out, player.keeps = int(number), 0
        else:
            player.reserve, player.reserve_size = tuple(sorted(_tiles(word))), len(word)
    return turns


def _tiles(text: str) -> tuple[Tile, ...]:
    """The tiles for these letters. Raises ValueError."""
    if not re.fullmatch(f"[{LETTERS}]+", text):
        raise ValueError(f"not tiles: {text!r}")
    return tuple(_KIND[letter] for letter in text)
