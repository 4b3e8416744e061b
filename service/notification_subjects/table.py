"""The tables of the kinds and of the subjects of notifications.

Players choose which kinds they receive. Subjects are more precise, and are read by programs. A new kind or
subject needs an entry here, and nothing else if it names a type of events.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from domain.administration import ADMINISTRATOR
from domain.event import Event
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import Message, PlayerWithId, message, message_in
from ledger.clock.turn_clock import deadline_timestamp
from service.notification_subjects.sources import (
    Delivered,
    Headline,
    Source,
    Title,
    details_of_event,
    details_of_moved_seat,
    details_of_scores,
    details_of_sender,
    details_of_turn,
    own_or_other,
)

Kind: TypeAlias = Literal[
    "invited",
    "player_joined",
    "invitation_declined",
    "game_started",
    "your_turn",
    "deadline_near",
    "turn_forfeited",
    "round_scored",
    "game_over",
    "message",
    "dispute",
    "tournament",
]
_HEADLINE: Final = 120
"""The most characters of an announcement in the title of its notification."""
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class KindDescription:
    """The description of a kind, by which players choose notifications."""

    label: Message
    is_sent_by_default: bool = True
    """Whether players receive it by e-mail and push by default."""
    is_later: bool = False
    """Whether some versions cannot read preferences with this kind among the others, as is the case for all
    new kinds (`preferences.py`)."""
    is_about_turns: bool = False
    """Whether players receive it who want only notifications about their turn."""
    waits_for_digest: bool = True
    """Whether it can be a part of a daily mail."""
    is_for_arbiter: bool = False
    """Whether the arbiter of a game receives it like its players."""


KIND_DESCRIPTIONS: Final[Mapping[Kind, KindDescription]] = {
    "invited": KindDescription(message("You are invited to a game")),
    "player_joined": KindDescription(message("Somebody has joined your open game")),
    "invitation_declined": KindDescription(
        message("Somebody has declined your invitation"), is_later=True
    ),
    "game_started": KindDescription(message("A game of yours has begun")),
    "your_turn": KindDescription(message("It is your turn"), is_about_turns=True),
    "deadline_near": KindDescription(
        message("The time for your turn ends soon"), is_about_turns=True, waits_for_digest=False
    ),
    "turn_forfeited": KindDescription(message("A deadline was missed")),
    "round_scored": KindDescription(message("A round is scored"), is_sent_by_default=False),
    "game_over": KindDescription(message("A game is over")),
    "message": KindDescription(message("Somebody has written a message")),
    "dispute": KindDescription(
        message("A dispute, a takeback, a pause or more time"), is_for_arbiter=True
    ),
    "tournament": KindDescription(message("Rounds, announcements and the end of a tournament")),
}

Subject: TypeAlias = Literal[
    "invited",
    "player_joined",
    "invitation_declined",
    "game_created",
    "game_started",
    "your_turn",
    "deadline_near",
    "turn_forfeited",
    "turn_excused",
    "turn_played_by_bot",
    "player_removed",
    "seat_vacated",
    "seat_moved",
    "round_scored",
    "game_over",
    "message",
    "dispute_opened",
    "dispute_answered",
    "ruling_proposed",
    "dispute_withdrawn",
    "dispute_ruled",
    "takeback_requested",
    "takeback_answered",
    "play_resumed",
    "pause_agreed",
    "time_given",
    "events_lost",
    "tournament_round",
    "tournament_last_date",
    "tournament_over",
    "tournament_announcement",
    "tournament_team",
]


def _seat(data: JsonObject) -> object:
    return data.get("seat")


def _has_declined(game: Game, delivery: Delivered) -> bool:
    player = delivery.data["from"]
    return game.status == "open" and player in game.declined and not game.has_joined(player)


def _is_turn(game: Game, delivery: Delivered) -> bool:
    data = delivery.data
    is_same_turn = (game.to_act, game.turn) == (data["seat"], data["turn"])
    # The seat to act may have passed to another player.
    return is_same_turn and all(game.seat_of(player) == game.to_act for player in delivery.players)


def _is_turn_with_deadline(game: Game, delivery: Delivered) -> bool:
    return _is_turn(game, delivery) and deadline_timestamp(game) == delivery.data["deadline"]


def _tournament_over(it: Headline) -> Message:
    if it.details["status"] == "cancelled":
        return message("{tournament}: the tournament was cancelled", tournament=it.name)
    return message("{tournament}: the tournament is over", tournament=it.name)


def _first_words(it: Headline) -> str:
    text = " ".join(it.details["text"].split())
    return text if len(text) <= _HEADLINE else f"{text[: _HEADLINE - 1]}…"


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
    """The description of a subject: its texts, its kind, and the people whom it concerns."""

    kind: Kind
    about: Message
    """Its label, a word or two."""
    title: Title
    details: Callable[[Source], JsonObject] = details_of_event
    """Returns the details for programs. May raise Unreadable."""
    is_current: Callable[[Game, Delivered], bool] = lambda *_: True
    """Returns whether the notification still concerns its readers; otherwise it is not sent."""
    has_recap: bool = True
    """Whether the notification contains a recap of the game since the reader's last turn."""
    event: str | None = None
    """The type of the events that cause the notification, if any."""
    seat: Callable[[JsonObject], object] | None = None
    """Returns the only seat that it concerns, from the data of the event or the entry. None if it concerns
    all players."""
    other_readers: Callable[[JsonObject], Sequence[str]] = lambda _: ()
    """Returns the players whom it concerns besides those of the game, from the data of the event."""


