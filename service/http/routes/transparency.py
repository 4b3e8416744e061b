"""The transparency log: its checkpoints, proofs from it, and the cosignatures of witnesses."""

from typing import Final

from flask import Response

from domain.json_types import JsonObject
from service.http.blueprint import NO_QUERY, Blueprint, response
from service.http.context import service
from service.http.responses import json_response
from service.http.schemas.transparency import (
    ConsistencyProof,
    ConsistencyQuery,
    CosignedCheckpoint,
    EpochList,
    InclusionProof,
    InclusionQuery,
    LeafList,
    LeavesQuery,
    SubmitCosignatures,
)

NOTE: Final = "text/plain"

blueprint = Blueprint(
    "transparency", __name__, description="The log of the heads of all games, for witnesses."
)


@blueprint.route(
    "GET",
    "/log/checkpoint",
    auth="optional_auth",
    query=NO_QUERY,
    responses={200: response("The checkpoint, a signed note (C2SP).", content_type=NOTE)},
)
def get_checkpoint(player: str | None) -> Response:
    """Get the latest checkpoint of the transparency log, with the cosignatures that it has."""
    note = service().checkpoints.latest()
    return Response(str(note), content_type=f"{NOTE}; charset=utf-8")


@blueprint.route(
    "GET",
    "/log/proofs/inclusion",
    auth="optional_auth",
    query=InclusionQuery(),
    responses={200: response("The proof, and the checkpoint that it leads to.", InclusionProof)},
    error_responses=(404,),
)
def get_inclusion_proof(player: str | None, query: JsonObject) -> Response:
    """Prove that the log contains a head of a game.

    The proof is for the last head that was logged. Its hash covers all earlier events of the game. The proof
    leads to the latest checkpoint that a witness has cosigned, if that covers the head.
    """
    game = service().queries.visible_game(query["game"], player)
    return json_response(service().proofs.inclusion(game.id, query["seq"]))


@blueprint.route(
    "GET",
    "/log/proofs/consistency",
    auth="optional_auth",
    query=ConsistencyQuery(),
    responses={200: response("The proof.", ConsistencyProof)},
    error_responses=(404,),
)
def get_consistency_proof(player: str | None, query: JsonObject) -> Response:
    """Prove that the log of `to` leaves begins with the log of `from` leaves."""
    return json_response(service().proofs.consistency(query["from"], query["to"]))


@blueprint.route(
    "GET",
    "/log/leaves",
    auth="optional_auth",
    query=LeavesQuery(),
    responses={
        200: response("A page of hashes. `next` is the `after` of the next page.", LeafList)
    },
)
def list_leaves(player: str | None, query: JsonObject) -> Response:
    """List the hashes of the leaves of the log, so that a witness can keep a copy of its tree."""
    return json_response(service().proofs.leaf_hashes(query["after"], query["limit"]))


@blueprint.route(
    "GET",
    "/log/epochs",
    auth="optional_auth",
    query=NO_QUERY,
    responses={200: response("The declarations, each a signed note.", EpochList)},
)
def list_epochs(player: str | None) -> Response:
    """List the declarations of new epochs of the log.

    After a restore from a backup, the log goes on under another origin. The declaration names the last
    checkpoint of the old epoch that the server knows, and the first entries that both have in common.
    """
    return json_response({"epochs": [str(note) for note in service().checkpoints.epochs()]})


@blueprint.route(
    "POST",
    "/log/cosignatures",
    auth="optional_auth",
    json_body=SubmitCosignatures(),
    responses={
        200: response("The checkpoint with all cosignatures that it has.", CosignedCheckpoint)
    },
    error_responses=(403, 409),
)
def submit_cosignatures(player: str | None, body: JsonObject) -> Response:
    """Submit cosignatures of a checkpoint.

    Only cosignatures of witnesses that the operator has listed are accepted, and only under one of the last
    checkpoints that the server has published.
    """
    note = service().checkpoints.add_cosignatures(body["checkpoint"])
    return json_response({"checkpoint": str(note)})
