"""Notifications to players: each reader receives what concerns them, once, when they want it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from freezegun import freeze_time
from freezegun.api import FrozenDateTimeFactory

from domain.game import Game
from domain.lifecycle import NewGame
from ledger.statements import GiveTime
from replay.language.catalogue import catalogue
from replay.language.renderer import Renderer, english
from service import wall_clock
from service.bootstrap import Service
from service.http.stored_metrics import render
from service.notifications.deliveries import CLAIM
from tests.support.endpoints import FixedEndpoints, register_players
from tests.support.service_games import play_set_up, start_game, take_action
from tests.support.worker_harness import RecordingChannel, WorkerHarness

ROOT = Path(__file__).parents[2]
START = "2026-11-20T09:00:00Z"


@pytest.fixture
def time() -> Iterator[Any]:
    with freeze_time(START) as time:
        yield time


class PlayersWithEmail:
    """Two players with accounts and an e-mail channel, which records what it sends."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.ada, self.bea = register_players(service, "ada", "bea")
        self.endpoints = FixedEndpoints("email", [self.ada, self.bea])
        service.notifications.endpoints.add(self.endpoints)
        self.channel = RecordingChannel(name="email", is_operators=False)
        self.workers = WorkerHarness(service, self.channel)

    def start(self, **options: Any) -> Game:
        return start_game(self.service, players=(self.ada, self.bea), **options)

    def run(self) -> None:
        """Do everything that is due now."""
        for _ in range(20):
            self.workers.scheduler.check_deadlines()
            self.workers.scheduler.sweep(is_first=True)
            is_last = not self.workers.waiting()
            self.workers.work()
            if is_last:
                return
        raise AssertionError(self.workers.waiting())

    def sent(self) -> list[tuple[str, str]]:
        """Return the subjects sent since the last call, with the names of their readers."""
        names = {self.ada: "ada", self.bea: "bea"}
        sent = [(item.subject, names[item.player]) for item in self.channel.sent]
        self.channel.sent.clear()
        return sorted(sent)


@pytest.fixture
def players(service: Service) -> Iterator[PlayersWithEmail]:
    players = PlayersWithEmail(service)
    yield players
    players.workers.close()


def test_every_player_is_notified_of_the_start_and_of_their_turn_once(
    players: PlayersWithEmail, time: FrozenDateTimeFactory
) -> None:
    service = players.service
    game = service.games.commands.create(
        players.ada,
        NewGame(rules="barony", seats=2, options={"seating": "joined"}, invited=(players.bea,)),
    )
    players.run()
    assert players.sent() == [("invited", "bea")]
    service.games.commands.join(game.id, players.bea)
    players.run()
    players.run()
    (turn,) = (item for item in players.channel.sent if item.subject == "your_turn")
    assert english(turn.title) == "Barony: the game has begun, and it is your turn"
    assert players.sent() == [
        ("game_started", "bea"),
        # It says that the game has begun.
        ("your_turn", "ada"),
    ]
    take_action(service, game.id)
    players.run()
    time.tick(CLAIM)
    players.run()
    assert players.sent() == [("your_turn", "bea")]
    page, _ = service.notifications.deliveries.of_player(players.bea, 10)
    assert {delivery.status for delivery in page} == {"sent"}
    assert service.notifications.deliveries.waiting(1) == []


def test_the_creator_of_a_game_is_notified_of_people_who_join_it_while_places_are_free(
    players: PlayersWithEmail, time: FrozenDateTimeFactory
) -> None:
    service = players.service
    (cem,) = register_players(service, "cem")
    players.endpoints.players.append(cem)
    game = service.games.commands.create(
        players.ada, NewGame(rules="barony", seats=4, options={}), bots=("random",)
    )
    players.run()
    assert players.channel.sent == []
    joined = service.games.commands.join(game.id, players.bea)
    players.run()
    (notice,) = players.channel.sent
    assert (notice.subject, notice.player, notice.seq) == ("player_joined", players.ada, joined.seq)
    name = service.accounts.players.shown_names([players.bea])[players.bea]
    assert notice.as_json()["from"] == players.bea
    in_english = Renderer(catalogue("en"), notice.names)
    assert in_english(notice.title) == f"Barony: {name} has joined"
    players.channel.sent.clear()
    players.run()
    assert players.channel.sent == []
    # The last place starts the game, which is a notice of its own.
    service.games.commands.join(game.id, cem)
    players.run()
    assert "player_joined" not in {sent.subject for sent in players.channel.sent}


