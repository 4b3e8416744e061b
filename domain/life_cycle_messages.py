"""The events of a game's life cycle as one line each, and what the messages of all games share."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias, assert_never

from domain.clock.events import DeadlineExcused, SeatVacated, SubstituteSeated
from domain.clock.messages import CLOCK_MESSAGES, clock_message, has_only_time_per_turn, time_amount
from domain.disputes.messages import DISPUTE_MESSAGES
from domain.event import (
    AdministratorDecided,
    EventsLost,
    GameCreated,
    InvitationRevoked,
    PlayerInvited,
    PlayerKeyAdded,
    PlayerKeyRevoked,
    PlayerRemoved,
    SeatTaken,
    TurnForfeited,
)
from domain.messages import (
    Message,
    PlayerAt,
    PlayerWithId,
    Value,
    counted,
    listing,
    message,
    message_in,
    plural_message,
    term,
)

EventMessage: TypeAlias = Callable[[Any], Message]
"""Returns the data of one event type as a message. A table by event type holds functions of different
TypedDicts, so their argument is Any there.
"""

PLAYER: Final = term("player; plural: players; a: a player; the: the player")
ENDED_PHASES: Final[Mapping[str, Message]] = {
    "scoring": message("the game is being scored"),
    "finished": message("the game is over"),
}
"""What a game is, as a clause, in the phases in which no seat is to act."""

BOT_TITLES: Final[Mapping[str, Message]] = {
    "sensible": message_in("bot", "sensible"),
    "random": message_in("bot", "random"),
}
"""What people call the bots, by name."""


def places_taken(count: int, seats: int) -> Message:
    """How many places of a game that has not started are taken."""
    return plural_message(
        "{count} of {seats} places is taken",
        "{count} of {seats} places are taken",
        count=count,
        seats=seats,
    )


def game_created(data: GameCreated, title: Value | None = None) -> Message:
    """`GameCreated`. `title` is what the game is called, if not by the name of its rules."""
    rules = data["rules"].capitalize() if title is None else title
    players = counted(data["seats"], PLAYER)
    clock = data["clock"]
    if clock is None:
        return message("creates a game of {rules} for {players}", rules=rules, players=players)
    if has_only_time_per_turn(clock):
        return message(
            "creates a game of {rules} for {players}, with {time} a turn",
            rules=rules,
            players=players,
            time=time_amount(clock["per_turn"]),
        )
    return message(
        "creates a game of {rules} for {players} with this clock: {clock}",
        rules=rules,
        players=players,
        clock=clock_message(clock),
    )


def with_seating(start: Message, players: Sequence[str]) -> Message:
    """The message for `GameStarted`, followed by the seats of the players: `…: ada is seat 0 and bert is
    seat 1`. `players` are the ids of the players by seat; the message is unchanged if there are none.
    """
    if not players:
        return start
    seats = [
        message("{player} is seat {number}", player=PlayerWithId(player), number=seat)
        for seat, player in enumerate(players)
    ]
    return message("{start}: {seats}", start=start, seats=listing(seats))


def with_end_of_play(event: Message, phase: str) -> Message:
    """The message for an event, followed by `; play is over` if the event leads to the end of play.

    `phase` is the one to which the event leads.
    """
    return message("{event}; play is over", event=event) if phase == "scoring" else event


def _seat_taken(data: SeatTaken) -> Message:
    if "bot" in data:
        return message(
            "adds {player}, the {bot} bot",
            player=PlayerWithId(data["player"]),
            bot=bot_title(data["bot"]),
        )
    if "invited_by" in data:
        inviter = PlayerWithId(data["invited_by"])
        return message("takes a place, invited by {player}", player=inviter)
    return message("takes a place")


def bot_title(name: str) -> Value:
    """What people call the bot with this name."""
    return next((title for bot, title in BOT_TITLES.items() if bot == name), name)


def _player_invited(data: PlayerInvited) -> Message:
    return message("invites {player}", player=PlayerWithId(data["player"]))


def _invitation_revoked(data: InvitationRevoked) -> Message:
    return message("revokes the invitation of {player}", player=PlayerWithId(data["player"]))


def _player_key_added(data: PlayerKeyAdded) -> Message:
    return message("registers the key {key} for signing actions", key=data["key"])


def _player_key_revoked(data: PlayerKeyRevoked) -> Message:
    return message("revokes the key {key}", key=data["key"])


def _turn_forfeited(data: TurnForfeited) -> Message:
    return message("{player}'s turn is forfeited", player=PlayerAt(data["seat"]))


def _player_removed(data: PlayerRemoved) -> Message:
    return message("{player} is removed from the game", player=PlayerAt(data["seat"]))


def _deadline_excused(data: DeadlineExcused) -> Message:
    return message("{player}'s missed deadline is excused", player=PlayerAt(data["seat"]))


def _seat_vacated(data: SeatVacated) -> Message:
    return message(
        "the seat of {player} is left to a substitute", player=PlayerWithId(data["player"])
    )


def _substitute_seated(data: SubstituteSeated) -> Message:
    return message(
        "the seat of {player} passes to {substitute}",
        player=PlayerWithId(data["replaces"]),
        substitute=PlayerWithId(data["player"]),
    )


def _administrator_decided(data: AdministratorDecided) -> Message:
    match data["decision"]:
        case "remove_seat":
            return message("decides to remove {player}", player=PlayerAt(data.get("seat", 0)))
        case "move_seat":
            return message(
                "decides to move seat {seat} to the account of {player}",
                seat=data.get("seat", 0),
                player=PlayerWithId(data.get("player", "")),
            )
        case "abandon":
            return message("decides to abandon the game")
        case "extend_deadline":
            return message(
                "adds {time} to the turn of {player}",
                player=PlayerAt(data.get("seat", 0)),
                time=time_amount(data.get("seconds", 0)),
            )
        case _:
            assert_never(data["decision"])


def _events_lost(data: EventsLost) -> Message:
    return message(
        "the server has lost events, up to event {last}; play goes on from what is left",
        last=data["last"],
    )


LIFE_CYCLE_MESSAGES: Final[Mapping[str, EventMessage]] = {
    "GameCreated": game_created,
    "SeatTaken": _seat_taken,
    "SeatLeft": lambda _: message("gives up the place"),
    "PlayerInvited": _player_invited,
    "InvitationDeclined": lambda _: message("declines the invitation"),
    "InvitationRevoked": _invitation_revoked,
    "PlayerKeyAdded": _player_key_added,
    "PlayerKeyRevoked": _player_key_revoked,
    "TurnForfeited": _turn_forfeited,
    "PlayerResigned": lambda _: message("resigns"),
    "PlayerRemoved": _player_removed,
    "DeadlineExcused": _deadline_excused,
    "SeatVacated": _seat_vacated,
    "SubstituteSeated": _substitute_seated,
    "AdministratorDecided": _administrator_decided,
    "EventsLost": _events_lost,
    "HintGiven": lambda _: message("gets a hint"),
    "GameAbandoned": lambda _: message("the game is abandoned"),
    **DISPUTE_MESSAGES,
    **CLOCK_MESSAGES,
}
"""By event type, the messages for the events that every game has."""
