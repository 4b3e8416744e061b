"""Who answers for a fault in a record, which follows from what the signatures cover.

The signature of the server covers the header and the hash of the last event. Each event contains the hash of
the one before it. So the signature covers the events only while every hash matches and is that of the next
event: if one does not, anybody can have changed the file, and everything after it that depends on the change
may follow from it. The lines after the events have no signature of the server, except that of each receipt.

docs/threats.md has the same as a table. The verifier of the pages (service/pages/static/js/verify/summary.js)
decides in the same way.
"""

from collections.abc import Collection
from typing import Final, Literal, TypeAlias

Basis: TypeAlias = Literal["record", "links", "unsigned", "receipt", "own"]
"""What shows a fault:

- `record`: the header and the events
- `links`: a hash that does not match its event, or is not that of the event before the next one
- `unsigned`: what no signature of the server covers, or only one that is not valid
- `receipt`: something else that the server has signed, which contradicts the record
- `own`: what the reader's program has kept, which nobody has signed
"""
Responsible: TypeAlias = Literal["server", "anybody", "reader"]
"""Who answers for a fault: the server; nobody yet, since anybody can have made it; or the reader has to
judge, since nothing but what the reader has kept shows it."""

OF_SERVER: Final[frozenset[Basis]] = frozenset({"record", "receipt"})
"""What shows a fault of the server, if its signature covers the record."""


def responsible(first: Basis, all_faults: Collection[Basis], *, has_head: bool) -> Responsible:
    """Return who answers for the first fault of a record, which is shown by `first`.

    `all_faults` are what shows each fault of the record. `has_head` states that a key that the reader trusts
    has signed the header, and that the last event is the one that the header names.
    """
    if not has_head or "links" in all_faults:
        return "anybody"
    if first in OF_SERVER:
        return "server"
    return "reader" if first == "own" else "anybody"
