"""The story of an event over HTTP, and filtered pages of the log."""

import pytest
import redis

from domain.game import Game
from replay.history.event_filter import parse_filter
from service.bootstrap import Service
from service.bounds import Bounds
from service.connection import connect
from service.games.event_queries import NEXT_EVENTS, EventQueries
from service.games.game_cache import GameCache
from service.games.loader import GameLoader
from service.notifications.deliveries import Deliveries
from service.notifications.delivery import Delivery
from service.settings import Settings
from tests.service.games.test_resumed_games import resume
from tests.support.accounts import Accounts, Json, PlayerClient, take_turn
from tests.support.counting_store import CountingStore
from tests.support.http_contract import invalid_fields
from tests.support.service_games import explain, play_out, play_until, start_game, take_action


def get_event(player: PlayerClient | Accounts, game: str, seq: int, query: str = "") -> Json:
    http = player.anonymous if isinstance(player, Accounts) else player.http
    response = http.get(f"/api/v1/games/{game}/events/{seq}{query}")
    assert response.status_code == 200, response.text
    body: Json = response.json()
    return body


class TestStory:
    def test_an_action_is_told_with_its_actor_time_alternatives_and_clauses(
        self, accounts: Accounts
    ) -> None:
        game, (ada, bea) = accounts.start_game(clock={"per_turn": 3600})
        accepted = take_turn(game, (ada, bea))
        event = get_event(accounts, game, 5)
        assert event["event"] == accepted
        assert event["by"] == ada.handle
        assert event["actor"] == {
            "seat": 0,
            "player": ada.id,
            "handle": ada.handle,
            "system": None,
            "means": "token",
            "key": None,
            "signed_head": None,
        }
        time = event["time"]
        assert (time["at"], time["turn_of"], time["turn"]) == (accepted["at"], 0, 1)
        assert 3_500_000 < time["remaining_ms"] <= 3_600_000
        assert time["turn_began"] < time["at"] < time["deadline"]
        assert event["seen_position"] == {"seat": 0, "seq": 4, "position": event["before"]}
        assert event["legal_actions"]["count"] > 24
        assert event["legal_actions"]["actions"] is None
        assert event["action_text"].startswith("place ")
        (clause, *_) = event["clauses"]
        assert clause["id"].startswith("BY-SET-")
        assert clause["sentence"] != clause["text"]
        assert event["consequences"]["to_act"] == 1
        assert event["consequences"]["deadline"] > time["deadline"]

    def test_all_legal_actions_are_listed_on_request(self, accounts: Accounts) -> None:
        game, players = accounts.start_game()
        take_turn(game, players)
        options = get_event(accounts, game, 5, "?actions=all")["legal_actions"]
        assert len(options["actions"]) == options["count"]
        path = f"/api/v1/games/{game}/events/5"
        for query in ("actions=some", "actions=", "viewer=0", "actions=all&actions=all"):
            assert accounts.anonymous.get(f"{path}?{query}").status_code == 400

    def test_the_start_shows_the_nonces_and_hides_the_secret(self, accounts: Accounts) -> None:
        game, (ada, bea) = accounts.start_game()
        start = get_event(accounts, game, 4)["start"]
        assert [nonce["handle"] for nonce in start["nonces"]] == [ada.handle, bea.handle]
        assert start["commitment"] == get_event(accounts, game, 1)["event"]["data"]["commitment"]
        assert (start["secret"], start["seed"]) == (None, None)

    def test_a_seat_of_a_running_game_sees_its_own_alternatives_only(
        self, accounts: Accounts
    ) -> None:
        game, (ada, bea) = accounts.start_game(rules="baron")
        drawn, laid = (take_turn(game, (ada, bea)) for _ in range(2))
        own = get_event(ada, game, laid["seq"])
        assert own["seen_position"]["position"] == own["before"]
        assert own["legal_actions"]["by_type"] == {"place_tile": own["legal_actions"]["count"]}
        for viewer in (bea, accounts):
            other = get_event(viewer, game, laid["seq"])
            assert (other["seen_position"], other["legal_actions"]) == (None, None)
            assert other["clauses"] == own["clauses"]
        assert get_event(bea, game, drawn["seq"])["legal_actions"] is None

    def test_only_the_players_see_the_deliveries(
        self, accounts: Accounts, redis_client: redis.Redis
    ) -> None:
        game, (ada, bea) = accounts.start_game()
        at = "2026-11-20T09:15:00.000Z"
        operators, own = (
            Delivery(
                f"{game}-{channel}",
                "your_turn",
                "your_turn",
                game,
                4,
                player=player,
                channel=channel,
                endpoint="",
                created_at=at,
                due_at="2036-11-20T09:15:00.000Z",
                data={"players": [ada.id]},
            )
            for channel, player in (("log", ""), ("webhook", ada.id))
        )
        deliveries = Deliveries(redis_client, Bounds())
        deliveries.create(operators)
        deliveries.create(own)
        # Where other players are reached is nobody else's business.
        assert get_event(ada, game, 4)["deliveries"] == [operators.as_json(), own.as_json()]
        assert get_event(bea, game, 4)["deliveries"] == [operators.as_json()]
        assert get_event(bea, game, 3)["deliveries"] == []
        for viewer in (accounts.register(), accounts):
            assert get_event(viewer, game, 4)["deliveries"] is None

    def test_a_player_who_left_before_the_start_is_named(self, accounts: Accounts) -> None:
        ada, bea = accounts.register(), accounts.register()
        game = ada.create_game(3)
        bea.join(game)
        assert bea.http.delete(f"/api/v1/games/{game}/players/me").status_code == 204
        assert get_event(accounts, game, 3)["by"] == bea.handle


