"""The channel of webhooks: signatures, retries, and webhooks that are disabled."""

import hmac
import json
from base64 import b64decode, b64encode
from datetime import timedelta
from hashlib import sha256
from typing import Any

import orjson
import pytest
from freezegun import freeze_time

from domain.game import Game
from service import wall_clock
from service.bootstrap import Service
from service.connection import connect
from service.errors import NotFound
from service.notifications.webhooks.webhooks import Webhook
from tests.support.faults import raises
from tests.support.mailed_players import confirm
from tests.support.receiver import WebhookReceiver
from tests.support.service_games import start_game
from tests.support.worker_harness import WorkerHarness
from workers.webhooks.channel import signature


@pytest.fixture
def ada(service: Service) -> str:
    player, _ = service.accounts.players.create_guest()
    return player.id


def add_webhook(service: Service, player: str, receiver: WebhookReceiver) -> Webhook:
    return service.notifications.webhooks.add(
        player, receiver.url.replace("somebody:secret-word@", "")
    )


def start(service: Service, player: str) -> Game:
    other, _ = service.accounts.players.create_guest()
    return start_game(service, players=[player, other.id])


def work(workers: WorkerHarness, game: Game) -> None:
    workers.scheduler.enqueue_tasks_of({game.id})
    workers.work()


def test_the_signature_is_that_of_standard_webhooks() -> None:
    # The example of the reference implementation.
    value = signature(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "1614265330",
        b'{"test": 2432232314}',
    )
    assert value == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_notification_is_posted_with_a_signature_of_id_time_and_body(
    service: Service, workers: WorkerHarness, receiver: WebhookReceiver, ada: str
) -> None:
    webhook = add_webhook(service, ada, receiver)
    game = start(service, ada)
    work(workers, game)
    (request,) = receiver.requests
    ((delivery,), _) = service.notifications.deliveries.of_player(ada, 10)
    assert request.headers["webhook-id"] == delivery.id
    assert delivery.status == "sent"
    body = request.body
    assert body["type"] == "your_turn"
    assert body["data"]["game"] == game.id
    assert webhook.secret.startswith("whsec_")
    key = b64decode(webhook.secret.removeprefix("whsec_"))
    content = json.dumps(body, separators=(",", ":"), ensure_ascii=False)
    timestamp = request.headers["webhook-timestamp"]
    assert abs(int(timestamp) - wall_clock.now().timestamp()) < 60
    signed = f"{delivery.id}.{timestamp}.{content}".encode()
    expected = b64encode(hmac.new(key, signed, sha256).digest()).decode()
    assert request.headers["webhook-signature"] == f"v1,{expected}"
    assert webhook.secret not in str(request)


def test_a_failed_request_is_repeated_with_the_same_id_and_then_accepted(
    service: Service, workers: WorkerHarness, receiver: WebhookReceiver, ada: str
) -> None:
    webhook = add_webhook(service, ada, receiver)
    with freeze_time("2026-01-01T09:00:00Z", tick=False) as time:
        receiver.statuses = [500, 302]
        game = start(service, ada)
        for pause in (0, 6, 61):
            time.tick(timedelta(seconds=pause))
            work(workers, game)
    assert len({request.headers["webhook-id"] for request in receiver.requests}) == 1
    assert len({request.headers["webhook-signature"] for request in receiver.requests}) == 3
    assert service.notifications.webhooks.find(ada, webhook.id).failures == 0


