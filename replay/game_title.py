"""What a game is called wherever it is shown: by the name that its creator gave it, and by its rules."""

from collections.abc import Mapping
from typing import Any

from domain.contract import AnyRuleSystem
from domain.messages import Text, message


def game_title(rules: AnyRuleSystem, options: Mapping[str, Any]) -> Text:
    """Return the title of a game with these rules and options: `Friday evening (Barony)`, or `Barony`."""
    name = options.get("name")
    title: Text = rules.TITLE
    return title if name is None else message("{name} ({game})", name=name, game=title)
