"""The creator of a game learns that an invitation is declined, also beside processes of earlier versions."""

from collections.abc import Iterator
from typing import Any, Final

import orjson
import pytest
from freezegun import freeze_time

from domain.event import LIFE_CYCLE_EVENTS
from domain.game import Game
from domain.lifecycle import NewGame
from replay.language.catalogue import catalogue
from replay.language.renderer import Renderer
from service.bootstrap import Service
from service.notification_subjects.table import (
    KIND_DESCRIPTIONS,
    KINDS,
    NOT_NOTIFIED,
    SUBJECT_OF_EVENT,
)
from tests.support.endpoints import FixedEndpoints, register_players
from tests.support.worker_harness import RecordingChannel, WorkerHarness
from workers.tasks import tasks_of

KEY: Final = "cartulary:notifications:"
EARLIER_KINDS: Final = frozenset(
    {"invited", "player_joined", "game_started", "your_turn", "deadline_near", "turn_forfeited"}
    | {"round_scored", "game_over", "message", "dispute", "tournament"}
)
"""The kinds of the versions before, which refuse all preferences with another one among them."""


@pytest.fixture(autouse=True)
def time() -> Iterator[Any]:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        yield time


class Table:
    """Ada, who invites Bea and Cid, and an e-mail channel that records what it sends."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.ada, self.bea, self.cid = register_players(service, "ada", "bea", "cid")
        service.notifications.endpoints.add(FixedEndpoints("email", [self.ada, self.bea, self.cid]))
        self.channel = RecordingChannel(name="email", is_operators=False)
        self.workers = WorkerHarness(service, self.channel)

    def invite(self, *, is_private: bool = True) -> Game:
        """Create a game to which Bea and Cid are invited, and send the invitations."""
        game = self.service.games.commands.create(
            self.ada,
            NewGame(
                rules="barony",
                seats=3,
                options={"private": True} if is_private else {},
                invited=(self.bea, self.cid),
            ),
        )
        self.work()
        self.channel.sent.clear()
        return game

    def decline(self, game: Game, player: str) -> None:
        self.service.games.invitation_commands.decline(game.id, player)

    def work(self) -> None:
        self.workers.scheduler.sweep(is_first=True)
        self.workers.work()

    def sent(self) -> list[tuple[str, str]]:
        """Return the subjects that were sent, with the ids of their readers."""
        return [(item.subject, item.player) for item in self.channel.sent]


@pytest.fixture
def table(service: Service) -> Iterator[Table]:
    table = Table(service)
    yield table
    table.workers.close()


@pytest.mark.parametrize("is_private", [True, False])
def test_the_creator_is_notified_once_of_each_player_who_declines(
    table: Table, *, is_private: bool
) -> None:
    game = table.invite(is_private=is_private)
    table.decline(game, table.bea)
    table.work()
    (notice,) = table.channel.sent
    assert (notice.kind, notice.subject) == ("invitation_declined", "invitation_declined")
    assert (notice.player, notice.seq) == (table.ada, game.seq + 1)
    assert notice.as_json()["from"] == table.bea
    in_english = Renderer(catalogue("en"), notice.names)
    (handle,) = table.service.accounts.players.handles([table.bea]).values()
    assert in_english(notice.title) == f"Barony: {handle} has declined your invitation"
    if not is_private:  # otherwise Bea cannot see the game any more
        table.decline(game, table.bea)
    table.decline(game, table.cid)
    table.work()
    table.work()
    assert table.sent() == [("invitation_declined", table.ada)] * 2


def test_a_player_who_declines_and_joins_all_the_same_is_announced_as_joining(
    table: Table, time: Any
) -> None:
    table.service.notifications.preferences.change(table.ada, {"quiet_hours": ["08:00", "12:00"]})
    game = table.invite(is_private=False)
    table.decline(game, table.bea)
    table.work()
    table.service.games.commands.join(game.id, table.bea)
    time.move_to("2026-11-20T12:00:00Z")
    table.work()
    assert table.sent() == [("player_joined", table.ada)]


def test_the_creator_is_notified_only_if_wanted_and_before_the_start(table: Table) -> None:
    preferences = table.service.notifications.preferences
    kinds = [kind for kind in KINDS if kind != "invitation_declined"]
    preferences.change(table.ada, {"kinds": {"email": kinds}})
    table.decline(table.invite(), table.bea)
    table.work()
    assert table.sent() == []
    preferences.change(table.ada, {"kinds": {"email": [*KINDS]}})
    game = table.invite()
    table.decline(game, table.bea)
    for _ in range(2):
        table.service.games.commands.add_bot(game.id, table.ada, "random")
    table.work()
    assert "invitation_declined" not in {subject for subject, _ in table.sent()}


def test_every_event_of_people_notifies_somebody_or_there_is_a_reason() -> None:
    by_entries = {"SeatTaken", "PlayerInvited", "InvitationDeclined", "GameAbandoned"}
    assert LIFE_CYCLE_EVENTS.keys() <= SUBJECT_OF_EVENT.keys() | NOT_NOTIFIED.keys() | by_entries
    assert NOT_NOTIFIED.keys() | by_entries <= LIFE_CYCLE_EVENTS.keys()
    assert not NOT_NOTIFIED.keys() & SUBJECT_OF_EVENT.keys()


def test_earlier_versions_read_what_is_stored_of_a_player(service: Service) -> None:
    preferences = service.notifications.preferences
    choices = [[], ["invitation_declined"], ["your_turn"], ["your_turn", "invitation_declined"]]
    for email in choices:
        changes = {"kinds": {"email": email, "push": ["game_over"]}, "digest": "07:30"}
        changed = preferences.change("ada", changes)
        # A process of this version reads what the player has chosen.
        assert preferences.of("ada") == changed
        assert changed.as_json()["kinds"]["email"] == [kind for kind in KINDS if kind in email]
        stored = service.redis.get(f"{KEY}ada")
        assert stored is not None
        fields = orjson.loads(stored)
        # Earlier versions pass over the words of `offered` that they do not know, and over no others.
        assert fields.keys() == {"kinds", "digest", "quiet_hours", "offered"}
        for kinds in fields["kinds"].values():
            assert set(kinds) <= EARLIER_KINDS
        assert fields["kinds"]["email"] == [kind for kind in email if kind in EARLIER_KINDS]
        assert set(fields["offered"]) >= EARLIER_KINDS


def test_a_kind_that_is_new_to_a_player_is_received_by_default(service: Service) -> None:
    preferences = service.notifications.preferences
    kinds = {"email": ["your_turn"], "webhook": ["your_turn"], "push": []}
    service.redis.set(f"{KEY}ada", orjson.dumps({"kinds": kinds, "offered": [*EARLIER_KINDS]}))
    later = {kind for kind in KINDS if KIND_DESCRIPTIONS[kind].is_later}
    assert "invitation_declined" in later
    assert preferences.of("ada").kinds["email"] == {"your_turn", *later}
    assert preferences.of("ada").kinds["push"] == frozenset()
    preferences.change("ada", {"kinds": {"email": ["your_turn"]}})
    assert preferences.of("ada").kinds["email"] == {"your_turn"}
    assert preferences.of("ada").includes("webhook", "invitation_declined")


def test_an_entry_of_a_later_version_is_left_alone_until_a_process_knows_it(table: Table) -> None:
    """Processes of the versions before do with `notify/declined` what this one does with any other word."""
    game = table.invite()
    entry = f"notify/dreamt/{table.bea}"
    table.service.redis.hset(f"cartulary:{{{game.id}}}:notes", entry, '{"seq":1}')
    table.decline(game, table.bea)
    table.work()
    assert table.sent() == [("invitation_declined", table.ada)]
    tasks = tasks_of(table.service.store, [game.id])[game.id].tasks
    assert [task.entry for task in tasks if task.entry.startswith("notify/")] == [entry]
    assert game.id not in table.service.damaged_games.parts()
