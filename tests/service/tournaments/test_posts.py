"""The conversation of a tournament: who reads and writes it, moderation, reports, bounds, and erasure."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient

from domain.errors import Malformed, NotNow
from service import wall_clock
from service.bootstrap import Service, build
from service.bounds import Bounds
from service.chat.tournament_posts import posts_key
from service.errors import Forbidden, NotFound, TooManyChatMessages
from tests.support.accounts import Accounts
from tests.support.administrators import register_administrator
from tests.support.http_contract import invalid_fields
from tests.support.page_forms import PASSWORD, log_in, post
from tests.support.tournaments import create, organiser, register, settings

TOURNAMENTS = "/api/v1/tournaments"


class Scene:
    """A tournament of olga, in which p1 and p2 take part; p3 only looks on."""

    def __init__(self, service: Service, *, is_private: bool = False) -> None:
        self.service, self.posts = service, service.tournament_posts
        self.olga = organiser(service)
        handles = ("p1", "p2", "p3")
        add = service.accounts.players.register
        self.p1, self.p2, self.p3 = (add(handle, PASSWORD)[0].id for handle in handles)
        invited = {"private": True, "invite": ["p1", "p2"]} if is_private else {}
        self.id = create(service, self.olga, **invited).id
        register(service, self.id, [self.p1, self.p2])

    def texts(self, viewer: str | None = None) -> list[str | None]:
        """Return the texts as a viewer reads them."""
        return [each.text for each in self.posts.page(self.id, viewer).messages]


def test_players_and_organisers_write_and_everybody_reads(service: Service) -> None:
    scene = Scene(service)
    scene.posts.post(scene.id, scene.p1, "Hello")
    scene.posts.post(scene.id, scene.olga, "Welcome")
    assert scene.texts() == scene.texts(scene.p3) == ["Hello", "Welcome"]
    with pytest.raises(Forbidden):
        scene.posts.post(scene.id, scene.p3, "Me too")
    service.tournaments.tournaments.exclude(scene.id, scene.olga, "p1")
    with pytest.raises(Forbidden):
        scene.posts.post(scene.id, scene.p1, "Why?")
    for text in ("", "x" * (service.settings.bounds.max_message_characters + 1), "\x00"):
        with pytest.raises(Malformed) as refused:
            scene.posts.post(scene.id, scene.p2, text)
        assert set(refused.value.fields) == {"text"}
    with pytest.raises(NotFound):
        scene.posts.page("t0123456789abcdef", scene.p1)


def test_the_conversation_of_a_private_tournament_is_private(service: Service) -> None:
    scene = Scene(service, is_private=True)
    scene.posts.post(scene.id, scene.p1, "Hello")
    assert scene.texts(scene.p2) == scene.texts(scene.olga) == ["Hello"]
    acts: tuple[Callable[[], object], ...] = (
        lambda: scene.texts(scene.p3),
        lambda: scene.texts(None),
        lambda: scene.posts.latest(scene.id, scene.p3),
        lambda: scene.posts.post(scene.id, scene.p3, "Me too"),
        lambda: scene.posts.erase(scene.id, scene.p3, 1),
        lambda: scene.posts.remove(scene.id, scene.p3, 1, "because"),
        lambda: scene.posts.report(scene.id, scene.p3, 1),
    )
    for act in acts:
        with pytest.raises(NotFound):
            act()
    assert scene.texts(scene.p1) == ["Hello"]


def test_organisers_remove_posts_with_a_reason(service: Service) -> None:
    scene = Scene(service)
    scene.posts.post(scene.id, scene.p1, "Rude")
    with pytest.raises(Forbidden):
        scene.posts.remove(scene.id, scene.p2, 1, "because")
    for reason in ("", "x" * 301):
        with pytest.raises(Malformed):
            scene.posts.remove(scene.id, scene.olga, 1, reason)
    scene.posts.remove(scene.id, scene.olga, 1, "rude")
    removed = scene.posts.require(scene.id, 1)
    assert (removed.text, removed.removed_by, removed.reason) == (None, scene.olga, "rude")
    with pytest.raises(NotNow):
        scene.posts.remove(scene.id, scene.olga, 1, "again")
    scene.posts.post(scene.id, scene.p2, "Mine")
    with pytest.raises(Forbidden):
        scene.posts.erase(scene.id, scene.p1, 2)
    scene.posts.erase(scene.id, scene.p2, 2)
    assert scene.texts() == [None, None]


def test_an_erasure_takes_posts_and_reasons(service: Service) -> None:
    scene = Scene(service)
    scene.posts.post(scene.id, scene.p1, "One")
    scene.posts.post(scene.id, scene.p2, "Two")
    scene.posts.remove(scene.id, scene.olga, 2, "because of p3")
    scene.posts.report(scene.id, scene.p2, 1, "why")
    service.accounts.erasure.erase(scene.p1, PASSWORD)
    assert scene.texts() == [None, None]
    service.accounts.erasure.erase(scene.olga, PASSWORD)
    assert scene.posts.require(scene.id, 2).reason is None
    (report,), _ = service.chat_message_reports.page()
    assert (report.of, report.game, report.text) == ("tournament_post", scene.id, None)


def test_a_conversation_keeps_the_last_posts_and_few_of_each_player(service: Service) -> None:
    bounds = replace(
        service.settings.bounds, max_posts_per_tournament=3, max_tournament_posts_per_player=2
    )
    scene = Scene(build(replace(service.settings, bounds=bounds)))
    for text in ("1", "2"):
        scene.posts.post(scene.id, scene.p1, text)
    with pytest.raises(TooManyChatMessages):
        scene.posts.post(scene.id, scene.p1, "refused")
    for text in ("3", "4"):
        scene.posts.post(scene.id, scene.p2, text)
    assert scene.texts() == ["2", "3", "4"]


def test_a_member_who_leaves_a_private_club_reads_no_more(service: Service) -> None:
    ada, ben = (service.accounts.players.register(name, PASSWORD)[0].id for name in ("ada", "ben"))
    club = service.clubs.create(ada, "Wednesday", is_private=True).id
    service.clubs.invite(club, ada, ben)
    service.clubs.join(club, ben)
    fields = settings(wall_clock.now() + timedelta(days=2), options={"club": club}, private=True)
    id = service.tournaments.tournaments.create(ada, fields).id
    service.tournament_posts.post(id, ada, "Secret")
    assert service.tournament_posts.page(id, ben).last == 1
    with pytest.raises(Forbidden):
        service.tournament_posts.post(id, ben, "I do not take part")
    service.clubs.leave(club, ben)
    with pytest.raises(NotFound):
        service.tournament_posts.page(id, ben)


def test_posts_are_written_moderated_and_reported_over_http(
    accounts: Accounts, redis_client: redis.Redis
) -> None:
    admin = register_administrator(accounts, redis_client)
    bea, cid, eve = (accounts.register() for _ in range(3))
    body = settings(wall_clock.now() + timedelta(days=1))
    body["closes"] = wall_clock.format(wall_clock.now() + timedelta(days=1))
    tournament = admin.http.post(TOURNAMENTS, json=body).json()["id"]
    for player in (bea, cid):
        path = f"{TOURNAMENTS}/{tournament}/players/me"
        assert player.http.put(path, json={"nonce": "00"}).status_code in (200, 201)
    posts = f"{TOURNAMENTS}/{tournament}/posts"
    assert accounts.anonymous.get(posts).json() == {"posts": [], "last": 0, "next": None}
    assert accounts.anonymous.post(posts, json={"text": "x"}).status_code == 401
    assert eve.http.post(posts, json={"text": "x"}).status_code == 403
    unknown = f"{TOURNAMENTS}/t0123456789abcdef/posts"
    assert eve.http.get(unknown).status_code == 404
    assert eve.http.post(unknown, json={"text": "x"}).status_code == 404
    written = cid.http.post(posts, json={"text": "Rude!"}).json()
    assert (written["post"], written["text"], written["player"]["id"]) == (1, "Rude!", cid.id)
    assert invalid_fields(cid.http.post(posts, json={"text": "\x00"})) == {"text"}
    because = {"reason": "because"}
    assert bea.http.request("DELETE", f"{posts}/1", json=because).status_code == 403
    assert bea.http.delete(f"{posts}/1").status_code == 403
    assert bea.http.delete(f"{posts}/9").status_code == 404
    assert eve.http.post(f"{posts}/1/report", json={"reason": "rude"}).status_code == 204
    assert cid.http.post(f"{posts}/1/report").status_code == 409
    assert admin.http.request("DELETE", f"{posts}/1", json=because).status_code == 204
    assert admin.http.request("DELETE", f"{posts}/1", json=because).status_code == 409
    (shown,) = accounts.anonymous.get(posts).json()["posts"]
    assert (shown["text"], shown["removed_by"], shown["reason"]) == (None, admin.id, "because")
    reports = admin.http.get("/api/v1/admin/reports", params={"limit": 100}).json()["reports"]
    (report,) = (each for each in reports if each["tournament"] == tournament)
    assert (report["of"], report["game"], report["club"]) == ("tournament_post", None, None)
    bea.http.post(posts, json={"text": "Spam"})
    path = f"/api/v1/admin/tournaments/{tournament}/posts"
    assert admin.http.request("DELETE", f"{path}/2", json=because).status_code == 204
    assert admin.http.request("DELETE", f"{path}/9", json=because).status_code == 404
    assert accounts.anonymous.get(posts).json()["posts"][1]["erased"]
    most = Bounds().max_tournament_posts_per_player
    redis_client.hset(posts_key(tournament), f"count/{bea.id}", most)
    assert bea.http.post(posts, json={"text": "x"}).status_code == 409


@pytest.fixture
def friend(app: Flask) -> FlaskClient:
    return app.test_client()


def test_the_page_of_the_conversation(
    app: Flask, browser: FlaskClient, friend: FlaskClient, service: Service
) -> None:
    olga, bea = log_in(browser, service, "olga"), log_in(friend, service, "bea")
    service.administration.set_role("operator", olga, "organiser", "a test")
    id = create(service, olga).id
    own = f"/tournaments/{id}/posts"
    assert f'href="{own}"' in friend.get(f"/tournaments/{id}").text
    shown = friend.get(own).text
    assert "Nobody has written anything yet." in shown
    assert "<textarea" not in shown
    assert post(friend, own, "/verify", text="x").status_code == 403
    register(service, id, [bea])
    assert post(friend, own, own, text="<b>Hi</b>\r\nyou").location == own
    shown = browser.get(own).text
    assert "&lt;b&gt;Hi&lt;/b&gt;\nyou" in shown
    assert "Remove post 1" in shown
    assert "Remove post 1" not in friend.get(own).text
    assert "Report post 1" not in app.test_client().get(own).text
    assert post(friend, own, own, text=" ").status_code == 400
    reported = post(browser, f"{own}/1/report", own, reason="rude")
    assert "Post 1 is reported to the administrators." in reported.text
    assert post(browser, f"{own}/1/removal", own, reason=" ").status_code == 400
    assert post(browser, f"{own}/1/removal", own, reason="<i>rude").location == own
    assert "&lt;i&gt;rude" in friend.get(own).text
    post(browser, own, own, text="Mine")
    assert post(browser, f"{own}/2/erase", own).location == own
    assert "The message was erased." in browser.get(own).text
    for number in range(60):
        service.tournament_posts.post(id, bea, f"post number {number}")
    assert f'href="{own}?before=13"' in browser.get(own).text
    assert "post number 3" in browser.get(f"{own}?before=13").text
