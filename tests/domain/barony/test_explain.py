"""The texts (`event_message`) and explanations (`explain`) of moves, recruitments, buildings and titles."""

import pytest

from domain.barony import decide, parse_action_text
from domain.barony.state import State
from domain.contract import DomainEvent
from tests.support.barony_positions import given
from tests.support.barony_results import explained, explanation, text_of


def event_of_action(state: State, text: str, seat: int | None = None) -> DomainEvent:
    """The event that an action, in short form, leads to; by default of the seat to act."""
    actor = state.to_act if seat is None else seat
    assert actor is not None
    return decide(state, actor, parse_action_text(text))


FIGHT = """
play round 3 seat 1
0: viscount, 1P 2D
1: baron
2: baron
board 0,0
P1kk  P0v   F2k
   D1v   M2v   .
"""


class TestFights:
    def test_a_second_knight_destroys_a_village_for_a_token_of_choice(self) -> None:
        state = given(FIGHT)
        event = event_of_action(state, "move 0,0>1,0 0,0>1,0 take field")
        assert text_of(state, event) == (
            "moves a knight 0,0>1,0, then moves another 0,0>1,0 and destroys seat 0's village, "
            "taking a field token"
        )
        sentences = explanation(state, event)
        assert sentences["BY-MOV-2"] == ["two knights leave 0,0, where 2 stood before"]
        assert sentences["BY-MOV-7"] == ["the first move has already brought a knight to 1,0"]
        assert sentences["BY-CON-1"] == [
            "seat 1 has only one pawn on 1,0 and shares the hex with seat 0's village",
            "seat 1 now has 2 knights on 1,0 and destroys seat 0's village",
        ]
        assert sentences["BY-CON-2"] == ["seat 0 gives seat 1 a field token for the village"]
        assert sentences["BY-CON-3"] == [
            "seat 0 had 1 plain token and 2 field tokens, and seat 1 chose"
        ]

    def test_a_village_whose_owner_has_no_token(self) -> None:
        state = given(FIGHT.replace("viscount, 1P 2D", "viscount"))
        event = event_of_action(state, "move 0,0>1,0 0,0>1,0")
        assert text_of(state, event).endswith("seat 0's village, taking no token")
        sentences = explanation(state, event)
        assert sentences["BY-CON-2"] == ["seat 0 had no token to give for the village"]
        assert "BY-CON-3" not in sentences

    def test_a_village_defends_its_hex_with_an_arriving_knight(self) -> None:
        state = given(FIGHT.replace("D1v", "D1v2k"))
        event = event_of_action(state, "move 0,0>0,1")
        assert text_of(state, event) == "moves a knight 0,0>0,1 and destroys seat 2's knight"
        sentences = explanation(state, event)
        assert sentences["BY-CON-1"] == [
            "seat 1 now has 1 knight and 1 village on 0,1 and destroys seat 2's knight"
        ]
        assert sentences["BY-MOV-5"] == [
            "seat 2 had only one pawn on 0,1; two pawns of one player would bar the hex"
        ]
        assert sentences["BY-MOV-6"] == [
            "0,1 is a field; a single opposing pawn bars only a mountain"
        ]
        assert "BY-CON-2" not in sentences

    def test_two_pawns_destroyed_together(self) -> None:
        state = given(
            """
            play round 3 seat 1
            0: baron
            1: baron
            2: baron
            board 0,0
            P1k  P0v1kk2k
            """
        )
        event = event_of_action(state, "move 0,0>1,0")
        (sentence,) = explanation(state, event)["BY-CON-1"]
        assert sentence == (
            "seat 1 now has 3 knights on 1,0 and destroys seat 2's knight and seat 0's village"
        )
        assert explanation(state, event)["BY-MOV-5"] == [
            "seat 2 and seat 0 had one pawn each on 1,0; two pawns of one player would bar the hex"
        ]

    def test_the_second_knight_moves_on_from_the_hex_that_the_first_entered(self) -> None:
        state = given(
            """
            play round 3 seat 0
            board 0,0
            P0k1k  P0k  P
            """
        )
        advance = explanation(state, event_of_action(state, "move 0,0>1,0 1,0>2,0"))
        assert advance["BY-MOV-2"] == [
            "the knight that leaves 1,0 stood there before the first move"
        ]
        swap = explanation(state, event_of_action(state, "move 0,0>1,0 1,0>0,0"))
        assert swap["BY-MOV-7"] == ["the first move has taken a knight away from 0,0"]
        assert swap["BY-CON-1"] == [
            "seat 0 has only one pawn on 0,0 and shares the hex with seat 1's knight"
        ]

    def test_a_move_without_opponents_names_only_the_step(self) -> None:
        state = given(FIGHT)
        event = event_of_action(state, "move 0,0>0,1")
        assert explained(state, event) == [
            ("BY-MOV-1", "a knight of seat 1 stood on 0,0, and 0,1 is adjacent to it")
        ]


