"""Challenges between clubs: sending, answering and withdrawing them."""

from collections.abc import Sequence
from typing import Final

from domain.json_types import JsonObject
from service.clubs.challenges import Challenge
from service.clubs.schemas import AcceptChallenge, ChallengeClub, ClubChallenge, ClubChallengeList
from service.http.blueprint import Blueprint
from service.http.context import service
from service.http.language import request_renderer
from service.http.ratelimits import limit_new_places
from service.http.responses import tournament_details
from service.tournaments.schemas import TournamentDetails

_CHALLENGES: Final = "/clubs/<club>/challenges"

blueprint = Blueprint("club_challenges", "Challenges between clubs.", auth="login_required")


@blueprint.get(
    _CHALLENGES,
    "All challenges that wait for an answer. `next` is null.",
    ClubChallengeList,
    errors=(403,),
)
def list_club_challenges(club: str, player: str) -> JsonObject:
    """List the challenges that a club has sent and received and that wait, as one of its members."""
    waiting = service().club_challenges.waiting(club, player)
    return {"challenges": _challenges_json(waiting), "next": None}


@blueprint.post(
    _CHALLENGES,
    "The challenge.",
    ClubChallenge,
    limit=limit_new_places,
    json_body=ChallengeClub(),
    errors=(403, 409),
)
def send_club_challenge(club: str, player: str, body: JsonObject) -> JsonObject:
    """Challenge another club to a match of teams, as the owner or an officer who may edit.

    Both clubs have to be public. A club challenges another one again when the challenge before has ended.
    """
    return _challenges_json([service().club_matches.challenge(club, player, body)])[0]


@blueprint.post(
    f"{_CHALLENGES}/<challenge>/tournament",
    "The match.",
    TournamentDetails,
    limit=limit_new_places,
    json_body=AcceptChallenge(),
    is_body_required=False,
    errors=(403,),
)
def accept_club_challenge(club: str, challenge: str, player: str, body: JsonObject) -> JsonObject:
    """Accept a challenge that a club has received, as the owner or an officer who may edit.

    The match is a tournament of two teams. Its organisers are the officers who have sent and accepted the
    challenge; in each club, somebody who may edit enters the team.
    """
    match = service().club_matches.accept(club, player, challenge, public=body["public"])
    return tournament_details(match, service().tournaments.tournaments.handles, request_renderer())


@blueprint.delete(f"{_CHALLENGES}/<challenge>", "The challenge has ended.", errors=(403, 409))
def refuse_club_challenge(club: str, challenge: str, player: str) -> None:
    """Decline a challenge that a club has received, or withdraw one that it has sent, as somebody who may
    edit.
    """
    service().club_matches.refuse(club, player, challenge)


def _challenges_json(challenges: Sequence[Challenge]) -> list[JsonObject]:
    handles = service().accounts.players.handles({each.by for each in challenges})
    ids = {id for each in challenges for id in (each.challenger, each.challenged)}
    names = service().club_challenges.names(ids)
    return [
        {
            **{name: getattr(each, name) for name in ("id", "at", "closes")},
            "challenger": {"id": each.challenger, "name": names[each.challenger]},
            "challenged": {"id": each.challenged, "name": names[each.challenged]},
            "player": {"id": each.by, "handle": handles[each.by]} if each.by in handles else None,
            "public": each.is_public,
            **{name: each.match[name] for name in ("rules", "options", "clock", "round_seconds")},
            **{name: each.match["format"][name] for name in ("boards", "cycles")},
        }
        for each in challenges
    ]