def test_a_dead_webhook_is_disabled_and_its_owner_informed(
    service: Service, workers: WorkerHarness, receiver: WebhookReceiver, ada: str
) -> None:
    service.notifications.mail.addresses.set(ada, "ada@example.org")
    confirm(service, ada, "ada@example.org")
    webhook = add_webhook(service, ada, receiver)
    with freeze_time("2026-01-01T09:00:00Z", tick=False) as time:
        receiver.statuses = [500] * 10
        game = start(service, ada)
        for pause in (0, 6, 61, 301, 1801):
            time.tick(timedelta(seconds=pause))
            work(workers, game)
        assert len(receiver.requests) == 3
        stored = service.notifications.webhooks.find(ada, webhook.id)
        assert stored.disabled_at is not None
        ((delivery,), _) = service.notifications.deliveries.of_player(ada, 10)
        assert delivery.status == "cancelled"
        (mail,) = service.notifications.mail.account_mails.due(
            wall_clock.now() + timedelta(days=1), 10
        )
        account_mail = service.notifications.mail.account_mails.begin(mail)
        assert account_mail is not None
        assert account_mail.kind == "webhook_disabled"
    assert service.notifications.webhooks.endpoints(ada) == []
    enabled = service.notifications.webhooks.enable(ada, webhook.id)
    assert (enabled.failures, enabled.disabled_at) == (0, None)
    assert len(service.notifications.webhooks.endpoints(ada)) == 1


def test_a_webhook_that_says_it_is_gone_is_disabled_immediately(
    service: Service, workers: WorkerHarness, receiver: WebhookReceiver, ada: str
) -> None:
    webhook = add_webhook(service, ada, receiver)
    receiver.statuses = [410]
    work(workers, start(service, ada))
    assert service.notifications.webhooks.find(ada, webhook.id).disabled_at is not None
    ((delivery,), _) = service.notifications.deliveries.of_player(ada, 10)
    assert delivery.status == "bounced"


def test_a_test_is_posted_and_its_result_recorded(
    service: Service, workers: WorkerHarness, receiver: WebhookReceiver, ada: str
) -> None:
    webhook = add_webhook(service, ada, receiver)
    receiver.statuses = [404, 204]
    for result in ("404", None):
        service.notifications.webhooks.request_test(ada, webhook.id)
        workers.work()
        stored = service.notifications.webhooks.find(ada, webhook.id)
        assert stored.tried_at is not None
        assert stored.result is None if result is None else result in str(stored.result)
    assert [request.body["type"] for request in receiver.requests] == ["test", "test"]


def test_a_webhook_that_was_removed_gets_nothing_and_does_not_come_back(
    service: Service, workers: WorkerHarness, receiver: WebhookReceiver, ada: str
) -> None:
    webhook = add_webhook(service, ada, receiver)
    game = start(service, ada)
    workers.runner.run(workers.tasks(game.id)["notify/turn"])
    service.notifications.webhooks.request_test(ada, webhook.id)
    service.notifications.webhooks.remove(ada, webhook.id)
    workers.work()
    service.notifications.webhooks.record_success(ada, webhook.id)
    assert service.notifications.webhooks.record_failure(ada, webhook.id, "x", is_gone=True) is None
    assert receiver.requests == []
    assert service.notifications.webhooks.of(ada) == []
    with raises(NotFound, match="no webhook"):
        service.notifications.webhooks.remove(ada, webhook.id)


def test_an_erased_player_has_no_webhooks(
    service: Service, receiver: WebhookReceiver, ada: str
) -> None:
    add_webhook(service, ada, receiver)
    service.accounts.erasure.erase(ada, "")
    assert service.notifications.webhooks.of(ada) == []


def test_a_webhook_with_a_later_format_is_left_alone(
    service: Service, workers: WorkerHarness, receiver: WebhookReceiver, ada: str
) -> None:
    webhook = add_webhook(service, ada, receiver)
    later: Any = "later_format"
    key = f"cartulary:webhooks:{ada}"
    with connect(service.settings.redis_url) as client:
        stored: Any = client.hget(key, webhook.id)
        client.hset(key, webhook.id, orjson.dumps({**orjson.loads(stored), "format": later}))
    work(workers, start(service, ada))
    assert not receiver.requests
    ((delivery,), _) = service.notifications.deliveries.of_player(ada, 10)
    assert delivery.status == "pending"
    assert service.notifications.webhooks.find(ada, webhook.id).failures == 0
