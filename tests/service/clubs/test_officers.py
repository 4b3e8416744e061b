"""Officers of clubs: what each right allows in calls and on pages, and what ends with it."""

from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.bootstrap import Service
from service.clubs.model import RIGHTS, Right
from service.clubs.store import club_key, person_field
from service.errors import Forbidden, NotFound
from tests.support.accounts import Accounts
from tests.support.http_contract import invalid_fields
from tests.support.page_forms import PASSWORD, log_in, post

CLUBS = "/api/v1/clubs"


class Scene:
    """A club of ada with the officer bea, the member cid, dan who asks to join, and eve who is invited."""

    def __init__(self, service: Service, *rights: Right, is_private: bool = False) -> None:
        self.clubs, players = service.clubs, service.accounts.players
        names = ("ada", "bea", "cid", "dan", "eve", "fay")
        self.ids = {name: players.register(name, PASSWORD)[0].id for name in names}
        self.club = self.clubs.create(self["ada"], "Wednesdays", "x", is_private=is_private).id
        for name in ("bea", "cid", "eve"):
            self.clubs.invite(self.club, self["ada"], self[name])
            if name != "eve":
                self.clubs.join(self.club, self[name])
        if not is_private:
            self.clubs.join(self.club, self["dan"])
        self.clubs.create_link(self.club, self["ada"])
        self.wall = service.club_wall
        self.wall.post(self.club, self["ada"], "Who plays?")
        if rights:
            self.clubs.appoint(self.club, self["ada"], self["bea"], rights)

    def __getitem__(self, name: str) -> str:
        return self.ids[name]

    def relation(self, name: str) -> str | None:
        return self.clubs.visible(self.club, self["ada"]).relation(self[name])


NEEDED: dict[str, tuple[Right, Callable[[Scene, str], object]]] = {
    "invite": ("invite", lambda scene, by: scene.clubs.invite(scene.club, by, scene["fay"])),
    "make a link": ("invite", lambda scene, by: scene.clubs.create_link(scene.club, by)),
    "revoke the link": ("invite", lambda scene, by: scene.clubs.revoke_link(scene.club, by)),
    "admit": ("invite", lambda scene, by: scene.clubs.admit(scene.club, by, scene["dan"])),
    "decline": ("invite", lambda scene, by: scene.clubs.remove(scene.club, by, scene["dan"])),
    "revoke": ("invite", lambda scene, by: scene.clubs.remove(scene.club, by, scene["eve"])),
    "remove": ("remove", lambda scene, by: scene.clubs.remove(scene.club, by, scene["cid"])),
    "moderate": ("moderate", lambda scene, by: scene.wall.remove(scene.club, by, 1, "rude")),
    "edit": ("edit", lambda scene, by: scene.clubs.edit(scene.club, by, about="y")),
}


@pytest.mark.parametrize("what", NEEDED)
def test_an_officer_does_what_a_right_allows_and_nothing_else(service: Service, what: str) -> None:
    right, act = NEEDED[what]
    scene = Scene(service, *(other for other in RIGHTS if other != right))
    for by in ("bea", "cid"):
        with pytest.raises((Forbidden, NotFound)):
            act(scene, scene[by])
    scene.clubs.appoint(scene.club, scene["ada"], scene["bea"], [right])
    act(scene, scene["bea"])


def test_what_is_the_owners_is_not_an_officers(service: Service) -> None:
    scene = Scene(service, *RIGHTS)
    scene.clubs.appoint(scene.club, scene["ada"], scene["cid"], ["edit"])
    bea = scene["bea"]
    for act in (
        lambda: scene.clubs.appoint(scene.club, bea, scene["cid"], RIGHTS),
        lambda: scene.clubs.appoint(scene.club, bea, bea, RIGHTS),
        lambda: scene.clubs.remove(scene.club, bea, scene["cid"]),
        lambda: scene.clubs.edit(scene.club, bea, name="Thursdays"),
        lambda: scene.clubs.hand_on(scene.club, bea, bea),
        lambda: scene.clubs.close(scene.club, bea),
        lambda: service.club_webhooks.get(scene.club, bea),
    ):
        with pytest.raises(Forbidden):
            act()
    assert scene.relation("cid") == "member"
    scene.clubs.remove(scene.club, scene["ada"], scene["cid"])
    assert scene.relation("cid") is None


