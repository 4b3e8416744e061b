"""The command admin: what an administrator does on the machine of a service.

The same operations are there over HTTP (service/http/routes/administration.py), for accounts with the role of
an administrator. Every operation is recorded (service/administration).
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import click
import orjson

from cartulary.command_line import IntRange, argument, group, option
from cartulary.commands.options import json_option, redis_option
from cartulary.language import text
from cartulary.terminal import confirm, echo, print_message
from domain.administration import MAX_EXTENSION, OPERATOR
from domain.messages import Instant, message, message_in

if TYPE_CHECKING:
    from service.administration.accounts import Role
    from service.administration.administration import Administration
    from service.bootstrap import Service

_player: Final = argument("player", metavar=message_in("metavar", "PLAYER"))
_game: Final = argument("game", metavar=message_in("metavar", "GAME"))
_tournament: Final = argument("tournament", metavar=message_in("metavar", "TOURNAMENT"))
_reason: Final = option(
    "--reason",
    required=True,
    metavar=message_in("metavar", "TEXT"),
    help=message("Why, for the administration log."),
)
_limit: Final = option(
    "--limit",
    default=50,
    show_default=True,
    type=IntRange(1, 100),
    help=message("The most entries to list."),
)


@group(
    "admin",
    help=(
        message("Administer the players and the games of a service."),
        message(
            "PLAYER is a handle or an id. Every operation is recorded in the administration log, and those on"
            " games also in the log of the game."
        ),
    ),
)
def admin() -> None:
    """The subcommands do the work."""


@admin.command(
    "players", help=(message("List the players, or those whose handles begin with PREFIX."),)
)
@argument("prefix", metavar=message_in("metavar", "[PREFIX]"), default="")
@option(
    "--after", metavar=message_in("metavar", "HANDLE"), help=message("Begin after this handle.")
)
@_limit
@json_option
@redis_option
def players(
    prefix: str, after: str | None, limit: int, redis: str | None, *, as_json: bool
) -> None:
    with open_administration(redis) as (administration, _):
        accounts, cursor = administration.search_players(OPERATOR, prefix, after, limit)
    rows = [account.as_json() for account in accounts]
    if as_json:
        print_json({"players": rows, "next": cursor})
        return
    for row in rows:
        marks = [row["role"], "guest" if row["guest"] else None, row["bot"] and f"bot {row['bot']}"]
        if row["suspended_at"]:
            marks.append(f"suspended {_time(row['suspended_at'])}: {row['suspension_reason']}")
        columns = [row["id"], row["handle"], _time(row["created"]), *filter(None, marks)]
        echo("  ".join(columns))
    if cursor is not None:
        print_message(message("more: --after {handle}", handle=cursor))


@admin.command("games", help=(message("List the games, private ones included, newest first."),))
@option(
    "--status",
    metavar=message_in("metavar", "STATUS"),
    help=message("Only games of these statuses, separated by commas."),
)
@option(
    "--player", metavar=message_in("metavar", "PLAYER"), help=message("Only games of a player.")
)
@option("--cursor", metavar=message_in("metavar", "CURSOR"), help=message("Begin at this page."))
@_limit
@json_option
@redis_option
def games(
    status: str | None,
    player: str | None,
    cursor: str | None,
    limit: int,
    redis: str | None,
    *,
    as_json: bool,
) -> None:
    from service.games.listings import STATUSES, parse_statuses

    with open_administration(redis) as (administration, service):
        player_id = None if player is None else _id_of(service, player)
        statuses = parse_statuses(status, STATUSES)
        page = administration.search_games(OPERATOR, statuses, player_id, cursor, limit)
        summaries = service.games.queries.summaries(page.games)
    rows = [
        {
            "id": summary.id,
            "status": summary.status,
            "rules": summary.rules,
            "seats": summary.seats,
            "players": [player for player, _ in summary.players],
            "seq": summary.seq,
            "to_act": summary.to_act,
            "deadline": summary.deadline,
            "private": summary.options["private"],
        }
        for summary in summaries
        if summary is not None
    ]
    if as_json:
        print_json({"games": rows, "next": page.next})
        return
    for row in rows:
        deadline = "-" if row["deadline"] is None else _time(row["deadline"])
        echo(f"{row['id']}  {row['status']:9}  {row['rules']:8}  {row['seq']:5}  {deadline}")
    if page.next is not None:
        print_message(message("more: --cursor {cursor}", cursor=page.next))


@admin.command("reset-password", help=(message("Give PLAYER a new password, and print it."),))
@_player
@_reason
@redis_option
def reset_password(player: str, reason: str, redis: str | None) -> None:
    with open_administration(redis) as (administration, service):
        password = administration.reset_password(OPERATOR, _id_of(service, player), reason)
    echo(password)


@admin.command("end-sessions", help=(message("End all sessions of PLAYER."),))
@_player
@_reason
@redis_option
def end_sessions(player: str, reason: str, redis: str | None) -> None:
    with open_administration(redis) as (administration, service):
        administration.end_sessions(OPERATOR, _id_of(service, player), reason)
    print_message(message("all sessions of {player} have ended", player=player))


@admin.command(
    "suspend",
    help=(
        message("Keep PLAYER from logging in, and end all sessions."),
        message("The player is shown the reason. Their games go on, and their clocks run."),
    ),
)
@_player
@_reason
@redis_option
def suspend(player: str, reason: str, redis: str | None) -> None:
    with open_administration(redis) as (administration, service):
        administration.suspend(OPERATOR, _id_of(service, player), reason)
    print_message(message("the account {player} is suspended", player=player))


@admin.command("unsuspend", help=(message("Let a suspended PLAYER log in again."),))
@_player
@_reason
@redis_option
def unsuspend(player: str, reason: str, redis: str | None) -> None:
    with open_administration(redis) as (administration, service):
        administration.end_suspension(OPERATOR, _id_of(service, player), reason)
    print_message(message("the account {player} is no longer suspended", player=player))


@admin.command(
    "delete",
    help=(
        message("Erase PLAYER."),
        message(
            "Their account, messages and statements are erased; they leave games that have not started and"
            " resign in the others. This cannot be undone."
        ),
    ),
)
@_player
@_reason
@option("--yes", is_flag=True, help=message("Erase without asking."))
@redis_option
def delete(player: str, reason: str, redis: str | None, *, yes: bool) -> None:
    with open_administration(redis) as (administration, service):
        id = _id_of(service, player)
        if not yes:
            confirm(message("Erase {player} for good?", player=player), err=True)
        administration.delete_player(OPERATOR, id, reason)
    print_message(message("the account {player} is erased", player=player))


@admin.command(
    "grant",
    help=(message("Make PLAYER an administrator, over HTTP too, or an organiser of tournaments."),),
)
@_player
@option(
    "--role",
    type=click.Choice(["admin", "organiser"]),
    default="admin",
    help=message("The role, instead of any that the player has."),
)
@_reason
@redis_option
def grant(player: str, role: "Role", reason: str, redis: str | None) -> None:
    _set_role(player, role, reason, redis)


@admin.command("revoke", help=(message("Take the role of PLAYER away."),))
@_player
@_reason
@redis_option
def revoke(player: str, reason: str, redis: str | None) -> None:
    _set_role(player, None, reason, redis)


def _set_role(player: str, role: "Role | None", reason: str, redis: str | None) -> None:
    with open_administration(redis) as (administration, service):
        id = _id_of(service, player)
        administration.set_role(OPERATOR, id, role, reason)
    results = {
        "admin": message("{player} is an administrator", player=player),
        "organiser": message("{player} is an organiser of tournaments", player=player),
        None: message("{player} has no role any more", player=player),
    }
    print_message(results[role])


@admin.command("remove", help=(message("Remove SEAT from GAME, as if the player had resigned."),))
@_game
@argument("seat", metavar=message_in("metavar", "SEAT"), type=IntRange(0, 99))
@_reason
@redis_option
def remove(game: str, seat: int, reason: str, redis: str | None) -> None:
    with open_administration(redis) as (administration, _):
        events = administration.remove_seat(OPERATOR, game, seat, reason)
    _report(events)


@admin.command(
    "move-seat",
    help=(
        message("Give SEAT of GAME to the account of PLAYER."),
        message(
            "Everything that belongs to the seat passes to that player. From then on, the former player sees"
            " the game as a stranger does."
        ),
    ),
)
@_game
@argument("seat", metavar=message_in("metavar", "SEAT"), type=IntRange(0, 99))
@_player
@_reason
@redis_option
def move_seat(game: str, seat: int, player: str, reason: str, redis: str | None) -> None:
    with open_administration(redis) as (administration, service):
        id = _id_of(service, player)
        events = administration.move_seat(OPERATOR, game, seat, id, reason)
    _report(events)


@admin.command("abandon", help=(message("End GAME without a ranking, and publish its secret."),))
@_game
@_reason
@redis_option
def abandon(game: str, reason: str, redis: str | None) -> None:
    with open_administration(redis) as (administration, _):
        events = administration.abandon(OPERATOR, game, reason)
    _report(events)


@admin.command("extend", help=(message("Give the seat whose turn it is in GAME more SECONDS."),))
@_game
@argument("seconds", metavar=message_in("metavar", "SECONDS"), type=IntRange(1, MAX_EXTENSION))
@_reason
@redis_option
def extend(game: str, seconds: int, reason: str, redis: str | None) -> None:
    with open_administration(redis) as (administration, _):
        events = administration.extend_deadline(OPERATOR, game, seconds, reason)
    _report(events)


@admin.command(
    "exclude-rating",
    help=(
        message("Rule that GAME, which is over, does not count for the ratings."),
        message(
            "The ratings are computed again without it. Everybody can read the reason, which is part of the"
            " statement of the ratings."
        ),
    ),
)
@_game
@_reason
@redis_option
def exclude_rating(game: str, reason: str, redis: str | None) -> None:
    with open_administration(redis) as (administration, _):
        administration.exclude_rating(OPERATOR, game, reason)
    print_message(message("game {game} is excluded from the ratings", game=game))


@admin.command(
    "include-rating",
    help=(message("Take back that GAME does not count for the ratings."),),
)
@_game
@_reason
@redis_option
def include_rating(game: str, reason: str, redis: str | None) -> None:
    with open_administration(redis) as (administration, _):
        administration.include_rating(OPERATOR, game, reason)
    print_message(message("game {game} counts for the ratings again", game=game))


@admin.command("work", help=(message("Print what is pending and what has failed, as JSON."),))
@redis_option
def work(redis: str | None) -> None:
    with open_administration(redis) as (administration, _):
        print_json(administration.work(OPERATOR))


@admin.command(
    "resend", help=(message("Send the notification of DELIVERY, which has ended, again."),)
)
@argument("delivery", metavar=message_in("metavar", "DELIVERY"))
@_reason
@redis_option
def resend(delivery: str, reason: str, redis: str | None) -> None:
    with open_administration(redis) as (administration, _):
        current = administration.resend_delivery(OPERATOR, delivery, reason)
    print_json(current.as_json())


@admin.command("reports", help=(message("Print the open reports of messages, as JSON."),))
@option("--cursor", metavar=message_in("metavar", "CURSOR"), help=message("Begin at this page."))
@_limit
@redis_option
def reports(cursor: str | None, limit: int, redis: str | None) -> None:
    with open_administration(redis) as (administration, _):
        page, next_cursor = administration.chat_message_reports(OPERATOR, cursor, limit)
    print_json({"reports": [asdict(report) for report in page], "next": next_cursor})


@admin.command("close-report", help=(message("Close the REPORT of a message."),))
@argument("report", metavar=message_in("metavar", "REPORT"))
@_reason
@redis_option
def close_report(report: str, reason: str, redis: str | None) -> None:
    with open_administration(redis) as (administration, _):
        administration.close_message_report(OPERATOR, report, reason)
    print_message(message("the report {report} is closed", report=report))


@admin.command("remove-comment", help=(message("Erase the comment NUMBER on GAME."),))
@_game
@argument("number", metavar=message_in("metavar", "NUMBER"), type=IntRange(1))
@_reason
@redis_option
def remove_comment(game: str, number: int, reason: str, redis: str | None) -> None:
    with open_administration(redis) as (administration, _):
        administration.remove_comment(OPERATOR, game, number, reason)
    print_message(message("comment {number} is erased", number=number))


@admin.command("rename-club", help=(message("Give the CLUB with this id another NAME."),))
@argument("club", metavar=message_in("metavar", "CLUB"))
@argument("name", metavar=message_in("metavar", "NAME"))
@_reason
@redis_option
def rename_club(club: str, name: str, reason: str, redis: str | None) -> None:
    with open_administration(redis) as (administration, _):
        renamed = administration.rename_club(OPERATOR, club, name, reason)
    print_message(message("the club is now called {name}", name=renamed.name))


@admin.command(
    "close-club", help=(message("Close the CLUB with this id."), message("Its games go on."))
)
@argument("club", metavar=message_in("metavar", "CLUB"))
@_reason
@redis_option
def close_club(club: str, reason: str, redis: str | None) -> None:
    with open_administration(redis) as (administration, _):
        administration.close_club(OPERATOR, club, reason)
    print_message(message("the club {club} is closed", club=club))


@admin.command(
    "tournaments",
    help=(message("List the tournaments, private ones included, newest first, as JSON."),),
)
@option(
    "--status",
    metavar=message_in("metavar", "STATUS"),
    help=message("Only tournaments of these statuses, separated by commas."),
)
@option("--cursor", metavar=message_in("metavar", "CURSOR"), help=message("Begin at this page."))
@_limit
@redis_option
def tournaments(status: str | None, cursor: str | None, limit: int, redis: str | None) -> None:
    from domain.tournaments.tournament import TOURNAMENT_STATUSES
    from service.games.listings import parse_statuses
    from service.http.responses import tournament_summary

    with open_administration(redis) as (administration, _):
        statuses = parse_statuses(status, TOURNAMENT_STATUSES)
        found, following = administration.search_tournaments(OPERATOR, statuses, cursor, limit)
    rows = [tournament_summary(tournament) for tournament in found]
    print_json({"tournaments": rows, "next": following})


@admin.command("tournament", help=(message("Print TOURNAMENT, also a private one, as JSON."),))
@_tournament
@redis_option
def show_tournament(tournament: str, redis: str | None) -> None:
    from service.http.responses import tournament_details

    with open_administration(redis) as (administration, service):
        shown = administration.tournament(OPERATOR, tournament)
        print_json(tournament_details(shown, service.tournaments.tournaments.handles))


@admin.command(
    "cancel-tournament", help=(message("Cancel TOURNAMENT."), message("Its games go on."))
)
@_tournament
@_reason
@redis_option
def cancel_tournament(tournament: str, reason: str, redis: str | None) -> None:
    with open_administration(redis) as (administration, _):
        administration.cancel_tournament(OPERATOR, tournament, reason)
    print_message(message("the tournament {tournament} is cancelled", tournament=tournament))


@admin.command(
    "log",
    help=(
        message("List the administration log, and check its chain of hashes."),
        message("Exits with 1 if an entry was changed or removed."),
    ),
)
@option(
    "--after",
    default=0,
    type=IntRange(0),
    help=message("Begin after this entry."),
)
@_limit
@json_option
@redis_option
@click.pass_context
def log(ctx: click.Context, after: int, limit: int, redis: str | None, *, as_json: bool) -> None:
    with open_administration(redis) as (administration, _):
        fault = administration.first_log_fault()
        entries = administration.log_page(OPERATOR, after, limit)
    if as_json:
        print_json(
            {"entries": entries, "next": entries[-1]["seq"] if len(entries) == limit else None}
        )
    else:
        for entry in entries:
            details = orjson.dumps(entry["details"], option=orjson.OPT_SORT_KEYS).decode()
            at = _time(entry["at"])
            columns = (str(entry["seq"]), at, entry["administrator"], entry["operation"])
            echo("  ".join((*columns, details)))
    if fault is not None:
        print_message(message("entry {seq} breaks the chain: the log was changed", seq=fault))
        ctx.exit(1)


@contextmanager
def open_administration(redis: str | None) -> "Iterator[tuple[Administration, Service]]":
    """Connect to the Redis of a service. Raises the errors of `open_service`."""
    from cartulary.running_service import open_service

    with open_service(os.environ, redis) as service:
        yield service.administration, service


def _id_of(service: "Service", player: str) -> str:
    """Return the id of a player, given by handle or id. Raises ClickException."""
    account = service.accounts.players.by_handle(player)
    if account is not None:
        return account.id
    (by_id,) = service.accounts.players.get([player])
    if by_id is None:
        fault = message("there is no player {player}", player=player)
        raise click.ClickException(text(fault))
    return by_id.id


def _time(timestamp: str) -> str:
    """Return a time for people."""
    return text(Instant(timestamp))


def _report(events: Any) -> None:
    for event in events:
        echo(f"{event['seq']}  {event['type']}")


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    echo(orjson.dumps(value).decode())


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
@_reason
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


@admin.command("delete-import", help=(message("Delete IMPORT, a record that was uploaded."),))
@argument("imported", metavar=message_in("metavar", "IMPORT"))
@_reason
@redis_option
def delete_import(imported: str, reason: str, redis: str | None) -> None:
    with open_administration(redis) as (administration, _):
        administration.delete_import(OPERATOR, imported, reason)
    print_message(message("the record {record} is deleted", record=imported))


@admin.command("withdraw", help=(message("Withdraw an ANNOUNCEMENT before its end."),))
@argument("announcement", metavar=message_in("metavar", "ANNOUNCEMENT"))
@_reason
@redis_option
def withdraw(announcement: str, reason: str, redis: str | None) -> None:
    with open_administration(redis) as (administration, _):
        administration.withdraw_announcement(OPERATOR, announcement, reason)
    print_message(
        message("the announcement {announcement} is withdrawn", announcement=announcement)
    )
