"""The board of a picture: hexes with their pieces, outlines around hexes, arrows, labels.

Everything is in the units of `geometry`, in which a hex has a radius of 100.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from domain.hexes import Hex
from domain.scene import Cell, Scene
from replay.language.renderer import Renderer
from replay.render.arrows import arrows_markup
from replay.render.descriptions import coordinates, describe_cell, piece_names, terrain_names
from replay.render.drawings import terrain_colour
from replay.render.geometry import CORNERS, Spot, centre
from replay.render.labels import LabelSizes, cell_labels, pieces_on
from replay.render.markup import Ids, Markup, element, joined, on_lines, path_data, translation
from replay.render.outlines import outline_labels, outline_lines
from replay.render.palette import DARK, HALO, seat_colour
from replay.render.pieces import piece_markup, removed_piece_markup
from replay.render.terrain import terrain_markup

HEXAGON = path_data((x * 0.995, y * 0.995) for x, y in CORNERS)


def hexes_of(scene: Scene) -> set[Hex]:
    """Return every hex on which something is drawn."""
    hexes = {cell.at for cell in scene.cells}
    hexes |= {at for outline in scene.outlines for at in outline.hexes}
    return hexes | {at for arrow in scene.arrows for at in (arrow.start, arrow.end)}


def definitions(scene: Scene, terrains: set[str], ids: Ids) -> Markup:
    """Return the definitions of all drawings that the board uses, and of those of `terrains`."""
    parts = [
        element("clipPath", element("path", d=HEXAGON), id=ids.of("hex")),
        element("path", id=ids.of("whole"), d=HEXAGON, fill_opacity="0"),
    ]
    drawings = {(cell.terrain, bool(cell.pieces or cell.removed)) for cell in scene.cells}
    drawings |= {(name, False) for name in terrains}
    parts += [
        _terrain(scene.package, name, ids, is_occupied=occupied)
        for name, occupied in sorted(drawings)
    ]
    pieces = {(piece.kind, piece.seat) for cell in scene.cells for piece in cell.pieces}
    parts += [
        element("g", piece_markup(scene.package, kind, seat), id=ids.piece(kind, seat))
        for kind, seat in sorted(pieces)
    ]
    removed = {(piece.kind, piece.seat) for cell in scene.cells for piece in cell.removed}
    parts += [
        element(
            "g",
            removed_piece_markup(scene.package, kind, seat),
            id=ids.piece(kind, seat, is_removed=True),
        )
        for kind, seat in sorted(removed)
    ]
    return on_lines(*parts)


def _terrain(package: str, name: str, ids: Ids, *, is_occupied: bool) -> Markup:
    return element(
        "g",
        element("path", d=HEXAGON, fill=terrain_colour(package, name).fill),
        element(
            "g",
            terrain_markup(package, name, is_occupied=is_occupied),
            clip_path=f"url(#{ids.of('hex')})",
        ),
        element("path", d=HEXAGON, fill="none", stroke=DARK, stroke_opacity=".7", stroke_width=3),
        id=ids.terrain(name, is_occupied=is_occupied),
    )


def board(scene: Scene, renderer: Renderer, ids: Ids, sizes: LabelSizes) -> Markup:
    """Return the whole board, from back to front: terrain, outlines, pieces, arrows, labels."""
    cells = sorted(scene.cells, key=lambda cell: (cell.at[1], cell.at[0]))
    pieces, terrains = piece_names(scene), terrain_names(scene)
    on_top = cell_labels(cells, sizes, scene.package)
    on_top += outline_labels(scene, sizes, [label.box for label in on_top])
    return on_lines(
        *(terrain_use(cell, ids) for cell in cells),
        *changed_frames(cells),
        *outline_lines(scene.outlines),
        *(_cell(cell, ids, renderer(describe_cell(cell, pieces, terrains))) for cell in cells),
        arrows_markup(scene.arrows, [label.box for label in on_top], sizes.count),
        element("g", on_lines(*(label.markup for label in on_top)), pointer_events="none"),
    )


@lru_cache(maxsize=4096)
def terrain_use(cell: Cell, ids: Ids) -> Markup:
    """Return the terrain of a hex."""
    x, y = centre(cell.at)
    terrain = ids.terrain(cell.terrain, is_occupied=bool(cell.pieces or cell.removed))
    return element("use", href=f"#{terrain}", x=x, y=y)


def changed_frames(cells: Iterable[Cell]) -> Iterator[Markup]:
    """Yield the frames of the hexes that the last event changed."""
    return (changed_frame(*centre(cell.at), cell.changed_by) for cell in cells if cell.is_changed)


def changed_frame(x: float, y: float, seat: int | None = None) -> Markup:
    """Return the frame of a hex with its centre at (x, y) that the last event changed.

    It is dashed and in the colour of the seat that changed the hex, or of ink.
    """
    d = path_data((x + 0.91 * cx, y + 0.91 * cy) for cx, cy in CORNERS)
    fill = DARK if seat is None else seat_colour(seat).fill
    return joined(
        element("path", d=d, fill="none", stroke=HALO, stroke_width=15),
        element("path", d=d, fill="none", stroke=fill, stroke_width=9, stroke_dasharray="24 14"),
    )


def _cell(cell: Cell, ids: Ids, description: str) -> Markup:
    at = coordinates(cell.at)
    return element(
        "g",
        element("title", description),
        element("use", href=f"#{ids.of('whole')}"),
        *pieces_markup(cell, ids),
        id=ids.of(f"at-{at}"),
        data_at=at,
        transform=translation(*centre(cell.at)),
    )


@lru_cache(maxsize=4096)
def pieces_markup(cell: Cell, ids: Ids) -> tuple[Markup, ...]:
    """Return the pieces on a hex, each at its place around the centre of the hex."""
    return tuple(
        _piece(
            ids.piece(piece.kind, piece.seat, is_removed=removed),
            piece.count,
            spot,
            class_="removed" if removed else None,
        )
        for piece, removed, spot in pieces_on(cell)
    )


def _piece(drawing: str, count: int, spot: Spot, *, class_: str | None) -> Markup:
    """Return a piece at its place, with a second one behind it if there are several."""
    transform = f"{translation(spot.x, spot.y)} scale({spot.scale:.3g})"
    if count == 1:
        return element("use", href=f"#{drawing}", transform=transform, class_=class_)
    behind = element("use", href=f"#{drawing}", transform="translate(7 -5)")
    front = element("use", href=f"#{drawing}")
    return element("g", behind, front, transform=transform, class_=class_)
