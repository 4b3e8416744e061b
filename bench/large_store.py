"""Fills a Redis with very many real games, without HTTP: `python -m bench.large_store URL --games 1000000`.

Bots first play a few hundred different games of all rule systems through the service, each to another stage.
They are then stored again and again with other ids, players and times: the hashes of each copy chain, and its
receipts are signed, so that it passes an audit like the game itself. The heads are in the transparency log.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import orjson
import redis

from cartulary.audit_runs import usable_cores
from domain.chance import Chance
from domain.event import ENDINGS
from domain.lifecycle import NewGame
from domain.registry import rule_systems
from ledger.keys import SigningKey
from ledger.pending import hash_in
from replay.bots.playout import quick_bot_names
from service import wall_clock
from service.accounts.account_reader import account_key
from service.bootstrap import Service, build
from service.connection import connect, to_text
from service.games.game_filter import all_kinds
from service.games.listings import GameKind
from service.operation.embedded_redis import EmbeddedRedis
from service.settings import Settings, load_settings
from service.store.event_store import IdempotencyRecord
from service.store.redis_event_store import (
    ACTIVE_GAMES,
    RECEIPTS,
    SECRETS,
    encode_receipt,
    game_key,
)

TEMPLATES: Final = 300
STAGES: Final = (0, 1, 2, 3, 4, 6)
"""Actions that a template has had."""
FINISHED_SHARE: Final = 100
"""One of so many templates is played to its end."""
GAMES_PER_PLAYER: Final = 20
BATCH: Final = 500
FIRST_CREATED: Final = datetime(2026, 1, 1, tzinfo=UTC)
PASSWORD: Final = "correct horse"  # noqa: S105 # of made-up players
_ID_DIGITS: Final = 16


@dataclass(frozen=True, slots=True)
class Template:
    """A game as it is stored: its log, the hashes and sets beside it, and its players.

    `times` and `chain` are the times and the hashes of its events, in order.
    """

    id: str
    players: tuple[str, ...]
    lines: tuple[bytes, ...]
    times: tuple[str, ...]
    chain: tuple[str, ...]
    hashes: Mapping[str, Mapping[bytes, bytes]]
    listed: tuple[bytes, ...]
    summary: bytes | None
    is_over: bool


@dataclass(frozen=True, slots=True)
class StoreSize:
    """What was stored, and the memory that Redis uses for it."""

    games: int
    in_progress: int
    events: int
    memory: int

    def as_text(self) -> str:
        """Return the size in a sentence."""
        return (
            f"{self.games:,} games ({self.in_progress:,} in progress) with {self.events:,} events"
            f" in {self.memory / 2**30:.2f} GiB"
        )


def play_templates(count: int = TEMPLATES) -> list[Template]:
    """Have bots play games of all kinds through a service of its own, and return what it has stored."""
    with tempfile.TemporaryDirectory() as folder, EmbeddedRedis(Path(folder)) as server:
        variables = {"CARTULARY_REDIS_URL": server.url, "CARTULARY_DATA": folder}
        service = build(load_settings(variables))
        kinds = all_kinds()
        templates = [_play(service, kinds[n % len(kinds)], n) for n in range(count)]
        service.redis.close()
        return templates


def _play(service: Service, kind: GameKind, number: int) -> Template:
    entry = rule_systems()[kind.system]
    players = [_id(f"template {number} {seat}") for seat in range(kind.seats)]
    game = service.games.commands.create(
        players[0],
        NewGame(
            rules=entry.rules,
            seats=kind.seats,
            options={**entry.options, "private": number % 5 == 0},
            invited=tuple(players[1:]) if number % 5 == 0 else (),
        ),
    )
    for player in players[1:]:
        game = service.games.commands.join(game.id, player)
    bots = [entry.system.BOTS[name] for name in quick_bot_names(entry.system) if name != "random"]
    chance = Chance(number.to_bytes(32, "big"))
    is_whole = number % FINISHED_SHARE == 0
    actions = 0
    while game.to_act is not None and (is_whole or actions < STAGES[number % len(STAGES)]):
        seat = game.to_act
        legal = game.rules.legal_actions(game.state, seat)
        action = bots[number % len(bots)](
            game.rules.position(game.state, seat), legal, seat, chance
        )
        record = IdempotencyRecord(f"{game.players[seat]}/{actions:032x}", f"{actions:032x}")
        service.games.commands.act(
            game.id, game.players[seat], game.rules.action_to_json(action), game.seq, record.name
        )
        actions += 1
        game = service.games.queries.game(game.id)
        while game.rounds_ended or (game.is_played_out and game.status == "playing"):
            service.games.commands.score(game.id)
            game = service.games.queries.game(game.id)
    return _stored(service, game.id)


def _stored(service: Service, id: str) -> Template:
    """Return a game as it is stored, when workers have done what its events call for."""
    service.games.repository.update_listings(id)
    game = service.games.queries.game(id)
    client: Any = service.redis
    lines = tuple(service.store.read(id))
    events = [orjson.loads(line) for line in lines]
    parts = (SECRETS, RECEIPTS, "answers")
    return Template(
        id=id,
        players=game.participants,
        lines=lines,
        times=tuple(event["at"] for event in events),
        chain=tuple(event["hash"] for event in events),
        hashes={part: client.hgetall(game_key(id, part)) for part in parts},
        listed=tuple(client.smembers(game_key(id, "listed"))),
        summary=client.get(game_key(id, "summary")),
        is_over=events[-1]["type"] in ENDINGS,
    )


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of a template: what stands for its id, its players and its times."""

    id: str
    created: str
    lines: tuple[bytes, ...]
    hashes: Mapping[str, Mapping[bytes, bytes]]
    listed: tuple[bytes, ...]
    summary: bytes | None


