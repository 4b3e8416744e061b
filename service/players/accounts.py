"""Accounts: players with their handles, and what registering and logging in do.

    cartulary:player:ID          hash: handle, password (argon2), created, and if given email, locale
    cartulary:handle:FOLDED      id of the player with that handle, which is case-insensitive
    cartulary:skeleton:SKELETON  id of a player whose handle has that skeleton, so that nobody can
                                 register one that looks like it

A player's id reveals nothing about the person, and it is all that the log of a game contains of
them. If a player is erased (service/erasure.py), the id stays in the logs, and the handle stays taken
(service/players/erased.py).
"""

import re
import secrets
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from threading import Lock
from typing import Final

import redis
from cachetools import TTLCache
from redis.client import Pipeline
from redis.typing import EncodableT

from domain.errors import Malformed
from domain.messages import Message, Text, message
from service import clock
from service.bounds import Bounds
from service.connection import to_text, unavailable_on_error
from service.errors import Forbidden, HandleTaken, Unauthorised
from service.players.erased import ErasedPlayers
from service.players.handles import (
    InvalidHandle,
    fold_case,
    parse_handle,
    skeletons,
    spellings,
)
from service.players.passwords import PASSWORD_LENGTHS, Passwords, is_outdated
from service.players.tokens import (
    TOKEN_CACHE_TTL,
    Session,
    TokenOwner,
    Tokens,
    sessions_key,
)

_BATCH_SIZE: Final = 500
MAX_CACHED_HANDLES: Final = 10_000
_NOT_CACHED: Final = object()
EMAIL_PATTERN: Final = re.compile(r"[^\s@]+@[^\s@]+")
LOCALE_PATTERN: Final = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")


@dataclass(frozen=True, slots=True)
class Player:
    """A player's account. `email` and `locale` are shown to nobody else."""

    id: str
    handle: str
    created: str
    email: str | None = field(default=None, repr=False)
    locale: str | None = None


