"""Attacks that keep connections, or open and close many of them: idle, slow, unread, reset."""

from collections.abc import Iterator
from itertools import repeat as forever
from typing import Final

from bench.siege.attack import API, MANY_ADDRESSES, ONE_ADDRESS, Attack, Target, once, request
from bench.siege.traffic import Hold, Pause, Read, Reset, Send, Step, Traffic

SMALL_BUFFER: Final = 4096
SECONDS_PER_BYTE: Final = 0.25
CHURN_PROCESSES: Final = 2


def _idle_connections(target: Target) -> Traffic:
    return Traffic(once(Hold()), 20_000, 2_000, MANY_ADDRESSES, total=20_000)


def _slowly(head: bytes) -> Iterator[Step]:
    """Yield the steps that send a head at once, and then one byte at a time."""
    yield Send(head)
    for byte in forever(b"a"):
        yield Pause(SECONDS_PER_BYTE)
        yield Send(byte)


def _slow_headers(target: Target) -> Traffic:
    return Traffic(
        lambda _: _slowly(b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "), 400, 400, ONE_ADDRESS
    )


def _slow_bodies(target: Target) -> Traffic:
    head = (
        f"POST {API}/tokens HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        'Content-Length: 60000\r\n\r\n{"handle": "'
    )
    return Traffic(lambda _: _slowly(head.encode()), 400, 400, ONE_ADDRESS)


def _slow_readers(target: Target) -> Traffic:
    record = request("GET", f"{API}/games/{target.long_game}/record")
    return Traffic(
        once(record, Hold()), 200, 200, MANY_ADDRESSES, total=200, receive_buffer=SMALL_BUFFER
    )


def _unread_streams(target: Target) -> Traffic:
    stream = request("GET", f"{API}/games/{target.long_game}/stream")
    return Traffic(
        once(stream, Hold()), 500, 200, MANY_ADDRESSES, total=500, receive_buffer=SMALL_BUFFER
    )


def _stream_churn(target: Target) -> Traffic:
    stream = request("GET", f"{API}/games/{target.long_game}/stream")
    return Traffic(once(stream, Pause(0.05), Reset()), 50, 100, ONE_ADDRESS)


def _resets(target: Target) -> Traffic:
    return Traffic(once(request("GET", f"{API}/games"), Reset()), 50, 300, ONE_ADDRESS)


def connection_churn() -> Traffic:
    """Return what each of the CHURN_PROCESSES sends."""
    return Traffic(
        once(request("GET", f"{API}/games")),
        3,
        15_000 / CHURN_PROCESSES,
        ONE_ADDRESS,
        is_churn=True,
    )


def _mute_connections(target: Target) -> Traffic:
    return Traffic(once(Hold()), 9_000, 15_000, ONE_ADDRESS, total=9_000)


def _early_positions(target: Target) -> Traffic:
    def script(number: int) -> Iterator[Step]:
        seq = target.long_game_events - 1 - number * 37 % (target.long_game_events // 2)
        yield request("GET", f"{API}/games/{target.long_game}/position?seq={seq}")
        yield Reset()

    return Traffic(script, 100, 200, ONE_ADDRESS)


def _stopped_redis(target: Target) -> Traffic:
    def script(number: int) -> Iterator[Step]:
        while True:
            yield request("GET", f"{API}/games/{target.long_game}/position")
            yield Read()
            yield Pause(0.5)

    return Traffic(script, 40, 100, MANY_ADDRESSES)


ATTACKS: Final = (
    Attack(
        "idle-connections",
        "opens 20,000 connections from 250 addresses and sends nothing",
        _idle_connections,
        seconds=10,
        waves=1,
    ),
    Attack("slow-headers", "sends the headers of 400 requests one byte at a time", _slow_headers),
    Attack("slow-bodies", "sends the bodies of 400 requests one byte at a time", _slow_bodies),
    Attack(
        "slow-readers",
        "requests a record of several megabytes with 200 clients that never read",
        _slow_readers,
    ),
    Attack(
        "unread-streams",
        "opens 500 event streams of a game with 7,200 events and never reads them",
        _unread_streams,
    ),
    Attack(
        "stream-churn",
        "opens 100 event streams a second and resets each after 50 ms",
        _stream_churn,
    ),
    Attack("resets", "sends 300 requests a second and resets each connection at once", _resets),
    Attack(
        "connection-churn",
        "opens 15,000 connections a second, six at a time, and closes each after sending a request",
        lambda _: connection_churn(),
        processes=CHURN_PROCESSES,
    ),
    Attack(
        "mute-connections",
        "opens 9,000 connections from one address as quickly as it can, and sends nothing",
        _mute_connections,
    ),
    Attack(
        "early-positions",
        "requests 200 positions a second from far back in a long game, and disconnects at once",
        _early_positions,
    ),
    Attack(
        "stopped-redis",
        "stops Redis with SIGSTOP while 40 clients send requests",
        _stopped_redis,
        seconds=12,
        stops_redis=True,
    ),
)
