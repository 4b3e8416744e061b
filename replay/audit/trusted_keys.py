"""The keys of servers that the reader of a record trusts, as ssh knows the keys of hosts.

Anybody can generate a key and sign a record with it. A signature therefore proves something only to a reader
who knows the owner of the key. The program stores trusted keys (cartulary/trusted_keys.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from domain.json_types import JsonObject
from ledger.canonical import digest
from ledger.keys import key_id

PLAYOUT = "playout"
"""The `source` of a key with which `playout` signed on this machine."""


@dataclass(frozen=True, slots=True)
class TrustedKey:
    """A public key (hex). `origin` is the name of its server, `since` and `until` are its period of validity,
    and `log` is the name of the transparency log of its server, where these are known. `source` is the origin
    of the entry.
    """

    public: str
    source: str
    origin: str | None = None
    since: str | None = None
    until: str | None = None
    log: str | None = None

    @property
    def id(self) -> str:
        """The id of the key."""
        return key_id(bytes.fromhex(self.public))

    def merged(self, other: "TrustedKey") -> "TrustedKey":
        """Return this entry merged with a later entry for the same key."""
        return replace(
            other,
            origin=other.origin or self.origin,
            since=other.since or self.since,
            until=other.until or self.until,
            log=other.log or self.log,
        )


@dataclass(frozen=True, slots=True)
class TrustedKeys:
    """All trusted keys, without repetitions."""

    keys: tuple[TrustedKey, ...] = ()

    @classmethod
    def of(cls, entries: Sequence[TrustedKey]) -> "TrustedKeys":
        """Return the keys of these entries, merging later entries into earlier ones."""
        by_public: dict[str, TrustedKey] = {}
        for entry in entries:
            earlier = by_public.get(entry.public)
            by_public[entry.public] = entry if earlier is None else earlier.merged(entry)
        return cls(tuple(by_public.values()))

    def find(self, public: str) -> TrustedKey | None:
        """Return the entry of a public key; None if it is not trusted."""
        return next((key for key in self.keys if key.public == public), None)

    def of_origin(self, origin: str | None) -> tuple[TrustedKey, ...]:
        """Return the trusted keys of a server; none for a server without a name."""
        return tuple(key for key in self.keys if origin is not None and key.origin == origin)

    def known_entries(self, listed: Sequence[JsonObject]) -> list[JsonObject]:
        """Return the keys that a header lists, in its form, with their periods of validity as restricted by
        what is known here, and the trusted keys that it does not list.
        """
        publics = {entry["public"] for entry in listed}
        entries = [self._restricted(entry) for entry in listed]
        return entries + [_as_entry(key) for key in self.keys if key.public not in publics]

    def _restricted(self, entry: JsonObject) -> JsonObject:
        key = self.find(entry["public"])
        if key is None:
            return entry
        remembered = _as_entry(key)
        ends = [until for until in (entry["until"], remembered["until"]) if until is not None]
        since = max(entry["from"], remembered["from"])
        return {**entry, "from": since, "until": min(ends, default=None)}


NO_TRUSTED_KEYS: Final = TrustedKeys()


def fingerprint(public: str) -> str:
    """Return the SHA-256 of a public key, in hex, for people to compare; it begins with the key's id."""
    return digest(bytes.fromhex(public))


def _as_entry(key: TrustedKey) -> JsonObject:
    return {"key": key.id, "public": key.public, "from": key.since or "", "until": key.until}
