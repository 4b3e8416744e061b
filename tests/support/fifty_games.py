"""Fifty games that go on while one version of the service replaces another, and a receiver of webhooks.

The players are bots that repeat each request until it is answered, so they need not know when the service
stops.
"""

import random
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

import orjson
from typing_extensions import override

from tests.support.acknowledgements import Acknowledgements
from tests.support.bot_players import STUCK_SECONDS, BotPlayer, Wait
from tests.support.processes import wait_until
from tests.support.receiver import ReceivedRequest, WebhookReceiver

GAMES: Final = 50
THREADS: Final = 4
PLAYERS_PER_THREAD: Final = 4
_CLOCK: Final = {"per_turn": 86_400}
_KINDS: Final[Sequence[tuple[str, dict[str, Any]]]] = (
    ("barony", {"round_limit": 3}),
    ("barony", {"round_limit": 3, "sorcery": True}),
    ("baron", {}),
)
"""The rules and the options of the games, which take turns."""


@dataclass
class Table:
    """A game and the people who play it."""

    game_id: str
    people: list[BotPlayer]
    ends_by_resignation: bool
    """Whether the people resign when the games are to end; otherwise they play on to the end."""
    prepares: bool
    """Whether the people prepare conditional actions: where a turn is one action, as the checks expect."""
    length: int = 0
    """The number of events at the last look."""
    is_over: bool = False
    resigned: list[BotPlayer] = field(default_factory=list)

    @classmethod
    def of_number(cls, number: int, players: Sequence[BotPlayer], chance: random.Random) -> "Table":
        """Create the game of this number among fifty; some of them have a bot of the service, or a clock."""
        rules, options = _KINDS[number % len(_KINDS)]
        seats = 2 + number // len(_KINDS) % 2
        has_bot = seats == 3 and number % 4 == 0
        people = chance.sample(list(players), seats - has_bot)
        body = {
            "rules": rules,
            "seats": seats,
            "options": options | {"takebacks": number % 2 == 0},
            "clock": _CLOCK if number % 7 == 0 else None,
        }
        game = people[0].request("POST", "/games", body, 201, key=f"game {number}").json()
        if has_bot:
            people[0].add_bot(game["id"])
        for player in people[1:]:
            player.join(game["id"])
        return cls(
            game["id"],
            people,
            ends_by_resignation=rules == "baron" or number % 2 == 0,
            prepares=rules == "barony" and "sorcery" not in options,
        )

    def do_next(self, *, must_end: bool) -> bool:
        """Do the next thing in the game; return False if it waits for something else, or is over."""
        game = self.people[0]._summary(self.game_id)
        self.is_over, self.length = game["status"] != "playing", game["head"]["seq"]
        if self.is_over:
            return False
        if must_end and self.ends_by_resignation and self._resign(game):
            return True
        return any(player._do_next(game, self._others(player)) for player in self.people)

    def _others(self, player: BotPlayer) -> list[BotPlayer]:
        """Return those who prepare actions for the turns after that of a player."""
        return [other for other in self.people if self.prepares and other is not player]

    def _resign(self, game: dict[str, Any]) -> bool:
        remaining = [player for player in self.people if player not in self.resigned]
        if not remaining:
            return False
        resignation = {"action": {"type": "resign"}, "expected_seq": game["head"]["seq"]}
        # Nobody can resign during a dispute.
        if remaining[0]._add(self.game_id, "actions", resignation) is None:
            return False
        self.resigned.append(remaining[0])
        return True


class FiftyGames:
    """Fifty games that threads play until `finish`."""

    def __init__(self, url: str, acknowledgements: Acknowledgements, webhook: str) -> None:
        """Register the players, with a webhook, and start the games."""
        self._acknowledgements = acknowledgements
        self._length = 0
        self._must_end = threading.Event()
        self._errors: list[BaseException] = []
        self.players: list[BotPlayer] = []
        self.tables: list[Table] = []
        shares: list[list[Table]] = []
        for thread in range(THREADS):
            chance = random.Random(thread)
            players = [
                BotPlayer(url, acknowledgements, chance, webhook) for _ in range(PLAYERS_PER_THREAD)
            ]
            tables = [
                Table.of_number(number, players, chance) for number in range(thread, GAMES, THREADS)
            ]
            self.players += players
            self.tables += tables
            shares.append(tables)
        acknowledgements.games += [table.game_id for table in self.tables]
        self._threads = [threading.Thread(target=self._play, args=(share,)) for share in shares]

    @contextmanager
    def played(self) -> Iterator[None]:
        """Play inside of the block. What stops the threads is raised, at the latest at its end."""
        for thread in self._threads:
            thread.start()
        try:
            yield
        finally:
            self._must_end.set()
            for thread in self._threads:
                thread.join()
            for player in self.players:
                player.close()
        self.check()

    def check(self) -> None:
        """Raise what has stopped a thread."""
        if self._errors:
            raise self._errors[0]

    def let_play(self, length: int) -> None:
        """Let every game go on until it has so many events."""
        self._length = length

    def play_to(self, length: int) -> None:
        """Let every game go on until it has so many events, and wait until all have, or are over."""
        self.let_play(length)

        def have_played() -> bool:
            self.check()
            return all(table.is_over or table.length >= length for table in self.tables)

        wait_until(have_played, idle_seconds=STUCK_SECONDS)

    def finish(self) -> None:
        """Let all games end, and wait until they have."""
        self._must_end.set()
        for thread in self._threads:
            thread.join()
        self.check()

    def _play(self, tables: Sequence[Table]) -> None:
        awaited = "an event of any game"
        try:
            wait = Wait(awaited)
            while open_tables := [table for table in tables if not table.is_over]:
                must_end = self._must_end.is_set()
                going_on = [
                    table for table in open_tables if must_end or table.length < self._length
                ]
                # All of them, although the first may have acted.
                have_acted = [table.do_next(must_end=must_end) for table in going_on]
                if any(have_acted) or not going_on:
                    wait = Wait(awaited)
                if not any(have_acted):
                    wait.pause()
        except BaseException as error:  # noqa: BLE001 # the test raises it
            self._errors.append(error)


class Receiver(WebhookReceiver):
    """A receiver that refuses every request while `accepts` is false."""

    def __init__(self) -> None:
        super().__init__()
        self.accepts = True
        self.answers: list[tuple[str, int]] = []
        """The id of each delivery that has come, and the status of the response."""
        self._lock = threading.Lock()

    def answer(self, request: ReceivedRequest) -> int:
        """Return the status of the response to a request."""
        with self._lock:
            status = 204 if self.accepts else 503
            self.requests.append(request)
            self.answers.append((request.headers["webhook-id"], status))
            return status


@contextmanager
def running_receiver() -> Iterator[Receiver]:
    """A receiver of webhooks that listens on this machine."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.send_response(receiver.answer(ReceivedRequest(headers, orjson.loads(body))))
            self.end_headers()

        @override
        def log_message(self, format: str, *args: Any) -> None:
            """Log nothing."""

    class Server(ThreadingHTTPServer):
        @override
        def handle_error(self, request: Any, client_address: Any) -> None:
            """Ignore clients that were killed."""

    with Server(("127.0.0.1", 0), Handler) as server:
        receiver.url = f"http://127.0.0.1:{server.server_address[1]}/notes"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield receiver
        finally:
            server.shutdown()
            thread.join()
