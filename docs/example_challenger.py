"""A bot that challenges players, and plays them at any number of tables: see programs.md.

    python example_challenger.py ada bea

The environment has the address of the server (CARTULARY_URL) and a personal token of the account of the bot
with the scopes `read`, `play` and `chat` (CARTULARY_TOKEN).
"""

import os
import random
import sys
from contextlib import suppress

from cartulary.client import Client, Conflict, Event, GameSummary, NotFound, pages

OPTIONS = {"round_limit": 10}
CLOCK = {"per_turn": 24 * 3600}


class Challenger:
    """Has one game at a time with each of its opponents, and another one when that is over."""

    def __init__(self, client: Client, opponents: list[str]) -> None:
        self.client = client
        self.opponents = opponents
        self.handle = client.me().player.handle

    def run(self, games: int | None = None) -> None:
        """Challenge and play until so many games have ended, or without end."""
        ended = 0
        for item in self.client.stream_mine():
            if not isinstance(item, Event):
                # The stream begins here, also after a lost connection: act wherever it is the bot's turn.
                self.challenge()
                for page in pages(self.client.me):
                    for game in page.games:
                        self.act(game.id)
            elif item.type != "GameFinished":
                self.act(item.game)
            else:
                self.client.send_message(item.game, "Thank you for the game!")
                ended += 1
                if games == ended:
                    return
                self.challenge()

    def challenge(self) -> None:
        """Invite every opponent with whom there is no game yet."""
        current = [
            game
            for page in pages(self.client.games, player=self.handle, status="open,playing")
            for game in page.games
        ]
        for opponent in self.opponents:
            if not any(self.is_with(game, opponent) for game in current):
                self.client.create_game(
                    "barony", 2, options=OPTIONS, clock=CLOCK, invite=[opponent]
                )

    @staticmethod
    def is_with(game: GameSummary, opponent: str) -> bool:
        """Return whether a player takes part in a game, or is invited to it."""
        people = [*game.json["players"], *game.json["invited"]]
        return any(person["handle"] == opponent for person in people)

    def act(self, game: str) -> None:
        """Take a legal action at random, if it is the bot's turn."""
        # The game has not started or has changed, or the bot has left it: the stream reports what follows.
        with suppress(Conflict, NotFound):
            legal = self.client.legal_actions(game)
            if legal.actions:
                action = random.choice(legal.actions)
                self.client.submit(game, action, expected_seq=legal.seq)


if __name__ == "__main__":
    with Client(os.environ["CARTULARY_URL"], os.environ["CARTULARY_TOKEN"]) as client:
        Challenger(client, sys.argv[1:]).run()
