"""The provenance of the current work: a request, a job, or a mail with the answer of a player.

Its id is in every line that the work logs (service/operation/json_logging.py), and beside each event that it
appends (service/store/append.lua). An event thus leads to the lines of the operator's log. Records, proofs
and responses contain only the event.

Encoded, it is the first letter of its kind and its id, and if traces are on, the context of the trace
(service/operation/tracing.py), separated by spaces.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

Kind: TypeAlias = Literal["request", "job", "mail"]
_KIND_OF_LETTER: Final = {kind[0]: kind for kind in get_args(Kind)}


class Provenance(NamedTuple):
    """The request, the job or the mail of this id."""

    kind: Kind
    id: str

    def encode(self) -> str:
        """Return the provenance in the form that is stored beside an event."""
        return f"{self.kind[0]} {self.id}"


REQUEST: Final = Provenance("request", "").encode()
"""The prefix of the encoded provenance of a request, before the id of the request."""
CURRENT: Final[ContextVar[str]] = ContextVar("provenance", default="")
"""The encoded provenance of the work of this thread; "" without one."""


@contextmanager
def working_for(provenance: Provenance) -> Iterator[None]:
    """Set the provenance of the work of this thread for the block."""
    token = CURRENT.set(provenance.encode())
    try:
        yield
    finally:
        CURRENT.reset(token)


def decode(stored: str) -> Provenance | None:
    """Return the provenance in a text of `Provenance.encode`; None for any other text."""
    letter, _, rest = stored.partition(" ")
    id, _, _ = rest.partition(" ")
    kind = _KIND_OF_LETTER.get(letter)
    return None if kind is None or not id else Provenance(kind, id)


def with_trace_context(encoded: str, context: str) -> str:
    """Return an encoded provenance with the context of another trace (a `traceparent`)."""
    return "" if not encoded else " ".join([*encoded.split(" ")[:2], context]).rstrip()


def trace_context_of(encoded: str) -> str:
    """Return the context of the trace in an encoded provenance, "" if there is none."""
    return encoded.partition(" ")[2].partition(" ")[2]
