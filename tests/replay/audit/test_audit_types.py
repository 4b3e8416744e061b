"""Audits of records in which a value of an event has another type, and everything is sealed again."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any

import orjson
import pytest

from ledger.canonical import canonical
from replay.audit import audit
from tests.mutations import repairs
from tests.mutations.subjects import Subject, subjects
from tests.support.records import KEY, TRUSTED


def retyped_records(subject: Subject, value: Any) -> Iterator[tuple[str, bytes]]:
    """Yield records in which a field of an event has this value, each with the name of the field.

    Of the events of a type that have the same fields, only the first is changed.
    """
    lines = subject.data.splitlines()
    forms = set()
    for number, line in enumerate(lines):
        event = orjson.loads(line)
        form = (event.get("type"), *event.get("data", ()))
        if "type" not in event or form in forms:
            continue
        forms.add(form)
        for name in event["data"]:
            changed = {**event, "data": {**event["data"], name: value}}
            forged = [*lines[:number], canonical(changed), *lines[number + 1 :]]
            sealed = repairs.seal_again(forged, key=KEY, with_states=False)
            yield f"{event['type']}.{name}", b"\n".join(sealed) + b"\n"


@pytest.mark.parametrize(
    "value", [["odd"], pytest.param({"odd": 1}, marks=pytest.mark.nightly)], ids=["list", "object"]
)
@pytest.mark.parametrize("subject", subjects(), ids=lambda subject: subject.name)
def test_a_value_of_another_type_is_reported(subject: Subject, value: Any) -> None:
    for field, data in retyped_records(subject, value):
        assert audit(BytesIO(data), trusted=TRUSTED).verdict == "broken", field
