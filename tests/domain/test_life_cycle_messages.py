"""How the events that every game has read in three languages, with names and with seats."""

from typing import Any

import pytest

from domain.life_cycle_messages import (
    ENDED_PHASES,
    LIFE_CYCLE_MESSAGES,
    with_end_of_play,
    with_seating,
)
from domain.messages import Message, message
from replay.language.renderer import NO_NAMES, Names, renderer

NAMES = Names({"ann": "Ada", "bob": "Inès"}, ["ann", "bob"])


def texts(message: Message, names: Names) -> tuple[str, ...]:
    """Return a message in English, French and Spanish, with ordinary spaces."""
    return tuple(
        renderer(language, names)(message).replace("\u00a0", " ") for language in ("en", "fr", "es")
    )


@pytest.mark.parametrize(
    ("type", "data", "expected"),
    [
        (
            "GameCreated",
            {"rules": "baron", "seats": 2, "clock": {"per_turn": 1}},
            (
                "creates a game of Baron for 2 players, with 1 second a turn",
                "crée une partie de Baron pour 2 joueurs, avec 1 seconde par tour",
                "crea una partida de Baron para 2 jugadores, con 1 segundo por turno",
            ),
        ),
        (
            "TurnForfeited",
            {"seat": 1},
            (
                "seat 1's turn is forfeited",
                "le tour du siège 1 est perdu",
                "se pierde el turno del asiento 1",
            ),
        ),
        (
            "PlayerRemoved",
            {"seat": 1},
            (
                "seat 1 is removed from the game",
                "le siège 1 doit quitter la partie",
                "se excluye al asiento 1 de la partida",
            ),
        ),
        (
            "DisputeRuled",
            {"dispute": 9, "arbiter": None, "ruling": {"type": "abandon"}},
            (
                "dispute 9 is settled by agreement of the players: the game is abandoned",
                "litige 9, décision prise d'un commun accord par les joueurs : la partie est interrompue",
                "disputa 9, resolución por acuerdo de los jugadores: la partida se cancela",
            ),
        ),
        (
            "TakebackAnswered",
            {"request": 12, "agree": False},
            (
                "declines takeback 12",
                "refuse la reprise de coup 12",
                "rechaza deshacer la jugada (petición 12)",
            ),
        ),
    ],
)
def test_events_of_the_life_cycle_with_seats(
    type: str, data: dict[str, Any], expected: tuple[str, ...]
) -> None:
    assert texts(LIFE_CYCLE_MESSAGES[type](data), NO_NAMES) == expected


@pytest.mark.parametrize(
    ("seconds", "time"),
    [
        (86_400, "1 day"),
        (259_200, "3 days"),
        (3600, "1 hour"),
        (90, "90 seconds"),
        (120, "2 minutes"),
    ],
)
def test_the_time_for_a_turn_is_in_the_longest_unit(seconds: int, time: str) -> None:
    data = {"rules": "baron", "seats": 2, "clock": {"per_turn": seconds}}
    text, *_ = texts(LIFE_CYCLE_MESSAGES["GameCreated"](data), NO_NAMES)
    assert text.endswith(f", with {time} a turn")


@pytest.mark.parametrize(
    ("type", "data", "expected"),
    [
        (
            "TurnForfeited",
            {"seat": 1},
            ("Inès's turn is forfeited", "le tour d'Inès est perdu", "se pierde el turno de Inès"),
        ),
        (
            "RulingProposed",
            {"dispute": 9, "ruling": {"type": "remove_seat", "seat": 0}},
            (
                "proposes a ruling in dispute 9: Ada is removed from the game",
                "propose une décision dans le litige 9 : Ada doit quitter la partie",
                "propone una resolución en la disputa 9: se excluye a Ada de la partida",
            ),
        ),
        (
            "DisputeRuled",
            {"dispute": 9, "arbiter": "bob", "ruling": {"type": "result_stands"}},
            (
                "dispute 9 is settled by the arbiter, Inès: the result stands",
                "litige 9, décision de l'arbitre, Inès : le résultat est maintenu",
                "disputa 9, resolución del árbitro, Inès: se mantiene el resultado",
            ),
        ),
    ],
)
def test_events_of_the_life_cycle_with_names(
    type: str, data: dict[str, Any], expected: tuple[str, ...]
) -> None:
    assert texts(LIFE_CYCLE_MESSAGES[type](data), NAMES) == expected


def test_the_seats_of_the_players_follow_the_start_of_a_game() -> None:
    start = message("the game is in progress")
    assert with_seating(start, []) is start
    assert texts(with_seating(start, ["ann", "bob"]), NAMES) == (
        "the game is in progress: Ada is seat 0 and Inès is seat 1",
        "la partie est en cours ; Ada occupe le siège 0 et Inès occupe le siège 1",
        "la partida está en curso; Ada ocupa el asiento 0 e Inès ocupa el asiento 1",
    )


def test_the_end_of_play_is_added_to_the_event_that_leads_to_it() -> None:
    event = message("resigns")
    assert with_end_of_play(event, "play") is event
    assert texts(with_end_of_play(event, "scoring"), NAMES) == (
        "resigns; play is over",
        "abandonne la partie ; il n'y a plus rien à jouer",
        "abandona la partida; el juego ha terminado",
    )


def test_a_game_in_which_nobody_is_to_act_is_being_scored_or_over() -> None:
    assert [texts(ENDED_PHASES[phase], NAMES)[1] for phase in ("scoring", "finished")] == [
        "le décompte de la partie est en cours",
        "la partie est terminée",
    ]
