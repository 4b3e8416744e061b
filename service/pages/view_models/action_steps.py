"""The steps by which a player comes to an action, as links.

The choices that a player has made are in the address of the page (`?choose=move&choose=1,0`), so the server
keeps nothing, and the browser's "back" is a step back. The rule system defines the questions and the choices;
nothing here depends on a game.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from domain.choices import COMMON_QUESTIONS, Choice, Preview, action_choice
from domain.contract import Action, AnyRuleSystem, evolve
from domain.errors import Malformed, Refused
from domain.event import Event
from domain.game import Game, copy
from domain.hexes import Hex
from domain.messages import Text, comma_list, hex_at, message
from domain.next_step import Step, Steps, UnknownChoice, next_step, refusal
from domain.scene import Scene, caption, with_changes
from domain.turn_plan import PlannedAction, TurnPlan, goes_on_after, turn_plan
from replay.history.recap import ActionEffects, effects_between
from replay.render.embedded_map import view_box
from replay.render.map_links import HexLink, sign_of
from service.pages.view_models.action_query import ActionQuery
from service.pages.view_models.choice_numbers import choice_numbers
from service.pages.view_models.other_hexes import Way, other_hexes
from service.pages.view_models.position_view import unsealed_event

_WHY_NOT: Final = message("why this cannot be chosen")
_NOT_HERE: Final = message("this cannot be chosen here")
_SAME_RESULT: Final = message("this would have the same result as another choice")
_GO_BACK: Final = message("go back to this choice")
NO_LONGER_POSSIBLE: Final = message(
    "this page was about a choice that is no longer possible; you see the position without it"
)


@dataclass(frozen=True, slots=True)
class Option:
    """Something that can be chosen, or whose refusal can be explained: its words, its address, its symbol.

    `number` is what people type to choose it.
    """

    label: Text
    address: str
    symbol: str = ""
    number: str = ""
    word: str = ""
    """The value of the choice, by which the rule system explains it."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The explanation of why something cannot be chosen: its reason, and the clause, if there is one.

    `label` is the type of action that is refused, where there are reasons for several.
    """

    why: Text
    clause: str | None
    at: Hex | None = None
    label: Text | None = None


@dataclass(frozen=True, slots=True)
class ShownAction:
    """An action that the board previews: what the log would say of it, its short form and its JSON."""

    caption: Text
    text: str
    json: Mapping[str, Any]


@dataclass(frozen=True)
class ActionSteps:
    """Where a player stands on the way to an action, for the macros of templates/action_steps.html.

    If the player plans several actions of a turn, the game is as it is after those that are planned already.
    """

    game: Game
    seat: int
    position: Any
    query: ActionQuery
    step: Step[Any]
    steps: Steps[Any, Any, Any] = field(repr=False)
    """The steps on the way to the action, of which `step` is one."""
    at_any_time: Sequence[Action] = ()
    attempts: Sequence[Attempt] = ()
    planned: Sequence[PlannedAction[Any, Any]] = ()
    """The actions that are confirmed together with the one of this step, and taken before it."""
    first_scene: Scene | None = None
    """The scene before the planned actions, whose room the map has; None if there are none."""
    last: Event | None = None
    """The event that led to the position; None if that is a planned action."""
    is_outdated: bool = False
    """Whether the address had choices that are not possible, such as that of a page before the last action.
    None of them is made, and `attempts` says so."""
    way: Way | None = None
    """The way to the last action that the player has begun; None without choices."""

    @property
    def actions(self) -> Sequence[Action]:
        """The legal actions."""
        actions: Sequence[Action] = self.steps.actions
        return actions

    @property
    def question(self) -> Text | None:
        """The question that is open."""
        name = self.step.question
        return None if name is None else self.game.rules.QUESTIONS[name]

    @cached_property
    def _choices(self) -> Sequence[Choice]:
        """What can be chosen now: cards first, then hexes.

        The choice that nothing is added is not among them: the player confirms the action instead.
        """
        choices = [
            choice
            for choice in (*self.step.options, *self.step.alternatives)
            if choice.addition is not False or self.step.action is None
        ]
        choices.sort(key=lambda choice: choice.at or ())
        return choices

    @cached_property
    def _numbers(self) -> tuple[list[str], list[str]]:
        """The numbers of what can be chosen now, and of the replacements; cards have the first ones."""
        count = len(self._choices)
        cards = sum(choice.at is None for choice in self._choices)
        replacements = len(self._replacements)
        all_numbers = choice_numbers(cards + replacements, count - cards)
        others = all_numbers[cards : cards + replacements]
        return all_numbers[:cards] + all_numbers[cards + replacements :], others

    @property
    def _following(self) -> Sequence[tuple[Choice, str]]:
        """What can be chosen now, each with its number: cards first, then hexes."""
        return list(zip(self._choices, self._numbers[0], strict=True))

    @cached_property
    def _replacements(self) -> Sequence[Choice]:
        """Other answers to a question about the last planned action that was answered for the player."""
        if not self.planned or self.query.values != self.planned_values:
            return ()
        return [choice for choice in self.planned[-1].step.alternatives if choice.at is None]

    @cached_property
    def options(self) -> list[Option]:
        """What can be chosen now that is no hex."""
        contexts = self.step.next_contexts
        cards = [
            (choice, number, self._label(choice, contexts[choice.value]))
            for choice, number in self._following
            if choice.at is None
        ]
        if self.question is None:
            # Nothing is asked: these replace answers that were given for the player.
            cards = [(choice, number, _instead(label)) for choice, number, label in cards]
        if self._replacements:
            contexts = self.planned[-1].step.next_contexts
            cards += [
                (choice, number, _instead(self._label(choice, contexts[choice.value])))
                for choice, number in zip(self._replacements, self._numbers[1], strict=True)
            ]
        return [
            Option(label, self._address_of(choice), choice.symbol, number, choice.value)
            for choice, number, label in cards
        ]

    @cached_property
    def hexes(self) -> list[Option]:
        """The hexes that can be chosen now, in words."""
        return [
            Option(
                message("{hex}: {actions}", hex=hex_at(choice.at), actions=self._hex_label(choice))
                if self._is_before_type
                else self._hex_label(choice),
                self._address_of(choice),
                number=number,
            )
            for choice, number in self._following
            if choice.at is not None
        ]

    @property
    def _is_before_type(self) -> bool:
        """Whether nothing has been chosen yet, so that a hex can be chosen for all types of actions."""
        return not self.step.path

    def _hex_label(self, choice: Choice) -> Text:
        if not self._is_before_type:
            return self._label(choice, self.step.next_contexts[choice.value])
        types = self.step.next_types[choice.value]
        labels = self.game.rules.LABELS
        return comma_list(labels.get(type, message("{type}", type=type)) for type in types)

    def _address_of(self, choice: Choice) -> str:
        return self.query.address([*self.query.values, choice.value])

    @cached_property
    def unavailable(self) -> list[Option]:
        """The types of actions that the rules do not allow now, each with the address of the reason."""
        if self.step.question != "action":
            return []
        rules = self.game.rules
        others = {action.type for action in self.at_any_time}
        others |= {choice.value for choice in self.step.options}
        others |= set() if self.action is None else {self.action.type}
        return [
            Option(
                rules.LABELS.get(type, message("{type}", type=type)),
                self.query.address(self.planned_values, attempt=type),
            )
            for type in rules.ACTIONS
            if type not in others
            and rules.action_for_choice(self.game.state, self.seat, (), type) is not None
        ]

    @property
    def others(self) -> list[Option]:
        """The actions that are possible whether or not it is the seat's turn, such as resigning."""
        text = self.game.rules.action_text
        return [
            Option(self._last_label(action), self.query.address([], action=text(action)))
            for action in self.at_any_time
        ]

    @cached_property
    def path(self) -> list[tuple[Text, Text, str | None]]:
        """The choices so far: question, answer, and the address that goes back to a choice of the player.

        A planned action is one choice.
        """
        rows: list[tuple[Text, Text, str | None]] = []
        before: tuple[str, ...] = ()
        for planned, shown in zip(self.planned, self.shown_actions, strict=False):
            rows.append((COMMON_QUESTIONS["action"], shown.caption, self.query.address(before)))
            before += planned.values
        contexts = zip(self.step.path, self.step.contexts, strict=True)
        for index, (choice, context) in enumerate(contexts):
            back = None
            if index in self.step.manual:
                back = self._address_before(index)
            question = self.game.rules.QUESTIONS[choice.question]
            rows.append((question, self._label(choice, context), back))
        return rows

    @property
    def planned_values(self) -> tuple[str, ...]:
        """The choices that led to the planned actions."""
        return tuple(value for planned in self.planned for value in planned.values)

    def _address_before(self, index: int) -> str:
        """Return the address with the choices before one that the player has made."""
        count = len(self.planned_values) + self.step.manual.index(index)
        return self.query.address(self.query.values[:count])

    @property
    def back(self) -> str | None:
        """The address one step back; None at the first step."""
        if self.query.action is not None:
            return self.query.address([])
        values = self.query.values
        return self.query.address(values[:-1]) if values else None

    @property
    def start(self) -> str:
        """The address of the first step."""
        return self.query.address([])

    @property
    def drop(self) -> str | None:
        """The address without what the player has in hand, such as a piece that has no destination yet."""
        return None if self.way is None else self.query.address(self.way.values_when_dropped)

    @cached_property
    def scene(self) -> Scene:
        """The scene of the position."""
        scene: Scene = self.game.rules.scene(self.position, self.last)
        room = () if self.first_scene is None else self.first_scene.room
        return replace(scene, room=room or scene.room)

    @cached_property
    def links(self) -> Mapping[Hex, HexLink]:
        """The hexes of the board as links: to choose one, or another one in place of a former choice, to go
        back, or to see why one cannot be chosen.
        """
        links: dict[Hex, HexLink] = {}
        hexes = [(choice, choice.at, number) for choice, number in self._following if choice.at]
        if self.step.options:
            address = self.query.address(self.query.values, attempt="")
            for cell in self.scene.cells:
                q, r = cell.at
                links[cell.at] = HexLink(f"{address}{q},{r}", _WHY_NOT)
        seats = {cell.at: {piece.seat for piece in cell.pieces} for cell in self.scene.cells}
        own = {at for at, owners in seats.items() if self.seat in owners}
        if self.way is not None:
            # Where other hexes are asked for, the signs are those of the answers alone.
            for at, other in other_hexes(self.way, own, is_preview=self.is_preview).items():
                address, has_sign = self.query.address(other.values), other.is_place and not hexes
                sign = sign_of(seats.get(at, set()), self.seat)
                links[at] = HexLink(address, other.label, "other", "", not has_sign, sign)
            for at, (values, is_last) in self.way.hexes.items():
                links[at] = HexLink(
                    self.query.address(values), _GO_BACK, "chosen", is_aside=not is_last
                )
        for choice, at, number in hexes:
            address, label = self._address_of(choice), self._hex_label(choice)
            is_aside = self._is_before_type and not self.planned and at not in own
            sign = sign_of(seats.get(at, set()), self.seat)
            links[at] = HexLink(address, label, "option", number, is_aside, sign)
        return links

    @cached_property
    def changes_map(self) -> bool:
        """Whether the choices need another map than the position: a preview, or one with more hexes."""
        return self.is_preview or not self.is_within_board()

    def is_within_board(self) -> bool:
        """Return whether the map of the position has room for every linked hex."""
        return view_box(self.scene, self.links) == view_box(self.scene, ())

    @property
    def action(self) -> Action | None:
        """The action to which the choices have led. With a question, something can be added to it."""
        return self.step.action

    @property
    def shown_action(self) -> Action | None:
        """The action that the board previews, if it is complete."""
        return self.step.action or self.step.extended

    @property
    def is_preview(self) -> bool:
        """Whether the board shows what has not happened yet."""
        return bool(self.planned) or self.shown_action is not None

    @cached_property
    def shown_actions(self) -> list[ShownAction]:
        """The actions that the board previews, in their order."""
        rules = self.game.rules
        actions = [planned.action for planned in self.planned]
        if self.shown_action is not None:
            actions.append(self.shown_action)
        return [
            ShownAction(
                caption(event, rules.event_message),
                rules.action_text(action),
                rules.action_to_json(action),
            )
            for action, event in zip(actions, self._shown_events, strict=True)
        ]

    @property
    def action_json(self) -> Mapping[str, Any]:
        """The last previewed action as JSON."""
        return self.shown_actions[-1].json

    @cached_property
    def needs_second_confirmation(self) -> bool:
        """Whether the action gives something up: a turn, or the game."""
        action = self.step.action
        return action is not None and (not self._is_among_legal() or action.type == "pass")

    @cached_property
    def preview(self) -> Preview:
        """What the previewed action leads to, without what the seat may not know yet."""
        return self.game.rules.preview(self.game.state, self.seat, self.shown_action)

    @cached_property
    def turn_goes_on(self) -> bool:
        """Whether the player acts again in this turn after the previewed action."""
        game, action = self.game, self.shown_action
        return action is not None and goes_on_after(game.rules, game.state, self.seat, action)

    @cached_property
    def effects(self) -> ActionEffects:
        """What the previewed actions do."""
        first = self.scene if self.first_scene is None else self.first_scene
        type = self.shown_action.type if self.shown_action else self.planned[-1].action.type
        return effects_between(first, self.preview_scene, self.seat, type)

    @cached_property
    def preview_scene(self) -> Scene:
        """The scene of the position after the previewed actions, with the differences marked.

        It has the room of the scene before, so that the board stays where it is.
        """
        rules = self.game.rules
        after = copy(self.game)
        if self.shown_action is not None:
            after.state = evolve(rules, self.game.state, [self.preview.event])
        position = after.position(self.seat)
        scenes = [rules.scene(position, event) for event in self._shown_events]
        return replace(with_changes(scenes), room=self.scene.room)

    @cached_property
    def _shown_events(self) -> list[Event]:
        """The known events of the previewed actions."""
        rules = self.game.rules
        events = [(planned.action, planned.event) for planned in self.planned]
        if self.shown_action is not None:
            events.append((self.shown_action, self.preview.event))
        return [
            unsealed_event(self.game, self.seat, event, dict(rules.action_to_json(action)))
            for action, event in events
        ]

    def _is_among_legal(self) -> bool:
        return self.step.action in self.actions

    def _last_label(self, action: Action) -> Text:
        """The last choice on the way to an action: `resign`, `no longer ask for the end of the game`."""
        path = next_step(self.game.rules, self.game.state, self.seat, [action], ()).path
        return self._label(path[-1], path[:-1])

    def _label(self, choice: Choice, path: Sequence[Choice]) -> Text:
        label: Text = self.game.rules.choice_message(self.position, choice, path)
        return label


