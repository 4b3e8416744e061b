"""Repairs of a changed record: its numbers, hashes, states and signatures fit its content again.

So only what the content says can refute the record, not that it was touched. Lines that cannot be repaired
stay as they are.
"""

from collections.abc import Sequence
from copy import deepcopy
from typing import Final, cast

import orjson

from domain.contract import Opened
from domain.errors import CartularyError
from domain.event import ZEROS, Event
from domain.fold import EarlierGames, evolve
from domain.game import Game
from domain.json_types import JsonObject
from ledger.canonical import canonical, digest, unhex
from ledger.keys import SigningKey
from ledger.pending import commitment, state_hash
from tests.mutations.changes import Lines
from tests.support.honest_server import HonestServer, NotWritten
from tests.support.running_games import DATA_ERRORS

UNREPAIRABLE: Final = (CartularyError, RecursionError, *DATA_ERRORS)


def seal_again(lines: Lines, *, key: SigningKey, with_states: bool = True) -> Lines:
    """Return the lines with every event numbered and hashed again, and the header signed again.

    `with_states`, the `state` of each event is computed again too, as far as the events can be applied.
    """
    if not lines:
        return lines
    values = [_value(line) for line in lines]
    opened = {
        value["seq"]: {
            name: opening.get("value")
            for name, opening in openings.items()
            if isinstance(opening, dict)
        }
        for value in values
        if isinstance(openings := value.get("open"), dict) and type(value.get("seq")) is int
    }
    resumptions = [
        cast("Event", value)
        for value in values
        if value.get("type") == "PlayResumed" and isinstance(value.get("data"), dict)
    ]
    sealer = _Sealer(opened, EarlierGames(resumptions), with_states=with_states)
    repaired = list(lines)
    for index, value in enumerate(values):
        if "prev" in value:
            repaired[index] = sealer.seal(value)
    if isinstance(values[0].get("head"), dict):
        head = {"seq": sealer.seq, "hash": sealer.prev}
        repaired[0] = canonical(key.sign_head({**values[0], "head": head}))
    return repaired


class _Sealer:
    """Numbers and hashes events, and computes their states, one after the other."""

    def __init__(self, opened: Opened, earlier: EarlierGames, *, with_states: bool) -> None:
        self.seq = 0
        self.prev = ZEROS
        self._opened = opened
        self._earlier = earlier
        self._game: Game | None = None
        self._can_apply = with_states

    def seal(self, event: JsonObject) -> bytes:
        self.seq += 1
        event["seq"], event["prev"] = self.seq, self.prev
        if self._can_apply:
            try:
                self._game = evolve(self._game, cast("Event", event), self._opened, self._earlier)
                self._earlier.keep(self._game)
                event["state"] = state_hash(self._game)
            except UNREPAIRABLE:
                self._can_apply = False
        unsealed = {name: value for name, value in event.items() if name != "hash"}
        event["hash"] = self.prev = digest(canonical(unsealed))
        if self._game is not None:
            self._game.hash = self.prev
        return canonical(event)


def _value(line: bytes) -> JsonObject:
    """The JSON object in a line; {} if there is none."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def sign_head_again(lines: Lines, *, key: SigningKey) -> Lines:
    """Return the lines with the header, as it is, signed again."""
    header = _value(lines[0]) if lines else {}
    if not isinstance(header.get("head"), dict):
        return lines
    head = {name: value for name, value in header["head"].items() if name != "signature"}
    return [canonical(key.sign_head({**header, "head": head})), *lines[1:]]


def issue_receipts_again(lines: Lines, *, key: SigningKey) -> Lines:
    """Return the lines with each receipt replaced by one for the event that now has its seq."""
    events = {
        value["seq"]: value
        for value in map(_value, lines)
        if "prev" in value and isinstance(value.get("seq"), int)
    }
    repaired = []
    for line in lines:
        receipt = _value(line).get("receipt")
        try:
            event = events[receipt["seq"]] if isinstance(receipt, dict) else None
            new = (
                line if event is None else canonical({"receipt": key.receipt(cast("Event", event))})
            )
        except UNREPAIRABLE:
            new = line
        repaired.append(new)
    return repaired


def list_key(lines: Lines, *, key: SigningKey, as_id: str | None = None) -> Lines:
    """Return the lines with a header that lists only this key, under its own id or another."""
    header = _value(lines[0]) if lines else {}
    if not header:
        return lines
    entry = {**key.public_entry("2026-01-01T00:00:00.000Z"), "key": as_id or key.id}
    return [canonical({**header, "keys": [entry]}), *lines[1:]]


def commit_again(lines: Lines) -> Lines:
    """Return the lines with commitments that fit the secrets which the record opens and publishes."""
    values = [_value(line) for line in lines]
    openings = {
        value["seq"]: value["open"]
        for value in values
        if isinstance(value.get("open"), dict) and isinstance(value.get("seq"), int)
    }
    secret = _published_secret(values)
    repaired = list(lines)
    for index, value in enumerate(values):
        if "prev" not in value:
            continue
        try:
            if isinstance(value.get("secrets"), dict):
                for name, opening in openings.get(value.get("seq"), {}).items():
                    value["secrets"][name] = commitment(opening)
            if value.get("type") == "GameCreated" and secret is not None:
                value["data"]["commitment"] = digest(secret)
            repaired[index] = canonical(value)
        except UNREPAIRABLE:
            continue
    return repaired


def decide_again(lines: Lines) -> Lines:
    """Return the lines with the outcome of each event as the rules decide it after the events before it.

    Lines of a record that publishes no secret stay as they are: nothing can be drawn without it.
    """
    values = [_value(line) for line in lines]
    published = _published_secret(values)
    if published is None:
        return lines
    opened = {
        value["seq"]: {
            name: opening.get("value")
            for name, opening in value["open"].items()
            if isinstance(opening, dict)
        }
        for value in values
        if isinstance(value.get("open"), dict) and isinstance(value.get("seq"), int)
    }
    server = HonestServer(opened[min(opened)] if opened else {}, published, opened)
    repaired = list(lines)
    seq = 0
    for index, value in enumerate(values):
        if "prev" not in value:
            continue
        seq += 1
        value["seq"] = seq
        try:
            by, decided = server.decide(value)
            value.update(by=by, type=decided.type, data=deepcopy(decided.data))
        except (NotWritten, *UNREPAIRABLE):
            pass  # The event stays as it is.
        try:
            repaired[index] = canonical(value)
            server.accept(value)
        except (NotWritten, *UNREPAIRABLE):
            break
    return repaired


def _published_secret(values: Sequence[JsonObject]) -> bytes | None:
    """The secret that the end of the game publishes; None if there is none."""
    for value in reversed(values):
        data = value.get("data")
        if isinstance(data, dict) and isinstance(data.get("secret"), str):
            try:
                return unhex(data["secret"])
            except ValueError:
                return None
    return None
