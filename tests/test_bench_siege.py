"""The siege without its service: figures, tables, the command line, and the traffic that attackers send."""

import re
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from bench.siege import traffic as traffic_module
from bench.siege.__main__ import main
from bench.siege.attack import FROM_PLAYERS, PLAYERS_ADDRESS, Target, once, repeat, request
from bench.siege.attacks import ATTACKS, attack_by_name
from bench.siege.attacks_on_parsing import HTTP2_PREFACE, http2_bomb
from bench.siege.measurement import (
    Measurement,
    aim_of_p99,
    combined,
    median,
    percentile,
    seconds_to_normal,
)
from bench.siege.players import Kind, Result, Sample
from bench.siege.report import HEADINGS, markdown_head, markdown_rows, summary, text_row
from bench.siege.responses import ResponseReader, parse_head
from bench.siege.traffic import Hold, Outcome, Pause, Read, Reset, Send, Traffic, send_traffic
from tests.support.processes import HANG_SECONDS

PAGE = (Path(__file__).parent.parent / "docs" / "siege.md").read_text()
TARGET = Target(
    port=1,
    tokens=tuple("0123456"),
    cookies=("cartulary=0", "cartulary=1"),
    form_token="token",
    sandboxes=("sandbox",),
    player_handles=("ada",),
    long_game="long",
    long_game_events=100,
    games=("g",),
    events_per_game=50,
    short_game="short",
    short_game_events=10,
    open_games=("open",),
    games_to_start=("start",),
    finished_games=("over",),
    webhook_port=2,
    pages=("/", "/account", "/games/GAME"),
)
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
LOOPBACK = ("127.0.0.1",)
MEDIAN_OF_FRESH = "median on new connections ≤ 50 ms"


def sample(
    start: float,
    seconds: float = 0.01,
    client: int = 0,
    kind: Kind = "play",
    result: Result = "served",
) -> Sample:
    return Sample(client, kind, start, seconds, result, "GET /")


def played(start: float, seconds: float = 0.01, fresh_seconds: float = 0.01) -> tuple[Sample, ...]:
    """Return the samples of a second, of clients that keep their connections and of those that do not."""
    starts = [start + number / 100 for number in range(100)]
    fresh = (sample(at, fresh_seconds, client=8, kind="fresh play") for at in starts)
    return (*(sample(at, seconds) for at in starts), *fresh)


def measurement(**fields: object) -> Measurement:
    before = played(0)
    during = played(1)
    base = Measurement(
        name="attack",
        outcome=Outcome(connections=2, requests=3, statuses=Counter({400: 3})),
        seconds=1.0,
        quiet=before,
        during=during,
        after=(),
        attack_start=1.0,
        memory_before=100 * 2**20,
        memory_peak=120 * 2**20,
        seconds_to_normal=0.2,
        is_restarted=False,
    )
    return replace(base, **fields)  # type: ignore[arg-type] # the tests pass fields of the right types


