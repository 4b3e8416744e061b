"""Positions and actions as rows of numbers, for programs that learn; the same for all rule systems.

A position becomes a table. Its first row has what is not in a list. Each list of the position follows, with
one row for each element. A list within an element is a length in its row, followed by a separate row for the
list.

    [kind, owner, number, number, ...]

`kind` is the number of the field's name, and `owner` the index of the element that a nested list belongs to.
The numbers are the values of the element, field by field in alphabetical order: a hex is two numbers, a word
the number that stands for it, true and false are 1 and 0, and null is NULL. An action is its type, followed
by its values in the same way.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from domain.contract import AnyRuleSystem

POSITION_COLUMNS: Final = 32
ACTION_COLUMNS: Final = 40
NULL: Final = -1000
"""The number for null: what is unknown or does not exist."""
LOWEST, HIGHEST = -32768, 32767
"""The least and the greatest number."""


@cache
def _numbers(labels: tuple[str, ...]) -> Mapping[str, int]:
    return {name: number for number, name in enumerate(labels, 1)}


def word_numbers(rules: AnyRuleSystem) -> Mapping[str, int]:
    """Return the numbers, from 1, of the words in positions and actions and of the names of fields.

    They are those of one version: a later one may have more words.
    """
    return _numbers(tuple(sorted(name for name in rules.LABELS if name.islower())))


def position_rows(rules: AnyRuleSystem, position: Any, seat: int) -> NDArray[np.int16]:
    """Return a position, as the seat sees it, as rows of numbers; the first row begins with the seat."""
    words = word_numbers(rules)
    lists = {name: value for name, value in position.items() if isinstance(value, list)}
    others = {name: value for name, value in position.items() if name not in lists}
    rows = [[0, seat, *_values(others, words)]]
    for name, value in sorted(lists.items()):
        rows += _rows(words.get(name, 0), value, words)
    return _padded(rows, POSITION_COLUMNS)


def action_rows(rules: AnyRuleSystem, actions: Sequence[Any]) -> NDArray[np.int16]:
    """Return actions as rows of numbers."""
    words = word_numbers(rules)
    rows = []
    for action in actions:
        raw: Mapping[str, Any] = dict(rules.action_to_json(action))
        fields = (value for name, value in sorted(raw.items()) if name != "type")
        values = [number for value in fields for number in _values(value, words)]
        rows.append([words.get(raw["type"], 0), *values])
    return _padded(rows, ACTION_COLUMNS)


def _is_list(value: object) -> bool:
    """Return whether the value of a field of an element is a list, and not a hex."""
    return isinstance(value, list) and not _is_hex(value)


def _is_hex(value: Sequence[Any]) -> bool:
    return len(value) == 2 and all(type(number) is int for number in value)


def _rows(kind: int, elements: Sequence[Any], words: Mapping[str, int]) -> Iterator[list[int]]:
    """Return one row for each element of a list, or one for all if the elements have no fields."""
    if not all(isinstance(element, Mapping) for element in elements):
        yield [kind, 0, *(number for element in elements for number in _values(element, words))]
        return
    for owner, element in enumerate(elements):
        yield [kind, owner, *_fields(element, words)]
        for name, value in sorted(element.items()):
            if _is_list(value):
                numbers = (number for item in value for number in _values(item, words))
                yield [words.get(name, 0), owner, *numbers]


def _fields(element: Mapping[str, Any], words: Mapping[str, int]) -> list[int]:
    """Return the values of the fields of an element, with the lengths of lists."""
    return _values(
        {name: len(value) if _is_list(value) else value for name, value in element.items()}, words
    )


def _values(value: Any, words: Mapping[str, int]) -> list[int]:
    match value:
        case None:
            return [NULL]
        case str():
            return [words.get(value, 0)]
        case int():
            return [int(value)]
        case Mapping():
            return [number for _, part in sorted(value.items()) for number in _values(part, words)]
        case _:
            return [number for part in value for number in _values(part, words)]


def _padded(rows: Sequence[Sequence[int]], columns: int) -> NDArray[np.int16]:
    """Return rows as a table with this number of columns. Raises ValueError if one is longer."""
    table = np.zeros((len(rows), columns), np.int16)
    for number, row in enumerate(rows):
        table[number, : len(row)] = row
    return table
