"""The commands that run a service or work on one: serve, web, worker, reindex, repair, bounce and others.

The packages `service` and `workers` are imported when a command is called: they need the dependencies of the
extra `server`, which may not be installed.
"""

import logging
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from cartulary.command_line import IntRange, PathType, argument, command, option, usage_error
from cartulary.commands.options import data_option, existing_data_option, redis_option, with_service
from cartulary.imports import quick_imports
from cartulary.language import text
from cartulary.terminal import confirm, echo, print_message
from domain.errors import CartularyError
from domain.messages import Instant, comma_list, message, message_in, plural_message

if TYPE_CHECKING:
    from service.bootstrap import Service
    from service.settings import Settings

EX_TEMPFAIL: Final = 75
"""The exit status that has a mail server keep the mail and try again (sysexits.h)."""

PROGRESS_BYTES: Final = 100 << 20
"""Bytes after which the progress of a backup is shown again."""

_host = option(
    "--host",
    metavar=message_in("metavar", "ADDRESS"),
    default="127.0.0.1",
    show_default=True,
    help=message("Address to listen on."),
)
_port = option(
    "--port",
    default=8000,
    show_default=True,
    type=IntRange(0, 65535),
    help=message("Port to listen on; 0: any free port."),
)


CORES_FOR_SEPARATE_PROCESSES: Final = 4
"""The number of cores from which on `serve` runs one web process for each, and every worker apart."""


def _usable_cores() -> int:
    from cartulary.audit_runs import usable_cores

    return usable_cores()


def _has_cores_to_spare() -> bool:
    return _usable_cores() >= CORES_FOR_SEPARATE_PROCESSES


@command(
    "serve",
    help=(
        message("Run the whole service on this machine."),
        message(
            "Starts the web server, the workers, the scheduler, and a Redis unless CARTULARY_REDIS_URL"
            " names one. Ctrl-C stops them all."
        ),
    ),
)
@_host
@_port
@option(
    "--processes",
    default=lambda: _usable_cores() if _has_cores_to_spare() else 1,
    type=IntRange(1, 64),
    help=message(
        "Web processes that share the port; default: one per core from four cores on, otherwise one."
    ),
)
@option(
    "--workers",
    default=lambda: "separate" if _has_cores_to_spare() else "together",
    type=click.Choice(["together", "separate"]),
    help=message(
        "Whether the workers and the scheduler are one process, or one each; default: one each from four"
        " cores on."
    ),
)
@data_option
@click.pass_context
def serve(
    ctx: click.Context, host: str, port: int, processes: int, workers: str, data: Path | None
) -> None:
    with _imports():
        from cartulary.serve import Parts
        from cartulary.serve import serve as run
        from service.operation.standard_output import tolerate_write_errors
        from service.settings import load_settings

    environ = _environ_with(data)
    tolerate_write_errors()
    logging.basicConfig(format="%(message)s")

    def run_command(arguments: Sequence[str]) -> None:
        ctx.find_root().command(arguments, prog_name="cartulary")

    settings = load_settings(environ)
    parts = Parts(processes, has_separate_workers=workers == "separate")
    run(settings, environ, host, port, parts, run_command, echo, print_message)


@command("web", help=(message("Run the web server."),))
@_host
@_port
@option(
    "--processes",
    default=_usable_cores,
    type=IntRange(1, 64),
    help=message("Web processes that share the port; default: one per core."),
)
def web(host: str, port: int, processes: int) -> None:
    with _imports():
        from service.server.processes import run_web

    run_web(_process_settings(), os.environ, host, port, processes=processes)


