"""A plugin of pytest that spares messages between the processes of a run.

For each test, pytest-xdist sends six messages to the process that shows the results. To write, send and read
them takes longer than many tests. Nobody looks at three of them: that the test begins, and that its fixtures
were set up and torn down without a fault.
"""

from collections.abc import Mapping
from typing import Any

import pytest


def pytest_sessionstart(session: pytest.Session) -> None:
    """Send less from now on, if this is a process that runs tests for another one."""
    for plugin in session.config.pluginmanager.get_plugins():
        if hasattr(plugin, "sendevent"):
            plugin.sendevent = _only_of_use(plugin.sendevent)


def _only_of_use(send: Any) -> Any:
    def send_if_of_use(name: str, **values: Any) -> None:
        if name != "logstart" and not (name == "testreport" and is_silent(values["data"])):
            send(name, **values)

    return send_if_of_use


def is_silent(report: Mapping[str, Any]) -> bool:
    """Whether a report says only that fixtures were set up or torn down, without any output."""
    return (
        report["when"] != "call"
        and report["outcome"] == "passed"
        and not (report["sections"] or report["user_properties"])
    )
