"""The faults that Malformed names, in English."""

from domain.errors import Malformed
from replay.language.renderer import english


def faults_of(error: Malformed) -> dict[str, str]:
    """Return what is wrong with each wrong field, by path."""
    return {path: english(fault) for path, fault in error.fields.items()}
