"""Creating, joining and leaving games, and adding bots, for the API and for pages; counts the events."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

from domain import lifecycle
from domain.errors import Malformed
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import Text, message, plural_message
from ledger.turn_clock import clock_faults
from service.accounts.account_reader import Player
from service.errors import NotFound
from service.games.bot_names import bot_faults, short_turn_faults
from service.http.context import metrics, service
from service.http.schemas.requests import MAX_BOTS

log = logging.getLogger(__name__)


def rule_errors(body: JsonObject, player: str | None = None) -> dict[str, Text]:
    """Return what is wrong with the clock, the bots and with what the rules check, by field."""
    least = service().settings.bounds.min_seconds_per_turn
    errors = short_turn_faults(body.get("clock"), least) | clock_faults(body.get("clock"))
    rules, seats, options, bots = (body.get(name) for name in ("rules", "seats", "options", "bots"))
    if not isinstance(options, dict):
        options = {}
    if isinstance(bots, list):
        errors |= bot_faults(rules, seats, options, bots[:MAX_BOTS])
    if "rematch_of" in options:
        errors["options.rematch_of"] = message("is set by a request for a rematch only")
    try:
        lifecycle.check_options(rules, seats, options)
    except Malformed as error:
        errors |= error.fields
    return errors


def create_game(player: str, body: JsonObject, idempotency_key: str | None = None) -> Game:
    """Create a game from the fields of `CreateGame`, and return it.

    Raises Malformed, which names every wrong field, and TooManyGames.
    """
    settings = dict(body)
    others = _find_other_players(player, settings.pop("invite"), settings.pop("arbiter"))
    if others.errors or "rematch_of" in body["options"]:
        raise Malformed({**rule_errors(body), **others.errors})
    game = service().commands.create(
        player,
        **{**settings, "bots": tuple(body["bots"])},
        invited=tuple(others.invited),
        arbiter=others.arbiter,
        default_arbiter=others.default_arbiter,
        idempotency_key=idempotency_key,
    )
    metrics().count_events("GameCreated", *["SeatTaken"] * len(game.places))
    metrics().count_events(*_started_events(game), *_account_events(game, player))
    return game


def join_game(
    game_id: str,
    player: str,
    nonce: bytes | None = None,
    idempotency_key: str | None = None,
    invitation: str | None = None,
) -> Game:
    """Give the player a place and return the game. Raises what `GameCommands.join` raises."""
    game = service().commands.join(game_id, player, nonce, idempotency_key, invitation)
    metrics().count_events("SeatTaken", *_started_events(game), *_account_events(game, player))
    return game


def leave_game(game_id: str, player: str, idempotency_key: str | None = None) -> Game:
    """Free the player's place and return the game. Raises what `GameCommands.leave` raises."""
    game = service().commands.leave(game_id, player, idempotency_key)
    metrics().count_events("SeatLeft", *["GameAbandoned"] * (game.status == "abandoned"))
    return game


def person_with_handle(handle: str) -> Player:
    """Return the player with this handle. Raises Malformed if there is none, and for a bot."""
    player = service().players.by_handle(handle)
    fault = _handle_fault(player)
    if fault is not None:
        raise Malformed({"handle": fault})
    assert player is not None, "a handle without a player has a fault"
    return player


def person_in_path(handle: str) -> Player:
    """Return the player with a handle that is part of an address. Raises NotFound if no person has it."""
    try:
        return person_with_handle(handle)
    except Malformed:
        raise NotFound(message("no player has the handle {handle}", handle=handle[:64])) from None


def invite(game_id: str, player: str, handle: str, idempotency_key: str | None = None) -> str:
    """Invite the player with this handle to a game, and return the id of that player.

    Raises Malformed, and what `InvitationCommands.invite` raises.
    """
    invited = person_with_handle(handle)
    if invited.id == player:
        raise Malformed({"handle": message("must be the handle of another player")})
    service().invitation_commands.invite(game_id, player, invited.id, idempotency_key)
    metrics().count_events("PlayerInvited")
    return invited.id


def request_rematch(game_id: str, player: str, nonce: bytes | None = None) -> Game:
    """Return the rematch of a game that the player may see. Raises what `Rematches.request` raises."""
    game = service().queries.visible_game(game_id, player)
    return service().rematches.request(game, player, nonce)


def add_bot(
    game_id: str,
    player: str,
    bot: str,
    nonce: bytes | None = None,
    idempotency_key: str | None = None,
) -> Game:
    """Give a place to a bot and return the game. Raises what `GameCommands.add_bot` raises."""
    game = service().commands.add_bot(game_id, player, bot, nonce, idempotency_key)
    metrics().count_events("SeatTaken", *_started_events(game))
    return game


def _account_events(game: Game, player: str) -> list[str]:
    """Return the types of the events with what a player who just took a place has brought along."""
    holidays = sum(holiday.player == player for holiday in game.holidays)
    keys = len(game.keys.get(player, {}))
    return ["PlayerKeyAdded"] * keys + ["HolidayAnnounced"] * holidays


def _started_events(game: Game) -> list[str]:
    """Return the types of the events that have started a game in which a place was just taken."""
    return ["GameStarted"] * (game.status != "open")


@dataclass(slots=True)
class _OtherPlayers:
    """The ids of the players that a new game names besides its creator, and the errors by field.

    `arbiter` is named by the creator, `default_arbiter` by the settings of the server.
    """

    invited: list[str] = field(default_factory=list)
    arbiter: str | None = None
    default_arbiter: str | None = None
    errors: dict[str, Text] = field(default_factory=dict)


def _find_other_players(creator: str, handles: Sequence[str], arbiter: str | None) -> _OtherPlayers:
    """Look up the handles of the players to invite and of the arbiters, all at once."""
    settings = service().settings
    limit = settings.bounds.max_invitations
    if len({handle.casefold() for handle in handles}) > limit:
        fault = plural_message(
            "must name at most one player", "must name at most {count} players", count=limit
        )
        return _OtherPlayers(errors={"invite": fault})
    arbiters = [handle for handle in (arbiter, settings.arbiter) if handle is not None]
    players = service().players.by_handles([*handles, *arbiters])
    others = _OtherPlayers()
    for index, handle in enumerate(handles):
        if refusal := _handle_fault(players[handle]):
            others.errors[f"invite.{index}"] = refusal
        elif (invited := players[handle]) is not None:
            others.invited.append(invited.id)
    if arbiter is not None:
        if refusal := _handle_fault(players[arbiter]):
            others.errors["arbiter"] = refusal
        elif (ruler := players[arbiter]) is not None:
            others.arbiter = ruler.id
            if others.arbiter in (creator, *others.invited):
                others.errors["arbiter"] = lifecycle.ARBITER_PLAYS
    elif settings.arbiter is not None:
        default = players[settings.arbiter]
        if default is None or default.bot is not None:
            log.warning("CARTULARY_ARBITER is not the handle of a person: %s", settings.arbiter)
        else:
            others.default_arbiter = default.id
    return others


def _handle_fault(player: Player | None) -> Text | None:
    """Return why a handle is not that of a person, whose player this is; None if it is."""
    if player is None:
        return message("is not the handle of a player")
    if player.bot is not None:
        # A bot neither accepts invitations nor rules disputes.
        return message("is the handle of a bot")
    return None
