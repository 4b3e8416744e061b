"""Random damage to the files of a service with several games: every intact, independent write is kept.

`make kill` tries thousands of cases; DAMAGES is the number for each form of the file.
"""

import io
import os
import random
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
import redis

from ledger.transparency.merkle import MemoryTree
from replay.audit import audit
from service.bootstrap import Service, build
from service.connection import to_text
from service.keyring import KEYS
from service.operation.append_only_file.parts import (
    ManifestError,
    find_parts,
    manifest_from_names,
    manifest_of,
    snapshot_version,
    write_manifest,
)
from service.operation.append_only_file.salvage import read_contents
from service.operation.append_only_file.snapshot import find_entries
from service.operation.append_only_file.writes import WRITE_COMMANDS
from service.operation.embedded_redis import REDIS_SETTINGS, EmbeddedRedis
from service.recovery.intact_copy import write_intact_copy
from service.recovery.other_data import EXPIRING
from service.recovery.recovery import Losses, recover
from service.settings import Settings
from service.transparency.store import TransparencyStore
from tests.support.processes import wait_until
from tests.support.service_games import start_game, take_action
from tests.support.variants import nightly_except

CASES = 10
DAMAGES = int(os.environ.get("DAMAGES", "500"))
TURNS = 12
FORMS = ("plain", "rewritten", "snapshot")
"""Without a rewrite; with one that has written commands; with one that has written a snapshot, as in earlier
versions."""
BLOCK = re.compile(rb"\*1\r\n\$5\r\nMULTI\r\n.*?\r\n\$4\r\nEXEC\r\n", re.DOTALL)
COMMAND = re.compile(rb"\*\d+\r\n\$\d\r\n[A-Z]+\r\n.*?\r\n(?=\*\d+\r\n\$|\Z)", re.DOTALL)
SECRETS = re.compile(rb"cartulary:\{([^}]+)\}:secrets\r\n")
EVENT = re.compile(rb"XADD\r\n\$\d+\r\ncartulary:\{([^}]+)\}:log\r\n\$\d+\r\n(\d+)-0\r\n")
MESSAGE = re.compile(rb"cartulary:\{([^}]+)\}:messages\r\n\$\d+\r\n(\d+)\r\n\$\d+\r\n\{")

Span = tuple[str, int, int]
"""The name of a file, and the offsets of the first byte and after the last byte of a write in it."""


@dataclass
class Stored:
    """The data of a service: its files by name, and where in them the writes of events and messages are."""

    files: dict[str, bytes]
    settings: Settings
    events: dict[str, dict[int, list[Span]]]
    """What the events of each game need, by seq; those of a base need the secrets of the game, too (seq
    0)."""
    players: list[str]
    messages: dict[tuple[str, int], Span] = field(default_factory=dict)

    def find_writes(self, name: str, *, is_base: bool) -> None:
        """Find the events and messages in a file: in a base, each command is a write of its own.

        A single file begins with its base.
        """
        content = self.files[name]
        if content.startswith((b"REDIS", b"VALKEY")):
            for entry in find_entries(content):
                match = re.fullmatch(rb"cartulary:\{(.+)\}:(log|secrets)", entry.key)
                if match is not None and (game := match[1].decode()) in self.events:
                    self.events[game].setdefault(0, []).append((name, entry.start, entry.end))
        end_of_base = 0
        if is_base:
            first = content.find(b"*1\r\n$5\r\nMULTI\r\n")
            end_of_base = len(content) if first < 0 else first
        commands = COMMAND.finditer(content, 0, end_of_base)
        for block in (*commands, *BLOCK.finditer(content, end_of_base)):
            span = (name, *block.span())
            for event in EVENT.finditer(block[0]):
                self.events[event[1].decode()][int(event[2])] = [span]
            if block.end() <= end_of_base and (secrets := SECRETS.search(block[0])):
                self.events[secrets[1].decode()].setdefault(0, []).append(span)
            for message in MESSAGE.finditer(block[0]):
                self.messages[message[1].decode(), int(message[2])] = span


def settings_of(data: Path, server: EmbeddedRedis) -> Settings:
    return Settings(data, server.url, server.url, data / "signing-key.pem")


def rewrite(client: redis.Redis) -> None:
    def is_quiet() -> bool:
        return not client.info("persistence")["aof_rewrite_in_progress"]

    wait_until(is_quiet)
    client.bgrewriteaof()
    wait_until(is_quiet)


