"""Accounts: unique handles, and passwords and tokens that are stored as hashes only."""

import time
import unicodedata
from dataclasses import replace
from datetime import timedelta

import pytest
from freezegun import freeze_time

from domain.errors import Malformed
from service import wall_clock
from service.accounts.account_reader import Player
from service.accounts.accounts import Players
from service.accounts.erased import ErasedPlayers
from service.accounts.tokens import TOKEN_CACHE_TTL, TokenOwner
from service.bootstrap import Service
from service.bounds import Bounds
from service.errors import HandleTaken, Unauthorised
from service.recovery.reindex import reindex
from tests.support.faults import raises
from tests.support.redis_contents import contents
from tests.support.round_trips import count_round_trips

PASSWORD = "correct horse"


@pytest.fixture
def players(service: Service) -> Players:
    return service.accounts.players


def test_a_registered_player_is_found_by_token_handle_and_id(players: Players) -> None:
    player, token = players.register("Ada", PASSWORD, "ada@example.org", "fr-CH")
    assert players.tokens.owner(token) == TokenOwner(player.id, "fr-CH")
    assert players.by_handle("ADA") == player
    assert players.get([player.id]) == [player]
    assert (player.handle, player.email, player.locale) == ("Ada", "ada@example.org", "fr-CH")
    assert "Ada".casefold() not in player.id


def test_many_handles_are_looked_up_in_two_round_trips(players: Players) -> None:
    ada, _ = players.register("Ada", PASSWORD)
    bea, _ = players.register("Bea", PASSWORD)
    unknown = [f"player-{number}" for number in range(500)]
    with count_round_trips() as trips:
        players_by_handle = players.by_handles(
            ["ADA", *unknown, "bea", "?", "ada", "\u0301" * 60_000]
        )
    assert trips.count == 2
    assert {
        handle: player for handle, player in players_by_handle.items() if player is not None
    } == {"ADA": ada, "bea": bea, "ada": ada}
    assert len(players_by_handle) == 505
    assert players.by_handles([]) == {}


def test_email_and_locale_are_optional(players: Players) -> None:
    player, _ = players.register("Ada", PASSWORD)
    assert players.get([player.id]) == [player]
    assert (player.email, player.locale) == (None, None)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Ada", "ada"),
        ("straße", "STRASSE"),
        ("\xe9", "e\u0301"),
        ("ada", "\N{FULLWIDTH LATIN SMALL LETTER A}da"),
        ("\N{LATIN SMALL LIGATURE FI}nn", "Finn"),
    ],
)
def test_a_handle_is_taken_in_any_case_and_unicode_form(
    players: Players, service: Service, first: str, second: str
) -> None:
    player, _ = players.register(first, PASSWORD)
    before = contents(service.redis)
    with pytest.raises(HandleTaken):
        players.register(second, PASSWORD)
    assert contents(service.redis) == before
    assert players.by_handle(second) == player


COCO_IN_CYRILLIC = "\u0441\u043e\u0441\u043e"


@pytest.mark.parametrize(
    ("first", "second"),
    [("coco", COCO_IN_CYRILLIC), (COCO_IN_CYRILLIC, "COCO"), ("modern", "modem"), ("Ian", "lan")],
)
def test_a_handle_that_looks_like_another_cannot_be_registered(
    players: Players, service: Service, first: str, second: str
) -> None:
    players.register(first, PASSWORD)
    before = contents(service.redis)
    with raises(HandleTaken, match="looks like the handle of another player"):
        players.register(second, PASSWORD)
    assert contents(service.redis) == before
    # It does not lead to the player whose handle it looks like, either.
    assert players.by_handle(second) is None


def register_as_earlier_versions_did(players: Players, service: Service, handle: str) -> Player:
    """Register a player, and store the handle in NFC and without skeletons."""
    player, _ = players.register(f"{len(contents(service.redis))}", PASSWORD)
    service.redis.delete(*service.redis.keys("cartulary:skeleton:*"))
    service.redis.delete(f"cartulary:handle:{player.handle}")
    earlier_form = unicodedata.normalize("NFC", handle).casefold()
    service.redis.set(f"cartulary:handle:{earlier_form}", player.id)
    service.redis.hset(f"cartulary:player:{player.id}", "handle", handle)
    return replace(player, handle=handle)


def test_handles_of_earlier_versions_stay_valid_and_are_protected_after_reindexing(
    players: Players, service: Service
) -> None:
    coco = register_as_earlier_versions_did(players, service, "Coco")
    wide_ada = register_as_earlier_versions_did(players, service, "\uff21da")
    ada = register_as_earlier_versions_did(players, service, "Ada")
    gone = register_as_earlier_versions_did(players, service, "bob")
    service.redis.delete(f"cartulary:player:{gone.id}")
    reindex(service)
    for player in (coco, wide_ada, ada):
        assert players.by_handle(player.handle.upper()) == player
        assert players.tokens.owner(players.login(player.handle, PASSWORD)) == TokenOwner(player.id)
    for handle in (COCO_IN_CYRILLIC, "BOB", "b0b"):
        with pytest.raises(HandleTaken):
            players.register(handle, PASSWORD)
    before = contents(service.redis)
    reindex(service)
    assert contents(service.redis) == before


def test_one_of_several_concurrent_registrations_gets_the_handle(service: Service) -> None:
    from concurrent.futures import ThreadPoolExecutor

    def register(_: int) -> bool:
        try:
            service.accounts.players.register("Ada", PASSWORD)
        except HandleTaken:
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(register, range(6))) == 1
    assert len(service.redis.keys("cartulary:player:*")) == 1
    assert len(service.redis.keys("cartulary:token:*")) == 1


