"""What the games say about their examples is what the transcripts have, in every language."""

from pathlib import Path

import pytest

from tests.support.transcripts import example_files, transcript, transcript_path


@pytest.mark.parametrize(
    "file", example_files(), ids=lambda file: f"{file.parents[1].name} {file.stem}"
)
def test_a_game_says_what_its_transcript_has(file: Path) -> None:
    # tests/support/transcripts.py describes how to write them again after a change.
    assert transcript(file) == transcript_path(file).read_text()
