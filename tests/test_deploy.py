"""The container image and the compose file name commands, settings and files that exist."""

import json
import re
import shlex
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from ruamel.yaml import YAML

from cartulary.cli import cartulary
from cartulary.serve import process_commands
from service import settings
from service.administration.health import LONG_LAG
from service.bootstrap import Service
from service.bounds import Bounds
from service.http.app import create_app
from service.operation.process_reports import Reporter
from tests.support.service_games import start_game

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
COMPOSE: Any = YAML(typ="safe").load(DEPLOY / "compose.yaml")
OWN_SERVICES = {name: it for name, it in COMPOSE["services"].items() if it["image"] == "cartulary"}
EXAMPLE = (DEPLOY / "cartulary.env.example").read_text()
FIXED = {
    "CARTULARY_DATA",  # the folder of the volume
    "CARTULARY_REDIS_URL",  # the container `redis`
    "CARTULARY_REPLY_LMTP",  # the port that the container publishes
}
"""Settings that are the same in all containers, whatever the operator's file says."""


@pytest.mark.parametrize("name", OWN_SERVICES)
def test_the_commands_of_the_containers_are_valid(name: str) -> None:
    command = OWN_SERVICES[name]["command"]
    result = CliRunner().invoke(cartulary, [*command, "--help"])
    assert result.exit_code == 0, result.output


def test_each_process_of_a_service_has_a_container() -> None:
    commands = process_commands(has_separate_workers=True, has_replies=True).values()
    containers = {tuple(it["command"]) for name, it in OWN_SERVICES.items() if name != "web"}
    assert containers == set(map(tuple, commands))
    assert OWN_SERVICES["web"]["command"][0] == "web"


def test_every_kind_of_job_has_a_worker() -> None:
    from cartulary.commands.service import worker

    (option,) = [it for it in worker.params if it.name == "names"]
    workers = [it["command"] for it in OWN_SERVICES.values() if it["command"][0] == "worker"]
    queues = {name for command in workers for name in command[2::2]}
    assert queues == set(option.type.choices)  # type: ignore[attr-defined] # of click.Choice


def test_the_containers_have_the_settings_of_one_file() -> None:
    for service in OWN_SERVICES.values():
        assert set(service["environment"]) == FIXED
        (file,) = service["env_file"]
        assert file == {"path": "cartulary.env", "required": False, "format": "raw"}
    assert set(re.findall(r"CARTULARY_[A-Z_]+", DOCKERFILE)) <= settings.variable_names()


def test_the_example_has_every_setting_with_its_default() -> None:
    values = dict(re.findall(r"^#([A-Z_]+)=(.*)$", EXAMPLE, re.MULTILINE))
    bounds = {settings.PREFIX + bound.name.upper() for bound in fields(Bounds)}
    credentials = set(re.findall(r"`(AWS_[A-Z_]+)`", (ROOT / "docs" / "running.md").read_text()))
    assert values.keys() - bounds == settings.variable_names() - bounds | credentials
    assert settings.__doc__ is not None
    assert settings.variable_names() - bounds == set(
        re.findall(r"CARTULARY_[A-Z_]+", settings.__doc__)
    )
    defaults = {name: value for name, value in values.items() if name not in credentials}
    folder = {"CARTULARY_DATA": "/data"}
    assert settings.load_settings(defaults | folder) == settings.load_settings(folder)


def test_what_the_containers_fix_is_valid_and_reaches_the_other_containers() -> None:
    environment = {name: OWN_SERVICES["web"]["environment"][name] for name in FIXED}
    loaded = settings.load_settings({"CARTULARY_DATA": "/data", **environment})
    assert loaded.redis_url == "redis://redis:6379/0"
    assert "redis" in COMPOSE["services"]
    port = settings.lmtp_address(loaded.reply_lmtp)[1]
    assert OWN_SERVICES["replies"]["ports"] == [f"127.0.0.1:{port}:{port}"]


def test_the_container_for_answers_starts_only_if_the_operator_wants_it() -> None:
    # Without CARTULARY_REPLY_ADDRESS, `replies` ends at once, and would be started again for ever.
    assert {name for name, it in OWN_SERVICES.items() if "profiles" in it} == {"replies"}


