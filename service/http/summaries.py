"""What is told of games and players in short, the same wherever they are named."""

from collections.abc import Sequence

from domain.contract import Json
from domain.game import Game
from service import clock
from service.http.context import service
from service.players import Player


def summaries(games: Sequence[Game]) -> list[Json]:
    """The summaries of games, in their order; the players of all of them are looked up at once."""
    ids = tuple(dict.fromkeys(player for game in games for player in _players(game)))
    handles = {player.id: player.handle for player in service().players.get(ids)} if ids else {}
    return [
        {
            "id": game.id,
            "rules": game.rules.NAME,
            "options": game.options,
            "clock": game.clock,
            "seats": game.seats,
            "status": game.status,
            "players": [
                {"id": player, "handle": handles[player], "seat": game.seat_of(player)}
                for player in _players(game)
            ],
            "head": {"seq": game.seq, "hash": game.hash},
            "to_act": game.to_act,
            "deadline": clock.deadline(game),
        }
        for game in games
    ]


def summary(game: Game) -> Json:
    """The summary of one game."""
    return summaries([game])[0]


def own(player: Player) -> Json:
    """A player, as told to themselves."""
    return {
        "id": player.id,
        "handle": player.handle,
        "created": player.created,
        "email": player.email,
        "locale": player.locale,
    }


def _players(game: Game) -> Sequence[str]:
    """By seat once the game has started, in the order of joining before."""
    return game.players or [place.player for place in game.places]
