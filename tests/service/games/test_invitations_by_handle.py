"""Invitations of players: where they are listed, what the outbox calls for, and who may do what."""

import pytest

from domain.errors import NotNow
from domain.lifecycle import NewGame
from service.bootstrap import Service
from service.errors import Forbidden, IdempotencyConflict, NotFound
from service.recovery.reindex import reindex
from tests.support.service_games import start_game


def create(service: Service, *invited: str, private: bool = True, seats: int = 3) -> str:
    """Create a game of ada, to which these players are invited, and return its id."""
    options = {"private": private, "seating": "joined"}
    return service.games.commands.create(
        "ada", NewGame(rules="baron", seats=seats, options=options, invited=invited)
    ).id


def waiting(service: Service, player: str) -> list[str]:
    """Return the ids of the games that wait for a player's answer."""
    games, cursor = service.games.received_invitations.page(player)
    assert cursor is None
    return [game.id for game in games]


def notifications(service: Service, game: str) -> set[str]:
    """Return the names of the outbox entries for invited players."""
    return {name for name in service.store.outbox(game) if name.startswith("notify/invited/")}


@pytest.mark.parametrize("private", [True, False])
def test_an_invitation_waits_until_it_is_answered(service: Service, *, private: bool) -> None:
    game = create(service, "bea", private=private)
    invite = service.games.invitation_commands.invite
    for player in ("cid", "dan"):
        invite(game, "ada", player)
    assert {player: waiting(service, player) for player in ("bea", "cid", "eve")} == {
        "bea": [game],
        "cid": [game],
        "eve": [],
    }
    assert notifications(service, game) == {f"notify/invited/{p}" for p in ("bea", "cid", "dan")}
    assert service.store.outbox(game)["notify/invited/bea"] == '{"seq":1}'
    service.games.commands.join(game, "bea")
    service.games.invitation_commands.decline(game, "cid")
    service.games.invitation_commands.revoke(game, "ada", "dan")
    assert [waiting(service, player) for player in ("bea", "cid", "dan")] == [[], [], []]
    assert notifications(service, game) == set()
    (summary,) = service.games.queries.summaries([game])
    assert summary is not None
    assert [*summary.invited, *summary.declined, *summary.awaited] == ["bea", "cid"]


def test_nobody_is_awaited_once_the_game_has_started(service: Service) -> None:
    game = create(service, "bea", private=False, seats=2)
    service.games.commands.join(game, "eve")
    assert waiting(service, "bea") == []
    assert notifications(service, game) == set()
    with pytest.raises(NotNow):
        service.games.invitation_commands.decline(game, "bea")
    with pytest.raises(NotNow):
        service.games.invitation_commands.invite(game, "ada", "cid")
    with pytest.raises(NotNow):
        service.games.commands.join(game, "bea")


def test_a_private_game_is_hidden_from_everybody_who_is_not_invited_any_more(
    service: Service,
) -> None:
    game = create(service, "bea", "cid")
    service.games.invitation_commands.decline(game, "bea")
    service.games.invitation_commands.revoke(game, "ada", "cid")
    commands = service.games.invitation_commands
    for player in ("bea", "cid", "eve"):
        with pytest.raises(NotFound):
            service.games.queries.visible_game(game, player)
        with pytest.raises(NotFound):
            service.games.commands.join(game, player)
        with pytest.raises(NotFound):
            commands.decline(game, player)
        with pytest.raises(NotFound):
            commands.invite(game, player, "fay")
        with pytest.raises(NotFound):
            commands.revoke(game, player, "bea")
        assert service.games.listings.page(viewer=player).games == ()


def test_only_the_creator_invites_and_revokes(service: Service) -> None:
    game = create(service, "bea", private=False)
    service.games.commands.join(game, "cid")
    for player in ("bea", "cid", "eve"):
        with pytest.raises(Forbidden):
            service.games.invitation_commands.invite(game, player, "dan")
        with pytest.raises(Forbidden):
            service.games.invitation_commands.revoke(game, player, "bea")


def test_the_invitations_to_a_game_are_bounded_whatever_became_of_them(service: Service) -> None:
    game = create(service)
    most = service.settings.bounds.max_invitations
    for _ in range(most):
        service.games.invitation_commands.invite(game, "ada", "bea")
        service.games.invitation_commands.revoke(game, "ada", "bea")
    with pytest.raises(NotNow):
        service.games.invitation_commands.invite(game, "ada", "bea")


def test_requests_can_be_repeated_with_a_key(service: Service) -> None:
    game = create(service, private=False)
    commands = service.games.invitation_commands
    for _ in range(2):
        assert commands.invite(game, "ada", "bea", "one").awaited == ("bea",)
    with pytest.raises(IdempotencyConflict):
        commands.invite(game, "ada", "cid", "one")
    with pytest.raises(NotNow):
        commands.invite(game, "ada", "bea")
    for _ in range(2):
        assert commands.decline(game, "bea", "two").declined == ("bea",)
    assert commands.decline(game, "bea").declined == ("bea",)
    commands.invite(game, "ada", "cid")
    for _ in range(2):
        assert commands.revoke(game, "ada", "cid", "three").awaited == ()


def test_the_listing_of_invitations_is_rebuilt(service: Service) -> None:
    games = [create(service, "bea"), create(service, "bea", private=False)]
    service.games.invitation_commands.decline(games[0], "bea")
    assert waiting(service, "bea") == games[1:]
    service.games.listings.clear()
    assert waiting(service, "bea") == []
    reindex(service)
    assert waiting(service, "bea") == games[1:]


def test_a_muted_creator_reaches_nobody_with_invitations(service: Service) -> None:
    game = create(service, "bea", "cid")
    service.accounts.mutes.add("bea", "ada")
    assert (waiting(service, "bea"), waiting(service, "cid")) == ([], [game])
    service.accounts.mutes.remove("bea", "ada")
    assert waiting(service, "bea") == [game]


def test_a_rebuilt_outbox_invites_nobody_twice(service: Service) -> None:
    game = create(service, "bea")
    outbox = service.store.outbox(game)
    for name, payload in outbox.items():
        service.store.ack(game, name, payload)
    reindex(service)
    assert notifications(service, game) == set()


def test_games_in_progress_wait_for_nobody(service: Service) -> None:
    game = start_game(service, private=True)
    assert notifications(service, game.id) == set()
    assert waiting(service, "cid") == []