def test_a_player_who_leaves_again_is_not_announced(
    players: PlayersWithEmail, time: FrozenDateTimeFactory
) -> None:
    service = players.service
    service.notifications.preferences.change(players.ada, {"quiet_hours": ["08:00", "12:00"]})
    games = [
        service.games.commands.create(players.ada, NewGame(rules="barony", seats=3, options={})).id
        for _ in range(3)
    ]
    before_delivery, before_sending, again = games
    service.games.commands.join(before_delivery, players.bea)
    service.games.commands.leave(before_delivery, players.bea)
    service.games.commands.join(before_sending, players.bea)
    service.games.commands.join(again, players.bea)
    players.run()
    for game_id in (before_sending, again):
        service.games.commands.leave(game_id, players.bea)
    service.games.commands.join(again, players.bea)
    time.move_to("2026-11-20T12:00:00Z")
    players.run()
    sent = {(item.subject, item.game_id) for item in players.channel.sent}
    assert sent == {("player_joined", again)}


def test_a_kind_that_a_later_version_adds_is_received_by_default(service: Service) -> None:
    preferences = service.notifications.preferences
    key = "cartulary:notifications:"
    chosen = '{"kinds":{"email":["your_turn"],"webhook":["your_turn"],"push":[]}}'
    service.redis.set(f"{key}ada", chosen)
    assert preferences.of("ada").includes("email", "player_joined")
    assert preferences.of("ada").includes("email", "your_turn")
    assert not preferences.of("ada").includes("email", "game_over")
    # Players who have switched a channel off get nothing new by it.
    assert preferences.of("ada").kinds["push"] == frozenset()
    preferences.change("ada", {"kinds": {"email": ["your_turn"]}})
    assert not preferences.of("ada").includes("email", "player_joined")
    assert preferences.of("ada").includes("webhook", "player_joined")


def test_a_player_is_notified_of_time_that_another_one_gives(players: PlayersWithEmail) -> None:
    service = players.service
    game = players.start(clock={"per_turn": 86_400})
    players.run()
    players.channel.sent.clear()
    service.games.statements.state(game.id, players.bea, GiveTime(0, 3600))
    players.run()
    (notice,) = players.channel.sent
    assert (notice.subject, notice.player) == ("time_given", players.ada)
    assert notice.as_json()["seconds"] == 3600
    name = service.accounts.players.shown_names([players.bea])[players.bea]
    in_english = Renderer(catalogue("en"), notice.names)
    assert in_english(notice.title) == f"Barony: {name} gives you more time"


def test_an_invitation_that_was_answered_is_not_sent(
    players: PlayersWithEmail, time: FrozenDateTimeFactory
) -> None:
    service = players.service
    service.notifications.preferences.change(players.bea, {"quiet_hours": ["08:00", "12:00"]})
    game = service.games.commands.create(
        players.ada, NewGame(rules="barony", seats=2, options={}, invited=(players.bea,))
    )
    players.run()
    service.games.commands.join(game.id, players.bea)
    time.move_to("2026-11-20T12:00:00Z")
    players.run()
    assert ("invited", "bea") not in players.sent()
    (invited,) = [
        delivery
        for delivery in service.notifications.deliveries.of_player(players.bea, 10)[0]
        if delivery.subject == "invited"
    ]
    assert invited.status == "cancelled"


def test_a_player_is_reminded_of_a_deadline_before_it(
    players: PlayersWithEmail, time: FrozenDateTimeFactory
) -> None:
    players.start(clock={"per_turn": 24 * 3600})
    players.run()
    assert players.sent() == [("your_turn", "ada")]
    # A quarter of a day before the deadline.
    time.tick(timedelta(hours=18) - timedelta(seconds=1))
    players.run()
    assert players.sent() == []
    time.tick(timedelta(seconds=1))
    players.run()
    assert players.sent() == [("deadline_near", "ada")]
    time.tick(timedelta(hours=6) - timedelta(seconds=1))
    players.run()
    assert players.sent() == []


