"""Pictures of positions, as SVG and PNG: as the viewer may see them, in the viewer's language."""

from collections.abc import Callable

import httpx
import pytest

from tests.support.accounts import Accounts
from tests.support.http_contract import invalid_fields
from tests.support.kills import killing_the_next
from tests.support.processes import HANG_SECONDS
from tests.support.server import WebServer
from tests.support.svg import SVG, parsed


def title(document: str) -> str:
    return parsed(document).findtext(f"{SVG}title") or ""


class TestSvg:
    def test_a_picture_shows_the_position_with_the_names_of_the_players(
        self, accounts: Accounts
    ) -> None:
        game, (ada, bea) = accounts.start_game()
        first = accounts.anonymous.get(f"/api/v1/games/{game}/position.svg")
        assert first.headers["content-type"] == "image/svg+xml; charset=utf-8"
        assert ada.handle in title(first.text)
        assert ada.act(game).status_code == 201
        second = accounts.anonymous.get(f"/api/v1/games/{game}/position.svg")
        assert bea.handle in title(second.text)
        earlier = accounts.anonymous.get(f"/api/v1/games/{game}/position.svg?seq=4")
        assert earlier.text == first.text

    def test_a_picture_is_in_the_language_of_the_viewer(self, accounts: Accounts) -> None:
        game, _ = accounts.start_game()
        other = accounts.register(locale="es")
        path = f"/api/v1/games/{game}/position.svg"
        french = accounts.anonymous.get(path, headers={"Accept-Language": "fr"})
        assert parsed(french.text).attrib["lang"] == french.headers["content-language"] == "fr"
        spanish = other.http.get(path)
        assert parsed(spanish.text).attrib["lang"] == spanish.headers["content-language"] == "es"
        assert {"Accept-Language", "Authorization"} <= {
            *french.headers["vary"].replace(" ", "").split(",")
        }

    def test_width_and_shape_can_be_chosen(self, accounts: Accounts) -> None:
        game, _ = accounts.start_game()
        path = f"/api/v1/games/{game}/position.svg"
        tall = parsed(accounts.anonymous.get(path).text).attrib
        wide = parsed(accounts.anonymous.get(f"{path}?wide=true&width=500").text).attrib
        assert (tall["viewBox"].split()[2], "width" in tall) == ("720", False)
        assert (wide["viewBox"].split()[2], wide["width"]) == ("1440", "500")
        assert float(wide["height"]) == pytest.approx(
            500 * float(wide["viewBox"].split()[3]) / 1440, abs=0.1
        )

    def test_bad_requests_are_refused(self, accounts: Accounts) -> None:
        game, _ = accounts.start_game()
        path = f"/api/v1/games/{game}/position.svg"
        for width in ("0", "99", "2001", "-100", "1e3", "9" * 16, "\u0661\u0660\u0660", ""):
            response = accounts.anonymous.get(path, params={"width": width})
            assert response.status_code == 400
            assert invalid_fields(response) == {"width"}
        for query in ("wide=maybe", "seq=0", "viewer=0", "wide=true&wide=true"):
            assert accounts.anonymous.get(f"{path}?{query}").status_code == 400
        for seq in (3, 5, 2**53 - 1):
            assert accounts.anonymous.get(f"{path}?seq={seq}").status_code == 404

    def test_a_picture_is_sent_again_only_if_it_shows_something_else(
        self, accounts: Accounts
    ) -> None:
        game, (ada, _) = accounts.start_game()
        path = f"/api/v1/games/{game}/position.svg"
        etag = {"If-None-Match": accounts.anonymous.get(path).headers["etag"]}
        assert accounts.anonymous.get(path, headers=etag).status_code == 304
        assert accounts.anonymous.get(f"{path}?seq=4", headers=etag).status_code == 304
        french = {**etag, "Accept-Language": "fr"}
        assert accounts.anonymous.get(path, headers=french).status_code == 200
        assert accounts.anonymous.get(f"{path}?wide=true", headers=etag).status_code == 200
        assert ada.act(game).status_code == 201
        assert accounts.anonymous.get(path, headers=etag).status_code == 200

    def test_a_private_game_is_shown_to_its_players_only(self, accounts: Accounts) -> None:
        ada, bea = accounts.register(), accounts.register()
        body = {"options": {"private": True}, "invite": [bea.handle]}
        game = ada.create_game(2, **body)
        bea.join(game)
        for name in ("position.svg", "position.png"):
            path = f"/api/v1/games/{game}/{name}?width=100"
            for client in (accounts.anonymous, accounts.register().http):
                assert client.get(path).status_code == 404
                assert client.get(f"{path}0000").status_code == 404
            assert bea.http.get(path).status_code == 200

    def test_only_the_own_reserve_is_shown_while_the_game_is_on(self, accounts: Accounts) -> None:
        game, (ada, bea) = accounts.start_game(2, rules="baron")
        path = f"/api/v1/games/{game}/position.svg"
        clients = (accounts.anonymous, accounts.register().http, ada.http, bea.http)
        spectator, other, first, second = (client.get(path) for client in clients)
        assert spectator.text == other.text
        assert len({spectator.text, first.text, second.text}) == 3
        assert len({r.headers["etag"] for r in (spectator, other, first, second)}) == 3


class TestPng:
    def test_a_picture_shows_what_the_svg_shows(self, accounts: Accounts) -> None:
        game, (ada, _) = accounts.start_game(2, rules="baron")
        path = f"/api/v1/games/{game}/position.png?width=100"
        picture = accounts.anonymous.get(path)
        assert picture.headers["content-type"] == "image/png"
        assert picture.headers["content-language"] == "en"
        assert int.from_bytes(picture.content[16:20]) == 100
        etag = {"If-None-Match": picture.headers["etag"]}
        assert accounts.anonymous.get(path, headers=etag).status_code == 304
        assert ada.http.get(path, headers=etag).content != picture.content

    def test_bad_requests_are_refused(self, accounts: Accounts) -> None:
        game, _ = accounts.start_game()
        path = f"/api/v1/games/{game}/position.png"
        response = accounts.anonymous.get(f"{path}?width=100000")
        assert (response.status_code, invalid_fields(response)) == (400, {"width"})
        assert accounts.anonymous.get(f"{path}?seq=99").status_code == 404

    @pytest.mark.nightly
    def test_a_picture_whose_process_was_killed_is_drawn_for_the_next_request(
        self, accounts: Accounts, web: WebServer
    ) -> None:
        game, _ = accounts.start_game()
        requests: tuple[tuple[str, int, Callable[..., httpx.Response]], ...] = (
            (f"/api/v1/games/{game}", 1999, accounts.anonymous.get),
            (f"/games/{game}", 1998, httpx.get),
        )
        for address, width, get in requests:
            url = f"{web.url}{address}/position.png?width={width}"
            with killing_the_next(web.pid, "/draw.py"):
                killed = get(url, timeout=HANG_SECONDS)
            assert killed.status_code == 503
            assert int(killed.headers["retry-after"]) >= 1
            picture = get(url, timeout=HANG_SECONDS)
            assert picture.status_code == 200
            assert int.from_bytes(picture.content[16:20]) == width
