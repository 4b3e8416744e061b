"""The access log: responses are logged and counted in batches, by a thread that no request waits for."""

import io
import logging
import threading
from collections.abc import Iterator
from typing import Any, cast

import orjson
import pytest
from flask import Flask
from typing_extensions import override

from service.http import access_log
from service.http.access_log import AccessLog, Metrics
from service.operation import json_logging
from tests.support.processes import HANG_SECONDS

COUNTER = 'cartulary_requests_total{method="GET",route="/",status="200"}'


class BlockableOutput(io.StringIO):
    """A log whose writing waits until `is_open` is set, as when the reader of a pipe does not read."""

    def __init__(self) -> None:
        super().__init__()
        self.is_open = threading.Event()
        self.is_written_to = threading.Event()

    @override
    def write(self, text: str, /) -> int:
        self.is_written_to.set()
        assert self.is_open.wait(HANG_SECONDS)
        return super().write(text)

    @property
    def records(self) -> list[dict[str, Any]]:
        """The lines so far."""
        return [orjson.loads(line) for line in self.getvalue().splitlines()]


@pytest.fixture
def output(monkeypatch: pytest.MonkeyPatch) -> Iterator[BlockableOutput]:
    """The log of this process."""
    output = BlockableOutput()
    root, handlers, level = logging.getLogger(), logging.getLogger().handlers[:], logging.root.level
    monkeypatch.setattr("sys.stderr", output)
    for name in ("_srcfile", "logThreads", "logProcesses", "logMultiprocessing"):
        monkeypatch.setattr(logging, name, getattr(logging, name))
    root.handlers.clear()
    json_logging.configure()
    yield output
    output.is_open.set()
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
def app(output: BlockableOutput, metrics: Metrics) -> Flask:
    """An application with one route, whose access log is in its `extensions`."""
    app = Flask("test")
    app.extensions["log"] = AccessLog(app, metrics)
    app.add_url_rule("/", "index", lambda: "text")
    return app


def log_of(app: Flask) -> AccessLog:
    return cast("AccessLog", app.extensions["log"])


def count_in(metrics: Metrics) -> float:
    """Return how many requests the metrics have counted."""
    lines = metrics.render().decode().splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith(COUNTER))


def test_a_response_is_logged_and_counted(
    app: Flask, output: BlockableOutput, metrics: Metrics
) -> None:
    output.is_open.set()
    app.test_client().get("/", headers={"X-Request-ID": "r-1"})
    log_of(app).flush()
    (line,) = output.records
    assert list(line) == [
        *("at", "level", "logger", "message"),
        *("method", "route", "status", "ms", "player", "request"),
    ]
    assert line["ms"] > 0
    assert {**line, "at": "", "ms": 0} == {
        "at": "",
        "level": "info",
        "logger": "service.http.access_log",
        "message": "request answered",
        "method": "GET",
        "route": "/",
        "status": 200,
        "ms": 0,
        "player": None,
        "request": "r-1",
    }
    assert count_in(metrics) == 1


def test_no_request_waits_for_a_log_that_cannot_be_written(
    app: Flask, output: BlockableOutput, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access_log, "MAX_BATCH", 5)
    writing = threading.Thread(target=log_of(app).flush)
    app.test_client().get("/", headers={"X-Request-ID": "first"})
    writing.start()
    # On a busy machine, the thread begins late.
    assert output.is_written_to.wait(HANG_SECONDS)
    for _ in range(20):
        assert app.test_client().get("/").status_code == 200
    assert output.records == []
    output.is_open.set()
    writing.join()
    log_of(app).flush()
    responses = [line for line in output.records if line["message"] == "request answered"]
    (report,) = [line for line in output.records if line not in responses]
    assert responses[0]["request"] == "first"
    assert report["level"] == "error"
    unlogged = int(report["message"].split(" ")[0])
    assert unlogged >= 20 - 2 * 5
    assert len(responses) + unlogged == 21


def test_responses_that_are_not_logged_are_counted(
    app: Flask, output: BlockableOutput, metrics: Metrics, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access_log, "MAX_BATCH", 0)
    output.is_open.set()
    for _ in range(3):
        app.test_client().get("/")
    log_of(app).flush()
    assert count_in(metrics) == 3
