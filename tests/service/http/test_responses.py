"""Every response: problems, request ids, headers, methods, log lines, the documentation and health checks."""

import json
import re

import httpx
import pytest
import redis

from domain.registry import RULES
from service.store.redis_event_store import RedisEventStore
from tests.support.accounts import PASSWORD, Accounts, http_client
from tests.support.http_contract import assert_problem
from tests.support.server import WebServer


class TestUnknownRoutes:
    @pytest.mark.parametrize(
        "path",
        [
            "/api/v1/games/",
            "/api/v1//games",
            "/api/v1/nothing",
            "/api/v1/games/x/y/z",
            "/api/v1/docs/files/..%2f__init__.py",
        ],
    )
    @pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "HEAD", "PUT"])
    def test_an_unknown_path_is_a_404(self, accounts: Accounts, method: str, path: str) -> None:
        response = accounts.anonymous.request(method, path)
        assert response.status_code == 404
        assert_problem(response)

    @pytest.mark.parametrize(
        "path", ["/api", "/api/v1", "/api/v2/games", "/favicon.ico", "/%ff%fe", "/healthz/"]
    )
    @pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "HEAD", "PUT"])
    def test_an_unknown_path_outside_of_the_api_is_a_404_with_a_page_for_browsers(
        self, web: WebServer, method: str, path: str
    ) -> None:
        with http_client(web.url) as client:
            response = client.request(method, path)
        assert response.status_code == 404
        if method in ("GET", "HEAD"):
            assert response.headers["content-type"] == "text/html; charset=utf-8"
        else:
            assert_problem(response)

    @pytest.mark.parametrize(
        ("method", "path", "allowed"),
        [
            ("PUT", "/api/v1/games", {"GET", "HEAD", "OPTIONS", "POST"}),
            ("DELETE", "/api/v1/games/x", {"GET", "HEAD", "OPTIONS"}),
            ("GET", "/api/v1/players", {"OPTIONS", "POST"}),
            ("POST", "/api/v1/games/x/stream", {"GET", "HEAD", "OPTIONS"}),
            ("POST", "/healthz", {"GET", "HEAD", "OPTIONS"}),
            ("PATCH", "/api/v1/openapi.json", {"GET", "HEAD", "OPTIONS"}),
        ],
    )
    def test_an_unsupported_method_is_a_405_that_lists_the_others(
        self, accounts: Accounts, method: str, path: str, allowed: set[str]
    ) -> None:
        response = accounts.anonymous.request(method, path)
        assert response.status_code == 405
        assert set(response.headers["allow"].split(", ")) == allowed


class TestMethods:
    def test_head_returns_the_headers_of_get(self, accounts: Accounts) -> None:
        game, _ = accounts.start_game()
        for path in (f"/games/{game}", f"/games/{game}/position", f"/games/{game}/record", "/keys"):
            get = accounts.anonymous.get("/api/v1" + path)
            head = accounts.anonymous.head("/api/v1" + path)
            assert (head.status_code, head.content) == (200, b"")
            for name in ("content-length", "content-type", "etag"):
                assert head.headers.get(name) == get.headers.get(name)
        assert accounts.anonymous.head("/api/v1/games/nothing").status_code == 404
        assert accounts.anonymous.head(f"/api/v1/games/{game}/stream").status_code == 200

    def test_options_lists_what_pages_of_other_origins_may_send(self, accounts: Accounts) -> None:
        headers = {
            "Origin": "https://example.org",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type,idempotency-key",
        }
        response = accounts.anonymous.options("/api/v1/games", headers=headers)
        assert response.status_code == 200
        assert response.headers["access-control-allow-origin"] == "*"
        assert "access-control-allow-credentials" not in response.headers
        assert "POST" in response.headers["access-control-allow-methods"]
        allowed = response.headers["access-control-allow-headers"].lower().split(", ")
        assert {"authorization", "content-type", "idempotency-key", "last-event-id"} <= set(allowed)
        assert accounts.anonymous.options("/api/v1/nothing").status_code == 404


