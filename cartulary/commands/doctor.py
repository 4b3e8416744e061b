"""`cartulary doctor`: checks a deployment, or a file of settings before a service starts with it."""

import os
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

import click

from cartulary.command_line import File, bad_parameter, command, option
from cartulary.commands.options import redis_option
from cartulary.language import text
from cartulary.terminal import echo
from domain.messages import Text, message

if TYPE_CHECKING:
    from service.administration.finding import Finding


@command(
    "doctor",
    help=(
        message("Check this deployment, and say what to do about each fault."),
        message(
            "Looks at the settings, Redis, the clocks, the signing key, the data folder, the processes, the"
            " work that waits, the transparency log, the mail server and the public address. Changes nothing."
            " Exits with 1 if there is a fault; warnings do not count."
        ),
        message(
            "--settings checks a file of settings instead, before a service starts with it: one NAME=VALUE a"
            " line, for systemd and Compose. No service needs to run."
        ),
    ),
)
@redis_option
@option("--settings", type=File(), help=message("Check only this file of settings."))
@option("--json", "as_json", is_flag=True, help=message("Print JSON, one finding a line."))
def doctor(redis: str | None, settings: IO[bytes] | None, *, as_json: bool) -> None:
    has_fault = False
    for subject, finding in _findings(redis, settings):
        has_fault |= finding.status == "fault"
        echo(finding.as_json(subject) if as_json else finding.as_text(subject, text))
    if has_fault:
        raise click.exceptions.Exit(1)


def _findings(redis: str | None, settings: IO[bytes] | None) -> "Iterator[tuple[Text, Finding]]":
    from cartulary.doctor import diagnose
    from cartulary.doctor.settings_file import SETTINGS, check_settings_file
    from cartulary.running_service import open_service

    if settings is None:
        with open_service(os.environ, redis) as service:
            yield from diagnose(service)
        return
    try:
        content = settings.read().decode()
    except UnicodeDecodeError:
        fault = message("the file of settings is not in UTF-8")
        raise bad_parameter(fault, "--settings") from None
    for finding in check_settings_file(content):
        yield SETTINGS, finding
