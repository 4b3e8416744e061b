"""Events, explanations and refusals of Sorcery in French and in Spanish, where their grammar is at stake."""

import pytest

from domain.barony import sorcery
from domain.contract import DomainEvent, State
from domain.errors import Refused
from replay.language.renderer import Names, renderer
from tests.support.barony_positions import given
from tests.support.given_when import when

NAMES = Names({"a": "Ada", "b": "Hugo"}, ["a", "b"])
FRENCH, SPANISH = renderer("fr", NAMES), renderer("es", NAMES)
MOVEMENT = """
play round 3 seat 0
spells: celerity teleportation tornado
0: baron, magic 4
1: baron, 1P 2D
board 0,0
P0k1k  S*1  F1v  P0c
"""
RECRUITMENT = """
play round 3 seat 0
spells: charm illusion portal
0: baron, removed 2, magic 4
1: baron
board 0,0
P0c  L  F0s  P  P0c  P1c
"""
CONSTRUCTION = """
play round 3 seat 0
spells: abundance petrification sanctuary
0: viscount, magic 4
1: baron
board 0,0
P0c  F0k  P  F0v  P  P0v  M1c  P0c
"""


def event_of(state: State, text: str) -> DomainEvent:
    """Return the event that an action of seat 0 leads to."""
    return when(state, 0, text).event


@pytest.mark.parametrize(
    ("position", "text", "french", "spanish"),
    [
        (
            MOVEMENT,
            "cast celerity tornado 0,0>1,0>2,0 take field",
            (
                "lance Célérité et Tornade pour 3 jetons Magie : déplace un chevalier 0,0>1,0, et détruit le"
                " chevalier de Hugo en 0,0, et pose un jeton Empreinte et gagne 2 jetons Magie, puis le"
                " déplace encore 1,0>2,0, et détruit le village de Hugo en 2,0 en prenant un jeton Champ"
            ),
            (
                "lanza Celeridad y Tornado por 3 fichas de Magia: mueve un caballero 0,0>1,0, y destruye el"
                " caballero de Hugo en 0,0, y coloca una Huella y gana 2 fichas de Magia, y después lo mueve"
                " de nuevo 1,0>2,0, y destruye la aldea de Hugo en 2,0 tomando una ficha de Campo"
            ),
        ),
        (
            RECRUITMENT,
            "cast charm illusion portal 1 at 0,0 1 at 2,0 1 at 4,0",
            (
                "lance Charme, Illusion et Portail pour 4 jetons Magie : recrute 1 chevalier en 0,0, 1"
                " chevalier en 2,0 et 1 chevalier en 4,0, dont 2 qui avaient été retirés du jeu"
            ),
            (
                "lanza Encanto, Ilusión y Portal por 4 fichas de Magia: recluta 1 caballero en 0,0, 1"
                " caballero en 2,0 y 1 caballero en 4,0, 2 de ellos antes retirados del juego"
            ),
        ),
        (
            CONSTRUCTION,
            "cast abundance petrification sanctuary at 1,0",
            (
                "lance Abondance, Pétrification et Sanctuaire pour 4 jetons Magie : remplace le chevalier en"
                " 1,0 par une cité et gagne 10 points et un jeton Forêt"
            ),
            (
                "lanza Abundancia, Petrificación y Santuario por 4 fichas de Magia: reemplaza el caballero de"
                " 1,0 por una ciudad y gana 10 puntos y una ficha de Bosque"
            ),
        ),
    ],
    ids=["movement", "recruitment", "construction"],
)
def test_casts(position: str, text: str, french: str, spanish: str) -> None:
    event = event_of(given(position), text)
    message = sorcery.event_message(event.type, event.data)
    assert FRENCH(message).replace("\u00a0", " ") == french
    assert SPANISH(message) == spanish


@pytest.mark.parametrize(
    ("position", "text", "clause", "french", "spanish"),
    [
        (
            RECRUITMENT,
            "cast portal 1 at 4,0",
            "BS-POR-1",
            "des expéditions avaient retiré 2 chevaliers ; 1 revient",
            "las expediciones habían retirado 2 caballeros; vuelve 1",
        ),
        (
            RECRUITMENT,
            "cast charm illusion 1 at 0,0 1 at 2,0",
            "BS-SPL-1",
            "Charme et Illusion sont des sortilèges de recrutement disponibles",
            "Encanto e Ilusión son sortilegios de reclutamiento disponibles",
        ),
        (
            CONSTRUCTION,
            "cast petrification sanctuary at 1,0",
            "BS-SAN-1",
            "le chevalier d'Ada en 1,0 cède la place à une cité ; aucun pion adverse ne s'y trouvait",
            "el caballero de Ada en 1,0 deja sitio a una ciudad; no había allí ningún peón de un oponente",
        ),
        (
            MOVEMENT,
            "cast celerity 0,0>1,0>2,0",
            "BS-MYS-2",
            "Ada pose le deuxième jeton Empreinte en 1,0 et gagne 2 jetons Magie",
            "Ada coloca la segunda Huella en 1,0 y gana 2 fichas de Magia",
        ),
    ],
)
def test_explanations(position: str, text: str, clause: str, french: str, spanish: str) -> None:
    state = given(position)
    reasons = dict(sorcery.explain(state, 0, event_of(state, text)))  # type: ignore[arg-type] # has spells
    assert FRENCH(reasons[clause]).replace("\u00a0", " ") == french
    assert SPANISH(reasons[clause]) == spanish


@pytest.mark.parametrize(
    ("position", "text", "french", "spanish"),
    [
        (
            MOVEMENT.replace("magic 4", "magic 1"),
            "cast tornado 0,0>1,0",
            "cela coûte 2 jetons Magie, et Ada en a 1",
            "esto cuesta 2 fichas de Magia, y Ada tiene 1",
        ),
        (
            RECRUITMENT,
            "cast charm illusion 1 at 3,0",
            "Ada n'a ni cité ni forteresse en 3,0",
            "Ada no tiene ninguna ciudad ni fortaleza en 3,0",
        ),
        (
            CONSTRUCTION,
            "cast celerity 0,0>1,0>2,0",
            (
                "Célérité n'est pas disponible dans cette partie, qui a ces sortilèges : Abondance,"
                " Pétrification et Sanctuaire"
            ),
            (
                "Celeridad no está disponible en esta partida, que tiene estos sortilegios: Abundancia,"
                " Petrificación y Santuario"
            ),
        ),
    ],
)
def test_refusals(position: str, text: str, french: str, spanish: str) -> None:
    with pytest.raises(Refused) as refused:
        event_of(given(position), text)
    assert FRENCH(refused.value.why).replace("\u00a0", " ") == french
    assert SPANISH(refused.value.why) == spanish
