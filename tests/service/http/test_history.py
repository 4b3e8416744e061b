"""History: the log of a game, single events, the game record, and the public keys."""

from io import BytesIO

import orjson
import pytest
import redis

from ledger.record import read
from replay.audit import audit
from service.store.redis_event_store import RedisEventStore
from service.transparency.head_log import HeadLog
from service.transparency.store import TransparencyStore
from tests.support.accounts import Accounts, Json, take_turn
from tests.support.http_contract import assert_problem


@pytest.fixture
def head_log(redis_client: redis.Redis) -> HeadLog:
    return HeadLog(RedisEventStore(redis_client), TransparencyStore(redis_client))


class TestEvents:
    def test_a_long_log_is_returned_in_pages(self, accounts: Accounts) -> None:
        game, players = accounts.start_game()
        for _ in range(4):
            take_turn(game, players)
        path = f"/api/v1/games/{game}/events"
        whole_log = accounts.anonymous.get(path).json()
        assert [event["seq"] for event in whole_log["events"]] == list(range(1, 9))
        assert whole_log["next"] is None
        events, pages = [], [0]
        while len(pages) < 4:
            page = accounts.anonymous.get(path, params={"after": pages[-1], "limit": 3}).json()
            events += page["events"]
            pages.append(page["next"])
        assert events == whole_log["events"]
        assert pages == [0, 3, 6, None]
        for seq in (8, 99, 2**53 - 1):
            beyond = accounts.anonymous.get(path, params={"after": seq}).json()
            assert beyond == {"events": [], "next": None}
        assert len(accounts.anonymous.get(path, params={"limit": 2**53 - 1}).json()["events"]) == 8

    def test_an_invalid_request_is_refused(self, accounts: Accounts) -> None:
        path = f"/api/v1/games/{accounts.register().create_game()}/events"
        for query in ("after=-1", "after=x", "limit=0", "limit=-1", f"after={2**53}", "seq=1"):
            assert accounts.anonymous.get(f"{path}?{query}").status_code == 400


class TestEventFeed:
    URL = "/api/v1/events"

    def test_public_games_are_followed_with_the_cursor_of_the_last_page(
        self, accounts: Accounts, head_log: HeadLog
    ) -> None:
        private = accounts.register().create_game(options={"private": True})
        game, players = accounts.start_game(rules="baron")
        cursor = self.last_cursor(accounts)
        head_log.log([private, game])
        shown: list[Json] = []
        next: str | None = cursor
        while next is not None:
            params: dict[str, str | int] = {"after": next, "limit": 3}
            page = accounts.anonymous.get(self.URL, params=params).json()
            assert page == players[0].http.get(self.URL, params=params).json()
            shown += page["events"]
            cursor, next = page["cursor"], page["next"]
            assert next in (None, cursor)
        assert accounts.anonymous.get(self.URL, params={"after": cursor}).json()["events"] == []
        log = accounts.anonymous.get(f"/api/v1/games/{game}/events").json()["events"]
        assert shown == log

    def last_cursor(self, accounts: Accounts) -> str:
        """Return the cursor of the end of the feed: other tests have played on this server before."""
        params: dict[str, str | int] = {"limit": 500}
        while True:
            page = accounts.anonymous.get(self.URL, params=params).json()
            params["after"] = page["cursor"]
            if page["next"] is None:
                return str(page["cursor"])

    def test_an_invalid_request_is_refused(self, accounts: Accounts) -> None:
        for query in ("after=x", "after=", "limit=0", "limit=x", "cursor=0-0-", "game=x"):
            assert accounts.anonymous.get(f"{self.URL}?{query}").status_code == 400, query
        other_history = accounts.anonymous.get(f"{self.URL}?after=999999999-0-{'0' * 16}")
        assert other_history.status_code == 409
        assert_problem(other_history)


