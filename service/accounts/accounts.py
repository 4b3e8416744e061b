"""Accounts: players with their handles; registering, logging in and changing accounts.

    cartulary:player:ID   hash: handle, created, and where there is one, password (argon2), email (and
                          email_confirmed, email_disabled, email_bounces: service/mail), locale, time_zone,
                          profile (what others see on it; without it, everything),
                          presence (`hidden` if others do not see when the player is in a game),
                          lessons (since when the player wants lessons in games against bots, or `off`),
                          bot (the name of the bot that the player is), program (whether the owner has
                          marked the account as one for which a program plays), role (`admin`), suspended_at,
                          suspension_reason

A guest is a player without a password, whose handle was made up, until they choose both. The account of a
guest also has the field `guest`, and expires together with its only token.

A player's id reveals nothing about the person, and it is all that the log of a game contains of
them. If a player is erased (`erasure`), the id stays in the logs, and the handle stays taken (`erased`).
"""

import re
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import Final

import redis
from redis.client import Pipeline
from redis.typing import EncodableT

from domain.errors import Malformed, NotNow
from domain.json_fields import one_of
from domain.messages import Message, Text, message
from ledger.clock.time_zones import is_time_zone
from service import wall_clock
from service.accounts.account_reader import (
    EMAIL_FIELDS,
    PRESENCE,
    PRESENCE_VISIBILITIES,
    PROFILE_VISIBILITIES,
    PROGRAM,
    AccountReader,
    EmailStatus,
    Player,
    account_key,
    new_player,
    visibility_named,
)
from service.accounts.erased import ErasedPlayers
from service.accounts.handle_index import HandleIndex
from service.accounts.handles import InvalidHandle, fold_case, parse_handle, random_guest_handle
from service.accounts.holidays import holidays_key
from service.accounts.password_guesses import (
    GuessCount,
    LoginSource,
    PasswordGuesses,
    known_networks_key,
)
from service.accounts.passwords import PASSWORD_LENGTHS, Passwords, is_easy_to_guess, is_outdated
from service.accounts.personal_tokens import PersonalTokens, personal_tokens_key
from service.accounts.presence import Presence
from service.accounts.reserved_handles import is_reserved
from service.accounts.tokens import TOKEN_SECONDS, Tokens, sessions_key
from service.bounds import Bounds
from service.connection import read_field, to_text, unavailable_on_error
from service.email_address import InvalidAddress, parse_address
from service.errors import (
    Forbidden,
    HandleTaken,
    NotAGuest,
    ServiceError,
    Unauthorised,
    Unavailable,
)
from service.shared_secret import MailTokens

SUSPENSION_REASON: Final = "suspension_reason"
"""The field of an account whose player may not log in; its value is the reason."""
LOCALE_PATTERN: Final = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
_MAX_ATTEMPTS: Final = 20
"""The most handles that are tried for a guest, and for a bot."""
_SUFFIX_BYTES: Final = 2
_NO_SOURCE: Final = LoginSource()
_NOT_A_GUEST: Final = message("this player is not a guest: the account has a password")

LESSONS_OFF: Final = "off"
"""The setting of a player who wants no lessons, not even in tutorial games."""


