"""Random damage to the file of a service with several games: every intact, independent write is kept."""

import io
import mmap
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import redis

from ledger.merkle import MemoryTree
from replay.audit import audit
from service.bootstrap import Service, build
from service.connection import to_text
from service.operation.append_only_file.parts import find_parts
from service.operation.append_only_file.salvage import read_contents, write_intact
from service.operation.append_only_file.writes import WRITE_COMMANDS, snapshot_size
from service.operation.data_folder import make_private
from service.operation.embedded_redis import EmbeddedRedis
from service.recovery.recovery import Losses, recover
from service.settings import Settings
from service.transparency.store import TransparencyStore
from tests.support.service_games import start_game, take_action
from tests.support.variants import nightly_except

CASES = 10
TURNS = 12
BLOCK = re.compile(rb"\*1\r\n\$5\r\nMULTI\r\n.*?\r\n\$4\r\nEXEC\r\n", re.DOTALL)
EVENT = re.compile(rb"XADD\r\n\$\d+\r\ncartulary:\{([^}]+)\}:log\r\n\$\d+\r\n(\d+)-0\r\n")
MESSAGE = re.compile(rb"cartulary:\{([^}]+)\}:messages\r\n\$\d+\r\n(\d+)\r\n\$\d+\r\n\{")


@dataclass
class Stored:
    """The data of a service: its file, and where in it the writes of events and messages are."""

    content: bytes
    snapshot: int
    settings: Settings
    events: dict[str, dict[int, tuple[int, int]]]
    messages: dict[tuple[str, int], tuple[int, int]]
    players: list[str]


