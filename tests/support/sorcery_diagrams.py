"""Positions with Sorcery as text: as in tests/support/barony_diagrams.py, with what there is more of.

spells: charm illusion portal         a line of its own: what lies open; may be left out
0: count, 2P 1F, magic 3              a seat's magic tokens
S*0*21k                               a cell: the seats with an imprint there, then pawns
"""

import re

from domain.barony.components import SPELLS
from domain.barony.sorcery.state import SorceryBoard, SorceryState
from domain.barony.state import State
from domain.barony.tiles import LETTERS
from tests.support.barony_diagrams import cell_text, read, seats_in, split
from tests.support.barony_diagrams import drawing as base_drawing

_MAGIC = re.compile(r", magic (\d+)")
_IMPRINT = re.compile(r"\*(\d)")


def drawing(state: SorceryState) -> str:
    """The whole position as text."""
    lines = base_drawing(state, _cell_text).splitlines()
    for seat, magic in enumerate(state.magic):
        if magic:
            lines[seat + 1] += f", magic {magic}"
    if state.spells:
        lines.insert(1, f"spells: {' '.join(state.spells)}")
    return "\n".join(lines) + "\n"


def _cell_text(state: State, hex: int) -> str:
    assert isinstance(state, SorceryState)
    text = cell_text(state, hex)
    marks = [f"*{seat}" for seat, places in enumerate(state.imprints) if hex in places]
    return "".join([text[0], *marks, text[1:]])


def parse_drawing(text: str) -> SorceryState:
    """The state that a drawing shows. Raises ValueError for what cannot be read."""
    head, cells = split(text)
    plain = [_MAGIC.sub("", line) for line in head if not line.startswith("spells:")]
    terrain = {at: LETTERS.index(cell[0]) for at, cell in cells.items()}
    state = SorceryState(SorceryBoard(terrain), seats_in(plain))
    read(state, plain, {at: _IMPRINT.sub("", cell) for at, cell in cells.items()})
    for line in head:
        if line.startswith("spells:"):
            state.spells = tuple(spell for spell in SPELLS if spell in line.split()[1:])
        elif magic := _MAGIC.search(line):
            state.magic[int(line.split(":")[0])] = int(magic[1])
    for hex, at in enumerate(state.board.hexes):
        for seat in map(int, _IMPRINT.findall(cells[at])):
            state.imprints[seat] += (hex,)
    return state