class Players(AccountReader):
    """All accounts of a service. Thread-safe. Every method raises Unavailable if Redis does not respond.

    `register` and `login` also raise it if too many passwords wait to be hashed.
    """

    def __init__(self, client: redis.Redis, bounds: Bounds, erased: ErasedPlayers) -> None:
        super().__init__(client, HandleIndex(client, erased))
        self._erased = erased
        self._passwords = Passwords(bounds.hashing_threads, bounds.max_waiting_passwords)
        self._guesses = PasswordGuesses(client, bounds, MailTokens(client))
        personal = PersonalTokens(client, bounds.max_personal_tokens_per_player)
        self.tokens = Tokens(client, account_key, bounds.max_sessions_per_player, personal)
        self.presence = Presence(client)
        self._words_of_routes: frozenset[str] = frozenset()

    def reserve_words(self, words: Iterable[str]) -> None:
        """Keep players from choosing these words, which paths have in the place of handles."""
        self._words_of_routes |= frozenset(map(fold_case, words))

    def register(
        self,
        handle: str,
        password: str,
        email: str | None = None,
        locale: str | None = None,
        client: str | None = None,
        source: LoginSource = _NO_SOURCE,
    ) -> tuple[Player, str]:
        """Create a player and a token. Raises Malformed (naming every wrong field), HandleTaken.

        `client` names the program that will use the token, for the list of sessions.
        """
        handle = self._checked_handle(handle, faults_of(handle, password, email, locale))
        self._handle_index.require_free(handle)
        player = new_player(handle, email, locale)
        self._create(player, self._passwords.hash(password))
        self._guesses.add_network(player.id, source)
        return player, self.tokens.create(player.id, client, is_first=True)

    def create_guest(
        self, locale: str | None = None, client: str | None = None
    ) -> tuple[Player, str]:
        """Create a player without a password, with a handle such as `guest-7k2m9x`, and a token.

        The account expires with the token, after TOKEN_DAYS, unless the guest is named before. Raises
        Malformed (the locale).
        """
        if fault := locale_fault(locale):
            raise Malformed({"locale": fault})
        id, created = secrets.token_hex(8), wall_clock.format(wall_clock.now())
        for _ in range(_MAX_ATTEMPTS):
            guest = Player(id, random_guest_handle(), created, locale=locale, is_guest=True)
            with suppress(HandleTaken):
                self._create(guest)
                break
        else:
            raise Unavailable.with_message("no handle for a guest is free")
        with unavailable_on_error():
            self._redis.expire(account_key(id), TOKEN_SECONDS)
        self._handle_index.expire(guest.handle, TOKEN_SECONDS)
        return guest, self.tokens.create(id, client, is_first=True)

    def name_guest(
        self,
        player_id: str,
        handle: str,
        password: str,
        email: str | None = None,
        source: LoginSource = _NO_SOURCE,
    ) -> Player:
        """Give a guest a handle and a password of their choice, and return the player.

        Their sessions stay valid. Raises Malformed (naming every wrong field), HandleTaken, NotAGuest (also
        for a player without an account).
        """
        handle = self._checked_handle(handle, faults_of(handle, password, email, None))
        (guest,) = self.get([player_id])
        if guest is None or not guest.is_guest:
            raise NotAGuest(_NOT_A_GUEST)
        self._handle_index.require_free(handle, player_id)
        password_hash = self._passwords.hash(password)
        fields: dict[EncodableT, EncodableT] = {"handle": handle, "password": password_hash}
        if email is not None:
            email = parse_address(email)
            fields["email"] = email

        def store(pipeline: Pipeline) -> None:
            if not pipeline.hexists(key, "guest"):
                raise NotAGuest(_NOT_A_GUEST)
            pipeline.multi()
            pipeline.persist(key)
            pipeline.hdel(key, "guest")
            pipeline.hset(key, mapping=fields)

        key = account_key(player_id)
        self._handle_index.take(handle, player_id)
        try:
            with unavailable_on_error():
                self._redis.transaction(store, key)
        except NotAGuest:
            self._handle_index.release(handle, player_id, kept=guest.handle)
            raise
        self._handle_index.release(guest.handle, player_id, kept=handle)
        self._forget_handle(player_id)
        self._guesses.add_network(player_id, source)
        status: EmailStatus | None = None if email is None else "unconfirmed"
        return replace(guest, handle=handle, email=email, is_guest=False, email_status=status)

    def create_bot(self, id: str, handle: str, bot: str) -> None:
        """Create the account of the bot with this name, or complete it. Raises HandleTaken."""
        self._create(Player(id, handle, wall_clock.format(wall_clock.now()), bot=bot))

    def login(
        self,
        handle: str,
        password: str,
        client: str | None = None,
        source: LoginSource = _NO_SOURCE,
    ) -> str:
        """Return a new token. Raises Unauthorised or TooManyRequests, neither of which reveals whether the
        handle exists, and Forbidden if the account is suspended.

        `client` names the program that will use the token, for the list of sessions.
        """
        player = self.by_handle(handle)
        guess = self._guesses.begin_login(handle, None if player is None else player.id, source)
        password_hash = None
        if player is not None:
            password_hash = read_field(self._redis, account_key(player.id), "password")
        is_correct = self._is_password(guess, password_hash, password)
        if not is_correct or player is None or password_hash is None:
            raise Unauthorised.with_message("there is no player with this handle and password")
        token = self.tokens.create(player.id, client)
        with unavailable_on_error():
            fields = ("password", SUSPENSION_REASON)
            current, reason = self._redis.hmget(account_key(player.id), fields)
        if current is None or to_text(current) != password_hash:
            # The password was changed in the meantime, which ended all sessions.
            self.tokens.revoke(token)
            raise Unauthorised.with_message("there is no player with this handle and password")
        if reason is not None:
            self.tokens.revoke(token)
            raise Forbidden.with_message(
                "this account is suspended: {reason}", reason=to_text(reason)
            )
        self._guesses.add_network(player.id, source)
        if is_outdated(password_hash):
            new_hash = self._passwords.hash(password)
            with unavailable_on_error():
                self._redis.hset(account_key(player.id), "password", new_hash)
        return token

    def require_password(self, player_id: str, password: str) -> None:
        """Raise Forbidden unless this is the password of the player, TooManyRequests after many others."""
        guess = self._guesses.begin_confirmation(player_id)
        password_hash = read_field(self._redis, account_key(player_id), "password")
        if not self._is_password(guess, password_hash, password):
            raise Forbidden.with_message("the password is not correct")

    def require_password_of_owner(self, player_id: str, password: str | None) -> None:
        """Raise an error unless this is the password of the player; that of a guest is not checked.

        Raises Malformed (no password), Forbidden, TooManyRequests.
        """
        (player,) = self.get([player_id])
        if player is not None and player.is_guest:
            return
        if password is None:
            raise Malformed({"password": message("is needed to change this")})
        self.require_password(player_id, password)

    def change_password(self, player_id: str, token: str, password: str, new_password: str) -> None:
        """Replace the password of a player, and end all their sessions except that of `token`.

        Raises Forbidden and TooManyRequests (wrong passwords), Malformed (the new one).
        """
        self.require_password(player_id, password)
        if fault := password_fault(new_password, self.handles([player_id]).get(player_id, "")):
            raise Malformed({"new_password": fault})
        self.replace_password(player_id, new_password, token)

    def replace_password(
        self, player_id: str, new_password: str, except_token: str | None = None
    ) -> None:
        """Store a new, valid password of a player, and end all sessions, except that of a given token.

        The player must have an account with a password. Without a token, personal tokens are revoked as well.
        """
        new_hash = self._passwords.hash(new_password)
        with unavailable_on_error():
            self._redis.hset(account_key(player_id), "password", new_hash)
        self.tokens.end_all(player_id, except_token=except_token)

    def change_settings(
        self, player_id: str, token: str, settings: Mapping[str, str | None]
    ) -> None:
        """Store the given settings of `locale`, `time_zone`, `profile` and `presence`; None deletes one.

        They apply to requests with `token` immediately, and elsewhere after at most TOKEN_CACHE_TTL. When the
        presence becomes hidden, what is known of it is deleted. Raises Malformed (naming every wrong
        setting), Unauthorised (no account).
        """
        checks = {
            "locale": locale_fault,
            "time_zone": time_zone_fault,
            "profile": profile_fault,
            PRESENCE: presence_fault,
        }
        faults = {name: checks[name](value) for name, value in settings.items()}
        if any(faults.values()):
            raise Malformed({name: fault for name, fault in faults.items() if fault is not None})

        deleted = Unauthorised.with_message("the account of this token has been deleted")
        is_shown = settings.get(PRESENCE) == "shown"
        stored = {**settings, PRESENCE: None} if is_shown else settings
        self.store_fields(player_id, stored, deleted)
        self.tokens.forget_owner(token)
        if settings.get(PRESENCE) == "hidden":
            self.presence.forget(player_id)

    def lessons_setting(self, player_id: str) -> str | None:
        """Return when a player switched lessons on, `off` for none, None for tutorial games only."""
        return read_field(self._redis, account_key(player_id), "lessons")

    def switch_lessons(self, player_id: str, *, is_on: bool) -> None:
        """Switch the lessons of a player on or off, from now on, in all games in which there are lessons."""
        value = wall_clock.format(wall_clock.now()) if is_on else LESSONS_OFF
        self._store_in_account(
            player_id, lambda pipeline, key: pipeline.hset(key, "lessons", value)
        )

    def adopt_time_zone(self, player_id: str, token: str, zone: str) -> None:
        """Store the time zone of a player's browser, unless the account has one. `zone` must be valid."""
        self._store_in_account(
            player_id, lambda pipeline, key: pipeline.hsetnx(key, "time_zone", zone)
        )
        self.tokens.forget_owner(token)

    def mark_as_bot(self, player_id: str) -> None:
        """Mark an account permanently as one for which a program plays. Raises NotNow for a guest.

        The caller makes sure that the player has no place in a game, since bots cannot play in rated games.
        """
        (player,) = self.get([player_id])
        if player is None or player.is_guest:
            raise NotNow(
                None,
                message("a guest cannot be marked as a bot: choose a handle and a password first"),
            )
        self._store_in_account(player_id, lambda pipeline, key: pipeline.hset(key, PROGRAM, "1"))
        self._forget_handle(player_id)

    def store_fields(
        self, player_id: str, fields: Mapping[str, str | None], if_missing: ServiceError
    ) -> None:
        """Write fields of an account; None deletes one. Raises `if_missing` if there is no account."""

        def write(pipeline: Pipeline, key: str) -> None:
            for name, value in fields.items():
                if value is None:
                    pipeline.hdel(key, name)
                else:
                    pipeline.hset(key, name, value)

        self._store_in_account(player_id, write, if_missing)

    def _store_in_account(
        self,
        player_id: str,
        write: Callable[[Pipeline, str], object],
        if_missing: ServiceError | None = None,
    ) -> None:
        """Write to an account if it exists; otherwise raise `if_missing`."""

        def store(pipeline: Pipeline) -> None:
            # An account that is erased in the meantime must not be created again.
            exists = pipeline.hexists(key, "created")
            if not exists and if_missing is not None:
                raise if_missing
            pipeline.multi()
            if exists:
                write(pipeline, key)

        key = account_key(player_id)
        with unavailable_on_error():
            self._redis.transaction(store, key)

    def close_account(self, player_id: str) -> None:
        """Erase the credentials of an account, and data that no other part of an erasure needs."""
        self.tokens.end_all(player_id)
        with unavailable_on_error():
            settings = ("locale", "time_zone", "profile", "lessons")
            fields = ("password", *settings, "guest", "role", *EMAIL_FIELDS)
            self._redis.hdel(account_key(player_id), *fields)

    def delete_account(self, player_id: str) -> None:
        """Delete an account and its handle, which nobody can register from then on."""
        (player,) = self.get([player_id])
        if player is not None:
            self._erased.reserve_handle(player.handle)
            self._handle_index.release(player.handle, player_id)
        with unavailable_on_error():
            keys = (
                *(account_key, sessions_key, personal_tokens_key),
                *(holidays_key, known_networks_key),
            )
            self._redis.delete(*(key(player_id) for key in keys))
        self._forget_handle(player_id)

    def index_skeletons(self) -> None:
        """Store the skeletons of all handles; see `HandleIndex.index_skeletons`."""
        self._handle_index.index_skeletons(
            lambda ids: [None if player is None else player.handle for player in self.get(ids)]
        )

    def add_login_source(self, player_id: str, source: LoginSource) -> None:
        """Remember a place where a player has proven their identity without logging in."""
        self._guesses.add_network(player_id, source)

    def _checked_handle(self, handle: str, faults: dict[str, Text]) -> str:
        """Return a new handle, normalized. Raises Malformed with these faults and that of the handle."""
        try:
            handle = parse_handle(handle)
        except InvalidHandle as error:
            faults["handle"] = error.message
        else:
            if is_reserved(handle):
                faults["handle"] = message(
                    "is reserved, because it seems to speak for this server: choose another one"
                )
            elif fold_case(handle) in self._words_of_routes:
                faults["handle"] = message(
                    "is reserved, because it has another meaning in addresses of this server: choose"
                    " another one"
                )
        if faults:
            raise Malformed(faults)
        return handle

    def _is_password(self, guess: GuessCount, password_hash: str | None, password: str) -> bool:
        """Return whether a password has this hash. Only wrong passwords stay counted as guesses."""
        is_wrong = False
        try:
            is_wrong = not self._passwords.is_password(password_hash, password)
        finally:
            if not is_wrong:
                self._guesses.forget(guess)
        return not is_wrong

    def _create(self, player: Player, password_hash: str | None = None) -> None:
        """Store a new account. Raises HandleTaken."""
        fields = {
            "handle": player.handle,
            "created": player.created,
            "password": password_hash,
            "email": player.email,
            "locale": player.locale,
            "bot": player.bot,
            "guest": "1" if player.is_guest else None,
        }
        with unavailable_on_error():
            # The account is written before the handle that leads to it. A process that dies in between
            # leaves an account that nobody can reach, and the handle free.
            self._redis.hset(
                account_key(player.id),
                mapping={name: value for name, value in fields.items() if value is not None},
            )
        try:
            self._handle_index.take(player.handle, player.id, is_listed=not player.is_guest)
        except HandleTaken:
            with unavailable_on_error():
                self._redis.delete(account_key(player.id))
            raise


