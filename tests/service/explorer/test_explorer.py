"""The explorer: what is counted, what is shown of it, and that nothing of other games is."""

import secrets

import pytest
from flask import Flask

from domain.errors import Malformed
from replay.bots.ratings import wilson_interval
from service.bootstrap import Service, build
from service.connection import to_text
from service.explorer.explorer import LEAST, ExploredKind, Occurrence, explored_kinds
from service.explorer.projection import EXAMPLES
from service.projections.counted_kind import CountedKind
from tests.support.accounts import Accounts
from tests.support.page_players import PlayersOfPages
from tests.support.server import WebServer
from tests.support.service_games import play_out, start_game, take_action
from tests.support.stored_games import players_of, recorded_game, store_game

PLAYED = "duke-of-two"
SEQ = 30
"""An event of it that changes the position."""
TWO = CountedKind("barony", 2, has_bots=False)
KEY = "cartulary:{projection:explorer}"


@pytest.fixture
def players(app: Flask, service: Service) -> PlayersOfPages:
    return PlayersOfPages(app, service)


def store_games(
    service: Service, count: int, name: str = PLAYED, prefix: str = "game"
) -> list[str]:
    """Store a recorded game several times, and have the explorer count it."""
    games = [
        store_game(service, recorded_game(name), game_id=f"{prefix}-{number}")
        for number in range(count)
    ]
    service.transparency.head_log.log(games)
    while not service.games.projections.catch_up():
        pass
    return games


def shares(explored: ExploredKind) -> dict[tuple[str, str], tuple[int, int]]:
    return {
        (table.table.name, share.value): (share.count, share.of)
        for table in explored.tables
        for share in table.shares
    }


def values(service: Service) -> dict[str, str]:
    live = to_text(service.redis.hget(KEY, "live") or "1")
    stored = service.redis.hgetall(f"{KEY}:{live}")
    return {to_text(field): to_text(value) for field, value in stored.items()}


