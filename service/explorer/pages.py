"""The page of the explorer: tables of a kind of games, and the search for patterns and positions."""

import re
from collections.abc import Mapping
from typing import Final

from flask import Blueprint, Response, request

from domain.errors import Malformed
from domain.messages import Text, message
from replay.history.event_text import rules_title
from service.entered_text import trim
from service.explorer.explorer import Occurrence, explored_kinds, tables_of_kind
from service.http.context import service
from service.pages.forms import Form
from service.pages.session import current_player
from service.pages.templating import page
from service.projections.counted_kind import CountedKind

blueprint = Blueprint("explorer", __name__, template_folder="templates")

_STATE: Final = re.compile(r"[0-9a-f]{64}")


@blueprint.get("/explorer")
def show_explorer() -> Response:
    """Show the tables of the kind of games that the address asks for, and what it searches for."""
    explorer, is_own = service().games.explorer, request.args.get("of") == "me"
    player = current_player()
    of = player if is_own else None
    games = explorer.games(of) if player is not None or not is_own else {}
    chosen = _chosen_kind(games)
    pattern, state = request.args.get("pattern", ""), trim(request.args.get("state", "")).lower()
    examples: list[Occurrence] | None = None
    faults: dict[str, Text] = {}
    if pattern:
        table, _, value = pattern.partition(".")
        try:
            examples = explorer.examples(chosen, table, value)
        except Malformed:
            faults["pattern"] = message("this game has no such pattern")
    positions: list[Occurrence] | None = None
    if _STATE.fullmatch(state):
        positions = explorer.occurrences(state)
    elif state:
        faults["state"] = message("must be the hash of a position: 64 digits from 0 to f")
    return page(
        "explorer.html",
        games=games,
        kind=chosen,
        explored=explorer.kind(chosen, of) if of or not is_own else None,
        is_own=is_own,
        tables=tables_of_kind(chosen),
        pattern=pattern,
        examples=examples,
        positions=positions,
        form=Form({"state": state[:64]}, faults),
        title_of=rules_title,
    )


def _chosen_kind(games: Mapping[CountedKind, int]) -> CountedKind:
    """Return the kind of the address; without one, the kind with the most games."""
    kinds = {kind.encode(): kind for kind in explored_kinds()}
    chosen = kinds.get(request.args.get("kind", ""))
    if chosen is not None:
        return chosen
    return max(games, key=lambda kind: games[kind], default=next(iter(kinds.values())))
