"""The commands that run a service or work on one: serve, web, worker, scheduler, reindex, repair, retire-key.

The packages `service` and `workers` are imported when a command is called: they need the dependencies of the
extra `server`, which may not be installed.
"""

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cartulary.commands.options import data_option, redis_option
from cartulary.terminal import echo, print_message

if TYPE_CHECKING:
    from service.settings import Settings

_host = click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
_port = click.option(
    "--port",
    default=8000,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0: any free port.",
)


def _usable_cores() -> int:
    from service.server.shared_port import usable_cores

    return usable_cores()


_processes = click.option(
    "--processes",
    default=_usable_cores,
    show_default="one per core",
    type=click.IntRange(1, 64),
    help="Web processes that share the port.",
)


@click.command()
@_host
@_port
@_processes
@data_option
def serve(host: str, port: int, processes: int, data: Path | None) -> None:
    """Run the whole service on this machine.

    Starts the web server, two workers, the scheduler, and a Redis unless CARTULARY_REDIS_URL names one.
    Ctrl-C stops them all.
    """
    from cartulary.serve import serve as run
    from service.settings import load_settings
    from service.supervision.standard_output import tolerate_write_errors

    environ = _environ_with(data)
    tolerate_write_errors()
    logging.basicConfig(format="%(message)s")
    run(load_settings(environ), environ, host, port, processes, echo, print_message)


@click.command()
@_host
@_port
@_processes
def web(host: str, port: int, processes: int) -> None:
    """Run the web server."""
    from service.server.processes import run_web

    run_web(_process_settings(), os.environ, host, port, processes=processes)


@click.command()
@click.option(
    "--queue",
    "names",
    multiple=True,
    type=click.Choice(["games", "notices"]),
    help="Take jobs from this queue only; may be repeated, the first has priority.",
)
def worker(names: tuple[str, ...]) -> None:
    """Run a worker: it scores rounds, ends games, forfeits turns and sends notifications."""
    from workers.run import run_worker
    from workers.tasks import GAMES, NOTIFICATIONS, QUEUES

    queues = {"games": GAMES, "notices": NOTIFICATIONS}
    run_worker(_process_settings(), tuple(queues[name] for name in names) or QUEUES)


@click.command()
def scheduler() -> None:
    """Run the scheduler: it enqueues the jobs of the outbox and of the deadlines.

    Several may run at the same time.
    """
    from workers.run import run_scheduler

    run_scheduler(_process_settings())


@click.command()
@redis_option
def reindex(redis: str | None) -> None:
    """Rebuild the listings and the outbox from the logs, and the skeletons of handles.

    May run while games are played.
    """
    from cartulary.running_service import open_service
    from service.reindex import reindex as run

    with open_service(os.environ, redis) as service:
        count = run(service, lambda so_far: print_message(f"{so_far} games ..."))
    echo(f"{count} games reindexed")


@click.command()
@data_option
@click.option("--yes", is_flag=True, help="Repair without asking.")
def repair(data: Path | None, *, yes: bool) -> None:
    """Check the stored data, and repair a damaged file.

    Works on the embedded Redis of a data folder, while the service is stopped. Reports which events would be
    lost, and asks before it changes anything. What is cut off is kept in a folder next to the file.
    """
    from cartulary.repair import repair as run

    run(_environ_with(data), yes=yes)


@click.command("retire-key")
@click.argument("key")
@redis_option
def retire_key(key: str, redis: str | None) -> None:
    """Retire the signing key KEY from now on.

    The list of public keys then shows until when it was valid; its earlier signatures stay valid. Configure
    another signing key for the service first.
    """
    from cartulary.running_service import open_service

    with open_service(os.environ, redis) as service:
        entry = service.keyring.retire(key)
    echo(f"key {entry['key']} was retired at {entry['until']}")


def _environ_with(data: Path | None) -> dict[str, str]:
    """Return the environment variables, with this data folder if one is given."""
    environ = dict(os.environ)
    if data is not None:
        environ["CARTULARY_DATA"] = str(data)
    return environ


def _process_settings() -> "Settings":
    """Load the settings for a process of the service, which logs JSON lines and ends with its parent."""
    from service import json_logging
    from service.settings import load_settings
    from service.supervision.parent_watch import watch_parent

    watch_parent(os.environ)
    json_logging.configure()
    return load_settings(os.environ)
