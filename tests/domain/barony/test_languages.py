"""Messages of Barony in French and Spanish: articles, elisions, genders, plurals, lists and names."""

import pytest

from domain import barony, messages
from domain.barony import sorcery
from domain.barony.actions import NewCity
from domain.barony.state import State
from domain.contract import AnyRuleSystem, DomainEvent
from domain.errors import Malformed, Refused
from domain.messages import Message
from replay.language.renderer import Names, renderer
from tests.support.barony_positions import given, random_game
from tests.support.barony_results import explanation, text_of
from tests.support.events import event_of
from tests.support.given_when import when, when_scored, when_time_is_up

NBSP = "\N{NO-BREAK SPACE}"
FRENCH, SPANISH = renderer("fr"), renderer("es")
NAMES = Names({"1": "Ada", "2": "Bruno", "3": "Inés"}, ["1", "2", "3"])
NAMED = FRENCH.with_names(NAMES), SPANISH.with_names(NAMES)

FIGHT = """
play round 3 seat 1
0: viscount, 1P 2D
1: baron, 3D
2: baron
board 0,0
P1kk  P0v2k  F2k   L
   D1v   M1v   D1k   L
"""
HOME = """
play round 3 seat 0
0: baron, 4P
1: baron
board 0,0
P0ck  L     D0v    F
   P0k   D0k     M0k  P1c
      L
"""


def event_after(state: State, text: str) -> DomainEvent:
    """Return the event that an action of the seat to act leads to, in short form."""
    assert state.to_act is not None
    return when(state, state.to_act, text).event


def refusal(state: State, text: str) -> tuple[str, str]:
    """Return why an action of the seat to act is refused, in French and in Spanish."""
    with pytest.raises(Refused) as refused:
        event_after(state, text)
    return FRENCH(refused.value.why), SPANISH(refused.value.why)


@pytest.mark.parametrize(
    ("text", "french", "spanish"),
    [
        ("recruit 1 at 0,0", "recrute 1 chevalier en 0,0", "recluta 1 caballero en 0,0"),
        ("recruit 3 at 0,0", "recrute 3 chevaliers en 0,0", "recluta 3 caballeros en 0,0"),
        (
            "title 4 plain",
            "défausse 4 jetons Plaine, devient vicomte et gagne 15 points",
            "descarta 4 fichas de Llanura, se convierte en vizconde y gana 15 puntos",
        ),
        (
            "build village 0,1",
            "construit un village en 0,1 qui rapporte un jeton Plaine",
            "construye una aldea en 0,1 que da una ficha de Llanura",
        ),
        (
            "build village 0,1 stronghold 1,1",
            (
                "construit un village en 0,1 qui rapporte un jeton Plaine et une forteresse en 1,1 "
                "qui rapporte un jeton Champ"
            ),
            (
                "construye una aldea en 0,1 que da una ficha de Llanura y una fortaleza en 1,1 que "
                "da una ficha de Campo"
            ),
        ),
        (
            "build village 0,1 stronghold 1,1 village 2,1",
            (
                "construit un village en 0,1 qui rapporte un jeton Plaine, une forteresse en 1,1 "
                "qui rapporte un jeton Champ et un village en 2,1 qui rapporte un jeton Montagne"
            ),
            (
                "construye una aldea en 0,1 que da una ficha de Llanura, una fortaleza en 1,1 que "
                "da una ficha de Campo y una aldea en 2,1 que da una ficha de Montaña"
            ),
        ),
        (
            "city 2,0",
            "remplace le village en 2,0 par une cité et gagne 10 points",
            "reemplaza la aldea de 2,0 por una ciudad y gana 10 puntos",
        ),
    ],
)
def test_an_event_counts_and_lists_what_it_names(text: str, french: str, spanish: str) -> None:
    state = given(HOME)
    event = event_after(state, text)
    assert text_of(state, event, FRENCH) == french
    assert text_of(state, event, SPANISH) == spanish


