"""Every subject of notifications reaches its readers through every channel.

Subjects of events occur in recorded games, the others in some game or tournament here. The receivers of the
channels are real.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final, get_args

import orjson
import pytest
from freezegun import freeze_time

from domain.event import Clock
from domain.fold import fold
from domain.game import Game
from domain.lifecycle import NewGame
from domain.messages import message
from ledger.record import Record
from service.accounts.personal_tokens import digest_of
from service.bootstrap import Service, build
from service.games.outbox import outbox_entries
from service.notification_subjects.table import KINDS, TYPES_WITH_SUBJECT, Subject
from service.notifications.channels import PLAYER_CHANNELS
from service.notifications.delivery import DIGEST, Delivery
from service.notifications.notification import Notification
from service.operation.json_logging import JsonFormatter
from service.settings import Settings
from service.store.redis_event_store import game_key
from tests.support.mail_server import MailServer, mail_server
from tests.support.mailed_players import PUBLIC_URL, SENDER, confirm
from tests.support.push_service import AUTH, PushService, encode, running_push_service
from tests.support.receiver import WebhookReceiver, webhook_receiver
from tests.support.service_games import play_set_up, play_until, take_action
from tests.support.stored_games import GAMES, players_of, recorded_game, store_game
from tests.support.tournaments import DAY, organiser
from tests.support.tournaments import create as create_tournament
from tests.support.tournaments import register as enter
from tests.support.worker_harness import WorkerHarness
from workers.notifications.operator import LogChannel
from workers.run import channels_of

SUBJECTS: Final[frozenset[str]] = frozenset(get_args(Subject))
OF_CLUBS: Final = frozenset({"game_created"})
"""Subjects of which only the webhooks of clubs are notified."""
OF_PLAYERS: Final = frozenset({"message"})
"""Subjects of which the operator is not notified: what players write is their own affair."""
EXPECTED: Final[Mapping[str, frozenset[str]]] = {
    "log": SUBJECTS - OF_CLUBS - OF_PLAYERS,
    "operator_webhook": SUBJECTS - OF_CLUBS - OF_PLAYERS,
    "email": SUBJECTS - OF_CLUBS | {DIGEST},
    "webhook": SUBJECTS,
    "push": SUBJECTS - OF_CLUBS,
}
"""By channel, what it has to send."""
DAYS: Final[Clock] = {"per_turn": DAY}


class World:
    """Olga, who organises, and three players with endpoints in every channel."""

    def __init__(self, service: Service, time: Any, hook: str, push: PushService) -> None:
        self.service = service
        self.time = time
        self.workers = WorkerHarness(service)
        self.workers.use(channels_of(service))
        self.hook = hook
        self.olga = organiser(service)
        self.ada, self.bea, self.cid = (self._player(name, push) for name in ("ada", "bea", "cid"))

    def _player(self, handle: str, push: PushService) -> str:
        """Register a player who receives everything at once, by every channel, and return the id."""
        address = f"{handle}@example.org"
        player, token = self.service.accounts.players.register(handle, "correct horse", address)
        confirm(self.service, player.id, address)
        notifications = self.service.notifications
        notifications.webhooks.add(player.id, self.hook)
        notifications.push_subscriptions.add(
            player.id, f"{push.url}/{handle}", push.p256dh, encode(AUTH), session=digest_of(token)
        )
        kinds = {channel: list(KINDS) for channel in PLAYER_CHANNELS}
        notifications.preferences.change(player.id, {"kinds": kinds})
        return player.id

    def work(self) -> None:
        """Do everything that is due now."""
        for _ in range(20):
            self.workers.scheduler.check_deadlines()
            self.workers.scheduler.record_lost_events()
            self.workers.scheduler.enqueue_tournament_tasks()
            self.workers.scheduler.sweep(is_first=True)
            is_last = not self.workers.waiting()
            self.workers.work()
            if is_last:
                return
        raise AssertionError(self.workers.waiting())

    def wait(self, **duration: float) -> None:
        """Let time pass, and do what is due then."""
        self.time.tick(timedelta(**duration))
        self.work()

    def create(
        self, *invited: str, seats: int = 2, clock: Clock | None = None, **fields: Any
    ) -> Game:
        """Create a game of Ada's."""
        arbiter = fields.pop("arbiter", None)
        game = self.service.games.commands.create(
            self.ada,
            NewGame(
                rules="barony",
                seats=seats,
                options={"seating": "joined", **fields},
                clock=clock,
                invited=invited,
                arbiter=arbiter,
            ),
        )
        self.work()
        return game

    def start(self, *others: str, clock: Clock | None = None, **fields: Any) -> Game:
        """Start a game of Ada and others, by default Bea."""
        players = others or (self.bea,)
        game = self.create(seats=1 + len(players), clock=clock, **fields)
        for player in players:
            game = self.service.games.commands.join(game.id, player)
            self.work()
        return game

    def now(self, game_id: str) -> Game:
        """Return a game as it is now."""
        return self.service.games.queries.game(game_id)


