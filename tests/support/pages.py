"""The pages of documentation, and what stands in them to be tried out."""

import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parent.parent.parent
DOCS: Final = ROOT / "docs"
PAGES: Final = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]
FORMATS: Final = DOCS / "formats.md"


def fences(page: Path, kind: str) -> list[str]:
    """The bodies of the fenced blocks whose info string is `kind`."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


def all_fences(kind: str) -> list[object]:
    """Those of all pages, as parameters of a test."""
    return [
        pytest.param(body, id=f"{page.name}-{number}")
        for page in PAGES
        for number, body in enumerate(fences(page, kind), start=1)
    ]


def short_forms(game: int) -> list[tuple[str, str]]:
    """The short forms of actions that the page on formats shows of its first (0) or second game, each with
    the cell that names its type.
    """
    tables = re.findall(
        r"^\| action \| short form \|\n.*?\n\n", FORMATS.read_text(), re.MULTILINE | re.DOTALL
    )
    rows = re.findall(r"^\| (`.*?) \| (.*) \|$", tables[game], re.MULTILINE)
    return [(types, form) for types, forms in rows for form in re.findall("`(.*?)`", forms)]
