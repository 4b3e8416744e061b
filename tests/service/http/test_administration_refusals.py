"""What administrators may not do over HTTP, and what nobody else may do."""

from datetime import timedelta

import httpx
import pytest
import redis

from service import wall_clock
from service.administration.log import AdministrationLog
from tests.support.accounts import Accounts, Json, PlayerClient
from tests.support.administrators import (
    ADMIN,
    ANNOUNCEMENT,
    WHY,
    ended_delivery,
    register_administrator,
    reported_message,
    uploaded_record,
)
from tests.support.http_contract import invalid_fields
from tests.support.tournaments import settings

OPERATIONS: tuple[tuple[str, str, Json | None], ...] = (
    ("GET", "/players/ID", None),
    ("POST", "/players/ID/password", WHY),
    ("DELETE", "/players/ID/sessions", WHY),
    ("PUT", "/players/ID/suspension", WHY),
    ("DELETE", "/players/ID/suspension", WHY),
    ("DELETE", "/players/ID", WHY),
    ("PUT", "/players/ID/role", WHY),
    ("DELETE", "/players/ID/role", WHY),
    ("POST", "/games/GAME/removals", {**WHY, "seat": 0}),
    ("POST", "/games/GAME/seat-moves", {**WHY, "seat": 0, "player": "nobody"}),
    ("POST", "/games/GAME/abandonment", WHY),
    ("POST", "/games/GAME/extensions", {**WHY, "seconds": 60}),
    ("PUT", "/games/GAME/rating-exclusion", WHY),
    ("DELETE", "/games/GAME/rating-exclusion", WHY),
    ("POST", "/deliveries/DELIVERY/attempts", WHY),
    ("POST", "/deliveries/DELIVERY/cancellation", WHY),
    ("DELETE", "/reports/REPORT", WHY),
    ("PUT", "/clubs/CLUB/name", {"name": "Thursday", **WHY}),
    ("DELETE", "/clubs/CLUB", WHY),
    ("DELETE", "/clubs/CLUB/posts/1", WHY),
    ("GET", "/tournaments/TOURNAMENT", None),
    ("POST", "/tournaments/TOURNAMENT/cancellation", WHY),
    ("POST", "/announcements", ANNOUNCEMENT),
    ("DELETE", "/announcements/ANNOUNCEMENT", WHY),
    ("DELETE", "/imports/IMPORT", WHY),
)
INVALID_ANNOUNCEMENTS: tuple[tuple[Json, str], ...] = (
    *(({"texts": texts}, "texts") for texts in ({"fr": "Bonjour"}, {"en": "A", "xx": "B"}, "x")),
    *(({"texts": {"en": text}}, "texts") for text in ("", " ", "two\nlines", "\u202e", "x" * 501)),
    *(
        ({"ends": ends}, "ends")
        for ends in ("", "x", "2020-01-01T00:00:00Z", "9999-01-01T00:00:00Z")
    ),
    ({"ends": ANNOUNCEMENT["ends"].removesuffix("Z")}, "ends"),
)
WITH_BODY = tuple(operation for operation in OPERATIONS if operation[2] is not None)


@pytest.fixture
def admin(accounts: Accounts, redis_client: redis.Redis) -> PlayerClient:
    """A player with the role of an administrator."""
    return register_administrator(accounts, redis_client)


def send(
    client: httpx.Client, operation: tuple[str, str, Json | None], player: str, game: str
) -> httpx.Response:
    method, path, body = operation
    return client.request(method, ADMIN + filled(path, player, game), json=body)


def filled(path: str, player: str, game: str, **others: str) -> str:
    """Return a path with ids in place of names; "0" for a name without one."""
    ids = {
        "ID": player,
        "GAME": game,
        "DELIVERY": "0",
        "REPORT": "0",
        "CLUB": "0" * 16,
        "TOURNAMENT": "t" + "0" * 16,
        "ANNOUNCEMENT": "0",
        "IMPORT": "0",
        **others,
    }
    return "/".join(ids.get(part, part) for part in path.split("/"))


class TestRefusals:
    def test_targets_must_exist_even_if_the_body_is_wrong(
        self, admin: PlayerClient, redis_client: redis.Redis
    ) -> None:
        before = len(list(AdministrationLog(redis_client).entries()))
        for method, path, body in OPERATIONS:
            if any(name.isupper() for name in path.split("/")):
                for content in (body, {"seat": "x"}) if body else (None,):
                    response = send(admin.http, (method, path, content), "nobody", "0" * 16)
                    assert response.status_code == 404, (path, content)
        assert len(list(AdministrationLog(redis_client).entries())) == before

    def test_bad_requests_change_nothing(
        self, accounts: Accounts, admin: PlayerClient, redis_client: redis.Redis
    ) -> None:
        game, (ada, bea) = accounts.start_game()
        head = ada.http.get(f"/api/v1/games/{game}").json()["head"]
        announcement = admin.http.post(f"{ADMIN}/announcements", json=ANNOUNCEMENT).json()["id"]
        before = len(list(AdministrationLog(redis_client).entries()))
        delivery = ended_delivery(redis_client, ada.id, game)
        report = reported_message(ada, bea, game, redis_client)
        club = ada.http.post("/api/v1/clubs", json={"name": "Mondays", "private": True}).json()[
            "id"
        ]
        fields = settings(
            wall_clock.now() + timedelta(days=1), options={"club": club}, private=True
        )
        ada.http.post(f"/api/v1/clubs/{club}/posts", json={"text": "x"}).raise_for_status()
        tournament = ada.http.post("/api/v1/tournaments", json=fields).json()["id"]
        targets = {
            "DELIVERY": delivery,
            "REPORT": report,
            "ANNOUNCEMENT": announcement,
            "IMPORT": uploaded_record(ada),
            "CLUB": club,
            "TOURNAMENT": tournament,
        }
        for method, path, body in WITH_BODY:
            assert body is not None
            url = ADMIN + filled(path, ada.id, game, **targets)
            for content in ({**body, "reason": ""}, {**body, "reason": "x" * 501}):
                response = admin.http.request(method, url, json=content)
                assert invalid_fields(response) == {"reason"}, path
        for path in (
            "/players?limit=0",
            "/games?status=lost",
            "/games?cursor=x",
            "/log?after=-1",
            "/reports?cursor=x",
            "/tournaments?cursor=x",
        ):
            assert admin.http.get(ADMIN + path).status_code == 400, path
        for change, field in INVALID_ANNOUNCEMENTS:
            response = admin.http.post(f"{ADMIN}/announcements", json=ANNOUNCEMENT | change)
            assert invalid_fields(response) == {field}, change
        assert len(list(AdministrationLog(redis_client).entries())) == before
        assert ada.http.get(f"/api/v1/games/{game}").json()["head"] == head
        admin.http.request("DELETE", f"{ADMIN}/announcements/{announcement}", json=WHY)
