"""Games before they start: creating, joining and leaving them, and adding bots."""

from flask import Blueprint, Response, request
from werkzeug.wrappers import Response as BaseResponse

from domain.errors import Malformed
from domain.game import Game
from domain.json_fields import one_of
from domain.json_types import JsonObject
from domain.lifecycle import seat_counts
from domain.registry import RegisteredRuleSystem, registered_name, rule_systems
from ledger.clock.time_zones import UTC_NAME
from service.clubs.model import Club
from service.errors import TooManyGames
from service.games.game_settings import DEFAULT_BOT
from service.http.context import service
from service.http.ratelimits import limit_account_attempts, limit_new_places
from service.http.schemas.requests import CreateGame
from service.http.validation import String, validate
from service.pages.forms import Form, entered_form, read_form, see_other
from service.pages.session import current_player, require_player, require_player_or_guest
from service.pages.templating import absolute_url, page
from service.pages.view_models.alert_lines import people_on_page
from service.pages.view_models.clock_form import ClockForm
from service.pages.view_models.game_forms import NonceForm, conversation, new_key
from service.pages.view_models.game_lists import filter_query, played_with
from service.pages.view_models.new_game_form import (
    BOT_HELP,
    BOT_LABELS,
    CLOCKS,
    CLUB_OPTION,
    PRESETS,
    USUAL_CLOCK,
    WEEKS,
    faults_by_field,
    new_game_address,
    offered_bots,
    option_fields,
    request_body,
    take_last_bot,
    time_per_turn,
    usual_seats,
)

blueprint = Blueprint("lobby", __name__, template_folder="../templates")


class ChosenBot(NonceForm):
    """The bot that gets a place."""

    bot = String(load_default=DEFAULT_BOT)


class Joining(NonceForm):
    """How a visitor joins: with the token of an invitation to a private game, and whether as a new guest."""

    invitation = String(load_default=None)
    guest = String(load_default=None)


@blueprint.get("/games/new")
def show_new_game() -> Response:
    """Show the form for a new game of one of the rule systems, filled in for a usual kind of game."""
    require_player()
    entries = rule_systems()
    name = request.args.get("rules", "")
    preset = request.args.get("preset", WEEKS)
    preset = preset if preset in PRESETS else WEEKS
    club = {CLUB_OPTION: request.args["club"]} if request.args.get("club") else {}
    invite = {"invite": request.args["invite"]} if request.args.get("invite") else {}
    form = Form({"preset": preset, **PRESETS[preset].values, **club, **invite})
    return _new_game_page(entries.get(name) or next(iter(entries.values())), form)


@blueprint.post("/games")
@limit_new_places
def create_game() -> BaseResponse:
    """Create a game, and show it."""
    player_id = require_player()
    form = _with_friends(entered_form())
    entry = rule_systems().get(form.values.get("rules", ""))
    if entry is None:
        raise Malformed({"rules": one_of(sorted(rule_systems()))})
    body = request_body(entry, form.values)
    _require_privacy_of_club(body, player_id)
    last_bot = take_last_bot(body, form.values)
    try:
        game = service().games.lobby.create(player_id, _checked(body))
        if game.options["private"] and game.status == "open" and last_bot is None:
            # A game among friends needs a link that its creator can send them.
            service().games.invitations.create(game.id, player_id)
    except Malformed as error:
        refused = form.refused(Malformed(faults_by_field(error.fields, body)))
        return _new_game_page(entry, refused, 400)
    except TooManyGames as error:
        return _new_game_page(entry, form.refused(error), error.status)
    return see_other(new_game_address(game.id, last_bot))


@blueprint.post("/games/<game_id>/players")
@limit_account_attempts
@limit_new_places
def join_game(game_id: str) -> BaseResponse:
    """Join a game, with an invitation where one is needed, and show it.

    A visitor who has not logged in can ask for the account of a guest. A player who has joined already is
    shown the game.
    """
    joining = read_form(Joining())
    player = current_player()
    if player is not None and service().games.queries.game(game_id).has_joined(player):
        return see_other(f"/games/{game_id}")
    if joining["guest"] is None:
        player_id = require_player()
    else:
        _require_joinable(game_id, joining["invitation"])
        player_id = require_player_or_guest()
    service().games.commands.join(
        game_id, player_id, joining["nonce"], invitation=joining["invitation"]
    )
    return see_other(f"/games/{game_id}")


@blueprint.post("/games/<game_id>/leave")
def leave_game(game_id: str) -> BaseResponse:
    """Leave a game before it starts."""
    player_id = require_player()
    service().games.commands.leave(game_id, player_id)
    service().games.people.leave(game_id, player_id)
    return see_other("/")


