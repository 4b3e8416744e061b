"""Every event has a text of its own; the texts are in transcripts (test_transcripts.py)."""

from domain.barony import sorcery
from domain.barony.sorcery.event_messages import SORCERY_EVENT_MESSAGES
from domain.barony.sorcery.state import SORCERY_APPLIERS
from replay.language.renderer import english


def test_every_type_that_changes_a_position_has_a_text_of_its_own() -> None:
    assert set(SORCERY_APPLIERS) <= set(SORCERY_EVENT_MESSAGES)
    assert english(sorcery.event_message("TilePlaced", {})) == "TilePlaced"
