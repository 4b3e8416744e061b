"""The pages of the documentation, and the examples that tests extract from them."""

import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parent.parent.parent
DOCS: Final = ROOT / "docs"
PAGES: Final = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]
FORMATS: Final = DOCS / "formats.md"


def fences(page: Path, kind: str) -> list[str]:
    """Return the bodies of the fenced blocks whose info string is `kind`."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


def all_fences(kind: str) -> list[object]:
    """Return the fenced blocks of all pages whose info string is `kind`, as parameters of a test."""
    return [
        pytest.param(body, id=f"{page.name}-{number}")
        for page in PAGES
        for number, body in enumerate(fences(page, kind), start=1)
    ]


def short_forms(game: int) -> list[tuple[str, str]]:
    """Return the short forms of actions in docs/formats.md, each with the cell that names its type.

    `game` is the index of the table: 0 for Barony, 1 for Baron.
    """
    tables = re.findall(
        r"^\| action \| short form \|\n.*?\n\n", FORMATS.read_text(), re.MULTILINE | re.DOTALL
    )
    rows = re.findall(r"^\| (`.*?) \| (.*) \|$", tables[game], re.MULTILINE)
    return [(types, form) for types, forms in rows for form in re.findall("`(.*?)`", forms)]


def anchors(text: str) -> list[str]:
    """Return the anchors of a page in order: those of its headings, and those that `id` sets.

    A heading that has an `id` has that anchor only.
    """
    names = []
    for line in text.splitlines():
        ids = re.findall(r'<a id="([^"]+)"></a>', line)
        heading = re.fullmatch(r"#+ (.+)", line)
        if heading is not None and not ids:
            ids = [re.sub(r"[^\w\- ]", "", heading[1].lower()).replace(" ", "-")]
        names += ids
    return names
