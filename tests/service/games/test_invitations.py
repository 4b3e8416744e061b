"""Invitations by link: who can make one, for how long it is valid, and what the log records."""

import io
import json
from datetime import timedelta

import pytest

from domain.errors import NotNow
from domain.game import Game
from domain.lifecycle import NewGame
from ledger.canonical import canonical
from ledger.record import read
from replay.audit import audit
from service import wall_clock
from service.bootstrap import Service
from service.errors import Forbidden, NotFound
from tests.support.redis_contents import contents


def create(service: Service, seats: int = 3) -> Game:
    options = {"private": True, "seating": "joined"}
    return service.games.commands.create(
        "ada", NewGame(rules="baron", seats=seats, options=options)
    )


def test_a_player_with_an_invitation_joins_a_private_game(service: Service) -> None:
    game = create(service, 2)
    token = service.games.invitations.create(game.id, "ada")
    assert service.games.invitations.token_of(game.id, "ada") == token
    invitation = service.games.invitations.get(token)
    assert (invitation.game.id, invitation.inviter) == (game.id, "ada")
    with pytest.raises(NotFound):
        service.games.commands.join(game.id, "bea")
    started = service.games.commands.join(game.id, "bea", invitation=token)
    assert started.status == "playing"
    taken = [
        e["data"]
        for e in service.games.queries.event_page(game.id, 0, 9)
        if e["type"] == "SeatTaken"
    ]
    assert [data.get("invited_by") for data in taken] == [None, "ada"]


def test_an_invitation_that_is_not_needed_is_not_recorded(service: Service) -> None:
    game = service.games.commands.create("ada", NewGame(rules="baron", seats=3, options={}))
    token = service.games.invitations.create(game.id, "ada")
    service.games.commands.join(game.id, "bea", invitation=token)
    service.games.commands.join(game.id, "cid", invitation="not a token")
    assert all(
        "invited_by" not in e["data"] for e in service.games.queries.event_page(game.id, 0, 9)
    )


def test_a_request_to_join_by_invitation_can_be_repeated(service: Service) -> None:
    game = create(service, 2)
    token = service.games.invitations.create(game.id, "ada")
    for _ in range(2):
        joined = service.games.commands.join(game.id, "bea", b"n", "key", invitation=token)
        assert joined.participants == ("ada", "bea")


def test_only_players_of_the_game_invite(service: Service) -> None:
    game = create(service)
    with pytest.raises(NotFound):
        service.games.invitations.create(game.id, "eve")
    public = service.games.commands.create("ada", NewGame(rules="baron", seats=3, options={}))
    for method in (
        service.games.invitations.create,
        service.games.invitations.token_of,
        service.games.invitations.revoke,
    ):
        with pytest.raises(Forbidden):
            method(public.id, "eve")


def is_valid(service: Service, token: str) -> bool:
    """Return whether an invitation shows its game and lets a player join."""
    try:
        service.games.invitations.get(token)
    except NotFound:
        with pytest.raises(NotFound):
            service.games.commands.join(token[:16], "eve", invitation=token)
        return False
    return True


def test_an_invitation_is_valid_until_it_is_replaced_or_revoked(service: Service) -> None:
    game = create(service)
    first = service.games.invitations.create(game.id, "ada")
    second = service.games.invitations.create(game.id, "ada")
    assert [is_valid(service, token) for token in (first, second)] == [False, True]
    service.games.invitations.revoke(game.id, "ada")
    assert not is_valid(service, second)
    assert service.games.invitations.token_of(game.id, "ada") is None


def test_an_invitation_ends_when_its_player_leaves_and_when_the_game_starts(
    service: Service,
) -> None:
    game = create(service, 3)
    token = service.games.invitations.create(game.id, "ada")
    service.games.commands.join(game.id, "bea", invitation=token)
    other = service.games.invitations.create(game.id, "bea")
    service.games.commands.leave(game.id, "bea")
    assert [is_valid(service, each) for each in (token, other)] == [True, False]
    for player in ("cid", "dan"):
        service.games.commands.join(game.id, player, invitation=token)
    assert not is_valid(service, token)
    assert service.games.invitations.token_of(game.id, "ada") is None
    with pytest.raises(NotNow):
        service.games.invitations.create(game.id, "ada")


@pytest.mark.parametrize("token", ["", "-", "x" * 500, "\ud800-é", "0123456789abcdef-" + "A" * 22])
def test_an_invalid_token_is_refused(service: Service, token: str) -> None:
    with pytest.raises(NotFound):
        service.games.invitations.get(token)


def test_a_token_of_another_game_is_not_valid(service: Service) -> None:
    game, other = create(service), create(service)
    token = service.games.invitations.create(other.id, "ada")
    service.games.invitations.create(game.id, "ada")
    with pytest.raises(NotFound):
        service.games.commands.join(game.id, "eve", invitation=token)
    with pytest.raises(NotFound):
        service.games.invitations.get(game.id + token[16:])


def test_invitations_expire(service: Service) -> None:
    game = create(service)
    service.games.invitations.create(game.id, "ada")
    (key,) = [name for name in contents(service.redis) if name.endswith(":invitations")]
    assert 29 * 24 * 3600 < service.redis.ttl(key) <= 30 * 24 * 3600


def test_the_invitation_of_one_player_does_not_prolong_that_of_another(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = create(service)
    token = service.games.invitations.create(game.id, "ada")
    service.games.commands.join(game.id, "bea", invitation=token)
    later = wall_clock.now() + timedelta(days=29)
    monkeypatch.setattr(wall_clock, "now", lambda: later)
    other = service.games.invitations.create(game.id, "bea")
    assert service.games.invitations.get(token).inviter == "ada"
    latest = later + timedelta(days=2)
    monkeypatch.setattr(wall_clock, "now", lambda: latest)
    assert service.games.invitations.get(other).inviter == "bea"
    assert service.games.invitations.token_of(game.id, "ada") is None
    with pytest.raises(NotFound):
        service.games.invitations.get(token)


def test_an_audit_accepts_an_invitation_by_a_player_of_the_game_only(service: Service) -> None:
    game = create(service, 2)
    service.games.commands.join(
        game.id, "bea", invitation=service.games.invitations.create(game.id, "ada")
    )
    record = b"".join(service.games.queries.record(game.id))
    assert audit(io.BytesIO(record)).verdict != "broken"
    for inviter in ("eve", None):
        lines = record.splitlines(keepends=True)
        for index, line in enumerate(lines):
            event = json.loads(line)
            if "invited_by" in event.get("data", {}):
                if inviter is None:
                    del event["data"]["invited_by"]
                else:
                    event["data"]["invited_by"] = inviter
                lines[index] = canonical(event) + b"\n"
        report = audit(io.BytesIO(b"".join(lines)))
        assert "decisions" in {finding.check for finding in report.findings}
    assert read(io.BytesIO(record)).header["game"] == game.id
