"""The texts of events (`event_message`) of a game with Sorcery."""

import pytest

from domain.barony import sorcery
from domain.barony.sorcery.event_messages import SORCERY_EVENT_MESSAGES
from domain.barony.sorcery.state import SORCERY_APPLIERS
from replay.language.renderer import english
from tests.support.barony_positions import given
from tests.support.events import event_of
from tests.support.given_when import rule_system_for, when

BOARD = """
play round 3 seat 0
spells: abundance celerity charm illusion petrification portal sanctuary teleportation tornado
0: baron, removed 1, magic 9
1: baron, 1P 2D
2: baron
board 0,0
F0k1k  S*2    P1v2k    S
   M1v    P0c    P0s     F0k
      P0v   L      P      P0c
"""


def text_after(text: str, diagram: str = BOARD) -> str:
    """The text of the event that an action of seat 0, in short form, leads to."""
    event = when(given(diagram), 0, text).event
    return english(sorcery.event_message(event.type, event.data))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "celerity tornado 0,0>1,0>2,0 take field",
            (
                "Celerity and Tornado for 3 magic tokens: moves a knight 0,0>1,0 and on 0,0 sweeps away "
                "seat 1's knight and places an imprint and gains 2 magic tokens, then moves it on 1,0>2,0 "
                "and on 2,0 "
                "sweeps away seat 2's knight and seat 1's village, taking a field token"
            ),
        ),
        ("teleportation 0,0>0,1", "Teleportation for 1 magic token: moves a knight 0,0>0,1"),
        (
            "charm portal 1 at 1,1 1 at 3,2",
            (
                "Charm and Portal for 3 magic tokens: recruits 1 knight on 1,1 and 1 knight on 3,2, "
                "one of them removed before"
            ),
        ),
        ("illusion 2 at 2,1", "Illusion for 1 magic token: recruits 2 knights on 2,1"),
        (
            "abundance petrification sanctuary at 3,1",
            (
                "Abundance, Petrification and Sanctuary for 4 magic tokens: turns the knight on 3,1 "
                "into a city and gains 10 points and a forest token"
            ),
        ),
        (
            "petrification at 0,2",
            "Petrification for 1 magic token: turns the village on 0,2 into a city and gains 10 points",
        ),
    ],
)
def test_casts(text: str, line: str) -> None:
    assert text_after(f"cast {text}") == f"casts {line}"


def test_a_cast_that_gains_no_token_and_ends_the_game() -> None:
    diagram = """
        play round 3 seat 1 limit 3
        spells: abundance
        0: baron
        1: baron, magic 1
        bank: 1M
        board 0,0
        P1v  P  P0c
        """
    event = when(given(diagram), 1, "cast abundance at 0,0").event
    assert english(sorcery.event_message(event.type, event.data)) == (
        "casts Abundance for 1 magic token: turns the village on 0,0 into a city and gains 10 points "
        "and no token; play is over"
    )


def test_arrivals_on_mysterious_places() -> None:
    assert text_after("move 0,0>1,0 3,1>3,0") == (
        "moves a knight 0,0>1,0 and places an imprint and gains 2 magic tokens, "
        "then moves another 3,1>3,0 and places an imprint and gains 3 magic tokens"
    )
    assert text_after("expedition 3,0") == (
        "sends an expedition to 3,0, giving up a knight for good "
        "and places an imprint and gains 3 magic tokens"
    )
    assert text_after("move 3,1>2,2") == "moves a knight 3,1>2,2"


def test_the_start_names_the_open_spells() -> None:
    data = {"board": [{}] * 54, "players": ["ann", "bob"], "spells": ["charm", "portal"]}
    started = event_of("GameStarted", data)
    assert english(sorcery.event_message(started.type, started.data)) == (
        "the game starts on 54 hexes: ann is seat 0 and bob is seat 1; the available spells are Charm"
        " and Portal"
    )


def test_the_score_of_a_round_names_tokens_and_imprints() -> None:
    state = given(
        """
        scoring round 9
        spells: charm
        0: count, 2P
        1: viscount
        2: baron, 2P
        3: baron
        board 0,0
        S*0*1  P0ck  M  P
        """
    )
    scored = event_of(
        "RoundScored", {"round": 9, "standings": rule_system_for(state).standings(state)}
    )
    assert english(sorcery.event_message(scored.type, scored.data)) == (
        "round 9 is scored: seat 0 has 30 (37 with tokens and imprints), "
        "seat 1 has 15 (18 with imprints), seat 2 has 0 (4 with tokens) and seat 3 has 0"
    )


def test_every_type_that_changes_a_position_has_a_text_of_its_own() -> None:
    assert set(SORCERY_APPLIERS) <= set(SORCERY_EVENT_MESSAGES)
    assert english(sorcery.event_message("TilePlaced", {})) == "TilePlaced"
