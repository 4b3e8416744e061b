"""Clubs over HTTP: creating, joining and leaving them, what owners do, their games, and who sees them."""

from typing import Any

import httpx
import redis

from domain.json_types import JsonObject
from service.bounds import Bounds
from service.clubs.store import club_key, person_field
from tests.support.accounts import Accounts, PlayerClient
from tests.support.administrators import register_administrator
from tests.support.http_contract import invalid_fields

CLUBS = "/api/v1/clubs"
UNKNOWN = f"{CLUBS}/{'0' * 16}"
RECEIVER = "https://example.org/games"
JSON = {"Content-Type": "application/json"}
CALLS: tuple[tuple[str, str, JsonObject | None], ...] = (
    ("GET", "", None),
    ("PATCH", "", {"about": "x"}),
    ("DELETE", "", None),
    ("PUT", "/owner", {"handle": "HANDLE"}),
    ("GET", "/members", None),
    ("PUT", "/members/me", {}),
    ("PUT", "/members/me", {"invitation": "x"}),
    ("DELETE", "/members/me", None),
    ("PUT", "/members/HANDLE", None),
    ("DELETE", "/members/HANDLE", None),
    ("PUT", "/officers/HANDLE", {}),
    ("DELETE", "/officers/HANDLE", None),
    ("GET", "/meetings", None),
    ("POST", "/meetings", {"title": "x", "at": "2027-01-01T00:00:00.000Z"}),
    ("PUT", "/meetings/x", {"title": "x", "at": "2027-01-01T00:00:00.000Z"}),
    ("DELETE", "/meetings/x", None),
    ("GET", "/posts", None),
    ("POST", "/posts", {"text": "x"}),
    ("DELETE", "/posts/1", None),
    ("POST", "/posts/1/report", {}),
    ("POST", "/invitations", {}),
    ("POST", "/invitations", {"handle": "HANDLE"}),
    ("DELETE", "/invitations", None),
    ("GET", "/webhook", None),
    ("PUT", "/webhook", {"url": RECEIVER}),
    ("DELETE", "/webhook", None),
    ("POST", "/webhook/test", None),
    ("GET", "/webhook/deliveries", None),
)
"""Every call about one club, with a body."""
OF_OWNERS = tuple(
    (method, path, body)
    for method, path, body in CALLS
    if not (path in ("", "/members", "/members/me", "/meetings") or path.startswith("/posts"))
    or method == "PATCH"
)


def create(owner: PlayerClient, name: str | None = None, *, private: bool = False) -> str:
    """Create a club and return its id."""
    body = {"name": name or f"Club of {owner.handle}", "private": private}
    response = owner.http.post(CLUBS, json=body)
    assert response.status_code == 201, response.text
    return str(response.json()["id"])


def send(player: Any, club: str, call: tuple[str, str, JsonObject | None], handle: str) -> Any:
    method, path, body = call
    if body is not None and "handle" in body:
        body = {"handle": handle}
    return player.request(method, f"{CLUBS}/{club}{path.replace('HANDLE', handle)}", json=body)


def test_a_club_is_created_shown_changed_and_closed(accounts: Accounts) -> None:
    ada, bea = accounts.register(), accounts.register()
    club = create(ada, f"The club  of {ada.handle}")
    path = f"{CLUBS}/{club}"
    shown = accounts.anonymous.get(path).json()
    assert shown == {
        "id": club,
        "name": f"The club of {ada.handle}",
        "about": "",
        "private": False,
        "created": shown["created"],
        "owner": {"id": ada.id, "handle": ada.handle},
        "members": 1,
        "you": None,
        "rights": [],
        "question": None,
    }
    rights = ["invite", "remove", "moderate", "edit"]
    own = {**shown, "you": "member", "rights": rights, "invitation": None}
    assert ada.http.get(path).json() == own
    listed = accounts.anonymous.get(CLUBS, params={"limit": 100}).json()["clubs"]
    assert {
        key: value for key, value in shown.items() if key not in ("you", "rights", "question")
    } in listed
    assert bea.http.post(CLUBS, json={"name": shown["name"].upper()}).status_code == 409
    for name in ("", "Admin", "x" * 33, "a\u202eb"):
        refused = ada.http.post(CLUBS, json={"name": name})
        assert invalid_fields(refused) == {"name"}
    about = "We play on Wednesdays.\nBring cake."
    changed = ada.http.patch(path, json={"about": about}).json()
    assert (changed["name"], changed["about"]) == (shown["name"], about)
    assert invalid_fields(ada.http.patch(path, json={"about": "x" * 1001})) == {"about"}
    assert ada.http.patch(path, json={}).status_code == 400
    other = create(bea)
    taken = bea.http.patch(f"{CLUBS}/{other}", json={"name": shown["name"]})
    assert taken.status_code == 409
    for invalid in (f"{CLUBS}?cursor=x", f"{CLUBS}?limit=0", f"{path}?a=b"):
        assert ada.http.get(invalid).status_code == 400
    assert ada.http.delete(path).status_code == 204
    assert ada.http.get(path).status_code == 404


