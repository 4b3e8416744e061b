"""The command doctor: it finds nothing wrong with a running service, and names each fault with its remedy."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import orjson
import pytest
import redis
from click.testing import CliRunner
from freezegun import freeze_time

from cartulary.cli import cartulary
from cartulary.doctor import diagnose
from domain.messages import message
from replay.language.renderer import english
from service import wall_clock
from service.administration.finding import Finding
from service.bootstrap import Service, build
from service.operation.process_reports import Reporter
from service.settings import Settings
from tests.support.clusters import redis_cluster
from tests.support.mail_server import mail_server
from tests.support.processes import wait_until
from tests.support.running_service import RunningService
from tests.support.service_games import start_game

Diagnose = Callable[..., dict[str, list[Finding]]]


@pytest.fixture
def diagnose_with(settings: Settings) -> Iterator[Diagnose]:
    """Returns the findings about a service with changed settings that are not `ok`, by subject."""
    services: list[Service] = []

    def run(**changes: object) -> dict[str, list[Finding]]:
        service = build(replace(settings, **changes))  # type: ignore[arg-type] # any fields
        services.append(service)
        findings: dict[str, list[Finding]] = {}
        for subject, finding in diagnose(service):
            assert (finding.status == "ok") == (finding.advice is None)
            if finding.status != "ok":
                findings.setdefault(english(subject), []).append(finding)
        return findings

    yield run
    for service in services:
        service.redis.close()


def texts(findings: dict[str, list[Finding]], subject: str) -> str:
    """Return the lines about a subject."""
    return "\n".join(finding.as_text(message(subject)) for finding in findings.get(subject, []))


def test_a_running_service_is_sound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    running = RunningService(tmp_path, processes=1)
    running.start()
    try:
        monkeypatch.setenv("CARTULARY_DATA", str(running.data))
        monkeypatch.setenv("CARTULARY_PUBLIC_URL", running.url)
        # Workers and the scheduler report a moment after the service accepts requests.
        wait_until(lambda: CliRunner().invoke(cartulary, ["doctor"]).exit_code == 0)
        result = CliRunner().invoke(cartulary, ["doctor"])
        assert (result.exit_code, "\n!" in result.output) == (0, False), result.output
        lines = CliRunner().invoke(cartulary, ["doctor", "--json"]).stdout.splitlines()
        findings = [orjson.loads(line) for line in lines]
        assert {finding["status"] for finding in findings} <= {"ok", "warning"}
        assert {"clock", "e-mail", "processes", "public address"} <= {
            finding["subject"] for finding in findings
        }
    finally:
        running.stop()
    stopped = CliRunner().invoke(cartulary, ["doctor"])
    assert stopped.exit_code == 1
    assert stopped.output.count("the store does not respond") == 1


def test_a_redis_that_loses_writes_is_a_fault(
    diagnose_with: Diagnose, redis_url: str, settings: Settings
) -> None:
    subject = "Redis of the logs"
    # An engine with published vulnerabilities is reported, whatever its settings are.
    assert not re.search("power cut|to disk|deletes data", texts(diagnose_with(), subject))
    with redis.Redis.from_url(redis_url) as client:
        try:
            client.config_set("appendfsync", "everysec")
            assert "a power cut loses events" in texts(diagnose_with(), subject)
            client.config_set("appendonly", "no")
            assert "does not write every event to disk" in texts(diagnose_with(), subject)
            client.config_set("maxmemory", 1 << 40)
            client.config_set("maxmemory-policy", "allkeys-lru")
            assert "deletes data when its memory is full (allkeys-lru)" in texts(
                diagnose_with(), subject
            )
        finally:
            client.config_set("maxmemory-policy", "noeviction")
            client.config_set("maxmemory", 0)
            client.config_set("appendonly", "yes")
            client.config_set("appendfsync", "always")


@pytest.mark.nightly
def test_every_master_of_a_cluster_is_checked(
    diagnose_with: Diagnose, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "cluster").mkdir()
    with redis_cluster(tmp_path / "cluster") as cluster:
        for port in cluster.masters():
            with redis.Redis(port=port) as node:
                node.config_set("appendfsync", "always")
        changes = {"redis_url": cluster.url, "queue_url": settings.queue_url}
        assert "a power cut" not in texts(diagnose_with(**changes), "Redis of the logs")
        with redis.Redis(port=cluster.masters()[1]) as node:
            node.config_set("appendfsync", "everysec")
        assert texts(diagnose_with(**changes), "Redis of the logs").count("a power cut") == 1


def test_a_redis_that_does_not_respond_is_a_fault(diagnose_with: Diagnose) -> None:
    url = "redis://127.0.0.1:1/0"
    assert "does not respond" in texts(diagnose_with(queue_url=url), "Redis of the queue")
    assert "does not respond" in texts(diagnose_with(redis_url=url), "Redis of the logs")


def test_clocks_that_differ_are_found(diagnose_with: Diagnose, settings: Settings) -> None:
    assert texts(diagnose_with(), "clock") == ""
    bounds = replace(settings.bounds, max_clock_jump_seconds=60)
    with freeze_time(wall_clock.now() + timedelta(seconds=30)):
        (finding,) = diagnose_with(bounds=bounds)["clock"]
    assert finding.status == "warning"
    with freeze_time(wall_clock.now() + timedelta(hours=1)):
        (finding, *_) = diagnose_with(bounds=bounds)["clock"]
    assert finding.status == "fault"


def test_a_key_that_is_exposed_or_retired_is_a_fault(
    diagnose_with: Diagnose, service: Service, settings: Settings
) -> None:
    assert "there is no file" in texts(diagnose_with(), "signing key")
    service.keyring.publish_key()
    assert texts(diagnose_with(), "signing key") == ""
    settings.signing_key.chmod(0o644)
    assert f"run `chmod 600 {settings.signing_key}`" in texts(diagnose_with(), "signing key")
    service.keyring.retire(service.keyring.signing_key.id)
    assert "was retired" in texts(diagnose_with(), "signing key")


def test_access_of_others_to_the_data_folder_is_found(
    diagnose_with: Diagnose, settings: Settings
) -> None:
    settings.data.chmod(0o700)
    assert texts(diagnose_with(), "data folder") == ""
    settings.data.chmod(0o755)
    assert "run `chmod 700" in texts(diagnose_with(), "data folder")


def test_missing_processes_and_old_versions_are_found(
    diagnose_with: Diagnose, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "start `cartulary worker`" in texts(diagnose_with(), "processes")
    Reporter(service.process_reports, "worker").report()
    Reporter(service.process_reports, "scheduler").report()
    assert texts(diagnose_with(), "processes") == ""
    monkeypatch.setattr("service.operation.process_reports.version", lambda _: "0.0.1")
    Reporter(service.process_reports, "worker").report()
    assert "different versions run: 0.0.1" in texts(diagnose_with(), "processes")


def test_work_that_nobody_does_is_a_fault(diagnose_with: Diagnose, service: Service) -> None:
    start_game(service)
    assert texts(diagnose_with(), "work") == ""
    with freeze_time(wall_clock.now() + timedelta(minutes=2)):
        assert "1 game has work in its outbox" in texts(diagnose_with(), "work")


def test_a_damaged_game_is_a_fault(diagnose_with: Diagnose, service: Service) -> None:
    service.damaged_games.report(start_game(service).id, "log", "torn")
    assert "1 game has a stored value that cannot be read" in texts(diagnose_with(), "work")


def test_a_projection_that_lags_is_found(
    diagnose_with: Diagnose, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.transparency.head_log.log([start_game(service).id])
    assert texts(diagnose_with(), "projections") == ""
    monkeypatch.setattr("service.administration.health.LONG_LAG", 0)
    lines = texts(diagnose_with(), "projections")
    assert "game-counts lacks 1 entry of the transparency log" in lines
    assert "look at the log of the scheduler" in lines
    service.games.projections.catch_up()
    assert texts(diagnose_with(), "projections") == ""


def test_the_mail_server_is_tried(diagnose_with: Diagnose) -> None:
    with mail_server() as server:
        url = f"smtp://127.0.0.1:{server.port}?tls=none"
        assert texts(diagnose_with(smtp_url=url, mail_from="a@example.org"), "e-mail") == ""
        assert server.mails == []
    findings = diagnose_with(smtp_url=url, mail_from="a@example.org")
    assert "correct CARTULARY_SMTP_URL" in texts(findings, "e-mail")


def test_an_address_that_leads_elsewhere_or_is_unprotected_is_found(
    diagnose_with: Diagnose, service: Service
) -> None:
    def lines(url: str, *proxies: str) -> str:
        return texts(diagnose_with(public_url=url, trusted_proxies=proxies), "public address")

    assert "no web process of this service responds" in lines("http://127.0.0.1:1")
    assert "is not https" in lines("http://[::ffff:127.0.0.1]:1")
    assert "CARTULARY_TRUSTED_PROXIES" in lines("https://127.0.0.1:1")
    assert "CARTULARY_TRUSTED_PROXIES" not in lines("https://127.0.0.1:1", "127.0.0.1")


def test_the_command_reports_a_redis_that_cannot_be_reached() -> None:
    result = CliRunner().invoke(cartulary, ["doctor", "--redis", "redis://127.0.0.1:1/0"])
    assert result.exit_code == 1
    assert "!  Redis of the logs: the store does not respond" in result.output


def doctor(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(cartulary, ["doctor", *map(str, arguments)])
    return result.exit_code, result.output


def test_a_file_of_settings_is_checked_before_a_service_runs(tmp_path: Path) -> None:
    file = tmp_path / "cartulary.env"
    file.write_text("# E-mail\n\nCARTULARY_MAX_STREAMS=20\nCARTULARY_RATE_GAMES=\nTZ=UTC\n")
    assert doctor("--settings", file) == (0, "ok settings: every setting is known and valid\n")


@pytest.mark.parametrize(
    ("line", "sentence", "advice"),
    [
        ("CARTULARY_RATE_MESAGES=1/minute", "no setting CARTULARY_RATE_MESAGES", "_RATE_MESSAGES"),
        ("CARTULRY_ARBITER=ada", "no setting CARTULRY_ARBITER", "write CARTULARY_ARBITER"),
        ("CARTULARY_COLOUR=red", "no setting CARTULARY_COLOUR", "remove it, or correct its name"),
        ("CARTULARY_ARBITER", "line 2: a setting has the form NAME=VALUE", "correct the line"),
        ("export CARTULARY_ARBITER=ada", "line 2: a setting has the form", "correct the line"),
        ("CARTULARY_ARBITER = ada", "line 2: a setting has the form", "correct the line"),
        ("CARTULARY_ARBITER='ada'", "line 2: the value of CARTULARY_ARBITER is in quotes", "line"),
        ("CARTULARY_ARBITER=ada ", "line 2: the value of CARTULARY_ARBITER begins or ends", "line"),
        ("CARTULARY_ARBITER=a\\da", "line 2: the value of CARTULARY_ARBITER has a back", "line"),
        (
            "CARTULARY_MAX_STREAMS=1",
            "line 2: CARTULARY_MAX_STREAMS occurs twice",
            "correct the line",
        ),
        ("CARTULARY_MAX_WAITING=few", "CARTULARY_MAX_WAITING must be a whole number", "the value"),
        ("CARTULARY_SMTP_URL=smtp://a:secret@b", "CARTULARY_MAIL_FROM must be set", "the value"),
    ],
)
def test_a_fault_in_a_file_of_settings_is_named_with_its_remedy(
    tmp_path: Path, line: str, sentence: str, advice: str
) -> None:
    file = tmp_path / "cartulary.env"
    file.write_text(f"CARTULARY_MAX_STREAMS=20\n{line}\n")
    status, output = doctor("--settings", file)
    assert status == 1
    first, second = output.splitlines()
    assert first.startswith("!  settings: ")
    assert sentence in first
    assert advice in second
    assert "secret" not in output
    status, output = doctor("--settings", file, "--json")
    assert (status, orjson.loads(output)["status"]) == (1, "fault")


def test_a_file_of_settings_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "cartulary.env"
    file.write_bytes(b"\xff\xfe")
    status, output = doctor("--settings", file)
    assert status == 2
    assert "is not in UTF-8" in output


def test_a_variable_of_the_environment_that_is_no_setting_is_a_fault(
    diagnose_with: Diagnose, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CARTULARY_TOKEN", "of a player")
    assert texts(diagnose_with(), "settings") == ""
    monkeypatch.setenv("CARTULARY_MAX_STREAM", "10")
    assert "write CARTULARY_MAX_STREAMS" in texts(diagnose_with(), "settings")
