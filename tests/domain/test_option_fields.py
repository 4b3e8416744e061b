"""What a form shows of the options of a game agrees with what its rule system checks."""

from collections.abc import Iterator

import pytest

from domain.lifecycle import check_options, seat_counts
from domain.messages import message
from domain.option_fields import FlagField, NumberField, OptionField, SelectionField, TextField
from domain.options import COMMON_OPTION_FIELDS, REQUIREMENTS
from domain.registry import EXPANSIONS, rule_system_for, rule_systems
from replay.language.renderer import english

NAMES = list(rule_systems())
OPTIONAL = {"hints", "name", "rated", "substitutes", "takebacks", *REQUIREMENTS}
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
        case _:
            raise AssertionError(field)


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


LABEL = message("label")
FLAG = FlagField("flag", LABEL, LABEL)
NUMBER = NumberField("number", LABEL, LABEL, 1, 9, default=5)
NO_NUMBER = NumberField("number", LABEL, LABEL, 1, 9)
SELECTION = SelectionField("selection", LABEL, LABEL, {"long": LABEL, "short": message("short")})
TEXT = TextField("text", LABEL, LABEL, 3)
NO_TEXT = TextField("text", LABEL, LABEL, 3, default=None)


@pytest.mark.parametrize(
    ("field", "text", "value", "words"),
    [
        (FLAG, "", False, "no"),
        (FLAG, "yes", True, "yes"),
        (NUMBER, "7", 7, "7"),
        (NO_NUMBER, "", None, "none"),
        (SELECTION, "short", "short", "short"),
        (TEXT, "", "", "none"),
        (TEXT, " abc ", "abc", "abc"),
        (NO_TEXT, " ", None, "none"),
    ],
    ids=repr,
)
def test_an_option_is_read_from_a_form_checked_and_said_in_words(
    field: OptionField, text: str, value: object, words: str
) -> None:
    assert field.from_form(text) == value
    assert field.fault(value) is None
    assert english(message("{words}", words=field.in_words(value))) == words
    assert field.fault(field.value_if_missing) is None


@pytest.mark.parametrize(
    ("field", "text", "fault"),
    [
        (NUMBER, "", "must be a whole number from 1 to 9"),
        (NUMBER, "many", "must be a whole number from 1 to 9"),
        (NO_NUMBER, "10", "must be a whole number from 1 to 9, or null"),
        (SELECTION, "other", "must be one of long, short"),
        (TEXT, "four", "must be a text of at most 3 characters"),
        (NO_TEXT, "four", "must be a text of at most 3 characters"),
    ],
    ids=repr,
)
def test_what_no_option_can_be_is_left_as_it_was_entered_and_refused(
    field: OptionField, text: str, fault: str
) -> None:
    refusal = field.fault(field.from_form(text))
    assert refusal is not None
    assert english(refusal) == fault


@pytest.mark.parametrize("field", [FLAG, NUMBER, SELECTION, TEXT], ids=repr)
def test_an_option_that_cannot_be_missing_cannot_be_null(field: OptionField) -> None:
    assert field.fault(None) is not None