class TestConsequences:
    def test_the_scoring_of_a_round_and_the_end_of_play_are_found(self, service: Service) -> None:
        game = play_out(service, start_game(service, round_limit=2).id)
        before_scoring = explain(service.games.events, game, game.seq)["consequences"]
        assert before_scoring["rounds"] == [{"round": 2, "scored_by": None}]
        assert (before_scoring["ends_play"], before_scoring["finished_by"]) == (True, None)
        service.games.commands.score(game.id)
        head = service.games.queries.game(game.id)
        after = explain(service.games.events, head, game.seq)["consequences"]
        assert after["rounds"] == [{"round": 2, "scored_by": game.seq + 2}]
        assert after["finished_by"] == game.seq + 3
        scored = explain(service.games.events, head, game.seq + 2)["consequences"]
        assert scored["round_ended_by"] == game.seq
        start = explain(service.games.events, head, 4)["start"]
        assert start["secret"] == service.store.secrets(game.id)["seed"]
        assert len(start["seed"]) == 64

    def test_few_events_are_read_to_find_a_scoring_that_came_soon(
        self, service: Service, settings: Settings
    ) -> None:
        game_id = start_game(service).id
        late = play_until(service, game_id, lambda game: game.seq >= 3 * NEXT_EVENTS)
        first = min(late.rounds_ended.values())
        first_scoring, *_ = service.games.commands.score(game_id)
        assert first_scoring["seq"] > first + NEXT_EVENTS
        prompt = play_until(service, game_id, lambda game: bool(game.rounds_ended))
        (last,) = prompt.rounds_ended.values()
        (last_scoring,) = service.games.commands.score(game_id)
        head = play_until(service, game_id, lambda game: game.seq >= last + 3 * NEXT_EVENTS)
        with connect(settings.redis_url) as client:
            store = CountingStore(client)
            queries = EventQueries(
                GameLoader(store, GameCache(1)), store, lambda *_: [], settings.bounds
            )

            def scored_by(seq: int) -> int:
                explanation = explain(queries, head, seq)
                (round,) = explanation["consequences"]["rounds"]
                by: int = round["scored_by"]
                return by

            assert (scored_by(first), scored_by(last)) == (
                first_scoring["seq"],
                last_scoring["seq"],
            )
            step_lines = store.lines_read_by(lambda: queries.transition(head, last))
            assert store.lines_read_by(lambda: scored_by(last)) <= step_lines + NEXT_EVENTS


