"""The statements that people make in a game. Each kind is described once, here.

A statement is a request of a person that becomes an event other than an action, such as an answer to a
takeback. Its class has the fields of the request and decides the event. From the class follow the method of
the clients, the operation of the HTTP interface with its path and its body, the command of the service, and
the payload that is signed. The docstring of the class is the description of the operation.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, ClassVar, Final

from typing_extensions import override

from domain.clock import decisions
from domain.contract import DomainEvent
from domain.disputes import disputes, takebacks
from domain.game import Game
from domain.json_types import JsonObject, PositiveCount, Seat
from ledger.clock.turn_clock import clock_stopped_until, is_pause_over
from ledger.commands import ARBITER, TAKEBACK, SecretSource, abandon, remove, resume
from ledger.pending import PendingEvents

_BODY_NAMES: Final = {"about": "seq", "text": "statement"}
"""The names of fields in the body of a request, where they differ."""
_DATA_NAMES: Final = {"takeback": "request"}
"""The names of fields in the data of the event, where they differ."""
_OPTIONS: Final = ("idempotency_key", "nonce")
_TEXT: Final = "A text for everybody who may see the game; the server bounds its length."


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A statement of a person in a game. With an `idempotency_key`, it has effect once even if sent twice."""

    EVENT: ClassVar[str]
    """The type of the event that the statement becomes."""
    REQUEST: ClassVar[str]
    """The name of the request in idempotency records, which outlive releases."""
    PATH: ClassVar[str]
    """The path of the request below that of the game, with the names of fields in braces."""
    METHOD: ClassVar[str] = "POST"

    idempotency_key: str | None = None

    def decide(self, game: Game, seat: int, at: str) -> DomainEvent:
        """Return the event that the statement of a seat becomes at a timestamp. Raises NotNow, Malformed."""
        raise NotImplementedError

    def add(self, pending: PendingEvents, seat: int, secret: SecretSource) -> None:
        """Add the event of a seat's statement, and the events that follow from it.

        Raises NotNow, Malformed, Refused.
        """
        pending.add(self.decide(pending.game, seat, pending.next_at), {"seat": seat})
        self.follow(pending, secret)

    def follow(self, pending: PendingEvents, secret: SecretSource) -> None:
        """Add the events that follow from that of the statement: by default none."""

    @property
    def takes_nonce(self) -> bool:
        """Whether clients send a nonce with the statement."""
        return False

    def as_request(self) -> list[object]:
        """Return the values that are compared if an idempotency key is used again."""
        return [self.REQUEST, *(getattr(self, name) for name in self.names())]

    def path(self) -> str:
        """Return the path of the request below that of the game."""
        values = {name: getattr(self, name) for name in self.names()}
        return self.PATH.format_map(values)

    def body(self) -> JsonObject:
        """Return the body of the request."""
        return {key: getattr(self, name) for key, name in self.body_names().items()}

    def data(self) -> JsonObject:
        """Return the fields of the event's data that the person chooses, without the nonce."""
        return {key: getattr(self, name) for key, name in self.data_names().items()}

    @classmethod
    def operation(cls) -> str:
        """Return the name of the operation, such as `answer_takeback`."""
        return re.sub("(?<=.)(?=[A-Z])", "_", cls.__name__).lower()

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the fields that this kind of statement adds."""
        return tuple(field.name for field in fields(cls) if field.name not in _OPTIONS)

    @classmethod
    def replies_to(cls) -> str | None:
        """Return the name of the field in the path, `dispute` or `takeback`; None if there is none."""
        return next((name for name in cls.names() if f"{{{name}}}" in cls.PATH), None)

    @classmethod
    def body_names(cls) -> Mapping[str, str]:
        """Return the names of the fields in the body, by their names there."""
        in_path = cls.replies_to()
        return {_BODY_NAMES.get(name, name): name for name in cls.names() if name != in_path}

    @classmethod
    def data_names(cls) -> Mapping[str, str]:
        """Return the names of the fields in the event's data, by their names there.

        A text is not in the data: it is a secret of the event.
        """
        return {_DATA_NAMES.get(name, name): name for name in cls.names() if name != "text"}

    @classmethod
    def signed_fields(cls) -> tuple[str, ...]:
        """Return the names of the fields of the event's data that the person chooses."""
        return tuple(cls.data_names())


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementWithNonce(Statement):
    """A statement after which play may resume from an earlier event.

    `nonce` (hex) is added by the person's program to the seed of what is drawn then.
    """

    nonce: str | None = None

    @property
    @override
    def takes_nonce(self) -> bool:
        return True

    @property
    def nonce_bytes(self) -> bytes | None:
        """The nonce; None without one."""
        return None if self.nonce is None else bytes.fromhex(self.nonce)

    @override
    def as_request(self) -> list[object]:
        request = Statement.as_request(self)
        # Without a nonce, the value is that of versions without these nonces, whose records are still valid.
        return request if self.nonce is None else [*request, f"nonce {self.nonce}"]

    @override
    def body(self) -> JsonObject:
        return {**Statement.body(self), "nonce": self.nonce}

    @classmethod
    @override
    def signed_fields(cls) -> tuple[str, ...]:
        return (*cls.data_names(), "nonce")


