"""What a form shows of the options of a game agrees with what its rule system checks."""

from collections.abc import Iterator

import pytest

from domain.lifecycle import check_options, seat_counts
from domain.options import (
    COMMON_OPTION_FIELDS,
    REQUIREMENTS,
    FlagField,
    NumberField,
    OptionField,
    SelectionField,
    TextField,
)
from domain.registry import EXPANSIONS, rule_system_for, rule_systems

NAMES = list(rule_systems())
OPTIONAL = {"name", "rated", "substitutes", "takebacks", *REQUIREMENTS}
"""The options that the log leaves out if they are not used, apart from those that no form offers."""
_LEFT_OUT = dict.fromkeys(("name", *REQUIREMENTS))
"""The values that an option other than false has if it is left out."""


def values_of(field: OptionField) -> Iterator[object]:
    """Yield the default of an option first, then its other values, or the least and the greatest."""
    match field:
        case FlagField():
            yield from (False, True)
        case NumberField():
            yield from (field.default, field.least, field.most)
        case SelectionField():
            yield from field.values
        case TextField():
            yield from (None, "x", "x" * field.most)


@pytest.mark.parametrize("name", NAMES)
def test_the_fields_of_a_rule_system_are_its_options_with_valid_values(name: str) -> None:
    entry = rule_systems()[name]
    seats = seat_counts(entry.system)[0]
    defaults = check_options(entry.rules, seats, entry.options)
    fields = (*COMMON_OPTION_FIELDS, *entry.system.OPTION_FIELDS)
    expansions = {option for rules, option in EXPANSIONS if rules == entry.rules}
    assert {field.name for field in fields} == {*defaults, *OPTIONAL} - expansions
    for field in fields:
        default, *others = values_of(field)
        for value in (default, *others):
            checked = check_options(entry.rules, seats, {**entry.options, field.name: value})
            assert dict(checked).get(field.name, _LEFT_OUT.get(field.name, False)) == value
        assert dict(defaults).get(field.name, _LEFT_OUT.get(field.name, False)) == default


@pytest.mark.parametrize("name", NAMES)
def test_the_options_of_a_rule_system_select_it(name: str) -> None:
    entry = rule_systems()[name]
    assert rule_system_for(entry.rules, entry.options) is entry.system


def test_seat_counts_are_those_that_the_rules_allow() -> None:
    counts = {name: seat_counts(entry.system) for name, entry in rule_systems().items()}
    assert counts == {"barony": (2, 3, 4), "sorcery": (2, 3, 4, 5), "baron": (2, 3, 4, 5)}
