"""The search of the strong bots: Monte Carlo playouts of the most promising actions, for any rule system.

The search gets the position as its seat sees it, and nothing else. For each playout, everything that the
position leaves unknown is drawn at random (determinization), the seat takes one of its candidates, and all
seats continue by the policy of the rule system. The n-th playout of every candidate starts from the same
draw, so that candidates are compared in the same circumstances. UCB1 selects the candidate of the next
playout, and the number of candidates grows with the number of playouts (progressive widening).

There is no clock here: the caller passes a function that limits the search. With a limit on the number of
playouts, equal positions and equal chance lead to equal choices.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, exp, inf, log, sqrt
from typing import Any, Final, Generic, TypeAlias

from domain.chance import Chance
from domain.contract import A, DomainEvent, P, S

MayContinue: TypeAlias = Callable[[int], bool]
"""Returns whether a search that has made this number of playouts may begin another one."""

DEFAULT_PLAYOUTS: Final = 24
"""The number of playouts of a search that gets no other limit."""
MOST_PLAYOUTS: Final = 10_000
"""The number of playouts after which every search ends: more would not change its choice."""
SEED_BYTES: Final = 32
ERROR_STEPS: Final = 1000
"""The number of different errors of an `UncertainBot`."""

EXPLORATION: Final = 0.15
"""The weight of uncertainty in UCB1, for values that range from 0 to 1 but seldom differ much."""
FIRST_CANDIDATES: Final = 2
WIDENING: Final = 0.5
"""The number of candidates is FIRST_CANDIDATES times this power of the number of playouts."""
WIN: Final = 0.5
"""The part of the value of a finished playout that depends on who wins; the rest depends on the margin."""


def playouts(count: int) -> MayContinue:
    """Return the limit of a search that makes this number of playouts."""
    return lambda number: number < count


DEFAULT_LIMIT: Final = playouts(DEFAULT_PLAYOUTS)


@dataclass(frozen=True, slots=True)
class SearchModel(Generic[S, A, P]):
    """What the search needs from a rule system.

    `legal_actions`, `decide`, `apply`, `copy` and `position` are those of the contract.
    """

    read_position: Callable[[P], S]
    """Returns the state that a position shows; what the position leaves open is unknown in it."""
    draw_unknown: Callable[[S, int, Chance], None]
    """Draws everything that the seat cannot know, and writes it into a state that the caller owns."""
    score_actions: Callable[[P, Sequence[A], int], Sequence[float]]
    """Returns how good each action looks to the seat. Playouts take the best one."""
    expected_scores: Callable[[S, int], Sequence[float]]
    """Returns the score that each seat can expect at the end, as the given seat estimates it; the final score
    if play is over, and -inf for a seat that is out.
    """
    margin: float
    """A lead in score that decides most games."""
    horizon: int
    """The number of turns after which a playout ends."""
    prior_weight: float
    """How many playouts count as much as `score_actions`; 0 if these are not scores of the game."""
    legal_actions: Callable[[S, int], Sequence[A]]
    decide: Callable[[S, int, A], DomainEvent]
    apply: Callable[[S, str, Any], None]
    copy: Callable[[S], S]
    position: Callable[[S, int | None], P]


@dataclass(frozen=True, slots=True)
class SensibleBot(Generic[A, P]):
    """A bot that takes the action with the highest score, and searches nothing (`domain.contract.Bot`)."""

    score_actions: Callable[[P, Sequence[A], int], Sequence[float]]

    def __call__(self, position: P, actions: Sequence[A], seat: int, chance: Chance) -> A:
        """Return the action with the highest score; `chance` decides among equals."""
        return best_action(self.score_actions(position, actions, seat), actions, chance)


@dataclass(frozen=True, slots=True)
class UncertainBot(Generic[A, P]):
    """A bot that is wrong about each action by up to `error`, and takes the best one as it sees them.

    It never takes an action whose score is worse than the best one by more than that (`domain.contract.Bot`).
    """

    score_actions: Callable[[P, Sequence[A], int], Sequence[float]]
    error: float

    def __call__(self, position: P, actions: Sequence[A], seat: int, chance: Chance) -> A:
        """Return the action with the highest score after a random error was added to each of them."""
        scores = self.score_actions(position, actions, seat)
        seen = [score + self.error * chance.below(ERROR_STEPS) / ERROR_STEPS for score in scores]
        return best_action(seen, actions, chance)


class _Candidate(Generic[A]):
    """An action with the results of its playouts."""

    __slots__ = ("action", "playouts", "prior", "total")

    def __init__(self, action: A, prior: float) -> None:
        self.action = action
        self.prior = prior
        """What `score_actions` adds to the sum of the values; 0 for the best action, and less for others."""
        self.playouts = 0
        self.total = 0.0

    @property
    def value(self) -> float:
        """The mean value of the playouts, corrected by the prior, whose influence decreases with each one."""
        return (self.total + self.prior) / self.playouts


@dataclass(frozen=True, slots=True)
class SearchBot(Generic[S, A, P]):
    """A bot that searches within a limit (`domain.contract.Bot`)."""

    model: SearchModel[S, A, P]
    may_continue: MayContinue = DEFAULT_LIMIT

    def __call__(self, position: P, actions: Sequence[A], seat: int, chance: Chance) -> A:
        """Return the action whose playouts went best, or the one that looks best if there was no playout."""
        if len(actions) == 1:
            return actions[0]
        model = self.model
        ranked = self._ranked(position, actions, seat, chance)
        visible_state = model.read_position(position)
        starts: list[tuple[S, bytes]] = []
        candidates: list[_Candidate[A]] = []
        number = 0
        while number < MOST_PLAYOUTS and self.may_continue(number):
            width = min(len(ranked), ceil(FIRST_CANDIDATES * (number + 1) ** WIDENING))
            if len(candidates) < width:
                candidate = ranked[len(candidates)]
                candidates.append(candidate)
            else:
                candidate = max(candidates, key=_upper_bound(number))
            if candidate.playouts == len(starts):
                seed = bytes(chance.below(256) for _ in range(SEED_BYTES))
                sample = model.copy(visible_state)
                model.draw_unknown(sample, seat, Chance(seed))
                starts.append((sample, seed))
            start, seed = starts[candidate.playouts]
            candidate.total += self._playout(start, candidate.action, seat, Chance(seed))
            candidate.playouts += 1
            number += 1
        if not candidates:
            return ranked[0].action
        return max(candidates, key=lambda candidate: candidate.value).action

    def ranked_actions(
        self, position: P, actions: Sequence[A], seat: int, chance: Chance
    ) -> list[A]:
        """Return the actions in the order in which the search tries them; equal ones are in random order.

        Scores are compared in millionths, so that the order does not depend on how a machine rounds.
        """
        shuffled = chance.shuffle(actions)
        scores = self.model.score_actions(position, shuffled, seat)
        ranked = self._alternating([round(score, 6) for score in scores], shuffled)
        return [candidate.action for candidate in ranked]

    def _ranked(
        self, position: P, actions: Sequence[A], seat: int, chance: Chance
    ) -> list[_Candidate[A]]:
        """Return the actions as candidates in the order in which they are tried."""
        shuffled = chance.shuffle(actions)
        scores = self.model.score_actions(position, shuffled, seat)
        return self._alternating(scores, shuffled)

    def _alternating(self, scores: Sequence[float], actions: Sequence[A]) -> list[_Candidate[A]]:
        """Return the actions with these scores as candidates.

        After the best action, the best one of each other type alternates with the best of all others: actions
        of one type often differ little. Equal ones stay in their order.
        """
        highest, weight = max(scores), self.model.prior_weight / self.model.margin
        candidates = [
            _Candidate(action, weight * (score - highest))
            for score, action in sorted(
                zip(scores, actions, strict=True), key=lambda pair: pair[0], reverse=True
            )
        ]
        best_of_type: dict[str, _Candidate[A]] = {}
        for candidate in candidates:
            best_of_type.setdefault(candidate.action.type, candidate)
        best, *first = best_of_type.values()
        others = [candidate for candidate in candidates if candidate not in best_of_type.values()]
        alternating = [candidate for pair in zip(first, others, strict=False) for candidate in pair]
        return [best, *alternating, *first[len(others) :], *others[len(first) :]]

    def _playout(self, start: S, action: A, seat: int, chance: Chance) -> float:
        """Return the value, to the seat, of the game that follows an action; 0 is lost, and 1 is won."""
        model = self.model
        state = model.copy(start)
        last_turn = state.turn + model.horizon
        self._take(state, seat, action)
        while (mover := state.to_act) is not None and state.turn < last_turn:
            self._take(state, mover, self._policy(state, mover, chance))
        return self._value(state, seat)

    def _take(self, state: S, seat: int, action: A) -> None:
        event = self.model.decide(state, seat, action)
        self.model.apply(state, event.type, event.data)

    def _policy(self, state: S, seat: int, chance: Chance) -> A:
        """Return the action that looks best to the seat whose turn it is."""
        model = self.model
        actions = model.legal_actions(state, seat)
        if len(actions) == 1:
            return actions[0]
        scores = model.score_actions(model.position(state, seat), actions, seat)
        return best_action(scores, actions, chance)

    def _value(self, state: S, seat: int) -> float:
        """Return how well the seat stands compared with each of the others, on average."""
        scores = self.model.expected_scores(state, seat)
        win = WIN if state.to_act is None else 0.0
        values = [
            win * _is_ahead(scores[seat], other) + (1 - win) * self._lead(scores[seat], other)
            for number, other in enumerate(scores)
            if number != seat
        ]
        return sum(values) / len(values)

    def _lead(self, own: float, other: float) -> float:
        """Return the lead of a score over another one: 0.5 if they are equal, towards 0 or 1 otherwise."""
        if -inf in (own, other):
            return _is_ahead(own, other)
        return 1 / (1 + exp(max(-30.0, min(30.0, (other - own) / self.model.margin))))


def _is_ahead(own: float, other: float) -> float:
    return 1.0 if own > other else 0.5 if own == other else 0.0


def _upper_bound(number: int) -> Callable[[_Candidate[Any]], float]:
    """Return UCB1 after this number of playouts: how good a candidate may be."""
    logarithm = log(number)
    return lambda candidate: candidate.value + EXPLORATION * sqrt(logarithm / candidate.playouts)


def best_action(scores: Sequence[float], actions: Sequence[A], chance: Chance) -> A:
    """The action with the highest score; one of them at random if there are several."""
    highest = max(scores)
    best = [action for action, points in zip(actions, scores, strict=True) if points == highest]
    return best[chance.below(len(best))]