@dataclass(frozen=True, slots=True)
class OpenDispute(StatementWithNonce):
    """Dispute an event of a game that is in progress.

    The game's clock stops until the ruling, for at most 72 hours. A game has one open dispute at a time, and
    a player can open three in a game.
    """

    EVENT = "DisputeOpened"
    REQUEST = "dispute"
    PATH = "/disputes"

    about: Annotated[PositiveCount, "The event that the dispute is about."]
    text: Annotated[str, _TEXT]

    @override
    def decide(self, game: Game, seat: int, at: str) -> DomainEvent:
        until = clock_stopped_until(game, at)
        return disputes.open_dispute(game, seat, self.about, self.text, until, self.nonce_bytes)


@dataclass(frozen=True, slots=True)
class AnswerDispute(StatementWithNonce):
    """Answer an open dispute. A player can answer ten times."""

    EVENT = "DisputeAnswered"
    REQUEST = "answer dispute"
    PATH = "/disputes/{dispute}/answers"

    dispute: int
    text: Annotated[str, _TEXT]

    @override
    def decide(self, game: Game, seat: int, at: str) -> DomainEvent:
        return disputes.answer(game, self.dispute, seat, self.text, self.nonce_bytes)


@dataclass(frozen=True, slots=True)
class WithdrawDispute(Statement):
    """Withdraw a dispute that the player has opened."""

    EVENT = "DisputeWithdrawn"
    REQUEST = "withdraw dispute"
    METHOD = "DELETE"
    PATH = "/disputes/{dispute}"

    dispute: int

    @override
    def decide(self, game: Game, seat: int, at: str) -> DomainEvent:
        return disputes.withdraw(game, self.dispute, seat)


@dataclass(frozen=True, slots=True)
class RequestTakeback(StatementWithNonce):
    """Ask to take back the last action, in a game with the option `takebacks`.

    Only the player who acted last can ask, once for each action. Conditional actions that have followed it
    do not count, and are taken back with it. The request lapses when anyone acts, when a
    turn is forfeited or a seat removed, and when a player declines.
    """

    EVENT = "TakebackRequested"
    REQUEST = "takeback"
    PATH = "/takebacks"

    @override
    def decide(self, game: Game, seat: int, at: str) -> DomainEvent:
        return takebacks.request(game, seat, self.nonce_bytes)


