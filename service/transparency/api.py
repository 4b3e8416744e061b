"""The transparency log: its checkpoints, proofs from it, and the cosignatures of witnesses."""

from typing import Annotated, Final, TypedDict

from flask import Response

from domain.json_types import Count, Digest, JsonObject, PositiveCount
from service.http.blueprint import Blueprint, response
from service.http.context import service
from service.http.validation import PageLimit, QueryInteger, StrictSchema, String

NOTE: Final = "text/plain"


class InclusionQuery(StrictSchema):
    """Which game's head to prove."""

    game = String(required=True, description="The id of the game.")
    seq = QueryInteger(
        minimum=1, load_default=1, description="The logged head must be this event or a later one."
    )


ConsistencyQuery = StrictSchema.from_dict(
    {
        "from": QueryInteger(minimum=1, required=True, description="Leaves of the earlier log."),
        "to": QueryInteger(minimum=1, required=True, description="Leaves of the later log."),
    },
    name="ConsistencyQuery",
)
"""The sizes of two logs. (`from` is a keyword of Python.)"""


class LeavesQuery(StrictSchema):
    """Which page of the leaves to show."""

    after = QueryInteger(
        load_default=0, description="`next` of the previous page: the number of leaves before it."
    )
    limit = PageLimit("Leaves", most=2048, default=1000)


class SubmitCosignatures(StrictSchema):
    """A checkpoint with cosignatures."""

    checkpoint = String(required=True, description="The checkpoint as a signed note (C2SP).")


class InclusionProof(TypedDict):
    """The proof that a checkpoint covers the head of a game: event `seq` with this hash."""

    checkpoint: Annotated[str, "A signed note."]
    game: str
    seq: PositiveCount
    hash: Digest
    index: Annotated[Count, "The index of the leaf."]
    path: Annotated[list[Digest], "The inclusion path of RFC 9162."]


ConsistencyProof = TypedDict(
    "ConsistencyProof",
    {
        "from": PositiveCount,
        "to": PositiveCount,
        "path": Annotated[list[Digest], "The consistency path of RFC 9162."],
    },
)
"""The proof that the log of `to` leaves begins with that of `from` leaves."""


class EpochList(TypedDict):
    """The declarations of new epochs of the log, in order."""

    epochs: list[str]


class LeafList(TypedDict):
    """A page of the hashes of leaves. `next` is the `after` of the next page, or null."""

    leaves: list[Digest]
    next: PositiveCount | None


class CosignedCheckpoint(TypedDict):
    """A checkpoint with cosignatures, as a signed note."""

    checkpoint: str


blueprint = Blueprint(
    "transparency", "The log of the heads of all games, for witnesses.", auth="optional_auth"
)


@blueprint.get(
    "/log/checkpoint",
    responses={200: response("The checkpoint, a signed note (C2SP).", content_type=NOTE)},
)
def get_checkpoint(player: str | None) -> Response:
    """Get the latest checkpoint of the transparency log, with the cosignatures that it has."""
    note = service().transparency.checkpoints.latest()
    return Response(str(note), content_type=f"{NOTE}; charset=utf-8")


@blueprint.get(
    "/log/proofs/inclusion",
    "The proof, and the checkpoint that it leads to.",
    InclusionProof,
    query=InclusionQuery(),
    errors=(404,),
)
def get_inclusion_proof(player: str | None, query: JsonObject) -> JsonObject:
    """Prove that the log contains a head of a game.

    The proof is for the last head that was logged. Its hash covers all earlier events of the game. The proof
    leads to the latest checkpoint that a witness has cosigned, if that covers the head.
    """
    game = service().games.queries.visible_game(query["game"], player)
    return service().transparency.proofs.inclusion(game.id, query["seq"])


@blueprint.get(
    "/log/proofs/consistency",
    "The proof.",
    ConsistencyProof,
    query=ConsistencyQuery(),
    errors=(404,),
)
def get_consistency_proof(player: str | None, query: JsonObject) -> JsonObject:
    """Prove that the log of `to` leaves begins with the log of `from` leaves."""
    return service().transparency.proofs.consistency(query["from"], query["to"])


@blueprint.get(
    "/log/leaves",
    "A page of hashes. `next` is the `after` of the next page.",
    LeafList,
    query=LeavesQuery(),
)
def list_leaves(player: str | None, query: JsonObject) -> JsonObject:
    """List the hashes of the leaves of the log, so that a witness can keep a copy of its tree."""
    return service().transparency.proofs.leaf_hashes(query["after"], query["limit"])


@blueprint.get("/log/epochs", "The declarations, each a signed note.", EpochList)
def list_epochs(player: str | None) -> JsonObject:
    """List the declarations of new epochs of the log.

    After a restore from a backup, the log goes on under another origin. The declaration names the last
    checkpoint of the old epoch that the server knows, and the first entries that both have in common.
    """
    return {"epochs": [str(note) for note in service().transparency.checkpoints.epochs()]}


@blueprint.post(
    "/log/cosignatures",
    "The checkpoint with all cosignatures that it has.",
    CosignedCheckpoint,
    status=200,
    json_body=SubmitCosignatures(),
    errors=(403, 409),
)
def submit_cosignatures(player: str | None, body: JsonObject) -> JsonObject:
    """Submit cosignatures of a checkpoint.

    Only cosignatures of witnesses that the operator has listed are accepted, and only under one of the last
    checkpoints that the server has published.
    """
    note = service().transparency.checkpoints.add_cosignatures(body["checkpoint"])
    return {"checkpoint": str(note)}
