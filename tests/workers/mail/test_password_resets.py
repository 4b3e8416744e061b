"""A forgotten password is recovered by a link in a mail, and nobody learns whether there is an account."""

import re
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from freezegun import freeze_time

from domain.errors import Malformed
from service.accounts.password_guesses import LoginSource
from service.bootstrap import Service
from service.bounds import Bounds
from service.errors import NotFound, TooManyRequests, Unauthorised
from service.pages.app import create_web_app
from tests.support.mail_server import MailServer
from tests.support.mailed_players import PUBLIC_URL, confirm, register
from tests.support.page_forms import post
from tests.support.redis_commands import count_commands
from tests.support.worker_harness import WorkerHarness

NEW = "battery staple"
NETWORK = "192.0.2.1"
HERE = LoginSource(NETWORK)


@pytest.fixture
def app(service: Service) -> Flask:
    return create_web_app(service)


def send(workers: WorkerHarness) -> None:
    workers.work()


def request(service: Service, workers: WorkerHarness, handle: str = "zoe") -> None:
    service.notifications.mail.password_resets.request(handle, NETWORK)
    send(workers)


def text_of(server: MailServer) -> str:
    body = server.mails[-1].message.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def link_in_mail(server: MailServer) -> str:
    (token,) = re.findall(rf"{PUBLIC_URL}/password/new/(\S+)", text_of(server))
    return str(token)


def test_the_link_changes_the_password_once_and_ends_all_sessions(
    service: Service, workers: WorkerHarness, server: MailServer
) -> None:
    zoe = register(service, "zoe", "fr")
    tokens = [service.accounts.players.login("zoe", "correct horse") for _ in range(2)]
    request(service, workers, f"{' ' * 200}@Zoe\u200b\u00a0")
    (mail,) = server.to("zoe@example.org")
    assert mail.message["Subject"] == "Choisissez un nouveau mot de passe"
    token = link_in_mail(server)
    with pytest.raises(Malformed):
        service.notifications.mail.password_resets.reset(token, "short", HERE)
    assert service.notifications.mail.password_resets.reset(token, NEW, HERE).id == zoe
    assert [service.accounts.players.tokens.owner(token) for token in tokens] == [None, None]
    with pytest.raises(Unauthorised):
        service.accounts.players.login("zoe", "correct horse")
    assert service.accounts.players.login("zoe", NEW)
    with pytest.raises(NotFound):
        service.notifications.mail.password_resets.reset(token, "another one", HERE)
    send(workers)
    assert server.mails[-1].message["Subject"] == "Votre mot de passe a été modifié"
    assert f"{PUBLIC_URL}/password/forgotten" in text_of(server)


@pytest.mark.parametrize("change", ["password", "address", "time", "other link"])
def test_a_link_is_not_valid_after_a_change_or_an_hour(
    service: Service, workers: WorkerHarness, server: MailServer, change: str
) -> None:
    zoe = register(service, "zoe")
    request(service, workers)
    token = link_in_mail(server)
    assert service.notifications.mail.password_resets.find(token).id == zoe
    match change:
        case "password":
            service.accounts.players.replace_password(zoe, NEW)
        case "address":
            service.notifications.mail.addresses.set(zoe, "other@example.org")
            confirm(service, zoe, "other@example.org")
        case "time":
            key = next(service.redis.scan_iter("cartulary:password-reset:*"))
            assert 3_590_000 < service.redis.pttl(key) <= 3_600_000
            service.redis.delete(key)
        case _:
            request(service, workers)
            service.notifications.mail.password_resets.reset(link_in_mail(server), NEW, HERE)
    with pytest.raises(NotFound):
        service.notifications.mail.password_resets.reset(token, "another one", HERE)