class TestFigures:
    def test_a_percentile_is_a_value_that_the_share_does_not_exceed(self) -> None:
        values = [float(number) for number in range(100, 0, -1)]
        assert percentile(values, 0.5) == 51
        assert percentile(values, 0.99) == 100
        assert percentile([], 0.5) == float("inf")

    def test_the_aim_is_three_times_the_p99_without_the_attack_or_100_ms(self) -> None:
        assert aim_of_p99(0.01) == 0.1
        assert aim_of_p99(0.05) == pytest.approx(0.15)

    @pytest.mark.parametrize(
        ("fields", "missed"),
        [
            ({}, []),
            ({"during": played(1, 0.2)}, ["p99 ≤ 100 ms"]),
            ({"during": played(1, fresh_seconds=0.06)}, [MEDIAN_OF_FRESH]),
            (
                {"during": (*played(1), sample(1, 0.4, kind="fresh play"))},
                ["slowest on a new connection ≤ 300 ms"],
            ),
            # Three times what it was without the attack is good enough.
            ({"quiet": played(0, 0.1, 0.2), "during": played(1, 0.25, 0.55)}, []),
            (
                {"during": ()},
                ["p99 ≤ 100 ms", MEDIAN_OF_FRESH, "slowest on a new connection ≤ 300 ms"],
            ),
            ({"during": (), "can_be_served": False}, []),
            ({"during": played(1, 0.2), "can_be_served": False}, ["p99 ≤ 100 ms"]),
            ({"after": (sample(2, result="failed"),)}, ["0 failed"]),
            ({"after": (sample(2, kind="/healthz", result="failed"),)}, ["0 failed"]),
            ({"memory_peak": 151 * 2**20}, ["memory ≤ 1.5×"]),  # noqa: RUF001 # the table contains this sign
            ({"seconds_to_normal": 5.1}, ["normal within 5 s"]),
            ({"seconds_to_normal": None}, ["normal within 5 s"]),
            ({"is_restarted": True}, ["no web process ends"]),
        ],
    )
    def test_an_aim_that_is_missed_is_named(
        self, fields: dict[str, object], missed: list[str]
    ) -> None:
        assert measurement(**fields).missed_aims() == missed

    def test_a_refused_request_misses_no_aim_and_has_no_latency(self) -> None:
        refused = sample(1.5, 3.0, result="refused")
        during = (*measurement().during, refused)
        assert measurement(during=during).missed_aims() == []
        assert measurement(during=during).refusals() == [3.0]


class TestWaves:
    def test_the_waves_of_an_attack_are_added_and_the_worst_of_them_counts(self) -> None:
        first = measurement(seconds_to_normal=0.5)
        second = measurement(
            quiet=(sample(3),), during=(sample(4, 0.3),), memory_peak=160 * 2**20, is_restarted=True
        )
        both = combined([first, second])
        assert (both.seconds, both.attack_start) == (2.0, 1.0)
        assert both.quiet == (*first.quiet, sample(3))
        assert both.during == (*first.during, sample(4, 0.3))
        assert (both.memory_before, both.memory_peak) == (100 * 2**20, 160 * 2**20)
        assert (both.seconds_to_normal, both.is_restarted) == (0.5, True)
        assert (both.outcome.requests, both.outcome.statuses) == (6, {400: 6})
        assert combined([first, measurement(seconds_to_normal=None)]).seconds_to_normal is None


class TestBackToNormal:
    def samples(self, end: float) -> list[Sample]:
        """Samples of two clients and the probes, from 0 to `end`."""
        times = [number / 10 for number in range(int(end * 10))]
        clients = [sample(time, client=client) for time in times for client in (0, 1)]
        kinds: tuple[Kind, ...] = ("/healthz", "/readyz")
        return [*clients, *(sample(time, kind=kind) for time in times for kind in kinds)]

    def test_a_service_that_was_never_disturbed_is_normal_at_once(self) -> None:
        assert seconds_to_normal(self.samples(12), 10, 12, 0.1, 2) == 0

    @pytest.mark.parametrize(
        "disturbance",
        [
            sample(9.95, 0.4),
            sample(10.33, result="refused"),
            sample(10.33, result="failed"),
            sample(10.33, kind="/readyz", result="refused"),
        ],
    )
    def test_the_first_normal_window_begins_after_the_last_disturbance(
        self, disturbance: Sample
    ) -> None:
        samples = [*self.samples(14), disturbance]
        assert seconds_to_normal(samples, 10, 14, 0.1, 2) == pytest.approx(0.4)

    def test_a_service_is_not_normal_while_a_client_gets_no_responses(self) -> None:
        samples = [s for s in self.samples(14) if s.client != 1 or s.start < 10]
        assert seconds_to_normal(samples, 10, 14, 0.1, 2) is None

    def test_a_service_is_not_normal_before_a_whole_window_has_passed(self) -> None:
        assert seconds_to_normal(self.samples(12), 10, 10.9, 0.1, 2) is None


