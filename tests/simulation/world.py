"""A server and its players over many days of frozen time.

Service, scheduler and worker are those of production, on a real Redis. Jobs run in this process, and faults
happen at planned moments.
"""

import heapq
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from typing import Any, Final
from unittest.mock import patch

import redis
from rq.serializers import JSONSerializer

from domain.errors import Refused
from domain.game import Game
from domain.lifecycle import NewGame
from ledger import commands
from ledger.canonical import format_timestamp
from ledger.clock import turn_clock
from ledger.pending import PendingEvents
from ledger.statements import AgreeToPause
from service.bootstrap import Service, build
from service.connection import to_text
from service.errors import ServiceError, Unavailable
from service.games.game_cache import CachedGame
from service.notifications.deliveries import DUE
from service.settings import Settings
from service.store.redis_event_store import APPENDED_CHANNEL
from tests.simulation.mailboxes import Mailbox, SentNotification
from tests.simulation.players import GamePlan, Habits, plans
from tests.support.worker_harness import WorkerHarness
from workers.deadline_index import DEADLINES
from workers.jobs import TaskJob
from workers.tasks import QUEUES, Task

START: Final = datetime(2026, 3, 2, 9, tzinfo=UTC)
"""A Monday four weeks before clocks change in Europe, and one week before they do in America."""
SWEEP: Final = timedelta(seconds=10)
RARE_SWEEP: Final = timedelta(hours=12)
"""How often a sweep is made while nothing was lost: it would find nothing, and takes most of the time."""
MAX_ROUNDS: Final = 200


class WorkerDied(BaseException):
    """The worker was killed in the middle of a job."""


