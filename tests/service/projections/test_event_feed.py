"""The event feed: every event of a public game at least once, in the order of the transparency log."""

from collections.abc import Iterator

import pytest

from domain.errors import Malformed
from domain.event import Event
from service.bootstrap import Service
from service.projections import event_feed as event_feed_module
from service.projections.event_feed import CursorReplaced, FeedCursor
from service.recovery.reindex import reindex
from service.recovery.transparency_log import index_entries
from service.store.redis_event_store import game_key
from service.transparency.store import EntriesMissing, LogEntry
from tests.support.damage import KINDS, damage_event
from tests.support.round_trips import count_round_trips
from tests.support.service_games import play_out, start_game, take_action


def log(service: Service, *game_ids: str) -> None:
    for game_id in game_ids:
        service.transparency.head_log.log([game_id])


def pages(service: Service, limit: int, after: str | None = None) -> Iterator[list[Event]]:
    """Yield the pages of the feed; each is read with the text of the cursor of the one before."""
    while True:
        page = service.games.event_feed.page(FeedCursor.parse(after), limit)
        yield [*page.events]
        if page.is_last:
            return
        after = str(page.cursor)


def seqs(events: list[Event]) -> list[tuple[str, int]]:
    return [(event["game"], event["seq"]) for event in events]


@pytest.mark.parametrize("limit", [1, 2, 3, 500])
def test_events_come_once_in_the_order_of_the_log_on_pages_of_any_size(
    service: Service, limit: int
) -> None:
    a, b = (start_game(service).id for _ in range(2))
    log(service, b, a)
    for _ in range(3):
        take_action(service, a)
    take_action(service, b)
    log(service, b, a)
    expected = [
        *((b, seq) for seq in range(1, 5)),
        *((a, seq) for seq in range(1, 5)),
        (b, 5),
        *((a, seq) for seq in range(5, 8)),
    ]
    read = list(pages(service, limit))
    assert [pair for page in read for pair in seqs(page)] == expected
    assert all(len(page) <= limit for page in read)
    shown = [event for page in read for event in page if event["game"] == a]
    assert shown == service.games.queries.event_page(a, 0, 100)


def test_a_reader_resumes_where_it_has_stopped(service: Service) -> None:
    feed = service.games.event_feed
    game = start_game(service).id
    log(service, game)
    page = feed.page(FeedCursor())
    assert page.is_last
    assert feed.page(page.cursor).events == ()
    take_action(service, game)
    assert feed.page(page.cursor).events == (), "the new head is not in the log yet"
    log(service, game)
    later = feed.page(FeedCursor.parse(str(page.cursor)))
    assert seqs([*later.events]) == [(game, 5)]


def test_nothing_of_a_private_game_is_shown(service: Service) -> None:
    private, public = start_game(service, private=True).id, start_game(service).id
    log(service, private, public)
    take_action(service, private)
    log(service, private)
    assert {event["game"] for page in pages(service, 2) for event in page} == {public}


