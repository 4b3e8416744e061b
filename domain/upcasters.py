"""Upcasters: events of earlier versions, rewritten as events of the current one.

Logs and records are never rewritten, so every version of the envelope that was ever released can occur in
them. When the version is raised, the upcaster of the version before it is added here, and stays for ever;
tests/domain/test_upcasters.py requires one, and a recorded game, for each of them.

An upcaster may rewrite everything except `v`, `game`, `seq`, `type`, `at`, `state`, `prev` and `hash`: hashes
and signatures are those of the event as it was recorded, and a position must have the same hash as then.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias, cast

from domain.errors import Unreadable
from domain.event import VERSION, Event
from domain.messages import comma_list

Upcaster: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]
"""Returns an event of one version as an event of the next, without changing the given one."""

UPCASTERS: Final[Mapping[int, Upcaster]] = {}
"""The upcaster of each released version of the envelope before the current one."""


def upcast(event: Mapping[str, Any]) -> Event:
    """Return a recorded event as one of the current version. Raises Unreadable for an unknown version."""
    if event["v"] == VERSION:
        return cast("Event", event)
    current = dict(event)
    while current["v"] != VERSION:
        version = current["v"]
        if version not in UPCASTERS:
            raise Unreadable.with_message(
                "an event of version {version}: only version {versions} can be read",
                version=version,
                versions=comma_list([*sorted(UPCASTERS), VERSION]),
            )
        current = {**UPCASTERS[version](current), "v": version + 1}
    return cast("Event", current)
