"""Text diagrams of Sorcery: as in tests/support/barony_diagrams.py, with magic, imprints and spells.

spells: charm illusion portal         a line of its own: the open spells; may be left out
0: count, 2P 1F, magic 3              a seat's magic tokens
S*0*21k                               a cell: the seats with an imprint there, then pawns
"""

import re
from typing import Final

from domain.barony.components import LETTERS, SPELLS
from domain.barony.sorcery.state import SorceryBoard, SorceryState
from domain.barony.state import State
from tests.support.barony_diagrams import base_cell_text, seats_in, split, write_state
from tests.support.barony_diagrams import diagram as base_diagram

MOVEMENT: Final = "celerity teleportation tornado"
RECRUITMENT: Final = "charm illusion portal"
CONSTRUCTION: Final = "abundance petrification sanctuary"

_MAGIC: Final = re.compile(r", magic (\d+)")
_IMPRINT: Final = re.compile(r"\*(\d)")


def diagram(state: SorceryState) -> str:
    """The state as a text diagram."""
    lines = base_diagram(state, _cell_text).splitlines()
    for seat, magic in enumerate(state.magic):
        if magic:
            lines[seat + 1] += f", magic {magic}"
    if state.spells:
        lines.insert(1, f"spells: {' '.join(state.spells)}")
    return "\n".join(lines) + "\n"


def _cell_text(state: State, hex: int) -> str:
    assert isinstance(state, SorceryState)
    text = base_cell_text(state, hex)
    imprints = [f"*{seat}" for seat, places in enumerate(state.imprints) if hex in places]
    return "".join([text[0], *imprints, text[1:]])


def parse_diagram(text: str) -> SorceryState:
    """The state of a text diagram. Raises ValueError for an invalid diagram."""
    head, cells = split(text)
    base_head = [_MAGIC.sub("", line) for line in head if not line.startswith("spells:")]
    terrain = {at: LETTERS.index(cell[0]) for at, cell in cells.items()}
    state = SorceryState(SorceryBoard(terrain), seats_in(base_head))
    write_state(state, base_head, {at: _IMPRINT.sub("", cell) for at, cell in cells.items()})
    for line in head:
        if line.startswith("spells:"):
            state.spells = tuple(spell for spell in SPELLS if spell in line.split()[1:])
        elif magic := _MAGIC.search(line):
            state.magic[int(line.split(":")[0])] = int(magic[1])
    for hex, at in enumerate(state.board.hexes):
        for seat in map(int, _IMPRINT.findall(cells[at])):
            state.imprints[seat] += (hex,)
    return state


def three_seats(
    spells: str, cells: str, *, seat: int = 0, yellow: str = "", red: str = "", blue: str = ""
) -> str:
    """The diagram of a position with these open spells and cells, seat 0 (yellow) to act by default.

    All seats are barons; `yellow`, `red` and `blue` are the other words of their lines: `1P, magic 3`.
    """
    seats = f"0: baron, {yellow}\n1: baron, {red}\n2: baron, {blue}"
    return f"play round 5 seat {seat}\nspells: {spells}\n{seats}\nboard\n{cells}\n"
