"""The wall of a club: who reads and writes it, moderation, reports, bounds, and what an erasure leaves."""

from dataclasses import replace

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient

from domain.errors import Malformed, NotNow
from service.bootstrap import Service, build
from service.bounds import Bounds
from service.clubs.store import wall_key
from service.errors import Forbidden, NotFound, TooManyChatMessages
from tests.support.accounts import Accounts
from tests.support.administrators import register_administrator
from tests.support.http_contract import invalid_fields
from tests.support.page_forms import PASSWORD, log_in, post

CLUBS = "/api/v1/clubs"


class Scene:
    """A club of ada with the members bea, a moderator, and cid; eve is none."""

    def __init__(self, service: Service, *, is_private: bool = False) -> None:
        self.service, self.clubs, self.wall = service, service.clubs, service.club_wall
        register = service.accounts.players.register
        names = ("ada", "bea", "cid", "eve")
        self.ada, self.bea, self.cid, self.eve = (register(name, PASSWORD)[0].id for name in names)
        self.club = self.clubs.create(self.ada, "Wednesdays", is_private=is_private).id
        for player in (self.bea, self.cid):
            self.clubs.invite(self.club, self.ada, player)
            self.clubs.join(self.club, player)
        self.clubs.appoint(self.club, self.ada, self.bea, ["moderate"])

    def texts(self, viewer: str | None = None) -> list[str | None]:
        """Return the texts on the wall as a member sees them."""
        page = self.wall.page(self.club, viewer or self.ada)
        return [each.text for each in page.messages]


@pytest.mark.parametrize("is_private", [False, True])
def test_only_members_read_and_write_the_wall(service: Service, is_private: bool) -> None:
    scene = Scene(service, is_private=is_private)
    scene.wall.post(scene.club, scene.cid, "Who plays?")
    assert scene.texts(scene.cid) == ["Who plays?"]
    error = NotFound if is_private else Forbidden
    for act in (
        lambda: scene.wall.page(scene.club, scene.eve),
        lambda: scene.wall.latest(scene.club, None),
        lambda: scene.wall.post(scene.club, scene.eve, "Me!"),
        lambda: scene.wall.erase(scene.club, scene.eve, 1),
        lambda: scene.wall.remove(scene.club, scene.eve, 1, "because"),
        lambda: scene.wall.report(scene.club, scene.eve, 1),
    ):
        with pytest.raises(error):
            act()
    assert scene.texts() == ["Who plays?"]
    scene.clubs.leave(scene.club, scene.cid)
    with pytest.raises(error):
        scene.wall.page(scene.club, scene.cid)


def test_what_cannot_be_written_is_refused(service: Service) -> None:
    scene = Scene(service)
    for text in ("", "x" * (service.settings.bounds.max_message_characters + 1), "\x00"):
        with pytest.raises(Malformed) as refused:
            scene.wall.post(scene.club, scene.cid, text)
        assert set(refused.value.fields) == {"text"}
    assert scene.texts() == []


def test_a_moderator_removes_a_post_with_a_reason_that_members_read(service: Service) -> None:
    scene = Scene(service)
    scene.wall.post(scene.club, scene.cid, "Rude!")
    for reason in ("", "x" * 301):
        with pytest.raises(Malformed):
            scene.wall.remove(scene.club, scene.bea, 1, reason)
    with pytest.raises(NotFound):
        scene.wall.remove(scene.club, scene.bea, 2, "because")
    with pytest.raises(Forbidden):
        scene.wall.remove(scene.club, scene.cid, 1, "because")
    scene.wall.remove(scene.club, scene.bea, 1, "because")
    (shown,) = scene.wall.page(scene.club, scene.cid).messages
    removed = shown.message
    assert (removed.text, removed.removed_by, removed.reason) == (None, scene.bea, "because")
    with pytest.raises(NotNow):
        scene.wall.remove(scene.club, scene.ada, 1, "again")
    scene.wall.erase(scene.club, scene.cid, 1)
    assert scene.wall.require(scene.club, 1).reason == "because"