class TestOneEvent:
    def test_an_event_is_returned_with_the_positions_before_and_after_it_and_its_changes(
        self, accounts: Accounts
    ) -> None:
        game, (ada, _) = accounts.start_game()
        assert ada.act(game).status_code == 201
        events = [
            accounts.anonymous.get(f"/api/v1/games/{game}/events/{seq}").json()
            for seq in range(1, 6)
        ]
        assert [event["event"]["seq"] for event in events] == [1, 2, 3, 4, 5]
        assert all(event["before"] is None for event in events[:4])
        assert all(event["after"] is None and event["changes"] == [] for event in events[:3])
        assert events[4]["before"] == events[3]["after"]
        position = accounts.anonymous.get(f"/api/v1/games/{game}/position").json()
        assert events[4]["after"] == position
        for event in events:
            assert (event["changes"] == []) == (event["before"] == event["after"])

    def test_an_event_that_does_not_exist_is_a_404(self, accounts: Accounts) -> None:
        game, _ = accounts.start_game()
        path = f"/api/v1/games/{game}/events"
        numbers = ("0", "5", "99", str(2**53 - 1), str(2**53), "9" * 40, "9" * 5000)
        for seq in (*numbers, "-1", "+1", "x", "1.0", "1_0", "%D9%A1", "%EF%BC%91"):
            assert accounts.anonymous.get(f"{path}/{seq}").status_code == 404


@pytest.mark.parametrize(
    "digit", ["\N{ARABIC-INDIC DIGIT ONE}", "\N{FULLWIDTH DIGIT ONE}", "\N{SUPERSCRIPT ONE}"]
)
def test_only_ascii_digits_are_integers(accounts: Accounts, digit: str) -> None:
    path = f"/api/v1/games/{accounts.start_game()[0]}"
    get = accounts.anonymous.get
    assert get(f"{path}/events/{digit}").status_code == 404
    queries: list[tuple[str, str]] = [
        ("/events", "after"),
        ("/events", "limit"),
        ("/position", "seq"),
        ("/stream", "after"),
    ]
    for rest, name in queries:
        assert get(path + rest, params={name: digit}).status_code == 400
    assert get("/api/v1/games", params={"limit": digit}).status_code == 400
    header = {b"Last-Event-ID": digit.encode()}
    assert get(f"{path}/stream", headers=header).status_code == 400


class TestRecord:
    def test_the_record_can_be_audited_at_any_time(self, accounts: Accounts) -> None:
        ada, bea = accounts.register(), accounts.register()
        game = ada.create_game()
        path = f"/api/v1/games/{game}/record"
        for step in range(4):
            if step == 1:
                bea.join(game)
            elif step > 1:
                assert (ada, bea)[step - 2].act(game).status_code == 201
            response = accounts.anonymous.get(path)
            assert response.headers["content-type"] == "application/jsonl"
            assert f'filename="{game}.jsonl"' in response.headers["content-disposition"]
            assert audit(BytesIO(response.content)).verdict != "broken"
            head = accounts.anonymous.get(f"/api/v1/games/{game}").json()["head"]
            assert orjson.loads(response.content.split(b"\n", 1)[0])["head"]["hash"] == head["hash"]

    def test_the_record_names_its_players(self, accounts: Accounts) -> None:
        game, players = accounts.start_game()
        data = accounts.anonymous.get(f"/api/v1/games/{game}/record").content
        record = read(BytesIO(data))
        assert record.names == {player.id: player.handle for player in players}
        assert all(player["keys"] == [] for player in record.header["players"])


class TestKeys:
    def test_the_key_of_a_receipt_is_published(self, accounts: Accounts) -> None:
        game, (ada, _) = accounts.start_game()
        receipt = ada.act(game).json()["receipt"]
        key_list = accounts.anonymous.get("/api/v1/keys").json()
        (published,) = [key for key in key_list["keys"] if key["key"] == receipt["key"]]
        assert published["until"] is None
        assert key_list["next"] is None
