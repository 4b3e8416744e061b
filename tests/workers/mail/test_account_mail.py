"""Mails about accounts, sent by a worker through a real SMTP server."""

import re
from datetime import timedelta

import pytest
from freezegun import freeze_time

from service import wall_clock
from service.bootstrap import Service
from tests.support.mail_server import MailServer
from tests.support.mailed_players import PUBLIC_URL, confirm
from tests.support.worker_harness import WorkerHarness


def register(service: Service, locale: str | None = None, address: str = "zoe@example.org") -> str:
    """Register a player with an address for which a confirmation is requested."""
    player, _ = service.accounts.players.register("Zoë", "correct horse", address, locale)
    assert service.notifications.mail.confirmations.request(player.id, "192.0.2.1")
    return player.id


def send(workers: WorkerHarness) -> None:
    """Make the attempts that are due."""
    workers.work()


def text_of(server: MailServer, index: int = -1) -> str:
    body = server.mails[index].message.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def status(service: Service, player: str) -> str | None:
    (account,) = service.accounts.players.get([player])
    assert account is not None
    return account.email_status


@pytest.mark.parametrize(
    ("locale", "subject"),
    [
        (None, "Confirm your e-mail address"),
        ("fr", "Confirmez votre adresse e-mail"),
        ("es-MX", "Confirme su dirección de correo"),
    ],
)
def test_the_link_in_a_confirmation_mail_confirms_the_address(
    service: Service, workers: WorkerHarness, server: MailServer, locale: str, subject: str
) -> None:
    zoe = register(service, locale)
    send(workers)
    (received,) = server.to("zoe@example.org")
    assert received.message["Subject"] == subject
    assert received.message["List-Unsubscribe"] is None
    html = received.message.get_body(("html",))
    assert html is not None
    (link,) = re.findall(rf"{PUBLIC_URL}/email/confirm/(\S+)", text_of(server))
    assert f'href="{PUBLIC_URL}/email/confirm/{link}"' in html.get_content()
    assert "Zoë" in text_of(server)
    service.notifications.mail.confirmations.confirm(link)
    assert status(service, zoe) == "confirmed"
    send(workers)
    assert len(server.mails) == 1


def test_an_internationalized_domain_is_sent_to_in_ascii(
    service: Service, workers: WorkerHarness, server: MailServer
) -> None:
    register(service, address="zoe@bücher.example")
    send(workers)
    (received,) = server.mails
    assert received.recipient == "zoe@xn--bcher-kva.example"
    assert received.options == ()


def test_nothing_is_sent_if_the_address_was_changed_or_confirmed_meanwhile(
    service: Service, workers: WorkerHarness, server: MailServer
) -> None:
    zoe = register(service)
    service.notifications.mail.addresses.set(zoe, "other@example.org")
    send(workers)
    service.notifications.mail.addresses.set(zoe, "zoe@example.org")
    service.notifications.mail.confirmations.request(zoe, "192.0.2.1")
    confirm(service, zoe, "zoe@example.org")
    send(workers)
    service.notifications.mail.addresses.remove(zoe)
    send(workers)
    assert server.mails == []


def test_nothing_but_a_confirmation_is_sent_to_an_unconfirmed_address(
    service: Service, workers: WorkerHarness, server: MailServer
) -> None:
    player, _ = service.accounts.players.register("Zoë", "correct horse", "zoe@example.org")
    digest = service.notifications.mail.tokens.digest("zoe@example.org")
    webhook = service.notifications.webhooks.add(player.id, "https://hook.example.org/")
    service.notifications.webhooks.record_failure(
        player.id, webhook.id, "nobody responds", is_gone=True
    )
    data = {"webhook": webhook.id}
    service.notifications.mail.account_mails.add("webhook_disabled", player.id, digest, data)
    send(workers)
    assert server.mails == []
    confirm(service, player.id, "zoe@example.org")
    service.notifications.mail.account_mails.add("webhook_disabled", player.id, digest, data)
    send(workers)
    assert "https://hook.example.org/" in text_of(server)
    assert "nobody responds" in text_of(server)
    service.notifications.webhooks.remove(player.id, webhook.id)
    service.notifications.mail.account_mails.add("webhook_disabled", player.id, digest, data)
    send(workers)
    assert len(server.mails) == 1


def test_a_mail_is_sent_again_after_a_pause_with_the_same_id(
    service: Service, workers: WorkerHarness, server: MailServer, caplog: pytest.LogCaptureFixture
) -> None:
    with freeze_time("2026-01-01T09:00:00Z", tick=False) as time:
        register(service)
        server.data_replies = ["451 4.3.0 Try again later"]
        send(workers)
        assert server.mails == []
        assert "is not sent: 127.0.0.1 replied: 451 4.3.0 Try again later" in caplog.text
        assert service.notifications.mail.account_mails.due(wall_clock.now(), 10) == []
        time.tick(timedelta(seconds=11))
        send(workers)
        (received,) = server.mails
        assert received.message["Date"] == "Thu, 01 Jan 2026 09:00:11 +0000"


def test_a_confirmation_that_is_refused_is_not_sent_again(
    service: Service, workers: WorkerHarness, server: MailServer
) -> None:
    zoe = register(service)
    server.recipient_replies = ["550 5.1.1 No such user"]
    send(workers)
    assert (
        service.notifications.mail.account_mails.due(wall_clock.now() + timedelta(days=9), 10) == []
    )
    assert status(service, zoe) == "unconfirmed"
