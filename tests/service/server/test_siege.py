"""The siege in miniature: the attacks of bench/siege on one web process with small bounds. Nothing is timed.

Every test checks what became of the attack. After it, the service must serve the others, and its log may
contain only requests and refusals.
"""

import json
import os
import select
import signal
import socket
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import httpx
import pytest

from bench.siege.attack import MANY_ADDRESSES, ONE_ADDRESS, Target, once
from bench.siege.attackers import Attacker
from bench.siege.attacks import ATTACKS
from bench.siege.measurement import of_kind, running_players
from bench.siege.players import Kind
from bench.siege.stored_games import Sizes, StoredGames, store_in
from bench.siege.traffic import Outcome, Read, Traffic, send_traffic
from service.bootstrap import build
from service.settings import Settings
from tests.service.conftest import settings_for
from tests.support.accounts import Accounts, take_turn
from tests.support.processes import wait_until
from tests.support.redis_kinds import RedisUrls
from tests.support.server import WebServer

SECONDS = 20.0
"""More than any of these attacks takes, because their connections are bounded in number."""
MOST_CONNECTIONS_PER_ADDRESS = 32
MOST_STREAMS = 4
MOST_GAMES = 5
MOST_LOG_INS = 10
BOUNDS = {
    "CARTULARY_HEADER_SECONDS": "600",
    "CARTULARY_BODY_SECONDS": "600",
    "CARTULARY_SEND_SECONDS": "600",
    "CARTULARY_MAX_CONNECTIONS": "100",
    "CARTULARY_MAX_CONNECTIONS_PER_ADDRESS": str(MOST_CONNECTIONS_PER_ADDRESS),
    "CARTULARY_MAX_GAMES_PER_PLAYER": str(MOST_GAMES),
    "CARTULARY_MAX_STREAMS_PER_VISITOR": str(MOST_STREAMS),
}
SHORT_LIMITS = {
    "CARTULARY_HEADER_SECONDS": "1",
    "CARTULARY_BODY_SECONDS": "1",
    "CARTULARY_SEND_SECONDS": "0.3",
}
"""For clients that are slow on purpose. Elsewhere, a slow machine must not make a client seem slow."""
SIZES = Sizes(
    clients=1,
    fresh_clients=1,
    long_game_events=2_000,
    games=1,
    events_per_game=50,
    open_games=1,
    games_to_start=1,
    finished_games=20,
)


@dataclass
class Besieged:
    """A server, the target on it, and two players whose game goes on."""

    server: WebServer
    stored: StoredGames
    game: tuple[str, list[Any]]
    lines_read: int = 0

    @property
    def target(self) -> Target:
        """What the attacks are directed at."""
        return self.stored.target

    def attack(self, name: str, **bounds: Any) -> Outcome:
        """Run an attack with these fields of its traffic replaced, until its connections have ended."""
        return self.send(replace(ATTACKS[name].traffic(self.target), **bounds))

    def send(self, traffic: Traffic, seconds: float = SECONDS) -> Outcome:
        return send_traffic(traffic, self.target.port, seconds)

    def wait_for_refusals(self, reason: str, count: int) -> None:
        """Wait until the server has logged that it refused this number of clients since the test began."""

        def refused() -> int:
            lines = map(json.loads, self.server.lines()[self.lines_read :])
            return sum(line["count"] for line in lines if line.get("reason") == reason)

        wait_until(lambda: refused() == count)

    def new_lines(self) -> list[dict[str, Any]]:
        """Return the lines of the log since the last call."""
        lines = self.server.lines()
        new, self.lines_read = lines[self.lines_read :], len(lines)
        return [json.loads(line) for line in new]


@pytest.fixture(scope="module")
def stored(
    web_redis_urls: RedisUrls, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Settings, StoredGames]:
    settings = settings_for(
        web_redis_urls, tmp_path_factory.mktemp("siege"), f"{MOST_LOG_INS}/minute"
    )
    service = build(settings)
    stored = store_in(service, 0, 0, SIZES)
    service.redis.close()
    return settings, stored


@contextmanager
def running_server(
    settings: Settings, stored: StoredGames, environ: Mapping[str, str]
) -> Iterator[Besieged]:
    with WebServer(settings, environ=environ) as server:
        accounts = Accounts(server.url)
        game = accounts.start_game()
        target = replace(stored.target, port=int(server.url.rsplit(":", 1)[1]))
        yield Besieged(server, replace(stored, target=target), game)
        accounts.close()


@contextmanager
def checked(running: Besieged) -> Iterator[Besieged]:
    """After the block, the server must still serve the players, and have logged nothing unexpected."""
    running.new_lines()
    yield running
    take_turn(*running.game)
    for path in ("/healthz", "/readyz"):
        assert httpx.get(f"{running.server.url}{path}").status_code == 200
    # The refusals are logged once a second. Those of this test may appear during the next one.
    for line in running.new_lines():
        assert line["level"] in {"info", "warning"}, line
        assert line["message"].startswith(("request answered", "requests refused")), line


