"""The endpoints at which channels reach players, such as an address or a webhook."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An endpoint of a channel. `id` is stable and reveals no address; `address` is for the channel."""

    channel: str
    id: str
    address: str = field(repr=False)


class EndpointSource(Protocol):
    """The usable endpoints of all players in one channel."""

    channel: str

    def endpoints(self, player: str) -> Sequence[Endpoint]:
        """Return the endpoints of a player; none for a player without an account. Raises Unavailable."""


class EndpointRegistry:
    """The endpoints of players in all channels that a deployment has."""

    def __init__(self, *sources: EndpointSource) -> None:
        self._sources = {source.channel: source for source in sources}

    @property
    def channels(self) -> tuple[str, ...]:
        """The channels by which players can be reached."""
        return tuple(self._sources)

    def add(self, source: EndpointSource) -> None:
        """Add the endpoints of a channel."""
        self._sources[source.channel] = source

    def of(self, player: str) -> tuple[Endpoint, ...]:
        """Return all endpoints of a player. Raises Unavailable."""
        return tuple(
            endpoint for source in self._sources.values() for endpoint in source.endpoints(player)
        )

    def find(self, player: str, channel: str, id: str) -> Endpoint | None:
        """Return an endpoint of a player; None if it is gone. Raises Unavailable."""
        source = self._sources.get(channel)
        if source is None:
            return None
        return next((item for item in source.endpoints(player) if item.id == id), None)
