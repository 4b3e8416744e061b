"""The names of the checks as reports show them, and what each check counts."""

from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeAlias, get_args

from domain.messages import Message, message_in, plural_message

Name: TypeAlias = Literal[
    "form",
    "head",
    "chain",
    "state",
    "secrets",
    "chance",
    "decisions",
    "signatures",
    "receipts",
    "inclusion",
    "against",
]
"""The name of a check in JSON."""
NAMES: Final[tuple[Name, ...]] = get_args(Name)
"""The names of all checks in their order; `against` is made only if there is an older record."""

CHECK_TITLES: Final[Mapping[Name, Message]] = {
    "form": message_in("check", "form"),
    "head": message_in("check", "head"),
    "chain": message_in("check", "chain"),
    "state": message_in("check", "state"),
    "secrets": message_in("check", "secrets"),
    "chance": message_in("check", "chance"),
    "decisions": message_in("check", "decisions"),
    "signatures": message_in("check", "signatures"),
    "receipts": message_in("check", "receipts"),
    "inclusion": message_in("check", "inclusion"),
    "against": message_in("check", "against"),
}
"""The names of the checks for people."""

UNITS: Final[Mapping[Name, Callable[[int], Message]]] = {
    "form": lambda count: plural_message("line read", "lines read", count=count),
    "head": lambda count: plural_message("signed header", "signed header", count=count),
    "chain": lambda count: plural_message("event hashed again", "events hashed again", count=count),
    "state": lambda count: plural_message(
        "position computed again", "positions computed again", count=count
    ),
    "secrets": lambda count: plural_message(
        "opened as committed to", "opened as committed to", count=count
    ),
    "chance": lambda count: plural_message("drawn again", "drawn again", count=count),
    "decisions": lambda count: plural_message("decided again", "decided again", count=count),
    "signatures": lambda count: plural_message(
        "signed by players", "signed by players", count=count
    ),
    "receipts": lambda count: plural_message("checked", "checked", count=count),
    "inclusion": lambda count: plural_message(
        "proof of inclusion in the server's log",
        "proof of inclusion in the server's log",
        count=count,
    ),
    "against": lambda count: plural_message(
        "event that the older record has too", "events that the older record has too", count=count
    ),
}
"""What each check counts, as it follows the number."""
