"""Games for administrators: their list, those that are damaged, and what can be done about one."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from flask import Response, request
from werkzeug.wrappers import Response as BaseResponse

from domain.administration import MAX_EXTENSION
from domain.errors import CartularyError, Malformed, NotNow, Unreadable
from domain.game import STATUS_MESSAGES, Game
from domain.messages import Message, message
from service.administration.pages.guard import (
    MAX_SHOWN,
    WithReason,
    administrator,
    administrators_only,
    done,
)
from service.errors import NotFound, OperationNotPossible, TooManyGames
from service.games.listings import STATUSES
from service.games.summary import Summary
from service.http.context import service
from service.http.validation import QueryInteger, String
from service.pages.forms import EMPTY_FORM, Form, read_form, see_other, shows_refusals
from service.pages.templating import page

blueprint = administrators_only("admin_games")

_REFUSALS: Final[tuple[type[CartularyError], ...]] = (
    Malformed,
    NotNow,
    OperationNotPossible,
    TooManyGames,
)
_DONE: Final[Mapping[str, Message]] = {
    "removals": message("The seat was removed from the game."),
    "seat-moves": message("The seat was given to the other account."),
    "abandonment": message("The game was ended without a ranking."),
    "extensions": message("The deadline was extended."),
    "exclusion": message("The game does not count for the ratings any more."),
    "inclusion": message("The game counts for the ratings again."),
}


class OfSeat(WithReason):
    """Which seat is removed."""

    seat = QueryInteger(required=True)


class MoveToHandle(OfSeat):
    """Which seat is moved, and the handle of the player who gets it."""

    handle = String(required=True)


class Extension(WithReason):
    """By how many hours a deadline is extended."""

    hours = QueryInteger(minimum=1, maximum=MAX_EXTENSION // 3600, required=True)


@blueprint.get("/admin/games")
def search_games() -> BaseResponse:
    """Show the games of a status or of a player, private ones included, the newest first."""
    status, handle = request.args.get("status", ""), request.args.get("handle", "").strip()
    game_id, cursor = request.args.get("game", "").strip(), request.args.get("cursor")
    form = Form({"status": status, "handle": handle, "game": game_id})
    if game_id:
        # The address of the page of a game will do as well.
        return _found(game_id.rstrip("/").rpartition("/games/")[2].partition("/")[0], form)
    player = service().accounts.players.by_handle(handle) if handle else None
    if handle and player is None:
        fault = message("there is no player {player}", player=handle)
        return _list_page(Form(form.values, {"handle": fault}), 404)
    page_of_games = service().administration.search_games(
        administrator(),
        [status] if status in STATUSES else [],
        None if player is None else player.id,
        cursor,
        MAX_SHOWN,
    )
    games = service().games.queries.summaries(page_of_games.games)
    return _list_page(
        form,
        games=[each for each in games if each is not None],
        next=page_of_games.first(len(games)).next,
    )


def _found(game_id: str, form: Form) -> BaseResponse:
    try:
        service().administration.require_target({"game": game_id})
    except NotFound as error:
        return _list_page(Form(form.values, {"game": error.why}), 404)
    except Unreadable:
        pass
    return see_other(f"/admin/games/{game_id}")


def _list_page(
    form: Form, status: int = 200, games: Sequence[Summary] = (), next: str | None = None
) -> Response:
    return page(
        "admin_games.html", status, form=form, statuses=STATUS_MESSAGES, games=games, next=next
    )


@blueprint.get("/admin/damaged-games")
def show_damaged_games() -> Response:
    """Show the games with a stored value that cannot be read, and what to do about them."""
    work = service().administration.work(administrator())
    return page("admin_damaged_games.html", damaged=work["damaged_games"])


@blueprint.get("/admin/games/<game_id>")
def show_game(game_id: str) -> Response:
    """Show a game, what of it is damaged, and the operations on it."""
    return _game_page(game_id)


def _game_page(game_id: str, form: Form = EMPTY_FORM, status: int = 200) -> Response:
    damage = service().damaged_games.parts().get(game_id, {})
    game: Game | None = None
    try:
        game = service().administration.game(administrator(), game_id)
    except Unreadable:
        if not damage:
            raise
    return page(
        "admin_game.html",
        status,
        id=game_id,
        game=game,
        damage=damage,
        form=form,
        statuses=STATUS_MESSAGES,
        max_hours=MAX_EXTENSION // 3600,
        is_excluded=any(one["game"] == game_id for one in service().games.rating_exclusions.all()),
        notice=done(_DONE),
    )


def _decision(name: str, read: Callable[[str], object]) -> Callable[[str], BaseResponse]:
    """Register the form of a decision about a game; `read` reads it, and carries it out."""

    @shows_refusals(_game_page, *_REFUSALS)
    def decide(game_id: str) -> BaseResponse:
        read(game_id)
        return see_other(f"/admin/games/{game_id}?done={name}")

    decide.__name__ = read.__name__
    decide.__doc__ = read.__doc__
    blueprint.post(f"/admin/games/<game_id>/{name}")(decide)
    return decide


def remove_seat(game_id: str) -> None:
    """Remove a seat from a game in progress."""
    service().administration.remove_seat(administrator(), game_id, **read_form(OfSeat()))


def move_seat(game_id: str) -> None:
    """Give the seat of a person in a game in progress to another account."""
    values = read_form(MoveToHandle())
    account = service().accounts.players.person_with_handle(values["handle"])
    service().administration.move_seat(
        administrator(), game_id, values["seat"], account.id, values["reason"]
    )


def abandon_game(game_id: str) -> None:
    """End a game without a ranking."""
    reason = read_form(WithReason())["reason"]
    service().administration.abandon(administrator(), game_id, reason)


def extend_deadline(game_id: str) -> None:
    """Extend the deadline of the turn under way."""
    values = read_form(Extension())
    service().administration.extend_deadline(
        administrator(), game_id, values["hours"] * 3600, values["reason"]
    )


def exclude_rating(game_id: str) -> None:
    """Rule that a finished game does not count for the ratings."""
    reason = read_form(WithReason())["reason"]
    service().administration.exclude_rating(administrator(), game_id, reason)


def include_rating(game_id: str) -> None:
    """Let an excluded game count again."""
    reason = read_form(WithReason())["reason"]
    service().administration.include_rating(administrator(), game_id, reason)


_decision("removals", remove_seat)
_decision("seat-moves", move_seat)
_decision("abandonment", abandon_game)
_decision("extensions", extend_deadline)
_decision("exclusion", exclude_rating)
_decision("inclusion", include_rating)
