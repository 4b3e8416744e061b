"""Sessions: the valid tokens of a player, which the player can list and end."""

from datetime import timedelta
from typing import Any

import pytest
from freezegun import freeze_time

from domain.errors import Malformed
from service.accounts.accounts import Players
from service.accounts.erased import ErasedPlayers
from service.accounts.tokens import (
    TOKEN_CACHE_TTL,
    TOKEN_DAYS,
    TokenOwner,
    Tokens,
    session_id,
    token_key,
)
from service.bootstrap import Service
from service.bounds import Bounds
from service.errors import Forbidden, NotFound, Unauthorised
from tests.support.redis_contents import contents

PASSWORD = "correct horse"
NEW_PASSWORD = "battery staple"


@pytest.fixture
def players(service: Service) -> Players:
    return service.accounts.players


def other_process(service: Service) -> Players:
    """Return the accounts as a process sees them that has cached no token."""
    return Players(service.redis, Bounds(), ErasedPlayers(service.redis, service.settings.data))


def ids(players: Players, player_id: str) -> list[str]:
    return [session.id for session in players.tokens.sessions(player_id)]


def test_each_token_is_a_session_with_the_hour_of_its_last_use(
    players: Players, service: Service
) -> None:
    with freeze_time("2026-11-20T09:15:30Z") as frozen:
        ada, first = players.register("ada", PASSWORD, client="curl/8")
        frozen.tick(timedelta(hours=1))
        second = players.login("ada", PASSWORD)
        frozen.tick(timedelta(hours=1))
        assert other_process(service).tokens.owner(first) == TokenOwner(ada.id)
        assert [
            (entry.id, entry.created, entry.last_used, entry.client)
            for entry in players.tokens.sessions(ada.id)
        ] == [
            (session_id(first), "2026-11-20T09:15:30.000Z", "2026-11-20T11:00:00.000Z", "curl/8"),
            (session_id(second), "2026-11-20T10:15:30.000Z", "2026-11-20T10:15:30.000Z", None),
        ]
        before = contents(service.redis)
        assert other_process(service).tokens.owner(first) == TokenOwner(ada.id)
        assert contents(service.redis) == before, "a use in the same hour writes nothing"


def test_an_ended_session_has_no_valid_token(players: Players, service: Service) -> None:
    ada, first = players.register("ada", PASSWORD)
    second = players.login("ada", PASSWORD)
    players.tokens.end(ada.id, session_id(first))
    assert players.tokens.owner(first) is None
    assert other_process(service).tokens.owner(first) is None
    assert players.tokens.owner(second) == TokenOwner(ada.id)
    assert ids(players, ada.id) == [session_id(second)]
    bea, _ = players.register("bea", PASSWORD)
    for session in (session_id(first), session_id(second), "x", ""):
        with pytest.raises(NotFound):
            players.tokens.end(bea.id, session)
    assert ids(players, ada.id) == [session_id(second)]


def test_all_other_sessions_can_be_ended(players: Players, service: Service) -> None:
    ada, first = players.register("ada", PASSWORD)
    others = [players.login("ada", PASSWORD) for _ in range(3)]
    bea, token_of_bea = players.register("bea", PASSWORD)
    players.tokens.end_all(ada.id, except_token=first)
    assert [players.tokens.owner(token) for token in others] == [None] * 3
    assert players.tokens.owner(first) == TokenOwner(ada.id)
    assert ids(players, ada.id) == [session_id(first)]
    assert other_process(service).tokens.owner(token_of_bea) == TokenOwner(bea.id)


def test_logging_out_ends_the_session(players: Players) -> None:
    ada, token = players.register("ada", PASSWORD)
    players.tokens.revoke(token)
    assert players.tokens.sessions(ada.id) == []
    players.tokens.revoke(token)


def make_old(service: Service, player_id: str) -> None:
    """Leave of a player's sessions what earlier versions stored: the tokens."""
    service.redis.delete(f"cartulary:sessions:{player_id}")


def test_a_token_of_an_earlier_version_stays_valid_and_is_listed_after_its_next_use(
    players: Players, service: Service
) -> None:
    ada, token = players.register("ada", PASSWORD)
    make_old(service, ada.id)
    assert players.tokens.sessions(ada.id) == []
    assert other_process(service).tokens.owner(token) == TokenOwner(ada.id)
    (session,) = players.tokens.sessions(ada.id)
    assert (session.id, session.created, session.client) == (session_id(token), None, None)
    players.tokens.end(ada.id, session.id)
    assert other_process(service).tokens.owner(token) is None


def test_tokens_of_an_earlier_version_end_with_all_others(
    players: Players, service: Service
) -> None:
    ada, unused = players.register("ada", PASSWORD)
    make_old(service, ada.id)
    current = players.login("ada", PASSWORD)
    players.tokens.end_all(ada.id, except_token=current)
    assert other_process(service).tokens.owner(unused) is None
    assert other_process(service).tokens.owner(current) == TokenOwner(ada.id)


def test_an_expired_token_is_not_a_session(players: Players, service: Service) -> None:
    ada, expired = players.register("ada", PASSWORD)
    current = players.login("ada", PASSWORD)
    service.redis.delete(token_key(expired))
    assert ids(players, ada.id) == [session_id(current)]
    assert 0 < service.redis.ttl(f"cartulary:sessions:{ada.id}") <= TOKEN_DAYS * 24 * 3600