@command(
    "worker",
    help=(
        message(
            "Run a worker: it scores rounds, ends games, forfeits turns, plays bots and sends"
            " notifications."
        ),
        message(
            "It leaves the queues `thinking` and `analyses` to a worker with `--queue thinking --queue"
            " analyses`: a bot that searches thinks for seconds, which must not delay other jobs."
        ),
    ),
)
@option(
    "--queue",
    "names",
    multiple=True,
    type=click.Choice(["games", "bots", "notices", "thinking", "analyses"]),
    help=message("Take jobs from this queue only; may be repeated, the first has priority."),
)
@option(
    "--scheduler",
    "with_scheduler",
    is_flag=True,
    help=message(
        "Run the scheduler in this process too, and a worker for the queues `thinking` and `analyses`"
        " while they have jobs."
    ),
)
@option(
    "--max-idle",
    metavar=message_in("metavar", "SECONDS"),
    type=IntRange(1),
    help=message("End after so many seconds without a job."),
)
def worker(names: tuple[str, ...], max_idle: int | None, *, with_scheduler: bool) -> None:
    with _imports():
        from service.operation.parent_watch import watch_parent
        from workers.run import run_worker
        from workers.tasks import ANALYSES, BOTS, GAMES, NOTIFICATIONS, QUICK_QUEUES, THINKING

    watch_parent(os.environ)
    queues = {
        "games": GAMES,
        "bots": BOTS,
        "notices": NOTIFICATIONS,
        "thinking": THINKING,
        "analyses": ANALYSES,
    }
    run_worker(
        _process_settings(),
        tuple(queues[name] for name in names) or QUICK_QUEUES,
        with_scheduler=with_scheduler,
        max_idle=max_idle,
    )


@command(
    "scheduler",
    help=(
        message("Run the scheduler: it enqueues the jobs of the outbox and of the deadlines."),
        message("Several may run at the same time."),
    ),
)
def scheduler() -> None:
    with _imports():
        from service.operation.parent_watch import watch_parent
        from workers.run import run_scheduler

    watch_parent(os.environ)
    run_scheduler(_process_settings())


@command(
    "replies",
    help=(
        message("Receive the mails with which players answer in order to play."),
        message(
            "A mail server delivers them by LMTP at CARTULARY_REPLY_LMTP. Needs CARTULARY_REPLY_ADDRESS."
            " Several may run at the same time, on several machines."
        ),
    ),
)
def replies() -> None:
    with _imports():
        from service.operation.parent_watch import watch_parent
        from workers.mail.reply_server import run_replies

    watch_parent(os.environ)
    run_replies(_process_settings())


@command(
    "health",
    help=(
        message(
            "Check whether a scheduler and a worker are alive, and `replies` if it is set up, and print which"
            " processes are, as JSON."
        ),
        message("Exits with 1 if one is missing."),
    ),
)
@with_service
def health(service: "Service") -> None:
    import orjson

    from service.operation.process_reports import health as health_of

    reports = service.process_reports
    report = health_of(reports.alive(), reports.expected_kinds)
    echo(orjson.dumps(report).decode())
    if report["missing"]:
        raise click.exceptions.Exit(1)


@command(
    "reindex",
    help=(
        message("Rebuild the listings and the outbox from the logs, and the skeletons of handles."),
        message("May run while games are played."),
    ),
)
@with_service
def reindex(service: "Service") -> None:
    from service.recovery.reindex import reindex as run

    count = run(service, _report_reindexed)
    echo(text(plural_message("{count} game reindexed", "{count} games reindexed", count=count)))


def _report_reindexed(count: int) -> None:
    print_message(plural_message("{count} game ...", "{count} games ...", count=count))


@command(
    "projections",
    help=(
        message(
            "List what is derived from the events of public games: how far each projection is."
        ),
        message(
            "A projection lacks as many entries of the transparency log as its lag says. Schedulers make it"
            " catch up. --rebuild derives a projection from all events again, while the service runs; until"
            " it is complete, the former values are shown."
        ),
    ),
)
@option(
    "--rebuild", metavar=message_in("metavar", "NAME"), help=message("Rebuild this projection.")
)
@with_service
def projections(service: "Service", rebuild: str | None) -> None:
    event_projections = service.games.projections
    if rebuild is not None:
        if rebuild not in event_projections.names():
            raise usage_error(
                message(
                    "there is no projection {name}: name one of {names}",
                    name=rebuild,
                    names=comma_list(event_projections.names()),
                )
            )
        event_projections.rebuild(rebuild, _report_rebuilt)
    states = event_projections.states()
    width = max(len(state.name) for state in states)
    for state in states:
        lag = plural_message("{count} entry behind", "{count} entries behind", count=state.lag)
        echo(f"{state.name:{width}}  {state.position or '-'}  {text(lag)}")


