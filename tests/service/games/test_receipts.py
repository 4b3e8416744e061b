"""Stored receipts: written with their events, the same at every repetition, and listed for their player."""

from pathlib import Path

import pytest
from freezegun import freeze_time

from domain.errors import Malformed
from domain.json_types import JsonObject
from ledger.keys import check_signed
from service.bootstrap import Service
from service.games.receipts import PlayerReceipts, ReceiptPage
from service.keyring import Keyring
from tests.support.service_games import play_until, start_game, take_action


def all_receipts(
    receipts: PlayerReceipts, player: str, limit: int, game: str | None = None
) -> tuple[list[JsonObject], int, int]:
    """Return all receipts of a player, how many were left out, and the number of pages."""
    collected: list[JsonObject] = []
    left_out = pages = 0
    page = ReceiptPage(next="")
    while page.next is not None:
        page = receipts.page(player, page.next or None, limit, game)
        assert len(page.receipts) <= limit
        collected += page.receipts
        left_out += page.left_out
        pages += 1
        assert pages < 200
    return collected, left_out, pages


def forget_receipts(service: Service, game_id: str) -> None:
    """Make a game look as if it had been played before receipts were stored."""
    assert service.redis.delete(f"cartulary:{{{game_id}}}:receipts") == 1


def test_a_receipt_is_stored_with_its_event(service: Service) -> None:
    accepted = take_action(service, start_game(service).id)
    event = accepted.events[0]
    stored = service.store.receipts(event["game"], [event["seq"], event["seq"] + 1])
    assert stored == {event["seq"]: f"{accepted.receipt['key']} {accepted.receipt['signature']}"}
    assert (accepted.receipt["seq"], accepted.receipt["hash"]) == (event["seq"], event["hash"])
    check_signed(accepted.receipt, service.keyring.public_keys())


def test_a_repeated_request_gets_the_stored_receipt_even_after_a_change_of_key(
    service: Service, tmp_path: Path
) -> None:
    game = start_game(service)
    seq, actions = service.games.queries.legal_actions(game.id, "ada")
    first = service.games.commands.act(game.id, "ada", actions[0], seq, "key")
    service.games.repository._keyring = Keyring(service.redis, tmp_path / "next.pem")
    repeated = service.games.commands.act(game.id, "ada", actions[0], seq, "key")
    assert repeated == first
    forget_receipts(service, game.id)
    resigned = service.games.commands.act(game.id, "ada", actions[0], seq, "key").receipt
    assert resigned["key"] != first.receipt["key"]
    assert resigned["hash"] == first.events[0]["hash"]
    check_signed(resigned, service.keyring.public_keys())


@pytest.mark.parametrize("limit", [1, 3, 500])
def test_a_player_gets_all_of_their_receipts_and_no_others(service: Service, limit: int) -> None:
    expected: dict[str, list[JsonObject]] = {"ada": [], "bea": [], "cid": []}
    games = []
    for _ in range(3):
        game = start_game(service)
        games.append(game.id)
        for _ in range(5):
            accepted = take_action(service, game.id)
            by = accepted.events[0]["by"]
            assert "seat" in by
            expected[game.players[by["seat"]]].append(accepted.receipt)
    for player, receipts in expected.items():
        listed, left_out, _ = all_receipts(service.games.receipts, player, limit)
        assert sorted(listed, key=repr) == sorted(receipts, key=repr)
        assert left_out == 0
        order = [games.index(receipt["game"]) for receipt in listed]
        assert order == sorted(order, reverse=True)
        own = [receipt for receipt in receipts if receipt["game"] == games[1]]
        assert all_receipts(service.games.receipts, player, limit, games[1])[0] == own


def test_a_page_reads_a_bounded_number_of_events(service: Service) -> None:
    game = play_until(service, start_game(service).id, lambda game: game.seq >= 60)
    receipts = PlayerReceipts(
        service.store, service.games.listings, service.keyring, page_events=20
    )
    listed, _, pages = all_receipts(receipts, "ada", 500)
    assert pages > 1
    whole, _, _ = all_receipts(service.games.receipts, "ada", 500)
    assert listed == whole
    assert all(receipt["game"] == game.id for receipt in listed)


def test_games_from_before_get_receipts_of_a_key_that_was_valid_then(
    service: Service, tmp_path: Path
) -> None:
    with freeze_time("2026-11-20T09:00:00Z"):
        game = start_game(service)
        accepted = [take_action(service, game.id) for _ in range(4)]
    forget_receipts(service, game.id)
    own = [action.receipt for action in accepted if action.events[0]["by"] == {"seat": 0}]
    assert all_receipts(service.games.receipts, "ada", 500)[:2] == (own, 0)
    with freeze_time("2026-11-21T09:00:00Z"):
        younger = Keyring(service.redis, tmp_path / "next.pem")
        younger.publish_key()
    receipts = PlayerReceipts(service.store, service.games.listings, younger)
    assert all_receipts(receipts, "ada", 500)[:2] == ([], len(own))


def test_a_damaged_log_hides_only_its_own_receipts(service: Service) -> None:
    damaged, intact = start_game(service), start_game(service)
    for game in (damaged, intact):
        take_action(service, game.id)
    service.redis.delete(f"cartulary:{{{damaged.id}}}:log")
    service.redis.set(f"cartulary:{{{damaged.id}}}:log", "x")
    listed, _, _ = all_receipts(service.games.receipts, "ada", 500)
    assert [receipt["game"] for receipt in listed] == [intact.id]


@pytest.mark.parametrize("cursor", ["", "x", "x~", "x~g~", "x~g~-1", "x~g~1~2", "~", "a~b c~1"])
def test_an_invalid_cursor_is_refused(service: Service, cursor: str) -> None:
    with pytest.raises(Malformed):
        service.games.receipts.page("ada", cursor)
    game = start_game(service)
    with pytest.raises(Malformed):
        service.games.receipts.page("ada", "2026~another~3", game_id=game.id)