def test_authors_erase_their_own_posts_only(service: Service) -> None:
    scene = Scene(service)
    scene.wall.post(scene.club, scene.cid, "One")
    with pytest.raises(Forbidden, match="without a reason"):
        scene.wall.erase(scene.club, scene.bea, 1)
    for _ in range(2):
        scene.wall.erase(scene.club, scene.cid, 1)
    assert scene.texts() == [None]
    with pytest.raises(NotNow):
        scene.wall.report(scene.club, scene.ada, 1)


def test_a_wall_keeps_the_last_posts_and_few_of_each_member(service: Service) -> None:
    bounds = replace(service.settings.bounds, max_posts_per_club=3, max_posts_per_member=2)
    scene = Scene(build(replace(service.settings, bounds=bounds)))
    for text in ("1", "2"):
        scene.wall.post(scene.club, scene.cid, text)
    with pytest.raises(TooManyChatMessages):
        scene.wall.post(scene.club, scene.cid, "refused")
    for text in ("3", "4"):
        scene.wall.post(scene.club, scene.ada, text)
    assert scene.texts() == ["2", "3", "4"]
    scene.wall.post(scene.club, scene.cid, "5")
    assert scene.texts() == ["3", "4", "5"]
    with pytest.raises(NotFound):
        scene.wall.require(scene.club, 1)
    assert [each.message.number for each in scene.wall.page(scene.club, scene.ada).messages] == [
        *(3, 4, 5)
    ]


def test_muted_players_are_not_shown(service: Service) -> None:
    scene = Scene(service)
    scene.wall.post(scene.club, scene.cid, "One")
    service.accounts.mutes.add(scene.ada, scene.cid)
    assert scene.texts() == [None]
    assert scene.texts(scene.bea) == ["One"]


def test_an_erasure_takes_posts_and_reasons_and_closing_the_whole_wall(service: Service) -> None:
    scene = Scene(service)
    scene.wall.post(scene.club, scene.cid, "One")
    scene.wall.post(scene.club, scene.cid, "Two")
    scene.wall.remove(scene.club, scene.bea, 1, "because of Bea")
    scene.wall.report(scene.club, scene.ada, 2, "why")
    service.accounts.erasure.erase(scene.bea, PASSWORD)
    assert scene.wall.require(scene.club, 1).reason is None
    assert scene.texts() == [None, "Two"]
    service.accounts.erasure.erase(scene.cid, PASSWORD)
    assert scene.texts() == [None, None]
    (report,), _ = service.chat_message_reports.page()
    assert (report.of, report.game, report.text, report.reason) == ("post", scene.club, None, "why")
    scene.wall.post(scene.club, scene.ada, "Three")
    scene.clubs.close(scene.club, scene.ada)
    assert not service.redis.exists(wall_key(scene.club))


