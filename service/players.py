"""Accounts: who plays, by what handle, and by which token a request is theirs.

    cartulary:player:ID      hash: handle, password (argon2), created, where given email, locale
    cartulary:handle:FOLDED  id of the player with that handle, in whatever case it is written
    cartulary:token:SHA256   id of the player that the token speaks for; goes after TOKEN_DAYS

A player's id says nothing of the person and is all that a game's log has of them. Of a password or
a token only a hash is stored, so neither can be read from here; both are shown to nobody.
"""

import re
import secrets
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from threading import BoundedSemaphore
from typing import Final

import redis
from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError
from redis.typing import EncodableT

from domain.errors import Malformed
from service import clock
from service.connection import reachable
from service.errors import NotFound, Taken, Unauthorised

TOKEN_DAYS = 180
TOKEN_TRUSTED: Final = timedelta(seconds=5)
"""How long a process takes a token for good without asking again: who acts saves a way to the store."""
TOKENS_TRUSTED_AT_ONCE: Final = 10_000
HANDLE_FORM: Final = re.compile(r"\w(?:[\w.-]{0,30}\w)?")
PASSWORD_LENGTHS = (8, 1024)
"""Characters, fewest and most."""
EMAIL_FORM: Final = re.compile(r"[^\s@]+@[^\s@]+")
LOCALE_FORM: Final = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")

# The smallest setting that OWASP recommends: 19 MiB, two passes, one lane. No more than two at a time, so
# that a rush of log-ins takes neither the memory nor the cores from those who play.
_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
_HASHING = BoundedSemaphore(2)
_NOBODYS = _HASHER.hash(secrets.token_urlsafe())
"""Verified where there is no such handle, so that the time taken does not tell."""


@dataclass(frozen=True, slots=True)
class Player:
    """What there is to say of a player. `email` and `locale` are for themselves and their mail."""

    id: str
    handle: str
    created: str
    email: str | None = field(default=None, repr=False)
    locale: str | None = None


