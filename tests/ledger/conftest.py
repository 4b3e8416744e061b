"""Fixtures that the tests of records share."""

from tests.support.record_fixtures import eventful, known_heap, path, real, run

__all__ = ["eventful", "known_heap", "path", "real", "run"]
