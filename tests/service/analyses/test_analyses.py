"""Analyses of games on a server: requested, computed in steps, bounded, and equal to those of the command."""

import secrets
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import pytest
from flask import Flask

import service.analyses.analyses as module
from domain.errors import NotNow
from domain.messages import message
from replay.analysis.analysis import analyse
from replay.analysis.positions import finished_game
from replay.analysis.settings import settings_of
from replay.analysis.summary import marked_decisions
from replay.language.renderer import english
from service.analyses.retry import answer_of
from service.bootstrap import Service, build
from service.errors import NotFound, TooManyAnalyses, Unavailable
from service.games.visibility import Visibility
from service.pages.view_models.replayed_analysis import ReplayedAnalysis, better_line
from service.recovery.reindex import reindex
from service.settings import Settings
from tests.support.accounts import Accounts
from tests.support.page_players import PlayersOfPages
from tests.support.server import WebServer
from tests.support.service_games import play_out, start_game
from tests.support.stored_games import players_of, recorded_game, store_game
from tests.support.worker_harness import WorkerHarness
from workers.tasks import ANALYSES

QUICK = settings_of(4, bytes(32))
PLAYED = "courtesy"
"""A finished game of Barony, which is short, and one action of which has a mark."""

PLAYED_ACTION = message("moves")
POLLING = 'hx-trigger="every 3s"'


