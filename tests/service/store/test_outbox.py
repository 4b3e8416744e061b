"""The outbox: at every moment of a game its entries are exactly the work that is not done yet."""

import json
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
import redis
from freezegun import freeze_time
from typing_extensions import override

from domain.errors import NotNow
from domain.event import Clock
from domain.game import Game
from domain.lifecycle import NewGame
from ledger.clock.turn_clock import deadline_timestamp
from service.accounts.accounts import BotPlayers
from service.bootstrap import Service, build
from service.connection import connect
from service.games.commands import GameCommands
from service.games.game_cache import GameCache
from service.games.listings import Listings
from service.games.player_signatures import PlayerSignatures
from service.games.quota import GameQuota
from service.games.repository import GameRepository
from service.settings import Settings
from tests.support.service_games import (
    PLAYERS,
    play_out,
    play_set_up,
    play_until,
    start_game,
    take_action,
)


def commands_with(service: Service, listings: Listings) -> GameCommands:
    """The commands of another process, with a cache and listings of its own."""
    repository = GameRepository(
        service.store, GameCache(10), listings, service.clock, service.keyring
    )
    return GameCommands(
        repository,
        service.keyring,
        GameQuota(service.games.listings, 200),
        PlayerSignatures(repository, service.accounts.keys),
        service.accounts.keys,
        service.accounts.players,
        BotPlayers(service.accounts.players),
        service.games.invitations,
        service.accounts.holidays,
        service.games.requirements,
        service.clubs,
        service.clock,
    )


def outbox(service: Service, game_id: str) -> dict[str, Any]:
    """The decoded payloads of a game's outbox entries, by name."""
    return {name: json.loads(value) for name, value in service.store.outbox(game_id).items()}


def check(service: Service, game_id: str) -> Game:
    """Compare the outbox with the game itself, and return the game."""
    game = service.games.queries.game(game_id)
    entries = outbox(service, game_id)
    due = deadline_timestamp(game)
    assert entries.get("deadline") == (due and {"turn": game.turn, "at": due})
    assert ("finish" in entries) == game.is_played_out
    unscored = {f"score/{round}": {"seq": seq} for round, seq in game.rounds_ended.items()}
    assert {name: entry for name, entry in entries.items() if name.startswith("score/")} == unscored
    scored = {f"notify/round/{round}" for round in range(1, game.rounds_scored + 1)}
    assert {name for name in entries if name.startswith("notify/round/")} == scored
    assert ("notify/over" in entries) == (game.status in ("finished", "abandoned"))
    if game.to_act is None:
        assert "notify/turn" not in entries
    else:
        assert entries["notify/turn"]["seat"] == game.to_act
    return game


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("per_turn", [None, 3600])
def test_the_outbox_is_right_throughout_whole_games(
    service: Service, seats: int, per_turn: int | None
) -> None:
    chance = random.Random(seats)
    clock: Clock | None = None if per_turn is None else {"per_turn": per_turn}
    game = start_game(service, seats, clock, round_limit=6)
    while check(service, game.id).to_act is not None:
        if chance.random() < 0.1:
            service.games.commands.score(game.id)
        take_action(service, game.id, chance)
    service.games.commands.score(game.id)
    assert check(service, game.id).status == "finished"


def test_an_abandoned_game_has_nothing_left_to_score(service: Service) -> None:
    game = play_until(
        service, start_game(service, 2, {"per_turn": 60}).id, lambda game: bool(game.rounds_ended)
    )
    service.administration.abandon("operator", game.id, "a test")
    assert set(outbox(service, game.id)) == {"notify/over"}


def test_only_the_creator_is_notified_before_the_start(service: Service) -> None:
    game = service.games.commands.create(
        "ada", NewGame(rules="barony", seats=3, options={}, clock={"per_turn": 60})
    )
    assert outbox(service, game.id) == {}
    joined = service.games.commands.join(game.id, "bea")
    assert outbox(service, game.id) == {"notify/joined/bea": {"seq": joined.seq}}


def test_a_player_who_places_three_cities_in_a_row_is_notified_once(service: Service) -> None:
    game = start_game(service)
    take_action(service, game.id)
    entry = outbox(service, game.id)["notify/turn"]
    assert entry == {"seat": 1, "seq": game.seq + 1}
    take_action(service, game.id)
    take_action(service, game.id)
    assert outbox(service, game.id)["notify/turn"] == entry


def test_entries_name_the_event_that_calls_for_them(service: Service) -> None:
    with freeze_time("2026-11-20T09:00:00Z"):
        game = play_out(service, start_game(service, 2, {"per_turn": 90}, round_limit=1).id)
    assert outbox(service, game.id) == {"score/1": {"seq": game.seq}, "finish": {"seq": game.seq}}
    service.games.commands.score(game.id)
    assert outbox(service, game.id) == {
        "notify/round/1": {"seq": game.seq + 1},
        "notify/over": {"seq": game.seq + 2},
    }


