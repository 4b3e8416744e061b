"""Creates the deliveries for outbox entries about notifications, and cancels those of reminders.

Everybody whom an event concerns is notified, except the player who caused it, and bots. The webhook of a club
is notified when a game of the club is created, starts or ends.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from domain.errors import Unreadable
from domain.event import Event, acting_seat
from domain.game import Game
from ledger.clock.turn_clock import deadline_timestamp
from service import wall_clock
from service.bootstrap import Service
from service.notification_subjects.table import KIND_DESCRIPTIONS, SUBJECTS, Subject, subject_of
from service.notifications.delivery import Delivery
from service.notifications.notifier import ANY_TIME, Times
from workers.tasks import Task


class OutboxNotifications:
    """Creates deliveries for `notify` tasks, including deliveries through the channels of the operator."""

    def __init__(self, service: Service, operator_channels: Sequence[str]) -> None:
        self._mutes = service.accounts.mutes
        self._queries = service.games.queries
        self._notifier = service.notifications.notifier
        self._operator_channels = operator_channels

    def create(self, task: Task) -> list[Delivery]:
        """Create the deliveries for a task, and return them; cancel those of a reminder.

        The method is idempotent. Raises NotFound, Unavailable, and Unreadable if the entry does not match the
        game.
        """
        game = self._queries.game(task.game_id)
        data = task.data
        seq: int = data.get("seq", 0)
        match task.entry.split("/"):
            case ["notify", "turn"]:
                seat = _checked_seat(game, data.get("seat"))
                if (game.to_act, data.get("turn", game.turn)) != (seat, game.turn):
                    return []
                is_first = self._event(game, seq)["type"] == "GameStarted"
                details = {
                    "seat": seat,
                    "turn": game.turn,
                    **({"begins": True} if is_first else {}),
                }
                deadline = deadline_timestamp(game)
                times = Times(deadline=None if deadline is None else wall_clock.parse(deadline))
                players = [game.players[seat]]
                return self._notify(game, "your_turn", seq, players, data=details, times=times)
            case ["remind"]:
                return self._remind(game, data)
            case ["cancel", "reminder", _]:
                self._notifier.cancel(
                    "deadline_near",
                    game.id,
                    data["player"],
                    reference=data["deadline"],
                    operator_channels=self._operator_channels,
                )
                return []
            case ["notify", "invited", player] if self._mutes.has_muted(player, [game.creator]):
                return []
            case ["notify", "invited", player]:
                return self._notify(game, "invited", seq, [player], data={"from": game.creator})
            case ["notify", "joined", player]:
                # If a player joins again after leaving, that event is the one to announce.
                creator = [game.creator]
                return self._notify(game, "player_joined", seq, creator, data={"from": player})
            case ["notify", "declined", player]:
                creator = [game.creator]
                data = {"from": player}
                return self._notify(game, "invitation_declined", seq, creator, data=data)
            case ["notify", "created"]:
                return self._notify_club(game, "game_created", seq)
            case ["notify", "started"]:
                to_act = None if game.to_act is None else game.players[game.to_act]
                people = game.participants
                deliveries = self._notify(game, "game_started", seq, people, to_act=to_act)
                return deliveries + self._notify_club(game, "game_started", seq)
            case ["notify", "round", _]:
                if self._event(game, seq)["type"] != "RoundScored":
                    raise Unreadable.with_message(
                        "the entry names event {seq}, which is not {type}",
                        seq=seq,
                        type="RoundScored",
                    )
                return self._notify(game, "round_scored", seq, game.participants)
            case ["notify", "over"]:
                deliveries = self._notify(game, "game_over", seq, game.participants)
                return deliveries + self._notify_club(game, "game_over", seq)
            case ["notify", "event", _]:
                return self._notify_of_event(game, data)
            case _:
                raise ValueError(f"{task.entry} calls for no notification")

    def _remind(self, game: Game, data: dict[str, Any]) -> list[Delivery]:
        """Create the reminders of a deadline, unless it has changed or its turn is over."""
        seat = _checked_seat(game, data.get("seat"))
        deadline = data["deadline"]
        if (game.to_act, game.turn, deadline_timestamp(game)) != (seat, data["turn"], deadline):
            return []
        return self._notify(
            game,
            "deadline_near",
            data["seq"],
            [game.players[seat]],
            # A deadline that is moved has its own reminder.
            reference=deadline,
            data={"seat": seat, "turn": data["turn"], "deadline": deadline},
            times=Times(wall_clock.parse(data["remind_at"]), wall_clock.parse(deadline)),
        )

    def _notify_of_event(self, game: Game, data: dict[str, Any]) -> list[Delivery]:
        seq = data["seq"]
        event = self._event(game, seq)
        subject = subject_of(event)
        if subject is None:
            raise Unreadable.with_message(
                "the entry names event {seq}, about which nobody is notified", seq=seq
            )
        description = SUBJECTS[subject]
        if description.seat is not None:
            seat = _checked_seat(game, description.seat({**event["data"], **data}))
            return self._notify(
                game,
                subject,
                seq,
                [game.players[seat]],
                # A bot may take several actions in one turn.
                reference=f"{subject}/{data['turn']}" if "turn" in data else None,
                data={"seat": seat},
            )
        recipients = [*game.participants, *description.other_readers(event["data"])]
        if KIND_DESCRIPTIONS[description.kind].is_for_arbiter and game.arbiter is not None:
            recipients.append(game.arbiter)
        cause = _cause(game, event)
        return self._notify(
            game, subject, seq, (player for player in recipients if player != cause)
        )

    def _notify(
        self,
        game: Game,
        subject: Subject,
        seq: int,
        players: Iterable[str],
        *,
        reference: str | None = None,
        data: dict[str, Any] | None = None,
        times: Times = ANY_TIME,
        to_act: str | None = None,
    ) -> list[Delivery]:
        return self._notifier.notify(
            subject,
            game.id,
            seq,
            [player for player in players if game.bot_of(player) is None],
            reference=reference,
            data=data,
            times=times,
            to_act=to_act,
            operator_channels=self._operator_channels,
        )

    def _notify_club(self, game: Game, subject: Subject, seq: int) -> list[Delivery]:
        club = game.options.get("club")
        return [] if club is None else self._notifier.notify_club(subject, club, game.id, seq)

    def _event(self, game: Game, seq: int) -> Event:
        """Return the event of a game with a seq. Raises Unreadable if there is none."""
        events = self._queries.event_page(game.id, seq - 1, 1)
        if not events:
            raise Unreadable.with_message(
                "the entry names event {seq}, which does not exist", seq=seq
            )
        return events[0]


def _cause(game: Game, event: Event) -> str | None:
    """Return the id of the player who caused an event; None if a part of the server caused it."""
    by = event["by"]
    seat = acting_seat(by)
    if seat is not None:
        return game.players[seat]
    if "player" in by:
        return by["player"]
    arbiter = event["data"].get("arbiter")
    return arbiter if isinstance(arbiter, str) else None


def _checked_seat(game: Game, seat: object) -> int:
    """Return the seat that an entry names. Raises Unreadable if the game has no such seat."""
    if type(seat) is not int or not 0 <= seat < len(game.players):
        raise Unreadable.with_message(
            "the entry names seat {seat} of {seats}", seat=str(seat), seats=len(game.players)
        )
    return seat
