"""Senders: a line in the log, and a POST that a receiver can tell from its repetition."""

import logging
import socket
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace

import pytest

from service.settings import Settings, SettingsError
from tests.support.receiver import Receiver, receiver
from workers.notifications import Notification
from workers.notifiers import LogSender, NotDelivered, WebhookSender, senders

NOTICE = Notification("abc123", "your_turn", "g1", "some", 17, ("ada",), {"seat": 0, "round": 2})


@pytest.fixture
def letter_box() -> Iterator[Receiver]:
    with receiver() as state:
        yield state


def test_a_webhook_posts_the_notice_as_json(letter_box: Receiver) -> None:
    WebhookSender(letter_box.url).send(NOTICE)
    ((headers, body),) = letter_box.posts
    assert body == NOTICE.as_json()
    assert body["delivery"] == headers["idempotency-key"] == "abc123"
    assert headers["authorization"] == "Basic " + b64encode(b"somebody:secret-word").decode()
    assert headers["content-type"] == "application/json"
    assert headers["user-agent"].startswith("cartulary/")


@pytest.mark.parametrize("status", [400, 404, 410, 500, 503])
def test_any_answer_but_success_is_no_delivery(letter_box: Receiver, status: int) -> None:
    letter_box.statuses.append(status)
    with pytest.raises(NotDelivered, match=f"find_idempotency_record {status}") as caught:
        WebhookSender(letter_box.url).send(NOTICE)
    assert "secret-word" not in str(caught.value)
    WebhookSender(letter_box.url).send(NOTICE)
    assert [body["delivery"] for _, body in letter_box.posts] == ["abc123", "abc123"]


def test_a_receiver_that_takes_too_long_is_not_waited_for(letter_box: Receiver) -> None:
    letter_box.delay = 0.5
    with pytest.raises(NotDelivered, match="does not answer"):
        WebhookSender(letter_box.url, timeout=0.05).send(NOTICE)


def test_a_receiver_that_is_not_there_is_no_delivery() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://somebody:secret-word@127.0.0.1:{unused.getsockname()[1]}/"
        with pytest.raises(NotDelivered, match="does not answer") as caught:
            WebhookSender(url).send(NOTICE)
    assert "secret-word" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["ftp://example.org/", "file:///etc/passwd", "example.org", "http:///x"]
)
def test_only_http_will_do(url: str) -> None:
    with pytest.raises(SettingsError, match="CARTULARY_WEBHOOK_URL"):
        WebhookSender(url)


def test_a_line_in_the_log_says_it_with_all_its_facts(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        LogSender().send(NOTICE)
    (line,) = caplog.records
    assert line.getMessage() == "your_turn: game g1, event 17, for ada"
    assert vars(line).items() >= NOTICE.as_json().items()


def test_the_settings_say_who_sends(settings: Settings) -> None:
    assert [sender.name for sender in senders(settings)] == ["log"]
    hooked = replace(settings, webhook_url="https://example.org/notes")
    assert [sender.name for sender in senders(hooked)] == ["log", "webhook"]
