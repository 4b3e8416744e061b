"""What administrators decide about a game: the events, what follows them, and what an audit says of them."""

from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import pytest

from domain import administration
from domain.administration import ADMINISTRATOR
from domain.clock.events import SubstituteSeated
from domain.conditional import Node, tree_after
from domain.contract import DomainEvent
from domain.errors import Malformed, NotNow
from domain.event import By
from ledger import commands
from ledger.clock.turn_clock import deadline
from ledger.keys import SigningKey
from replay.audit import audit
from replay.audit.findings import Report
from tests.support.faults import raises
from tests.support.local_game import SECRET, LocalGame
from tests.support.records import Table

MINUTE = 60


def report_of(game: LocalGame) -> Report:
    return audit(BytesIO(game.record()))


def decided(decision: str, **data: Any) -> DomainEvent:
    event: Any = {"administrator": "operator", "decision": decision, **data}
    return DomainEvent("AdministratorDecided", event)


def seated(seat: int, player: str, replaces: str) -> DomainEvent:
    data: SubstituteSeated = {"seat": seat, "player": player, "replaces": replaces}
    return DomainEvent("SubstituteSeated", data)


class TestRemoval:
    def test_the_seat_is_out_and_the_log_names_the_administrator(self) -> None:
        game = LocalGame(3)
        commands.remove_seat(game.pending, "admin-1", 1, game.secret)
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
        assert report.verdict != "broken"
        assert not [note for note in report.notes if "PlayerRemoved" in str(note)]

    @pytest.mark.parametrize("seat", [-1, 3, 7])
    def test_a_seat_that_is_not_in_the_game_cannot_be_removed(self, seat: int) -> None:
        game = LocalGame(3)
        with pytest.raises(NotNow):
            commands.remove_seat(game.pending, "operator", seat, game.secret)

    def test_nobody_is_removed_before_the_start_of_the_game_or_after_its_end(self) -> None:
        game = LocalGame(2)
        commands.abandon_game(game.pending, "operator", game.secret)
        with pytest.raises(NotNow):
            commands.remove_seat(game.pending, "operator", 0, game.secret)


class TestMove:
    def test_the_seat_is_that_of_the_new_player_and_the_log_names_the_administrator(self) -> None:
        game = LocalGame(3)
        key = SigningKey.from_seed(bytes(range(32)))
        commands.move_seat(game.pending, "admin-1", 1, "zoe", {key.id: key.public})
        decision, move, added = game.pending.events[-3:]
        assert (decision["by"], move["by"]) == (ADMINISTRATOR, ADMINISTRATOR)
        assert decision["data"] == {
            "administrator": "admin-1",
            "decision": "move_seat",
            "seat": 1,
            "player": "zoe",
        }
        assert move["type"] == "SubstituteSeated"
        assert move["data"] == {"seat": 1, "player": "zoe", "replaces": "bea"}
        assert (added["type"], added["data"]["player"]) == ("PlayerKeyAdded", "zoe")
        assert game.game.players == ("ada", "zoe", "cid")
        assert (game.game.seat_of("zoe"), game.game.seat_of("bea")) == (1, None)
        assert game.game.excluded_players == ("bea",)
        game.act(3)
        assert report_of(game).verdict != "broken"

    def test_the_new_player_starts_without_misses_and_with_the_whole_time(self) -> None:
        game = LocalGame(2, clock={"per_turn": 60, "on_deadline": {"turn": "forfeit"}})
        while game.game.round == 0:
            game.act()
        seat = game.game.to_act
        assert seat is not None
        assert game.miss_deadline() == "TurnForfeited"
        while game.game.to_act != seat:
            game.act()
        assert game.game.missed_deadlines[seat]
        game.wait(seconds=40)
        commands.move_seat(game.pending, "operator", seat, "zoe")
        assert seat not in game.game.missed_deadlines
        assert game.seconds_left == MINUTE
        assert report_of(game).verdict != "broken"

    def test_play_resumed_from_before_the_move_leaves_the_seat_with_the_new_player(self) -> None:
        game = LocalGame(2, arbiter="judge")
        game.act(2)
        seq = game.game.seq
        commands.move_seat(game.pending, "operator", 1, "zoe")
        game.act()
        game.rule(game.dispute(0, about=seq), {"type": "resume", "from": seq})
        assert game.game.players == ("ada", "zoe")
        assert game.game.excluded_players == ("bea",)
        assert report_of(game).verdict != "broken"

    def test_conditional_actions_are_void_after_a_move(self) -> None:
        game = LocalGame(2)
        commands.move_seat(game.pending, "operator", 1, "zoe")
        node = Node(0, {"type": "resign"}, {})
        assert tree_after((node,), game.pending.events[-2]) == (node,)
        assert tree_after((node,), game.pending.events[-1]) is None

    @pytest.mark.parametrize(
        ("seat", "player", "reason"),
        [
            (-1, "zoe", "seat -1 is not that of a player in the game"),
            (4, "zoe", "seat 4 is not that of a player in the game"),
            (1, "zoe", "seat 1 is not that of a player in the game"),
            (3, "zoe", "seat 3 is that of a bot"),
            (0, "ada", "a player who has or had a seat in this game cannot be given another one"),
            (0, "cid", "a player who has or had a seat in this game cannot be given another one"),
            (0, "dan", "a player who has or had a seat in this game cannot be given another one"),
            (0, "judge", "the arbiter of a game cannot play in it"),
        ],
    )
    def test_only_the_seat_of_a_person_is_moved_and_only_to_somebody_else(
        self, seat: int, player: str, reason: str
    ) -> None:
        game = LocalGame(4, bots=1, arbiter="judge")
        game.resign(1)
        with raises(NotNow, reason):
            commands.move_seat(game.pending, "operator", seat, player)

    def test_a_former_player_gets_no_seat_again(self) -> None:
        game = LocalGame(2)
        commands.move_seat(game.pending, "operator", 0, "zoe")
        with raises(NotNow, "a player who has or had a seat in this game"):
            commands.move_seat(game.pending, "operator", 0, "ada")

    def test_a_vacant_seat_is_left_to_substitutes(self) -> None:
        game = LocalGame(3, substitutes=True)
        game.leave_seat(1)
        with raises(NotNow, "seat 1 is not that of a player in the game"):
            commands.move_seat(game.pending, "operator", 1, "zoe")

    def test_no_seat_is_moved_before_the_start_of_a_game_or_after_its_end(self) -> None:
        table = Table("barony", 2, {})
        with raises(NotNow, "the game has not started"):
            administration.move_seat(table.game, "operator", 0, "zoe")
        game = LocalGame(2)
        commands.abandon_game(game.pending, "operator", game.secret)
        with raises(NotNow, "the game was abandoned"):
            commands.move_seat(game.pending, "operator", 0, "zoe")


