"""Plays bots against each other, and sums up how good they are.

A lineup is a set of bots that play in the same games: all of them if there are no more than seats, otherwise
every choice of as many as there are seats. In successive games of a lineup, its bots move round by one seat,
and as many games as there are seats have the same set-up, so that every bot plays the same set-up from each
seat.

Games are played by the rules alone, without a log. Everything derives from one seed; with a limit on
playouts, equal plans have equal results, whatever the number of processes.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import combinations
from typing import Any, Final

from domain.chance import Chance
from domain.errors import Malformed
from domain.event import Options
from domain.json_types import JsonObject
from domain.messages import message
from domain.registry import RegisteredRuleSystem, rule_system_for
from domain.search import MayContinue, playouts
from replay.bots.playout import bot_named, in_processes, plan
from replay.bots.ratings import ratings, wilson_interval
from replay.bots.thinking_time import ThinkingTime

FEWEST_BOTS: Final = 2


@dataclass(frozen=True, slots=True)
class ArenaPlan:
    """Games of one rule system with one number of seats; `games` for each lineup of the bots.

    `options` are complete. `playouts` and `seconds` limit the searches of bots; without either, each bot has
    its own limit.
    """

    rules: str
    name: str
    seats: int
    options: Options
    bots: tuple[str, ...]
    games: int
    seed: bytes
    playouts: int | None = None
    seconds: float | None = None

    @property
    def lineups(self) -> tuple[tuple[str, ...], ...]:
        """The bots of each lineup.

        If there are fewer bots than seats, some of them play several seats, and in turn every bot does.
        """
        if len(self.bots) >= self.seats:
            return tuple(combinations(self.bots, self.seats))
        return tuple(
            tuple(self.bots[(first + place) % len(self.bots)] for place in range(self.seats))
            for first in range(len(self.bots))
        )

    @property
    def number_of_games(self) -> int:
        """The number of games of all lineups."""
        return self.games * len(self.lineups)

    def limit(self) -> MayContinue | None:
        """Return a new limit for the searches of one bot; None for its own."""
        if self.playouts is not None:
            return playouts(self.playouts)
        return None if self.seconds is None else ThinkingTime(self.seconds)


@dataclass(frozen=True, slots=True)
class ArenaGame:
    """The result of a game: the bot, the place and the score of each seat."""

    bots: tuple[str, ...]
    places: tuple[int, ...]
    scores: tuple[int, ...]


def arena_plan(
    entry: RegisteredRuleSystem,
    seats: int,
    bots: Sequence[str],
    games: int,
    seed: bytes,
    *,
    playouts: int | None = None,
    seconds: float | None = None,
) -> ArenaPlan:
    """Return a valid plan. Raises Malformed, which names the wrong fields: `seats`, `bots`."""
    if len(set(bots)) < max(FEWEST_BOTS, len(bots)):
        raise Malformed({"bots": message("must be at least two different bots, each named once")})
    options = plan(entry.rules, seats, seed, entry.options, bots).options
    return ArenaPlan(
        entry.rules, entry.name, seats, options, tuple(bots), games, seed, playouts, seconds
    )


def play_games(plan: ArenaPlan, jobs: int = 1) -> Iterator[ArenaGame]:
    """Play the games of a plan in this number of processes, and yield their results in order."""
    yield from in_processes(partial(play_game, plan), range(plan.number_of_games), jobs)


def play_game(plan: ArenaPlan, number: int) -> ArenaGame:
    """Play the game of this number (from 0) of a plan to its end."""
    rules = rule_system_for(plan.rules, plan.options)
    lineup = plan.lineups[number // plan.games]
    round, shift = divmod(number % plan.games, plan.seats)
    bots = tuple(lineup[(seat + shift) % plan.seats] for seat in range(plan.seats))
    opening = rules.set_up(plan.seats, plan.options, _chance(plan.seed, "set-up", round))
    state = rules.initial_state(plan.seats, plan.options, opening.data, opening.secrets)
    players = [bot_named(rules, bot, plan.limit()) for bot in bots]
    chances = [_chance(plan.seed, "bot", number, seat) for seat in range(plan.seats)]
    while (seat := state.to_act) is not None:
        position, actions = rules.position(state, seat), rules.legal_actions(state, seat)
        action = players[seat](position, actions, seat, chances[seat])
        event = rules.decide(state, seat, action)
        rules.apply(state, event.type, event.data)
    data: Any = rules.finish(state).data
    by_seat = {entry["seat"]: entry for entry in data["ranking"]}
    return ArenaGame(
        bots,
        tuple(by_seat[seat]["place"] for seat in range(plan.seats)),
        tuple(by_seat[seat]["score"] for seat in range(plan.seats)),
    )


def _chance(seed: bytes, *label: str | int) -> Chance:
    return Chance(sha256(f"cartulary arena v1 {label!r} ".encode() + seed).digest())


def summary(plan: ArenaPlan, games: Iterable[ArenaGame]) -> JsonObject:
    """Return what the games show of the bots: ratings, wins, average scores and places, and each pair.

    The bots are in order of their ratings. Among seats that share the first place, each has a part of the
    win.
    """
    played = list(games)
    rated = ratings(plan.bots, _results(played, plan.seats))
    ranked = sorted(zip(plan.bots, rated, strict=True), key=lambda pair: -pair[1].points)
    return {
        "rules": plan.name,
        "seats": plan.seats,
        "games": len(played),
        "seed": plan.seed.hex(),
        "playouts": plan.playouts,
        "seconds": plan.seconds,
        "bots": [
            {
                "bot": bot,
                "rating": round(rating.points, 1),
                "rating_margin": round(rating.margin, 1),
                **_record_of(bot, played),
            }
            for bot, rating in ranked
        ],
        "pairs": [_pair(one, other, played) for one, other in combinations(plan.bots, 2)],
    }


def _results(games: Sequence[ArenaGame], seats: int) -> Mapping[tuple[str, str], float]:
    """Return how often each bot was ahead of each other one, as `ratings` takes it.

    The comparisons of one game depend on each other. Their weights add up to the number of seats less one.
    """
    results: defaultdict[tuple[str, str], float] = defaultdict(float)
    for game in games:
        for one, other in combinations(range(seats), 2):
            if game.bots[one] != game.bots[other]:
                ahead = _ahead(game.places[one], game.places[other])
                results[game.bots[one], game.bots[other]] += ahead * 2 / seats
                results[game.bots[other], game.bots[one]] += (1 - ahead) * 2 / seats
    return results


def _ahead(own: int, other: int) -> float:
    return 1.0 if own < other else 0.5 if own == other else 0.0


def _record_of(bot: str, games: Sequence[ArenaGame]) -> JsonObject:
    results = [
        (place, score, 1 / game.places.count(1) if place == 1 else 0.0)
        for game in games
        for name, place, score in zip(game.bots, game.places, game.scores, strict=True)
        if name == bot
    ]
    count = len(results)
    return {
        "games": count,
        "wins": round(sum(win for _, _, win in results), 2),
        "average_score": round(sum(score for _, score, _ in results) / count, 2),
        "average_place": round(sum(place for place, _, _ in results) / count, 2),
    }


def _pair(one: str, other: str, games: Sequence[ArenaGame]) -> JsonObject:
    """Return how often a bot was ahead of another one, with the interval of confidence of this share."""
    compared = [
        _ahead(game.places[own], game.places[theirs])
        for game in games
        for own, name in enumerate(game.bots)
        for theirs, name_of_other in enumerate(game.bots)
        if (name, name_of_other) == (one, other)
    ]
    low, high = wilson_interval(sum(compared), len(compared))
    return {
        "bots": [one, other],
        "compared": len(compared),
        "ahead": compared.count(1.0),
        "tied": compared.count(0.5),
        "behind": compared.count(0.0),
        "share": round(sum(compared) / len(compared), 4),
        "share_interval": [round(low, 4), round(high, 4)],
    }
