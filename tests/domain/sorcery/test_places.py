"""BS-MYS: mysterious places, what an arrival there gains, and what an imprint is worth at the end."""

from typing import cast

import pytest

from domain.barony import sorcery
from domain.barony.state import State
from domain.errors import Malformed
from domain.json_types import JsonObject
from tests.support.barony_positions import given
from tests.support.barony_results import final_scores, imprints_of, magic_of, ranking, scores
from tests.support.given_when import play_lines, rule_system_for, when, when_removed, when_scored


def row(cells: str, *words: str) -> State:
    """A position on one row of hexes, with these words in the lines of the seats, seat 0 to act."""
    seats = "\n".join(f"{seat}: {text}" for seat, text in enumerate(words or ("baron", "baron")))
    head = "play round 3 seat 0\nspells: abundance celerity charm portal sanctuary"
    return given(f"{head}\n{seats}\nboard\n{cells}")


@pytest.mark.allows("BS-MYS-1")
def test_knights_stay_on_leave_and_are_destroyed_on_a_mysterious_place() -> None:
    state = row("P0k S0k1k P1ck")
    when(state, 0, "move 1,0>0,0").produces("KnightsMoved")
    after = when(state, 0, "move 0,0>1,0").after
    assert [knights[1] for knights in after.knights] == [2, 0]


@pytest.mark.allows("BS-MYS-2")
def test_imprints_are_listed_in_order_of_hexes() -> None:
    after = when(row("S P0k P0k S P1ck"), 0, "move 2,0>3,0 1,0>0,0").after
    assert imprints_of(after) == [[[0, 0], [3, 0]], []]


@pytest.mark.allows("BS-MYS-1")
def test_building_beside_a_mysterious_place_is_legal() -> None:
    state = row("F0k S0k D0k P1ck")
    built = [
        {"at": [0, 0], "building": "village", "token": "forest"},
        {"at": [2, 0], "building": "stronghold", "token": "field"},
    ]
    when(state, 0, "build village 0,0 stronghold 2,0").produces("BuildingsBuilt", built=built)


@pytest.mark.refuses("BS-MYS-1")
def test_there_is_no_token_of_a_mysterious_place() -> None:
    with pytest.raises(Malformed):
        sorcery.parse_action_text("title 8 mysterious_place")
    state = row("S0k P1ck")
    position = rule_system_for(state).position(state, None)
    kinds = ["mountain", "forest", "plain", "field"]
    assert list(position["bank"]) == list(position["players"][0]["resources"]) == kinds


@pytest.mark.allows("BS-MYS-2")
@pytest.mark.parametrize(
    ("before", "after", "magic"),
    [("S", "S*00k", 3), ("S*1", "S*0*10k", 2), ("S*1*2", "S*0*1*20k", 1)],
)
def test_an_arrival_places_an_imprint_and_gains_3_2_or_1(
    before: str, after: str, magic: int
) -> None:
    state = row(f"P0k {before} P1ck", "baron, magic 4", "baron", "baron")
    when(state, 0, "move 0,0>1,0").becomes(f"""
        play round 3 seat 1
        spells: abundance celerity charm portal sanctuary
        0: baron, magic {4 + magic}
        1: baron
        2: baron
        board
        P {after} P1ck
        """)


@pytest.mark.allows("BS-MYS-2")
def test_the_event_states_the_magic_gained() -> None:
    moves = [{"from": [0, 0], "to": [1, 0], "magic": 3}]
    when(row("P0k S P1ck"), 0, "move 0,0>1,0").produces("KnightsMoved", moves=moves)


@pytest.mark.allows("BS-MYS-2")
def test_successive_arrivals_gain_3_2_and_1() -> None:
    state = given("""
        play round 3 seat 0
        spells: charm
        0: baron
        1: baron
        2: baron
        board
        P0k S P1k
         P2k P
        """)
    state = play_lines(state, "0 move 0,0>1,0", "1 move 2,0>1,0", "2 move 0,1>1,0")
    assert magic_of(state) == [3, 2, 1]
    assert imprints_of(state) == [[[1, 0]]] * 3


@pytest.mark.allows("BS-MYS-2")
def test_an_imprint_stays_and_counts_after_its_knight_was_destroyed() -> None:
    state = play_lines(row("P0k S P1kk"), "0 move 0,0>1,0", "1 move 2,0>1,0 2,0>1,0")
    assert [knights[1] for knights in state.knights] == [0, 2]
    assert (magic_of(state), imprints_of(state)) == ([3, 2], [[[1, 0]], [[1, 0]]])


@pytest.mark.allows("BS-MYS-2")
def test_the_imprint_of_a_seat_that_is_out_counts_like_any_other() -> None:
    state = row("P0k S*2 P1ck", "baron", "baron", "baron, out")
    assert magic_of(when(state, 0, "move 0,0>1,0").after) == [2, 0, 0]