@pytest.fixture(scope="module")
def running(stored: tuple[Settings, StoredGames]) -> Iterator[Besieged]:
    with running_server(*stored, BOUNDS) as server:
        yield server


@pytest.fixture
def besieged(running: Besieged) -> Iterator[Besieged]:
    with checked(running) as server:
        yield server


@pytest.fixture(scope="module")
def running_with_short_limits(
    stored: tuple[Settings, StoredGames], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Besieged]:
    settings, games = stored
    # With a log of its own.
    settings = replace(settings, data=tmp_path_factory.mktemp("siege-short-limits"))
    with running_server(settings, games, BOUNDS | SHORT_LIMITS) as server:
        yield server


@pytest.fixture
def besieged_with_short_limits(running_with_short_limits: Besieged) -> Iterator[Besieged]:
    with checked(running_with_short_limits) as server:
        yield server


def _closed(clients: Sequence[socket.socket]) -> int:
    """Return how many of these connections, which get no data, the server has closed."""
    return len(select.select(clients, (), (), 0)[0])


class TestParsing:
    @pytest.mark.parametrize(
        ("name", "statuses"),
        [
            ("hpack", {400}),
            ("large-headers", {431}),
            ("many-headers", {431}),
            ("long-content-length", {400}),
            ("malformed-chunks", {400}),
            ("endless-chunks", {413}),
            ("chunk-extensions", {413}),
            ("many-keys", {400}),
            ("nested-bodies", {400}),
            ("entity-tags", {200}),
        ],
    )
    def test_every_request_gets_its_own_response(
        self, besieged: Besieged, name: str, statuses: set[int]
    ) -> None:
        outcome = besieged.attack(name, total=8, per_second=1000)
        assert set(outcome.statuses) == statuses
        assert outcome.statuses.total() == outcome.connections == 8
        assert outcome.open_at_end == 0

    def test_long_queries_are_refused_or_cost_nothing(self, besieged: Besieged) -> None:
        outcome = besieged.attack("long-queries", total=9, per_second=1000)
        # 60 kB is more than the headers may have; the other queries are served, or refused as invalid.
        assert outcome.statuses[431] >= 3
        assert set(outcome.statuses) <= {200, 400, 431}

    def test_the_requests_that_wait_on_one_connection_are_bounded(self, besieged: Besieged) -> None:
        outcome = besieged.attack("pipelining", total=2)
        assert outcome.closed_by_server == 2
        assert outcome.statuses.total() < 40


class TestConnections:
    @pytest.mark.parametrize(
        ("name", "statuses"),
        [("idle-connections", set()), ("slow-headers", {408}), ("slow-bodies", {408})],
    )
    def test_clients_that_send_nothing_or_slowly_are_disconnected(
        self, besieged_with_short_limits: Besieged, name: str, statuses: set[int]
    ) -> None:
        besieged = besieged_with_short_limits
        outcome = besieged.attack(name, connections=20, per_second=1000, total=20)
        assert outcome.closed_by_server == 20
        assert outcome.open_at_end == 0
        assert set(outcome.statuses) == statuses

    def test_connections_from_one_address_are_bounded_and_displace_only_each_other(
        self, besieged: Besieged
    ) -> None:
        with httpx.Client(base_url=besieged.server.url) as player:
            assert player.get("/healthz").status_code == 200
            with ExitStack() as stack:
                clients = [
                    stack.enter_context(
                        socket.create_connection(
                            ("127.0.0.1", besieged.target.port), source_address=("127.0.0.2", 0)
                        )
                    )
                    for _ in range(60)
                ]
                wait_until(lambda: _closed(clients) == 60 - MOST_CONNECTIONS_PER_ADDRESS)
            # The connection of the player, from another address, is still open.
            (stream,) = player._transport._pool.connections  # type: ignore[attr-defined] # httpx keeps it private
            assert player.get("/healthz").status_code == 200
            assert player._transport._pool.connections == [stream]  # type: ignore[attr-defined] # the same

    def test_clients_that_do_not_read_a_record_are_disconnected(
        self, besieged_with_short_limits: Besieged
    ) -> None:
        besieged = besieged_with_short_limits
        traffic = ATTACKS["slow-readers"].traffic(besieged.target)
        record, hold = traffic.script(0)
        # The kernel buffers some megabytes for each connection, so a client has to request more than that.
        script = once(*[record] * 6, hold)
        besieged.send(replace(traffic, script=script, connections=3, total=3))
        besieged.wait_for_refusals("unsent_response", 3)

    def test_streams_of_one_visitor_are_bounded(self, besieged: Besieged) -> None:
        stream, _ = ATTACKS["unread-streams"].traffic(besieged.target).script(0)
        traffic = Traffic(once(stream, Read()), 8, 100, ONE_ADDRESS, total=8)
        outcome = besieged.send(traffic, 3)
        assert outcome.statuses == {200: MOST_STREAMS, 429: 8 - MOST_STREAMS}

    def test_requests_whose_clients_have_disconnected_are_dropped(self, besieged: Besieged) -> None:
        # All clients are gone before the server can begin with the first of their requests.
        os.kill(besieged.server.pid, signal.SIGSTOP)
        try:
            outcome = besieged.attack(
                "early-positions", total=80, per_second=2000, addresses=MANY_ADDRESSES
            )
            assert outcome.requests == 80
        finally:
            os.kill(besieged.server.pid, signal.SIGCONT)
        take_turn(*besieged.game)
        lines: list[dict[str, Any]] = []

        def has_logged_turn() -> bool:
            lines.extend(besieged.new_lines())
            return any(line.get("route", "").endswith("/actions") for line in lines)

        wait_until(has_logged_turn)
        positions = [line for line in lines if line.get("route", "").endswith("/position")]
        # The threads begin with some requests before the event loop reads that all clients are gone.
        assert len(positions) < 40


