"""The page with the ratings of the members of a club."""

from flask import Blueprint, Response, request

from domain.registry import rule_systems
from service.http.context import service
from service.pages.forms import Form
from service.pages.session import require_player
from service.pages.templating import page

blueprint = Blueprint("club_ratings", __name__, template_folder="templates")


@blueprint.get("/clubs/<club_id>/ratings")
def show_club_ratings(club_id: str) -> Response:
    """Show the table of a club in a rule system to its members; by default, one that has games."""
    player_id, systems = require_player(), rule_systems()
    ratings = service().games.club_ratings
    tables = {name: ratings.standings(club_id, player_id, name) for name in systems}
    first = next((name for name, places in tables.items() if places), next(iter(systems)))
    name = request.args.get("system", first)
    system = systems.get(name, systems[first])
    return page(
        "club_ratings.html",
        club=service().clubs.visible(club_id, player_id).club,
        title=system.system.TITLE,
        form=Form({"system": system.name}),
        rule_systems=systems.values(),
        places=tables[system.name],
        has_games=any(tables.values()),
    )
