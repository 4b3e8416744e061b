"""The strong bots search within their limit, find what playouts show, and know only what their seat sees."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, ClassVar, cast

import pytest

from domain.baron import bots as strong_bot_of_baron
from domain.baron.components import COUNTS
from domain.baron.state import State as BaronState
from domain.chance import Chance
from domain.contract import AnyRuleSystem, DomainEvent, Position
from domain.registry import BARON, BARONY, SORCERY
from domain.search import SearchBot, SearchModel, UncertainBot, playouts
from tests.games.records import course_of

SYSTEMS = [(BARONY, "duke-of-three"), (SORCERY, "sorcery-duke-of-five"), (BARON, "baron-five")]
"""Each rule system, with a recorded game of it."""


@dataclass(frozen=True, slots=True)
class Take:
    """Take stones."""

    type: ClassVar[str] = "take"
    stones: int


@dataclass(slots=True)
class Heap:
    """A game for two: the player who takes the last stone wins."""

    stones: int
    to_act: int | None = 0
    turn: int = 1
    round: int = 1
    phase: str = "play"
    hidden: int | None = None
    """A number that nobody knows."""

    def in_game(self) -> Sequence[int]:
        return (0, 1)


def take(state: Heap, type: str, data: Any) -> None:
    state.stones -= data["stones"]
    state.turn += 1
    state.to_act = None if state.stones == 0 else 1 - data["seat"]


def scores_of_heap(state: Heap, viewer: int) -> Sequence[float]:
    """The player who took the last stone has more points; before that, nobody knows."""
    winner = state.turn % 2 if state.stones == 0 else -1
    return [float(winner == 0), float(winner == 1)]


def read_heap(position: Any) -> Heap:
    return Heap(position["stones"], position["to_act"])


def heap_position(state: Heap, viewer: int | None) -> Any:
    return {"stones": state.stones, "to_act": state.to_act}


def draw_hidden(state: Heap, seat: int, chance: Chance) -> None:
    state.hidden = chance.below(1000)


def score_takes(position: Any, actions: Sequence[Take], seat: int) -> Sequence[float]:
    """Play perfectly with fewer than eight stones; take as many as possible from more."""
    stones = position["stones"]
    return [
        action.stones + 9 * (stones < 8 and (stones - action.stones) % 4 == 0) for action in actions
    ]


def takes(state: Heap, seat: int) -> Sequence[Take]:
    return [Take(stones) for stones in (1, 2, 3) if stones <= state.stones]


def decide_take(state: Heap, seat: int, action: Take) -> DomainEvent:
    return DomainEvent("Taken", cast("Any", {"seat": seat, "stones": action.stones}))


HEAP: SearchModel[Heap, Take, Any] = SearchModel(
    read_position=read_heap,
    draw_unknown=draw_hidden,
    score_actions=score_takes,
    expected_scores=scores_of_heap,
    margin=1.0,
    horizon=99,
    prior_weight=0.0,
    legal_actions=takes,
    decide=decide_take,
    apply=take,
    copy=replace,
    position=heap_position,
)


def stones_taken(stones: int, count: int, model: SearchModel[Heap, Take, Any] = HEAP) -> int:
    """Return how many stones the search takes from so many, with `count` playouts."""
    position: Any = {"stones": stones, "to_act": 0}
    actions = [Take(n) for n in (1, 2, 3)]
    return SearchBot(model, playouts(count))(position, actions, 0, Chance(bytes(32))).stones


def after(name: str, part: float) -> Any:
    """Return the state of a recorded game after this part of its events, when it is a seat's turn in play."""
    course = course_of(name)
    return next(
        game.state
        for game in course[int(part * len(course)) :]
        if game.to_act is not None and game.round
    )


def choice(rules: AnyRuleSystem, state: Any, count: int = 3, seed: bytes = bytes(32)) -> Any:
    """Return the action that the strong bot chooses with so many playouts."""
    seat = state.to_act
    bot = cast("SearchBot[Any, Any, Any]", rules.BOTS["strong"])
    limited = replace(bot, may_continue=playouts(count))
    actions = rules.legal_actions(state, seat)
    action = limited(rules.position(state, seat), actions, seat, Chance(seed))
    assert action in actions
    return action


@pytest.mark.parametrize(("stones", "best"), [(9, 1), (10, 2), (11, 3)])
def test_a_search_finds_the_action_whose_playouts_win(stones: int, best: int) -> None:
    assert stones_taken(stones, 30) == best


def test_a_search_without_playouts_takes_what_looks_best() -> None:
    assert stones_taken(9, 0) == 3


def test_a_search_asks_before_each_playout_whether_it_may_continue() -> None:
    numbers: list[int] = []

    def may_continue(number: int) -> bool:
        numbers.append(number)
        return number < 5

    SearchBot(HEAP, may_continue)(
        {"stones": 9, "to_act": 0}, [Take(1), Take(2)], 0, Chance(bytes(32))
    )
    assert numbers == [0, 1, 2, 3, 4, 5]


def test_a_search_with_a_single_action_makes_no_playouts() -> None:
    def may_continue(number: int) -> bool:
        raise AssertionError("there is nothing to search")

    bot = SearchBot(HEAP, may_continue)
    assert bot({"stones": 1, "to_act": 0}, [Take(1)], 0, Chance(bytes(32))) == Take(1)