def settings_of(data: Path, server: EmbeddedRedis) -> Settings:
    return Settings(data, server.url, server.url, data / "signing-key.pem")


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "rewritten"])
def stored(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Stored:
    """Four games of accounts that act in turn, write and are logged; once with a snapshot in between."""
    data = tmp_path_factory.mktemp("stored")
    with EmbeddedRedis(data) as server:
        service = build(settings_of(data, server))
        players = [
            service.accounts.players.register(f"player-{n}", "correct horse")[0].id
            for n in range(2)
        ]
        chance = random.Random(7)
        games = [
            start_game(service, rules=rules, players=players).id
            for rules in ("barony", "baron", "barony", "baron")
        ]
        for turn in range(TURNS):
            for game in games:
                take_action(service, game, chance)
                service.transparency.head_log.log([game])
                service.chat.post(game, players[turn % 2], f"turn {turn}", None)
            if turn == TURNS // 3 and request.param:
                service.redis.bgrewriteaof()
                while service.redis.info("persistence")["aof_rewrite_in_progress"]:
                    pass
        service.transparency.checkpoints.latest()
        service.redis.close()
    part = find_parts(data / "redis")[-1].path
    content = part.read_bytes()
    events: dict[str, dict[int, tuple[int, int]]] = {game: {} for game in games}
    messages: dict[tuple[str, int], tuple[int, int]] = {}
    for block in BLOCK.finditer(content):
        for event in EVENT.finditer(block[0]):
            events[event[1].decode()][int(event[2])] = block.span()
        for message in MESSAGE.finditer(block[0]):
            messages[message[1].decode(), int(message[2])] = block.span()
    snapshot = 0
    if content.startswith((b"REDIS", b"VALKEY")):
        with part.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
            snapshot = snapshot_size(view) or 0
    assert len(find_parts(data / "redis")) == 1 or not snapshot
    return Stored(content, snapshot, settings_of(data, server), events, messages, players)


def damage(
    content: bytes, start: int, chance: random.Random
) -> tuple[bytes, list[tuple[int, int]]]:
    """Damage a file at one to three places after `start`; also return which bytes are no longer there."""
    ranges = []
    for position in sorted(
        (chance.randrange(start, len(content)) for _ in range(chance.randint(1, 3))), reverse=True
    ):
        size = chance.choice((1, 5, 40, 512))
        end = min(len(content), position + size)
        kind = chance.choice(("noise", "zeros", "removed", "inserted"))
        noise = {
            "noise": chance.randbytes(end - position),
            "zeros": bytes(end - position),
            "removed": b"",
            "inserted": chance.randbytes(size) + content[position:end],
        }[kind]
        ranges.append((position, end))
        content = content[:position] + noise + content[end:]
    return content, ranges


def is_intact(span: tuple[int, int], ranges: list[tuple[int, int]]) -> bool:
    return all(end <= span[0] or start >= span[1] for start, end in ranges)


def repaired(folder: Path, stored: Stored, content: bytes) -> Iterator[tuple[Service, Losses]]:
    """Yield a service on the repaired data of a damaged file, and what is lost."""
    damaged = folder / "damaged"
    damaged.mkdir()
    (damaged / "appendonly.aof").write_bytes(content)
    make_private(folder / "repaired")
    contents = read_contents(damaged)
    write_intact(contents, folder / "repaired" / "redis")
    with EmbeddedRedis(folder / "repaired") as server:
        service = build(replace(stored.settings, redis_url=server.url, queue_url=server.url))
        yield service, recover(service, contents.events)
        service.redis.close()


@pytest.mark.parametrize("seed", nightly_except(range(4), range(CASES)))
def test_no_intact_independent_write_is_lost_and_every_kept_game_is_sound(
    tmp_path: Path, stored: Stored, seed: int
) -> None:
    chance = random.Random(seed)
    content, ranges = damage(stored.content, stored.snapshot, chance)
    for service, losses in repaired(tmp_path, stored, content):
        lost = {events.game: events for events in losses.events}
        for game, spans in stored.events.items():
            # All events before the first one whose write is damaged; the later ones depend on it.
            broken = [seq for seq, span in spans.items() if not is_intact(span, ranges)]
            last = max(spans)
            kept = service.store.head(game)
            assert kept >= (min(broken) - 1 if broken else last)
            if any(seq > kept and is_intact(span, ranges) for seq, span in spans.items()):
                assert lost[game].seqs[0] == kept + 1
            assert game not in lost or kept == lost[game].kept < last
            if kept:
                report = audit(io.BytesIO(b"".join(service.games.queries.record(game))))
                assert report.verdict != "broken", report.first
        for (game, number), span in stored.messages.items():
            if is_intact(span, ranges) and service.store.head(game):
                assert service.redis.hexists(f"cartulary:{{{game}}}:messages", str(number))
        check_messages(service)
        check_transparency_log(service)
        check_play_goes_on(service, stored)


def check_messages(service: Service) -> None:
    """No number of a message is given twice."""
    for key in service.redis.scan_iter("cartulary:{*}:messages"):
        fields = {to_text(name): value for name, value in service.redis.hgetall(key).items()}
        numbers = [int(name) for name in fields if name.isdigit()]
        assert int(fields.get("last", 0)) >= max(numbers, default=0)


def check_transparency_log(service: Service) -> None:
    """The tree follows from its leaves, and every head can be logged."""
    store = TransparencyStore(service.redis)
    service.transparency.head_log.log(list(service.store.game_ids()))
    tree = MemoryTree()
    tree.append(store.leaf_hashes(0, store.size()))
    levels = store.stored_levels()
    assert levels == {level: tree.level(level) for level in range(tree.size.bit_length())}


def check_play_goes_on(service: Service, stored: Stored) -> None:
    """The games that are left can be played on, and written in."""
    for game in list(service.store.game_ids()):
        if service.games.queries.game(game).status == "playing":
            take_action(service, game)
            service.chat.post(game, stored.players[0], "after the repair", None)


def test_every_command_of_this_redis_that_writes_is_known(tmp_path: Path) -> None:
    with EmbeddedRedis(tmp_path) as server, redis.Redis.from_url(server.url) as client:
        commands = client.command()
    writing = {
        name.upper().encode() for name, command in commands.items() if "write" in command["flags"]
    }
    assert b"SET" in writing
    assert writing <= WRITE_COMMANDS