HOME = """
play round 3 seat 0
0: baron, 3P 1F
1: baron
board 0,0
P0ck  L     D0v    F
   P0k   D0k     M0v  P1c
"""


class TestActions:
    def test_recruitment_beside_a_lake(self) -> None:
        state = given(HOME)
        event = event_of_action(state, "recruit 3 at 0,0")
        assert text_of(state, event) == "recruits 3 knights on 0,0"
        assert explained(state, event) == [
            ("BY-REC-1", "seat 0 has a city on 0,0, beside the lake on 1,0: up to 3 knights"),
            ("BY-REC-2", "the reserve goes from 4 knights to 1"),
        ]

    def test_construction_with_a_kind_that_has_run_out(self) -> None:
        state = given(HOME.replace("board 0,0", "bank: 20M 20F 1P\nboard 0,0"))
        event = event_of_action(state, "build village 0,1 stronghold 1,1")
        assert text_of(state, event) == (
            "builds a village on 0,1 (gains a plain token) and a stronghold on 1,1 (gains no token)"
        )
        sentences = explanation(state, event)
        assert sentences["BY-BLD-1"] == [
            "one knight of seat 0 on each of 0,1 and 1,1 goes back to the reserve"
        ]
        assert sentences["BY-BLD-4"] == [
            "the reserve goes from 12 villages to 11",
            "the reserve goes from 2 strongholds to 1",
        ]
        assert sentences["BY-BLD-5"] == [
            "0,1 is a plain and yields a plain token, which leaves 0 in the bank"
        ]
        assert sentences["BY-MAT-4"] == ["1,1 is a field, and the bank had no field token left"]

    def test_a_new_city(self) -> None:
        state = given(HOME.replace("0: baron", "0: viscount"))
        event = event_of_action(state, "city 2,0")
        assert text_of(state, event) == "turns the village on 2,0 into a city and gains 10 points"
        sentences = explanation(state, event)
        assert sentences["BY-CTY-2"] == ["2,0 is a field, not a forest"]
        assert sentences["BY-CTY-3"] == ["no hex adjacent to 2,0 had a city"]
        assert sentences["BY-END-1"] == ["seat 0 advances by 10 points to 25 on the score track"]

    @pytest.mark.parametrize(("placed", "is_explained"), [(2, True), (3, False)])
    def test_a_new_city_of_a_seat_that_forwent_one(
        self, placed: int, *, is_explained: bool
    ) -> None:
        cities = "P0c  M  " * placed
        state = given(f"play seat 0\nboard 0,0\nP0v  P  {cities}")
        sentences = explanation(state, event_of_action(state, "city 0,0"))
        assert ("BY-END-7" in sentences) is is_explained

    def test_an_expedition(self) -> None:
        state = given(HOME)
        event = event_of_action(state, "expedition 3,0")
        assert text_of(state, event) == ("sends an expedition to 3,0, giving up a knight for good")
        sentences = explanation(state, event)
        assert sentences["BY-EXP-2"] == ["3 of the 6 neighbours of 3,0 are off the board"]
        assert sentences["BY-EXP-5"] == ["the reserve goes from 4 knights to 2"]

    def test_a_title_bought_with_change_lost(self) -> None:
        state = given(HOME.replace("3P 1F", "4P 1F"))
        event = event_of_action(state, "title 4 plain")
        assert (
            text_of(state, event)
            == "discards 4 plain tokens, becomes viscount and scores 15 points"
        )
        assert explained(state, event) == [
            (
                "BY-TTL-1",
                (
                    "the payment (4 plain tokens) is worth 16 resource points; a title costs 15, "
                    "and no change is given"
                ),
            ),
            ("BY-TTL-2", "seat 0 was baron and is now viscount"),
            (
                "BY-TTL-3",
                "without a plain token only 12 points would be left, so every token was needed",
            ),
            ("BY-END-1", "seat 0 advances by 15 points to 15 on the score track"),
        ]
