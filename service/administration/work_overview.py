"""An overview of the pending and the failed work of a service, for administrators."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from domain.json_types import JsonObject
from domain.messages import Message
from replay.language.renderer import english
from service.notifications.deliveries import Deliveries
from service.operation.process_reports import ProcessReports, health
from service.store.damaged_games import DamagedGames

MAX_DAMAGED_GAMES: Final = 100
"""The most damaged games that are listed."""
MAX_DELIVERIES: Final = 100
"""The most waiting deliveries, and the most failed ones, that are listed."""


@dataclass(eq=False, repr=False)
class WorkOverview:
    """Reads the overview. Thread-safe. Raises Unavailable if Redis does not respond."""

    _process_reports: ProcessReports
    _damaged_games: DamagedGames
    _deliveries: Deliveries

    def read(self, render: Callable[[Message], str] = english) -> JsonObject:
        """Return the overview as JSON; `render` turns messages into text.

        `waiting_jobs` and `failed_jobs` are numbers by queue, as the scheduler has last reported them, and
        empty without one. `overdue_milliseconds` is the time since the earliest deadline that has not taken
        effect, or null. `damaged_games` has the reasons by game and part. `waiting_deliveries` begins with
        the next one, `failed_deliveries` with the last one.
        """
        reports = self._process_reports.alive()
        figures = (
            next((report.figures for report in reports if report.kind == "scheduler"), None) or {}
        )
        damaged = self._damaged_games.parts()
        return {
            **health(reports, self._process_reports.expected_kinds),
            "waiting_jobs": _by_queue(figures, "waiting "),
            "failed_jobs": _by_queue(figures, "failed "),
            "overdue_milliseconds": figures.get("overdue_milliseconds"),
            "waiting_deliveries": [
                delivery.as_json(render) for delivery in self._deliveries.waiting(MAX_DELIVERIES)
            ],
            "failed_deliveries": [
                delivery.as_json(render) for delivery in self._deliveries.failed(MAX_DELIVERIES)
            ],
            "damaged_games": dict(sorted(damaged.items())[:MAX_DAMAGED_GAMES]),
        }


def _by_queue(figures: Mapping[str, int], prefix: str) -> dict[str, int]:
    return {
        name.removeprefix(prefix): value
        for name, value in figures.items()
        if name.startswith(prefix)
    }
