"""What administrators decide about a game: the events, what follows them, and what an audit says of them."""

from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import pytest

from domain import administration
from domain.contract import DomainEvent
from domain.errors import Malformed, NotNow
from domain.event import By
from ledger import administration_commands
from ledger.administration_commands import ADMINISTRATOR
from ledger.turn_clock import deadline
from replay.audit import audit
from replay.audit.findings import Report
from tests.support.local_game import SECRET, LocalGame

MINUTE = 60


def report_of(game: LocalGame) -> Report:
    return audit(BytesIO(game.record()))


def decided(decision: str, **data: Any) -> DomainEvent:
    event: Any = {"administrator": "operator", "decision": decision, **data}
    return DomainEvent("AdministratorDecided", event)


class TestRemoval:
    def test_the_seat_is_out_and_the_log_names_the_administrator(self) -> None:
        game = LocalGame(3)
        administration_commands.remove_seat(game.pending, "admin-1", 1, game.secret)
        decision, removal = game.pending.events[-2:]
        assert decision["by"] == ADMINISTRATOR
        assert decision["data"] == {
            "administrator": "admin-1",
            "decision": "remove_seat",
            "seat": 1,
        }
        assert (removal["type"], removal["data"]["seat"]) == ("PlayerRemoved", 1)
        assert list(game.game.seats_of_people()) == [0, 2]
        report = report_of(game)
        assert not report.is_broken
        assert not [note for note in report.notes if "PlayerRemoved" in str(note)]

    @pytest.mark.parametrize("seat", [-1, 3, 7])
    def test_a_seat_that_is_not_in_the_game_cannot_be_removed(self, seat: int) -> None:
        game = LocalGame(3)
        with pytest.raises(NotNow):
            administration_commands.remove_seat(game.pending, "operator", seat, game.secret)

    def test_nobody_is_removed_before_the_start_of_the_game_or_after_its_end(self) -> None:
        game = LocalGame(2)
        administration_commands.abandon_game(game.pending, "operator", game.secret)
        with pytest.raises(NotNow):
            administration_commands.remove_seat(game.pending, "operator", 0, game.secret)


class TestAbandonment:
    def test_the_game_ends_and_its_secret_is_published(self) -> None:
        game = LocalGame(2)
        administration_commands.abandon_game(game.pending, "operator", game.secret)
        decision, end = game.pending.events[-2:]
        assert decision["data"] == {"administrator": "operator", "decision": "abandon"}
        assert (end["type"], end["data"]["secret"]) == ("GameAbandoned", SECRET.hex())
        assert game.game.status == "abandoned"
        assert not report_of(game).is_broken

    def test_a_game_that_is_over_is_not_abandoned_again(self) -> None:
        game = LocalGame(2)
        administration_commands.abandon_game(game.pending, "operator", game.secret)
        with pytest.raises(NotNow):
            administration_commands.abandon_game(game.pending, "operator", game.secret)


class TestExtension:
    def test_the_deadline_of_the_turn_under_way_is_later_and_that_of_the_next_is_not(self) -> None:
        game = LocalGame(2, per_turn=MINUTE)
        before = deadline(game.game)
        administration_commands.extend_deadline(game.pending, "operator", 30)
        administration_commands.extend_deadline(game.pending, "operator", 10)
        after = deadline(game.game)
        assert before is not None
        assert after is not None
        assert (after - before).total_seconds() == 40
        game.act()
        next_deadline = deadline(game.game)
        assert next_deadline is not None
        turn_at = datetime.fromisoformat(game.game.turn_at).astimezone(UTC)
        assert (next_deadline - turn_at).total_seconds() == MINUTE
        assert not report_of(game).is_broken

    @pytest.mark.parametrize("seconds", [0, -5, administration.MAX_EXTENSION + 1])
    def test_an_extension_has_bounds(self, seconds: int) -> None:
        game = LocalGame(2, per_turn=MINUTE)
        with pytest.raises(Malformed):
            administration_commands.extend_deadline(game.pending, "operator", seconds)

    def test_a_game_without_a_clock_has_no_deadline_to_extend(self) -> None:
        with pytest.raises(NotNow):
            administration_commands.extend_deadline(LocalGame(2).pending, "operator", 30)


class TestAudit:
    @pytest.mark.parametrize(
        ("event", "by"),
        [
            (decided("remove_seat", seat=1), ADMINISTRATOR),
            (decided("abandon"), ADMINISTRATOR),
            (decided("extend_deadline", seat=1, seconds=5), ADMINISTRATOR),
            (decided("extend_deadline", seat=0, seconds=0), ADMINISTRATOR),
            (decided("extend_deadline", seat=0, seconds=5), {"system": "clock"}),
            (decided("something"), ADMINISTRATOR),
        ],
    )
    def test_a_decision_that_cannot_be_made_or_is_not_carried_out_breaks_the_record(
        self, event: DomainEvent, by: By
    ) -> None:
        game = LocalGame(2, per_turn=MINUTE)
        game.pending.add(event, by)
        game.act()
        assert report_of(game).is_broken

    def test_the_same_record_without_a_decision_is_not_broken(self) -> None:
        game = LocalGame(2, per_turn=MINUTE)
        game.act()
        assert not report_of(game).is_broken
