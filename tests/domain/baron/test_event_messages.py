"""Every event has a text of its own; the texts are in transcripts (test_transcripts.py)."""

from domain.baron.event_messages import EVENT_MESSAGES
from domain.baron.explain import EXPLANATIONS
from domain.baron.state import EVENT_APPLIERS


def test_every_event_type_that_changes_a_position_has_a_text_and_an_explanation() -> None:
    assert set(EVENT_APPLIERS) <= set(EVENT_MESSAGES)
    assert set(EVENT_APPLIERS) <= set(EXPLANATIONS)
