"""Changes of clubs about which players get a mail: invitations, requests, answers to these, handovers.

A player with a confirmed address gets the mail, unless they want no mails about invitations.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, TypeAlias

from domain.json_types import JsonObject
from service.accounts.mutes import Mutes
from service.clubs.challenges import Challenge
from service.clubs.clubs import Clubs
from service.clubs.model import Relation, Right
from service.notifications.mail.account_mails import AccountMailKind, AccountNotices
from service.notifications.preferences import PreferenceStore

Occasion: TypeAlias = Literal[
    "requested",
    "admitted",
    "declined",
    "appointed",
    "handed_on",
    "challenged",
    "challenge_accepted",
    "challenge_declined",
]
"""What has happened, in a mail of the kind `club_changed`."""


@dataclass(eq=False, repr=False)
class ClubNotices:
    """Changes clubs, and notifies those whom a change concerns. Thread-safe.

    Every method does what the method of `Clubs` with its name does, and raises its errors. All raise
    Unavailable without Redis.
    """

    _clubs: Clubs
    _mutes: Mutes
    _preferences: PreferenceStore
    _notices: AccountNotices

    def invite(self, club_id: str, inviter: str, player: str) -> None:
        """Invite a player, who gets a mail unless they have muted the inviter."""
        if self._clubs.invite(club_id, inviter, player):
            self._send("club_invited", player, {"club": club_id})

    def join(
        self, club_id: str, player: str, token: str | None = None, answer: str | None = None
    ) -> Relation:
        """Let a player join a club, or ask to. Those who answer requests get a mail about a new one.

        They do not if they have muted the player.
        """
        has_asked = self._clubs.relation(club_id, player) == "requesting"
        relation = self._clubs.join(club_id, player, token, answer)
        if relation == "requesting" and not has_asked:
            entry = self._clubs.visible(club_id, player)
            readers = [each for each in entry.people if entry.has_right(each, "invite")]
            for reader in set(readers) - self._mutes.muted_by(player, readers):
                self._tell("requested", club_id, reader, player)
        return relation

    def admit(self, club_id: str, answerer: str, player: str) -> None:
        """Admit a player who has asked to join, and gets a mail."""
        if self._clubs.admit(club_id, answerer, player):
            self._tell("admitted", club_id, player)

    def remove(self, club_id: str, remover: str, player: str) -> None:
        """Remove a player. One whose request is declined gets a mail."""
        if self._clubs.remove(club_id, remover, player) == "requesting":
            self._tell("declined", club_id, player)

    def appoint(self, club_id: str, owner: str, player: str, rights: Collection[Right]) -> None:
        """Give rights to a member, who gets a mail if they are an officer for the first time."""
        if self._clubs.appoint(club_id, owner, player, rights):
            self._tell("appointed", club_id, player)

    def hand_on(self, club_id: str, owner: str, player: str) -> None:
        """Hand a club on to a member, who gets a mail."""
        self._clubs.hand_on(club_id, owner, player)
        self._tell("handed_on", club_id, player, owner)

    def challenged(self, challenge: Challenge) -> None:
        """Tell those who may answer a challenge of it, unless they have muted its author."""
        entry, by = self._clubs.visible(challenge.challenged, None), challenge.by
        readers = [each for each in entry.people if entry.has_right(each, "edit")]
        for reader in set(readers) - self._mutes.muted_by(by, readers):
            self._tell("challenged", challenge.challenged, reader, by, challenge.challenger)

    def challenge_accepted(self, challenge: Challenge, by: str) -> None:
        """Tell the author of a challenge that a player of the other club has accepted it."""
        self._answer("challenge_accepted", challenge, by)

    def challenge_declined(self, challenge: Challenge) -> None:
        """Tell the author of a challenge that the other club has declined it."""
        self._answer("challenge_declined", challenge, None)

    def _answer(self, occasion: Occasion, challenge: Challenge, by: str | None) -> None:
        if self._clubs.is_member(challenge.challenger, challenge.by):
            self._tell(occasion, challenge.challenger, challenge.by, by, challenge.challenged)

    def _tell(
        self,
        occasion: Occasion,
        club_id: str,
        reader: str,
        by: str | None = None,
        other: str | None = None,
    ) -> None:
        data = {"club": club_id, "occasion": occasion, "by": by}
        self._send("club_changed", reader, data if other is None else {**data, "other": other})

    def _send(self, kind: AccountMailKind, reader: str, data: JsonObject) -> None:
        if self._preferences.of(reader).includes("email", "invited"):
            self._notices.report(kind, reader, data)
