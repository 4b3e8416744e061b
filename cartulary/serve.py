"""`cartulary serve`: Redis, web server, workers and scheduler, started and stopped together.

This process serves nothing itself. It imports what the others need, forks them, supervises them and reports
what happens to them. If it is killed, they end as well (service/operation/parent_watch.py).
"""

import gc
import json
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from importlib import import_module
from pathlib import Path
from typing import Final

from cartulary.doctor.settings_file import SETTINGS, check_names
from cartulary.imports import quick_imports
from cartulary.language import command_renderer, text
from cartulary.trusted_keys import SERVICE, trust_own_key
from domain.errors import CartularyError
from domain.messages import Value, message, message_in
from ledger.keys import SigningKey
from service.operation.data_folder import DataFolderInUse, DataFolderLock
from service.operation.embedded_redis import EmbeddedRedis
from service.operation.forked_process import ForkedProcess
from service.operation.parent_watch import parent_pipe
from service.operation.stop_signals import StopSignals
from service.operation.supervisor import Supervisor
from service.server.shared_port import PortError, hold_port, local_url, web_processes
from service.settings import Settings, load_settings

SECONDS_TO_STOP: Final = 8.0
"""Time for the processes that use Redis to end, and then again for Redis; after it, they are killed."""
SECONDS_TO_RESPOND: Final = 5.0
"""Time for the response of a web process that is asked whether it is ready."""

_PARTS: Final = ("service.server.web_process", "workers.run")
"""The modules that the processes import when they start."""

Print = Callable[[str], None]
Run = Callable[[Sequence[str]], None]
"""Runs a command line of `cartulary` to its end."""


@dataclass(frozen=True, slots=True)
class Parts:
    """How many processes a service has, besides this one and Redis."""

    web_processes: int
    has_separate_workers: bool
    """Whether each worker and the scheduler runs in a separate process. Otherwise they are one."""


class AlreadyRunning(CartularyError):
    """The port and the data folder are both in use, probably by the same service."""


def serve(
    settings: Settings,
    environ: Mapping[str, str],
    host: str,
    port: int,
    parts: Parts,
    run_command: Run,
    show: Print,
    report: Print,
) -> None:
    """Run the whole service until SIGTERM or SIGINT; a second signal kills what has not ended yet.

    `settings` are those of `environ`, which the processes inherit. `port` 0 takes a free one. The
    workers and the scheduler are commands that `run_command` runs.
    `show` is called once, with instructions, when the service is ready; `report` is called with a
    sentence about each variable that is no setting, and whenever a process is started again, ends, or cannot
    be started. Raises PortError,
    DataFolderError, EmbeddedRedisError, AlreadyRunning, and SettingsError and RetiredKeyError for the
    signing key.
    """
    stop = StopSignals()
    stop.listen(parent_pipe(environ))
    for finding in check_names(environ):
        report(finding.as_text(SETTINGS, text))
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
            serve_web = partial(_serve_web, address, held_port, parts.web_processes, metrics_folder)
            web = web_processes(serve_web, environment, parts.web_processes, metrics_folder)
            commands = process_commands(
                has_separate_workers=parts.has_separate_workers,
                has_replies=settings.reply_address is not None,
            )
            others = [
                ForkedProcess(
                    name,
                    " ".join(["cartulary", *command]),
                    partial(run_command, command),
                    environment,
                )
                for name, command in commands.items()
            ]
            # Redis is started before the processes that use it, and stopped after them.
            redis = [EmbeddedRedis(settings.data, by_kernel=True)] if settings.is_embedded else []
            supervisor = Supervisor(
                [redis, [*web, *others]],
                lambda event: report(text(event)),
                seconds_to_stop=SECONDS_TO_STOP,
            )
            _import_parts()

            def report_ready() -> None:
                key = SigningKey.load_or_generate(settings.signing_key)
                trust_own_key(environ, key.public, SERVICE, settings.origin or None)
                show(_instructions(settings, url))

            supervisor.run(
                stop, lambda: _problem(url), report_ready, check=lambda: _check(settings, report)
            )
    except PortError as error:
        raise _port_error(error, settings, host, port) from error
    report(text(message("stopped")))


