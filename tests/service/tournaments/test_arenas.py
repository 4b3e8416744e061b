"""Arenas on a real service: over HTTP, on pages, with workers, and what everybody is notified of."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from freezegun.api import FrozenDateTimeFactory

from domain.tournaments.tournament import Tournament
from service.bootstrap import Service
from service.tournaments.arena_view import SHOWN_RESULTS
from service.tournaments.outbox import outbox_entries
from tests.service.tournaments.test_pages import browser_of
from tests.support.arenas import ARENA, begin_arena
from tests.support.page_forms import post
from tests.support.tournaments import advance, create, end_game, register, register_accounts
from tests.support.worker_harness import WorkerHarness

pytestmark = pytest.mark.usefixtures("time")


def load(service: Service, id: str) -> Tournament:
    """Return a tournament at its head."""
    return service.tournaments.tournaments.load(id)


def end_games(service: Service, id: str) -> None:
    """End every game at an open table."""
    for drawn in load(service, id).open_rounds:
        for table in drawn.open_tables:
            end_game(service, drawn.games[table - 1] or "")


@pytest.fixture
def begun(service: Service, olga: str, time: FrozenDateTimeFactory) -> list[str]:
    """The id of an arena of five that has begun, and the ids of its players."""
    arena = begin_arena(service, olga, 5)
    time.tick(timedelta(days=1))
    harness = WorkerHarness(service)
    advance(harness)
    harness.close()
    return arena


def test_a_player_sees_the_table_takes_a_break_and_goes_on(
    app: Flask, service: Service, begun: list[str], time: FrozenDateTimeFactory
) -> None:
    id = begun[0]
    own = f"/tournaments/{id}"
    (drawn,) = load(service, id).rounds
    seated = drawn.players[0][0]
    waiting = ({*begun[1:]} - {p for players in drawn.players for p in players}).pop()
    one = browser_of(app, service, f"p{begun.index(seated)}")
    other = browser_of(app, service, f"p{begun.index(waiting)}")
    page = one.get(own).text
    assert f'href="/games/{drawn.games[0]}"' in page
    assert "To your game" in page
    assert "Players are seated until" in page
    assert "Tables in progress" in page
    assert "Table 1.1" in page
    assert f'href="/games/{drawn.games[0]}"' in one.get(f"{own}/table").text
    assert "You wait for a table" in other.get(own).text
    assert "You wait for a table" in other.get(f"{own}/table").text
    assert post(other, f"{own}/break", own).status_code == 303
    page = other.get(own).text
    assert "You are seated no more until you go on." in page
    assert "Take a break" not in page
    refused = post(other, f"{own}/break", own)
    assert refused.status_code == 409
    assert "takes a break already" in refused.text
    assert post(other, f"{own}/break", own, end="yes").status_code == 303
    assert "Take a break" in other.get(own).text
    assert post(other, f"{own}/withdraw", own).status_code == 303
    page = other.get(own).text
    assert "Take part" in page
    assert "You do not take part now." in other.get(f"{own}/table").text
    assert post(other, f"{own}/players", own, nonce="ab").status_code == 303
    assert load(service, id).number_of(waiting) is not None
    stranger = app.test_client()
    assert "Log in to take part" in stranger.get(own).text
    assert stranger.get(f"{own}/table").status_code in (302, 303, 401)
    time.tick(timedelta(hours=1))
    page = other.get(own).text
    assert "Nobody is seated any more." in page
    assert "Go on" not in page
    assert "Take a break" not in page


def test_the_live_page_has_the_tables_of_all_draws(
    browser: FlaskClient, service: Service, begun: list[str], time: FrozenDateTimeFactory
) -> None:
    id = begun[0]
    end_game(service, load(service, id).rounds[0].games[0] or "")
    time.tick(timedelta(seconds=1))
    service.tournaments.progress.advance(id)
    assert len(load(service, id).rounds) == 2
    page = browser.get(f"/tournaments/{id}/live").text
    assert [page.count(f'id="table-{label}"') for label in ("1-1", "1-2", "2-1")] == [1, 1, 1]
    assert page.index('id="table-2-1"') < page.index('id="table-1-1"')
    assert "Load again" in page
    assert browser.get(f"/tournaments/{id}/standings.csv").status_code == 200
    assert "ends" in browser.get(f"/tournaments/{id}/calendar.ics").text


def test_an_organiser_has_no_form_for_what_an_arena_does_not_change(
    app: Flask, service: Service, begun: list[str]
) -> None:
    page = browser_of(app, service, "olga").get(f"/tournaments/{begun[0]}/organise").text
    for absent in ("TournamentPaused", "RoundExtended", "TableReplayed", "ReviewChanged"):
        assert absent not in page
    assert "PairingsProhibited" in page


def test_two_workers_seat_nobody_twice_and_lose_nobody(
    service: Service, olga: str, time: FrozenDateTimeFactory
) -> None:
    id = begin_arena(service, olga, 8)[0]
    time.tick(timedelta(days=1))
    with ThreadPoolExecutor(4) as pool:
        for _ in range(6):
            list(pool.map(service.tournaments.progress.advance, [id] * 4))
            tournament = load(service, id)
            seated = Counter(
                player
                for drawn in tournament.open_rounds
                for table in drawn.open_tables
                for player in drawn.players[table - 1]
            )
            assert set(seated.values()) == {1}
            arena = tournament.arena
            assert arena is not None
            assert len(seated) + len(arena.free(tournament.withdrawn)) == 8
            for drawn in tournament.open_rounds:
                assert all(service.store.head(game or "") for game in drawn.games)
            end_games(service, id)
            time.tick(timedelta(seconds=1))
    assert len(load(service, id).rounds) >= 6


def test_a_worker_looks_again_when_somebody_has_waited_long_enough(
    service: Service, olga: str, time: FrozenDateTimeFactory
) -> None:
    id = begin_arena(service, olga, 2)[0]
    time.tick(timedelta(days=1))
    harness = WorkerHarness(service)
    advance(harness)
    time.tick(timedelta(seconds=7))
    end_games(service, id)
    service.tournaments.progress.advance(id)
    time.tick(timedelta(seconds=29))
    advance(harness)
    assert len(load(service, id).rounds) == 1
    time.tick(timedelta(seconds=1))
    advance(harness)
    assert len(load(service, id).rounds) == 2
    harness.close()


def test_players_are_notified_of_the_first_table_and_of_the_end_only(
    service: Service, olga: str, time: FrozenDateTimeFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []

    def record(pending: Any) -> dict[str, str]:
        entries = outbox_entries(pending)
        names.extend(entries)
        return entries

    monkeypatch.setattr("service.tournaments.tournaments.outbox_entries", record)
    id = begin_arena(service, olga, 4)[0]
    harness = WorkerHarness(service)
    time.tick(timedelta(days=1))
    advance(harness)
    for _ in range(4):
        end_games(service, id)
        service.tournaments.progress.advance(id)
        time.tick(timedelta(seconds=1))
    assert len(load(service, id).rounds) > 2
    time.tick(timedelta(hours=1))
    advance(harness)
    end_games(service, id)
    time.tick(timedelta(seconds=31))
    advance(harness)
    assert load(service, id).status == "finished"
    assert names == ["round/1", "over"]
    harness.close()


def test_a_long_arena_shows_its_last_draws_only(
    browser: FlaskClient, service: Service, olga: str, time: FrozenDateTimeFactory
) -> None:
    id = begin_arena(service, olga, 2)[0]
    time.tick(timedelta(days=1))
    count = SHOWN_RESULTS + 3
    for _ in range(count):
        service.tournaments.progress.advance(id)
        end_games(service, id)
        service.tournaments.progress.advance(id)
        time.tick(timedelta(seconds=30))
    page = browser.get(f"/tournaments/{id}").text
    assert f"Table {count}.1" in page
    assert "Table 4.1" in page
    assert "Table 3.1" not in page
    details = browser.get(f"/api/v1/tournaments/{id}").get_json()
    assert details["rounds"] == count
    assert [drawn["round"] for drawn in details["drawn"]] == list(range(4, count + 1))
    assert details["arena"] == {"ends": load(service, id).arena.ends, "resting": []}  # type: ignore[union-attr]


def test_an_erased_player_is_seated_no_more(
    service: Service, begun: list[str], time: FrozenDateTimeFactory
) -> None:
    id = begun[0]
    erased = load(service, id).rounds[0].players[0][0]
    service.tournaments.tournaments.withdraw_everywhere(erased)
    end_games(service, id)
    time.tick(timedelta(seconds=31))
    service.tournaments.progress.advance(id)
    seated = [p for drawn in load(service, id).rounds[1:] for table in drawn.players for p in table]
    assert seated
    assert erased not in seated


def test_a_private_arena_is_seen_by_its_players_only(
    app: Flask, service: Service, olga: str, time: FrozenDateTimeFactory
) -> None:
    register_accounts(service, 3)
    invite = {"private": True, "invite": ["p1", "p2"]}
    id = create(service, olga, format=ARENA, round_seconds=900, **invite).id
    accounts = service.accounts.players.by_handles(["p1", "p2"])
    register(service, id, [account.id for account in accounts.values() if account])
    time.tick(timedelta(days=1))
    service.tournaments.progress.advance(id)
    own, missing = f"/tournaments/{id}", f"/tournaments/t{'0' * 16}"
    player, outsider = browser_of(app, service, "p1"), browser_of(app, service, "p3")
    for part in ("", "/table", "/live", "/standings.csv", "/calendar.ics"):
        assert player.get(f"{own}{part}").status_code == 200
        assert outsider.get(f"{own}{part}").status_code == 404
    refused, unknown = (
        post(outsider, f"{address}/break", "/tournaments") for address in (own, missing)
    )
    assert refused.status_code == unknown.status_code == 404
    game = load(service, id).rounds[0].games[0]
    assert player.get(f"/games/{game}").status_code == 200
    assert outsider.get(f"/games/{game}").status_code == 404