class TestRequestIds:
    def test_a_well_formed_request_id_of_the_client_is_used(self, accounts: Accounts) -> None:
        for client_id in ("abc-1.2_X", "0" * 64):
            response = accounts.anonymous.get("/healthz", headers={"X-Request-ID": client_id})
            assert response.headers["x-request-id"] == client_id

    @pytest.mark.parametrize("client_id", ["", "x" * 65, "a b", 'a"b', "../x", "a\tb"])
    def test_any_other_request_id_is_replaced(self, accounts: Accounts, client_id: str) -> None:
        response = accounts.anonymous.get("/healthz", headers={"X-Request-ID": client_id})
        assert re.fullmatch(r"[0-9a-f]{16}", response.headers["x-request-id"])

    def test_the_id_is_kept_beside_the_events_of_the_request_and_returned_by_nobody(
        self, accounts: Accounts, redis_client: redis.Redis
    ) -> None:
        headers = {"X-Request-ID": "dispute-me-1"}
        ada, bea = accounts.register(), accounts.register()
        game = ada.http.post(
            "/api/v1/games", json={"rules": "barony", "seats": 2}, headers=headers
        ).json()["id"]
        stored = RedisEventStore(redis_client).provenance(game)
        assert set(stored.values()) == {"r dispute-me-1"}
        for path in ("", "/events", "/record", "/events/1"):
            assert "dispute-me" not in ada.http.get(f"/api/v1/games/{game}{path}").text
        # Another request has another id, also on the same connection.
        bea.join(game)
        assert stored.keys() < RedisEventStore(redis_client).provenance(game).keys()
        ids = [*RedisEventStore(redis_client).provenance(game).values()]
        assert ids.count("r dispute-me-1") == len(stored)


class TestLog:
    def test_the_log_has_one_line_per_request_and_no_secrets(
        self, web: WebServer, accounts: Accounts
    ) -> None:
        game, (ada, _) = accounts.start_game()
        secret = b"a-very-secret-nonce".hex()
        ada.http.post("/api/v1/games", json={"rules": "barony", "seats": 2, "nonce": secret})
        accounts.anonymous.get(
            f"/api/v1/games/{game}/events?after=3", headers={"X-Request-ID": "me-1"}
        )
        accounts.anonymous.get("/api/v1/games?token=hush-hush")
        lines = [json.loads(line) for line in web.complete_lines()]
        (line,) = [line for line in lines if line.get("request") == "me-1"]
        assert line["method"] == "GET"
        assert line["route"] == "/api/v1/games/{game_id}/events"
        assert line["status"] == 200
        assert line["ms"] > 0
        assert line["player"] is None
        assert ada.id in [line.get("player") for line in lines]
        text = "\n".join(web.lines())
        for word in (ada.token, ada.handle + '"', PASSWORD, secret, "hush-hush", "Bearer"):
            assert word not in text

    def test_the_traceback_of_an_unexpected_error_is_logged_but_not_sent(
        self, web: WebServer, accounts: Accounts, redis_client: redis.Redis
    ) -> None:
        ada = accounts.register()
        redis_client.zadd(f"cartulary:private-note-index:{ada.id}", {"game/0000000001": 0})
        redis_client.hset(f"cartulary:private-notes:{ada.id}", "game/0000000001", "not a note")
        response = ada.http.get("/api/v1/me/notes", headers={"X-Request-ID": "fault-1"})
        assert response.status_code == 500
        assert "not a note" not in response.text
        lines = [json.loads(line) for line in web.complete_lines()]
        (error,) = [line for line in lines if line.get("request") == "fault-1" and "error" in line]
        assert "JSONDecodeError" in error["error"]


