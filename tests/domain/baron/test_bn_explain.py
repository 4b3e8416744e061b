"""Why turns went as they did: drawing, laying, keeps, last turns, departures, the ranking."""

import pytest

from domain import baron
from domain.baron import CLAUSES, event_text, explain, standings
from domain.contract import DomainEvent, evolve
from tests.support.baron_positions import begun, blindly_begun, given, random_game, set_up
from tests.support.baron_told import reasons, said
from tests.support.events import data_of, event_of
from tests.support.given_when import when, when_removed, when_scored, when_time_is_up

TURN = """
    draw round 4 seat 1
    0: 2, keeps 2
    1: 3, PP, keeps 0
    market MVC
    pile QW
    board 0,0
    M0k P   V
      M   F   M
    """


def test_drawing() -> None:
    state = given(TURN)
    fact = when(state, 1, "draw 2").fact
    assert said(fact) == "draws a village for 1 honour; a quarry comes up"
    assert explain(state, 1, fact) == [
        ("BN-DRW-1", "a village lay in slot 2, which costs 1 honour"),
        (
            "BN-DRW-1",
            "cursed place moves up, and a quarry from the pile takes slot 3; 1 tile left there",
        ),
        ("BN-DRW-3", "seat 1 had 3 honour, and has 2; drawing may bring it down to -4"),
    ]
    state = given(TURN.replace("pile QW", "").replace("MVC", "MV"))
    fact = when(state, 1, "draw 2").fact
    assert said(fact) == "draws a village for 1 honour"
    why = reasons(state, fact)
    assert why["BN-DRW-1"][1] == "nothing has to move up, and the pile has nothing to refill with"
    assert why["BN-DRW-2"] == ["the market has 1 tile left"]


def test_laying_and_a_turn_that_ends_by_itself() -> None:
    state = given(TURN.replace("draw", "lay").replace("PP", "MPP"))
    fact = when(state, 1, "lay meadow 1,-1").fact
    assert said(fact) == "lays a meadow on 1,-1"
    assert reasons(state, fact) == {
        "BN-LAY-1": ["1,-1 was empty, and is adjacent to 2 tiles: meadow 0,0 and pond 1,0"],
        "BN-LAY-2": ["meadows may lie beside each other"],
        "BN-KEP-4": ["seat 1 has no keep in reserve: the turn ends by itself"],
        "BN-TRN-1": ["round 4 is over, and seat 0 begins round 5"],
    }


def test_a_keep_is_put_down_and_how_much_is_missing_around_it() -> None:
    state = given(TURN.replace("draw", "keep").replace("keeps 0", "keeps 2"))
    fact = when(state, 1, "keep 0,1").fact
    assert said(fact) == "puts a keep on 0,1"
    why = reasons(state, fact)
    assert why["BN-KEP-1"] == ["0,1 is a meadow, and no keep stood there"]
    assert why["BN-MAT-2"] == ["of 2 keeps in reserve 1 are left"]
    assert why["BN-BAR-1"] == ["3 of the six tiles around it lie there so far"]


def test_nothing_left_to_draw_and_the_last_turns() -> None:
    state = given(TURN.replace("draw", "keep").replace("market MVC\n", "").replace("pile QW\n", ""))
    why = reasons(state, when(state, 1, "end").fact)
    assert why["BN-END-1"] == ["there is nothing left to draw: each seat has 2 more turns"]
    last = given(
        TURN.replace("draw", "keep")
        .replace("market MVC\n", "")
        .replace("pile QW\n", "")
        .replace("keeps 2", "keeps 2, turns 0")
        .replace("keeps 0", "keeps 0, turns 1")
    )
    fact = when(last, 1, "end").fact
    assert said(fact) == "puts down no keep; play is over"
    assert reasons(last, fact)["BN-END-1"] == [
        "seat 1 has no turns left",
        "every seat has had its last turns: play is over",
    ]
    scored = when_scored(given("scoring round 4\n0: 2\n1: 2\nboard 0,0\nM  V")).fact
    assert said(scored) == "the game is over: seats 0 and 1 share the first place with 2 honour"


@pytest.mark.parametrize(
    ("phase", "what"),
    [
        ("draw", "nothing is drawn and nothing laid"),
        ("lay", "the tile that it has drawn stays in its reserve, and nothing is laid"),
        ("keep", "the tile that it has laid stays, and no keep is put down"),
    ],
)
def test_a_turn_that_lapses(phase: str, what: str) -> None:
    state = given(TURN.replace("draw", phase))
    fact = when_time_is_up(state).fact
    assert said(fact) == "seat 1's turn is forfeited"
    assert reasons(state, fact)["BN-TRN-4"] == [f"seat 1 let its turn lapse: {what}"]


