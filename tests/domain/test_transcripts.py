"""What the games say about examples is what the transcripts have, in every language."""

from pathlib import Path

import pytest

from tests.support.transcripts import answered, transcripts


@pytest.mark.parametrize(
    "file", transcripts(), ids=lambda file: f"{file.parents[1].name} {file.stem}"
)
def test_a_game_says_what_its_transcript_has(file: Path) -> None:
    # tests/support/transcripts.py describes how to write the answers again after a change.
    assert answered(file) == file.read_text()