class TestReport:
    def test_a_row_has_a_cell_for_each_heading(self) -> None:
        for row in markdown_rows(measurement()).splitlines():
            assert row.count(" | ") == len(HEADINGS) - 1
        assert markdown_head().splitlines()[0].count(" | ") == len(HEADINGS) - 1

    def test_a_row_states_what_was_sent_and_what_became_of_it(self) -> None:
        row, fresh = markdown_rows(measurement()).splitlines()
        assert "| 2 connections, 3 requests, 0 kB | 400 × 3 |" in row  # noqa: RUF001 # the table contains this sign
        assert "10 ms → 10 ms" in row
        assert "100 → 120 MiB (1.20×)" in row  # noqa: RUF001 # the table contains this sign
        assert row.endswith("| ✓ |")
        assert fresh.startswith("| … on new connections |  | 100 requests served | 10 ms → 10 ms |")
        assert "| 10 ms → 10 ms, slowest 10 ms |" in fresh
        assert fresh.endswith("| ✓ |")

    @pytest.mark.parametrize(
        ("fields", "marks"),
        [
            ({"during": played(1, fresh_seconds=0.4)}, "✓✗"),
            ({"during": played(1, 0.4)}, "✗✓"),
            ({"after": (sample(2, kind="fresh play", result="failed"),)}, "✗✗"),
        ],
    )
    def test_a_row_is_marked_by_the_aims_of_its_players(
        self, fields: dict[str, object], marks: str
    ) -> None:
        rows = markdown_rows(measurement(**fields)).splitlines()
        assert "".join(row.split(" | ")[-1][0] for row in rows) == marks

    def test_a_row_that_was_measured_several_times_has_the_median_and_names_all(self) -> None:
        slow, fast, middle = (
            measurement(during=played(1, seconds)) for seconds in (0.3, 0.02, 0.05)
        )
        row = median([slow, fast, middle])
        assert row.missed_aims() == []
        assert "→ 50 ms (median of 300 ms, 20 ms, 50 ms)" in markdown_rows(row)
        assert median([slow, fast, slow]).missed_aims() == ["p99 ≤ 100 ms"]

    def test_the_block_for_a_terminal_names_missed_aims_and_failures(self) -> None:
        text = text_row(measurement(after=(sample(2, result="failed"),)))
        assert text.startswith("✗ attack\n")
        assert re.search(r"missed +0 failed", text)
        assert re.search(r"failure +play: GET /", text)

    def test_the_summary_names_the_attacks_that_missed_an_aim(self) -> None:
        failed = measurement(name="other", is_restarted=True)
        assert summary([measurement()]) == "1 of 1 attacks met every aim"
        assert summary([measurement(), failed]) == "1 of 2 attacks met every aim; missed: other"


