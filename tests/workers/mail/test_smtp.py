"""The SMTP client, on a real server: TLS, authentication, replies, and servers that are slow or hang."""

import socket
import time
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from replay.language.renderer import english
from service.smtp_server import parse_smtp_url
from tests.support.faults import raises
from tests.support.mail_server import MailServer, mail_server, make_certificate, raw_mail_server
from tests.support.processes import HANG_SECONDS, idle_at_most
from workers.mail.smtp import MailNotSent, MailRefused, SmtpClient

SENDER, RECIPIENT = "games@example.org", "ada@example.org"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_certificate(tmp_path_factory.mktemp("tls") / "server.pem")


@pytest.fixture
def server() -> Iterator[MailServer]:
    with mail_server() as server:
        yield server


def mail(text: str = "Hello,\n.\nGrüße") -> EmailMessage:
    mail = EmailMessage()
    mail["Subject"] = "Zoë is to play"
    mail["From"] = SENDER
    mail["To"] = RECIPIENT
    mail.set_content(text)
    return mail


def client(url: str, seconds: float = HANG_SECONDS) -> SmtpClient:
    return SmtpClient(parse_smtp_url(url), seconds)


def plain_client(port: int, seconds: float = HANG_SECONDS) -> SmtpClient:
    return client(f"smtp://127.0.0.1:{port}?tls=none", seconds)


def test_a_mail_arrives_with_its_envelope_and_as_ascii(server: MailServer) -> None:
    plain_client(server.port).send(mail(), "games+tag@example.org", RECIPIENT)
    (received,) = server.mails
    assert (received.sender, received.recipient) == ("games+tag@example.org", RECIPIENT)
    assert received.content.isascii()
    assert received.message["Subject"] == "Zoë is to play"
    assert received.message.get_content().splitlines() == ["Hello,", ".", "Grüße"]


def test_an_internationalized_address_is_sent_as_such(server: MailServer) -> None:
    plain_client(server.port).send(mail(), SENDER, "zoë@bücher.example")
    (received,) = server.mails
    assert received.recipient == "zoë@bücher.example"
    assert "SMTPUTF8" in received.options


def test_a_server_without_internationalized_addresses_refuses_only_those() -> None:
    with mail_server(has_utf8=False) as server:
        with raises(MailRefused, match="internationalized"):
            plain_client(server.port).send(mail(), SENDER, "zoë@bücher.example")
        plain_client(server.port).send(mail(), SENDER, RECIPIENT)
    assert [mail.recipient for mail in server.mails] == [RECIPIENT]


@pytest.mark.parametrize("is_implicit", [False, True])
def test_a_mail_is_sent_through_tls_with_a_login(certificate: Path, is_implicit: bool) -> None:
    with mail_server(
        certificate=certificate, is_tls_implicit=is_implicit, password="p/w?"
    ) as server:
        scheme = "smtps" if is_implicit else "smtp"
        url = f"{scheme}://ada%40home:p%2Fw%3F@localhost:{server.port}?ca={certificate}"
        client(url).send(mail(), SENDER, RECIPIENT)
    assert server.logins == [("ada@home", "p/w?")]
    assert len(server.mails) == 1


@pytest.mark.parametrize("is_implicit", [False, True])
def test_a_certificate_that_no_authority_has_signed_is_not_accepted(
    certificate: Path, is_implicit: bool
) -> None:
    with mail_server(certificate=certificate, is_tls_implicit=is_implicit) as server:
        scheme = "smtps" if is_implicit else "smtp"
        with raises(MailNotSent, match="certificate verify failed"):
            client(f"{scheme}://localhost:{server.port}").send(mail(), SENDER, RECIPIENT)
    assert server.mails == []


def test_a_certificate_for_another_name_is_not_accepted(tmp_path: Path) -> None:
    other = make_certificate(tmp_path / "other.pem", "mail.example.org", "192.0.2.1")
    with (
        mail_server(certificate=other) as server,
        raises(MailNotSent, match="certificate verify failed"),
    ):
        client(f"smtp://localhost:{server.port}?ca={other}").send(mail(), SENDER, RECIPIENT)
    assert server.mails == []


def test_nothing_is_sent_in_clear_to_a_server_that_does_not_offer_tls(server: MailServer) -> None:
    url = f"smtp://ada:secret@127.0.0.1:{server.port}"
    with raises(MailNotSent, match="STARTTLS"):
        client(url).send(mail(), SENDER, RECIPIENT)
    assert server.mails == []
    assert server.logins == []


def test_a_wrong_password_is_reported_without_the_password(certificate: Path) -> None:
    with mail_server(certificate=certificate, password="right") as server:
        url = f"smtp://ada:wrong-word@localhost:{server.port}?ca={certificate}"
        with raises(MailNotSent, match="535") as error:
            client(url).send(mail(), SENDER, RECIPIENT)
    assert "wrong-word" not in english(error.value.message)


