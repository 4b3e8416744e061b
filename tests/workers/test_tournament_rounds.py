"""How soon a round is drawn after the last result, by workers and a scheduler in processes of their own."""

import time
from collections.abc import Sequence
from statistics import median
from typing import Final

import pytest

from domain.tournaments.tournament import DrawnRound
from service.bootstrap import Service
from tests.support.processes import Start, wait_until
from tests.support.tournaments import SWISS, begin, end_game, organiser, register_accounts

SECONDS: Final = 2
"""The longest time between the last result and the next round, in the median of some rounds."""
ROUNDS: Final = 5


def wait_for_round(service: Service, id: str, number: int) -> DrawnRound:
    """Return a round when it is drawn."""
    tournaments = service.tournaments.tournaments
    wait_until(lambda: len(tournaments.load(id).rounds) == number)
    return tournaments.load(id).rounds[-1]


def end_games(service: Service, drawn: DrawnRound) -> None:
    """End the games of a round when they exist."""
    games = [game for game in drawn.games if game is not None]
    wait_until(lambda: all(service.store.head(game) for game in games))
    for game in games:
        end_game(service, game)


@pytest.mark.parametrize(
    "processes",
    [
        pytest.param([("worker", "--scheduler")], id="together"),
        pytest.param(
            [("scheduler",), *[("worker", "--queue", queue) for queue in ("games", "notices")] * 2],
            id="separate",
        ),
    ],
)
def test_a_round_is_drawn_within_two_seconds_of_the_last_result(
    service: Service, start: Start, processes: Sequence[tuple[str, ...]]
) -> None:
    olga, players = organiser(service), register_accounts(service, 6)
    for process in processes:
        start(*process)
    id = begin(service, olga, players, format={**SWISS, "rounds": ROUNDS + 1})
    seconds = []
    for number in range(1, ROUNDS + 1):
        end_games(service, wait_for_round(service, id, number))
        ended = time.monotonic()
        wait_for_round(service, id, number + 1)
        seconds.append(time.monotonic() - ended)
    assert median(seconds) <= SECONDS, seconds
