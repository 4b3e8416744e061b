"""The decisions in a dispute: open it, answer it, propose a ruling, rule, withdraw it.

Each function looks at a game and returns the `DomainEvent` that follows, or raises Refused. What a ruling
leads to is decided by `domain.lifecycle`. Time is passed in: `ledger.clock.turn_clock` computes the limit.

A statement is a secret of its event, so that it can be erased; None leaves it out. The names of the secrets
alone matter when a recorded event is decided again. A nonce, of at most 64 bytes (Malformed), goes into what
is drawn if play resumes after the dispute; None if the program has sent none.
"""

from collections.abc import Callable, Sequence
from typing import Final

from domain.contract import STATEMENT, DomainEvent
from domain.disputes.events import (
    RULING_FIELDS,
    DisputeAnswered,
    DisputeOpened,
    DisputeRuled,
    DisputeWithdrawn,
    Ruling,
    RulingProposed,
)
from domain.disputes.history import Dispute
from domain.errors import Malformed, not_now
from domain.event import NO_SECRETS, EventData
from domain.game import STATUS_MESSAGES, Game
from domain.json_fields import is_integer, one_of
from domain.messages import PlayerAt, message

MAX_DISPUTES_PER_SEAT: Final = 3
"""Disputes that a seat may open in one game."""
MAX_ANSWERS_PER_SEAT: Final = 10
"""Answers of a seat in one dispute."""
NOTE_MISSING: Final = message("is missing: a result stands with a note")
MAX_PROPOSALS_PER_SEAT: Final = 10
"""Rulings that a seat may propose in one dispute."""


def parse_ruling(raw: object) -> Ruling:
    """Return the ruling that decoded JSON stands for. Raises Malformed, which names every wrong field."""
    if not isinstance(raw, dict):
        raise Malformed({"": message("must be an object")})
    type = raw.get("type")
    if not isinstance(type, str) or type not in RULING_FIELDS:
        raise Malformed({"type": one_of(RULING_FIELDS)})
    field = RULING_FIELDS[type]
    errors = {
        name: message("is not a field of this ruling")
        for name in raw
        if name not in ("type", field)
    }
    if field is not None:
        least = 1 if field == "from" else 0
        value = raw.get(field)
        if not is_integer(value) or value < least:
            errors[field] = message("must be a whole number, {least} or more", least=least)
    if errors:
        raise Malformed(errors)
    return raw  # type: ignore[return-value] # its fields have just been checked


def open_dispute(
    game: Game,
    seat: int,
    about: int,
    statement: str | None,
    clock_stopped_until: str | None,
    nonce: bytes | None = None,
) -> DomainEvent:
    """`DisputeOpened`. Raises NotNow unless the game is in progress and without an open dispute, if there is
    no event `about`, or if the seat has opened as many disputes as it may.
    """
    _require_in_progress(game)
    dispute = game.open_dispute
    if dispute is not None:
        raise not_now(
            "dispute {dispute} is open: it must be ruled or withdrawn before another one",
            dispute=dispute.seq,
        )
    if not 1 <= about <= game.seq:
        raise not_now("there is no event {event}: the last is {last}", event=about, last=game.seq)
    if sum(dispute.seat == seat for dispute in game.disputes) >= MAX_DISPUTES_PER_SEAT:
        raise not_now("a player can open {most} disputes in a game", most=MAX_DISPUTES_PER_SEAT)
    data: DisputeOpened = {"seat": seat, "about": about, "clock_stopped_until": clock_stopped_until}
    game.add_nonce(data, seat, nonce)
    return _event("DisputeOpened", data, statement)


def answer(
    game: Game, number: int, seat: int, statement: str | None, nonce: bytes | None = None
) -> DomainEvent:
    """`DisputeAnswered`. Raises NotNow unless the dispute is open and the seat may answer once more."""
    dispute = _require_open(game, number)
    if sum(answer.seat == seat for answer in dispute.answers) >= MAX_ANSWERS_PER_SEAT:
        raise not_now("a player can answer {most} times in a dispute", most=MAX_ANSWERS_PER_SEAT)
    data: DisputeAnswered = {"dispute": number, "seat": seat}
    game.add_nonce(data, seat, nonce)
    return _event("DisputeAnswered", data, statement)


def withdraw(game: Game, number: int, seat: int) -> DomainEvent:
    """`DisputeWithdrawn`. Raises NotNow unless the dispute is open and was opened by this seat."""
    dispute = _require_open(game, number)
    if dispute.seat != seat:
        raise not_now(
            "only {player} can withdraw the dispute, having opened it",
            player=PlayerAt(dispute.seat),
        )
    data: DisputeWithdrawn = {"dispute": number, "seat": seat}
    return DomainEvent("DisputeWithdrawn", data)