class Players:
    """All accounts of a service. Thread-safe. Every method raises Unavailable if Redis does not respond.

    `register` and `login` also raise it if too many passwords wait to be hashed.
    """

    def __init__(self, client: redis.Redis, bounds: Bounds, erased: ErasedPlayers) -> None:
        self._redis = client
        self._erased = erased
        self._passwords = Passwords(bounds.hashing_threads, bounds.max_waiting_passwords)
        self._tokens = Tokens(client, account_key, bounds.max_sessions_per_player)
        self._handles: TTLCache[str, str | None] = TTLCache(
            MAX_CACHED_HANDLES,
            TOKEN_CACHE_TTL.total_seconds(),
            timer=lambda: time.monotonic(),  # noqa: PLW0108 # looked up at each call, so that tests can replace it
        )
        """By player id, handles that were read lately; None for a player without an account."""
        self._lock = Lock()

    def register(
        self,
        handle: str,
        password: str,
        email: str | None = None,
        locale: str | None = None,
        client: str | None = None,
    ) -> tuple[Player, str]:
        """Create a player and a token. Raises Malformed (naming every wrong field), HandleTaken.

        `client` names the program that will use the token, for the list of sessions.
        """
        faults = _faults(password, email, locale)
        try:
            handle = parse_handle(handle)
        except InvalidHandle as error:
            faults["handle"] = error.message
        if faults:
            raise Malformed(faults)
        self._require_free(handle)
        player = Player(secrets.token_hex(8), handle, clock.format(clock.now()), email, locale)
        account: dict[EncodableT, EncodableT] = {
            "handle": handle,
            "password": self._passwords.hash(password),
            "created": player.created,
        }
        if email is not None:
            account["email"] = email
        if locale is not None:
            account["locale"] = locale
        with unavailable_on_error():
            # The account is written before the handle that leads to it. A process that dies in between
            # leaves an account that nobody can reach, and the handle free.
            self._redis.hset(account_key(player.id), mapping=account)
            keys = (_handle_key(fold_case(handle)), *map(_skeleton_key, skeletons(handle)))
            if not self._redis.msetnx(dict.fromkeys(keys, player.id)):
                self._redis.delete(account_key(player.id))
                self._require_free(handle)
                raise HandleTaken(message("the handle {handle} is taken", handle=handle))
        return player, self._tokens.create(player.id, client, is_first=True)

    def login(self, handle: str, password: str, client: str | None = None) -> str:
        """Return a new token. Raises Unauthorised, which does not reveal whether the handle exists.

        `client` names the program that will use the token, for the list of sessions.
        """
        player = self.by_handle(handle)
        password_hash = None
        if player is not None:
            with unavailable_on_error():
                stored = self._redis.hget(account_key(player.id), "password")
            password_hash = None if stored is None else to_text(stored)
        is_correct = self._passwords.is_password(password_hash, password)
        if not is_correct or player is None or password_hash is None:
            raise Unauthorised(message("there is no player with this handle and password"))
        token = self._tokens.create(player.id, client)
        with unavailable_on_error():
            current = self._redis.hget(account_key(player.id), "password")
        if current is None or to_text(current) != password_hash:
            # The password was changed meanwhile, which has ended the sessions that there were then.
            self._tokens.revoke(token)
            raise Unauthorised(message("there is no player with this handle and password"))
        if is_outdated(password_hash):
            new_hash = self._passwords.hash(password)
            with unavailable_on_error():
                self._redis.hset(account_key(player.id), "password", new_hash)
        return token

    def require_password(self, player_id: str, password: str) -> None:
        """Raise Forbidden unless this is the password of the player."""
        with unavailable_on_error():
            stored = self._redis.hget(account_key(player_id), "password")
        if not self._passwords.is_password(None if stored is None else to_text(stored), password):
            raise Forbidden(message("the password is not correct"))

    def change_password(self, player_id: str, token: str, password: str, new_password: str) -> None:
        """Replace the password of a player, and end all their sessions but that of `token`.

        Raises Forbidden (wrong password), Malformed (the new one).
        """
        self.require_password(player_id, password)
        if fault := _password_fault(new_password):
            raise Malformed({"new_password": fault})
        new_hash = self._passwords.hash(new_password)
        with unavailable_on_error():
            self._redis.hset(account_key(player_id), "password", new_hash)
        self._tokens.end_all(player_id, except_token=token)

    def set_locale(self, player_id: str, token: str, locale: str | None) -> None:
        """Store the locale of a player, or delete it (None). Raises Malformed, Unauthorised (no account).

        It applies to requests with `token` at once, elsewhere after TOKEN_CACHE_TTL at the latest.
        """
        if fault := _locale_fault(locale):
            raise Malformed({"locale": fault})

        def store(pipeline: Pipeline) -> None:
            # An account that is erased meanwhile must not come into being again.
            if not pipeline.hexists(key, "created"):
                raise Unauthorised(message("the account of this token has been deleted"))
            pipeline.multi()
            if locale is None:
                pipeline.hdel(key, "locale")
            else:
                pipeline.hset(key, "locale", locale)

        key = account_key(player_id)
        with unavailable_on_error():
            self._redis.transaction(store, key)
        self._tokens.forget_owner(token)

    def with_account(self, ids: Iterable[str]) -> list[str]:
        """Return those of the ids that have an account."""
        remaining, existing = iter(ids), list[str]()
        while batch := list(islice(remaining, _BATCH_SIZE)):
            with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
                for id in batch:
                    pipeline.exists(account_key(id))
                existing += [
                    id for id, exists in zip(batch, pipeline.execute(), strict=True) if exists
                ]
        return existing

    def close_account(self, player_id: str) -> None:
        """Erase of an account what lets its player in, and what no other part of an erasure needs."""
        self._tokens.end_all(player_id)
        with unavailable_on_error():
            self._redis.hdel(account_key(player_id), "password", "email", "locale")

    def delete_account(self, player_id: str) -> None:
        """Delete an account and its handle, which nobody can register from then on."""
        (player,) = self.get([player_id])
        if player is not None:
            self._erased.reserve_handle(player.handle)
            keys = [*map(_handle_key, spellings(player.handle))]
            keys += map(_skeleton_key, skeletons(player.handle))
            with unavailable_on_error():
                owners = self._redis.mget(keys)
                for key, owner in zip(keys, owners, strict=True):
                    if owner is not None and to_text(owner) == player_id:
                        self._redis.delete(key)
        with unavailable_on_error():
            self._redis.delete(account_key(player_id), sessions_key(player_id))
        with self._lock:
            self._handles.pop(player_id, None)

    def sessions(self, player_id: str) -> list[Session]:
        """Return the sessions of a player, the one used last first."""
        return self._tokens.sessions(player_id)

    def end_session(self, player_id: str, session: str) -> None:
        """End a session of a player. Raises NotFound."""
        self._tokens.end(player_id, session)

    def end_sessions(self, player_id: str, except_token: str | None = None) -> None:
        """End all sessions of a player, with or without that of one token."""
        self._tokens.end_all(player_id, except_token)

    def logout(self, token: str) -> None:
        """Revoke a token. Other processes may accept it for another TOKEN_CACHE_TTL."""
        self._tokens.revoke(token)

    def cached_token_owner(self, token: str) -> TokenOwner | None:
        """Return the player of a token that was looked up lately; else None.

        Does not read the store.
        """
        return self._tokens.cached_owner(token)

    def token_owner(self, token: str) -> TokenOwner | None:
        """Return the player whom a token authenticates; None if it is not valid."""
        return self._tokens.owner(token)

    def by_handle(self, handle: str) -> Player | None:
        """Return the player with a handle, in any case; None if there is none."""
        return self.by_handles([handle])[handle]

    def by_handles(self, handles: Iterable[str]) -> dict[str, Player | None]:
        """Return the players by handle, in any case; None for a handle that no player has.

        Needs two round trips, for any number of handles.
        """
        players: dict[str, Player | None] = dict.fromkeys(handles)
        candidates = [(handle, text) for handle in players for text in spellings(handle)]
        if candidates:
            with unavailable_on_error():
                replies = self._redis.mget(_handle_key(text) for _, text in candidates)
            ids: dict[str, str] = {}
            for (handle, _), id in zip(candidates, replies, strict=True):
                if id is not None:
                    ids.setdefault(handle, to_text(id))
            players.update(zip(ids, self.get(list(ids.values())), strict=True))
        return players

    def get(self, ids: Sequence[str]) -> list[Player | None]:
        """Return the players with these ids, in this order; None for an id without an account."""
        fields = ("handle", "created", "email", "locale")
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for id in ids:
                pipeline.hmget(account_key(id), fields)
            rows = pipeline.execute()
        players: list[Player | None] = []
        for id, row in zip(ids, rows, strict=True):
            handle, created, email, locale = (None if v is None else to_text(v) for v in row)
            if handle is None or created is None:
                players.append(None)
            else:
                players.append(Player(id, handle, created, email, locale))
        return players

    def handles(self, ids: Collection[str]) -> dict[str, str]:
        """Return the handles of those of the players who have an account.

        The store is read at most once per TOKEN_CACHE_TTL for a player.
        """
        with self._lock:
            handles = {id: self._handles.get(id, _NOT_CACHED) for id in ids}
        unknown = [id for id, handle in handles.items() if handle is _NOT_CACHED]
        if unknown:
            accounts = zip(unknown, self.get(unknown), strict=True)
            read = {id: None if account is None else account.handle for id, account in accounts}
            with self._lock:
                self._handles.update(read)
            handles |= read
        return {id: handle for id, handle in handles.items() if isinstance(handle, str)}

    def index_skeletons(self) -> None:
        """Store the skeletons of all handles, also of those that earlier versions have registered.

        Of two old handles that look alike, both stay valid.
        """
        with unavailable_on_error():
            keys = map(to_text, self._redis.scan_iter(_handle_key("*"), count=_BATCH_SIZE))
            while batch := list(islice(keys, _BATCH_SIZE)):
                replies = self._redis.mget(batch)
                owners = {
                    key: to_text(id)
                    for key, id in zip(batch, replies, strict=True)
                    if id is not None
                }
                self._index_skeletons_of(owners)

    def _index_skeletons_of(self, owners: Mapping[str, str]) -> None:
        """Store the skeletons of handles. `owners` are the ids of their players, by key of the handle."""
        players = self.get(list(owners.values()))
        with self._redis.pipeline(transaction=False) as pipeline:
            for (key, id), player in zip(owners.items(), players, strict=True):
                # The handle of a deleted account is known only without upper case.
                handle = key.removeprefix(_handle_key("")) if player is None else player.handle
                for skeleton in skeletons(handle):
                    pipeline.setnx(_skeleton_key(skeleton), id)
            pipeline.execute()

    def _require_free(self, handle: str) -> None:
        """Raise HandleTaken if another player has this handle, or one that looks like it."""
        keys = [_handle_key(fold_case(handle)), *map(_skeleton_key, skeletons(handle))]
        with unavailable_on_error():
            is_taken, *is_similar = (id is not None for id in self._redis.mget(keys))
        if is_taken:
            raise HandleTaken(message("the handle {handle} is taken", handle=handle))
        if any(is_similar):
            raise HandleTaken(
                message(
                    "the handle {handle} looks like the handle of another player", handle=handle
                )
            )
        if self._erased.is_reserved(handle):
            raise HandleTaken(
                message("the handle {handle} is taken, or looks like one that was", handle=handle)
            )