def copy_of(
    template: Template, id: str, players: Sequence[str], later: timedelta, key: SigningKey
) -> Copy:
    """Return the copy of a game with another id, other players and later times; `key` signs its receipts."""
    names = [(template.id.encode(), id.encode())]
    names += [
        (old.encode(), new.encode()) for old, new in zip(template.players, players, strict=True)
    ]
    times = {
        old: wall_clock.format(wall_clock.parse(old) + later).encode()
        for old in dict.fromkeys(template.times)
    }

    def renamed(data: bytes) -> bytes:
        for old, new in names:
            data = data.replace(old, new)
        return data

    lines: list[bytes] = []
    receipts: dict[bytes, bytes] = {}
    old_prev = new_prev = b""
    for line, at, hash in zip(template.lines, template.times, template.chain, strict=True):
        old_hash = hash.encode()
        changed = renamed(line).replace(at.encode(), times[at])
        if old_prev:
            changed = changed.replace(old_prev, new_prev)
        new_hash = hash_in(changed, hash).encode()
        lines.append(changed.replace(b'"hash":"%b"' % old_hash, b'"hash":"%b"' % new_hash, 1))
        old_prev, new_prev = old_hash, new_hash
        seq = b"%d" % len(lines)
        if seq in template.hashes[RECEIPTS]:
            receipts[seq] = encode_receipt(key.receipt(orjson.loads(lines[-1]))).encode()
    summary = template.summary and renamed(template.summary)
    if summary:
        for at, new in times.items():
            summary = summary.replace(at.encode(), new)
        summary = summary.replace(old_prev, new_prev)
    hashes = {
        part: {renamed(name): renamed(value) for name, value in fields.items()}
        for part, fields in template.hashes.items()
    }
    return Copy(
        id,
        times[template.times[0]].decode(),
        tuple(lines),
        {**hashes, RECEIPTS: receipts},
        tuple(map(renamed, template.listed)),
        summary,
    )


