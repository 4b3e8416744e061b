"""`cartulary serve`: Redis, web server, workers and scheduler, started and stopped together.

This process serves nothing itself. It supervises the others and reports what happens to them. If
it is killed, they end as well (service/supervision/parent_watch.py).
"""

import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import httpx

from cartulary.language import text
from cartulary.trusted_keys import SERVICE, trust_own_key
from domain.errors import CartularyError
from domain.messages import message, message_in
from ledger.keys import SigningKey
from service.data_folder import DataFolderInUse, DataFolderLock
from service.embedded_redis import EmbeddedRedis
from service.server.shared_port import (
    PortError,
    hold_port,
    local_url,
    web_command,
    web_processes,
)
from service.settings import Settings
from service.supervision.child_process import ChildProcess
from service.supervision.stop_signals import StopSignals
from service.supervision.supervisor import Supervisor

SECONDS_TO_STOP: Final = 8.0
"""Time for the processes that use Redis to end, and then again for Redis; after it, they are killed."""

Print = Callable[[str], None]


class AlreadyRunning(CartularyError):
    """The port and the data folder are both in use, probably by the same service."""


def serve(
    settings: Settings,
    environ: Mapping[str, str],
    host: str,
    port: int,
    processes: int,
    show: Print,
    report: Print,
) -> None:
    """Run the whole service until SIGTERM or SIGINT; a second signal kills what has not ended yet.

    `settings` are those of `environ`, which the processes inherit. `port` 0 takes a free one. `processes` is
    the number of web processes.
    `show` is called once, with instructions, when the service is ready; `report` is called with a
    sentence whenever a process is started again, ends, or cannot be started. Raises PortError,
    DataFolderError, EmbeddedRedisError, and AlreadyRunning.
    """
    try:
        with (
            hold_port(host, port) as (address, held_port),
            tempfile.TemporaryDirectory(prefix="cartulary-metrics-") as metrics_folder,
        ):
            url = local_url(address, held_port)
            environment = {
                **environ,
                "CARTULARY_DATA": str(settings.data),
                "CARTULARY_PUBLIC_URL": environ.get("CARTULARY_PUBLIC_URL") or url,
            }
            command = web_command(address, held_port)
            web = web_processes(command, environment, processes, metrics_folder)
            supervisor = _supervisor(settings, environment, web, report)
            stop = StopSignals()
            stop.listen()

            def report_ready() -> None:
                key = SigningKey.load_or_generate(settings.signing_key)
                trust_own_key(environ, key.public, SERVICE, settings.origin or None)
                show(_instructions(settings, url))

            supervisor.run(stop, lambda: _is_ready(url), report_ready)
    except PortError as error:
        raise _port_error(error, settings, host, port) from error
    report(text(message("stopped")))


def _supervisor(
    settings: Settings, environment: Mapping[str, str], web: list[ChildProcess], report: Print
) -> Supervisor:
    # Bots, their searches, and notifications have workers of their own, so that neither a bot that thinks nor
    # a slow receiver delays anything else.
    commands = {
        "worker": ["worker", "--queue", "games"],
        "bot worker": ["worker", "--queue", "bots"],
        "thinking worker": ["worker", "--queue", "thinking"],
        "notification worker": ["worker", "--queue", "notices"],
        "scheduler": ["scheduler"],
    }
    others = [
        ChildProcess(name, [sys.executable, "-m", "cartulary", *command], environment)
        for name, command in commands.items()
    ]
    # Redis is started before the processes that use it, and stopped after them.
    redis = [EmbeddedRedis(settings.data)] if settings.is_embedded else []
    return Supervisor(
        [redis, [*web, *others]],
        lambda event: report(text(event)),
        seconds_to_stop=SECONDS_TO_STOP,
    )


def _port_error(error: PortError, settings: Settings, host: str, port: int) -> CartularyError:
    """Return the error to raise for a port that cannot be used."""
    if settings.is_embedded:
        try:
            DataFolderLock(settings.data).check()
        except DataFolderInUse as in_use:
            return AlreadyRunning(
                message(
                    "port {port} of {host} and the data folder {folder} are in use: Cartulary is running"
                    " already. {how_to_stop}, or run a second service with --port and --data (make serve"
                    ' ARGS="--port PORT --data FOLDER")',
                    port=port,
                    host=host,
                    folder=str(settings.data),
                    how_to_stop=in_use.how_to_stop,
                )
            )
    return error


def _is_ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/readyz", timeout=1, trust_env=False).is_success
    except httpx.TransportError:
        return False


def _program() -> str:
    """Return the command that runs this program, as somebody types it in the current folder."""
    if shutil.which("cartulary") is not None:
        return "cartulary"
    program = Path(sys.executable).parent / "cartulary"
    folder = Path.cwd()
    return str(program.relative_to(folder) if program.is_relative_to(folder) else program)


def _instructions(settings: Settings, url: str) -> str:
    """Return the addresses of the service, how to register a first player, and how to stop."""
    store = (
        str(settings.data)
        if settings.is_embedded
        else text(message("the Redis of CARTULARY_REDIS_URL"))
    )
    rows = (
        (message("to play, open"), url),
        (message("or, in a terminal"), f"{_program()} play {url}"),
        (None, ""),
        (message_in("instructions", "API"), f"{url}/api/v1/docs"),
        (message("games are in"), store),
        (message("to stop"), "Ctrl-C"),
    )
    labels = ["" if label is None else text(label) for label, _ in rows]
    width = max(map(len, labels)) + 3
    lines = (
        f"  {label:{width}}{value}".rstrip() for label, (_, value) in zip(labels, rows, strict=True)
    )
    return "\n".join(["", *lines, ""])