@pytest.mark.parametrize("end", ["dismissed", "left", "removed", "erased", "handed on"])
def test_the_link_that_an_officer_has_seen_ends_with_the_right(service: Service, end: str) -> None:
    scene = Scene(service, "invite")
    scene.clubs.create_link(scene.club, scene["bea"])
    scene.clubs.invite(scene.club, scene["bea"], scene["fay"])
    match end:
        case "dismissed":
            scene.clubs.appoint(scene.club, scene["ada"], scene["bea"], ["edit"])
        case "left":
            scene.clubs.leave(scene.club, scene["bea"])
        case "removed":
            scene.clubs.remove(scene.club, scene["ada"], scene["bea"])
        case "erased":
            service.accounts.erasure.erase(scene["bea"], PASSWORD)
        case _:
            scene.clubs.hand_on(scene.club, scene["ada"], scene["cid"])
    assert scene.clubs.find(scene.club).link is None
    entry = scene.clubs.visible(scene.club, scene["cid"])
    assert entry.relation(scene["fay"]) == "invited"
    stays = end in ("dismissed", "handed on")
    assert entry.inviter(scene["fay"]) == (scene["bea"] if stays else scene["ada"])
    assert entry.has_right(scene["bea"], "invite") == (end == "handed on")


def test_officers_stay_at_a_handover_and_the_new_owner_needs_no_rights(service: Service) -> None:
    scene = Scene(service, "edit")
    scene.clubs.appoint(scene.club, scene["ada"], scene["cid"], ["remove"])
    scene.clubs.hand_on(scene.club, scene["ada"], scene["bea"])
    entry = scene.clubs.visible(scene.club, scene["bea"])
    assert entry.officers() == [scene["cid"]]
    assert entry.rights(scene["bea"]) == RIGHTS
    assert entry.rights(scene["ada"]) == ()
    scene.clubs.hand_on(scene.club, scene["bea"], scene["ada"])
    assert scene.clubs.visible(scene.club, None).rights(scene["bea"]) == ()


def test_the_club_of_an_erased_owner_passes_to_an_officer(service: Service) -> None:
    scene = Scene(service)
    scene.clubs.appoint(scene.club, scene["ada"], scene["cid"], ["edit"])
    service.accounts.erasure.erase(scene["ada"], PASSWORD)
    assert scene.clubs.find(scene.club).owner == scene["cid"]
    service.accounts.erasure.erase(scene["cid"], PASSWORD)
    assert scene.clubs.find(scene.club).owner == scene["bea"]


def test_an_invitation_by_a_muted_officer_is_not_shown(service: Service) -> None:
    scene = Scene(service, "invite")
    service.accounts.mutes.add(scene["fay"], scene["bea"])
    assert not scene.clubs.invite(scene.club, scene["bea"], scene["fay"])
    assert scene.clubs.of(scene["fay"]) == []
    service.accounts.mutes.remove(scene["fay"], scene["bea"])
    (shown,) = scene.clubs.of(scene["fay"])
    assert (shown.relation, shown.inviter) == ("invited", scene["bea"])


def test_clubs_of_earlier_versions_are_read(service: Service) -> None:
    scene = Scene(service)
    since = "2026-01-01T00:00:00.000Z"
    for name, relation in (("cid", "member"), ("fay", "invited"), ("dan", "requesting")):
        service.redis.hset(club_key(scene.club), person_field(scene[name]), f"{relation} {since}")
    entry = scene.clubs.visible(scene.club, scene["ada"])
    assert entry.people[scene["cid"]].since == since
    assert entry.rights(scene["cid"]) == ()
    assert entry.inviter(scene["fay"]) == scene["ada"]