class BotPlayers:
    """The players that are bots. Thread-safe. Methods raise Unavailable if Redis does not respond.

    Their accounts are like others, with the id BOT-bot-NUMBER, but nobody can log in. All games share them:
    in each game, the first bot of a name is number 1, the second is number 2. An account is created when it
    is first needed. Its handle is its id, such as `sensible-bot-1`, unless a person has that handle or one
    that looks like it: then the bot gets a longer handle.
    """

    def __init__(self, players: Players) -> None:
        self._players = players

    def id_of(self, bot: str, participants: Collection[str]) -> str:
        """Return the id of a bot with this name that is not among the participants of a game."""
        return next(id for number in count(1) if (id := f"{bot}-bot-{number}") not in participants)

    def ensure_account(self, bot: str, id: str) -> None:
        """Create the account with this id, of a bot with this name, unless it exists."""
        if self._players.with_account([id]):
            return
        for handle in _handles(id):
            with suppress(HandleTaken):
                self._players.create_bot(id, handle, bot)
                return


def _handles(id: str) -> Iterator[str]:
    yield id
    for _ in range(_MAX_ATTEMPTS):
        yield f"{id}-{secrets.token_hex(_SUFFIX_BYTES)}"


def faults_of(handle: str, password: str, email: str | None, locale: str | None) -> dict[str, Text]:
    """Return the faults of the fields of a new account, except for the handle."""
    faults: dict[str, Text] = {}
    if fault := password_fault(password, handle):
        faults["password"] = fault
    if email is not None:
        try:
            parse_address(email)
        except InvalidAddress as error:
            faults["email"] = error.message
    if fault := locale_fault(locale):
        faults["locale"] = fault
    return faults


