"""Reads accounts: players by id and by handle, and handles, which are cached.

accounts.py describes how
accounts are stored, and changes them.
"""

import secrets
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import compress, islice
from threading import Lock
from typing import Final, Literal, TypeAlias, get_args

import redis
from cachetools import TTLCache

from domain.errors import Malformed
from domain.messages import Text, message
from service import wall_clock
from service.accounts.handle_index import HandleIndex
from service.accounts.handles import entered_handle
from service.accounts.tokens import TOKEN_CACHE_TTL
from service.connection import read_field, text_or_none, unavailable_on_error, which_exist
from service.email_address import parse_address
from service.errors import NotFound

EMAIL_FIELDS: Final = (
    "email",
    "email_confirmed",
    "email_disabled",
    "email_bounces",
    "email_refusal",
)
"""The fields of an account about its e-mail address: the address, the times at which it was confirmed and
disabled, and the number of mails to it that have bounced since."""
PROGRAM: Final = "program"
"""The field of an account that its owner has marked as one for which a program plays."""
PRESENCE: Final = "presence"
"""The field of an account whose player hides when they are in their games."""
ROLE: Final = "role"
"""The field of an account with the role of its owner."""
SUSPENDED_AT: Final = "suspended_at"
"""The field of an account with the time since which its player may not log in."""
ADMIN: Final = "admin"
ORGANISER: Final = "organiser"
"""The role of players who may create tournaments, as administrators may."""
BOT_MARK: Final = "(bot)"
"""The mark after the handle of such an account in lists of players. Handles cannot contain it."""
MAX_CACHED_HANDLES: Final = 10_000
_FIELDS: Final = (
    *("handle", "created", "email", "locale", "bot", "guest"),
    *("email_confirmed", "email_disabled", "time_zone", "profile", PROGRAM, PRESENCE),
)
_BATCH_SIZE: Final = 500
_NOT_CACHED: Final = object()


EmailStatus: TypeAlias = Literal["unconfirmed", "confirmed", "disabled"]
"""Notifications are sent to confirmed addresses only; one is disabled after mails to it have bounced."""


ProfileVisibility: TypeAlias = Literal["everything", "results", "nothing"]
"""What other players see on the profile of a player."""


PROFILE_VISIBILITIES: Final[tuple[ProfileVisibility, ...]] = get_args(ProfileVisibility)
PresenceVisibility: TypeAlias = Literal["shown", "hidden"]
"""Whether the other players of a game see when a player is there."""
PRESENCE_VISIBILITIES: Final[tuple[PresenceVisibility, ...]] = get_args(PresenceVisibility)


@dataclass(frozen=True, slots=True)
class Player:
    """A player's account. `email`, `locale` and `time_zone` are shown to nobody else."""

    id: str
    handle: str
    created: str
    email: str | None = field(default=None, repr=False)
    locale: str | None = None
    bot: str | None = None
    """The name of the bot that the player is; None for a person."""
    is_guest: bool = False
    """Whether the account has a generated handle and no password."""
    email_status: EmailStatus | None = None
    """None without an address."""
    time_zone: str | None = None
    """The IANA name of the player's time zone; None means UTC."""
    profile: ProfileVisibility = "everything"
    is_program: bool = False
    """Whether the owner has marked the account as one for which a program plays."""
    presence: PresenceVisibility = "shown"

    @property
    def confirmed_email(self) -> str | None:
        """The address if it is confirmed and not disabled: the only one to which notifications are sent."""
        return self.email if self.email_status == "confirmed" else None

    @property
    def is_bot(self) -> bool:
        """Whether the account is a bot of the server, or marked as a bot."""
        return self.bot is not None or self.is_program


def visibility_named(name: str | None) -> ProfileVisibility | None:
    """Return the visibility of a profile with this name; None if there is none."""
    return next((known for known in PROFILE_VISIBILITIES if known == name), None)


def handle_fault(player: Player | None) -> Text | None:
    """Return the reason why this player, found by a handle, is not a person; None if they are."""
    if player is None:
        return message("is not the handle of a player")
    if player.bot is not None:
        # A bot neither accepts invitations nor rules disputes.
        return message("is the handle of a bot")
    return None


