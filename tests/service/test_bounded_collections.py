"""A player has at most as many of each thing as the bounds allow, however many requests come at once."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from secrets import token_hex
from threading import Barrier
from typing import Final

import pytest

from domain.errors import NotNow
from domain.lifecycle import NewGame
from ledger.canonical import canonical
from ledger.keys import SigningKey
from ledger.player_signatures import key_payload
from service.bootstrap import Service, build
from service.bounds import Bounds
from service.errors import Conflict
from service.imports.store import ImportedRecord, ImportStore, new_id
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
    max_keys_per_player=MOST,
    max_imports_per_player=MOST,
    max_games_per_player=MOST,
    max_clubs_per_player=MOST,
)
KEYS: Final = [SigningKey.generate() for _ in range(9)]
IMPORTED: Final = ImportedRecord(
    id="",
    uploader="",
    uploaded="2026-11-29T10:00:00.000Z",
    is_public=False,
    game="g",
    rules="baron",
    seats=2,
    players=(),
    events=1,
    intact=1,
    bytes=0,
    key="",
    is_own_key=False,
    server=None,
    verdict="holds",
    differs_at=None,
)


@dataclass(frozen=True)
class Table:
    """A service with small bounds, and a game with messages on which a player adds things."""

    service: Service
    game: str
    player: str
    owner: str
    clubs: tuple[str, ...]
    """Public clubs of the owner."""


@dataclass(frozen=True)
class Collection:
    """Things of a player: `add` adds one, told apart by a number, and `count` returns how many there are."""

    add: Callable[[Table, str, int], object]
    count: Callable[[Table, str], int]


def count_reports(table: Table, player: str) -> int:
    reports, _ = table.service.chat_message_reports.page(limit=1000)
    return sum(report.reporter == player for report in reports)


def add_key(table: Table, player: str, number: int) -> None:
    key = KEYS[number]
    proof = bytes.fromhex(key.signature(canonical(key_payload(player, key.public))))
    table.service.accounts.keys.add(player, bytes.fromhex(key.public), proof)


def import_store(table: Table) -> ImportStore:
    service = table.service
    return ImportStore(service.redis, service.archive.objects, service.settings.bounds)


def count_clubs(table: Table, player: str) -> int:
    return sum(club.relation != "invited" for club in table.service.clubs.of(player))


COLLECTIONS: Final = {
    "keys": Collection(
        add_key, lambda table, player: len(table.service.accounts.keys.valid_keys(player))
    ),
    "imports": Collection(
        lambda table, player, _: import_store(table).add(
            replace(IMPORTED, id=new_id(), uploader=player), b""
        ),
        lambda table, player: len(import_store(table).of_player(player)),
    ),
    "games created": Collection(
        lambda table, player, _: table.service.games.commands.create(
            player, NewGame(rules="barony", seats=2, options={})
        ),
        lambda table, player: table.service.games.listings.count_current_games(player),
    ),
    "games joined": Collection(
        lambda table, player, _: table.service.games.commands.join(
            table.service.games.commands.create(
                f"creator-{token_hex(4)}", NewGame(rules="barony", seats=3, options={})
            ).id,
            player,
        ),
        lambda table, player: table.service.games.listings.count_current_games(player),
    ),
    "clubs founded": Collection(
        lambda table, player, number: table.service.clubs.create(player, f"Own club {number}"),
        count_clubs,
    ),
    "clubs joined": Collection(
        lambda table, player, number: table.service.clubs.join(table.clubs[number], player),
        count_clubs,
    ),
    "invitations to clubs": Collection(
        lambda table, player, number: table.service.clubs.invite(
            table.clubs[number], table.owner, player
        ),
        lambda table, player: len(table.service.clubs.of(player)),
    ),
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
    owner, player = (
        service.accounts.players.register(handle, "correct horse")[0].id
        for handle in ("cyd", "bea")
    )
    clubs = [service.clubs.create(owner, f"Club {number}").id for number in range(AT_ONCE + 1)]
    game = start_game(limited, players=("ada", player)).id
    for number in range(AT_ONCE + 1):
        take_action(limited, game)
        limited.chat.post(game, "ada", f"message {number}")
    yield Table(limited, game, player, owner, tuple(clubs))
    limited.redis.close()


@pytest.mark.parametrize("name", COLLECTIONS)
def test_concurrent_requests_do_not_exceed_a_bound(name: str, table: Table) -> None:
    collection, player = COLLECTIONS[name], table.player
    barrier = Barrier(AT_ONCE)

    def add(number: int) -> bool:
        barrier.wait()
        try:
            collection.add(table, player, number)
        except (Conflict, NotNow):
            return False
        return True

    before = collection.count(table, player)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        added = [*pool.map(add, range(AT_ONCE))]
    assert before + added.count(True) == collection.count(table, player) <= MOST
    # One after the other, all that the bound allows can be added.
    for number in range(AT_ONCE):
        if collection.count(table, player) < MOST and not added[number]:
            collection.add(table, player, number)
    assert collection.count(table, player) == MOST
    with pytest.raises((Conflict, NotNow)):
        collection.add(table, player, AT_ONCE)