class Players:
    """All accounts of a service. Raises Unavailable from everything when Redis does not answer."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._trusted: dict[str, tuple[str | None, datetime]] = {}
        """What was said of tokens a moment ago, by key: whose (None: nobody's any more), and until when."""

    def register(
        self, handle: str, password: str, email: str | None = None, locale: str | None = None
    ) -> tuple[Player, str]:
        """A new player and a token. Raises Malformed (every wrong field named), Taken."""
        handle = unicodedata.normalize("NFC", handle)
        faults = _faults(handle, password, email, locale)
        if faults:
            raise Malformed(faults)
        taken = Taken(f"the handle {handle!r} is taken")
        with reachable():
            if self._redis.exists(_handle_key(handle)):
                raise taken
        player = Player(secrets.token_hex(8), handle, clock.format(clock.now()), email, locale)
        account: dict[EncodableT, EncodableT] = {
            "handle": handle,
            "password": _hashed(password),
            "created": player.created,
        }
        if email is not None:
            account["email"] = email
        if locale is not None:
            account["locale"] = locale
        with reachable():
            # The account is there before its handle leads to it. Who dies in between leaves an account
            # that nobody can reach, and a handle that is free.
            self._redis.hset(_player_key(player.id), mapping=account)
            if not self._redis.set(_handle_key(handle), player.id, nx=True):
                self._redis.delete(_player_key(player.id))
                raise taken
        return player, self._token_for(player.id)

    def login(self, handle: str, password: str) -> str:
        """A new token. Raises Unauthorised, without a word about which of the two was wrong."""
        found = self.by_handle(handle)
        stored = None
        if found is not None:
            with reachable():
                stored = self._redis.hget(_player_key(found.id), "password")
        hashed = _NOBODYS if stored is None else _text(stored)
        if not _is_password(hashed, password) or found is None:
            raise Unauthorised("there is no player with this handle and password")
        if _HASHER.check_needs_rehash(hashed):
            with reachable():
                self._redis.hset(_player_key(found.id), "password", _hashed(password))
        return self._token_for(found.id)

    def logout(self, token: str) -> None:
        """From now on the token speaks for nobody; other processes know it within TOKEN_TRUSTED."""
        name = _token_key(token)
        with reachable():
            self._redis.delete(name)
        # Not just forgotten: a thread may have read it before it was gone, and not yet said so below.
        self._trusted[name] = None, clock.now() + TOKEN_TRUSTED

    def by_token(self, token: str) -> str | None:
        """The id of the player that the token speaks for; the store is asked at most every TOKEN_TRUSTED."""
        name = _token_key(token)
        now = clock.now()
        known = self._trusted.get(name)
        if known is not None:
            if now < known[1]:
                return known[0]
            self._trusted.pop(name, None)
        with reachable():
            found = self._redis.get(name)
        if found is None:
            return None
        if len(self._trusted) >= TOKENS_TRUSTED_AT_ONCE:
            self._trusted.clear()
        return self._trusted.setdefault(name, (_text(found), now + TOKEN_TRUSTED))[0]

    def by_handle(self, handle: str) -> Player | None:
        """The player with the handle, written in any case."""
        handle = unicodedata.normalize("NFC", handle)
        if not HANDLE_FORM.fullmatch(handle):
            return None
        with reachable():
            found = self._redis.get(_handle_key(handle))
        return None if found is None else self.get([_text(found)])[0]

    def get(self, ids: Sequence[str]) -> list[Player]:
        """The players with these ids, in their order. Raises NotFound for one that is none."""
        fields = ("handle", "created", "email", "locale")
        with reachable(), self._redis.pipeline(transaction=False) as pipeline:
            for id in ids:
                pipeline.hmget(_player_key(id), fields)
            rows = pipeline.execute()
        players = []
        for id, row in zip(ids, rows, strict=True):
            handle, created, email, locale = (None if v is None else _text(v) for v in row)
            if handle is None or created is None:
                raise NotFound(f"there is no player {id}")
            players.append(Player(id, handle, created, email, locale))
        return players

    def _token_for(self, player: str) -> str:
        token = secrets.token_urlsafe(32)
        with reachable():
            self._redis.set(_token_key(token), player, ex=TOKEN_DAYS * 24 * 3600)
        return token


def _faults(handle: str, password: str, email: str | None, locale: str | None) -> dict[str, str]:
    faults = {}
    if not HANDLE_FORM.fullmatch(handle):
        faults["handle"] = (
            "must be 1 to 32 letters, digits, underscores, and within also hyphens and full stops"
        )
    fewest, most = PASSWORD_LENGTHS
    if not fewest <= len(password) <= most:
        faults["password"] = f"must have {fewest} to {most} characters"
    if email is not None and not (len(email) <= 254 and EMAIL_FORM.fullmatch(email)):
        faults["email"] = "must be an e-mail address"
    if locale is not None and not (len(locale) <= 35 and LOCALE_FORM.fullmatch(locale)):
        faults["locale"] = "must be a language tag such as en or fr-CH"
    return faults


def _hashed(password: str) -> str:
    with _HASHING:
        return _HASHER.hash(_encoded(password))


def _is_password(hashed: str, password: str) -> bool:
    with _HASHING:
        try:
            return _HASHER.verify(hashed, _encoded(password))
        except VerifyMismatchError:
            return False


def _encoded(password: str) -> bytes:
    # JSON may hold half of a pair of surrogates, which UTF-8 has no place for.
    return password.encode("utf-8", "surrogatepass")


def _player_key(id: str) -> str:
    return f"cartulary:player:{id}"


def _handle_key(handle: str) -> str:
    return f"cartulary:handle:{handle.casefold()}"


def _token_key(token: str) -> str:
    return "cartulary:token:" + sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value
