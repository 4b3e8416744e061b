"""What facts say in a line (`event_text`) and why they could come about (`explain`), on drawn boards."""

import pytest

from domain.barony import (
    CLAUSES,
    apply,
    check_options,
    decide,
    event_text,
    explain,
    finish,
    forfeit,
    parse_action_text,
    position,
    remove,
    set_up,
    standings,
)
from domain.barony.state import State
from domain.chance import Chance
from domain.contract import DomainEvent
from tests.support.barony_positions import given, random_game
from tests.support.events import data_of, event_of


def played(state: State, text: str, seat: int | None = None) -> DomainEvent:
    """The fact that an action, in its short form, brings about."""
    actor = state.to_act if seat is None else seat
    assert actor is not None
    return decide(state, actor, parse_action_text(text))


def reasons(state: State, fact: DomainEvent) -> dict[str, list[str]]:
    """The sentences by clause."""
    found: dict[str, list[str]] = {}
    for clause, sentence in explain(state, data_of(fact).get("seat"), fact):
        found.setdefault(clause, []).append(sentence)
    return found


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
    def test_a_second_knight_makes_a_village_fall_for_a_token_of_choice(self) -> None:
        state = given(FIGHT)
        fact = played(state, "move 0,0>1,0 0,0>1,0 take field")
        assert event_text(fact.type, fact.data) == (
            "moves a knight 0,0>1,0, then another 0,0>1,0 and destroys seat 0's village, "
            "taking a field token"
        )
        why = reasons(state, fact)
        assert why["BY-MOV-2"] == ["two knights leave 0,0, where 2 stood before"]
        assert why["BY-MOV-7"] == ["the first move has brought a knight to 1,0 already"]
        assert why["BY-CON-1"] == [
            "seat 1 has one pawn on 1,0, and shares the hex with seat 0's village",
            "with the knight there seat 1 now has 2 pawns on 1,0: seat 0's village falls",
        ]
        assert why["BY-CON-2"] == ["for its village seat 0 gives seat 1 a field token"]
        assert why["BY-CON-3"] == ["seat 0 had 1 plain and 2 field, and seat 1 chose"]

    def test_a_village_without_a_token_and_no_choice(self) -> None:
        state = given(FIGHT.replace("viscount, 1P 2D", "viscount"))
        fact = played(state, "move 0,0>1,0 0,0>1,0")
        assert event_text(fact.type, fact.data).endswith("seat 0's village, taking no token")
        why = reasons(state, fact)
        assert why["BY-CON-2"] == ["seat 0 had no token to give for its village"]
        assert "BY-CON-3" not in why

    def test_a_village_defends_its_hex_with_an_arriving_knight(self) -> None:
        state = given(FIGHT.replace("D1v", "D1v2k"))
        fact = played(state, "move 0,0>0,1")
        assert (
            event_text(fact.type, fact.data)
            == "moves a knight 0,0>0,1 and destroys seat 2's knight"
        )
        why = reasons(state, fact)
        assert why["BY-CON-1"] == [
            "with the village there seat 1 now has 2 pawns on 0,1: seat 2's knight falls"
        ]
        assert why["BY-MOV-5"] == ["seat 2 had one pawn on 0,1; two of one seat would bar it"]
        assert why["BY-MOV-6"] == ["0,1 is a field; only on a mountain would one bar it"]
        assert "BY-CON-2" not in why

    def test_two_falling_together_are_counted_with_all_who_stood_there(self) -> None:
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
        fact = played(state, "move 0,0>1,0")
        (sentence,) = reasons(state, fact)["BY-CON-1"]
        assert sentence == (
            "with the 2 knights there seat 1 now has 3 pawns on 1,0: "
            "seat 2's knight and seat 0's village fall"
        )
        assert reasons(state, fact)["BY-MOV-5"] == [
            "seat 2 and seat 0 had one pawn each on 1,0; two of one seat would bar it"
        ]

    def test_a_knight_left_behind_moves_on_and_its_place_is_judged_without_it(self) -> None:
        state = given(
            """
            play round 3 seat 0
            board 0,0
            P0k1k  P0k  P
            """
        )
        advance = reasons(state, played(state, "move 0,0>1,0 1,0>2,0"))
        assert advance["BY-MOV-2"] == [
            "a knight stood on 1,0 before the first came: that one moves on"
        ]
        swap = reasons(state, played(state, "move 0,0>1,0 1,0>0,0"))
        assert swap["BY-MOV-7"] == ["the first move has taken a knight off 0,0"]
        assert swap["BY-CON-1"] == [
            "seat 0 has one pawn on 0,0, and shares the hex with seat 1's knight"
        ]

    def test_a_move_among_nobody_names_nothing_but_the_step(self) -> None:
        state = given(FIGHT)
        fact = played(state, "move 0,0>0,1")
        assert explain(state, 1, fact) == [
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
        fact = played(state, "recruit 3 at 0,0")
        assert event_text(fact.type, fact.data) == "recruits 3 knights at 0,0"
        assert explain(state, 0, fact) == [
            (
                "BY-REC-1",
                "0,0 holds a city of seat 0 and lies beside the lake on 1,0: up to 3 knights",
            ),
            ("BY-REC-2", "of 4 knights in reserve 1 are left"),
        ]

    def test_construction_with_a_kind_that_has_run_out(self) -> None:
        state = given(HOME.replace("board 0,0", "bank: 20M 20F 1P\nboard 0,0"))
        fact = played(state, "build village 0,1 stronghold 1,1")
        assert event_text(fact.type, fact.data) == (
            "builds a village on 0,1 for a plain token and a stronghold on 1,1 for no token"
        )
        why = reasons(state, fact)
        assert why["BY-BLD-1"] == ["one knight of seat 0 goes back to the reserve from 0,1 and 1,1"]
        assert why["BY-BLD-4"] == [
            "of 12 villages in reserve 11 are left",
            "of 2 strongholds in reserve 1 are left",
        ]
        assert why["BY-BLD-5"] == ["0,1 is a plain: a plain token, leaving 0 in the bank"]
        assert why["BY-MAT-4"] == ["1,1 is a field, and the bank had no field token left"]

    def test_a_new_city(self) -> None:
        state = given(HOME.replace("0: baron", "0: viscount"))
        fact = played(state, "city 2,0")
        assert (
            event_text(fact.type, fact.data) == "turns the village on 2,0 into a city for 10 points"
        )
        why = reasons(state, fact)
        assert why["BY-CTY-2"] == ["2,0 is a field, no forest"]
        assert why["BY-CTY-3"] == ["no hex adjacent to 2,0 had a city"]
        assert why["BY-END-1"] == ["seat 0 rises by 10 to 25 on the track"]

    @pytest.mark.parametrize(("placed", "is_said"), [(2, True), (3, False)])
    def test_a_city_forgone_in_set_up(self, placed: int, *, is_said: bool) -> None:
        cities = "P0c  M  " * placed
        state = given(f"play seat 0\nboard 0,0\nP0v  P  {cities}")
        why = reasons(state, played(state, "city 0,0"))
        assert ("BY-END-7" in why) is is_said

    def test_an_expedition(self) -> None:
        state = given(HOME)
        fact = played(state, "expedition 3,0")
        assert event_text(fact.type, fact.data) == (
            "sends an expedition to 3,0, giving up a knight for good"
        )
        why = reasons(state, fact)
        assert why["BY-EXP-2"] == ["3 of the six neighbours of 3,0 are off the board"]
        assert why["BY-EXP-5"] == ["of 4 knights in reserve 2 are left"]

    def test_a_title_bought_with_change_lost(self) -> None:
        state = given(HOME.replace("3P 1F", "4P 1F"))
        fact = played(state, "title 4 plain")
        assert event_text(fact.type, fact.data) == "becomes viscount for 4 plain, worth 15 points"
        assert explain(state, 0, fact) == [
            (
                "BY-TTL-1",
                "4 plain are worth 16 resource points; a title costs 15, and the 1 beyond are lost",
            ),
            ("BY-TTL-2", "seat 0 was baron and is viscount now"),
            ("BY-TTL-3", "without a plain token there would be 12: all were needed"),
            ("BY-END-1", "seat 0 rises by 15 to 15 on the track"),
        ]


class TestSetUp:
    def test_the_board(self) -> None:
        fact = set_up(2, check_options(2, {}), Chance(bytes(32)))
        data = {**fact.data, "players": ["ann", "bob"]}
        assert event_text(fact.type, data) == (
            "the game starts on 54 hexes: ann is seat 0 and bob is seat 1"
        )
        why = dict(explain(None, None, event_of(fact.type, data)))
        assert why["BY-SET-1"] == "18 tiles were drawn and laid, 54 hexes"
        assert why["BY-SET-2"].startswith("the board has no gaps, and all of it lies within 5 of ")
        assert why["BY-SET-7"] == "by the game's seating ann is the first player"

    def test_a_placement(self) -> None:
        state = given("setup seat 1\nboard 0,0\nP0ck  M  P1ck  M  P  M  D  M  D")
        fact = played(state, "place 4,0")
        assert event_text(fact.type, fact.data) == "places a city and a knight on 4,0"
        assert explain(state, 1, fact) == [
            ("BY-SET-3", "it is city 2 of 3 of seat 1; a knight comes with it"),
            ("BY-SET-4", "4,0 is a plain, and there was no city on it or beside it"),
        ]

    def test_the_last_hex_ends_set_up_for_everyone(self) -> None:
        state = given("setup seat 1\nboard 0,0\nP0ck  M  P")
        fact = played(state, "place 2,0")
        assert event_text(fact.type, fact.data) == (
            "places a city and a knight on 2,0; set-up is over"
        )
        (sentence,) = reasons(state, fact)["BY-SET-5"]
        assert sentence == (
            "no hex is left for a first city; seat 0 forgoes 2 cities and seat 1 forgoes 2 cities; "
            "play begins with seat 0"
        )

    def test_the_last_placement_ends_it_with_nothing_forgone(self) -> None:
        placed = "P0ck  M  P0ck  M  P1ck  M  P1ck  M  P1ck  M  P"
        state = given(f"setup seat 0\nboard 0,0\n{placed}")
        why = reasons(state, played(state, "place 10,0"))
        assert why["BY-SET-3"][-1] == (
            "every seat in the game has placed its cities: play begins with seat 0"
        )
        assert "BY-SET-5" not in why

    def test_a_departure(self) -> None:
        state = given("setup seat 0\n0: baron\n1: baron\n2: baron\nboard 0,0\nP  M  P  M  P")
        fact = forfeit(state)
        assert event_text(fact.type, fact.data) == "seat 0 is removed from the game"
        why = reasons(state, fact)
        assert why["BY-SET-6"] == ["its turns to place are skipped: it forgoes 3 cities"]
        assert why["BY-END-6"] == [
            "seat 0 is out; no knights and no buildings of its own stay on the board"
        ]


BLOCKED = "play round 7 seat 1\n0: baron, passed\n1: baron\nboard 0,0\nM0skkkkkkk  L  M1skkkkkkk"


class TestTheCourse:
    def test_a_round_ends(self) -> None:
        state = given(HOME.replace("seat 0", "seat 1"))
        why = reasons(state, played(state, "recruit 1 at 3,1"))
        assert why["BY-TURN-1"] == ["round 3 is over, and seat 0 begins round 4"]

    def test_all_passed(self) -> None:
        state = given(BLOCKED)
        fact = played(state, "pass")
        assert event_text(fact.type, fact.data) == "passes; play is over"
        assert explain(state, 1, fact) == [
            ("BY-TURN-2", "seat 1 could do nothing else"),
            ("BY-TURN-4", "every seat still in the game passed in round 7"),
        ]

    def test_a_turn_forfeited_is_no_pass(self) -> None:
        state = given(BLOCKED)
        fact = forfeit(state)
        assert event_text(fact.type, fact.data) == "seat 1's turn is forfeited"
        why = reasons(state, fact)
        assert why["BY-TURN-5"] == ["seat 1 let its turn lapse, which is no pass"]
        assert "BY-TURN-4" not in why

    def test_a_duke_makes_the_round_the_last(self) -> None:
        state = given(HOME.replace("0: baron, 3P", "0: marquis, 3P"))
        fact = played(state, "title 3 plain 1 forest")
        assert reasons(state, fact)["BY-END-2"] == ["seat 0 rose to duke: round 3 is the last"]
        apply(state, fact.type, fact.data)
        last = played(state, "recruit 2 at 3,1")
        assert event_text(last.type, last.data) == "recruits 2 knights at 3,1; play is over"
        assert reasons(state, last)["BY-END-2"] == ["seat 0 rose to duke: round 3 was the last"]

    def test_a_round_limit(self) -> None:
        state = given(HOME.replace("seat 0", "seat 1 limit 3"))
        why = reasons(state, played(state, "recruit 1 at 3,1"))
        assert why["BY-END-5"] == ["the game was limited to 3 rounds"]

    def test_an_end_by_agreement(self) -> None:
        state = given(HOME.replace("seat 0", "seat 1 agreement"))
        first = played(state, "agree", seat=0)
        assert event_text(first.type, first.data) == "asks for the end of the game"
        assert explain(state, 0, first) == [
            ("BY-END-5", "seat 0 of 2 seats has asked for the end; all must")
        ]
        apply(state, first.type, first.data)
        back = played(state, "disagree", seat=0)
        assert event_text(back.type, back.data) == "no longer asks for the end"
        assert explain(state, 0, back) == [("BY-END-5", "nobody asks for the end now")]
        second = played(state, "agree", seat=1)
        assert explain(state, 1, second) == [
            ("BY-END-5", "all have asked: the game ends with round 3")
        ]
        apply(state, second.type, second.data)
        why = reasons(state, played(state, "recruit 1 at 3,1"))
        assert why["BY-END-5"] == ["all who play had asked for the end: round 3 was the last"]

    def test_a_seat_leaves_and_one_is_left(self) -> None:
        state = given(HOME)
        fact = played(state, "resign", seat=1)
        assert event_text(fact.type, fact.data) == "resigns; play is over"
        assert explain(state, 1, fact) == [
            ("BY-END-6", "seat 1 is out; no knights and 1 building of its own stay on the board"),
            ("BY-END-6", "only seat 0 is left: the game ends at once"),
        ]
        assert event_text("PlayerRemoved", remove(state, 0).data) == (
            "seat 0 is removed from the game; play is over"
        )


def test_the_score_of_a_round_and_of_the_game() -> None:
    state = given(
        """
        scoring round 9
        0: count, 2P
        1: viscount, new cities 1, out
        2: count, 4F
        board 0,0
        P0ck  M  P
        """
    )
    scored = event_of("RoundScored", {"round": 9, "standings": standings(state)})
    assert event_text(scored.type, scored.data) == (
        "round 9 is scored: seat 0 30 (with its tokens 34), seat 1 25 and "
        "seat 2 30 (with its tokens 34)"
    )
    why = dict(explain(state, None, scored))
    assert why["BY-END-1"] == (
        "seat 0 has 30 as count with no new cities, seat 1 has 25 as viscount with 1 new city and "
        "seat 2 has 30 as count with no new cities"
    )
    assert why["BY-END-3"] == (
        "seat 0's tokens are worth 4 points and seat 2's tokens are worth 4 points"
    )
    over = finish(state)
    assert event_text(over.type, over.data) == (
        "the game is over: seat 2 is King with 34, before seat 0 with 34 and seat 1 with 25"
    )
    assert explain(state, None, over)[1:] == [
        ("BY-END-4", "seat 2 stands first and is King"),
        ("BY-END-4", "seats 2 and 0 are equal: the higher number is first"),
        ("BY-END-6", "seat 1 left the game and is last"),
    ]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_fact_of_a_game_is_explained_by_known_clauses(seats: int) -> None:
    met = set()
    for state, fact in random_game(seats, seed=seats):
        before = position(state, None)
        why = explain(state, data_of(fact).get("seat"), fact)
        assert why, fact
        assert {clause for clause, _ in why} <= set(CLAUSES)
        assert len(why) == len(set(why))
        assert "\n" not in event_text(fact.type, fact.data)
        assert position(state, None) == before
        met.add(fact.type)
    assert met >= {"CityPlaced", "KnightsRecruited", "KnightsMoved", "BuildingsBuilt"}
