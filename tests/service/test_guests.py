"""Accounts of guests: made up in an instant, named later, and gone when they are never used."""

import secrets

import pytest

from domain.errors import Malformed
from service.accounts import tokens
from service.accounts.handle_index import HandleIndex
from service.bootstrap import Service
from service.errors import HandleTaken, NotAGuest
from tests.support.redis_contents import contents

PASSWORD = "correct horse"


def expiring_keys(service: Service) -> set[str]:
    """Return the keys that expire when the token of a new guest does."""
    keys = [key.decode() for key in service.redis.scan_iter("cartulary:*")]
    return {
        key
        for key in keys
        if tokens.TOKEN_SECONDS - 5 <= int(service.redis.ttl(key)) <= tokens.TOKEN_SECONDS
    }


def test_a_guest_gets_a_token_and_a_handle_but_no_password(service: Service) -> None:
    guest, token = service.accounts.players.create_guest("fr")
    assert guest.is_guest
    assert guest.handle.startswith("guest-")
    assert service.accounts.players.tokens.owner(token) == tokens.TokenOwner(guest.id, "fr")
    assert service.accounts.players.by_handle(guest.handle.upper()) == guest
    assert b"password" not in service.redis.hgetall(f"cartulary:player:{guest.id}")


def test_everything_of_an_unused_guest_expires(service: Service) -> None:
    service.accounts.players.create_guest()
    everything = {key.decode() for key in service.redis.scan_iter("cartulary:*")}
    assert expiring_keys(service) == everything


def test_a_named_guest_stays_and_logs_in_with_the_new_handle(service: Service) -> None:
    guest, token = service.accounts.players.create_guest()
    named = service.accounts.players.name_guest(guest.id, "Ada", PASSWORD, "ada@example.org")
    assert (named.id, named.handle, named.is_guest) == (guest.id, "Ada", False)
    assert service.accounts.players.by_handle("ada") == named
    assert service.accounts.players.by_handle(guest.handle) is None
    assert service.accounts.players.tokens.owner(token) is not None
    other_token = service.accounts.players.login("ada", PASSWORD)
    assert service.accounts.players.tokens.owner(other_token) == tokens.TokenOwner(guest.id, None)
    kept = {f"cartulary:player:{guest.id}", "cartulary:handle:ada", "cartulary:skeleton:ada"}
    assert expiring_keys(service) & kept == set()
    assert not list(service.redis.scan_iter("*guest-*"))


def test_a_guest_may_choose_the_handle_that_was_made_up(service: Service) -> None:
    guest, _ = service.accounts.players.create_guest()
    named = service.accounts.players.name_guest(guest.id, guest.handle.capitalize(), PASSWORD)
    assert service.accounts.players.by_handle(guest.handle) == named
    assert expiring_keys(service) & {f"cartulary:handle:{guest.handle}"} == set()


def test_a_guest_cannot_take_the_handle_of_another_player(service: Service) -> None:
    service.accounts.players.register("Ada", PASSWORD)
    guest, _ = service.accounts.players.create_guest()
    before = contents(service.redis)
    for handle in ("ADA", "\N{CYRILLIC SMALL LETTER A}d\N{CYRILLIC SMALL LETTER A}"):
        with pytest.raises((HandleTaken, Malformed)):
            service.accounts.players.name_guest(guest.id, handle, PASSWORD)
    with pytest.raises(Malformed) as error:
        service.accounts.players.name_guest(guest.id, "?", "short", "nowhere")
    assert set(error.value.fields) == {"handle", "password", "email"}
    assert contents(service.redis) == before


def test_only_a_guest_is_named(service: Service) -> None:
    player, _ = service.accounts.players.register("Ada", PASSWORD)
    for id in (player.id, "nobody"):
        with pytest.raises(NotAGuest):
            service.accounts.players.name_guest(id, "Bea", PASSWORD)
    assert service.accounts.players.by_handle("Bea") is None


def test_of_two_names_given_concurrently_one_is_kept(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    guest, _ = service.accounts.players.create_guest()
    take = HandleIndex.take

    def take_after_another_request(index: HandleIndex, handle: str, player_id: str) -> None:
        monkeypatch.setattr(HandleIndex, "take", take)
        service.accounts.players.name_guest(guest.id, "Ada", PASSWORD)
        take(index, handle, player_id)

    monkeypatch.setattr(HandleIndex, "take", take_after_another_request)
    with pytest.raises(NotAGuest):
        service.accounts.players.name_guest(guest.id, "Bea", PASSWORD)
    (player,) = service.accounts.players.get([guest.id])
    assert player == service.accounts.players.by_handle("Ada")
    assert service.accounts.players.by_handle("Bea") is None


def test_another_made_up_handle_is_tried_if_one_is_taken(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.accounts.players.register("guest-bbbbbb", PASSWORD)
    letters = iter("bbbbbbcccccc")
    monkeypatch.setattr(secrets, "choice", lambda _: next(letters))
    guest, _ = service.accounts.players.create_guest()
    assert guest.handle == "guest-cccccc"
