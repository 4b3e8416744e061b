"""A bot that plays Barony against a bot of the server: `python example_bot.py http://127.0.0.1:8000`."""

import random
import sys
from contextlib import suppress
from typing import Any

from cartulary.client import Client, Conflict


def choose(actions: tuple[dict[str, Any], ...]) -> dict[str, Any]:
    """Choose at random, first the type of action and then an action of this type."""
    kind = random.choice(sorted({action["type"] for action in actions}))
    return random.choice([action for action in actions if action["type"] == kind])


def play(client: Client, game: str) -> None:
    """Play a game to its end, acting after each event after which there are legal actions."""
    for _ in client.stream(game):
        with suppress(Conflict):  # the game has not started, or has changed: an event reports it
            if (legal := client.legal_actions(game)).actions:
                client.submit(game, choose(legal.actions), expected_seq=legal.seq)


if __name__ == "__main__":
    with Client(sys.argv[1]) as client:
        client.become_guest()
        game = client.create_game("barony", 2, bots=["sensible"], options={"round_limit": 10}).id
        play(client, game)
        print(client.position(game).json["ranking"])
