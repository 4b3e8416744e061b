"""Style sheets and scripts over HTTP: compressed, and kept by browsers."""

import re
from html import unescape
from pathlib import Path

import httpx
import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.pages.assets import (
    FOLDER,
    STYLE_SHEET,
    TYPES,
    asset,
    compressed,
    files,
    set_up_scripts,
)
from tests.support.server import WebServer
from tests.support.seven_hexes.registration import registered

FILES = sorted(
    str(path.relative_to(FOLDER))
    for path in FOLDER.rglob("*.*")
    if not path.name.endswith(".d.ts")  # only the compiler that checks the scripts reads these
    and path.suffix != ".css"
)


@pytest.fixture
def address(app: Flask) -> str:
    with app.test_request_context():
        return asset("vendor/htmx.min.js")


def test_a_file_is_compressed_as_a_whole(browser: FlaskClient, address: str) -> None:
    response = browser.get(address, headers={"Accept-Encoding": "br"})
    assert response.status_code == 200
    assert response.headers["Content-Encoding"] == "br"
    assert response.content_length == len(response.data)
    size = (FOLDER / "vendor" / "htmx.min.js").stat().st_size
    assert 1000 < len(response.data) < size / 2


def test_the_page_of_an_error_is_compressed_and_keeps_its_status(browser: FlaskClient) -> None:
    for address in ("/nowhere", "/games/0000000000000000"):
        whole, small = (
            browser.get(address, headers={"Accept-Encoding": encoding})
            for encoding in ("identity", "br")
        )
        assert (whole.status, small.status) == ("404 NOT FOUND", "404 NOT FOUND")
        assert small.headers["Content-Encoding"] == "br"
        assert "Accept-Encoding" in small.vary
        assert 100 < len(small.data) < len(whole.data) / 2
        assert "Content-Encoding" not in whole.headers


def test_browsers_keep_a_file_and_ask_again_only_for_that_of_another_release(
    browser: FlaskClient, address: str
) -> None:
    response = browser.get(address)
    assert response.cache_control.immutable
    other = address.replace(address.split("/")[2], "0" * 12)
    response = browser.get(other)
    assert response.cache_control.no_cache
    etag = response.headers["ETag"]
    again = browser.get(other, headers={"If-None-Match": etag})
    assert (again.status_code, again.data) == (304, b"")


def test_every_file_has_the_type_by_which_browsers_accept_it(
    app: Flask, browser: FlaskClient
) -> None:
    assert FILES
    for name in [*FILES, STYLE_SHEET]:
        with app.test_request_context():
            address = asset(name)
        response = browser.get(address)
        assert response.data == files()[name], name
        assert response.mimetype == TYPES[Path(name).suffix], name
        assert response.headers["X-Content-Type-Options"] == "nosniff", name


def test_the_style_sheets_of_all_features_are_one_file_without_comments() -> None:
    sheets = sorted(FOLDER.glob("css/*.css"))
    assert len(sheets) > 10
    whole = files()[STYLE_SHEET].decode()
    assert [name for name in files() if name.endswith(".css")] == [STYLE_SHEET]
    assert "/*" not in whole
    names = [
        name
        for sheet in sheets
        for name in re.findall(r"^\.([a-z-]+)", sheet.read_text(), re.MULTILINE)
    ]
    assert len(names) > 100
    assert [name for name in names if f".{name}" not in whole] == []
    # The general sheet comes first, so that the others can override it.
    assert whole.startswith(":root{")


def test_no_header_of_a_response_comes_twice(web: WebServer, address: str) -> None:
    for path in (address, "/", "/api/v1/games"):
        names = [name for name, _ in httpx.get(f"{web.url}{path}").headers.multi_items()]
        assert sorted(set(names) - {"set-cookie"}) == sorted(n for n in names if n != "set-cookie")


def test_the_verifier_finds_a_script_beside_each_game_that_draws(
    app: Flask, browser: FlaskClient
) -> None:
    with app.test_request_context(), registered():
        scripts = set_up_scripts()
    # Seven Hexes draws nothing.
    assert scripts.keys() == {"barony", "baron"}
    page = unescape(browser.get("/verify").text)
    for game, address in scripts.items():
        assert address.endswith(f"/games/{game}/set_up.js")
        assert b"export async function drawSetUp" in browser.get(address).data
        assert f'"{game}": "{address}"' in page


def test_scripts_have_no_comments_and_the_same_tokens_as_their_sources() -> None:
    name = "js/evidence.js"
    source, served = (FOLDER / name).read_text(), files()[name].decode()
    assert "/**" in source
    assert "/*" not in served
    code = re.sub(r"(?m)/\*(?s:.*?)\*/|^\s*//.*$", "", source)
    assert re.sub(r"\s", "", served) == re.sub(r"\s", "", code)


def test_a_path_cannot_leave_the_folder(browser: FlaskClient, address: str) -> None:
    outside = address.replace("vendor/htmx.min.js", "../app.py")
    assert browser.get(outside).status_code == 404


def test_what_the_page_of_a_game_does_for_evidence_is_small() -> None:
    on_the_page = ("evidence", "proofs", "witness")
    checks = (
        "witness/check",
        "witness/history",
        "verify/canonical",
        "verify/crypto",
        "verify/transparency_log",
    )

    def size(names: tuple[str, ...]) -> int:
        return sum(len(compressed(f"js/{name}.js")) for name in names)

    assert size(on_the_page) <= 3_000
    # Loaded later, once a minute at most.
    assert size(checks) <= 6_000
