"""The log of the heads of all games, for witnesses.

`python -m service.http.client_generator` has written this file.
"""

from typing import TypedDict, Unpack

from client.methods import C_co, Group, Method
from client.requests import Call, call, read_text, reader

ConsistencyProof = TypedDict("ConsistencyProof", {"from": int, "to": int, "path": list[str]})
"""The body of a request: ConsistencyProof."""


class CosignedCheckpoint(TypedDict):
    """A checkpoint with cosignatures, as a signed note."""

    checkpoint: str


class EpochList(TypedDict):
    """The declarations of new epochs of the log, in order."""

    epochs: list[str]


class InclusionProof(TypedDict):
    """The proof that a checkpoint covers the head of a game: event `seq` with this hash."""

    checkpoint: str
    game: str
    seq: int
    hash: str
    index: int
    path: list[str]


class LeafList(TypedDict):
    """A page of the hashes of leaves. `next` is the `after` of the next page, or null."""

    leaves: list[str]
    next: int | None


class SubmitCosignatures(TypedDict):
    """The body of a request: SubmitCosignatures."""

    checkpoint: str


def get_checkpoint() -> Call[str]:
    """Get the latest checkpoint of the transparency log, with the cosignatures that it has."""
    return call("GET", "/log/checkpoint", read_text)


def get_inclusion_proof(*, game: str, seq: int | None = None) -> Call[InclusionProof]:
    """Prove that the log contains a head of a game.

    The proof is for the last head that was logged. Its hash covers all earlier events of the game.
    The proof leads to the latest checkpoint that a witness has cosigned, if that covers the head.
    """
    return call(
        "GET", "/log/proofs/inclusion", reader(InclusionProof), params={"game": game, "seq": seq}
    )


def get_consistency_proof(*, from_: int, to: int) -> Call[ConsistencyProof]:
    """Prove that the log of `to` leaves begins with the log of `from` leaves."""
    return call(
        "GET", "/log/proofs/consistency", reader(ConsistencyProof), params={"from": from_, "to": to}
    )


def list_leaves(*, after: int | None = None, limit: int | None = None) -> Call[LeafList]:
    """List the hashes of the leaves of the log, so that a witness can keep a copy of its tree."""
    return call("GET", "/log/leaves", reader(LeafList), params={"after": after, "limit": limit})


def list_epochs() -> Call[EpochList]:
    """List the declarations of new epochs of the log.

    After a restore from a backup, the log goes on under another origin. The declaration names the
    last checkpoint of the old epoch that the server knows, and the first entries that both have in
    common.
    """
    return call("GET", "/log/epochs", reader(EpochList))


def submit_cosignatures(**body: Unpack[SubmitCosignatures]) -> Call[CosignedCheckpoint]:
    """Submit cosignatures of a checkpoint.

    Only cosignatures of witnesses that the operator has listed are accepted, and only under one of
    the last checkpoints that the server has published.
    """
    return call("POST", "/log/cosignatures", reader(CosignedCheckpoint), body=body)


class TransparencyCalls(Group[C_co]):
    """The log of the heads of all games, for witnesses."""

    get_checkpoint = Method(get_checkpoint)
    get_inclusion_proof = Method(get_inclusion_proof)
    get_consistency_proof = Method(get_consistency_proof)
    list_leaves = Method(list_leaves)
    list_epochs = Method(list_epochs)
    submit_cosignatures = Method(submit_cosignatures)
