"""Runs all checks of an audit on one record, with a single pass through the game."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import BinaryIO

from domain.errors import Unreadable
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import message, plural_message
from ledger.record import Record, scan
from ledger.transparency.signed_note import NoteKey
from replay.audit.against import check_against
from replay.audit.chain import StateCheck, check_chain
from replay.audit.chance import ChanceCheck, NonceCheck
from replay.audit.clock_decisions import note_lateness
from replay.audit.decisions import DecisionsCheck
from replay.audit.evidence_holders import name_holders
from replay.audit.findings import Check, Report
from replay.audit.inclusion import check_inclusion
from replay.audit.kept_evidence import EvidenceSource, check_nonces, nothing_kept
from replay.audit.player_signatures import PlayerSignaturesCheck
from replay.audit.secrets import (
    check_secrets,
    infer_secrets,
    published_secret,
    unopened_secrets,
    verified_openings,
)
from replay.audit.signatures import (
    NO_KEPT_RECEIPTS,
    KeptReceipts,
    check_form,
    check_head,
    check_receipts,
)
from replay.audit.summary import described, facts_of, summarized
from replay.audit.trusted_keys import NO_TRUSTED_KEYS, TrustedKeys
from replay.compare.histories import History, history_of
from replay.history.event_values import names_of
from replay.history.timeline import transitions, unreadable_on_error


def audit(
    source: BinaryIO,
    *,
    keys: Sequence[str] = (),
    trusted: TrustedKeys = NO_TRUSTED_KEYS,
    receipts: Iterable[JsonObject] = (),
    witnesses: Sequence[NoteKey] = (),
    kept_receipts: KeptReceipts = NO_KEPT_RECEIPTS,
    kept_evidence: EvidenceSource = nothing_kept,
    against: History | None = None,
) -> Report:
    """Run every check on the record in a binary file.

    `keys` are public keys in hex, one of which must have signed the record. Without any, it should be one of
    the `trusted` keys; it is unknown whether another key belongs to a server. `receipts` are checked in
    addition to those in the record, and those of `kept_receipts` that are for its game. `kept_evidence`
    returns the evidence that the player's programs have kept of a game. `witnesses` are the keys of witnesses
    whose cosignatures are checked. `against` is an older record, which this one should continue.
    """
    record, faults = scan(source)
    if not record.events:
        return summarized(Report({"game": None, "events": 0}, [check_form(record, faults)]))
    is_cut = any(fault.line == len(record.events) + 2 for fault in faults)
    # An opening that does not match its commitment is a separate finding; the other checks ignore it.
    verified = replace(record, openings=verified_openings(record))
    last, state, chance, decisions, signatures = _walk(verified)
    kept = kept_evidence(record.events[0]["game"])
    check_nonces(chance, record, kept.nonces)
    checks = [
        check_form(record, faults),
        check_head(record, keys, trusted, is_cut=is_cut),
        check_chain(record),
        state,
        check_secrets(record),
        chance,
        decisions,
        signatures,
        check_receipts(record, receipts, trusted, kept_receipts, kept),
        check_inclusion(record, witnesses, trusted),
    ]
    if against is not None:
        checks.append(check_against(against, history_of(record, faults), trusted, keys))
    name_holders(checks, record.events)
    status = None if last is None else last.status
    summary = described(record.header, record.events[0], len(record.events), status)
    report = Report(summary, checks, names=names_of(record))
    return summarized(report, facts_of(record))


def _walk(record: Record) -> tuple[Game | None, Check, Check, Check, Check]:
    """Fold the game until an event cannot be applied, and run the checks that examine it event by event."""
    secret = published_secret(record)
    secrets, contradictions = infer_secrets(record)
    state = StateCheck()
    chance = ChanceCheck(record, secret)
    nonces = NonceCheck(chance.check)
    decisions = DecisionsCheck(record, secret, contradictions)
    signatures = PlayerSignaturesCheck(record)
    if unopened := len(unopened_secrets(record)):
        decisions.check.add_unknown(
            plural_message(
                "whether the secret value not yet opened is such that every event was within the"
                " rules: it is only checked that some value is possible",
                "whether the {count} secret values not yet opened are such that every event was within the"
                " rules: it is only checked that some values are possible",
                count=unopened,
            ),
            message("The record after the game has ended opens them and decides it."),
            topic="progress",
        )
    last: Game | None = None
    seq = 0
    try:
        for transition in transitions(record, secrets):
            state.examine(transition)
            chance.examine(transition)
            nonces.examine(transition.event)
            decisions.examine(transition)
            with suppress(Unreadable), unreadable_on_error(transition.event["seq"]):
                signatures.examine(transition)
            # A clock that is not valid is a finding of the decisions.
            with suppress(Unreadable), unreadable_on_error(transition.event["seq"]):
                note_lateness(decisions.check, transition)
            last = transition.after
            seq += 1
        if last is not None:
            decisions.finish(last)
    except Unreadable as unreadable:
        event = record.events[seq]
        left = len(record.events) - seq
        if event["seq"] == seq + 1:
            state.stop(event["seq"], unreadable.why)
            decisions.decide_again(event, last)
            left -= 1
        else:
            state.check.add_unknown(
                message(
                    "whether the positions follow from the events from line {line} on, where the order is"
                    " broken",
                    line=seq + 2,
                ),
                message("A copy of the record with its events in order decides it."),
                line=seq + 2,
            )
        if left:
            decisions.check.add_unknown(
                plural_message(
                    "whether the last event is within the rules, since it comes after one that cannot be"
                    " applied",
                    "whether the last {count} events are within the rules, since they come after one that"
                    " cannot be applied",
                    count=left,
                ),
                message(
                    "A copy of the record in which that event is as the server wrote it decides it."
                ),
            )
    signatures.finish()
    return last, state.check, chance.check, decisions.check, signatures.check
