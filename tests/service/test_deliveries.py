"""Deliveries of notifications: stored once, bounded, and readable even beside damaged values."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from service.bootstrap import Service
from service.deliveries import Deliveries, Delivery, Status
from service.store.redis_event_store import game_key

EARLY, LATE = "2026-11-20T09:15:00.000Z", "2026-11-20T09:15:02.000Z"


def attempt(
    seq: int = 7, status: Status = "accepted", at: str = EARLY, notifier: str = "log"
) -> Delivery:
    accepted_at = at if status == "accepted" else None
    return Delivery(f"d{seq}", notifier, seq, "your_turn", ("ada",), status, 1, at, accepted_at)


def test_a_failed_attempt_and_an_accepted_one_are_one_delivery(service: Service) -> None:
    service.deliveries.store("g", attempt(status="retrying"))
    service.deliveries.store("g", attempt(at=LATE))
    (delivery,) = service.deliveries.about("g", 7)
    assert delivery == replace(attempt(at=LATE), attempts=2)


def test_an_accepted_delivery_is_never_changed(service: Service) -> None:
    service.deliveries.store("g", attempt())
    for status in ("accepted", "retrying", "given_up"):
        service.deliveries.store("g", attempt(status=status, at=LATE))
    assert service.deliveries.about("g", 7) == [attempt()]


def test_each_notifier_has_a_delivery_of_its_own(service: Service) -> None:
    service.deliveries.store("g", attempt(notifier="webhook", at=LATE))
    service.deliveries.store("g", attempt(notifier="log"))
    assert [delivery.notifier for delivery in service.deliveries.about("g", 7)] == [
        "log",
        "webhook",
    ]
    assert service.deliveries.about("g", 8) == service.deliveries.about("h", 7) == []


def test_workers_that_store_the_same_delivery_at_once_store_it_once(service: Service) -> None:
    with ThreadPoolExecutor(4) as pool:
        for future in [pool.submit(service.deliveries.store, "g", attempt()) for _ in range(16)]:
            future.result()
    assert service.deliveries.about("g", 7) == [attempt()]


def test_only_the_deliveries_about_the_latest_events_are_kept(service: Service) -> None:
    deliveries = Deliveries(service.redis, max_per_game=3)
    for seq in (9, 5, 7, 6, 8):
        deliveries.store("g", attempt(seq))
    kept = [seq for seq in range(10) if deliveries.about("g", seq)]
    assert kept == [7, 8, 9]


@pytest.mark.parametrize("damaged", [b"not JSON", b"[]", b"{}", b'{"delivery":"d7"}'])
def test_a_damaged_delivery_is_left_out(service: Service, damaged: bytes) -> None:
    service.redis.zadd(game_key("g", "deliveries"), {damaged: 7})
    service.deliveries.store("g", attempt())
    assert service.deliveries.about("g", 7) == [attempt()]
