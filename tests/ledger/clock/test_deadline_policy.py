"""The field `on_deadline` of a clock: what is valid."""

import pytest

from ledger.clock.settings import clock_faults


@pytest.mark.parametrize(
    "on_deadline",
    [
        {},
        {"placement": "remove", "turn": "bot"},
        {"excused": 0, "remove_after": None, "abandon_after": 1},
        {"excused": 10, "remove_after": 20, "abandon_after": 20},
    ],
)
def test_valid_policies_have_no_faults(on_deadline: object) -> None:
    assert clock_faults({"per_turn": 60, "on_deadline": on_deadline}) == {}


@pytest.mark.parametrize(
    ("on_deadline", "fields"),
    [
        (None, {""}),
        ([], {""}),
        ({"placement": "forfeit"}, {".placement"}),
        ({"turn": None}, {".turn"}),
        ({"excused": 11}, {".excused"}),
        ({"excused": True}, {".excused"}),
        ({"remove_after": 0, "abandon_after": None}, {".remove_after", ".abandon_after"}),
        ({"abandon_after": 1.5}, {".abandon_after"}),
        ({"turn": ["bot"], "later": 1}, {".turn", ".later"}),
    ],
)
def test_each_fault_of_a_policy_is_named(on_deadline: object, fields: set[str]) -> None:
    faults = clock_faults({"per_turn": 60, "on_deadline": on_deadline})
    assert faults.keys() == {f"clock.on_deadline{field}" for field in fields}
