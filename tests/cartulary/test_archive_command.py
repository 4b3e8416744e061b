"""The commands `archive` and `recall` on a running service: what stays in Redis, what is in the folder."""

import re
import subprocess
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import httpx
import pytest
import redis

from replay.audit import audit
from service.connection import connect, to_text
from service.operation.data_folder import embedded_redis_socket
from tests.support import processes
from tests.support.accounts import Accounts, PlayerClient
from tests.support.processes import wait_until
from tests.support.running_service import RunningService


class Site:
    """A running service with two players, its Redis, and its archive."""

    def __init__(self, running: RunningService, client: redis.Redis) -> None:
        self.running = running
        self.redis = client
        self.accounts = Accounts(running.url)
        self.players = [self.accounts.register(), self.accounts.register()]

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run a command on the data of the service."""
        return processes.cartulary_here(*arguments, CARTULARY_DATA=str(self.running.data))

    def start_game(self) -> str:
        """Start a game; return its id."""
        ada, bea = self.players
        game = ada.create_game(rules="baron")
        bea.join(game)
        return game

    def finished_game(self) -> str:
        """Return a game that is over, and whose events call for nothing more."""
        game = self.start_game()
        _resign(self.players[0], game)
        outbox = f"cartulary:{{{game}}}:notes"
        wait_until(lambda: self._status(game) == "finished" and not self.redis.exists(outbox))
        return game

    def parts(self, game: str) -> set[str]:
        """Return which parts of a game are in Redis."""
        keys = self.redis.keys(f"cartulary:{{{game}}}:*")
        return {to_text(key).rpartition(":")[2] for key in keys}

    def objects(self) -> list[Path]:
        """Return the objects in the folder of the archive."""
        return [path for path in (self.running.data / "archive").rglob("*") if path.is_file()]

    def metric(self, name: str) -> float:
        """Return a metric of the web process."""
        page = httpx.get(f"{self.running.url}/metrics").text
        match = re.search(rf"^{name} (\S+)$", page, re.MULTILINE)
        assert match is not None
        return float(match[1])

    def record(self, game: str) -> bytes:
        """Return the record of a game over HTTP."""
        return self.accounts.anonymous.get(f"/api/v1/games/{game}/record").content

    def _status(self, game: str) -> str:
        status: str = self.accounts.anonymous.get(f"/api/v1/games/{game}").json()["status"]
        return status


def _resign(player: PlayerClient, game: str) -> None:
    events = player.http.get(f"/api/v1/games/{game}/events").json()["events"]
    body = {"action": {"type": "resign"}, "expected_seq": len(events)}
    assert player.http.post(f"/api/v1/games/{game}/actions", json=body).status_code == 201


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    running = RunningService(tmp_path, processes=1)
    running.start()
    try:
        with connect(f"unix://{embedded_redis_socket(running.data)}") as client:
            site = Site(running, client)
            yield site
            site.accounts.close()
    finally:
        running.stop()


def test_a_game_leaves_redis_for_the_folder_and_comes_back_the_same(site: Site) -> None:
    game = site.finished_game()
    other = site.finished_game()
    before, parts = site.record(game), site.parts(game)
    assert {"log", "secrets", "receipts"} <= parts

    result = site.run("archive", game, game)
    assert (result.returncode, result.stdout) == (0, "1 game archived\n")
    assert not {"log", "secrets", "receipts"} & site.parts(game)
    assert {"archived", "summary", "listed"} <= site.parts(game)
    assert "log" in site.parts(other), "only the games that were named are moved"
    assert len(site.objects()) == 1
    assert site.metric("cartulary_archived_games") == 1

    archived = site.record(game)
    assert archived.splitlines()[1:] == before.splitlines()[1:], "all but the header, with its time"
    assert audit(BytesIO(archived)).verdict != "broken"
    games = site.accounts.anonymous.get("/api/v1/games?status=finished").json()["games"]
    assert {game, other} <= {entry["id"] for entry in games}

    result = site.run("recall", game)
    assert (result.returncode, result.stdout) == (0, "1 game recalled\n")
    assert site.parts(game) - {"objects"} == parts
    assert site.record(game).splitlines()[1:] == before.splitlines()[1:]
    assert site.metric("cartulary_archived_games") == 0
    assert site.metric("cartulary_archive_recalls_total") == 1


def test_all_games_that_ended_long_enough_ago_are_moved(site: Site) -> None:
    games = {site.finished_game(), site.finished_game()}
    assert site.run("archive", "--older-than", "1").stdout == "0 games archived\n"
    assert all("log" in site.parts(game) for game in games)
    assert site.run("archive", "--older-than", "0").returncode == 0
    assert not any("log" in site.parts(game) for game in games)
    assert site.run("recall", *sorted(games)).stdout == "2 games recalled\n"


def test_what_cannot_be_moved_is_named_and_stays_as_it_is(site: Site) -> None:
    game = site.start_game()
    before = site.record(game)
    result = site.run("archive", game, "nothing")
    assert (result.returncode, result.stdout) == (1, "0 games archived\n")
    assert f"{game}: " in result.stderr
    assert "nothing: " in result.stderr
    assert site.record(game).splitlines()[1:] == before.splitlines()[1:]
    result = site.run("recall", game)
    assert (result.returncode, result.stdout) == (1, "0 games recalled\n")
    assert f"{game}: nothing was moved" in result.stderr
    assert site.run("archive").returncode == 2, "neither a game nor a time"


def test_the_doctor_looks_at_the_archive_that_has_games(site: Site) -> None:
    game = site.finished_game()
    site.run("archive", game)
    lines = site.run("doctor").stdout.splitlines()
    (line,) = [line for line in lines if "archive:" in line]
    assert line.startswith("ok")
    assert "can be written and read" in line
    (site.running.data / "archive").rename(site.running.data / "elsewhere")
    (site.running.data / "archive").write_text("no folder")
    try:
        result = site.run("doctor")
    finally:
        (site.running.data / "archive").unlink()
        (site.running.data / "elsewhere").rename(site.running.data / "archive")
    assert result.returncode == 1
    assert "correct CARTULARY_ARCHIVE_URL" in result.stdout
