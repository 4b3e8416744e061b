"""A whole audit: every check on one record, in one pass through the game."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, BinaryIO

from domain.contract import Json
from domain.errors import Unreadable
from domain.game import Game
from ledger.record import Record, scan
from replay.audit.chain import (
    StateCheck,
    check_chain,
    check_secrets,
    closed_secrets,
    game_secret,
    proven_opens,
)
from replay.audit.chance import ChanceCheck
from replay.audit.decisions import DecisionsCheck
from replay.audit.findings import Check, Report
from replay.audit.signatures import check_form, check_head, check_receipts
from replay.timeline import steps


def audit(source: BinaryIO, *, keys: Sequence[str] = (), receipts: Iterable[Json] = ()) -> Report:
    """Every check on the record in a binary file.

    `keys`: public keys in hex, of which the record must be signed by one; none: by one that it lists itself.
    `receipts`: receipts at hand, checked along with those in the record.
    """
    record, faults = scan(source)
    if not record.events:
        return Report({"game": None, "events": 0}, [check_form(record, faults)])
    is_cut = any(fault.line == len(record.events) + 2 for fault in faults)
    form = check_form(record, faults)
    head = check_head(record, keys, is_cut=is_cut)
    chain = check_chain(record)
    # Openings that are not what was committed to are found as such, and not believed in what follows.
    proven = replace(record, opens=proven_opens(record))
    last, state, chance, decisions = _walk(proven)
    secrets = check_secrets(record)
    signed = check_receipts(record, receipts)
    checks = [form, head, chain, state, secrets, chance, decisions, signed]
    return Report(_about(record, last), checks)


def _walk(record: Record) -> tuple[Game | None, Check, Check, Check]:
    """The game as far as it can be worked out, and the checks that follow it event by event."""
    secret = game_secret(record)
    closed = closed_secrets(record)
    state = StateCheck()
    chance = ChanceCheck(record, secret)
    decisions = DecisionsCheck(secret, closed[0][0] if closed else None)
    last: Game | None = None
    seq = 0
    try:
        for step in steps(record):
            state.look(step)
            chance.look(step)
            decisions.look(step)
            last = step.after
            seq += 1
    except Unreadable as unreadable:
        event = record.events[seq]
        left = len(record.events) - seq
        if event["seq"] == seq + 1:
            state.stops(event["seq"], unreadable.why)
            decisions.judge(event, last)
            left -= 1
        else:
            state.check.left_out = f"nothing from line {seq + 2} on, where the order is broken"
        if left:
            decisions.check.left_out = f"{left} behind what could not be applied"
    return last, state.check, chance.check, decisions.check


def _about(record: Record, last: Game | None) -> dict[str, Any]:
    first = record.events[0]
    return {
        "game": first["game"],
        "rules": first["data"]["rules"],
        "seats": first["data"]["seats"],
        "events": len(record.events),
        "status": None if last is None else last.status,
        "signed_by": record.header["head"]["key"] if record.header else None,
    }
