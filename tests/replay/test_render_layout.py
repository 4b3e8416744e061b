"""Geometry of the board, and text in its place."""

import string
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.hexes import Hex, neighbours
from replay.render.layout import (
    CORNERS,
    HALF_WIDTH,
    Point,
    borders,
    bounds,
    centre,
    corner,
    number,
    piece_spots,
)
from replay.render.palette import INK, SEATS, ground_colour
from replay.render.text_layout import columns, cut, ems, wrap
from replay.render.words import clean, counted
from tests.support.scenes import GROUNDS, disc

HEX_AREA = 3 * 100 * HALF_WIDTH


def area(loop: list[Point]) -> float:
    """Of a closed line, positive when it runs clockwise on the page."""
    return (
        sum(ax * by - bx * ay for (ax, ay), (bx, by) in zip(loop, loop[1:] + loop[:1], strict=True))
        / 2
    )


def brightness(colour: str) -> float:
    """The luminance of WCAG, 0 to 1."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: str, two: str) -> float:
    low, high = sorted((brightness(one), brightness(two)))
    return (high + 0.05) / (low + 0.05)


def test_adjacent_hexes_share_two_corners() -> None:
    def corners(at: Hex) -> set[tuple[int, int]]:
        return {(round(x), round(y)) for x, y in (corner(at, i) for i in range(6))}

    for near in neighbours((2, -3)):
        assert len(corners((2, -3)) & corners(near)) == 2


def test_q_runs_to_the_right_and_r_down() -> None:
    assert centre((1, 0)) == (2 * HALF_WIDTH, 0)
    assert centre((0, 1)) == (HALF_WIDTH, 150)


def test_the_box_holds_whole_hexes() -> None:
    box = bounds({(0, 0), (1, 0)})
    assert box.width == pytest.approx(4 * HALF_WIDTH)
    assert box.left == pytest.approx(-HALF_WIDTH)
    assert (box.top, box.height) == (-100, 200)


@given(st.sets(st.sampled_from(sorted(disc(4))), max_size=30))
def test_borders_enclose_exactly_their_hexes(hexes: set[Hex]) -> None:
    loops = borders(hexes, 0)
    assert sum(map(area, loops)) == pytest.approx(len(hexes) * HEX_AREA)


def test_a_hole_has_a_border_of_its_own() -> None:
    outer, inner = sorted(borders(neighbours((0, 0)), 0), key=area, reverse=True)
    assert area(outer) == pytest.approx(7 * HEX_AREA)
    assert area(inner) == pytest.approx(-HEX_AREA)


def test_an_inset_border_runs_inside() -> None:
    ((loop),) = borders({(0, 0)}, 10)
    for (x, y), (cx, cy) in zip(sorted(loop), sorted(CORNERS), strict=True):
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
        reach = 46 * one.scale
        assert abs(one.x - two.x) > reach or abs(one.y - two.y) > reach


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (-0.04, "0"), (12.0, "12"), (1 / 3, "0.3"), (-2.55, "-2.5")]
)
def test_a_coordinate_has_no_tail(value: float, text: str) -> None:
    assert number(value) == text


def test_seats_stay_apart_in_grey() -> None:
    steps = sorted(brightness(seat.field) for seat in SEATS)
    for darker, lighter in pairwise(steps):
        assert (lighter + 0.05) / (darker + 0.05) > 1.35


def test_charges_and_coordinates_are_legible_on_what_they_stand_on() -> None:
    for seat in SEATS:
        assert contrast(seat.field, seat.charge) >= 4.5
    for ground in [*GROUNDS, "unknown"]:
        assert contrast(ground_colour(ground).fill, INK) >= 4.5


@given(st.text(), st.integers(1, 40))
def test_lines_keep_their_width_and_lose_nothing(text: str, width: int) -> None:
    lines = wrap(clean(text), width, columns)
    assert "".join("".join(lines).split()) == "".join(clean(text).split())
    assert all(columns(line) <= width or len(line) == 1 for line in lines)


@given(st.text(), st.floats(2, 40))
def test_what_is_cut_fits(text: str, width: float) -> None:
    kept = cut(text, width, ems)
    assert ems(kept) <= width
    assert kept == text or (kept.endswith("…") and text.startswith(kept[:-1]))


def test_of_too_many_lines_the_last_is_cut() -> None:
    assert wrap("one two three four", 5, columns, most=2) == ["one", "two…"]


def test_hard_blanks_hold_words_together() -> None:
    assert wrap("a b\xa0c d", 4, columns) == ["a", "b\xa0c", "d"]


@given(st.text())
def test_clean_text_has_no_control_characters(text: str) -> None:
    kept = clean(text)
    assert not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in kept)
    assert "\u202e" not in kept
    kept.encode("utf-8")
    assert clean(kept) == kept


def test_ordinary_text_stays_as_it_is() -> None:
    text = string.ascii_letters + "éßñ東京 " + string.punctuation
    assert clean(text) == text


@pytest.mark.parametrize(
    ("kind", "count", "said"),
    [
        ("city", 1, "city"),
        ("city", 2, "2 cities"),
        ("village", 3, "3 villages"),
        ("key", 2, "2 keys"),
        ("keep_baron", 2, "2 keep barons"),
    ],
)
def test_things_are_counted_in_words(kind: str, count: int, said: str) -> None:
    assert counted(kind, count) == said