@dataclass(frozen=True, slots=True)
class AnswerTakeback(StatementWithNonce):
    """Agree to a takeback, or decline it.

    When all other players who are still in the game have agreed, play resumes from before the action.
    """

    EVENT = "TakebackAnswered"
    REQUEST = "answer takeback"
    PATH = "/takebacks/{takeback}/answers"

    takeback: int
    agree: bool = field(kw_only=True)

    @property
    @override
    def takes_nonce(self) -> bool:
        return self.agree

    @override
    def decide(self, game: Game, seat: int, at: str) -> DomainEvent:
        return takebacks.answer(game, self.takeback, seat, agree=self.agree, nonce=self.nonce_bytes)

    @override
    def follow(self, pending: PendingEvents, secret: SecretSource) -> None:
        takeback = takebacks.agreed_takeback(pending.game)
        if takeback is not None:
            resume(pending, takeback.origin, pending.game.seq, secret, by=TAKEBACK)


@dataclass(frozen=True, slots=True)
class AgreeToPause(Statement):
    """Agree to a pause of the game's clock, or withdraw the agreement.

    The clock stands still while all players who are still in the game agree, but no longer than for 30 days.
    Bots are not asked.
    """

    EVENT = "PauseAgreed"
    REQUEST = "pause"
    PATH = "/pause"

    agree: bool = field(kw_only=True)

    @override
    def decide(self, game: Game, seat: int, at: str) -> DomainEvent:
        is_over = is_pause_over(game, at)
        return decisions.agree_to_pause(game, seat, agree=self.agree, is_over=is_over)


@dataclass(frozen=True, slots=True)
class GiveTime(Statement):
    """Give the player whose turn it is more time: the deadline moves.

    If it is not the turn of that seat any more, the response is a 409. A player can do so 20 times in a game.
    """

    EVENT = "TimeGiven"
    REQUEST = "give-time"
    PATH = "/time"

    to: Annotated[Seat, "The seat whose turn it is."]
    seconds: Annotated[
        PositiveCount,
        "By how many seconds the deadline moves. A turn can be extended by a week in all.",
    ]

    @override
    def decide(self, game: Game, seat: int, at: str) -> DomainEvent:
        return decisions.give_time(game, seat, self.to, self.seconds)


@dataclass(frozen=True, slots=True)
class GiveRuling(StatementWithNonce):
    """Rule an open dispute, as the arbiter of the game.

    In a game without an arbiter, every player proposes a ruling. It takes effect when all players who are
    still in the game propose the same. A player can propose ten times, and the last proposal counts.
    """

    EVENT = "RulingProposed"
    """Or `DisputeRuled`."""
    REQUEST = "ruling"
    PATH = "/disputes/{dispute}/rulings"

    dispute: int
    ruling: Any
    """JSON that is checked when the statement is added."""
    text: str | None = None

    @override
    def add(self, pending: PendingEvents, seat: int | None, secret: SecretSource) -> None:
        """Add the ruling of the arbiter, whose seat is None, or the proposal of a seat, and the events that
        follow.

        Raises NotNow, Malformed, Refused.
        """
        game, ruling = pending.game, disputes.parse_ruling(self.ruling)

        def is_play(seq: int) -> bool:
            return pending.game_at(seq).position_seq == seq

        stated = (ruling, self.text, is_play, self.nonce_bytes)
        if seat is None:
            pending.add(disputes.rule(game, self.dispute, *stated), ARBITER)
        else:
            pending.add(disputes.propose(game, self.dispute, seat, *stated), {"seat": seat})
            dispute = pending.game.open_dispute
            if dispute is None or disputes.agreed_ruling(pending.game, dispute) is None:
                return
            pending.add(disputes.rule_by_agreement(pending.game, self.dispute), ARBITER)
        if ruling["type"] == "resume":
            resume(pending, ruling["from"], pending.game.seq, secret, by=ARBITER)
        elif ruling["type"] == "remove_seat":
            remove(pending, ruling["seat"], secret)
        elif ruling["type"] == "abandon":
            abandon(pending, secret)


STATEMENTS: Final[tuple[type[Statement], ...]] = (
    OpenDispute,
    AnswerDispute,
    WithdrawDispute,
    GiveRuling,
    RequestTakeback,
    AnswerTakeback,
    AgreeToPause,
    GiveTime,
)
