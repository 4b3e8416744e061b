"""Deliveries of notifications: created once, claimed by one worker, bounded, readable beside damage."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest

from domain.messages import message
from replay.language.catalogue import catalogue
from replay.language.renderer import Renderer
from service import wall_clock
from service.bootstrap import Service
from service.bounds import Bounds
from service.notifications.deliveries import CLAIM, DUE, PREFIX, TOO_MANY, Deliveries
from service.notifications.delivery import Delivery, Status

CREATED = "2026-11-20T09:15:00.000Z"
NOW = wall_clock.parse(CREATED)
Build = Callable[[Bounds], Deliveries]


@pytest.fixture(params=[False, True], ids=["in one slot", "in shards"])
def build(request: pytest.FixtureRequest, service: Service) -> Build:
    """A function that returns the deliveries of a service, as on a single Redis and as in a cluster."""
    return partial(Deliveries, service.redis, is_sharded=request.param)


@pytest.fixture
def deliveries(build: Build) -> Deliveries:
    return build(Bounds())


def delivery(number: int = 1, seq: int = 7, player: str = "ada", due_at: str = CREATED) -> Delivery:
    return Delivery(
        id=f"d{number}",
        kind="your_turn",
        subject="your_turn",
        game_id="g",
        seq=seq,
        player=player,
        channel="email" if player else "log",
        endpoint="e",
        created_at=wall_clock.format(NOW + timedelta(seconds=number)),
        due_at=due_at,
        data={"seat": 0, "players": ["ada"]},
    )


def end(deliveries: Deliveries, id: str, status: Status = "sent") -> None:
    claimed = deliveries.claim(id, NOW)
    assert claimed is not None
    assert deliveries.finish([claimed], status, NOW) == 1


def ids(deliveries: list[Delivery]) -> list[str]:
    return [delivery.id for delivery in deliveries]


def due(deliveries: Deliveries, now: datetime = NOW) -> list[str]:
    """Take the deliveries that are due, and return their ids."""
    return [item.id for item in deliveries.take_due(now, 10)]


def test_a_delivery_that_is_created_again_stays_as_it_is(deliveries: Deliveries) -> None:
    assert deliveries.create(delivery())
    end(deliveries, "d1")
    assert deliveries.create(delivery(due_at="2027-01-01T00:00:00.000Z"))
    (stored,) = deliveries.about("g", 7)
    assert (stored.status, stored.attempts, stored.sent_at) == ("sent", 1, CREATED)
    assert replace(stored, status="pending", attempts=0, tried_at=None, sent_at=None) == delivery()
    assert due(deliveries) == []


def test_deliveries_of_one_moment_are_due_in_the_order_of_their_events(
    deliveries: Deliveries,
) -> None:
    for number, seq in ((1, 30), (2, 9), (3, 10)):
        deliveries.create(delivery(number, seq))
    assert due(deliveries) == ["d2", "d3", "d1"]


def test_a_delivery_of_a_later_version_waits_for_a_process_that_knows_it(
    deliveries: Deliveries,
) -> None:
    later = replace(delivery(2), kind="dream", subject="dreamt")  # type: ignore[arg-type] # a later version has them
    assert deliveries.create(later)
    assert deliveries.create(delivery())
    for now in (NOW, NOW + CLAIM):
        assert due(deliveries, now) == ["d1"]
    stored = deliveries.find("d2")
    assert stored is not None
    assert (stored.status, stored.attempts) == ("pending", 0)


def test_one_of_many_workers_claims_an_attempt(deliveries: Deliveries) -> None:
    deliveries.create(delivery())
    with ThreadPoolExecutor(4) as pool:
        claims = list(pool.map(lambda _: deliveries.claim("d1", NOW), range(16)))
    (claimed,) = [claim for claim in claims if claim is not None]
    assert claimed.attempts == 1


def test_an_attempt_whose_worker_died_is_made_again_after_the_claim(deliveries: Deliveries) -> None:
    deliveries.create(delivery())
    assert due(deliveries) == ["d1"]
    deliveries.claim("d1", NOW)
    assert due(deliveries, NOW + CLAIM / 2) == []
    assert deliveries.claim("d1", NOW + CLAIM / 2) is None
    assert due(deliveries, NOW + CLAIM) == ["d1"]
    second = deliveries.claim("d1", NOW + CLAIM)
    assert second is not None
    assert second.attempts == 2


def test_a_claim_of_a_worker_whose_clock_was_ahead_does_not_hold(deliveries: Deliveries) -> None:
    deliveries.create(delivery())
    deliveries.claim("d1", NOW + timedelta(days=1))
    assert deliveries.claim("d1", NOW) is not None


def test_a_late_failure_does_not_overwrite_a_later_attempt(deliveries: Deliveries) -> None:
    deliveries.create(delivery())
    first = deliveries.claim("d1", NOW)
    second = deliveries.claim("d1", NOW + CLAIM)
    assert first is not None
    assert second is not None
    assert deliveries.finish([first], "given_up", NOW) == 0
    assert deliveries.finish([first], "sent", NOW) == 1
    assert deliveries.finish([second], "given_up", NOW) == 0
    stored = deliveries.find("d1")
    assert stored is not None
    assert stored.status == "sent"


def test_a_failed_attempt_is_due_again_at_its_time_with_its_reason(deliveries: Deliveries) -> None:
    deliveries.create(delivery())
    claimed = deliveries.claim("d1", NOW)
    assert claimed is not None
    later = NOW + timedelta(seconds=10)
    reason = message(
        "{host} does not respond: {reason}", host="h", reason=message("line {line}", line=3)
    )
    deliveries.finish([claimed], "retrying", NOW, result=reason, next_at=later)
    assert due(deliveries, later - timedelta(seconds=1)) == []
    assert due(deliveries, later) == ["d1"]
    stored = deliveries.find("d1")
    assert stored is not None
    assert stored.result == reason
    assert stored.due_at == wall_clock.format(later)
    assert stored.as_json()["result"] == "h does not respond: line 3"


def test_an_ended_delivery_can_be_sent_again_with_the_same_id(deliveries: Deliveries) -> None:
    deliveries.create(delivery())
    assert deliveries.resend("d1", NOW) is None
    assert deliveries.resend("unknown", NOW) is None
    end(deliveries, "d1", "given_up")
    assert ids(deliveries.failed(10)) == ["d1"]
    resent = deliveries.resend("d1", NOW)
    assert resent is not None
    assert (resent.status, resent.attempts, resent.result) == ("pending", 0, None)
    assert deliveries.failed(10) == []
    assert ids(deliveries.waiting(10)) == ["d1"]
    end(deliveries, "d1")
    assert deliveries.totals() == {"given_up": 1, "sent": 1}
    assert deliveries.waiting(1) == []


def test_a_delivery_counts_as_due_from_its_time_until_it_has_ended(deliveries: Deliveries) -> None:
    tomorrow = NOW + timedelta(days=1)
    deliveries.create(delivery(1, due_at=wall_clock.format(tomorrow)))
    assert deliveries.count_due(NOW) == 0
    assert deliveries.count_due(tomorrow) == 1
    # What was taken waits in a dispatcher, whatever it takes.
    assert due(deliveries, tomorrow) == ["d1"]
    assert deliveries.count_due(tomorrow) == 1
    claimed = deliveries.claim("d1", tomorrow)
    assert claimed is not None
    assert deliveries.count_due(tomorrow) == 1
    later = tomorrow + timedelta(hours=1)
    deliveries.finish([claimed], "retrying", tomorrow, next_at=later)
    assert deliveries.count_due(tomorrow) == 0
    assert deliveries.count_due(later) == 1
    claimed = deliveries.claim("d1", later)
    assert claimed is not None
    deliveries.finish([claimed], "sent", later)
    assert deliveries.count_due(later + timedelta(days=1000)) == 0


def test_failed_attempts_are_counted_by_channel(deliveries: Deliveries) -> None:
    for number, player in ((1, "ada"), (2, "bea"), (3, "")):
        deliveries.create(delivery(number, player=player))
    assert deliveries.failed_attempts() == {}
    for id in ("d1", "d2", "d3"):
        claimed = deliveries.claim(id, NOW)
        assert claimed is not None
        deliveries.finish([claimed], "retrying", NOW, next_at=NOW)
    end(deliveries, "d1", "given_up")
    end(deliveries, "d2")
    assert deliveries.failed_attempts() == {"email": 3, "log": 1}
    assert deliveries.totals() == {"given_up": 1, "sent": 1}
    # Nobody tried this one.
    stored = deliveries.find("d3")
    assert stored is not None
    deliveries.finish([stored], "given_up", NOW, is_claimed=False)
    assert deliveries.failed_attempts() == {"email": 3, "log": 1}


def test_a_delivery_is_cancelled_unless_an_attempt_was_made(deliveries: Deliveries) -> None:
    for number in (1, 2):
        deliveries.create(delivery(number))
    assert deliveries.claim("d2", NOW) is not None
    assert deliveries.cancel("d1", NOW, TOO_MANY)
    assert not any(deliveries.cancel(id, NOW, TOO_MANY) for id in ("d1", "d2", "unknown"))
    cancelled, under_way = deliveries.find("d1"), deliveries.find("d2")
    assert cancelled is not None
    assert under_way is not None
    assert (cancelled.status, cancelled.attempts, cancelled.tried_at) == ("cancelled", 0, None)
    assert (cancelled.result, under_way.status) == (TOO_MANY, "pending")
    assert ids(deliveries.waiting(10)) == ["d2"]
    assert deliveries.totals() == {"cancelled": 1}


def test_the_oldest_deliveries_that_have_ended_are_deleted(build: Build) -> None:
    deliveries = build(Bounds(max_deliveries_per_player=3))
    for number in (1, 2, 3):
        deliveries.create(delivery(number, seq=number))
    end(deliveries, "d2")
    deliveries.create(delivery(4, seq=4))
    page, cursor = deliveries.of_player("ada", 2)
    assert (ids(page), cursor) == (["d4", "d3"], "d3")
    page, cursor = deliveries.of_player("ada", 2, cursor)
    assert (ids(page), cursor) == (["d1"], None)
    assert deliveries.find("d2") is None
    assert deliveries.about("g", 2) == []


@pytest.mark.parametrize(
    "bounds", [Bounds(max_deliveries_per_player=2), Bounds(max_waiting_deliveries=2)]
)
def test_a_delivery_is_given_up_if_too_many_wait(build: Build, bounds: Bounds) -> None:
    deliveries = build(bounds)
    for number in (1, 2, 3):
        deliveries.create(delivery(number))
    refused = deliveries.find("d3")
    assert refused is not None
    assert (refused.status, refused.result) == ("given_up", TOO_MANY)
    assert deliveries.count_due(NOW) == 2
    assert deliveries.claim("d3", NOW) is None


def test_only_the_deliveries_to_the_operator_about_the_latest_events_are_kept(build: Build) -> None:
    deliveries = build(Bounds(max_deliveries_per_game=3))
    for number in range(5, 10):
        deliveries.create(delivery(number, seq=number, player=""))
        end(deliveries, f"d{number}")
    assert [seq for seq in range(10) if deliveries.about("g", seq)] == [7, 8, 9]
    assert deliveries.find("d5") is None


def test_all_deliveries_of_a_player_can_be_deleted(
    service: Service, deliveries: Deliveries
) -> None:
    deliveries.create(delivery(1))
    deliveries.create(delivery(2, player="bea"))
    deliveries.delete_all_of("ada")
    assert ids(list(deliveries.about("g", 7))) == ["d2"]
    assert due(deliveries) == ["d2"]
    assert not [
        key for key in service.redis.keys("cartulary:{deliveries*") if b"d1" in key or b"ada" in key
    ]


@pytest.mark.parametrize(
    "damage",
    [
        lambda redis: redis.hset(f"{PREFIX}record:d1", "content", "x"),
        lambda redis: redis.hdel(f"{PREFIX}record:d1", "attempts"),
        lambda redis: redis.delete(f"{PREFIX}record:d1"),
        lambda redis: redis.set(f"{PREFIX}record:d1", "x"),
    ],
)
def test_a_damaged_delivery_is_left_out(
    service: Service, damage: Callable[[object], object]
) -> None:
    deliveries = Deliveries(service.redis, Bounds())
    deliveries.create(delivery(1))
    deliveries.create(delivery(2))
    damage(service.redis)
    assert deliveries.about("g", 7) == [delivery(2)]


def test_a_damaged_index_contains_nothing(service: Service) -> None:
    service.redis.set(f"{PREFIX}of-game:g", "x")
    assert service.notifications.deliveries.about("g", 7) == []


def test_deliveries_to_many_players_are_in_many_shards_and_read_in_order(service: Service) -> None:
    deliveries = Deliveries(service.redis, Bounds(), is_sharded=True)
    players = [f"player-{number}" for number in range(30)]
    for number, player in enumerate(players):
        at = wall_clock.format(NOW + timedelta(seconds=number))
        deliveries.create(delivery(number, player=player, due_at=at))
    deliveries.create(delivery(99, player=""))
    keys = service.redis.keys("cartulary:{deliveries:*}:due")
    assert len(keys) > 10
    assert not service.redis.exists(DUE)
    everything = [f"d{number}" for number in range(30)]
    assert deliveries.count_due(NOW) == 31
    assert set(ids(list(deliveries.about("g", 7)))) == {*everything, "d99"}
    later = NOW + timedelta(seconds=30)
    taken = [item.id for item in deliveries.take_due(later, 20)]
    assert sorted(taken[:2]) == ["d0", "d99"]
    assert taken[2:] == everything[1:19]
    # What has been taken is due again after the claim, behind the others.
    assert [item.id for item in deliveries.take_due(later, 20)] == everything[19:]
    assert deliveries.take_due(later, 20) == []
    deliveries.postpone(everything, later + 2 * CLAIM)
    assert ids(deliveries.waiting(1)) == ["d99"]
    for id in everything[10:20]:
        end(deliveries, id, "given_up")
    assert len(deliveries.failed(5)) == 5
    assert deliveries.totals() == {"given_up": 10}
    for id in everything[10:15]:
        assert deliveries.resend(id, NOW) is not None
    assert set(ids(deliveries.failed(100))) == set(everything[15:20])


def test_shards_continue_with_the_deliveries_of_a_single_redis(service: Service) -> None:
    """A backup of a single Redis has been restored into a cluster."""
    single = Deliveries(service.redis, Bounds())
    digest = replace(delivery(1), kind="digest", subject="digest", seq=0)
    part = replace(delivery(2, seq=2), digest="d1")
    for stored in (digest, part, delivery(3, seq=3), delivery(4, seq=4)):
        single.create(stored)
    end(single, "d4")
    deliveries = Deliveries(service.redis, Bounds(), is_sharded=True)
    assert deliveries.create(delivery(3, seq=3))
    deliveries.create(delivery(5, seq=5))
    assert sorted(due(deliveries)) == ["d1", "d3", "d5"]
    pages, cursor = [], None
    while True:
        page, cursor = deliveries.of_player("ada", 2, cursor)
        pages.append(ids(page))
        if cursor is None:
            break
    assert pages == [["d5", "d4"], ["d3", "d2"], ["d1"]]
    claimed = deliveries.claim("d1", NOW)
    assert claimed is not None
    assert deliveries.items("d1") == [part]
    assert deliveries.finish([part], "sent", NOW, is_claimed=False) == 1
    assert deliveries.finish([claimed], "sent", NOW) == 1
    end(deliveries, "d3", "given_up")
    end(deliveries, "d5")
    sent = deliveries.find("d4")
    assert sent is not None
    deliveries.mark_bounced(sent, NOW, message("line {line}", line=3))
    assert set(ids(deliveries.failed(10))) == {"d3", "d4"}
    assert deliveries.totals() == {"sent": 3, "given_up": 1, "bounced": 1}
    assert deliveries.resend("d3", NOW) is not None
    assert ids(deliveries.waiting(10)) == ["d3"]
    deliveries.delete_all_of("ada")
    assert deliveries.of_player("ada", 10) == ([], None)
    assert deliveries.waiting(1) == []


@pytest.mark.parametrize(
    ("subject", "about"),
    [
        ("your_turn", "à vous de jouer"),
        ("digest", "récapitulatif"),
        ("of_a_later_version", "of a later version"),
    ],
)
def test_a_delivery_says_in_words_what_it_is_about(subject: Any, about: str) -> None:
    assert replace(delivery(), subject=subject).as_json(Renderer(catalogue("fr")))["about"] == about
