"""Errors are pages with a way forward, and the API still responds with problems."""

import pytest
from flask.testing import FlaskClient

from service.pages.blueprint import CONTENT_SECURITY_POLICY


def test_an_unknown_address_is_a_page_with_a_way_forward(browser: FlaskClient) -> None:
    response = browser.get("/no/such/page")
    assert response.status_code == 404
    assert response.content_type == "text/html; charset=utf-8"
    assert response.headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
    assert "Access-Control-Allow-Origin" not in response.headers
    assert 'href="/"' in response.text


def test_an_unknown_address_of_the_api_is_a_problem(browser: FlaskClient) -> None:
    response = browser.get("/api/v1/no-such-call")
    assert response.status_code == 404
    assert response.content_type == "application/problem+json"
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert "Set-Cookie" not in response.headers


@pytest.mark.parametrize(
    ("language", "heading"),
    [
        ("en", "There is no such page"),
        ("fr", "Cette page n&#39;existe pas"),
        ("es", "Esta página no existe"),
    ],
)
def test_errors_are_in_the_language_of_the_visitor(
    browser: FlaskClient, language: str, heading: str
) -> None:
    response = browser.get("/no/such/page", headers={"Accept-Language": language})
    assert f"<h1>{heading}</h1>" in response.text
    assert response.headers["Content-Language"] == language


@pytest.mark.parametrize("path", ["/logout", "/games/0/actions", "/play"])
def test_the_address_of_a_form_is_a_page_when_it_is_opened(browser: FlaskClient, path: str) -> None:
    response = browser.get(path)
    assert response.status_code == 405
    assert response.content_type == "text/html; charset=utf-8"
    assert set(response.headers["Allow"].split(", ")) == {"OPTIONS", "POST"}
    assert "<h1>This page does not accept such a request</h1>" in response.text
    assert 'href="/"' in response.text


def test_a_method_that_no_form_sends_is_refused_with_a_problem(browser: FlaskClient) -> None:
    assert browser.put("/login").content_type == "application/problem+json"
    api = browser.post("/api/v1/games/0/events")
    assert (api.status_code, api.content_type) == (405, "application/problem+json")


def test_a_part_of_a_page_is_not_stored_as_the_page(browser: FlaskClient) -> None:
    assert "HX-Target" in browser.get("/").headers["Vary"]
