"""What an attack is: a name, a sentence that describes it, and the traffic that it sends to a target."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from bench.http_client import request_bytes
from bench.siege.traffic import Read, Script, Send, Step, Traffic

API: Final = "/api/v1"
PLAYERS_ADDRESS: Final = "127.0.0.1"
ONE_ADDRESS: Final = ("127.0.0.2",)
FRESH_PLAYERS_ADDRESS: Final = "127.0.0.4"
"""Of the players who open a connection for each request: who shares an address with an attacker also shares
its bound on new connections.
"""
MANY_ADDRESSES: Final = tuple(f"127.1.0.{number}" for number in range(1, 251))
FROM_PLAYERS: Final = "@players"
"""Suffix of the name of an attack that is sent from the address of the players."""


GAME: Final = "GAME"


@dataclass(frozen=True, slots=True)
class Target:
    """The service under attack, and the accounts and games in it that an attacker may use."""

    port: int
    tokens: tuple[str, ...]
    """Of the attacker's accounts. The first two play in its games. Attacks that exhaust the limits of an
    account use one of the others.
    """
    cookies: tuple[str, ...]
    """The session cookies of the attacker's first two accounts, each as `NAME=VALUE`."""
    form_token: str
    """The token with which these sessions may send forms."""
    sandboxes: tuple[str, ...]
    """Sandboxes of the long game that the first account has made."""
    player_handles: tuple[str, ...]
    """Handles of the clients that play, whom an attacker can invite."""
    long_game: str
    """A public game of `long_game_events` events, between the attacker's first two accounts."""
    long_game_events: int
    games: tuple[str, ...]
    """Public games of `events_per_game` events, none of which has been read since the service started."""
    events_per_game: int
    short_game: str
    """A public game of `short_game_events` events, in which an account of the attacker is to act."""
    short_game_events: int
    open_games: tuple[str, ...]
    """Games for three that the first account has created."""
    games_to_start: tuple[str, ...]
    """Games for two that the first account has created."""
    finished_games: tuple[str, ...]
    """Public games that are over, which have not been analysed."""
    webhook_port: int
    """The port to which the service posts notifications, if an attack has set that."""
    pages: tuple[str, ...]
    """The addresses of all pages that need nothing else than the id of a game, in place of which they have
    GAME.
    """


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack of the siege."""

    name: str
    description: str
    """One sentence, in which the subject is the attacker: "sends …"."""
    traffic: Callable[[Target], Traffic]
    seconds: float | None = None
    """How long it lasts, if not as long as the others."""
    waves: int = 2
    """Into how many parts it is divided, with a quiet phase between them; one if it can come only once."""
    processes: int = 1
    """How many processes send this traffic at the same time."""
    environ: dict[str, str] = field(default_factory=dict)
    """Settings of the service that this attack needs; {webhook_port} stands for the port of `Target`."""
    stops_redis: bool = False
    """Whether Redis is stopped (SIGSTOP) for as long as the attack lasts."""
    receives_webhooks: bool = False
    """Whether the attacker receives the service's notifications as well (webhook_receiver.py)."""

    def from_players_address(self) -> "Attack":
        """Return the same attack, sent from the address of the players."""

        def traffic_from_players(target: Target) -> Traffic:
            return replace(self.traffic(target), addresses=(PLAYERS_ADDRESS,))

        return replace(
            self,
            name=f"{self.name}{FROM_PLAYERS}",
            description=f"{self.description}, from the address of the players",
            traffic=traffic_from_players,
        )


def request(method: str, path: str, body: bytes = b"", token: str = "", headers: str = "") -> Send:
    """Return a whole request; each line of `headers` ends with CR LF."""
    data = request_bytes(method, path, body, token)
    line_end = data.index(b"\r\n") + 2
    return Send(data[:line_end] + headers.encode() + data[line_end:], 1)


def repeat(*steps: Step) -> Script:
    """Return the script that repeats these steps on every connection."""

    def script(number: int) -> Iterator[Step]:
        while True:
            yield from steps

    return script


def once(*steps: Step) -> Script:
    """Return the script that takes these steps once on each connection."""
    return lambda _: iter(steps)


def send_and_read(send: Send) -> Script:
    """Return the script that sends one request per connection and reads the response."""
    return once(send, Read())
