"""Messages of Baron in French and Spanish: articles, elisions, genders, plurals and names."""

import pytest

from domain import baron
from domain.baron.actions import PlaceTile
from domain.errors import Refused
from domain.json_types import JsonObject
from replay.language.renderer import Names, renderer
from tests.support.baron_positions import explanation, given, started, text_of
from tests.support.events import event_of
from tests.support.given_when import when, when_scored

NBSP = "\N{NO-BREAK SPACE}"
LAYING = """
    lay round 4 seat 1
    0: 2, keeps 2
    1: 3, QS, keeps 0
    market M
    board 0,0
    M0k P   V
      M   Q   M
    """
TWO_KNIGHTS = """
    scoring round 20
    0: 1
    1: 0
    board 0,0
    V   Q   .   .   .
      M0k S   M1k .   M
    """


@pytest.mark.parametrize(
    ("tile", "french", "spanish"),
    [
        ("pond", "pioche un étang", "roba un estanque"),
        ("quarry", "pioche une carrière", "roba una cantera"),
        ("forest", "pioche une forêt", "roba un bosque"),
        ("village", "pioche un village", "roba una aldea"),
        ("cursed_place", "pioche un lieu maudit", "roba un lugar maldito"),
    ],
)
def test_a_tile_has_the_article_of_its_gender(tile: str, french: str, spanish: str) -> None:
    event = event_of("TileDrawn", {"tile": tile, "cost": 0, "refill": None})
    assert text_of(event, "fr") == french
    assert text_of(event, "es") == spanish


@pytest.mark.parametrize(
    ("honour", "french", "spanish"),
    [
        (0, "0 point d'honneur", "0 puntos de honor"),
        (1, "1 point d'honneur", "1 punto de honor"),
        (-1, "-1 point d'honneur", "-1 punto de honor"),
        (2, "2 points d'honneur", "2 puntos de honor"),
    ],
)
def test_points_are_counted_as_the_language_does(honour: int, french: str, spanish: str) -> None:
    scores = {"round": 1, "standings": [{"seat": 1, "score": honour, "baronies": []}]}
    event = event_of("RoundScored", scores)
    state = started(2, 1)
    assert explanation(state, event, "fr")["BN-END-3"] == [f"le siège 1 a {french}"]
    assert explanation(state, event, "es")["BN-END-3"] == [f"el asiento 1 tiene {spanish}"]


@pytest.mark.parametrize(
    ("action", "french", "spanish"),
    [
        (
            PlaceTile("pond", (0, 2)),
            "Ada n'a pas d'étang en réserve",
            "Ada no tiene ningún estanque en reserva",
        ),
        (
            PlaceTile("forest", (0, 2)),
            "Ada n'a pas de forêt en réserve",
            "Ada no tiene ningún bosque en reserva",
        ),
        (
            PlaceTile("village", (0, 2)),
            "Ada n'a pas de village en réserve",
            "Ada no tiene ninguna aldea en reserva",
        ),
        (
            PlaceTile("quarry", (1, 2)),
            "la case 1,2 est adjacente à une autre carrière",
            "la casilla 1,2 es adyacente a otra cantera",
        ),
        (PlaceTile("marsh", (1, 0)), "il y a déjà un étang en 1,0", "ya hay un estanque en 1,0"),
    ],
)
def test_a_refusal_agrees_with_the_tile(action: PlaceTile, french: str, spanish: str) -> None:
    names = Names({"x": "Inés", "y": "Ada"}, ["x", "y"])
    with pytest.raises(Refused) as refused:
        baron.decide(given(LAYING), 1, action)
    assert renderer("fr", names)(refused.value.why) == french
    assert renderer("es", names)(refused.value.why) == spanish


def test_prepositions_are_contracted_with_names_and_seats() -> None:
    names = Names({"x": "Inés", "y": "Bob"}, ["x", "y"])
    event = when_scored(given(TWO_KNIGHTS)).event
    reasons = baron.explain(given(TWO_KNIGHTS), None, event)
    french = [renderer("fr", names)(message) for _, message in reasons]
    assert (
        "le chevalier d'Inés en 0,1 et le chevalier de Bob en 2,1 sont adversaires"
        f"{NBSP}; en commun{NBSP}: marais 1,1 (-1)"
    ) in french
    spanish = [renderer("es")(message) for _, message in reasons]
    assert (
        "el caballero del asiento 0 en 0,1 y el caballero del asiento 1 en 2,1 son oponentes; en común: "
        "pantano 1,1 (-1)"
    ) in spanish


def test_one_or_several_seats_go_out() -> None:
    def out(*seats: int) -> JsonObject:
        return {"tile": "pond", "at": [1, -1], "out": {"seats": [*seats], "moment": 1}}

    one, two = event_of("TilePlaced", out(1)), event_of("TilePlaced", out(0, 2))
    assert (
        text_of(one, "fr") == f"pose un étang en 1,-1{NBSP}; le siège 1 tombe dans les oubliettes"
    )
    assert text_of(two, "fr") == (
        f"pose un étang en 1,-1{NBSP}; le siège 0 et le siège 2 tombent dans les oubliettes"
    )
    assert text_of(two, "es") == (
        "coloca un estanque en 1,-1; el asiento 0 y el asiento 2 caen en las mazmorras"
    )


def test_equal_tiles_that_move_up_are_counted() -> None:
    state = given("draw round 4 seat 0\n0: 2\n1: 3\nmarket VMM\npile Q\nboard 0,0\nM")
    event = when(state, 0, "draw 1").event
    assert explanation(state, event, "en")["BN-DRW-1"][1].startswith("2 meadows move up")
    assert explanation(state, event, "fr")["BN-DRW-1"][1].startswith("2 prairies avancent")
    different = given("draw round 4 seat 0\n0: 2\n1: 3\nmarket VPF\npile Q\nboard 0,0\nM")
    sentence = explanation(different, when(different, 0, "draw 1").event, "fr")["BN-DRW-1"][1]
    assert sentence.startswith("l'étang et le champ avancent")