def test_a_personal_token_does_not_show_the_invitation_link(accounts: Accounts) -> None:
    ada = accounts.register()
    path = f"{CLUBS}/{create(ada, private=True)}"
    assert ada.http.post(f"{path}/invitations").status_code == 201
    scopes = ["read", "play", "chat", "webhooks"]
    body = {"name": "p", "scopes": scopes, "days": 1}
    token = ada.http.post("/api/v1/me/tokens", json=body).json()["token"]
    headers = {"Authorization": f"Bearer {token}"}
    shown = accounts.anonymous.get(path, headers=headers)
    assert shown.json()["you"] == "member"
    assert "invitation" not in shown.json()


def test_players_join_and_leave_and_the_owner_hands_the_club_on(accounts: Accounts) -> None:
    ada, bea, cid, dan = (accounts.register() for _ in range(4))
    club = create(ada)
    path = f"{CLUBS}/{club}"
    invited = ada.http.post(f"{path}/invitations", json={"handle": bea.handle})
    assert (invited.status_code, invited.json()) == (201, {"invited": bea.id})
    assert [each["you"] for each in bea.http.get("/api/v1/me/clubs").json()["clubs"]] == ["invited"]
    assert bea.http.put(f"{path}/members/me").json() == {"you": "member"}
    assert cid.http.put(f"{path}/members/me", json={}).json() == {"you": "requesting"}
    token = ada.http.post(f"{path}/invitations").json()["token"]
    assert ada.http.get(path).json()["invitation"] == token
    joined = dan.http.put(f"{path}/members/me", json={"invitation": token})
    assert joined.json() == {"you": "member"}

    def players(relation: str) -> list[str]:
        query: dict[str, str | int] = {"relation": relation, "limit": 1}
        handles: list[str] = []
        while True:
            page = ada.http.get(f"{path}/members", params=query).json()
            handles += [player["handle"] for player in page["players"]]
            if page["next"] is None:
                return handles
            query["after"] = page["next"]

    assert players("requesting") == [cid.handle]
    assert players("invited") == []
    assert ada.http.put(f"{path}/members/{cid.handle}").status_code == 204
    assert players("member") == [ada.handle, bea.handle, dan.handle, cid.handle]
    again = ada.http.post(f"{path}/invitations", json={"handle": bea.handle})
    assert again.status_code == 409
    assert ada.http.delete(f"{path}/members/{ada.handle}").status_code == 409
    assert ada.http.delete(f"{path}/members/{dan.handle}").status_code == 204
    assert ada.http.delete(f"{path}/invitations").status_code == 204
    assert ada.http.delete(f"{path}/members/me").status_code == 409
    refused = ada.http.put(f"{path}/owner", json={"handle": dan.handle})
    assert refused.status_code == 409
    assert ada.http.put(f"{path}/owner", json={"handle": bea.handle}).status_code == 204
    assert ada.http.delete(f"{path}/members/me").status_code == 204
    assert bea.http.get(path).json()["owner"] == {"id": bea.id, "handle": bea.handle}


