"""One process of the web server: starts with its settings, and stops in an orderly way.

`run_web` (processes.py) runs it inside its own process, or forks several processes that share a port.
"""

import asyncio
import contextlib
import faulthandler
import gc
import logging
import os
import resource
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Final

from domain.errors import Unreadable
from service.bootstrap import Service, build, trace_appends
from service.errors import Unavailable, log_text
from service.http.access_log import Metrics, share
from service.http.app import trace_requests
from service.http.context import ACCESS_LOG
from service.operation import json_logging
from service.operation.retry import wait_until
from service.operation.tracing import tracing_of
from service.pages.app import create_web_app
from service.pages.session import load_key
from service.server.client_address import TrustedProxies
from service.server.connections import SPARE_FILES, ConnectionTable
from service.server.gateway import Gateway
from service.server.http_connection import HttpConnection
from service.server.listener import MAX_WAITING, Listener
from service.server.listening_sockets import open_sockets
from service.server.new_connections import NewConnections
from service.server.refusals import Refusals
from service.server.request_queues import RequestOwners
from service.server.shared_port import SECONDS_TO_FINISH, SECONDS_TO_STOP
from service.server.streams import StreamHub
from service.settings import Settings, SettingsError, load_settings

log = logging.getLogger(__name__)

GC_THRESHOLDS: Final = (2_000, 10, 50)
"""The thresholds for collecting cyclic garbage. No thread runs during a collection, so the first two
generations are small: 20,000 objects take some 10 ms. Requests leave few cycles, and cached games contain
none, so collections of all objects are rare."""
SWITCH_INTERVAL: Final = 0.001
"""Seconds after which a thread yields the interpreter to another one. With Python's default of 5 ms, a short
request waits that long, after each round trip to Redis, for every long request that is being handled."""
CHECK_SECONDS: Final = 0.25
"""The time between two checks of all deadlines."""
CHECKS_PER_LOG: Final = 4
SECONDS_TO_FIND_LOSSES: Final = 60.0
"""The time for which a new connection to the store may fail before the search for losses is given up."""
SECONDS_TO_END_THREADS: Final = 0.5
"""The time for the threads of each queue to end when no client is left. Idle threads need milliseconds; a
thread that ends together with the interpreter can keep it from ending."""


