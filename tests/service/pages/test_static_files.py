"""Style sheets and scripts over HTTP: compressed, and kept by browsers."""

from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.pages.assets import FOLDER, TYPES, asset, compressed

FILES = sorted(
    str(path.relative_to(FOLDER))
    for path in FOLDER.rglob("*.*")
    if not path.name.endswith(".d.ts")  # only the compiler that checks the scripts reads these
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


@pytest.mark.parametrize("name", FILES)
def test_every_file_has_the_type_by_which_browsers_accept_it(
    app: Flask, browser: FlaskClient, name: str
) -> None:
    with app.test_request_context():
        address = asset(name)
    response = browser.get(address)
    assert response.data == (FOLDER / name).read_bytes()
    assert response.mimetype == TYPES[Path(name).suffix]
    assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_a_path_cannot_leave_the_folder(browser: FlaskClient, address: str) -> None:
    outside = address.replace("vendor/htmx.min.js", "../app.py")
    assert browser.get(outside).status_code == 404


def test_what_the_page_of_a_game_does_for_evidence_is_small() -> None:
    scripts = ("js/evidence.js", "js/proofs.js")
    assert sum(len(compressed(name)) for name in scripts) <= 5_000
