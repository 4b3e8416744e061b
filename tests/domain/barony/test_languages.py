"""Messages of Barony in French and Spanish; those about positions are in transcripts."""

import pytest

from domain import barony, messages
from domain.barony import sorcery
from domain.barony.actions import NewCity
from domain.contract import AnyRuleSystem
from domain.errors import Malformed, Refused
from domain.messages import Message
from replay.language.renderer import Names, renderer
from tests.support.barony_positions import given, random_game

FRENCH, SPANISH = renderer("fr"), renderer("es")
NAMES = Names({"1": "Ada", "2": "Bruno", "3": "Inés"}, ["1", "2", "3"])
NAMED = FRENCH.with_names(NAMES), SPANISH.with_names(NAMES)

HOME = """
play round 3 seat 0
0: baron, 4P
1: baron
board 0,0
P0ck  L     D0v    F
   P0k   D0k     M0k  P1c
      L
"""


def test_a_refusal_off_turn_names_both_players() -> None:
    with pytest.raises(Refused) as refused:
        barony.decide(given(HOME), 1, NewCity((2, 0)))
    french, spanish = NAMED
    assert french(refused.value.why) == "c'est le tour d'Ada, et non de Bruno"
    assert spanish(refused.value.why) == "es el turno de Ada, no de Bruno"


def test_options_of_the_wrong_form() -> None:
    with pytest.raises(Malformed) as refused:
        barony.check_options(5, {"round_limit": 0, "colour": "red"})
    faults = {path: FRENCH(fault) for path, fault in refused.value.fields.items()}
    assert faults == {
        "seats": "doit être compris entre 2 et 4, ou valoir 5 avec Sorcery",
        "options.round_limit": "doit être un nombre entier de 1 à 10000, ou null",
        "options.colour": "n'est pas une option de ce jeu",
    }


@pytest.mark.parametrize("language", ["fr", "es"])
def test_the_summary_of_a_clause_is_a_short_sentence_in_every_language(language: str) -> None:
    render = renderer(language)
    for clause, summary in barony.CLAUSES.items():
        text = render(summary)
        assert text != renderer("en")(summary), clause
        assert text.endswith("."), clause
        assert len(text) <= 125, clause


@pytest.mark.parametrize("rules", [barony, sorcery], ids=["barony", "sorcery"])
def test_play_builds_no_messages(rules: AnyRuleSystem, monkeypatch: pytest.MonkeyPatch) -> None:
    """Accepted decisions, folding and the list of legal actions have nothing to say to anybody."""

    def built(*_: object) -> Message:
        pytest.fail("a message was built")

    monkeypatch.setattr(messages, "Message", built)
    assert sum(1 for _ in random_game(3, 1, round_limit=8, rules=rules)) > 20
