"""The commands for announcements, which belong to the command admin."""

from dataclasses import asdict

from cartulary.command_line import argument, option
from cartulary.commands.admin import admin, open_administration, print_json, reason_option
from cartulary.commands.options import redis_option
from cartulary.terminal import echo, print_message
from domain.administration import OPERATOR
from domain.messages import message, message_in

__all__ = ["admin"]  # with the commands below


@admin.command(
    "announce",
    help=(
        message("Announce TEXT to everybody on every page, and print the id of the announcement."),
        message("TEXT is in English; --translation adds it in another language."),
    ),
)
@argument("english", metavar=message_in("metavar", "TEXT"))
@option(
    "--until",
    "ends",
    required=True,
    metavar=message_in("metavar", "TIME"),
    help=message("When it ends: date, time and time zone (RFC 3339)."),
)
@option(
    "--translation",
    "translations",
    multiple=True,
    metavar=message_in("metavar", "LANGUAGE=TEXT"),
    help=message("The text in another language, such as fr=…"),
)
@reason_option
@redis_option
def announce(
    english: str, ends: str, translations: tuple[str, ...], reason: str, redis: str | None
) -> None:
    texts: dict[str, object] = {"en": english}
    for translation in translations:
        language, _, translated = translation.partition("=")
        texts[language] = translated
    with open_administration(redis) as (administration, _service):
        announcement = administration.announce(OPERATOR, texts, ends, reason)
    echo(announcement.id)


@admin.command(
    "announcements", help=(message("List the announcements that have not ended, as JSON."),)
)
@redis_option
def announcements(redis: str | None) -> None:
    with open_administration(redis) as (_, service):
        current = service.announcements.current()
    print_json({"announcements": [asdict(one) for one in current], "next": None})


@admin.command("withdraw", help=(message("Withdraw an ANNOUNCEMENT before its end."),))
@argument("announcement", metavar=message_in("metavar", "ANNOUNCEMENT"))
@reason_option
@redis_option
def withdraw(announcement: str, reason: str, redis: str | None) -> None:
    with open_administration(redis) as (administration, _):
        administration.withdraw_announcement(OPERATOR, announcement, reason)
    print_message(
        message("the announcement {announcement} is withdrawn", announcement=announcement)
    )
