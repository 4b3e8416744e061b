"""Explanations of draws, tiles, keeps, last turns, departures and the ranking."""

import pytest

from domain import baron
from domain.baron import CLAUSES, explain, standings
from domain.contract import DomainEvent, evolve
from tests.support.baron_positions import (
    explanation,
    given,
    random_game,
    reasons,
    set_up,
    started,
    started_without_secrets,
    text_of,
)
from tests.support.events import event_of
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


def test_a_draw_is_explained() -> None:
    state = given(TURN)
    event = when(state, 1, "draw 2").event
    assert text_of(event) == "draws a village for 1 honour; a quarry comes up"
    assert reasons(state, event) == [
        ("BN-DRW-1", "a village lay in slot 2, which costs 1 honour"),
        (
            "BN-DRW-1",
            "the cursed place moves up, and a quarry from the pile takes slot 3; 1 tile is left in the pile",
        ),
        ("BN-DRW-3", "seat 1 had 3 honour, and has 2; drawing may bring it down to -4"),
    ]
    state = given(TURN.replace("pile QW", "").replace("MVC", "MV"))
    event = when(state, 1, "draw 2").event
    assert text_of(event) == "draws a village for 1 honour"
    why = explanation(state, event)
    assert why["BN-DRW-1"][1] == "nothing has to move up, and the pile has nothing to refill with"
    assert why["BN-DRW-2"] == ["the market has 1 tile left"]


def test_a_laid_tile_and_a_turn_that_ends_by_itself_are_explained() -> None:
    state = given(TURN.replace("draw", "lay").replace("PP", "MPP"))
    event = when(state, 1, "lay meadow 1,-1").event
    assert text_of(event) == "lays a meadow on 1,-1"
    assert explanation(state, event) == {
        "BN-LAY-1": ["1,-1 was empty, and is adjacent to 2 tiles: meadow 0,0 and pond 1,0"],
        "BN-LAY-2": ["meadows may lie beside each other"],
        "BN-KEP-4": ["seat 1 has no keep in reserve: the turn ends by itself"],
        "BN-TRN-1": ["round 4 is over, and seat 0 begins round 5"],
    }


def test_a_keep_is_explained_with_the_tiles_missing_around_it() -> None:
    state = given(TURN.replace("draw", "keep").replace("keeps 0", "keeps 2"))
    event = when(state, 1, "keep 0,1").event
    assert text_of(event) == "puts a keep on 0,1"
    why = explanation(state, event)
    assert why["BN-KEP-1"] == ["0,1 is a meadow, and no keep stood there"]
    assert why["BN-MAT-2"] == ["of 2 keeps in reserve 1 is left"]
    assert why["BN-BAR-1"] == ["3 of the 6 tiles around it lie there so far"]


def test_the_last_turns_are_explained() -> None:
    state = given(TURN.replace("draw", "keep").replace("market MVC\n", "").replace("pile QW\n", ""))
    why = explanation(state, when(state, 1, "end").event)
    assert why["BN-END-1"] == ["there is nothing left to draw: each player has 2 more turns"]
    last = given(
        TURN.replace("draw", "keep")
        .replace("market MVC\n", "")
        .replace("pile QW\n", "")
        .replace("keeps 2", "keeps 2, turns 0")
        .replace("keeps 0", "keeps 0, turns 1")
    )
    event = when(last, 1, "end").event
    assert text_of(event) == "places no keep; play is over"
    assert explanation(last, event)["BN-END-1"] == [
        "seat 1 has 0 turns left",
        "every player has had the last turns: play is over",
    ]
    scored = when_scored(given("scoring round 4\n0: 2\n1: 2\nboard 0,0\nM  V")).event
    assert (
        text_of(scored) == "the game is over: seat 0 and seat 1 share the first place with 2 honour"
    )


@pytest.mark.parametrize(
    ("phase", "effect"),
    [
        ("draw", "nothing is drawn and nothing laid"),
        ("lay", "the tile that was drawn stays in the reserve, and nothing is laid"),
        ("keep", "the tile that was laid stays, and no keep is put down"),
    ],
)
def test_a_forfeited_turn_is_explained(phase: str, effect: str) -> None:
    state = given(TURN.replace("draw", phase))
    event = when_time_is_up(state).event
    assert text_of(event) == "seat 1's turn is forfeited"
    assert explanation(state, event)["BN-TRN-4"] == [f"seat 1 let the turn lapse: {effect}"]


