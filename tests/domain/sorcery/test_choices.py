"""The choices by which a player of Sorcery comes to a cast, and what mysterious places change."""

from typing import Any

from domain.barony import sorcery
from tests.support.barony_positions import given
from tests.support.choices import action_after, options_after, question_after

BOARD = """
    play round 2 seat 0
    spells: celerity charm portal teleportation tornado
    0: baron, magic 4
    1: baron, 2P 1D
    2: baron, 1F
    board
    P0k  F    S*1  P1c P
       M1v  P    D0k1k P2v  P
          P0c  D   P0k D  P
             P  P0c P  P2ck .
    """


def test_the_spells_are_chosen_together() -> None:
    state = given(BOARD)
    assert options_after(state)["cast"] == "spell"
    assert question_after(state, "cast") == "Which spells do you cast?"
    spells = options_after(state, "cast")
    assert spells["tornado"] == "Tornado, for 2 magic tokens"
    assert spells["celerity+tornado"] == "Celerity and Tornado, for 3 magic tokens"
    assert "celerity+charm" not in spells


def test_a_knight_with_celerity_chooses_where_it_goes_and_then_its_way_if_it_matters() -> None:
    state = given(BOARD)
    assert question_after(state, "cast", "celerity") == "Which knight moves?"
    destinations = options_after(state, "cast", "celerity", "0,0")
    assert destinations == {
        "0,0": "the plain on 0,0",
        "1,1": "the plain on 1,1",
        "2,0": "the mysterious place on 2,0, which yields 2 magic tokens",
    }
    assert action_after(state, "cast", "celerity", "0,0", "2,0") == "cast celerity 0,0>1,0>2,0"
    detour = ("cast", "celerity", "2,1", "1,1")
    assert question_after(state, *detour) == "Over which hex does the knight move?"
    assert (
        options_after(state, *detour)["2,0"]
        == "the mysterious place on 2,0, which yields 2 magic tokens"
    )
    assert action_after(state, *detour, "2,0") == "cast celerity 2,1>2,0>1,1"


def test_tokens_are_taken_from_the_owners_of_the_villages_in_order() -> None:
    state = given("""
        play round 2 seat 0
        spells: celerity tornado
        0: baron, magic 3
        1: baron, 2P 1D
        2: baron, 1F 1M
        board
        P0k1v D M P2v P1c P2c
        """)
    values = ("cast", "tornado")
    assert question_after(state, *values) == "Which token do you take for the village?"
    assert options_after(state, *values) == {
        "plain-1": "a plain token from seat 1",
        "field-1": "a field token from seat 1",
    }
    assert action_after(state, *values, "field-1") == "cast tornado 0,0>1,0 take field"


def test_a_cast_with_portal_is_a_city_and_a_number_of_knights() -> None:
    state = given(BOARD)
    assert question_after(state, "cast", "portal") == "On which hex do you recruit?"
    assert options_after(state, "cast", "portal") == {
        "0,2": "the city on 0,2",
        "1,3": "the city on 1,3",
    }
    assert options_after(state, "cast", "portal", "0,2") == {"1": "1 knight", "2": "2 knights"}
    assert action_after(state, "cast", "portal", "0,2", "2") == "cast portal 2 at 0,2"


def test_a_cast_with_charm_is_sites_in_any_order() -> None:
    state = given(BOARD)
    assert question_after(state, "cast", "charm", "1,3") == "On which other hex do you recruit?"
    assert options_after(state, "cast", "charm", "1,3") == {
        "done": "no other knight is recruited",
        "0,2": "the city on 0,2",
    }
    assert action_after(state, "cast", "charm", "1,3", "done") == "cast charm 1 at 1,3"
    both = action_after(state, "cast", "charm", "1,3", "0,2")
    assert both == action_after(state, "cast", "charm", "0,2", "1,3")
    assert both == "cast charm 1 at 0,2 1 at 1,3"


def test_a_city_by_spells_is_a_hex() -> None:
    state = given("""
        play round 2 seat 0
        spells: abundance petrification sanctuary
        0: baron, magic 4
        1: baron
        board
        P0k F0v P0v P D0v P P1c
        """)
    assert question_after(state, "cast", "abundance") == "Where do you build the city?"
    assert options_after(state, "cast", "abundance") == {
        "2,0": "the plain on 2,0",
        "4,0": "the field on 4,0",
    }
    assert action_after(state, "cast", "abundance", "4,0") == "cast abundance at 4,0"
    assert action_after(state, "cast", "sanctuary") == "cast sanctuary at 0,0"


def test_a_mysterious_place_yields_magic_to_the_first_knight_that_arrives() -> None:
    state = given(BOARD)
    place = "the mysterious place on 2,0, which yields 2 magic tokens"
    assert options_after(state, "move", "2,1")["2,0"] == place
    assert options_after(state, "expedition")["2,0"] == place
    seen = given(BOARD.replace("S*1", "S*0*1"))
    assert options_after(seen, "move", "2,1")["2,0"] == "the mysterious place on 2,0"
    assert options_after(state, "move", "2,1", "3,1")
    twice = given(BOARD.replace("P    D0k1k", "P    D0kk1k"))
    second = options_after(twice, "move", "2,1", "2,0", "2,1")
    assert second["2,0"] == "the mysterious place on 2,0"


def test_a_preview_is_everything_that_follows() -> None:
    state: Any = given(BOARD)
    for action in sorcery.legal_actions(state, 0)[::7]:
        preview = sorcery.preview(state, 0, action)
        assert (preview.event, preview.hidden) == (sorcery.decide(state, 0, action), None)
