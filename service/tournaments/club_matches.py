"""Matches between two clubs: challenges that are checked, and what an accepted one becomes.

An accepted challenge becomes a tournament of teams, a round robin of the two clubs, in which only their
members take part (docs/clubs.md, Challenges).
"""

from dataclasses import dataclass
from typing import Any, Final

from domain.errors import Malformed, NotNow
from domain.json_fields import is_integer
from domain.json_types import JsonObject
from domain.messages import message
from domain.options import MAX_NAME_CHARACTERS
from domain.tournaments import decisions
from domain.tournaments.entry_rules import CLUBS_OF_MATCH
from domain.tournaments.format_settings import MAX_BOARDS
from domain.tournaments.tournament import Tournament
from service.clubs.challenges import Challenge, ClubChallenges
from service.clubs.clubs import Clubs
from service.clubs.notices import ClubNotices
from service.tournaments.changes import TournamentChanges
from service.tournaments.tournaments import Tournaments

_NO_SECRET: Final = bytes(32)


@dataclass(eq=False, repr=False)
class ClubMatches:
    """Challenges of clubs and the matches that follow. Thread-safe; see ClubChallenges for the errors."""

    _clubs: Clubs
    _challenges: ClubChallenges
    _notices: ClubNotices
    _tournaments: Tournaments
    _changes: TournamentChanges

    def challenge(self, club_id: str, player: str, body: JsonObject) -> Challenge:
        """Challenge another club with the fields of `ChallengeClub`; return the challenge.

        Those who may answer get a mail. Raises Malformed, which names every wrong field, and NotNow.
        """
        own = self._clubs.with_right(club_id, player, "edit").club
        other = self._challenges.require_other(club_id, body["club"]).club
        match: JsonObject = {
            "format": {
                "format": "round_robin",
                "table_size": 2,
                "cycles": body["cycles"],
                "boards": body["boards"],
                "scoring": "boards",
            },
            **{
                name: body[name]
                for name in ("rules", "options", "clock", "closes", "round_seconds")
            },
        }
        self._check(match, {club_id: own.name, other.id: other.name})
        challenge = self._challenges.send(
            club_id, player, body["club"], match, is_public=body["public"]
        )
        self._notices.challenged(challenge)
        return challenge

    def accept(self, club_id: str, player: str, challenge_id: str, *, public: bool) -> Tournament:
        """Accept a challenge, as the owner of the challenged club or an officer who may edit.

        Returns the match, whose organisers are the officers who have sent and accepted the challenge.
        Everybody sees it if both clubs want that. Raises Malformed (settings that are not possible any more).
        """
        challenge = self._challenges.received(club_id, player, challenge_id)
        first = self._challenges.accept(challenge, player, is_public=public)
        names = {
            id: self._clubs.find(id).name for id in (challenge.challenger, challenge.challenged)
        }
        body = _body(challenge.match, names, is_private=not first.is_public)
        try:
            match = self._tournaments.create(first.player, body, f"challenge {challenge.id}")
        except Malformed:
            self._challenges.reopen(challenge)
            raise
        challenger = self._leader(challenge)
        if challenger not in match.organisers:
            handle = self._tournaments.handles([challenger])[challenger]
            try:
                match = self._changes.make(
                    match.id, first.player, "OrganiserNamed", match.name, {"player": handle}
                )
            except NotNow:
                # Another officer who accepts at the same time has done so.
                match = self._tournaments.load(match.id)
        self._challenges.end(challenge)
        self._notices.challenge_accepted(challenge, first.player)
        return match

    def refuse(self, club_id: str, player: str, challenge_id: str) -> None:
        """Withdraw a challenge of a club, or decline one that it has received, as somebody who may edit.

        Raises NotNow if it has just been accepted.
        """
        challenge = self._challenges.refuse(club_id, player, challenge_id)
        if challenge.challenged == club_id:
            self._notices.challenge_declined(challenge)

    def _leader(self, challenge: Challenge) -> str:
        """Return who organises the match for the challenger: the author, or the owner if that is no officer
        any more.
        """
        entry = self._clubs.visible(challenge.challenger, None)
        return challenge.by if entry.has_right(challenge.by, "edit") else entry.club.owner

    def _check(self, match: JsonObject, names: dict[str, str]) -> None:
        """Raise Malformed unless a match is possible with these settings."""
        boards = match["format"]["boards"]
        if not is_integer(boards) or not 1 <= boards <= MAX_BOARDS:
            # Without boards, a tournament would be one of single players.
            fault = message(
                "must be a whole number from {least} to {most}", least=1, most=MAX_BOARDS
            )
            raise Malformed({"boards": fault})
        body = _body(match, names, is_private=False)
        if faults := self._tournaments.faults(body):
            raise Malformed(faults)
        try:
            decisions.create(
                **{name: value for name, value in body.items() if name != "invite"},
                invited=(),
                secret=_NO_SECRET,
                games_secret=_NO_SECRET,
            )
        except Malformed as error:
            raise Malformed({_field(path): fault for path, fault in error.fields.items()}) from None


def _field(path: str) -> str:
    """Return the field of a challenge for the path of a fault of a tournament."""
    return path.removeprefix("format.")


def _body(match: JsonObject, names: dict[str, str], *, is_private: bool) -> dict[str, Any]:
    """Return the fields of the tournament that a match of two clubs is."""
    return {
        **match,
        "name": " - ".join(names.values())[:MAX_NAME_CHARACTERS],
        "description": "",
        "contact": "",
        "private": is_private,
        "least": CLUBS_OF_MATCH,
        "most": CLUBS_OF_MATCH,
        "invite": [],
        "clubs": names,
    }
