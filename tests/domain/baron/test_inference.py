"""What the log allows the secrets of Baron to be, and which set-ups are possible."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from domain import baron
from domain.baron.components import COUNTS
from domain.baron.state import State
from domain.contract import DomainEvent, Inference, evolve
from domain.json_types import JsonObject
from replay.language.renderer import english
from tests.support.baron_positions import given, random_game, set_up, started_without_secrets
from tests.support.events import data_of, event_of, secrets_of

START: JsonObject = {"market": ["meadow", "meadow", "field"], "start": "village", "removed": []}


def inferred(
    seats: int, *events: DomainEvent, opened: JsonObject | None = None, state: State | None = None
) -> Inference:
    """What is inferred from these events after `START`; `state` is the one before each of them."""
    before = state or baron.initial_state(seats, {}, event_of("GameStarted", START).data, {})
    played = [(seq, before, event) for seq, event in enumerate(events, 2)]
    return baron.infer_secrets(seats, {}, (1, START), played, {1: opened or {}})


def laid(seat: int, tile: str) -> DomainEvent:
    return event_of("TilePlaced", {"seat": seat, "tile": tile})


def drawn(seat: int, tile: str, refill: str | None) -> DomainEvent:
    return event_of("TileDrawn", {"seat": seat, "slot": 1, "tile": tile, "refill": refill})


def kinds(inference: Inference, seats: int) -> list[Any]:
    """The kind of value 1 that each seat is inferred to have been dealt."""
    reserves: Any = [inference.secrets[1][f"reserve/{seat}"] for seat in range(seats)]
    return [next(tile for tile in reserve if tile != "meadow") for reserve in reserves]


def test_a_tile_laid_that_was_not_drawn_is_the_one_dealt() -> None:
    inference = inferred(3, laid(0, "pond"), laid(1, "vineyard"))
    assert kinds(inference, 3) == ["pond", "vineyard", "quarry"]
    assert not inference.contradictions


def test_a_tile_laid_that_was_drawn_says_nothing_about_the_one_dealt() -> None:
    events = [drawn(0, "pond", "marsh"), laid(0, "pond")]
    for kind in ("vineyard", "quarry", "pond"):
        inference = inferred(2, *events, laid(0, kind))
        assert kinds(inference, 2)[0] == kind


def test_kinds_dealt_differ_as_far_as_possible() -> None:
    """BN-SET-2: of two seats the second is not dealt what the first was, whatever it lays."""
    inference = inferred(2, laid(0, "pond"), laid(1, "pond"))
    assert kinds(inference, 2)[0] == "pond"
    assert kinds(inference, 2)[1] != "pond"


def test_the_pile_begins_with_the_tiles_that_came_off_it() -> None:
    inference = inferred(2, drawn(0, "meadow", "marsh"), drawn(1, "meadow", "cursed_place"))
    pile: Any = inference.secrets[1]["pile"]
    assert pile[:2] == ["marsh", "cursed_place"]
    everything = Counter([*pile, *START["market"], "village", "meadow", "meadow"])
    assert everything + Counter(kinds(inference, 2)) == Counter(COUNTS)


def test_a_tile_beyond_those_that_the_game_has_is_a_contradiction() -> None:
    """BN-MAT-1: there are three cursed places."""
    draw = drawn(0, "meadow", "cursed_place")
    assert not inferred(2, draw, draw, draw).contradictions
    inference = inferred(2, draw, draw, draw, draw, draw)
    assert inference.contradictions.keys() == {5, 6}
    assert english(inference.contradictions[5]) == (
        "no cursed place can have been left in the pile"
    )


def test_tiles_that_come_off_the_pile_were_not_dealt() -> None:
    """BN-MAT-1: once six ponds are seen, no seat was dealt one; the seventh would be too many."""
    draws = [drawn(0, "meadow", "pond")] * 6
    assert "pond" not in kinds(inferred(2, *draws), 2)
    with_dealt = inferred(2, laid(1, "pond"), *draws)
    assert with_dealt.contradictions.keys() == {8}


@pytest.mark.parametrize("refill", ["swamp", 5, ["pond"], {}])
def test_a_refill_that_is_no_tile_is_a_contradiction(refill: Any) -> None:
    contradictions = inferred(2, drawn(0, "meadow", refill)).contradictions
    assert contradictions.keys() == {2}
    assert english(contradictions[2]) == "what came off the pile is not a tile"


def test_a_tile_is_discarded_only_with_others_that_cannot_be_laid_either() -> None:
    """BN-LAY-4: around the only tiles there are ponds everywhere, so nothing but ponds was left."""
    state = given(
        """
        lay round 3 seat 0
        0: 4, ??
        1: 4, ??
        board 0,0
        P
        """
    )
    discard = event_of("TileDiscarded", {"seat": 0, "tile": "pond"})
    inference = inferred(3, laid(0, "meadow"), drawn(0, "pond", None), discard, state=state)
    assert kinds(inference, 3)[0] == "pond"


def test_opened_values_are_kept() -> None:
    inference = inferred(2, opened={"reserve/1": ["meadow", "quarry"]})
    assert kinds(inference, 2)[1] == "quarry"
    assert kinds(inference, 2)[0] != "quarry"


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_every_game_can_be_decided_again_with_the_inferred_secrets(seats: int) -> None:
    """After each of its events, without knowing any secret or anything that comes later."""
    opening = set_up(seats, 7)
    played = list(random_game(seats, 7, forfeits=0.1))
    for end in range(0, len(played), 9):
        log = [(seq, *step) for seq, step in enumerate(played[:end], 2)]
        inference = baron.infer_secrets(seats, {}, (1, data_of(opening)), log, {})
        assert not inference.contradictions
        state = baron.initial_state(seats, {}, opening.data, inference.secrets[1])
        for _, _, event in log:
            assert decided_again(state, event) == event.data
            state = evolve(baron, state, [event])


def decided_again(state: State, event: DomainEvent) -> object:
    """The data of this event as the rules decide it in the state."""
    if event.type == "TurnForfeited":
        return baron.forfeit(state).data
    if event.type == "GameFinished":
        return baron.finish(state).data
    return baron.decide(state, state.to_act or 0, action_of(event)).data


def action_of(event: DomainEvent) -> Any:
    """The action that led to an event."""
    data = data_of(event)
    fields: dict[str, Sequence[str]] = {
        "TileDrawn": ["slot"],
        "TilePlaced": ["tile", "at"],
        "TileDiscarded": ["tile"],
        "KeepPlaced": ["at"],
        "TurnEnded": [],
    }
    types = {
        "TileDrawn": "draw",
        "TilePlaced": "place_tile",
        "TileDiscarded": "discard_tile",
        "KeepPlaced": "place_keep",
        "TurnEnded": "end_turn",
    }
    raw = {"type": types[event.type], **{name: data[name] for name in fields[event.type]}}
    return baron.parse_action(raw)


# Set-ups


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_drawn_set_ups_are_possible(seats: int) -> None:
    for seed in range(40):
        opening = set_up(seats, seed)
        secrets = secrets_of(opening)
        own = {"reserve/0": secrets["reserve/0"]}
        for opened in ({}, own, secrets):
            assert baron.set_up_faults(seats, {}, data_of(opening), opened) == []


@pytest.mark.parametrize(
    ("seats", "change", "fault"),
    [
        (2, {"market": ["meadow", "field"]}, "the market does not have 3 tiles"),
        (2, {"market": ["meadow", "field", "swamp"]}, "the market does not have 3 tiles"),
        (2, {"market": "meadow"}, "the market does not have 3 tiles"),
        (2, {"market": None}, "the market does not have 3 tiles"),
        (2, {"start": "marsh"}, "the start tile is not one of value 0 or more"),
        (2, {"start": "swamp"}, "the start tile is not one of value 0 or more"),
        (2, {"start": None}, "the start tile is not one of value 0 or more"),
        (2, {"removed": ["meadow", "pond"]}, "the tiles removed are not those for 2 seats"),
        (5, {"removed": []}, "the tiles removed are not those for 5 seats"),
        (5, {"removed": ["pond", "meadow"]}, "the tiles removed are not those for 5 seats"),
        (5, {"removed": ["meadow", "field"]}, "the tiles removed are not those for 5 seats"),
        (2, {"pile": 57}, "it has no field pile"),
        (2, {"market": ["cursed_place"] * 3, "start": "meadow"}, None),
    ],
)
def test_a_set_up_is_checked_field_by_field(
    seats: int, change: JsonObject, fault: str | None
) -> None:
    start = {**START, "removed": ["meadow", "pond"] if seats == 5 else [], **change}
    faults = [english(fault) for fault in baron.set_up_faults(seats, {}, start, {})]
    assert faults == ([] if fault is None else [fault])


@pytest.mark.parametrize("seats", [0, 1, 6, 100])
def test_no_set_up_is_possible_for_another_number_of_seats(seats: int) -> None:
    (fault,) = baron.set_up_faults(seats, {}, START, {})
    assert english(fault) == f"the game is not played with {seats} seats"


def test_opened_reserves_must_be_a_possible_deal() -> None:
    opened = {f"reserve/{seat}": ["meadow", "pond"] for seat in range(2)}
    (fault,) = baron.set_up_faults(2, {}, START, {"reserve/0": ["field", "meadow"]})
    assert english(fault) == "reserve/0 is not a meadow and a tile of value 1"
    (fault,) = baron.set_up_faults(2, {}, START, opened)
    assert english(fault) == "more tiles of one kind are public or dealt than there are"


def test_nobody_needs_a_secret_to_infer_them() -> None:
    state = started_without_secrets(3, 4)
    opening = set_up(3, 4)
    played = [(2, state, laid(0, "meadow"))]
    inference = baron.infer_secrets(3, {}, (1, data_of(opening)), played, {})
    assert inference.secrets[1].keys() == secrets_of(opening).keys()
