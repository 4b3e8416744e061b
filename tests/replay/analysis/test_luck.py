"""Luck: what came up, compared with what could have come up; nothing on average, and apart from play."""

from collections import Counter
from functools import cache
from io import BytesIO
from typing import Any

import pytest

from domain.playouts import WHOLE
from domain.registry import rule_system_for
from ledger.record import read
from replay.analysis import luck as module
from replay.analysis.luck import luck_of, luck_of_seats
from replay.analysis.playouts import chance_of, start_of_playout
from replay.analysis.positions import Decision, FinishedGame, finished_game
from replay.analysis.settings import settings_of
from replay.bots.playout import plan, play

SETTINGS = settings_of(12, bytes(32))


@cache
def game() -> FinishedGame:
    return finished_game(read(BytesIO(play(plan("baron", 2, b"luck", {})).record)))


def draws() -> list[Decision]:
    return [
        decision
        for turn in game().turns
        for decision in turn.decisions
        if decision.action.type == "draw"
    ]


def test_every_draw_that_turns_a_tile_up_has_luck_that_adds_up_to_nothing() -> None:
    entries = [luck_of(game().rules, SETTINGS, decision) for decision in draws()[::6]]
    for entry, decision in zip(entries, draws()[::6], strict=True):
        assert entry is not None
        assert entry["came"] == decision.state.top_of_pile()
        assert sum(entry["changes"]) == pytest.approx(0, abs=0.0002)
        assert entry["errors"][0] == pytest.approx(entry["errors"][1], abs=0.0001)
    assert any(entry and entry["changes"][0] for entry in entries)


def test_other_actions_and_a_pile_of_one_kind_have_none() -> None:
    rules = game().rules
    for turn in game().turns:
        for decision in turn.decisions:
            if decision.action.type != "draw" or len(set(decision.state.tiles_in_pile())) < 2:
                assert luck_of(rules, SETTINGS, decision) is None


def test_games_without_such_actions_have_none() -> None:
    barony = finished_game(
        read(BytesIO(play(plan("barony", 2, b"luck", {}, round_limit=3)).record))
    )
    decision = barony.turns[-1].decisions[0]
    assert luck_of(barony.rules, SETTINGS, decision) is None
    assert luck_of_seats({"turns": [{"turn": 1}], "seats": 2}) == []


def test_it_is_nothing_on_average_whatever_the_estimate_is(monkeypatch: pytest.MonkeyPatch) -> None:
    # An estimate that takes a village for a win, and everything else for a loss.
    def play_out(rules: Any, state: Any, chance: Any, horizons: int) -> tuple[int, int]:
        wins = state.market[-1] == "village"
        return (WHOLE, 0) if wins else (0, WHOLE)

    monkeypatch.setattr(module, "play_out", play_out)
    decision = draws()[0]
    rules: Any = game().rules
    pile = decision.state.tiles_in_pile()
    budget = 400
    lucks = {}
    for kind in set(pile):
        state = rules.copy(decision.state)
        rules.PLAYOUTS.turn_up(state, kind)
        entry = luck_of(
            rules,
            settings_of(budget, bytes(32)),
            Decision(decision.seq, decision.seat, state, decision.action),
        )
        assert entry is not None
        assert entry["came"] == kind
        lucks[kind] = entry["changes"][0]
    share = pile.count("village") / len(pile)
    assert lucks["village"] == pytest.approx(1 - share, abs=0.08)
    mean = sum(lucks[kind] * count for kind, count in Counter(pile).items()) / len(pile)
    assert mean == pytest.approx(0, abs=0.05)


def test_what_is_turned_up_is_on_the_pile_and_the_others_are_as_many() -> None:
    baron: Any = rule_system_for("baron", {})
    state = start_of_playout(baron, draws()[3].state, None, chance_of(bytes(32), "test"))
    before = Counter(state.tiles_in_pile())
    for kind in before:
        baron.PLAYOUTS.turn_up(state, kind)
        assert state.top_of_pile() == kind
        assert Counter(state.tiles_in_pile()) == before