def _report_rebuilt(entries: int, size: int) -> None:
    print_message(message("{count} of {size} entries ...", count=entries, size=size))


@command(
    "repair",
    help=(
        message("Check the stored data, and repair damaged data."),
        message(
            "Works on the embedded Redis of a data folder, while the service is stopped. Keeps every"
            " intact write, reports which events are lost, and asks before it changes anything. The"
            " damaged file is kept in a folder next to the new one."
        ),
        message(
            "With --game, works on a single game of any Redis, while the service runs: removes its"
            " damaged events and those after them."
        ),
    ),
)
@existing_data_option
@option(
    "--game",
    metavar=message_in("metavar", "GAME"),
    help=message("Repair this game only, in the running service."),
)
@option("--yes", is_flag=True, help=message("Repair without asking."))
def repair(data: Path | None, *, game: str | None, yes: bool) -> None:
    from cartulary.repair import repair as run
    from cartulary.repair import repair_game
    from cartulary.running_service import open_service

    environ = _environ_with(data)
    if game is None:
        run(environ, yes=yes)
        return
    with open_service(environ, None) as service:
        repair_game(service, game, yes=yes)


@command(
    "backup",
    help=(
        message("Write a backup of the whole service into the new folder FOLDER, while it runs."),
        message(
            "Contains everything in the Redis of the logs at one moment, and the files of the data folder"
            " of this machine, but the private keys only with --with-keys."
        ),
    ),
)
@argument("folder", metavar=message_in("metavar", "FOLDER"), type=click.Path(path_type=Path))
@option("--with-keys", is_flag=True, help=message("Include the private keys of this machine."))
@existing_data_option
def backup(folder: Path, data: Path | None, *, with_keys: bool) -> None:
    from cartulary.running_service import service_away
    from service.errors import Unavailable
    from service.recovery.backup import BLOCK, back_up
    from service.settings import archive_folder

    def show(size: int) -> None:
        if size // PROGRESS_BYTES > (size - BLOCK) // PROGRESS_BYTES and size > BLOCK:
            print_message(message("{size} MiB ...", size=size >> 20))

    settings = _settings_with(data)
    try:
        size = back_up(settings, folder, with_keys=with_keys, on_progress=show)
    except Unavailable as error:
        raise service_away(settings) from error
    if archive_folder(settings.archive) is None:
        print_message(
            message("the archived games in {url} are not part of the backup", url=settings.archive)
        )
    done = message("the backup is in {folder}: {size} KiB", folder=str(folder), size=size >> 10)
    echo(text(done))


@command(
    "scheduled-backup",
    help=(
        message("Make the backup that the settings schedule, and verify it."),
        message(
            "The scheduler runs this at regular intervals. The backup is restored beside the service, and a"
            " sample of its games is audited; old backups are deleted. Exits with 1 if it is not good."
        ),
    ),
)
@with_service
def scheduled_backup(service: "Service") -> None:
    from service.recovery.scheduled_backups import make_scheduled_backup

    backup = make_scheduled_backup(service)
    if backup.status != "verified":
        print_message(
            message(
                "the backup {name} is not good: {reason}",
                name=backup.name,
                reason=backup.reason or "-",
            )
        )
        raise click.exceptions.Exit(1)
    done = plural_message(
        "the backup {name} is verified; {count} game was audited",
        "the backup {name} is verified; {count} games were audited",
        count=backup.games,
        name=backup.name,
    )
    echo(text(done))


@command(
    "restore",
    help=(
        message("Restore the backup in FOLDER, in an empty data folder or an empty Redis."),
        message(
            "Checks first that no file of the backup has changed. Start the service afterwards: players who"
            " have been erased since are erased again, and the transparency log begins a new epoch."
        ),
    ),
)
@argument(
    "folder", metavar=message_in("metavar", "FOLDER"), type=PathType(exists=True, file_okay=False)
)
@data_option
def restore(folder: Path, data: Path | None) -> None:
    from service.recovery.backup import restore as run

    count = run(_settings_with(data), folder)
    restored = plural_message("restored {count} key", "restored {count} keys", count=count)
    echo(text(restored))


