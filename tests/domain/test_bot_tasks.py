"""What bots have to do: it follows from the game, and leaves agreements to the people."""

from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest

from domain.barony.actions import AgreeToEnd
from domain.bot_tasks import (
    AgreeToTakeback,
    ProposeRuling,
    TakeAction,
    TakeTurn,
    needs_search,
    next_bot_task,
)
from domain.clock.deadlines import is_deserted
from domain.contract import Resign
from domain.disputes.events import Ruling
from domain.game import Game
from domain.life_cycle_messages import LIFE_CYCLE_MESSAGES
from domain.lifecycle import NewGame
from ledger import commands
from ledger.canonical import format_timestamp
from ledger.pending import PendingEvents
from ledger.statements import AnswerTakeback, GiveRuling, OpenDispute, RequestTakeback
from replay.bots.playout import START
from replay.language.renderer import english
from tests.support.baron_positions import given

SECRET = b"secret"
RESUME: Ruling = {"type": "resume", "from": 8}
DISMISS: Ruling = {"type": "dismiss"}


@dataclass
class Table:
    """A game of people and bots: `players` are the names of bots, or None for a person, by seat."""

    players: tuple[str | None, ...]
    options: dict[str, Any] = field(default_factory=dict)
    clock: Any = None
    rules: str = "barony"

    def __post_init__(self) -> None:
        seconds = count()
        self.pending = PendingEvents(
            "game",
            None,
            timestamp=lambda: format_timestamp(START.replace(second=next(seconds) % 60)),
            salt=lambda: b"salt",
        )
        commands.create(
            self.pending,
            "player-0",
            NewGame(
                rules=self.rules,
                seats=len(self.players),
                options={"seating": "joined", **self.options},
                clock=self.clock,
            ),
            secret=SECRET,
            nonce=b"",
        )
        for seat, bot in enumerate(self.players[1:], 1):
            commands.join(self.pending, f"player-{seat}", b"", lambda: SECRET, bot=bot)

    @property
    def game(self) -> Game:
        return self.pending.game

    def act(self) -> None:
        """Let the seat to act take its first legal action."""
        seat = self.game.to_act
        assert seat is not None
        self.pending.act(seat, self.game.rules.legal_actions(self.game.state, seat)[0])

    def play_set_up(self) -> None:
        while self.game.round == 0:
            self.act()

    def act_until_turn_of(self, seat: int) -> None:
        while self.game.to_act != seat:
            self.act()


def test_a_game_waits_for_the_bot_whose_turn_it_is() -> None:
    table = Table((None, "sensible"))
    assert table.game.bot_seats == (1,)
    assert next_bot_task(table.game) is None
    table.act()
    assert next_bot_task(table.game) == TakeTurn(1)
    table.act()
    # In set-up, the last seat places two cities in a row.
    assert next_bot_task(table.game) == TakeTurn(1)


def test_games_without_bots_before_the_start_and_after_the_end_wait_for_no_bot() -> None:
    table = Table((None, None))
    assert next_bot_task(table.game) is None
    waiting = Table((None, "random"))
    commands.abandon(waiting.pending, lambda: SECRET)
    assert next_bot_task(waiting.game) is None


@pytest.mark.parametrize("rules", ["barony", "baron"])
def test_bots_play_on_when_no_people_are_left(rules: str) -> None:
    table = Table((None, "sensible", "random"), rules=rules)
    table.pending.act(0, Resign())
    while (task := next_bot_task(table.game)) is not None and table.game.turn < 20:
        assert isinstance(task, TakeTurn)
        assert not task.may_search
        table.act()
    assert table.game.state is not None
    assert table.game.state.in_game() == [1, 2]


def test_bots_play_on_when_the_rules_have_taken_all_people_out() -> None:
    table = Table((None, "sensible", "random"), rules="baron")
    game = table.game
    oubliettes = """
        draw round 4 turn 12 seat 1
        0: -5, out 1
        1: 5, MM
        2: 4, CMQ
        market MVF
        pile WW
        board -1,-1
        .  M   S
        M  M0b M
        C  S
        """
    game.state = given(oubliettes)
    assert game.seats_of_people() == ()
    assert next_bot_task(game) == TakeTurn(1, may_search=False)


def test_a_strong_bot_searches_only_while_people_are_in_the_game() -> None:
    table = Table((None, "strong", "strong"))
    table.act()
    assert needs_search(table.game)
    table.pending.act(0, Resign())
    assert isinstance(next_bot_task(table.game), TakeTurn)
    assert not needs_search(table.game)


