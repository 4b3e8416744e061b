"""What the pages in docs/ show is true: their examples run, their links lead somewhere.

Fences: ```python runs, ```json action is of the form. Shell lines are run by the tests of the command line
and of HTTP (tests/service/http, tests/test_readme.py).
"""

import json
import re
from pathlib import Path

import pytest

from domain import barony

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def fences(page: Path, kind: str) -> list[str]:
    """The bodies of the fenced blocks whose info string is `kind`."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


def all_fences(kind: str) -> list[object]:
    return [
        pytest.param(body, id=f"{page.name}-{number}")
        for page in PAGES
        for number, body in enumerate(fences(page, kind), start=1)
    ]


@pytest.mark.parametrize("body", all_fences("python"))
def test_python_examples_run(body: str) -> None:
    exec(compile(body, "docs", "exec"), {})  # noqa: S102 - our own pages


@pytest.mark.parametrize("body", all_fences("json action"))
def test_actions_are_of_the_form(body: str) -> None:
    raw = json.loads(body)
    action = barony.parse(raw)
    assert barony.parse(barony.as_json(action)) == action


def test_every_action_is_shown() -> None:
    shown = {json.loads(body)["type"] for page in PAGES for body in fences(page, "json action")}
    assert shown == {
        *("place_city", "recruit", "move", "build", "new_city", "expedition", "noble_title"),
        *("pass", "cast", "agree_to_end", "resign"),
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text()
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        goal = (page.parent / path) if path else page
        assert goal.exists(), f"{page.name} points to {target}"
        if anchor and goal.suffix == ".md":
            assert anchor in anchors(goal.read_text()), f"{page.name} points to {target}"


def anchors(text: str) -> set[str]:
    """The anchors that headings get."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings
    } | set(re.findall(r'id="([^"]+)"', text))