def test_a_page_has_a_bounded_size_and_cost(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    feed = service.games.event_feed
    games = [start_game(service, private=number % 2 == 0).id for number in range(12)]
    log(service, *games)
    whole = [pair for page in pages(service, 500) for pair in seqs(page)]
    monkeypatch.setattr(event_feed_module, "MAX_ENTRIES", 3)
    assert [pair for page in pages(service, 500) for pair in seqs(page)] == whole
    with count_round_trips() as trips:
        feed.page(FeedCursor(), 500)
    assert trips.count <= 6
    # Not even the first event fits, so each page has one.
    monkeypatch.setattr(event_feed_module, "MAX_PAGE_BYTES", 1)
    read = list(pages(service, 500))
    assert [pair for page in read for pair in seqs(page)] == whole
    assert max(map(len, read)) == 1


@pytest.mark.needs_redis("single")
def test_the_cost_of_a_page_is_the_same_for_ten_times_as_many_games(service: Service) -> None:
    costs = []
    for count in (3, 27):
        games = [start_game(service).id for _ in range(count)]
        log(service, *games)
        with count_round_trips() as trips:
            service.games.event_feed.page(FeedCursor(), 5)
        costs.append(trips.count)
    assert costs[1] <= costs[0]


@pytest.mark.parametrize(
    "text", ["", "1", "1-2", "1-2-", "1-2-xyz", "-1-0-", "1-0-0123456789abcdeF"]
)
def test_an_invalid_cursor_is_refused(service: Service, text: str) -> None:
    with pytest.raises((Malformed, CursorReplaced)):
        service.games.event_feed.page(FeedCursor.parse(text))


def test_a_cursor_of_another_history_is_refused(service: Service) -> None:
    feed = service.games.event_feed
    log(service, *(start_game(service).id for _ in range(3)))
    cursor = feed.page(FeedCursor()).cursor
    for other in (
        FeedCursor(cursor.entries + 1, 0, cursor.leaf),
        FeedCursor(cursor.entries - 1, 0, cursor.leaf),
        FeedCursor(cursor.entries, 0, "0" * 16),
    ):
        with pytest.raises(CursorReplaced):
            feed.page(other)


def test_a_game_that_has_lost_logged_events_comes_again_from_its_beginning(
    service: Service,
) -> None:
    feed = service.games.event_feed
    game = start_game(service).id
    for _ in range(2):
        take_action(service, game)
    log(service, game)
    cursor = feed.page(FeedCursor()).cursor
    service.redis.xdel(game_key(game, "log"), "6-0")
    log(service, game)
    assert seqs([*feed.page(cursor).events]) == [(game, seq) for seq in range(1, 6)]


def test_a_damaged_event_keeps_no_other_from_being_shown(service: Service) -> None:
    a, b = (start_game(service).id for _ in range(2))
    log(service, a, b)
    service.redis.delete(game_key(a, "log"))
    service.redis.set(game_key(a, "log"), "damaged")
    assert {event["game"] for page in pages(service, 3) for event in page} == {b}


@pytest.mark.parametrize("kind", KINDS)
def test_no_altered_event_is_shown(service: Service, kind: str) -> None:
    game = start_game(service).id
    for _ in range(3):
        take_action(service, game)
    log(service, game)
    damage_event(service, game, 5, KINDS[kind])
    shown = [event for page in pages(service, 3) for event in page]
    assert [event["seq"] for event in shown] == [1, 2, 3, 4, 6, 7]


def test_reindexing_finds_the_events_of_leaves_of_an_earlier_version(service: Service) -> None:
    feed, store = service.games.event_feed, service.transparency.log
    a, b = (start_game(service, round_limit=1).id for _ in range(2))
    log(service, a, b)
    take_action(service, a)
    log(service, a)
    play_out(service, b)
    log(service, b)
    entries = store.entries(0, store.size())
    assert entries[2] == LogEntry(a, 5, 5)
    service.redis.hdel("cartulary:{transparency}:entries:0", "0", "2")
    with pytest.raises(EntriesMissing):
        feed.page(FeedCursor())
    reindex(service)
    assert store.entries(0, store.size()) == entries
    assert index_entries(service.store, store) == 0


def test_a_leaf_whose_event_is_lost_is_passed_over(service: Service) -> None:
    game = start_game(service).id
    log(service, game)
    take_action(service, game)
    log(service, game)
    service.redis.xdel(game_key(game, "log"), "5-0")
    service.redis.delete("cartulary:{transparency}:entries:0")
    assert index_entries(service.store, service.transparency.log) == 2
    assert service.transparency.log.entries(0, 2) == [LogEntry(game, 1, 4), None]
    assert [pair for page in pages(service, 500) for pair in seqs(page)] == [
        (game, seq) for seq in range(1, 5)
    ]