@pytest.mark.parametrize(
    ("reply", "is_address_at_fault"),
    [
        ("550 5.1.1 No such user", True),
        ("553 no such user", True),
        ("550 5.2.1 Mailbox disabled", True),
        ("552 5.2.2 Mailbox full", False),
        ("554 5.7.1 Relay access denied", False),
    ],
)
def test_a_permanently_refused_recipient_is_distinguished_from_a_refused_server(
    server: MailServer, reply: str, is_address_at_fault: bool
) -> None:
    server.recipient_replies = [reply]
    with raises(MailRefused, match="replied") as error:
        plain_client(server.port).send(mail(), SENDER, RECIPIENT)
    assert english(error.value.message) == f"127.0.0.1 replied: {reply}"
    assert error.value.is_address_at_fault is is_address_at_fault


def test_a_mail_whose_content_is_refused_says_nothing_about_the_address(server: MailServer) -> None:
    server.data_replies = ["554 5.6.0 Message refused"]
    with raises(MailRefused, match="replied") as error:
        plain_client(server.port).send(mail(), SENDER, RECIPIENT)
    assert not error.value.is_address_at_fault


@pytest.mark.parametrize("command", ["mail_replies", "recipient_replies", "data_replies"])
def test_a_temporary_refusal_can_be_tried_again(server: MailServer, command: str) -> None:
    setattr(server, command, ["451 4.3.0 Try again later"])
    with raises(MailNotSent, match=r"^127\.0\.0\.1 replied: 451 4\.3\.0 Try again later$"):
        plain_client(server.port).send(mail(), SENDER, RECIPIENT)
    plain_client(server.port).send(mail(), SENDER, RECIPIENT)
    assert len(server.mails) == 1


def test_a_refused_sender_is_a_fault_of_this_server_and_can_be_tried_again(
    server: MailServer,
) -> None:
    server.mail_replies = ["550 5.7.1 Sender refused"]
    with raises(MailNotSent, match="Sender refused"):
        plain_client(server.port).send(mail(), SENDER, RECIPIENT)


def test_a_server_that_is_down_can_be_tried_again() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with raises(MailNotSent, match="Connect call failed"):
            plain_client(unused.getsockname()[1]).send(mail(), SENDER, RECIPIENT)


def never_greet(connection: socket.socket) -> None:
    while connection.recv(65536):
        pass


def trickle_greeting(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"2")
        time.sleep(0.02)


def greet_and_continue_without_end(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"220-more\r\n")
        time.sleep(0.005)


def hang_after(command: bytes) -> Callable[[socket.socket], None]:
    """Return a conversation that replies to each command until this one, and then to nothing."""

    def converse(connection: socket.socket) -> None:
        connection.sendall(b"220 ready\r\n")
        while received := connection.recv(65536):
            if received.upper().startswith(command):
                never_greet(connection)
            elif received.upper().startswith(b"DATA"):
                connection.sendall(b"354 go on\r\n")
            else:
                connection.sendall(b"250 OK\r\n")

    return converse


def hang_up_after_data(connection: socket.socket) -> None:
    connection.sendall(b"220 ready\r\n")
    while received := connection.recv(65536):
        if received.upper().startswith(b"DATA"):
            connection.sendall(b"354 go on\r\n")
            connection.recv(65536)
            return
        connection.sendall(b"250 OK\r\n")


@pytest.mark.parametrize(
    "converse",
    [
        never_greet,
        trickle_greeting,
        greet_and_continue_without_end,
        hang_after(b"EHLO"),
        hang_after(b"MAIL"),
        hang_after(b"RCPT"),
        hang_after(b"DATA"),
        hang_after(b"SUBJECT"),
    ],
)
def test_no_server_takes_longer_than_the_limit(converse: Callable[[socket.socket], None]) -> None:
    with (
        raw_mail_server(converse) as port,
        idle_at_most(1.5),
        raises(MailNotSent, match=r"has not accepted the mail within 0\.2 s"),
    ):
        plain_client(port, seconds=0.2).send(mail(), SENDER, RECIPIENT)


def test_a_mail_is_sent_once_it_is_accepted_even_if_the_server_hangs_then() -> None:
    # The mail is accepted within the limit also on a slow machine.
    with raw_mail_server(hang_after(b"QUIT")) as port, idle_at_most(9):
        plain_client(port, seconds=5).send(mail(), SENDER, RECIPIENT)


def test_a_connection_that_is_lost_in_the_middle_of_a_delivery_can_be_tried_again() -> None:
    with raw_mail_server(hang_up_after_data) as port, raises(MailNotSent, match="Unexpected EOF"):
        plain_client(port).send(mail(), SENDER, RECIPIENT)


def test_a_server_that_hangs_during_the_tls_handshake_is_given_up_in_time() -> None:
    with (
        raw_mail_server(never_greet) as port,
        idle_at_most(1.5),
        raises(MailNotSent, match="within"),
    ):
        client(f"smtps://127.0.0.1:{port}", seconds=0.2).send(mail(), SENDER, RECIPIENT)


def test_a_slow_resolution_of_the_name_counts_towards_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: time.sleep(0.5))
    with raises(MailNotSent, match="within"):
        client("smtp://slow.example?tls=none", seconds=0.1).send(mail(), SENDER, RECIPIENT)
