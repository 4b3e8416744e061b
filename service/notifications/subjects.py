"""What each subject of notifications says: a table with its title, its details and when it is out of date.

A new subject has an entry here, and is called for by the outbox (`service/games/outbox.py`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from domain.errors import Unreadable
from domain.event import Event
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import Message, PlayerAt, PlayerWithId, Value, message
from ledger.clock.turn_clock import clock_stop, deadline_timestamp
from service import wall_clock
from service.games.outbox import Subject
from service.notifications.delivery import Delivery
from service.notifications.kinds import Kind


@dataclass(frozen=True, slots=True)
class Headline:
    """What the title of a notification is made of."""

    name: Value
    """What the game or the tournament is called."""
    details: Mapping[str, Any]
    is_readers: bool
    """Whether the notification is about the reader's own seat."""

    @property
    def player(self) -> PlayerAt:
        """The player at the seat that the notification is about."""
        return PlayerAt(self.details.get("seat", 0))

    @property
    def sender(self) -> PlayerWithId:
        """The player from whom the notification comes."""
        return PlayerWithId(self.details["from"])

    @property
    def dispute(self) -> int:
        """The number of the dispute that the notification is about."""
        number: int = self.details.get("dispute", 0)
        return number


@dataclass(frozen=True, slots=True)
class Source:
    """What the details of a notification about a game are read from."""

    game: Game
    delivery: Delivery
    read_event: Callable[[int], Event]
    """Returns an event of the game by its seq. Raises Unreadable."""

    @property
    def event(self) -> Event:
        """The event that the notification is about. Raises Unreadable."""
        return self.read_event(self.delivery.seq)


Title: TypeAlias = Callable[[Headline], Message]


def own_or_other(own: Title, other: Title) -> Title:
    """Return the title `own` for the player of the seat, and `other` for everybody else."""
    return lambda it: (own if it.is_readers else other)(it)


def details_of_event(source: Source) -> JsonObject:
    """Return the data of the event, and the seat that caused it."""
    event = source.event
    details = dict(event["data"])
    if "seat" in event["by"]:
        details.setdefault("seat", event["by"]["seat"])
    return details


def details_of_sender(source: Source) -> JsonObject:
    """Return from whom a notification is, and the number of a message."""
    data = source.delivery.data
    return {name: data[name] for name in ("from", "message") if name in data}


def details_of_turn(source: Source) -> JsonObject:
    """Return whose turn it is, and until when."""
    game, data = source.game, source.delivery.data
    stop = clock_stop(game, wall_clock.format(wall_clock.now()))
    return {
        "seat": data["seat"],
        "round": game.round,
        "deadline": deadline_timestamp(game),
        "clock_stopped_until": None if stop is None else stop.until,
        **({"begins": True} if "begins" in data else {}),
    }


def details_of_moved_seat(source: Source) -> JsonObject:
    """Return the seat; to the player who has lost it, no more than that."""
    details = details_of_event(source)
    is_former_player = source.delivery.player in source.game.excluded_players
    return {"seat": details["seat"]} if is_former_player else details


def details_of_scores(source: Source) -> JsonObject:
    """Return the standings at the end of a round. Raises Unreadable."""
    event = source.event
    if event["type"] != "RoundScored":
        raise not_in_log(source.delivery.seq)
    return {"round": event["data"]["round"], "standings": event["data"]["standings"]}


def not_in_log(seq: int) -> Unreadable:
    """Return the error for a notification about an event that is not as it was."""
    return Unreadable.with_message("event {seq} is not what the notification is about", seq=seq)


def _has_declined(game: Game, delivery: Delivery) -> bool:
    player = delivery.data["from"]
    return game.status == "open" and player in game.declined and not game.has_joined(player)


def _is_turn(game: Game, delivery: Delivery) -> bool:
    data = delivery.data
    is_same_turn = (game.to_act, game.turn) == (data["seat"], data["turn"])
    # The seat to act may have passed to another player.
    return is_same_turn and all(game.seat_of(player) == game.to_act for player in delivery.players)


def _is_turn_with_deadline(game: Game, delivery: Delivery) -> bool:
    return _is_turn(game, delivery) and deadline_timestamp(game) == delivery.data["deadline"]


def _tournament_over(it: Headline) -> Message:
    if it.details["status"] == "cancelled":
        return message("{tournament}: the tournament was cancelled", tournament=it.name)
    return message("{tournament}: the tournament is over", tournament=it.name)


