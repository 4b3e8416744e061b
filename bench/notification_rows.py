"""Rows on notifications: the time until webhooks get them beside receivers that hang, and beside volume.

The deliveries are created in the store, and a real worker posts them to sockets on this machine.
"""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from threading import Thread
from typing import Final

from bench.measure import Row
from domain.game import Game
from domain.lifecycle import NewGame
from service.bootstrap import Service, build
from service.operation.embedded_redis import EmbeddedRedis
from service.settings import load_settings

NETWORK: Final = "127.0.0.0/8"
DATABASE: Final = 9
QUIET_ACCOUNTS: Final = 20
HANGING_ACCOUNTS: Final = 20
HANGING_PER_ACCOUNT: Final = 5
FAST_ACCOUNTS: Final = 12
"""The accounts of six tables."""
WAITING: Final = 660
SECONDS: Final = 20.0
"""How long one round lasts."""
PER_SECOND: Final = 20
"""Notifications to the quiet accounts in a second."""
ROUNDS: Final = 3
MOST: Final = 2.0
SECONDS_TO_ARRIVE: Final = 120.0
RESPONSE: Final = b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def measure(redis: EmbeddedRedis, folder: Path) -> Iterator[Row]:
    """Measure the rows of this group."""
    environ = {
        "CARTULARY_REDIS_URL": f"{redis.url}?db={DATABASE}",
        "CARTULARY_DATA": str(folder),
        "CARTULARY_WEBHOOK_NETWORKS": NETWORK,
        "CARTULARY_MAX_WEBHOOK_FAILURES": "1000000",
    }
    service = build(load_settings(environ))
    with running_receivers() as receivers, _running_worker(environ, folder / "worker.log"):
        sites = {
            name: [Account(service, receivers.port) for _ in range(number)]
            for name, number in (("quiet", QUIET_ACCOUNTS), ("fast", FAST_ACCOUNTS))
        }
        hanging = [
            Account(service, receivers.silent_port, webhooks=HANGING_PER_ACCOUNT, number=number)
            for number in range(HANGING_ACCOUNTS)
        ]
        times = Arrivals(service, receivers)
        times.of_quiet(
            sites["quiet"]
        )  # everything is imported, and every receiver has responded once
        pairs = [
            (times.of_quiet(sites["quiet"]), times.of_quiet(sites["quiet"], hanging))
            for _ in range(ROUNDS)
        ]
        label = f"{HANGING_ACCOUNTS * HANGING_PER_ACCOUNT} receivers of {HANGING_ACCOUNTS} accounts"
        yield _row(f"webhooks of others while {label} hang, 99th percentile", pairs)
        pairs = [
            (times.of_new(service, receivers), times.of_new(service, receivers, sites["fast"]))
            for _ in range(ROUNDS)
        ]
        yield _row(f"first notification of a new player behind {WAITING} of six tables", pairs)
    service.redis.close()


class Account:
    """A player with webhooks at a port, in a game of two."""

    def __init__(self, service: Service, port: int, webhooks: int = 1, number: int = 0) -> None:
        self.player, other = (service.accounts.players.create_guest()[0].id for _ in range(2))
        game = service.games.commands.create(
            self.player, NewGame(rules="barony", seats=2, options={})
        )
        self.game: Game = service.games.commands.join(game.id, other)
        self._messages = 0
        for index in range(webhooks):
            # Each receiver is a host of its own.
            host = f"127.0.{number}.{index + 1}"
            service.notifications.webhooks.add(self.player, f"http://{host}:{port}/")

    def notify(self, service: Service) -> list[str]:
        """Have the player notified of a message; return the ids of the deliveries."""
        self._messages += 1
        deliveries = service.notifications.notifier.notify(
            "message",
            self.game.id,
            1,
            [self.player],
            reference=f"message/{self._messages}",
            data={"from": self.player, "message": self._messages},
            operator_channels=(),
        )
        return [delivery.id for delivery in deliveries]