def test_bots_resign_after_too_many_turns_without_people(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("domain.bot_tasks.MAX_TURNS_WITHOUT_PEOPLE", 12)
    table = Table((None, "sensible", "random"))
    table.play_set_up()
    while table.game.turn <= 12:
        table.act()
    table.pending.act(0, Resign())
    task = next_bot_task(table.game)
    assert isinstance(task, TakeAction)
    assert task.action == Resign()
    table.pending.act(task.seat, task.action)
    assert table.game.is_played_out
    assert next_bot_task(table.game) is None


def test_bots_ask_for_the_end_when_all_people_do_and_withdraw_with_them() -> None:
    table = Table((None, None, "sensible", "random"), {"end_by_agreement": True})
    table.play_set_up()
    table.act_until_turn_of(0)
    table.pending.act(0, AgreeToEnd(agree=True))
    assert next_bot_task(table.game) is None
    table.pending.act(1, AgreeToEnd(agree=True))
    assert next_bot_task(table.game) == TakeAction(2, AgreeToEnd(agree=True))
    table.pending.act(2, AgreeToEnd(agree=True))
    table.pending.act(0, AgreeToEnd(agree=False))
    assert next_bot_task(table.game) is None
    table.pending.act(1, AgreeToEnd(agree=False))
    assert next_bot_task(table.game) == TakeAction(2, AgreeToEnd(agree=False))
    for seat in (0, 1):
        table.pending.act(seat, AgreeToEnd(agree=True))
    task = next_bot_task(table.game)
    assert task == TakeAction(3, AgreeToEnd(agree=True))
    table.pending.act(3, AgreeToEnd(agree=True))
    assert next_bot_task(table.game) is None


def test_a_bot_agrees_to_a_takeback_after_all_people_and_waits_for_their_answers() -> None:
    table = Table((None, "sensible", None), {"takebacks": True})
    table.act()
    RequestTakeback().add(table.pending, 0, lambda: SECRET)
    number = table.game.seq
    assert table.game.to_act == 1
    assert next_bot_task(table.game) is None
    AnswerTakeback(number, agree=True).add(table.pending, 2, lambda: SECRET)
    assert next_bot_task(table.game) == AgreeToTakeback(1, number)
    AnswerTakeback(number, agree=True).add(table.pending, 1, lambda: SECRET)
    assert table.game.to_act == 0


def test_a_bot_plays_on_when_a_takeback_is_declined() -> None:
    table = Table((None, "sensible", None), {"takebacks": True})
    table.act()
    RequestTakeback().add(table.pending, 0, lambda: SECRET)
    AnswerTakeback(table.game.seq, agree=False).add(table.pending, 2, lambda: SECRET)
    assert next_bot_task(table.game) == TakeTurn(1)


def test_bots_propose_the_ruling_that_all_people_propose() -> None:
    table = Table((None, None, "sensible", "random"))
    table.play_set_up()
    table.act_until_turn_of(0)
    OpenDispute(6, "not so").add(table.pending, 0, lambda: SECRET)
    number = table.game.seq
    for seat, ruling in ((0, RESUME), (1, DISMISS)):
        GiveRuling(number, ruling).add(table.pending, seat, lambda: SECRET)
        assert next_bot_task(table.game) is None
    GiveRuling(number, RESUME).add(table.pending, 1, lambda: SECRET)
    for bot in (2, 3):
        assert next_bot_task(table.game) == ProposeRuling(bot, number, RESUME)
        GiveRuling(number, RESUME).add(table.pending, bot, lambda: SECRET)
    assert table.game.resumptions[-1].origin == 8


@pytest.mark.parametrize("acts", ["bot", "person"])
def test_a_game_is_deserted_when_all_people_forfeit_whatever_bots_do(acts: str) -> None:
    players = (None, "sensible") if acts == "bot" else (None, None)
    table = Table(players, clock={"per_turn": 60})
    table.play_set_up()
    for _ in range(2):
        table.act_until_turn_of(1)
        table.act()
        assert not is_deserted(table.game)
        commands.forfeit(table.pending, lambda: SECRET)
    if acts == "bot":
        assert table.game.status == "abandoned"
        assert table.pending.events[-1]["by"] == {"system": "clock"}
    else:
        assert table.game.status == "playing"


def test_the_log_names_the_bot_that_the_creator_adds() -> None:
    data = {"player": "sensible-bot-1", "nonce": "", "bot": "sensible"}
    assert (
        english(LIFE_CYCLE_MESSAGES["SeatTaken"](data)) == "adds sensible-bot-1, the sensible bot"
    )
    unknown = {**data, "bot": "clever"}
    assert english(LIFE_CYCLE_MESSAGES["SeatTaken"](unknown)).endswith("the clever bot")