class TestDocumentation:
    def test_the_document_describes_where_a_token_is_required_or_accepted(
        self, accounts: Accounts
    ) -> None:
        document = accounts.anonymous.get("/api/v1/openapi.json").json()
        # More programs read 3.0 than 3.1.
        assert document["openapi"].startswith("3.0.")
        assert '"type": [' not in json.dumps(document)
        game = "/api/v1/games/{game_id}"
        requiring_a_token = (
            *("/api/v1/me", "/api/v1/admin", f"{game}/legal-actions", f"{game}/messages"),
            *(f"{game}/notifications", f"{game}/notes"),
            *("/api/v1/clubs/{club}/webhook", "/api/v1/clubs/{club}/posts"),
            *("/api/v1/clubs/{club}/polls", "/api/v1/clubs/{club}/challenges"),
            *("/api/v1/clubs/{club}/ratings", "/api/v1/clubs/{club}/leaderboards"),
            *(f"{game}/lessons", f"{game}/conditional-actions", f"{game}/people"),
        )
        for path, operations in document["paths"].items():
            for method, operation in operations.items():
                if method not in {"get", "post", "put", "patch", "delete"}:
                    continue
                assert operation["summary"], (method, path)
                token: dict[str, list[str]] = {"token": []}
                # A call without a scope needs no token, and does the same with one.
                if "x-scope" not in operation:
                    security: list[dict[str, list[str]]] = []
                elif path == "/api/v1/log/cosignatures" or (
                    method == "get" and not path.startswith(requiring_a_token)
                ):
                    security = [{}, token]
                else:
                    security = [token]
                assert operation["security"] == security, (method, path)
        schemas = document["components"]["schemas"]
        for name in ("CreateGame", "GameSummary"):
            assert schemas[name]["properties"]["rules"]["enum"] == sorted(RULES), name
        for name in RULES:
            position = schemas[f"{name.capitalize()}Position"]
            assert position["properties"]["rules"]["enum"] == [name]
        operation = document["paths"]["/api/v1/games/{game_id}/actions"]["post"]
        assert "requestBody" in operation
        assert {parameter["name"] for parameter in operation["parameters"]} >= {"Idempotency-Key"}


class TestHealth:
    def test_the_process_is_alive_and_ready(self, accounts: Accounts) -> None:
        assert accounts.anonymous.get("/healthz").json() == {"status": "alive"}
        assert accounts.anonymous.get("/readyz").json() == {"status": "ready"}

    def test_metrics_are_labelled_by_route_and_never_by_path(self, accounts: Accounts) -> None:
        game, (ada, _) = accounts.start_game()
        assert ada.act(game).status_code == 201
        accounts.anonymous.get("/api/v1/nowhere-in-particular")
        text = accounts.anonymous.get("/metrics").text
        assert game not in text
        assert "nowhere-in-particular" not in text
        line = 'cartulary_requests_total{method="POST",route="/api/v1/games/{game_id}/actions",status="201"}'
        assert re.search(re.escape(line) + r" [1-9]", text)
        for name in ("cartulary_request_seconds_bucket", "cartulary_streams_open"):
            assert name in text
        assert 'cartulary_events_acknowledged_total{type="GameCreated"}' in text

    def test_metrics_count_each_appended_event_once(self, accounts: Accounts) -> None:
        def created() -> float:
            text = accounts.anonymous.get("/metrics").text
            count = re.search(
                r'^cartulary_events_acknowledged_total{type="GameCreated"} (.*)', text, re.MULTILINE
            )
            return 0 if count is None else float(count[1])

        ada, before = accounts.register(), created()
        body = {"rules": "barony", "seats": 2}
        for _ in range(2):
            headers = {"Idempotency-Key": "metrics"}
            response = ada.http.post("/api/v1/games", json=body, headers=headers)
            assert response.status_code == 201
        assert created() == before + 1


def test_an_invalid_host_header_does_not_cause_a_server_error(web: WebServer) -> None:
    with http_client(web.url) as client:
        for host in ("example.org:99999", "a b", "[::", "x" * 3000):
            try:
                response = client.get("/healthz", headers={"Host": host})
            except httpx.HTTPError:
                continue
            assert response.status_code in {200, 400}
