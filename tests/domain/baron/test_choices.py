"""What is refused instead of a choice of Baron, and previews; the choices are in transcripts."""

import pytest

from domain import baron
from domain.choices import Choice
from domain.contract import evolve
from domain.next_step import UnknownChoice, refusal
from replay.language.renderer import english
from tests.support.baron_diagrams import diagram
from tests.support.baron_positions import explanation, given, started, text_of
from tests.support.choices import step_after

DRAW = """
    draw round 4 seat 1
    0: 2, MV, keeps 2
    1: 0, PY, keeps 2
    market MVC
    pile QW
    board 0,0
    M   P   V
      M   F   M
    """
LAY = DRAW.replace("draw", "lay").replace("PY", "MPP")
KEEP = DRAW.replace("draw", "keep")


def test_a_value_that_is_no_option_is_an_unknown_choice() -> None:
    with pytest.raises(UnknownChoice):
        step_after(given(DRAW), "4")


DRAW_PATH = (Choice("action", "draw"),)
LAY_PATH = (Choice("action", "place_tile"),)
POND_PATH = (*LAY_PATH, Choice("tile", "pond"))
KEEP_PATH = (Choice("action", "place_keep"),)


@pytest.mark.parametrize(
    ("text", "path", "value", "clause", "why"),
    [
        (DRAW, (), "place_tile", "BN-TRN-3", "at this point of the turn a tile is to be drawn"),
        (DRAW, (), "discard_tile", "BN-TRN-3", "at this point of the turn a tile is to be drawn"),
        (DRAW, DRAW_PATH, "1,1", "BN-TRN-3", "at this point of the turn a tile is to be drawn"),
        (DRAW, (), "end_turn", "BN-TRN-3", "at this point of the turn a tile is to be drawn"),
        (
            DRAW.replace("1: 0", "1: -2"),
            DRAW_PATH,
            "3",
            "BN-DRW-3",
            "-2 honour, less 3, would be -5; -4 is the least allowed",
        ),
        (
            DRAW.replace("MVC", "MV").replace("pile QW", ""),
            DRAW_PATH,
            "3",
            "BN-DRW-2",
            "slot 3 is empty: the market has 2 tiles",
        ),
        (LAY, (), "discard_tile", "BN-LAY-4", "a meadow can be laid on -1,0"),
        (LAY, LAY_PATH, "village", "BN-LAY-1", "seat 1 has no village in reserve"),
        (LAY, LAY_PATH, "5,5", "BN-LAY-1", "5,5 is adjacent to no tile"),
        (LAY, LAY_PATH, "0,0", "BN-LAY-1", "there is a meadow on 0,0 already"),
        (LAY, POND_PATH, "2,-1", "BN-LAY-2", "2,-1 is adjacent to another pond"),
        (KEEP, KEEP_PATH, "1,0", "BN-KEP-1", "1,0 is not a meadow"),
        (KEEP, (), "1,0", "BN-KEP-1", "1,0 is not a meadow"),
        (KEEP.replace("keeps 2", "keeps 0"), (), "place_keep", "BN-KEP-1", None),
        (KEEP.replace("M   P", "M0k P"), KEEP_PATH, "0,0", "BN-KEP-1", None),
    ],
)
def test_a_choice_that_is_not_allowed_is_refused_with_its_clause(
    text: str, path: tuple[Choice, ...], value: str, clause: str, why: str | None
) -> None:
    refused = refusal(baron, given(text), 1, path, value)
    assert refused is not None
    assert refused.clause == clause
    assert why is None or english(refused.why) == why


@pytest.mark.parametrize("value", ["draw", "resign"])
def test_another_seat_is_refused_because_of_the_turn_alone(value: str) -> None:
    refused = refusal(baron, given(DRAW), 0, (), value)
    assert (refused and refused.clause) == (None if value == "resign" else "BN-TRN-2")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ((), "move"),
        ((), ""),
        (DRAW_PATH, "0"),
        (DRAW_PATH, "four"),
        (DRAW_PATH, "9" * 5000),
        (LAY_PATH, "castle"),
        (LAY_PATH, f"{2**53},0"),
        (POND_PATH, "meadow"),
        (KEEP_PATH, "1,0,0"),
        (KEEP_PATH, "1"),
        ((Choice("action", "end_turn"),), "x"),
    ],
)
def test_an_unknown_value_returns_none(path: tuple[Choice, ...], value: str) -> None:
    assert baron.action_for_choice(given(LAY), 1, path, value) is None


@pytest.mark.parametrize("text", [DRAW, LAY, KEEP])
def test_the_action_for_the_type_of_a_legal_action_is_legal(text: str) -> None:
    state = given(text)
    legal = baron.legal_actions(state, 1)
    for type in {action.type for action in legal}:
        assert baron.action_for_choice(state, 1, (), type) in legal


def test_a_preview_of_a_draw_shows_no_refill() -> None:
    state = given(DRAW)
    before = diagram(state)
    draw = baron.legal_actions(state, 1)[1]
    preview = baron.preview(state, 1, draw)
    assert text_of(preview.event) == "draws a village for 1 honour"
    assert preview.hidden is not None
    assert english(preview.hidden) == (
        "The tile that comes from the pile into the market is not known yet."
    )
    position = baron.position(evolve(baron, state, [preview.event]), 1)
    assert (position["market"], position["pile"]) == (["meadow", "cursed_place"], 2)
    assert position["players"][1]["reserve"] == ["pond", "village", "vineyard"]
    assert position["players"][1]["honour"] == -1
    assert explanation(state, preview.event).keys() == {"BN-DRW-1", "BN-DRW-3"}
    assert diagram(state) == before


def test_nothing_is_hidden_in_a_preview_when_the_pile_is_empty() -> None:
    state = given(DRAW.replace("pile QW", ""))
    draw = baron.legal_actions(state, 1)[0]
    preview = baron.preview(state, 1, draw)
    assert preview == type(preview)(baron.decide(state, 1, draw))


@pytest.mark.parametrize("text", [LAY, KEEP])
def test_other_previews_are_what_the_action_leads_to(text: str) -> None:
    state = given(text)
    for action in (*baron.legal_actions(state, 1), *baron.actions_at_any_time(state, 0)):
        seat = 0 if action.type == "resign" else 1
        preview = baron.preview(state, seat, action)
        assert (preview.event, preview.hidden) == (baron.decide(state, seat, action), None)


def test_no_seat_can_resign_after_the_end() -> None:
    state = started(2, seed=1)
    assert [baron.action_text(action) for action in baron.actions_at_any_time(state, 1)] == [
        "resign"
    ]
    resigned = evolve(baron, state, [baron.decide(state, 1, *baron.actions_at_any_time(state, 1))])
    assert [baron.actions_at_any_time(resigned, seat) for seat in (0, 1)] == [(), ()]