def test_every_turn_replaces_the_deadline(service: Service) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = play_set_up(service, start_game(service, 2, {"per_turn": 90}).id)
        turn = game.turn
        assert outbox(service, game.id)["deadline"] == {
            "turn": turn,
            "at": "2026-11-20T09:01:30.000Z",
        }
        time.move_to("2026-11-20T09:01:00Z")
        take_action(service, game.id)
        at = "2026-11-20T09:02:30.000Z"
        assert outbox(service, game.id)["deadline"] == {"turn": turn + 1, "at": at}


def test_a_game_that_could_not_be_listed_keeps_its_entry(
    service: Service, settings: Settings
) -> None:
    unreachable = connect("redis://127.0.0.1:1")
    commands = commands_with(service, Listings(unreachable))
    game = commands.create("ada", NewGame(rules="barony", seats=2, options={}))
    commands.join(game.id, "bea")
    assert outbox(service, game.id)["index"] == {"seq": 4}
    assert service.games.listings.page().games == ()
    assert list(service.store.active_games()) == [game.id]
    service.games.repository.update_listings(game.id)
    assert service.games.listings.page(["playing"]).games == (game.id,)
    assert "index" not in outbox(service, game.id)
    unreachable.close()


def test_scoring_a_round_does_not_start_a_turn(service: Service) -> None:
    start = start_game(service, 2, {"per_turn": 60})
    game = play_until(service, start.id, lambda game: bool(game.rounds_ended))
    for name in ("deadline", "notify/turn"):
        assert service.store.ack(game.id, name, service.store.outbox(game.id)[name])
    service.games.commands.score(game.id)
    assert set(outbox(service, game.id)) == {"notify/round/1"}


class OvertakenListings(Listings):
    """Listings in which another process changes the game just before it is listed for the first time."""

    def __init__(self, client: redis.Redis, change: Callable[[str], object]) -> None:
        super().__init__(client)
        self.change: Callable[[str], object] | None = change

    @override
    def refresh(self, game: Game, former: Game | None = None) -> None:
        change, self.change = self.change, None
        if change is not None:
            change(game.id)
        super().refresh(game, former)


def test_a_process_that_is_overtaken_while_listing_leaves_the_later_state(service: Service) -> None:
    listings = OvertakenListings(
        service.redis, lambda game: service.games.commands.join(game, "bea")
    )
    commands = commands_with(service, listings)
    game = commands.create("ada", NewGame(rules="barony", seats=2, options={})).id
    assert service.games.listings.page(["open"]).games == ()
    assert service.games.listings.page(["playing"]).games == (game,)
    assert service.games.listings.page(player="bea").games == (game,)


def test_a_process_that_is_overtaken_before_it_adds_a_game_removes_it_again(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    listings = service.games.listings
    client = connect(service.settings.redis_url)
    commands = commands_with(service, Listings(client))
    sadd = client.sadd

    def sadd_and_be_overtaken(key: str, *members: str) -> object:
        """Note the listings of the open game; another process then lists the game in progress."""
        result = sadd(key, *members)
        monkeypatch.undo()
        (game,) = service.store.game_ids()
        service.games.commands.join(game, "bea")
        return result

    monkeypatch.setattr(client, "sadd", sadd_and_be_overtaken)
    game = commands.create("ada", NewGame(rules="barony", seats=2, options={})).id
    client.close()
    assert listings.page(["open"]).games == ()
    assert listings.page(["playing"]).games == (game,)


def test_a_game_is_listed_correctly_after_concurrent_joins_and_leaves(
    service: Service, settings: Settings
) -> None:
    processes = [build(settings) for _ in range(3)]
    game = service.games.commands.create(PLAYERS[0], NewGame(rules="barony", seats=4, options={}))

    def join(each: tuple[Service, str]) -> None:
        process, player = each
        process.games.commands.join(game.id, player)
        with suppress(NotNow):  # the other players may have filled the game already
            process.games.commands.leave(game.id, player)
            process.games.commands.join(game.id, player)

    with ThreadPoolExecutor(3) as pool:
        try:
            list(pool.map(join, zip(processes, PLAYERS[1:], strict=True)))
        finally:
            for process in processes:
                process.redis.close()
    assert service.games.queries.game(game.id).status == "playing"
    assert service.games.listings.page(["playing"]).games == (game.id,)
    assert service.games.listings.page(["open"]).games == ()
    for player in PLAYERS:
        assert service.games.listings.page(player=player).games == (game.id,)
