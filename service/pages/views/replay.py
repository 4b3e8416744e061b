"""The pages that replay a game: single events, the log, comparisons of two events, scores, and pictures."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from flask import Blueprint, Response, request
from markupsafe import Markup
from werkzeug.wrappers import Response as BaseResponse

from domain.contract import AnyRuleSystem
from domain.errors import Malformed
from domain.event import Event
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import Text, Value, message
from domain.scene import Scene, caption
from replay.diff import change_sections, changes, label_of, with_differences
from replay.event_filter import CONDITIONS, parse_filter
from replay.event_text import actor_message
from replay.render.score_chart import score_chart_svg
from replay.score_chart import NoScores, score_rows
from service.games.private_notes import PrivateNote
from service.games.viewpoint import Viewpoint, viewpoint_of
from service.http.context import service
from service.http.language import request_renderer
from service.http.ratelimits import limit_messages
from service.http.routes.pictures import png_response, svg_response
from service.http.schemas.requests import PictureQuery
from service.http.validation import QueryInteger, StrictSchema, String, validate
from service.pages.forms import number_parameter, read_form, seat_parameter, see_other
from service.pages.return_addresses import next_address
from service.pages.session import viewer
from service.pages.templating import page
from service.pages.view_models.game_forms import require_player
from service.pages.view_models.position_view import PositionView, position_view
from service.pages.view_models.replayed_event import ReplayedEvent

LOG_PAGE_EVENTS: Final = 100
"""Events on a page of the log."""
_MAX_CONDITION_CHARACTERS: Final = 1000

blueprint = Blueprint("replay", __name__)


@dataclass(frozen=True, slots=True)
class LogRow:
    """An event in the log: who did what, and when.

    `part` is the part of the server that caused the event, if no player did, and `superseded_by` the event
    with which play resumed from before it.
    """

    seq: int
    caption: Text
    part: Value | None
    type: Value
    at: str
    superseded_by: int | None


def show_event(game_id: str) -> Response:
    """Show the event that the parameter `seq` names; the view of a game calls this if there is one."""
    player = viewer()
    head = service().games.queries.visible_game(game_id, player)
    seat = seat_parameter()
    viewpoint = viewpoint_of(head, player, seat)
    seq = number_parameter("seq")
    if seq is None or not 1 <= seq <= head.seq:
        return _missing_event(head)
    event = ReplayedEvent(
        head, service().games.events.step(head, seq), player, viewpoint, as_seat=seat
    )
    try:
        event.read_steps()
    except Malformed as error:
        return _event_page(event, list(error.fields.values()), 400)
    return _event_page(event, [])


def _event_page(event: ReplayedEvent, faults: list[Text], status: int = 200) -> Response:
    return page(
        "replay.html",
        status,
        game=event.head,
        event=event,
        faults=faults,
        notes=_notes(event.head.id, viewer()),
        max_note_characters=service().settings.bounds.max_message_characters,
    )


class NoteForm(StrictSchema):
    """The private note on an event; no text deletes it."""

    seq = QueryInteger(minimum=1, required=True)
    text = String(load_default=None)


@blueprint.post("/games/<game_id>/notes")
@limit_messages
def write_note(game_id: str) -> BaseResponse:
    """Write the viewer's private note on an event, or delete it, and show the event."""
    player = require_player(game_id)
    values = read_form(NoteForm())
    # Browsers send each line break of a text as two characters.
    text = (values["text"] or "").replace("\r\n", "\n").strip()
    if text:
        service().games.private_notes.write(game_id, player, values["seq"], text)
    else:
        service().games.private_notes.delete(game_id, player, values["seq"])
    return see_other(next_address(f"/games/{game_id}?seq={values['seq']}#notes"))


def _notes(game_id: str, player: str | None) -> dict[int, PrivateNote]:
    """Return the private notes of the viewer on a game, by event."""
    if player is None:
        return {}
    return {note.seq: note for note in service().games.private_notes.in_game(game_id, player)}


@blueprint.get("/games/<game_id>/log")
def list_events(game_id: str) -> Response:
    """List the events of a game, those that pass the filter of the form."""
    head = service().games.queries.visible_game(game_id, viewer())
    conditions = {name: text for name in CONDITIONS if (text := _condition(name))}
    after = number_parameter("after") or 0
    faults: dict[str, Text] = {}
    rows: list[LogRow] = []
    next_after: int | None = None
    try:
        event_filter = parse_filter(conditions, head.rules)
    except Malformed as error:
        faults = error.fields
    else:
        events, next_after = service().games.events.filtered_page(
            head, after, LOG_PAGE_EVENTS, event_filter
        )
        rows = [_log_row(head, event) for event in events]
    pairs = {**conditions} if next_after is None else {**conditions, "after": next_after}
    return page(
        "replay_log.html",
        400 if faults else 200,
        game=head,
        types=_event_types(head.rules),
        notes=_notes(game_id, viewer()),
        conditions=conditions,
        faults=faults,
        rows=rows,
        after=after,
        next_after=next_after,
        first_address=f"?{urlencode(conditions)}",
        next_address=f"?{urlencode(pairs)}",
    )