class TestAbandonment:
    def test_the_game_ends_and_its_secret_is_published(self) -> None:
        game = LocalGame(2)
        commands.abandon_game(game.pending, "operator", game.secret)
        decision, end = game.pending.events[-2:]
        assert decision["data"] == {"administrator": "operator", "decision": "abandon"}
        assert (end["type"], end["data"]["secret"]) == ("GameAbandoned", SECRET.hex())
        assert game.game.status == "abandoned"
        assert report_of(game).verdict != "broken"

    def test_a_game_that_is_over_is_not_abandoned_again(self) -> None:
        game = LocalGame(2)
        commands.abandon_game(game.pending, "operator", game.secret)
        with pytest.raises(NotNow):
            commands.abandon_game(game.pending, "operator", game.secret)


class TestExtension:
    def test_an_extension_moves_only_the_deadline_of_the_current_turn(self) -> None:
        game = LocalGame(2, per_turn=MINUTE)
        before = deadline(game.game)
        commands.extend_deadline(game.pending, "operator", 30)
        commands.extend_deadline(game.pending, "operator", 10)
        after = deadline(game.game)
        assert before is not None
        assert after is not None
        assert (after - before).total_seconds() == 40
        game.act()
        next_deadline = deadline(game.game)
        assert next_deadline is not None
        turn_at = datetime.fromisoformat(game.game.turn_at).astimezone(UTC)
        assert (next_deadline - turn_at).total_seconds() == MINUTE
        assert report_of(game).verdict != "broken"

    @pytest.mark.parametrize("seconds", [0, -5, administration.MAX_EXTENSION + 1])
    def test_an_extension_has_bounds(self, seconds: int) -> None:
        game = LocalGame(2, per_turn=MINUTE)
        with pytest.raises(Malformed):
            commands.extend_deadline(game.pending, "operator", seconds)

    def test_a_game_without_a_clock_has_no_deadline_to_extend(self) -> None:
        with pytest.raises(NotNow):
            commands.extend_deadline(LocalGame(2).pending, "operator", 30)


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
            (decided("move_seat", seat=1, player="zoe"), ADMINISTRATOR),
            (seated(1, "zoe", "bea"), ADMINISTRATOR),
            (seated(1, "zoe", "bea"), {"player": "zoe"}),
        ],
    )
    def test_a_decision_that_cannot_be_made_or_is_not_carried_out_breaks_the_record(
        self, event: DomainEvent, by: By
    ) -> None:
        game = LocalGame(2, per_turn=MINUTE)
        game.pending.add(event, by)
        game.act()
        assert report_of(game).verdict == "broken"

    @pytest.mark.parametrize(
        ("decision", "move", "by"),
        [
            ({"seat": 1, "player": "zoe"}, (1, "eve", "bea"), ADMINISTRATOR),
            ({"seat": 1, "player": "zoe"}, (0, "zoe", "ada"), ADMINISTRATOR),
            ({"seat": 1, "player": "zoe"}, (1, "zoe", "ada"), ADMINISTRATOR),
            ({"seat": 1, "player": "zoe"}, (1, "zoe", "bea"), {"player": "zoe"}),
            ({"seat": 1, "player": "zoe"}, (1, "zoe", "bea"), {"system": "arbiter"}),
            ({"seat": 1, "player": "ada"}, (1, "ada", "bea"), ADMINISTRATOR),
            ({"seat": 2, "player": "zoe"}, (2, "zoe", "cid"), ADMINISTRATOR),
            ({"seat": 1, "player": 7}, (1, 7, "bea"), ADMINISTRATOR),
            ({"seat": 1}, (1, "zoe", "bea"), ADMINISTRATOR),
        ],
    )
    def test_an_unfounded_move_of_a_seat_breaks_the_record(
        self, decision: Any, move: Any, by: By
    ) -> None:
        """Seat 2 is that of a bot."""
        game = LocalGame(3, bots=1)
        game.pending.add(decided("move_seat", **decision), ADMINISTRATOR)
        game.pending.add(seated(*move), by)
        assert report_of(game).verdict == "broken"

    def test_the_same_move_decided_and_carried_out_is_not_broken(self) -> None:
        game = LocalGame(3, bots=1)
        game.pending.add(decided("move_seat", seat=1, player="zoe"), ADMINISTRATOR)
        game.pending.add(seated(1, "zoe", "bea"), ADMINISTRATOR)
        assert report_of(game).verdict != "broken"

    def test_the_same_record_without_a_decision_is_not_broken(self) -> None:
        game = LocalGame(2, per_turn=MINUTE)
        game.act()
        assert report_of(game).verdict != "broken"
