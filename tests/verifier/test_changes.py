"""Every random change of a record that touches what the verifier of the pages claims to check is found."""

from collections import Counter
from itertools import count, islice

import pytest

from tests.mutations.subjects import subjects
from tests.support.verifier import Verifier
from tests.verifier.claimed_changes import TARGETED, claimed_change


def test_records_are_right_before_they_are_changed(verifier: Verifier) -> None:
    for subject in subjects():
        assert verifier.verify(subject.data).is_sound != subject.has_unknown_draws


@pytest.mark.parametrize(
    ("total", "least_of_a_kind"), [(150, 0), pytest.param(1000, 20, marks=pytest.mark.nightly)]
)
def test_every_change_is_found(verifier: Verifier, total: int, least_of_a_kind: int) -> None:
    kinds: Counter[str | None] = Counter()
    changes = (change for number in count() if (change := claimed_change(number)) is not None)
    for change in islice(changes, total):
        verification = verifier.verify(change.data)
        assert not verification.is_sound, change.name
        assert change.check is None or change.check in verification.broken, change.name
        kinds[change.check] += 1
    assert kinds.total() == total
    assert set(kinds) == {None} | {check for _, _, check in TARGETED.values()}
    assert min(kinds.values()) > least_of_a_kind
