"""Log lines in JSON: their fields, the id of the request, and tracebacks."""

import logging
from typing import Any

import orjson
import pytest
from freezegun import freeze_time

from service.operation.json_logging import JsonFormatter
from service.provenance import Provenance, working_for


def format_line(message: str, *args: object, **record: Any) -> dict[str, Any]:
    """Return the log line of a message as an object."""
    extra = record.pop("extra", {})
    log_record = logging.getLogger("test").makeRecord(
        "service.test", logging.WARNING, "file.py", 1, message, args, extra=extra, **record
    )
    line = JsonFormatter().format(log_record)
    assert "\n" not in line
    fields: dict[str, Any] = orjson.loads(line)
    return fields


@pytest.fixture(autouse=True)
def no_place_of_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the names of threads and processes out, as `configure` does."""
    for name in ("logThreads", "logProcesses", "logMultiprocessing"):
        monkeypatch.setattr(logging, name, False)


@freeze_time("2026-11-20T09:15:00.123456Z")
def test_a_line_has_the_time_the_level_the_logger_and_the_message() -> None:
    assert format_line("%d games", 3, exc_info=None) == {
        "at": "2026-11-20T09:15:00.123Z",
        "level": "warning",
        "logger": "service.test",
        "message": "3 games",
    }


def test_a_line_has_the_extra_fields_and_the_id_of_the_request() -> None:
    with working_for(Provenance("request", "r-1")):
        line = format_line("done", exc_info=None, extra={"game": "g1", "seats": [0]})
    assert (line["game"], line["seats"], line["request"]) == ("g1", [0], "r-1")


def test_a_line_of_a_job_has_its_id_and_other_lines_have_none() -> None:
    with working_for(Provenance("job", "j-1")):
        line = format_line("done", exc_info=None)
    assert line["job"] == "j-1"
    assert not {"request", "job"} & format_line("done", exc_info=None).keys()


def test_a_line_has_the_traceback_of_an_exception() -> None:
    with pytest.raises(ValueError) as raised:
        int("not a number")
    error = raised.value
    line = format_line("failed", exc_info=(type(error), error, error.__traceback__))
    assert line["message"] == "failed"
    assert line["error"].startswith("Traceback")
    assert "ValueError: invalid literal for int()" in line["error"]