class TestCommandLine:
    def test_the_list_has_a_sentence_for_every_attack(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["--list"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert [line.split()[0] for line in lines] == list(ATTACKS)
        assert all(len(line.split()) > 4 for line in lines)

    def test_an_unknown_attack_is_bad_usage(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as exit:
            main(["hpack", "no-such-attack"])
        assert exit.value.code == 2
        assert "no such attack: no-such-attack" in capsys.readouterr().err


class TestAttacks:
    @pytest.mark.parametrize("name", ATTACKS)
    def test_every_attack_is_bounded_and_comes_from_this_machine(self, name: str) -> None:
        traffic = ATTACKS[name].traffic(TARGET)
        assert 0 < traffic.connections <= 20_000
        assert 0 < traffic.per_second <= 15_000
        assert traffic.addresses
        assert all(address.startswith("127.") for address in traffic.addresses)
        assert (PLAYERS_ADDRESS in traffic.addresses) == name.endswith(FROM_PLAYERS)
        steps = traffic.script(0)
        assert isinstance(next(steps), Send | Hold)

    def test_every_attack_can_come_from_the_address_of_the_players(self) -> None:
        attack = attack_by_name(f"hpack{FROM_PLAYERS}")
        assert attack.traffic(TARGET).addresses == (PLAYERS_ADDRESS,)

    def test_the_documentation_lists_every_attack(self) -> None:
        listed = set(re.findall(r"^\| `([a-z-]+)` \|", PAGE, re.MULTILINE))
        assert listed == {name for name in ATTACKS if FROM_PLAYERS not in name}
        for name in ATTACKS:
            assert f"`{name}`" in PAGE

    def test_the_http2_request_consists_of_valid_frames(self) -> None:
        data = http2_bomb(value_bytes=4000, references=48_000)
        assert data.startswith(HTTP2_PREFACE)
        position, kinds, block = len(HTTP2_PREFACE), [], b""
        while position < len(data):
            size = int.from_bytes(data[position : position + 3], "big")
            kind, flags = struct.unpack_from("BB", data, position + 3)
            kinds.append((kind, flags))
            if kind != 4:
                block += data[position + 9 : position + 9 + size]
            position += 9 + size
        # SETTINGS, HEADERS with END_STREAM, CONTINUATION; the last with END_HEADERS
        assert kinds == [(4, 0), (1, 1), (9, 0), (9, 0), (9, 4)]
        assert block.endswith(b"\xbe" * 48_000)
        assert b"\x40\x03x-a\x7f\xa1\x1e" + b"a" * 4000 in block  # 4000 = 127 + 0x21 + 128 * 0x1e


class TestResponses:
    def test_a_head_is_parsed(self) -> None:
        head = parse_head(
            b"HTTP/1.1 503 X\r\nRetry-After: 2\r\nConnection: close\r\nContent-Length: 7"
        )
        assert (head.status, head.retry_after, head.closes, head.length) == (503, 2.0, True, 7)

    def test_data_that_is_not_http_1_is_an_error(self) -> None:
        with pytest.raises(ValueError, match="not an HTTP/1 response"):
            parse_head(b"\x00\x00\x06 1 2")

    @pytest.mark.parametrize("size", [1, 7, 1000])
    def test_responses_are_counted_however_they_are_split(self, size: int) -> None:
        chunked = b"HTTP/1.1 201 X\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
        data = b"HTTP/1.1 100 Continue\r\n\r\n" + OK + chunked + OK
        reader = ResponseReader()
        statuses = []
        for start in range(0, len(data), size):
            statuses += reader.feed(data[start : start + size])
        assert statuses == [200, 201, 200]

    def test_a_response_that_has_begun_has_a_status(self) -> None:
        reader = ResponseReader()
        assert reader.feed(OK[:-1]) == []
        assert reader.begun_status == 200


@contextmanager
def server(serve: Callable[[socket.socket], object], connections: int = 1) -> Iterator[int]:
    """Accept connections one after the other, call `serve` with each, and close it; yield the port."""

    def run() -> None:
        for _ in range(connections):
            connection, _ = listener.accept()
            with connection:
                connection.settimeout(HANG_SECONDS)
                serve(connection)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(HANG_SECONDS)
        thread = threading.Thread(target=run)
        thread.start()
        port: int = listener.getsockname()[1]
        yield port
        thread.join()


class TestTraffic:
    def test_requests_are_sent_and_their_responses_counted(self) -> None:
        def respond(connection: socket.socket) -> None:
            for _ in range(3):
                assert connection.recv(1000).startswith(b"GET /path HTTP/1.1\r\nX: 1\r\n")
                connection.sendall(OK)

        get = request("GET", "/path", headers="X: 1\r\n")
        with server(respond) as port:
            traffic = Traffic(once(get, Read(), get, Read(), get, Read()), 1, 10, LOOPBACK, total=1)
            outcome = send_traffic(traffic, port, HANG_SECONDS)
        assert outcome.statuses == {200: 3}
        assert (outcome.connections, outcome.requests) == (1, 3)
        assert outcome.bytes_sent == 3 * len(get.data)
        assert outcome.bytes_received == 3 * len(OK)
        assert (outcome.closed_by_server, outcome.open_at_end) == (0, 0)

    def test_a_connection_that_the_server_closes_is_counted(self) -> None:
        with server(lambda connection: connection.sendall(OK)) as port:
            outcome = send_traffic(
                Traffic(once(Hold()), 1, 10, LOOPBACK, total=1), port, HANG_SECONDS
            )
        assert (outcome.closed_by_server, outcome.open_at_end) == (1, 0)
        assert outcome.statuses == {200: 1}

    def test_a_connection_that_stays_open_is_counted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        seconds = 0.0
        monkeypatch.setattr(traffic_module, "time", SimpleNamespace(monotonic=lambda: seconds))

        def receive(connection: socket.socket) -> None:
            nonlocal seconds
            assert connection.recv(1) == b"x"
            seconds = 0.1
            connection.recv(1)

        with server(receive) as port:
            script = once(Send(b"x"), Hold())
            outcome = send_traffic(Traffic(script, 1, 10, LOOPBACK, total=1), port, 0.1)
        assert (outcome.closed_by_server, outcome.open_at_end) == (0, 1)

    def test_a_reset_reaches_the_server(self) -> None:
        received: list[type[Exception]] = []

        def receive(connection: socket.socket) -> None:
            try:
                while connection.recv(1000):
                    pass
            except OSError as error:
                received.append(type(error))

        with server(receive) as port:
            script = once(Send(b"x"), Pause(0.05), Reset())
            send_traffic(Traffic(script, 1, 10, LOOPBACK, total=1), port, HANG_SECONDS)
        assert received == [ConnectionResetError]

    def test_connections_come_from_the_given_addresses_in_turn(self) -> None:
        peers: list[str] = []
        addresses = ("127.0.0.2", "127.0.0.3")
        with server(lambda connection: peers.append(connection.getpeername()[0]), 3) as port:
            send_traffic(Traffic(once(Read()), 1, 1000, addresses, total=3), port, HANG_SECONDS)
        assert peers == ["127.0.0.2", "127.0.0.3", "127.0.0.2"]

    def test_a_churn_sends_on_each_connection_and_closes_it_without_reading(self) -> None:
        get = request("GET", "/path")
        received: list[bytes] = []

        def receive(connection: socket.socket) -> None:
            received.append(connection.recv(1000))
            while connection.recv(1000):
                pass

        with server(receive, 20) as port:
            traffic = Traffic(once(get), 3, 200, ("127.0.0.2",), is_churn=True)
            outcome = send_traffic(traffic, port, 0.5)
        assert received == [get.data] * 20
        assert 20 <= outcome.requests <= outcome.connections <= 101
        assert outcome.bytes_sent == outcome.requests * len(get.data)

    def test_a_refused_connection_is_counted(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port: int = closed.getsockname()[1]
        outcome = send_traffic(Traffic(once(Hold()), 1, 100, LOOPBACK, total=2), port, HANG_SECONDS)
        assert (outcome.connections, outcome.not_connected) == (2, 2)

    def test_an_endless_script_ends_with_the_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        passed = 0.0
        clock = SimpleNamespace(monotonic=lambda: time.monotonic() + passed)
        monkeypatch.setattr(traffic_module, "time", clock)

        def receive(connection: socket.socket) -> None:
            nonlocal passed
            for _ in range(3):
                assert connection.recv(1) == b"a"
            passed = HANG_SECONDS
            while connection.recv(1000):
                pass

        with server(receive) as port:
            script = repeat(Send(b"a"), Pause(0.01))
            traffic = Traffic(script, 1, 10, LOOPBACK, total=1)
            outcome = send_traffic(traffic, port, HANG_SECONDS)
        assert outcome.bytes_sent >= 3
        assert outcome.open_at_end == 1
