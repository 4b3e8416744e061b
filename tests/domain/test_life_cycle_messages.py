"""What is said of the start and the end of a game, in three languages; the events are in transcripts."""

from domain.life_cycle_messages import ENDED_PHASES, with_end_of_play, with_seating
from domain.messages import Message, message
from replay.language.renderer import Names, renderer

NAMES = Names({"ann": "Ada", "bob": "Inès"}, ["ann", "bob"])


def texts(message: Message, names: Names) -> tuple[str, ...]:
    """Return a message in English, French and Spanish, with ordinary spaces."""
    return tuple(
        renderer(language, names)(message).replace("\u00a0", " ") for language in ("en", "fr", "es")
    )


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
