"""CONTRIBUTING, CHANGELOG, SECURITY, LICENSE and the public CI workflow agree with the project.

Their examples and links are tested with those of the docs, in test_docs.py.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tests.support.pages import PAGES

ROOT = Path(__file__).parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WORKFLOWS = ROOT / ".github" / "workflows"
WORKFLOW: dict[str, Any] = YAML(typ="safe").load(WORKFLOWS / "ci.yml")
NIGHTLY_WORKFLOW: dict[str, Any] = YAML(typ="safe").load(WORKFLOWS / "nightly.yml")
VERSIONS = ["3.11", "3.12", "3.13", "3.14"]
"""The versions of Python that Cartulary supports."""


def test_ci_runs_the_ci_script_on_every_supported_version() -> None:
    job = WORKFLOW["jobs"]["check"]
    assert job["strategy"]["matrix"]["python"] == VERSIONS
    commands = [step["run"] for step in job["steps"] if "run" in step]
    assert commands == [".ci/run"]
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_ci_tries_macos_and_may_fail_there() -> None:
    job = WORKFLOW["jobs"]["macos"]
    assert job["runs-on"] == "macos-latest"
    assert job["continue-on-error"] is True
    commands = [step["run"] for step in job["steps"] if "run" in step]
    assert commands[0].startswith("make serve")
    assert commands[1:] == ["make test"]


def test_ci_installs_into_the_python_of_the_matrix() -> None:
    job = WORKFLOW["jobs"]["check"]
    (setup,) = (step for step in job["steps"] if "setup-python" in step.get("uses", ""))
    assert setup["with"]["python-version"] == "${{ matrix.python }}"
    assert job["env"]["PYTHON"] == "python${{ matrix.python }}"
    assert re.search(r"^PYTHON \?=", (ROOT / "Makefile").read_text(), re.MULTILINE)


def test_ci_runs_the_long_tests_every_night() -> None:
    assert [entry["cron"].split()[2:] for entry in NIGHTLY_WORKFLOW["on"]["schedule"]] == [
        ["*"] * 3
    ]
    (job,) = NIGHTLY_WORKFLOW["jobs"].values()
    assert [step["run"] for step in job["steps"] if "run" in step] == [
        "make nightly",
        "make cluster",
        "sudo apt-get install -y redis-server",
        "make engines",
    ]


def test_the_supported_versions_are_the_same_everywhere() -> None:
    prefix = "Programming Language :: Python :: "
    classifiers = [text.removeprefix(prefix) for text in PROJECT["classifiers"]]
    assert [text for text in classifiers if re.fullmatch(r"3\.\d+", text)] == VERSIONS
    assert PROJECT["requires-python"].split(",")[0] == f">={VERSIONS[0]}"
    script = (ROOT / ".ci" / "test-installs").read_text()
    assert f"for version in {' '.join(VERSIONS)}; do" in script
    for page in ("README.md", "CONTRIBUTING.md"):
        assert f"Python {VERSIONS[0]} to {VERSIONS[-1]}" in (ROOT / page).read_text()


def test_the_license_is_the_one_that_the_package_declares() -> None:
    text = (ROOT / "LICENSE").read_text()
    assert text.startswith(f"{PROJECT['license']} License\n")
    (author,) = PROJECT["authors"]
    assert re.search(rf"^Copyright \(c\) \d{{4}} {author['name']}$", text, re.MULTILINE)


def test_the_changelog_has_a_section_for_the_version_of_the_package() -> None:
    text = (ROOT / "CHANGELOG.md").read_text()
    releases = re.findall(r"^## \[([^]]+)\](?: - (\S+))?$", text, re.MULTILINE)
    assert PROJECT["version"] in [version for version, _ in releases]
    for version, date in releases:
        assert re.fullmatch(r"Unreleased|\d+\.\d+\.\d+", version)
        assert version == "Unreleased" or re.fullmatch(r"Unreleased|\d{4}-\d\d-\d\d", date)
    sections = set(re.findall(r"^### (.+)$", text, re.MULTILINE))
    assert sections <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_make_has_every_target_that_a_page_names() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {"serve", "test", "help"} <= targets
    pattern = r"(?:`|^)make (?:[A-Z]+=\S+ )*([a-z-]+)(?:`|\s)"
    for page in PAGES:
        for target in re.findall(pattern, page.read_text(), re.MULTILINE):
            assert target in targets, f"{page.name} names make {target}"


def test_make_help_lists_every_target_that_is_meant_to_be_called() -> None:
    text = (ROOT / "Makefile").read_text()
    phony = re.findall(r"^\.PHONY: (.+)$", text, re.MULTILINE)
    described = re.findall(r"^([a-z-]+):.*## \S", text, re.MULTILINE)
    assert phony == described


def test_contributing_names_files_and_packages_that_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    paths = re.findall(r"`((?:tests|docs|requirements)/[\w./-]*|\w+\.toml)`", text)
    assert len(paths) >= 3
    for path in paths:
        assert (ROOT / path).exists(), path
    sentence = re.search(r"Imports point down only, (.+?), which is pure", text, re.DOTALL)
    assert sentence is not None
    packages = {path.parent.name for path in ROOT.glob("[!.]*/__init__.py")} - {"bench"}
    assert set(re.findall(r"`(\w+)`", sentence[1])) == packages
