"""The check of secrets against their commitments, and the secret values that the other checks work with."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from domain import chance
from domain.contract import STATEMENT, DomainEvent, Opened
from domain.errors import CartularyError, Unreadable
from domain.event import ENDINGS, Event, recorded_data
from domain.messages import Text, Value, message, plural_message
from domain.registry import rule_system_for
from ledger.canonical import unhex
from ledger.pending import commitment
from ledger.record import Record
from ledger.record_schema import Opening
from replay.audit.findings import Check
from replay.history.event_values import secret_label
from replay.history.timeline import transitions, unreadable_on_error
from replay.render.descriptions import in_words


def check_secrets(record: Record) -> Check:
    """Check every opened value, and the game's secret once the game has ended, against its commitment."""
    check = Check("secrets")
    for seq, openings in record.openings.items():
        line = record.opening_lines[seq]
        commitments = _commitments(record, seq)
        for name, opening in openings.items():
            check.count += 1
            label = _label(record, name)
            if name not in commitments:
                problem = message(
                    "the secret “{secret}” is opened, but event {seq} has no commitment to it",
                    secret=label,
                    seq=seq,
                )
                meaning = message("The opening was made up or belongs to another event.")
                code = "no-commitment"
                check.add(problem, meaning, line=line, seq=seq, basis="unsigned", code=code)
            elif commitment(opening) != commitments[name]:
                problem = message(
                    "the secret “{secret}” as opened is not what event {seq} committed to",
                    secret=label,
                    seq=seq,
                )
                meaning = message("The secret value was changed afterwards.")
                check.add(problem, meaning, line=line, seq=seq, basis="unsigned", code="value")
    for seq, name in _closed_secrets(record):
        if name == STATEMENT:
            check.note(
                message("what was written here was erased, or is left out of this record"), seq=seq
            )
    end = ending(record)
    unopened = unopened_secrets(record)
    if end is None:
        check.add_unknown(
            message(
                "whether the game's secret is the one committed to, since it is published at the end"
            ),
            message("The record after the game has ended decides it."),
        )
        if unopened:
            check.add_unknown(
                plural_message(
                    "whether {count} secret value that is not opened here matches its commitment",
                    "whether {count} secret values that are not opened here match their commitments",
                    count=len(unopened),
                ),
                message("The record after the game has ended opens all of them and decides it."),
            )
        return check
    for seq, name in unopened:
        check.add_at_event(
            seq,
            message(
                "the secret “{secret}” is not opened, although the game has ended",
                secret=_label(record, name),
            ),
            message("Openings were left out, so this secret cannot be checked."),
            basis="unsigned",
            code="not-opened",
        )
    check.count += 1
    if published_secret(record) is None:
        check.add_at_event(
            end["seq"],
            message("the secret that it publishes is not the one committed to in the first event"),
            message("The random draws of this game may have been chosen by the server."),
            code="game-secret",
        )
    return check


def _label(record: Record, name: str) -> Value:
    created = record.events[0]["data"]
    try:
        rules = rule_system_for(created.get("rules"), created.get("options"))
    except CartularyError:
        return in_words(name)
    return secret_label(name, rules)


def _commitments(record: Record, seq: int) -> Mapping[str, str]:
    """Return the commitments of event `seq` by name; none if there is no such event."""
    return record.events[seq - 1].get("secrets", {}) if seq <= len(record.events) else {}


def verified_openings(record: Record) -> dict[int, dict[str, Opening]]:
    """Return the openings that match their commitments, by seq and name."""
    return {
        seq: {
            name: opening
            for name, opening in openings.items()
            if commitment(opening) == _commitments(record, seq).get(name)
        }
        for seq, openings in record.openings.items()
    }


def unopened_secrets(record: Record) -> list[tuple[int, str]]:
    """Return the seq and name of every secret that is committed to and not opened, except statements."""
    return [(seq, name) for seq, name in _closed_secrets(record) if name != STATEMENT]


def _closed_secrets(record: Record) -> Iterator[tuple[int, str]]:
    for event in record.events:
        for name in event.get("secrets", ()):
            if name not in record.openings.get(event["seq"], ()):
                yield event["seq"], name


def ending(record: Record) -> Event | None:
    """Return the first event that ends the game; None while it is in progress."""
    return next((event for event in record.events if event["type"] in ENDINGS), None)


def published_secret(record: Record) -> bytes | None:
    """Return the game's secret that its end publishes; None if it does not match the commitment."""
    end = ending(record)
    if end is None:
        return None
    try:
        secret = unhex(end["data"].get("secret"))
    except ValueError:
        return None
    committed = record.events[0]["data"]["commitment"]
    return secret if len(secret) == 32 and chance.commitment(secret) == committed else None


def infer_secrets(record: Record) -> tuple[Opened, Mapping[int, Text]]:
    """Return values for all secrets, by seq and name, that are consistent with the record.

    Values that the record opens are among them; the rules infer the others from the log. Also returns, by
    seq, the events that no secrets allow, with the reason.
    """
    opened = record.opened_values()
    if not unopened_secrets(record):
        return opened, {}
    rest = transitions(record)
    try:
        game = next(
            transition.after for transition in rest if transition.event["type"] == "GameStarted"
        )
    except (StopIteration, Unreadable):
        return opened, {}

    def played() -> Iterator[tuple[int, Any, DomainEvent]]:
        """Yield the events after the start, until one cannot be applied, each with the state before it."""
        with suppress(Unreadable):
            for transition in rest:
                assert transition.before is not None, "it is after the start"
                event = DomainEvent(transition.event["type"], recorded_data(transition.event))
                yield transition.event["seq"], transition.before.state, event

    start = (game.seq, record.events[game.seq - 1]["data"])
    try:
        with unreadable_on_error(game.seq):
            inference = game.rules.infer_secrets(game.seats, game.options, start, played(), opened)
    except Unreadable as unreadable:
        return opened, {game.seq: unreadable.why}
    return {**opened, **inference.secrets}, inference.contradictions