def test_a_player_who_has_acted_is_not_reminded(
    players: PlayersWithEmail, time: FrozenDateTimeFactory
) -> None:
    game = players.start(clock={"per_turn": 24 * 3600})
    players.run()
    take_action(players.service, game.id)
    time.tick(timedelta(hours=18))
    players.run()
    assert players.sent() == [("deadline_near", "bea"), ("your_turn", "ada"), ("your_turn", "bea")]


def test_a_reminder_that_would_come_too_late_is_sent_before_the_quiet_hours(
    players: PlayersWithEmail, time: FrozenDateTimeFactory
) -> None:
    players.service.notifications.preferences.change(
        players.ada, {"quiet_hours": ["22:00", "10:00"]}
    )
    # The deadline is at 9:00 the next morning, and the reminder would be sent at 3:00.
    players.start(clock={"per_turn": 24 * 3600})
    time.move_to("2026-11-20T10:00:00Z")
    players.run()
    assert players.sent() == [("your_turn", "ada")]
    time.move_to("2026-11-20T21:58:59Z")
    players.run()
    assert players.sent() == []
    time.move_to("2026-11-20T21:59:00Z")
    players.run()
    assert players.sent() == [("deadline_near", "ada")]


def test_what_a_player_does_not_want_is_not_created(players: PlayersWithEmail) -> None:
    players.service.notifications.preferences.change(
        players.ada, {"kinds": {"email": ["game_over"]}}
    )
    players.start()
    players.run()
    assert players.sent() == []
    assert players.service.notifications.deliveries.of_player(players.ada, 10) == ([], None)


def test_a_digest_contains_what_is_still_current_and_is_sent_once(
    players: PlayersWithEmail, time: FrozenDateTimeFactory
) -> None:
    service = players.service
    service.notifications.preferences.change(players.ada, {"digest": "18:00"})
    first, second = players.start(), players.start()
    players.run()
    take_action(service, first.id)
    players.run()
    assert players.sent() == [("your_turn", "bea")]
    time.move_to("2026-11-20T18:00:00Z")
    players.channel.failures = 1
    players.run()
    assert players.sent() == []
    time.tick(2)
    players.run()
    (digest,) = players.channel.sent
    assert english(digest.title) == "Your games: one notification"
    assert [item.game_id for item in digest.items] == [second.id]
    assert digest.as_json()["notifications"][0]["subject"] == "your_turn"
    time.tick(timedelta(days=1))
    players.run()
    assert len(players.channel.sent) == 1
    page, _ = service.notifications.deliveries.of_player(players.ada, 10)
    assert {delivery.game_id: delivery.status for delivery in page} == {
        "": "sent",
        first.id: "cancelled",
        second.id: "sent",
    }


def test_a_notification_lists_what_has_happened_since_the_last_turn_of_its_reader(
    players: PlayersWithEmail,
) -> None:
    game = play_set_up(players.service, players.start().id)
    while game.to_act != 0:
        take_action(players.service, game.id)
        game = players.service.games.queries.game(game.id)
    take_action(players.service, game.id)
    take_action(players.service, game.id)
    players.run()
    notification = players.channel.sent[-1]
    assert notification.subject == "your_turn"
    assert notification.player == players.ada
    action, scoring = notification.recap.events
    assert english(action.message).startswith("seat 1: recruits 1 knight")
    assert english(scoring.message).startswith("the scorer: round 1 is scored")
    assert notification.recap.omitted == 0


def test_nothing_is_sent_to_an_endpoint_that_is_gone(players: PlayersWithEmail) -> None:
    game = players.start()
    players.workers.runner.run(players.workers.tasks(game.id)["notify/turn"])
    players.endpoints.players.remove(players.ada)
    players.run()
    assert players.sent() == []
    (delivery,) = players.service.notifications.deliveries.of_player(players.ada, 10)[0]
    assert delivery.status == "cancelled"
    assert delivery.result is not None
    assert english(delivery.result) == "this receiver no longer exists"


def test_metrics_count_the_deliveries_that_wait_and_those_that_have_ended(
    players: PlayersWithEmail,
) -> None:
    service = players.service
    game = players.start()
    players.workers.runner.run(players.workers.tasks(game.id)["notify/turn"])
    assert "cartulary_deliveries_waiting 1.0" in render(service).decode().splitlines()
    players.run()
    lines = render(service).decode().splitlines()
    assert "cartulary_deliveries_waiting 0.0" in lines
    assert 'cartulary_deliveries_total{status="sent"} 1.0' in lines
    assert 'cartulary_deliveries_total{status="bounced"} 0.0' in lines


