"""Creating, joining and leaving games before the start."""

from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import Any

import pytest

from domain import chance
from domain.errors import Malformed, NotNow
from domain.lifecycle import NewGame
from ledger import commands
from service.bootstrap import Service, build
from service.errors import IdempotencyConflict, NotFound, TooManyGames
from service.games.quota import GameQuota
from service.settings import Settings
from tests.support.faults import raises
from tests.support.redis_contents import contents
from tests.support.round_trips import count_round_trips
from tests.support.service_games import create_game, start_game


def types(service: Service, game_id: str) -> list[str]:
    return [event["type"] for event in service.games.queries.event_page(game_id, 0, 1000)]


def create(service: Service, **changes: Any) -> Any:
    return create_game(service, **changes)


def test_the_creator_takes_the_first_place(service: Service) -> None:
    game = create(service, nonce=b"\x01\x02", clock={"per_turn": 60})
    assert (game.status, game.seq, game.creator) == ("open", 2, "ada")
    assert [(place.player, place.nonce) for place in game.places] == [("ada", "0102")]
    assert game.options["seating"] == "drawn"
    assert game.options["private"] is False
    events = service.games.queries.event_page(game.id, 0, 10)
    assert [event["type"] for event in events] == ["GameCreated", "SeatTaken"]
    assert [event["by"] for event in events] == [{"player": "ada"}] * 2
    assert events[0]["data"]["clock"] == {"per_turn": 60}
    assert events[0]["at"] == events[1]["at"] == game.created_at


def test_only_nonces_that_were_sent_are_in_the_log(service: Service) -> None:
    for sent in (b"\x01", b"", None):
        game = create(service, seats=3, nonce=sent)
        service.games.commands.join(game.id, "bea", sent)
        service.games.commands.add_bot(game.id, "ada", nonce=sent)
        events = service.games.queries.event_page(game.id, 0, 10)
        assert events[0]["data"]["seed"] == 2
        taken = [event["data"] for event in events if event["type"] == "SeatTaken"]
        expected = ("01", "player") if sent else ("", "none")
        assert [(data["nonce"], data["nonce_from"]) for data in taken] == [expected] * 3


