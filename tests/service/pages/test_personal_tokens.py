"""The page on which players create and revoke personal tokens."""

import re

import pytest
from flask.testing import FlaskClient

from service.bootstrap import Service
from tests.support.page_forms import post

PAGE = "/account/tokens"


@pytest.fixture
def ada(browser: FlaskClient, service: Service) -> str:
    """The id of the player with whose session the browser sends requests."""
    player, token = service.accounts.players.register("ada", "correct horse")
    with browser.session_transaction() as session:
        session["token"] = token
    return player.id


def test_a_token_is_shown_once_and_revoked(
    browser: FlaskClient, service: Service, ada: str
) -> None:
    created = post(browser, PAGE, PAGE, name="<my> bot", read="yes", play="yes", days="30")
    assert created.status_code == 201
    match = re.search(r"cartulary_[\w-]{43}", created.text)
    assert match is not None
    tokens = service.accounts.players.tokens
    owner = tokens.owner(match.group())
    assert owner is not None
    assert (owner.id, owner.scopes) == (ada, frozenset({"read", "play"}))
    page = browser.get(PAGE).text
    assert "&lt;my&gt; bot" in page
    assert match.group() not in page
    (token,) = tokens.personal.of(ada)
    assert post(browser, f"{PAGE}/revoke", PAGE, token=token.id).status_code == 303
    assert tokens.owner(match.group()) is None
    assert "my&gt; bot" not in browser.get(PAGE).text


@pytest.mark.parametrize(
    ("field", "value"),
    [("name", ""), ("name", "x" * 61), ("read", ""), ("days", "31"), ("days", "x")],
)
def test_a_field_that_is_wrong_is_marked(
    browser: FlaskClient, service: Service, ada: str, field: str, value: str
) -> None:
    fields = {"name": "bot", "read": "yes", "days": "30", field: value}
    response = post(browser, PAGE, PAGE, **fields)
    assert response.status_code == 400
    name = "scopes" if field == "read" else field
    assert f'id="field-{name}-fault"' in response.text
    assert service.accounts.players.tokens.personal.of(ada) == []


def test_a_personal_token_is_not_a_session_of_a_browser(
    browser: FlaskClient, service: Service, ada: str
) -> None:
    _, token = service.accounts.players.tokens.personal.create(ada, "x", ["read"], 1)
    with browser.session_transaction() as session:
        session["token"] = token
    assert browser.get(PAGE).status_code in {302, 303, 401}
