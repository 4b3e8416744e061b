"""The metrics of several web processes: each value is what the test has counted itself, at every scrape."""

import os
import re
import signal
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import pytest
from prometheus_client.parser import text_string_to_metric_families

from service import wall_clock
from service.bootstrap import Service
from service.notifications.delivery import Delivery, Status
from service.operation.process_reports import Reporter
from service.settings import Settings
from service.wall_clock import CLOCK_JUMPS_KEY
from tests.support.accounts import PASSWORD
from tests.support.front import RawClient, Reply, post
from tests.support.processes import descendants, wait_until
from tests.support.server import WebServer

Labels = frozenset[tuple[str, str]]
Samples = dict[str, dict[Labels, float]]
"""Values by the name of a sample and its labels."""

SCRAPES: Final = 20
CONNECTIONS_PER_PROCESS: Final = 4
METRICS: Final = "/metrics"
FIGURES: Final = {
    "waiting cartulary-games": 3,
    "failed cartulary-bots": 2,
    "projection_lag statistics": 7,
    "overdue_milliseconds": 2500,
}
PAGE: Final = Path(__file__).parents[3] / "docs" / "running.md"


def read(page: str) -> Samples:
    """Return the samples of a page of metrics; no family and no sample may occur twice."""
    samples: Samples = {}
    names = Counter[str]()
    for family in text_string_to_metric_families(page):
        names[family.name] += 1
        for sample in family.samples:
            values = samples.setdefault(sample.name, {})
            labels = frozenset(sample.labels.items())
            assert labels not in values, sample
            values[labels] = sample.value
    assert [name for name, count in names.items() if count > 1] == []
    return samples


def labels(**values: object) -> Labels:
    return frozenset((name, str(value)) for name, value in values.items())


def by(name: str, counts: Mapping[Any, float]) -> dict[Labels, float]:
    """Return values by one label."""
    return {labels(**{name: key}): float(value) for key, value in counts.items()}


def plain(value: float) -> dict[Labels, float]:
    return {frozenset(): value}


class Visitors:
    """Connections to all processes of a server, and what was requested on them."""

    def __init__(self, server: WebServer, stack: ExitStack) -> None:
        self.server = server
        self.port = int(server.url.rsplit(":", 1)[1])
        self.answered: Counter[tuple[str, str, int]] = Counter()
        self.stack = stack
        self.clients: list[RawClient] = []
        self._number = 0

    def connect(self) -> RawClient:
        return self.stack.enter_context(RawClient(self.port))

    def open(self) -> None:
        """Open connections; the kernel distributes them among the processes."""
        count = CONNECTIONS_PER_PROCESS * self.server.processes
        self.clients = [self.connect() for _ in range(count)]

    def forget_closed(self) -> None:
        """Use only the connections that are open."""
        remaining = []
        for client in self.clients:
            with suppress(AssertionError, OSError):
                client.get("/healthz")
                assert client.reply().status == 200
                remaining.append(client)
        self.clients = remaining

    def request(self, method: str, path: str, route: str, body: bytes = b"", *head: str) -> Reply:
        """Send a request on the next connection, and count it."""
        self._number += 1
        client = self.clients[self._number % len(self.clients)]
        if method == "GET":
            client.get(path)
        else:
            client.send(post(path, body, "Content-Type: application/json", *head))
        reply = client.reply()
        self.answered[method, route, reply.status] += 1
        return reply

    def scrape(self) -> Samples:
        reply = self.request("GET", METRICS, METRICS)
        assert reply.status == 200
        return read(reply.body.decode())


def play(visitors: Visitors, service: Service) -> tuple[str, Counter[str]]:
    """Let two players start a game, and others look at it; return its id, and its events by type."""
    tokens = []
    for handle in ("ada", "bea"):
        body = f'{{"handle": "{handle}", "password": "{PASSWORD}"}}'.encode()
        reply = visitors.request("POST", "/api/v1/players", "/api/v1/players", body)
        tokens.append(re.findall(rb'"token":"([^"]+)"', reply.body)[0].decode())
    ada, bea = (f"Authorization: Bearer {token}" for token in tokens)
    body = b'{"rules": "barony", "seats": 2}'
    reply = visitors.request("POST", "/api/v1/games", "/api/v1/games", body, ada)
    game = re.findall(rb'"id":"([^"]+)"', reply.body)[0].decode()
    path, route = f"/api/v1/games/{game}", "/api/v1/games/{game_id}"
    visitors.request("POST", f"{path}/players", f"{route}/players", b"{}", bea)
    for _ in range(10 * visitors.server.processes):
        visitors.request("GET", path, route)
        visitors.request("GET", "/api/v1/games/missing", route)
    visitors.request("POST", f"{path}/actions", f"{route}/actions", b"{}", ada)
    events = service.games.queries.event_page(game, 0, 100)
    return game, Counter(event["type"] for event in events)


