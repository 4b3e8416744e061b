"""The checks of the key of a head: when it was valid, and whether it is trusted."""

from collections.abc import Sequence
from functools import partial

from domain.event import Event
from domain.json_types import JsonObject
from domain.messages import Instant, comma_list, message
from ledger.keys import id_of_public
from replay.audit.findings import Check
from replay.audit.trusted_keys import PLAYOUT, TrustedKeys, fingerprint


def check_listed_keys(check: Check, entries: Sequence[JsonObject]) -> None:
    """Check that the keys that a header lists do not contradict themselves or each other."""
    add = partial(check.add, line=1)
    seen = set()
    for entry in entries:
        id, since, until = entry["key"], entry["from"], entry["until"]
        if id_of_public(entry["public"]) != id:
            add(
                message("the public key listed as {key} is a different key", key=id),
                message("The list of keys was changed."),
            )
        if id in seen:
            add(
                message("key {key} is listed twice", key=id),
                message("A key has one period of validity, so one of the entries was made up."),
            )
        if until is not None and until < since:
            add(
                message(
                    "key {key} is listed as retired on {until}, before it became valid on {since}",
                    key=id,
                    until=Instant(until, is_exact=True),
                    since=Instant(since, is_exact=True),
                ),
                message("The list of keys was made up."),
            )
        seen.add(id)


def check_period(check: Check, entry: JsonObject, head: Event | None, trusted: TrustedKeys) -> None:
    """Check that the key that signed the head was valid at the event `head`, the last one.

    A head is signed at some time after its last event. A key that was retired before that event has therefore
    signed outside of its period of validity. A key that became valid after that event may be right, because a
    record can be requested long after the game.
    """
    add = partial(check.add, line=1)
    key, listed = entry["key"], entry["until"]
    (known_entry,) = trusted.known_entries([entry])[:1]
    until = known_entry["until"]
    if until is not None and head is not None and head["at"] > until:
        add(
            message(
                "key {key} was retired on {until}, but it has signed a head of {time}",
                key=key,
                until=Instant(until, is_exact=True),
                time=Instant(head["at"], is_exact=True),
            ),
            message(
                "The head was signed outside of its key's period of validity, by somebody who should no"
                " longer have the key."
            ),
        )
    elif listed is not None:
        add(
            message(
                "the header lists key {key}, which signed it, as retired on {until}",
                key=key,
                until=Instant(listed, is_exact=True),
            ),
            message(
                "The header was signed after the retirement of its key, outside of its period of validity."
            ),
        )


def check_trust(check: Check, header: JsonObject, public: str, trusted: TrustedKeys) -> None:
    """Report a signing key that the reader does not know, and a server whose key has changed."""
    key, origin = header["head"]["key"], header.get("origin")
    trusted_key = trusted.find(public)
    if trusted_key is None:
        _add_unknown_key(check, key, public, origin, trusted)
    elif trusted_key.source == PLAYOUT:
        check.note(
            message(
                "key {key} is from `playout` on this machine: the seed is enough to sign with it.",
                key=key,
            )
        )
    elif origin is not None and trusted_key.origin not in (None, origin):
        check.note(
            message(
                "the header names the server {origin}, but this machine knows the key as that of the server"
                " {known_origin}.",
                origin=origin,
                known_origin=trusted_key.origin or "",
            )
        )


def _add_unknown_key(
    check: Check, key: str, public: str, origin: str | None, trusted: TrustedKeys
) -> None:
    remembered = trusted.of_origin(origin)
    if origin is not None and remembered:
        check.add_unknown(
            message(
                "whether key {key}, which signed the record, is a key of the server {origin}: the key of that"
                " server has changed, it was {remembered}",
                key=key,
                origin=origin,
                remembered=comma_list(other.id for other in remembered),
            ),
            message(
                "The operator of {origin} decides it: compare the fingerprint {fingerprint} with the one"
                " there, and accept the key with `cartulary trust {public}` only if they are the same.",
                origin=origin,
                fingerprint=fingerprint(public),
                public=public,
            ),
            line=1,
            topic="key",
        )
        return
    if origin is None:
        problem = message(
            "whether key {key}, which signed the record, is a key of a server that you trust",
            key=key,
        )
    else:
        problem = message(
            "whether key {key}, which signed the record, is a key of the server {origin}",
            key=key,
            origin=origin,
        )
    check.add_unknown(
        problem,
        message(
            "The list of keys of the server decides it: compare the fingerprint {fingerprint} with the one"
            " there, and accept the key with `cartulary trust {public}`.",
            fingerprint=fingerprint(public),
            public=public,
        ),
        line=1,
        topic="key",
    )
