"""Challenges between clubs.

`python -m service.http.client_generator` has written this file.
"""

from typing import NotRequired, TypedDict, Unpack

from client.groups.shared import Clock, NamedPlayer, TournamentDetails
from client.methods import C_co, Group, Method
from client.requests import Call, call, read_nothing, reader, segment
from domain.json_types import JsonObject


class AcceptChallenge(TypedDict):
    """The body of a request: AcceptChallenge."""

    public: NotRequired[bool]


class ChallengeClub(TypedDict):
    """The body of a request: ChallengeClub."""

    club: str
    rules: str
    options: NotRequired[JsonObject]
    clock: JsonObject
    boards: int
    cycles: NotRequired[int]
    closes: str
    round_seconds: int
    public: NotRequired[bool]


class ChallengedClub(TypedDict):
    """A club of a challenge."""

    id: str
    name: str


class ClubChallenge(TypedDict):
    """A challenge that waits for an answer. `player` is its author, null if they were erased."""

    id: str
    challenger: ChallengedClub
    challenged: ChallengedClub
    player: NamedPlayer | None
    at: str
    closes: str
    public: bool
    rules: str
    options: JsonObject
    clock: Clock
    boards: int
    cycles: int
    round_seconds: int


class ClubChallengeList(TypedDict):
    """The challenges of a club that wait for an answer, the newest first. `next` is null."""

    challenges: list[ClubChallenge]
    next: str | None


def list_club_challenges(club: str, /) -> Call[ClubChallengeList]:
    """List the challenges that a club has sent and received and that wait, as one of its
    members.
    """
    return call("GET", f"/clubs/{segment(club)}/challenges", reader(ClubChallengeList))


def send_club_challenge(club: str, /, **body: Unpack[ChallengeClub]) -> Call[ClubChallenge]:
    """Challenge another club to a match of teams, as the owner or an officer who may edit.

    Both clubs have to be public. A club challenges another one again when the challenge before has
    ended.
    """
    return call("POST", f"/clubs/{segment(club)}/challenges", reader(ClubChallenge), body=body)


def accept_club_challenge(
    club: str, challenge: str, /, **body: Unpack[AcceptChallenge]
) -> Call[TournamentDetails]:
    """Accept a challenge that a club has received, as the owner or an officer who may edit.

    The match is a tournament of two teams. Its organisers are the officers who have sent and
    accepted the challenge; in each club, somebody who may edit enters the team.
    """
    return call(
        "POST",
        f"/clubs/{segment(club)}/challenges/{segment(challenge)}/tournament",
        reader(TournamentDetails),
        body=body,
    )


def refuse_club_challenge(club: str, challenge: str, /) -> Call[None]:
    """Decline a challenge that a club has received, or withdraw one that it has sent, as
    somebody who may edit.
    """
    return call("DELETE", f"/clubs/{segment(club)}/challenges/{segment(challenge)}", read_nothing)


class ClubChallengesCalls(Group[C_co]):
    """Challenges between clubs."""

    list = Method(list_club_challenges)
    send = Method(send_club_challenge)
    accept = Method(accept_club_challenge)
    refuse = Method(refuse_club_challenge)
