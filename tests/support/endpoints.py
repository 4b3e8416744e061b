"""Players with accounts and endpoints for tests of notifications."""

from collections.abc import Sequence

from service.bootstrap import Service
from service.notifications.endpoints import Endpoint


class FixedEndpoints:
    """The endpoints of one channel: each player of the list `players` has one, whose id is `one`."""

    def __init__(self, channel: str, players: Sequence[str]) -> None:
        self.channel = channel
        self.players = list(players)

    def endpoints(self, player: str) -> Sequence[Endpoint]:
        if player not in self.players:
            return ()
        return (Endpoint(self.channel, "one", f"{player}@example.org"),)


def register_players(service: Service, *handles: str) -> list[str]:
    """Create guests, whose accounts need no password to be hashed, and return their ids."""
    return [service.accounts.players.create_guest()[0].id for _ in handles]