@blueprint.post("/games/<game_id>/bots")
@limit_new_places
def add_bot(game_id: str) -> BaseResponse:
    """Give a place to a bot, and show the game."""
    values = read_form(ChosenBot())
    service().games.commands.add_bot(game_id, require_player(), values["bot"], values["nonce"])
    return see_other(f"/games/{game_id}")


def show_open_game(
    game: Game,
    invitation: str | None = None,
    *,
    invited_by: str | None = None,
    form: Form | None = None,
    status: int = 200,
) -> Response:
    """Return the page of a game that has not started.

    `invitation` is the token of the invitation that the viewer needs to join the game, if they need one, and
    `invited_by` the player whose invitation they have opened. `form` is the form for inviting a player.
    """
    player_id = current_player()
    has_joined = player_id is not None and game.has_joined(player_id)
    token = None
    if has_joined and player_id is not None and game.status == "open":
        token = service().games.invitations.token_of(game.id, player_id)
    return page(
        "open_game.html",
        status,
        game=game,
        form=form or Form(),
        has_joined=has_joined,
        link=None if token is None else absolute_url(f"/invitations/{token}"),
        conversation=conversation(game, player_id),
        message_key=new_key(),
        people=people_on_page(game),
        ready=service().games.people.ready(game),
        invitation=invitation,
        invited_by=invited_by,
        played_with=[
            player
            for player in played_with(player_id)
            if not game.has_joined(player) and player not in game.invited
        ]
        if player_id == game.creator
        else [],
        bots=offered_bots(game.rules),
        bot_labels=BOT_LABELS,
        default_bot=request.args.get("bot", DEFAULT_BOT),
        option_fields=option_fields(game.rules),
        picture=f"/pictures/{registered_name(game.rules)}.svg",
        missing=[]
        if player_id is None or has_joined or invitation is not None
        else service().games.requirements.missing(game, player_id),
    )


def _require_joinable(game_id: str, invitation: str | None) -> None:
    """Raise NotFound if a visitor does not see the game, before an account is created for them."""
    if invitation is None:
        service().games.queries.visible_game(game_id, current_player())
    else:
        service().games.invitations.get(invitation)


def _new_game_page(entry: RegisteredRuleSystem, form: Form, status: int = 200) -> Response:
    return page(
        "new_game.html",
        status,
        entry=entry,
        form=form,
        rule_systems=rule_systems().values(),
        presets=PRESETS,
        seat_counts=seat_counts(entry.system),
        usual_seats=usual_seats(entry.system),
        bots=offered_bots(entry.system),
        bot_labels=BOT_LABELS,
        bot_help=BOT_HELP,
        clocks=CLOCKS,
        usual_clock=USUAL_CLOCK,
        clock_form=ClockForm(time_zone=_time_zone()),
        has_folded_faults=bool(form.faults.keys() - {"seats", "invite", CLUB_OPTION}),
        friends=played_with(require_player()),
        clubs=_clubs(require_player()),
        club_query=filter_query({"club": form.values[CLUB_OPTION]})
        if form.values.get(CLUB_OPTION)
        else "",
        option_fields=option_fields(entry.system),
        time_per_turn=time_per_turn,
    )


def _with_friends(form: Form) -> Form:
    """Return the form for a new game with those who are ticked in its list among the players to invite."""
    handles = [form.values.get("invite", ""), *request.form.getlist("friend")]
    return Form({**form.values, "invite": " ".join(filter(None, handles))})


def _require_privacy_of_club(body: JsonObject, player_id: str) -> None:
    """Make a game private in the body of `POST /games` if it is one of a private club of the player."""
    club = body["options"].get("club")
    if club is not None and any(each.is_private and each.id == club for each in _clubs(player_id)):
        body["options"]["private"] = True


def _clubs(player_id: str) -> list[Club]:
    """Return the clubs of which a player is a member."""
    return [each.club for each in service().clubs.of(player_id) if each.relation == "member"]


def _time_zone() -> str:
    """Return the time zone of the viewer."""
    (account,) = service().accounts.players.get([require_player()])
    return UTC_NAME if account is None else account.time_zone or UTC_NAME


def _checked(body: JsonObject) -> JsonObject:
    """Return a body as `CreateGame` loads it. Raises Malformed, which names every wrong field."""
    try:
        return validate(CreateGame(), body)
    except Malformed as error:
        raise Malformed({**service().games.lobby.faults(body), **error.fields}) from None