def test_a_player_who_was_erased_receives_nothing(players: PlayersWithEmail) -> None:
    players.start()
    players.service.accounts.erasure.erase(players.ada, "")
    players.run()
    assert [reader for _, reader in players.sent() if reader == "ada"] == []
    assert players.service.notifications.deliveries.of_player(players.ada, 10) == ([], None)


SEND_AND_HANG = """
import sys, time
from pathlib import Path
from service.bootstrap import build
from service.settings import Settings
from tests.support.endpoints import FixedEndpoints
from tests.support.worker_harness import RecordingChannel
from workers.notifications.dispatcher import Channels, Dispatcher

class HangingChannel(RecordingChannel):
    def send(self, delivery, notification):
        print(delivery.id, flush=True)
        time.sleep(60)

url, data, player = sys.argv[1:]
service = build(Settings(Path(data), url, url, Path(data) / "signing-key.pem"))
service.notifications.endpoints.add(FixedEndpoints("email", [player]))
Dispatcher(service, Channels([HangingChannel(name="email", is_operators=False)])).send_due()
"""


def test_a_worker_that_is_killed_while_it_sends_loses_nothing(players: PlayersWithEmail) -> None:
    service = players.service
    with freeze_time(wall_clock.now()) as time:
        game = players.start()
        players.workers.runner.run(players.workers.tasks(game.id)["notify/turn"])
        (delivery,) = service.notifications.deliveries.waiting(10)
        settings = service.settings
        arguments = [settings.redis_url, str(settings.data), players.ada]
        process = subprocess.Popen(
            [sys.executable, "-c", SEND_AND_HANG, *arguments],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == f"{delivery.id}\n"
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        players.run()
        # The dead worker has a claim on the attempt.
        assert players.sent() == []
        # The clock of the other process was not frozen.
        time.tick(2 * CLAIM)
        players.run()
        (notification,) = players.channel.sent
        assert notification.id == delivery.id
        time.tick(CLAIM)
        players.run()
        assert len(players.channel.sent) == 1
    stored = service.notifications.deliveries.find(delivery.id)
    assert stored is not None
    assert (stored.status, stored.attempts) == ("sent", 2)


def test_attempts_that_kill_every_worker_end(players: PlayersWithEmail) -> None:
    service = players.service
    with freeze_time(wall_clock.now()) as time:
        game = players.start()
        players.workers.runner.run(players.workers.tasks(game.id)["notify/turn"])
        (delivery,) = service.notifications.deliveries.waiting(10)
        for _ in range(len(players.channel.retry_pauses) + 1):
            assert service.notifications.deliveries.claim(delivery.id, wall_clock.now()) is not None
            time.tick(CLAIM)
        players.run()
    assert players.sent() == []
    stored = service.notifications.deliveries.find(delivery.id)
    assert stored is not None
    assert (stored.status, stored.result) != ("sent", None)
    assert stored.as_json()["result"] == "the attempts were interrupted"


def test_a_player_chooses_what_comes_of_one_game(players: PlayersWithEmail) -> None:
    service = players.service
    preferences = service.notifications.preferences
    muted, own_turns, other = (players.start(clock={"per_turn": 3600}) for _ in range(3))
    preferences.choose_in_game(muted.id, players.ada, "none")
    preferences.choose_in_game(own_turns.id, players.ada, "turns")
    notify = service.notifications.notifier.notify
    readers = [players.ada, players.bea]

    def subjects(game: Game, subject: Any) -> list[str]:
        created = notify(subject, game.id, game.seq, readers, operator_channels=())
        return [delivery.player for delivery in created]

    assert subjects(muted, "your_turn") == [players.bea]
    assert subjects(muted, "game_over") == [players.bea]
    assert subjects(own_turns, "deadline_near") == readers
    assert subjects(own_turns, "game_over") == [players.bea]
    assert subjects(other, "game_over") == readers
    preferences.choose_in_game(muted.id, players.ada, "all")
    assert subjects(muted, "round_scored") == []
    assert subjects(muted, "turn_forfeited") == readers