class AccountReader:
    """Reads all accounts of a service. Thread-safe. Methods raise Unavailable if Redis does not respond."""

    def __init__(self, client: redis.Redis, handle_index: HandleIndex) -> None:
        self._redis = client
        self._handle_index = handle_index
        self._handles: TTLCache[str, tuple[str, bool] | None] = TTLCache(
            MAX_CACHED_HANDLES,
            TOKEN_CACHE_TTL.total_seconds(),
            timer=lambda: time.monotonic(),  # noqa: PLW0108 # looked up at each call, so that tests can replace it
        )
        """Recently read handles by player id, each with True if the account is marked as a bot; None for a
        player without an account."""
        self._lock = Lock()

    def page(self, prefix: str, after: str | None, limit: int) -> tuple[list[Player], str | None]:
        """Return players whose handles begin with `prefix`; see `HandleIndex.page`."""
        ids, next_after = self._handle_index.page(entered_handle(prefix), after, limit)
        return [player for player in self.get(ids) if player is not None], next_after

    def by_handle(self, handle: str) -> Player | None:
        """Return the player with a handle, in any case; None if there is none."""
        return self.by_handles([handle])[handle]

    def by_handles(self, handles: Iterable[str]) -> dict[str, Player | None]:
        """Return the players by handle, in any case; None for a handle that no player has.

        Needs two round trips, for any number of handles.
        """
        players: dict[str, Player | None] = dict.fromkeys(handles)
        ids = self._handle_index.ids(players)
        if ids:
            players.update(zip(ids, self.get(list(ids.values())), strict=True))
        return players

    def role(self, player_id: str) -> str | None:
        """Return the role that an administrator has given to a player; None without one."""
        return read_field(self._redis, account_key(player_id), ROLE)

    def is_suspended(self, player_id: str) -> bool:
        """Return whether an administrator keeps a player from logging in."""
        with unavailable_on_error():
            return bool(self._redis.hexists(account_key(player_id), SUSPENDED_AT))

    def person_with_handle(self, handle: str) -> Player:
        """Return the player with a handle. Raises Malformed if there is none, and for a bot."""
        player = self.by_handle(handle)
        fault = handle_fault(player)
        if fault is not None:
            raise Malformed({"handle": fault})
        assert player is not None, "a handle without a player has a fault"
        return player

    def find_person(self, handle: str) -> Player:
        """Return the player with a handle. Raises NotFound if no person has it."""
        try:
            return self.person_with_handle(handle)
        except Malformed:
            raise NotFound.with_message(
                "no player has the handle {handle}", handle=handle[:64]
            ) from None

    def get(self, ids: Sequence[str]) -> list[Player | None]:
        """Return the players with these ids, in this order; None for an id without an account."""
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for id in ids:
                pipeline.hmget(account_key(id), _FIELDS)
            rows = pipeline.execute()
        return [_player(id, map(text_or_none, row)) for id, row in zip(ids, rows, strict=True)]

    def handles(self, ids: Collection[str]) -> dict[str, str]:
        """Return the handles of the players who have an account.

        For each player, the store is read at most once per TOKEN_CACHE_TTL.
        """
        return {id: handle for id, (handle, _) in self._marked_handles(ids).items()}

    def shown_names(self, ids: Collection[str]) -> dict[str, str]:
        """Return the result of `handles`, with BOT_MARK after handles of accounts marked as bots."""
        return {
            id: f"{handle} {BOT_MARK}" if is_program else handle
            for id, (handle, is_program) in self._marked_handles(ids).items()
        }

    def _marked_handles(self, ids: Collection[str]) -> dict[str, tuple[str, bool]]:
        with self._lock:
            handles = {id: self._handles.get(id, _NOT_CACHED) for id in ids}
        unknown = [id for id, handle in handles.items() if handle is _NOT_CACHED]
        if unknown:
            accounts = zip(unknown, self.get(unknown), strict=True)
            read = {
                id: None if account is None else (account.handle, account.is_program)
                for id, account in accounts
            }
            with self._lock:
                self._handles.update(read)
            handles |= read
        return {id: handle for id, handle in handles.items() if isinstance(handle, tuple)}

    def with_account(self, ids: Iterable[str]) -> list[str]:
        """Return the ids, of these, that have an account."""
        remaining, existing = iter(ids), list[str]()
        while batch := list(islice(remaining, _BATCH_SIZE)):
            existing += compress(batch, which_exist(self._redis, map(account_key, batch)))
        return existing

    def _forget_handle(self, player_id: str) -> None:
        """Remove the handle of a player from the cache."""
        with self._lock:
            self._handles.pop(player_id, None)


def _player(id: str, values: Iterable[str | None]) -> Player | None:
    """Return the player with these values of _FIELDS; None without an account."""
    stored = dict(zip(_FIELDS, values, strict=True))
    handle, created, email = stored["handle"], stored["created"], stored["email"]
    if handle is None or created is None:
        return None
    return Player(
        *(id, handle, created, email, stored["locale"], stored["bot"]),
        is_guest=stored["guest"] is not None,
        email_status=_email_status(email, stored["email_confirmed"], stored["email_disabled"]),
        time_zone=stored["time_zone"],
        profile=visibility_named(stored["profile"]) or "everything",
        is_program=stored[PROGRAM] is not None,
        presence="shown" if stored[PRESENCE] is None else "hidden",
    )


def _email_status(
    email: str | None, confirmed: str | None, disabled: str | None
) -> EmailStatus | None:
    if email is None:
        return None
    if disabled is not None:
        return "disabled"
    return "unconfirmed" if confirmed is None else "confirmed"


def account_key(id: str) -> str:
    """Return the key in Redis of the account with this player id."""
    return f"cartulary:player:{id}"


def new_player(handle: str, email: str | None, locale: str | None) -> Player:
    """Return a player with a new id. `email` is an address that is not normalized yet, or None."""
    created = wall_clock.format(wall_clock.now())
    if email is None:
        return Player(secrets.token_hex(8), handle, created, locale=locale)
    return Player(
        secrets.token_hex(8),
        handle,
        created,
        parse_address(email),
        locale,
        email_status="unconfirmed",
    )
