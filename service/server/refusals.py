"""Counts refusals before a request reaches the application, and logs them once a second.

With a line for each refusal, an attacker could fill the log.
"""

import logging
from dataclasses import dataclass
from typing import Literal, TypeAlias

from domain.messages import Text
from replay.language.renderer import english
from service.http.access_log import Metrics

log = logging.getLogger(__name__)

Reason: TypeAlias = Literal[
    "malformed",
    "headers_too_large",
    "body_too_large",
    "too_slow",
    "too_many_connections",
    "too_many_new_connections",
    "unsent_response",
    "queue_full",
    "waited_too_long",
    "no_response",
    "store_away",
]


@dataclass(slots=True)
class _Count:
    refused: int
    example: str


class Refusals:
    """The refusals of one process, by reason. Belongs to one event loop."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._counts: dict[Reason, _Count] = {}

    def add(
        self, reason: Reason, address: str, detail: Text | None = None, cause: str = ""
    ) -> None:
        """Count a refusal of a client at this address."""
        self._metrics.count_refusal(reason)
        count = self._counts.get(reason)
        if count is None:
            texts = [english(detail)] if detail is not None else []
            text = ": ".join([*texts, cause] if cause else texts)
            self._counts[reason] = _Count(1, f"{address} {text}".strip())
        else:
            count.refused += 1

    def write(self) -> None:
        """Log the refusals since the last call, with one line for each reason."""
        for reason, count in self._counts.items():
            log.warning(
                "requests refused: %s",
                reason,
                extra={"reason": reason, "count": count.refused, "first": count.example},
            )
        self._counts.clear()
