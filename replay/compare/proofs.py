"""What signed statements about two histories prove, and against whom.

Two valid signatures by one key about different histories of the same game prove that the holder of that key
signed two histories: anybody who has both records can check that. A key stands for all keys that the header
of a record signed with it lists: a server that has changed its key cannot deny the old one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from domain.json_types import JsonObject
from replay.compare.histories import History
from replay.compare.statements import Statement
from replay.language.renderer import Renderer

_MOST_OTHERS: Final = 100
"""Statements about neither history that are examined."""


@dataclass(frozen=True, slots=True)
class Proof:
    """Two statements of one signer that cannot both belong to one history.

    `public` is the signer's public key in hex, `player` the player whose key it is (None: a server).
    """

    key: str
    public: str
    player: str | None
    first: Statement
    second: Statement
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
    statements: Sequence[Statement],
    acknowledged: Sequence[tuple[str, frozenset[str]]],
    trusted: frozenset[str],
) -> list[Proof]:
    """Return a proof for each signer of contradictory statements, those by trusted keys first.

    `acknowledged` are public keys, each with those that a header signed with it lists. `trusted` are the
    public keys that the reader knows.
    """
    by_signer: dict[tuple[str, str | None], Proof] = {}
    for first, second in combinations(_strongest(statements, histories), 2):
        if not _contradict(first, second, histories):
            continue
        for public in _signers(first, second, acknowledged):
            signer = first if first.public == public else second
            is_trusted = public in trusted
            proof = Proof(signer.key, public, signer.player, first, second, is_trusted)
            by_signer.setdefault((public, signer.player), proof)
    return sorted(by_signer.values(), key=lambda proof: not proof.is_trusted)


def _strongest(statements: Sequence[Statement], histories: Sequence[History]) -> list[Statement]:
    """The valid statements that say most: of those of one key about the same histories, the latest one.

    Those that belong to neither history say something each; the first few are enough for a proof.
    """
    latest: dict[tuple[object, ...], Statement] = {}
    others: list[Statement] = []
    for statement in statements:
        seq = statement.seq
        if statement.fault or seq is None:
            continue
        places = tuple(history.contains(seq, statement.hash) for history in histories)
        if not any(places):
            others.append(statement)
            continue
        group = (statement.public, statement.kind == "action", places)
        if group not in latest or (latest[group].seq or 0) < seq:
            latest[group] = statement
    return [*latest.values(), *others[:_MOST_OTHERS]]


def _signers(
    first: Statement, second: Statement, acknowledged: Sequence[tuple[str, frozenset[str]]]
) -> Iterator[str]:
    """The public keys whose holders answer for both statements."""
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


def _contradict(first: Statement, second: Statement, histories: Sequence[History]) -> bool:
    """Whether no history can have the events that both statements are about."""
    if first.seq is None or second.seq is None:
        return False
    if first.seq == second.seq:
        return first.hash != second.hash
    earlier, later = sorted((first, second), key=lambda statement: statement.seq or 0)
    return any(
        history.contains(later.seq or 0, later.hash)
        and history.contradicts(earlier.seq or 0, earlier.hash)
        for history in histories
    )