def locale_fault(locale: str | None) -> Message | None:
    """Return the fault of the locale of an account; None if it is valid."""
    if locale is None or (len(locale) <= 35 and LOCALE_PATTERN.fullmatch(locale)):
        return None
    return message("must be a language tag such as en or fr-CH")


def time_zone_fault(name: str | None) -> Message | None:
    """Return the fault of the time zone of an account; None if it is valid."""
    if name is None or is_time_zone(name):
        return None
    return message("must be the name of a time zone, such as Europe/Paris")


def profile_fault(name: str | None) -> Message | None:
    """Return the fault of the visibility of a profile; None if it is valid."""
    if name is None or visibility_named(name) is not None:
        return None
    return one_of(PROFILE_VISIBILITIES)


def presence_fault(name: str | None) -> Message | None:
    """Return what is wrong with a setting of presence; None if nothing is."""
    return None if name is None or name in PRESENCE_VISIBILITIES else one_of(PRESENCE_VISIBILITIES)


def password_fault(password: str, handle: str = "") -> Message | None:
    """Return the fault of a new password of the player with this handle; None if it is valid."""
    shortest, longest = PASSWORD_LENGTHS
    if not shortest <= len(password) <= longest:
        return message("must have {least} to {most} characters", least=shortest, most=longest)
    if is_easy_to_guess(password, [handle]):
        return message(
            "is too easy to guess: choose a longer one, such as some words that do not belong together"
        )
    return None
