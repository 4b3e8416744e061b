"""An analysis tells nothing that the end of its game does not open, and nothing of a game before its end."""

from io import BytesIO
from typing import Any

import pytest
from flask import Flask

import service.analyses.analyses as module
from domain.errors import Malformed, NotNow
from ledger.record import Record, read
from replay.analysis.analysis import analyse
from replay.analysis.positions import finished_game
from replay.analysis.settings import settings_of
from service.analyses.store import StoredAnalysis
from service.bootstrap import Service
from service.errors import NotFound
from tests.service.pages.test_secrets_on_pages import RANDOM_VALUES
from tests.support.page_players import PlayersOfPages, forms_of
from tests.support.records import secret_values
from tests.support.stored_games import players_of, recorded_game, store_game

QUICK = settings_of(4, bytes(32))
WITH_SECRETS = "baron-one-left"
"""A finished game of Baron, which is short."""
AT = "2026-11-30T00:00:00.000Z"
ROUTES_OF_GAMES = {"/games/<game_id>/analysis", "/api/v1/games/<game_id>/analysis"}


@pytest.fixture(autouse=True)
def quick_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Analyses with four playouts of each position, made in one step."""
    monkeypatch.setattr("replay.analysis.settings.DEFAULT", QUICK)
    monkeypatch.setattr(module, "STEP_SECONDS", 600.0)


@pytest.fixture
def players(app: Flask, service: Service) -> PlayersOfPages:
    return PlayersOfPages(app, service)


def analysed(service: Service, game_id: str) -> Any:
    service.analyses.request(game_id, "ada")
    assert service.analyses.advance(game_id)
    return service.analyses.get(game_id, None).state


def prefixes(record: Record) -> list[int]:
    """Return lengths of the log of a game before its end, from its creation to its last round."""
    return [1, *range(4, len(record.events), 9), len(record.events) - 1]


def test_it_follows_from_the_record_that_every_visitor_can_download(service: Service) -> None:
    record = recorded_game(WITH_SECRETS)
    game = store_game(service, record)
    public = read(BytesIO(b"".join(service.games.queries.record(game))))
    assert secret_values(public) == secret_values(record)
    assert analysed(service, game) == analyse(finished_game(public), QUICK)


@pytest.mark.nightly
def test_it_does_not_depend_on_who_has_played(service: Service) -> None:
    record = recorded_game(WITH_SECRETS)
    others = {player: f"other-{player}" for player in players_of(record)}
    first = analysed(service, store_game(service, record))
    second = analysed(service, store_game(service, record, game_id="another", players=others))
    assert first["head"] != second["head"]
    same = first.keys() - {"game", "head"}
    assert {name: first[name] for name in same} == {name: second[name] for name in same}


def test_a_game_is_analysed_at_no_moment_before_its_end(service: Service) -> None:
    record = recorded_game(WITH_SECRETS)
    for length in prefixes(record):
        game = store_game(service, record, length, game_id=f"of-{length}-events")
        seats = players_of(record)
        for player in (*seats, "a-stranger"):
            with pytest.raises((NotNow, NotFound)):
                service.analyses.request(game, player)
        with pytest.raises(NotFound):
            service.analyses.get(game, seats[0])
        # Not even if a task for it has come into the queue.
        head = service.games.queries.game(game)
        service.analyses.store.put(StoredAnalysis(game, head.hash, AT))
        assert service.analyses.advance(game)
        stored = service.analyses.store.get(game)
        assert stored is not None
        assert (stored.state, stored.progress) == (None, 0.0)
        assert service.analyses.complete(head) is None


def test_requests_change_nothing_on_the_pages_of_a_running_game(
    players: PlayersOfPages, service: Service
) -> None:
    game = players.game("baron")
    ada, stranger = players["ada"], players["a-stranger"]
    addresses = [
        f"/games/{game}{rest}" for rest in ("", "?seq=4", "?seq=4&line=1", "/analysis", "/log")
    ]

    def pages() -> list[str]:
        return [
            RANDOM_VALUES.sub("", player.get(address))
            for player in (ada, stranger)
            for address in addresses
        ]

    before = pages()
    for player in (ada, stranger):
        form = next(iter(forms_of(player.get("/account")).values()))
        response = player.post(f"/games/{game}/analysis", {"csrf_token": form["csrf_token"]})
        assert response.status_code == 409
    assert service.analyses.store.waiting(10) == []
    assert pages() == before
    for page in before:
        assert not any(part in page for part in ("graph-shares", 'class="meaning"', "<progress"))


def test_only_games_of_the_server_have_analyses(app: Flask) -> None:
    # No sandbox, no uploaded record and no tree of conditional actions of a running game has one.
    routes = {rule.rule for rule in app.url_map.iter_rules() if "analys" in rule.rule}
    assert routes == ROUTES_OF_GAMES


@pytest.mark.nightly
def test_a_record_that_somebody_uploads_is_not_analysed(
    players: PlayersOfPages, service: Service
) -> None:
    record = recorded_game(WITH_SECRETS)
    finished = store_game(service, record, game_id="finished")
    running = store_game(service, record, len(record.events) - 1, game_id="running")
    analysed(service, finished)
    ada = players["ada"]
    running_record, finished_record = (
        b"".join(service.games.queries.record(game)) for game in (running, finished)
    )
    with pytest.raises(Malformed):
        service.imports.upload(ada.id, running_record, is_public=False)
    imported = service.imports.upload(ada.id, finished_record, is_public=False)
    page = ada.get(f"/imports/{imported.id}/replay?seq={len(record.events)}&line=1")
    assert "replay-seq" in page
    assert "graph-shares" not in page
    assert ada.client.get(f"/imports/{imported.id}/analysis").status_code == 404