def fill(
    service: Service, templates: Sequence[Template], games: int, most_memory: int
) -> StoreSize:
    """Store so many copies, fewer if Redis would use more memory; log their heads; return what was stored.

    As many processes as there are cores make the copies.
    """
    client: Any = service.redis
    stored = events = in_progress = 0
    cores = usable_cores()
    batches = _batches(games)
    with ProcessPoolExecutor(
        cores, get_context("spawn"), _start_process, (service.settings, templates)
    ) as processes:
        while client.info("memory")["used_memory"] < most_memory:
            some = list(islice(batches, 2 * cores))
            if not some:
                break
            for numbers, (count, active) in zip(some, processes.map(_write, some), strict=True):
                service.transparency.head_log.log(list(map(game_id, numbers)))
                stored += len(numbers)
                events += count
                in_progress += active
            print(f"… {stored:,} games", file=sys.stderr, flush=True)
    _store_players(service, stored // GAMES_PER_PLAYER + 8)
    return StoreSize(stored, in_progress, events, client.info("memory")["used_memory"])


_of_process: dict[str, Any] = {}
"""What a process that makes copies needs for each batch."""


def _start_process(settings: Settings, templates: Sequence[Template]) -> None:
    _of_process["client"] = connect(settings.redis_url)
    _of_process["key"] = SigningKey.load(settings.signing_key)
    _of_process["templates"] = templates


def _write(numbers: range) -> tuple[int, int]:
    """Store the copies of these numbers; return how many events they have, and how many are in progress."""
    templates: Sequence[Template] = _of_process["templates"]
    events = in_progress = 0
    with _of_process["client"].pipeline(transaction=False) as pipeline:
        for number in numbers:
            template = templates[number % len(templates)]
            players = _players_of(number, len(template.players))
            start = FIRST_CREATED + timedelta(seconds=10 * number)
            later = start - wall_clock.parse(template.times[0])
            copy = copy_of(template, game_id(number), players, later, _of_process["key"])
            _store(pipeline, copy, is_over=template.is_over)
            events += len(copy.lines)
            in_progress += not template.is_over
        pipeline.execute()
    return events, in_progress


def _batches(games: int) -> Iterator[range]:
    for start in range(0, games, BATCH):
        yield range(start, min(start + BATCH, games))


def player_id(number: int) -> str:
    """Return the id of a player among those of `fill`."""
    return _id(f"player {number}")


def game_id(number: int) -> str:
    """Return the id of a game among those of `fill`."""
    return _id(f"game {number}")


def _id(text: str) -> str:
    """Return an id that occurs in no log by chance."""
    return sha256(text.encode()).hexdigest()[:_ID_DIGITS]


def _players_of(number: int, seats: int) -> list[str]:
    first = number // GAMES_PER_PLAYER
    return [player_id(first + seat) for seat in range(seats)]


def _store(pipeline: redis.client.Pipeline, copy: Copy, *, is_over: bool) -> None:
    for seq, line in enumerate(copy.lines, 1):
        pipeline.xadd(game_key(copy.id, "log"), {"e": line}, id=f"{seq}-0")
    for part, fields in copy.hashes.items():
        if fields:
            pipeline.hset(game_key(copy.id, part), mapping={**fields})  # type: ignore[dict-item] # of bytes
    member = f"{copy.created}~{copy.id}"
    pipeline.sadd(game_key(copy.id, "listed"), *copy.listed)
    for listing in copy.listed:
        pipeline.zadd(to_text(listing), {member: 0})
    if copy.summary:
        pipeline.set(game_key(copy.id, "summary"), copy.summary)
    if not is_over:
        pipeline.sadd(ACTIVE_GAMES.key(copy.id), copy.id)


def _store_players(service: Service, count: int) -> None:
    """Store accounts for the first players. They have the password hash of one that was registered."""
    model, _ = service.accounts.players.register("model", PASSWORD)
    fields = service.redis.hgetall(account_key(model.id))
    for start in range(0, count, BATCH):
        with service.redis.pipeline(transaction=False) as pipeline:
            for number in range(start, min(start + BATCH, count)):
                handle = f"player-{number}"
                own = {**fields, b"handle": handle.encode()}
                pipeline.hset(account_key(player_id(number)), mapping=own)  # type: ignore[arg-type] # of bytes
                pipeline.set(f"cartulary:handle:{handle}", player_id(number))
            pipeline.execute()


def main() -> None:
    """Fill the Redis of a URL."""
    parser = argparse.ArgumentParser(prog="python -m bench.large_store", description=__doc__)
    parser.add_argument("url", help="the URL of an empty Redis")
    parser.add_argument("--data", required=True, help="the data folder, for the signing key")
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--max-gib", type=float, default=8)
    options = parser.parse_args()
    start = time.monotonic()
    variables = {"CARTULARY_REDIS_URL": options.url, "CARTULARY_DATA": options.data}
    service = build(load_settings(variables))
    service.keyring.publish_key()
    size = fill(service, play_templates(), options.games, int(options.max_gib * 2**30))
    print(f"{size.as_text()}, in {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
