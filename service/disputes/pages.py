"""The pages of disputes (opening, reading, answering, ruling and withdrawing them), and that of takebacks."""

from collections.abc import Mapping
from typing import Any, Final

from flask import Blueprint
from werkzeug.wrappers import Response

from domain.disputes import disputes, takebacks
from domain.disputes.events import RULING_FIELDS
from domain.disputes.messages import ruling_message
from domain.errors import Malformed
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import Text, Value, message
from ledger.statements import (
    AnswerDispute,
    AnswerTakeback,
    GiveRuling,
    OpenDispute,
    RequestTakeback,
    WithdrawDispute,
)
from service.games.access import is_correspondent, require_dispute
from service.games.dispute_view import dispute_summary, pending_takeback
from service.http.context import service
from service.http.ratelimits import limit_disputes
from service.http.validation import MAX_INTEGER, Choice, QueryInteger, String, whole_number
from service.pages.forms import EMPTY_FORM, Form, read_form, see_other, shows_refusals
from service.pages.return_addresses import next_address
from service.pages.session import current_player
from service.pages.templating import page
from service.pages.view_models.game_forms import (
    NOT_A_PLAYER,
    REFUSALS,
    GameViewer,
    KeyedForm,
    event_messages,
    form_about_event,
    game_viewer,
    new_key,
    read_sure_form,
    reason_not_to,
    require_player,
    state,
)

_DISPUTES: Final = "/games/<game_id>/disputes"
_DISPUTE: Final = f"{_DISPUTES}/<int(max={MAX_INTEGER}):seq>"
STATUSES: Final[Mapping[str, Text]] = {
    "open": message("Open: it waits for a ruling"),
    "ruled": message("Ruled"),
    "withdrawn": message("Withdrawn by the player who opened it"),
    "lapsed": message("Lapsed: it was still open when the game ended"),
}
"""What the page calls the status of a dispute."""

blueprint = Blueprint("disputes", __name__, template_folder="templates")


class OpenDisputeForm(KeyedForm):
    """A dispute about an event."""

    seq = QueryInteger(minimum=1, required=True)
    statement = String(required=True)


class AnswerForm(KeyedForm):
    """A comment on a dispute."""

    statement = String(required=True)


class WithdrawalForm(KeyedForm):
    """The confirmation that a dispute is to be withdrawn."""

    sure = Choice(choices=("yes",), required=True)


RulingForm = KeyedForm.from_dict(
    {
        "type": Choice(choices=tuple(RULING_FIELDS), required=True),
        "from": QueryInteger(minimum=1, load_default=None),
        "seat": QueryInteger(load_default=None),
        "statement": String(load_default=None),
        "sure": Choice(choices=("yes",), required=True),
    },
    name="RulingForm",
)
"""A ruling with its reasons. (`from` is a keyword of Python.)"""


def _list_page(game_id: str, form: Form, status: int = 200) -> Response:
    current = game_viewer(game_id)
    game = current.game
    return page(
        "disputes.html",
        status,
        game=game,
        seat=current.seat,
        disputes=[dispute_summary(game, dispute) for dispute in reversed(game.disputes)],
        statuses=STATUSES,
        events={dispute.about: event_messages(game, dispute.about) for dispute in game.disputes},
        form=form,
        about=_event_about(game, form),
        key=new_key(),
        reason=current.reason_not_to(
            lambda seat: disputes.open_dispute(game, seat, max(1, game.seq), None, None)
        ),
        max_characters=service().settings.bounds.max_statement_characters,
    )


def _event_about(game: Game, form: Form) -> tuple[int, tuple[Value, Text]] | None:
    """Return the event that a form is about, at first the last one, with what it says; None without it."""
    seq = whole_number(form.values.get("seq", str(game.seq)))
    messages = event_messages(game, seq) if seq else None
    return None if seq is None or messages is None else (seq, messages)


