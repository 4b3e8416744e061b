"""The errors of Cartulary, in one tree.

    CartularyError
    ├── Refused                a rule forbids the action; has the clause            HTTP 422
    │   ├── Malformed          the JSON has the wrong form (clause FORMAT)          HTTP 400
    │   └── NotNow             the game does not accept this in its current state   HTTP 409
    ├── Unreadable             a log or a record cannot be read
    └── ServiceError           errors that only a server can have (service/errors.py)

Every package derives its errors from these, and raises no others that a caller should handle.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

from domain.messages import Message, Text, Value, message, semicolon_list

_Error = TypeVar("_Error")

FORMAT = "FORMAT"
"""The clause broken by any JSON that does not have the form of docs/formats.md."""


class CartularyError(Exception):
    """The base of all errors of this project. `message` is what to show to the person concerned."""

    def __init__(self, message: Text) -> None:
        super().__init__(message)
        self.message = message

    @classmethod
    def with_message(cls: Callable[[Text], _Error], template: str, /, **values: Value) -> _Error:
        """Return an error of a class that takes only a message: one as of `domain.messages.message`."""
        return cls(Message(template, values))


class Refused(CartularyError):
    """An action or command is not allowed.

    `clause` is the id in docs/rules.md of the clause that forbids it, or None if no rule does but the state
    of the game; `why` is one sentence for the player.
    """

    def __init__(self, clause: str | None, why: Text) -> None:
        super().__init__(message("{clause}: {why}", clause=clause, why=why) if clause else why)
        self.clause = clause
        self.why = why


def refusal(clause: str | None, template: str, /, **values: Value) -> Refused:
    """The error for a clause that forbids something, with a message as of `domain.messages.message`."""
    return Refused(clause, Message(template, values))


class Malformed(Refused):
    """JSON of the wrong form. `fields` states what is wrong with each wrong field, by path (`moves.0.1`)."""

    def __init__(self, fields: Mapping[str, Text]) -> None:
        faults = [
            message("{field}: {fault}", field=path or "body", fault=fault)
            for path, fault in fields.items()
        ]
        super().__init__(FORMAT, semicolon_list(faults))
        self.fields = dict(fields)


class NotNow(Refused):
    """The game does not accept this now: it has not started, is full, is being scored or is over."""


def not_now(template: str, /, **values: Value) -> NotNow:
    """The error for what the game does not accept now, with a message as of `domain.messages.message`."""
    return NotNow(None, Message(template, values))


class Unreadable(CartularyError):
    """A log or a record cannot be read. `line` is the number of the line, from 1, if it is known."""

    def __init__(self, why: Text, line: int | None = None) -> None:
        super().__init__(
            message("line {line}: {why}", line=line, why=why) if line is not None else why
        )
        self.line = line
        self.why = why
