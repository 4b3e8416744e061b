"""Notifiers: one writes a line to the log, the other sends a POST with an idempotency key to a webhook."""

import logging
import socket
import time
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace

import pytest

from service.settings import Settings, SettingsError
from tests.support.receiver import WebhookReceiver, webhook_receiver
from workers.notifications import Notification
from workers.notifiers import LogNotifier, NotDelivered, WebhookNotifier, notifiers_of

NOTIFICATION = Notification(
    "abc123", "your_turn", "g1", "some", 17, ("ada",), {"seat": 0, "round": 2}
)


@pytest.fixture
def receiver() -> Iterator[WebhookReceiver]:
    with webhook_receiver() as receiver:
        yield receiver


def test_a_webhook_posts_the_notification_as_json(receiver: WebhookReceiver) -> None:
    WebhookNotifier(receiver.url).send(NOTIFICATION)
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
    with pytest.raises(NotDelivered, match=rf"^127\.0\.0\.1 responded with status {status}$"):
        WebhookNotifier(receiver.url).send(NOTIFICATION)
    WebhookNotifier(receiver.url).send(NOTIFICATION)
    assert [request.body["delivery"] for request in receiver.requests] == ["abc123", "abc123"]


def test_a_redirect_is_not_followed(receiver: WebhookReceiver) -> None:
    with webhook_receiver() as other:
        receiver.statuses.append(307)
        receiver.location = other.url
        with pytest.raises(NotDelivered, match="status 307"):
            WebhookNotifier(receiver.url).send(NOTIFICATION)
        assert other.requests == []


def test_the_time_for_a_response_is_limited(receiver: WebhookReceiver) -> None:
    receiver.delay = 0.5
    with pytest.raises(NotDelivered, match="does not respond"):
        WebhookNotifier(receiver.url, timeout=0.05).send(NOTIFICATION)


def test_the_time_is_limited_even_if_the_receiver_keeps_sending_data(
    receiver: WebhookReceiver,
) -> None:
    receiver.slow_headers = 30
    start = time.monotonic()
    with pytest.raises(NotDelivered, match="does not respond"):
        WebhookNotifier(receiver.url, timeout=0.3).send(NOTIFICATION)
    assert time.monotonic() - start < 2


def test_a_notification_to_a_closed_port_is_not_delivered() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://somebody:secret-word@127.0.0.1:{unused.getsockname()[1]}/"
        with pytest.raises(NotDelivered, match="does not respond") as error:
            WebhookNotifier(url).send(NOTIFICATION)
    assert "secret-word" not in str(error.value)


def test_nothing_but_the_host_of_the_url_is_logged(
    receiver: WebhookReceiver, caplog: pytest.LogCaptureFixture
) -> None:
    receiver.statuses = [204, 500]
    with caplog.at_level(logging.INFO):
        WebhookNotifier(receiver.url).send(NOTIFICATION)
        with pytest.raises(NotDelivered) as error:
            WebhookNotifier(receiver.url).send(NOTIFICATION)
    assert "secret-word" not in str(error.value) + caplog.text
    assert "/notes" not in str(error.value) + caplog.text


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/",
        "file:///etc/passwd",
        "example.org",
        "http:///x",
        "http://a:b/",
    ],
)
def test_a_url_must_be_valid_and_begin_with_http(url: str) -> None:
    with pytest.raises(SettingsError, match="CARTULARY_WEBHOOK_URL"):
        WebhookNotifier(url)


def test_a_log_line_has_all_fields_of_the_notification(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        LogNotifier().send(NOTIFICATION)
    (record,) = caplog.records
    assert record.getMessage() == "your_turn: game g1, event 17, for ada"
    assert vars(record).items() >= NOTIFICATION.as_json().items()


def test_a_webhook_notifier_is_configured_if_a_url_is_set(settings: Settings) -> None:
    assert [notifier.name for notifier in notifiers_of(settings)] == ["log"]
    with_webhook = replace(settings, webhook_url="https://example.org/notes")
    assert [notifier.name for notifier in notifiers_of(with_webhook)] == ["log", "webhook"]
