"""How a player comes to an action of a game with turns: its fields are chosen one after the other."""

from collections.abc import Mapping, Sequence
from typing import Any

from domain.choices import COMMON_QUESTIONS, Choice, Preview, card, hex_choice
from domain.contract import Resign
from domain.hexes import Hex
from domain.json_fields import FieldReader
from domain.messages import Text, hex_at, message
from domain.position_labels import COMMON_LABELS
from domain.turn_games.definition import S
from domain.turn_games.fields import fields_of, form_of
from domain.turn_games.rules import TurnRules


class Choices(TurnRules[S]):
    """The choices that lead to actions, and their labels."""

    LABELS: Mapping[str, Text] = COMMON_LABELS
    """What people call the words of the JSON."""
    QUESTIONS: Mapping[str, Text] = {}
    """The questions for fields of actions, by name. An instance has one for every field."""

    def __init__(self) -> None:
        super().__init__()
        self.QUESTIONS = {**COMMON_QUESTIONS, **self._default_questions(), **self.QUESTIONS}

    def _default_questions(self) -> dict[str, Text]:
        return {
            name: (
                message("Which hex do you choose?")
                if form_of(hint) is form_of(Hex)
                else message("Choose: {what}", what=self.label(name))
            )
            for action in self.MOVES
            for name, hint in fields_of(action).items()
        }

    def label(self, name: str) -> Text:
        """Return what people call a word of the JSON; the word itself if it has no label."""
        return self.LABELS.get(name) or message("{name}", name=name)

    def choices(self, state: S, seat: int, action: Any, path: Sequence[Choice]) -> Sequence[Choice]:
        """Return the choice of the next field of the action, in the order of its fields."""
        return _field_choices(action)[len(path) - 1 :][:1]

    def choice_message(self, position: Any, choice: Choice, path: Sequence[Choice]) -> Text:
        """Return the label of what is chosen; the hex itself for a hex."""
        if choice.at is not None:
            return message("{hex}", hex=hex_at(choice.at))
        return self.label(choice.value)

    def action_for_choice(self, state: S, seat: int, path: Sequence[Choice], value: str) -> Any:
        """Return the action of which the choices are parts.

        `value` is the first field not chosen yet that it can be. The other fields are as in the possible
        action of this type that has the most in common with the choices, or else simple values.
        """
        type = path[0].value if path else value
        if type == "resign":
            return None if path else Resign()
        action = self.actions_by_type.get(type)
        if action is None:
            return None
        chosen = {choice.question: choice.value for choice in path[1:]}
        if path:
            name = next((name for name in _fields_for(action, value) if name not in chosen), None)
            if name is None:
                return None
            chosen[name] = value
        values = {name: _value(fields_of(action)[name], text) for name, text in chosen.items()}
        moves = [move for move in self.moves(state, seat) if isinstance(move, action)]
        similar = max(moves, key=lambda move: _in_common(move, values), default=None)
        for name, hint in fields_of(action).items():
            if name not in values:
                values[name] = form_of(hint).simple if similar is None else getattr(similar, name)
        return action(**values)

    def preview(self, state: S, seat: int, action: Any) -> Preview:
        """Return exactly what the action leads to."""
        return Preview(self.decide(state, seat, action))


def _field_choices(action: Any) -> list[Choice]:
    """The choices of the fields of an action, without those that are None."""
    chosen: list[Choice] = []
    for name, hint in fields_of(type(action)).items():
        value, form = getattr(action, name), form_of(hint)
        if form is form_of(Hex):
            chosen.append(hex_choice(name, value))
        elif value is not None:
            chosen.append(card(name, form.text(value), value if isinstance(value, str) else ""))
    return chosen


def _fields_for(action: type, text: str) -> list[str]:
    """The names of the fields of which a value can have this short form."""
    return [name for name, hint in fields_of(action).items() if _value(hint, text) is not None]


def _value(hint: object, text: str) -> Any:
    """The value of a type with this short form; None if there is none."""
    form = form_of(hint)
    reader = FieldReader({})
    try:
        value = form.read(reader, form.write(form.from_text(text)), "")
    except (ValueError, KeyError):
        return None
    return None if reader.errors else value


def _in_common(action: Any, values: Mapping[str, object]) -> int:
    return sum(getattr(action, name) == value for name, value in values.items())
