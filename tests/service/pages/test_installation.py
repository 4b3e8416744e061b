"""What browsers need to install the site: manifest, icons, service worker, the number of turns."""

import io
import re

import pytest
from flask.testing import FlaskClient
from PIL import Image

from service.bootstrap import Service
from service.pages.assets import FOLDER
from service.pages.draw_icons import icons
from tests.support.page_forms import log_in
from tests.support.round_trips import count_round_trips
from tests.support.service_games import start_game, take_action


@pytest.mark.parametrize(
    ("language", "description"),
    [
        ("en", "Board games by mail, move by move"),
        ("fr", "Jeux de plateau par correspondance, coup par coup"),
        ("es", "Juegos de mesa por correspondencia, jugada a jugada"),
    ],
)
def test_the_manifest_is_in_the_language_of_the_browser(
    language: str, description: str, browser: FlaskClient
) -> None:
    response = browser.get("/manifest.webmanifest", headers={"Accept-Language": language})
    assert response.mimetype == "application/manifest+json"
    manifest = response.get_json()
    assert manifest["description"] == description
    assert manifest["lang"] == language
    assert (manifest["start_url"], manifest["display"]) == ("/", "standalone")
    for icon in manifest["icons"]:
        picture = browser.get(icon["src"])
        assert picture.mimetype == icon["type"]
        assert "{}x{}".format(*Image.open(io.BytesIO(picture.data)).size) == icon["sizes"]
    assert [icon.get("purpose") for icon in manifest["icons"]] == [None, None, "maskable"]
    assert {icon["sizes"] for icon in manifest["icons"]} == {"192x192", "512x512"}


def test_every_page_names_the_manifest_and_may_load_it(browser: FlaskClient) -> None:
    page = browser.get("/login")
    assert '<link rel="manifest" href="/manifest.webmanifest">' in page.text
    assert "manifest-src 'self'" in page.headers["Content-Security-Policy"]
    assert browser.get("/icons/nothing.png").status_code == 404


@pytest.mark.parametrize(("name", "data"), [*icons()])
def test_the_icons_are_those_that_the_command_draws(name: str, data: bytes) -> None:
    drawn, kept = Image.open(io.BytesIO(data)), Image.open(FOLDER / "icons" / name)
    assert (drawn.size, drawn.tobytes()) == (kept.size, kept.tobytes())


def test_a_maskable_icon_fills_its_square_and_keeps_the_drawing_in_the_middle() -> None:
    picture = Image.open(FOLDER / "icons" / "maskable-512.png").convert("RGBA")
    background = picture.getpixel((0, 0))
    assert isinstance(background, tuple)
    assert background[3] == 255
    outside = [
        (x, y)
        for x in range(0, 512, 4)
        for y in range(0, 512, 4)
        if (x - 256) ** 2 + (y - 256) ** 2 > (0.4 * 512) ** 2
    ]
    assert {picture.getpixel(point) for point in outside} == {background}


def test_the_service_worker_is_at_the_root_and_has_a_strict_policy(browser: FlaskClient) -> None:
    response = browser.get("/service-worker.js")
    assert response.mimetype == "text/javascript"
    assert response.cache_control.no_cache
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    assert browser.get("/push-worker.js").status_code == 404


def test_the_number_of_turns_is_that_of_the_games_that_wait_for_the_player(
    browser: FlaskClient, service: Service
) -> None:
    assert browser.get("/turns").get_json() == {"turns": 0, "player": None}
    player = log_in(browser, service)
    games = [start_game(service, players=(player, "bea")).id for _ in range(3)]
    start_game(service, players=("bea", player))
    response = browser.get("/turns")
    assert response.get_json() == {"turns": 3, "player": player}
    assert response.headers["Cache-Control"] == "no-store"
    take_action(service, games[0])
    with count_round_trips() as trips:
        assert browser.get("/turns").get_json() == {"turns": 2, "player": player}
    assert trips.count <= 4


def test_the_page_for_the_time_without_a_connection_is_the_same_for_everybody(
    browser: FlaskClient, service: Service
) -> None:
    page = browser.get("/offline").text
    assert "The server cannot be reached" in page
    # The notice of kept pages is where the service worker looks for it.
    assert re.search(r'<p id="kept-page"[^>]* hidden>[^<]+<time></time></p>', page)
    assert browser.get("/service-worker.js").text.count('id="kept-page"') == 1
