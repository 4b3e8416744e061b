"""What the games say about their examples is what the transcripts have, in every language."""

import pytest

from tests.support.transcripts import GAMES, LANGUAGES, transcript, transcript_path


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_a_game_says_what_its_transcript_has(game: str, language: str) -> None:
    # tests/support/transcripts.py describes how to write them again after a change.
    assert transcript(game, language) == transcript_path(game, language).read_text()
