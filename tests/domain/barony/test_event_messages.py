"""Every event has a text of its own; the texts are in transcripts (test_transcripts.py)."""

from domain.barony.event_messages import EVENT_MESSAGES
from domain.barony.state import EVENT_APPLIERS


def test_every_type_that_changes_a_position_has_a_text_of_its_own() -> None:
    assert set(EVENT_APPLIERS) <= set(EVENT_MESSAGES)