def test_what_cannot_be_is_refused(accounts: Accounts, redis_client: redis.Redis) -> None:
    ada, bea = accounts.register(), accounts.register()
    club = create(ada)
    guest = accounts.anonymous.post("/api/v1/guests").json()
    headers = {"Authorization": f"Bearer {guest['token']}"}
    path = f"{CLUBS}/{club}/members"
    assert accounts.anonymous.put(f"{path}/me", headers=headers).status_code == 409
    assert accounts.anonymous.post(CLUBS, json={"name": "G"}, headers=headers).status_code == 409
    for handle in (bea.handle, "nobody-at-all"):
        assert ada.http.put(f"{path}/{handle}").status_code == 404
        assert ada.http.delete(f"{path}/{handle}").status_code == 404
    assert bea.http.put(f"{path}/me").status_code == 200
    for number in range(Bounds().max_members_per_club):
        redis_client.hset(club_key(club), person_field(f"member-{number}"), "member 2026")
    assert ada.http.put(f"{path}/{bea.handle}").status_code == 409


def test_members_do_nothing_that_is_the_owners(accounts: Accounts) -> None:
    ada, bea = accounts.register(), accounts.register()
    club = create(ada, private=True)
    ada.http.post(f"{CLUBS}/{club}/invitations", json={"handle": bea.handle})
    bea.http.put(f"{CLUBS}/{club}/members/me")
    for call in (*OF_OWNERS, ("DELETE", "", None)):
        assert send(bea.http, club, call, ada.handle).status_code == 403, call
    for relation in ("invited", "requesting"):
        query = {"relation": relation}
        refused = bea.http.get(f"{CLUBS}/{club}/members", params=query)
        assert refused.status_code == 403
    assert len(bea.http.get(f"{CLUBS}/{club}/members").json()["players"]) == 2


def test_a_private_club_looks_nonexistent_to_strangers(accounts: Accounts) -> None:
    ada, bea, eve = (accounts.register() for _ in range(3))
    club = create(ada, private=True)
    ada.http.post(f"{CLUBS}/{club}/invitations", json={"handle": bea.handle})
    bea.http.put(f"{CLUBS}/{club}/members/me")
    for call in CALLS:
        for handle in (bea.handle, eve.handle, "nobody-at-all"):
            real, none = (send(eve.http, id, call, handle) for id in (club, "0" * 16))
            assert real.status_code == none.status_code, call
            assert _comparable(real) == _comparable(none)
            assert real.status_code in {400, 404}
    assert eve.http.get(CLUBS, params={"limit": 100}).text.count(club) == 0


def _comparable(response: httpx.Response) -> JsonObject:
    """Return the problem of a response without the ids of the club and of the request."""
    body: JsonObject = response.json()
    club = response.request.url.path.split("/")[4]
    return {
        name: value.replace(club, "CLUB") if isinstance(value, str) else value
        for name, value in body.items()
        if name != "instance"
    }


def test_queries_are_checked(accounts: Accounts) -> None:
    ada = accounts.register()
    path = f"{CLUBS}/{create(ada)}"
    for url in (
        f"{path}/members?relation=owner",
        f"{path}/members?limit=0",
        f"{path}/webhook?a=b",
        f"{path}/webhook/deliveries?limit=0",
    ):
        assert ada.http.get(url).status_code == 400


def test_the_owner_sets_tests_and_removes_the_webhook_of_a_club(accounts: Accounts) -> None:
    ada = accounts.register()
    path = f"{CLUBS}/{create(ada)}/webhook"
    assert ada.http.get(path).status_code == 404
    assert ada.http.post(f"{path}/test").status_code == 404
    for body in ({"url": "http://127.0.0.1/"}, {"url": "ftp://example.org"}, {"url": 7}, {}):
        assert invalid_fields(ada.http.put(path, json=body)) == {"url"}
    refused = ada.http.put(path, json={"url": RECEIVER, "format": "fax"})
    assert invalid_fields(refused) == {"format"}
    assert ada.http.get(path).status_code == 404
    plain = ada.http.put(path, json={"url": RECEIVER}).json()
    assert plain.pop("secret").startswith("whsec_")
    assert (plain["url"], plain["format"], plain["result"]) == (RECEIVER, "plain", None)
    assert ada.http.get(path).json() == plain
    for format in ("discord", "slack"):
        put = ada.http.put(path, json={"url": RECEIVER, "format": format}).json()
        assert "secret" not in put
        assert ada.http.get(path).json() == put
        assert (put["format"], put["id"] == plain["id"]) == (format, False)
    statuses = [ada.http.post(f"{path}/test").status_code for _ in range(20)]
    assert (statuses[0], statuses[-1]) == (204, 429)
    assert ada.http.get(f"{path}/deliveries").json() == {"deliveries": [], "next": None}
    for _ in range(2):
        assert ada.http.delete(path).status_code == 204
        assert ada.http.get(path).status_code == 404