def test_the_health_checks_without_a_web_process_ask_for_the_processes() -> None:
    checks = {name: it.get("healthcheck", {}).get("test") for name, it in OWN_SERVICES.items()}
    assert checks.pop("web") is None  # that of the image
    assert {tuple(check) for check in checks.values()} == {("CMD", "cartulary", "health")}
    assert "/healthz" in DOCKERFILE


def test_redis_keeps_what_was_acknowledged_as_the_page_demands() -> None:
    page = (ROOT / "docs" / "running.md").read_text()
    (block,) = re.findall(r"this configuration:\n\n```\n(.*?)```", page, re.DOTALL)
    words = shlex.split(COMPOSE["services"]["redis"]["command"])[1:]
    options = {
        name.removeprefix("--"): value for name, value in zip(words[::2], words[1::2], strict=True)
    }
    assert options == dict(line.split(" ") for line in block.splitlines())


def test_the_image_is_built_from_files_that_exist() -> None:
    patterns = re.findall(
        r"^!(.+)$", (DEPLOY / "Dockerfile.dockerignore").read_text(), re.MULTILINE
    )
    assert patterns
    for pattern in patterns:
        assert list(ROOT.glob(pattern)), pattern
    packages = {path.parent.name for path in ROOT.glob("[!.]*/__init__.py")} - {"bench"}
    assert packages <= set(patterns)
    locks = set(re.findall(r"-r (requirements/\S+)", DOCKERFILE))
    links = [
        path for package in packages for path in (ROOT / package).rglob("*") if path.is_symlink()
    ]
    assert locks | {path.resolve().relative_to(ROOT).as_posix() for path in links} <= set(patterns)


def test_the_image_has_the_engine_of_the_lock_from_its_wheel_only() -> None:
    (line,) = re.findall(r"^.*-r requirements/engine\.txt.*$", DOCKERFILE, re.MULTILINE)
    assert {"--require-hashes", "--no-deps"} < set(line.split())
    assert "--only-binary :all:" in line


def exposed_metrics(service: Service) -> set[str]:
    """Return the names of all metrics that a web process shows, with those of the samples of histograms."""
    Reporter(service.process_reports, "scheduler").report(
        {"waiting games": 0, "failed games": 0, "overdue_milliseconds": 0}
    )
    client = create_app(service).test_client()
    client.get("/api/v1/keys")
    start_game(service)
    page = client.get("/metrics").text
    return {
        name
        for line in page.splitlines()
        if (match := re.match(r"# TYPE (\w+) (\w+)", line))
        for name in ([f"{match[1]}_bucket"] if match[2] == "histogram" else [match[1]])
    }


def metrics_in(expression: str) -> set[str]:
    """Return the names of metrics in an expression of PromQL."""
    return set(re.findall(r"\bcartulary_\w+", expression))


def test_the_dashboard_and_the_alerts_use_the_metrics_that_exist(service: Service) -> None:
    exposed = exposed_metrics(service)
    dashboard = json.loads((DEPLOY / "dashboard.json").read_text())
    targets = [target for panel in dashboard["panels"] for target in panel.get("targets", [])]
    shown = set().union(*(metrics_in(target["expr"]) for target in targets))
    assert shown == exposed, "every metric is on the dashboard, and no other"
    alerts: Any = YAML(typ="safe").load(DEPLOY / "alerts.yaml")
    rules = [rule for group in alerts["groups"] for rule in group["rules"]]
    assert set().union(*(metrics_in(rule["expr"]) for rule in rules)) <= exposed
    assert all(rule["annotations"]["summary"] for rule in rules)


def test_the_alert_and_the_doctor_agree_on_a_projection_that_lags() -> None:
    alerts: Any = YAML(typ="safe").load(DEPLOY / "alerts.yaml")
    (rule,) = [rule for rule in alerts["groups"][0]["rules"] if rule["alert"] == "ProjectionLags"]
    assert rule["expr"] == f"cartulary_projection_lag_entries > {LONG_LAG}"


def test_the_panels_of_the_dashboard_do_not_overlap() -> None:
    dashboard = json.loads((DEPLOY / "dashboard.json").read_text())
    cells = [
        (x, y)
        for panel in dashboard["panels"]
        for place in [panel["gridPos"]]
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(cells) == len(set(cells))
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])
