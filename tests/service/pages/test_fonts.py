"""The fonts of the pages: their licences, what they weigh, and where they come from."""

import json
import re
from pathlib import Path
from typing import Final

from flask import Flask

from service.pages.assets import FOLDER, STYLE_SHEET, files

MOST_BYTES: Final = 60_000
FONTS: Final = ("inter", "eb-garamond")
PINS: Final = Path(__file__).parents[3] / "requirements" / "fonts"


def test_each_font_has_an_open_licence_and_all_weigh_little() -> None:
    fonts = {name: data for name, data in files().items() if name.endswith(".woff2")}
    assert fonts.keys() == {f"fonts/{name}.woff2" for name in FONTS}
    assert sum(map(len, fonts.values())) <= MOST_BYTES
    for name in FONTS:
        licence = (FOLDER / "fonts" / f"{name}.LICENSE.txt").read_text("utf-8")
        assert "SIL Open Font License" in licence


def test_the_packages_that_the_fonts_are_made_of_are_pinned() -> None:
    wanted = json.loads((PINS / "package.json").read_text("utf-8"))["dependencies"]
    lock = json.loads((PINS / "package-lock.json").read_text("utf-8"))["packages"]
    assert wanted.keys() == {f"@fontsource-variable/{name}" for name in FONTS}
    for name, version in wanted.items():
        entry = lock[f"node_modules/{name}"]
        assert entry["version"] == version
        assert entry["integrity"].startswith("sha512-")
        assert "resolved" not in entry
    assert re.search(r"--hash=sha256:[0-9a-f]{64}", (PINS / "subset.sh").read_text("utf-8"))


def test_a_page_loads_the_fonts_early_and_never_waits_for_them(app: Flask) -> None:
    page = app.test_client().get("/").text
    for name in FONTS:
        assert re.search(rf'<link rel="preload" href="[^"]+/fonts/{name}\.woff2" as="font"', page)
    style = files()[STYLE_SHEET].decode()
    assert style.count("font-display:optional") == len(FONTS)
