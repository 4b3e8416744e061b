"""What Sorcery adds to the JSON of Barony, as docs/formats.md defines it."""

from domain.barony.formats import ACTIONS, EVENTS, OPTIONS, POSITION, STANDING

__all__ = ["ACTIONS", "EVENTS", "OPTIONS", "POSITION", "STANDING"]
