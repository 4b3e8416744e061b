"""Tournaments: lists, registration, what organisers do, standings and the record."""

from flask import Response

from domain.json_types import JsonObject
from domain.tournaments.tournament import TOURNAMENT_STATUSES, Tournament, individuals_as_json
from service.games.listings import parse_statuses
from service.http.blueprint import Blueprint, lines_response, response_with_lines
from service.http.context import service
from service.http.language import request_renderer
from service.http.ratelimits import limit_new_places
from service.http.responses import current_standings, tournament_details, tournament_summary
from service.tournaments.schemas import (
    ChangeTournament,
    CreateTournament,
    EnterTeam,
    NameCaptain,
    RegisterInTournament,
    ReplaceEntrant,
    SetLineUp,
    TournamentDetails,
    TournamentEventList,
    TournamentEventsQuery,
    TournamentList,
    TournamentRegistration,
    TournamentsQuery,
    TournamentStandings,
)
from service.tournaments.tournaments import Tournaments

blueprint = Blueprint("tournaments", "Tournaments and leagues.", auth="optional_auth")


@blueprint.get(
    "/tournaments",
    "A page of tournaments.",
    TournamentList,
    query=TournamentsQuery(),
    errors=(401,),
)
def list_tournaments(player: str | None, query: JsonObject) -> JsonObject:
    """List the tournaments that the viewer may see, newest first.

    A page may have fewer of them than `limit`, and still a next page.
    """
    found, following = _tournaments().page(
        parse_statuses(query["status"], TOURNAMENT_STATUSES),
        player,
        player if query["mine"] == "true" else None,
        query["cursor"],
        query["limit"],
        query["club"],
    )
    return {
        "tournaments": [tournament_summary(tournament) for tournament in found],
        "next": following,
    }


@blueprint.post(
    "/tournaments",
    "The new tournament.",
    TournamentDetails,
    auth="login_required",
    json_body=CreateTournament(),
    is_idempotent=True,
    limit=limit_new_places,
    errors=(403,),
)
def create_tournament(player: str, body: JsonObject, idempotency_key: str | None) -> JsonObject:
    """Create a tournament, as an organiser, an administrator, or the owner of the club in `options`.

    The server draws two secrets and publishes commitments to them: of the lots and tables, and of the games.
    """
    return _details(_tournaments().create(player, body, idempotency_key))


@blueprint.get("/tournaments/<id>", "The tournament.", TournamentDetails)
def get_tournament(player: str | None, id: str) -> JsonObject:
    """Get a tournament with its players, rounds and standings."""
    return _details(_tournaments().get(id, player))


@blueprint.put(
    "/tournaments/<id>/players/me",
    "The player takes part.",
    TournamentRegistration,
    auth="login_required",
    json_body=RegisterInTournament(),
    is_body_required=False,
    limit=limit_new_places,
    errors=(403, 409),
)
def register_in_tournament(player: str, id: str, body: JsonObject) -> JsonObject:
    """Take part in a tournament; in one that is in progress late, if that is possible, or as a substitute.

    Substitutes get the places of players who withdraw, in the order of registering. `nonce` has up to 64
    random bytes, by which nobody else can arrange the draw. A player who lacks what the tournament requires
    gets a 403 with what is missing, and a 409 if there is no room or it is over.
    """
    entered, receipt = _tournaments().register(id, player, body["nonce"] or b"")
    return {"tournament": _details(entered), "receipt": receipt}


@blueprint.delete(
    "/tournaments/<id>/players/me",
    "The player takes part no more.",
    auth="login_required",
    errors=(409,),
    limit=limit_new_places,
)
def withdraw_from_tournament(player: str, id: str) -> None:
    """Withdraw from a tournament, from the next round on. Games go on: a player resigns in each of them."""
    _tournaments().withdraw(id, player)


@blueprint.put(
    "/tournaments/<id>/teams/mine",
    "The team takes part as soon as enough players have joined it.",
    TournamentRegistration,
    auth="login_required",
    json_body=EnterTeam(),
    limit=limit_new_places,
    errors=(403, 409),
)
def enter_team(player: str, id: str, body: JsonObject) -> JsonObject:
    """Enter a team as its captain; change it while registration is open.

    Those who are named have to join it. Who is not named any more leaves it.
    """
    teams = service().tournaments.teams
    entered, receipt = teams.enter(id, player, body["name"], body["members"], body["nonce"] or b"")
    return {"tournament": _details(entered), "receipt": receipt}


@blueprint.put(
    "/tournaments/<id>/teams/<handle>/players/me",
    "The player is in the team.",
    TournamentRegistration,
    auth="login_required",
    json_body=RegisterInTournament(),
    is_body_required=False,
    limit=limit_new_places,
    errors=(400, 403, 409),
)
def join_team(player: str, id: str, handle: str, body: JsonObject) -> JsonObject:
    """Join the team of the captain with this handle, who has named the player.

    Leave it as a player leaves a tournament. A captain who leaves withdraws the team.
    """
    entered, receipt = service().tournaments.teams.join(id, player, handle, body["nonce"] or b"")
    return {"tournament": _details(entered), "receipt": receipt}


@blueprint.put(
    "/tournaments/<id>/teams/<handle>/line-ups/<int:round>",
    "The tournament.",
    TournamentDetails,
    auth="login_required",
    json_body=SetLineUp(),
    limit=limit_new_places,
    errors=(400, 409),
)
def set_line_up(player: str, id: str, handle: str, round: int, body: JsonObject) -> JsonObject:
    """Set who plays at the boards from the next round on, as the captain with this handle or an organiser.

    It is set before the round before ends, and stands until another one is set.
    """
    teams = service().tournaments.teams
    return _details(teams.set_line_up(id, player, handle, round, body["players"]))


