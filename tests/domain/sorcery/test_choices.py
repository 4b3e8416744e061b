"""Previews of Sorcery; the choices are in transcripts (test_transcripts.py)."""

from typing import Any

from domain.barony import sorcery
from tests.support.barony_positions import given

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


def test_a_preview_is_everything_that_follows() -> None:
    state: Any = given(BOARD)
    for action in sorcery.legal_actions(state, 0)[::7]:
        preview = sorcery.preview(state, 0, action)
        assert (preview.event, preview.hidden) == (sorcery.decide(state, 0, action), None)