SUBJECTS: Final[Mapping[Subject, SubjectDescription]] = {
    "invited": SubjectDescription(
        "invited",
        message_in("notification", "invitation"),
        lambda it: message("{game}: {player} invites you", game=it.name, player=it.sender),
        details=details_of_sender,
        is_current=lambda game, delivery: all(it in game.awaited for it in delivery.players),
        has_recap=False,
    ),
    "player_joined": SubjectDescription(
        "player_joined",
        message_in("notification", "player joined"),
        lambda it: message("{game}: {player} has joined", game=it.name, player=it.sender),
        details=details_of_sender,
        is_current=lambda game, delivery: (
            game.status == "open" and game.has_joined(delivery.data["from"])
        ),
        has_recap=False,
    ),
    "invitation_declined": SubjectDescription(
        "invitation_declined",
        message_in("notification", "invitation declined"),
        lambda it: message(
            "{game}: {player} has declined your invitation", game=it.name, player=it.sender
        ),
        details=details_of_sender,
        is_current=_has_declined,
        has_recap=False,
    ),
    "game_created": SubjectDescription(
        "game_started",
        message_in("notification", "game created"),
        lambda it: message(
            "{game}: {player} has created the game",
            game=it.name,
            player=PlayerWithId(it.details["creator"]),
        ),
        details=lambda it: {"creator": it.game.creator, "places": it.game.seats},
    ),
    "game_started": SubjectDescription(
        "game_started",
        message_in("notification", "game started"),
        lambda it: message("{game}: the game has begun", game=it.name),
        details=lambda it: {"seats": list(it.game.players)},
    ),
    "your_turn": SubjectDescription(
        "your_turn",
        message_in("notification", "your turn"),
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
        message_in("notification", "deadline near"),
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
        message_in("notification", "turn forfeited"),
        own_or_other(
            lambda it: message("{game}: your turn was forfeited", game=it.name),
            lambda it: message(
                "{game}: the turn of {player} was forfeited", game=it.name, player=it.player
            ),
        ),
        event="TurnForfeited",
        seat=_seat,
    ),
    "turn_excused": SubjectDescription(
        "turn_forfeited",
        message_in("notification", "deadline excused"),
        own_or_other(
            lambda it: message(
                "{game}: you missed a deadline, and your time starts again", game=it.name
            ),
            lambda it: message(
                "{game}: {player} missed a deadline, and has time again",
                game=it.name,
                player=it.player,
            ),
        ),
        event="DeadlineExcused",
        seat=_seat,
    ),
    "turn_played_by_bot": SubjectDescription(
        "turn_forfeited",
        message_in("notification", "turn played by a bot"),
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
        seat=_seat,
    ),
    "player_removed": SubjectDescription(
        "turn_forfeited",
        message_in("notification", "player removed"),
        own_or_other(
            lambda it: message("{game}: you are no longer in the game", game=it.name),
            lambda it: message(
                "{game}: {player} is no longer in the game", game=it.name, player=it.player
            ),
        ),
        event="PlayerRemoved",
    ),
    "seat_vacated": SubjectDescription(
        "turn_forfeited",
        message_in("notification", "seat vacant"),
        own_or_other(
            lambda it: message("{game}: your seat is vacant now", game=it.name),
            lambda it: message(
                "{game}: the seat of {player} is vacant now", game=it.name, player=it.player
            ),
        ),
        event="SeatVacated",
    ),
    "seat_moved": SubjectDescription(
        "turn_forfeited",
        message_in("notification", "seat moved to another account"),
        own_or_other(
            lambda it: message("{game}: an administrator has given you a seat", game=it.name),
            _seat_moved,
        ),
        details=details_of_moved_seat,
        other_readers=lambda data: [data["replaces"]],
    ),
    "round_scored": SubjectDescription(
        "round_scored",
        message_in("notification", "round scored"),
        lambda it: message(
            "{game}: round {round} is scored", game=it.name, round=it.details["round"]
        ),
        details=details_of_scores,
    ),
    "game_over": SubjectDescription(
        "game_over",
        message_in("notification", "game over"),
        lambda it: (
            message("{game}: the game was abandoned", game=it.name)
            if it.details.get("status") == "abandoned"
            else message("{game}: the game is over", game=it.name)
        ),
        details=lambda it: {"status": it.game.status, "ranking": it.game.ranking},
    ),
    "message": SubjectDescription(
        "message",
        message_in("notification", "message"),
        lambda it: message("{game}: a message from {player}", game=it.name, player=it.sender),
        details=details_of_sender,
        has_recap=False,
    ),
    "dispute_opened": SubjectDescription(
        "dispute",
        message_in("notification", "dispute opened"),
        lambda it: message("{game}: {player} opens a dispute", game=it.name, player=it.player),
        # A dispute has the number of the event that opens it.
        details=lambda it: details_of_event(it) | {"dispute": it.delivery.seq},
        event="DisputeOpened",
    ),
    "dispute_answered": SubjectDescription(
        "dispute",
        message_in("notification", "dispute answered"),
        lambda it: message(
            "{game}: {player} comments on dispute {number}",
            game=it.name,
            player=it.player,
            number=it.dispute,
        ),
        event="DisputeAnswered",
    ),
    "ruling_proposed": SubjectDescription(
        "dispute",
        message_in("notification", "ruling proposed"),
        lambda it: message(
            "{game}: {player} proposes a ruling in dispute {number}",
            game=it.name,
            player=it.player,
            number=it.dispute,
        ),
        event="RulingProposed",
    ),
    "dispute_withdrawn": SubjectDescription(
        "dispute",
        message_in("notification", "dispute withdrawn"),
        lambda it: message(
            "{game}: {player} withdraws dispute {number}",
            game=it.name,
            player=it.player,
            number=it.dispute,
        ),
        event="DisputeWithdrawn",
    ),
    "dispute_ruled": SubjectDescription(
        "dispute",
        message_in("notification", "dispute ruled"),
        lambda it: message(
            "{game}: dispute {number} has a ruling", game=it.name, number=it.dispute
        ),
        event="DisputeRuled",
    ),
    "takeback_requested": SubjectDescription(
        "dispute",
        message_in("notification", "takeback requested"),
        lambda it: message(
            "{game}: {player} asks to take back an action", game=it.name, player=it.player
        ),
        event="TakebackRequested",
    ),
    "takeback_answered": SubjectDescription(
        "dispute",
        message_in("notification", "takeback answered"),
        lambda it: message(
            "{game}: {player} answers the request to take back an action",
            game=it.name,
            player=it.player,
        ),
        event="TakebackAnswered",
    ),
    "play_resumed": SubjectDescription(
        "dispute",
        message_in("notification", "play resumed"),
        lambda it: message(
            "{game}: play continues from event {seq}", game=it.name, seq=it.details["from"]
        ),
        event="PlayResumed",
    ),
    "pause_agreed": SubjectDescription(
        "dispute",
        message_in("notification", "pause"),
        lambda it: (
            message("{game}: {player} agrees to a pause", game=it.name, player=it.player)
            if it.details["agree"]
            else message("{game}: {player} wants to play on", game=it.name, player=it.player)
        ),
        event="PauseAgreed",
    ),
    "time_given": SubjectDescription(
        "dispute",
        message_in("notification", "more time"),
        lambda it: message("{game}: {player} gives you more time", game=it.name, player=it.player),
        is_current=lambda game, delivery: all(
            game.seat_of(player) == delivery.data["seat"] for player in delivery.players
        ),
        event="TimeGiven",
        seat=lambda data: data["to"],
    ),
    "events_lost": SubjectDescription(
        "dispute",
        message_in("notification", "events lost"),
        lambda it: message("{game}: the server has lost events of this game", game=it.name),
        event="EventsLost",
    ),
    "tournament_round": SubjectDescription(
        "tournament",
        message_in("notification", "round of a tournament"),
        lambda it: message(
            "{tournament}: round {round} is drawn", tournament=it.name, round=it.details["round"]
        ),
    ),
    "tournament_last_date": SubjectDescription(
        "tournament",
        message_in("notification", "last date of a round"),
        lambda it: message(
            "{tournament}: round {round} ends soon, and your game is not over",
            tournament=it.name,
            round=it.details["round"],
        ),
    ),
    "tournament_over": SubjectDescription(
        "tournament", message_in("notification", "end of a tournament"), _tournament_over
    ),
    "tournament_announcement": SubjectDescription(
        "tournament",
        message_in("notification", "announcement in a tournament"),
        lambda it: message("{tournament}: {text}", tournament=it.name, text=_first_words(it)),
    ),
    "tournament_team": SubjectDescription(
        "tournament",
        message_in("notification", "team of a tournament"),
        lambda it: message(
            "{tournament}: you are named for the team {team}, and can join it",
            tournament=it.name,
            team=it.details["team"],
        ),
    ),
}

