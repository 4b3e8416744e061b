"""The web server: one process, or several that share a port.

They share it by SO_REUSEPORT. The process that was started holds the port, and supervises the others.
"""

import asyncio
import logging
import socket
import tempfile
from collections.abc import Callable, Mapping
from typing import Final

from domain.messages import Message
from replay.language.renderer import english
from service.bootstrap import build
from service.http import access_log
from service.server.shared_port import (
    SECONDS_TO_FINISH,
    hold_port,
    local_url,
    web_command,
    web_processes,
)
from service.server.web_process import publish_key, serve_web
from service.settings import Settings
from service.supervision.child_process import ChildProcess
from service.supervision.stop_signals import StopSignals
from service.supervision.supervisor import Supervisor

log = logging.getLogger(__name__)

SECONDS_TO_STOP: Final = SECONDS_TO_FINISH + 5
"""Time after which a web process that was asked to end is killed."""


def run_web(
    settings: Settings,
    environ: Mapping[str, str],
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    processes: int = 1,
    on_listening: Callable[[str], None] | None = None,
    process_command: Callable[[str, int], list[str]] = web_command,
) -> None:
    """Serve until SIGTERM or SIGINT; then finish the requests under way and end the streams.

    `port` 0 takes a free one. `on_listening` is called with the URL once the server listens.
    `settings` are those of `environ`, from which the processes load them again if there are
    several; each of these is started with `process_command(address, port)`. Needs the
    main thread. Raises PortError, and SettingsError for a signing key that cannot be used.
    """
    access_log.configure()
    with hold_port(host, port) as (address, held_port):

        def report_listening() -> None:
            url = local_url(address, held_port)
            log.info("listening on %s", url)
            if on_listening is not None:
                on_listening(url)

        if processes == 1:
            asyncio.run(serve_web(settings, address, held_port, report_listening))
            return
        # The processes do this as well, but would be restarted again and again for a key that cannot be used.
        publish_key(build(settings))
        command = process_command(address, held_port)
        with tempfile.TemporaryDirectory(prefix="cartulary-metrics-") as folder:
            _supervise(
                web_processes(command, environ, processes, folder),
                lambda: _is_listening(address, held_port),
                report_listening,
            )


def _supervise(
    children: list[ChildProcess], is_ready: Callable[[], bool], on_ready: Callable[[], None]
) -> None:
    stop = StopSignals()
    stop.listen()

    def report(event: Message) -> None:
        log.warning("%s", english(event))

    supervisor = Supervisor([children], report, seconds_to_stop=SECONDS_TO_STOP)
    supervisor.run(stop, is_ready, on_ready)


def _is_listening(address: str, port: int) -> bool:
    try:
        socket.create_connection((address, port), timeout=1).close()
    except OSError:
        return False
    return True
