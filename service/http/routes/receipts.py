"""The player's receipts, which the server keeps for them."""

from typing import Final

from flask import Response

from domain.json_types import JsonObject
from service.http.blueprint import Blueprint, response
from service.http.context import service
from service.http.responses import json_response
from service.http.schemas.requests import ReceiptsQuery
from service.http.schemas.responses import ReceiptList

MAX_PAGE_SIZE: Final = 500

blueprint = Blueprint("receipts", __name__, description="The receipts of a player.")


@blueprint.route(
    "GET",
    "/me/receipts",
    auth="login_required",
    query=ReceiptsQuery(),
    responses={
        200: response(
            "A page of receipts: by game, the newest first, and within a game by seq. A page may have fewer"
            " receipts than `limit`, even none, before the last one.",
            ReceiptList,
        )
    },
    error_responses=(404,),
)
def list_receipts(player: str, query: JsonObject) -> Response:
    """List the receipts for the player's own actions.

    A receipt is the server's signature for an action that it accepted. Keep your receipts: they prove what
    the server accepted even if it denies it later.
    """
    game_id = query["game"]
    if game_id is not None:
        service().queries.visible_game(game_id, player)
    page = service().receipts.page(
        player, query["cursor"], min(query["limit"], MAX_PAGE_SIZE), game_id
    )
    return json_response({"receipts": page.receipts, "left_out": page.left_out, "next": page.next})
