"""The rules of no game show a viewer a secret: not in positions, actions, refusals, previews or texts.

Everything that a viewer gets from a game in which all secrets are known is compared with what they get if
only their own secrets are known. A field that is not redacted differs.
"""

from collections.abc import Iterator, Sequence
from io import BytesIO
from types import SimpleNamespace
from typing import Any, cast

import pytest

from domain import contract
from domain.choices import Choice, Preview
from domain.contract import (
    ALL_SECRETS,
    ActionJson,
    AnyRuleSystem,
    DomainEvent,
    Reason,
    secret_owner,
)
from domain.errors import Malformed, Refused
from domain.event import Event, acting_seat
from domain.fold import evolve
from domain.game import Game
from domain.hexes import hex_text
from domain.json_types import JsonObject
from domain.messages import Text, message
from domain.next_step import next_step
from domain.registry import EXPANSIONS, RULES, with_game
from ledger.record import Record, read
from replay.bots.playout import plan, play
from tests.support import token_game
from tests.support.events import event_of
from tests.support.svg import svg

KINDS = [
    *((name, {}) for name in (token_game.NAME, *RULES)),
    *((g, {o: True}) for g, o in EXPANSIONS),
]
TABLES = [
    (rules, options, seats)
    for rules, options in KINDS
    for seats in (2, 3, 4, 5)
    # A game with an expansion seats five only with it.
    if seats < 5 or options or all(rules != game for game, _ in EXPANSIONS)
]
IN_PART = [
    (rules, options, seats)
    if seats in (2, 5)
    else pytest.param(rules, options, seats, marks=pytest.mark.nightly)
    for rules, options, seats in TABLES
]
"""Of these tables, those with the fewest and the most seats are examined in each run."""
EVENTS_BETWEEN_CHOICES = 7
"""The choices of a seat are compared at every 7th event, which does not divide the events of a round."""


@pytest.fixture(autouse=True)
def registered_token_game() -> Iterator[None]:
    with token_game.registered():
        yield


def recorded(rules: str, seats: int, options: JsonObject, seed: int = 2) -> Record:
    """A whole game among bots."""
    limit: int | None = 3
    try:
        planned = plan(rules, seats, bytes([seed]) * 32, options, ["random", "sensible"], limit)
    except Malformed:  # a game that ends by itself
        planned = plan(rules, seats, bytes([seed]) * 32, options, ["random", "sensible"])
    return read(BytesIO(play(planned).record))


@pytest.mark.parametrize(("rules", "options", "seats"), IN_PART)
def test_a_viewer_sees_only_what_the_viewer_may_know(
    rules: str, options: JsonObject, seats: int
) -> None:
    record = recorded(rules, seats, options)
    for viewer in (None, *range(seats)):
        compare_views(record, viewer)


def compare_views(
    record: Record, viewer: int | None, choices_every: int = EVENTS_BETWEEN_CHOICES
) -> None:
    """Fold the game with all secrets and with those of the viewer, and compare what the viewer gets."""
    opened = record.opened_values()
    own = {
        seq: {
            name: value
            for name, value in values.items()
            if viewer is not None and secret_owner(name) == viewer
        }
        for seq, values in opened.items()
    }
    by_text = {str(event["action"]): event["action"] for event in record.events}
    actions = [action for _, action in sorted(by_text.items()) if action is not None]
    step = 1 + len(actions) // 10
    whole: Game | None = None
    part: Game | None = None
    for event in record.events:
        if whole is not None and part is not None and whole.state is not None:
            assert explanation(whole, event) == explanation(part, event)
        whole, part = evolve(whole, event, opened), evolve(part, event, own)
        if whole.state is None or whole.has_ended:
            continue
        assert whole.position(viewer) == part.position(viewer)
        assert picture(whole, viewer, event) == picture(part, viewer, event)
        assert whole.rules.standings(whole.state) == part.rules.standings(part.state)
        if viewer is not None and whole.to_act is not None:
            assert legal_actions(whole, viewer) == legal_actions(part, viewer)
            for raw in actions[event["seq"] % step :: step]:
                expected = refusal(whole, viewer, raw)
                assert expected is None or expected == refusal(part, viewer, raw)
            if event["seq"] % choices_every == viewer % choices_every:
                compare_choices(whole, part, viewer)


