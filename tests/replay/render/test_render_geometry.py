"""The geometry of boards and the colours of pictures."""

import re
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.hexes import Hex, neighbours
from replay.render.drawings import terrain_colour
from replay.render.embedded_map import emblem_svg
from replay.render.geometry import CORNERS, HALF_WIDTH, borders, bounds, centre, corner, piece_spots
from replay.render.markup import Point
from replay.render.palette import DARK, HALO, MUTED, PAPER, SEATS
from tests.support.scenes import TERRAINS, disc

DARK_CARD = "#272018"
LIGHT_CARD = "#fffaf0"
"""The colours of the cards of seats in base.css."""
HEX_AREA = 3 * 100 * HALF_WIDTH


def area(line: list[Point]) -> float:
    """The area of a closed line, positive when it runs clockwise on the page."""
    return (
        sum(ax * by - bx * ay for (ax, ay), (bx, by) in zip(line, line[1:] + line[:1], strict=True))
        / 2
    )


def brightness(colour: str) -> float:
    """The relative luminance of a colour by WCAG, 0 to 1."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: str, two: str) -> float:
    """The contrast of two colours by WCAG, 1 to 21."""
    low, high = sorted((brightness(one), brightness(two)))
    return (high + 0.05) / (low + 0.05)


def test_adjacent_hexes_share_two_corners() -> None:
    def corners(at: Hex) -> set[tuple[int, int]]:
        return {(round(x), round(y)) for x, y in (corner(at, i) for i in range(6))}

    for near in neighbours((2, -3)):
        assert len(corners((2, -3)) & corners(near)) == 2


def test_q_increases_to_the_right_and_r_downwards() -> None:
    assert centre((1, 0)) == (2 * HALF_WIDTH, 0)
    assert centre((0, 1)) == (HALF_WIDTH, 150)


def test_bounds_contain_whole_hexes() -> None:
    box = bounds({(0, 0), (1, 0)})
    assert box.width == pytest.approx(4 * HALF_WIDTH)
    assert box.left == pytest.approx(-HALF_WIDTH)
    assert (box.top, box.height) == (-100, 200)


@given(st.sets(st.sampled_from(sorted(disc(4))), max_size=30))
def test_borders_enclose_exactly_their_hexes(hexes: set[Hex]) -> None:
    lines = borders(hexes, 0)
    assert sum(map(area, lines)) == pytest.approx(len(hexes) * HEX_AREA)


def test_a_hole_has_its_own_border() -> None:
    outer, inner = sorted(borders(neighbours((0, 0)), 0), key=area, reverse=True)
    assert area(outer) == pytest.approx(7 * HEX_AREA)
    assert area(inner) == pytest.approx(-HEX_AREA)


def test_a_border_with_an_inset_runs_inside_its_hexes() -> None:
    (line,) = borders({(0, 0)}, 10)
    for (x, y), (cx, cy) in zip(sorted(line), sorted(CORNERS), strict=True):
        assert abs(x) <= abs(cx) + 1e-6
        assert abs(y) < abs(cy)
    hole = borders(neighbours((0, 0)), 10)[1]
    assert abs(area(hole)) > HEX_AREA or area(hole) > 0


@pytest.mark.parametrize("count", range(13))
def test_pieces_stand_side_by_side_within_their_hex(count: int) -> None:
    spots = piece_spots(count)
    assert len(spots) == count
    for spot in spots:
        assert abs(spot.x) + 20 * spot.scale <= HALF_WIDTH
        assert abs(spot.y) + 34 * spot.scale <= 92
    for one, two in combinations(spots, 2):
        distance = 46 * one.scale
        assert abs(one.x - two.x) > distance or abs(one.y - two.y) > distance


def test_the_seats_colours_differ_in_lightness() -> None:
    steps = sorted(brightness(seat.fill) for seat in SEATS)
    for darker, lighter in pairwise(steps):
        assert (lighter + 0.05) / (darker + 0.05) > 1.35


def test_emblems_and_labels_contrast_with_what_is_behind_them() -> None:
    for seat in SEATS:
        assert contrast(seat.fill, seat.emblem) >= 4.5
    for terrain in [*TERRAINS, "unknown"]:
        assert contrast(terrain_colour("", terrain).fill, DARK) >= 4.5
    assert contrast(HALO, DARK) >= 7
    assert contrast(PAPER, MUTED) >= 7


def test_the_emblem_of_a_seat_can_be_told_from_a_dark_and_from_a_light_page() -> None:
    for seat, colours in enumerate(SEATS):
        rim, disc, *_ = re.findall(r'<circle r="([\d.]+)" fill="(#\w+)"', emblem_svg(seat))
        assert (float(rim[0]), rim[1]) == (21, HALO)
        assert float(disc[0]) < 21
        assert disc[1] == colours.fill
        assert contrast(HALO, DARK_CARD) >= 7
        assert contrast(DARK, LIGHT_CARD) >= 7
