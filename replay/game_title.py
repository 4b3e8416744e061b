"""What a game is called wherever it is shown: by the name that its creator gave it, and by its rules."""

from collections.abc import Mapping
from typing import Any

from domain.contract import AnyRuleSystem
from domain.messages import Text, Value, message
from domain.registry import rule_systems


def game_title(rules: AnyRuleSystem, options: Mapping[str, Any]) -> Text:
    """Return the title of a game with these rules and options: `Friday evening (Barony)`, or `Barony`."""
    name = options.get("name")
    title: Text = rules.TITLE
    return title if name is None else message("{name} ({game})", name=name, game=title)


def rules_title(name: str) -> Value:
    """Return the title of the rule system of this name; the name itself if it is not known here."""
    entry = rule_systems().get(name)
    return name if entry is None else entry.system.TITLE