def play_and_store(data: Path, form: str) -> Stored:
    """Four games of accounts that act in turn, write and are logged; with a rewrite in between."""
    with pytest.MonkeyPatch.context() as patch:
        if form == "snapshot":
            patch.setitem(REDIS_SETTINGS, "aof-use-rdb-preamble", "yes")
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
                if turn == TURNS // 3 and form != "plain":
                    rewrite(service.redis)
            service.transparency.checkpoints.latest()
            service.redis.close()
    folder = data / "redis"
    assert (snapshot_version(folder) is not None) == (form == "snapshot")
    parts = [part.path.relative_to(folder).as_posix() for part in find_parts(folder)]
    files = {name: (folder / name).read_bytes() for name in parts}
    manifest = manifest_of(folder)
    if manifest.exists():
        files[manifest.relative_to(folder).as_posix()] = manifest.read_bytes()
    stored = Stored(files, settings_of(data, server), {game: {} for game in games}, players)
    for name in parts:
        is_base = form == "rewritten" and ("base" in name or len(parts) == 1)
        stored.find_writes(name, is_base=is_base)
    return stored


@pytest.fixture(scope="module", params=FORMS)
def stored(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Stored:
    return play_and_store(tmp_path_factory.mktemp("stored"), request.param)


def damage_bytes(name: str, content: bytes, chance: random.Random) -> tuple[bytes, list[Span]]:
    """Damage a file at one to three places; also return which bytes are no longer there."""
    ranges = []
    for position in sorted(
        (chance.randrange(len(content)) for _ in range(chance.randint(1, 3))), reverse=True
    ):
        size = chance.choice((1, 5, 40, 512))
        end = min(len(content), position + size)
        kind = chance.choice(("noise", "zeros", "removed", "inserted", "cut"))
        noise = {
            "noise": chance.randbytes(end - position),
            "zeros": bytes(end - position),
            "removed": b"",
            "inserted": chance.randbytes(size) + content[position:end],
            "cut": b"",
        }[kind]
        if kind == "cut":
            end = len(content)
        ranges.append((name, position, end))
        content = content[:position] + noise + content[end:]
    return content, ranges


def damage_manifest(manifest: bytes, chance: random.Random) -> bytes | None:
    """Return a manifest that does not fit the files; None if it is missing."""
    lines = manifest.splitlines(keepends=True)
    match chance.choice(
        ("missing", "noise", "cut", "without a line", "type", "other file", "order")
    ):
        case "missing":
            return None
        case "noise":
            position = chance.randrange(len(manifest))
            return manifest[:position] + chance.randbytes(4) + manifest[position + 4 :]
        case "cut":
            return manifest[: chance.randrange(len(manifest))]
        case "without a line":
            return b"".join(line for line in lines if line != chance.choice(lines))
        case "type":
            return manifest.replace(b"type i", b"type h")
        case "other file":
            return manifest.replace(b".incr.aof", b".incr.aaf", 1)
        case _:
            return b"".join(reversed(lines))


def damage(stored: Stored, chance: random.Random) -> tuple[dict[str, bytes], list[Span]]:
    """Damage the files of a service; also return which bytes are no longer there."""
    files = dict(stored.files)
    manifest = next((name for name in files if name.endswith("manifest")), None)
    parts = [name for name in files if name != manifest and files[name]]
    kind = chance.choice(("bytes", "bytes", "bytes", "file", "manifest"))
    if manifest is not None and kind == "manifest":
        changed = damage_manifest(files.pop(manifest), chance)
        if changed is not None:
            files[manifest] = changed
        return files, []
    name = chance.choice(parts)
    if manifest is not None and kind == "file":
        return files, [(name, 0, len(files.pop(name)))]
    files[name], ranges = damage_bytes(name, files[name], chance)
    if manifest is None and len(ranges) > 1:
        # In a single file, what is between damaged places may belong to a damaged transaction.
        ranges = [(name, min(start for _, start, _ in ranges), max(end for _, _, end in ranges))]
    return files, ranges


def is_intact(spans: list[Span], ranges: list[Span]) -> bool:
    return all(
        file != name or stop <= start or begin >= end
        for name, start, end in spans
        for file, begin, stop in ranges
    )


def repaired(
    folder: Path, stored: Stored, files: dict[str, bytes]
) -> Iterator[tuple[Service, Losses]]:
    """Yield a service on the repaired data of damaged files, and what is lost."""
    damaged = folder / "damaged"
    for name, content in files.items():
        path = damaged / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    damaged.mkdir(exist_ok=True)
    try:
        find_parts(damaged)
    except ManifestError:
        write_manifest(damaged, manifest_from_names(damaged))
    contents = read_contents(damaged)
    write_intact_copy(contents, folder / "repaired")
    with EmbeddedRedis(folder / "repaired") as server:
        service = build(replace(stored.settings, redis_url=server.url, queue_url=server.url))
        yield service, recover(service, contents.events)
        service.redis.close()


def check_repair(folder: Path, stored: Stored, seed: int) -> None:
    chance = random.Random(seed)
    files, ranges = damage(stored, chance)
    for service, losses in repaired(folder, stored, files):
        lost = {events.game: events for events in losses.events}
        for game, spans in stored.events.items():
            # All events before the first one whose write is damaged; the later ones depend on it.
            broken = [seq for seq, needs in spans.items() if not is_intact(needs, ranges)]
            last = max(spans)
            kept = service.store.head(game)
            assert kept >= (max(0, min(broken) - 1) if broken else last), (game, broken, last)
            if any(seq > kept and is_intact(it, ranges) for seq, it in spans.items()):
                assert lost[game].seqs[0] == kept + 1
            assert game not in lost or kept == lost[game].kept < last
            if kept:
                report = audit(io.BytesIO(b"".join(service.games.queries.record(game))))
                assert report.verdict != "broken", report.first
        for (game, number), span in stored.messages.items():
            if is_intact([span], ranges) and service.store.head(game):
                assert service.redis.hexists(f"cartulary:{{{game}}}:messages", str(number))
        check_messages(service)
        check_transparency_log(service)
        check_play_goes_on(service, stored, losses)


@pytest.mark.parametrize("seed", nightly_except(range(4), range(CASES)))
def test_no_intact_independent_write_is_lost_and_every_kept_game_is_sound(
    tmp_path: Path, stored: Stored, seed: int
) -> None:
    check_repair(tmp_path, stored, seed)


@pytest.mark.soak
@pytest.mark.parametrize("form", FORMS)
def test_nothing_intact_is_lost_in_many_damaged_files(tmp_path: Path, form: str) -> None:
    stored = play_and_store(tmp_path / "stored", form)
    for seed in range(DAMAGES):
        try:
            check_repair(tmp_path / str(seed), stored, seed)
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise
        shutil.rmtree(tmp_path / str(seed))


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
    whole = {level: tree.level(level) for level in range(tree.size.bit_length())}
    sizes = [{level: len(nodes) // 32 for level, nodes in it.items()} for it in (levels, whole)]
    assert levels == whole, (store.size(), sizes)


def check_play_goes_on(service: Service, stored: Stored, losses: Losses) -> None:
    """The games that are left can be played on, and written in."""
    for game in list(service.store.game_ids()):
        if game not in losses.seeds and service.games.queries.game(game).status == "playing":
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


def test_a_key_that_has_lost_the_time_at_which_it_expires_is_removed(service: Service) -> None:
    """A token would be valid for ever, and a count of wrong passwords would lock its account for ever."""
    for prefix in EXPIRING:
        service.redis.set(f"{prefix}damaged", 1)
        service.redis.set(f"{prefix}whole", 1, ex=1000)
    recover(service, [])
    kept = {to_text(key) for key in service.redis.keys("*whole")}
    assert kept == {f"{prefix}whole" for prefix in EXPIRING}
    assert not service.redis.keys("*damaged")


def test_nodes_that_the_transparency_log_does_not_have_are_removed(service: Service) -> None:
    """They would become part of the tree when it has grown so far."""
    game = start_game(service).id
    service.transparency.head_log.log([game])
    service.redis.set("cartulary:{transparency}:nodes:1:0", b"x" * 32)
    assert TransparencyStore(service.redis).has_nodes_above(0)
    recover(service, [])
    assert not TransparencyStore(service.redis).has_nodes_above(0)
    take_action(service, game)
    check_transparency_log(service)


def test_a_public_key_whose_entry_is_damaged_is_published_again(service: Service) -> None:
    service.keyring.publish_key()
    ((id, entry),) = service.redis.hgetall(KEYS).items()
    for damaged in (b"\xff", b"[]", to_text(entry).replace('"public":"', '"public":"x')):
        service.redis.hset(KEYS, to_text(id), damaged)
        assert recover(service, []).other.keys == (to_text(id),)
        (published,) = build(service.settings).keyring.public_keys()
        assert published["key"] == to_text(id)
    assert recover(service, []).other.keys == ()