def compare_choices(whole: Game, part: Game, seat: int) -> None:
    """Compare what a seat gets on the way to an action: the last option of every step is chosen."""
    rules, position = whole.rules, whole.position(seat)
    hexes = [cell.at for cell in rules.scene(cast("JsonObject", position), None).cells]
    values = [*rules.ACTIONS, *(hex_text(at) for at in hexes[:: 1 + len(hexes) // 5]), "2", "no"]
    legal = rules.legal_actions(whole.state, seat)
    chosen: list[str] = []
    while True:
        step = next_step(rules, whole.state, seat, legal, chosen)
        assert step == next_step(rules, part.state, seat, legal, chosen)
        for number, choice in enumerate([*step.path, *step.options]):
            path = step.path[:number]
            seen = rules.choice_message(position, choice, path)
            assert seen == rules.choice_message(part.position(seat), choice, path)
        for value in [*values, *(option.value for option in step.options[:3])]:
            compare_attempts(whole, part, seat, step.path, value)
        if not step.options:
            break
        chosen.append(step.options[-1].value)
    others = rules.actions_at_any_time(whole.state, seat)
    assert others == rules.actions_at_any_time(part.state, seat)
    for action in [*others, *([] if step.action is None else [step.action])]:
        preview = rules.preview(whole.state, seat, action)
        assert preview == rules.preview(part.state, seat, action)
        after = contract.evolve(rules, part.state, [preview.event])
        assert rules.position(after, seat) == rules.position(
            contract.evolve(rules, whole.state, [preview.event]), seat
        )


def compare_attempts(
    whole: Game, part: Game, seat: int, path: Sequence[Choice], value: str
) -> None:
    """Compare what choosing a value amounts to, and why it is refused."""
    rules = whole.rules
    action = rules.action_for_choice(whole.state, seat, path, value)
    assert action == rules.action_for_choice(part.state, seat, path, value)
    if action is not None:
        raw = rules.action_to_json(action)
        expected = refusal(whole, seat, cast("JsonObject", raw))
        assert expected is None or expected == refusal(part, seat, cast("JsonObject", raw))


def explanation(game: Game, event: Event) -> list[Reason]:
    decided = event_of(event["type"], event["data"])
    return game.rules.explain(game.state, acting_seat(event["by"]), decided)


def picture(game: Game, viewer: int | None, event: Event) -> str:
    if event["seq"] % 20:
        return ""
    return svg(game.rules.scene(cast("JsonObject", game.position(viewer)), event))


def legal_actions(game: Game, seat: int) -> list[ActionJson]:
    return [
        game.rules.action_to_json(action) for action in game.rules.legal_actions(game.state, seat)
    ]


def refusal(game: Game, seat: int, raw: JsonObject) -> tuple[str | None, Text] | None:
    """The clause and the reason for which an action is refused; None if it is not."""
    try:
        game.rules.decide(game.state, seat, game.rules.parse_action(raw))
    except Refused as error:
        return error.clause, error.why
    return None


@pytest.mark.parametrize(("rules", "options"), KINDS)
def test_after_the_end_everybody_sees_the_same_at_every_event(
    rules: str, options: JsonObject
) -> None:
    record = recorded(rules, 3, options)
    viewers = (None, 0, 1, 2)
    game: Game | None = None
    for event in record.events:
        game = evolve(game, event, record.opened_values())
        if game.state is not None:
            positions = [game.rules.position(game.state, ALL_SECRETS)] * 4
            assert [game.position(viewer, ended=True) for viewer in viewers] == positions
            if game.has_ended:
                assert [game.position(viewer) for viewer in viewers] == positions
    assert game is not None
    assert game.has_ended


@pytest.mark.parametrize(
    ("rules", "options", "seats"), [table for table in TABLES if table[2] in {2, 5}]
)
def test_the_name_of_a_secret_states_its_owner(rules: str, options: JsonObject, seats: int) -> None:
    record = recorded(rules, seats, options)
    for event in record.events:
        names = event.get("secrets", {})
        assert event["type"] == "GameStarted" or not names, "only a set-up has secrets"
        for name in names:
            seat = secret_owner(name)
            assert (seat is None) == ("/" not in name)
            assert seat is None or 0 <= seat < seats


@pytest.mark.parametrize(
    ("name", "seat"),
    [("pile", None), ("reserve/0", 0), ("reserve/4", 4), ("1", None), ("a/b", None), ("a/", None)],
)
def test_the_owner_of_a_secret(name: str, seat: int | None) -> None:
    assert secret_owner(name) == seat


def _next_value(state: token_game.State, viewer: int | None) -> JsonObject:
    following = (state.values or (None,))[0]
    return {**token_game.position(state, viewer), "next": following}


def _sum_of_lucky(state: token_game.State, viewer: int | None) -> JsonObject:
    return {**token_game.position(state, viewer), "lucky": sum(n or 0 for n in state.lucky)}


def _refuses_by_value(state: token_game.State, seat: int, action: Any) -> DomainEvent:
    if isinstance(action, token_game.Take) and action.stones > 1 and seat == state.to_act:
        raise Refused("ST-TAKE", message(f"the next one is worth {(state.values or (0,))[0]}"))
    return token_game.decide(state, seat, action)


def _lists_by_value(state: token_game.State, seat: int) -> list[token_game.Action]:
    return [*token_game.legal_actions(state, seat)][: (state.values or (1,))[0]]


def _options_by_value(
    state: token_game.State, seat: int, action: Any, path: Sequence[Choice]
) -> Sequence[Choice]:
    symbol = str((state.values or (0,))[0])
    return [
        Choice(choice.question, choice.value, symbol=symbol)
        for choice in token_game.choices(state, seat, action, path)
    ]


def _action_by_value(
    state: token_game.State, seat: int, path: Sequence[Choice], value: str
) -> token_game.Action | None:
    return token_game.Take((state.values or (0,))[0])


def _previews_values(state: token_game.State, seat: int, action: Any) -> Preview:
    return Preview(token_game.decide(state, seat, action))


@pytest.mark.parametrize(
    "leak",
    [
        {"position": _next_value},
        {"position": _sum_of_lucky},
        {"position": lambda state, _: token_game.position(state, ALL_SECRETS)},
        {"decide": _refuses_by_value},
        {"legal_actions": _lists_by_value},
        {"choices": _options_by_value},
        {"action_for_choice": _action_by_value},
        {"preview": _previews_values},
        {"explain": lambda state, *_: [("ST-TAKE", str(state and state.values))]},
    ],
)
def test_the_comparison_finds_a_game_that_does_not_redact(leak: JsonObject) -> None:
    record = recorded(token_game.NAME, 3, {})
    leaky = SimpleNamespace(**{**vars(token_game), **leak})
    with with_game(cast("AnyRuleSystem", leaky)), pytest.raises(AssertionError):
        compare_views(record, 1, choices_every=1)