class TestFilter:
    def test_conditions_select_events_and_invalid_ones_are_refused(
        self, accounts: Accounts
    ) -> None:
        game, players = accounts.start_game()
        for _ in range(4):
            take_turn(game, players)
        selected = {
            "seat=1": [6, 7, 8],
            "type=CityPlaced": [5, 6, 7, 8],
            "type=CityPlaced,GameCreated&limit=2": [1, 5],
            "type=CityPlaced&after=6": [7, 8],
            "clause=BY-SET-4&seat=0": [5],
            "from=3&to=5": [3, 4, 5],
            "to=2000-01-01": [],
            "hex=9999,9999": [],
        }
        path = f"/api/v1/games/{game}/events"
        for query, seqs in selected.items():
            page = accounts.anonymous.get(f"{path}?{query}").json()
            assert [event["seq"] for event in page["events"]] == seqs, query
            assert page["next"] == (5 if "limit" in query else None)
        refused = {
            "seat=x": {"seat"},
            "type=Nothing&hex=1": {"type", "hex"},
            "clause=BN-LAY-1": {"clause"},
            "from=tomorrow&to=": {"from", "to"},
            "from=9&to=8": {"to"},
            "seat=0&seat=1": {"seat"},
            "seats=0": {"seats"},
        }
        for query, invalid in refused.items():
            response = accounts.anonymous.get(f"{path}?{query}")
            assert response.status_code == 400
            assert invalid_fields(response) == invalid


def queries_with(service: Service, bounds: Bounds) -> EventQueries:
    return EventQueries(
        service.games.repository, service.store, service.notifications.deliveries.shown_to, bounds
    )


def all_pages(
    queries: EventQueries, game: Game, conditions: dict[str, str], limit: int
) -> tuple[list[int], int]:
    """Return the seqs of the events on all pages, and the number of pages."""
    event_filter = parse_filter(conditions, game.rules)
    seqs: list[int] = []
    after: int | None = 0
    pages = 0
    while after is not None:
        events, following = queries.filtered_page(game, after, limit, event_filter)
        assert following is None or following > after
        assert len(events) <= limit
        seqs += [event["seq"] for event in events]
        after, pages = following, pages + 1
    return seqs, pages


@pytest.mark.parametrize(
    "conditions", [{"seat": "1"}, {"clause": "BY-SET-4"}, {"type": "KnightsMoved"}, {"from": "7"}]
)
def test_a_page_examines_a_bounded_number_of_events(
    service: Service, conditions: dict[str, str]
) -> None:
    game = play_until(service, start_game(service).id, lambda game: game.seq >= 40)
    whole, pages = all_pages(service.games.events, game, conditions, 1000)
    assert pages == 1
    small = queries_with(service, Bounds(max_filtered_events=3, max_explained_events=3))
    paged, pages = all_pages(small, game, conditions, 1000)
    assert paged == whole != []
    assert pages >= (game.seq - 6) // 3
    assert all_pages(small, game, conditions, 1)[0] == whole
    one_by_one, pages = all_pages(service.games.events, game, conditions, 1)
    assert (one_by_one, pages) == (whole, max(1, len(whole) + (whole[-1] < game.seq)))


def test_a_page_ends_where_no_later_event_can_match(service: Service) -> None:
    game = start_game(service)
    for _ in range(6):
        take_action(service, game.id)
    head = service.games.queries.game(game.id)
    small = queries_with(service, Bounds(max_filtered_events=3))
    at = service.games.queries.event_page(game.id, 0, 2)[1]["at"]
    for conditions in ({"to": "2"}, {"to": "2000-01-01"}):
        event_filter = parse_filter(conditions, head.rules)
        assert small.filtered_page(head, 0, 100, event_filter)[1] is None
    assert small.filtered_page(head, head.seq, 9, parse_filter({"from": at}, head.rules)) == (
        [],
        None,
    )


def test_events_on_all_branches_are_explained_and_filtered(service: Service) -> None:
    game = play_until(service, start_game(service).id, lambda game: game.seq >= 20)
    resumed = resume(service.games.repository, game.id, 12).seq
    head = play_until(service, game.id, lambda game: game.seq >= 30)
    for seq in range(5, head.seq + 1):
        consequences = explain(service.games.events, head, seq)["consequences"]
        assert consequences["superseded_by"] == (resumed if 12 < seq < resumed else None)
    small = queries_with(service, Bounds(max_explained_events=4))
    whole, _ = all_pages(service.games.events, head, {"clause": "BY-REC,BY-MOV,BY-SET"}, 500)
    assert {seq for seq in whole if seq < resumed} != set(whole)
    assert all_pages(small, head, {"clause": "BY-REC,BY-MOV,BY-SET"}, 500)[0] == whole
    assert all_pages(small, head, {"type": "PlayResumed"}, 500)[0] == [resumed]
