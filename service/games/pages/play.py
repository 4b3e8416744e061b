"""The page of a game: its board, what the viewer can do now, and what happened last."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, Final
from urllib.parse import urlencode

from flask import Blueprint, Response, jsonify, request
from markupsafe import Markup
from werkzeug.wrappers import Response as BaseResponse

from domain.disputes import takebacks
from domain.errors import Malformed, Refused
from domain.event import Event
from domain.game import STATUS_MESSAGES, Game
from domain.json_fields import one_of
from domain.json_types import JsonObject
from domain.messages import Listing, Message, PlayerAt, Text, listing, message
from domain.scene import Scene
from replay.history.recap import marked_by, without_marks
from replay.history.score_chart import Mark, finishers
from replay.history.score_graph_svg import score_graph_svg
from replay.render.podium import Finisher
from service import wall_clock
from service.analyses.retry import mistakes_of_game
from service.conditional_actions.conditional_actions import void_message
from service.errors import KeyNotUsable, Stale, Unauthorised
from service.games.access import is_correspondent
from service.games.pages.lobby import show_open_game
from service.games.pages.replay import show_event
from service.http.context import service
from service.http.event_streams import stream_response
from service.http.language import request_renderer
from service.http.problems import status_of
from service.http.validation import decode_json, validate, whole_number
from service.pages.forms import number_parameter, see_other, sequence_number
from service.pages.replayed_pages import table_page
from service.pages.session import current_player, session_token
from service.pages.templating import page
from service.pages.view_models.action_query import has_choices, read_query
from service.pages.view_models.action_steps import NO_LONGER_POSSIBLE, ActionSteps, action_steps
from service.pages.view_models.alert_lines import alerts_on_page, is_outdated, people_on_page
from service.pages.view_models.clock_view import (
    can_take_seats,
    deadline_texts,
    reason_not_to_leave,
    time_left,
)
from service.pages.view_models.game_forms import (
    SignedForm,
    conversation,
    key_of,
    new_key,
    reason_not_to,
    signature_of,
)
from service.pages.view_models.game_lists import games_to_act_in
from service.pages.view_models.position_view import (
    PositionView,
    links_view,
    position_view,
    scene_of,
)
from service.pages.view_models.recap_view import RecapView, is_on_earlier_board, recap_view
from service.pages.view_models.replayed_analysis import ReplayedAnalysis
from service.pages.view_models.replayed_game import replayed_game
from service.pages.view_models.table_view import last_sound, table_view

MAX_ACTIONS: Final = 8
"""Actions that a player confirms together."""
LATEST_EVENTS: Final = 40
"""Events that the page lists."""
MAP_HEADER: Final = "Cartulary-Map"
"""The header of requests from pages whose map is not that of the position, such as a preview."""


@dataclass(frozen=True, slots=True)
class GameEnd:
    """How a game has ended: the seats by place, the graph of the scores, the turning point, and the first
    action to replay from.
    """

    order: list[Finisher]
    graph: Markup
    turning_point: Mark | None
    first_action: int | None

    @property
    def sources(self) -> list[tuple[Text, list[int]]]:
        """What points come from, each with those of the seats in the order of their places."""
        of_seats = [finisher.sources for finisher in self.order]
        labels: list[Text] = []
        for source, _ in chain.from_iterable(of_seats):
            if source not in labels:
                labels.append(source)
        return [
            (source, [sum(points for name, points in each if name == source) for each in of_seats])
            for source in labels
        ]

    @property
    def winners(self) -> list[int]:
        """The seats in the first place."""
        return [finisher.seat for finisher in self.order if finisher.place == 1]

    @property
    def winner_names(self) -> Listing:
        """The names of the players in the first place."""
        return listing(map(PlayerAt, self.winners))


blueprint = Blueprint("play", __name__, template_folder="../templates")


@blueprint.get("/games/<game_id>")
def show_game(game_id: str) -> BaseResponse:
    """Show a game as it stands, or with `seq` as it was after an event."""
    if "seq" in request.args:
        return show_event(game_id)
    return game_page(game_id)


@blueprint.get("/games/<game_id>/table")
def show_table(game_id: str) -> BaseResponse:
    """Show the position of a game, or with `seq` that after an event, as a table of its hexes."""
    return table_page(replayed_game(game_id, number_parameter("seq")))


@blueprint.post("/games/<game_id>/actions")
def submit_actions(game_id: str) -> BaseResponse:
    """Let the player take one action, or several that follow each other in one turn, each with its key.

    Shows the game after them, or after those before the first one that is refused, with the reason. A script
    that asks for JSON gets the receipt instead.
    """
    player = current_player()
    service().games.queries.visible_game(game_id, player)
    if player is None:
        raise Unauthorised.with_message("log in to play")
    receipts: list[JsonObject] = []
    try:
        _accept_actions(game_id, player, receipts)
    except (Stale, Refused, KeyNotUsable) as error:
        if isinstance(error, Malformed):
            raise
        return game_page(game_id, error, receipts)
    if request.accept_mimetypes.best == "application/json":
        return jsonify({"receipt": receipts[-1]})
    if "HX-Request" not in request.headers:
        return see_other(f"/games/{game_id}")
    # A script keeps the receipts, and shows the page under its own address, so that reloading sends nothing.
    response = game_page(game_id, receipts=receipts)
    response.headers["HX-Push-Url"] = f"/games/{game_id}"
    return response


def _accept_actions(game_id: str, player: str, receipts: list[JsonObject]) -> None:
    """Let the player take the actions of the form, and add their receipts to the list.

    Each action is about the position after the one before. Raises what `GameCommands.act` raises, and
    Malformed; the list has the receipts of the actions that were accepted before.
    """
    form = request.form
    texts, keys = form.getlist("action") or [""], form.getlist("key") or [""]
    signature = signature_of(_signed_fields(form))
    if len(texts) > MAX_ACTIONS:
        raise Malformed({"action": message("has more than {count} actions", count=MAX_ACTIONS)})
    if len(keys) != len(texts):
        raise Malformed({"key": message("is needed once for each action")})
    if signature is not None and len(texts) > 1:
        raise Malformed({"signature": message("covers one action")})
    actions = [decode_json(text.encode()) for text in texts]
    seq = sequence_number(form.get("expected_seq", ""), "expected_seq")
    for action, key in zip(actions, keys, strict=True):
        accepted = service().games.commands.act(
            game_id, player, action, seq, key_of({"key": key}), signature
        )
        seq = accepted.receipt["seq"]
        receipts.append(accepted.receipt)


@blueprint.post("/games/<game_id>/hints")
def give_hint(game_id: str) -> BaseResponse:
    """Get a hint for the player's turn, and preview it."""
    player = current_player()
    service().games.queries.visible_game(game_id, player)
    if player is None:
        raise Unauthorised.with_message("log in to play")
    game, action = service().games.commands.give_hint(game_id, player)
    return see_other(f"/games/{game_id}?{urlencode({'action': game.rules.action_text(action)})}")