def test_the_webhook_of_a_former_owner_receives_nothing_more(accounts: Accounts) -> None:
    ada, bea = accounts.register(), accounts.register()
    club = create(ada)
    path = f"{CLUBS}/{club}/webhook"
    ada.http.put(path, json={"url": RECEIVER, "format": "discord"}).raise_for_status()
    bea.http.put(f"{CLUBS}/{club}/members/me")
    ada.http.put(f"{CLUBS}/{club}/members/{bea.handle}")
    assert ada.http.put(f"{CLUBS}/{club}/owner", json={"handle": bea.handle}).status_code == 204
    assert bea.http.get(path).status_code == 404
    assert ada.http.get(path).status_code == 403


def test_the_private_games_of_a_club_are_listed_for_its_members(accounts: Accounts) -> None:
    ada, bea, eve = (accounts.register() for _ in range(3))
    club = create(ada, private=True)
    ada.http.post(f"{CLUBS}/{club}/invitations", json={"handle": bea.handle})
    bea.http.put(f"{CLUBS}/{club}/members/me")
    options = {"private": True, "club": club}
    game = ada.create_game(2, options=options)
    body = {"rules": "barony", "seats": 2, "options": options}

    def listed(viewer: PlayerClient, club: str = club, **query: str) -> list[str]:
        response = viewer.http.get("/api/v1/games", params={"club": club, **query})
        assert response.status_code == 200
        return [each["id"] for each in response.json()["games"]]

    assert listed(ada) == listed(bea) == listed(bea, rules="barony") == [game]
    assert listed(bea, player=ada.handle) == [game]
    assert listed(bea, rules="baron") == listed(bea, player=bea.handle) == []
    assert listed(eve) == listed(eve, "0" * 16) == listed(eve, "x") == []
    assert bea.http.get(f"/api/v1/games/{game}/record").status_code == 200
    assert eve.http.get(f"/api/v1/games/{game}").status_code == 404
    assert invalid_fields(eve.http.post("/api/v1/games", json=body)) == {"options.club"}
    refused = ada.http.post("/api/v1/games", json={**body, "invite": [bea.handle, eve.handle]})
    assert invalid_fields(refused) == {"invite.1"}
    refused = ada.http.get("/api/v1/games", params={"club": club, "vacant": "true"})
    assert refused.status_code == 400
    bea.join(game)


def test_a_profile_names_the_clubs_that_the_viewer_may_know_of(accounts: Accounts) -> None:
    ada, bea = accounts.register(), accounts.register()
    public, private = create(ada), create(ada, private=True)

    def clubs(viewer: PlayerClient) -> list[str] | None:
        profile = viewer.http.get(f"/api/v1/players/{ada.handle}").json()
        return None if profile["clubs"] is None else [club["id"] for club in profile["clubs"]]

    assert clubs(bea) == [public]
    assert set(clubs(ada) or ()) == {public, private}
    ada.http.patch("/api/v1/me", json={"profile": "nothing"})
    assert clubs(bea) is None


def test_administrators_rename_and_close_clubs(
    accounts: Accounts, redis_client: redis.Redis
) -> None:
    admin, ada = register_administrator(accounts, redis_client), accounts.register()
    club, other = create(ada), create(ada, f"Other of {ada.handle}")
    path = f"/api/v1/admin/clubs/{club}"
    body = {"name": f"Renamed {ada.handle}", "reason": "rude"}
    assert admin.http.put(f"{path}/name", json=body).status_code == 204
    assert ada.http.get(f"{CLUBS}/{club}").json()["name"] == body["name"]
    taken = {**body, "name": f"Other of {ada.handle}"}
    assert admin.http.put(f"{path}/name", json=taken).status_code == 409
    assert admin.http.request("DELETE", path, json={"reason": "rude"}).status_code == 204
    assert ada.http.get(f"{CLUBS}/{club}").status_code == 404
    assert ada.http.get(f"{CLUBS}/{other}").status_code == 200
    entries = admin.http.get("/api/v1/admin/log", params={"after": 0}).json()
    assert "rename_club" in str(entries) or entries["next"] is not None
