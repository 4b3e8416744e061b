"""The web server: one process, or several that share a port.

They share it by SO_REUSEPORT. The process that was started holds the port, forks the others and supervises
them.
"""

import asyncio
import logging
import socket
import tempfile
from collections.abc import Callable, Mapping
from functools import partial

from domain.messages import Message, message
from replay.language.renderer import english
from service.bootstrap import build
from service.operation import json_logging
from service.operation.parent_watch import parent_pipe, watch_parent
from service.operation.redis_risks import risks_at
from service.operation.stop_signals import StopSignals
from service.operation.supervisor import Supervisor
from service.server.listening_sockets import open_sockets
from service.server.shared_port import SECONDS_TO_STOP, hold_port, local_url, web_processes
from service.server.web_process import publish_key, run_web_process, serve_web
from service.settings import Settings

log = logging.getLogger(__name__)


def run_web(
    settings: Settings,
    environ: Mapping[str, str],
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    processes: int = 1,
    on_listening: Callable[[str], None] | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT; then finish the requests under way and end the streams.

    A `port` of 0 is a free one. `on_listening` is called with the URL once the server listens. `settings` are
    those of `environ`, from which the processes load them again if there are several. This must run in the
    main thread; for several processes, there must be no other threads. Raises PortError, and SettingsError
    for a signing key that cannot be used.
    """
    json_logging.configure()
    for risk in risks_at(settings.redis_url, settings.queue_url):
        log.warning("%s", english(risk))
    with hold_port(host, port) as (address, held_port):

        def report_listening() -> None:
            url = local_url(address, held_port)
            log.info("listening on %s", url)
            if on_listening is not None:
                on_listening(url)

        if processes == 1:
            watch_parent(environ)
            listen = partial(open_sockets, address, held_port)
            asyncio.run(serve_web(settings, listen, report_listening))
            return
        # The processes do this as well, but would be restarted endlessly for a key that cannot be used.
        service = build(settings)
        publish_key(service)
        service.redis.close()
        stop = StopSignals()
        stop.listen(parent_pipe(environ))
        with tempfile.TemporaryDirectory(prefix="cartulary-metrics-") as folder:
            run = partial(run_web_process, address, held_port, processes, folder)
            supervisor = Supervisor(
                [web_processes(run, environ, processes, folder)],
                lambda event: log.warning("%s", english(event)),
                seconds_to_stop=SECONDS_TO_STOP,
            )
            supervisor.run(stop, lambda: _problem(address, held_port), report_listening)


def _problem(address: str, port: int) -> Message | None:
    """Return the reason why the server is not ready; None if it accepts connections."""
    try:
        socket.create_connection((address, port), timeout=1).close()
    except OSError:
        return message("its web processes are still starting")
    return None