def fill_store(service: Service) -> None:
    """Store what workers and schedulers would have reported."""
    for number in range(3):
        service.damaged_games.report(f"g{number}", "log", "a test")
    service.redis.set(CLOCK_JUMPS_KEY, 4)
    results: tuple[Status | None, ...] = ("sent", "sent", "given_up", "retrying", None)
    for number, status in enumerate(results):
        _deliver(service, number, status)
    service.archive.schedule.count("moved", 100)
    service.archive.schedule.count("moved", 200)
    service.archive.schedule.count("recalled", 100)
    Reporter(service.process_reports, "worker", ("cartulary-games",)).report()
    Reporter(service.process_reports, "scheduler").report(FIGURES)


def _deliver(service: Service, number: int, status: Status | None) -> None:
    """Create a delivery; `status`: what an attempt leads to, None without one."""
    now = wall_clock.now()
    deliveries = service.notifications.deliveries
    delivery = Delivery(
        id=f"d{number}",
        kind="your_turn",
        subject="your_turn",
        game_id="g",
        seq=7,
        player="ada",
        channel="email",
        endpoint="e",
        created_at=wall_clock.format(now),
        due_at=wall_clock.format(now),
    )
    deliveries.create(delivery)
    if status is None:
        return
    claimed = deliveries.claim(delivery.id, now)
    assert claimed is not None
    next_at = wall_clock.parse("2100-01-01T00:00:00.000Z") if status == "retrying" else None
    deliveries.finish([claimed], status, now, next_at=next_at)


def expected_of_store() -> Samples:
    """Return the metrics of what `fill_store` has stored."""
    own = version("cartulary")
    return {
        "cartulary_damaged_games": plain(3),
        "cartulary_clock_jumps_total": plain(4),
        "cartulary_deliveries_waiting": plain(1),
        "cartulary_deliveries_total": by(
            "status", {"sent": 2, "given_up": 1, "bounced": 0, "cancelled": 0}
        ),
        "cartulary_delivery_attempts_failed_total": by(
            "channel", {"email": 2, "webhook": 0, "push": 0}
        ),
        "cartulary_archived_games": plain(1),
        "cartulary_archive_recalls_total": plain(1),
        "cartulary_info": by("version", {own: 1}),
        "cartulary_processes_alive": {
            labels(kind="worker", queues="cartulary-games", version=own): 1,
            labels(kind="scheduler", queues="", version=own): 1,
        },
        "cartulary_jobs_waiting": by("queue", {"cartulary-games": 3}),
        "cartulary_jobs_failed": by("queue", {"cartulary-bots": 2}),
        "cartulary_projection_lag_entries": by("projection", {"statistics": 7}),
        "cartulary_deadline_overdue_seconds": plain(2.5),
    }


def expected_of_web(visitors: Visitors, events: Mapping[str, int]) -> Samples:
    """Return the metrics of what the visitors have done; of histograms the numbers of responses."""
    requests = {
        labels(method=method, route=route, status=status): float(count)
        for (method, route, status), count in visitors.answered.items()
    }
    times: Counter[Labels] = Counter()
    for (method, route, _), count in visitors.answered.items():
        times[labels(method=method, route=route)] += count
    return {
        "cartulary_requests_total": requests,
        "cartulary_request_seconds_count": {key: float(count) for key, count in times.items()},
        "cartulary_events_acknowledged_total": by("type", events),
        "cartulary_refused_total": by("reason", {"malformed": 3}),
        "cartulary_requests_waiting": plain(0),
        "cartulary_connections_open": plain(len(visitors.clients) + 1),
        "cartulary_streams_open": plain(1),
        "cartulary_streams_dropped_total": plain(0),
    }


def without_scrapes(samples: Samples) -> Samples:
    """Return samples without those about requests for the metrics, which the scrapes change."""
    return {
        name: {key: value for key, value in values.items() if ("route", METRICS) not in key}
        for name, values in samples.items()
    }


def number_listening(server: WebServer) -> int:
    """Return how many processes of several have reported that they accept connections."""
    return sum("is listening" in line for line in server.lines())