class Arrivals:
    """Measures how long notifications take until they arrive, in seconds."""

    def __init__(self, service: Service, receivers: "Receivers") -> None:
        self._service = service
        self._receivers = receivers

    def of_quiet(self, quiet: Sequence[Account], hanging: Sequence[Account] = ()) -> float:
        """Return the 99th percentile for quiet accounts, while hanging ones are notified every second.

        Nothing is known of the receivers that hang when the round begins.
        """
        for account in hanging:
            self._service.notifications.deliveries.breakers.delete_all_of(account.player)
        created: dict[str, float] = {}
        start = time.monotonic()
        for step in range(round(SECONDS * PER_SECOND)):
            time.sleep(max(0.0, start + step / PER_SECOND - time.monotonic()))
            for account in hanging[step % PER_SECOND :: PER_SECOND]:
                account.notify(self._service)
            began = time.monotonic()
            for id in quiet[step % len(quiet)].notify(self._service):
                created[id] = began
        return self._percentile(created, 0.99)

    def of_new(
        self, service: Service, receivers: "Receivers", fast: Sequence[Account] = ()
    ) -> float:
        """Return the time of the first notification of a new account, behind many to fast ones."""
        account = Account(service, receivers.port)
        others = [
            id
            for number in range(WAITING if fast else 0)
            for id in fast[number % len(fast)].notify(service)
        ]
        began = time.monotonic()
        created = dict.fromkeys(account.notify(service), began)
        seconds = self._percentile(created, 0.5)
        self._wait_for(others)
        return seconds

    def _percentile(self, created: dict[str, float], share: float) -> float:
        self._wait_for(list(created))
        seconds = sorted(self._receivers.arrived[id] - began for id, began in created.items())
        return seconds[min(len(seconds) - 1, int(len(seconds) * share))]

    def _wait_for(self, ids: Sequence[str]) -> None:
        deadline = time.monotonic() + SECONDS_TO_ARRIVE
        while not all(id in self._receivers.arrived for id in ids):
            if time.monotonic() > deadline:
                raise RuntimeError("the notifications have not arrived")
            time.sleep(0.02)


@dataclass
class Receivers:
    """Two servers: one responds at once, and the other one accepts requests and never responds.

    `arrived` is when each delivery came, by its id.
    """

    arrived: dict[str, float]
    port: int = 0
    silent_port: int = 0

    async def respond(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Record a request, and accept it."""
        with suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            for line in head.lower().split(b"\r\n"):
                if line.startswith(b"webhook-id: "):
                    self.arrived.setdefault(line[12:].decode(), time.monotonic())
            writer.write(RESPONSE)
            await writer.drain()
        writer.close()

    @staticmethod
    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read until the client gives up."""
        with suppress(OSError):
            while await reader.read(65536):
                pass
        writer.close()


@contextmanager
def running_receivers() -> Iterator[Receivers]:
    """Run receivers in a thread of their own until the end of the block."""
    receivers = Receivers({})
    loop = asyncio.new_event_loop()

    async def start() -> None:
        quick = await asyncio.start_server(receivers.respond, "0.0.0.0", 0)  # noqa: S104 # all of 127.0.0.0/8
        silent = await asyncio.start_server(receivers.hang, "0.0.0.0", 0)  # noqa: S104 # all of 127.0.0.0/8
        receivers.port = quick.sockets[0].getsockname()[1]
        receivers.silent_port = silent.sockets[0].getsockname()[1]

    loop.run_until_complete(start())
    thread = Thread(target=loop.run_forever)
    thread.start()
    try:
        yield receivers
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


@contextmanager
def _running_worker(environ: dict[str, str], log_file: Path) -> Iterator[None]:
    """Run a worker for notifications until the end of the block."""
    command = [sys.executable, "-m", "cartulary", "worker", "--queue", "notices"]
    with log_file.open("wb") as output:
        process = subprocess.Popen(command, env={**os.environ, **environ}, stderr=output)
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def _row(label: str, pairs: Sequence[tuple[float, float]]) -> Row:
    """Return the row of pairs of times without and with what is to make no difference."""
    ratios = tuple(beside / alone for alone, beside in pairs)
    return Row(
        label=label,
        peer="the same without them",
        target=f"≤ {MOST:g}×",
        ours=median(beside for _, beside in pairs) * 1000,
        theirs=median(alone for alone, _ in pairs) * 1000,
        ratios=ratios,
        unit="ms",
        is_met=median(ratios) <= MOST,
    )
