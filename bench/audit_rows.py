"""Rows on audits: 1,000 records on all cores, and quick audits."""

import io
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import orjson
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from bench.measure import Row, compare
from bench.our_games import PlayedGame
from bench.record_rows import record_bytes
from cartulary.audit_runs import AuditOptions, usable_cores
from domain import lifecycle
from domain.event import acting_seat
from domain.fold import evolve
from ledger.canonical import canonical
from replay.audit import TrustedKey, TrustedKeys, quick_audit
from replay.bots.playout import plan, play

RECORDS: Final = 1000
PLANS: Final[Sequence[tuple[str, int, Mapping[str, Any]]]] = (
    ("barony", 2, {}),
    ("barony", 3, {}),
    ("barony", 4, {}),
    ("barony", 2, {"sorcery": True}),
    ("barony", 5, {"sorcery": True}),
    ("baron", 2, {}),
    ("baron", 3, {}),
    ("baron", 5, {}),
)
"""The kinds of games; there are two of each, and the records of a run are copies of them."""


def measure(long_game: PlayedGame) -> Iterator[Row]:
    """Measure the rows of this group."""
    yield _quick_row(record_bytes(long_game))
    with tempfile.TemporaryDirectory() as folder:
        paths, keys = _records(Path(folder))
        with ProcessPoolExecutor(usable_cores(), get_context("spawn")) as pool:
            audit_one = partial(_audit, AuditOptions(trusted=keys))

            def run(work: Callable[[str], int]) -> int:
                return sum(pool.map(work, paths, chunksize=4))

            yield compare(
                f"audit {RECORDS:,} records, on all cores",
                "hash, decide, evolve and Ed25519 alone, on all cores",
                lambda: run(audit_one),
                lambda: run(bare_work),
                least=1 / 3,
                unit="events/s",
                pairs=3,
            )


def _quick_row(data: bytes) -> Row:
    public = orjson.loads(data.split(b"\n", 1)[0])["keys"][0]["public"]
    trusted = TrustedKeys((TrustedKey(public, "bench"),))

    def audit_quickly() -> int:
        report = quick_audit(io.BytesIO(data), trusted=trusted)
        assert report.is_sound
        return int(report.summary["events"])

    def parse_and_hash() -> int:
        lines = data.splitlines()[1:]
        for line in lines:
            event = orjson.loads(line)
            claimed = event.pop("hash")
            assert sha256(orjson.dumps(event, option=orjson.OPT_SORT_KEYS)).hexdigest() == claimed
        return len(lines)

    return compare(
        "audit --quick of a record",
        "orjson and SHA-256 alone",
        audit_quickly,
        parse_and_hash,
        least=0.5,
        unit="events/s",
        pairs=15,
    )


def _records(folder: Path) -> tuple[list[str], TrustedKeys]:
    """Write the records; return their paths, and the keys that signed them."""
    keys: list[TrustedKey] = []
    games: list[bytes] = []
    for kind, (rules, seats, options) in enumerate(PLANS):
        of_kind = plan(rules, seats, bytes([kind]), options, ("sensible",))
        keys.append(TrustedKey(of_kind.signing_key().public, "bench"))
        games += [play(of_kind, number).record for number in (1, 2)]
    paths = [folder / f"{number:04}.jsonl" for number in range(RECORDS)]
    for number, path in enumerate(paths):
        path.write_bytes(games[number % len(games)])
    return [str(path) for path in paths], TrustedKeys.of(keys)


def _audit(options: AuditOptions, path: str) -> int:
    with Path(path).open("rb") as file:
        report = options.audit(file)
    assert report.is_sound
    return int(report.summary["events"])


def bare_work(path: str) -> int:
    """Hash every event of a record, decide every start and action, evolve, and verify the head's signature.

    The record is decoded for that, and nothing is compared or reported. Returns the number of events.
    """
    header_line, *lines = Path(path).read_bytes().splitlines()
    values = [orjson.loads(line) for line in lines]
    opened = {
        value["seq"]: {name: opening["value"] for name, opening in value["open"].items()}
        for value in values
        if "open" in value
    }
    events = [value for value in values if "hash" in value]
    secret = bytes.fromhex(events[-1]["data"]["secret"])
    game: Any = None
    for event, line in zip(events, lines, strict=False):
        sha256(line).hexdigest()
        if event["type"] == "GameStarted":
            lifecycle.start(game, secret)
        elif event["action"] is not None:
            seat = acting_seat(event["by"])
            assert seat is not None
            game.decide(seat, game.rules.parse_action(event["action"]))
        game = evolve(game, event, opened)
    _verify_head(orjson.loads(header_line))
    return len(events)


def _verify_head(header: dict[str, Any]) -> None:
    signature = bytes.fromhex(header["head"].pop("signature"))
    public = bytes.fromhex(header["keys"][0]["public"])
    Ed25519PublicKey.from_public_bytes(public).verify(signature, canonical(header))