async def serve_web(
    settings: Settings,
    open_sockets: Callable[[], Sequence[socket.socket]],
    on_listening: Callable[[], None],
) -> None:
    """Serve in this process until SIGTERM or SIGINT; then finish the requests under way and end the streams.

    `open_sockets` returns the sockets, which begin to listen when the process can handle requests.
    `on_listening` is called once, as soon as connections are accepted. This must run in the main thread. The
    process ends with status 1 if it still runs SECONDS_TO_STOP after the signal, even if this function has
    returned.
    """
    service = build(settings)
    publish_key(service)
    repeat_erasures(service)
    metrics, bounds = Metrics(), settings.bounds
    refusals = Refusals(metrics)
    max_files = _raise_file_limit()
    max_waiting = min(MAX_WAITING, max_files // 16)
    max_files -= max_waiting
    proxies = TrustedProxies(settings.trusted_proxies)
    table = ConnectionTable(bounds, refusals, proxies.is_trusted, max_files)
    new_connections = NewConnections(bounds, refusals, proxies.is_trusted)

    def look_for_losses() -> None:
        Thread(target=find_losses, args=(service,), name="lost events", daemon=True).start()

    hub = StreamHub(
        settings.redis_url,
        metrics,
        max_streams=max(1, min(bounds.max_streams, max_files - 2 * SPARE_FILES)),
        max_streams_per_visitor=bounds.max_streams_per_visitor,
        on_reconnect=look_for_losses,
        archive=service.store,
    )
    app = create_web_app(service, metrics)
    tracing = tracing_of(os.environ, "cartulary web")
    if tracing is not None:
        trace_appends(service, tracing)
        trace_requests(app, tracing)
    load_key(app)
    gateway = Gateway(
        app,
        hub,
        service.readiness,
        refusals,
        bounds,
        RequestOwners(service.accounts.players.tokens, app),
    )
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    # Not loop.add_signal_handler: its wake-up pipe drops signals under heavy load, for example when thousands
    # of streams close together.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))

    def create_connection() -> HttpConnection:
        return HttpConnection(loop, gateway, table, refusals, proxies, bounds)

    async def check_bounds() -> None:
        await table.check_deadlines(loop.time)
        gateway.refuse_late_requests()
        metrics.open_connections.set(len(table))
        metrics.waiting_requests.set(gateway.waiting_requests)

    sys.setswitchinterval(SWITCH_INTERVAL)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    hub.start()
    async with _repeat(check_bounds, refusals.write):
        listener = Listener(create_connection, new_connections.admit, open_sockets(), max_waiting)
        on_listening()
        await stop.wait()
        log.info("stopping; %d streams are open", len(hub))
        # The process ends even if something hangs while the interpreter ends; the log then shows all stacks.
        faulthandler.dump_traceback_later(SECONDS_TO_STOP, exit=True)
        end = loop.time() + SECONDS_TO_FINISH
        listener.close()
        gateway.stop()
        table.close()
        await hub.close()
        table.abort_streams()
        # Written data is sent before the connections are closed.
        await table.wait_until_empty(end - loop.time())
        gateway.close(SECONDS_TO_END_THREADS)
        refusals.write()
        app.extensions[ACCESS_LOG].flush()
    if tracing is not None:
        tracing.end()
    service.redis.close()


@contextlib.asynccontextmanager
async def _repeat(
    check: Callable[[], Awaitable[None]], write: Callable[[], None]
) -> AsyncIterator[None]:
    """Call `check` every CHECK_SECONDS, and `write` after some of these calls, until the end of the block."""

    async def run() -> None:
        count = 0
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            try:
                await check()
            except Exception:
                # Without further checks, no time limit would be enforced.
                log.exception("a check of the deadlines has failed")
            count += 1
            if count % CHECKS_PER_LOG == 0:
                write()

    task = asyncio.create_task(run())
    try:
        yield
    finally:
        task.cancel()


def publish_key(service: Service) -> None:
    """Publish the signing key and the name of the transparency log before the first request can need them.

    If Redis does not respond, /readyz and GET /keys publish it later. Raises SettingsError if the key cannot
    be read or created.
    """
    try:
        service.keyring.publish_key()
        # Reading the name stores it.
        service.transparency.proofs.log_name()
    except Unavailable:
        log.warning("the signing key will be published when Redis responds")
    except (Unreadable, OSError) as error:
        raise SettingsError.with_message(
            "CARTULARY_SIGNING_KEY must name a file that can be read or created: {reason}",
            reason=error.message if isinstance(error, Unreadable) else str(error),
        ) from error


def repeat_erasures(service: Service) -> None:
    """Erase players again whom a restored backup has brought back.

    If Redis does not respond, a scheduler does it later.
    """
    try:
        service.accounts.erasure.repeat_after_restore()
    except Unavailable as error:
        log.warning("erased players are not looked for: %s", log_text(error))


def find_losses(service: Service) -> None:
    """Report events of cached games that the store has lost, such as in a failover."""

    def is_done() -> bool:
        try:
            service.games.repository.find_losses()
        except Unavailable:
            return False
        return True

    if not wait_until(is_done, SECONDS_TO_FIND_LOSSES, interval=1):
        log.warning("lost events are not looked for, because the store does not respond")


def run_web_process(address: str, port: int, processes: int, metrics_folder: str) -> None:
    """Serve on the port that the parent process holds, with the settings of the environment.

    `processes` is the number of processes that share the port and the folder.
    """
    json_logging.configure()
    share(metrics_folder)

    def on_listening() -> None:
        log.info("process %d is listening", os.getpid())

    listen = partial(open_sockets, address, port, processes, Path(metrics_folder, "sockets.lock"))
    asyncio.run(serve_web(load_settings(os.environ), listen, on_listening))


def _raise_file_limit() -> int:
    """Raise the limit of open files to its maximum, and return it."""
    soft_limit, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard_limit, hard_limit))
        soft_limit = hard_limit
    return soft_limit if soft_limit >= 0 else sys.maxsize
