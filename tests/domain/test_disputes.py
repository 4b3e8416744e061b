"""Disputes: who may open, answer and rule them, and what a ruling leads to."""

from typing import Any

import pytest

from domain.baron.state import State as BaronState
from domain.disputes import disputes
from domain.disputes.disputes import (
    MAX_ANSWERS_PER_SEAT,
    MAX_DISPUTES_PER_SEAT,
    MAX_PROPOSALS_PER_SEAT,
)
from domain.errors import Malformed, NotNow
from ledger import commands
from ledger.statements import AnswerDispute, WithdrawDispute
from tests.support.faults import raises
from tests.support.local_game import LocalGame

DISMISS = {"type": "dismiss"}


def test_a_ruling_lets_play_resume_from_an_earlier_resumption() -> None:
    game = LocalGame(2, rules="baron", arbiter="zoe")
    game.act(6)
    game.rule(game.dispute(0), {"type": "resume", "from": 7})
    resumed = game.game.seq
    game.act(3)
    superseded = game.game.seq
    game.rule(game.dispute(1), {"type": "resume", "from": resumed})
    assert game.pending.events[-1]["data"]["from"] == resumed
    assert game.game.is_superseded(superseded)
    number = game.dispute(0)
    for origin in (superseded, number):
        with raises(NotNow, match="not an earlier event of play"):
            game.rule(number, {"type": "resume", "from": origin})
    game.rule(number, {"type": "resume", "from": 5})
    number = game.dispute(0)
    with raises(NotNow, match="not an earlier event of play"):
        game.rule(number, {"type": "resume", "from": resumed})


def game_with_arbiter(**options: Any) -> LocalGame:
    """A game of three with an arbiter, after four placements."""
    game = LocalGame(3, arbiter="zoe", **options)
    game.act(4)
    return game


@pytest.mark.parametrize(
    "raw",
    [
        {"type": "dismiss"},
        {"type": "resume", "from": 7},
        {"type": "remove_seat", "seat": 0},
        {"type": "result_stands"},
        {"type": "abandon"},
    ],
)
def test_every_ruling_is_read_as_it_is_written(raw: dict[str, Any]) -> None:
    assert disputes.parse_ruling(raw) == raw


@pytest.mark.parametrize(
    ("raw", "fields"),
    [
        ("dismiss", {""}),
        (None, {""}),
        ({}, {"type"}),
        ({"type": "forgive"}, {"type"}),
        ({"type": ["dismiss"]}, {"type"}),
        ({"type": "resume"}, {"from"}),
        ({"type": "resume", "from": 0}, {"from"}),
        ({"type": "resume", "from": True}, {"from"}),
        ({"type": "remove_seat", "seat": -1}, {"seat"}),
        ({"type": "remove_seat", "seat": "1", "from": 3}, {"seat", "from"}),
        ({"type": "abandon", "seat": 1}, {"seat"}),
    ],
)
def test_a_ruling_of_the_wrong_form_names_every_wrong_field(raw: object, fields: set[str]) -> None:
    with pytest.raises(Malformed) as refused:
        disputes.parse_ruling(raw)
    assert refused.value.fields.keys() == fields


def test_a_dispute_is_open_until_the_arbiter_rules_it() -> None:
    game = game_with_arbiter()
    number = game.dispute(1, about=6)
    dispute = game.game.open_dispute
    assert dispute is not None
    assert (dispute.seq, dispute.seat, dispute.about, dispute.status) == (number, 1, 6, "open")
    AnswerDispute(number, "I was there.").add(game.pending, 2, game.secret)
    game.rule(number, DISMISS)
    assert game.game.open_dispute is None
    (dispute,) = game.game.disputes
    assert dispute.status == "ruled"
    assert [answer.seat for answer in dispute.answers] == [2]
    assert dispute.ending is not None
    assert (dispute.ending.arbiter, dispute.ending.ruling) == ("zoe", DISMISS)
    assert game.types[-3:] == ["DisputeOpened", "DisputeAnswered", "DisputeRuled"]
    assert game.pending.events[-1]["by"] == {"system": "arbiter"}


def test_a_dispute_changes_no_position() -> None:
    game = game_with_arbiter()
    before = game.game.state_hash
    game.rule(game.dispute(0), DISMISS)
    assert game.game.state_hash == before
    game.act()


def test_statements_are_erasable_secrets_that_everybody_may_see() -> None:
    game = game_with_arbiter()
    number = game.dispute(0)
    event = game.pending.events[-1]
    assert event["secrets"].keys() == {"statement"}
    assert "statement" not in event["data"]
    assert game.pending.openings[number]["statement"]["value"] == "I object."
    for viewer in (None, 0, 2):
        assert game.game.may_see("statement", viewer)


