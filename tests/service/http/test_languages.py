"""The language of a response is the player's own setting, else that of `Accept-Language`, else English."""

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.language.catalogue import languages
from service.http.language import MAX_HEADER_LENGTH, accepted_language
from tests.support.accounts import Accounts, PlayerClient
from tests.support.server import WebServer

NO_RESOURCE = {
    "en": "there is no resource at this address",
    "fr": "il n'y a pas de ressource à cette adresse",
    "es": "no hay ningún recurso en esta dirección",
}


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("fr", "fr"),
        ("FR-ch", "fr"),
        ("es-419,es;q=0.9,en;q=0.8", "es"),
        ("en-GB, fr;q=0.9", "en"),
        ("fr-CH, en;q=0.5", "fr"),
        ("de, fr;q=0.3, es;q=0.4", "es"),
        ("fr;q=0.5, es;q=0.5", "fr"),
        ("de", "en"),
        ("*", "en"),
        ("fr;q=0.5, *", "en"),
        ("en;q=0, fr;q=0.1", "fr"),
        ("en;q=0, *", "es"),
        ("fr;q=0", "en"),
        ("fr;q=high, es;q=0.1", "es"),
        ("", "en"),
        (";;,=, fr", "fr"),
        ("fr" + " " * MAX_HEADER_LENGTH, "en"),
        (",".join(["fr"] * 1000), "en"),
    ],
)
def test_the_preferred_language_that_exists_is_accepted(header: str, language: str) -> None:
    assert accepted_language(header) == language


@given(
    st.text(st.characters(max_codepoint=255))
    | st.lists(st.sampled_from(["fr", "es-MX", "*", "de", ";", "q=", "0.5", "1e9", '"', "="])).map(
        "".join
    )
)
def test_any_header_selects_a_language(header: str) -> None:
    assert accepted_language(header) in languages()


def refusal(client: httpx.Client | PlayerClient, accept_language: str | None) -> httpx.Response:
    """Request an unknown resource."""
    http = client.http if isinstance(client, PlayerClient) else client
    headers = {} if accept_language is None else {"Accept-Language": accept_language}
    response = http.get("/api/v1/nothing", headers=headers)
    assert response.status_code == 404
    return response


@pytest.mark.parametrize(
    ("header", "language"),
    [("fr-CH, en;q=0.5", "fr"), ("es", "es"), (";;q=,", "en"), (None, "en")],
)
def test_a_refusal_is_in_the_language_of_the_header(
    web: WebServer, header: str | None, language: str
) -> None:
    with httpx.Client(base_url=web.url) as client:
        response = refusal(client, header)
    assert response.json()["detail"] == NO_RESOURCE[language]
    assert response.json()["type"] == "urn:cartulary:problem:not-found"
    assert response.headers["Content-Language"] == language
    assert response.headers["Vary"] == "Accept-Language, Authorization"


@pytest.mark.http("PATCH /me", 200, 400, 401)
def test_the_setting_of_a_player_takes_precedence_over_the_header(accounts: Accounts) -> None:
    ada = accounts.register()
    assert refusal(ada, "es").json()["detail"] == NO_RESOURCE["es"]
    response = ada.http.patch("/api/v1/me", json={"locale": "fr-CH"})
    assert response.status_code == 200
    assert response.json()["player"]["locale"] == "fr-CH"
    assert refusal(ada, "es").json()["detail"] == NO_RESOURCE["fr"]
    # The server has no German: the header decides.
    ada.http.patch("/api/v1/me", json={"locale": "de"})
    assert refusal(ada, "es").headers["Content-Language"] == "es"
    refused = ada.http.patch("/api/v1/me", json={"locale": "not a tag"})
    assert (refused.status_code, refused.headers["Content-Language"]) == (400, "en")
    assert ada.http.get("/api/v1/me").json()["player"]["locale"] == "de"
    ada.http.patch("/api/v1/me", json={"locale": None})
    assert ada.http.get("/api/v1/me").json()["player"]["locale"] is None
    assert accounts.anonymous.patch("/api/v1/me", json={"locale": "fr"}).status_code == 401


def test_the_setting_is_that_of_the_registration(accounts: Accounts) -> None:
    ada = accounts.register(locale="es")
    assert refusal(ada, "fr").json()["title"] == "El recurso no existe"


def test_positions_and_events_have_no_language(accounts: Accounts) -> None:
    game, (ada, _) = accounts.start_game()
    for path in ("position", "events", "record"):
        url = f"/api/v1/games/{game}/{path}"
        english, french = (
            ada.http.get(url, headers={"Accept-Language": language}) for language in ("en", "fr")
        )
        assert english.content == french.content
        assert "Content-Language" not in french.headers
        assert "Accept-Language" not in french.headers.get("Vary", "")