KIND_OF_SUBJECT: Final[Mapping[Subject, Kind]] = {
    subject: description.kind for subject, description in SUBJECTS.items()
}
SUBJECT_OF_EVENT: Final[Mapping[str, Subject]] = {
    description.event: subject
    for subject, description in SUBJECTS.items()
    if description.event is not None
}
"""The subjects of notifications, by the type of their events."""
TYPES_WITH_SUBJECT: Final = frozenset({*SUBJECT_OF_EVENT, "SubstituteSeated"})
"""The types of events that can have a subject. A turn that a bot plays for a player can have any type."""
NOT_NOTIFIED: Final[Mapping[str, str]] = {
    "SeatLeft": "the list of games shows the free place, and the game waits for nobody",
    "InvitationRevoked": "the invitation just disappears for the player",
    "HolidayAnnounced": "moves deadlines, whose reminders move with them",
    "HolidayCancelled": "moves deadlines, whose reminders move with them",
    "HintGiven": "bots are not notified, and nobody else plays",
    "PlayerKeyAdded": "concerns the player alone",
    "PlayerKeyRevoked": "concerns the player alone",
    "AdministratorDecided": "the events that follow from a decision notify",
    "SubstituteSeated": "the next turn notifies; a seat that an administrator moves does, too",
}
"""The reasons why nobody is notified of some actions of people, by event type."""


def subject_of(event: Event) -> Subject | None:
    """Return the subject of the notification about an event; None if nobody is notified of it."""
    if event["action"] is not None and event["by"] == {"system": "clock"}:
        return "turn_played_by_bot"
    if event["type"] == "SubstituteSeated" and event["by"] == ADMINISTRATOR:
        return "seat_moved"
    return SUBJECT_OF_EVENT.get(event["type"])
