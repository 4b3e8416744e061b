"""Rematches: one new game with the same settings and players, however many players ask for it."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from domain.errors import NotNow
from domain.game import Game
from domain.lifecycle import NewGame
from service.bootstrap import Service
from service.errors import Forbidden

PEOPLE = ("ada", "bea", "cid")


def ended_game(service: Service, *, private: bool = False) -> Game:
    """Return an abandoned game of three people and a bot, with names, a clock, and zoe as its arbiter."""
    ids = {}
    for handle in (*PEOPLE, "zoe"):
        player, _ = service.accounts.players.register(handle, "correct horse")
        ids[handle] = player.id
    game = service.games.commands.create(
        ids["ada"],
        NewGame(
            rules="baron",
            seats=4,
            options={"private": private, "seating": "joined", "name": "Friday", "takebacks": True},
            clock={"per_turn": 3600},
            invited=(ids["bea"], ids["cid"]),
            arbiter=ids["zoe"],
        ),
        bots=("random",),
    )
    for handle in ("bea", "cid"):
        service.games.commands.join(game.id, ids[handle])
    service.administration.abandon("operator", game.id, "a test")
    return service.games.queries.game(game.id)


@pytest.mark.parametrize("private", [True, False])
def test_a_rematch_has_the_same_settings_and_invites_the_others(
    service: Service, *, private: bool
) -> None:
    game = ended_game(service, private=private)
    ada, _, bea, cid = game.players
    rematch = service.games.rematches.request(game, bea)
    assert rematch.options == {**game.options, "rematch_of": game.id}
    assert (rematch.rules, rematch.seats, rematch.clock) == (game.rules, 4, game.clock)
    assert (rematch.creator, rematch.arbiter) == (bea, game.arbiter)
    assert [place.bot for place in rematch.places] == [None, "random"]
    assert set(rematch.awaited) == {ada, cid}
    assert service.games.rematches.of(game) is not None


def test_asking_again_and_asking_as_another_player_lead_to_the_same_rematch(
    service: Service,
) -> None:
    game = ended_game(service, private=True)
    ada, _, bea, cid = game.players
    first = service.games.rematches.request(game, ada)
    assert service.games.rematches.request(game, ada).id == first.id
    joined = service.games.rematches.request(game, bea)
    assert joined.id == first.id
    assert joined.has_joined(bea)
    assert service.games.rematches.request(game, cid).status == "playing"
    assert service.games.rematches.request(game, ada).id == first.id


def test_players_who_ask_at_the_same_time_get_one_rematch(service: Service) -> None:
    game = ended_game(service)
    people = [player for player in game.players if game.bot_of(player) is None]
    with ThreadPoolExecutor(3) as threads:
        rematches = list(threads.map(lambda p: service.games.rematches.request(game, p), people))
    assert len({rematch.id for rematch in rematches}) == 1
    rematch = service.games.queries.game(rematches[0].id)
    assert set(people) < set(rematch.participants)
    assert rematch.status == "playing"


def test_a_rematch_that_nobody_wanted_does_not_prevent_another_one(service: Service) -> None:
    game = ended_game(service)
    ada, _, bea, _ = game.players
    first = service.games.rematches.request(game, ada)
    service.games.commands.leave(first.id, ada)
    assert service.games.rematches.of(game) is None
    second = service.games.rematches.request(game, bea)
    assert second.id != first.id
    assert service.games.rematches.of(game) is not None


@pytest.mark.parametrize("private", [True, False])
def test_a_player_who_has_declined_does_not_join(service: Service, *, private: bool) -> None:
    game = ended_game(service, private=private)
    ada, _, bea, _ = game.players
    rematch = service.games.rematches.request(game, ada)
    service.games.invitation_commands.decline(rematch.id, bea)
    with pytest.raises(NotNow):
        service.games.rematches.request(game, bea)
    assert not service.games.queries.game(rematch.id).has_joined(bea)


def test_only_players_of_a_game_that_has_ended_ask_for_a_rematch(service: Service) -> None:
    game = ended_game(service)
    with pytest.raises(Forbidden):
        service.games.rematches.request(game, "eve")
    open_game = service.games.commands.create("ada", NewGame(rules="baron", seats=2, options={}))
    with pytest.raises(NotNow):
        service.games.rematches.request(open_game, "ada")
    never_started = service.games.commands.leave(open_game.id, "ada")
    assert never_started.status == "abandoned"
    with pytest.raises((NotNow, Forbidden)):
        service.games.rematches.request(never_started, "ada")
    playing = service.games.commands.create(
        "ada", NewGame(rules="baron", seats=2, options={}), bots=("random",)
    )
    with pytest.raises(NotNow):
        service.games.rematches.request(playing, "ada")


def test_an_erased_player_is_not_invited_to_a_rematch(service: Service) -> None:
    game = ended_game(service)
    ada, _, bea, cid = game.players
    assert game.arbiter is not None
    for player in (cid, game.arbiter):
        service.accounts.erasure.erase(player, "correct horse")
    rematch = service.games.rematches.request(game, ada)
    assert (rematch.awaited, rematch.arbiter) == ((bea,), None)


def test_an_erased_player_declines_the_invitations_that_wait(service: Service) -> None:
    game = ended_game(service)
    ada, _, bea, _ = game.players
    rematch = service.games.rematches.request(game, ada)
    service.accounts.erasure.erase(bea, "correct horse")
    assert service.games.queries.game(rematch.id).declined == (bea,)
