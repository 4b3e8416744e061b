"""What the address of a page asks for on the way to an action: the choices that a player has made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from domain.errors import Malformed
from domain.messages import message
from service.entered_text import trim

CHOOSE: Final = "choose"
TRY: Final = "try"
ACTION: Final = "action"
"""The parameters of an address: a choice (repeated), a choice to explain, and an action in short form."""
MAX_CHOICES: Final = 64
MAX_ACTION_CHARACTERS: Final = 400


@dataclass(frozen=True, slots=True)
class ActionQuery:
    """What the address of a page asks for: the choices, one to explain, or an action in short form.

    `fixed` are the other parameters of the address, which every link of the steps keeps.
    """

    values: tuple[str, ...] = ()
    attempt: str | None = None
    action: str | None = None
    fixed: tuple[tuple[str, str], ...] = ()

    def address(
        self, values: Sequence[str], *, attempt: str | None = None, action: str | None = None
    ) -> str:
        """Return the address, relative to the page, with these choices."""
        pairs = [*self.fixed, *((CHOOSE, value) for value in values)]
        if attempt is not None:
            pairs.append((TRY, attempt))
        if action is not None:
            pairs.append((ACTION, action))
        return "?" + "&".join(f"{name}={quote(value, safe=',>')}" for name, value in pairs)


def has_choices(query: ActionQuery) -> bool:
    """Return whether an address asks for choices, or for an action."""
    return bool(query.values) or query.action is not None


def read_query(
    parameters: Mapping[str, Sequence[str]], fixed: tuple[tuple[str, str], ...] = ()
) -> ActionQuery:
    """Return what the parameters of an address ask for. Raises Malformed."""
    values = tuple(parameters.get(CHOOSE, ()))
    if len(values) > MAX_CHOICES or any(len(value) > MAX_ACTION_CHARACTERS for value in values):
        raise Malformed({CHOOSE: message("has more than {count} choices", count=MAX_CHOICES)})
    attempts, actions = parameters.get(TRY, ()), parameters.get(ACTION, ())
    for name, texts in ((TRY, attempts), (ACTION, actions)):
        if any(len(text) > MAX_ACTION_CHARACTERS for text in texts):
            raise Malformed(
                {name: message("has more than {count} characters", count=MAX_ACTION_CHARACTERS)}
            )
    return ActionQuery(
        values,
        attempts[0] if attempts else None,
        (trim(actions[0]).lower() or None) if actions else None,
        fixed,
    )