@pytest.mark.needs_redis("single", "sentinel")
def test_nothing_reveals_whether_there_is_an_account(
    service: Service, workers: WorkerHarness, server: MailServer, app: Flask
) -> None:
    register(service, "zoe")
    service.accounts.players.register("unconfirmed", "correct horse", "mail@example.org")
    service.accounts.players.register("mailless", "correct horse")
    guest, _ = service.accounts.players.create_guest()
    handles = ["zoe", "unconfirmed", "mailless", guest.handle, "nobody", "<b>"]
    observed = set()
    for handle in handles:
        with count_commands(service.redis) as calls:
            api = app.test_client().post("/api/v1/password-resets", json={"handle": handle})
        # A Sentinel publishes messages of its own.
        del calls["publish"]
        observed.add((api.status_code, api.data, tuple(sorted(calls.items()))))
        if handle.isascii():
            browser = app.test_client()
            page = post(browser, "/password/forgotten", "/verify", handle=handle)
            assert page.status_code == 200
            assert "a mail with a link is on its way" in page.text
    assert len(observed) == 1, observed
    send(workers)
    assert [mail.recipient for mail in server.mails] == ["zoe@example.org"] * 2


def test_nobody_can_have_many_mails_sent(
    service: Service, workers: WorkerHarness, server: MailServer
) -> None:
    register(service, "zoe")
    with freeze_time("2026-01-01T09:00:00Z", tick=False) as time:
        for number in range(20):
            service.notifications.mail.password_resets.request("zoe", f"192.0.2.{number}")
            time.tick(timedelta(seconds=1))
        send(workers)
    assert len(server.mails) == 2
    assert service.notifications.mail.password_resets.find(link_in_mail(server)).handle == "zoe"
    for _ in range(Bounds().max_password_resets_per_network):
        service.notifications.mail.password_resets.request("nobody", "198.51.100.1")
    with pytest.raises(TooManyRequests):
        service.notifications.mail.password_resets.request("zoe", "198.51.100.1")


def test_the_pages_lead_from_the_log_in_to_a_new_password(
    service: Service, workers: WorkerHarness, server: MailServer, app: Flask
) -> None:
    register(service, "zoe")
    browser: FlaskClient = app.test_client()
    login = browser.get("/login?next=%2Fgames%2Fnew").text
    assert 'href="/password/forgotten?next=%2Fgames%2Fnew"' in login
    form = browser.get("/password/forgotten?next=%2Fgames%2Fnew").text
    assert "cartulary admin reset-password" in form
    assert 'href="/login?next=%2Fgames%2Fnew"' in form
    post(browser, "/password/forgotten", "/verify", handle="zoe")
    send(workers)
    token = link_in_mail(server)
    address = f"/password/new/{token}"
    assert "Choose a new password for zoe" in browser.get(address).text
    short = post(browser, "/password/new", "/verify", token=token, new_password="x")
    assert (short.status_code, token in short.text) == (400, True)
    done = post(browser, "/password/new", "/verify", token=token, new_password=NEW)
    assert "The password of zoe is changed" in done.text
    used = browser.get(address)
    assert used.status_code == 200
    assert "This link has been used" in used.text
    assert 'href="/login"' in used.text
    assert post(browser, "/login", handle="zoe", password=NEW).status_code == 303
    account = {"password": NEW, "new_password": "third horse"}
    assert post(browser, "/account/password", "/account", **account).status_code == 303
    send(workers)
    subjects = [mail.message["Subject"] for mail in server.mails]
    assert subjects.count("Your password was changed") == 2


def test_a_player_gets_a_mail_about_a_new_personal_token(
    service: Service, workers: WorkerHarness, server: MailServer
) -> None:
    zoe = register(service, "zoe", "es")
    service.notifications.mail.account_notices.report("token_created", zoe, {"name": "my <bot>"})
    send(workers)
    (mail,) = server.to("zoe@example.org")
    assert mail.message["Subject"] == "Se ha creado un token personal"
    assert "my <bot>" in text_of(server)
    assert f"{PUBLIC_URL}/account/tokens" in text_of(server)
