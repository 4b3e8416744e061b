"""The tiles (BY-MAT-5): trefoils of three mutually adjacent hexes, as data.

M mountain, F forest, P plain, D field, L lake. A set-up shuffles them in this order.
"""

from typing import Final, TypeAlias

Tile: TypeAlias = str
"""Three letters, one for each hex."""

LETTERS: Final = "MFPDLS"
"""The letter of each terrain, at the terrain's number."""

BASE_TILES: Final[tuple[Tile, ...]] = (
    *("DDD", "DDF", "DDL", "DDL", "DDM", "DDP", "DFF", "DFL", "DFM", "DFP", "DLM", "DLM"),
    *("DLM", "DLP", "DMP", "DMP", "DPP", "FFF", "FFL", "FFM", "FFP", "FLM", "FLM", "FLP"),
    *("FLP", "FMM", "FMM", "FMP", "FPP", "FPP", "LMM", "LMP", "LPP", "MMP", "MPP", "PPP"),
)
