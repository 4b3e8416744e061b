"""Draws the SVG document on standard input as a PNG on standard output: `draw.py WIDTH SECONDS`.

`png.py` runs this file in a process of its own, because resvg holds the interpreter's lock while it draws.
It has a lower priority than the processes that serve play, and ends after the given time of the processor,
even if the process that has started it is gone. It imports nothing of the project, so that it starts quickly.
"""

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
    width, seconds = map(int, sys.argv[1:])
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
    sys.stdout.buffer.write(png)


if __name__ == "__main__":
    main()
