"""What the log calls for: at every moment of a game, its notes say exactly what is still to be done."""

import json
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
import redis
from freezegun import freeze_time

from domain.errors import NotNow
from domain.event import Clock
from domain.game import Game
from service.bootstrap import Service, build
from service.clock import deadline
from service.connection import connect
from service.games.cache import GameCache
from service.games.commands import GameCommands
from service.games.repository import GameRepository
from service.listings import Listings
from service.settings import Settings
from tests.support.table import PLAYERS, move, play, played_out, set_up, started


def commands_with(service: Service, listings: Listings) -> GameCommands:
    """The commands of another process, with a cache and listings of its own."""
    repository = GameRepository(service.store, GameCache(10), listings)
    return GameCommands(repository, service.keyring)


def noted(service: Service, game_id: str) -> dict[str, Any]:
    return {name: json.loads(value) for name, value in service.store.outbox(game_id).items()}


def check(service: Service, game_id: str) -> Game:
    """Compare the notes with what the game itself says is to be done."""
    game = service.queries.game(game_id)
    notes = noted(service, game_id)
    due = deadline(game)
    assert notes.get("deadline") == (due and {"turn": game.turn, "at": due})
    assert ("finish" in notes) == game.is_played_out
    waiting = {f"score/{round}": {"seq": seq} for round, seq in game.rounds_ended.items()}
    assert {name: note for name, note in notes.items() if name.startswith("score/")} == waiting
    told = {f"notify/round/{round}" for round in range(1, game.rounds_scored + 1)}
    assert {name for name in notes if name.startswith("notify/round/")} == told
    assert ("notify/over" in notes) == (game.status in ("finished", "abandoned"))
    if game.to_act is None:
        assert "notify/turn" not in notes
    else:
        assert notes["notify/turn"]["seat"] == game.to_act
    return game


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("per_turn", [None, 3600])
def test_the_notes_of_whole_games(service: Service, seats: int, per_turn: int | None) -> None:
    chance = random.Random(seats)
    clock: Clock | None = None if per_turn is None else {"per_turn": per_turn}
    game = started(service, seats, clock, round_limit=6)
    while check(service, game.id).to_act is not None:
        if chance.random() < 0.1:
            service.commands.score(game.id)
        move(service, game.id, chance)
    service.commands.score(game.id)
    assert check(service, game.id).status == "finished"


def test_notes_of_a_game_that_is_abandoned(service: Service) -> None:
    game = play(
        service, started(service, 2, {"per_turn": 60}).id, lambda game: bool(game.rounds_ended)
    )
    service.commands.abandon(game.id)
    assert set(noted(service, game.id)) == {"notify/over"}


def test_before_the_start_nobody_is_told_anything(service: Service) -> None:
    game = service.commands.create(
        "ada", rules="barony", seats=3, options={}, clock={"per_turn": 60}
    )
    service.commands.join(game.id, "bea")
    assert noted(service, game.id) == {}


def test_who_places_three_cities_in_a_row_is_told_once(service: Service) -> None:
    game = started(service)
    move(service, game.id)
    (told,) = [note for name, note in noted(service, game.id).items() if name == "notify/turn"]
    assert told == {"seat": 1, "seq": game.seq + 1}
    move(service, game.id)
    move(service, game.id)
    assert noted(service, game.id)["notify/turn"] == told


def test_a_note_says_where_and_when(service: Service) -> None:
    with freeze_time("2026-11-20T09:00:00Z"):
        game = played_out(service, started(service, 2, {"per_turn": 90}, round_limit=1).id)
    assert noted(service, game.id) == {"score/1": {"seq": game.seq}, "finish": {"seq": game.seq}}
    service.commands.score(game.id)
    assert noted(service, game.id) == {
        "notify/round/1": {"seq": game.seq + 1},
        "notify/over": {"seq": game.seq + 2},
    }


def test_a_deadline_is_noted_anew_with_every_turn(service: Service) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = set_up(service, started(service, 2, {"per_turn": 90}).id)
        turn = game.turn
        assert noted(service, game.id)["deadline"] == {
            "turn": turn,
            "at": "2026-11-20T09:01:30.000Z",
        }
        time.move_to("2026-11-20T09:01:00Z")
        move(service, game.id)
        at = "2026-11-20T09:02:30.000Z"
        assert noted(service, game.id)["deadline"] == {"turn": turn + 1, "at": at}


def test_a_game_whose_listing_failed_is_listed_by_its_note(
    service: Service, settings: Settings
) -> None:
    away = connect("redis://127.0.0.1:1")
    commands = commands_with(service, Listings(away))
    game = commands.create("ada", rules="barony", seats=2, options={})
    commands.join(game.id, "bea")
    assert noted(service, game.id)["index"] == {"seq": 4}
    assert service.listings.page().games == ()
    assert list(service.store.active_games()) == [game.id]
    service.repository.update_listings(game.id)
    assert service.listings.page(["playing"]).games == (game.id,)
    assert "index" not in noted(service, game.id)
    away.close()


def test_a_round_scored_is_no_new_turn(service: Service) -> None:
    start = started(service, 2, {"per_turn": 60})
    game = play(service, start.id, lambda game: bool(game.rounds_ended))
    for name in ("deadline", "notify/turn"):
        assert service.store.ack(game.id, name, service.store.outbox(game.id)[name])
    service.commands.score(game.id)
    assert set(noted(service, game.id)) == {"notify/round/1"}


class Overtaken(Listings):
    """Listings in which the first one to list a game is overtaken by others just before it does."""

    def __init__(self, client: redis.Redis, others: Callable[[str], object]) -> None:
        super().__init__(client)
        self.others: Callable[[str], object] | None = others

    def refresh(self, game: Game) -> None:  # type: ignore[explicit-override] # 3.11 has no @override
        others, self.others = self.others, None
        if others is not None:
            others(game.id)
        super().refresh(game)


def test_who_is_overtaken_while_listing_a_game_leaves_no_older_state(service: Service) -> None:
    listings = Overtaken(service.redis, lambda game: service.commands.join(game, "bea"))
    commands = commands_with(service, listings)
    game = commands.create("ada", rules="barony", seats=2, options={}).id
    assert service.listings.page(["open"]).games == ()
    assert service.listings.page(["playing"]).games == (game,)
    assert service.listings.page(player="bea").games == (game,)


def test_those_who_join_and_leave_at_once_leave_the_game_listed_as_it_is(
    service: Service, settings: Settings
) -> None:
    # Others join while it is listed, again and again: in the end it is listed as it is.
    from concurrent.futures import ThreadPoolExecutor

    processes = [build(settings) for _ in range(3)]
    game = service.commands.create(PLAYERS[0], rules="barony", seats=4, options={})

    def join(each: tuple[Service, str]) -> None:
        process, player = each
        process.commands.join(game.id, player)
        with suppress(NotNow):  # the others may have filled the game already
            process.commands.leave(game.id, player)
            process.commands.join(game.id, player)

    with ThreadPoolExecutor(3) as pool:
        try:
            list(pool.map(join, zip(processes, PLAYERS[1:], strict=True)))
        finally:
            for process in processes:
                process.redis.close()
    assert service.queries.game(game.id).status == "playing"
    assert service.listings.page(["playing"]).games == (game.id,)
    assert service.listings.page(["open"]).games == ()
    for player in PLAYERS:
        assert service.listings.page(player=player).games == (game.id,)
