"""Colours for a terminal: SGR sequences of the 256 colours, or none at all."""

from dataclasses import dataclass

from replay.render.palette import ground_colour, seat_colour

BOLD = "1"
DIM = "2"
STRUCK = "9"
GILT = "1;38;5;16;48;5;220"


def seat_style(seat: int) -> str:
    """A seat's charge on its field."""
    colour = seat_colour(seat)
    return f"1;38;5;{colour.charge_256};48;5;{colour.field_256}"


def ground_style(name: str) -> str:
    """A ground's ink on its fill."""
    colour = ground_colour(name)
    return f"38;5;{colour.ink_256};48;5;{colour.fill_256}"


def label_style(name: str) -> str:
    """Black writing on a ground."""
    return f"38;5;16;48;5;{ground_colour(name).fill_256}"


@dataclass(frozen=True, slots=True)
class Ansi:
    """Whether to colour; called with a text and a style it gives the text in that style."""

    on: bool

    def __call__(self, text: str, style: str) -> str:
        """The text in a style that ends with it."""
        return f"\x1b[{style}m{text}\x1b[0m" if self.on and text and style else text