def joining(world: World) -> None:
    """Players are invited, join and decline; a game starts."""
    game = world.create(world.bea, world.cid, seats=4)
    world.service.games.commands.join(game.id, world.bea)
    world.service.games.invitation_commands.decline(game.id, world.cid)
    world.work()
    world.start()


def clubs(world: World) -> None:
    """A club learns of its games by its webhook."""
    club = world.service.clubs.create(world.ada, "Wednesdays", is_private=False).id
    world.service.club_webhooks.set(club, world.ada, world.hook, "plain")
    world.create(club=club)


def digests(world: World) -> None:
    """Cid receives one mail a day."""
    preferences = world.service.notifications.preferences
    preferences.change(world.cid, {"digest": "18:00"})
    world.start(world.cid)
    world.wait(days=1)
    preferences.change(world.cid, {"digest": None})


def messages(world: World) -> None:
    """Players write to each other."""
    game = world.start()
    world.service.chat.post(game.id, world.ada, "Hello!")
    world.work()
    world.wait(minutes=5)


def rounds(world: World) -> None:
    """A round is scored, and a game ends."""
    game = world.start(round_limit=2)
    play_until(world.service, game.id, lambda game: game.round == 2)
    world.work()
    play_until(world.service, game.id, lambda game: game.to_act is None)
    world.work()


def reminders(world: World) -> None:
    """A deadline is near, and a turn is forfeited."""
    game = world.start(clock=DAYS)
    play_set_up(world.service, game.id)
    world.work()
    world.wait(hours=23)
    world.wait(hours=2)


def bots(world: World) -> None:
    """A first deadline is excused; after the next, a bot plays."""
    game = world.start(clock={**DAYS, "on_deadline": {"turn": "bot", "excused": 1}})
    play_set_up(world.service, game.id)
    for _ in range(2):
        world.wait(days=1, minutes=1)


def moves(world: World) -> None:
    """An administrator moves a seat to another account."""
    game = world.start()
    world.service.administration.move_seat("operator", game.id, 0, world.cid, "asked by mail")
    world.work()


def recorded_events(world: World) -> None:
    """An event of each type that has a subject happens, as in the recorded game where it comes first."""
    records = [recorded_game(path.stem) for path in sorted(GAMES.glob("*.jsonl"))]
    first: dict[str, tuple[int, Record]] = {}
    for record in records:
        for event in record.events:
            type, seq = event["type"], event["seq"]
            if type in TYPES_WITH_SUBJECT and (type not in first or seq < first[type][0]):
                first[type] = seq, record
    for seq, record in first.values():
        happen(world, record, seq)
    world.work()


def happen(world: World, record: Record, seq: int) -> None:
    """Store a recorded game until an event, with the outbox entries that this event sets."""
    ids = dict(zip(players_of(record), (world.ada, world.bea, world.cid, world.olga), strict=False))
    id = store_game(world.service, record, seq, game_id=f"{record.game}-{seq}", players=ids)
    *before, event = world.service.games.queries.event_page(id, 0, seq)
    entries = outbox_entries(fold(before), world.now(id), [event])
    world.service.store.mark_active(id)
    world.service.store.add_outbox_entries_if_absent(
        id, {name: payload for name, payload in entries.items() if payload is not None}
    )


def losses(world: World) -> None:
    """The store loses an event, as in a failover."""
    game = world.start()
    key = game_key(game.id, "log")
    earlier = world.service.redis.dump(key)
    assert earlier is not None
    take_action(world.service, game.id)
    world.service.redis.restore(key, 0, earlier, replace=True)
    world.now(game.id)
    world.work()


def tournaments(world: World) -> None:
    """A round of a tournament is drawn, nears its last date, and is the last one."""
    format = {"format": "swiss", "table_size": 2, "rounds": 1}
    tournament = create_tournament(
        world.service, world.olga, format=format, clock=DAYS, round_seconds=10 * DAY
    )
    enter(world.service, tournament.id, (world.ada, world.bea))
    changes = world.service.tournaments.changes
    changes.make(tournament.id, world.olga, "AnnouncementMade", "", {"text": "Welcome,\nall!"})
    world.wait(days=1)
    world.wait(days=9, minutes=1)
    world.wait(days=2)