def _dispute_page(game_id: str, seq: int, status: int = 200, **forms: Form) -> Response:
    """Return the page of a dispute. `forms` are those that were refused, by their purpose."""
    current = game_viewer(game_id)
    game = current.game
    dispute = require_dispute(game, seq)
    current_rulings = {
        seat: ruling
        for seat in disputes.seats_that_agree(game)
        if (ruling := dispute.proposed_by(seat)) is not None
    }
    return page(
        "dispute.html",
        status,
        game=game,
        seat=current.seat,
        dispute=service().games.queries.dispute(game.id, seq, current.player),
        status_message=STATUSES[dispute_summary(game, dispute)["status"]],
        about=event_messages(game, dispute.about),
        ruling_message=ruling_message,
        current_rulings=current_rulings,
        seats_that_agree=disputes.seats_that_agree(game),
        answer_reason=current.reason_not_to(lambda seat: disputes.answer(game, seq, seat, None)),
        ruling_reason=_reason_not_to_rule(current, seq),
        withdrawal_reason=current.reason_not_to(lambda seat: disputes.withdraw(game, seq, seat)),
        forms={**dict.fromkeys(("answer", "agreement", "ruling", "withdrawal"), Form()), **forms},
        key=new_key(),
        max_characters=service().settings.bounds.max_statement_characters,
    )


def _reason_not_to_rule(current: GameViewer, seq: int) -> Text | None:
    """Return why the viewer can neither rule the dispute nor propose a ruling; None if the viewer can."""
    game = current.game
    if game.arbiter is None:
        return current.reason_not_to(
            lambda seat: disputes.propose(game, seq, seat, {"type": "dismiss"}, None, bool)
        )
    if not current.is_arbiter:
        return NOT_A_PLAYER if current.seat is None else message("only the arbiter rules")
    return reason_not_to(lambda: disputes.rule(game, seq, {"type": "dismiss"}, None, bool))


@blueprint.get(_DISPUTES)
def list_disputes(game_id: str) -> Response:
    """Show the disputes of a game, and the form to open one, about event `seq` if the address names one."""
    return _list_page(game_id, form_about_event())


@blueprint.post(_DISPUTES)
@limit_disputes
@shows_refusals(_list_page, *REFUSALS)
def open_dispute(game_id: str) -> Response:
    """Dispute an event of the game."""
    player = require_player(game_id)
    values = read_form(OpenDisputeForm())
    statement = OpenDispute(values["seq"], _with_line_feeds(values["statement"]))
    accepted = state(game_id, player, statement, values)
    return see_other(f"/games/{game_id}/disputes/{accepted.events[0]['seq']}")


@blueprint.get(_DISPUTE)
def show_dispute(game_id: str, seq: int) -> Response:
    """Show a dispute with everything that was written in it; its ruling is no news to the viewer then."""
    player = current_player()
    if player is not None:
        game = service().games.queries.visible_game(game_id, player)
        if is_correspondent(game, player) and require_dispute(game, seq).ending is not None:
            service().chat.marks.dismiss(game_id, player, f"ruling-{seq}")
    return _dispute_page(game_id, seq)


@blueprint.post(f"{_DISPUTE}/answers")
@limit_disputes
@shows_refusals(_dispute_page, *REFUSALS, form="answer")
def answer_dispute(game_id: str, seq: int) -> Response:
    """Answer an open dispute."""
    player = require_player(game_id)
    values = read_form(AnswerForm())
    statement = AnswerDispute(seq, _with_line_feeds(values["statement"]))
    state(game_id, player, statement, values)
    return see_other(f"/games/{game_id}/disputes/{seq}")


@blueprint.post(f"{_DISPUTE}/rulings")
@limit_disputes
@shows_refusals(_dispute_page, *REFUSALS, form="ruling")
def give_ruling(game_id: str, seq: int) -> Response:
    """Rule the dispute as the arbiter, or propose a ruling as a player."""
    player = require_player(game_id)
    values = _read_ruling()
    text = values["statement"] and _with_line_feeds(values["statement"])
    try:
        state(game_id, player, GiveRuling(seq, _ruling(values), text), values)
    except Malformed as error:
        # The form has the fields of rulings beside the others.
        faults = {path.removeprefix("ruling."): why for path, why in error.fields.items()}
        raise Malformed(faults) from None
    return see_other(f"/games/{game_id}/disputes/{seq}")


