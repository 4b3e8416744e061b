"""Fixtures that the tests of records share."""

from tests.support.record_fixtures import eventful, path, real, registered_token_game, run, signed

__all__ = ["eventful", "path", "real", "registered_token_game", "run", "signed"]
