"""What the server has acknowledged to the bots of a crash test (tests/support/bot_players.py)."""

import threading
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class PreparedAction:
    """A conditional action: if seat `rival` takes `condition` next, `seat` is to take `action`."""

    seq: int
    """The event after which the condition is to come."""
    rival: int
    condition: dict[str, Any]
    seat: int
    action: dict[str, Any]


@dataclass
class Acknowledgements:
    """What the server has acknowledged to all bots of a test, and how many requests had to be repeated."""

    receipts: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """By game id."""
    event_hashes: dict[str, dict[int, str]] = field(default_factory=dict)
    """By game id and seq."""
    games: list[str] = field(default_factory=list)
    repeated_requests: int = 0
    messages: dict[str, list[str]] = field(default_factory=dict)
    """By game id, the texts of messages."""
    withdrawals: dict[str, list[int]] = field(default_factory=dict)
    """By game id, the disputes that were withdrawn."""
    requested_preparations: dict[str, list[PreparedAction]] = field(default_factory=dict)
    """By game id. The server may have accepted those that are not acknowledged, too."""
    preparations: dict[str, list[PreparedAction]] = field(default_factory=dict)
    """By game id, those that were acknowledged."""
    may_lose_shown_events: bool = False
    """Whether a failover may lose events that were shown and not acknowledged, so that a legal action is
    refused afterwards."""
    contradictions: list[str] = field(default_factory=list)
    """Events that were acknowledged with two different hashes."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add_events(self, game_id: str, response: dict[str, Any]) -> None:
        """Add the events and the receipt of an accepted request."""
        with self.lock:
            self.receipts.setdefault(game_id, []).append(response["receipt"])
            hashes = self.event_hashes.setdefault(game_id, {})
            for event in response["events"]:
                if hashes.setdefault(event["seq"], event["hash"]) != event["hash"]:
                    self.contradictions.append(f"event {event['seq']} of game {game_id}")

    @property
    def number_of_events(self) -> int:
        """How many events were acknowledged."""
        with self.lock:
            return sum(len(hashes) for hashes in self.event_hashes.values())
