"""The language of a response is the player's own setting, else that of `Accept-Language`, else English."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from marshmallow import Schema, fields

from domain.messages import Message, PlayerAt, listing
from replay.language.catalogue import languages
from replay.language.renderer import Renderer
from service.bootstrap import Service
from service.errors import Unauthorised
from service.http.app import create_app
from service.http.language import MAX_HEADER_LENGTH, accepted_language
from service.http.schemas import requests
from service.sandboxes import api as sandboxes
from service.sandboxes.sandboxes import OpenSandbox
from tests.support.accounts import Accounts, PlayerClient, take_turn
from tests.support.round_trips import count_round_trips
from tests.support.server import WebServer
from tests.support.service_games import start_game

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
    ("header", "language"), [("fr-CH, en;q=0.5", "fr"), ("es", "es"), (";;q=,", "en"), (None, "en")]
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


def test_refusals_show_players_by_name_in_three_languages(accounts: Accounts) -> None:
    game, (ada, bea) = accounts.start_game()
    action = ada.legal_actions(game)[1][0]
    body = {"action": action, "expected_seq": 4}
    details = {}
    for language in ("en", "fr", "es"):
        url, headers = f"/api/v1/games/{game}/actions", {"Accept-Language": language}
        response = bea.http.post(url, json=body, headers=headers)
        assert response.status_code == 422
        details[language] = response.json()["detail"]
        assert ada.handle in details[language]
    assert len({*details.values()}) == 3


def test_an_explanation_is_in_the_language_of_the_request(accounts: Accounts) -> None:
    game, players = accounts.start_game()
    take_turn(game, players)
    texts, neutral = set(), []
    for language in ("en", "fr", "es"):
        headers = {"Accept-Language": language}
        response = accounts.anonymous.get(f"/api/v1/games/{game}/events/5", headers=headers)
        assert response.headers["Content-Language"] == language
        assert response.headers["Vary"] == "Accept-Language, Authorization"
        body = response.json()
        assert body["by"] == players[0].handle
        texts.add((body["event_text"], *(clause["text"] for clause in body["clauses"])))
        neutral.append([body[name] for name in ("event", "actor", "before", "after", "changes")])
    assert len(texts) == 3
    assert neutral[0] == neutral[1] == neutral[2]


def test_a_repeated_request_gets_the_same_response_in_every_language(accounts: Accounts) -> None:
    game, (ada, _) = accounts.start_game()
    _, (action, *_) = ada.legal_actions(game)
    url, body = f"/api/v1/games/{game}/actions", {"action": action, "expected_seq": 4}
    first, second = (
        ada.http.post(
            url, json=body, headers={"Idempotency-Key": "one", "Accept-Language": language}
        )
        for language in ("es", "fr")
    )
    assert first.status_code == second.status_code == 201
    assert first.json() == second.json()
    assert "Content-Language" not in second.headers


@pytest.mark.parametrize(
    ("method", "path", "content", "detail"),
    [
        (
            "POST",
            "/players",
            b'{\n "handle": }',
            "body\xa0: n'est pas du JSON valide (ligne 2, colonne 12)",
        ),
        (
            "POST",
            "/players",
            b'{"handle": "x", "password": 1}',
            "password\xa0: doit être une chaîne de caractères",
        ),
        (
            "PUT",
            "/players",
            b"",
            "PUT ne fait pas partie des méthodes qu'accepte cette ressource\xa0: OPTIONS, POST",
        ),
        ("POST", "/tokens", b"x" * 70_000, "un corps de requête peut avoir au plus 65536 octets"),
    ],
)
def test_faults_of_a_request_are_in_the_language_of_the_request(
    web: WebServer, method: str, path: str, content: bytes, detail: str
) -> None:
    headers = {"Accept-Language": "fr", "Content-Type": "application/json"}
    response = httpx.request(method, f"{web.url}/api/v1{path}", content=content, headers=headers)
    assert response.json()["detail"] == detail


def test_a_name_with_markup_is_harmless_in_a_problem(accounts: Accounts) -> None:
    name = "<b>\u202ex\x00\u0627</b>"
    body = {"handle": name, "password": "correct horse"}
    response = accounts.anonymous.post(
        "/api/v1/players", json=body, headers={"Accept-Language": "es"}
    )
    assert response.status_code == 400
    assert response.headers["Content-Type"] == "application/problem+json"
    game = accounts.anonymous.get("/api/v1/games/%3Cb%3E%E2%80%AEx%D8%A7", headers={})
    assert game.status_code == 404
    assert "\u202e" not in game.json()["detail"]


def schema_fields(schema: Schema) -> Iterator[fields.Field[Any]]:
    """Yield all fields of a schema, and those of its parts."""
    for field in schema.fields.values():
        yield field
        if isinstance(field, fields.Nested):
            yield from schema_fields(field.schema)
        if isinstance(field, fields.List):
            yield field.inner


def test_no_schema_has_a_message_of_marshmallow_itself() -> None:
    members = [*vars(requests).values(), *vars(sandboxes).values()]
    schemas = [
        member() for member in members if isinstance(member, type) and issubclass(member, Schema)
    ]
    assert len(schemas) > 20
    for schema in schemas:
        for key in ("unknown", "type"):
            assert isinstance(schema.error_messages[key], Message)
        for field in schema_fields(schema):
            if not isinstance(field, fields.Nested):
                (messages,) = {
                    isinstance(entry, list) and isinstance(entry[0], Message)
                    for entry in field.error_messages.values()
                }
                assert messages, (schema, field.name)


def test_the_language_of_a_player_costs_no_round_trip(service: Service) -> None:
    _, token = service.accounts.players.register("ada", "correct horse", locale="es")
    client = create_app(service).test_client()
    headers = {"Authorization": f"Bearer {token}", "Accept-Language": "fr"}
    counts = []
    for _ in range(2):
        with count_round_trips() as trips:
            response = client.get("/api/v1/me?nonsense=1", headers=headers)
        assert response.status_code == 400
        assert response.headers["Content-Language"] == "es"
        counts.append(trips.count)
    # The token, and the session together with the account; then nothing.
    assert counts == [2, 0]


def test_the_language_of_an_account_that_is_deleted_cannot_be_set(service: Service) -> None:
    player, token = service.accounts.players.register("ada", "correct horse")
    service.accounts.players.delete_account(player.id)
    with pytest.raises(Unauthorised):
        service.accounts.players.change_settings(player.id, token, {"locale": "fr"})
    assert not service.redis.keys(f"*{player.id}*")


def test_a_problem_names_a_bounded_number_of_fields(accounts: Accounts) -> None:
    ada = accounts.register()
    body = {"rules": "barony", "seats": 2, "invite": [1] * 1000}
    problem = ada.http.post("/api/v1/games", json=body).json()
    assert len(problem["errors"]) == 100
    assert problem["detail"].count("must be a string") == 100


def test_the_handles_of_players_are_read_once_for_several_refusals(service: Service) -> None:
    player, _ = service.accounts.players.register("ada", "correct horse")
    other, _ = service.accounts.players.register("bea", "correct horse")
    assert service.accounts.players.handles({player.id, "nobody"}) == {player.id: "ada"}
    with count_round_trips() as trips:
        assert service.accounts.players.handles({player.id, "nobody"}) == {player.id: "ada"}
        assert trips.count == 0
        assert service.accounts.players.handles([player.id, other.id]) == {
            player.id: "ada",
            other.id: "bea",
        }
    assert trips.count == 1
    service.accounts.players.delete_account(player.id)
    assert service.accounts.players.handles([player.id]) == {}


def test_a_sandbox_of_a_private_game_names_its_players_only_to_them(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ada, token), (bea, _) = (
        service.accounts.players.register(handle, "correct horse", locale="fr")
        for handle in ("ada", "bea")
    )

    def as_json(_: OpenSandbox, renderer: Renderer) -> dict[str, str]:
        return {"players": renderer(listing([PlayerAt(0), PlayerAt(1)]))}

    monkeypatch.setattr(OpenSandbox, "as_json", as_json)
    client = create_app(service).test_client()
    headers = {"Authorization": f"Bearer {token}"}
    for is_private, shown in ((False, "ada and bea"), (True, "seat 0 and seat 1")):
        game = start_game(service, players=(ada.id, bea.id), private=is_private)
        made = client.post("/api/v1/sandboxes", headers=headers, json={"game": game.id})
        assert (made.json, made.headers["Content-Language"]) == ({"players": "ada et bea"}, "fr")
        assert client.get(made.headers["Location"]).json == {"players": shown}
