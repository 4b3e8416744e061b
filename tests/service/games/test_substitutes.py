"""Vacant seats and substitutes: the clock, quotas, keys, receipts, notifications and erasure."""

from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from freezegun import freeze_time

from domain.errors import NotNow
from domain.game import Game
from domain.lifecycle import NewGame
from ledger.statements import OpenDispute, WithdrawDispute
from replay.audit import audit
from service.bootstrap import Service
from service.errors import TooManyGames
from tests.support.records import trusting_signer
from tests.support.service_games import play_until, start_game, take_action


def start(service: Service, rules: str = "barony", clock: Any = None, **options: Any) -> Game:
    """Start a game of ada, bea and cid with substitutes, and play its set-up."""
    game = start_game(service, 3, clock, rules, substitutes=True, **options)
    return play_until(service, game.id, lambda game: game.round >= 1)


def play_vacant_seats(service: Service, game: Game) -> Game:
    """Let the clock end the turns of vacant seats."""
    while (state := service.games.queries.game(game.id)).to_act in state.vacant_seats:
        assert service.games.commands.end_turn(game.id, state.turn)
    return state


@pytest.mark.parametrize(("rules", "options"), [("barony", {"sorcery": True}), ("baron", {})])
@pytest.mark.parametrize("turn", ["forfeit", "bot"])
def test_the_clock_plays_a_vacant_seat_immediately_until_somebody_takes_it(
    service: Service, rules: str, options: dict[str, Any], turn: str
) -> None:
    with freeze_time("2026-11-20T09:00:00Z"):
        clock = {"per_turn": 86400, "on_deadline": {"turn": turn}}
        game = start(service, rules, clock, **options)
        seat = game.to_act
        assert seat is not None
        leaver = game.players[seat]
        service.games.commands.leave_seat(game.id, leaver)
        entry = service.store.outbox(game.id)
        assert "notify/turn" not in entry
        assert f'"turn":{game.turn}' in entry["deadline"]
        after = play_vacant_seats(service, game)
        assert after.turn == game.turn + 1
        assert len(after.missed_deadlines.get(seat, ())) <= 1
        assert "notify/turn" in service.store.outbox(game.id)
        taken = service.games.commands.take_seat(game.id, "zoe", seat)
        assert (taken.seat_of("zoe"), taken.seat_of(leaver)) == (seat, None)
        play_until(service, game.id, lambda game: game.to_act == seat)
        assert take_action(service, game.id).events[0]["by"] == {"seat": seat}
    data = b"".join(service.games.queries.record(game.id))
    assert audit(BytesIO(data), trusted=trusting_signer(data)).verdict != "broken"


def test_a_seat_that_would_be_removed_is_left_vacant(service: Service) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        game = start_game(
            service,
            3,
            {"per_turn": 60, "on_deadline": {"placement": "remove"}},
            "barony",
            substitutes=True,
        )
        time.tick(timedelta(seconds=60))
        (event,) = service.games.commands.end_turn(game.id, game.turn)
        assert (event["type"], event["by"]) == ("SeatVacated", {"system": "clock"})
        # A bot places for the vacant seat, at once.
        (placed,) = service.games.commands.end_turn(game.id, game.turn)
        assert placed["type"] == "CityPlaced"
        assert service.games.listings.vacant().games == (game.id,)


def test_a_game_that_all_people_have_left_is_abandoned_immediately(service: Service) -> None:
    game = start(service)
    for player in ("ada", "bea"):
        service.games.commands.leave_seat(game.id, player)
    assert service.games.queries.game(game.id).status == "playing"
    assert service.games.commands.leave_seat(game.id, "cid").status == "abandoned"
    assert service.games.listings.vacant().games == ()


def test_a_game_whose_last_person_resigns_beside_vacant_seats_is_abandoned(
    service: Service,
) -> None:
    game = start(service)
    for player in ("ada", "bea"):
        service.games.commands.leave_seat(game.id, player)
    state = play_vacant_seats(service, game)
    service.games.commands.act(game.id, "cid", {"type": "resign"}, state.seq)
    state = service.games.queries.game(game.id)
    (event,) = service.games.commands.end_turn(game.id, state.turn)
    assert event["type"] == "GameAbandoned"
    data = b"".join(service.games.queries.record(game.id))
    assert audit(BytesIO(data), trusted=trusting_signer(data)).verdict != "broken"


def test_the_quota_of_games_holds_for_substitutes(service: Service) -> None:
    game = start(service)
    service.games.commands.leave_seat(game.id, "ada")
    for _ in range(service.settings.bounds.max_games_per_player):
        service.games.commands.create("zoe", NewGame(rules="baron", seats=2, options={}))
    with pytest.raises(TooManyGames):
        service.games.commands.take_seat(game.id, "zoe", 0)
    # A former player has the place free for another game.
    assert service.games.listings.count_current_games("ada") == 0


def test_players_who_had_a_seat_and_the_arbiter_cannot_be_substitutes(service: Service) -> None:
    game = service.games.commands.create(
        "ada",
        NewGame(
            rules="baron",
            seats=3,
            options={"substitutes": True, "seating": "joined"},
            arbiter="judge",
        ),
    )
    for player in ("bea", "cid"):
        service.games.commands.join(game.id, player)
    service.games.commands.leave_seat(game.id, "ada")
    for player in ("ada", "bea", "judge"):
        with pytest.raises(NotNow):
            service.games.commands.take_seat(game.id, player, 0)
    service.games.commands.take_seat(game.id, "zoe", 0)
    service.games.commands.leave_seat(game.id, "zoe")
    with pytest.raises(NotNow):
        service.games.commands.take_seat(game.id, "zoe", 0)
    assert service.games.queries.visible_game(game.id, "zoe").former_players == ("ada",)


def test_receipts_are_those_of_the_player_who_acted(service: Service) -> None:
    game = start(service)
    own = {receipt["seq"] for receipt in service.games.receipts.page("ada").receipts}
    assert own
    service.games.commands.leave_seat(game.id, "ada")
    play_vacant_seats(service, game)
    service.games.commands.take_seat(game.id, "zoe", 0)
    play_until(service, game.id, lambda game: game.to_act == 0)
    seq = take_action(service, game.id).events[0]["seq"]
    taken = [receipt["seq"] for receipt in service.games.receipts.page("zoe").receipts]
    assert taken == [seq]
    former = service.games.receipts.page("ada", game_id=game.id).receipts
    assert own <= {receipt["seq"] for receipt in former}
    assert seq not in {receipt["seq"] for receipt in former}


def test_a_statement_is_erased_with_the_player_who_made_it_and_not_with_the_substitute(
    service: Service,
) -> None:
    game = start(service)
    dispute = service.games.statements.state(
        game.id, "ada", OpenDispute(game.seq, "It skipped my turn")
    )
    own = dispute.events[0]["seq"]
    service.games.statements.state(game.id, "ada", WithdrawDispute(own))
    service.games.commands.leave_seat(game.id, "ada")
    state = play_vacant_seats(service, game)
    service.games.commands.take_seat(game.id, "zoe", 0)
    dispute = service.games.statements.state(
        game.id, "zoe", OpenDispute(state.seq, "It skipped mine")
    )
    later = dispute.events[0]["seq"]
    service.accounts.erasure.erase_without_password("ada")
    assert service.store.statements(game.id) == [later]
    service.accounts.erasure.erase_without_password("zoe")
    assert service.store.statements(game.id) == []