def test_a_post_of_a_club_that_is_being_closed_leaves_nothing(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = Scene(service)
    visible = scene.clubs.visible

    def visible_before_closing(club: str, viewer: str | None) -> object:
        entry = visible(club, viewer)
        scene.clubs.close(club, scene.ada)
        return entry

    monkeypatch.setattr(scene.clubs, "visible", visible_before_closing)
    scene.wall.post(scene.club, scene.ada, "Too late")
    assert not service.redis.exists(wall_key(scene.club))


def test_posts_are_written_moderated_and_reported_over_http(
    accounts: Accounts, redis_client: redis.Redis
) -> None:
    admin = register_administrator(accounts, redis_client)
    ada, bea, cid = (accounts.register() for _ in range(3))
    club = ada.http.post(CLUBS, json={"name": f"W {ada.handle}"}).json()["id"]
    path = f"{CLUBS}/{club}"
    posts = f"{path}/posts"
    assert cid.http.get(posts).status_code == 403
    token = ada.http.post(f"{path}/invitations").json()["token"]
    for player in (bea, cid):
        player.http.put(f"{path}/members/me", json={"invitation": token}).raise_for_status()
    written = cid.http.post(posts, json={"text": "Rude!"}).json()
    assert (written["post"], written["text"], written["removed_by"]) == (1, "Rude!", None)
    assert invalid_fields(cid.http.post(posts, json={"text": "\x00"})) == {"text"}
    assert cid.http.post(posts, json={"text": ""}).status_code == 400
    bea.http.post(posts, json={"text": "Hello"})
    assert bea.http.delete(f"{posts}/1").status_code == 403
    assert bea.http.delete(f"{posts}/9").status_code == 404
    because = {"reason": "because"}
    assert bea.http.request("DELETE", f"{posts}/1", json=because).status_code == 403
    ada.http.put(f"{path}/officers/{bea.handle}", json={"rights": ["moderate"]})
    assert bea.http.post(f"{posts}/1/report", json={"reason": "rude"}).status_code == 204
    assert bea.http.post(f"{posts}/2/report").status_code == 409
    assert bea.http.request("DELETE", f"{posts}/1", json=because).status_code == 204
    assert bea.http.request("DELETE", f"{posts}/1", json=because).status_code == 409
    page = cid.http.get(posts, params={"limit": 1}).json()
    assert (page["last"], page["next"], len(page["posts"])) == (2, 1, 1)
    shown = page["posts"][0]
    assert (shown["text"], shown["erased"], shown["reason"]) == (None, True, "because")
    assert shown["removed_by"] == bea.id
    reports = admin.http.get("/api/v1/admin/reports", params={"limit": 100}).json()["reports"]
    (report,) = (each for each in reports if each["club"] == club)
    assert (report["of"], report["game"], report["number"]) == ("post", None, 1)
    assert (report["text"], report["author"]) == ("Rude!", cid.id)
    for_all = f"/api/v1/admin/clubs/{club}/posts/2"
    assert admin.http.request("DELETE", for_all, json={"reason": "spam"}).status_code == 204
    assert cid.http.get(posts).json()["posts"][1]["text"] is None


@pytest.fixture
def friend(app: Flask) -> FlaskClient:
    return app.test_client()


def test_the_page_of_the_wall(browser: FlaskClient, friend: FlaskClient, service: Service) -> None:
    ada, bea = log_in(browser, service), log_in(friend, service, "bea")
    club = service.clubs.create(ada, "Wednesdays").id
    wall = f"/clubs/{club}/posts"
    assert friend.get(wall).status_code == 403
    assert wall not in friend.get(f"/clubs/{club}").text
    service.clubs.invite(club, ada, bea)
    service.clubs.join(club, bea)
    assert f'href="{wall}"' in friend.get(f"/clubs/{club}").text
    assert "Nobody has written anything yet." in friend.get(wall).text
    assert post(friend, wall, wall, text="<b>Hi</b>\r\nyou").location == wall
    shown = browser.get(wall).text
    assert "&lt;b&gt;Hi&lt;/b&gt;\nyou" in shown
    assert "Remove post 1" in shown
    assert "Remove post 1" not in friend.get(wall).text
    assert post(friend, wall, wall, text=" ").status_code == 400
    assert post(friend, f"{wall}/1/removal", wall, reason="x").status_code == 403
    reported = post(browser, f"{wall}/1/report", wall, reason="rude")
    assert "Post 1 is reported to the administrators." in reported.text
    assert post(browser, f"{wall}/1/removal", wall, reason=" ").status_code == 400
    assert post(browser, f"{wall}/1/removal", wall, reason="<i>rude").location == wall
    assert "Removed by ada:</p>" not in (removed := friend.get(wall).text)
    assert "Removed by ada:" in removed
    assert "&lt;i&gt;rude" in removed
    post(browser, wall, wall, text="Mine")
    assert post(browser, f"{wall}/2/erase", wall).location == wall
    assert "The message was erased." in browser.get(wall).text
    for number in range(60):
        service.club_wall.post(club, bea, f"post number {number}")
    assert f'href="{wall}?before=13"' in browser.get(wall).text
    assert "post number 3" in browser.get(f"{wall}?before=13").text


def test_the_posts_of_a_member_are_bounded_over_http(
    accounts: Accounts, redis_client: redis.Redis
) -> None:
    ada = accounts.register()
    club = ada.http.post(CLUBS, json={"name": f"B {ada.handle}"}).json()["id"]
    redis_client.hset(wall_key(club), f"count/{ada.id}", Bounds().max_posts_per_member - 1)
    for status in (201, 409, 409):
        response = ada.http.post(f"{CLUBS}/{club}/posts", json={"text": "x"})
        assert response.status_code == status
    assert ada.http.get(f"{CLUBS}/{club}/posts").json()["last"] == 1
