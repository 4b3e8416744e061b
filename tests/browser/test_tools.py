"""What the browser tests and the checks of scripts are made of: Chromium, npm packages, vendored scripts."""

import json
import platform
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.support import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.support.running_service import RunningService

ROOT = Path(__file__).parents[2]
VENDOR = ROOT / "service" / "pages" / "static" / "vendor"
LOCK: dict[str, Any] = json.loads((Path(__file__).parent / "package-lock.json").read_text())


def test_chromium_draws_text(browser: "Browser") -> None:
    page = browser.new_page()
    page.set_content("<p style='font: 20px sans-serif'><span>A duke of three</span></p>")
    box = page.locator("span").bounding_box()
    assert box is not None
    assert 100 < box["width"] < 200
    page.close()


STORE: Final = """async () => {
    localStorage.setItem("left", "1");
    sessionStorage.setItem("left", "1");
    document.cookie = "left=1; path=/";
    const request = indexedDB.open("left");
    await new Promise((resolve) => (request.onsuccess = resolve));
}"""
STORED: Final = """async () => [
    localStorage.length, sessionStorage.length, document.cookie, (await indexedDB.databases()).length,
    innerWidth, matchMedia("(prefers-color-scheme: dark)").matches,
]"""


def test_a_browser_that_a_visitor_has_left_is_as_empty_as_a_new_one(
    running_service: "RunningService", browser: "Browser"
) -> None:
    from tests.support.browsing import ContextPool, Visitors

    pool = ContextPool()
    results = []
    contexts = []
    for is_first in (True, False):
        visitors = Visitors(running_service, browser, pool)
        visitor = visitors.new()
        contexts.append(visitor.context)
        page = visitor.open("/rules")
        results.append(page.evaluate(STORED))
        if is_first:
            page.evaluate(STORE)
            page.set_viewport_size({"width": 500, "height": 500})
            page.emulate_media(color_scheme="dark")
            page.route("**/rules", lambda route: route.abort())
            visitor.new_tab()
            assert page.evaluate(STORED) != results[0]
            assert visitors.close() == []
    assert contexts[0] == contexts[1]
    assert results[0] == results[1]
    assert len(contexts[1].pages) == 1
    contexts[1].close()


def test_without_a_chromium_the_reason_names_the_machine_and_the_setting(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(chromium, "_FOLDER", tmp_path)
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    monkeypatch.delenv(chromium.VARIABLE, raising=False)
    reason = chromium.reason_to_skip()
    assert reason is not None
    assert "riscv64" in reason
    assert "CARTULARY_CHROMIUM" in reason
    monkeypatch.setenv(chromium.VARIABLE, "/usr/bin/chromium")
    assert chromium.reason_to_skip() is None


def test_the_lock_file_has_a_hash_of_every_package_and_no_address() -> None:
    packages = {name: entry for name, entry in LOCK["packages"].items() if name}
    assert len(packages) > 50
    assert all(entry["integrity"].startswith("sha512-") for entry in packages.values())
    assert not any("resolved" in entry for entry in packages.values())


@pytest.mark.parametrize(
    ("file", "original"), [("htmx.min.js", "dist/htmx.min.js"), ("htmx.LICENSE.txt", "LICENSE")]
)
def test_htmx_is_the_one_of_the_package_that_the_lock_file_pins(file: str, original: str) -> None:
    package = chromium.TOOLS / "node_modules" / "htmx.org"
    if not package.exists():
        pytest.skip("there is no Node for this machine, so the package is not installed")
    version = LOCK["packages"]["node_modules/htmx.org"]["version"]
    assert json.loads((package / "package.json").read_text())["version"] == version
    assert (VENDOR / file).read_bytes() == (package / original).read_bytes()