@blueprint.post(f"{_DISPUTE}/withdrawal")
@limit_disputes
@shows_refusals(_dispute_page, *REFUSALS, form="withdrawal")
def withdraw_dispute(game_id: str, seq: int) -> Response:
    """Withdraw a dispute that the viewer has opened."""
    player = require_player(game_id)
    values = read_sure_form(WithdrawalForm())
    state(game_id, player, WithdrawDispute(seq), values)
    return see_other(f"/games/{game_id}/disputes/{seq}")


def _read_ruling() -> dict[str, Any]:
    """Return what was entered in the form of a ruling. Raises Malformed."""
    values = read_sure_form(RulingForm())
    field = RULING_FIELDS[values["type"]]
    if field is not None and values[field] is None:
        raise Malformed({field: message("is missing")})
    return values


def _with_line_feeds(text: str) -> str:
    """Return a text with the line breaks that the script of the page signs; browsers may send others."""
    return text.replace("\r\n", "\n")


def _ruling(values: Mapping[str, Any]) -> JsonObject:
    """Return the ruling that was entered, as JSON; fields of other rulings are left out."""
    field = RULING_FIELDS[values["type"]]
    return {"type": values["type"], **({} if field is None else {field: values[field]})}


_TAKEBACKS: Final = "/games/<game_id>/takebacks"


class TakebackAnswerForm(KeyedForm):
    """Whether the player agrees to a takeback."""

    answer = Choice(choices=("agree", "decline"), required=True)


def _takeback_page(
    game_id: str, form: Form = EMPTY_FORM, status: int = 200, **_: object
) -> Response:
    current = game_viewer(game_id)
    game = current.game
    pending = pending_takeback(game)
    number = 0 if pending is None else pending["takeback"]
    return page(
        "takebacks.html",
        status,
        game=game,
        seat=current.seat,
        form=form,
        pending=pending,
        includes_conditional_actions=_includes_conditional_actions(game),
        last=None if game.last_play is None else event_messages(game, game.last_play.seq),
        waiting_for=takebacks.seats_to_answer(game),
        request_reason=current.reason_not_to(lambda seat: takebacks.request(game, seat)),
        answer_reason=current.reason_not_to(
            lambda seat: takebacks.answer(game, number, seat, agree=True)
        ),
        key=new_key(),
    )


def _includes_conditional_actions(game: Game) -> bool:
    """Return whether conditional actions have followed the one of which a takeback is requested."""
    last = game.last_play
    if last is None or last.takeback is None:
        return False
    action = last.action_of(last.takeback.seat)
    return action is not None and action.seq != last.seq


@blueprint.get(_TAKEBACKS)
def show_takebacks(game_id: str) -> Response:
    """Show the takeback that waits for answers, and what the viewer can do."""
    return _takeback_page(game_id)


@blueprint.post(_TAKEBACKS)
@limit_disputes
@shows_refusals(_takeback_page, *REFUSALS)
def request_takeback(game_id: str) -> Response:
    """Ask the other players to take back the viewer's last action."""
    player = require_player(game_id)
    state(game_id, player, RequestTakeback(), read_form(KeyedForm()))
    return see_other(next_address(f"/games/{game_id}/takebacks"))


@blueprint.post(f"{_TAKEBACKS}/<int(max={MAX_INTEGER}):seq>/answers")
@limit_disputes
@shows_refusals(_takeback_page, *REFUSALS)
def answer_takeback(game_id: str, seq: int) -> Response:
    """Agree to a takeback, or decline it."""
    player = require_player(game_id)
    values = read_form(TakebackAnswerForm())
    state(game_id, player, AnswerTakeback(seq, agree=values["answer"] == "agree"), values)
    return see_other(next_address(f"/games/{game_id}/takebacks"))
