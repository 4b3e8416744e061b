"""A seat that an administrator moves to another account: who sees what, is notified, and gets receipts."""

from io import BytesIO
from typing import Any

import pytest

from domain.errors import NotNow
from domain.game import Game
from domain.json_types import JsonObject
from domain.lifecycle import NewGame
from replay.audit import audit
from replay.language.renderer import renderer
from service.bootstrap import Service
from service.conditional_actions.store import CONDITIONAL
from service.errors import Forbidden, NotFound, OperationNotPossible, TooManyGames
from service.games.visibility import visibility_for
from service.notifications.factory import NotificationFactory
from service.store.redis_event_store import game_key
from tests.support.accounts import PASSWORD
from tests.support.endpoints import FixedEndpoints
from tests.support.records import trusting_signer
from tests.support.service_games import play_set_up, play_until, start_game, take_action
from tests.support.worker_harness import RecordingChannel, WorkerHarness

WHY = "asked by mail"


@pytest.fixture
def zoe(service: Service) -> str:
    """The id of a registered player."""
    player, _ = service.accounts.players.register("Zoe", PASSWORD)
    return player.id


@pytest.fixture
def people(service: Service, zoe: str) -> list[str]:
    """The ids of Ada, Bea, Cid and Zoe, who are registered and can be notified by mail."""
    ids = [
        service.accounts.players.register(handle, PASSWORD)[0].id
        for handle in ("Ada", "Bea", "Cid")
    ]
    ids.append(zoe)
    service.notifications.endpoints.add(FixedEndpoints("email", ids))
    return ids


def move(service: Service, game: Game, player: str, seat: int = 0) -> Game:
    """Move a seat to a player, and return the game."""
    service.administration.move_seat("operator", game.id, seat, player, WHY)
    return service.games.queries.game(game.id)


@pytest.mark.parametrize(("rules", "options"), [("barony", {"sorcery": True}), ("baron", {})])
def test_the_new_player_plays_on_and_the_record_is_sound(
    service: Service, zoe: str, rules: str, options: dict[str, Any]
) -> None:
    game = start_game(service, 2, rules=rules, **options)
    moved = move(service, game, zoe)
    assert (moved.players, moved.status) == ((zoe, "bea"), "playing")
    with pytest.raises(Forbidden):
        service.games.commands.act(game.id, "ada", {"type": "resign"}, moved.seq)
    play_until(service, game.id, lambda game: game.to_act == 0)
    assert take_action(service, game.id).events[0]["by"] == {"seat": 0}
    data = b"".join(service.games.queries.record(game.id))
    assert audit(BytesIO(data), trusted=trusting_signer(data)).verdict != "broken"


def test_the_reserve_of_a_seat_is_shown_to_its_new_player_alone(service: Service, zoe: str) -> None:
    game = start_game(service, 3, rules="baron")
    of_ada = visibility_for(game, "ada").position(game)
    moved = move(service, game, zoe)
    of_spectator = visibility_for(moved, None).position(moved)
    assert visibility_for(moved, zoe).position(moved) == of_ada != of_spectator
    assert visibility_for(moved, "ada").position(moved) == of_spectator
    with pytest.raises(Forbidden):
        visibility_for(moved, "ada", seat=0)


def test_a_private_game_does_not_exist_for_its_former_player(service: Service, zoe: str) -> None:
    game = start_game(service, 2, private=True)
    service.chat.post(game.id, "ada", "Hello!")
    move(service, game, zoe)
    harness = WorkerHarness(service)
    harness.sweep_twice_and_work()
    with pytest.raises(NotFound):
        service.games.queries.visible_game(game.id, "ada")
    with pytest.raises(NotFound):
        service.chat.page(game.id, "ada")
    assert [each.text for each in service.chat.page(game.id, zoe).messages] == ["Hello!"]
    assert service.games.listings.page((), viewer="ada").games == ()
    assert service.games.listings.page((), "ada", viewer="ada").games == ()
    assert service.games.listings.page((), zoe, viewer=zoe).games == (game.id,)
    assert service.games.listings.count_current_games("ada") == 0
    harness.close()


def test_a_public_game_is_that_of_a_spectator_for_its_former_player(
    service: Service, zoe: str
) -> None:
    game = start_game(service, 2)
    service.chat.post(game.id, "ada", "Hello!")
    move(service, game, zoe)
    service.games.queries.visible_game(game.id, "ada")
    with pytest.raises(Forbidden):
        service.chat.page(game.id, "ada")


def test_receipts_are_those_of_the_player_who_acted(service: Service, zoe: str) -> None:
    game = play_set_up(service, start_game(service, 2).id)
    own = {
        receipt["seq"] for receipt in service.games.receipts.page("ada", game_id=game.id).receipts
    }
    assert own
    move(service, game, zoe)
    play_until(service, game.id, lambda game: game.to_act == 0)
    seq = take_action(service, game.id).events[0]["seq"]
    assert [receipt["seq"] for receipt in service.games.receipts.page(zoe).receipts] == [seq]
    play_until(service, game.id, lambda game: game.to_act == 0)
    later = take_action(service, game.id).events[0]["seq"]
    first = service.games.receipts.page(zoe, limit=1, game_id=game.id)
    second = service.games.receipts.page(zoe, first.next, 1, game.id)
    assert [receipt["seq"] for receipt in (*first.receipts, *second.receipts)] == [seq, later]
    former = service.games.receipts.page("ada", game_id=game.id).receipts
    assert {receipt["seq"] for receipt in former} == own


