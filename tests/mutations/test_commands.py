"""The commands that read records report every fault of a changed record, and never fail with a traceback.

`make fuzz` tries many thousand changes; here are a few, always the same ones.
"""

from pathlib import Path

from tests.mutations.commands import failures


def test_no_command_fails_with_a_traceback_on_a_changed_record(tmp_path: Path) -> None:
    all_failures = [failure for number in range(12) for failure in failures(number, tmp_path)]
    assert all_failures == []
