"""The web process: from settings to a listening server, and to its end in good order.

One process serves by itself. Several share the port (SO_REUSEPORT); then this one only looks after them:
one that dies is replaced, and none outlives it, not even when it is killed, since each holds the other end
of a pipe and goes when that is closed.
"""

import asyncio
import gc
import logging
import multiprocessing
import os
import resource
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from types import FrameType
from typing import Any, Final

from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels
from granian.server.embed import Server
from prometheus_client.multiprocess import mark_process_dead

from domain.errors import CartularyError
from service.bootstrap import build
from service.http import access_log
from service.http.app import create_app
from service.http.metrics import SHARED, Metrics
from service.server.gateway import Gateway
from service.server.streams import MOST_STREAMS, StreamHub
from service.settings import Settings

log = logging.getLogger(__name__)

THREADS: Final = 4
"""Threads that serve requests in a process: some wait for Redis while one works. More only fight for the
interpreter, and the slowest requests get slower."""
GARBAGE: Final = (20_000, 20, 50)
"""When to look for garbage in cycles. Folded games live long and have none, so looking often finds little."""
SPARE_FILES: Final = 256
"""Files, requests in connections of their own above all, that streams leave free."""
PATIENCE_STOP: Final = 10.0
RESPAWN: Final = 1.0
_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


class PortError(CartularyError):
    """The address cannot be listened on."""


def run_web(
    settings: Settings,
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    workers: int = 1,
    threads: int = THREADS,
    ready: Callable[[str], None] | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT; then requests under way are finished and streams are ended.

    `port` 0 takes a free one. `ready` is told the URL once the server listens. Needs the main thread.
    Raises PortError.
    """
    with _held(host, port) as (address, held):
        access_log.configure()
        shown = f"[{address}]" if ":" in address else address
        url = f"http://{shown}:{held}"
        if workers > 1:
            _run_many(settings, address, held, workers, threads, ready, url)
        else:
            asyncio.run(_serve(settings, address, held, threads, lambda: _say(ready, url)))


def _say(ready: Callable[[str], None] | None, url: str) -> None:
    log.info("listening on %s", url)
    if ready is not None:
        ready(url)


async def _serve(
    settings: Settings,
    address: str,
    port: int,
    threads: int,
    listening: Callable[[], None],
    tether: Connection | None = None,
) -> None:
    """Serve in this process until a signal comes, or the other end of `tether` is closed."""
    service = build(settings)
    figures = Metrics()
    streams = _most_streams()
    hub = StreamHub(settings.redis_url, figures, streams)
    gateway = Gateway(create_app(service, figures), hub, threads)
    server = Server(
        gateway,
        address,
        port,
        interface=Interfaces.ASGINL,
        http=HTTPModes.auto,
        websockets=False,
        backlog=1024,
        # Connections at once: no stream may keep a request from being heard.
        backpressure=streams + SPARE_FILES,
        # Its own lines are about workers that are none; errors get into our log.
        log_level=LogLevels.error,
        log_dictconfig={
            "handlers": {},
            "formatters": {},
            "loggers": {"_granian": {"level": "ERROR"}},
        },
    )
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    # Not loop.add_signal_handler: what that relies on drops signals while very much is going on, as when
    # thousands of streams close at once.
    for number in _SIGNALS:
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))
    if tether is not None:
        loop.add_reader(tether.fileno(), _untethered, tether, stop)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GARBAGE)
    hub.start()
    serving = asyncio.create_task(server.serve())
    stopping = asyncio.create_task(stop.wait())
    await _until_listening(address, port, serving)
    listening()
    await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    log.info("stopping; %d streams are open", len(hub))
    await hub.close()
    server.stop()  # type: ignore[no-untyped-call]
    with suppress(TimeoutError):
        await asyncio.wait_for(serving, PATIENCE_STOP)
    gateway.close()
    service.redis.close()


def _untethered(tether: Connection, stop: asyncio.Event) -> None:
    asyncio.get_running_loop().remove_reader(tether.fileno())
    stop.set()


async def _until_listening(address: str, port: int, serving: "asyncio.Task[None]") -> None:
    while not serving.done():
        with suppress(OSError):
            _, writer = await asyncio.open_connection(address, port)
            writer.close()
            return
        await asyncio.sleep(0.01)
    serving.result()
    raise PortError(f"nothing listens on {address} port {port}")


@contextmanager
def _held(host: str, port: int) -> Any:
    """The address in numbers, and a port that is ours as long as this lasts.

    The server's sockets let others of the same user share the port, so it is looked at first whether
    anybody else listens there: two services on one port would answer in turn.
    """
    try:
        family, _, _, _, found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(found)
            address, free = probe.getsockname()[:2]
        # Bound and not listening, it gets no connections, but keeps the port from being given away.
        with socket.socket(family, socket.SOCK_STREAM) as keeper:
            keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            keeper.bind((address, free, *found[2:]))
            yield address, free
    except OSError as error:
        raise PortError(f"{host} port {port} cannot be listened on: {error.strerror}") from error


def _most_streams() -> int:
    """How many streams this process can hold open, once it may open as many files as it ever may."""
    files, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        files = most
    return MOST_STREAMS if files < 0 else max(1, min(MOST_STREAMS, files - SPARE_FILES))


def _run_many(
    settings: Settings,
    address: str,
    port: int,
    workers: int,
    threads: int,
    ready: Callable[[str], None] | None,
    url: str,
) -> None:
    """Look after several processes on one port until a signal comes."""
    spawn = multiprocessing.get_context("spawn")
    stop = threading.Event()
    ours, bell = spawn.Pipe()

    def stopped(number: int, frame: FrameType | None) -> None:
        stop.set()
        bell.send(None)

    for number in _SIGNALS:
        signal.signal(number, stopped)
    # They hold one end each; this one is never written to, and closes when this process is gone.
    theirs, tether = spawn.Pipe(duplex=False)

    def begin() -> SpawnProcess:
        heard, tell = spawn.Pipe(duplex=False)
        process = spawn.Process(
            target=_work, args=(settings, address, port, threads, theirs, tell), name="web"
        )
        process.start()
        tell.close()
        with suppress(EOFError):
            heard.recv()
        return process

    with tempfile.TemporaryDirectory(prefix="cartulary-figures-") as figures:
        os.environ[SHARED] = figures
        processes = [begin() for _ in range(workers)]
        _say(ready, url)
        while not stop.is_set():
            wait([ours, *(process.sentinel for process in processes)])
            for place, process in enumerate(processes):
                if not process.is_alive() and not stop.is_set():
                    log.error(
                        "a web process ended with status %s; another is begun", process.exitcode
                    )
                    mark_process_dead(process.pid, figures)  # type: ignore[no-untyped-call]
                    time.sleep(RESPAWN)
                    processes[place] = begin()
        tether.close()
        for process in processes:
            process.join(PATIENCE_STOP + 5)
            if process.is_alive():
                process.kill()
                process.join()


def _work(
    settings: Settings,
    address: str,
    port: int,
    threads: int,
    tether: Connection,
    tell: Connection,
) -> None:
    """One of several processes."""
    access_log.configure()

    def listening() -> None:
        tell.send(None)
        tell.close()

    asyncio.run(_serve(settings, address, port, threads, listening, tether))