@pytest.mark.refuses("BS-MYS-2")
@pytest.mark.parametrize(
    "text",
    [
        "move 0,0>1,0",
        "move 2,0>1,0",
        "build village 0,0",
        "recruit 2 at 4,0",
        "expedition 6,0",
        "cast charm 1 at 4,0",
    ],
)
def test_actions_without_an_arrival_gain_no_magic(text: str) -> None:
    state = row("P0k P S0k P P0c P1ck D", "baron, magic 1", "baron")
    after = when(state, 0, text).after
    spent = 1 if text.startswith("cast") else 0
    assert (magic_of(after), imprints_of(after)) == ([1 - spent, 0], [[], []])


@pytest.mark.refuses("BS-MYS-2")
def test_a_first_city_two_steps_away_brings_no_magic() -> None:
    state = given("setup round 0 seat 0\nspells: charm\n0: baron\n1: baron\nboard\nP P S P P P P")
    assert magic_of(when(state, 0, "place 0,0").after) == [0, 0]


@pytest.mark.allows("BS-MYS-3")
def test_a_third_imprint_of_a_third_player_is_placed() -> None:
    state = row("P0k S*1*2 P1ck", "baron", "baron", "baron")
    assert imprints_of(when(state, 0, "move 0,0>1,0").after) == [[[1, 0]]] * 3


@pytest.mark.allows("BS-MYS-3")
def test_a_seat_can_have_imprints_on_several_places() -> None:
    state = play_lines(
        row("P0k S*1 S P1ck"), "0 move 0,0>1,0", "1 recruit 1 at 3,0", "0 move 1,0>2,0"
    )
    assert (magic_of(state), imprints_of(state)) == ([5, 0], [[[1, 0], [2, 0]], [[1, 0]]])


@pytest.mark.refuses("BS-MYS-3")
@pytest.mark.parametrize(
    ("cell", "arrived"),
    [("S*1*2*3", "S*1*2*30k"), ("S*0", "S*00k"), ("S*0*1", "S*0*10k"), ("S*0*1*2", "S*0*1*20k")],
    ids=["three others'", "one's own", "one's own and another", "three with one's own"],
)
def test_an_arrival_without_room_for_an_imprint_is_legal_and_gains_nothing(
    cell: str, arrived: str
) -> None:
    state = row(f"P0k {cell} P1ck", "baron, magic 2", "baron", "baron", "baron")
    after = when(state, 0, "move 0,0>1,0").becomes(f"""
        play round 3 seat 1
        spells: abundance celerity charm portal sanctuary
        0: baron, magic 2
        1: baron
        2: baron
        3: baron
        board
        P {arrived} P1ck
        """)
    assert magic_of(after) == [2, 0, 0, 0]
    when(state, 0, "move 0,0>1,0").produces("KnightsMoved", moves=[{"from": [0, 0], "to": [1, 0]}])


@pytest.mark.refuses("BS-MYS-3")
def test_returning_to_a_place_gains_nothing_more() -> None:
    state = row("P0k S P P1ck")
    for there, back in (("0,0>1,0", "1,0>0,0"), ("0,0>1,0", "1,0>2,0"), ("2,0>1,0", "1,0>0,0")):
        state = play_lines(state, f"0 move {there}", "clock", f"0 move {back}", "clock")
        assert magic_of(state) == [3, 0]


@pytest.mark.allows("BS-MYS-4")
def test_only_the_first_of_two_moves_to_one_place_gains() -> None:
    first = {"from": [0, 0], "to": [1, 0], "magic": 3}
    state = row("P0k S P0k P1ck")
    outcome = when(state, 0, "move 0,0>1,0 2,0>1,0")
    after = outcome.produces("KnightsMoved", moves=[first, {"from": [2, 0], "to": [1, 0]}])
    assert (magic_of(after), imprints_of(after)) == ([3, 0], [[[1, 0]], []])


@pytest.mark.allows("BS-MYS-4")
def test_two_moves_to_two_places_gain_at_both() -> None:
    when(row("S P0kk P P S*1 P0k P1ck"), 0, "move 1,0>0,0 5,0>4,0").becomes("""
        play round 3 seat 1
        spells: abundance celerity charm portal sanctuary
        0: baron, magic 5
        1: baron
        board
        S*00k P0k P P S*0*10k P P1ck
        """)


@pytest.mark.allows("BS-MYS-4")
def test_an_arrival_that_destroys_pawns_gains_too() -> None:
    state = row("P0k S0k1k P1ck")
    fallen = [{"seat": 1, "pawn": "knight"}]
    moves = [{"from": [0, 0], "to": [1, 0], "destroyed": fallen, "magic": 3}]
    assert magic_of(when(state, 0, "move 0,0>1,0").produces("KnightsMoved", moves=moves)) == [3, 0]


@pytest.mark.allows("BS-MYS-4")
@pytest.mark.parametrize(("cell", "magic"), [("S", 3), ("S*1", 2), ("S*1*2", 1)])
def test_an_expedition_gains_magic(cell: str, magic: int) -> None:
    state = row(f"{cell} P P0ck P P1ck", "baron, magic 1", "baron", "baron")
    after = when(state, 0, "expedition 0,0").produces("ExpeditionSent", to=[0, 0], magic=magic)
    assert magic_of(after) == [1 + magic, 0, 0]
    assert imprints_of(after)[0] == [[0, 0]]


