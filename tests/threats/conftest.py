"""Fixtures of the attacks: games of the token game, and the commands."""

from tests.support.record_fixtures import eventful, registered_token_game, run

__all__ = ["eventful", "registered_token_game", "run"]
