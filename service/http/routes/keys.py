"""The public keys by which receipts are checked."""

from flask import Response

from service.http import auth
from service.http.blueprint import Blueprint
from service.http.context import service
from service.http.responses import answer
from service.http.schemas.play import Keys

blueprint = Blueprint("keys", __name__, description="What receipts are checked with.")


@blueprint.call("GET", "/keys")
@blueprint.gives(200, Keys(), "all keys, the oldest first")
@blueprint.refuses(401)
@auth.optional_auth
def keys() -> Response:
    """Public keys of receipts, retired ones too."""
    return answer({"keys": service().keyring.published(), "next": None})