def _instead(label: Text) -> Text:
    return message("instead: {choice}", choice=label)


def action_steps(
    game: Game,
    seat: int,
    query: ActionQuery,
    last: Event | None = None,
    *,
    plans_turn: bool = False,
) -> ActionSteps | None:
    """Return where the seat stands with these choices; None if it can take no action now.

    `last` is the event that led to the position, if the page marks what it changed. With `plans_turn`, the
    choices go on to the next action of the turn where nothing is revealed in between.

    If one of the choices cannot be made, it stands at the first step. The address is then usually one that
    the browser has kept, of a page before the last action. If the address asks why a hex cannot be chosen,
    the seat has no longer in hand what it had (`Way.values_when_dropped`).
    """
    if game.status != "playing" or game.state is None:
        return None
    start, rules, state = game, game.rules, game.state
    actions, at_any_time = rules.legal_actions(state, seat), rules.actions_at_any_time(state, seat)
    if not actions and not at_any_time:
        return None
    plan_for = turn_plan if plans_turn else _single_action
    attempts: Sequence[Attempt] = ()
    is_outdated = False
    plan: TurnPlan[Any, Any] | None = None
    if query.action is not None:
        step, attempts = _typed_action(game, seat, query.action)
        if not attempts:
            plan = TurnPlan((), step, (), (Steps(rules, state, seat, actions),))
    else:
        try:
            plan = plan_for(rules, state, seat, actions, query.values)
        except UnknownChoice:
            is_outdated, attempts = True, [Attempt(NO_LONGER_POSSIBLE, None)]
    if plan is None:
        query = ActionQuery(attempt=query.attempt, fixed=query.fixed)
        plan = plan_for(rules, state, seat, actions, ())
    way = _way(game, seat, plan)
    first_scene = None
    if plan.planned:
        first_scene = rules.scene(game.position(seat), last)
        game = _with_state(game, plan.planned[-1].after)
    if query.action is None and query.attempt is not None:
        attempts = _explain(game, seat, plan.step, query.attempt)
        if way is not None and _hex_of(query.attempt) is not None:
            # The player has turned to something else, and has nothing in hand any more.
            kept = replace(query, values=way.values_when_dropped, attempt=None)
            steps = action_steps(start, seat, kept, last, plans_turn=plans_turn)
            return None if steps is None else replace(steps, attempts=attempts)
    return ActionSteps(
        game,
        seat,
        game.position(seat),
        query,
        plan.step,
        plan.steps[-1],
        at_any_time,
        attempts,
        plan.planned,
        first_scene,
        None if plan.planned else last,
        is_outdated,
        way,
    )


