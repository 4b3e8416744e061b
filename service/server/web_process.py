"""One process of the web server: starting it with its settings, and stopping it in an orderly way.

`run_web` (processes.py) runs it inside its own process, or starts several processes of it that share a port.
Such a process is this file run as a module: `python -m service.server.web_process ADDRESS PORT THREADS`.
"""

import asyncio
import gc
import logging
import os
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels
from granian.server.embed import Server
from tenacity import AsyncRetrying, retry_if_exception_type, wait_fixed

from domain.errors import CartularyError, Unreadable
from service.bootstrap import Service, build
from service.errors import Unavailable
from service.http import access_log
from service.http.app import create_app
from service.http.metrics import Metrics
from service.server.gateway import Gateway
from service.server.shared_port import SECONDS_TO_FINISH, PortError
from service.server.streams import MAX_STREAMS, StreamHub
from service.settings import Settings, SettingsError, load_settings
from service.supervision.parent_watch import watch_parent

log = logging.getLogger("service.server.web_process")  # also when the file is run as a module

GC_THRESHOLDS: Final = (20_000, 20, 50)
"""When to collect cyclic garbage. Cached games live long and contain no cycles, so frequent collections
cost much and free little."""
SPARE_FILES: Final = 256
"""Open files that are not available to streams, mainly for the connections of other requests."""


async def serve_web(
    settings: Settings, address: str, port: int, threads: int, on_listening: Callable[[], None]
) -> None:
    """Serve in this process until SIGTERM or SIGINT; then finish the requests under way and end the streams.

    `on_listening` is called once, as soon as connections are accepted. Needs the main thread.
    """
    service = build(settings)
    publish_key(service)
    metrics = Metrics()
    max_streams = _max_streams()
    hub = StreamHub(settings.redis_url, metrics, max_streams)
    gateway = Gateway(create_app(service, metrics), hub, threads)
    server = Server(
        gateway,
        address,
        port,
        interface=Interfaces.ASGINL,
        http=HTTPModes.auto,
        websockets=False,
        backlog=1024,
        # Simultaneous connections: those of streams, and those of other requests.
        backpressure=max_streams + SPARE_FILES,
        # Granian's own messages are about its worker processes, of which there are none here.
        log_level=LogLevels.error,
        log_dictconfig={
            "handlers": {},
            "formatters": {},
            "loggers": {"_granian": {"level": "ERROR"}},
        },
    )
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    # Not loop.add_signal_handler: its wake-up pipe drops signals under heavy load, for example when thousands
    # of streams close at once.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    hub.start()
    serving = asyncio.create_task(server.serve())
    stopping = asyncio.create_task(stop.wait())
    await _wait_until_listening(address, port, serving)
    on_listening()
    await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    log.info("stopping; %d streams are open", len(hub))
    await hub.close()
    server.stop()  # type: ignore[no-untyped-call] # granian's embedded server has no annotations here
    with suppress(TimeoutError):
        await asyncio.wait_for(serving, SECONDS_TO_FINISH)
    gateway.close()
    service.redis.close()


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
            f"CARTULARY_SIGNING_KEY must name a file that can be read or created: {error}"
        ) from error


def main() -> None:
    """Serve on the port that the parent process holds, with the settings of the environment."""
    watch_parent(os.environ)
    access_log.configure()
    address, port, threads = sys.argv[1:]

    def on_listening() -> None:
        log.info("process %d is listening", os.getpid())

    try:
        settings = load_settings(os.environ)
        asyncio.run(serve_web(settings, address, int(port), int(threads), on_listening))
    except CartularyError as error:
        sys.exit(f"Error: {error}")


async def _wait_until_listening(address: str, port: int, serving: "asyncio.Task[None]") -> None:
    async def connect() -> None:
        _, writer = await asyncio.open_connection(address, port)
        writer.close()

    retrying = AsyncRetrying(
        retry=retry_if_exception_type(OSError),
        wait=wait_fixed(0.01),
        stop=lambda _: serving.done(),
        retry_error_callback=lambda _: None,
    )
    await retrying(connect)
    if serving.done():
        serving.result()
        raise PortError(f"nothing listens on {address} port {port}")


def _max_streams() -> int:
    """Raise the limit of open files; return how many streams this process can then hold open."""
    soft_limit, hard_limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard_limit, hard_limit))
        soft_limit = hard_limit
    if soft_limit < 0:
        return MAX_STREAMS
    return max(1, min(MAX_STREAMS, soft_limit - SPARE_FILES))


if __name__ == "__main__":
    main()
