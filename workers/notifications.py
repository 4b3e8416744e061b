"""Notifications to the players of a game, made from a task and the log.

A notification contains nothing that only some players may see. notifiers.py delivers it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from domain.errors import Unreadable
from domain.event import Event, acting_seat
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import message
from service import clock
from service.games.queries import GameQueries
from workers.tasks import Task

Subject: TypeAlias = Literal[
    "your_turn",
    "round_scored",
    "game_over",
    "dispute_opened",
    "dispute_answered",
    "ruling_proposed",
    "dispute_withdrawn",
    "dispute_ruled",
    "takeback_requested",
    "takeback_answered",
    "play_resumed",
]

_SUBJECTS: Final[Mapping[str, Subject]] = {
    "DisputeOpened": "dispute_opened",
    "DisputeAnswered": "dispute_answered",
    "RulingProposed": "ruling_proposed",
    "DisputeWithdrawn": "dispute_withdrawn",
    "DisputeRuled": "dispute_ruled",
    "TakebackRequested": "takeback_requested",
    "TakebackAnswered": "takeback_answered",
    "PlayResumed": "play_resumed",
}
"""By event type, the subject of a notification about one event of a dispute or a takeback."""


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
    """`your_turn`: seat, round, deadline; `round_scored`: round, standings; `game_over`: status, ranking;
    about disputes, takebacks and resumptions, the data of the event, which contain no statement.
    """

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
                raise Unreadable(
                    message(
                        "the entry names seat {seat} of {seats}", seat=seat, seats=len(game.players)
                    )
                )
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
        case ["notify", "event", _]:
            event = _event(queries, task.game_id, data["seq"])
            subject = _SUBJECTS[event["type"]]
            details = dict(event["data"])
            if event["type"] == "DisputeOpened":
                details["dispute"] = event["seq"]
            players = _concerned(game, event)
        case _:
            raise ValueError(f"{task.entry} calls for no notification")
    return Notification(task.id, subject, game.id, game.rules.NAME, data["seq"], players, details)


def _event(queries: GameQueries, game_id: str, seq: int) -> Event:
    """Return the event of a dispute or a takeback with this seq. Raises Unreadable."""
    events = queries.event_page(game_id, seq - 1, 1)
    if not events or events[0]["type"] not in _SUBJECTS:
        raise Unreadable(
            message("the entry names event {seq}, which is not of a dispute or a takeback", seq=seq)
        )
    return events[0]


def _concerned(game: Game, event: Event) -> tuple[str, ...]:
    """Return the ids of the players and the arbiter, without the one who caused the event."""
    everybody = game.participants if game.arbiter is None else (*game.participants, game.arbiter)
    seat = acting_seat(event["by"])
    cause = event["data"].get("arbiter") if seat is None else game.players[seat]
    return tuple(player for player in everybody if player != cause)


def _standings(queries: GameQueries, game_id: str, seq: int) -> Any:
    """Return the standings of the event `RoundScored` with this seq. Raises Unreadable."""
    try:
        (event,) = queries.event_page(game_id, seq - 1, 1)
        if event["type"] == "RoundScored":
            return event["data"]["standings"]
    except (KeyError, TypeError, ValueError):
        pass
    raise Unreadable(
        message("the entry names event {seq}, which is not {type}", seq=seq, type="RoundScored")
    )
