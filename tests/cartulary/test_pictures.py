"""The pictures of the docs are those that `make pictures` draws."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]
ROOT = Path(__file__).parent.parent.parent
RECIPE = re.compile(r"cartulary (replay .+) >(docs/\S+)\.new$", re.MULTILINE)


def test_every_picture_of_the_docs_is_up_to_date(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    recipes = RECIPE.findall((ROOT / "Makefile").read_text())
    assert {path for _, path in recipes} == {
        str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.svg")
    }
    for command, path in recipes:
        picture = run(*shlex.split(command)).stdout
        assert picture == (ROOT / path).read_text(), f"{path} is out of date: run make pictures"


def test_a_wide_picture_is_wider_than_the_usual_one(run: Run, real: Path) -> None:
    def width(*options: str) -> str:
        picture = run("replay", real, "--format", "svg", *options).stdout
        box = re.search(r'viewBox="0 0 (\d+) ', picture)
        assert box
        return box[1]

    assert (width(), width("--wide")) == ("720", "1440")


def test_wide_without_svg_is_refused(run: Run, real: Path) -> None:
    result = run("replay", real, "--wide")
    assert result.exit_code == 2
    assert "--wide needs --format svg" in result.stderr