class TestWork:
    def test_invitations_are_bounded(self, besieged: Besieged) -> None:
        outcome = besieged.attack("many-invitations", total=2)
        assert outcome.statuses == {400: 2}

    def test_games_of_one_player_are_bounded(self, besieged: Besieged) -> None:
        traffic = ATTACKS["many-games"].traffic(besieged.target)
        create, read = islice(traffic.script(0), 2)
        script = once(*[create, read] * (MOST_GAMES + 3))
        outcome = besieged.send(replace(traffic, script=script, total=1))
        assert outcome.statuses[201] <= MOST_GAMES
        assert outcome.statuses.total() - outcome.statuses[201] >= 3
        assert set(outcome.statuses) == {201, 409}

    def test_analyses_of_one_player_are_bounded(self, besieged: Besieged) -> None:
        # Each of the five accounts requests the analyses of four games, and three may wait.
        outcome = besieged.attack("analyses", total=40, connections=4)
        assert outcome.statuses[202] > 0
        assert outcome.statuses.total() - outcome.statuses[202] > 0
        assert set(outcome.statuses) <= {202, 409, 429}

    def test_attempts_to_log_in_are_bounded_for_each_network(self, besieged: Besieged) -> None:
        outcome = besieged.attack("log-ins", total=15, connections=1, addresses=ONE_ADDRESS)
        assert outcome.statuses == {401: MOST_LOG_INS, 429: 5}

    def test_metrics_are_at_one_path_only(self, besieged: Besieged) -> None:
        traffic = ATTACKS["metrics"].traffic(besieged.target)
        statuses = Counter[int]()
        for number in range(3):
            steps = traffic.script(number)
            script = once(next(steps), next(steps))
            statuses += besieged.send(replace(traffic, script=script, total=1)).statuses
        assert statuses == {404: 2, 200: 1}

    def test_refused_actions_leave_no_idempotency_records(
        self, besieged: Besieged, redis_client: Any
    ) -> None:
        traffic = ATTACKS["idempotency-keys"].traffic(besieged.target)
        keys_before = redis_client.dbsize()
        script = once(*islice(traffic.script(0), 20))
        outcome = besieged.send(replace(traffic, script=script, total=1))
        assert set(outcome.statuses) == {409}
        assert redis_client.dbsize() == keys_before


class TestProcesses:
    def test_the_clients_play_and_report_what_became_of_every_request(
        self, besieged: Besieged
    ) -> None:
        with running_players(besieged.stored) as players:

            def has_acted(kind: Kind) -> bool:
                requests = [sample.detail for sample in of_kind(players.samples, kind, "served")]
                return any("/actions HTTP/1.1: 201" in request for request in requests)

            def has_played() -> bool:
                players.wait(0.1)
                return has_acted("play") and has_acted("fresh play")

            wait_until(has_played)
        kinds = {sample.kind for sample in players.samples}
        assert kinds == {"play", "fresh play", "/healthz", "/readyz"}
        assert {sample.result for sample in players.samples} == {"served"}

    def test_an_attacker_waits_for_its_turn_and_returns_its_result(
        self, besieged: Besieged
    ) -> None:
        attacker = Attacker("malformed-chunks", besieged.target, 1)
        try:
            attacker.wait_until_ready()
            assert not attacker.is_over()
            attacker.begin()
            outcome = attacker.outcome()
        finally:
            attacker.stop()
        assert outcome.connections > 0
        assert set(outcome.statuses) == {400}
