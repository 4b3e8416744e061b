"""The QR code of an invitation link: it says what the link says, to those who see the link."""

import re

import segno
from flask import Flask
from flask.testing import FlaskClient

from domain.lifecycle import NewGame
from service.bootstrap import Service
from service.pages.qr_code import qr_code_svg
from tests.support.page_forms import log_in

QUIET_ZONE = 4


def modules_of(svg: str) -> list[list[bool]]:
    """Return which modules of a drawn code are dark, by row, without the quiet zone around them."""
    size = re.search(r'viewBox="0 0 (\d+) (\d+)"', svg)
    assert size is not None
    assert size[1] == size[2]
    dark = {(int(x), int(y)) for x, y in re.findall(r"M(\d+) (\d+)h1v1h-1z", svg)}
    inside = range(QUIET_ZONE, int(size[1]) - QUIET_ZONE)
    assert dark <= {(x, y) for x in inside for y in inside}
    return [[(x, y) in dark for x in inside] for y in inside]


def test_a_code_is_drawn_module_by_module_dark_on_light() -> None:
    link = "https://cartulary.example/invitations/0123456789abcdef-quarry"
    svg = qr_code_svg(link, "for <friends>")
    expected = segno.make_qr(link, error="m").matrix
    assert modules_of(svg) == [[bool(module) for module in row] for row in expected]
    assert "<title>for &lt;friends&gt;</title>" in svg
    assert re.search(r'<rect [^>]*fill="#fff"', svg)
    assert svg.index("<rect") < svg.index("<path")


def test_a_player_sees_the_code_of_their_own_invitation_alone(
    app: Flask, browser: FlaskClient, service: Service
) -> None:
    ada, friend = log_in(browser, service), app.test_client()
    bea = log_in(friend, service, "bea")
    game = service.games.commands.create(ada, NewGame(rules="baron", seats=3, options={})).id
    service.games.commands.join(game, bea)
    assert 'class="qr-code"' not in browser.get(f"/games/{game}").text
    token = service.games.invitations.create(game, ada)
    for path in (f"/games/{game}", f"/games/{game}/invitation"):
        page = browser.get(path).text
        link = f"http://localhost/invitations/{token}"
        assert f'value="{link}"' in page
        assert qr_code_svg(link, "QR code of the invitation link") in page
    for other in (friend, app.test_client()):
        assert 'class="qr-code"' not in other.get(f"/games/{game}").text
