"""Examines one turn of a finished game: the shares at its beginning, and the decisions that were made in it.

A decision is compared with the candidates that look best. A few playouts select the one that does best, and
fresh playouts then compare it with the action that was taken: the best of many estimates is seldom as good as
it looks. Playouts of two actions start in pairs from the same draw.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from domain.contract import AnyRuleSystem
from domain.errors import Refused
from domain.event import Options
from domain.json_types import JsonObject
from domain.registry import rule_system_for
from domain.search import SearchBot
from replay.analysis.estimates import Difference, difference, rounded, share_estimates
from replay.analysis.luck import luck_of
from replay.analysis.playouts import chance_of, play_out, policy_action, start_of_playout, take
from replay.analysis.positions import Decision, FinishedGame, Turn
from replay.analysis.settings import Settings
from replay.bots.playout import STRONG

ANALYSIS_VERSION: Final = 2
"""Raised whenever equal games, seeds and budgets lead to other results."""
CANDIDATES: Final = 6
"""Actions that are compared, the one that was taken included."""
SELECTION: Final = 4
"""Each candidate is tried with the budget divided by this number."""
ROUNDS_OF_CHECK: Final = 3
"""Playouts of the whole budget that compare two actions; the later ones only while a mark is possible."""
WORTH_A_CHECK: Final = 0.02
"""A drop that is checked, if the selection found it."""
MARKS: Final = ((0.30, "??"), (0.20, "?"), (0.10, "?!"))
"""The least drops of the marks, which the drop exceeds with a confidence of 95 %."""
LEAST_MARKED: Final = 0.10
ONLY_GOOD: Final = "!"
QUIET_PART: Final = 3
"""No decision is examined in the first turns: the number of turns divided by this number."""
LINE_TURNS: Final = 2
"""The turns of each seat in a line."""
LINE_ACTIONS: Final = 12


@dataclass(frozen=True)
class _Comparison:
    """A decision with its candidates: the action that was taken comes first."""

    rules: AnyRuleSystem
    decision: Decision
    candidates: Sequence[Any]
    settings: Settings

    def playouts(self, action: Any, purpose: str, numbers: range) -> list[int]:
        """Return the shares of the deciding seat in the playouts of these numbers after an action."""
        decision, rules = self.decision, self.rules
        shares = []
        for number in numbers:
            chance = chance_of(self.settings.seed, purpose, decision.seq, number)
            start = start_of_playout(rules, decision.state, decision.seat, chance)
            take(rules, start, decision.seat, action)
            shares.append(play_out(rules, start, chance)[decision.seat])
        return shares

    @cached_property
    def selected(self) -> tuple[Any, Difference]:
        """The best of the other candidates, and by how much it seems better than the action taken."""
        trials = range(max(2, self.settings.budget // SELECTION))
        taken = self.playouts(self.candidates[0], "select", trials)
        differences = [
            (difference(self.playouts(action, "select", trials), taken), action)
            for action in self.candidates[1:]
        ]
        best, action = max(differences, key=lambda pair: pair[0].mean)
        return action, best

    def check(self, better: Any, worse: Any) -> Difference:
        """Return by how much an action is better, from fresh playouts; fewer if no mark is possible."""
        budget = self.settings.budget
        better_shares: list[int] = []
        worse_shares: list[int] = []
        while True:
            made = len(better_shares)
            numbers = range(made, made + budget)
            better_shares += self.playouts(better, "check", numbers)
            worse_shares += self.playouts(worse, "check", numbers)
            result = difference(better_shares, worse_shares)
            if result.pairs == ROUNDS_OF_CHECK * budget or result.most < 2 * LEAST_MARKED:
                return result

    def others(self, better: Any) -> list[JsonObject]:
        """Return by how much each candidate besides the better one is better than the action taken."""
        numbers = range(self.settings.budget)
        taken = self.playouts(self.candidates[0], "check", numbers)
        others = (action for action in self.candidates[1:] if action != better)
        gains = (
            (action, difference(self.playouts(action, "check", numbers), taken))
            for action in others
        )
        return [
            {
                "action": self.rules.action_text(action),
                "gain": rounded(gain.mean),
                "error": rounded(gain.error),
            }
            for action, gain in gains
        ]


@dataclass(frozen=True, slots=True)
class Task:
    """One turn to be examined. It names the rule system, so that another process can have it."""

    rules: str
    options: Options
    turn: Turn
    settings: Settings
    has_decisions: bool
    """Whether the decisions are examined too: not in the first third of the game."""


def tasks(game: FinishedGame, settings: Settings) -> list[Task]:
    """Return the tasks of a game, one for each turn."""
    return [
        Task(game.name, game.options, turn, settings, index * QUIET_PART >= len(game.turns))
        for index, turn in enumerate(game.turns)
    ]


def examine(task: Task) -> JsonObject:
    """Return what docs/analysis.md defines as an entry of `turns`."""
    rules, turn = rule_system_for(task.rules, task.options), task.turn
    result: JsonObject = {
        "turn": turn.number,
        "round": turn.round,
        "seat": turn.seat,
        "seq": turn.seq,
        **_shares(rules, task.settings, turn),
    }
    draws = (luck_of(rules, task.settings, decision) for decision in turn.decisions)
    if luck := [draw for draw in draws if draw is not None]:
        result["luck"] = luck
    if task.has_decisions:
        decisions = (_decision(rules, task.settings, decision) for decision in turn.decisions)
        result["decisions"] = [decision for decision in decisions if decision is not None]
    return result


def _shares(rules: AnyRuleSystem, settings: Settings, turn: Turn) -> JsonObject:
    """Return the shares of the seats at the beginning of a turn, and their margins."""
    results = []
    for number in range(settings.budget):
        chance = chance_of(settings.seed, "shares", turn.seq, number)
        start = start_of_playout(rules, turn.state, None, chance)
        results.append(play_out(rules, start, chance))
    estimates = share_estimates(results, turn.state.in_game())
    return {
        "shares": [estimate.share for estimate in estimates],
        "margins": [estimate.margin for estimate in estimates],
    }


def _decision(rules: AnyRuleSystem, settings: Settings, decision: Decision) -> JsonObject | None:
    """Return an entry of `decisions`; None where there was nothing to decide."""
    seat = decision.seat
    candidates = candidates_of(rules, decision, settings.seed)
    if candidates is None:
        return None
    comparison = _Comparison(rules, decision, candidates, settings)
    result: JsonObject = {
        "seq": decision.seq,
        "seat": seat,
        "action": rules.action_text(decision.action),
    }
    other, gain = comparison.selected
    if gain.mean >= WORTH_A_CHECK:
        drop = comparison.check(other, decision.action)
        result |= {
            "drop": rounded(drop.mean),
            "error": rounded(drop.error),
            "better": rules.action_text(other),
        }
        mark = mark_of(drop)
        if mark is not None:
            result["mark"] = mark
            result["line"] = line(rules, decision, other, settings.seed)
            result["others"] = comparison.others(other)
    elif gain.mean <= -LEAST_MARKED:
        lead = comparison.check(decision.action, other)
        if lead.least >= LEAST_MARKED:
            result |= {
                "mark": ONLY_GOOD,
                "lead": rounded(lead.mean),
                "error": rounded(lead.error),
                "next": rules.action_text(other),
            }
    return result


def mark_of(drop: Difference) -> str | None:
    """Return the mark of an action after which the share drops like this; None for none."""
    return next((mark for least, mark in MARKS if drop.least >= least), None)


def candidates_of(rules: AnyRuleSystem, decision: Decision, seed: bytes) -> list[Any] | None:
    """Return the action that was taken and the others that look best to the bots.

    None if there is nothing to compare: the action is not a listed one, such as leaving the game.
    """
    state, seat = decision.state, decision.seat
    actions = list(rules.legal_actions(state, seat))
    try:
        event = rules.decide(state, seat, decision.action)
    except Refused:
        # A correction of the rules, since then, that changes no game that was played before.
        return None
    if event.type not in {rules.decide(state, seat, action).type for action in actions}:
        return None
    chance = chance_of(seed, "candidates", decision.seq)
    bot = rules.BOTS.get(STRONG)
    if isinstance(bot, SearchBot):
        ranked = bot.ranked_actions(rules.position(state, seat), actions, seat, chance)
    else:
        ranked = chance.shuffle(actions)
    first = [policy_action(rules, state, seat, chance)]
    candidates = [decision.action]
    outcomes = [event.data]
    for action in [*first, *ranked]:
        # Different actions can come to the same, such as two steps in another order.
        data = rules.decide(state, seat, action).data
        if data not in outcomes:
            outcomes.append(data)
            candidates.append(action)
        if len(candidates) == CANDIDATES:
            break
    return candidates if len(candidates) > 1 else None


def line(rules: AnyRuleSystem, decision: Decision, action: Any, seed: bytes) -> list[JsonObject]:
    """Return how the game could have gone on after an action, with all seats playing as without noise."""
    state = rules.copy(decision.state)
    chance = chance_of(seed, "line", decision.seq)
    last_turn = state.turn + LINE_TURNS * len(list(state.in_game()))
    steps: list[JsonObject] = []
    seat: int | None = decision.seat
    while seat is not None and state.turn < last_turn and len(steps) < LINE_ACTIONS:
        steps.append({"seat": seat, "action": rules.action_text(action)})
        take(rules, state, seat, action)
        seat = state.to_act
        if seat is not None:
            action = policy_action(rules, state, seat, chance)
    return steps
