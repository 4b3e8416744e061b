"""Web push, to a push service of the test that decrypts what it gets as a browser would."""

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from domain.errors import Malformed
from service.accounts.personal_tokens import digest_of
from service.bootstrap import Service, build
from service.settings import Settings
from tests.support.faults import raises
from tests.support.push_service import AUTH, PushService, decode, encode, running_push_service
from tests.support.service_games import start_game
from tests.support.worker_harness import WorkerHarness
from workers.run import channels_of


@pytest.fixture
def push_service() -> Iterator[PushService]:
    with running_push_service() as push:
        yield push


@pytest.fixture
def service(settings: Settings) -> Iterator[Service]:
    service = build(replace(settings, webhook_networks=("127.0.0.1",)))
    yield service
    service.redis.close()


def notify(
    service: Service, push: PushService, locale: str | None = None, *, logs_out: bool = False
) -> str:
    """Start a game of a player who has subscribed, send what is due, and return the player's id.

    `logs_out`: whether the player logs out while the notification waits.
    """
    player, token = service.accounts.players.create_guest(locale)
    service.notifications.push_subscriptions.add(
        player.id, push.url, push.p256dh, encode(AUTH), session=digest_of(token)
    )
    other, _ = service.accounts.players.create_guest()
    game = start_game(service, players=[player.id, other.id])
    workers = WorkerHarness(service)
    if logs_out:
        workers.scheduler.enqueue_tasks_of({game.id})
        workers.work()
        service.accounts.players.tokens.revoke(token)
    workers.use(channels_of(service))
    workers.scheduler.enqueue_tasks_of({game.id})
    workers.work()
    workers.close()
    return player.id


def test_the_browser_decrypts_the_notification_in_the_language_of_its_reader(
    service: Service, push_service: PushService
) -> None:
    player = notify(service, push_service, "fr")
    (message,) = push_service.messages
    ((delivery,), _) = service.notifications.deliveries.of_player(player, 10)
    assert message["title"] == "Barony\u00a0: la partie commence, et c'est à vous de jouer"
    assert message["language"] == "fr"
    assert message["path"] == f"/games/{delivery.game_id}"
    assert message["tag"] == delivery.id
    assert message["account"] == player
    assert delivery.status == "sent"


def test_the_server_identifies_itself_by_a_key_that_stays_the_same(
    service: Service, push_service: PushService, settings: Settings
) -> None:
    notify(service, push_service)
    (headers,) = push_service.headers
    assert headers["content-encoding"] == "aes128gcm"
    assert int(headers["ttl"]) > 0
    scheme, _, rest = headers["authorization"].partition(" ")
    assert scheme == "vapid"
    fields = dict(part.strip().split("=", 1) for part in rest.split(","))
    assert fields["k"] == service.notifications.vapid_key.public
    claims, _, signature = fields["t"].rpartition(".")
    raw = decode(signature)
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decode(fields["k"]))
    r, s = int.from_bytes(raw[:32]), int.from_bytes(raw[32:])
    key.verify(encode_dss_signature(r, s), claims.encode(), ec.ECDSA(hashes.SHA256()))
    payload = json.loads(decode(claims.partition(".")[2]))
    assert payload["aud"] == push_service.url.removesuffix("/push/abc")
    assert payload["sub"].startswith("mailto:")
    assert time.time() < payload["exp"] <= time.time() + 24 * 3600
    again = build(settings)
    assert again.notifications.vapid_key.public == service.notifications.vapid_key.public
    again.redis.close()
    assert (settings.data / "vapid-key.pem").stat().st_mode & 0o777 == 0o600


def test_what_waits_is_not_sent_after_the_player_has_logged_out(
    service: Service, push_service: PushService
) -> None:
    player = notify(service, push_service, logs_out=True)
    assert push_service.messages == []
    ((delivery,), _) = service.notifications.deliveries.of_player(player, 10)
    assert (delivery.channel, delivery.status) == ("push", "cancelled")


@pytest.mark.parametrize("status", [404, 410])
def test_a_subscription_that_is_gone_is_removed(
    service: Service, push_service: PushService, status: int
) -> None:
    push_service.statuses = [status]
    player = notify(service, push_service)
    assert service.notifications.push_subscriptions.of(player) == []
    ((delivery,), _) = service.notifications.deliveries.of_player(player, 10)
    assert delivery.status == "bounced"


@pytest.mark.parametrize("status", [301, 429, 500])
def test_a_busy_push_service_is_tried_again(
    service: Service, push_service: PushService, status: int
) -> None:
    push_service.statuses = [status]
    player = notify(service, push_service)
    assert len(service.notifications.push_subscriptions.of(player)) == 1
    ((delivery,), _) = service.notifications.deliveries.of_player(player, 10)
    assert delivery.status == "retrying"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"endpoint": "http://10.0.0.1/push"}, "endpoint"),
        ({"endpoint": "file:///x"}, "endpoint"),
        ({"p256dh": encode(b"\4" + bytes(64))}, "p256dh"),
        ({"p256dh": "é"}, "p256dh"),
        ({"auth": encode(b"short")}, "auth"),
        ({"auth": "***"}, "auth"),
    ],
)
def test_a_subscription_must_have_a_public_endpoint_and_valid_keys(
    service: Service, changes: dict[str, str], field: str
) -> None:
    player, token = service.accounts.players.create_guest()
    add = partial(service.notifications.push_subscriptions.add, player.id, session=digest_of(token))
    valid = {
        "endpoint": "https://push.example.org/abc",
        "p256dh": PushService().p256dh,
        "auth": encode(AUTH),
    }
    with raises(Malformed, match=field):
        add(*{**valid, **changes}.values())
    assert service.notifications.push_subscriptions.of(player.id) == []
    add(*valid.values())
    add(*valid.values())
    assert len(service.notifications.push_subscriptions.of(player.id)) == 1


def test_one_subscription_too_many_replaces_the_oldest(service: Service) -> None:
    player, token = service.accounts.players.create_guest()
    key = PushService().p256dh
    for number in range(12):
        url = f"https://push.example.org/{number}"
        service.notifications.push_subscriptions.add(
            player.id, url, key, encode(AUTH), session=digest_of(token)
        )
    assert len(service.notifications.push_subscriptions.of(player.id)) == 10
