"""Which events meet conditions, which leave conditional actions as they are, and which void them."""

from typing import Any

import pytest

from domain.conditional import Node, own_action, seat_of_action, tree_after
from domain.event import Event

PASS = {"type": "pass"}
DRAW = {"type": "draw", "slot": 1}
AFTER = (Node(1, PASS, {}),)
TREE = (Node(0, PASS, {}, AFTER), Node(2, DRAW, {"refill": "forest"}, AFTER))


def event(type: str, by: Any, action: Any = None, **data: Any) -> Event:
    """Return an event without hashes, which do not matter here."""
    fields: Any = {"type": type, "by": by, "action": action, "data": data}
    return fields  # type: ignore[no-any-return] # it has the fields that are read


@pytest.mark.parametrize(
    ("happened", "expected"),
    [
        (event("TurnPassed", {"seat": 0}, PASS), AFTER),
        (event("TurnPassed", {"seat": 2}, PASS), None),
        (event("TurnPassed", {"system": "clock"}, PASS, seat=0), AFTER),
        (event("TurnPassed", {"system": "clock"}, PASS, seat=2), None),
        (event("TileDrawn", {"seat": 2}, DRAW, refill="forest", cost=0), AFTER),
        (event("TileDrawn", {"seat": 2}, DRAW, refill="field", cost=0), None),
        (event("TurnForfeited", {"system": "clock"}, seat=0), None),
        (event("SeatVacated", {"system": "clock"}, seat=0), None),
        (event("TakebackRequested", {"seat": 0}, seat=0), None),
        (event("OfALaterVersion", {"seat": 0}), None),
        (event("RoundScored", {"system": "scorer"}, round=1), TREE),
        (event("AdministratorDecided", {"system": "arbiter"}, decision="extend_deadline"), TREE),
        (event("PlayerRemoved", {"system": "arbiter"}, seat=2), None),
        (event("DeadlineExcused", {"system": "clock"}, seat=0), TREE),
    ],
)
def test_an_event_leads_to_a_branch_or_voids_all_or_changes_nothing(
    happened: Event, expected: Any
) -> None:
    assert tree_after(TREE, happened) == expected


def test_the_seat_of_an_action_is_the_one_for_which_it_was_taken() -> None:
    assert seat_of_action(event("TurnPassed", {"system": "clock"}, PASS, seat=2)) == 2
    assert seat_of_action(event("TurnPassed", {"seat": 1}, PASS, seat=1)) == 1
    assert seat_of_action(event("TurnForfeited", {"system": "clock"}, seat=2)) is None
    assert (own_action(AFTER, 1), own_action(AFTER, 0)) == (PASS, None)
