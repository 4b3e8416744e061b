"""The texts and explanations of set-up, departures, the turn order and scores."""

import pytest

from domain.barony import (
    CLAUSES,
    apply,
    check_options,
    decide,
    event_message,
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
from replay.language.renderer import english
from tests.support.barony_positions import given, random_game
from tests.support.barony_results import explained, explanation, text_of
from tests.support.events import event_of


def event_of_action(state: State, text: str, seat: int | None = None) -> DomainEvent:
    """The event that an action, in short form, leads to; by default of the seat to act."""
    actor = state.to_act if seat is None else seat
    assert actor is not None
    return decide(state, actor, parse_action_text(text))


HOME = """
play round 3 seat 0
0: baron, 3P 1F
1: baron
board 0,0
P0ck  L     D0v    F
   P0k   D0k     M0v  P1c
"""


class TestSetUp:
    def test_the_board(self) -> None:
        event = set_up(2, check_options(2, {}), Chance(bytes(32)))
        started = event_of(event.type, {**event.data, "players": ["ann", "bob"]})
        assert english(event_message(started.type, started.data)) == (
            "the game starts on 54 hexes: ann is seat 0 and bob is seat 1"
        )
        sentences = {clause: english(sentence) for clause, sentence in explain(None, None, started)}
        assert sentences["BY-SET-1"] == (
            "the board consists of 18 tiles, drawn and laid at random: 54 hexes"
        )
        assert sentences["BY-SET-2"].startswith(
            "the board has no gaps, and no hex is more than 5 hexes from "
        )
        assert sentences["BY-SET-7"] == "by the game's seating ann is the first player"

    def test_a_placement(self) -> None:
        state = given("setup seat 1\nboard 0,0\nP0ck  M  P1ck  M  P  M  D  M  D")
        event = event_of_action(state, "place 4,0")
        assert text_of(state, event) == "places a city and a knight on 4,0"
        assert explained(state, event) == [
            ("BY-SET-3", "this is city 2 of 3 of seat 1, and a knight comes with it"),
            ("BY-SET-4", "4,0 is a plain, and there was no city on it or adjacent to it"),
        ]

    def test_the_last_hex_ends_set_up_for_everyone(self) -> None:
        state = given("setup seat 1\nboard 0,0\nP0ck  M  P")
        event = event_of_action(state, "place 2,0")
        assert text_of(state, event) == ("places a city and a knight on 2,0; set-up is over")
        (sentence,) = explanation(state, event)["BY-SET-5"]
        assert sentence == (
            "no hex is left for a first city; seat 0 forgoes 2 cities and seat 1 forgoes 2 cities; "
            "seat 0 begins"
        )

    def test_the_last_placement_ends_it_with_nothing_forgone(self) -> None:
        placed = "P0ck  M  P0ck  M  P1ck  M  P1ck  M  P1ck  M  P"
        state = given(f"setup seat 0\nboard 0,0\n{placed}")
        sentences = explanation(state, event_of_action(state, "place 10,0"))
        assert sentences["BY-SET-3"][-1] == (
            "all players in the game have placed their cities; seat 0 begins"
        )
        assert "BY-SET-5" not in sentences

    def test_a_departure(self) -> None:
        state = given("setup seat 0\n0: baron\n1: baron\n2: baron\nboard 0,0\nP  M  P  M  P")
        event = forfeit(state)
        assert text_of(state, event) == "seat 0 is removed from the game"
        sentences = explanation(state, event)
        assert sentences["BY-SET-6"] == ["seat 0 places no more cities and forgoes 3 cities"]
        assert sentences["BY-END-6"] == ["seat 0 leaves the game and has no pawns on the board"]


BLOCKED = "play round 7 seat 1\n0: baron, passed\n1: baron\nboard 0,0\nM0skkkkkkk  L  M1skkkkkkk"


class TestTheCourse:
    def test_a_round_ends(self) -> None:
        state = given(HOME.replace("seat 0", "seat 1"))
        sentences = explanation(state, event_of_action(state, "recruit 1 at 3,1"))
        assert sentences["BY-TURN-1"] == ["round 3 is over, and seat 0 begins round 4"]

    def test_all_passed(self) -> None:
        state = given(BLOCKED)
        event = event_of_action(state, "pass")
        assert text_of(state, event) == "passes; play is over"
        assert explained(state, event) == [
            ("BY-TURN-2", "seat 1 had no other legal action"),
            ("BY-TURN-4", "all players still in the game passed in round 7"),
        ]

    def test_a_turn_forfeited_is_no_pass(self) -> None:
        state = given(BLOCKED)
        event = forfeit(state)
        assert text_of(state, event) == "seat 1's turn is forfeited"
        sentences = explanation(state, event)
        assert sentences["BY-TURN-5"] == [
            "the time for the turn of seat 1 ran out, which does not count as a pass"
        ]
        assert "BY-TURN-4" not in sentences

    def test_a_duke_makes_the_round_the_last(self) -> None:
        state = given(HOME.replace("0: baron, 3P", "0: marquis, 3P"))
        event = event_of_action(state, "title 3 plain 1 forest")
        assert explanation(state, event)["BY-END-2"] == [
            "seat 0 became duke, so round 3 is the last"
        ]
        apply(state, event.type, event.data)
        last = event_of_action(state, "recruit 2 at 3,1")
        assert text_of(state, last) == "recruits 2 knights on 3,1; play is over"
        assert explanation(state, last)["BY-END-2"] == [
            "seat 0 became duke, so round 3 was the last"
        ]

    def test_a_round_limit(self) -> None:
        state = given(HOME.replace("seat 0", "seat 1 limit 3"))
        sentences = explanation(state, event_of_action(state, "recruit 1 at 3,1"))
        assert sentences["BY-END-5"] == ["the game was limited to 3 rounds"]

    def test_an_end_by_agreement(self) -> None:
        state = given(HOME.replace("seat 0", "seat 1 agreement"))
        first = event_of_action(state, "agree", seat=0)
        assert text_of(state, first) == "asks for the end of the game"
        assert explained(state, first) == [
            ("BY-END-5", "seat 0 asks for the end; the game ends early if all 2 players do")
        ]
        apply(state, first.type, first.data)
        back = event_of_action(state, "disagree", seat=0)
        assert text_of(state, back) == "no longer asks for the end of the game"
        assert explained(state, back) == [("BY-END-5", "nobody asks for the end any more")]
        second = event_of_action(state, "agree", seat=1)
        assert explained(state, second) == [
            ("BY-END-5", "all players ask for the end, so the game ends with round 3")
        ]
        apply(state, second.type, second.data)
        sentences = explanation(state, event_of_action(state, "recruit 1 at 3,1"))
        assert sentences["BY-END-5"] == [
            "all players in the game had asked for the end, so round 3 was the last"
        ]

    def test_a_seat_leaves_and_one_is_left(self) -> None:
        state = given(HOME)
        event = event_of_action(state, "resign", seat=1)
        assert text_of(state, event) == "resigns; play is over"
        assert explained(state, event) == [
            ("BY-END-6", "seat 1 leaves the game, and these pawns stay on the board: 1 building"),
            ("BY-END-6", "only seat 0 is left, so the game ends at once"),
        ]
        assert english(event_message("PlayerRemoved", remove(state, 0).data)) == (
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
    assert text_of(state, scored) == (
        "round 9 is scored: seat 0 has 30 (34 with tokens), seat 1 has 25 and "
        "seat 2 has 30 (34 with tokens)"
    )
    sentences = dict(explained(state, scored))
    assert sentences["BY-END-1"] == (
        "seat 0 has 30 points as count without new cities; seat 1 has 25 points as viscount with "
        "1 new city; seat 2 has 30 points as count without new cities"
    )
    assert sentences["BY-END-3"] == (
        "seat 0's tokens are worth 4 points and seat 2's tokens are worth 4 points"
    )
    over = finish(state)
    assert text_of(state, over) == (
        "the game is over: seat 2 is King with 34 points, before seat 0 with 34 and seat 1 with 25"
    )
    assert explained(state, over)[1:] == [
        ("BY-END-4", "seat 2 ranks first and is King"),
        (
            "BY-END-4",
            "seat 2 and seat 0 have equal scores; seat 2 ranks first, further from the first player",
        ),
        ("BY-END-6", "seat 1 left the game and ranks last"),
    ]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_event_of_a_game_is_explained_by_known_clauses(seats: int) -> None:
    types = set()
    for state, event in random_game(seats, seed=seats):
        before = position(state, None)
        sentences = explained(state, event)
        assert sentences, event
        assert {clause for clause, _ in sentences} <= set(CLAUSES)
        assert len(sentences) == len(set(sentences))
        assert "\n" not in text_of(state, event)
        assert position(state, None) == before
        types.add(event.type)
    assert types >= {"CityPlaced", "KnightsRecruited", "KnightsMoved", "BuildingsBuilt"}
