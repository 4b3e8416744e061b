"""Who is notified of a message, and of an invitation by a muted player."""

from collections.abc import Iterable

import pytest

from domain.lifecycle import NewGame
from service.bootstrap import Service
from tests.support.service_games import start_game
from workers.notifications.outbox_notifications import OutboxNotifications
from workers.tasks import Task


class RecordingNotifications:
    """Stands for `Notifier`: keeps what it is asked to create."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int, list[str], dict[str, object]]] = []

    def notify(
        self, subject: str, _game_id: str, seq: int, players: Iterable[str], **details: object
    ) -> list[object]:
        """Keep a notification."""
        self.calls.append((subject, seq, list(players), details))
        return []


@pytest.fixture
def recorded(service: Service, monkeypatch: pytest.MonkeyPatch) -> RecordingNotifications:
    """The notifications that the service creates."""
    recorded = RecordingNotifications()
    monkeypatch.setattr(service.notifications.notifier, "notify", recorded.notify)
    return recorded


def test_readers_of_a_message_are_notified_unless_they_muted_its_author(
    service: Service, recorded: RecordingNotifications
) -> None:
    game = start_game(service, seats=4)
    service.accounts.mutes.add("cid", "ada")
    for _ in range(2):
        service.chat.post(game.id, "ada", "Hello!", 3, "key")
    first, again = recorded.calls
    assert first == again
    subject, seq, players, details = first
    assert (subject, seq, players) == ("message", 3, ["bea", "dan"])
    assert details == {
        "reference": "message/1",
        "data": {"from": "ada", "message": 1},
        "operator_channels": (),
    }


def test_a_player_who_has_left_a_seat_vacant_is_not_notified_of_messages(
    service: Service, recorded: RecordingNotifications
) -> None:
    game = start_game(service, seats=3, substitutes=True)
    service.games.commands.leave_seat(game.id, "bea")
    service.chat.post(game.id, "ada", "Who is to replace her?")
    assert [players for _, _, players, _ in recorded.calls] == [["cid"]]


def test_an_invitation_by_a_muted_player_notifies_nobody(
    service: Service, recorded: RecordingNotifications
) -> None:
    game = service.games.commands.create(
        "ada", NewGame(rules="baron", seats=3, options={}, invited=("bea", "cid"))
    )
    service.accounts.mutes.add("bea", "ada")
    creator = OutboxNotifications(service, ())
    for entry, payload in service.store.outbox(game.id).items():
        if entry.startswith("notify/invited/"):
            creator.create(Task(game.id, entry, payload))
    assert [players for _, _, players, _ in recorded.calls] == [["cid"]]
