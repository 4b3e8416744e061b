"""A player has at most as many of each thing as the bounds allow, however many requests come at once."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from threading import Barrier
from typing import Final

import pytest

from service.bootstrap import Service, build
from service.bounds import Bounds
from service.errors import Conflict
from tests.support.service_games import start_game, take_action

MOST: Final = 3
AT_ONCE: Final = 8
NETWORK: Final = "192.0.2.1"
BOUNDS: Final = Bounds(
    max_personal_tokens_per_player=MOST,
    max_feeds_per_player=MOST,
    max_mutes_per_player=MOST,
    max_notes_per_player=MOST,
    max_reports_per_player=MOST,
    max_webhooks_per_player=MOST,
    max_sandboxes_per_player=MOST,
)


@dataclass(frozen=True)
class Table:
    """A service with small bounds, and a game with messages on which a player adds things."""

    service: Service
    game: str


@dataclass(frozen=True)
class Collection:
    """Things of a player: `add` adds one, told apart by a number, and `count` returns how many there are."""

    add: Callable[[Table, str, int], object]
    count: Callable[[Table, str], int]


def count_reports(table: Table, player: str) -> int:
    reports, _ = table.service.chat_message_reports.page(limit=1000)
    return sum(report.reporter == player for report in reports)


COLLECTIONS: Final = {
    "personal tokens": Collection(
        lambda table, player, number: table.service.accounts.players.tokens.personal.create(
            player, f"token {number}", ["play"], 1
        ),
        lambda table, player: len(table.service.accounts.players.tokens.personal.of(player)),
    ),
    "feeds": Collection(
        lambda table, player, _: table.service.notifications.feed_tokens.create(player),
        lambda table, player: len(table.service.notifications.feed_tokens.of(player)),
    ),
    "mutes": Collection(
        lambda table, player, number: table.service.accounts.mutes.add(player, f"other-{number}"),
        lambda table, player: len(table.service.accounts.mutes.of(player)),
    ),
    "notes": Collection(
        lambda table, player, number: table.service.games.private_notes.write(
            table.game, player, number + 1, "a note"
        ),
        lambda table, player: len(table.service.games.private_notes.of_game(table.game, player)),
    ),
    "reports": Collection(
        lambda table, player, number: table.service.chat.report(table.game, player, number + 1),
        count_reports,
    ),
    "webhooks": Collection(
        lambda table, player, number: table.service.notifications.webhooks.add(
            player, f"https://example.org/{number}"
        ),
        lambda table, player: len(table.service.notifications.webhooks.of(player)),
    ),
    "sandboxes": Collection(
        lambda table, player, _: table.service.sandboxes.create(
            player, NETWORK, table.game, None, bytes(32)
        ),
        lambda table, player: len(table.service.sandboxes.of_player(player, table.game)),
    ),
}


@pytest.fixture
def table(service: Service) -> Iterator[Table]:
    limited = build(replace(service.settings, bounds=BOUNDS))
    game = start_game(limited, seats=2).id
    for number in range(AT_ONCE + 1):
        take_action(limited, game)
        limited.chat.post(game, "ada", f"message {number}")
    yield Table(limited, game)
    limited.redis.close()


@pytest.mark.parametrize("name", COLLECTIONS)
def test_requests_at_once_do_not_exceed_a_bound(name: str, table: Table) -> None:
    collection = COLLECTIONS[name]
    barrier = Barrier(AT_ONCE)

    def add(number: int) -> bool:
        barrier.wait()
        try:
            collection.add(table, "bea", number)
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(AT_ONCE) as pool:
        added = [*pool.map(add, range(AT_ONCE))]
    assert added.count(True) == collection.count(table, "bea") <= MOST
    # One after the other, all that the bound allows can be added.
    for number in range(AT_ONCE):
        if collection.count(table, "bea") < MOST and not added[number]:
            collection.add(table, "bea", number)
    assert collection.count(table, "bea") == MOST
    with pytest.raises(Conflict):
        collection.add(table, "bea", AT_ONCE)