def test_who_goes_out_in_its_own_turn_ends_it() -> None:
    state = given(
        """
        lay round 3 seat 0
        0: -4, MS
        1: 0
        2: 0
        board 0,0
        .   C   .
          M   M0k M
            M   M   .
        """
    )
    fact = when(state, 0, "lay marsh 2,0").fact
    why = reasons(state, fact)
    assert why["BN-BAR-3"][1] == "seat 0 loses 3 honour"
    assert why["BN-OUB-2"] == ["it was seat 0's turn, which is over with that"]
    assert "1 keep of its own stays on the board" in why["BN-OUB-1"][0]
    assert "BN-KEP-4" not in why


def test_leaving_the_game_ends_it_where_one_is_left() -> None:
    state = given(TURN)
    fact = when_removed(state, 0).fact
    assert said(fact) == "seat 0 is removed from the game; play is over"
    assert explain(state, 0, fact) == [
        ("BN-END-4", "seat 0 leaves the game and is out, with the 2 honour it has"),
        (
            "BN-OUB-1",
            (
                "seat 0 is out: no tiles and 2 keeps leave the game, and 1 keep of its own stays on the "
                "board"
            ),
        ),
        ("BN-OUB-3", "only seat 1 is left: the game ends at once"),
    ]
    after = when_removed(state, 0).after
    assert reasons(after, when_scored(after).fact) == {
        "BN-OUB-3": ["only seat 1 is left, so no knight tries to establish any more"],
        "BN-END-3": [
            "seat 1 has 3 honour and is on place 1",
            "seat 0 went out at moment 1, and ranks behind seats that stayed longer: place 2",
        ],
    }


def test_who_went_out_together_shares_the_place() -> None:
    state = given("scoring round 4\n0: 2\n1: 2, out 1\n2: -9, out 1\n3: 0\nboard 0,0\nM  V")
    why = reasons(state, when_scored(state).fact)
    assert why["BN-END-2"] == ["no keep is left on its knight side, so nobody tries to establish"]
    assert why["BN-OUB-4"] == ["seats 1 and 2 went out together, and share place 3"]


def test_a_tile_that_cannot_be_laid() -> None:
    state = given("lay round 4 seat 0\n0: 0, P, keeps 0\n1: 0\nmarket M\nboard 0,0\nP")
    fact = when(state, 0, "discard pond").fact
    assert said(fact) == "can lay nothing, and gives up a pond"
    assert reasons(state, fact)["BN-LAY-4"] == [
        (
            "seat 0 has 1 pond, of which nothing can be laid: every empty hex at the rim lies beside a "
            "pond; a pond leaves the game"
        )
    ]


def test_the_start_tells_what_was_dealt_only_once_it_is_opened() -> None:
    fact = set_up(5, seed=3)
    told = event_of(fact.type, {**fact.data, "players": ["ann", "bob", "cy", "dan", "eve"]})
    clauses = [clause for clause, _ in explain(None, None, told)]
    assert clauses == ["BN-MAT-2", "BN-SET-1", "BN-SET-3", "BN-SET-4", "BN-SET-4"]
    opened = reasons(begun(5, 3), fact)
    assert len(opened["BN-SET-2"]) == 5
    assert opened["BN-MAT-2"] == ["with 5 players each has 2 keeps"]
    assert not explain(None, None, DomainEvent("TileDrawn", {}))
    assert not explain(begun(2, 1), None, DomainEvent("SpellPlayed", {}))


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_every_event_of_a_game_is_explained(seats: int) -> None:
    for seed in range(3):
        blind = blindly_begun(seats, seed)
        for state, fact in random_game(seats, seed, forfeits=0.03):
            told = explain(state, data_of(fact).get("seat"), fact)
            assert told
            for clause, sentence in told:
                assert clause in CLAUSES
                assert sentence
                assert "None" not in sentence
            assert event_text(fact.type, fact.data) != fact.type
            if fact.type != "TileDiscarded":
                assert explain(blind, None, fact) == told
            blind = evolve(baron, blind, [fact])
        scores = {"round": 1, "standings": standings(state)}
        assert len(explain(state, None, event_of("RoundScored", scores))) == seats