def test_the_session_that_was_unused_for_longest_ends_when_there_are_too_many(
    service: Service,
) -> None:
    players = Players(
        service.redis,
        Bounds(max_sessions_per_player=3),
        ErasedPlayers(service.redis, service.settings.data),
    )
    with freeze_time("2026-11-20T09:15:30Z") as frozen:
        ada, first = players.register("ada", PASSWORD)
        tokens = [first]
        for _ in range(4):
            frozen.tick(timedelta(hours=2))
            assert other_process(service).tokens.owner(first) == TokenOwner(ada.id)
            tokens.append(players.login("ada", PASSWORD))
        valid = [other_process(service).tokens.owner(token) is not None for token in tokens]
    assert valid == [True, False, False, True, True]


def test_a_changed_password_ends_all_other_sessions(players: Players, service: Service) -> None:
    ada, first = players.register("ada", PASSWORD)
    second = players.login("ada", PASSWORD)
    players.change_password(ada.id, second, PASSWORD, NEW_PASSWORD)
    assert other_process(service).tokens.owner(first) is None
    assert other_process(service).tokens.owner(second) == TokenOwner(ada.id)
    with pytest.raises(Unauthorised):
        players.login("ada", PASSWORD)
    assert players.login("ada", NEW_PASSWORD)


def test_a_login_with_a_password_that_is_being_changed_leaves_no_session(
    players: Players, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, current = players.register("ada", PASSWORD)
    create = Tokens.create

    def change_first(tokens: Tokens, *arguments: Any, **options: Any) -> str:
        monkeypatch.undo()
        players.change_password(ada.id, current, PASSWORD, NEW_PASSWORD)
        return create(tokens, *arguments, **options)

    monkeypatch.setattr(Tokens, "create", change_first)
    with pytest.raises(Unauthorised):
        players.login("ada", PASSWORD)
    assert ids(players, ada.id) == [session_id(current)]


@pytest.mark.parametrize(
    ("password", "new_password", "error"),
    [
        ("wrong horse", NEW_PASSWORD, Forbidden),
        ("wrong horse", "short", Forbidden),
        (PASSWORD, "short", Malformed),
        (PASSWORD, "x" * 1025, Malformed),
    ],
)
def test_a_password_is_not_changed_without_the_old_one_or_to_an_invalid_one(
    players: Players, service: Service, password: str, new_password: str, error: type[Exception]
) -> None:
    ada, token = players.register("ada", PASSWORD)
    before = contents(service.redis)
    with pytest.raises(error):
        players.change_password(ada.id, token, password, new_password)
    assert contents(service.redis) == before


def test_another_process_accepts_an_ended_session_for_a_few_seconds_only(
    players: Players, service: Service
) -> None:
    other = other_process(service)
    with freeze_time("2026-11-20T09:00:00Z") as frozen:
        ada, token = players.register("ada", PASSWORD)
        assert other.tokens.owner(token) == TokenOwner(ada.id)
        players.tokens.end_all(ada.id)
        frozen.tick(TOKEN_CACHE_TTL)
        assert other.tokens.owner(token) is None


def test_a_session_that_was_ended_elsewhere_creates_no_personal_token(
    players: Players, service: Service
) -> None:
    ada, stolen = players.register("ada", PASSWORD)
    own = players.login("ada", PASSWORD)
    assert players.tokens.owner(stolen) == TokenOwner(ada.id)
    other_process(service).change_password(ada.id, own, PASSWORD, NEW_PASSWORD)
    assert players.tokens.owner(stolen) == TokenOwner(ada.id), "this process trusts its cache"
    with pytest.raises(Unauthorised):
        players.tokens.create_personal(ada.id, stolen, "bot", ["read"], 366)
    assert players.tokens.personal.of(ada.id) == []
    entry, _ = players.tokens.create_personal(ada.id, own, "bot", ["read"], 366)
    assert players.tokens.personal.of(ada.id) == [entry]


def test_what_ends_all_sessions_revokes_personal_tokens(players: Players, service: Service) -> None:
    ada, session = players.register("ada", PASSWORD)
    _, token = players.tokens.personal.create(ada.id, "bot", ["read"], 1)
    players.change_password(ada.id, session, PASSWORD, NEW_PASSWORD)
    players.tokens.end_all(ada.id, except_token=session)
    assert other_process(service).tokens.owner(token) is not None
    players.replace_password(ada.id, PASSWORD)
    assert players.tokens.owner(token) is None
    assert other_process(service).tokens.owner(token) is None
    assert players.tokens.personal.of(ada.id) == []


def test_a_personal_token_ends_by_itself(players: Players, service: Service) -> None:
    ada, _ = players.register("ada", PASSWORD)
    entry, token = players.tokens.personal.create(ada.id, "bot", ["read"], 1)
    key = token_key(token)
    assert 0 < service.redis.pttl(key) <= 24 * 3600 * 1000
    service.redis.pexpire(key, 0)  # what its end does
    assert other_process(service).tokens.owner(token) is None
    assert players.tokens.personal.of(ada.id) == []
    with pytest.raises(NotFound):
        players.tokens.revoke_personal(ada.id, entry.id)