def test_a_fight_is_told_with_names_or_seats() -> None:
    state = given(FIGHT)
    event = event_after(state, "move 0,0>1,0 0,0>1,0 take field")
    assert text_of(state, event, FRENCH) == (
        "déplace un chevalier 0,0>1,0, puis en déplace un autre 0,0>1,0, et détruit le chevalier du "
        "siège 2 et le village du siège 0 en prenant un jeton Champ"
    )
    assert text_of(state, event, NAMED[0]) == (
        "déplace un chevalier 0,0>1,0, puis en déplace un autre 0,0>1,0, et détruit le chevalier "
        "d'Inés et le village d'Ada en prenant un jeton Champ"
    )
    assert text_of(state, event, SPANISH) == (
        "mueve un caballero 0,0>1,0, y después mueve otro 0,0>1,0, y destruye el caballero del "
        "asiento 2 y la aldea del asiento 0 tomando una ficha de Campo"
    )
    assert explanation(state, event, FRENCH)["BY-CON-2"] == [
        "le siège 0 donne un jeton Champ au siège 1 pour le village"
    ]
    assert explanation(state, event, SPANISH)["BY-CON-2"] == [
        "el asiento 0 da una ficha de Campo al asiento 1 por la aldea"
    ]
    assert explanation(state, event, FRENCH)["BY-CON-1"][1] == (
        "le siège 1 a maintenant 2 chevaliers en 1,0 et détruit le chevalier du siège 2 et le "
        "village du siège 0"
    )


def test_one_pawn_or_several_that_do_not_bar_a_hex() -> None:
    state = given(FIGHT)
    several = explanation(state, event_after(state, "move 0,0>1,0"), FRENCH)
    assert several["BY-MOV-5"] == [
        (
            f"le siège 2 et le siège 0 n'avaient qu'un pion par joueur en 1,0{NBSP}; deux pions d'un "
            "même joueur bloqueraient la case"
        )
    ]
    one = explanation(state, event_after(state, "move 2,1>2,0"), FRENCH)
    assert one["BY-MOV-5"] == [
        f"le siège 2 n'avait qu'un pion en 2,0{NBSP}; deux pions d'un même joueur bloqueraient la case"
    ]
    assert one["BY-MOV-6"] == [
        f"la case 2,0 est une forêt{NBSP}; un seul pion adverse ne bloque que les montagnes"
    ]
    spanish = explanation(state, event_after(state, "move 2,1>2,0"), SPANISH)
    assert spanish["BY-MOV-6"] == [
        "la casilla 2,0 es un bosque; un solo peón rival únicamente bloquea las montañas"
    ]


@pytest.mark.parametrize(
    ("knights", "french", "spanish"),
    [
        (1, "la réserve passe de 3 chevaliers à 2", "la reserva pasa de 3 caballeros a 2"),
        (3, "la réserve passe de 3 chevaliers à 0", "la reserva pasa de 3 caballeros a 0"),
    ],
)
def test_the_reserve_and_the_lake_of_a_recruitment(knights: int, french: str, spanish: str) -> None:
    state = given(HOME)
    event = event_after(state, f"recruit {knights} at 0,0")
    assert explanation(state, event, FRENCH)["BY-REC-2"] == [french]
    assert explanation(state, event, SPANISH)["BY-REC-2"] == [spanish]
    assert explanation(state, event, FRENCH)["BY-REC-1"] == [
        f"le siège 0 a une cité en 0,0, en bordure du lac en 1,0{NBSP}: jusqu'à 3 chevaliers"
    ]


