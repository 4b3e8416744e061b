"""Confirming addresses: bounded numbers of mails, links that expire, bounces that disable an address."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from freezegun import freeze_time

from service import wall_clock
from service.bootstrap import Service, build
from service.errors import NotFound, TooManyRequests
from service.notifications.mail.confirmations import Confirmation
from service.settings import Settings
from tests.support.faults import raises
from tests.support.redis_contents import contents

ADDRESS = "ada@example.org"


@pytest.fixture
def service(settings: Settings) -> Iterator[Service]:
    """The parts of a service that sends mail."""
    url = "smtp://localhost?tls=none"
    service = build(replace(settings, smtp_url=url, mail_from="games@example.org"))
    yield service
    service.redis.close()


def guest(service: Service, address: str = ADDRESS) -> str:
    """Create a player with an unconfirmed address, and return the player's id."""
    player, _ = service.accounts.players.create_guest()
    service.notifications.mail.addresses.set(player.id, address)
    return player.id


def status(service: Service, player_id: str) -> str | None:
    (player,) = service.accounts.players.get([player_id])
    assert player is not None
    return player.email_status


def waiting(service: Service) -> int:
    """Return the number of mails about accounts that are to be sent now."""
    return len(service.notifications.mail.account_mails.due(wall_clock.now(), 1000))


def token(service: Service, player_id: str, address: str = ADDRESS) -> str:
    return service.notifications.mail.confirmations.create_token(Confirmation(player_id, address))


def test_a_token_confirms_the_address_and_can_be_used_again(service: Service) -> None:
    ada = guest(service)
    first, second = token(service, ada), token(service, ada)
    for value in (first, second, first):
        assert service.notifications.mail.confirmations.find(value) == Confirmation(ada, ADDRESS)
        service.notifications.mail.confirmations.confirm(value)
        assert status(service, ada) == "confirmed"


@pytest.mark.parametrize("value", ["", "x", "é" * 500, "../../etc/passwd", "*"])
def test_no_other_token_confirms_anything(service: Service, value: str) -> None:
    ada = guest(service)
    token(service, ada)
    with raises(NotFound, match="expired"):
        service.notifications.mail.confirmations.confirm(value)
    assert status(service, ada) == "unconfirmed"


def test_a_token_is_void_after_the_address_was_changed_or_removed(service: Service) -> None:
    ada = guest(service)
    value = token(service, ada)
    service.notifications.mail.addresses.set(ada, "other@example.org")
    with raises(NotFound, match="no longer that of the account"):
        service.notifications.mail.confirmations.confirm(value)
    service.notifications.mail.addresses.remove(ada)
    with raises(NotFound, match="no longer that of the account"):
        service.notifications.mail.confirmations.confirm(value)
    assert status(service, ada) is None


def test_a_token_expires(settings: Settings) -> None:
    bounds = replace(settings.bounds, confirmation_seconds=1.0)
    service = build(replace(settings, bounds=bounds))
    ada = guest(service)
    value = token(service, ada)
    (key,) = service.redis.keys("cartulary:email-confirmation:*")
    assert 0 < service.redis.pttl(key) <= 1000
    service.redis.delete(key)
    with raises(NotFound, match="expired"):
        service.notifications.mail.confirmations.confirm(value)
    service.redis.close()


def test_another_address_is_unconfirmed_and_the_same_one_stays_confirmed(service: Service) -> None:
    ada = guest(service)
    service.notifications.mail.confirmations.confirm(token(service, ada))
    service.notifications.mail.addresses.set(ada, "ada@EXAMPLE.org")
    assert status(service, ada) == "confirmed"
    service.notifications.mail.addresses.set(ada, "ada2@example.org")
    assert status(service, ada) == "unconfirmed"


def test_a_mail_is_requested_only_for_an_unconfirmed_address(service: Service) -> None:
    ada = guest(service)
    assert service.notifications.mail.confirmations.request(ada, "192.0.2.1")
    assert waiting(service) == 1
    service.notifications.mail.confirmations.confirm(token(service, ada))
    assert not service.notifications.mail.confirmations.request(ada, "192.0.2.1")
    player, _ = service.accounts.players.create_guest()
    assert not service.notifications.mail.confirmations.request(player.id, "192.0.2.1")
    assert not service.notifications.mail.confirmations.request("nobody", "192.0.2.1")
    assert waiting(service) == 1


