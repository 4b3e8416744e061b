"""The profile of a player."""

from typing import Final

from flask import Blueprint, Response, request

from domain.errors import Malformed
from domain.registry import rule_systems
from domain.tournaments.tournament import Tournament
from service.entered_text import trim
from service.errors import Forbidden, NotFound
from service.games.game_filter import RESULTS
from service.games.listings import STATUSES
from service.games.profiles import Profile
from service.http.context import service
from service.pages.forms import Form
from service.pages.session import current_player
from service.pages.templating import page
from service.pages.view_models.game_lists import (
    all_seat_counts,
    filter_query,
    games_of_profile,
    played_with,
    profile_address,
    read_lists,
)
from service.ratings.view_model import rating_charts

blueprint = Blueprint("players", __name__, template_folder="../templates")

_FIELDS: Final = ("status", "result", "rules", "seats", "opponent")
"""The names of the fields of the form, as parameters of the address."""

_MAX_TOURNAMENTS: Final = 12
_MAX_TOURNAMENT_PAGES: Final = 10
"""Pages that are read for them, some of whose tournaments may be private."""


@blueprint.get("/players/<handle>")
def show_player(handle: str) -> Response:
    """Show a player as the visitor may see them, with the games that the values of the form select."""
    profile = service().games.profiles.profile(handle, current_player())
    values = {name: value for name in _FIELDS if (value := trim(request.args.get(name, "")))}
    games = None
    if profile.shows_games:
        games = games_of_profile(profile, current_player(), values, request.args.get("cursor"))
        read_lists(games)
    is_shown = profile.statistics is not None
    return page(
        "player.html",
        profile=profile,
        form=Form(values),
        games=games,
        tournaments=_tournaments(profile.player.id) if profile.shows_games else [],
        query=filter_query(values),
        comparison=_comparison(profile, values.get("opponent")),
        ratings=rating_charts(profile.player.id) if is_shown else [],
        titles={name: entry.system.TITLE for name, entry in rule_systems().items()},
        rule_systems=rule_systems().values(),
        seat_counts=all_seat_counts(),
        statuses=STATUSES,
        results=RESULTS,
        own_address=profile_address(profile.player.id),
        played_with=played_with(profile.player.id) if profile.player.id == current_player() else [],
    )


def _tournaments(player_id: str) -> list[Tournament]:
    """Return the last public tournaments in which a player has taken part, the newest first."""
    shown: list[Tournament] = []
    cursor = None
    for _ in range(_MAX_TOURNAMENT_PAGES):
        # Private tournaments leave gaps in a page, which must not show.
        page, cursor = service().tournaments.tournaments.page(
            (), None, player_id, cursor, _MAX_TOURNAMENTS
        )
        shown += [tournament for tournament in page if player_id in tournament.members]
        if cursor is None or len(shown) >= _MAX_TOURNAMENTS:
            break
    return shown[:_MAX_TOURNAMENTS]


def _comparison(profile: Profile, opponent: str | None) -> dict[str, object] | None:
    """Return how the player has done against an opponent, by default the visitor; None if it is not shown."""
    player_id = current_player()
    if opponent is None and player_id is not None:
        opponent = service().accounts.players.handles([player_id]).get(player_id)
    if opponent is None or profile.player.bot is not None:
        return None
    try:
        _, other, results = service().games.profiles.head_to_head(
            profile.player.handle, opponent, player_id
        )
    except (NotFound, Forbidden, Malformed):
        return None
    if other.id == profile.player.id or other.bot is not None:
        return None
    return {"other": other.id, "results": results}
