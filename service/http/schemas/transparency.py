"""Requests and responses about the transparency log: proofs, leaves, epochs and checkpoints."""

from typing import Annotated, TypedDict

from domain.json_types import Count, Digest, PositiveCount
from service.http.validation import QueryInteger, StrictSchema, String


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
    limit = QueryInteger(minimum=1, load_default=1000, description="Leaves per page, at most 2048.")


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
