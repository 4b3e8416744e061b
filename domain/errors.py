"""The errors of Cartulary: the one place where their tree is drawn.

    CartularyError
    ├── Refused                a rule forbids the action; carries the clause        HTTP 422
    │   ├── Malformed          it is not of the form at all (clause FORMAT)         HTTP 400
    │   └── NotNow             the game takes nothing of the kind as it now stands  HTTP 409
    ├── Unreadable             a log or a record cannot be read (replay)
    └── ServiceError           what only a server can run into (service/errors.py)

Each floor derives its own errors from these and raises no other for what a caller may meet.
"""

from collections.abc import Mapping

FORMAT = "FORMAT"
"""The clause that everything breaks which is not of the form of docs/formats.md."""


class CartularyError(Exception):
    """Whatever this project raises on purpose."""


class Refused(CartularyError):
    """A clause of the rules forbids this, on this board.

    `clause` is the id in docs/rules.md, or None where no rule but the state of the game forbids it;
    `why` is one sentence for the player.
    """

    def __init__(self, clause: str | None, why: str) -> None:
        super().__init__(f"{clause}: {why}" if clause else why)
        self.clause = clause
        self.why = why


class Malformed(Refused):
    """Not of the form. `fields` says for each wrong field, by its path (`moves.0.1`), what is wrong."""

    def __init__(self, fields: Mapping[str, str]) -> None:
        why = "; ".join(f"{path or 'body'}: {what}" for path, what in fields.items())
        super().__init__(FORMAT, why)
        self.fields = dict(fields)


class NotNow(Refused):
    """The game takes no such thing now: it has not started, is being scored, is full, is over."""


class Unreadable(CartularyError):
    """A log or record that cannot be read; `line` counts from 1 where it is known."""

    def __init__(self, why: str, line: int | None = None) -> None:
        super().__init__(f"line {line}: {why}" if line is not None else why)
        self.line = line
        self.why = why
