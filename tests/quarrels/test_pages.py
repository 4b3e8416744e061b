"""The pages in docs/quarrels settle each quarrel in at most three commands, which this runs as written.

Every line of the results that a page shows must be in the output of the commands before it.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

from cartulary.cli import cartulary
from cartulary.trusted_keys import VARIABLE
from tests.quarrels.evidence import TRUSTED_KEYS, files, write_files

FOLDER: Final = Path(__file__).parent.parent.parent / "docs" / "quarrels"
PAGES: Final = sorted(path for path in FOLDER.glob("*.md") if path.name != "README.md")
QUARRELS: Final = (
    "“I never made that move”",
    "“It skipped my turn”",
    "“They moved after the deadline”",
    "“The tiles were rigged”",
    "“This is not the record I saw last week”",
    "“The admin edited the log”",
    "“We had agreed to take it back”",
)
MAX_COMMANDS: Final = 3
STATUSES: Final = {
    "admin-edited-the-log": [1],
    "after-the-deadline": [0, 3],
    "agreed-to-take-it-back": [0, 3, 0],
    "never-made-that-move": [0, 0],
    "not-the-record-of-last-week": [1],
    "skipped-my-turn": [0, 0, 1],
    "tiles-were-rigged": [0, 0],
}
"""The exit status of each command of a page."""


@pytest.fixture(scope="module", params=["files beside the pages", "files of this version"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the pages name, and the accepted key of the server."""
    if request.param == "files beside the pages":
        return FOLDER
    folder = tmp_path_factory.mktemp("quarrels")
    write_files(folder)
    return folder


def blocks(page: Path, language: str) -> list[str]:
    """The lines in the code blocks of a page in this language."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line]


def words(text: str) -> str:
    """A text without the line breaks of a page."""
    return " ".join(text.split())


def test_every_quarrel_has_a_page() -> None:
    titles = {page.read_text().splitlines()[0].removeprefix("# ") for page in PAGES}
    assert titles == set(QUARRELS)
    index = (FOLDER / "README.md").read_text()
    assert all(f"({page.name})" in index for page in PAGES)
    assert {page.stem for page in PAGES} == STATUSES.keys()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_commands_of_a_page_settle_the_quarrel(
    page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv(VARIABLE, str(folder / TRUSTED_KEYS))
    monkeypatch.setenv("COLUMNS", "100")
    commands = blocks(page, "sh")
    assert 1 <= len(commands) <= MAX_COMMANDS
    statuses, output = [], ""
    for command in commands:
        program, *arguments = shlex.split(command)
        assert program == "cartulary"
        result = CliRunner().invoke(cartulary, arguments)
        assert result.exception is None or isinstance(result.exception, SystemExit)
        statuses.append(result.exit_code)
        output += result.output
    assert statuses == STATUSES[page.stem]
    shown = blocks(page, "text")
    assert shown
    for line in shown:
        assert words(line) in words(output), f"{page.name} shows a line that no command prints"


def test_the_files_beside_the_pages_are_those_that_the_pages_name() -> None:
    beside = {
        path.relative_to(FOLDER).as_posix()
        for path in FOLDER.rglob("*")
        if path.is_file() and path.suffix != ".md"
    }
    assert beside == {*files(), TRUSTED_KEYS}
    named = {word for page in PAGES for line in blocks(page, "sh") for word in shlex.split(line)}
    assert {name.split("/")[0] for name in files()} <= named


@pytest.mark.parametrize(
    "page",
    [PAGES[0], *(pytest.param(page, marks=pytest.mark.nightly) for page in PAGES[1:])],
    ids=lambda page: page.stem,
)
def test_a_page_runs_as_printed_in_a_shell(page: Path) -> None:
    """From the folder of the repository, with the lines with which the index begins.

    The test above runs all pages in this process, which is faster.
    """
    lines = [
        *blocks(FOLDER / "README.md", "sh"),
        *(f"{line}; echo $? >&2" for line in blocks(page, "sh")),
    ]
    scripts = Path(sys.executable).parent
    result = subprocess.run(
        ["/bin/bash", "-c", "\n".join(lines)],
        cwd=FOLDER.parent.parent,
        env={"PATH": f"{scripts}:{os.environ['PATH']}", "COLUMNS": "100", "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert [int(line) for line in result.stderr.split()] == STATUSES[page.stem]
    for line in blocks(page, "text"):
        assert words(line) in words(result.stdout), (
            f"{page.name} shows a line that no command prints"
        )
