"""The dispatcher: receivers that fail are paused, and neither they nor volume delay anybody else."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from freezegun import freeze_time

from domain.game import Game
from service import wall_clock
from service.bootstrap import Service, build
from service.notifications.circuit_breakers import LONGEST_PAUSE, CircuitBreakers, Receiver
from service.settings import Settings
from tests.support.endpoints import FixedEndpoints, register_players
from tests.support.processes import HANG_SECONDS
from tests.support.receiver import WebhookReceiver, webhook_receiver
from tests.support.service_games import play_set_up, start_game, take_action
from tests.support.worker_harness import RecordingChannel, WorkerHarness
from workers.run import channels_of
from workers.webhooks.channel import RETRY_PAUSES

ADAS = Receiver("webhook", "ada", "one")


@pytest.fixture
def service(settings: Settings) -> Iterator[Service]:
    bounds = replace(settings.bounds, webhook_seconds=HANG_SECONDS, max_webhook_failures=1000)
    service = build(replace(settings, webhook_networks=("127.0.0.1",), bounds=bounds))
    yield service
    service.redis.close()


@pytest.fixture
def receiver() -> Iterator[WebhookReceiver]:
    with webhook_receiver() as receiver:
        yield receiver


@pytest.fixture
def workers(service: Service) -> Iterator[WorkerHarness]:
    workers = WorkerHarness(service)
    workers.use(channels_of(service))
    yield workers
    workers.close()


def register_webhook(service: Service, receiver: WebhookReceiver) -> tuple[str, str]:
    """Register a player with a webhook, and return the ids of both."""
    (player,) = register_players(service, "ada")
    url = receiver.url.replace("somebody:secret-word@", "")
    return player, service.notifications.webhooks.add(player, url).id


def notify(service: Service, player: str, seq: int) -> None:
    """Have a player notified of a message in a game of theirs."""
    (other,) = register_players(service, "other")
    game = start_game(service, players=[player, other])
    message(service, game, seq, [player])


def message(service: Service, game: Game, number: int, readers: Sequence[str]) -> None:
    """Notify readers of a message in a game."""
    service.notifications.notifier.notify(
        "message",
        game.id,
        1,
        readers,
        reference=f"message/{number}",
        data={"from": game.players[-1], "message": number},
        operator_channels=(),
    )


def statuses(service: Service, player: str) -> list[str]:
    return sorted(item.status for item in service.notifications.deliveries.of_player(player, 10)[0])


def test_a_breaker_pauses_longer_after_each_failure_and_closes_with_a_success(
    service: Service,
) -> None:
    breakers = CircuitBreakers(service.redis)
    now = wall_clock.now()
    assert breakers.of(ADAS).pause_after(now) is None
    pauses = [breakers.record_failure(ADAS, now) - now for _ in range(14)]
    assert pauses[:4] == [timedelta(seconds=seconds) for seconds in (2, 4, 8, 16)]
    assert pauses[-1] == LONGEST_PAUSE
    breaker = breakers.of(ADAS)
    assert (breaker.failures, breaker.is_proven) == (14, False)
    assert breaker.pause_after(now) is not None
    assert breaker.pause_after(now + LONGEST_PAUSE) is None
    breakers.record_success(ADAS)
    assert breakers.of(ADAS).is_proven
    assert breakers.of(ADAS).pause_after(now) is None
    breakers.delete_all_of("ada")
    assert not breakers.of(ADAS).is_proven


def test_a_failing_receiver_gets_one_attempt_per_pause_however_much_waits_for_it(
    service: Service, workers: WorkerHarness, receiver: WebhookReceiver
) -> None:
    player, webhook = register_webhook(service, receiver)
    with freeze_time("2026-01-01T09:00:00Z", real_asyncio=True) as time:
        for seq in (1, 2, 3):
            notify(service, player, seq)
        receiver.statuses = [500, 500]
        assert workers.dispatcher.send_due() == 1
        assert len(receiver.requests) == 1
        (stored,) = service.notifications.webhooks.of(player)
        (paused_until,) = service.notifications.webhooks.paused_until(player, [stored])
        assert paused_until == "2026-01-01T09:00:02.000Z"
        assert {item.due_at for item in service.notifications.deliveries.waiting(10)} == {
            "2026-01-01T09:00:02.000Z",
            "2026-01-01T09:00:05.000Z",
        }
        time.tick(1)
        assert workers.dispatcher.send_due() == 0
        time.tick(1)
        assert workers.dispatcher.send_due() == 1
        # After a success everything follows at once, and nothing has used up an attempt by waiting.
        time.tick(4)
        workers.dispatcher.send_due()
        assert service.notifications.webhooks.paused_until(player, [stored]) == [None]
        time.tick(60)
        workers.dispatcher.send_due()
    assert statuses(service, player) == ["sent"] * 3
    assert len(receiver.requests) == 5
    assert service.notifications.webhooks.find(player, webhook).failures == 0


def test_what_a_paused_receiver_would_get_too_late_is_given_up(
    service: Service, workers: WorkerHarness, receiver: WebhookReceiver
) -> None:
    player, webhook = register_webhook(service, receiver)
    with freeze_time("2026-01-01T09:00:00Z", real_asyncio=True) as time:
        notify(service, player, 1)
        time.tick(timedelta(seconds=sum(RETRY_PAUSES)))
        service.notifications.deliveries.breakers.record_failure(
            Receiver("webhook", player, webhook), wall_clock.now()
        )
        assert workers.dispatcher.send_due() == 0
        ((delivery,), _) = service.notifications.deliveries.of_player(player, 10)
        assert delivery.status == "given_up"
        assert delivery.as_json()["result"] == "the receiver has failed for too long"
        assert service.notifications.deliveries.waiting(1) == []
    assert receiver.requests == []


def test_a_test_is_posted_during_a_pause_and_a_success_ends_it(
    service: Service, workers: WorkerHarness, receiver: WebhookReceiver
) -> None:
    player, webhook = register_webhook(service, receiver)
    service.notifications.deliveries.breakers.record_failure(
        Receiver("webhook", player, webhook), wall_clock.now()
    )
    service.notifications.webhooks.request_test(player, webhook)
    workers.dispatcher.send_due()
    assert [request.body["type"] for request in receiver.requests] == ["test"]
    assert service.notifications.webhooks.paused_until(
        player, service.notifications.webhooks.of(player)
    ) == [None]


def test_enabling_or_removing_a_webhook_forgets_its_breaker(
    service: Service, receiver: WebhookReceiver
) -> None:
    player, webhook = register_webhook(service, receiver)
    breakers, circuit = (
        service.notifications.deliveries.breakers,
        Receiver("webhook", player, webhook),
    )
    for change in (service.notifications.webhooks.enable, service.notifications.webhooks.remove):
        breakers.record_failure(circuit, wall_clock.now())
        change(player, webhook)
        assert breakers.of(circuit).failures is None


def test_a_stopped_dispatcher_returns_what_it_has_not_begun(
    service: Service, workers: WorkerHarness, receiver: WebhookReceiver
) -> None:
    player, _ = register_webhook(service, receiver)
    for seq in (1, 2):
        notify(service, player, seq)
    dispatcher = workers.dispatcher
    dispatcher._take()
    assert service.notifications.deliveries.take_due(wall_clock.now(), 10) == []
    dispatcher._return_waiting()
    assert len(service.notifications.deliveries.take_due(wall_clock.now(), 10)) == 2


@pytest.mark.nightly
def test_six_fast_tables_do_not_delay_the_first_notification_of_a_new_player(
    service: Service,
) -> None:
    players = register_players(service, *map(str, range(12)))
    (new,) = register_players(service, "new")
    # Push messages of a chat are not bundled, as mails are.
    channel = RecordingChannel(name="push", is_operators=False)
    workers = WorkerHarness(service, channel)
    service.notifications.endpoints.add(FixedEndpoints("push", [*players, new]))
    tables = [start_game(service, players=players[2 * n : 2 * n + 2]) for n in range(6)]
    for table in tables:
        play_set_up(service, table.id)
    # Every turn of the fast tables calls for a notification, and nobody has worked yet.
    for _ in range(20):
        for table in tables:
            take_action(service, table.id)
            workers.scheduler.enqueue_tasks_of({table.id})
    game = start_game(service, players=[new, players[0]])
    workers.scheduler.enqueue_tasks_of({game.id})
    waiting = workers.waiting()
    assert len([job for job in waiting if job.startswith("notify/")]) == 7
    # Much is to be sent to the fast players as well.
    for seq in range(1, 51):
        for table in tables:
            message(service, table, seq, table.players)
    workers.work()
    readers = [notification.player for notification in channel.sent]
    assert len(readers) > 600
    # What was being sent when it came, and one turn of each of the others.
    assert readers.index(new) <= 2 * len(players)
    workers.close()