@blueprint.post("/games/<game_id>/lessons")
def switch_lessons(game_id: str) -> BaseResponse:
    """Switch the lessons of the player on or off, in this and all other games with lessons."""
    player = current_player()
    if player is None:
        raise Unauthorised.with_message("log in to play")
    service().games.queries.visible_game(game_id, player)
    choice = request.form.get("lessons", "")
    if choice not in {"on", "off"}:
        raise Malformed({"lessons": one_of(["on", "off"])})
    service().accounts.players.switch_lessons(player, is_on=choice == "on")
    return see_other(f"/games/{game_id}")


def _signed_fields(form: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a signature in the form of an action. Raises Malformed."""
    return validate(
        SignedForm(),
        {name: form[name] for name in ("signature_key", "signature") if form.get(name)},
    )


@blueprint.get("/games/<game_id>/stream")
def stream_events(game_id: str) -> Response:
    """Stream the events of a game to the scripts of its page, and report to its players who writes and comes.

    A player counts as here as long as a stream is open.
    """
    player = current_player()
    game = service().games.queries.visible_game(game_id, player)
    after = sequence_number(request.args.get("after", "0"), "after")
    has_messages = player is not None and is_correspondent(game, player)
    is_page_outdated = None
    if player is not None and has_messages and "version" in request.args:
        is_page_outdated = partial(is_outdated, service(), game, player, request.args["version"])
    return stream_response(
        game,
        player,
        session_token(),
        after,
        has_messages=has_messages,
        has_presence=has_messages,
        is_page_outdated=is_page_outdated,
    )


def game_page(
    game_id: str,
    refusal: Refused | Stale | KeyNotUsable | None = None,
    receipts: Sequence[JsonObject] = (),
) -> Response:
    """Return the page of a game.

    `receipts` are those of the actions that were accepted. With `refusal` it explains why the next one was
    not.
    """
    player = current_player()
    game = service().games.queries.visible_game(game_id, player)
    if game.status == "open":
        return show_open_game(game)
    seat = None if player is None else game.seat_of(player)
    status = 200 if refusal is None else status_of(refusal)
    last = _last_play(game)
    steps = notice = None
    if seat is not None and refusal is None:
        query = read_query(request.args.to_dict(flat=False))
        steps = action_steps(game, seat, query, last, plans_turn=True)
        if steps is None and has_choices(query):
            notice = NO_LONGER_POSSIBLE
    if steps is not None and _replaces_choices_only(steps):
        view = (
            _view(game, seat, steps, last, recap_view(game, seat))
            if steps.changes_map or MAP_HEADER in request.headers
            else links_view(steps.scene, steps.links)
        )
        return page(
            "choosing.html",
            game=game,
            seat=seat,
            steps=steps,
            view=view,
            table=table_view(view.scene, seat, steps),
            state_message=_state_message(game, seat),
            key=new_key(),
        )
    # The recap takes those of its events that are among the moves.
    moves = service().games.recaps.latest(game, LATEST_EVENTS)
    if game.state is not None:
        # The table itself shows with what and with whom the game has begun.
        moves = tuple(move for move in moves if move.seq > game.start_seq)
    recap = recap_view(game, seat)
    values: dict[str, Any] = {
        "game": game,
        "recap": recap,
        "seat": seat,
        "steps": steps,
        "refusal": refusal,
        "receipts": receipts,
        # A script that signs the actions of a turn sends each of them by itself.
        "accepted": len(receipts)
        + min(whole_number(request.form.get("accepted", "")) or 0, MAX_ACTIONS),
        "notice": notice,
        "lessons": service().games.lessons.of(game, seat),
        "state_message": _state_message(game, seat),
        "deadline_texts": deadline_texts(game),
        "can_take_seats": can_take_seats(game, player),
        "leave_reason": reason_not_to_leave(game, seat),
        "time_left": time_left(game, wall_clock.format(wall_clock.now())),
        "moves": moves,
        "key": new_key(),
        "conversation": conversation(game, player),
        "message_key": new_key(),
        "people": people_on_page(game),
        "rematch": alerts_on_page(game).rematch,
        "can_get_hint": seat is not None and game.options.get("hints") and game.to_act == seat,
        "can_take_back": seat is not None
        and reason_not_to(lambda: takebacks.request(game, seat)) is None,
    }
    if seat is not None and player is not None and game.status == "playing":
        values["void"] = _void_message(game, player)
        if game.to_act != seat:
            values["next_games"] = len(games_to_act_in(player, besides=game.id))
    if seat is not None and game.status == "playing":
        values["departure"] = service().games.replays.departure(game, seat)
    if game.state is not None:
        view = values["view"] = _view(game, seat, steps, last, recap)
        values["table"] = table_view(view.scene, seat, steps)
        values["sound"] = last_sound(moves, view.scene)
        values["game_end"] = _game_end(game, view.scene)
        values.update(_analysis_values(game, player))
        values["winners"] = {entry["seat"] for entry in game.ranking or () if entry["place"] == 1}
    # A script that has asked for the choices alone gets the whole page where more has changed.
    headers = {"HX-Retarget": "#page", "HX-Reselect": "#page"}
    return page("game.html", status, headers, **values)


def _analysis_values(game: Game, player: str | None) -> dict[str, Any]:
    """Return what the page of a game that has ended says of its analysis.

    `analysis_address` is where an analysed game was decided, or else its last event, which says how far the
    analysis is; None if nobody has requested one.
    """
    analyses = service().analyses
    if game.status != "finished":
        return {}
    stored = analyses.of(game)
    values: dict[str, Any] = {"can_analyse": analyses.can_analyse(game), "analysis_address": None}
    if stored is None:
        return values
    seq: int | None = None
    if stored.findings is not None:
        analysis = ReplayedAnalysis(stored.findings)
        seq = analysis.decisive_seq
        values["accuracy"] = analysis.accuracy
        values["mistakes"] = mistakes_of_game(analyses, game, player)
    values["analysis_address"] = f"/games/{game.id}?seq={game.seq if seq is None else seq}"
    return values


def _game_end(game: Game, scene: Scene) -> GameEnd | None:
    """Return how a game with a ranking has ended; None without one, or if the game is too long."""
    chart = service().games.replays.scores(game) if game.ranking else None
    if chart is None:
        return None
    graph = score_graph_svg(chart, request_renderer(), "?seq={}".format)
    return GameEnd(
        finishers(scene, chart),
        Markup(graph),  # noqa: S704 # the renderer escapes all texts
        chart.turning_point,
        chart.first_action,
    )


def _replaces_choices_only(steps: ActionSteps) -> bool:
    """Return whether a script asks for the next choices, and nothing else on the page has changed."""
    return (
        request.headers.get("HX-Target") == "acting"
        and not steps.is_outdated
        and not is_on_earlier_board()
    )


def _last_play(game: Game) -> Event | None:
    """Return the event that led to the position, None before the start."""
    events = service().games.queries.event_page(game.id, max(0, game.position_seq - 1), 1)
    return events[0] if events else None


def _view(
    game: Game,
    seat: int | None,
    steps: ActionSteps | None,
    last: Event | None,
    recap: RecapView | None,
) -> PositionView:
    """Return the view of the position, or of the preview of the action that the player has chosen."""
    if steps is not None and steps.is_preview:
        # A preview that the player has not asked for must not hide what has happened.
        scene = marked_by(steps.preview_scene, seat)
        is_chosen = has_choices(steps.query)
        if recap is not None and not is_chosen:
            scene = recap.scene(scene)
        return position_view(scene, links=steps.links)
    scene, links = scene_of(game, seat, last), {} if steps is None else steps.links
    scene = marked_by(scene, None if last is None else last["data"].get("seat"))
    if recap is None:
        return position_view(scene, links=links)
    # Nothing can be chosen on an earlier board.
    shown_links = links if recap.shown is None else {}
    return position_view(recap.scene(without_marks(scene), links), links=shown_links)


def _state_message(game: Game, seat: int | None) -> Message:
    """Return how the game stands, as a sentence for the viewer."""
    if game.status == "playing" and game.to_act is not None:
        if game.to_act == seat:
            return message("it is your turn")
        return message("it is the turn of {player}", player=PlayerAt(game.to_act))
    if game.status == "playing":
        return message("play is over, and the result is being recorded")
    return STATUS_MESSAGES[game.status]


def _void_message(game: Game, player: str) -> Text | None:
    """Return why the player's last conditional actions are void; None if there is nothing to report."""
    void = service().conditional_actions.get(game.id, player).void
    return None if void is None else void_message(void, game.rules)
