"""Bounces: reading reports of mail servers, and what follows from them."""

import subprocess
import sys
from collections.abc import Iterator
from email.headerregistry import Address

import pytest

from service.bootstrap import Service
from service.notifications.mail.delivery_status import read_delivery_status
from service.settings import Settings
from tests.support.mail_server import MailServer
from tests.support.mailed_players import confirm, mail_service
from tests.support.processes import HANG_SECONDS, environment

ADDRESS = "ada@example.org"
SENDER = Address("Cartulary", addr_spec="games@example.org")


@pytest.fixture
def service(settings: Settings) -> Iterator[Service]:
    with mail_service(settings, MailServer(25)) as service:
        yield service


@pytest.fixture
def ada(service: Service) -> str:
    """The id of a player with a confirmed address."""
    player, _ = service.accounts.players.create_guest()
    service.notifications.mail.addresses.set(player.id, ADDRESS)
    confirm(service, player.id, ADDRESS)
    return player.id


def envelope_sender(service: Service, player: str, number: int = 0) -> str:
    """Return the envelope sender of a mail to a player."""
    return service.notifications.mail.bounces.envelope_sender(
        SENDER, player, ADDRESS, f"mail-{number}"
    )


def report(recipient: str, status: str = "5.1.1", action: str = "failed") -> bytes:
    """Return a report as Postfix writes it."""
    return f"""\
Return-Path: <>
From: MAILER-DAEMON@mail.example.org (Mail Delivery System)
To: {recipient}
Subject: Undelivered Mail Returned to Sender
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
\tboundary="B/mail.example.org"

--B/mail.example.org
Content-Description: Notification
Content-Type: text/plain; charset=us-ascii

I'm sorry to have to inform you that your message could not be delivered.

--B/mail.example.org
Content-Description: Delivery report
Content-Type: message/delivery-status

Reporting-MTA: dns; mail.example.org
Arrival-Date: Sun, 22 Nov 2026 09:15:00 +0000 (UTC)

Final-Recipient: rfc822; {ADDRESS}
Action: {action}
Status: {status}
Remote-MTA: dns; mx.example.org
Diagnostic-Code: smtp; 550 {status} no such
    user here

--B/mail.example.org
Content-Type: message/rfc822

Subject: Barony: it is your turn
To: {ADDRESS}

--B/mail.example.org--
""".encode()


def status(service: Service, player: str) -> str | None:
    (account,) = service.accounts.players.get([player])
    assert account is not None
    return account.email_status


def test_a_report_says_why_and_for_which_mail() -> None:
    read = read_delivery_status(report("games+0123@example.org"))
    assert read is not None
    assert read.recipients == ("games+0123@example.org",)
    assert (read.status, read.diagnostic) == ("5.1.1", "550 5.1.1 no such user here")
    assert read.is_about_address


@pytest.mark.parametrize(
    ("status", "is_about_address"),
    [("5.1.1", True), ("5.2.1", True), ("5.2.2", False), ("5.7.1", False), ("4.4.1", False)],
)
def test_a_full_mailbox_and_a_rule_of_a_server_are_not_faults_of_the_address(
    status: str, is_about_address: bool
) -> None:
    read = read_delivery_status(report("x@example.org", status))
    assert read is not None
    assert read.is_about_address is is_about_address


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe\x00" * 1000,
        b"Subject: I am on holiday\n\nUntil Monday.",
        b"Content-Type: multipart/report; report-type=delivery-status\n\n",
        (
            b'Content-Type: multipart/report; report-type=delivery-status; boundary="a"\n\n--a\n'
            b"Content-Type: message/delivery-status\n\n\xff: \xff\n\n--a--"
        ),
        b'Content-Type: multipart/report; report-type=delivery-status; boundary="a"\n\n--a\n'
        + b"Content-Type: message/rfc822\n\n" * 2000,
        report("x@example.org", action="delayed"),
        report("x@example.org", action="delivered"),
        report("x@example.org", status="broken"),
        report("x@example.org").replace(b"delivery-status;", b"disposition-notification;"),
    ],
)
def test_a_mail_that_is_not_a_report_of_a_failure_is_ignored(content: bytes) -> None:
    assert read_delivery_status(content) is None


def test_three_reports_disable_an_address(service: Service, ada: str) -> None:
    for number, expected in enumerate(["confirmed", "confirmed", "disabled"]):
        content = report(envelope_sender(service, ada, number))
        for _ in range(3):
            read = read_delivery_status(content)
            assert read is not None
            service.notifications.mail.bounces.record(read)
        assert status(service, ada) == expected


def test_a_report_about_a_former_address_does_not_concern_the_new_one(
    service: Service, ada: str
) -> None:
    senders = [envelope_sender(service, ada, number) for number in range(5)]
    service.notifications.mail.addresses.set(ada, "new@example.org")
    confirm(service, ada, "new@example.org")
    for sender in senders:
        read = read_delivery_status(report(sender))
        assert read is not None
        service.notifications.mail.bounces.record(read)
    assert status(service, ada) == "confirmed"


def test_a_report_that_does_not_know_the_token_records_nothing(service: Service, ada: str) -> None:
    envelope_sender(service, ada)
    for recipient in ("games@example.org", f"games+{'0' * 32}@example.org", ADDRESS):
        read = read_delivery_status(report(recipient))
        assert read is not None
        assert service.notifications.mail.bounces.record(read) is None


def test_the_envelope_sender_is_an_address_that_every_server_accepts(
    service: Service, ada: str
) -> None:
    sender = envelope_sender(service, ada)
    local, _, domain = sender.rpartition("@")
    assert domain == "example.org"
    assert len(local) <= 64
    assert envelope_sender(service, ada) == sender
    assert envelope_sender(service, ada, 1) != sender


def test_the_command_records_a_report_from_standard_input(service: Service, ada: str) -> None:
    service.notifications.deliveries.find("mail-0")
    content = report(envelope_sender(service, ada))
    result = run_command(service, content)
    assert result.stdout == f"recorded a bounce of a mail to player {ada}\n".encode()
    assert result.returncode == 0
    bounces = service.redis.hget(f"cartulary:player:{ada}", "email_bounces")
    assert bounces == b"1"


def run_command(service: Service, content: bytes) -> "subprocess.CompletedProcess[bytes]":
    """Pipe a mail into `cartulary bounce`."""
    return subprocess.run(
        [sys.executable, "-m", "cartulary", "bounce", "--redis", service.settings.redis_url],
        env=environment() | {"CARTULARY_QUEUE_URL": service.settings.queue_url},
        input=content,
        capture_output=True,
        timeout=HANG_SECONDS,
        check=False,
    )
