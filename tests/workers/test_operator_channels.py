"""The operator's channels: one writes lines to the log, the other posts with an idempotency key."""

import logging
import socket
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import replace
from threading import Event
from typing import Any

import pytest

from domain.messages import message
from replay.language.renderer import english
from service.notifications.delivery import Delivery
from service.notifications.notification import Notification
from service.settings import Settings, SettingsError
from tests.support.faults import raises
from tests.support.processes import HANG_SECONDS, idle_at_most
from tests.support.receiver import WebhookReceiver, raw_receiver, webhook_receiver
from workers.notifications.channel import NotDelivered
from workers.notifications.operator import LogChannel, OperatorWebhookChannel, operator_channels_of

NOTIFICATION = Notification(
    id="abc123",
    kind="your_turn",
    subject="your_turn",
    player="",
    players=("ada",),
    game_id="g1",
    rules="some",
    seq=17,
    title=message("it is your turn"),
    details={"seat": 0, "round": 2},
)
DELIVERY = Delivery(
    id="abc123",
    kind="your_turn",
    subject="your_turn",
    game_id="g1",
    seq=17,
    player="",
    channel="log",
    endpoint="",
    created_at="2026-11-20T09:15:00.000Z",
    due_at=None,
)


@pytest.fixture
def receiver() -> Iterator[WebhookReceiver]:
    with webhook_receiver() as receiver:
        yield receiver


def test_a_webhook_posts_the_notification_as_json(receiver: WebhookReceiver) -> None:
    OperatorWebhookChannel(receiver.url).send(DELIVERY, NOTIFICATION)
    (request,) = receiver.requests
    assert request.body == NOTIFICATION.as_json()
    assert request.body["delivery"] == request.headers["idempotency-key"] == "abc123"
    credentials = b64encode(b"somebody:secret-word").decode()
    assert request.headers["authorization"] == f"Basic {credentials}"
    assert request.headers["content-type"] == "application/json"
    assert request.headers["user-agent"].startswith("cartulary/")


@pytest.mark.parametrize("status", [302, 400, 404, 410, 500, 503])
def test_a_response_other_than_success_means_that_a_notification_was_not_delivered(
    receiver: WebhookReceiver, status: int
) -> None:
    receiver.statuses.append(status)
    with raises(NotDelivered, match=rf"^127\.0\.0\.1 responded with status {status}$"):
        OperatorWebhookChannel(receiver.url).send(DELIVERY, NOTIFICATION)
    OperatorWebhookChannel(receiver.url).send(DELIVERY, NOTIFICATION)
    assert [request.body["delivery"] for request in receiver.requests] == ["abc123", "abc123"]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_and_no_credentials_reach_another_host(
    receiver: WebhookReceiver, status: int
) -> None:
    with webhook_receiver() as other:
        receiver.statuses.append(status)
        receiver.location = other.url.replace("127.0.0.1", "localhost")
        with raises(NotDelivered, match=f"status {status}"):
            OperatorWebhookChannel(receiver.url).send(DELIVERY, NOTIFICATION)
        assert other.requests == []


def test_the_time_for_a_response_is_limited(receiver: WebhookReceiver) -> None:
    receiver.delay = 0.5
    with raises(NotDelivered, match="does not respond"):
        OperatorWebhookChannel(receiver.url, timeout=0.05).send(DELIVERY, NOTIFICATION)


def test_the_time_is_limited_even_if_the_receiver_keeps_sending_data(
    receiver: WebhookReceiver,
) -> None:
    receiver.slow_headers = 30
    with idle_at_most(2), raises(NotDelivered, match="does not respond"):
        OperatorWebhookChannel(receiver.url, timeout=0.3).send(DELIVERY, NOTIFICATION)


def trickle_status_line(connection: socket.socket) -> None:
    for number in range(100):
        connection.sendall(b"HTTP/1.1 200 OK"[number : number + 1] or b"K")
        time.sleep(0.05)