def _with_state(game: Game, state: Any) -> Game:
    changed = copy(game)
    changed.state = state
    return changed


def _way(game: Game, seat: int, plan: TurnPlan[Any, Any]) -> Way | None:
    """Return the way to the last action of a plan that the player has begun; None if there is none.

    `game` is as it is before the plan.
    """
    planned = list(plan.planned)
    if plan.values:
        last = planned[-1].after if planned else None
        step, values = plan.step, plan.values
    elif planned:
        action = planned.pop()
        last = planned[-1].after if planned else None
        step, values = action.step, action.values
    else:
        return None
    before = tuple(value for action in planned for value in action.values)
    game = game if last is None else _with_state(game, last)
    return Way(game, seat, before, values, step, plan.steps[len(planned)])


def _single_action(
    rules: AnyRuleSystem, state: Any, seat: int, actions: Sequence[Action], values: Sequence[str]
) -> TurnPlan[Any, Any]:
    """Return the plan of one action to which these choices lead. Raises UnknownChoice."""
    steps = Steps(rules, state, seat, actions)
    return TurnPlan((), steps.after(values), tuple(values), (steps,))


def _typed_action(game: Game, seat: int, text: str) -> tuple[Step[Any], Sequence[Attempt]]:
    """Return the step at the end of choosing the action in short form, or why the action is refused."""
    rules = game.rules
    try:
        action = rules.parse_action_text(text)
        rules.preview(game.state, seat, action)
    except Malformed as error:
        return Step(), [Attempt(error.why, None)]
    except Refused as error:
        return Step(), [Attempt(error.why, error.clause)]
    return Step(action=action), ()


