"""Listings: by status, player and visibility, in pages, and rebuilt from the logs."""

from collections.abc import Iterator
from typing import Any

import pytest
from freezegun import freeze_time

from domain.errors import Malformed
from domain.game import Status
from service.bootstrap import Service
from service.listings import Page
from service.reindex import reindex
from tests.support.redis_contents import contents
from tests.support.service_games import play_out, start_game, take_action


@pytest.fixture
def next_minute() -> Iterator[Any]:
    """A function that moves the frozen clock on by a minute."""
    with freeze_time("2026-11-20T09:00:00Z", auto_tick_seconds=0) as time:
        yield lambda: time.tick(60)


def create(service: Service, player: str = "ada", seats: int = 2, **options: Any) -> str:
    invited = options.pop("invited", ())
    return service.commands.create(
        player, rules="barony", seats=seats, options=options, invited=invited
    ).id


def ids(service: Service, *statuses: Status, **filters: Any) -> list[str]:
    """The ids on all pages of two games."""
    listed: list[str] = []
    cursor = None
    while True:
        page = service.listings.page(statuses, cursor=cursor, limit=2, **filters)
        assert len(page.games) == 2 or page.next is None
        listed += page.games
        if page.next is None:
            return listed
        cursor = page.next


def test_games_are_listed_newest_first_in_pages(service: Service, next_minute: Any) -> None:
    games = []
    for _ in range(5):
        next_minute()
        games.append(create(service))
    newest = games[::-1]
    assert ids(service) == newest
    assert service.listings.page(limit=5) == Page(tuple(newest), None)
    assert service.listings.page(limit=4).games == tuple(newest[:4])
    assert service.listings.page(limit=4).next is not None


def test_a_listing_may_be_empty(service: Service) -> None:
    assert service.listings.page() == Page((), None)
    assert service.listings.page(["open"], "ada", viewer="ada") == Page((), None)
    assert service.queries.games_waiting_for("ada") == []


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
    first = service.listings.page(limit=2)
    next_minute()
    create(service)
    second = service.listings.page(cursor=first.next, limit=2)
    assert [*first.games, *second.games] == games[::-1]
    assert second.next is None


def test_games_are_listed_by_status(service: Service, next_minute: Any) -> None:
    games: dict[Status, str] = {"open": create(service)}
    next_minute()
    games["playing"] = start_game(service).id
    next_minute()
    games["finished"] = play_out(service, start_game(service, round_limit=1).id).id
    service.commands.score(games["finished"])
    next_minute()
    games["abandoned"] = create(service)
    service.commands.leave(games["abandoned"], "ada")
    for status, game in games.items():
        assert ids(service, status) == [game]
    assert ids(service, "open", "finished") == [games["finished"], games["open"]]
    assert ids(service, "open", "open") == [games["open"]]
    assert ids(service) == [games[s] for s in ("abandoned", "finished", "playing", "open")]


def test_games_are_listed_by_player(service: Service, next_minute: Any) -> None:
    first = create(service, "ada", 3)
    next_minute()
    second = create(service, "bea", 3)
    service.commands.join(first, "bea")
    assert ids(service, player="ada") == [first]
    assert ids(service, player="bea") == [second, first]
    assert ids(service, "playing", player="bea") == []
    service.commands.leave(first, "bea")
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
    service.commands.join(private, "bea")
    assert ids(service, player="bea", viewer="bea") == [private]
    assert ids(service, player="bea", viewer="cid") == []
    service.commands.leave(private, "ada")
    assert ids(service, viewer="ada") == [public]


@pytest.mark.parametrize("cursor", ["", "nonsense", "2026"])
def test_an_invalid_cursor_is_malformed(service: Service, cursor: str) -> None:
    with pytest.raises(Malformed) as error:
        service.listings.page(cursor=cursor)
    assert set(error.value.fields) == {"cursor"}


def test_games_waiting_for_a_player_are_those_in_which_it_is_their_turn(
    service: Service, next_minute: Any
) -> None:
    public = start_game(service)
    next_minute()
    private = start_game(service, private=False)
    assert [game.id for game in service.queries.games_waiting_for("ada")] == [private.id, public.id]
    assert service.queries.games_waiting_for("bea") == []
    take_action(service, public.id)
    assert [game.id for game in service.queries.games_waiting_for("ada")] == [private.id]
    assert [game.id for game in service.queries.games_waiting_for("bea")] == [public.id]
    service.commands.abandon(private.id)
    assert service.queries.games_waiting_for("ada") == []


def test_private_games_can_wait_for_a_player(service: Service) -> None:
    game = create(service, "ada", private=True, seating="joined", invited=("bea",))
    service.commands.join(game, "bea")
    assert [game.id for game in service.queries.games_waiting_for("ada")] == [game]


def test_dropped_listings_are_rebuilt_from_the_logs(service: Service, next_minute: Any) -> None:
    for number in range(6):
        next_minute()
        game = create(service, "ada", 2, private=number % 2 == 0, invited=("bea",))
        if number > 1:
            service.commands.join(game, "bea")
        if number > 3:
            service.commands.abandon(game)
    before = contents(service.redis)
    derived = [*service.redis.keys("cartulary:games:*"), *service.redis.keys("*:listed")]
    assert len(derived) > 10
    service.redis.delete(*derived, "cartulary:live")
    # An entry that no log supports is removed.
    service.redis.zadd("cartulary:games:open", {"2026-11-20T09:00:00.000Z~forged": 0})
    assert reindex(service) == 6
    assert contents(service.redis) == before
    assert reindex(service) == 6
    assert contents(service.redis) == before
