"""Disputes in the service: arbiters, private games, erased statements, concurrent requests, limits."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from io import BytesIO
from typing import Any

import pytest

from domain.errors import Malformed
from domain.lifecycle import NewGame
from ledger.statements import AnswerDispute, GiveRuling, OpenDispute, WithdrawDispute
from replay.audit import audit
from service.bootstrap import Service, build
from service.errors import Forbidden, NotFound
from service.http.app import create_app
from service.settings import Settings
from tests.support.accounts import PASSWORD
from tests.support.faults import raises
from tests.support.service_games import PLAYERS, create_game, start_game, take_action

DISMISS = {"type": "dismiss"}


def create(service: Service, **fields: Any) -> str | None:
    """Create a game of ada; return the id of its arbiter."""
    options = {"seating": "joined"}
    return create_game(service, options=options, **fields).arbiter


def test_the_server_arbiter_is_the_default(service: Service) -> None:
    assert create(service, default_arbiter="zoe") == "zoe"
    assert create(service, default_arbiter="zoe", arbiter="yan") == "yan"
    assert create(service, default_arbiter="ada") is None
    assert create(service, default_arbiter="zoe", invited=("zoe",)) is None
    with pytest.raises(Malformed):
        create(service, arbiter="zoe", invited=("zoe",))


def test_a_request_without_an_arbiter_has_the_same_idempotency_record_whatever_the_server_names(
    service: Service,
) -> None:
    ids = {
        service.games.commands.create(
            "ada",
            NewGame(rules="barony", seats=2, options={}),
            default_arbiter=arbiter,
            idempotency_key="once",
        ).id
        for arbiter in (None, "zoe")
    }
    assert len(ids) == 1


def test_the_setting_names_the_arbiter_by_handle(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    def summary_of(arbiter: str, player: str) -> object:
        other = build(replace(service.settings, arbiter=arbiter))
        client = create_app(other).test_client()
        body = {"handle": player, "password": PASSWORD}
        token = client.post("/api/v1/players", json=body).get_json()["token"]
        response = client.post(
            "/api/v1/games",
            json={"rules": "barony", "seats": 2},
            headers={"Authorization": f"Bearer {token}"},
        )
        assert response.status_code == 201
        other.redis.close()
        return response.get_json()["arbiter"]

    assert summary_of("zoe", "ada") is None
    assert "CARTULARY_ARBITER" in caplog.text
    zoe = service.accounts.players.register("zoe", PASSWORD)[0]
    assert summary_of("Zoe", "bea") == {"id": zoe.id, "handle": "zoe"}


def test_requests_that_add_to_a_dispute_are_limited_by_player(service: Service) -> None:
    settings = replace(service.settings, rate_disputes="2/hour")
    client = create_app(replace(service, settings=settings)).test_client()
    _, token = service.accounts.players.register("ada", PASSWORD)
    headers = {"Authorization": f"Bearer {token}"}
    url = "/api/v1/games/nothing/disputes"
    statuses = [client.post(url, json={}, headers=headers).status_code for _ in range(3)]
    assert statuses == [404, 404, 429]
    assert client.get(url, headers=headers).status_code == 404


def test_a_game_with_an_erased_statement_is_played_on_and_verified(
    service: Service, settings: Settings
) -> None:
    game = start_game(service)
    number = service.games.statements.state(game.id, "ada", OpenDispute(4, "Bea is slow.")).events[
        0
    ]["seq"]
    service.redis.hdel(f"cartulary:{{{game.id}}}:secrets", f"{number}/statement")
    other = build(settings)
    try:
        assert other.games.queries.dispute(game.id, number, None)["statement"] is None
        other.games.statements.state(game.id, "ada", WithdrawDispute(number))
        take_action(other, game.id)
        record = b"".join(other.games.queries.record(game.id))
    finally:
        other.redis.close()
    assert b"Bea is slow." not in record
    assert audit(BytesIO(record)).findings == []


def test_concurrent_proposals_lead_to_one_ruling(service: Service) -> None:
    game = start_game(service, 4)
    number = service.games.statements.state(game.id, "ada", OpenDispute(4, "Let us stop.")).events[
        0
    ]["seq"]
    with ThreadPoolExecutor(4) as threads:
        list(
            threads.map(
                lambda player: service.games.statements.state(
                    game.id, player, GiveRuling(number, DISMISS)
                ),
                PLAYERS,
            )
        )
    types = [event["type"] for event in service.games.queries.event_page(game.id, number, 10)]
    assert types == ["RulingProposed"] * 4 + ["DisputeRuled"]


def test_another_process_reads_the_same_game_after_a_rewind(
    service: Service, settings: Settings
) -> None:
    game = start_game(service, rules="baron")
    for _ in range(8):
        take_action(service, game.id)
    number = service.games.statements.state(
        game.id, "ada", OpenDispute(5, "Again, please.")
    ).events[0]["seq"]
    for player in ("ada", "bea"):
        ruling = {"type": "resume", "from": game.seq}
        service.games.statements.state(game.id, player, GiveRuling(number, ruling))
    take_action(service, game.id)
    current = service.games.queries.game(game.id)
    other = build(settings)
    try:
        loaded = other.games.queries.game(game.id)
    finally:
        other.redis.close()
    assert (loaded.seq, loaded.hash, loaded.turn_at) == (current.seq, current.hash, current.turn_at)
    assert loaded.position(0) == current.position(0)
    assert loaded.disputes == current.disputes


def test_only_participants_take_part(service: Service) -> None:
    options = {"private": True}
    game = service.games.commands.create(
        "ada", NewGame(rules="barony", seats=2, options=options, invited=("bea",))
    )
    service.games.commands.join(game.id, "bea")
    number = service.games.statements.state(game.id, "ada", OpenDispute(4, "x")).events[0]["seq"]
    with pytest.raises(NotFound):
        service.games.statements.state(game.id, "cid", AnswerDispute(number, "y"))
    with pytest.raises(NotFound):
        service.games.queries.dispute(game.id, number, "cid")
    with raises(NotFound, match="no dispute 3"):
        service.games.statements.state(game.id, "bea", AnswerDispute(3, "y"))
    with pytest.raises(Forbidden):
        service.games.statements.state(game.id, "bea", WithdrawDispute(number))
