"""The command bounce: records that a mail could not be delivered, from a report that a mail server sends."""

import os
import sys
from typing import Final

import click

from cartulary.command_line import command, option
from cartulary.commands.options import redis_option
from cartulary.language import text
from cartulary.terminal import echo
from domain.messages import message, message_in

EX_TEMPFAIL: Final = 75
"""The exit status that has a mail server keep the mail and try again (sysexits.h)."""


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
            mail = service.mail.bounces.record(report)
    except Unavailable as error:
        echo(text(error.message))
        raise click.exceptions.Exit(EX_TEMPFAIL) from error
    if mail is None:
        echo(text(message("this report is about no mail of this server, or was recorded before")))
    else:
        echo(text(message("recorded a bounce of a mail to player {player}", player=mail.player)))
