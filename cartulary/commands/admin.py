"""The command admin: what an administrator does on the machine of a service.

The same operations are there over HTTP (service/administration/api.py), for accounts with the role of
an administrator. Every operation is recorded (service/administration).
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from inspect import signature
from typing import TYPE_CHECKING, Final, TypeAlias

import click
import orjson

from cartulary.command_line import IntRange, argument, group, option
from cartulary.commands.options import json_option, with_service
from cartulary.language import command_renderer, text
from cartulary.terminal import confirm, echo, print_message
from domain.administration import MAX_EXTENSION, OPERATOR
from domain.errors import CartularyError
from domain.event import Event
from domain.json_types import JsonObject
from domain.messages import Instant, Message, message, message_in

if TYPE_CHECKING:
    from service.administration.accounts import Role
    from service.bootstrap import Service

_PARAMETERS: Final = {
    "player": argument("player", metavar=message_in("metavar", "PLAYER")),
    "game": argument("game", metavar=message_in("metavar", "GAME")),
    "seat": argument("seat", metavar=message_in("metavar", "SEAT"), type=IntRange(0, 99)),
    "seconds": argument(
        "seconds", metavar=message_in("metavar", "SECONDS"), type=IntRange(1, MAX_EXTENSION)
    ),
    "delivery": argument("delivery", metavar=message_in("metavar", "DELIVERY")),
    "report": argument("report", metavar=message_in("metavar", "REPORT")),
    "number": argument("number", metavar=message_in("metavar", "NUMBER"), type=IntRange(1)),
    "club": argument("club", metavar=message_in("metavar", "CLUB")),
    "name": argument("name", metavar=message_in("metavar", "NAME")),
    "tournament": argument("tournament", metavar=message_in("metavar", "TOURNAMENT")),
    "english": argument("english", metavar=message_in("metavar", "TEXT")),
    "announcement": argument("announcement", metavar=message_in("metavar", "ANNOUNCEMENT")),
    "imported": argument("imported", metavar=message_in("metavar", "IMPORT")),
    "prefix": argument("prefix", metavar=message_in("metavar", "[PREFIX]"), default=""),
    "after_handle": option(
        "--after",
        "after_handle",
        metavar=message_in("metavar", "HANDLE"),
        help=message("Begin after this handle."),
    ),
    "after_entry": option(
        "--after",
        "after_entry",
        default=0,
        type=IntRange(0),
        help=message("Begin after this entry."),
    ),
    "game_status": option(
        "--status",
        "game_status",
        metavar=message_in("metavar", "STATUS"),
        help=message("Only games of these statuses, separated by commas."),
    ),
    "tournament_status": option(
        "--status",
        "tournament_status",
        metavar=message_in("metavar", "STATUS"),
        help=message("Only tournaments of these statuses, separated by commas."),
    ),
    "of_player": option(
        "--player",
        "of_player",
        metavar=message_in("metavar", "PLAYER"),
        help=message("Only games of a player."),
    ),
    "yes": option("--yes", is_flag=True, help=message("Erase without asking.")),
    "role": option(
        "--role",
        type=click.Choice(["admin", "organiser"]),
        default="admin",
        help=message("The role, instead of any that the player has."),
    ),
    "ends": option(
        "--until",
        "ends",
        required=True,
        metavar=message_in("metavar", "TIME"),
        help=message("When it ends: date, time and time zone (RFC 3339)."),
    ),
    "translations": option(
        "--translation",
        "translations",
        multiple=True,
        metavar=message_in("metavar", "LANGUAGE=TEXT"),
        help=message("The text in another language, such as fr=…"),
    ),
    "reason": option(
        "--reason",
        required=True,
        metavar=message_in("metavar", "TEXT"),
        help=message("Why, for the administration log."),
    ),
    "cursor": option(
        "--cursor", metavar=message_in("metavar", "CURSOR"), help=message("Begin at this page.")
    ),
    "limit": option(
        "--limit",
        default=50,
        show_default=True,
        type=IntRange(1, 100),
        help=message("The most entries to list."),
    ),
    "as_json": json_option,
}
"""What the subcommands take, by the names of the parameters of their functions."""

_Result: TypeAlias = Message | str | JsonObject | Sequence[Event] | None
"""What a subcommand prints: a message on standard error, and on standard output text, JSON or a line for each
event.
"""


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


def _subcommand(
    name: str, *help: Message
) -> Callable[[Callable[..., _Result]], Callable[..., _Result]]:
    """Make a function a subcommand, which calls it with a service and _PARAMETERS, and prints the result."""

    def decorate(run: Callable[..., _Result]) -> Callable[..., _Result]:
        callback = with_service(lambda service, **values: _print(run(service, **values)))
        for parameter in reversed([*signature(run).parameters][1:]):
            callback = _PARAMETERS[parameter](callback)
        admin.command(name, help=help)(callback)
        return run

    return decorate


def _print(result: _Result) -> None:
    match result:
        case None:
            pass
        case Message():
            print_message(result)
        case str():
            echo(result)
        case dict():
            echo(orjson.dumps(result).decode())
        case _:
            for event in result:
                echo(f"{event['seq']}  {event['type']}")


@_subcommand("players", message("List the players, or those whose handles begin with PREFIX."))
def players(
    service: "Service", prefix: str, after_handle: str | None, limit: int, *, as_json: bool
) -> JsonObject | Message | None:
    accounts, cursor = service.administration.search_players(OPERATOR, prefix, after_handle, limit)
    rows = [account.as_json() for account in accounts]
    if as_json:
        return {"players": rows, "next": cursor}
    for row in rows:
        marks = [row["role"], "guest" if row["guest"] else None, row["bot"] and f"bot {row['bot']}"]
        if row["suspended_at"]:
            marks.append(f"suspended {_time(row['suspended_at'])}: {row['suspension_reason']}")
        columns = [row["id"], row["handle"], _time(row["created"]), *filter(None, marks)]
        echo("  ".join(columns))
    return None if cursor is None else message("more: --after {handle}", handle=cursor)


@_subcommand("games", message("List the games, private ones included, newest first."))
def games(
    service: "Service",
    game_status: str | None,
    of_player: str | None,
    cursor: str | None,
    limit: int,
    *,
    as_json: bool,
) -> JsonObject | Message | None:
    from service import wall_clock
    from service.games.listings import STATUSES, parse_statuses

    now = wall_clock.format(wall_clock.now())
    player_id = None if of_player is None else _id_of(service, of_player)
    statuses = parse_statuses(game_status, STATUSES)
    page = service.administration.search_games(OPERATOR, statuses, player_id, cursor, limit)
    rows: list[JsonObject] = [
        {
            "id": summary.id,
            "status": summary.status,
            "rules": summary.rules,
            "seats": summary.seats,
            "players": [player for player, _ in summary.players],
            "seq": summary.seq,
            "to_act": summary.to_act,
            "deadline": summary.deadline,
            "clock_stopped_until": (summary.timing or {}).get("clock_stopped_until"),
            "private": summary.options["private"],
        }
        for summary in service.games.queries.summaries(page.games)
        if summary is not None
    ]
    if as_json:
        return {"games": rows, "next": page.next}
    for row in rows:
        deadline = "-" if row["deadline"] is None else _time(row["deadline"])
        if (row["clock_stopped_until"] or "") > now:
            deadline = text(message("the clock stands still"))
        echo(f"{row['id']}  {row['status']:9}  {row['rules']:8}  {row['seq']:5}  {deadline}")
    return None if page.next is None else message("more: --cursor {cursor}", cursor=page.next)


@_subcommand("reset-password", message("Give PLAYER a new password, and print it."))
def reset_password(service: "Service", player: str, reason: str) -> str:
    return service.administration.reset_password(OPERATOR, _id_of(service, player), reason)


@_subcommand("end-sessions", message("End all sessions of PLAYER."))
def end_sessions(service: "Service", player: str, reason: str) -> Message:
    service.administration.end_sessions(OPERATOR, _id_of(service, player), reason)
    return message("all sessions of {player} have ended", player=player)


@_subcommand(
    "suspend",
    message("Keep PLAYER from logging in, and end all sessions."),
    message("The player is shown the reason. Their games go on, and their clocks run."),
)
def suspend(service: "Service", player: str, reason: str) -> Message:
    service.administration.suspend(OPERATOR, _id_of(service, player), reason)
    return message("the account {player} is suspended", player=player)


@_subcommand("unsuspend", message("Let a suspended PLAYER log in again."))
def unsuspend(service: "Service", player: str, reason: str) -> Message:
    service.administration.end_suspension(OPERATOR, _id_of(service, player), reason)
    return message("the account {player} is no longer suspended", player=player)


@_subcommand(
    "delete",
    message("Erase PLAYER."),
    message(
        "Their account, messages and statements are erased; they leave games that have not started and"
        " resign in the others. This cannot be undone."
    ),
)
def delete(service: "Service", player: str, reason: str, *, yes: bool) -> Message:
    id = _id_of(service, player)
    if not yes:
        confirm(message("Erase {player} for good?", player=player), err=True)
    service.administration.delete_player(OPERATOR, id, reason)
    return message("the account {player} is erased", player=player)


@_subcommand(
    "grant", message("Make PLAYER an administrator, over HTTP too, or an organiser of tournaments.")
)
def grant(service: "Service", player: str, role: "Role", reason: str) -> Message:
    service.administration.set_role(OPERATOR, _id_of(service, player), role, reason)
    if role == "admin":
        return message("{player} is an administrator", player=player)
    return message("{player} is an organiser of tournaments", player=player)


@_subcommand("revoke", message("Take the role of PLAYER away."))
def revoke(service: "Service", player: str, reason: str) -> Message:
    service.administration.set_role(OPERATOR, _id_of(service, player), None, reason)
    return message("{player} no longer has a role", player=player)


@_subcommand("remove", message("Remove SEAT from GAME, as if the player had resigned."))
def remove(service: "Service", game: str, seat: int, reason: str) -> Sequence[Event]:
    return service.administration.remove_seat(OPERATOR, game, seat, reason)


@_subcommand(
    "move-seat",
    message("Give SEAT of GAME to the account of PLAYER."),
    message(
        "Everything that belongs to the seat passes to that player. From then on, the former player sees"
        " the game as a stranger does."
    ),
)
def move_seat(
    service: "Service", game: str, seat: int, player: str, reason: str
) -> Sequence[Event]:
    id = _id_of(service, player)
    return service.administration.move_seat(OPERATOR, game, seat, id, reason)


@_subcommand("abandon", message("End GAME without a ranking, and publish its secret."))
def abandon(service: "Service", game: str, reason: str) -> Sequence[Event]:
    return service.administration.abandon(OPERATOR, game, reason)


@_subcommand("extend", message("Give the seat whose turn it is in GAME more SECONDS."))
def extend(service: "Service", game: str, seconds: int, reason: str) -> Sequence[Event]:
    return service.administration.extend_deadline(OPERATOR, game, seconds, reason)


@_subcommand(
    "exclude-rating",
    message("Rule that GAME, which is over, does not count for the ratings."),
    message(
        "The ratings are computed again without it. Everybody can read the reason, which is part of the"
        " statement of the ratings."
    ),
)
def exclude_rating(service: "Service", game: str, reason: str) -> Message:
    service.administration.exclude_rating(OPERATOR, game, reason)
    return message("game {game} is excluded from the ratings", game=game)


@_subcommand("include-rating", message("Take back that GAME does not count for the ratings."))
def include_rating(service: "Service", game: str, reason: str) -> Message:
    service.administration.include_rating(OPERATOR, game, reason)
    return message("game {game} counts for the ratings again", game=game)


@_subcommand("work", message("Print what is pending and what has failed, as JSON."))
def work(service: "Service") -> JsonObject:
    return service.administration.work(OPERATOR)


@_subcommand("resend", message("Send the notification of DELIVERY, which has ended, again."))
def resend(service: "Service", delivery: str, reason: str) -> JsonObject:
    return service.administration.resend_delivery(OPERATOR, delivery, reason).as_json()


@_subcommand(
    "cancel-delivery", message("Cancel the notification of DELIVERY, which has not ended.")
)
def cancel_delivery(service: "Service", delivery: str, reason: str) -> JsonObject:
    return service.administration.cancel_delivery(OPERATOR, delivery, reason).as_json()


@_subcommand("reports", message("Print the open reports of messages, as JSON."))
def reports(service: "Service", cursor: str | None, limit: int) -> JsonObject:
    page, following = service.administration.chat_message_reports(OPERATOR, cursor, limit)
    return {"reports": [report.as_json() for report in page], "next": following}


@_subcommand("close-report", message("Close the REPORT of a message."))
def close_report(service: "Service", report: str, reason: str) -> Message:
    service.administration.close_message_report(OPERATOR, report, reason)
    return message("the report {report} is closed", report=report)


@_subcommand("remove-comment", message("Erase the comment NUMBER on GAME."))
def remove_comment(service: "Service", game: str, number: int, reason: str) -> Message:
    service.administration.remove_comment(OPERATOR, game, number, reason)
    return message("comment {number} is erased", number=number)


@_subcommand("remove-post", message("Erase the post NUMBER on the wall of CLUB."))
def remove_post(service: "Service", club: str, number: int, reason: str) -> Message:
    service.administration.remove_post(OPERATOR, club, number, reason)
    return message("post {number} is erased", number=number)


@_subcommand(
    "remove-tournament-post", message("Erase the post NUMBER in the conversation of TOURNAMENT.")
)
def remove_tournament_post(
    service: "Service", tournament: str, number: int, reason: str
) -> Message:
    service.administration.remove_tournament_post(OPERATOR, tournament, number, reason)
    return message("post {number} is erased", number=number)


@_subcommand("rename-club", message("Give the CLUB with this id another NAME."))
def rename_club(service: "Service", club: str, name: str, reason: str) -> Message:
    renamed = service.administration.rename_club(OPERATOR, club, name, reason)
    return message("the club is now called {name}", name=renamed.name)


@_subcommand("close-club", message("Close the CLUB with this id."), message("Its games go on."))
def close_club(service: "Service", club: str, reason: str) -> Message:
    service.administration.close_club(OPERATOR, club, reason)
    return message("the club {club} is closed", club=club)


@_subcommand(
    "tournaments", message("List the tournaments, private ones included, newest first, as JSON.")
)
def tournaments(
    service: "Service", tournament_status: str | None, cursor: str | None, limit: int
) -> JsonObject:
    from domain.tournaments.tournament import TOURNAMENT_STATUSES
    from service.games.listings import parse_statuses
    from service.http.responses import tournament_summary

    statuses = parse_statuses(tournament_status, TOURNAMENT_STATUSES)
    found, following = service.administration.search_tournaments(OPERATOR, statuses, cursor, limit)
    return {
        "tournaments": [tournament_summary(tournament) for tournament in found],
        "next": following,
    }


@_subcommand("tournament", message("Print TOURNAMENT, also a private one, as JSON."))
def show_tournament(service: "Service", tournament: str) -> JsonObject:
    from service.http.responses import tournament_details

    shown = service.administration.tournament(OPERATOR, tournament)
    handles = service.tournaments.tournaments.handles
    return tournament_details(shown, handles, command_renderer())


@_subcommand("cancel-tournament", message("Cancel TOURNAMENT."), message("Its games go on."))
def cancel_tournament(service: "Service", tournament: str, reason: str) -> Message:
    service.administration.cancel_tournament(OPERATOR, tournament, reason)
    return message("the tournament {tournament} is cancelled", tournament=tournament)


@_subcommand(
    "log",
    message("List the administration log, and check its chain of hashes."),
    message("Exits with 1 if an entry was changed or removed."),
)
def log(service: "Service", after_entry: int, limit: int, *, as_json: bool) -> None:
    fault = service.administration.first_log_fault()
    entries = service.administration.log_page(OPERATOR, after_entry, limit)
    if as_json:
        _print({"entries": entries, "next": entries[-1]["seq"] if len(entries) == limit else None})
    else:
        for entry in entries:
            details = orjson.dumps(entry["details"], option=orjson.OPT_SORT_KEYS).decode()
            at = _time(entry["at"])
            columns = (str(entry["seq"]), at, entry["administrator"], entry["operation"])
            echo("  ".join((*columns, details)))
    if fault is not None:
        print_message(message("entry {seq} breaks the chain: the log was changed", seq=fault))
        raise click.exceptions.Exit(1)


@_subcommand(
    "announce",
    message("Announce TEXT to everybody on every page, and print the id of the announcement."),
    message("TEXT is in English; --translation adds it in another language."),
)
def announce(
    service: "Service", english: str, ends: str, translations: tuple[str, ...], reason: str
) -> str:
    texts: dict[str, object] = {"en": english}
    for translation in translations:
        language, _, translated = translation.partition("=")
        texts[language] = translated
    return service.administration.announce(OPERATOR, texts, ends, reason).id


@_subcommand("announcements", message("List the announcements that have not ended, as JSON."))
def announcements(service: "Service") -> JsonObject:
    current = service.announcements.current()
    return {"announcements": [asdict(one) for one in current], "next": None}


@_subcommand("delete-import", message("Delete IMPORT, a record that was uploaded."))
def delete_import(service: "Service", imported: str, reason: str) -> Message:
    service.administration.delete_import(OPERATOR, imported, reason)
    return message("the record {record} is deleted", record=imported)


@_subcommand("withdraw", message("Withdraw an ANNOUNCEMENT before its end."))
def withdraw(service: "Service", announcement: str, reason: str) -> Message:
    service.administration.withdraw_announcement(OPERATOR, announcement, reason)
    return message("the announcement {announcement} is withdrawn", announcement=announcement)


def _id_of(service: "Service", player: str) -> str:
    """Return the id of a player, given by handle or id. Raises CartularyError.

    A handle with HANDLE_MARK before it is no id. A player may have the id of another one as a handle.
    """
    from service.entered_text import trim

    by_handle = service.accounts.players.by_handle(player)
    (by_id,) = service.accounts.players.get([trim(player)])
    if by_handle is not None and by_id is not None and by_handle.id != by_id.id:
        raise CartularyError.with_message(
            "{player} is the handle of one player and the id of another: write @{player} for the first,"
            " or @{other} for the second",
            player=by_handle.handle,
            other=by_id.handle,
        )
    account = by_handle or by_id
    if account is None:
        raise CartularyError.with_message("there is no player {player}", player=player)
    return account.id


def _time(timestamp: str) -> str:
    """Return a time for people."""
    return text(Instant(timestamp))
