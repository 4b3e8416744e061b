"""Draws the SVG document on standard input as a PNG on standard output: `draw.py WIDTH SECONDS COLOURS`.

COLOURS is the number of colours of the PNG, 0 for all.

`png.py` runs this file in a separate process, because resvg holds the interpreter's lock while it draws. It
has a lower priority than the processes that serve play, and ends after the given CPU time, even if the
process that started it has ended. It imports nothing of the project, so that it starts quickly.
"""

import io
import os
import resource
import sys
from pathlib import Path
from typing import Final

import resvg_py

_PRIORITY: Final = 10
_MAX_MEMORY: Final = 1 << 30
_FONTS: Final = Path(__file__).parent / "fonts"


def main() -> None:
    """Draw one picture."""
    width, seconds, colours = map(int, sys.argv[1:])
    os.nice(_PRIORITY)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (_MAX_MEMORY, _MAX_MEMORY))
    png = resvg_py.svg_to_bytes(
        svg_string=sys.stdin.buffer.read().decode(),
        width=width,
        skip_system_fonts=True,
        font_files=[str(path) for path in sorted(_FONTS.glob("*.ttf"))],
        font_family="DejaVu Sans",
        serif_family="DejaVu Serif",
        sans_serif_family="DejaVu Sans",
    )
    sys.stdout.buffer.write(_reduce(png, colours) if colours else png)


def _reduce(png: bytes, colours: int) -> bytes:
    """Return a PNG with a palette of `colours` colours."""
    # Only pictures for mails need this import.
    from PIL import Image

    with Image.open(io.BytesIO(png)) as picture:
        reduced = picture.convert("RGB").quantize(colours, dither=Image.Dither.NONE)
    output = io.BytesIO()
    reduced.save(output, "PNG", optimize=True)
    return output.getvalue()


if __name__ == "__main__":
    main()