def test_officers_are_appointed_listed_and_dismissed_over_http(accounts: Accounts) -> None:
    ada, bea, cid = (accounts.register() for _ in range(3))
    body = {"name": f"Club of {ada.handle}"}
    path = f"{CLUBS}/{ada.http.post(CLUBS, json=body).json()['id']}"
    officer = f"{path}/officers/{bea.handle}"
    assert ada.http.put(officer).status_code == 409
    assert ada.http.delete(officer).status_code == 409
    ada.http.post(f"{path}/invitations", json={"handle": bea.handle})
    bea.http.put(f"{path}/members/me")
    assert ada.http.put(f"{path}/officers/nobody-at-all").status_code == 404
    assert ada.http.put(f"{path}/officers/{ada.handle}").status_code == 409
    refused = ada.http.put(officer, json={"rights": ["own"]})
    assert invalid_fields(refused) == {"rights.0"}
    assert ada.http.put(officer).status_code == 204
    assert bea.http.get(path).json()["rights"] == list(RIGHTS)
    assert bea.http.get(path).json()["invitation"] is None
    listed = accounts.anonymous.get(f"{path}/members").json()["players"]
    assert [each["rights"] for each in listed] == [list(RIGHTS), list(RIGHTS)]
    cid.http.put(f"{path}/members/me")
    asked = bea.http.get(f"{path}/members", params={"relation": "requesting"}).json()["players"]
    assert [each["handle"] for each in asked] == [cid.handle]
    assert bea.http.put(f"{path}/members/{cid.handle}").status_code == 204
    assert bea.http.patch(path, json={"about": "New"}).json()["about"] == "New"
    assert bea.http.patch(path, json={"name": f"N {bea.handle}"}).status_code == 403
    assert ada.http.put(officer, json={"rights": ["edit"]}).status_code == 204
    refused = bea.http.get(f"{path}/members", params={"relation": "requesting"})
    assert refused.status_code == 403
    assert "invitation" not in bea.http.get(path).json()
    assert bea.http.delete(f"{path}/members/{cid.handle}").status_code == 403
    for _ in range(2):
        assert ada.http.delete(officer).status_code == 204
    assert bea.http.get(path).json()["rights"] == []


@pytest.fixture
def friend(app: Flask) -> FlaskClient:
    return app.test_client()


def test_pages_offer_what_a_right_allows(
    browser: FlaskClient, friend: FlaskClient, service: Service
) -> None:
    ada, bea = log_in(browser, service), log_in(friend, service, "bea")
    club = service.clubs.create(ada, "Wednesdays").id
    address, officers = f"/clubs/{club}", f"/clubs/{club}/officers"
    assert "The club has no officers yet" in browser.get(officers).text
    refused = post(browser, officers, officers, handle="bea", invite="yes")
    assert refused.status_code == 409
    assert 'id="field-handle-fault"' in refused.text
    service.clubs.join(club, bea)
    service.clubs.admit(club, ada, bea)
    offered = ("Invite players", "Make an invitation link", "Description</h2>", "Remove ada")
    assert not any(text in friend.get(address).text for text in offered)
    assert friend.get(officers).status_code == 403
    for right, shown in (("invite", offered[:2]), ("edit", offered[2:3]), ("remove", ())):
        done = post(browser, officers, officers, **{"handle": "bea", right: "yes"})
        assert done.location == officers
        assert [text for text in offered if text in friend.get(address).text] == list(shown)
        assert service.clubs.visible(club, None).rights(bea) == (right,)
    cid = service.accounts.players.register("cid", PASSWORD)[0].id
    service.clubs.join(club, cid)
    service.clubs.admit(club, ada, cid)
    assert "Remove cid" in friend.get(address).text
    assert "Close the club" not in friend.get(address).text
    post(friend, f"{address}/remove", address, player=cid)
    assert not service.clubs.is_member(club, cid)
    assert "officer</span>" in browser.get(address).text
    assert post(browser, f"{officers}/dismiss", officers, handle="bea").location == officers
    assert service.clubs.visible(club, None).officers() == []


def test_the_page_of_a_handover_says_who_receives_what(
    browser: FlaskClient, friend: FlaskClient, service: Service
) -> None:
    ada, bea = log_in(browser, service), log_in(friend, service, "bea")
    ids = [service.accounts.players.register(name, PASSWORD)[0].id for name in ("cid", "dan")]
    club = service.clubs.create(ada, "Wednesdays", is_private=True).id
    for player in (bea, *ids):
        service.clubs.invite(club, ada, player)
    service.clubs.join(club, bea)
    service.clubs.join(club, ids[0])
    address = f"/clubs/{club}/owner?player={bea}"
    empty = browser.get(address).text
    assert "There is no invitation link" in empty
    assert "There is no webhook" in empty
    service.clubs.appoint(club, ada, ids[0], ["edit"])
    service.clubs.create_link(club, ada)
    service.club_webhooks.set(club, ada, "https://example.org/hook", "plain")
    full = browser.get(address).text
    assert "The invitation link: nobody joins with it any more." in full
    assert "The webhook to https://example.org/hook" in full
    assert "edits the description, the question and the agenda of the club" in full
    assert "dan is invited, and can still accept." in full
    for other in (ada, ids[1], "nobody", ""):
        assert browser.get(f"/clubs/{club}/owner?player={other}").status_code == 404
    assert friend.get(address).status_code == 403
    assert post(browser, f"/clubs/{club}/owner", address, player=bea).location == f"/clubs/{club}"
    assert service.clubs.find(club).owner == bea
    assert service.club_webhooks.get(club, bea) is None