def trickle_headers(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    for number in range(100):
        connection.sendall(b"X-%d: slow\r\n" % number)
        time.sleep(0.05)


def trickle_informational_responses(connection: socket.socket) -> None:
    for _ in range(100):
        connection.sendall(b"HTTP/1.1 102 Processing\r\n\r\n")
        time.sleep(0.05)


def never_answer(connection: socket.socket) -> None:
    while connection.recv(65536):
        pass


def send_a_huge_header(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Huge: ")
    while True:
        connection.sendall(b"x" * 65536)


def send_headers_without_end(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        connection.sendall(b"X-Many: header\r\n" * 4096)


def send_no_http(connection: socket.socket) -> None:
    connection.sendall(b"220 mail.example.org ESMTP\r\n")


def send_a_body_without_end(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        connection.sendall(b"4\r\nbody\r\n" * 4096)


@pytest.mark.parametrize(
    "respond",
    [
        trickle_status_line,
        trickle_headers,
        trickle_informational_responses,
        never_answer,
        send_a_huge_header,
        send_headers_without_end,
        send_no_http,
    ],
)
def test_no_receiver_takes_longer_than_the_limit(respond: Callable[[socket.socket], None]) -> None:
    with raw_receiver(respond) as url:
        with (
            idle_at_most(1.5),
            raises(NotDelivered, match=r"^127\.0\.0\.1 does not respond") as error,
        ):
            OperatorWebhookChannel(url, timeout=0.2).send(DELIVERY, NOTIFICATION)
        assert "secret-word" not in english(error.value.message)


def test_the_body_of_a_response_is_not_read() -> None:
    with raw_receiver(send_a_body_without_end) as url, idle_at_most(1.5):
        OperatorWebhookChannel(url, timeout=HANG_SECONDS).send(DELIVERY, NOTIFICATION)


def test_a_slow_resolution_of_the_name_counts_towards_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answered = Event()

    def resolve_slowly(*args: object, **kwargs: object) -> list[Any]:
        answered.wait(HANG_SECONDS)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", resolve_slowly)
    with idle_at_most(2), raises(NotDelivered, match=r"^slow\.example does not respond"):
        OperatorWebhookChannel("http://slow.example/", timeout=0.1).send(DELIVERY, NOTIFICATION)
    answered.set()


def test_a_notification_to_a_closed_port_is_not_delivered() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://somebody:secret-word@127.0.0.1:{unused.getsockname()[1]}/"
        with raises(NotDelivered, match="does not respond") as error:
            OperatorWebhookChannel(url).send(DELIVERY, NOTIFICATION)
    assert "secret-word" not in english(error.value.message)


def test_nothing_but_the_host_of_the_url_is_logged(
    receiver: WebhookReceiver, caplog: pytest.LogCaptureFixture
) -> None:
    receiver.statuses = [204, 500]
    with caplog.at_level(logging.INFO):
        OperatorWebhookChannel(receiver.url).send(DELIVERY, NOTIFICATION)
        with pytest.raises(NotDelivered) as error:
            OperatorWebhookChannel(receiver.url).send(DELIVERY, NOTIFICATION)
    assert "secret-word" not in english(error.value.message) + caplog.text
    assert "/notes" not in english(error.value.message) + caplog.text


@pytest.mark.parametrize(
    "url", ["ftp://example.org/", "file:///etc/passwd", "example.org", "http:///x", "http://a:b/"]
)
def test_a_url_must_be_valid_and_begin_with_http(url: str) -> None:
    with raises(SettingsError, match="CARTULARY_WEBHOOK_URL"):
        OperatorWebhookChannel(url)


def test_a_log_line_has_all_fields_of_the_notification(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        LogChannel().send(DELIVERY, NOTIFICATION)
    (record,) = caplog.records
    assert record.getMessage() == "your_turn: game g1, event 17, for ada"
    assert vars(record)["notification"] == NOTIFICATION.as_json()


def test_a_webhook_channel_is_configured_if_a_url_is_set(settings: Settings) -> None:
    assert [channel.name for channel in operator_channels_of(settings)] == ["log"]
    with_webhook = replace(settings, webhook_url="https://example.org/notes")
    assert [channel.name for channel in operator_channels_of(with_webhook)] == [
        "log",
        "operator_webhook",
    ]
