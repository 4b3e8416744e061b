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


def renamed_player(subject: Subject, player: str, value: Any) -> bytes:
    """Return a record in which every event has this value in the place of a player."""

    def replaced(old: Any) -> Any:
        match old:
            case dict():
                return {name: replaced(member) for name, member in old.items()}
            case list():
                return [replaced(member) for member in old]
            case _:
                return value if old == player else old

    lines = [orjson.loads(line) for line in subject.data.splitlines()]
    forged = [canonical(replaced(line) if "seq" in line else line) for line in lines]
    return b"\n".join(repairs.seal_again(forged, key=KEY, with_states=True)) + b"\n"


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


@pytest.mark.parametrize("value", [[[0, 0]], 7, None], ids=["list", "number", "null"])
def test_a_player_who_is_not_a_text_is_reported_even_if_everything_follows(value: Any) -> None:
    """A player can stand in the data of events without having caused one: a bot, or one who is invited."""
    reported = set()
    for subject in subjects():
        for line in subject.data.splitlines():
            event = orjson.loads(line)
            if event.get("type") not in {"SeatTaken", "PlayerInvited"}:
                continue
            player = event["data"]["player"]
            report = audit(BytesIO(renamed_player(subject, player, value)), trusted=TRUSTED)
            broken = {check.name for check in report.checks if check.verdict == "broken"}
            # Receipts, which would also differ, need not be in a record.
            assert broken & {"form", "decisions"}, (subject.name, player)
            reported.add("bot" in event["data"])
    assert reported == {False, True}
