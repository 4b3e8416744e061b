"""What people call the secrets of an event, and the values of those that are opened."""

from typing import Any

from domain.contract import AnyRuleSystem, secret_owner
from domain.messages import PlayerAt, Value, comma_list, message
from ledger.canonical import canonical
from replay.diff import label_of


def secret_label(name: str, rules: AnyRuleSystem) -> Value:
    """Return what people call a secret, such as `pile`, or `reserve of seat 0` for `reserve/0`."""
    owner = secret_owner(name)
    if owner is None:
        return label_of(name, rules)
    label = label_of(name.rpartition("/")[0], rules)
    return message("{secret} of {player}", secret=label, player=PlayerAt(owner))


def secret_value(value: Any, rules: AnyRuleSystem) -> Value:
    """Return the value of a secret: a list of tiles in words, a text as it is, anything else as JSON."""
    match value:
        case str():
            return value
        case [str(), *_] if all(name in rules.LABELS for name in value):
            return comma_list(rules.LABELS[name] for name in value)
    return canonical(value).decode()