@pytest.mark.parametrize(
    ("text", "french", "spanish"),
    [
        (
            "move 3,3>3,4",
            "la case 3,3 n'est pas sur le plateau",
            "la casilla 3,3 no está en el tablero",
        ),
        (
            "move 3,0>2,0",
            "le siège 0 n'a pas de chevalier en 3,0",
            "el asiento 0 no tiene ningún caballero en 3,0",
        ),
        ("move 0,0>1,0", "la case 1,0 est un lac", "la casilla 1,0 es un lago"),
        (
            "recruit 5 at 0,0",
            "la case 0,0 est en bordure d'un lac et reçoit au plus 3 chevaliers, et non 5",
            "la casilla 0,0 está junto a un lago y admite como máximo 3 caballeros, no 5",
        ),
        (
            "title 1 forest 3 plain",
            "le siège 0 a 0 jeton Forêt, et non 1",
            "el asiento 0 tiene 0 fichas de Bosque, no 1",
        ),
        (
            "title 3 plain",
            "ces jetons valent 12 points de Ressource, et un titre en coûte 15",
            "estas fichas valen 12 puntos de Recurso, y un título cuesta 15",
        ),
        (
            "city 0,1",
            "le siège 0 n'a pas de village en 0,1",
            "el asiento 0 no tiene ninguna aldea en 0,1",
        ),
        (
            "pass",
            f"une autre action est possible{NBSP}: recruit 1 at 0,0",
            "hay otra acción legal: recruit 1 at 0,0",
        ),
    ],
)
def test_refusals(text: str, french: str, spanish: str) -> None:
    assert refusal(given(HOME), text) == (french, spanish)


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


def test_a_departure_and_the_end() -> None:
    state = given("setup seat 0\n0: baron\n1: baron\nboard 0,0\nP  M  P  M  P")
    event = when_time_is_up(state).event
    french, spanish = NAMED
    assert explanation(state, event, french)["BY-END-6"] == [
        "Ada quitte la partie et n'a aucun pion sur le plateau",
        f"il ne reste que Bruno{NBSP}: la partie s'achève aussitôt",
    ]
    assert explanation(state, event, spanish)["BY-SET-6"] == [
        "Ada no coloca más ciudades y renuncia a 3 ciudades"
    ]


def test_scores_and_the_ranking() -> None:
    state = given(
        """
        scoring round 9
        0: duke, new cities 1
        1: viscount, 1P
        2: duke, new cities 1
        board 0,0
        P0ck  M  P
        """
    )
    french, spanish = NAMED
    scored = event_of("RoundScored", {"round": 9, "standings": barony.standings(state)})
    assert text_of(state, scored, spanish) == (
        "puntuación de la ronda 9: Ada tiene 70, Bruno tiene 15 (17 con las fichas) e Inés tiene 70"
    )
    assert explanation(state, scored, french)["BY-END-1"] == [
        (
            f"Ada a 70 points{NBSP}: duc, avec 1 nouvelle cité{NBSP}; Bruno a 15 points{NBSP}: vicomte, "
            f"sans nouvelle cité{NBSP}; Inés a 70 points{NBSP}: duc, avec 1 nouvelle cité"
        )
    ]
    over = when_scored(state).event
    assert text_of(state, over, french) == (
        f"la partie est terminée{NBSP}: Inés devient Roi avec 70 points, devant Ada avec 70 et "
        "Bruno avec 17"
    )
    assert explanation(state, over, spanish)["BY-END-4"] == [
        "Inés queda en primer lugar y se convierte en Rey",
        "Inés y Ada empatan; Inés está más lejos del primer jugador y queda delante",
    ]


@pytest.mark.parametrize("ranks", [("duke", "baron"), ("duke", "duke")])
def test_one_duke_or_two(ranks: tuple[str, str]) -> None:
    first, second = ranks
    state = given(
        f"play round 9 seat 2\n0: {first}\n1: {second}\n2: baron\nboard 0,0\nP0ck  M  P2ck"
    )
    event = event_after(state, "recruit 1 at 2,0")
    (french,) = explanation(state, event, NAMED[0])["BY-END-2"]
    (spanish,) = explanation(state, event, NAMED[1])["BY-END-2"]
    if second == "duke":
        assert french.startswith("Ada et Bruno ont atteint le rang de duc")
        assert spanish.startswith("Ada y Bruno habían alcanzado el rango de duque")
    else:
        assert french.startswith("Ada a atteint le rang de duc")
        assert spanish.startswith("Ada había alcanzado el rango de duque")


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