def test_what_the_former_player_has_prepared_is_void(service: Service, zoe: str) -> None:
    game = play_set_up(service, start_game(service, 2).id)
    waiting = 1 - (game.to_act or 0)
    former = game.players[waiting]
    resignation = {"type": "resign"}
    tree: list[JsonObject] = [{"seat": game.to_act, "action": resignation, "then": []}]
    service.conditional_actions.put(game.id, former, tree, game.seq)
    move(service, game, zoe, waiting)
    assert service.conditional_actions.play(game.id)
    assert not service.redis.exists(game_key(game.id, CONDITIONAL))
    assert service.games.queries.game(game.id).seq == game.seq + 2
    with pytest.raises(Forbidden):
        service.conditional_actions.get(game.id, former)
    assert service.conditional_actions.get(game.id, zoe).as_json() == []


@pytest.mark.parametrize("private", [False, True])
def test_all_players_are_notified_and_the_former_one_of_no_more_than_the_loss(
    service: Service, people: list[str], *, private: bool
) -> None:
    ada, bea, cid, zoe = people
    channel = RecordingChannel(name="email", is_operators=False)
    harness = WorkerHarness(service, channel)
    game = start_game(service, 3, players=people, private=private)
    assert game.to_act == 0
    harness.sweep_and_work(game.id)
    channel.sent.clear()
    move(service, game, zoe)
    harness.sweep_and_work(game.id)
    titles = {
        sent.player: renderer("en", sent.names).sentence(sent.title)
        for sent in channel.sent
        if sent.subject == "seat_moved"
    }
    others = "Barony: an administrator has moved the seat of Ada to another account"
    assert titles == {
        ada: "Barony: an administrator has moved your seat to another account",
        zoe: "Barony: an administrator has given you a seat",
        bea: others,
        cid: others,
    }
    (to_ada,) = (sent for sent in channel.sent if sent.player == ada)
    assert (to_ada.details, to_ada.recap.events) == ({"seat": 0}, ())
    assert zoe not in str(to_ada.as_json())
    # The page of a private game does not exist for its former player.
    assert to_ada.path == ("/" if private else f"/games/{game.id}")
    turns = [sent.player for sent in channel.sent if sent.subject == "your_turn"]
    assert turns == [zoe]
    harness.close()


def test_a_notification_of_the_turn_that_waits_is_not_sent_to_the_former_player(
    service: Service, people: list[str]
) -> None:
    channel = RecordingChannel(1, name="email", is_operators=False)
    harness = WorkerHarness(service, channel)
    game = start_game(service, 2, players=people)
    assert game.to_act == 0
    harness.sweep_and_work(game.id)
    (waiting,) = service.notifications.deliveries.waiting(10)
    assert (waiting.player, waiting.subject, waiting.status) == (people[0], "your_turn", "retrying")
    move(service, game, people[3])
    factory = NotificationFactory(
        service.games.queries,
        service.games.recaps,
        service.accounts.players,
        service.tournaments.tournaments,
        service.clubs,
    )
    assert factory.notification(waiting) is None
    harness.close()


def test_a_move_that_cannot_be_made_leaves_no_entry_in_the_log_of_administrators(
    service: Service, zoe: str
) -> None:
    game = start_game(service, 2)
    suspended, _ = service.accounts.players.register("Suspended", PASSWORD)
    service.administration.suspend("operator", suspended.id, "insults")
    with_bot = service.games.commands.create("cid", NewGame(rules="barony", seats=2, options={}))
    bot = service.games.commands.add_bot(with_bot.id, "cid").players
    busy, _ = service.accounts.players.register("Busy", PASSWORD)
    for _ in range(service.settings.bounds.max_games_per_player):
        service.games.commands.create(busy.id, NewGame(rules="baron", seats=2, options={}))
    before = len(service.administration.log_page("operator", 0, 100))
    refusals: list[tuple[str, type[Exception]]] = [
        ("nobody", NotFound),
        (suspended.id, OperationNotPossible),
        (next(id for id in bot if id != "cid"), OperationNotPossible),
        (busy.id, TooManyGames),
    ]
    for player, error in refusals:
        with pytest.raises(error):
            move(service, game, player)
    move(service, game, zoe)
    with pytest.raises(NotNow):
        move(service, game, zoe, 1)
    entries = service.administration.log_page("operator", before, 100)
    details = {"game": game.id, "seat": 0, "player": zoe, "reason": WHY}
    assert [entry["details"] for entry in entries if entry["operation"] != "read_log"] == [details]
    assert service.administration.first_log_fault() is None
