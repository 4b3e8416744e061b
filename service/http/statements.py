"""The operations with which people make statements: each follows from its class in ledger/statements.py."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

from marshmallow import Schema, fields

from domain.json_types import JsonObject, Range
from domain.messages import Text
from ledger.statements import Statement, StatementWithNonce
from service.games.player_signatures import PlayerSignature
from service.games.repository import AcceptedAction
from service.http.blueprint import Blueprint
from service.http.context import AuthPolicy, service
from service.http.ratelimits import limit_disputes
from service.http.schemas.requests import OnlySignature, nonce_field, signature_field
from service.http.validation import Flag, NonNegativeInteger, PositiveInteger, StrictSchema, String

_NONCE: Final = (
    "Bytes that become part of the seed of what is drawn again if play resumes. Games with seed version 1"
    " ignore them."
)


def add_statement(
    blueprint: Blueprint,
    kind: type[Statement],
    description: str = "The event, and a receipt for it.",
    *,
    auth: AuthPolicy = "participants_only",
    body_fields: Mapping[str, fields.Field[Any]] | None = None,
    examples: Mapping[str, object] | None = None,
) -> None:
    """Register the operation of a kind of statement; `description` is that of its response.

    `body_fields` replace fields of the body that do not follow from their types, and `examples` are values of
    fields for the OpenAPI document.
    """
    replies_to = kind.replies_to()
    rule = "/games/<game_id>" + kind.PATH.replace(f"{{{replies_to}}}", "<int:seq>")
    schema = _body_schema(kind, body_fields or {}, examples or {})

    def state(
        game_id: str,
        player: str,
        body: JsonObject,
        idempotency_key: str | None,
        seq: int | None = None,
    ) -> AcceptedAction | None:
        signature: PlayerSignature | None = body.pop("signature")
        values = {name: body[key] for key, name in kind.body_names().items()}
        if replies_to is not None:
            values[replies_to] = seq
        if (nonce := body.get("nonce")) is not None:
            values["nonce"] = nonce.hex()
        statement = kind(**values, idempotency_key=idempotency_key)
        accepted = service().games.statements.state(game_id, player, statement, signature)
        return accepted if kind.METHOD == "POST" else None

    state.__name__, state.__doc__ = kind.operation(), kind.__doc__
    checks: dict[str, Any] = {
        "auth": auth,
        "limit": limit_disputes,
        "json_body": schema,
        "is_body_required": any(field.required for field in schema.fields.values()),
        "resource": replies_to,
        "extra_validation": _field_faults if "statement" in schema.fields else None,
    }
    if kind.METHOD == "POST":
        blueprint.post_action(rule, description, **checks)(state)
    else:
        blueprint.delete(rule, description, is_idempotent=True, errors=(409, 422), **checks)(state)


def _field_faults(body: JsonObject, **_: object) -> dict[str, Text]:
    """Return what is wrong with the statement and the ruling, by field."""
    return service().games.statements.field_faults(body)


def _body_schema(
    kind: type[Statement], replaced: Mapping[str, fields.Field[Any]], examples: Mapping[str, object]
) -> Schema:
    """Return the schema of the body of a statement: of its fields, a nonce, and the signature."""
    hints = get_type_hints(kind, include_extras=True)
    body = {
        key: replaced.get(key) or _field(hints[name], examples.get(name))
        for key, name in kind.body_names().items()
    }
    has_nonce = issubclass(kind, StatementWithNonce)
    if not body and not has_nonce:
        return OnlySignature()
    nonce = {"nonce": nonce_field(_NONCE)} if has_nonce else {}
    return StrictSchema.from_dict(
        {**nonce, **body, "signature": signature_field()}, name=kind.__name__
    )()


def _field(hint: object, example: object) -> fields.Field[Any]:
    """Return the required field of a body for values of a type (domain/json_types.py)."""
    metadata = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    described: dict[str, Any] = {}
    for item in metadata:
        if isinstance(item, str):
            described["description"] = item
    if example is not None:
        described["example"] = example
    type = get_args(hint)[0] if metadata else hint
    if type is bool:
        return Flag(required=True, **described)
    if type is str:
        return String(required=True, minLength=1, **described)
    field = PositiveInteger if Range(1) in metadata else NonNegativeInteger
    return field(required=True, **described)