@blueprint.get("/games/<game_id>/compare")
def compare_events(game_id: str) -> Response:
    """Show the positions after two events beside each other, and the differences between them."""
    player = viewer()
    head = service().games.queries.visible_game(game_id, player)
    seat = seat_parameter()
    viewpoint = viewpoint_of(head, player, seat)
    first, second = number_parameter("from"), number_parameter("to")
    if (
        first is None
        or second is None
        or not 1 <= min(first, second) <= max(first, second) <= head.seq
    ):
        return _missing_event(head)
    games = [service().games.queries.game_at(game_id, seq) for seq in (first, second)]
    before, after = (viewpoint.position(game) for game in games)
    return page(
        "replay_compare.html",
        game=head,
        seqs=(first, second),
        as_seat=seat,
        views=_compared_views(games[0], games[1], viewpoint),
        sections=change_sections(changes(before, after), head.rules, request_renderer()),
    )


@blueprint.get("/games/<game_id>/scores")
def show_scores(game_id: str) -> Response:
    """Show the scores through a game, as a chart and as a table."""
    head = service().games.queries.visible_game(game_id, viewer())
    try:
        chart = service().games.replays.scores(head)
    except NoScores as error:
        return page("replay_scores.html", game=head, reason=error.message)
    if chart is None:
        return page("replay_scores.html", game=head, reason=_too_long())
    drawing = score_chart_svg(chart, request_renderer(), prefix="chart-")
    return page(
        "replay_scores.html",
        game=head,
        chart=chart,
        drawing=Markup(drawing),  # noqa: S704 # the renderer escapes all texts
        rows=list(score_rows(chart)),
    )


def _missing_event(head: Game) -> Response:
    """Return the page for an event that the game does not have."""
    return page("replay_missing_event.html", 404, game=head)


def _condition(name: str) -> str:
    """Return a condition of the filter of the log; an empty one is no condition."""
    return request.args.get(name, "").strip()[:_MAX_CONDITION_CHARACTERS]


def _log_row(head: Game, event: Event) -> LogRow:
    return LogRow(
        event["seq"],
        caption(event, head.rules.event_message),
        actor_message(event) if "system" in event["by"] else None,
        label_of(event["type"], head.rules),
        event["at"],
        service().games.events.superseded_by(head, event),
    )


def _event_types(rules: AnyRuleSystem) -> list[tuple[str, str]]:
    """Return the types of events of a game, each with what people call it, in the order of the latter."""
    render = request_renderer()
    labels = ((type, render.sentence(label_of(type, rules))) for type in rules.EVENTS)
    return sorted(labels, key=lambda pair: pair[1].casefold())


def _compared_views(
    before: Game, after: Game, viewpoint: Viewpoint
) -> list[tuple[int, PositionView | None]]:
    """Return the views of two positions, in which the hexes that differ are marked."""
    first, second = (_scene(game, viewpoint) for game in (before, after))
    return [
        (before.seq, _compared_view(first, second, "before-")),
        (after.seq, _compared_view(second, first, "after-")),
    ]


def _scene(game: Game, viewpoint: Viewpoint) -> Scene | None:
    """Return the scene of a game without marks of its last event; None before the start."""
    position = viewpoint.position(game)
    if position is None:
        return None
    scene: Scene = game.rules.scene(position, None)
    return scene


def _compared_view(scene: Scene | None, other: Scene | None, prefix: str) -> PositionView | None:
    if scene is None:
        return None
    return position_view(scene if other is None else with_differences(scene, other), prefix=prefix)


def _too_long() -> Text:
    count = service().settings.bounds.max_replayed_events
    return message("the game has more than {count} events, too many for a chart", count=count)


_PICTURE_QUERY = PictureQuery()


@blueprint.get("/games/<game_id>/position.svg")
def get_svg(game_id: str) -> Response:
    """Return the position as SVG, as the visitor may see it."""
    return _by_cookie(svg_response(game_id, viewer(), _picture_query()))


@blueprint.get("/games/<game_id>/position.png")
def get_png(game_id: str) -> Response:
    """Return the position as PNG, as the visitor may see it."""
    return _by_cookie(png_response(game_id, viewer(), _picture_query()))


def _picture_query() -> JsonObject:
    return validate(_PICTURE_QUERY, request.args.to_dict())


def _by_cookie(response: Response) -> Response:
    response.headers["Vary"] = "Accept-Language, Cookie"
    return response
