"""Handles and addresses in the forms of pages: white space and capitals that phones add do not matter."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from domain.lifecycle import NewGame
from service.bootstrap import Service
from service.pages import templating
from service.pages.view_models.action_query import read_query
from tests.support.page_forms import PASSWORD, log_in, post
from tests.support.tournaments import create, organiser

SERVICE: Final = Path(templating.__file__).parent.parent
HANDLES: Final = frozenset(
    {"handle", "invite", "arbiter", "entrant", "substitute", "exclude", "opponent", "player"}
    | {"game", "state"}
)
"""The fields for handles and ids, in which phones must neither capitalize nor correct anything."""
OTHERS: Final = frozenset(
    {"email", "url", "name", "password", "new_password", "closes", "first_day", "last_day"}
    | {"at", "club", "contact", "ends", "reason", "seq", "title"}
    | {"digest", "quiet_from", "quiet_to", "clock-night_from", "clock-night_to"}
)


def typed(text: str) -> str:
    """Return a text as a phone may send it: with spaces around it, some of which nobody sees."""
    return f"\u200b \u00a0{text}\ufeff \u00a0"


def test_phones_change_nothing_in_a_field_for_handles() -> None:
    names = set()
    for path in SERVICE.glob("*/templates/*.html"):
        for call in re.findall(r'text_field\(\w+, ("[^"]+", .*)\) }}', path.read_text()):
            name = call.split('"')[1]
            names.add(name)
            assert (name in HANDLES) == call.endswith("handle=true"), f"{path.name}: {name}"
    assert names == HANDLES | OTHERS


def test_the_fields_of_an_account_take_white_space(app: Flask, browser: FlaskClient) -> None:
    fields = {"handle": typed("Zoe"), "password": PASSWORD, "email": typed("zoe@Example.org")}
    assert post(browser, "/register", "/register", **fields).status_code == 303
    assert "zoe@example.org" in browser.get("/account").text
    other = app.test_client()
    entered = {"handle": typed("ZOE"), "password": PASSWORD}
    assert post(other, "/login", "/login", **entered).status_code == 303
    wrong = {"handle": "zoe", "password": typed(PASSWORD)}
    assert post(app.test_client(), "/login", "/login", **wrong).status_code == 401
    changed = {"email": typed("new@example.org"), "password": PASSWORD}
    assert post(browser, "/account/email", "/account", **changed).status_code == 303
    assert "new@example.org" in browser.get("/account").text


def test_an_optional_field_with_white_space_alone_is_empty(
    browser: FlaskClient, service: Service
) -> None:
    fields = {"handle": "zoe", "password": PASSWORD, "email": typed("")}
    assert post(browser, "/register", "/register", **fields).status_code == 303
    player = service.accounts.players.by_handle("zoe")
    assert player is not None
    assert player.email is None
    game = {"rules": "barony", "seats": "3", "clock": "3600", "option-seating": "joined"}
    entered = {**game, "arbiter": typed(""), "invite": typed(",")}
    assert post(browser, "/games", "/account", **entered).status_code == 303


def test_an_action_is_typed_with_white_space_and_capitals() -> None:
    assert read_query({"action": [typed("Move 0,0>1,0")]}).action == "move 0,0>1,0"
    assert read_query({"action": [typed("")]}).action is None


def _new_game(browser: FlaskClient, name: str) -> Callable[[str], TestResponse]:
    fields = {"rules": "barony", "seats": "3", "clock": "3600", "option-seating": "joined"}
    return lambda text: post(browser, "/games", "/account", **fields, **{name: text})


@pytest.fixture
def forms(browser: FlaskClient, service: Service) -> dict[str, Callable[[str], TestResponse]]:
    """The forms in which the visitor, an organiser, enters a handle; a refusal is a 400."""
    id = organiser(service)
    with browser.session_transaction() as session:
        session["token"] = service.accounts.players.tokens.create(id)
    club = post(browser, "/clubs", "/clubs/new", name="Wednesdays").location
    game = _new_game(browser, "name")("").location
    public = f"/tournaments/{create(service, id).id}"
    private = f"/tournaments/{create(service, id, private=True).id}"
    bea = service.accounts.players.by_handle("bea")
    assert bea is not None
    service.tournaments.tournaments.register(public.rsplit("/", maxsplit=1)[-1], bea.id, b"")
    return {
        "invite to a club": lambda text: post(browser, f"{club}/invited", club, handle=text),
        "invite to a game": lambda text: post(browser, f"{game}/invited", "/account", handle=text),
        "invite to a new game": _new_game(browser, "invite"),
        "arbiter": _new_game(browser, "arbiter"),
        "invite to a cup": lambda text: post(browser, f"{private}/invite", private, invite=text),
        "exclude": lambda text: post(browser, f"{public}/exclude", public, exclude=text),
    }


@pytest.mark.parametrize(
    "name",
    [
        *("invite to a club", "invite to a game", "invite to a new game", "arbiter"),
        *("invite to a cup", "exclude"),
    ],
)
def test_a_handle_is_found_with_white_space_around_it(
    service: Service, request: pytest.FixtureRequest, name: str
) -> None:
    service.accounts.players.register("bea", PASSWORD)
    send = request.getfixturevalue("forms")[name]
    assert send("nobody-at-all").status_code == 400
    assert send(typed("@BEA")).status_code == 303


def test_lists_are_narrowed_by_a_handle_with_white_space(
    browser: FlaskClient, service: Service
) -> None:
    ada = log_in(browser, service)
    bea, _ = service.accounts.players.register("bea", PASSWORD)
    _new_game(browser, "name")("")
    game = service.games.commands.create(
        bea.id, NewGame(rules="barony", seats=3, options={"name": "Bea's own"})
    )
    service.games.commands.join(game.id, ada)
    queries = {"player": typed("BEA")}
    shown = browser.get("/games", query_string=queries).text
    assert "Bea&#39;s own" in shown
    assert shown.count("Bea&#39;s own") == browser.get("/games?player=bea").text.count(
        "Bea&#39;s own"
    )
    opponent = browser.get("/players/ada", query_string={"opponent": typed("BEA")}).text
    assert "Bea&#39;s own" in opponent
    assert browser.get("/players/%20BEA%C2%A0").status_code == 200
