"""A study of a finished game as the server keeps it: notes and variations, each of one author."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias

import orjson

from domain.json_types import JsonObject
from replay.study import FORMAT, VERSION
from service.stored_objects import decode_object, members_of

Sharing: TypeAlias = Literal["private", "link", "listed"]
"""Who reads a study, of those who may see its game: its authors, everybody who has the link, or everybody who
finds it in the list of the studies of the game."""
PRIVATE: Final = "private"
LISTED: Final = "listed"


@dataclass(frozen=True, slots=True)
class StudyEntry:
    """A note on an event, or with `steps` a variation that goes on after it, and its author.

    `text` is by language. `version` counts the changes, so that nobody overwrites what they have not read.
    """

    number: int
    author: str
    seq: int
    text: Mapping[str, str]
    steps: tuple[str, ...] = ()
    version: int = 1
    later_members: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class StoredStudy:
    """A study of the game whose last event has the hash `head`. `last` is the greatest number of an entry.

    `authors` are the players who write in it beside its owner. `stored` is the value from which it was read.
    """

    id: str
    owner: str
    game: str
    head: str
    title: Mapping[str, str]
    created: str
    sharing: Sharing = PRIVATE
    authors: tuple[str, ...] = ()
    entries: tuple[StudyEntry, ...] = ()
    last: int = 0
    stored: bytes = field(default=b"", repr=False, compare=False)
    later_members: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def decode(cls, value: bytes) -> "StoredStudy":
        """Return the study in a stored value."""
        fields = orjson.loads(value)
        entries = tuple(
            decode_object(StudyEntry, {**entry, "steps": tuple(entry["steps"])})
            for entry in fields["entries"]
        )
        members = {"authors": tuple(fields["authors"]), "entries": entries, "stored": value}
        return decode_object(cls, {**fields, **members})

    def encode(self) -> bytes:
        """Return the study as a value to store."""
        fields = members_of(self)
        del fields["stored"]
        return orjson.dumps(fields)

    @property
    def writers(self) -> tuple[str, ...]:
        """The players who may write in it, its owner first."""
        return (self.owner, *self.authors)

    def names(self, player: str) -> bool:
        """Return whether a player may write in it, or has written something that is in it."""
        return player in self.writers or any(each.author == player for each in self.entries)

    def entry(self, number: int) -> StudyEntry | None:
        """Return an entry; None if there is none with this number."""
        return next((each for each in self.entries if each.number == number), None)

    def with_entry(
        self, author: str, seq: int, text: Mapping[str, str], steps: tuple[str, ...]
    ) -> "StoredStudy":
        """Return the study with another entry, whose number no entry has had before."""
        number = self.last + 1
        entry = StudyEntry(number, author, seq, text, steps)
        return replace(self, entries=(*self.entries, entry), last=number)

    def with_changed(self, changed: StudyEntry) -> "StoredStudy":
        """Return the study with an entry in place of the one with its number."""
        entries = tuple(changed if each.number == changed.number else each for each in self.entries)
        return replace(self, entries=entries)

    def without_entry(self, number: int) -> "StoredStudy":
        """Return the study without an entry."""
        return replace(self, entries=tuple(e for e in self.entries if e.number != number))

    def without_player(self, player: str) -> "StoredStudy | None":
        """Return the study without a player and everything that they have written; None if nobody is left.

        The study of its owner goes to the author who has been one for longest. Its title, which its owner has
        written, is removed then.
        """
        remaining = [each for each in self.writers if each != player]
        if not remaining:
            return None
        return replace(
            self,
            owner=remaining[0],
            authors=tuple(remaining[1:]),
            title={} if player == self.owner else self.title,
            entries=tuple(each for each in self.entries if each.author != player),
        )

    def as_file(self) -> JsonObject:
        """Return the study as a file that `cartulary study` reads (docs/formats.md)."""
        entries = sorted(self.entries, key=lambda each: (each.seq, each.number))
        return {
            "format": FORMAT,
            "version": VERSION,
            "game": self.game,
            "head": self.head,
            "title": dict(self.title),
            "notes": [
                {"seq": each.seq, "text": dict(each.text)} for each in entries if not each.steps
            ],
            "variations": [
                {"seq": each.seq, "steps": list(each.steps), "text": dict(each.text)}
                for each in entries
                if each.steps
            ],
        }
