"""The signing keys for administrators: which are published, which one signs, and retiring one."""

from collections.abc import Mapping
from typing import Final

from flask import Response
from werkzeug.wrappers import Response as BaseResponse

from domain.errors import CartularyError, Malformed
from domain.messages import Message, message
from service.administration.pages.guard import (
    ConfirmedReason,
    administrator,
    administrators_only,
    done,
)
from service.errors import NotFound, OperationNotPossible
from service.http.context import service
from service.pages.forms import EMPTY_FORM, Form, read_form, see_other, shows_refusals
from service.pages.templating import page

blueprint = administrators_only("admin_keys")

_REFUSALS: Final[tuple[type[CartularyError], ...]] = (Malformed, NotFound, OperationNotPossible)
_DONE: Final[Mapping[str, Message]] = {"retirement": message("The key is retired.")}


def _keys_page(form: Form = EMPTY_FORM, status: int = 200, **_: str) -> Response:
    """Show the keys. The names of what a form was about, which views get, are not needed."""
    keyring = service().keyring
    return page(
        "admin_keys.html",
        status,
        keys=keyring.public_keys(),
        own=keyring.signing_key.id,
        path=str(service().settings.signing_key),
        form=form,
        notice=done(_DONE),
    )


@blueprint.get("/admin/keys")
def show_keys() -> Response:
    """Show the signing keys, and how to replace the one that signs."""
    return _keys_page()


@blueprint.post("/admin/keys/<key>/retirement")
@shows_refusals(_keys_page, *_REFUSALS)
def retire_key(key: str) -> BaseResponse:
    """Retire a key that has been replaced."""
    reason = read_form(ConfirmedReason())["reason"]
    service().administration.retire_key(administrator(), key, reason)
    return see_other("/admin/keys?done=retirement")
