"""Listings: by status, player and visibility, in pages, and rebuilt from the logs."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from freezegun import freeze_time

from domain.errors import Malformed
from domain.game import Status
from domain.lifecycle import NewGame
from service.bootstrap import Service, build
from service.games.listings import EXAMINED, GameKind, Listings, Page
from service.games.queries import MAX_EXAMINED_GAMES
from service.recovery.reindex import reindex
from service.settings import Settings
from service.store.redis_event_store import ACTIVE_GAMES
from service.store.shards import Shards
from tests.support.redis_contents import contents
from tests.support.round_trips import count_round_trips
from tests.support.service_games import play_out, start_game, take_action


@pytest.fixture
def next_minute() -> Iterator[Any]:
    """A function that moves the frozen clock on by a minute."""
    with freeze_time("2026-11-20T09:00:00Z", auto_tick_seconds=0) as time:
        yield lambda: time.tick(60)


def create(service: Service, player: str = "ada", seats: int = 2, **options: Any) -> str:
    invited = options.pop("invited", ())
    return service.games.commands.create(
        player, NewGame(rules="barony", seats=seats, options=options, invited=invited)
    ).id


def ids(service: Service, *statuses: Status, **filters: Any) -> list[str]:
    """The ids on all pages of two games."""
    listed: list[str] = []
    cursor = None
    while True:
        page = service.games.listings.page(statuses, cursor=cursor, limit=2, **filters)
        assert len(page.games) == 2 or page.next is None
        listed += page.games
        if page.next is None:
            return listed
        cursor = page.next


def waiting_games(service: Service, player: str, limit: int = 50) -> list[str]:
    """Return the ids of the games on all pages of those that wait for a player."""
    waiting: list[str] = []
    cursor = None
    while True:
        games, cursor = service.games.queries.games_waiting_for(player, cursor, limit)
        assert len(games) <= limit
        waiting += [game.id for game in games]
        if cursor is None:
            return waiting


def test_games_are_listed_newest_first_in_pages(service: Service, next_minute: Any) -> None:
    games = []
    for _ in range(5):
        next_minute()
        games.append(create(service))
    newest = games[::-1]
    assert ids(service) == newest
    page = service.games.listings.page(limit=5)
    assert (page.games, page.next) == (tuple(newest), None)
    assert service.games.listings.page(limit=4).games == tuple(newest[:4])
    assert service.games.listings.page(limit=4).next is not None


def test_a_listing_may_be_empty(service: Service) -> None:
    assert service.games.listings.page() == Page((), None)
    assert service.games.listings.page(["open"], "ada", viewer="ada") == Page((), None)
    assert waiting_games(service, "ada") == []


def test_games_created_at_the_same_time_are_all_listed(service: Service) -> None:
    with freeze_time("2026-11-20T09:00:00Z"):
        games = {create(service) for _ in range(7)}
    listed = ids(service)
    assert set(listed) == games
    assert len(listed) == 7


def test_pages_do_not_shift_while_games_are_added(service: Service, next_minute: Any) -> None:
    games = []
    for _ in range(4):
        next_minute()
        games.append(create(service))
    first = service.games.listings.page(limit=2)
    next_minute()
    create(service)
    second = service.games.listings.page(cursor=first.next, limit=2)
    assert [*first.games, *second.games] == games[::-1]
    assert second.next is None


def test_games_are_listed_by_status(service: Service, next_minute: Any) -> None:
    games: dict[Status, str] = {"open": create(service)}
    next_minute()
    games["playing"] = start_game(service).id
    next_minute()
    games["finished"] = play_out(service, start_game(service, round_limit=1).id).id
    service.games.commands.score(games["finished"])
    next_minute()
    games["abandoned"] = create(service)
    service.games.commands.leave(games["abandoned"], "ada")
    for status, game in games.items():
        assert ids(service, status) == [game]
    assert ids(service, "open", "finished") == [games["finished"], games["open"]]
    assert ids(service, "open", "open") == [games["open"]]
    assert ids(service) == [games[s] for s in ("abandoned", "finished", "playing", "open")]


def test_games_are_listed_by_player(service: Service, next_minute: Any) -> None:
    first = create(service, "ada", 3)
    next_minute()
    second = create(service, "bea", 3)
    service.games.commands.join(first, "bea")
    assert ids(service, player="ada") == [first]
    assert ids(service, player="bea") == [second, first]
    assert ids(service, "playing", player="bea") == []
    service.games.commands.leave(first, "bea")
    assert ids(service, player="bea") == [second]
    assert ids(service, player="nobody") == []


def test_private_games_are_listed_only_for_players_who_may_see_them(
    service: Service, next_minute: Any
) -> None:
    public = create(service)
    next_minute()
    private = create(service, "ada", 3, private=True, invited=("bea",))
    assert ids(service) == [public]
    assert ids(service, viewer="cid") == [public]
    assert ids(service, viewer="ada") == [private, public]
    assert ids(service, viewer="bea") == [private, public]
    assert ids(service, player="ada") == [public]
    assert ids(service, player="ada", viewer="cid") == [public]
    assert ids(service, player="ada", viewer="bea") == [private, public]
    # An invited player has no place in the game yet.
    assert ids(service, player="bea", viewer="bea") == []
    service.games.commands.join(private, "bea")
    assert ids(service, player="bea", viewer="bea") == [private]
    assert ids(service, player="bea", viewer="cid") == []
    service.games.commands.leave(private, "ada")
    assert ids(service, viewer="ada") == [public]


@pytest.mark.parametrize("cursor", ["", "nonsense", "2026"])
def test_an_invalid_cursor_is_malformed(service: Service, cursor: str) -> None:
    with pytest.raises(Malformed) as error:
        service.games.listings.page(cursor=cursor)
    assert set(error.value.fields) == {"cursor"}


def test_games_waiting_for_a_player_are_those_in_which_it_is_their_turn(
    service: Service, next_minute: Any
) -> None:
    public = start_game(service)
    next_minute()
    private = start_game(service, private=False)
    assert waiting_games(service, "ada") == [private.id, public.id]
    assert waiting_games(service, "bea") == []
    take_action(service, public.id)
    assert waiting_games(service, "ada") == [private.id]
    assert waiting_games(service, "bea") == [public.id]
    service.administration.abandon("operator", private.id, "a test")
    assert waiting_games(service, "ada") == []


def test_private_games_can_wait_for_a_player(service: Service) -> None:
    game = create(service, "ada", private=True, seating="joined", invited=("bea",))
    service.games.commands.join(game, "bea")
    assert waiting_games(service, "ada") == [game]


def list_directly(service: Service, listing: str, numbers: Iterable[int]) -> None:
    """Add games that do not exist to a listing; the highest number is the newest."""
    members = [f"2026-11-20T09:00:00.000Z~{number:016x}" for number in numbers]
    service.redis.zadd(f"cartulary:games:{listing}", dict.fromkeys(members, 0))


def numbers_on(page: Page) -> list[int]:
    return [int(game, 16) for game in page.games]


@pytest.mark.parametrize("viewer", [None, "ada", "bea"])
@pytest.mark.parametrize("player", [None, "ada"])
def test_a_page_takes_two_round_trips_however_many_games_there_are(
    service: Service, player: str | None, viewer: str | None
) -> None:
    for listing in ("open", "open:of:ada", "open:for:ada", "open:with:ada", "open:for:bea"):
        list_directly(service, listing, range(5_000))
    service.games.listings.page(limit=1)  # connects
    middle = "2026-11-20T09:00:00.000Z~" + f"{2_500:016x}"
    for cursor, first in ((None, 5_000), (middle, 2_500)):
        with count_round_trips() as trips:
            page = service.games.listings.page((), player, cursor, 50, viewer)
        assert trips.count <= 2
        assert numbers_on(page) == list(range(first - 1, first - 51, -1))
        assert page.next is not None


@pytest.fixture
def sharded(service: Service) -> Listings:
    """Listings as in a cluster."""
    return Listings(service.redis, is_sharded=True)


def refresh_all(service: Service, listings: Listings, games: Iterable[str]) -> None:
    for game in games:
        listings.refresh(service.games.queries.game(game))


def test_listings_in_shards_have_the_same_pages(
    service: Service, sharded: Listings, next_minute: Any
) -> None:
    games = []
    for number in range(24):
        next_minute()
        game = create(service, "ada", 2 + number % 2, private=number % 3 == 0, invited=("bea",))
        if number % 4 == 0:
            service.games.commands.join(game, "bea")
        games.append(game)
    kinds = [GameKind("barony", 2)]
    viewers: list[dict[str, Any]] = [
        {},
        {"player": "ada"},
        {"viewer": "bea"},
        {"player": "ada", "viewer": "bea"},
    ]
    filters: list[dict[str, Any]] = [
        {**viewer, **kind} for viewer in viewers for kind in ({}, {"kinds": kinds})
    ]

    def pages(listings: Listings) -> list[Any]:
        return [
            *(listings.page((), limit=50, **conditions) for conditions in filters),
            *(listings.page(["open"], limit=5, **conditions) for conditions in filters),
            listings.page_of_all(limit=50),
            listings.count_public_games(("open", "playing"), kinds),
        ]

    expected = pages(service.games.listings)
    # Processes of an earlier version, and those of this one, come to the games in any order.
    refresh_all(service, sharded, games[::2])
    assert pages(sharded) == expected
    refresh_all(service, sharded, games)
    assert pages(sharded) == expected
    everybodys = ("open", "open:private", "open:system:barony:2", "playing:vacant")
    assert not service.redis.exists(*(f"cartulary:games:{listing}" for listing in everybodys))
    assert len(service.redis.keys("cartulary:{games:open:*}")) > 10
    refresh_all(service, service.games.listings, games)
    assert pages(service.games.listings) == pages(sharded) == expected
    refresh_all(service, sharded, games)
    sharded.clear()
    assert pages(sharded) == pages(service.games.listings) != expected


@pytest.mark.parametrize("shard", [0, 15])
def test_a_page_is_exact_if_all_new_games_are_in_one_shard(
    service: Service, sharded: Listings, shard: int
) -> None:
    shards = Shards("games:open")
    numbers = [n for n in range(2_000) if shards.key(f"{n:016x}") == shards.all[shard]][-60:]
    others = [n for n in range(min(numbers)) if n not in numbers]
    for number in (*numbers, *others):
        key = shards.key(f"{number:016x}")
        service.redis.zadd(key, {f"2026-11-20T09:00:00.000Z~{number:016x}": 0})
    page = sharded.page(["open"], limit=50)
    assert numbers_on(page) == numbers[:9:-1]
    rest = sharded.page(["open"], cursor=page.next, limit=50)
    assert numbers_on(rest) == [*numbers[9::-1], *sorted(others, reverse=True)[:40]]


def test_a_page_examines_a_bounded_number_of_private_games_of_another_player(
    service: Service,
) -> None:
    """Bea may see many private games, and only the oldest of them are with Ada."""
    list_directly(service, "open:for:bea", range(1_000))
    list_directly(service, "open:with:ada", [*range(3), *range(2_000, 3_000)])
    list_directly(service, "open:of:ada", [990, 500, 1])
    pages, cursor = [], None
    while True:
        page = service.games.listings.page(["open"], "ada", cursor, 2, viewer="bea")
        pages.append(numbers_on(page))
        cursor = page.next
        if cursor is None:
            break
    assert [number for page in pages for number in page] == [990, 500, 2, 1, 0]
    assert EXAMINED == 250
    # The games that are examined for one page do not depend on what is on it.
    assert pages == [[990], [500], [], [2, 1], [0]]


def test_games_of_a_kind_are_listed_by_player_and_viewer(
    service: Service, next_minute: Any
) -> None:
    games = []
    for private in (False, True):
        for seats in (2, 3):
            next_minute()
            games.append(create(service, "ada", seats, private=private, invited=("bea",)))
    create(service, "bea", 2)
    two, private_two = games[0], games[2]
    kinds = [GameKind("barony", 2), GameKind("baron", 2)]
    assert ids(service, player="ada", kinds=kinds) == [two]
    assert ids(service, player="ada", viewer="ada", kinds=kinds) == [private_two, two]
    assert ids(service, player="ada", viewer="bea", kinds=kinds) == [private_two, two]
    assert ids(service, player="ada", viewer="cid", kinds=kinds) == [two]
    assert ids(service, player="bea", viewer="ada", kinds=[GameKind("barony", 3)]) == []
    assert len(ids(service, viewer="bea", kinds=kinds)) == 3
    assert len(ids(service, kinds=kinds)) == 2
    assert ids(service, kinds=[]) == []
    service.games.commands.leave(two, "ada")
    assert ids(service, "open", player="ada", kinds=kinds) == []
    assert ids(service, "abandoned", kinds=kinds) == [two]


def test_a_page_of_games_of_a_kind_takes_two_round_trips(service: Service) -> None:
    kinds = [GameKind("barony", seats) for seats in range(2, 5)]
    for listing in ("of:ada", "for:ada", "with:ada", "system:barony:3", "private-system:barony:4"):
        list_directly(service, f"finished:{listing}", range(2_000))
    service.games.listings.page(limit=1)  # connects
    for player in (None, "ada"):
        with count_round_trips() as trips:
            page = service.games.listings.page(["finished"], player, None, 50, "ada", kinds)
        assert trips.count <= 2
        assert numbers_on(page) == list(range(1_999, 1_949, -1))
        assert page.next is not None


def start_games(service: Service, number: int, next_minute: Any) -> list[str]:
    """Start games one after the other, every second of them private, in which Ada has to act."""
    games = []
    for index in range(number):
        next_minute()
        game = create(service, "ada", private=index % 2 == 1, seating="joined", invited=("bea",))
        service.games.commands.join(game, "bea")
        games.append(game)
    return games


def test_a_page_of_waiting_games_examines_a_bounded_number_of_games(
    service: Service, next_minute: Any
) -> None:
    games = start_games(service, 5, next_minute)
    for game in games[2:]:
        take_action(service, game)
    # Ada has to act in the two oldest games, behind many that do not exist any more.
    list_directly(service, "playing:of:ada", range(MAX_EXAMINED_GAMES))
    newest = {f"2099-01-01T00:00:00.000Z~{number:016x}": 0 for number in range(150)}
    service.redis.zadd("cartulary:games:playing:of:ada", newest)
    first, cursor = service.games.queries.games_waiting_for("ada", limit=2)
    assert first == []
    assert cursor == sorted(newest, reverse=True)[MAX_EXAMINED_GAMES - 1]
    second, cursor = service.games.queries.games_waiting_for("ada", cursor, limit=1)
    assert [game.id for game in second] == [games[1]]
    third, cursor = service.games.queries.games_waiting_for("ada", cursor, limit=1)
    assert [game.id for game in third] == [games[0]]
    assert cursor is not None
    assert waiting_games(service, "ada", limit=1) == [games[1], games[0]]


def test_a_page_of_waiting_games_takes_a_fixed_number_of_round_trips(
    service: Service, next_minute: Any
) -> None:
    games = start_games(service, 20, next_minute)
    waiting_games(service, "ada")
    with count_round_trips() as trips:
        assert waiting_games(service, "ada") == games[::-1]
    assert trips.count == 2


def test_a_page_ends_early_when_many_events_have_been_folded(
    service: Service, settings: Settings, next_minute: Any
) -> None:
    games = start_games(service, 4, next_minute)
    for game in games:
        for _ in range(6):
            take_action(service, game)
    bounds = replace(settings.bounds, page_events=15)
    other = build(replace(settings, bounds=bounds))
    loaded = other.games.queries.games(games)
    assert [game and game.id for game in loaded] == games[:2]
    # The games that it has folded are cached, so they cost nothing the next time.
    loaded = other.games.queries.games(games)
    assert [game and game.id for game in loaded] == games
    waiting, cursor = build(replace(settings, bounds=bounds)).games.queries.games_waiting_for("ada")
    assert [game.id for game in waiting] == games[:1:-1]
    assert cursor is not None
    other.redis.close()


def contents_without_changes(service: Service) -> dict[str, Any]:
    """Return what Redis contains besides the times at which games have changed."""
    stored = contents(service.redis)
    return {key: value for key, value in stored.items() if not key.endswith(":changed")}


def test_dropped_listings_are_rebuilt_from_the_logs(service: Service, next_minute: Any) -> None:
    for number in range(6):
        next_minute()
        game = create(service, "ada", 2, private=number % 2 == 0, invited=("bea",))
        if number > 1:
            service.games.commands.join(game, "bea")
        if number > 3:
            service.administration.abandon("operator", game, "a test")
    before = contents_without_changes(service)
    derived = [
        key
        for pattern in ("cartulary:games:*", "cartulary:{games:*", "*:listed")
        for key in service.redis.keys(pattern)
    ]
    assert len(derived) > 10
    service.redis.delete(*derived, *ACTIVE_GAMES.all)
    # An entry that no log supports is removed.
    service.redis.zadd("cartulary:games:open", {"2026-11-20T09:00:00.000Z~forged": 0})
    assert reindex(service) == 6
    assert contents_without_changes(service) == before
    assert reindex(service) == 6
    assert contents_without_changes(service) == before
