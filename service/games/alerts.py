"""Alerts: things that a person should answer or know in a game, besides taking their turn.

They are computed from the folded game alone. Chat messages are not part of the game: pages add the unread
ones (service/chat/read_marks.py).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from domain.disputes.disputes import seats_that_agree
from domain.disputes.history import Dispute
from domain.disputes.messages import ruling_message
from domain.disputes.takebacks import seats_to_answer
from domain.game import Game
from domain.messages import PlayerAt, PlayerWithId, Text, listing, message, plural_message
from service.games.dispute_view import pending_takeback

AlertKind: TypeAlias = Literal[
    "takeback",
    "refusal",
    "resumption",
    "dispute",
    "proposal",
    "ruling",
    "end",
    "pause",
    "vacancy",
    "rematch",
    "messages",
]
Urgency: TypeAlias = Literal["answer", "news", "status"]
"""`answer`: the alert waits for this person. `news`: it is shown until they dismiss it. `status`: it waits
for others, or needs no attention; it is shown as long as it lasts, and not counted. Alerts are in this
order."""


@dataclass(frozen=True, slots=True)
class Alert:
    """Something in a game that a person should answer or know.

    `number` distinguishes it from other alerts of its kind; for a takeback or a dispute it is the seq. `seat`
    is the vacant seat, and `action` the short form of the action that agrees to the end; each is None for
    others.
    """

    kind: AlertKind
    number: int
    text: Text
    urgency: Urgency
    seat: int | None = None
    action: str | None = None

    @property
    def key(self) -> str:
        """The key with which it is dismissed, such as `ruling-45`."""
        return f"{self.kind}-{self.number}"

    @property
    def can_be_dismissed(self) -> bool:
        """Whether the person can dismiss it: news, and questions that can only be answered by agreeing."""
        asks_for_agreement = self.kind in ("end", "pause", "vacancy")
        return self.urgency == "news" or (self.urgency == "answer" and asks_for_agreement)

    @property
    def is_counted(self) -> bool:
        """Whether badges and titles count it."""
        return self.urgency != "status"


def alerts_of(game: Game, player: str | None, rematch: Game | None = None) -> list[Alert]:
    """Return the alerts of a person in a game, beginning with those that wait for an answer.

    `player` is None for a visitor without an account. `rematch` is the rematch of the game, if there is one
    that this person may see. Dismissed alerts are included.
    """
    if player is None:
        return []
    alerts = [
        *_takeback(game, player),
        *_dispute(game, player),
        *_end(game, player),
        *_pause(game, player),
        *_vacancies(game, player),
        *_rematch(rematch, player),
    ]
    return sorted(alerts, key=lambda alert: alert.urgency)


def counted_alerts(game: Game) -> Mapping[str, tuple[str, ...]]:
    """Return the keys of the alerts that badges count, by the id of the player or arbiter whom they alert."""
    people = {*game.participants, *([] if game.arbiter is None else [game.arbiter])}
    keys = {
        person: tuple(alert.key for alert in alerts_of(game, person) if alert.is_counted)
        for person in sorted(people)
        if game.bot_of(person) is None
    }
    return {person: of_person for person, of_person in keys.items() if of_person}


def _takeback(game: Game, player: str) -> Iterator[Alert]:
    seat, last = game.seat_of(player), game.last_play
    if seat is None or game.status != "playing":
        return
    pending = pending_takeback(game)
    if pending is not None:
        asker, number = pending["seat"], pending["takeback"]
        waiting_for = seats_to_answer(game)
        players = listing(PlayerAt(other) for other in waiting_for)
        if seat in waiting_for:
            text = message("{player} asks to take back their last action", player=PlayerAt(asker))
            yield Alert("takeback", number, text, "answer")
        elif waiting_for and seat == asker:
            text = message("your takeback waits for {players}", players=players)
            yield Alert("takeback", number, text, "status")
        elif waiting_for:
            text = message(
                "the takeback of {player} waits for {players}",
                player=PlayerAt(asker),
                players=players,
            )
            yield Alert("takeback", number, text, "status")
    takeback = None if last is None else last.takeback
    if takeback is not None and takeback.declined_by is not None and takeback.seat == seat:
        text = message(
            "{player} does not agree to take back your last action",
            player=PlayerAt(takeback.declined_by),
        )
        yield Alert("refusal", takeback.seq, text, "news")
    yield from _resumption(game, seat)


def _resumption(game: Game, seat: int) -> Iterator[Alert]:
    """Yield that an action was taken back, until somebody acts. A ruling has its own alert."""
    resumption = game.resumptions[-1] if game.resumptions else None
    if resumption is None or resumption.seq != game.position_seq:
        return
    if any(
        dispute.ending is not None and dispute.ending.seq == resumption.seq - 1
        for dispute in game.disputes
    ):
        return
    text = message(
        "the last action was taken back: play continues after event {event}",
        event=resumption.origin,
    )
    # The player who asked for it acts again; the others have agreed.
    yield Alert("resumption", resumption.seq, text, "news" if seat == game.to_act else "status")


def _dispute(game: Game, player: str) -> Iterator[Alert]:
    seat = game.seat_of(player)
    if (seat is None and player != game.arbiter) or not game.disputes or game.status != "playing":
        return
    dispute = game.disputes[-1]
    if dispute.ending is not None:
        yield from _ended_dispute(dispute, seat)
        return
    proposals = [] if seat is None else list(_proposals(game, dispute, seat))
    yield from proposals
    if seat is not None and seat == dispute.seat:
        if not proposals:
            text = message("your dispute of event {event} waits for a ruling", event=dispute.about)
            yield Alert("dispute", dispute.seq, text, "status")
        return
    seats_heard = {entry.seat for entry in dispute.answers}
    has_spoken = seat in seats_heard | {entry.seat for entry in dispute.proposals}
    text = message(
        "{player} disputes event {event}", player=PlayerAt(dispute.seat), event=dispute.about
    )
    if not proposals:
        yield Alert("dispute", dispute.seq, text, "status" if has_spoken else "answer")


def _proposals(game: Game, dispute: Dispute, seat: int) -> Iterator[Alert]:
    """Yield the rulings that others currently propose and that the seat can agree to, without repetitions."""
    seats = () if game.arbiter is not None else seats_that_agree(game)
    if seat not in seats:
        return
    shown = [dispute.proposed_by(seat)]
    for proposal in reversed(dispute.proposals):
        is_current = proposal.seat in seats and proposal.ruling == dispute.proposed_by(
            proposal.seat
        )
        if is_current and proposal.ruling not in shown:
            shown.append(proposal.ruling)
            text = message(
                "{player} proposes to end the dispute: {ruling}",
                player=PlayerAt(proposal.seat),
                ruling=ruling_message(proposal.ruling),
            )
            yield Alert("proposal", proposal.seq, text, "answer")


def _ended_dispute(dispute: Dispute, seat: int | None) -> Iterator[Alert]:
    ending = dispute.ending
    if ending is None:
        return
    if ending.ruling is None:
        if seat != dispute.seat:
            text = message(
                "{player} has withdrawn the dispute of event {event}",
                player=PlayerAt(dispute.seat),
                event=dispute.about,
            )
            yield Alert("ruling", dispute.seq, text, "news")
    elif seat is not None:
        text = message(
            "the dispute of event {event} has ended: {ruling}",
            event=dispute.about,
            ruling=ruling_message(ending.ruling),
        )
        yield Alert("ruling", dispute.seq, text, "news")


def _end(game: Game, player: str) -> Iterator[Alert]:
    """Yield the request of others to end the game by agreement, which this player can join."""
    seat, rules = game.seat_of(player), game.rules
    people = game.seats_of_people() if game.status == "playing" else ()
    if seat not in people:
        return
    for action in rules.actions_at_any_time(game.state, seat):
        if rules.action_to_json(action).get("agree") is not True:
            continue
        # A player who has asked already can only withdraw the request.
        asking = [
            other for other in people if action not in rules.actions_at_any_time(game.state, other)
        ]
        if asking:
            text = plural_message(
                "{players} asks for the end of the game",
                "{players} ask for the end of the game",
                count=len(asking),
                players=listing(map(PlayerAt, asking)),
            )
            number = sum(1 << other for other in asking)
            yield Alert("end", number, text, "answer", action=rules.action_text(action))


def _pause(game: Game, player: str) -> Iterator[Alert]:
    seat, record = game.seat_of(player), game.pauses
    people = game.seats_of_people() if game.status == "playing" and game.clock is not None else ()
    if seat not in people or not record.agreed_by:
        return
    number = sum(record.changes.values())
    agreed = [other for other in people if game.players[other] in record.agreed_by]
    if record.current is not None:
        text: Text = message("the game is paused: all players have agreed to it")
        yield Alert("pause", number, text, "status")
    elif seat in agreed:
        others = listing(PlayerAt(other) for other in people if other not in agreed)
        text = message("the pause that you agree to waits for {players}", players=others)
        yield Alert("pause", number, text, "status")
    elif agreed:
        text = plural_message(
            "{players} asks for a pause",
            "{players} ask for a pause",
            count=len(agreed),
            players=listing(PlayerAt(other) for other in agreed),
        )
        yield Alert("pause", number, text, "answer")


def _vacancies(game: Game, player: str) -> Iterator[Alert]:
    """Yield the seats that a person can take; players of the game are told of vacant seats."""
    is_player = game.seat_of(player) is not None
    if not is_player and (game.has_joined(player) or player == game.arbiter):
        return
    for seat in game.open_seats():
        text = message("the seat of {player} is vacant", player=PlayerAt(seat))
        # A seat may become vacant again, after a substitute has taken it.
        number = len(game.former_players) * game.seats + seat
        yield Alert("vacancy", number, text, "news" if is_player else "answer", seat)


def _rematch(rematch: Game | None, player: str) -> Iterator[Alert]:
    if rematch is None:
        return
    if player in rematch.awaited:
        text = message("{player} asks for a rematch", player=PlayerWithId(rematch.creator))
        yield Alert("rematch", 0, text, "answer")
    elif rematch.status == "open" and rematch.awaited and rematch.has_joined(player):
        players = listing(map(PlayerWithId, rematch.awaited))
        text = message("the rematch waits for {players}", players=players)
        yield Alert("rematch", 0, text, "status")
    elif rematch.status == "playing" and rematch.is_participant(player):
        yield Alert("rematch", 1, message("the rematch has begun"), "news")
