"""Announcements of administrators over HTTP."""

import redis

from service.administration.announcements import MAX_ANNOUNCEMENTS
from service.administration.log import AdministrationLog
from tests.support.accounts import Accounts
from tests.support.administrators import (
    ADMIN,
    ANNOUNCEMENT,
    WHY,
    last_entries,
    register_administrator,
)

PATH = "/api/v1/announcements"


def test_an_announcement_is_for_everybody_until_it_is_withdrawn(
    accounts: Accounts, redis_client: redis.Redis
) -> None:
    admin = register_administrator(accounts, redis_client)
    created = [
        admin.http.post(f"{ADMIN}/announcements", json=ANNOUNCEMENT).json()
        for _ in range(MAX_ANNOUNCEMENTS)
    ]
    assert last_entries(redis_client, 1) == [(admin.id, "announce")]
    *_, entry = AdministrationLog(redis_client).entries()
    assert entry["details"]["texts"] == ANNOUNCEMENT["texts"]
    assert admin.http.post(f"{ADMIN}/announcements", json=ANNOUNCEMENT).status_code == 409
    for language, read in (("en", "en"), ("fr", "fr"), ("es", "en")):
        listed = accounts.anonymous.get(PATH, headers={"Accept-Language": language}).json()
        ids = [announcement["id"] for announcement in listed["announcements"]]
        assert ids == [announcement["id"] for announcement in created]
        assert {one["language"] for one in listed["announcements"]} == {read}
        assert {one["text"] for one in listed["announcements"]} == {ANNOUNCEMENT["texts"][read]}
    stranger = {"Authorization": "Bearer unknown"}
    assert accounts.anonymous.get(PATH, headers=stranger).status_code == 401
    for announcement in created:
        url = f"{ADMIN}/announcements/{announcement['id']}"
        assert admin.http.request("DELETE", url, json=WHY).status_code == 204
        assert admin.http.request("DELETE", url, json=WHY).status_code == 404
    assert last_entries(redis_client, 1) == [(admin.id, "withdraw_announcement")]
    assert AdministrationLog(redis_client).first_fault() is None
    assert accounts.anonymous.get(PATH).json() == {"announcements": [], "next": None}
    assert accounts.anonymous.get(PATH, params={"page": "2"}).status_code == 400
