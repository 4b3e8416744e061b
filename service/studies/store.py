"""The studies of a service, stored in Redis.

    cartulary:study:ID              the study as JSON (`StoredStudy`)
    cartulary:studies:of:PLAYER     sorted set by time: the ids of the studies that a player has made
    cartulary:studies:with:PLAYER   sorted set by time: the ids of studies of others in which a player writes
                                    or has written
    cartulary:studies:on:GAME       sorted set by time: the ids of the studies that are listed on a game

An id enters a sorted set before the study says so, so that the bounds hold and an erasure finds every study.
It stays there until the study is deleted, or until the set is full: authors come and go at the same time in
several processes. Readers therefore look at the study itself.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import redis

from domain.messages import message
from service import wall_clock
from service.bounded_collections import store_if_fewer
from service.bounds import Bounds
from service.connection import to_text, unavailable_on_error, which_exist
from service.errors import NotFound, StudyConflict, TooManyStudies
from service.studies.model import LISTED, StoredStudy

ID_BYTES: Final = 16

_REPLACE: Final = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] == '' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[2]) end
return 1
"""


class StudyStore:
    """Stores studies. Thread-safe. Every method raises Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis, bounds: Bounds) -> None:
        self._redis = client
        self._bounds = bounds
        self._replace = client.register_script(_REPLACE)

    def add(self, study: StoredStudy) -> StoredStudy:
        """Store a new study and return it with its id. Raises TooManyStudies, StudyConflict (its size)."""
        new = replace(study, id=secrets.token_urlsafe(ID_BYTES))
        value = self._encoded(new)
        most = self._bounds.max_studies_per_player
        if not self._enlist(_of(new.owner), new.id, most, _names(new.owner)):
            raise TooManyStudies.with_message(
                "a player can have {count} studies: delete one", count=most
            )
        with unavailable_on_error():
            self._redis.set(_key(new.id), value)
        return replace(new, stored=value)

    def get(self, study_id: str) -> StoredStudy:
        """Return a study. Raises NotFound."""
        for study in self._read([study_id]):
            return study
        raise no_study()

    def replace(self, before: StoredStudy, after: StoredStudy) -> StoredStudy | None:
        """Store a study in place of what was read; return it, or None if it was changed meanwhile.

        Raises TooManyStudies if an author writes in as many, or the game has as many listed ones, as are
        allowed; and StudyConflict if the study is too large.
        """
        value = self._encoded(after)
        bounds = self._bounds
        for author in set(after.authors) - set(before.authors):
            most = bounds.max_studies_per_player
            if not self._enlist(_with(author), after.id, most, _names(author)):
                raise TooManyStudies.with_message(
                    "this player writes in as many studies as are allowed"
                )
        if after.owner != before.owner:
            # A study that is handed on is not lost because its new owner has many.
            with unavailable_on_error():
                self._redis.zadd(_of(after.owner), {after.id: _now()})
        if after.sharing == LISTED and not self._enlist(
            _on(after.game), after.id, bounds.max_studies_per_game, _is_listed
        ):
            raise TooManyStudies.with_message(
                "as many studies of this game are listed as are allowed: share it by its link"
            )
        with unavailable_on_error():
            if not self._replace(keys=[_key(after.id)], args=[before.stored, value]):
                return None
        return replace(after, stored=value)

    def delete(self, study: StoredStudy) -> bool:
        """Delete a study; return False if it was changed since it was read."""
        with unavailable_on_error():
            if not self._replace(keys=[_key(study.id)], args=[study.stored, b""]):
                return False
            self._redis.zrem(_on(study.game), study.id)
            for player in study.writers:
                self._redis.zrem(_of(player), study.id)
                self._redis.zrem(_with(player), study.id)
        return True

    def of_player(self, player: str) -> list[StoredStudy]:
        """Return the studies that a player has made, or in which they write, the newest first."""
        studies = [study for study in self.naming(player) if player in study.writers]
        return sorted(studies, key=lambda study: study.created, reverse=True)

    def naming(self, player: str) -> list[StoredStudy]:
        """Return the studies in which a player writes, or has written something that is still there."""
        listed = self._listed(_of(player)) + self._listed(_with(player))
        return list({each.id: each for each in listed if each.names(player)}.values())

    def of_game(self, game: str) -> list[StoredStudy]:
        """Return the studies that are listed on a game, the newest first."""
        return [study for study in reversed(self._listed(_on(game))) if _is_listed(study)]

    def writers(self, players: Sequence[str]) -> list[str]:
        """Return the players, of these, who have made studies or write in some."""
        exist = which_exist(
            self._redis, [key(player) for player in players for key in (_of, _with)]
        )
        pairs = zip(exist[::2], exist[1::2], strict=True)
        return [player for player, pair in zip(players, pairs, strict=True) if any(pair)]

    def forget_lists(self, player: str) -> None:
        """Delete the lists of a player who is in no study any more."""
        with unavailable_on_error():
            self._redis.delete(_of(player))
            self._redis.delete(_with(player))

    def _listed(self, key: str) -> list[StoredStudy]:
        with unavailable_on_error():
            ids: Any = self._redis.zrange(key, 0, -1)
        return self._read([to_text(id) for id in ids])

    def _read(self, ids: Sequence[str]) -> list[StoredStudy]:
        if not ids:
            return []
        with unavailable_on_error():
            values: Any = self._redis.mget([_key(id) for id in ids])
        return [StoredStudy.decode(value) for value in values if isinstance(value, bytes)]

    def _enlist(
        self, key: str, study_id: str, most: int, belongs: Callable[[StoredStudy], bool]
    ) -> bool:
        """Write a study into a set that has room, or has it already; return whether it is there.

        From a set that is full, the studies are removed that no longer belong there.
        """

        def attempt() -> bool:
            return store_if_fewer(
                self._redis,
                key,
                most,
                lambda pipeline: (
                    0 if pipeline.zscore(key, study_id) is not None else pipeline.zcard(key)
                ),
                lambda pipeline: pipeline.zadd(key, {study_id: _now()}, nx=True),
            )

        if attempt():
            return True
        with unavailable_on_error():
            ids: Any = self._redis.zrange(key, 0, -1)
            belonging = {study.id for study in self._listed(key) if belongs(study)}
            outdated = {to_text(id) for id in ids} - belonging
            if outdated:
                self._redis.zrem(key, *outdated)
        return attempt()

    def _encoded(self, study: StoredStudy) -> bytes:
        value = study.encode()
        if len(value) > self._bounds.max_study_bytes:
            raise StudyConflict(message("the study is too large: make another one"))
        return value


def no_study() -> NotFound:
    """Return the error for a study that does not exist, or that the reader may not see."""
    return NotFound.with_message("there is no such study")


def _names(player: str) -> Callable[[StoredStudy], bool]:
    return lambda study: study.names(player)


def _is_listed(study: StoredStudy) -> bool:
    return study.sharing == LISTED


def _now() -> float:
    return wall_clock.now().timestamp()


def _key(study_id: str) -> str:
    return f"cartulary:study:{study_id}"


def _of(player: str) -> str:
    return f"cartulary:studies:of:{player}"


def _with(player: str) -> str:
    return f"cartulary:studies:with:{player}"


def _on(game: str) -> str:
    return f"cartulary:studies:on:{game}"