def test_the_same_playout_of_each_action_starts_from_the_same_draw() -> None:
    starts: dict[int, list[int]] = {}

    def decide(state: Heap, seat: int, action: Take) -> DomainEvent:
        if state.turn == 1:
            assert state.hidden is not None
            starts.setdefault(action.stones, []).append(state.hidden)
        return HEAP.decide(state, seat, action)

    stones_taken(9, 30, replace(HEAP, decide=decide))
    draws = max(starts.values(), key=len)
    assert len(set(draws)) > 5
    assert all(hidden == draws[: len(hidden)] for hidden in starts.values())


def test_a_playout_ends_at_the_horizon() -> None:
    turns: list[int] = []

    def expected_scores(state: Heap, viewer: int) -> Sequence[float]:
        turns.append(state.turn)
        return [0.0, 0.0]

    stones_taken(99, 3, replace(HEAP, horizon=4, expected_scores=expected_scores))
    assert turns == [5, 5, 5]


def test_a_seat_that_is_out_has_lost() -> None:
    def go_out(state: Heap, viewer: int) -> Sequence[float]:
        return [-inf if state.stones == 8 else 0.0, 5.0]

    assert stones_taken(9, 12, replace(HEAP, horizon=1, expected_scores=go_out)) != 1


@pytest.mark.parametrize(("rules", "name"), SYSTEMS)
def test_equal_chance_leads_to_equal_choices(rules: AnyRuleSystem, name: str) -> None:
    state = after(name, 0.8)
    assert choice(rules, state) == choice(rules, state)


@pytest.mark.parametrize("part", [0.2, 0.5])
def test_a_choice_does_not_depend_on_what_the_seat_cannot_see(part: float) -> None:
    state: BaronState = after("baron-five", part)
    seat = state.to_act
    assert seat is not None
    other = state.copy()
    chance = Chance(b"other secrets")
    for player in other.players:
        if player is not other.players[seat] and player.out is None:
            player.reserve = None
    strong_bot_of_baron.draw_unknown(other, seat, chance)
    # Everything that is hidden differs, and the seat sees the same.
    assert other.tiles_in_pile() != state.tiles_in_pile()
    assert [player.reserve for player in other.players] != [
        player.reserve for player in state.players
    ]
    assert BARON.position(other, seat) == BARON.position(state, seat)
    for seed in (b"one", b"two"):
        assert choice(BARON, other, 6, seed) == choice(BARON, state, 6, seed)


def test_unknown_tiles_are_drawn_from_those_that_the_seat_does_not_see() -> None:
    state: BaronState = after("baron-five", 0.4)
    seat = state.to_act
    assert seat is not None
    drawn = strong_bot_of_baron.MODEL.read_position(BARON.position(state, seat))
    strong_bot_of_baron.draw_unknown(drawn, seat, Chance(bytes(32)))
    tiles = [
        *drawn.tiles.values(),
        *drawn.market,
        *drawn.removed,
        *drawn.tiles_in_pile(),
        *(tile for player in drawn.players for tile in player.reserve or ()),
    ]
    # Tiles that have left the game may be among those that are drawn, so some are left over.
    assert all(tiles.count(kind) <= count for kind, count in COUNTS.items())
    assert len(drawn.tiles_in_pile()) == state.pile_left
    assert drawn.players[seat].reserve == state.players[seat].reserve
    assert BARON.position(drawn, seat) == BARON.position(state, seat)


@pytest.mark.parametrize(("rules", "name"), SYSTEMS[:2])
@pytest.mark.parametrize("part", [0.0, 0.5, 1.0])
def test_the_state_that_a_position_shows_has_this_position(
    rules: AnyRuleSystem, name: str, part: float
) -> None:
    course = course_of(name)
    state = course[int(part * (len(course) - 1))].state if part else after(name, 0.0)
    position: Position = rules.position(state, 0)
    bot = cast("SearchBot[Any, Any, Any]", rules.BOTS["strong"])
    assert rules.position(bot.model.read_position(position), 0) == position


class TestUncertainBots:
    SCORES = (10.0, 7.5, 5.0, -20.0)

    def choices(self, error: float) -> set[int]:
        actions = [Take(stones) for stones in range(len(self.SCORES))]
        bot: UncertainBot[Take, Any] = UncertainBot(lambda *_: self.SCORES, error)
        chance = Chance(bytes(32))
        return {bot(None, actions, 0, chance).stones for _ in range(500)}

    def test_they_take_nothing_that_is_worse_by_more_than_their_error(self) -> None:
        assert self.choices(0.0) == {0}
        assert self.choices(2.0) == {0}
        assert self.choices(4.0) == {0, 1}
        assert self.choices(12.0) == {0, 1, 2}

    @pytest.mark.parametrize("rules", [rules for rules, _ in SYSTEMS])
    def test_every_game_has_two_levels_below_the_sensible_bot(self, rules: AnyRuleSystem) -> None:
        beginner, casual = (cast("Any", rules.BOTS[level]) for level in ("beginner", "casual"))
        assert beginner.error > casual.error > 0
        assert beginner.score_actions is cast("Any", rules.BOTS["sensible"]).score_actions