@command(
    "new-epoch",
    help=(
        message("Declare a new epoch of the transparency log, after a backup was restored."),
        message(
            "The next checkpoint begins it, with a signed declaration that witnesses can check. Not"
            " needed if a copy of the whole data folder was restored: the service recognizes that."
        ),
    ),
)
@existing_data_option
@option("--yes", is_flag=True, help=message("Declare it without asking."))
def new_epoch(data: Path | None, *, yes: bool) -> None:
    from service.transparency.restores import mark_restored

    folder = _settings_with(data).data
    if not folder.is_dir():
        raise CartularyError.with_message(
            "there is no data folder {folder}: name it with --data or CARTULARY_DATA",
            folder=str(folder),
        )
    if not yes:
        confirm(message("Was the data restored from a backup? This cannot be undone. Go on?"))
    mark_restored(folder)
    echo(text(message("the next checkpoint of the transparency log begins a new epoch")))


@command(
    "retire-key",
    help=(
        message("Retire the signing key KEY from now on."),
        message(
            "The list of public keys then shows until when it was valid; its earlier signatures stay"
            " valid. Configure another signing key for the service first."
        ),
    ),
)
@argument("key", metavar=message_in("metavar", "KEY"))
@with_service
def retire_key(service: "Service", key: str) -> None:
    entry = service.keyring.retire(key)
    retired = message(
        "key {key} was retired on {time}", key=entry["key"], time=Instant(entry["until"])
    )
    echo(text(retired))


@contextmanager
def _imports() -> Iterator[None]:
    """Import, in this block, what a process of the service needs; Ctrl-C ends the imports immediately.

    The process handles Ctrl-C itself afterwards. Until then, it has nothing to clean up.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    with quick_imports():
        yield


def _environ_with(data: Path | None) -> dict[str, str]:
    """Return the environment variables, with this data folder if one is given."""
    environ = dict(os.environ)
    if data is not None:
        environ["CARTULARY_DATA"] = str(data)
    return environ


def _settings_with(data: Path | None) -> "Settings":
    from service.settings import load_settings

    return load_settings(_environ_with(data))


def _process_settings() -> "Settings":
    """Load the settings for a process of the service, which logs JSON lines."""
    from service.operation import json_logging
    from service.settings import load_settings

    json_logging.configure()
    return load_settings(os.environ)


@command(
    "bounce",
    help=(
        message("Record a bounce: read the report of a mail server from standard input."),
        message(
            "For a mail server that passes on what is sent to the envelope senders of this server's mails."
            " Anything that is not a report (RFC 3464) about one of these mails is ignored."
        ),
    ),
)
@option(
    "--recipient",
    metavar=message_in("metavar", "ADDRESS"),
    default="",
    help=message("Address that the report was sent to; default: as its headers say."),
)
@redis_option
def bounce(recipient: str, redis: str | None) -> None:
    from cartulary.running_service import open_service
    from service.errors import Unavailable
    from service.notifications.mail.delivery_status import MAX_BYTES, read_delivery_status

    content = sys.stdin.buffer.read(MAX_BYTES)
    # What follows is not needed, but a mail server may take it for a failure if it is not read.
    while sys.stdin.buffer.read(MAX_BYTES):
        pass
    report = read_delivery_status(content, recipient)
    if report is None:
        echo(text(message("this is not a report of a mail that could not be delivered")))
        return
    try:
        with open_service(os.environ, redis) as service:
            mail = service.notifications.mail.bounces.record(report)
    except Unavailable as error:
        echo(text(error.message))
        raise click.exceptions.Exit(EX_TEMPFAIL) from error
    if mail is None:
        echo(text(message("this report is about no mail of this server, or was recorded before")))
    else:
        echo(text(message("recorded a bounce of a mail to player {player}", player=mail.player)))