@pytest.mark.parametrize(
    ("handle", "password", "email", "locale", "fields"),
    [
        ("", PASSWORD, None, None, {"handle"}),
        ("a b", PASSWORD, None, None, {"handle"}),
        ("-ada", PASSWORD, None, None, {"handle"}),
        ("a" * 33, PASSWORD, None, None, {"handle"}),
        ("a\nb", PASSWORD, None, None, {"handle"}),
        ("\ud800", PASSWORD, None, None, {"handle"}),
        ("\N{CYRILLIC SMALL LETTER A}da", PASSWORD, None, None, {"handle"}),
        ("ada", "short", None, None, {"password"}),
        ("ada", "x" * 1025, None, None, {"password"}),
        ("ada", PASSWORD, "nowhere", None, {"email"}),
        ("ada", PASSWORD, "a@" + "b" * 260, None, {"email"}),
        ("ada", PASSWORD, None, "?", {"locale"}),
        ("", "", "", "", {"handle", "password", "email", "locale"}),
    ],
)
def test_every_invalid_field_is_named(
    players: Players,
    service: Service,
    handle: str,
    password: str,
    email: str | None,
    locale: str | None,
    fields: set[str],
) -> None:
    with pytest.raises(Malformed) as error:
        players.register(handle, password, email, locale)
    assert set(error.value.fields) == fields
    assert contents(service.redis) == {}


def test_login_creates_another_token_and_logout_revokes_it(players: Players) -> None:
    player, first = players.register("Ada", PASSWORD)
    second = players.login("aDA", PASSWORD)
    assert second != first
    assert players.tokens.owner(second) == TokenOwner(player.id)
    players.tokens.revoke(second)
    assert players.tokens.owner(second) is None
    assert players.tokens.owner(first) == TokenOwner(player.id)


@pytest.mark.parametrize(
    ("handle", "password"),
    [("Ada", "wrong horse"), ("Bea", PASSWORD), ("Ada", "\ud800"), ("\ud800", PASSWORD), ("", "")],
)
def test_a_wrong_handle_and_a_wrong_password_cannot_be_distinguished(
    players: Players, handle: str, password: str
) -> None:
    players.register("Ada", PASSWORD)
    with raises(Unauthorised, match="no player with this handle and password"):
        players.login(handle, password)


@pytest.mark.parametrize("token", ["", "nonsense", "\ud800", "x" * 10_000])
def test_an_invalid_token_authenticates_nobody(players: Players, token: str) -> None:
    players.register("Ada", PASSWORD)
    assert players.tokens.owner(token) is None


def test_neither_password_nor_token_is_stored_in_redis(players: Players, service: Service) -> None:
    player, token = players.register("Ada", PASSWORD)
    stored = repr(contents(service.redis))
    assert "Ada" in stored
    assert token not in stored
    assert PASSWORD not in stored
    assert b"$argon2id$" in (service.redis.hget(f"cartulary:player:{player.id}", "password") or b"")


def test_a_password_hashed_with_older_settings_is_hashed_again(
    players: Players, service: Service
) -> None:
    from argon2 import PasswordHasher

    player, _ = players.register("Ada", PASSWORD)
    name = f"cartulary:player:{player.id}"
    older = PasswordHasher(time_cost=2, memory_cost=8, parallelism=1).hash(PASSWORD)
    service.redis.hset(name, "password", older)
    players.login("Ada", PASSWORD)
    assert service.redis.hget(name, "password") != older.encode()
    players.login("Ada", PASSWORD)


def test_an_unknown_id_has_no_account(players: Players) -> None:
    player, _ = players.register("Ada", PASSWORD)
    assert players.get(["nobody", player.id]) == [None, player]
    assert players.get([]) == []


def test_a_deleted_account_has_no_valid_handle_password_or_token(
    players: Players, service: Service
) -> None:
    player, token = players.register("Ada", PASSWORD)
    service.redis.delete(f"cartulary:player:{player.id}")
    assert players.get([player.id]) == [None]
    assert players.by_handle("Ada") is None
    assert players.tokens.owner(token) is None
    with pytest.raises(Unauthorised):
        players.login("Ada", PASSWORD)
    # Nobody else can register the handle of a deleted account.
    with pytest.raises(HandleTaken):
        players.register("Ada", PASSWORD)


def test_a_token_revoked_by_another_process_expires_from_the_cache(
    players: Players, service: Service
) -> None:
    """Another process trusts a token for TOKEN_CACHE_TTL after reading it, and no longer."""
    other_process = Players(
        service.redis, Bounds(), ErasedPlayers(service.redis, service.settings.data)
    )
    player, token = players.register("Ada", PASSWORD)
    with freeze_time("2026-11-20T09:00:00Z") as frozen:
        assert other_process.tokens.owner(token) == TokenOwner(player.id)
        players.tokens.revoke(token)
        assert players.tokens.owner(token) is None
        frozen.tick(TOKEN_CACHE_TTL)
        assert other_process.tokens.owner(token) is None
        assert players.tokens.owner(token) is None


def test_a_jump_of_the_time_of_day_does_not_prolong_the_trust_in_a_token(
    players: Players, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    other_process = Players(
        service.redis, Bounds(), ErasedPlayers(service.redis, service.settings.data)
    )
    player, token = players.register("Ada", PASSWORD)
    assert other_process.tokens.owner(token) == TokenOwner(player.id)
    players.tokens.revoke(token)
    now, monotonic = wall_clock.now(), time.monotonic()
    monkeypatch.setattr(wall_clock, "now", lambda: now - timedelta(days=1))
    monkeypatch.setattr(time, "monotonic", lambda: monotonic + TOKEN_CACHE_TTL.total_seconds())
    assert other_process.tokens.owner(token) is None
