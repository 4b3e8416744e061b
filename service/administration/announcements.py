"""Announcements of administrators to everybody who uses the service, each with an end.

cartulary:announcements    hash: JSON of an announcement by its id
"""

import secrets
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import orjson
import redis

from domain.errors import Malformed
from domain.json_types import JsonObject
from domain.messages import Message, message
from replay.language.catalogue import ENGLISH, languages
from service import wall_clock
from service.connection import unavailable_on_error
from service.errors import NotFound, OperationNotPossible
from service.stored_objects import decode_object

MAX_ANNOUNCEMENTS: Final = 5
"""The most current announcements: every page shows all of them."""
MAX_TEXT: Final = 500
"""The most characters of the text in one language."""
MAX_DAYS: Final = 366
_ANNOUNCEMENTS: Final = "cartulary:announcements"
_CACHE_SECONDS: Final = 5
_ID_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class Announcement:
    """A text in English and perhaps other languages, which is shown until `ends`."""

    id: str
    texts: Mapping[str, str]
    at: str
    ends: str

    def text_language(self, language: str) -> str:
        """Return the language in which readers of a language see the text: that language, or English."""
        return language if language in self.texts else ENGLISH

    def as_json(self, language: str) -> JsonObject:
        """Return the announcement as JSON, with the text for readers of a language."""
        shown = self.text_language(language)
        return {**asdict(self), "language": shown, "text": self.texts[shown]}


class Announcements:
    """The announcements of a service. Thread-safe. Methods raise Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._cached: tuple[float, tuple[Announcement, ...]] | None = None

    def current(self) -> tuple[Announcement, ...]:
        """Return the current announcements, the oldest first. They are cached for five seconds."""
        cached, now = self._cached, time.monotonic()
        if cached is None or now - cached[0] >= _CACHE_SECONDS:
            cached = self._cached = (now, self._stored())
        timestamp = wall_clock.format(wall_clock.now())
        return tuple(one for one in cached[1] if one.ends > timestamp)

    def create(self, texts: Mapping[str, object], ends: str) -> Announcement:
        """Return an announcement, which is not stored yet.

        Raises Malformed (`texts`, `ends`), and OperationNotPossible if there are too many.
        """
        now = wall_clock.now()
        faults = {}
        if fault := _texts_fault(texts):
            faults["texts"] = fault
        end = _moment(ends)
        if end is None or not now < end <= now + timedelta(days=MAX_DAYS):
            faults["ends"] = message(
                "must be a time of the next {days} days with its time zone (RFC 3339)",
                days=MAX_DAYS,
            )
        if faults or end is None:
            raise Malformed(faults)
        timestamp = wall_clock.format(now)
        if sum(one.ends > timestamp for one in self._stored()) >= MAX_ANNOUNCEMENTS:
            raise OperationNotPossible.with_message(
                "there are {count} announcements: withdraw one before", count=MAX_ANNOUNCEMENTS
            )
        shown = {language: str(text).strip() for language, text in texts.items()}
        return Announcement(secrets.token_hex(_ID_BYTES), shown, timestamp, wall_clock.format(end))

    def store(self, announcement: Announcement) -> None:
        """Store an announcement, and delete those that have ended."""
        timestamp = wall_clock.format(wall_clock.now())
        ended = [one.id for one in self._stored() if one.ends <= timestamp]
        with unavailable_on_error():
            self._redis.hset(_ANNOUNCEMENTS, announcement.id, orjson.dumps(asdict(announcement)))
            if ended:
                self._redis.hdel(_ANNOUNCEMENTS, *ended)
        self._cached = None

    def get(self, id: str) -> Announcement:
        """Return an announcement that has not been withdrawn. Raises NotFound."""
        for announcement in self._stored():
            if announcement.id == id:
                return announcement
        raise NotFound.with_message("there is no announcement {announcement}", announcement=id[:64])

    def withdraw(self, id: str) -> None:
        """Delete an announcement."""
        with unavailable_on_error():
            self._redis.hdel(_ANNOUNCEMENTS, id)
        self._cached = None

    def _stored(self) -> tuple[Announcement, ...]:
        with unavailable_on_error():
            values: Any = self._redis.hvals(_ANNOUNCEMENTS)
        stored = [decode_object(Announcement, value) for value in values]
        return tuple(sorted(stored, key=lambda one: (one.at, one.id)))


def _moment(text: str) -> datetime | None:
    try:
        moment = wall_clock.parse(text)
    except ValueError:
        return None
    return None if moment.tzinfo is None else moment


def _texts_fault(texts: Mapping[str, object]) -> Message | None:
    """Return the fault of the texts; None if they are valid."""
    if ENGLISH not in texts:
        return message("must have a text in English, `en`")
    for language, text in texts.items():
        if language not in languages():
            tags = ", ".join(sorted(languages()))
            return message("must only have texts in these languages: {tags}", tags=tags)
        if (
            not isinstance(text, str)
            or not 0 < len(text.strip()) <= MAX_TEXT
            or not text.isprintable()
        ):
            return message(
                "each text must have 1 to {most} characters, without line breaks", most=MAX_TEXT
            )
    return None
