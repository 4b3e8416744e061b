"""Notifications to the players of a game, made from a task and the log.

A notification contains nothing that only some players may see. notifiers.py delivers it.
"""

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from domain.errors import Unreadable
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


def notification_of(queries: GameQueries, task: Task) -> Notification:
    """Return the notification that a `notify` task calls for.

    Raises NotFound, Unavailable, and Unreadable if the entry does not match the game.
    """
    game = queries.game(task.game_id)
    data = task.data
    subject: Subject
    details: JsonObject
    players = game.participants
    match task.entry.split("/"):
        case ["notify", "turn"]:
            seat = data["seat"]
            if seat >= len(game.players):
                raise Unreadable(f"the entry names seat {seat} of {len(game.players)}")
            subject = "your_turn"
            players = (game.players[seat],)
            details = {"seat": seat, "round": game.round, "deadline": clock.deadline(game)}
        case ["notify", "round", round]:
            subject = "round_scored"
            standings = _standings(queries, task.game_id, data["seq"])
            details = {"round": int(round), "standings": standings}
        case ["notify", "over"]:
            subject = "game_over"
            details = {"status": game.status, "ranking": game.ranking}
        case _:
            raise ValueError(f"{task.entry} calls for no notification")
    return Notification(task.id, subject, game.id, game.rules.NAME, data["seq"], players, details)


def _standings(queries: GameQueries, game_id: str, seq: int) -> Any:
    """Return the standings of the event `RoundScored` with this seq. Raises Unreadable."""
    try:
        (event,) = queries.event_page(game_id, seq - 1, 1)
        if event["type"] == "RoundScored":
            return event["data"]["standings"]
    except (KeyError, TypeError, ValueError):
        pass
    raise Unreadable(f"the entry names event {seq}, which is not RoundScored")
