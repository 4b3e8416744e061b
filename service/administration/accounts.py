"""Changes of administrators to the accounts of players: passwords, suspensions, roles.

cartulary:player:ID   the fields `role`, `suspended_at` and `suspension_reason` of the account's hash
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

import redis

from domain.errors import Malformed
from domain.json_types import JsonObject
from domain.messages import Message, message
from service import wall_clock
from service.accounts.account_reader import ADMIN, ROLE, SUSPENDED_AT, Player, account_key
from service.accounts.accounts import SUSPENSION_REASON, Players
from service.connection import to_text, unavailable_on_error
from service.errors import NotFound, OperationNotPossible

Role: TypeAlias = Literal["admin", "organiser"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)
MAX_REASON: Final = 500
"""The most characters of the reason for a suspension."""
_PASSWORD_BYTES: Final = 12
_NO_PLAYER: Final = message("there is no such player")


@dataclass(frozen=True, slots=True)
class AdministeredAccount:
    """An account as administrators see it. A suspended account has a time and a reason."""

    player: Player
    role: str | None
    suspended_at: str | None
    suspension_reason: str | None

    def as_json(self) -> JsonObject:
        """Return the account as JSON."""
        player = self.player
        return {
            "id": player.id,
            "handle": player.handle,
            "created": player.created,
            "email": player.email,
            "locale": player.locale,
            "guest": player.is_guest,
            "bot": player.bot,
            "role": self.role,
            "suspended_at": self.suspended_at,
            "suspension_reason": self.suspension_reason,
        }


class AccountAdministration:
    """Changes accounts. Thread-safe. Every method raises Unavailable if Redis does not respond.

    Methods with the id of a player raise NotFound if there is no such account.
    """

    def __init__(self, client: redis.Redis, players: Players) -> None:
        self._redis = client
        self._players = players

    def get(self, player_id: str) -> AdministeredAccount:
        """Return an account."""
        (account,) = self.of(self._players.get([player_id]))
        return account

    def of(self, players: Sequence[Player | None]) -> list[AdministeredAccount]:
        """Return the accounts of players. Raises NotFound for None."""
        present = [player for player in players if player is not None]
        if len(present) < len(players):
            raise NotFound(_NO_PLAYER)
        with unavailable_on_error(), self._redis.pipeline(transaction=False) as pipeline:
            for player in present:
                fields = (ROLE, SUSPENDED_AT, SUSPENSION_REASON)
                pipeline.hmget(account_key(player.id), fields)
            rows = pipeline.execute()
        return [
            AdministeredAccount(player, *(None if v is None else to_text(v) for v in row))
            for player, row in zip(present, rows, strict=True)
        ]

    def page(
        self, prefix: str, after: str | None, limit: int
    ) -> tuple[list[AdministeredAccount], str | None]:
        """Return accounts whose handles begin with `prefix`, and `after` of the next page or None.

        Guests are found only by their whole handle.
        """
        players, next_after = self._players.page(prefix, after, limit)
        exact = self._players.by_handle(prefix) if prefix and after is None else None
        if exact is not None and exact not in players:
            players.insert(0, exact)
        return self.of(players), next_after

    def is_administrator(self, player_id: str) -> bool:
        """Return whether a player has the role of an administrator."""
        return self._players.role(player_id) == ADMIN

    def reset_password(self, player_id: str) -> str:
        """Give a player a new, random password, end all sessions, and return the password.

        Raises OperationNotPossible for guests and bots, which have no password.
        """
        self.require_password(player_id)
        password = secrets.token_urlsafe(_PASSWORD_BYTES)
        self._players.replace_password(player_id, password)
        return password

    def require_password(self, player_id: str) -> None:
        """Raise OperationNotPossible unless the account has a password."""
        player = self.get(player_id).player
        if player.is_guest or player.bot is not None:
            raise OperationNotPossible.with_message("this account has no password")

    def suspend(self, player_id: str, reason: str) -> None:
        """Keep a player from logging in, and end all sessions. Raises Malformed (the reason)."""
        if fault := reason_fault(reason):
            raise Malformed({"reason": fault})
        now = wall_clock.format(wall_clock.now())
        self._change(player_id, {SUSPENDED_AT: now, SUSPENSION_REASON: reason})
        self._players.tokens.end_all(player_id)

    def end_suspension(self, player_id: str) -> None:
        """Let a suspended player log in again."""
        self._change(player_id, {SUSPENDED_AT: None, SUSPENSION_REASON: None})

    def set_role(self, player_id: str, role: Role | None) -> None:
        """Give a player a role, or remove it (None). Raises OperationNotPossible for a guest or a bot."""
        if role is not None:
            self.require_password(player_id)
        self._change(player_id, {ROLE: role})

    def _change(self, player_id: str, fields: Mapping[str, str | None]) -> None:
        self._players.store_fields(player_id, fields, NotFound(_NO_PLAYER))


def reason_fault(reason: str) -> Message | None:
    """Return the fault of the reason for an operation; None if it is valid."""
    if len(reason.strip()) > 0 and len(reason) <= MAX_REASON:
        return None
    return message("must have 1 to {most} characters", most=MAX_REASON)