@pytest.mark.parametrize("processes", [1, 2, 4])
def test_each_metric_is_what_was_counted_at_every_scrape(
    settings: Settings, service: Service, processes: int
) -> None:
    with WebServer(settings, processes=processes) as server, ExitStack() as stack:
        wait_until(lambda: processes == 1 or number_listening(server) == processes)
        visitors = Visitors(server, stack)
        visitors.open()
        game, events = play(visitors, service)
        for _ in range(3):
            with RawClient(visitors.port) as client:
                client.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
                client.replies()
        stream = visitors.connect()
        stream.get(f"/api/v1/games/{game}/stream")
        visitors.answered["GET", "/api/v1/games/{game_id}/stream", 200] += 1
        fill_store(service)
        expected = expected_of_store()
        scrapes = labels(method="GET", route=METRICS, status=200)

        def web_samples() -> Samples:
            samples = visitors.scrape()
            return {name: samples[name] for name in expected_of_web(visitors, events)}

        # Each process counts its responses within 0.1 s, and its connections every second.
        wait_until(
            lambda: (
                without_scrapes(web_samples()) == without_scrapes(expected_of_web(visitors, events))
            )
        )
        for _ in range(SCRAPES):
            before = visitors.answered["GET", METRICS, 200]
            samples = visitors.scrape()
            (silence,) = (samples.pop("cartulary_process_silent_seconds"),)
            assert silence.keys() == by("kind", {"worker": 0, "scheduler": 0}).keys()
            assert all(0 <= seconds < 600 for seconds in silence.values())
            # Each process may have reported its gauges last while a scrape waited in it.
            (waiting,) = samples["cartulary_requests_waiting"].values()
            assert waiting in range(processes + 1)
            samples["cartulary_requests_waiting"] = plain(0)
            buckets = samples.pop("cartulary_request_seconds_bucket")
            sums = samples.pop("cartulary_request_seconds_sum")
            counts = samples["cartulary_request_seconds_count"]
            assert sums.keys() == counts.keys()
            assert all(seconds > 0 for seconds in sums.values())
            assert {
                frozenset(item for item in key if item[0] != "le"): value
                for key, value in buckets.items()
                if ("le", "+Inf") in key
            } == counts
            # A scrape itself is counted a moment after it.
            assert samples["cartulary_requests_total"].get(scrapes, 0) <= before
            assert without_scrapes(samples) == {
                **expected,
                **without_scrapes(expected_of_web(visitors, events)),
            }

        def is_complete() -> bool:
            before = visitors.answered["GET", METRICS, 200]
            samples = visitors.scrape()
            is_counted = samples["cartulary_requests_total"].get(scrapes, 0) == before
            return is_counted and samples["cartulary_requests_waiting"] == plain(0)

        wait_until(is_complete)


def test_counts_outlive_the_process_that_counted_and_what_is_open_does_not(
    settings: Settings, service: Service
) -> None:
    with WebServer(settings, processes=2) as server, ExitStack() as stack:
        wait_until(lambda: number_listening(server) == 2)
        visitors = Visitors(server, stack)
        visitors.open()
        _, events = play(visitors, service)

        def counts() -> dict[Labels, float]:
            return without_scrapes(visitors.scrape())["cartulary_requests_total"]

        def open_connections() -> float:
            return visitors.scrape()["cartulary_connections_open"][frozenset()]

        expected = without_scrapes(expected_of_web(visitors, events))["cartulary_requests_total"]
        wait_until(lambda: counts() == expected)
        wait_until(lambda: open_connections() == len(visitors.clients))
        web = [
            pid for pid, command in descendants(server.pid).items() if command == "cartulary web"
        ]
        os.kill(web[0], signal.SIGKILL)
        wait_until(lambda: number_listening(server) == 3)
        # The kernel has closed the connections of the process.
        visitors.forget_closed()
        visitors.clients.append(visitors.connect())
        assert counts() == expected
        wait_until(lambda: open_connections() == len(visitors.clients))


def test_the_page_explains_each_metric(settings: Settings, service: Service) -> None:
    fill_store(service)
    with WebServer(settings) as server, ExitStack() as stack:
        visitors = Visitors(server, stack)
        visitors.open()
        play(visitors, service)
        families = {
            (family.name + ("_total" if family.type == "counter" else ""), family.type)
            for family in text_string_to_metric_families(
                visitors.request("GET", METRICS, METRICS).body.decode()
            )
        }
    rows = re.findall(
        r"^\| ((?:`cartulary_\w+`(?:, )?)+) \| (\w+) \|", PAGE.read_text(), re.MULTILINE
    )
    explained = [(name, kind) for names, kind in rows for name in re.findall(r"\w+", names)]
    assert sorted(explained) == sorted(families)
