"""Bots that take places in games: who may add them, and what the log records of them."""

from typing import Any

import pytest

from domain.errors import Malformed, NotNow
from domain.game import Game
from service.bootstrap import Service
from service.errors import Forbidden, HandleTaken, IdempotencyConflict, NotFound, Unauthorised
from tests.support.faults import raises
from tests.support.redis_contents import contents
from tests.support.service_games import create_game

PASSWORD = "correct horse"


def create(service: Service, **changes: Any) -> Game:
    return create_game(service, **{"seats": 3, **changes})


def events_of(service: Service, game: Game) -> list[dict[str, Any]]:
    return [dict(event) for event in service.games.queries.event_page(game.id, 0, 1000)]


def test_the_log_marks_a_bot_that_the_creator_adds(service: Service) -> None:
    game = service.games.commands.add_bot(create(service).id, "ada")
    assert [(place.player, place.bot) for place in game.places] == [
        ("ada", None),
        ("sensible-bot-1", "sensible"),
    ]
    event = events_of(service, game)[-1]
    assert event["by"] == {"player": "ada"}
    assert event["data"] == {
        "player": "sensible-bot-1",
        "nonce": "",
        "nonce_from": "none",
        "bot": "sensible",
    }


def test_a_bot_has_an_account_with_which_nobody_can_log_in(service: Service) -> None:
    service.games.commands.add_bot(create(service).id, "ada", "random")
    bot = service.accounts.players.by_handle("random-bot-1")
    assert bot is not None
    assert (bot.id, bot.bot) == ("random-bot-1", "random")
    for password in ("", "random", PASSWORD):
        with raises(Unauthorised, "there is no player with this handle and password"):
            service.accounts.players.login("random-bot-1", password)
    with raises(HandleTaken, "the handle Random-Bot-1 is taken"):
        service.accounts.players.register("Random-Bot-1", PASSWORD)


def test_a_bot_gets_a_longer_handle_if_a_person_has_its_own(service: Service) -> None:
    person, _ = service.accounts.players.register("Sensible-Bot-1", PASSWORD)
    service.games.commands.add_bot(create(service).id, "ada")
    (bot,) = service.accounts.players.get(["sensible-bot-1"])
    assert bot is not None
    assert bot.handle.startswith("sensible-bot-1-")
    assert service.accounts.players.by_handle(bot.handle) == bot
    assert service.accounts.players.by_handle("sensible-bot-1") == person


def test_games_share_the_accounts_of_bots(service: Service) -> None:
    bots = ("sensible", "sensible", "random")
    games = [create(service, seats=4, bots=bots) for _ in range(2)]
    for game in games:
        assert set(game.players) == {"ada", "sensible-bot-1", "sensible-bot-2", "random-bot-1"}
    assert service.games.listings.count_current_games("sensible-bot-1") == 2


def test_a_game_that_is_created_full_of_bots_starts_immediately(service: Service) -> None:
    game = create(service, bots=("sensible", "random"))
    assert [event["type"] for event in events_of(service, game)] == [
        "GameCreated",
        "SeatTaken",
        "SeatTaken",
        "SeatTaken",
        "GameStarted",
    ]
    assert game.status == "playing"
    assert [game.players[seat] for seat in game.bot_seats] == [
        player for player in game.players if player != "ada"
    ]


def test_the_last_free_place_starts_the_game(service: Service) -> None:
    game = create(service, seats=2, options={"private": True})
    game = service.games.commands.add_bot(game.id, "ada", nonce=b"\x01\x02")
    assert game.status == "playing"
    assert game.places[1].nonce == "0102"
    assert events_of(service, game)[2]["data"]["nonce_from"] == "player"


def test_bots_are_not_bound_by_the_quota_of_games(service: Service) -> None:
    for number in range(5):
        service.redis.zadd("cartulary:games:player:sensible-bot-1", {f"game-{number}": number})
    game = create(service, bots=("sensible",))
    assert game.places[1].bot == "sensible"


@pytest.mark.parametrize(
    ("player", "bot", "error"),
    [("bea", "sensible", Forbidden), ("ada", "clever", Malformed), ("ada", "", Malformed)],
)
def test_only_the_creator_adds_bots_and_only_those_of_the_rules(
    service: Service, player: str, bot: str, error: type[Exception]
) -> None:
    game = create(service)
    before = contents(service.redis)
    with pytest.raises(error):
        service.games.commands.add_bot(game.id, player, bot)
    assert contents(service.redis) == before


def test_an_uninvited_player_cannot_detect_a_private_game_by_adding_a_bot(service: Service) -> None:
    game = create(service, options={"private": True})
    with pytest.raises(NotFound):
        service.games.commands.add_bot(game.id, "bea")


def test_no_bot_is_added_to_a_game_that_has_started_or_that_its_creator_has_left(
    service: Service,
) -> None:
    started = create(service, seats=2, bots=("sensible",))
    with pytest.raises(NotNow):
        service.games.commands.add_bot(started.id, "ada")
    left = create(service)
    service.games.commands.join(left.id, "bea")
    service.games.commands.leave(left.id, "ada")
    with raises(NotNow, "bots are added by the creator of a game, who has left this one"):
        service.games.commands.add_bot(left.id, "ada")


@pytest.mark.parametrize(
    ("bots", "fields"),
    [
        (("clever",), {"bots.0"}),
        (("sensible", "clever"), {"bots.1"}),
        (("sensible", "sensible", "sensible"), {"bots"}),
    ],
)
def test_wrong_bots_of_a_new_game_are_named(
    service: Service, bots: tuple[str, ...], fields: set[str]
) -> None:
    with pytest.raises(Malformed) as error:
        create(service, bots=bots)
    assert set(error.value.fields) == fields


def test_a_game_that_people_have_left_to_bots_before_the_start_is_abandoned(
    service: Service,
) -> None:
    game = create(service, bots=("sensible",))
    assert service.games.commands.leave(game.id, "ada").status == "abandoned"


def test_a_repeated_request_adds_one_bot(service: Service) -> None:
    game = create(service, seats=4)
    added = service.games.commands.add_bot(game.id, "ada", idempotency_key="k")
    again = service.games.commands.add_bot(game.id, "ada", idempotency_key="k")
    assert again.seq == added.seq == 3
    with pytest.raises(IdempotencyConflict):
        service.games.commands.add_bot(game.id, "ada", "random", idempotency_key="k")


def test_a_repeated_request_creates_one_game_with_bots(service: Service) -> None:
    game = create(service, bots=("sensible",), idempotency_key="k")
    assert create(service, bots=("sensible",), idempotency_key="k").id == game.id
    with pytest.raises(IdempotencyConflict):
        create(service, bots=("random",), idempotency_key="k")
