"""Games: creating, joining, leaving and finding them; vacant seats and their substitutes."""

import logging
from dataclasses import replace

from flask import Response

from domain.errors import Malformed
from domain.game import Status
from domain.json_types import JsonObject
from domain.messages import Text, message
from service.errors import NotFound
from service.games.game_filter import GameFilter, filter_of_kinds
from service.games.game_settings import DEFAULT_BOT, bot_fault
from service.games.listings import STATUSES, GamesOfClub, Page, parse_statuses
from service.http.blueprint import Blueprint, json_response, response
from service.http.context import service
from service.http.ratelimits import limit_new_places
from service.http.responses import body_of, game_summaries, game_summary
from service.http.schemas.lobby import ListGames, TakeSeat
from service.http.schemas.requests import AddBot, CreateGame, JoinGame, OnlySignature
from service.http.schemas.responses import GameList, GameSummary, KindStatistics, Statistics

log = logging.getLogger(__name__)
blueprint = Blueprint("games", "Games, from an open table to their end.", auth="login_required")
substitutes = Blueprint(
    "substitutes", "Vacant seats, and who takes them.", auth="participants_only"
)


def _settings_errors(body: JsonObject, player: str) -> dict[str, Text]:
    """Return what is wrong with the settings of a new game, by field."""
    return service().games.lobby.faults(body)


@blueprint.post(
    "/games",
    limit=limit_new_places,
    json_body=CreateGame(),
    extra_validation=_settings_errors,
    is_idempotent=True,
    responses={
        201: response(
            "The summary of the game.", GameSummary, headers={"Location": "URL of the game."}
        )
    },
    errors=(409,),
)
def create_game(player: str, body: JsonObject, idempotency_key: str | None) -> Response:
    """Create a game.

    The creator has the first place, and the bots in `bots` have the next ones.
    """
    game = service().games.lobby.create(player, body, idempotency_key)
    return json_response(game_summary(game), 201, {"Location": f"/api/v1/games/{game.id}"})


@blueprint.get(
    "/games",
    "A page of games, newest first. `next` is the `cursor` of the next page, or null. A page may have"
    " fewer games than `limit`, even none, before the last one.",
    GameList,
    auth="optional_auth",
    query=ListGames(),
)
def list_games(player: str | None, query: JsonObject) -> JsonObject:
    """List games, newest first.

    With a token, the list includes the private games that the player may see.
    """
    statuses = parse_statuses(query["status"], STATUSES)
    game_filter = replace(filter_of_kinds(query), pace=query["clock"], free=query["free"])
    summaries, next_cursor = service().games.queries.filtered_summaries(
        lambda cursor, limit: _page(
            statuses, {**query, "cursor": cursor}, limit, player, game_filter
        ),
        game_filter,
        query["cursor"],
        query["limit"],
    )
    return {"games": game_summaries(summaries), "next": next_cursor}


@blueprint.get(
    "/statistics",
    "The statistics. `lag` is the number of entries of the transparency log that are not counted yet.",
    Statistics,
    auth="public",
)
def get_statistics() -> JsonObject:
    """Get statistics of the public games, by rule system and number of seats.

    Private games are never counted. What has happened is counted when it has reached the transparency log.
    """
    statistics = service().games.public_statistics.read()
    return {
        "games": [
            body_of(
                KindStatistics,
                entry,
                system=entry.kind.system,
                seats=entry.kind.seats,
                ended_by=entry.ended,
            )
            for entry in statistics.kinds
        ],
        "events": statistics.events,
        "lag": statistics.lag,
    }


def _page(
    statuses: list[Status],
    query: JsonObject,
    limit: int,
    viewer: str | None,
    game_filter: GameFilter,
) -> Page:
    if query["vacant"] == "true":
        for name in ("status", "player", "club"):
            if query[name] is not None:
                raise Malformed({name: message("does not go with vacant")})
        return service().games.listings.vacant(viewer, query["cursor"], limit)
    player_id = None
    if query["player"] is not None:
        player = service().accounts.players.by_handle(query["player"])
        if player is None:
            return Page((), None)
        player_id = player.id
    club = None
    if query["club"] is not None:
        club = games_of_club(query["club"], viewer)
        if club is None:
            return Page((), None)
    return service().games.listings.page(
        statuses, player_id, query["cursor"], limit, viewer, game_filter.kinds, club=club
    )