class World:
    """All games of one simulation. `move_to` sets the time."""

    def __init__(
        self, settings: Settings, move_to: Callable[[datetime], None], games: int, days: float
    ) -> None:
        self._settings = settings
        self._move_to = move_to
        self._chance = random.Random(2026)
        self.now = START
        self.end = START + timedelta(days=days)
        self._events: list[tuple[datetime, int, str, Any]] = []
        self._numbers = count()
        self._moments: set[tuple[datetime, str]] = set()
        self.faults: list[tuple[datetime, datetime]] = []
        """From when to when something did not work; its effects last for some sweeps more."""
        self.deaths = 0
        self._habits = Habits(self._chance)
        self._planned: dict[str, tuple[int, str, str]] = {}
        self._swept_at = START
        move_to(START)
        self._mailboxes: tuple[Mailbox, ...] = ()
        self._start_processes()
        self.people = [
            self.service.accounts.players.create_guest()[0].id
            for _ in range(max(4, games * 2 // 3))
        ]
        self._mailboxes = tuple(
            Mailbox(channel, self.people[first::2], lambda: self.now)
            for first, channel in enumerate(("email", "webhook"))
        )
        self._start_processes()
        self.deserted_games: list[str] = []
        """The games that all people leave."""
        self.games = [self._create(plan) for plan in plans(games, days, self._chance)]
        self._plan_faults(days)
        self.tick()

    @property
    def sent(self) -> list[SentNotification]:
        """Everything that the players have received."""
        return [sent for mailbox in self._mailboxes for sent in mailbox.sent]

    def wants(self, player: str, kind: str) -> bool:
        """Return whether a player has asked to be notified of a kind."""
        email, _ = self._mailboxes
        return player in self.people and (kind != "round_scored" or player not in email.players)

    def has_mail_of_turn(self, player: str, game: Game) -> bool:
        """Return whether the mail that it is a player's turn also says that the game has begun."""
        email, _ = self._mailboxes
        is_to_act = game.to_act is not None and game.players[game.to_act] == player
        return is_to_act and player in email.players

    def game(self, game_id: str) -> Game:
        """Return a game as it stands."""
        return self.service.games.queries.game(game_id)

    def run(self) -> None:
        """Let the time pass, from one moment at which something happens to the next."""
        while self._events:
            at, _, kind, payload = heapq.heappop(self._events)
            if at > self.end:
                break
            self._moments.discard((at, kind))
            self.now = max(self.now, at)
            self._move_to(self.now)
            self._happen(kind, payload)
            self.tick()
        self.now = self.end
        self._move_to(self.now)
        self.sweep()

    def _happen(self, kind: str, payload: Any) -> None:
        match kind:
            case "act":
                self._act(*payload)
            case "do":
                payload()
            case "sweep":
                self.sweep()
            case _:
                """The time of a deadline, or of a delivery: the tick that follows does everything."""

    def at(self, moment: datetime, kind: str, payload: Any = None) -> None:
        """Plan something for a moment; of two ticks at one moment, the second would find nothing to do."""
        if kind in ("time", "sweep"):
            if (moment, kind) in self._moments:
                return
            self._moments.add((moment, kind))
        heapq.heappush(self._events, (moment, next(self._numbers), kind, payload))

    # The processes of the server

    def _start_processes(self) -> None:
        """Start the processes anew: nothing is left of what was only in their memory."""
        self.service: Service = build(self._settings)
        self.workers = WorkerHarness(self.service, *self._mailboxes)
        for mailbox in self._mailboxes:
            self.service.notifications.endpoints.add(mailbox)
        self._appends = self.service.redis.pubsub()  # type: ignore[no-untyped-call] # redis-py has no annotation here
        self._appends.subscribe(APPENDED_CHANNEL)
        self._appends.get_message(timeout=1)
        self._is_first_sweep = True

    def sweep(self) -> None:
        """Let the scheduler search for tasks that were forgotten."""
        self.workers.scheduler.sweep(is_first=self._is_first_sweep)
        self._is_first_sweep = False
        self._swept_at = self.now
        self.tick()

    def tick(self) -> None:
        """Let the scheduler and the worker do everything that is to be done now."""
        for _ in range(MAX_ROUNDS):
            appended = set(self._appended_games())
            for game_id in appended:
                self.workers.scheduler._sweep.on_appended(game_id)
            self.workers.scheduler.enqueue_tasks_of(appended)
            self.workers.scheduler.check_deadlines()
            self.workers.queues.enqueue_retries()
            worked = self._work() + self._send()
            for game_id in appended:
                self._plan_turn(game_id)
            if not appended and not worked:
                break
        else:
            raise AssertionError("there is no end of work")
        for key in (*DEADLINES.all, DUE):
            # redis-py declares a type that covers other forms of the command as well.
            rows: list[Any] = self.service.redis.zrange(key, 0, 0, withscores=True)
            for _, score in rows:
                at = datetime.fromtimestamp(score / 1000, UTC)
                self.at(max(at, self.now + timedelta(milliseconds=1)), "time")
        if self.now - self._swept_at >= RARE_SWEEP:
            self.sweep()

    def _appended_games(self) -> Iterator[str]:
        """Yield the game of each append before this moment.

        A message reaches the subscriber some time after the append has returned. Redis delivers in order, so
        everything that was published before a marker has arrived when the marker arrives.
        """
        marker = f"marker {next(self._numbers)}"
        self.service.redis.publish(APPENDED_CHANNEL, marker)
        while True:
            # Without a message, it was the reply to a ping, or the machine is busy.
            news = self._appends.get_message(ignore_subscribe_messages=True, timeout=1)
            if news is None:
                continue
            text = to_text(news["data"])
            if text == marker:
                return
            yield text.split(" ")[0]

    def _work(self) -> int:
        """Run every job that waits; return their number."""
        jobs = 0
        for name in QUEUES:
            queue = self.workers.queues.queues[name]
            for job_id in queue.get_job_ids():
                job = TaskJob.fetch(
                    job_id, connection=self.workers.client, serializer=JSONSerializer
                )
                queue.remove(job)
                job.delete()
                self._run(Task(*job.args))
                jobs += 1
        return jobs

    def _send(self) -> int:
        """Make every attempt that is due, unless the worker is killed before it; return their number."""
        if self._chance.random() < 0.003 and self.now > START:
            # Nobody makes the attempts that it has taken until their claims expire.
            taken = self.service.notifications.deliveries.take_due(self.now, 1)
            self.deaths += len(taken)
        return self.workers.dispatcher.send_due()

    def _run(self, task: Task) -> None:
        """Run one job, unless its worker is killed in the middle of it; at most so many steps."""
        if self._chance.random() < 0.003 and self.now > START:
            self._die_in(task)
            return
        for _ in range(MAX_ROUNDS):
            if self.workers.runner.run(task):
                return

    def _die_in(self, task: Task) -> None:
        """Kill the worker before the job, after its append, or before it acknowledges its work."""
        moment = self._chance.choice(("before", "append", "ack"))
        if moment != "before":
            with self._killed_at(moment), suppress(WorkerDied):
                self.workers.runner.run(task)
        self.deaths += 1
        self._note_fault(self.now, self.now)

    @contextmanager
    def _killed_at(self, moment: str) -> Iterator[None]:
        original = getattr(self.service.store, moment)

        def dies(*arguments: Any, **named: Any) -> Any:
            if moment == "append":
                original(*arguments, **named)
            raise WorkerDied

        with patch.object(self.service.store, moment, dies):
            yield

    def _note_fault(self, since: datetime, until: datetime) -> None:
        """Remember a fault; sweeps follow it every ten seconds, as in a server, until nothing is lost."""
        self.faults.append((since, until))
        for number in range(1, 13):
            self.at(until + SWEEP * number, "sweep")

    # Faults

    def _plan_faults(self, days: float) -> None:
        email, webhook = self._mailboxes
        for share, box, hours in ((0.15, email, 5), (0.4, webhook, 2), (0.7, email, 3)):
            start = START + timedelta(days=days * share)
            self.at(start, "do", lambda box=box: setattr(box, "is_down", True))
            end = start + timedelta(hours=hours)
            self.at(end, "do", lambda box=box: setattr(box, "is_down", False))
            self.faults.append((start, end + timedelta(hours=7)))
        for share, minutes in ((0.25, 90), (0.55, 20), (0.8, 600)):
            start = START + timedelta(days=days * share)
            self.at(start, "do", lambda minutes=minutes: self._lose_redis(minutes))

    def _lose_redis(self, minutes: int) -> None:
        """Let Redis refuse everything for some time, and come back without its queues."""
        since = self.now
        self.now += timedelta(minutes=minutes)
        refusal = redis.ConnectionError("refused")
        with patch.object(
            redis.connection.AbstractConnection, "send_packed_command", side_effect=refusal
        ):
            for call in (self.workers.scheduler.check_deadlines, lambda: self.game(self.games[0])):
                try:
                    call()
                except Unavailable:
                    continue
                raise AssertionError("Redis was away")
        self._move_to(self.now)
        keys = [*self.workers.client.scan_iter("rq:*"), *DEADLINES.all]
        self.workers.client.delete(*keys)
        self._appends.close()
        self._start_processes()
        self._note_fault(since, self.now)
        self.sweep()

    # The players

    def _create(self, plan: GamePlan) -> str:
        players = self._chance.sample(self.people, plan.people)
        game = self.service.games.commands.create(
            players[0],
            NewGame(rules=plan.rules, seats=plan.seats, options=plan.options, clock=plan.clock),
            bots=("sensible",) * plan.bots,
        )
        for player in players[1:]:
            self.service.games.commands.join(game.id, player)
        if plan.everybody_leaves is not None:
            self.deserted_games.append(game.id)
            for player in players:
                self._habits.leave(game.id, player, START + plan.everybody_leaves)
        if plan.clock.get("holidays"):
            self.at(
                START + timedelta(days=1), "do", lambda: self._go_on_holiday(game.id, players[0])
            )
        if plan.people > 1 and len(self._events) % 3 == 0:
            for hours, agree in ((20, True), (70, False)):
                at = START + timedelta(hours=hours)
                self.at(at, "do", lambda agree=agree: self._pause(game.id, agree=agree))
        return game.id

    def _go_on_holiday(self, game_id: str, player: str) -> None:
        since, until = (self.now + timedelta(days=days) for days in (2, 6))

        def announce(_cached: CachedGame, pending: PendingEvents) -> None:
            times = format_timestamp(since), format_timestamp(until)
            commands.announce_holiday(pending, player, *times)

        self._try(lambda: self.service.games.repository.execute(game_id, announce))

    def _pause(self, game_id: str, *, agree: bool) -> None:
        def answer(_cached: CachedGame, pending: PendingEvents) -> None:
            for seat in pending.game.seats_of_people():
                AgreeToPause(agree=agree).add(pending, seat, bytes)

        self._try(lambda: self.service.games.repository.execute(game_id, answer))

    @staticmethod
    def _try(command: Callable[[], object]) -> bool:
        """Let a player do something that may not be possible any more."""
        try:
            command()
        except (Refused, ServiceError):
            return False
        return True

    def _plan_turn(self, game_id: str) -> None:
        """Plan when the player acts whose turn has just begun."""
        game = self.game(game_id)
        seat = game.to_act
        if seat in game.open_seats() and self._chance.random() < 0.5:
            self.at(self.now + timedelta(hours=1), "do", lambda: self._substitute(game_id))
        if seat is None or seat not in game.seats_of_people():
            return
        turn = (game.turn, game.turn_at, game.players[seat])
        deadline = turn_clock.deadline(game)
        assert deadline is not None
        self.at(deadline, "time")
        if self._planned.get(game_id) == turn:
            return
        self._planned[game_id] = turn
        at = self._habits.acts_at(game_id, game.players[seat], self.now, deadline)
        if at is not None:
            self.at(max(at, self.now), "act", (game_id, game.players[seat], game.turn))

    def _act(self, game_id: str, player: str, turn: int) -> None:
        """Let a player play a turn; some stop in the middle of it."""
        while True:
            game = self.game(game_id)
            seat = game.seat_of(player)
            if game.turn != turn or seat is None or game.to_act != seat:
                return
            actions = game.rules.legal_actions(game.state, seat)
            raw = game.rules.action_to_json(self._chance.choice(actions))
            act = partial(self.service.games.commands.act, game_id, player, raw, game.seq)
            if not self._try(act):
                return
            if self._chance.random() < 0.03:
                return

    def _substitute(self, game_id: str) -> None:
        """Let another player take a vacant seat, if there is one still."""
        game = self.game(game_id)
        strangers = [player for player in self.people if not game.has_joined(player)]
        if game.open_seats() and strangers:
            player, seat = self._chance.choice(strangers), game.open_seats()[0]
            self._try(lambda: self.service.games.commands.take_seat(game_id, player, seat))

    def count_of_endings(self) -> Counter[str]:
        """Return how many games have each status."""
        return Counter(self.game(game_id).status for game_id in self.games)
