"""The table of the entries of an outbox."""

from typing import get_args

import pytest

from service.games.outbox_table import ENTRIES, Work, entry_of
from workers.tasks import Task


def test_every_kind_of_work_is_called_for_by_an_entry() -> None:
    assert {entry.work for entry in ENTRIES.values()} == {*get_args(Work)}


@pytest.mark.parametrize(
    ("name", "described"),
    [
        ("finish", "finish"),
        ("score/12", "score"),
        ("notify/round/3", "notify/round"),
        ("notify/joined/7f/x", None),
        ("notify/joined/7f", "notify/joined"),
        ("cancel/reminder/0", "cancel/reminder"),
        ("score", None),
        ("score/", None),
        ("score/one", None),
        ("finish/1", None),
        ("notify", None),
        ("later", None),
    ],
)
def test_an_entry_is_described_by_its_name(name: str, described: str | None) -> None:
    entry = entry_of(name)
    assert (None if entry is None else entry.name) == described
    assert Task("g", name, "{}").kind == (None if entry is None else entry.work)
