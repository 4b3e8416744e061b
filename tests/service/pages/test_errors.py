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
