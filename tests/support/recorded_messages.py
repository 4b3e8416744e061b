"""The messages of recorded games: events, explanations, refusals, choices and pictures.

Refusals come from actions that were changed in one place, or that belong to another position. Which ones are
tried depends on nothing but the records.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from itertools import chain
from typing import Any, Final, TypeAlias

from domain import lifecycle
from domain.choices import action_choice
from domain.contract import AnyRuleSystem, DomainEvent
from domain.errors import Malformed, Refused
from domain.event import acting_seat, recorded_data
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import Amount, Listing, Message, Term, Value
from tests.games.records import FOLDER, course_of, record_of

Path: TypeAlias = tuple[str | int, ...]

NAMES: Final = tuple(sorted(path.stem for path in FOLDER.glob("*.jsonl")))
"""The names of all recorded games."""

NO_ACTIONS: Final[Sequence[Any]] = (None, [], {}, {"type": 3}, {"type": "dance"}, "resign")
NO_SHORT_FORMS: Final = (
    "",
    "dance",
    "move",
    "draw",
    "lay pond",
    "keep 1",
    "resign now",
    "recruit x",
)
OTHER_VALUES: Final[Sequence[Any]] = (None, "x", -1, [], {}, True)
"""Values that are wrong in most fields."""


def event_messages(name: str) -> Iterator[Any]:
    """Yield the messages of the events of a recorded game."""
    for game, event in zip(course_of(name), record_of(name).events, strict=True):
        yield game.rules.event_message(event["type"], recorded_data(event))


def explanations(name: str) -> Iterator[Any]:
    """Yield the sentences that explain the events of a recorded game."""
    record, state = record_of(name), None
    opened = record.opened_values()
    for game, event in zip(course_of(name), record.events, strict=True):
        secrets = opened.get(event["seq"], {})
        decided = DomainEvent(event["type"], recorded_data(event), secrets)
        for _, sentence in game.rules.explain(state, acting_seat(event["by"]), decided):
            yield sentence
        state = game.state


def scene_messages(name: str) -> Iterator[Any]:
    """Yield the messages in the pictures of some positions of a recorded game."""
    steps = zip(course_of(name), record_of(name).events, strict=True)
    for game, event in [*steps][::8]:
        if game.state is not None:
            viewer = game.rules.position(game.state, game.to_act)
            yield from _messages_in(game.rules.scene(viewer, event))


def choice_messages(name: str) -> Iterator[Any]:
    """Yield the questions on the way to some actions of a recorded game, and the choices in words."""
    for game in course_of(name)[::12]:
        if game.to_act is None:
            continue
        rules, state, seat = game.rules, game.state, game.to_act
        position = rules.position(state, seat)
        for action in [
            *rules.legal_actions(state, seat)[::29],
            *rules.actions_at_any_time(state, seat),
        ]:
            path = [action_choice(action.type)]
            yield rules.choice_message(position, path[0], [])
            while following := rules.choices(state, seat, action, path):
                yield rules.QUESTIONS[following[0].question]
                yield rules.choice_message(position, following[0], path)
                path.append(following[0])


def _messages_in(part: object) -> Iterator[Any]:
    if isinstance(part, Message | Listing | Term | Amount):
        yield part
    elif isinstance(part, tuple):
        for item in part:
            yield from _messages_in(item)
    elif is_dataclass(part):
        for field in fields(part):
            yield from _messages_in(getattr(part, field.name))


@dataclass(frozen=True, slots=True)
class Attempt:
    """An action that a seat tries in a game; `raw` is its JSON."""

    game: Game
    seat: int
    raw: JsonObject


def refusals(name: str) -> Iterator[Refused]:
    """Yield refusals of actions in the positions of a recorded game, and of other requests."""
    course = course_of(name)
    for attempt in _attempts(name):
        try:
            action = attempt.game.rules.parse_action(attempt.raw)
            attempt.game.decide(attempt.seat, action)
        except Refused as refused:
            yield refused
    for game in (course[0], course[len(course) // 2], course[-1]):
        yield from _refused_requests(game)


def _attempts(name: str) -> Iterator[Attempt]:
    """Yield the recorded actions with changes, and actions of other positions, by any seat."""
    course, events = course_of(name), record_of(name).events
    actions = [event["action"] for event in events if event["action"] is not None]
    for index, (game, event) in [*enumerate(zip(course, events[1:], strict=False))][::2]:
        seat, action = acting_seat(event["by"]), event["action"]
        if seat is None or action is None:
            continue
        others = actions[index % 11 :: 11]
        for raw in chain(_variants(action, others), others[:3]):
            yield Attempt(game, seat, raw)
        yield Attempt(game, (seat + 1) % game.seats, action)
        yield Attempt(course[-1], seat, action)


def _variants(action: JsonObject, others: Iterable[JsonObject]) -> Iterator[JsonObject]:
    """Yield an action with one field changed, left out or added."""
    yield {**action, "extra": 1}
    for path, value in _leaves(action):
        if path == ("type",):
            continue
        yield _with(action, path, OTHER_VALUES[len(str(value)) % len(OTHER_VALUES)])
        if isinstance(value, int) and not isinstance(value, bool):
            yield _with(action, path, value + 1)
            yield _with(action, path, value - 7)
        elif isinstance(value, str):
            for other in others:
                if isinstance(word := other.get(str(path[-1])), str):
                    yield _with(action, path, word)
    for field in action:
        yield {name: value for name, value in action.items() if name != field}
        if isinstance(action[field], list):
            yield {**action, field: action[field] * 2}


def _leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield the values of an action that are no list or object, with their places in it."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from _leaves(part, (*path, name))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from _leaves(part, (*path, index))
    else:
        yield path, value


def _with(value: Any, path: Path, leaf: Any) -> Any:
    """Return a copy of a value with another leaf."""
    if not path:
        return leaf
    first, rest = path[0], path[1:]
    items = value.items() if isinstance(value, Mapping) else enumerate(value)
    changed = {key: _with(item, rest, leaf) if key == first else item for key, item in items}
    return changed if isinstance(value, Mapping) else [*changed.values()]


def _refused_requests(game: Game) -> Iterator[Refused]:
    """Yield the refusals of requests that the game does not accept in this state."""
    player = game.places[0].player if game.places else "0123456789abcdef"
    requests: tuple[Callable[[], object], ...] = (
        lambda: lifecycle.join(game, player, bytes(32)),
        lambda: lifecycle.join(game, "0123456789abcdef", bytes(32)),
        lambda: lifecycle.leave(game, player),
        lambda: lifecycle.leave(game, "0123456789abcdef"),
        lambda: lifecycle.start(game, bytes(32)),
        lambda: lifecycle.forfeit(game),
        lambda: lifecycle.remove(game, 0),
        lambda: lifecycle.finish(game, bytes(32)),
        lambda: lifecycle.abandon(game, bytes(32)),
        lambda: lifecycle.revoke_key(game, player, "0123456789abcdef"),
    )
    for request in requests:
        try:
            request()
        except Refused as refused:
            yield refused


def refused_forms(rules: AnyRuleSystem) -> Iterator[Malformed]:
    """Yield the refusals of actions and options without a valid form."""
    attempts: list[Callable[[], object]] = [
        *(partial(rules.parse_action, raw) for raw in NO_ACTIONS),
        *(partial(rules.parse_action_text, text) for text in NO_SHORT_FORMS),
        partial(rules.check_options, 1, {"tempo": "slow"}),
        partial(rules.check_options, 9, {"board": 3}),
    ]
    for attempt in attempts:
        try:
            attempt()
        except Malformed as malformed:
            yield malformed


def values_of(refused: Refused) -> Iterator[Any]:
    """Yield what a refusal shows: all of it, or the fault of each field."""
    if isinstance(refused, Malformed):
        yield from refused.fields.values()
    else:
        yield refused.message


def parts(value: Value) -> Iterator[Value]:
    """Yield a value and all values in it."""
    yield value
    match value:
        case Message():
            for inner in value.values.values():
                yield from parts(inner)
        case Listing(items):
            for inner in items:
                yield from parts(inner)
        case Amount(_, term):
            yield term
        case _:
            pass