@pytest.mark.allows("BS-MYS-4")
def test_the_last_step_of_celerity_gains_magic() -> None:
    state = row("P0k P S P1ck", "baron, magic 1", "baron")
    assert magic_of(when(state, 0, "cast celerity 0,0>1,0>2,0").after) == [3, 0]


@pytest.mark.refuses("BS-MYS-4")
@pytest.mark.parametrize("cell", ["S*0", "S*0*1", "S*1*2*3"])
def test_an_expedition_gains_no_more_than_a_move(cell: str) -> None:
    state = row(f"{cell} P P0ck P P1ck", "baron", "baron", "baron", "baron")
    after = when(state, 0, "expedition 0,0").produces("ExpeditionSent", to=[0, 0], magic=None)
    assert (magic_of(after), imprints_of(after)) == ([0] * 4, imprints_of(state))


@pytest.mark.refuses("BS-MYS-4")
def test_staying_on_or_leaving_a_place_is_no_arrival() -> None:
    state = row("P0k P S0kk P P0k P1ck")
    for text in ("move 0,0>1,0 4,0>3,0", "move 2,0>1,0", "move 2,0>1,0 2,0>3,0"):
        after = when(state, 0, text).after
        assert (magic_of(after), imprints_of(after)) == ([0, 0], [[], []])


def being_scored(*words: str, cells: str = "S P S P S P S P S P0ck P P1ck") -> State:
    """A game with Sorcery that is being scored."""
    seats = "\n".join(f"{seat}: {text}" for seat, text in enumerate(words))
    return given(f"scoring round 9\nspells: charm\n{seats}\nboard\n{cells}")


@pytest.mark.allows("BS-MYS-5")
@pytest.mark.parametrize(
    ("cells", "points"),
    [("S S", [0, 0]), ("S*0 S", [3, 0]), ("S*0*1 S*1", [3, 6]), ("S*0 S*0", [6, 0])],
)
def test_each_imprint_is_worth_3_points(cells: str, points: list[int]) -> None:
    state = being_scored("baron", "baron", cells=f"{cells} P0ck P P1ck")
    assert final_scores(state) == points
    entries = cast("list[JsonObject]", rule_system_for(state).standings(state))
    assert [entry["imprint_points"] for entry in entries] == points


@pytest.mark.allows("BS-MYS-5")
def test_imprint_points_are_added_to_track_and_tokens() -> None:
    state = being_scored(
        "duke, 2D", "marquis, new cities 1, 1P", cells="S*0*1 S*1 P0ck P P1c P P1c P P1c"
    )
    assert scores(state) == [60, 55]
    assert final_scores(state) == [60 + 6 + 3, 55 + 2 + 6]
    assert rule_system_for(state).standings(state)[1] == {
        "seat": 1,
        "score": 55,
        "final_score": 63,
        "rank": "marquis",
        "new_cities": 1,
        "resources": {"mountain": 0, "forest": 0, "plain": 1, "field": 0},
        "token_points": 2,
        "imprint_points": 6,
    }


@pytest.mark.allows("BS-MYS-5")
def test_imprint_points_decide_the_ranking_and_ties_go_to_the_highest_seat() -> None:
    cells = "S*0*1 S*0 S*0 P0ck P P1ck P P2ck"
    state = being_scored("baron, 1D", "baron, 3D", "baron, 4D", cells=cells)
    assert ranking(state) == [(2, 12), (1, 12), (0, 12)]
    state = being_scored("baron, 1D 1F", "baron, 3D", "baron, 4D", cells=cells)
    assert ranking(state) == [(0, 13), (2, 12), (1, 12)]


@pytest.mark.allows("BS-MYS-5", "BY-END-4")
def test_the_finished_game_shows_the_ranking_with_imprints() -> None:
    state = being_scored("viscount", "baron, 5D", cells="S*0*1 P0ck P P1ck")
    position = rule_system_for(state).position(when_scored(state).after, None)
    assert position["ranking"] == [
        {"seat": 1, "score": 18, "place": 1},
        {"seat": 0, "score": 18, "place": 2},
    ]
    assert [player["score"] for player in position["players"]] == [15, 0]


@pytest.mark.refuses("BS-MYS-5")
def test_magic_tokens_are_worth_nothing_at_the_end() -> None:
    assert ranking(being_scored("baron, magic 9", "baron, 1F")) == [(1, 1), (0, 0)]


@pytest.mark.refuses("BS-MYS-5")
def test_the_track_does_not_count_imprints() -> None:
    state = when(row("P0k S P1ck"), 0, "move 0,0>1,0").after
    assert (scores(state), final_scores(state)) == ([0, 0], [3, 0])


@pytest.mark.refuses("BS-MYS-5")
def test_imprints_do_not_lift_a_seat_that_is_out_above_the_others() -> None:
    state = row("S*0 S*0 P0ck P P1ck P P2ck", "duke", "baron", "baron")
    state = play_lines(when_removed(state, 0).after, "2 resign")
    assert ranking(state) == [(1, 0), (0, 66), (2, 0)]