def propose(
    game: Game,
    number: int,
    seat: int,
    ruling: Ruling,
    statement: str | None,
    is_play: Callable[[int], bool],
    nonce: bytes | None = None,
) -> DomainEvent:
    """`RulingProposed`, in a game without an arbiter.

    `is_play` returns whether an event, given by its seq, is one of play, or `GameStarted`. Raises NotNow
    unless the dispute is open and the seat in the game, if the ruling cannot be carried out, or if the seat
    has made as many proposals as it may; Malformed if a result is to stand without a statement.
    """
    dispute = _require_open(game, number)
    if game.arbiter is not None:
        raise not_now("the game has an arbiter, who rules its disputes")
    if seat not in seats_that_agree(game):
        raise not_now("only players who are still in the game agree on a ruling")
    if sum(proposal.seat == seat for proposal in dispute.proposals) >= MAX_PROPOSALS_PER_SEAT:
        raise not_now(
            "a player can propose {most} rulings in a dispute", most=MAX_PROPOSALS_PER_SEAT
        )
    _require_note(ruling, statement)
    require_possible(game, ruling, is_play)
    data: RulingProposed = {"dispute": number, "seat": seat, "ruling": ruling}
    game.add_nonce(data, seat, nonce)
    return _event("RulingProposed", data, statement)


def rule(
    game: Game,
    number: int,
    ruling: Ruling,
    statement: str | None,
    is_play: Callable[[int], bool],
    nonce: bytes | None = None,
) -> DomainEvent:
    """`DisputeRuled` by the game's arbiter. Raises NotNow without an arbiter, unless the dispute is open, or
    if the ruling cannot be carried out (see `propose`).
    """
    _require_open(game, number)
    if game.arbiter is None:
        raise not_now("the game has no arbiter: its players agree on a ruling")
    _require_note(ruling, statement)
    require_possible(game, ruling, is_play)
    data: DisputeRuled = {
        "dispute": number,
        "ruling": ruling,
        "arbiter": game.arbiter,
        "agreed_by": [],
    }
    game.add_nonce(data, None, nonce)
    return _event("DisputeRuled", data, statement)


def rule_by_agreement(game: Game, number: int) -> DomainEvent:
    """`DisputeRuled` by the players. Raises NotNow unless all of them propose the same ruling."""
    dispute = _require_open(game, number)
    ruling = agreed_ruling(game, dispute)
    if ruling is None:
        raise not_now("the players do not agree on a ruling")
    data: DisputeRuled = {
        "dispute": number,
        "ruling": ruling,
        "arbiter": None,
        "agreed_by": list(seats_that_agree(game)),
    }
    return DomainEvent("DisputeRuled", data)


def agreed_ruling(game: Game, dispute: Dispute) -> Ruling | None:
    """Return the ruling that all players still in a game without an arbiter propose, if there is one."""
    if game.arbiter is not None:
        return None
    rulings = [dispute.proposed_by(seat) for seat in seats_that_agree(game)]
    return rulings[0] if rulings and all(ruling == rulings[0] for ruling in rulings) else None


def seats_that_agree(game: Game) -> Sequence[int]:
    """Return the seats whose agreement is a ruling: those still in the game and not vacant, in order."""
    seats: Sequence[int] = () if game.state is None else game.state.in_game()
    return [seat for seat in seats if seat not in game.vacant_seats]


def require_possible(game: Game, ruling: Ruling, is_play: Callable[[int], bool]) -> None:
    """Raise NotNow if a ruling cannot be carried out as the game stands; see `propose`."""
    if ruling["type"] == "resume":
        origin = ruling["from"]
        if origin >= game.seq or not is_play(origin) or game.is_superseded(origin):
            raise not_now(
                "play cannot resume after event {event}: that is not an earlier event of play on the"
                " current branch",
                event=origin,
            )
    elif ruling["type"] == "remove_seat":
        if game.to_act is None or game.state is None:
            raise not_now("a seat can only be removed during play")
        if ruling["seat"] not in game.state.in_game():
            raise not_now("{player} is not in the game", player=PlayerAt(ruling["seat"]))


def _require_in_progress(game: Game) -> None:
    if game.status == "open":
        raise not_now("the game has not started: a player who disagrees can leave it")
    if game.status != "playing":
        raise not_now(
            "{status}, and its secret is public, so a ruling can no longer change it; anyone can"
            " audit its record, and compare it with receipts and with other copies",
            status=STATUS_MESSAGES[game.status],
        )


def _require_open(game: Game, number: int) -> Dispute:
    """Return the open dispute. Raises NotNow if the dispute with this seq is not open."""
    _require_in_progress(game)
    dispute = game.open_dispute
    if dispute is None or dispute.seq != number:
        raise not_now("dispute {number} is not open", number=number)
    return dispute


def _require_note(ruling: Ruling, statement: str | None) -> None:
    if ruling["type"] == "result_stands" and statement is None:
        raise Malformed({"statement": NOTE_MISSING})


def _event(type: str, data: EventData, statement: str | None) -> DomainEvent:
    return DomainEvent(type, data, NO_SECRETS if statement is None else {STATEMENT: statement})
