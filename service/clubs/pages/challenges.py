"""The challenges of a club: those that wait for an answer, and the form for a new one."""

from typing import Final

from flask import Blueprint, Response, g, request
from werkzeug.wrappers import Response as BaseResponse

from domain.errors import Malformed, NotNow
from domain.json_types import JsonObject
from domain.messages import message
from domain.registry import rule_system_for, rule_systems
from domain.tournaments.format_settings import BOUNDS, MAX_BOARDS
from ledger.clock.time_zones import UTC_NAME
from service.clubs.permissions import require_member
from service.http.context import service
from service.http.ratelimits import limit_new_places
from service.pages.forms import (
    EMPTY_FORM,
    Form,
    entered_form,
    read_field,
    see_other,
    shows_refusals,
)
from service.pages.session import require_player
from service.pages.templating import page
from service.tournaments.view_model import DAY, entered_moment, entered_number

blueprint = Blueprint("club_challenges", __name__, template_folder="../templates")

_USUAL_BOARDS: Final = 3
_MAX_DAYS: Final = 366
_MAX_DAYS_OF_TURN: Final = 30
_USUAL_DAYS: Final = 30
_USUAL_DAYS_OF_TURN: Final = 2


def _challenges_page(club_id: str, form: Form = EMPTY_FORM, status: int = 200) -> Response:
    player_id = require_player()
    entry = service().clubs.visible(club_id, player_id)
    require_member(entry, player_id)
    waiting = service().club_challenges.waiting(club_id, player_id)
    clubs = {id for each in waiting for id in (each.challenger, each.challenged)}
    service().accounts.players.handles({each.by for each in waiting})
    return page(
        "club_challenges.html",
        status,
        club=entry.club,
        may_edit=entry.has_right(player_id, "edit"),
        received=[each for each in waiting if each.challenged == club_id],
        sent=[each for each in waiting if each.challenger == club_id],
        names=service().club_challenges.names(clubs),
        titles={
            each.id: rule_system_for(each.match["rules"], each.match["options"]).TITLE
            for each in waiting
        },
        entries=rule_systems(),
        other=service().clubs.visible_name(request.args.get("club", ""), None) or "",
        most_boards=MAX_BOARDS,
        usual_boards=_USUAL_BOARDS,
        most_cycles=BOUNDS["cycles"][1],
        most_days=_MAX_DAYS,
        usual_days=_USUAL_DAYS,
        most_days_of_turn=_MAX_DAYS_OF_TURN,
        usual_days_of_turn=_USUAL_DAYS_OF_TURN,
        time_zone=g.get("time_zone") or UTC_NAME,
        form=form,
    )


@blueprint.get("/clubs/<club_id>/challenges")
def show_challenges(club_id: str) -> Response:
    """Show the challenges of a club that wait for an answer, to its members."""
    return _challenges_page(club_id)


@blueprint.post("/clubs/<club_id>/challenges")
@limit_new_places
@shows_refusals(_challenges_page, Malformed, NotNow)
def challenge(club_id: str) -> BaseResponse:
    """Challenge the public club that the form names, as the owner or an officer."""
    player_id = require_player()
    service().club_matches.challenge(club_id, player_id, _entered_challenge())
    return see_other(f"/clubs/{club_id}/challenges")


@blueprint.post("/clubs/<club_id>/challenges/acceptance")
@limit_new_places
@shows_refusals(_challenges_page, Malformed, NotNow, keeps_entries=False)
def accept(club_id: str) -> BaseResponse:
    """Accept a challenge, as the owner or an officer, and show the match."""
    player_id, values = require_player(), entered_form().values
    match = service().club_matches.accept(
        club_id, player_id, values.get("challenge", ""), public=bool(values.get("public"))
    )
    return see_other(f"/tournaments/{match.id}")


@blueprint.post("/clubs/<club_id>/challenges/refusal")
@shows_refusals(_challenges_page, NotNow, keeps_entries=False)
def refuse(club_id: str) -> BaseResponse:
    """Decline a challenge, or withdraw one, as the owner or an officer."""
    service().club_matches.refuse(club_id, require_player(), read_field("challenge"))
    return see_other(f"/clubs/{club_id}/challenges")


def _entered_challenge() -> JsonObject:
    """Return the body of `POST /clubs/CLUB/challenges` that corresponds to the form. Raises Malformed."""
    values = entered_form().values
    entry = rule_systems().get(values.get("game", ""))
    club = service().club_challenges.with_name(values.get("club", ""))
    if club is None:
        raise Malformed({"club": message("is not the name of a public club")})
    if entry is None:
        raise Malformed({"game": message("is not one of the games")})
    days, days_of_turn = (entered_number(values.get(name, "")) for name in ("days", "turn"))
    if not isinstance(days_of_turn, int) or not 1 <= days_of_turn <= _MAX_DAYS_OF_TURN:
        raise Malformed(
            {
                "turn": message(
                    "must be a whole number from {least} to {most}", least=1, most=_MAX_DAYS_OF_TURN
                )
            }
        )
    if not isinstance(days, int) or not 1 <= days <= _MAX_DAYS:
        raise Malformed(
            {
                "days": message(
                    "must be a whole number from {least} to {most}", least=1, most=_MAX_DAYS
                )
            }
        )
    zone = g.get("time_zone") or UTC_NAME
    return {
        "club": club,
        "rules": entry.rules,
        "options": {**entry.options, **({"rated": True} if values.get("rated") else {})},
        "clock": {"per_turn": days_of_turn * DAY},
        "boards": entered_number(values.get("boards", "")),
        "cycles": entered_number(values.get("cycles", "")),
        "closes": entered_moment(values.get("closes", "").strip(), zone),
        "round_seconds": days * DAY,
        "public": bool(values.get("public")),
    }