def test_there_is_one_open_dispute_at_a_time() -> None:
    game = game_with_arbiter()
    number = game.dispute(0)
    with raises(NotNow, match=f"dispute {number} is open"):
        game.dispute(1)


def test_a_seat_opens_three_disputes_at_most() -> None:
    game = game_with_arbiter()
    for _ in range(MAX_DISPUTES_PER_SEAT):
        game.rule(game.dispute(0), DISMISS)
    with raises(NotNow, match="3 disputes"):
        game.dispute(0)
    game.dispute(1)


def test_answers_and_proposals_are_bounded() -> None:
    game = LocalGame(2)
    number = game.dispute(0)
    for _ in range(MAX_ANSWERS_PER_SEAT):
        AnswerDispute(number, "No.").add(game.pending, 1, game.secret)
    with raises(NotNow, match="10 times"):
        AnswerDispute(number, "No.").add(game.pending, 1, game.secret)
    for _ in range(MAX_PROPOSALS_PER_SEAT):
        game.propose(number, 1, DISMISS)
    with raises(NotNow, match="10 rulings"):
        game.propose(number, 1, DISMISS)


@pytest.mark.parametrize("about", [0, 99])
def test_a_dispute_is_about_an_event_that_exists(about: int) -> None:
    with raises(NotNow, match=f"no event {about}"):
        game_with_arbiter().dispute(0, about)


def test_there_are_no_disputes_before_the_start_and_after_the_end() -> None:
    open_game = LocalGame(2)
    opened = open_game.pending.game_at(2)
    with raises(NotNow, match="has not started"):
        disputes.open_dispute(opened, 0, 1, "x", None)
    open_game.dispute(0)
    commands.abandon(open_game.pending, open_game.secret)
    assert open_game.game.open_dispute is None
    with raises(NotNow, match="its secret is public"):
        open_game.dispute(1)


def test_a_removed_player_may_dispute_the_removal() -> None:
    game = game_with_arbiter()
    game.rule(game.dispute(0), {"type": "remove_seat", "seat": 2})
    game.rule(game.dispute(2), {"type": "resume", "from": 8})
    state = game.game.state
    assert state is not None
    assert state.in_game() == [0, 1, 2]


def test_only_the_opener_withdraws_a_dispute() -> None:
    game = game_with_arbiter()
    number = game.dispute(0)
    with raises(NotNow, match="only seat 0"):
        WithdrawDispute(number).add(game.pending, 1, game.secret)
    WithdrawDispute(number).add(game.pending, 0, game.secret)
    assert game.game.disputes[0].status == "withdrawn"
    with raises(NotNow, match="is not open"):
        game.rule(number, DISMISS)


class TestRulings:
    """What each ruling leads to, in the same append."""

    def test_a_rewind_resumes_play_from_an_earlier_event(self) -> None:
        game = game_with_arbiter()
        number = game.dispute(1)
        game.rule(number, {"type": "resume", "from": 6})
        ruled, resumed = game.pending.events[-2:]
        assert resumed["data"] == {"from": 6, "because": ruled["seq"]}
        assert resumed["by"] == {"system": "arbiter"}
        assert game.game.state_hash == game.pending.game_at(6).state_hash
        assert game.game.is_superseded(7)
        assert game.game.disputes[0].status == "ruled"

    def test_a_seat_is_removed(self) -> None:
        game = game_with_arbiter()
        game.rule(game.dispute(1), {"type": "remove_seat", "seat": 2})
        removed = game.pending.events[-1]
        assert (removed["type"], removed["data"]["seat"]) == ("PlayerRemoved", 2)
        assert removed["by"] == {"system": "arbiter"}

    def test_the_game_is_abandoned(self) -> None:
        game = game_with_arbiter()
        game.rule(game.dispute(1), {"type": "abandon"})
        assert game.types[-2:] == ["DisputeRuled", "GameAbandoned"]
        assert game.game.status == "abandoned"

    @pytest.mark.parametrize("type", ["dismiss", "result_stands"])
    def test_nothing_else_happens(self, type: str) -> None:
        game = game_with_arbiter()
        game.rule(game.dispute(1), {"type": type})
        assert game.types[-1] == "DisputeRuled"

    @pytest.mark.parametrize(
        ("ruling", "reason"),
        [
            ({"type": "resume", "from": 3}, "not an earlier event of play"),
            ({"type": "resume", "from": 99}, "not an earlier event of play"),
            ({"type": "resume", "from": 9}, "not an earlier event of play"),
            ({"type": "resume", "from": 7}, "not an earlier event of play"),
            ({"type": "remove_seat", "seat": 3}, "seat 3 is not in the game"),
            ({"type": "remove_seat", "seat": 2}, "seat 2 is not in the game"),
        ],
    )
    def test_a_ruling_that_cannot_be_carried_out_changes_nothing(
        self, ruling: Any, reason: str
    ) -> None:
        game = game_with_arbiter()
        game.rule(game.dispute(1), {"type": "resume", "from": 6})
        game.act()
        game.resign(2)
        number = game.dispute(0)
        with raises(NotNow, match=reason):
            game.rule(number, ruling)
        assert game.game.seq == number

    def test_a_seat_is_removed_only_during_play(self) -> None:
        game = LocalGame(2, arbiter="zoe")
        game.resign(0)
        with raises(NotNow, match="only be removed during play"):
            game.rule(game.dispute(0), {"type": "remove_seat", "seat": 1})


