"""Determines who answers for a fault in a record, from the coverage of the signatures.

The signature of the server covers the header and the hash of the last event. Each event contains the hash of
the one before it. The signature therefore covers the events only if every hash matches its event and the
`prev` of the next one: if one does not, anybody can have changed the file, and later faults may result from
the change. The lines after the events have no signature of the server, except that of each receipt.

docs/threats.md has the same rules as a table. The verifier of the pages
(service/pages/static/js/verify/summary.js) decides in the same way.
"""

from collections.abc import Collection
from typing import Final, Literal, TypeAlias

Basis: TypeAlias = Literal["record", "links", "unsigned", "receipt", "own"]
"""The kinds of evidence for a fault:

- `record`: the header and the events
- `links`: a hash that does not match its event, or is not that of the event before the next one
- `unsigned`: data that no valid signature of the server covers
- `receipt`: something else that the server has signed, which contradicts the record
- `own`: data that the reader's program has kept, and that nobody has signed
"""
Responsible: TypeAlias = Literal["server", "anybody", "reader"]
"""Who answers for a fault: the server; nobody known, since anybody can have made it; or the reader has to
judge, since only the reader's own data shows it."""

OF_SERVER: Final[frozenset[Basis]] = frozenset({"record", "receipt"})
"""The kinds of evidence that show a fault of the server, if its signature covers the record."""


def responsible(first: Basis, all_faults: Collection[Basis], *, has_head: bool) -> Responsible:
    """Return who answers for the first fault of a record, whose kind of evidence is `first`.

    `all_faults` are the kinds of evidence for all faults of the record. `has_head` states that a key that the
    reader trusts has signed the header, and that the last event is the one that the header names.
    """
    if not has_head or "links" in all_faults:
        return "anybody"
    if first in OF_SERVER:
        return "server"
    return "reader" if first == "own" else "anybody"
