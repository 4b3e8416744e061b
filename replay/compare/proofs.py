"""The proofs in attestations about two histories.

Two valid signatures by one key about different histories of the same game prove that the holder of that key
signed two histories, as anybody with both records can check. A key represents all keys in the header of a
record that it signed: a server that has changed its key cannot deny the old one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from domain.json_types import JsonObject
from replay.compare.attestations import Attestation
from replay.compare.histories import History
from replay.language.renderer import Renderer

_MOST_OTHERS: Final = 100
"""The most attestations about neither history that are examined."""


@dataclass(frozen=True, slots=True)
class Proof:
    """Two attestations of one signer that cannot both belong to one history.

    `public` is the signer's public key in hex, `player` the player whose key it is (None: a server).
    """

    key: str
    public: str
    player: str | None
    first: Attestation
    second: Attestation
    is_trusted: bool

    def as_json(self, renderer: Renderer) -> JsonObject:
        """Return all fields as a JSON object."""
        return {
            "against": {"key": self.key, "public": self.public, "player": self.player},
            "trusted": self.is_trusted,
            "statements": [self.first.as_json(renderer), self.second.as_json(renderer)],
        }


def proofs(
    histories: Sequence[History],
    attestations: Sequence[Attestation],
    acknowledged: Sequence[tuple[str, frozenset[str]]],
    trusted: frozenset[str],
) -> list[Proof]:
    """Return a proof for each signer of contradictory attestations, those by trusted keys first.

    `acknowledged` are public keys, each with the keys in a header that it signed. `trusted` are the
    public keys that the reader knows.
    """
    by_signer: dict[tuple[str, str | None], Proof] = {}
    for first, second in combinations(_strongest(attestations, histories), 2):
        if not _contradict(first, second, histories):
            continue
        for public in _signers(first, second, acknowledged):
            signer = first if first.public == public else second
            is_trusted = public in trusted
            proof = Proof(signer.key, public, signer.player, first, second, is_trusted)
            by_signer.setdefault((public, signer.player), proof)
    return sorted(by_signer.values(), key=lambda proof: not proof.is_trusted)


def _strongest(
    attestations: Sequence[Attestation], histories: Sequence[History]
) -> list[Attestation]:
    """Return the strongest valid attestations: of several by one key about the same histories, the latest.

    Attestations about neither history are all different; the first few are enough for a proof.
    """
    latest: dict[tuple[object, ...], Attestation] = {}
    others: list[Attestation] = []
    for attestation in attestations:
        seq = attestation.seq
        if attestation.fault or seq is None:
            continue
        places = tuple(history.contains(seq, attestation.hash) for history in histories)
        if not any(places):
            others.append(attestation)
            continue
        group = (attestation.public, attestation.kind == "action", places)
        if group not in latest or (latest[group].seq or 0) < seq:
            latest[group] = attestation
    return [*latest.values(), *others[:_MOST_OTHERS]]


def _signers(
    first: Attestation, second: Attestation, acknowledged: Sequence[tuple[str, frozenset[str]]]
) -> Iterator[str]:
    """Return the public keys whose holders answer for both attestations."""
    if (first.kind == "action") != (second.kind == "action"):
        return
    if first.public == second.public:
        yield first.public
        return
    if first.kind == "action":
        return
    for public, others in acknowledged:
        if {first.public, second.public} <= others and public in {first.public, second.public}:
            yield public


def _contradict(first: Attestation, second: Attestation, histories: Sequence[History]) -> bool:
    """Return whether no history can have the events that both attestations are about."""
    if first.seq is None or second.seq is None:
        return False
    if first.seq == second.seq:
        return first.hash != second.hash
    earlier, later = sorted((first, second), key=lambda attestation: attestation.seq or 0)
    return any(
        history.contains(later.seq or 0, later.hash)
        and history.contradicts(earlier.seq or 0, earlier.hash)
        for history in histories
    )
