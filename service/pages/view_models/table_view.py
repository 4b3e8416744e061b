"""The table of a game as its page shows it: the seats in the order of the viewer, the types of actions, and
what lies beside the board, each with the address that chooses it.

What there is comes from the scene of the rule system; nothing here depends on a game.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from domain.messages import Text, message
from domain.next_step import UnknownChoice
from domain.scene import Card, Panel, Scene, Shelf, Sound
from replay.history.recap import RecapEvent
from service.pages.view_models.action_steps import ActionSteps, Option


@dataclass(frozen=True, slots=True)
class Act:
    """A type of action in the bar: what its button says, its name, and the address that the button leads to.

    The address of one that is not possible explains why. `number` is what people type to choose it, "" if it
    cannot be chosen now. The button of the type that is chosen leads back.
    """

    type: str
    verb: Text
    label: Text
    address: str
    number: str = ""
    is_possible: bool = True
    is_chosen: bool = False


@dataclass(frozen=True, slots=True)
class ShelfCard:
    """A card beside the board, and the address that chooses it; None if it cannot be chosen now.

    `number` is what people type to choose it. `is_chosen` says that it is among the choices already made.
    """

    card: Card
    address: str | None = None
    number: str = ""
    is_chosen: bool = False


@dataclass(frozen=True, slots=True)
class TableView:
    """The table: the panels of the seats, the types of actions, the shelves with their cards, and the options
    that are on none of these.
    """

    panels: Sequence[Panel]
    acts: Sequence[Act]
    shelves: Sequence[tuple[Shelf, Sequence[ShelfCard]]]
    options: Sequence[Option]
    sent_at_once: Sequence[tuple[str, Text]] = ()
    """The types of actions that the player may send without confirming them, with their names."""

    def can_be_sent_at_once(self, steps: ActionSteps) -> bool:
        """Return whether the player has chosen one action alone, of such a type."""
        types = [type for type, _ in self.sent_at_once]
        return len(steps.shown_actions) == 1 and steps.shown_actions[0].json["type"] in types

    @property
    def chosen_label(self) -> Text | None:
        """The name of the type of action that is being chosen."""
        return next((act.label for act in self.acts if act.is_chosen), None)


def table_view(scene: Scene, seat: int | None, steps: ActionSteps | None) -> TableView:
    """Return the table for a seat, None for somebody without one, who stands at these steps."""
    acts = [] if steps is None else list(_acts(steps, scene.verbs))
    shelves = _shelves(scene, steps)
    others = _options_besides(steps, acts, shelves)
    if others:
        # They lie on the shelf while they are asked about, with all that can be chosen besides an act.
        shelves = _shelves(scene, None)
        others = _options_besides(steps, acts, shelves)
    labels = {} if steps is None else steps.game.rules.LABELS
    at_once = [(type, labels[type]) for type in scene.sent_at_once if type in labels]
    return TableView(_from_seat(scene.panels, seat), acts, shelves, others, at_once)


_Shelves: TypeAlias = Sequence[tuple[Shelf, Sequence[ShelfCard]]]


def _shelves(scene: Scene, steps: ActionSteps | None) -> _Shelves:
    return [(shelf, [_shelf_card(card, steps) for card in shelf.cards]) for shelf in scene.shelves]


def _options_besides(
    steps: ActionSteps | None, acts: Sequence[Act], shelves: _Shelves
) -> Sequence[Option]:
    """Return what can be chosen and is neither an act nor a card of a shelf."""
    if steps is None:
        return ()
    shown: set[str | None] = {act.address for act in acts if act.number}
    shown |= {card.address for _, cards in shelves for card in cards if card.number}
    return [option for option in steps.options if option.address not in shown]


def last_sound(moves: Sequence[RecapEvent], scene: Scene) -> Sound | None:
    """Return what is heard of the last action; None if there is nothing to hear."""
    last = next((event for event in reversed(moves) if event.is_action), None)
    if last is None:
        return None
    if last.losses:
        return "take"
    if last.type in scene.sounds:
        return scene.sounds[last.type]
    if last.placed or last.cells:
        return "piece"
    return "token" if last.changes else None


def _from_seat(panels: Sequence[Panel], seat: int | None) -> Sequence[Panel]:
    """Return the panels in the order of turns, that of the seat first."""
    first = next((index for index, panel in enumerate(panels) if panel.seat == seat), 0)
    return [*panels[first:], *panels[:first]]


def _acts(steps: ActionSteps, verbs: Mapping[str, Text]) -> Iterator[Act]:
    """Yield the types of actions that there are in this part of the game, in the order of the rule system."""
    rules, game = steps.game.rules, steps.game
    numbers = {option.address: option.number for option in steps.options}
    possible = {action.type for action in steps.actions}
    chosen = _chosen_type(steps)
    at_any_time = {action.type for action in steps.at_any_time}
    for type in rules.ACTIONS:
        is_possible = type in possible
        if not is_possible and (
            type in at_any_time or rules.action_for_choice(game.state, steps.seat, (), type) is None
        ):
            continue
        label = rules.LABELS.get(type, message("{type}", type=type))
        if not is_possible:
            address = steps.query.address(steps.planned_values, attempt=type)
        else:
            address = _address(steps, [] if type == chosen else [type])
        yield Act(
            type,
            verbs.get(type, label),
            label,
            address,
            numbers.get(address, ""),
            is_possible,
            type == chosen,
        )


def _chosen_type(steps: ActionSteps) -> str | None:
    """Return the type of the action that is being chosen."""
    if steps.step.path and steps.step.path[0].question == "action":
        return steps.step.path[0].value
    return None if steps.action is None else steps.action.type


def _shelf_card(card: Card, steps: ActionSteps | None) -> ShelfCard:
    if steps is None or not card.choices:
        return ShelfCard(card)
    *_, value = card.choices
    for option in steps.options:
        if option.word == value:
            return ShelfCard(card, option.address, option.number)
    if any(choice.value == value for choice in steps.step.path):
        return ShelfCard(card, is_chosen=True)
    return ShelfCard(card, _address_from_start(card.choices, steps))


def _address_from_start(choices: Sequence[str], steps: ActionSteps) -> str | None:
    """Return the address of the choices of a card, as the first ones of an action; None if impossible."""
    if choices[0] not in {action.type for action in steps.actions}:
        return None
    try:
        steps.steps.after(choices)
    except UnknownChoice:
        return None
    return _address(steps, choices)


def _address(steps: ActionSteps, values: Sequence[str]) -> str:
    """Return the address of the first choices of an action after those that are planned already."""
    return steps.query.address([*steps.planned_values, *values])