def test_a_seat_that_goes_out_in_its_own_turn_is_explained() -> None:
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
    event = when(state, 0, "lay marsh 2,0").event
    why = explanation(state, event)
    assert why["BN-BAR-3"][1] == "seat 0 loses 3 honour"
    assert why["BN-OUB-2"] == ["it was seat 0's turn, which is over with that"]
    assert "1 keep stays on the board" in why["BN-OUB-1"][0]
    assert "BN-KEP-4" not in why


def test_a_departure_that_ends_the_game_is_explained() -> None:
    state = given(TURN)
    event = when_removed(state, 0).event
    assert text_of(event) == "seat 0 is removed from the game; play is over"
    assert reasons(state, event) == [
        ("BN-END-4", "seat 0 leaves the game and is out, with 2 honour"),
        (
            "BN-OUB-1",
            "seat 0 is out: 0 tiles and 2 keeps leave the game, and 1 keep stays on the board",
        ),
        ("BN-OUB-3", "only seat 1 is left: the game ends at once"),
    ]
    after = when_removed(state, 0).after
    assert explanation(after, when_scored(after).event) == {
        "BN-OUB-3": ["only seat 1 is left, so no knight tries to establish a barony any more"],
        "BN-END-3": [
            "seat 1 has 3 honour and is on place 1",
            "seat 0 went out at moment 1, and ranks behind players who stayed longer: place 2",
        ],
    }


def test_a_shared_place_of_seats_that_went_out_together_is_explained() -> None:
    state = given("scoring round 4\n0: 2\n1: 2, out 1\n2: -9, out 1\n3: 0\nboard 0,0\nM  V")
    why = explanation(state, when_scored(state).event)
    assert why["BN-END-2"] == [
        "no keep is left on its knight side, so nobody tries to establish a barony"
    ]
    assert why["BN-OUB-4"] == ["seat 1 and seat 2 went out together, and share place 3"]


def test_a_discarded_tile_is_explained() -> None:
    state = given("lay round 4 seat 0\n0: 0, P, keeps 0\n1: 0\nmarket M\nboard 0,0\nP")
    event = when(state, 0, "discard pond").event
    assert text_of(event) == "can lay nothing, and gives up a pond"
    assert explanation(state, event)["BN-LAY-4"] == [
        (
            "seat 0 has 1 pond, of which nothing can be laid; every empty hex at the rim lies beside a "
            "pond; a pond leaves the game"
        )
    ]


def test_the_dealt_tiles_are_explained_only_if_they_are_opened() -> None:
    event = set_up(5, seed=3)
    seated = event_of(event.type, {**event.data, "players": ["ann", "bob", "cy", "dan", "eve"]})
    clauses = [clause for clause, _ in explain(None, None, seated)]
    assert clauses == ["BN-MAT-2", "BN-SET-1", "BN-SET-3", "BN-SET-4", "BN-SET-4", "BN-SET-5"]
    opened = explanation(started(5, 3), event)
    assert len(opened["BN-SET-2"]) == 5
    assert opened["BN-MAT-2"] == ["with 5 players each has 2 keeps"]
    assert not explain(None, None, DomainEvent("TileDrawn", {}))
    assert not explain(started(2, 1), None, DomainEvent("SpellPlayed", {}))


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_every_event_of_a_game_is_explained(seats: int) -> None:
    for seed in range(3):
        blind = started_without_secrets(seats, seed)
        for state, event in random_game(seats, seed, forfeits=0.03):
            sentences = reasons(state, event)
            assert sentences
            for clause, sentence in sentences:
                assert clause in CLAUSES
                assert sentence
                assert "None" not in sentence
            assert text_of(event) != event.type
            if event.type != "TileDiscarded":
                assert reasons(blind, event) == sentences
            blind = evolve(baron, blind, [event])
        scores = {"round": 1, "standings": standings(state)}
        assert len(explain(state, None, event_of("RoundScored", scores))) == seats
