"""What the pages about a game share: their viewer, why something cannot be done, keys, the last messages."""

import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from marshmallow import Schema

from domain.chance import MAX_NONCE_BYTES
from domain.errors import Malformed, NotNow, Refused
from domain.game import Game
from domain.messages import Text, Value, message
from ledger.statements import Statement, StatementWithNonce
from replay.history.event_text import actor_message, outcome_message
from service.chat.conversation import ChatMessagePage
from service.errors import Forbidden, GameDamaged, KeyNotUsable, Stale
from service.games.access import is_correspondent
from service.games.player_signatures import PlayerSignature, RequestOptions
from service.games.repository import AcceptedAction
from service.http.context import service
from service.http.validation import Choice, HexBytes, HexText, QueryInteger, StrictSchema, String
from service.pages import session
from service.pages.forms import Form, number_parameter, read_form

NOT_A_PLAYER: Final = message("only the players of the game can do this")

Refusal: TypeAlias = Refused | Stale | KeyNotUsable
"""Why something that a player does in a game is not accepted; the page of its form explains it."""
REFUSALS: Final = (Refused, Stale, KeyNotUsable)
NOT_SURE: Final = message("must be ticked, because this cannot be undone")
_MAX_KEY_CHARACTERS: Final = 64


class NonceForm(StrictSchema):
    """A form to which the script of the page adds random bytes of the visitor (js/proofs.js)."""

    nonce = HexBytes(max_bytes=MAX_NONCE_BYTES, load_default=None)


class SignedForm(StrictSchema):
    """A form that the script of the page may sign (js/proofs.js).

    `expected_seq` is the last event that the page has shown; `salt` is that of the commitment to a text.
    """

    signature_key = HexText(digits=16, load_default=None)
    signature = HexText(digits=128, load_default=None)
    expected_seq = QueryInteger(load_default=None)
    salt = HexText(digits=64, load_default=None)


class KeyedForm(SignedForm, NonceForm):
    """A form with an idempotency key (`new_key`), so that sending it twice takes effect once."""

    key = String(load_default=None)


class _SureForm(StrictSchema):
    sure = Choice(choices=("yes",), required=True)


@dataclass(frozen=True, slots=True)
class GameViewer:
    """A game that the viewer of a page may see, the id of the viewer, and the viewer's seat, if any."""

    game: Game
    player: str | None
    seat: int | None

    @property
    def is_arbiter(self) -> bool:
        """Whether the viewer rules the disputes of the game."""
        return self.player is not None and self.player == self.game.arbiter

    def reason_not_to(self, decide: Callable[[int], object]) -> Text | None:
        """Return why the viewer cannot do what `decide` decides for a seat; None if the viewer can."""
        seat = self.seat
        return NOT_A_PLAYER if seat is None else reason_not_to(lambda: decide(seat))


def reason_not_to(decide: Callable[[], object]) -> Text | None:
    """Return why the rules of disputes refuse a decision; None if they allow it."""
    try:
        decide()
    except Refused as refused:
        return refused.why
    return None


def game_viewer(game_id: str) -> GameViewer:
    """Return the game of a page with its viewer. Raises NotFound, also for a game the viewer may not see."""
    player = session.current_player()
    game = service().games.queries.visible_game(game_id, player)
    return GameViewer(game, player, None if player is None else game.seat_of(player))


def require_player(game_id: str) -> str:
    """Return the id of the viewer, who has logged in and may see the game.

    Raises NotFound, and Unauthorised for a visitor who has not logged in.
    """
    game_viewer(game_id)
    return session.require_player()


def form_about_event() -> Form:
    """Return an empty form about event `seq` of a game, if the address names one."""
    seq = number_parameter("seq")
    return Form({} if seq is None else {"seq": str(seq)})


def key_of(values: Mapping[str, Any]) -> str | None:
    """Return the idempotency key of a form (`KeyedForm`); None if it has none."""
    key: str = values.get("key") or ""
    return key[:_MAX_KEY_CHARACTERS] or None


def signature_of(values: Mapping[str, Any]) -> PlayerSignature | None:
    """Return the player's signature in a form (`SignedForm`); None if the form is not signed."""
    key, signature = values["signature_key"], values["signature"]
    if key is None or signature is None:
        return None
    return PlayerSignature(key, signature, values["expected_seq"], values["salt"])


def request_options(values: Mapping[str, Any]) -> RequestOptions:
    """Return the idempotency key and the signature in a form (`KeyedForm`, `SignedForm`)."""
    return {"idempotency_key": key_of(values), "signature": signature_of(values)}


def state(
    game_id: str, player: str, statement: Statement, values: Mapping[str, Any]
) -> AcceptedAction:
    """Make a statement of a player with the key, the nonce and the signature in a form (`KeyedForm`)."""
    options = {"idempotency_key": key_of(values)}
    if isinstance(statement, StatementWithNonce) and (nonce := values["nonce"]) is not None:
        options["nonce"] = nonce.hex()
    return service().games.statements.state(
        game_id, player, replace(statement, **options), signature_of(values)
    )


def new_key() -> str:
    """Return a new idempotency key for a form."""
    return secrets.token_urlsafe(16)


def read_sure_form(schema: Schema) -> dict[str, Any]:
    """Return what was entered in a form with a box that must be ticked, `sure`. Raises Malformed."""
    try:
        return read_form(schema)
    except Malformed as error:
        if "sure" not in error.fields:
            raise
        raise Malformed({**error.fields, "sure": NOT_SURE}) from None


def require_sure() -> None:
    """Raise Malformed unless the box of a form is ticked that has nothing else, `sure`."""
    read_sure_form(_SureForm())


def event_messages(game: Game, seq: int) -> tuple[Value, Text] | None:
    """Return who caused an event of a game and what happened; None if there is no such event."""
    events = service().games.queries.event_page(game.id, seq - 1, 1)
    if not events:
        return None
    return actor_message(events[0]), outcome_message(game.rules, events[0], game)


LATEST_MESSAGES: Final = 12
"""Messages, and comments, beside the board."""


def latest_comments(game: Game) -> ChatMessagePage:
    """Return the last comments on a game for the viewer."""
    shown = service().comments.latest(game.id, session.current_player(), limit=LATEST_MESSAGES)
    service().accounts.players.handles({each.message.author for each in shown.messages})
    return shown


def reason_not_to_comment(game: Game) -> Text | None:
    """Return why the viewer, who has logged in, cannot comment on a game; None if the viewer can."""
    try:
        service().comments.require_writer(game, session.require_player())
    except NotNow as refused:
        return refused.why
    except Forbidden as refused:
        return refused.message
    return None


def conversation(game: Game, player: str | None) -> ChatMessagePage | None:
    """Return the last messages of a game; None for a viewer who may not read them, and for a damaged game."""
    if player is None or not is_correspondent(game, player):
        return None
    with suppress(GameDamaged):
        return service().chat.latest(game.id, player, limit=LATEST_MESSAGES)
    return None