def _faults(password: str, email: str | None, locale: str | None) -> dict[str, Text]:
    """Return what is wrong with the fields of a new account, except for the handle."""
    faults: dict[str, Text] = {}
    if fault := _password_fault(password):
        faults["password"] = fault
    if email is not None and not (len(email) <= 254 and EMAIL_PATTERN.fullmatch(email)):
        faults["email"] = message("must be an e-mail address")
    if fault := _locale_fault(locale):
        faults["locale"] = fault
    return faults


def _locale_fault(locale: str | None) -> Message | None:
    """Return what is wrong with the locale of an account; None if nothing is."""
    if locale is None or (len(locale) <= 35 and LOCALE_PATTERN.fullmatch(locale)):
        return None
    return message("must be a language tag such as en or fr-CH")


def _password_fault(password: str) -> Message | None:
    """Return what is wrong with a new password; None if nothing is."""
    shortest, longest = PASSWORD_LENGTHS
    if shortest <= len(password) <= longest:
        return None
    return message("must have {least} to {most} characters", least=shortest, most=longest)


def account_key(id: str) -> str:
    """Return the key in Redis of the account with this player id."""
    return f"cartulary:player:{id}"


def _handle_key(folded_handle: str) -> str:
    return f"cartulary:handle:{folded_handle}"


def _skeleton_key(skeleton: str) -> str:
    return f"cartulary:skeleton:{skeleton}"
