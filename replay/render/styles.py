"""Styles for the terminal, which can be switched off; rich applies them.

Colours are those of a terminal's 256 colours. Seats and terrains set both text and background, so that they
can be read in dark and in light terminals.
"""

from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Final

from replay.language.text_layout import HARD_SPACE
from replay.render.drawings import terrain_colour
from replay.render.palette import seat_colour

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

BOLD = "bold"
DIM = "dim"
STRUCK = "strike"
HIGHLIGHT = "bold color(16) on color(220)"

_PLACEHOLDER = "\ue002"
"""Stands for a hard space while rich lays out a text."""


_UNBOUNDED: Final = 10_000
"""Columns of which no table needs as many."""


def unbreakable(text: str) -> str:
    """Return a text for `Styler.lines` in which no line is broken at a hard space."""
    return text.replace(HARD_SPACE, _PLACEHOLDER)


def table_width(table: "Table") -> int:
    """Return the number of columns of a table in which no line is broken."""
    from rich.console import Console
    from rich.measure import Measurement

    console = Console(width=_UNBOUNDED, markup=False, emoji=False)
    return Measurement.get(console, console.options, table).maximum


def seat_style(seat: int) -> str:
    """Return the style of a seat: its emblem's colour on that of its pieces."""
    colour = seat_colour(seat)
    return f"bold color({colour.emblem_256}) on color({colour.fill_256})"


def terrain_style(package: str, name: str) -> str:
    """Return the style of a terrain: the colour of its lines on that of its fill."""
    colour = terrain_colour(package, name)
    return f"color({colour.line_256}) on color({colour.fill_256})"


def label_style(package: str, name: str) -> str:
    """Return the style of black text on a terrain."""
    return f"color(16) on color({terrain_colour(package, name).fill_256})"


@dataclass(frozen=True, slots=True)
class Styler:
    """Applies styles if they are switched on, and returns plain text otherwise."""

    is_on: bool

    def __call__(self, text: str, style: str) -> str:
        """Return the text in a style."""
        if not self.is_on:
            return text
        from rich.color import ColorSystem
        from rich.style import Style

        return Style.parse(style).render(text, color_system=ColorSystem.EIGHT_BIT)

    def lines(self, renderable: "RenderableType", width: int) -> list[str]:
        """Return the lines, of at most `width` columns, of a renderable of rich, such as a table.

        Rich breaks lines at hard spaces too, except in texts that are made by `unbreakable`.
        """
        from rich.console import Console

        console = Console(
            file=StringIO(),
            width=width,
            color_system="256" if self.is_on else None,
            force_terminal=self.is_on,
            no_color=not self.is_on,
            markup=False,
            emoji=False,
            highlight=False,
        )
        with console.capture() as capture:
            console.print(renderable)
        return capture.get().replace(_PLACEHOLDER, HARD_SPACE).splitlines()
