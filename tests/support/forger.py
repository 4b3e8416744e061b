"""A program that forges the records of running games.

The kinds of forgeries are in `forged_fields`, `forged_events` and `forged_set_ups`. `RunningGame.record`
repairs the chain, the positions and the signature, as somebody with the server's own key could. The forger
knows all secrets. Where it mends a game, it lets the rules decide everything after its change anew, so that
the rest fits the change as well as the rules allow.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, TypeAlias

from domain.contract import DomainEvent, Json
from domain.errors import CartularyError
from domain.event import ZEROS
from domain.game import Game
from ledger.canonical import canonical
from tests.support.honest_server import HonestServer, NotWritten
from tests.support.running_games import DATA_ERRORS, RunningGame

Change: TypeAlias = Callable[["Forger"], int | None]
"""Changes a forger's events. Returns the index from which the rules may decide them anew; None where there is
nothing to change.
"""

BROKEN: Final = (CartularyError, NotWritten, *DATA_ERRORS)


class Forger:
    """Forges one game: `events` are what it changes, `chance` chooses where."""

    def __init__(self, game: RunningGame, chance: random.Random) -> None:
        self.running = game
        self.chance = chance
        self.events: list[Json] = deepcopy([dict(event) for event in game.events])
        self.start = next(
            i for i, event in enumerate(self.events) if event["type"] == "GameStarted"
        )

    @property
    def created(self) -> Json:
        """The data of `GameCreated`."""
        data: Json = self.events[0]["data"]
        return data

    @property
    def started(self) -> Json:
        """The data of `GameStarted`."""
        data: Json = self.events[self.start]["data"]
        return data

    def any_event(self) -> int:
        """The index of some event after the first."""
        return self.chance.randrange(1, len(self.events))

    def any_event_that(self, is_fit: Callable[[Json], object]) -> int | None:
        """The index of some event that is fit; None if there is none."""
        fit = [i for i, event in enumerate(self.events) if is_fit(event)]
        return self.chance.choice(fit) if fit else None

    def any_action(self) -> int | None:
        """The index of some event that comes of an action."""
        return self.any_event_that(lambda event: event["action"] is not None)

    def any_moment(self) -> int:
        """The index before which an event can be put in."""
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

    def put_in(self, index: int, fact: DomainEvent, by: object, action: object = None) -> None:
        """A new event before this index, at the time of the one before it."""
        before = self.events[index - 1]
        event: Json = {
            "v": 1,
            "game": before["game"],
            "seq": index + 1,
            "type": fact.type,
            "at": before["at"],
            "by": by,
            "action": action,
            "data": deepcopy(fact.data),
            "state": ZEROS,
            "prev": ZEROS,
            "hash": ZEROS,
        }
        self.events.insert(index, event)

    def mend(self, index: int) -> None:
        """Let the rules decide the events from this index on anew, as far as they allow them."""
        try:
            server = self.server_at(index)
        except BROKEN:
            return
        for event in self.events[index:]:
            try:
                by, decided = server.answer(event)
                event.update(by=by, type=decided.type, data=deepcopy(decided.data))
            except BROKEN:
                pass  # it stays as it was
            try:
                server.accept(event)
            except BROKEN:
                return

    def other(self, value: Any, field: str) -> Any:
        """Another value for a field that could be there."""
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
        """The values that a field has anywhere in the game, each once."""
        values = {
            canonical(value): value
            for event in self.running.events
            for part in ("data", "action")
            for way, value in inside({part: event[part]})
            if way[-1] == field
        }
        return list(values.values())


def inside(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Everything inside a JSON value, with the keys that lead there."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in entries:
        yield (*way, key), item
        if isinstance(item, dict | list):
            yield from inside(item, (*way, key))


def field_of(way: Sequence[Any]) -> str:
    """The name of the field that a way leads to or through at last."""
    return next((key for key in reversed(way) if isinstance(key, str)), "")


def holder_of(value: Any, way: Sequence[Any]) -> Any:
    """The object or list in which a way ends."""
    for key in way[:-1]:
        value = value[key]
    return value


def is_played(event: Json) -> bool:
    """Whether it is an event of play."""
    return "then" in event["data"]


def later(at: str, seconds: int) -> str:
    """The time so many seconds later."""
    later = datetime.fromisoformat(at) + timedelta(seconds=seconds)
    return later.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class Forgery:
    """A record with forged events, and how they were forged."""

    kind: str
    is_mended: bool
    data: bytes


def forge(
    game: RunningGame, kind: str, change: Change, chance: random.Random, *, mends: bool
) -> Forgery | None:
    """The record of the game with a change of this kind; None where it comes out as it was."""
    forger = Forger(game, chance)
    index = change(forger)
    if index is None:
        return None
    if mends:
        forger.mend(index)
    data = forger.running.record(forger.events)
    return None if data == game.record() else Forgery(kind, mends, data)
