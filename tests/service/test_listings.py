"""Which games there are, for whom, and that the listings can be thrown away."""

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
from tests.support.table import move, played_out, started


@pytest.fixture
def minutes() -> Iterator[Any]:
    """A clock that is a minute on at each `tick`."""
    with freeze_time("2026-11-20T09:00:00Z", auto_tick_seconds=0) as time:
        yield lambda: time.tick(60)


def create(service: Service, player: str = "ada", seats: int = 2, **options: Any) -> str:
    invited = options.pop("invited", ())
    return service.commands.create(
        player, rules="barony", seats=seats, options=options, invited=invited
    ).id


def ids(service: Service, *statuses: Status, **asked: Any) -> list[str]:
    """All pages, two at a time."""
    found: list[str] = []
    cursor = None
    while True:
        page = service.listings.page(statuses, cursor=cursor, limit=2, **asked)
        assert len(page.games) == 2 or page.next is None
        found += page.games
        if page.next is None:
            return found
        cursor = page.next


def test_newest_first_in_pages(service: Service, minutes: Any) -> None:
    games = []
    for _ in range(5):
        minutes()
        games.append(create(service))
    newest = games[::-1]
    assert ids(service) == newest
    assert service.listings.page(limit=5) == Page(tuple(newest), None)
    assert service.listings.page(limit=4).games == tuple(newest[:4])
    assert service.listings.page(limit=4).next is not None


def test_there_may_be_none(service: Service) -> None:
    assert service.listings.page() == Page((), None)
    assert service.listings.page(["open"], "ada", viewer="ada") == Page((), None)
    assert service.queries.games_waiting_for("ada") == []


def test_games_of_one_moment_are_all_listed(service: Service) -> None:
    with freeze_time("2026-11-20T09:00:00Z"):
        games = {create(service) for _ in range(7)}
    found = ids(service)
    assert set(found) == games
    assert len(found) == 7


def test_a_page_stays_where_it_is_while_games_are_added(service: Service, minutes: Any) -> None:
    games = []
    for _ in range(4):
        minutes()
        games.append(create(service))
    first = service.listings.page(limit=2)
    minutes()
    create(service)
    second = service.listings.page(cursor=first.next, limit=2)
    assert [*first.games, *second.games] == games[::-1]
    assert second.next is None


def test_by_status(service: Service, minutes: Any) -> None:
    games: dict[Status, str] = {"open": create(service)}
    minutes()
    games["playing"] = started(service).id
    minutes()
    games["finished"] = played_out(service, started(service, round_limit=1).id).id
    service.commands.score(games["finished"])
    minutes()
    games["abandoned"] = create(service)
    service.commands.leave(games["abandoned"], "ada")
    for status, game in games.items():
        assert ids(service, status) == [game]
    assert ids(service, "open", "finished") == [games["finished"], games["open"]]
    assert ids(service, "open", "open") == [games["open"]]
    assert ids(service) == [games[s] for s in ("abandoned", "finished", "playing", "open")]


def test_by_player(service: Service, minutes: Any) -> None:
    first = create(service, "ada", 3)
    minutes()
    second = create(service, "bea", 3)
    service.commands.join(first, "bea")
    assert ids(service, player="ada") == [first]
    assert ids(service, player="bea") == [second, first]
    assert ids(service, "playing", player="bea") == []
    service.commands.leave(first, "bea")
    assert ids(service, player="bea") == [second]
    assert ids(service, player="nobody") == []


def test_private_games_are_listed_only_for_who_may_see_them(service: Service, minutes: Any) -> None:
    public = create(service)
    minutes()
    private = create(service, "ada", 3, private=True, invited=("bea",))
    assert ids(service) == [public]
    assert ids(service, viewer="cid") == [public]
    assert ids(service, viewer="ada") == [private, public]
    assert ids(service, viewer="bea") == [private, public]
    assert ids(service, player="ada") == [public]
    assert ids(service, player="ada", viewer="cid") == [public]
    assert ids(service, player="ada", viewer="bea") == [private, public]
    # Invited is not in it yet.
    assert ids(service, player="bea", viewer="bea") == []
    service.commands.join(private, "bea")
    assert ids(service, player="bea", viewer="bea") == [private]
    assert ids(service, player="bea", viewer="cid") == []
    service.commands.leave(private, "ada")
    assert ids(service, viewer="ada") == [public]


@pytest.mark.parametrize("cursor", ["", "nonsense", "2026"])
def test_a_cursor_that_is_none_is_malformed(service: Service, cursor: str) -> None:
    with pytest.raises(Malformed) as refused:
        service.listings.page(cursor=cursor)
    assert set(refused.value.fields) == {"cursor"}


def test_who_is_waited_for(service: Service, minutes: Any) -> None:
    public = started(service)
    minutes()
    private = started(service, private=False)
    assert [game.id for game in service.queries.games_waiting_for("ada")] == [private.id, public.id]
    assert service.queries.games_waiting_for("bea") == []
    move(service, public.id)
    assert [game.id for game in service.queries.games_waiting_for("ada")] == [private.id]
    assert [game.id for game in service.queries.games_waiting_for("bea")] == [public.id]
    service.commands.abandon(private.id)
    assert service.queries.games_waiting_for("ada") == []


def test_private_games_wait_for_their_players_too(service: Service) -> None:
    game = create(service, "ada", private=True, seating="joined", invited=("bea",))
    service.commands.join(game, "bea")
    assert [game.id for game in service.queries.games_waiting_for("ada")] == [game]


def test_listings_that_were_thrown_away_are_made_again_from_the_logs(
    service: Service, minutes: Any
) -> None:
    for number in range(6):
        minutes()
        game = create(service, "ada", 2, private=number % 2 == 0, invited=("bea",))
        if number > 1:
            service.commands.join(game, "bea")
        if number > 3:
            service.commands.abandon(game)
    before = contents(service.redis)
    derived = [*service.redis.keys("cartulary:games:*"), *service.redis.keys("*:listed")]
    assert len(derived) > 10
    service.redis.delete(*derived, "cartulary:live")
    # What nobody wrote by the logs goes as well.
    service.redis.zadd("cartulary:games:open", {"2026-11-20T09:00:00.000Z~forged": 0})
    assert reindex(service) == 6
    assert contents(service.redis) == before
    assert reindex(service) == 6
    assert contents(service.redis) == before