def _import_parts() -> None:
    """Import what the parts need, before they are forked from this process."""
    with quick_imports():
        for module in _PARTS:
            import_module(module)
    # A collection writes to the objects that it looks at, and each page that is written to is copied.
    gc.collect()
    gc.freeze()


def process_commands(*, has_separate_workers: bool, has_replies: bool) -> dict[str, list[str]]:
    """Return the commands of all processes but Redis and the web processes, by the name of each."""
    # Neither a bot that thinks nor a slow receiver delays anything else: searches run in a separate process,
    # and notifications are sent in threads.
    commands = {"worker": ["worker", "--scheduler"]}
    if has_separate_workers:
        commands = {
            "worker": ["worker", "--queue", "games"],
            "bot worker": ["worker", "--queue", "bots"],
            "thinking worker": ["worker", "--queue", "thinking", "--queue", "analyses"],
            "notification worker": ["worker", "--queue", "notices"],
            "scheduler": ["scheduler"],
        }
    if has_replies:
        commands["replies"] = ["replies"]
    return commands


def _check(settings: Settings, report: Print) -> None:
    """Publish the signing key, so that a key that cannot be used ends this process and not the others.

    Report with which settings a Redis can lose data.
    """
    from service.bootstrap import build
    from service.operation.redis_risks import risks_at
    from service.server.web_process import publish_key

    service = build(settings)
    publish_key(service)
    service.redis.close()
    for risk in risks_at(settings.redis_url, settings.queue_url):
        report(text(risk))


def _serve_web(address: str, port: int, processes: int, metrics_folder: str) -> None:
    from service.server.web_process import run_web_process

    run_web_process(address, port, processes, metrics_folder)


def _port_error(error: PortError, settings: Settings, host: str, port: int) -> CartularyError:
    """Return the error to raise for a port that cannot be used."""
    if settings.is_embedded:
        try:
            DataFolderLock(settings.data).check()
        except DataFolderInUse as in_use:
            return AlreadyRunning.with_message(
                "port {port} of {host} and the data folder {folder} are in use: Cartulary is running"
                " already. {how_to_stop}, or run a second service with --port and --data (make serve"
                ' ARGS="--port PORT --data FOLDER")',
                port=port,
                host=host,
                folder=str(settings.data),
                how_to_stop=in_use.how_to_stop,
            )
    return error


def _problem(url: str) -> Value | None:
    """Return why the service is not ready; None if it is."""
    # Not httpx, which takes a tenth of a second to import.
    connection = HTTPConnection(url.removeprefix("http://"), timeout=SECONDS_TO_RESPOND)
    try:
        connection.request(
            "GET", "/readyz", headers={"Accept-Language": command_renderer().language}
        )
        response = connection.getresponse()
        body = response.read()
    except (OSError, HTTPException):
        return message("its web processes are still starting")
    finally:
        connection.close()
    if response.status == HTTPStatus.OK:
        return None
    try:
        return str(json.loads(body)["detail"])
    except (ValueError, KeyError, TypeError):
        return message("/readyz responds with status {status}", status=response.status)


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
    rows = [
        (message("to play, open"), url),
        (message("or, in a terminal"), f"{_program()} play {url}"),
        (None, ""),
        (message_in("instructions", "API"), f"{url}/api/v1/docs"),
        (message("games are in"), store),
    ]
    if settings.data != load_settings(os.environ).data:
        # This process was told by an option, which other commands do not see.
        folder = shlex.quote(str(settings.data))
        rows.append((message("before other commands"), f"export CARTULARY_DATA={folder}"))
    rows.append((message("to stop"), "Ctrl-C"))
    labels = ["" if label is None else text(label) for label, _ in rows]
    width = max(map(len, labels)) + 3
    lines = (
        f"  {label:{width}}{value}".rstrip() for label, (_, value) in zip(labels, rows, strict=True)
    )
    return "\n".join(["", *lines, ""])
