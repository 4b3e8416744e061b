"""The calls on the people of a game: their presence, and whether they are ready before its start."""

from domain.json_types import JsonObject
from service.http.blueprint import Blueprint
from service.http.context import service
from service.http.ratelimits import limit_messages
from service.http.schemas.lobby import PersonList, SetReady

blueprint = Blueprint("people", "The people of a game.", auth="correspondents_only")


@blueprint.get(
    "/games/<game_id>/people", "The people, by seat; the arbiter is the last one.", PersonList
)
def list_people(game_id: str, player: str) -> JsonObject:
    """List who of the players of a game and its arbiter is there, as one of them.

    Nobody else can see it, also in a public game, and players can hide it. Bots are left out.
    """
    people = service().games.people.of_game(game_id, player)
    handles = service().accounts.players.handles([person.player for person in people])
    return {
        "people": [
            {
                "id": person.player,
                "handle": handles.get(person.player),
                "here": person.is_here,
                "seen": None if person.visit is None else person.visit.at,
                "ready": person.is_ready,
            }
            for person in people
        ]
    }


@blueprint.put(
    "/games/<game_id>/ready",
    "It is stored.",
    auth="participants_only",
    limit=limit_messages,
    json_body=SetReady(),
    errors=(409,),
)
def set_ready(game_id: str, player: str, body: JsonObject) -> None:
    """Say that the player is ready to begin, or no longer, before the game starts.

    The other players see it in the waiting room. The game starts as soon as all places are taken, even if
    not everybody is ready. If it has started, the response is a 409.
    """
    service().games.people.set_ready(game_id, player, is_ready=body["ready"])