def _explain(game: Game, seat: int, step: Step[Any], value: str) -> Sequence[Attempt]:
    """Return why the seat cannot choose this value at this step.

    Where pieces of the seat can do nothing at all, there is a reason for each type of action.
    """
    at = _hex_of(value)
    if at is not None and not step.manual and _has_pieces(game, seat, at):
        reasons = _explain_pieces(game, seat, at, value)
        if reasons:
            return reasons
    path = step.path if at is None else step.hex_context
    refused = refusal(game.rules, game.state, seat, path, value)
    if refused is None:
        is_allowed = game.rules.action_for_choice(game.state, seat, path, value) is not None
        return [Attempt(_SAME_RESULT if is_allowed else _NOT_HERE, None, at)]
    return [Attempt(refused.why, refused.clause, at)]


def _has_pieces(game: Game, seat: int, at: Hex) -> bool:
    """Return whether the seat has a piece on the hex."""
    cells = game.rules.scene(game.position(seat), None).cells
    return any(piece.seat == seat for cell in cells if cell.at == at for piece in cell.pieces)


def _explain_pieces(game: Game, seat: int, at: Hex, value: str) -> list[Attempt]:
    """Return why the pieces on a hex can take no action, for each type of action; each clause once."""
    rules = game.rules
    attempts: dict[str | None, Attempt] = {}
    for type in rules.ACTIONS:
        refused = refusal(rules, game.state, seat, (action_choice(type),), value)
        if refused is not None:
            label = rules.LABELS.get(type)
            attempts.setdefault(refused.clause, Attempt(refused.why, refused.clause, at, label))
    return list(attempts.values())


def _hex_of(value: str) -> Hex | None:
    q, comma, r = value.partition(",")
    try:
        return (int(q), int(r)) if comma else None
    except ValueError:
        return None
