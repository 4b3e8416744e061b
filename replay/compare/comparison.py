"""Compares two records, and draws conclusions from the difference."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, Literal, TypeAlias

from domain.json_types import JsonObject
from replay.compare.attestations import (
    Attestation,
    Progress,
    acknowledged_keys,
    attestations,
    no_progress,
)
from replay.compare.histories import (
    Divergence,
    History,
    Relation,
    Side,
    common_events,
    read_history,
    relation,
)
from replay.compare.proofs import Proof, proofs
from replay.history.event_values import seated_players
from replay.language.renderer import Names, Renderer

Verdict: TypeAlias = Literal["continuation", "divergence", "unknown"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two records, their relation, and the proofs from the signatures in them.

    `common` is the number of events that both have, from the first. `denials` are the valid attestations, by
    keys that signed the head of either record or that are trusted, that contradict a record. `trusted` are
    the public keys, in hex, that the reader knows.
    """

    a: History
    b: History
    relation: Relation
    common: int
    divergence: Divergence | None
    attestations: Sequence[Attestation]
    proofs: Sequence[Proof]
    denials: Sequence[Attestation]
    trusted: frozenset[str]

    @property
    def verdict(self) -> Verdict:
        """`continuation` includes equal records, `divergence` a signature that contradicts a record."""
        if self.relation in ("diverged", "other_game") or self.denials:
            return "divergence"
        if self.relation == "receipts" and (not self.confirmed or self.undecided):
            return "unknown"
        return "unknown" if self.relation == "unknown" else "continuation"

    @property
    def confirmed(self) -> int:
        """The number of valid receipts, in a file of receipts, for events of the record."""
        return sum(map(self._has, self._kept_receipts))

    @property
    def undecided(self) -> Sequence[Attestation]:
        """The valid receipts, in a file of receipts, for events after the end of the record."""
        return [
            attestation
            for attestation in self._kept_receipts
            if not self._has(attestation) and attestation not in self.denials
        ]

    @property
    def _kept_receipts(self) -> Sequence[Attestation]:
        histories = {"a": self.a, "b": self.b}
        return [
            attestation
            for attestation in self.attestations
            if not attestation.fault and histories[attestation.side].has_only_receipts
        ]

    def _has(self, attestation: Attestation) -> bool:
        seq = attestation.seq or 0
        return any(history.contains(seq, attestation.hash) for history in (self.a, self.b))

    @property
    def after_common(self) -> tuple[Sequence[Attestation], Sequence[Attestation]]:
        """The valid attestations about events that only A has, and those about events that only B has."""
        return self._about(self.a, self.b), self._about(self.b, self.a)

    def _about(self, history: History, other: History) -> Sequence[Attestation]:
        return [
            attestation
            for attestation in self.attestations
            if not attestation.fault
            and attestation.seq is not None
            and history.contains(attestation.seq, attestation.hash)
            and not other.contains(attestation.seq, attestation.hash)
        ]

    @property
    def names(self) -> Names:
        """The names of the players, except those about which the records disagree."""
        a, b = self.a.record.names, self.b.record.names
        return Names(
            {id: handle for id, handle in (a | b).items() if a.get(id, handle) == b.get(id, handle)}
        )

    def names_in(self, side: Side) -> Names:
        """Return the same names, with the players by seat as one of the records has them."""
        history = self.a if side == "a" else self.b
        return self.names.seated(seated_players(history.record))

    def as_json(self, renderer: Renderer) -> JsonObject:
        """Return the whole comparison as a JSON object, with sentences in the renderer's language."""
        renderer = renderer.with_names(self.names)
        only_a, only_b = self.after_common
        return {
            "verdict": self.verdict,
            "relation": self.relation,
            "common": self.common,
            "a": _summary(self.a, renderer),
            "b": _summary(self.b, renderer),
            "divergence": None if self.divergence is None else self.divergence.as_json(),
            "signed_only_in_a": [attestation.as_json(renderer) for attestation in only_a],
            "signed_only_in_b": [attestation.as_json(renderer) for attestation in only_b],
            "denials": [attestation.as_json(renderer) for attestation in self.denials],
            "proofs": [proof.as_json(renderer) for proof in self.proofs],
            "statements": [
                {**attestation.as_json(renderer), "trusted": attestation.public in self.trusted}
                for attestation in self.attestations
            ],
        }


def compare(
    a: BinaryIO, b: BinaryIO, *, trusted: Collection[str] = (), progress: Progress = no_progress
) -> Comparison:
    """Compare the records in two binary files. `trusted` are public keys, in hex, that the reader knows."""
    histories = read_history(a), read_history(b)
    return compare_histories(*histories, trusted=trusted, progress=progress)


def compare_histories(
    a: History, b: History, *, trusted: Collection[str] = (), progress: Progress = no_progress
) -> Comparison:
    """Compare the histories in two records that have been read."""
    histories = a, b
    how, divergence = relation(*histories)
    is_one_game = how == "receipts" or (
        how != "other_game" and all(history.events for history in histories)
    )
    trusted_keys = frozenset(trusted)
    all_attestations = attestations(*histories, trusted_keys, progress)
    acknowledged = [
        (attestation.public, acknowledged_keys(history, attestation))
        for history, side in zip(histories, ("a", "b"), strict=True)
        for attestation in all_attestations
        if (attestation.side, attestation.kind) == (side, "head") and not attestation.fault
    ]
    signers = trusted_keys | {public for public, _ in acknowledged}
    return Comparison(
        *histories,
        how,
        common_events(*histories) if is_one_game else 0,
        divergence,
        all_attestations,
        proofs(histories, all_attestations, acknowledged, trusted_keys) if is_one_game else [],
        [
            attestation
            for attestation in all_attestations
            if is_one_game and how != "diverged" and _is_denial(attestation, histories, signers)
        ],
        trusted_keys,
    )


def _is_denial(
    attestation: Attestation, histories: Sequence[History], signers: frozenset[str]
) -> bool:
    """Return whether a valid attestation contradicts records that do not contradict each other."""
    seq = attestation.seq
    if attestation.fault or seq is None or attestation.public not in signers:
        return False
    return any(history.contradicts(seq, attestation.hash) for history in histories)


def _summary(history: History, renderer: Renderer) -> dict[str, Any]:
    header = history.record.header
    return {
        "game": history.game,
        "events": len(history.events),
        "chained": history.intact,
        "head": header["head"]["seq"] if header else None,
        "key": header["head"]["key"] if header else None,
        "faults": [{"line": fault.line, "what": renderer(fault.why)} for fault in history.faults],
    }
