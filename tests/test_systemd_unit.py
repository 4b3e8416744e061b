"""The systemd unit starts the service, and permits little more than what the service needs."""

import re
import shutil
from pathlib import Path
from typing import Final

import pytest

from cartulary.cli import cartulary
from service.settings import load_settings
from tests.support.processes import run_program

ROOT: Final = Path(__file__).parent.parent
UNIT: Final = ROOT / "deploy" / "cartulary.service"
MOST_EXPOSURE: Final = 3.0
"""Of 10, as `systemd-analyze security` rates units."""
DIRECTIVES: Final = {
    "CapabilityBoundingSet": "",
    "LockPersonality": "yes",
    "MemoryDenyWriteExecute": "yes",
    "NoNewPrivileges": "yes",
    "PrivateDevices": "yes",
    "PrivateTmp": "yes",
    "PrivateUsers": "yes",
    "ProcSubset": "pid",
    "ProtectClock": "yes",
    "ProtectControlGroups": "yes",
    "ProtectHome": "yes",
    "ProtectHostname": "yes",
    "ProtectKernelLogs": "yes",
    "ProtectKernelModules": "yes",
    "ProtectKernelTunables": "yes",
    "ProtectProc": "invisible",
    "ProtectSystem": "strict",
    "RemoveIPC": "yes",
    "RestrictAddressFamilies": "AF_INET AF_INET6 AF_UNIX",
    "RestrictNamespaces": "yes",
    "RestrictRealtime": "yes",
    "RestrictSUIDSGID": "yes",
    "StateDirectory": "cartulary",
    "SystemCallArchitectures": "native",
    "SystemCallErrorNumber": "EPERM",
    "UMask": "0077",
}


def values_of(name: str) -> list[str]:
    """Return the values of a directive, in their order: some directives may be repeated."""
    return re.findall(rf"^{name}=(.*)$", UNIT.read_text(), re.MULTILINE)


def test_the_unit_can_be_enabled_and_starts_the_service() -> None:
    assert values_of("WantedBy") == ["multi-user.target"]
    (start,) = values_of("ExecStart")
    program, command = start.split()
    assert Path(program).is_absolute()
    assert Path(program).name == "cartulary"
    assert command in cartulary.commands


def test_the_service_writes_to_its_state_directory() -> None:
    (variable,) = values_of("Environment")
    name, _, value = variable.partition("=")
    assert value == "%S/cartulary"
    data = Path("/var/lib") / values_of("StateDirectory")[0]
    settings = load_settings({name: str(data)})
    assert settings.data == data
    assert settings.signing_key.is_relative_to(data)
    # The page tells operators the same folder, and that of the settings.
    page = (ROOT / "docs" / "running.md").read_text()
    assert str(data) in page
    assert values_of("EnvironmentFile") == ["-/etc/cartulary.env"]
    assert "/etc/cartulary.env" in page


@pytest.mark.parametrize("name", DIRECTIVES)
def test_the_unit_restricts_the_service(name: str) -> None:
    assert values_of(name) == [DIRECTIVES[name]]


def test_the_system_calls_are_those_of_a_service_and_what_bounds_need() -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("there is no systemd-analyze here")
    result = run_program([program, "security", "--offline=true", "--no-pager", str(UNIT)])
    if "Unknown option" in result.stderr or "unrecognized option" in result.stderr:
        pytest.skip("this systemd-analyze is older than systemd 250 and rates no files")
    match = re.search(r"Overall exposure level for \S+: ([0-9.]+)", result.stdout)
    assert match is not None, result.stdout + result.stderr
    assert float(match[1]) <= MOST_EXPOSURE