@pytest.fixture(autouse=True)
def quick_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Analyses with four playouts of each position, of which a step examines one turn."""
    monkeypatch.setattr("replay.analysis.settings.DEFAULT", QUICK)
    monkeypatch.setattr(module, "STEP_SECONDS", 0.0)


def complete(service: Service, game_id: str) -> Any:
    while not service.analyses.advance(game_id):
        pass
    return service.analyses.get(game_id, None).state


class TestRequests:
    def test_a_worker_computes_what_the_command_computes(self, service: Service) -> None:
        record = recorded_game(PLAYED)
        game = store_game(service, record)
        service.analyses.request(game, "ada")
        workers = WorkerHarness(service)
        workers.scheduler.enqueue_analyses()
        assert workers.queues.lengths()[ANALYSES] == 1
        for _ in range(1000):
            workers.scheduler.enqueue_analyses_again()
            workers.work()
            workers.queues.enqueue_retries()
            if service.analyses.get(game, None).is_complete:
                break
        stored = service.analyses.get(game, None)
        assert stored.state == analyse(finished_game(record), QUICK)
        assert (stored.progress, stored.is_waiting) == (1.0, False)
        assert service.analyses.store.waiting(10) == []

    def test_a_second_request_gets_the_same_analysis(self, service: Service) -> None:
        game = store_game(service, recorded_game(PLAYED))
        first = service.analyses.request(game, "ada")
        assert service.analyses.request(game, "bea") == first
        assert service.analyses.store.waiting(10) == [game]
        complete(service, game)
        assert service.analyses.request(game, "ada").is_complete
        assert service.analyses.store.waiting(10) == []

    def test_a_worker_that_dies_loses_at_most_a_step(self, service: Service) -> None:
        game = store_game(service, recorded_game(PLAYED))
        service.analyses.request(game, "ada")
        assert not service.analyses.advance(game)
        before = service.analyses.get(game, None)
        assert before.state is not None
        other = build(service.settings)
        assert not other.analyses.advance(game)
        other.redis.close()
        after = service.analyses.get(game, None)
        assert after.state is not None
        assert after.state["turns"][: len(before.state["turns"])] == before.state["turns"]
        assert len(after.state["turns"]) == len(before.state["turns"]) + 1

    def test_an_analysis_by_another_version_begins_again(self, service: Service) -> None:
        game = store_game(service, recorded_game(PLAYED))
        stored = service.analyses.request(game, "ada")
        service.analyses.advance(game)
        former = service.analyses.get(game, None).state
        assert former is not None
        service.analyses.store.put(replace(stored, state={**former, "version": 0}))
        service.analyses.advance(game)
        assert service.analyses.get(game, None).state == former

    def test_only_finished_games_are_analysed(self, service: Service) -> None:
        for game in (start_game(service).id, store_game(service, recorded_game("clock-abandons"))):
            with pytest.raises(NotNow):
                service.analyses.request(game, "ada")
        with pytest.raises(NotFound):
            service.analyses.get(game, None)


class TestBounds:
    def test_a_player_waits_for_a_bounded_number(
        self, service: Service, settings: Settings
    ) -> None:
        names = [PLAYED, "duke-of-two", "one-left", "agreement"]
        games = [store_game(service, recorded_game(name)) for name in names]
        bounds = replace(settings.bounds, max_analyses_per_player=2, max_waiting_analyses=3)
        bounded = build(replace(settings, bounds=bounds))
        for game in games[:2]:
            bounded.analyses.request(game, "ada")
        with pytest.raises(TooManyAnalyses):
            bounded.analyses.request(games[2], "ada")
        bounded.analyses.request(games[2], "bea")
        with pytest.raises(Unavailable):
            bounded.analyses.request(games[3], "cid")
        assert bounded.analyses.store.waiting(10) == games[:3]
        complete(bounded, games[0])
        bounded.analyses.request(games[3], "ada")
        bounded.redis.close()

    @pytest.mark.needs_redis("single")
    def test_a_refused_player_writes_nothing(self, service: Service, settings: Settings) -> None:
        games = [store_game(service, recorded_game(name)) for name in (PLAYED, "one-left")]
        bounds = replace(settings.bounds, max_analyses_per_player=1)
        bounded = build(replace(settings, bounds=bounds))
        bounded.analyses.request(games[0], "ada")
        bounded.redis.config_resetstat()
        with pytest.raises(TooManyAnalyses):
            bounded.analyses.request(games[1], "ada")
        calls: Any = bounded.redis.info("commandstats")
        assert not calls.keys() & {f"cmdstat_{name}" for name in ("zadd", "zrem", "set", "expire")}
        bounded.redis.close()

    def test_a_game_that_is_too_long_is_refused(self, service: Service, settings: Settings) -> None:
        game = store_game(service, recorded_game(PLAYED))
        bounds = replace(settings.bounds, max_analysed_events=5)
        bounded = build(replace(settings, bounds=bounds))
        with pytest.raises(NotNow) as refusal:
            bounded.analyses.request(game, "ada")
        assert "at most 5 events" in english(refusal.value.why)
        bounded.redis.close()

    def test_an_erased_player_is_on_no_list(self, service: Service) -> None:
        game = store_game(service, recorded_game(PLAYED))
        player, _ = service.accounts.players.register("ada", "correct horse")
        service.analyses.request(game, player.id)
        service.accounts.erasure.erase(player.id, "correct horse")
        assert list(service.redis.scan_iter(f"*{player.id}*")) == []
        assert service.analyses.store.waiting(10) == [game]


class TestHttp:
    def test_it_is_requested_and_read(self, accounts: Accounts, web: WebServer) -> None:
        service = build(web.settings)
        game = store_game(service, recorded_game(PLAYED), game_id=secrets.token_hex(8))
        address = f"/api/v1/games/{game}/analysis"
        ada = accounts.register()
        assert accounts.anonymous.get(address).status_code == 404
        requested = ada.http.post(address)
        assert requested.status_code == 202
        assert (requested.json()["status"], requested.json()["analysis"]) == ("waiting", None)
        state = complete(service, game)
        body = accounts.anonymous.get(address).json()
        assert (body["status"], body["done"], body["analysis"]) == ("complete", 100, state)
        assert ada.http.post(address).status_code == 200
        service.redis.close()

    def test_refusals(self, accounts: Accounts) -> None:
        game, (ada, _) = accounts.start_game()
        response = ada.http.post(f"/api/v1/games/{game}/analysis")
        assert response.status_code == 409
        assert "finished" in response.json()["detail"]
        assert ada.http.post("/api/v1/games/nothing/analysis").status_code == 404


class TestPages:
    @pytest.fixture
    def players(self, app: Flask, service: Service) -> PlayersOfPages:
        return PlayersOfPages(app, service)

    def test_from_the_end_of_a_game_to_its_analysis(
        self, players: PlayersOfPages, service: Service
    ) -> None:
        game = store_game(service, recorded_game(PLAYED))
        address = f"/games/{game}/analysis"
        ada = players["ada"]
        assert address in ada.get(f"/games/{game}")
        assert ada.submit(address, address).status_code == 303
        assert "<progress" in ada.get(address)
        state = complete(service, game)
        page = ada.get(address)
        assert page.count("<polygon") == 2
        marks = [
            decision
            for turn in state["turns"]
            for decision in turn.get("decisions", ())
            if "mark" in decision
        ]
        assert page.count('id="event-') == len(marks) == 1
        assert "cartulary analyse http" in page

    def test_the_replay_has_the_chances_the_marks_and_the_better_line(
        self, players: PlayersOfPages, service: Service
    ) -> None:
        game = store_game(service, recorded_game(PLAYED))
        ada, visitor = players["ada"], players["a-visitor"]
        service.analyses.request(game, "ada")
        head = service.games.queries.visible_game(game, None).seq
        before = ada.get(f"/games/{game}?seq={head}")
        state = complete(service, game)
        page = visitor.get(f"/games/{game}?seq={head}")
        for part in ("graph-shares", 'class="meaning"', "graph-switch", 'class="accuracies"'):
            assert part not in before, part
            assert part in page, part
        # One bar before each turn, and one with the result.
        winner = state["winners"][0]
        assert page.count(f'<rect class="seat-{winner}') == len(state["turns"]) + 1
        assert f'<a href="/games/{game}/analysis" title="Accuracy' in visitor.get(f"/games/{game}")
        ((_, decision),) = marked_decisions(state)
        seq = decision["seq"]
        marked = visitor.get(f"/games/{game}?seq={seq}")
        assert f"/games/{game}?seq={seq}&amp;line=1" in marked
        assert "of the chances (±" in marked
        assert "line=1" not in visitor.get(f"/games/{game}?seq={seq - 1}")
        line = visitor.get(f"/games/{game}?seq={seq}&line=1")
        assert line.count("&amp;line=") >= len(decision["line"])
        assert "Back to the event" in line
        assert "replay-seq" not in line
        for address in (f"?seq={seq}&line=99", f"?seq={seq}&line=0", f"?seq={seq - 1}&line=1"):
            assert "replay-seq" in visitor.get(f"/games/{game}{address}")

    def test_the_replay_requests_the_analysis_and_says_how_far_it_is(
        self, players: PlayersOfPages, service: Service
    ) -> None:
        game = store_game(service, recorded_game(PLAYED))
        ada, visitor = players["ada"], players["a-visitor"]
        head = service.games.queries.visible_game(game, None).seq
        event, address = f"/games/{game}?seq={head}", f"/games/{game}/analysis"

        def asked() -> str:
            """What the page gets that asks how far the analysis is."""
            return visitor.client.get(event, headers={"HX-Target": "analysis-state"}).text

        for page in (ada.get(event), asked()):
            assert f'action="{address}"' in page
            assert POLLING not in page
        # Its form leads back to the event, and that of the end of the game to its last event.
        assert ada.submit(f"/games/{game}", address).headers["Location"] == event
        assert "Analyse the game" not in ada.get(f"/games/{game}")
        assert f'href="{event}"' in ada.get(f"/games/{game}")
        for page in (ada.get(event), visitor.get(event), asked()):
            assert "Analysis: 0 %" in page
            assert POLLING in page
        assert 'id="replay"' not in asked()
        state = complete(service, game)
        ((_, decision),) = marked_decisions(state)
        seq = decision["seq"]
        # The page that asks gets all of itself.
        assert 'id="replay"' in asked()
        assert POLLING not in visitor.get(event)
        for page in (visitor.get(event), visitor.get(f"/games/{game}?seq={seq - 1}")):
            assert f'id="next-mark" href="/games/{game}?seq={seq}"' in page
        assert 'id="next-mark"' not in visitor.get(f"/games/{game}?seq={seq}")
        assert f'href="/games/{game}?seq={seq}">Analysis' in visitor.get(f"/games/{game}")

    def test_the_replay_says_that_there_is_no_analysis_or_no_mark(
        self, players: PlayersOfPages, service: Service
    ) -> None:
        ada, record = players["ada"], recorded_game(PLAYED)
        failed, unmarked = (
            store_game(service, record, game_id=id) for id in ("failed", "unmarked")
        )
        for game in (failed, unmarked):
            service.analyses.request(game, "ada")
        complete(service, unmarked)
        store = service.analyses.store
        found, waiting = store.get(unmarked), store.get(failed)
        assert found is not None
        assert found.state is not None
        assert waiting is not None
        turns = [{**turn, "decisions": []} for turn in found.state["turns"]]
        summary = {**found.state["summary"], "turning_point": None}
        store.put(replace(found, state={**found.state, "turns": turns, "summary": summary}))
        store.put(replace(waiting, failure="it is damaged"))
        for game, words in ((failed, "Not analysed"), (unmarked, "Nothing is marked")):
            page = ada.get(f"/games/{game}?seq=9")
            assert words in page
            assert POLLING not in page
            assert f'href="/games/{game}/analysis"' in page
        assert f'href="/games/{failed}?seq=' in ada.get(f"/games/{failed}")
        assert ada.get(f"/games/{unmarked}").count("Analyse the game") == 0

    def test_a_game_that_goes_on_or_is_too_long_offers_no_analysis(
        self, players: PlayersOfPages, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        playing, ada = players.game("barony"), players["ada"]
        finished = store_game(service, recorded_game(PLAYED))
        assert "analysis-state" in ada.get(f"/games/{finished}?seq=9")
        monkeypatch.setattr(service.analyses, "can_analyse", lambda _: False)
        for game in (finished, playing):
            assert "analysis-state" not in ada.get(f"/games/{game}?seq=4")

    def test_the_next_mark_after_the_last_one_is_the_first(self) -> None:
        def turn(*seqs: int) -> dict[str, Any]:
            rows = [
                {"seq": seq, "seat": 0, "mark": "?", "drop": seq / 100, "line": []} for seq in seqs
            ]
            return {"seq": seqs[0], "decisions": rows}

        point = {"seq": 12}
        state: dict[str, Any] = {
            "turns": [turn(10, 30), turn(50)],
            "summary": {"turning_point": None},
        }
        analysis = ReplayedAnalysis(state)
        assert [analysis.next_marked(seq) for seq in (1, 10, 49, 50, 60)] == [10, 30, 50, 10, 10]
        assert analysis.decisive_seq == 50
        assert ReplayedAnalysis({**state, "summary": {"turning_point": point}}).decisive_seq == 12
        nothing = ReplayedAnalysis({**state, "turns": []})
        assert (nothing.next_marked(1), nothing.decisive_seq) == (None, None)

    def test_the_board_shows_each_step_of_a_line_from_before_the_action(
        self, service: Service
    ) -> None:
        game = store_game(service, recorded_game(PLAYED))
        service.analyses.request(game, "ada")
        analysis = ReplayedAnalysis(complete(service, game))
        seq = next(seq for seq in range(1, 200) if analysis.line(seq))
        before = service.games.queries.game_at(game, seq - 1)
        everything = Visibility(None, sees_everything=True)
        count = len(analysis.line(seq))
        for shown in range(1, count + 1):
            line = better_line(analysis, seq, before, PLAYED_ACTION, shown)
            assert line is not None
            assert line.step.seat == analysis.line(seq)[shown - 1]["seat"]
            assert (
                line.scene(everything).cells
                != before.rules.scene(before.position(None), None).cells
            )
        assert better_line(analysis, seq, before, PLAYED_ACTION, count + 1) is None

    def test_visitors_and_running_games_get_no_button(self, players: PlayersOfPages) -> None:
        game = players.game("barony")
        page = players["ada"].get(f"/games/{game}/analysis")
        assert "Only a game that is finished" in page
        assert POLLING not in page

    def test_the_page_waits_for_the_last_event_of_a_game(
        self, players: PlayersOfPages, service: Service
    ) -> None:
        game = play_out(service, start_game(service, round_limit=1).id)
        assert not game.has_ended
        assert POLLING in players["a-visitor"].get(f"/games/{game.id}/analysis")
        service.games.commands.score(game.id)
        assert POLLING not in players["a-visitor"].get(f"/games/{game.id}/analysis")


class TestRetry:
    @pytest.fixture
    def players(self, app: Flask, service: Service) -> PlayersOfPages:
        return PlayersOfPages(app, service)

    def test_a_player_finds_the_better_action_for_each_of_their_mistakes(
        self, players: PlayersOfPages, service: Service
    ) -> None:
        ada, stranger = players["ada"], players["a-stranger"]
        record = recorded_game(PLAYED)
        ((_, decision),) = marked_decisions(analyse(finished_game(record), QUICK))
        seats = players_of(record)
        owner = seats[decision["seat"]]
        game = store_game(service, record, players={owner: ada.id})
        reindex(service)
        assert "no action of yours is marked" in ada.get("/retry")
        service.analyses.request(game, ada.id)
        complete(service, game)
        seq = decision["seq"]
        task = f"/games/{game}?seq={seq - 1}&explore=1&retry={seq}"
        assert ada.client.get("/retry").headers["Location"] == task
        for page in (f"/games/{game}/analysis", f"/games/{game}"):
            assert "Retry your mistake" in ada.get(page)
            assert "Retry your mistake" not in stranger.get(page)
        assert f"explore=1&amp;retry={seq}" in stranger.get(f"/games/{game}?seq={seq}")
        assert "Find a better action" in ada.get(task)
        answers = {"better": "Yes, that is better by", "action": "That is what was played"}
        for field, words in answers.items():
            action = quote(decision[field])
            tried = ada.get(f"{task}&action={action}")
            assert "Check" in tried
            assert words not in tried
            assert words in ada.get(f"{task}&action={action}&answer=1")
        # It is the last one of this player.
        assert "That was the last one" in ada.get(f"/retry?after={game}.{seq}")
        assert "That was the last one" in ada.get("/retry?after=nothing.1")
        assert "no action of yours is marked" in stranger.get("/retry")

    def test_what_the_analysis_says_of_each_kind_of_answer(self, service: Service) -> None:
        game = store_game(service, recorded_game(PLAYED))
        service.analyses.request(game, "ada")
        ((_, decision),) = marked_decisions(complete(service, game))
        before = service.games.queries.game_at(game, decision["seq"] - 1)
        rules = before.rules
        actions = rules.legal_actions(before.state, decision["seat"])
        texts = [rules.action_text(action) for action in actions]
        free = [text for text in texts if text not in {decision["action"], decision["better"]}]
        others = [
            {"action": free[0], "gain": decision["drop"] - 0.05, "error": 0.02},
            {"action": free[1], "gain": decision["drop"] - 0.15, "error": 0.02},
            {"action": free[2], "gain": -0.1, "error": 0.02},
        ]
        decision = {**decision, "others": others}

        def verdict(text: str) -> str:
            return answer_of(decision, before, rules.parse_action_text(text)).verdict

        assert verdict(decision["action"]) == "taken"
        assert verdict(decision["better"]) == "best"
        assert [verdict(text) for text in free[:3]] == ["good", "better", "worse"]
        assert verdict(free[3]) == "unknown"
        assert answer_of(decision, before, rules.parse_action_text(free[0])).is_solution
