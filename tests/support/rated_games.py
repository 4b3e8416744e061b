"""A server's log and ratings for tests: games that bots play with ordinary accounts, and their history."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final

import orjson

from domain.json_types import JsonObject
from ledger.canonical import format_timestamp
from ledger.keys import SigningKey, ratings_payload
from ledger.record import read
from ledger.transparency.checkpoint import Checkpoint, head_leaf_hash
from ledger.transparency.merkle import MemoryTree, prove_inclusion
from ledger.transparency.signed_note import SignedNote, sign_text
from replay.bots.playout import START, plan, play
from replay.ratings.player_ratings import MODEL_NAME, RatingTable, rated_result

LOG: Final = "log.test"
_SEED: Final = b"rated games"
SYSTEMS: Final[Sequence[tuple[str, dict[str, Any]]]] = (
    ("barony", {}),
    ("baron", {}),
    ("barony", {"sorcery": True}),
)
"""What the games are, in turn."""


@dataclass(slots=True)
class RatedServer:
    """What a server has published: records by game, in the order of its log, and its ratings."""

    records: dict[str, bytes]
    statement: JsonObject
    lines: list[Any]
    keys: list[JsonObject]
    key: SigningKey

    def sign(self, **changes: Any) -> None:
        """Sign the statement again, with these changes."""
        unsigned = {
            name: value
            for name, value in self.statement.items()
            if name not in {"key", "signature"}
        }
        self.statement = self.key.sign({**unsigned, **changes})

    def publish(self, records: Sequence[bytes], *excluded: str) -> None:
        """Have the server sign a history of other records, and that these games are excluded."""
        table = RatingTable()
        self.lines = [table.add(rated_result(read(BytesIO(data)).events)) for data in records]
        exclusions = [
            {"game": game, "at": format_timestamp(START), "reason": "collusion"}
            for game in excluded
        ]
        self.sign(games=table.number, hash=table.hash, excluded=exclusions)


def rated_server(games: int, seats: int = 2, round_limit: int | None = 2) -> RatedServer:
    """Return a server on which bots have played so many rated games, in all rule systems in turn."""
    plays = []
    for number in range(games):
        rules, own = SYSTEMS[number % len(SYSTEMS)]
        options = {**own, "rated": True}
        limit = round_limit if rules == "barony" else None
        finished = play(plan(rules, seats, _SEED, options, ("random",), limit), number + 1)
        plays.append((finished.game.id, finished.game.seq, finished.game.hash, finished.record))
    key = plan("baron", 2, _SEED, {}).signing_key()
    entry = key.public_entry(format_timestamp(START))
    tree = MemoryTree()
    tree.append([head_leaf_hash(game, seq, hash) for game, seq, hash, _ in plays])
    text = Checkpoint(LOG, tree.size, tree.root()).text
    note = str(SignedNote(text, (sign_text(text, LOG, key),)))
    records = {}
    for index, (game, seq, hash, record) in enumerate(plays):
        header, *lines = record.splitlines(keepends=True)
        unsigned = orjson.loads(header)
        unsigned["head"] = {"seq": seq, "hash": hash}
        unsigned["log"] = LOG
        unsigned["inclusion"] = {
            "checkpoint": note,
            "game": game,
            "seq": seq,
            "hash": hash,
            "index": index,
            "path": [node.hex() for node in prove_inclusion(tree, index, tree.size)],
        }
        signed = orjson.dumps(key.sign_head(unsigned), option=orjson.OPT_SORT_KEYS) + b"\n"
        records[game] = b"".join([signed, *lines])
    payload = ratings_payload(
        log=LOG,
        size=tree.size,
        root=tree.root().hex(),
        model=MODEL_NAME,
        games=0,
        hash="",
        excluded=[],
        at=format_timestamp(START),
    )
    server = RatedServer(records, payload, [], [entry], key)
    server.publish([*records.values()])
    return server
