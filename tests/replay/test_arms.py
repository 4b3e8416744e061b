"""Coats of arms: every one follows the grammar, they stay the same, and can be told apart."""

from itertools import product

import pytest

from replay.render.arms import (
    CHARGES,
    COLOURS,
    DIVISIONS,
    METALS,
    TINCTURES,
    CoatOfArms,
    arms_of,
    arms_svg,
    empty_shield_svg,
)
from tests.support.svg import parsed

IDS = [f"player-{number}" for number in range(5000)]


def _luminance(colour: str) -> float:
    def linear(value: float) -> float:
        return value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, other: str) -> float:
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_arms_follow_the_grammar() -> None:
    for arms in map(arms_of, IDS):
        assert arms.charge in CHARGES
        assert (arms.field in METALS) != (arms.charge_tincture in METALS), arms
        assert arms.second != arms.field, arms
        on_it = DIVISIONS[arms.division].bears_charge
        assert (arms.second in METALS) == (
            arms.field in METALS if on_it else arms.field in COLOURS
        ), arms


@pytest.mark.parametrize(("metal", "colour"), [*product(METALS, COLOURS)])
def test_metal_on_colour_contrasts(metal: str, colour: str) -> None:
    assert _contrast(TINCTURES[metal], TINCTURES[colour]) >= 3


def test_every_part_of_the_grammar_occurs() -> None:
    arms = [arms_of(id) for id in IDS]
    assert {each.division for each in arms} == set(DIVISIONS)
    assert {each.charge for each in arms} == set(CHARGES)
    assert {each.field for each in arms} == set(TINCTURES)
    assert {each.second for each in arms} == set(TINCTURES)
    assert {each.charge_tincture for each in arms} == set(TINCTURES)


def test_arms_of_an_id_stay_the_same() -> None:
    assert arms_of("ana") == CoatOfArms("quarterly", "purpure", "sable", "martlet", "or")
    assert arms_of("ben") == CoatOfArms("bordure", "or", "murrey", "fleur-de-lis", "azure")


def test_the_picture_has_the_tinctures_of_the_arms() -> None:
    for id in IDS[:200]:
        arms = arms_of(id)
        svg = parsed(arms_svg(id, 40))
        expected = [
            TINCTURES[arms.field],
            TINCTURES[arms.second],
            TINCTURES[arms.charge_tincture],
            None,
            "none",
        ]
        if arms.division == "plain":
            del expected[1]
        assert [path.get("fill") for path in svg] == expected, id
        assert (svg.get("width"), svg.get("height")) == ("40", "48")


def test_an_empty_place_has_an_outline_only() -> None:
    (path,) = parsed(empty_shield_svg(40))
    assert path.get("fill") == "none"