class TestCounts:
    def test_of_a_player_all_shares_have_their_numbers_and_intervals(
        self, service: Service
    ) -> None:
        store_games(service, 3)
        record = recorded_game(PLAYED)
        winner, other = (players_of(record)[seat] for seat in (1, 0))
        won = service.games.explorer.kind(TWO, winner)
        assert won.games == 3
        of_seat = shares(won)
        assert of_seat["seat", "1"] == (3, 3)
        assert ("seat", "0") not in of_seat
        assert of_seat["rounds", "26"] == (3, 3), "the game took 28 rounds"
        duke = next(
            event
            for event in record.events
            if event["type"] == "TitleBought" and event["data"]["rank"] == "duke"
        )
        assert duke["data"]["seat"] == 1
        assert of_seat["duke_bought", "26"] == (3, 3)
        assert shares(service.games.explorer.kind(TWO, other))["seat", "0"] == (0, 3)
        (share,) = won.tables[0].shares
        assert (share.low, share.high) == wilson_interval(3, 3)
        assert service.games.explorer.games(winner) == {TWO: 3}

    def test_of_all_games_no_share_is_of_fewer_than_the_least(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store_games(service, 3)
        explored = service.games.explorer.kind(TWO)
        assert explored.games == 3
        assert shares(explored) == {}
        assert explored.tables[0].hidden == 2
        assert LEAST == 200
        monkeypatch.setattr("service.explorer.explorer.LEAST", 3)
        few = shares(service.games.explorer.kind(TWO))
        assert few["seat", "0"] == (0, 3)
        assert few["seat", "1"] == (3, 3)
        assert all(of >= 3 for _, of in few.values())

    def test_games_with_bots_and_other_kinds_are_counted_apart(self, service: Service) -> None:
        store_games(service, 1)
        store_games(service, 1, "hints", "bots")
        store_games(service, 1, "sorcery-duke-of-two", "sorcery")
        store_games(service, 1, "baron-five", "baron")
        counted = service.games.explorer.games()
        assert sum(counted.values()) == len(counted) == 4
        assert {kind.system for kind in counted} == {"barony", "sorcery", "baron"}
        assert {kind.has_bots for kind in counted} == {True, False}
        assert set(counted) <= set(explored_kinds())
        bots = [kind for kind in counted if kind.has_bots]
        names = [name for name in values(service) if name.startswith("own ")]
        of_bots = {name.split()[1] for name in names if name.endswith(bots[0].encode())}
        record = recorded_game("hints")
        taken = {
            event["data"]["player"]
            for event in record.events
            if event["type"] == "SeatTaken" and "bot" in event["data"]
        }
        assert taken
        assert not of_bots & taken, "nobody reads the own games of a bot"

    def test_a_rebuild_leads_to_the_same_values(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store_games(service, 3)
        store_games(service, 2, "baron-five", "baron")
        before = values(service)
        monkeypatch.setattr("service.projections.event_feed.MAX_EVENTS", 60)
        service.games.projections.rebuild("explorer")
        assert values(service) == before

    def test_private_running_and_abandoned_games_leave_no_trace(self, service: Service) -> None:
        private = play_out(service, start_game(service, round_limit=1, private=True).id).id
        while service.games.queries.game(private).status != "finished":
            service.games.commands.score(private)
        running = start_game(service).id
        take_action(service, running)
        service.administration.abandon("operator", start_game(service).id, "a test")
        service.transparency.head_log.log([private, running])
        while not service.games.projections.catch_up():
            pass
        assert values(service) == {}


class TestSearch:
    def test_the_last_games_with_a_pattern_are_found_at_their_events(
        self, service: Service
    ) -> None:
        games = store_games(service, EXAMPLES + 2)
        found = service.games.explorer.examples(TWO, "duke_bought", "26")
        assert [each.game for each in found] == games[:1:-1]
        record = recorded_game(PLAYED)
        event = record.events[found[0].seq - 1]
        assert (event["type"], event["data"]["rank"]) == ("TitleBought", "duke")
        assert found[0].seat == event["data"]["seat"]
        assert service.games.explorer.examples(TWO, "duke_bought", "1") == []
        (length, *_) = service.games.explorer.examples(TWO, "rounds", "26")
        assert length == Occurrence(games[-1], len(record.events))
        for table, value in (("nothing", "1"), ("duke_bought", "2"), ("spells_cast", "portal")):
            with pytest.raises(Malformed):
                service.games.explorer.examples(TWO, table, value)

    def test_a_position_is_found_by_the_hash_in_the_log(self, service: Service) -> None:
        first, second = store_games(service, 2)
        state = recorded_game(PLAYED).events[SEQ - 1]["state"]
        found = service.games.explorer.occurrences(state)
        assert found == [Occurrence(second, SEQ), Occurrence(first, SEQ)]
        similar = state[:16] + "0" * 48
        assert service.games.explorer.occurrences(similar) == []
        assert service.games.explorer.occurrences("0" * 64) == []

    def test_the_index_of_positions_has_a_bound(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("service.explorer.projection.INDEXED_GAMES", 2)
        store_games(service, 1, "baron-five", "baron")
        oldest = recorded_game("baron-five").events[-1]["state"]
        assert service.games.explorer.occurrences(oldest)
        _, second, third = store_games(service, 3)
        assert service.games.explorer.occurrences(oldest) == []
        state = recorded_game(PLAYED).events[SEQ - 1]["state"]
        found = service.games.explorer.occurrences(state)
        assert [each.game for each in found] == [third, second]
        indexed = {name for name in values(service) if name.startswith("at ")}
        assert len(indexed) == len(
            {event["state"] for event in recorded_game(PLAYED).events} - {"0" * 64}
        )


class TestPages:
    def test_an_empty_server(self, app: Flask) -> None:
        visitor = app.test_client()
        page = visitor.get("/explorer").text
        assert "No public game of this kind has been finished." in page
        assert "Log in to see your own games." in visitor.get("/explorer?of=me").text

    def test_tables_and_searches(
        self, app: Flask, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        visitor = app.test_client()
        (game,) = store_games(service, 1)
        page = visitor.get("/explorer").text
        assert "1 game was counted." in page
        assert "Shares of fewer than 200 seats or games are not shown" in page
        monkeypatch.setattr("service.explorer.explorer.LEAST", 1)
        page = visitor.get("/explorer").text
        assert "21 to 100 %" in page, "one of one, by Wilson"
        pattern = visitor.get("/explorer?kind=barony+2&pattern=duke_bought.26").text
        seq = service.games.explorer.examples(TWO, "duke_bought", "26")[0].seq
        assert f'href="/games/{game}?seq={seq}"' in pattern
        sandbox = f"/games/{game}/sandboxes?seq={seq}"
        assert f'href="{sandbox}"' in pattern
        assert visitor.get(sandbox).status_code == 200
        assert visitor.get(f"/games/{game}?seq={seq}").status_code == 200
        state = recorded_game(PLAYED).events[SEQ - 1]["state"]
        position = visitor.get(f"/explorer?state=+%E2%80%8B{state.upper()}%EF%BB%BF+").text
        assert f'href="/games/{game}?seq={SEQ}"' in position
        assert "None of these games" in visitor.get(f"/explorer?state={'1' * 64}").text
        assert (
            "No finished public game"
            in visitor.get("/explorer?kind=barony+2&pattern=duke_bought.1").text
        )

    def test_own_games(self, players: PlayersOfPages, service: Service) -> None:
        ada = players["ada"]
        assert "You have not finished a public game of this kind." in ada.get("/explorer?of=me")
        record = recorded_game(PLAYED)
        names = {players_of(record)[1]: ada.id}
        game = store_game(service, record, players=names)
        service.transparency.head_log.log([game])
        while not service.games.projections.catch_up():
            pass
        page = ada.get("/explorer?of=me")
        assert "1 game was counted." in page
        assert "Few games say little" in page
        assert "100 %" in page
        assert "You have not finished" in players["bea"].get("/explorer?of=me")

    @pytest.mark.parametrize(
        "query",
        [
            "kind=nothing&of=nobody",
            "kind=barony+99",
            "pattern=" + "x" * 500,
            "pattern=.",
            "pattern=duke_bought.%00",
            "state=%3Cscript%3E",
            "state=" + "g" * 64,
            "state=%C2%B2" + "0" * 63,
        ],
    )
    def test_hostile_addresses(self, app: Flask, query: str) -> None:
        response = app.test_client().get(f"/explorer?{query}")
        assert response.status_code == 200
        assert "<script>" not in response.text.partition("<main")[2]


class TestHttp:
    def test_the_calls(self, accounts: Accounts, web: WebServer) -> None:
        service = build(web.settings)
        prefix = secrets.token_hex(8)
        ada, anonymous = accounts.register(), accounts.anonymous
        record = recorded_game("sorcery-duke-of-five")
        game = store_game(service, record, game_id=prefix, players={players_of(record)[0]: ada.id})
        service.transparency.head_log.log([game])
        while not service.games.projections.catch_up():
            pass
        kind = "system=sorcery&seats=5"
        address = "/api/v1/explorer"
        public = anonymous.get(f"{address}?{kind}").json()
        assert public["games"] >= 1
        assert {table["name"] for table in public["tables"]} >= {"seat", "rounds", "spells_cast"}
        assert all(share["of"] >= 200 for table in public["tables"] for share in table["shares"])
        own = ada.http.get(f"{address}?{kind}&of=me").json()
        assert own["games"] == 1
        (seats, *_) = own["tables"]
        (share,) = seats["shares"]
        assert (share["value"], share["of"]) == ("0", 1)
        assert anonymous.get(f"{address}?{kind}&of=me").status_code == 401
        for bad in (
            "system=x&seats=5",
            "system=sorcery&seats=99",
            "system=sorcery",
            f"{kind}&of=x",
        ):
            assert anonymous.get(f"{address}?{bad}").status_code == 400
        table = f"{kind}&table=seat&value=0"
        events = anonymous.get(f"{address}/games?{table}").json()["events"]
        assert {"game": game, "seq": len(record.events), "seat": 0} in events
        for bad in (f"{kind}&table=x&value=0", f"{kind}&table=seat&value=9", kind):
            assert anonymous.get(f"{address}/games?{bad}").status_code == 400
        state = record.events[40]["state"]
        events = anonymous.get(f"{address}/positions?state={state}").json()["events"]
        assert {"game": game, "seq": 41, "seat": None} in events
        assert anonymous.get(f"{address}/positions?state=12").status_code == 400
        service.redis.close()