class TestAgreement:
    """A game without an arbiter: a ruling needs the agreement of all players still in the game."""

    def test_a_ruling_takes_effect_when_all_propose_the_same(self) -> None:
        game = LocalGame(3)
        game.act(2)
        number = game.dispute(0)
        ruling = {"type": "resume", "from": 5}
        game.propose(number, 1, ruling)
        game.propose(number, 0, DISMISS)
        game.propose(number, 2, ruling)
        assert game.types[-1] == "RulingProposed"
        game.propose(number, 0, ruling)
        assert game.types[-3:] == ["RulingProposed", "DisputeRuled", "PlayResumed"]
        ruled = game.pending.events[-2]["data"]
        assert ruled == {
            "dispute": number,
            "ruling": ruling,
            "arbiter": None,
            "agreed_by": [0, 1, 2],
        }

    def test_a_player_who_has_left_does_not_agree(self) -> None:
        game = LocalGame(3)
        game.resign(2)
        number = game.dispute(2)
        game.propose(number, 0, DISMISS)
        with raises(NotNow, match="still in the game"):
            game.propose(number, 2, DISMISS)
        game.propose(number, 1, DISMISS)
        assert game.types[-1] == "DisputeRuled"

    def test_players_propose_nothing_in_a_game_with_an_arbiter(self) -> None:
        game = game_with_arbiter()
        with raises(NotNow, match="has an arbiter"):
            game.propose(game.dispute(0), 0, DISMISS)

    def test_nobody_rules_alone_in_a_game_without_an_arbiter(self) -> None:
        game = LocalGame(2)
        number = game.dispute(0)
        with raises(NotNow, match="no arbiter"):
            game.rule(number, DISMISS)
        with raises(NotNow, match="do not agree"):
            disputes.rule_by_agreement(game.game, number)


class TestArbiter:
    """The arbiter is on the record from the start, and never one of the players."""

    def test_the_arbiter_cannot_join(self) -> None:
        with raises(NotNow, match="arbiter"):
            LocalGame(2, arbiter="bea")

    def test_the_creator_is_not_the_arbiter(self) -> None:
        with pytest.raises(Malformed) as refused:
            LocalGame(2, arbiter="ada")
        assert refused.value.fields.keys() == {"arbiter"}

    def test_the_arbiter_is_in_the_first_event_and_otherwise_the_field_is_left_out(self) -> None:
        assert game_with_arbiter().pending.events[0]["data"]["arbiter"] == "zoe"
        assert "arbiter" not in LocalGame(2).pending.events[0]["data"]


def baron_state(game: LocalGame, seq: int) -> BaronState:
    """Return the state of a game of Baron after an event."""
    state = game.pending.game_at(seq).state
    assert isinstance(state, BaronState)
    return state


def test_resuming_baron_shuffles_the_pile_again() -> None:
    game = LocalGame(2, rules="baron", arbiter="zoe")
    start = game.game.seq
    before = baron_state(game, start)
    assert before.pile is not None
    game.act(12)
    refills = [
        event["data"]["refill"] for event in game.pending.events if event["type"] == "TileDrawn"
    ]
    assert refills == list(before.pile[: len(refills)])
    game.rule(game.dispute(0), {"type": "resume", "from": start})
    assert game.pending.events[-1]["secrets"].keys() == {"pile"}
    after = baron_state(game, game.game.seq)
    assert after.pile is not None
    assert sorted(after.pile) == sorted(before.pile)
    assert list(after.pile[: len(refills)]) != refills
    # The reserves were dealt before play resumed, so they stay.
    assert [player.reserve for player in after.players] == [
        player.reserve for player in before.players
    ]