def _seat_moved(it: Headline) -> Message:
    if "replaces" not in it.details:
        return message(
            "{game}: an administrator has moved your seat to another account", game=it.name
        )
    return message(
        "{game}: an administrator has moved the seat of {player} to another account",
        game=it.name,
        player=PlayerWithId(it.details["replaces"]),
    )


@dataclass(frozen=True, slots=True)
class SubjectDescription:
    """What a subject says, and to which kind it belongs."""

    kind: Kind
    title: Title
    details: Callable[[Source], JsonObject] = details_of_event
    """Returns the details, for programs. May raise Unreadable."""
    is_current: Callable[[Game, Delivery], bool] = lambda *_: True
    """Returns whether the notification still concerns its readers; otherwise it is not sent."""
    has_recap: bool = True
    """Whether the notification contains what has happened in the game since the reader's last turn."""


SUBJECTS: Final[Mapping[Subject, SubjectDescription]] = {
    "invited": SubjectDescription(
        "invited",
        lambda it: message("{game}: {player} invites you", game=it.name, player=it.sender),
        details=details_of_sender,
        is_current=lambda game, delivery: all(it in game.awaited for it in delivery.players),
        has_recap=False,
    ),
    "player_joined": SubjectDescription(
        "player_joined",
        lambda it: message("{game}: {player} has joined", game=it.name, player=it.sender),
        details=details_of_sender,
        is_current=lambda game, delivery: (
            game.status == "open" and game.has_joined(delivery.data["from"])
        ),
        has_recap=False,
    ),
    "invitation_declined": SubjectDescription(
        "invitation_declined",
        lambda it: message(
            "{game}: {player} has declined your invitation", game=it.name, player=it.sender
        ),
        details=details_of_sender,
        is_current=_has_declined,
        has_recap=False,
    ),
    "game_created": SubjectDescription(
        "game_started",
        lambda it: message(
            "{game}: {player} has created the game",
            game=it.name,
            player=PlayerWithId(it.details["creator"]),
        ),
        details=lambda it: {"creator": it.game.creator, "places": it.game.seats},
    ),
    "game_started": SubjectDescription(
        "game_started",
        lambda it: message("{game}: the game has begun", game=it.name),
        details=lambda it: {"seats": list(it.game.players)},
    ),
    "your_turn": SubjectDescription(
        "your_turn",
        own_or_other(
            lambda it: (
                message("{game}: the game has begun, and it is your turn", game=it.name)
                if it.details.get("begins")
                else message("{game}: it is your turn", game=it.name)
            ),
            lambda it: message(
                "{game}: it is the turn of {player}", game=it.name, player=it.player
            ),
        ),
        details=details_of_turn,
        is_current=_is_turn,
    ),
    "deadline_near": SubjectDescription(
        "deadline_near",
        own_or_other(
            lambda it: message("{game}: the time for your turn ends soon", game=it.name),
            lambda it: message(
                "{game}: the time for the turn of {player} ends soon",
                game=it.name,
                player=it.player,
            ),
        ),
        details=details_of_turn,
        is_current=_is_turn_with_deadline,
    ),
    "turn_forfeited": SubjectDescription(
        "turn_forfeited",
        own_or_other(
            lambda it: message("{game}: your turn was forfeited", game=it.name),
            lambda it: message(
                "{game}: the turn of {player} was forfeited", game=it.name, player=it.player
            ),
        ),
    ),
    "turn_excused": SubjectDescription(
        "turn_forfeited",
        own_or_other(
            lambda it: message(
                "{game}: you missed a deadline, and your time begins anew", game=it.name
            ),
            lambda it: message(
                "{game}: {player} missed a deadline, and has time again",
                game=it.name,
                player=it.player,
            ),
        ),
    ),
    "turn_played_by_bot": SubjectDescription(
        "turn_forfeited",
        own_or_other(
            lambda it: message(
                "{game}: you missed a deadline, and a bot played for you", game=it.name
            ),
            lambda it: message(
                "{game}: {player} missed a deadline, and a bot played instead",
                game=it.name,
                player=it.player,
            ),
        ),
        details=lambda it: {"seat": it.delivery.data["seat"], "action": it.event["action"]},
    ),
    "player_removed": SubjectDescription(
        "turn_forfeited",
        own_or_other(
            lambda it: message("{game}: you are no longer in the game", game=it.name),
            lambda it: message(
                "{game}: {player} is no longer in the game", game=it.name, player=it.player
            ),
        ),
    ),
    "seat_vacated": SubjectDescription(
        "turn_forfeited",
        own_or_other(
            lambda it: message("{game}: your seat is vacant now", game=it.name),
            lambda it: message(
                "{game}: the seat of {player} is vacant now", game=it.name, player=it.player
            ),
        ),
    ),
    "seat_moved": SubjectDescription(
        "turn_forfeited",
        own_or_other(
            lambda it: message("{game}: an administrator has given you a seat", game=it.name),
            _seat_moved,
        ),
        details=details_of_moved_seat,
    ),
    "round_scored": SubjectDescription(
        "round_scored",
        lambda it: message(
            "{game}: round {round} is scored", game=it.name, round=it.details["round"]
        ),
        details=details_of_scores,
    ),
    "game_over": SubjectDescription(
        "game_over",
        lambda it: (
            message("{game}: the game was abandoned", game=it.name)
            if it.details.get("status") == "abandoned"
            else message("{game}: the game is over", game=it.name)
        ),
        details=lambda it: {"status": it.game.status, "ranking": it.game.ranking},
    ),
    "message": SubjectDescription(
        "message",
        lambda it: message("{game}: a message from {player}", game=it.name, player=it.sender),
        details=details_of_sender,
        has_recap=False,
    ),
    "dispute_opened": SubjectDescription(
        "dispute",
        lambda it: message("{game}: {player} opens a dispute", game=it.name, player=it.player),
        # A dispute has the number of the event that opens it.
        details=lambda it: details_of_event(it) | {"dispute": it.delivery.seq},
    ),
    "dispute_answered": SubjectDescription(
        "dispute",
        lambda it: message(
            "{game}: {player} comments on dispute {number}",
            game=it.name,
            player=it.player,
            number=it.dispute,
        ),
    ),
    "ruling_proposed": SubjectDescription(
        "dispute",
        lambda it: message(
            "{game}: {player} proposes a ruling in dispute {number}",
            game=it.name,
            player=it.player,
            number=it.dispute,
        ),
    ),
    "dispute_withdrawn": SubjectDescription(
        "dispute",
        lambda it: message(
            "{game}: {player} withdraws dispute {number}",
            game=it.name,
            player=it.player,
            number=it.dispute,
        ),
    ),
    "dispute_ruled": SubjectDescription(
        "dispute",
        lambda it: message(
            "{game}: dispute {number} has a ruling", game=it.name, number=it.dispute
        ),
    ),
    "takeback_requested": SubjectDescription(
        "dispute",
        lambda it: message(
            "{game}: {player} asks to take back an action", game=it.name, player=it.player
        ),
    ),
    "takeback_answered": SubjectDescription(
        "dispute",
        lambda it: message(
            "{game}: {player} answers the request to take back an action",
            game=it.name,
            player=it.player,
        ),
    ),
    "play_resumed": SubjectDescription(
        "dispute",
        lambda it: message(
            "{game}: play continues from event {seq}", game=it.name, seq=it.details["from"]
        ),
    ),
    "pause_agreed": SubjectDescription(
        "dispute",
        lambda it: (
            message("{game}: {player} agrees to a pause", game=it.name, player=it.player)
            if it.details["agree"]
            else message("{game}: {player} wants to play on", game=it.name, player=it.player)
        ),
    ),
    "time_given": SubjectDescription(
        "dispute",
        lambda it: message("{game}: {player} gives you more time", game=it.name, player=it.player),
        is_current=lambda game, delivery: all(
            game.seat_of(player) == delivery.data["seat"] for player in delivery.players
        ),
    ),
    "events_lost": SubjectDescription(
        "dispute",
        lambda it: message("{game}: the server has lost events of this game", game=it.name),
    ),
    "tournament_round": SubjectDescription(
        "tournament",
        lambda it: message(
            "{tournament}: round {round} is drawn", tournament=it.name, round=it.details["round"]
        ),
    ),
    "tournament_last_date": SubjectDescription(
        "tournament",
        lambda it: message(
            "{tournament}: round {round} ends soon, and your game is not over",
            tournament=it.name,
            round=it.details["round"],
        ),
    ),
    "tournament_over": SubjectDescription("tournament", _tournament_over),
}

KIND_OF_SUBJECT: Final[Mapping[Subject, Kind]] = {
    subject: description.kind for subject, description in SUBJECTS.items()
}
