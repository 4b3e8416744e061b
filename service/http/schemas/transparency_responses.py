"""Responses about the transparency log: proofs, leaves, epochs and checkpoints."""

from typing import Annotated, TypedDict

from domain.json_types import Count, Digest, PositiveCount


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
