"""One process of the web server: starting it with its settings, and stopping it in an orderly way.

`run_web` (processes.py) runs it inside its own process, or forks several processes that share a port.
"""

import asyncio
import contextlib
import gc
import logging
import os
import resource
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

from domain.errors import Unreadable
from domain.messages import message
from service.bootstrap import Service, build
from service.errors import Unavailable, log_text
from service.http import access_log
from service.http.context import ACCESS_LOG
from service.http.metrics import Metrics, share
from service.pages.app import create_web_app
from service.pages.session import load_key
from service.server.client_address import TrustedProxies
from service.server.connections import SPARE_FILES, ConnectionTable
from service.server.gateway import Gateway
from service.server.http_connection import HttpConnection
from service.server.refusals import Refusals
from service.server.request_owner import RequestOwners
from service.server.shared_port import SECONDS_TO_FINISH, unusable_port
from service.server.streams import StreamHub
from service.settings import Settings, SettingsError, load_settings

log = logging.getLogger(__name__)

GC_THRESHOLDS: Final = (20_000, 20, 50)
"""When to collect cyclic garbage. Cached games live long and contain no cycles, so frequent collections
cost much and free little."""
SWITCH_INTERVAL: Final = 0.001
"""Seconds after which a thread lets another one have the interpreter. With Python's default of 5 ms, a short
request waits that long after each exchange with Redis for every long one that is being handled."""
ACCEPT_BATCH: Final = 32
"""Connections that are accepted at once, so that many of them do not keep the event loop from the others."""
BACKLOG: Final = 4096
"""Connections that wait in the kernel."""
SEND_BUFFER: Final = 128 * 1024
"""Bytes of a response that the kernel keeps for a connection; Linux doubles it for its own needs."""
CHECK_SECONDS: Final = 0.25
"""Time between two checks of all deadlines."""
CHECKS_PER_LOG: Final = 4


async def serve_web(
    settings: Settings, address: str, port: int, on_listening: Callable[[], None]
) -> None:
    """Serve in this process until SIGTERM or SIGINT; then finish the requests under way and end the streams.

    `on_listening` is called once, as soon as connections are accepted. Needs the main thread.
    """
    service = build(settings)
    publish_key(service)
    repeat_erasures(service)
    metrics, bounds = Metrics(), settings.bounds
    refusals = Refusals(metrics)
    max_files = _raise_file_limit()
    proxies = TrustedProxies(settings.trusted_proxies)
    table = ConnectionTable(bounds, refusals, proxies.is_trusted, max_files)
    hub = StreamHub(
        settings.redis_url,
        metrics,
        max_streams=max(1, min(bounds.max_streams, max_files - 2 * SPARE_FILES)),
        max_streams_per_visitor=bounds.max_streams_per_visitor,
    )
    app = create_web_app(service, metrics)
    load_key(app)
    gateway = Gateway(
        app,
        hub,
        service.readiness,
        refusals,
        bounds,
        RequestOwners(service.players.tokens, app),
    )
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    # Not loop.add_signal_handler: its wake-up pipe drops signals under heavy load, for example when thousands
    # of streams close at once.
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
        server = await _listen(create_connection, address, port)
        on_listening()
        await stop.wait()
        log.info("stopping; %d streams are open", len(hub))
        end = loop.time() + SECONDS_TO_FINISH
        server.close()
        gateway.stop()
        table.close()
        await hub.close()
        table.abort_streams()
        # What has been written is sent before the connections are closed.
        await table.wait_until_empty(end - loop.time())
        gateway.close(0)
        refusals.write()
        app.extensions[ACCESS_LOG].flush()
    service.redis.close()


async def _listen(
    create_connection: Callable[[], HttpConnection], address: str, port: int
) -> asyncio.Server:
    """Listen on a port that other processes of this service may share. Raises PortError."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        # Connections inherit it. Without this bound, Linux keeps megabytes for a client that does not read.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        listener.bind((address, port))
    except OSError as error:
        listener.close()
        raise unusable_port(address, port, error) from error
    loop = asyncio.get_running_loop()
    server = await loop.create_server(create_connection, sock=listener, backlog=ACCEPT_BATCH)
    # asyncio accepts as many connections at once as may wait, so the longer queue is set afterwards.
    listener.listen(BACKLOG)
    return server


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
                # Without the next checks, no bound of time would hold any more.
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
    """Publish the signing key before the first request can ask for it.

    If Redis does not respond, /readyz and GET /keys publish it later. Raises SettingsError if the key cannot
    be read or created.
    """
    try:
        service.keyring.publish_key()
    except Unavailable:
        log.warning("the signing key will be published when Redis responds")
    except (Unreadable, OSError) as error:
        raise SettingsError(
            message(
                "CARTULARY_SIGNING_KEY must name a file that can be read or created: {reason}",
                reason=error.message if isinstance(error, Unreadable) else str(error),
            )
        ) from error


def repeat_erasures(service: Service) -> None:
    """Erase the players again who were erased and have come back with a backup.

    If Redis does not respond, a scheduler does it later.
    """
    try:
        service.erasure.repeat()
    except Unavailable as error:
        log.warning("erased players are not looked for: %s", log_text(error))


def run_web_process(address: str, port: int, metrics_folder: str) -> None:
    """Serve on the port that the parent process holds, with the settings of the environment."""
    access_log.configure()
    share(metrics_folder)

    def on_listening() -> None:
        log.info("process %d is listening", os.getpid())

    asyncio.run(serve_web(load_settings(os.environ), address, port, on_listening))


def _raise_file_limit() -> int:
    """Raise the limit of open files as far as possible, and return it."""
    soft_limit, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard_limit, hard_limit))
        soft_limit = hard_limit
    return soft_limit if soft_limit >= 0 else sys.maxsize
