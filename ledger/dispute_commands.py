"""The commands of disputes and takebacks, like those of a game's life cycle in ledger/commands.py.

A ruling, the last agreement to a ruling and the last agreement to a takeback take effect at once: the events
that they lead to follow them in the same append.
"""

from collections.abc import Callable

from domain import disputes, takebacks
from domain.dispute_events import Ruling
from ledger.commands import ARBITER, TAKEBACK, SecretSource, abandon, remove, resume
from ledger.pending import PendingEvents
from ledger.turn_clock import clock_stopped_until


def open_dispute(pending: PendingEvents, seat: int, about: int, statement: str) -> None:
    """Let a seat dispute event `about`. Raises NotNow."""
    until = clock_stopped_until(pending.game, pending.next_at)
    event = disputes.open_dispute(pending.game, seat, about, statement, until)
    pending.add(event, {"seat": seat})


def answer_dispute(pending: PendingEvents, number: int, seat: int, statement: str) -> None:
    """Let a seat comment on the dispute that event `number` opened. Raises NotNow."""
    pending.add(disputes.answer(pending.game, number, seat, statement), {"seat": seat})


def withdraw_dispute(pending: PendingEvents, number: int, seat: int) -> None:
    """Let the seat that opened a dispute end it. Raises NotNow."""
    pending.add(disputes.withdraw(pending.game, number, seat), {"seat": seat})


def propose_ruling(
    pending: PendingEvents,
    number: int,
    seat: int,
    ruling: Ruling,
    statement: str | None,
    secret: SecretSource,
) -> None:
    """Let a seat propose a ruling in a game without an arbiter; it is given when all propose the same.

    Raises NotNow, Refused.
    """
    game, is_play = pending.game, _play_events(pending)
    proposal = disputes.propose(game, number, seat, ruling, statement, is_play)
    pending.add(proposal, {"seat": seat})
    dispute = pending.game.open_dispute
    if dispute is not None and disputes.agreed_ruling(pending.game, dispute) is not None:
        pending.add(disputes.rule_by_agreement(pending.game, number), ARBITER)
        _carry_out(pending, ruling, secret)


def rule(
    pending: PendingEvents,
    number: int,
    ruling: Ruling,
    statement: str | None,
    secret: SecretSource,
) -> None:
    """End a dispute by a ruling of the game's arbiter, and carry it out. Raises NotNow, Refused."""
    event = disputes.rule(pending.game, number, ruling, statement, _play_events(pending))
    pending.add(event, ARBITER)
    _carry_out(pending, ruling, secret)


def request_takeback(pending: PendingEvents, seat: int) -> None:
    """Let the seat that acted last ask to take back its action. Raises NotNow."""
    pending.add(takebacks.request(pending.game, seat), {"seat": seat})


def answer_takeback(
    pending: PendingEvents, number: int, seat: int, *, agree: bool, secret: SecretSource
) -> None:
    """Let a seat agree to a takeback or decline it; it takes effect when all agree. Raises NotNow."""
    answer = takebacks.answer(pending.game, number, seat, agree=agree)
    game = pending.add(answer, {"seat": seat})
    takeback = takebacks.agreed_takeback(game)
    if takeback is not None:
        resume(pending, takeback.origin, game.seq, secret, by=TAKEBACK)


def _carry_out(pending: PendingEvents, ruling: Ruling, secret: SecretSource) -> None:
    """Add what follows from the ruling that the last pending event gave."""
    if ruling["type"] == "resume":
        resume(pending, ruling["from"], pending.game.seq, secret, by=ARBITER)
    elif ruling["type"] == "remove_seat":
        remove(pending, ruling["seat"], secret)
    elif ruling["type"] == "abandon":
        abandon(pending, secret)


def _play_events(pending: PendingEvents) -> Callable[[int], bool]:
    """Return a function that returns whether an earlier event is one of play, or `GameStarted`."""

    def is_play(seq: int) -> bool:
        return pending.game_at(seq).position_seq == seq

    return is_play