def test_a_server_without_mail_requests_none(settings: Settings) -> None:
    service = build(settings)
    assert not service.notifications.mail.confirmations.request(guest(service), "192.0.2.1")
    assert waiting(service) == 0
    service.redis.close()


def test_one_account_cannot_have_many_mails_sent(service: Service) -> None:
    ada = guest(service)
    for number in range(5):
        service.notifications.mail.addresses.set(ada, f"a{number}@example.org")
        service.notifications.mail.confirmations.request(ada, f"192.0.2.{number}")
    with raises(TooManyRequests, match="today") as error:
        service.notifications.mail.confirmations.request(ada, "192.0.2.9")
    assert 0 < error.value.retry_after <= 24 * 3600
    assert waiting(service) == 5


def test_many_accounts_cannot_have_many_mails_sent_to_one_mailbox(service: Service) -> None:
    variants = [ADDRESS, "ADA@example.org", "ada+1@example.org", "ada+2@example.org"]
    for number, address in enumerate(variants[:3]):
        service.notifications.mail.confirmations.request(
            guest(service, address), f"192.0.2.{number}"
        )
    with raises(TooManyRequests, match="today"):
        service.notifications.mail.confirmations.request(guest(service, variants[3]), "192.0.2.9")
    assert waiting(service) == 3


def test_one_network_cannot_have_many_mails_sent(service: Service) -> None:
    for number in range(30):
        service.notifications.mail.confirmations.request(
            guest(service, f"a{number}@example.org"), "192.0.2.1"
        )
    with raises(TooManyRequests, match="today"):
        service.notifications.mail.confirmations.request(
            guest(service, "z@example.org"), "192.0.2.1"
        )
    service.notifications.mail.confirmations.request(guest(service, "z@example.org"), "192.0.2.2")
    assert waiting(service) == 31


def test_an_address_is_disabled_after_some_bounces_until_it_is_confirmed_again(
    service: Service,
) -> None:
    ada = guest(service)
    value = token(service, ada)
    service.notifications.mail.confirmations.confirm(value)
    addresses = service.notifications.mail.addresses
    for expected in ("confirmed", "confirmed", "disabled"):
        addresses.count_bounce(ada, "former@example.org")
        addresses.count_bounce(ada, ADDRESS)
        assert status(service, ada) == expected
    addresses.set(ada, ADDRESS)
    assert status(service, ada) == "disabled"
    assert service.notifications.mail.confirmations.request(ada, "192.0.2.1")
    service.notifications.mail.confirmations.confirm(value)
    assert status(service, ada) == "confirmed"
    addresses.count_bounce(ada, ADDRESS)
    assert status(service, ada) == "confirmed"


def test_an_account_that_was_deleted_does_not_come_into_being_again(service: Service) -> None:
    service.notifications.mail.addresses.count_bounce("gone", ADDRESS)
    assert not service.notifications.mail.addresses.confirm("gone", ADDRESS)
    service.notifications.mail.addresses.remove("gone")
    assert not service.redis.exists("cartulary:player:gone")


def test_nothing_but_the_account_contains_the_address(service: Service) -> None:
    ada = guest(service)
    token(service, ada)
    service.notifications.mail.confirmations.request(ada, "203.0.113.77")
    service.redis.delete(f"cartulary:player:{ada}")
    stored = contents(service.redis)
    assert "ada@" not in str(stored)
    assert "203.0.113.77" not in str(stored)


def test_a_mail_is_due_again_after_pauses_that_grow_and_then_given_up(service: Service) -> None:
    mails = service.notifications.mail.account_mails
    with freeze_time("2026-01-01", tick=False) as time:
        id = mails.add("confirmation", "p", "digest").id
        pauses = []
        while (mail := mails.begin(id)) is not None:
            began = wall_clock.now()
            assert mails.due(began, 10) == []
            if not mails.retry(mail):
                break
            while not mails.due(wall_clock.now(), 10):
                time.tick(timedelta(seconds=5))
            pauses.append((wall_clock.now() - began).total_seconds())
        assert pauses == [10, 60, 300, 1800, 7200, 21600]
        assert mails.due(wall_clock.now() + timedelta(days=9), 10) == []


def test_a_mail_that_has_expired_is_due_no_more(service: Service) -> None:
    mails = service.notifications.mail.account_mails
    id = mails.add("confirmation", "p", "digest").id
    service.redis.delete(f"cartulary:account-mail:{id}")
    assert mails.begin(id) is None
    assert mails.due(wall_clock.now(), 10) == []
