"""Drawings for tests of casts: three seats, yellow (seat 0) to act, and spells that lie open."""

from domain.barony.state import State
from tests.support.barony_positions import given

MOVEMENT = "celerity teleportation tornado"
RECRUITMENT = "charm illusion portal"
CONSTRUCTION = "abundance petrification sanctuary"


def scene(
    spells: str, cells: str, *, seat: int = 0, yellow: str = "", red: str = "", blue: str = ""
) -> str:
    """The drawing with these cells; all are barons, with the words given: `1P, magic 3`."""
    seats = f"0: baron, {yellow}\n1: baron, {red}\n2: baron, {blue}"
    return f"play round 5 seat {seat}\nspells: {spells}\n{seats}\nboard\n{cells}\n"


def ride(cells: str, *, magic: int = 4, red: str = "", blue: str = "") -> State:
    """Yellow is to cast spells of movement."""
    return given(scene(MOVEMENT, cells, yellow=f"magic {magic}", red=red, blue=blue))


def ridden(cells: str, *, yellow: str = "magic 3", red: str = "", blue: str = "") -> str:
    """Where the knights are when red's turn has come."""
    return scene(MOVEMENT, cells, seat=1, yellow=yellow, red=red, blue=blue)