def teams(world: World) -> None:
    """A captain names two players for a team."""
    format = {"format": "swiss", "table_size": 2, "rounds": 1, "boards": 2}
    id = create_tournament(world.service, world.olga, format=format, most=8).id
    world.service.tournaments.teams.enter(id, world.ada, "Crows", ["ada", "bea"])
    world.work()


SCENES: Final[tuple[Callable[[World], None], ...]] = (
    *(joining, clubs, digests, messages, rounds, reminders, bots, moves),
    *(recorded_events, losses, tournaments, teams),
)


@pytest.fixture
def server() -> Iterator[MailServer]:
    with mail_server() as server:
        yield server


@pytest.fixture
def players_receiver() -> Iterator[WebhookReceiver]:
    with webhook_receiver() as receiver:
        yield receiver


@pytest.fixture
def operators_receiver() -> Iterator[WebhookReceiver]:
    with webhook_receiver() as receiver:
        yield receiver


@pytest.fixture
def push_service() -> Iterator[PushService]:
    with running_push_service() as push:
        yield push


@pytest.fixture
def service(
    settings: Settings, server: MailServer, operators_receiver: WebhookReceiver
) -> Iterator[Service]:
    service = build(
        replace(
            settings,
            smtp_url=f"smtp://127.0.0.1:{server.port}?tls=none",
            mail_from=SENDER,
            public_url=PUBLIC_URL,
            webhook_url=operators_receiver.url,
            webhook_networks=("127.0.0.1",),
        )
    )
    yield service
    service.redis.close()


def test_each_channel_sends_notifications_with_every_subject(
    service: Service,
    server: MailServer,
    players_receiver: WebhookReceiver,
    operators_receiver: WebhookReceiver,
    push_service: PushService,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Drawing the board of each mail takes half a second.
    monkeypatch.setattr(service.pictures, "png", lambda *_: b"\x89PNG\r\n\x1a\n")
    assert {channel.name for channel in channels_of(service).all} == set(EXPECTED)
    deliveries: dict[str, Delivery] = {}
    store = service.notifications.deliveries
    store_delivery = store.create

    def create(delivery: Delivery) -> bool:
        deliveries.setdefault(delivery.id, delivery)
        return store_delivery(delivery)

    monkeypatch.setattr(store, "create", create)
    with (
        freeze_time("2026-03-02T09:00:00Z", tick=False) as time,
        caplog.at_level(logging.INFO, "workers.notifications"),
    ):
        url = players_receiver.url.replace("somebody:secret-word@", "")
        world = World(service, time, url, push_service)
        for scene in SCENES:
            scene(world)
        world.workers.close()
    lines = [
        orjson.loads(JsonFormatter().format(record))
        for record in caplog.records
        if record.name == "workers.notifications.operator"
    ]
    received = {
        "log": [line["notification"]["delivery"] for line in lines],
        "operator_webhook": [item.body["delivery"] for item in operators_receiver.requests],
        "email": [mail.message["Message-ID"].split("@")[0][1:] for mail in server.mails],
        "webhook": [item.body["data"]["delivery"] for item in players_receiver.requests],
        "push": [message["tag"] for message in push_service.messages],
    }
    for channel, ids in received.items():
        assert len(ids) == len(set(ids)), channel
    subjects = {
        channel: {item.subject for id in ids for item in (deliveries[id], *store.items(id))}
        for channel, ids in received.items()
    }
    differences = {name: subjects[name] ^ expected for name, expected in EXPECTED.items()}
    assert differences == {name: set() for name in EXPECTED}
    # What is out of date is cancelled; nothing fails.
    stored = [store.find(id) for id in deliveries]
    assert {item.status for item in stored if item is not None} <= {"sent", "cancelled", "pending"}
    assert "Traceback" not in caplog.text


def test_a_log_line_keeps_its_own_fields_whatever_a_notification_says(
    caplog: pytest.LogCaptureFixture,
) -> None:
    # An event may have any field, such as one that the line has.
    own = vars(logging.makeLogRecord({})).keys() | {"at", "level", "logger", "message", "request"}
    notification = Notification(
        id="abc123",
        kind="dispute",
        subject="dispute_opened",
        player="",
        players=("ada",),
        game_id="g1",
        rules="some",
        seq=17,
        title=message("a title"),
        details=dict.fromkeys(own, "taken"),
    )
    delivery: Any = None
    with caplog.at_level(logging.INFO):
        LogChannel().send(delivery, notification)
    line = orjson.loads(JsonFormatter().format(caplog.records[0]))
    assert line["notification"] == notification.as_json()
    assert line["level"] == "info"
    assert line["message"] == "dispute_opened: game g1, event 17, for ada"
