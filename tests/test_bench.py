"""The benchmarks keep up with the code: their imports exist, and their games are valid. Nothing is timed."""

import ast
import importlib
import io
import json
import re
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from bench.action_path import trace_action
from bench.measure import compare
from bench.our_games import play, random_type_bot, untitled_bot, very_long_game
from bench.rating_rows import RatedService
from bench.record_rows import record_bytes
from bench.store_rows import append_command, append_requests, xadd_command
from domain.contract import Bot
from domain.fold import fold
from ledger.record import scan
from service.store.redis_event_store import game_key

ROOT = Path(__file__).parent.parent
MODULES = sorted((ROOT / "bench").glob("*.py"))
SEED = bytes(range(32))


def is_ours(module: str) -> bool:
    """Whether this module belongs to the checkout and can be imported without the peers."""
    package = module.split(".", maxsplit=1)[0]
    return package != "bench" and (ROOT / package / "__init__.py").exists()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_every_name_that_is_imported_from_our_packages_exists(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and is_ours(node.module):
            module = importlib.import_module(node.module)
            for alias in node.names:
                if not hasattr(module, alias.name):  # then it must be a module itself
                    importlib.import_module(f"{node.module}.{alias.name}")


@pytest.mark.parametrize(
    ("rules", "seats", "bot", "options"),
    [
        ("barony", 2, None, {"round_limit": 2}),
        ("barony", 5, random_type_bot, {"round_limit": 2, "sorcery": True}),
        ("baron", 2, None, {}),
        ("barony", 4, untitled_bot, {"round_limit": 80}),
    ],
    ids=["barony", "sorcery", "baron", "barony without titles"],
)
def test_a_benchmarked_game_is_a_complete_and_valid_log(
    rules: str, seats: int, bot: Bot[Any, Any] | None, options: dict[str, object]
) -> None:
    played = play(rules, seats, SEED, bot, **options)
    game = fold(played.events, None, played.opened)
    assert game is not None
    assert game.is_played_out
    assert [turn.game.to_act for turn in played.turns] == [turn.seat for turn in played.turns]
    record, faults = scan(io.BytesIO(record_bytes(played)))
    assert not faults
    assert record.events == played.events


def test_a_very_long_game_ends_only_with_its_round_limit() -> None:
    game = very_long_game(rounds=150)
    assert len(game.events) > 4 * 150
    assert all(event["type"] != "TitleBought" for event in game.events)


def test_benchmarked_appends_write_the_same_line_to_the_same_stream() -> None:
    played = play("barony", 2, SEED, round_limit=1)
    requests = append_requests(played)
    assert [request.events for request in requests] == [(line,) for line in played.lines]
    append = append_command("g", 4, requests[4])
    xadd = xadd_command("g", 4, played.lines[4])
    for command in (append, xadd):
        assert game_key("g", "log").encode() in command
        assert played.lines[4] in command


def test_the_lock_file_of_boardgame_io_has_a_hash_and_no_address_for_each_package() -> None:
    folder = ROOT / "bench" / "boardgame"
    lock = json.loads((folder / "package-lock.json").read_text())
    required = json.loads((folder / "package.json").read_text())["dependencies"]
    root = lock["packages"].pop("")
    assert root["dependencies"] == required
    assert {f"node_modules/{name}" for name in required} < lock["packages"].keys()
    assert all(package["integrity"].startswith("sha512-") for package in lock["packages"].values())
    # Any registry can be used: an address would lead to the one of the machine on which the file was written.
    assert "resolved" not in (folder / "package-lock.json").read_text()


@pytest.mark.nightly
def test_a_comparison_runs_both_workloads_equally_often() -> None:
    runs: list[str] = []

    def ours() -> int:
        runs.append("ours")
        return 1

    def theirs() -> int:
        runs.append("theirs")
        return 1

    row = compare("label", "peer", ours, theirs, least=0, unit="runs/s", pairs=3)
    assert runs == ["ours", "theirs"] * 4
    assert len(row.ratios) == 3
    assert row.is_met


def test_the_path_of_an_action_leads_through_the_rules_to_the_store_and_keeps_its_bounds(
    redis_url: str, tmp_path: Path
) -> None:
    path = trace_action(redis_url, tmp_path)
    functions = [call.function for call in path.calls]
    steps = ("submit_action", "decide_move", "seal", "apply", "RedisEventStore.append")
    assert [name for name in functions if name in steps] == list(steps)
    assert path.calls[0].room == "service/http"
    assert path.calls[0].depth == 0
    assert path.rooms > {"domain", "domain/barony", "ledger"}
    assert len(path.calls) > path.room_changes > len(path.rooms)
    text = " ".join((ROOT / "docs/design.md").read_text().split())
    bounds = re.search(
        r"touches at most (\d+) files, changes rooms at most (\d+) times and makes at most (\d+) calls",
        text,
    )
    assert bounds
    files, room_changes, calls = map(int, bounds.groups())
    assert len(path.files) <= files
    assert path.room_changes <= room_changes
    assert len(path.calls) <= calls


def test_rating_a_game_takes_a_constant_number_of_commands(tmp_path: Path) -> None:
    with ExitStack() as running:
        few = RatedService(running, tmp_path / "few", 20)
        many = RatedService(running, tmp_path / "many", 2_000)
        assert many.commands_to_add_game() == few.commands_to_add_game()
        for service, games in ((few, 22), (many, 2_002)):
            lines, _ = service.ratings.games(games - 2)
            assert [line["number"] for line in lines] == [games - 1, games]