def test_a_game_that_was_created_with_seed_version_1_keeps_it(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an earlier version of the server created it, which drew nonces for those who sent none."""
    first = partial(commands.create, seed_version=1, nonce_from="server")
    with monkeypatch.context() as earlier:
        earlier.setattr(commands, "create", first)
        game = create(service, seats=3, nonce=b"\x01" * 32)
    service.games.commands.join(game.id, "bea")
    game = service.games.commands.add_bot(game.id, "ada", nonce=b"")
    created, *taken = service.games.queries.event_page(game.id, 0, 4)
    assert "seed" not in created["data"]
    sources = [(len(event["data"]["nonce"]), event["data"]["nonce_from"]) for event in taken]
    assert sources == [(64, "server"), (64, "server"), (0, "player")]
    secret = bytes.fromhex(service.store.secrets(game.id)["seed"])
    nonces = [bytes.fromhex(event["data"]["nonce"]) for event in taken]
    draws = chance.Chance(chance.seed(secret, nonces, 1))
    assert list(game.players) == draws.shuffle([event["data"]["player"] for event in taken])


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"rules": "chess"}, {"rules"}),
        ({"seats": 1}, {"seats"}),
        ({"seats": "2"}, {"seats"}),
        ({"options": {"seating": "by age", "x": 1}}, {"options.seating", "options.x"}),
        ({"options": {"private": 1}}, {"options.private"}),
        ({"options": {"round_limit": 0}}, {"options.round_limit"}),
        ({"clock": {}}, {"clock.per_turn"}),
        ({"clock": {"per_turn": 0}}, {"clock.per_turn"}),
        ({"clock": {"per_turn": 31_536_001}}, {"clock.per_turn"}),
        ({"clock": {"per_turn": True}}, {"clock.per_turn"}),
        ({"clock": {"per_turn": 60, "per_game": 1}}, {"clock.per_game"}),
        ({"clock": [60]}, {"clock"}),
        ({"seats": 9, "clock": {"per_turn": "1"}}, {"seats", "clock.per_turn"}),
        ({"nonce": b"x" * 65}, {"nonce"}),
    ],
)  # fmt: skip
def test_every_invalid_field_is_named(
    service: Service, changes: dict[str, Any], fields: set[str]
) -> None:
    with pytest.raises(Malformed) as error:
        create(service, **changes)
    assert set(error.value.fields) == fields
    assert contents(service.redis) == {}


def test_the_last_free_place_starts_the_game_in_the_same_append(service: Service) -> None:
    game = create(service, seats=3)
    game = service.games.commands.join(game.id, "bea")
    assert game.status == "open"
    game = service.games.commands.join(game.id, "cid")
    assert game.status == "playing"
    assert sorted(game.players) == ["ada", "bea", "cid"]
    assert types(service, game.id)[-2:] == ["SeatTaken", "GameStarted"]
    assert service.games.queries.event_page(game.id, 4, 1)[0]["by"] == {"system": "start"}


def test_the_start_derives_from_the_secret_and_the_nonces(service: Service) -> None:
    game = create(service, nonce=b"a")
    secret = bytes.fromhex(service.store.secrets(game.id)["seed"])
    assert chance.commitment(secret) == game.commitment
    game = service.games.commands.join(game.id, "bea", b"b")
    draws = chance.Chance(chance.seed(secret, [b"a", b"b"]))
    assert list(game.players) == draws.shuffle(["ada", "bea"])


def test_the_nonces_of_players_who_left_count_and_places_without_any_do_not(
    service: Service,
) -> None:
    game = create(service, seats=4, nonce=b"a")
    secret = bytes.fromhex(service.store.secrets(game.id)["seed"])
    for player, nonce in (("bea", b"b"), ("cid", b""), ("dan", b"d")):
        service.games.commands.join(game.id, player, nonce)
        if player != "cid":
            service.games.commands.leave(game.id, player)
    service.games.commands.add_bot(game.id, "ada")
    game = service.games.commands.join(game.id, "bea", b"b again")
    seed = sha256(b"cartulary seed v2" + secret + b"\x01a\x01b\x01d\x07b again").digest()
    draws = chance.Chance(seed)
    assert list(game.players) == draws.shuffle(["ada", "cid", "sensible-bot-1", "bea"])


def test_joining_twice_or_a_full_or_abandoned_game_is_refused(service: Service) -> None:
    game = create(service)
    with pytest.raises(NotNow):
        service.games.commands.join(game.id, "ada")
    service.games.commands.join(game.id, "bea")
    for player in ("ada", "cid"):
        with pytest.raises(NotNow):
            service.games.commands.join(game.id, player)
    other = create(service)
    service.games.commands.leave(other.id, "ada")
    with pytest.raises(NotNow):
        service.games.commands.join(other.id, "bea")


def test_a_nonce_that_is_too_long_is_refused(service: Service) -> None:
    game = create(service)
    with pytest.raises(Malformed) as error:
        service.games.commands.join(game.id, "bea", b"x" * 65)
    assert set(error.value.fields) == {"nonce"}
    assert service.store.head(game.id) == 2


def test_a_place_is_free_again_after_its_player_leaves(service: Service) -> None:
    game = create(service)
    service.games.commands.join(create(service, seats=3).id, "bea")
    service.games.commands.leave(
        service.games.commands.join(create(service, seats=3).id, "bea").id, "bea"
    )
    service.games.commands.leave(game.id, "ada")
    game = create(service, seats=3)
    service.games.commands.join(game.id, "bea")
    assert service.games.commands.leave(game.id, "bea").status == "open"
    assert [place.player for place in service.games.commands.join(game.id, "bea").places] == [
        "ada",
        "bea",
    ]


def test_a_game_is_abandoned_and_its_secret_published_when_the_last_player_leaves(
    service: Service,
) -> None:
    game = create(service)
    secret = service.store.secrets(game.id)["seed"]
    game = service.games.commands.leave(game.id, "ada")
    assert game.status == "abandoned"
    last = service.games.queries.event_page(game.id, 3, 1)[0]
    assert last["type"] == "GameAbandoned"
    assert last["by"] == {"system": "start"}
    assert last["data"] == {"secret": secret}


def test_leaving_without_a_place_or_after_the_start_is_refused(service: Service) -> None:
    game = create(service)
    with pytest.raises(NotNow):
        service.games.commands.leave(game.id, "bea")
    service.games.commands.join(game.id, "bea")
    with pytest.raises(NotNow):
        service.games.commands.leave(game.id, "bea")


@pytest.mark.parametrize(
    "game_id", ["nothing", "", "a b", "{x}", "g\n", "é", "x" * 100, "a}:log{b"]
)
def test_an_invalid_or_unknown_game_id_is_not_found(service: Service, game_id: str) -> None:
    with pytest.raises(NotFound):
        service.games.commands.join(game_id, "ada")
    with pytest.raises(NotFound):
        service.games.queries.game(game_id)
    assert contents(service.redis) == {}


def test_a_private_game_is_visible_only_to_its_players_and_invited_players(
    service: Service,
) -> None:
    game = create(service, seats=3, options={"private": True}, invited=("bea", "bea", "ada"))
    assert game.invited == ("bea",)
    assert service.games.queries.visible_game(game.id, "ada").id == game.id
    assert service.games.queries.visible_game(game.id, "bea").id == game.id
    for stranger in (None, "cid"):
        with pytest.raises(NotFound):
            service.games.queries.visible_game(game.id, stranger)
    for call in (
        lambda: service.games.commands.join(game.id, "cid"),
        lambda: service.games.commands.leave(game.id, "cid"),
        lambda: service.games.commands.act(game.id, "cid", {"type": "resign"}, 2),
        lambda: service.games.queries.legal_actions(game.id, "cid"),
    ):
        with pytest.raises(NotFound):
            call()
    assert service.games.commands.join(game.id, "bea").has_joined("bea")


def test_a_public_game_with_invitations_is_visible_to_everyone(service: Service) -> None:
    game = create(service, invited=("bea",))
    assert service.games.queries.visible_game(game.id, None).invited == ("bea",)
    assert service.games.commands.join(game.id, "cid").status == "playing"


def test_a_repeated_request_creates_one_game(service: Service) -> None:
    game = create(service, idempotency_key="k")
    service.games.commands.join(game.id, "bea")
    again = create(service, idempotency_key="k")
    assert again.id == game.id
    assert again.seq == 2
    assert len(list(service.store.game_ids())) == 1
    with pytest.raises(IdempotencyConflict):
        create(service, idempotency_key="k", seats=3)
    assert create(service, idempotency_key="other").id != game.id


def test_a_key_whose_record_has_expired_creates_no_second_game(service: Service) -> None:
    game = create(service, idempotency_key="k")
    service.redis.delete(f"cartulary:{{{game.id}}}:answers")
    with pytest.raises(IdempotencyConflict):
        create(service, idempotency_key="k")
    assert service.store.head(game.id) == 2


def test_a_repeated_request_joins_or_leaves_once(service: Service) -> None:
    game = create(service, seats=3)
    joined = service.games.commands.join(game.id, "bea", b"n", "k")
    again = service.games.commands.join(game.id, "bea", b"n", "k")
    assert (again.seq, again.places, again.status) == (joined.seq, joined.places, joined.status)
    with pytest.raises(IdempotencyConflict):
        service.games.commands.join(game.id, "bea", b"m", "k")
    service.games.commands.leave(game.id, "bea", "l")
    assert service.games.commands.leave(game.id, "bea", "l").seq == 4
    assert service.games.commands.join(game.id, "bea", b"n", "k").seq == 3
    assert service.store.head(game.id) == 4


def test_the_secret_is_stored_only_among_the_secrets_until_the_end(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    game = start_game(service)
    secret = service.store.secrets(game.id)["seed"]
    for name in service.redis.keys("*"):
        if name != f"cartulary:{{{game.id}}}:secrets".encode():
            assert secret.encode() not in (service.redis.dump(name) or b"")
    assert b"".join(service.store.read(game.id)).find(secret.encode()) == -1
    assert secret not in repr(game)
    assert secret not in caplog.text


def test_an_empty_nonce_is_not_the_same_request_as_no_nonce(service: Service) -> None:
    game = create(service, nonce=b"", idempotency_key="k")
    assert game.places[0].nonce == ""
    assert create(service, nonce=b"", idempotency_key="k").id == game.id
    with pytest.raises(IdempotencyConflict):
        create(service, idempotency_key="k")
    for _ in range(2):
        assert service.games.commands.join(game.id, "bea", b"", "k").places[1].nonce == ""


def test_a_player_has_places_in_a_bounded_number_of_games(settings: Settings) -> None:
    service = build(replace(settings, bounds=replace(settings.bounds, max_games_per_player=3)))
    keyed = create(service, idempotency_key="first")
    create(service, options={"private": True})
    others = [
        service.games.commands.create("bea", NewGame(rules="barony", seats=2, options={})).id
        for _ in range(2)
    ]
    service.games.commands.join(others[0], "ada", idempotency_key="second")
    before = contents(service.redis)
    for refused in (lambda: create(service), lambda: service.games.commands.join(others[1], "ada")):
        with raises(TooManyGames, match="at most 3 games"):
            refused()
    assert contents(service.redis) == before
    # Repeated requests get the same response again.
    assert create(service, idempotency_key="first").id == keyed.id
    assert service.games.commands.join(others[0], "ada", idempotency_key="second").id == others[0]
    # Bea is not affected, and Ada is free again when a game has ended, or when she has left one.
    service.games.commands.join(keyed.id, "bea")
    service.administration.abandon("operator", others[0], "a test")
    service.games.commands.join(others[1], "ada")
    open_game = service.games.commands.create(
        "bea", NewGame(rules="barony", seats=2, options={})
    ).id
    with pytest.raises(TooManyGames):
        service.games.commands.join(open_game, "ada")
    service.redis.close()


def test_the_quota_of_games_costs_five_round_trips_to_join(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = build(settings)
    games = [create(service).id for _ in range(2)]
    service.games.commands.join(games[0], "bea")
    with count_round_trips() as with_quota:
        service.games.commands.join(games[1], "bea")
    games = [create(service).id for _ in range(2)]
    monkeypatch.setattr(GameQuota, "place", lambda *_: nullcontext())
    service.games.commands.join(games[0], "bea")
    with count_round_trips() as without_quota:
        service.games.commands.join(games[1], "bea")
    assert with_quota.count == without_quota.count + 5
    service.redis.close()


def test_a_private_game_beyond_the_quota_stays_hidden(settings: Settings) -> None:
    service = build(replace(settings, bounds=replace(settings.bounds, max_games_per_player=1)))
    hidden = service.games.commands.create(
        "bea", NewGame(rules="barony", seats=2, options={"private": True})
    ).id
    create(service)
    with pytest.raises(NotFound):
        service.games.commands.join(hidden, "ada")
    service.redis.close()


@pytest.mark.parametrize("is_up_to_date", [True, False])
def test_a_former_member_of_a_private_game_cannot_detect_it_by_an_old_key(
    service: Service, settings: Settings, is_up_to_date: bool
) -> None:
    private = {"private": True}
    game = create(service, seats=3, options=private, invited=("bea",), idempotency_key="old")
    service.games.commands.join(game.id, "bea")
    # Another process, which may have cached the game before ada left it.
    other = build(settings)
    other.games.queries.game(game.id)
    service.games.commands.leave(game.id, "ada", "leave")
    if is_up_to_date:
        other.games.queries.game(game.id)
    for key in ("old", "leave"):
        with pytest.raises(NotFound):
            other.games.commands.join(game.id, "ada", idempotency_key=key)
    with pytest.raises(NotFound):
        other.games.commands.leave(game.id, "ada", "old")
    with pytest.raises(NotFound):
        other.games.commands.act(game.id, "ada", {"type": "resign"}, 4, "old")
    # The request that was accepted can still be repeated.
    assert other.games.commands.leave(game.id, "ada", "leave").places[0].player == "bea"
    other.redis.close()


def test_a_member_who_reuses_a_key_gets_a_conflict_also_from_an_outdated_process(
    service: Service, settings: Settings
) -> None:
    game = create(service, seats=3, idempotency_key="old")
    other = build(settings)
    other.games.queries.game(game.id)
    service.games.commands.join(game.id, "bea")
    with pytest.raises(IdempotencyConflict):
        other.games.commands.leave(game.id, "ada", "old")
    other.redis.close()
