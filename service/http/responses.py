"""JSON responses, and the representations of games and players that several routes return.

Responses are encoded directly, not through marshmallow. The schemas in schemas/ only describe them; the tests
validate every response against the document.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from flask import Response

from domain.game import Game
from domain.json_types import JsonObject
from service import clock
from service.http.context import service
from service.players.accounts import Player


def json_response(
    value: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a response with a JSON body."""
    return Response(orjson.dumps(value), status, headers, content_type="application/json")


def no_content() -> Response:
    """Return an empty response with status 204."""
    return Response(status=204)


def game_summaries(games: Sequence[Game]) -> list[JsonObject]:
    """Return the summaries of games, in their order. Looks up the players of all games in one round trip."""
    ids = tuple(dict.fromkeys(player for game in games for player in game.participants))
    accounts = service().players.get(ids) if ids else []
    handles = {player.id: player.handle for player in accounts if player is not None}
    return [
        {
            "id": game.id,
            "rules": game.rules.NAME,
            "options": game.options,
            "clock": game.clock,
            "seats": game.seats,
            "status": game.status,
            "players": [
                {"id": player, "handle": handles.get(player), "seat": game.seat_of(player)}
                for player in game.participants
            ],
            "head": {"seq": game.seq, "hash": game.hash},
            "to_act": game.to_act,
            "deadline": clock.deadline(game),
        }
        for game in games
    ]


def game_summary(game: Game) -> JsonObject:
    """Return the summary of a game."""
    return game_summaries([game])[0]


def account(player: Player) -> JsonObject:
    """Return a player's account, as only that player sees it."""
    return {
        "id": player.id,
        "handle": player.handle,
        "created": player.created,
        "email": player.email,
        "locale": player.locale,
    }