def games_of_club(club_id: str, viewer: str | None) -> GamesOfClub | None:
    """Return which games of a club a viewer may list; None if there is no such club for the viewer."""
    try:
        entry = service().clubs.visible(club_id, viewer)
    except NotFound:
        return None
    return GamesOfClub(club_id, for_member=entry.relation(viewer) == "member")


@blueprint.get("/games/<game_id>", "The summary of the game.", GameSummary, auth="optional_auth")
def get_game(game_id: str, player: str | None) -> JsonObject:
    """Get the summary of a game."""
    return game_summary(service().games.queries.visible_game(game_id, player))


@blueprint.post(
    "/games/<game_id>/players",
    "The summary of the game, after joining.",
    GameSummary,
    limit=limit_new_places,
    json_body=JoinGame(),
    is_body_required=False,
    is_idempotent=True,
    errors=(403, 409),
)
def join_game(
    game_id: str, player: str, body: JsonObject, idempotency_key: str | None
) -> JsonObject:
    """Join a game.

    The game starts when its last place is taken. A private game can be joined by the players whom its creator
    has invited and, with an `invitation`, by others. If the game requires what the player lacks, the response
    is a 403 that names it.
    """
    game = service().games.commands.join(
        game_id, player, body["nonce"], idempotency_key, body["invitation"]
    )
    return game_summary(game)


def _bot_errors(body: JsonObject, game_id: str, player: str) -> dict[str, Text]:
    """Return what is wrong with the name of the bot, by field."""
    game = service().games.queries.visible_game(game_id, player)
    fault = bot_fault(game.rules, body.get("bot", DEFAULT_BOT))
    return {} if fault is None else {"bot": fault}


@blueprint.post(
    "/games/<game_id>/bots",
    "The summary of the game, with the bot.",
    GameSummary,
    limit=limit_new_places,
    json_body=AddBot(),
    is_body_required=False,
    extra_validation=_bot_errors,
    is_idempotent=True,
    errors=(403, 409),
)
def add_bot(game_id: str, player: str, body: JsonObject, idempotency_key: str | None) -> JsonObject:
    """Give a place to a bot.

    Only the creator of the game adds bots to it, before it starts. The game starts when its last place is
    taken. From then on, the server plays the bot, which knows what a player at its seat knows.
    """
    game = service().games.commands.add_bot(
        game_id, player, body["bot"], body["nonce"], idempotency_key
    )
    return game_summary(game)


@blueprint.delete(
    "/games/<game_id>/players/me",
    "The player has left the game.",
    is_idempotent=True,
    errors=(409,),
)
def leave_game(game_id: str, player: str, idempotency_key: str | None) -> None:
    """Leave a game before it starts.

    The game is abandoned when its last player leaves.
    """
    service().games.commands.leave(game_id, player, idempotency_key)
    service().games.people.leave(game_id, player)


@substitutes.delete(
    "/games/<game_id>/seats/me",
    "The summary of the game, with the vacant seat.",
    GameSummary,
    json_body=OnlySignature(),
    is_body_required=False,
    is_idempotent=True,
    errors=(409, 422),
)
def leave_seat(
    game_id: str, player: str, body: JsonObject, idempotency_key: str | None
) -> JsonObject:
    """Leave your seat to a substitute, in a game in progress with the option `substitutes`.

    The clock ends the turns of a vacant seat at once, as the game's options say for missed turns. You cannot
    come back. When no people are left in the game, it is abandoned.
    """
    game = service().games.commands.leave_seat(game_id, player, idempotency_key, body["signature"])
    return game_summary(game)


@substitutes.post(
    "/games/<game_id>/substitutes",
    "The summary of the game, with you at the seat.",
    GameSummary,
    auth="login_required",
    limit=limit_new_places,
    json_body=TakeSeat(),
    is_idempotent=True,
    errors=(403, 409, 422),
)
def take_seat(
    game_id: str, player: str, body: JsonObject, idempotency_key: str | None
) -> JsonObject:
    """Take a vacant seat of a game, as a substitute for its former player.

    From then on, the seat and everything that belongs to it is yours. Players who have or had a seat in the
    game, and its arbiter, cannot be substitutes. `GET /games?vacant=true` lists games with vacant seats.
    """
    game = service().games.commands.take_seat(
        game_id, player, body["seat"], idempotency_key, body["signature"]
    )
    return game_summary(game)
