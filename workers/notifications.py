"""Notifications to the players of a game, made from a task and the log.

A notification contains nothing that only some players may see. notifiers.py delivers it.
"""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from domain.json_types import JsonObject
from service import clock
from service.games.queries import GameQueries
from workers.tasks import Task

Subject: TypeAlias = Literal["your_turn", "round_scored", "game_over"]


@dataclass(frozen=True, slots=True)
class Notification:
    """One notification to the players with the ids `players`.

    `delivery` is an id that stays the same if the notification is sent again.
    """

    delivery: str
    subject: Subject
    game_id: str
    rules: str
    seq: int
    players: tuple[str, ...]
    details: JsonObject = field(default_factory=dict)
    """`your_turn`: seat, round, deadline; `round_scored`: round, standings; `game_over`: status, ranking."""

    def as_json(self) -> JsonObject:
        """Return the notification as it is posted: one object with all fields, including the details."""
        return {
            "delivery": self.delivery,
            "subject": self.subject,
            "game": self.game_id,
            "rules": self.rules,
            "seq": self.seq,
            "players": list(self.players),
            **self.details,
        }


def notification_of(queries: GameQueries, task: Task) -> Notification | None:
    """Return the notification that a `notify` task calls for; None if this version does not know it.

    Raises NotFound, Unavailable.
    """
    game = queries.game(task.game_id)
    data = task.data
    subject: Subject
    details: JsonObject
    players = game.players or tuple(place.player for place in game.places)
    match task.entry.split("/"):
        case ["notify", "turn"]:
            subject = "your_turn"
            players = (game.players[data["seat"]],)
            details = {
                "seat": data["seat"],
                "round": game.round,
                "deadline": clock.deadline(game),
            }
        case ["notify", "round", round]:
            subject = "round_scored"
            (event,) = queries.event_page(task.game_id, data["seq"] - 1, 1)
            details = {"round": int(round), "standings": event["data"]["standings"]}
        case ["notify", "over"]:
            subject = "game_over"
            details = {"status": game.status, "ranking": game.ranking}
        case _:
            return None
    return Notification(task.id, subject, game.id, game.rules.NAME, data["seq"], players, details)
