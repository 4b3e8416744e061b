"""Repairs of a changed record: its numbers, hashes, states and signatures fit its content again.

So only what the content says can refute the record, not that it was touched. Lines that cannot be repaired
stay as they are.
"""

from typing import Final, cast

import orjson

from domain.contract import Opened
from domain.errors import CartularyError
from domain.event import ZEROS, Event
from domain.fold import EarlierGames, evolve
from domain.game import Game
from domain.json_types import JsonObject
from ledger.canonical import canonical, digest
from ledger.keys import SigningKey
from ledger.seal import state_hash
from tests.games.scripted_game import KEY
from tests.mutations.changes import Lines
from tests.support.running_games import DATA_ERRORS

UNREPAIRABLE: Final = (CartularyError, RecursionError, *DATA_ERRORS)


def seal_again(lines: Lines, *, key: SigningKey = KEY, with_states: bool = True) -> Lines:
    """Return the lines with every event numbered and hashed again, and the header signed again.

    `with_states`, the `state` of each event is computed again too, as far as the events can be applied.
    """
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
