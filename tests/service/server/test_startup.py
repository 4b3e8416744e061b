"""The start of the service: invalid settings are reported, and the signing key is published."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest

from ledger.keys import SigningKey
from service.bootstrap import build
from service.operation.embedded_redis import EmbeddedRedis
from tests.service.conftest import settings_for
from tests.support import processes
from tests.support.accounts import http_client
from tests.support.http_contract import Contract
from tests.support.processes import wait_until
from tests.support.server import WebServer

NOT_NEEDED_AT_START = [
    "aiosmtplib",
    "email_validator",
    "httpx",
    "icalendar",
    "markdown_it",
    "multiprocessing",
    "networkx",
    "numpy",
    "obstore",
    "openskill",
    "opentelemetry",
    "PIL",
    "replay.compare.report",
    "resvg_py",
    "rich",
    "rq",
    "wcwidth",
]
"""What a web process imports when a request needs it, or never: each takes time and memory at every start."""
START = """
import sys
from cartulary.imports import quick_imports
with quick_imports():
    from service.server import processes, web_process
from service.bootstrap import build
from service.http.access_log import Metrics
from service.settings import load_settings
web_process.create_web_app(build(load_settings({"CARTULARY_DATA": sys.argv[1]})), Metrics())
print(*sys.modules)
"""
SERVERS = [["serve"], ["web"], ["web", "--processes", "2"], ["worker"], ["scheduler"]]
COMMANDS = [
    *(["reindex"], ["retire-key", "0" * 16], ["export", "abc"], ["replay", "abc"]),
    *(["audit", "abc"], *SERVERS),
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_every_command_names_all_invalid_settings(tmp_path: Path, arguments: list[str]) -> None:
    key = tmp_path / "key.pem"
    key.write_text("not a key")
    run = processes.cartulary if arguments in SERVERS else processes.cartulary_here
    result = run(
        *arguments,
        CARTULARY_DATA=str(tmp_path / "data"),
        CARTULARY_REDIS_URL="localhost:6379",
        CARTULARY_RATE_ACCOUNTS="lots",
        CARTULARY_SIGNING_KEY=str(key),
        CARTULARY_SWEEP_SECONDS="soon",
    )
    assert result.returncode == 1
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    for name in ("REDIS_URL", "RATE_ACCOUNTS", "SIGNING_KEY", "SWEEP_SECONDS"):
        assert f"CARTULARY_{name} must " in line
    assert str(key) in line
    assert not (tmp_path / "data").exists()


def test_a_web_process_starts_without_what_few_requests_need(tmp_path: Path) -> None:
    command = [sys.executable, "-c", START, str(tmp_path)]
    result = subprocess.run(command, cwd=processes.ROOT, check=True, capture_output=True, text=True)
    modules = result.stdout.split()
    assert "service.pages.app" in modules
    assert all(map(find_spec, NOT_NEEDED_AT_START)), "a name that no module has"
    assert sorted(set(NOT_NEEDED_AT_START) & set(modules)) == []


@pytest.mark.parametrize("number", [1, 2])
def test_a_web_server_without_access_to_its_key_does_not_start(tmp_path: Path, number: int) -> None:
    with EmbeddedRedis(tmp_path / "redis") as redis_server:
        (tmp_path / "file").write_text("")
        result = processes.cartulary(
            *("web", "--port", "0", "--processes", str(number)),
            CARTULARY_REDIS_URL=redis_server.url,
            CARTULARY_SIGNING_KEY=str(tmp_path / "file" / "key.pem"),
        )
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr.splitlines()[-1].startswith("Error: CARTULARY_SIGNING_KEY must ")
    assert "Traceback" not in result.stderr


def test_the_server_key_is_published_before_the_first_request(tmp_path: Path) -> None:
    with EmbeddedRedis(tmp_path / "redis") as redis_server:
        settings = settings_for(redis_server, tmp_path)
        with WebServer(settings, processes=2) as server:
            keys = httpx.get(server.url + "/api/v1/keys").json()["keys"]
        assert [key["key"] for key in keys] == [SigningKey.load(settings.signing_key).id]


def test_a_server_is_not_ready_without_a_usable_key(tmp_path: Path, contract: Contract) -> None:
    redis_server = EmbeddedRedis(tmp_path / "redis")
    settings = settings_for(redis_server, tmp_path)
    # It starts before its Redis, so it cannot publish its key yet.
    with WebServer(settings) as server, http_client(server.url, contract) as http:
        pem = settings.signing_key.read_bytes()
        settings.signing_key.write_bytes(b"not a key")
        with redis_server:
            response = http.get("/readyz")
            assert response.status_code == 503
            assert response.json()["detail"] == "the signing key cannot be used"
            settings.signing_key.write_bytes(pem)
            assert http.get("/readyz").status_code == 200
            keys = http.get("/api/v1/keys").json()["keys"]
            assert [key["key"] for key in keys] == [SigningKey.load(settings.signing_key).id]


def test_a_server_whose_key_is_retired_while_it_runs_is_not_ready(
    tmp_path: Path, contract: Contract
) -> None:
    with EmbeddedRedis(tmp_path / "redis") as redis_server:
        settings = settings_for(redis_server, tmp_path)
        with WebServer(settings) as server, http_client(server.url, contract) as http:
            assert http.get("/readyz").status_code == 200
            keyring = build(settings).keyring
            keyring.retire(keyring.signing_key.id)
            response = http.get("/readyz")
            assert response.status_code == 503
            assert (
                f"the signing key {settings.signing_key} was retired" in response.json()["detail"]
            )


def test_the_first_list_of_keys_after_redis_comes_back_has_the_key(tmp_path: Path) -> None:
    redis_server = EmbeddedRedis(tmp_path / "redis")
    with WebServer(settings_for(redis_server, tmp_path)) as server, redis_server:
        address = f"{server.url}/api/v1/keys"
        wait_until(lambda: httpx.get(address).is_success)
        assert len(httpx.get(address).json()["keys"]) == 1
