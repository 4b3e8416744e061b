"""Pages about a log, that of a game or of an imported record: an event, the log, two events, the scores."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from flask import Response, request
from markupsafe import Markup

from domain.contract import AnyRuleSystem
from domain.errors import Malformed
from domain.event import Event
from domain.game import Game
from domain.messages import Text, Value, message
from domain.scene import Scene, caption
from replay.analysis.share_graph_svg import share_graph_svg
from replay.history.diff import change_sections, changes, label_of, with_differences
from replay.history.event_filter import CONDITIONS, parse_filter
from replay.history.event_text import actor_message
from replay.history.score_chart import NoScores, score_rows
from replay.history.score_chart_svg import score_chart_svg
from replay.history.score_graph_svg import score_graph_svg
from service.entered_text import trim
from service.errors import NotFound
from service.games.private_notes import PrivateNote
from service.games.visibility import Visibility, visibility_for
from service.http.context import service
from service.http.language import request_renderer
from service.pages.forms import number_parameter, seat_parameter, sequence_number
from service.pages.templating import page
from service.pages.view_models.game_forms import conversation
from service.pages.view_models.position_view import PositionView, position_view, scene_of
from service.pages.view_models.replayed_event import ReplayedEvent
from service.pages.view_models.replayed_game import ReplayedGame

LOG_PAGE_EVENTS: Final = 100
"""Events on a page of the log."""
MOVES_HEADER: Final = "Cartulary-Moves"
"""The header of requests from the page of an event, with what tells its list of moves from any other."""
ANALYSIS_STATE: Final = "analysis-state"
"""The id of the part of the page of an event that asks how far the analysis is."""
_MAX_CONDITION_CHARACTERS: Final = 1000


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


def event_page(source: ReplayedGame) -> Response:
    """Return the page of the event that the parameter `seq` names."""
    head = source.head
    seat = seat_parameter()
    visibility = visibility_for(head, source.player, seat)
    seq = number_parameter("seq")
    if seq is None or not 1 <= seq <= head.seq:
        return _missing_event(source)
    event = ReplayedEvent(source, source.events.transition(head, seq), visibility, as_seat=seat)
    if request.headers.get("HX-Target") == ANALYSIS_STATE and event.analysis is None:
        return _page("replayed_analysis_state.html", source, event=event)
    faults: list[Text] = []
    try:
        event.read_steps()
        event.read_line()
    except Malformed as error:
        faults = list(error.fields.values())
    values: dict[str, Any] = {
        "event": event,
        "steps": event.steps,
        "view": event.view,
        "faults": faults,
        "table": event.table,
        # Nothing here waits for the viewer, wherever they sit.
        "seat": None,
        "people": None,
        "time_left": None,
        "winners": (),
        "notes": _notes(source),
        "conversation": None if source.record else conversation(head, source.player),
        "max_note_characters": service().settings.bounds.max_message_characters,
    }
    if _replaces_step_only(event):
        return _page("replay_fragment.html", source, **values)
    graphs = _graphs(event)
    # A script that has asked for the step alone gets the whole page where more has changed.
    headers = {"HX-Retarget": "#page", "HX-Reselect": "#page"}
    return _page("replay.html", source, 400 if faults else 200, headers, graphs=graphs, **values)


def _replaces_step_only(event: ReplayedEvent) -> bool:
    """Return whether a script asks for another event, and everything else on its page stays as it is."""
    return (
        request.headers.get("HX-Target") == "step"
        and not event.is_explored
        and event.line is None
        and event.moves_version is not None
        and request.headers.get(MOVES_HEADER) == event.moves_version
    )


def _graphs(event: ReplayedEvent) -> list[Markup]:
    """Return the graphs of the scores and of the chances, of which the latter needs an analysis.

    There are none before the start, and none if the game is too long.
    """
    chart = event.source.replays.scores(event.head) if event.has_started else None
    if chart is None:
        return []
    render = request_renderer()
    graphs = [score_graph_svg(chart, render, event.address)]
    if event.analysis is not None:
        graphs.append(share_graph_svg(event.analysis.analysis, chart, render, event.address))
    return [Markup(graph) for graph in graphs]  # noqa: S704 # the renderer escapes all texts


def _notes(source: ReplayedGame) -> dict[int, PrivateNote]:
    """Return the private notes of the viewer on a game, by event; there are none on an imported record."""
    if source.player is None or source.record is not None:
        return {}
    notes = service().games.private_notes.in_game(source.head.id, source.player)
    return {note.seq: note for note in notes}


def log_page(source: ReplayedGame) -> Response:
    """Return a page of the log, with the events that pass the filter of the form."""
    head = source.head
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
        events, next_after = source.events.filtered_page(head, after, LOG_PAGE_EVENTS, event_filter)
        rows = [_log_row(source, event) for event in events]
        if source.damage is not None and next_after is None:
            # The next page says so.
            next_after = head.seq
    pairs = {**conditions} if next_after is None else {**conditions, "after": next_after}
    return _page(
        "replay_log.html",
        source,
        400 if faults else 200,
        types=_event_types(head.rules),
        notes=_notes(source),
        conditions=conditions,
        faults=faults,
        rows=rows,
        after=after,
        next_after=next_after,
        first_address=f"?{urlencode(conditions)}",
        next_address=f"?{urlencode(pairs)}",
    )


def comparison_page(source: ReplayedGame) -> Response:
    """Return the page with the positions after the events `from` and `to`."""
    head = source.head
    seat = seat_parameter()
    visibility = visibility_for(head, source.player, seat)
    first, second = number_parameter("from"), number_parameter("to")
    if (
        first is None
        or second is None
        or not 1 <= min(first, second) <= max(first, second) <= head.seq
    ):
        return _missing_event(source)
    games = [source.game_at(seq) for seq in (first, second)]
    before, after = (visibility.position(game) for game in games)
    return _page(
        "replay_compare.html",
        source,
        seqs=(first, second),
        as_seat=seat,
        views=_compared_views(games[0], games[1], visibility),
        sections=change_sections(changes(before, after), head.rules, request_renderer()),
    )


def scores_page(source: ReplayedGame) -> Response:
    """Return the page with the scores through a game."""
    try:
        chart = source.replays.scores(source.head)
    except NoScores as error:
        return _page("replay_scores.html", source, reason=error.message)
    if chart is None:
        return _page("replay_scores.html", source, reason=_too_long())
    drawing = score_chart_svg(chart, request_renderer(), prefix="chart-")
    return _page(
        "replay_scores.html",
        source,
        chart=chart,
        drawing=Markup(drawing),  # noqa: S704 # the renderer escapes all texts
        rows=list(score_rows(chart)),
    )


def table_page(source: ReplayedGame) -> Response:
    """Return the page with the position of a game, or with `seq` that after an event, as a table."""
    head, seat = source.head, seat_parameter()
    seq = sequence_number(request.args.get("seq", str(head.seq)), "seq")
    game = head if seq == head.seq else source.game_at(seq)
    visibility = visibility_for(head, source.player, seat)
    if game.state is None:
        raise NotFound.with_message("the game had not started then")
    scene = scene_of(game, visibility.seat, None, ended=visibility.sees_everything)
    return _page("position_table.html", source, seq=seq, as_seat=seat, view=PositionView(scene))


def _page(
    template: str,
    source: ReplayedGame,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **values: Any,
) -> Response:
    imported = None if source.record is None else source.record.imported
    return page(
        template, status, headers, game=source.head, source=source, imported=imported, **values
    )


def _missing_event(source: ReplayedGame) -> Response:
    """Return the page for an event that the game does not have."""
    return _page("replay_missing_event.html", source, 404)


def _condition(name: str) -> str:
    """Return a condition of the filter of the log; an empty one is no condition."""
    return trim(request.args.get(name, ""))[:_MAX_CONDITION_CHARACTERS]


def _log_row(source: ReplayedGame, event: Event) -> LogRow:
    head = source.head
    return LogRow(
        event["seq"],
        caption(event, head.rules.event_message),
        actor_message(event) if "system" in event["by"] else None,
        label_of(event["type"], head.rules),
        event["at"],
        source.events.superseded_by(head, event),
    )


def _event_types(rules: AnyRuleSystem) -> list[tuple[str, str]]:
    """Return the types of events of a game, each with what people call it, in the order of the latter."""
    render = request_renderer()
    labels = ((type, render.sentence(label_of(type, rules))) for type in rules.EVENTS)
    return sorted(labels, key=lambda pair: pair[1].casefold())


def _compared_views(
    before: Game, after: Game, visibility: Visibility
) -> list[tuple[int, PositionView | None]]:
    """Return the views of two positions, in which the hexes that differ are marked."""
    first, second = (_scene(game, visibility) for game in (before, after))
    return [
        (before.seq, _compared_view(first, second, "before-")),
        (after.seq, _compared_view(second, first, "after-")),
    ]


def _scene(game: Game, visibility: Visibility) -> Scene | None:
    """Return the scene of a game without marks of its last event; None before the start."""
    position = visibility.position(game)
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