@blueprint.put(
    "/tournaments/<id>/teams/<handle>/captain",
    "The tournament.",
    TournamentDetails,
    auth="login_required",
    json_body=NameCaptain(),
    limit=limit_new_places,
    errors=(400, 409),
)
def name_captain(player: str, id: str, handle: str, body: JsonObject) -> JsonObject:
    """Hand a team on to another of its players, as the captain with this handle or an organiser.

    The former captain stays in the team.
    """
    return _details(service().tournaments.teams.hand_on(id, player, handle, body["handle"]))


@blueprint.put(
    "/tournaments/<id>/byes/<int:round>",
    "The player has half a point in the round, and no table.",
    auth="login_required",
    limit=limit_new_places,
    errors=(409,),
)
def request_bye(player: str, id: str, round: int) -> None:
    """Ask in advance for half a point instead of a table in a round, if the tournament has such byes."""
    _tournaments().request_bye(id, player, round)


@blueprint.delete(
    "/tournaments/<id>/byes/<int:round>",
    "The player plays in the round.",
    auth="login_required",
    limit=limit_new_places,
    errors=(409,),
)
def cancel_bye(player: str, id: str, round: int) -> None:
    """Play in a round after all, as long as it could still be asked for."""
    _tournaments().cancel_bye(id, player, round)


@blueprint.put(
    "/tournaments/<id>/break",
    "The player gets no further table.",
    auth="login_required",
    limit=limit_new_places,
    errors=(409,),
)
def take_break(player: str, id: str) -> None:
    """Take a break in an arena: no further table until it ends. A game that has begun goes on, and counts."""
    service().tournaments.breaks.take(id, player)


@blueprint.delete(
    "/tournaments/<id>/break",
    "The player is seated again.",
    auth="login_required",
    limit=limit_new_places,
    errors=(409,),
)
def end_break(player: str, id: str) -> None:
    """Go on in an arena, after a break or after having let a game pass."""
    service().tournaments.breaks.end(id, player)


@blueprint.delete(
    "/tournaments/<id>/players/<handle>",
    "The player takes part no more.",
    auth="login_required",
    errors=(400, 403, 409),
)
def exclude_from_tournament(player: str, id: str, handle: str) -> None:
    """Withdraw another player, as the organiser of the tournament or an administrator."""
    _tournaments().exclude(id, player, handle)


@blueprint.put(
    "/tournaments/<id>/invitations/<handle>",
    "The player is invited.",
    auth="login_required",
    limit=limit_new_places,
    errors=(400, 403, 409),
)
def invite_to_tournament(player: str, id: str, handle: str) -> None:
    """Invite a player to a private tournament, as its organiser or an administrator."""
    _tournaments().invite(id, player, handle)


@blueprint.post(
    "/tournaments/<id>/replacements",
    "The tournament.",
    TournamentDetails,
    auth="login_required",
    json_body=ReplaceEntrant(),
    status=200,
    errors=(403, 409),
)
def replace_entrant(player: str, id: str, body: JsonObject) -> JsonObject:
    """Give the place of an entrant to a substitute, as the organiser or an administrator.

    The substitute has the points of the entrant, and plays from the next round on.
    """
    return _details(_tournaments().replace(id, player, body["entrant"], body["substitute"]))


@blueprint.post(
    "/tournaments/<id>/cancellation",
    "The tournament.",
    TournamentDetails,
    auth="login_required",
    status=200,
    errors=(403, 409),
)
def cancel_tournament(player: str, id: str) -> JsonObject:
    """Cancel a tournament, as its organiser or an administrator. Its games go on."""
    return _details(_tournaments().cancel(id, player))


@blueprint.post(
    "/tournaments/<id>/changes",
    "The tournament.",
    TournamentDetails,
    auth="login_required",
    json_body=ChangeTournament(),
    status=200,
    errors=(403, 409),
)
def change_tournament(player: str, id: str, body: JsonObject) -> JsonObject:
    """Change something in a tournament, as its organiser: texts, dates, results and others.

    Each change is an event of the log with its author and its reason, which everybody can read, and which
    audits.
    """
    changes = service().tournaments.changes
    return _details(changes.make(id, player, body["type"], body["reason"], body["data"]))


@blueprint.get("/tournaments/<id>/standings", "The standings.", TournamentStandings)
def get_tournament_standings(player: str | None, id: str) -> JsonObject:
    """Get the standings after the results that there are."""
    shown = _tournaments().get(id, player)
    return {
        "final": shown.is_over,
        "groups": current_standings(shown, request_renderer()),
        "individuals": individuals_as_json(shown),
    }


@blueprint.get(
    "/tournaments/<id>/events",
    "A page of events.",
    TournamentEventList,
    query=TournamentEventsQuery(),
)
def list_tournament_events(player: str | None, id: str, query: JsonObject) -> JsonObject:
    """List the events of a tournament, in order."""
    events = _tournaments().events(id, player, **query)
    is_full = len(events) == query["limit"]
    return {"events": events, "next": events[-1]["seq"] if is_full else None}


@blueprint.get(
    "/tournaments/<id>/record", responses=response_with_lines("The record, one JSON object a line.")
)
def get_tournament_record(player: str | None, id: str) -> Response:
    """Get the signed record of a tournament, which `cartulary tournament audit` checks."""
    return lines_response(_tournaments().record(id, player), id)


def _tournaments() -> Tournaments:
    return service().tournaments.tournaments


def _details(tournament: Tournament) -> JsonObject:
    return tournament_details(tournament, _tournaments().handles, request_renderer())
