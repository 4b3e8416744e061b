"""A program that forges the records of running games.

The kinds of forgeries are in `forged_fields`, `forged_events` and `forged_set_ups`. `RunningGame.record`
repairs the chain, the positions and the signature, as somebody with the server's own key could. The forger
knows all secrets. It can also let the rules decide everything after its change again, so that the rest fits
the change as well as the rules allow.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, TypeAlias

from domain.contract import DomainEvent
from domain.errors import CartularyError
from domain.event import ZEROS
from domain.game import Game
from domain.json_types import JsonObject
from ledger.canonical import canonical
from tests.support.honest_server import HonestServer, NotWritten
from tests.support.running_games import DATA_ERRORS, RunningGame

Change: TypeAlias = Callable[["Forger"], int | None]
"""A function that changes a forger's events.

It returns the index from which the rules may decide the events again, or None if there is nothing to change.
"""

BROKEN: Final = (CartularyError, NotWritten, *DATA_ERRORS)


class Forger:
    """Forges one game: it changes `events`, at places that `chance` chooses."""

    def __init__(self, game: RunningGame, chance: random.Random) -> None:
        self.running = game
        self.chance = chance
        self.events: list[JsonObject] = deepcopy([dict(event) for event in game.events])
        self.start = next(
            i for i, event in enumerate(self.events) if event["type"] == "GameStarted"
        )

    @property
    def created(self) -> JsonObject:
        """The data of `GameCreated`."""
        data: JsonObject = self.events[0]["data"]
        return data

    @property
    def started(self) -> JsonObject:
        """The data of `GameStarted`."""
        data: JsonObject = self.events[self.start]["data"]
        return data

    def any_event(self) -> int:
        """The index of some event after the first."""
        return self.chance.randrange(1, len(self.events))

    def any_event_that(self, is_fit: Callable[[JsonObject], object]) -> int | None:
        """The index of some event for which `is_fit` is true, or None."""
        fit = [i for i, event in enumerate(self.events) if is_fit(event)]
        return self.chance.choice(fit) if fit else None

    def any_action(self) -> int | None:
        """The index of some event with an action, or None."""
        return self.any_event_that(lambda event: event["action"] is not None)

    def any_insertion_point(self) -> int:
        """An index at which an event can be inserted."""
        return self.chance.randint(1, len(self.events))

    def server_at(self, index: int) -> HonestServer:
        """A server that has accepted the events before this index."""
        running, events = self.running, self.events[:index]
        unchanged = running.unchanged(events)
        server = HonestServer(running.values(), bytes.fromhex(running.secret))
        games = running.games(running.values(), unchanged)
        server.start_with(events[:unchanged], games)
        for event in events[unchanged:]:
            server.accept(event)
        return server

    def game_at(self, index: int) -> Game:
        """The game before the event of this index."""
        game = self.server_at(index).game
        assert game is not None
        return game

    def insert(
        self, index: int, domain_event: DomainEvent, by: object, action: object = None
    ) -> None:
        """Insert an event at this index, with the time of the previous event."""
        before = self.events[index - 1]
        event: JsonObject = {
            "v": 1,
            "game": before["game"],
            "seq": index + 1,
            "type": domain_event.type,
            "at": before["at"],
            "by": by,
            "action": action,
            "data": deepcopy(domain_event.data),
            "state": ZEROS,
            "prev": ZEROS,
            "hash": ZEROS,
        }
        self.events.insert(index, event)

    def decide_again(self, index: int) -> None:
        """Let the rules decide the events from this index on again, as far as they allow them."""
        try:
            server = self.server_at(index)
        except BROKEN:
            return
        for event in self.events[index:]:
            try:
                by, decided = server.decide(event)
                event.update(by=by, type=decided.type, data=deepcopy(decided.data))
            except BROKEN:
                pass  # The event stays as it was.
            try:
                server.accept(event)
            except BROKEN:
                return

    def other(self, value: Any, field: str) -> Any:
        """Another plausible value for a field."""
        alike = [other for other in self.values_of(field) if other != value]
        if alike and self.chance.random() < 0.5:
            return deepcopy(self.chance.choice(alike))
        match value:
            case bool():
                return not value
            case int():
                return self.chance.choice([value + 1, value - 1, 0 if value else 7])
            case str():
                return self.chance.choice([*alike, "nonesuch"])
            case [int(q), int(r)]:
                step_q, step_r = self.chance.choice([(1, 0), (0, 1), (-1, 1), (95, 0)])
                return [q + step_q, r + step_r]
            case [*entries] if entries:
                i = self.chance.randrange(len(entries))
                without = entries[:i] + entries[i + 1 :]
                return self.chance.choice([without, [*entries, entries[i]], entries[::-1]])
            case dict():
                return {**value, "added": 1}
            case _:
                return self.chance.choice([*alike, 1])

    def values_of(self, field: str) -> list[Any]:
        """The different values that a field has in the game."""
        values = {
            canonical(value): value
            for event in self.running.events
            for part in ("data", "action")
            for path, value in walk({part: event[part]})
            if path[-1] == field
        }
        return list(values.values())


def walk(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Iterate over everything inside a JSON value, each with its path: the keys that lead there."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in entries:
        yield (*path, key), item
        if isinstance(item, dict | list):
            yield from walk(item, (*path, key))


def field_of(path: Sequence[Any]) -> str:
    """The last name of a field in a path."""
    return next((key for key in reversed(path) if isinstance(key, str)), "")


def container_of(value: Any, path: Sequence[Any]) -> Any:
    """The object or list that contains the value at a path."""
    for key in path[:-1]:
        value = value[key]
    return value


def is_played(event: JsonObject) -> bool:
    """Whether an event is one of play."""
    return "then" in event["data"]


def shift_time(at: str, seconds: int) -> str:
    """Return a timestamp that is this many seconds later."""
    moment = datetime.fromisoformat(at) + timedelta(seconds=seconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class Forgery:
    """A record with forged events.

    `kind` is the kind of change; with `is_mended`, the rules have decided the later events again.
    """

    kind: str
    is_mended: bool
    data: bytes


def forge(
    game: RunningGame, kind: str, change: Change, chance: random.Random, *, mends: bool
) -> Forgery | None:
    """Return the record of the game with a change of this kind, or None if the change has no effect."""
    forger = Forger(game, chance)
    index = change(forger)
    if index is None:
        return None
    if mends:
        forger.decide_again(index)
    data = forger.running.record(forger.events)
    return None if data == game.record() else Forgery(kind, mends, data)
