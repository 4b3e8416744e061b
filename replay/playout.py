"""Whole games among bots, without a server: decided, sealed and recorded by the same code as any game.

A bot gets what a person at its seat gets, the position as it may see it and the list of legal actions, and
what it chooses goes the same way. Everything comes of one seed: equal plans give records of equal bytes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Final

from domain import lifecycle
from domain.chance import Chance
from domain.contract import DomainEvent, Json
from domain.errors import Malformed
from domain.game import Game
from domain.registry import rule_system_for
from ledger import record
from ledger.keys import SigningKey
from ledger.seal import Sealed, seal
from replay.bots import USUAL, bot_named, bot_names

ROUND_LIMIT: Final = 100
"""Bots need not come to an end: the limit where the game knows one and none is asked for."""
START: Final = datetime(2026, 1, 1, tzinfo=UTC)
PACE: Final = timedelta(seconds=10)
"""Between one event and the next."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to play. `options` are whole, `bots` are named by seat in the order of joining."""

    rules: str
    seats: int
    options: Json
    bots: tuple[str, ...]
    seed: bytes

    def game_seed(self, number: int) -> bytes:
        """The 32 bytes that all of the game of this number (from 1) comes of."""
        return _derived(self.seed, "game", number)


@dataclass(slots=True)
class Played:
    """A game played to its end: the game, its record, and how many actions it took."""

    game: Game
    record: bytes
    actions: int


def plan(
    rules: str,
    seats: int,
    seed: bytes,
    options: Mapping[str, Any],
    bots: Sequence[str] = USUAL,
    round_limit: int | None = None,
) -> Plan:
    """A plan that can be played; `round_limit` 0 is none, None the usual one. `bots` are seated in turn.

    Raises Malformed with every wrong field: `rules`, `seats`, `options.NAME`, `bots`.
    """
    system = rule_system_for(rules, options)
    unknown = [name for name in bots if name not in bot_names(system)]
    if unknown or not bots:
        raise Malformed({"bots": f"must be of {', '.join(bot_names(system))}"})
    if round_limit is not None:
        whole = lifecycle.check_options(
            rules, seats, {**options, "round_limit": round_limit or None}
        )
    else:
        try:
            whole = lifecycle.check_options(rules, seats, {**options, "round_limit": ROUND_LIMIT})
        except Malformed as refused:
            if "options.round_limit" not in refused.fields:
                raise
            # A game without this option: only what the caller asked for is checked.
            whole = lifecycle.check_options(rules, seats, options)
    seated = tuple(bots[seat % len(bots)] for seat in range(seats))
    return Plan(rules, seats, whole, seated, seed)


def play(plan: Plan, number: int = 1) -> Played:
    """The game of that number (from 1), played to its end and recorded."""
    table = _Table(plan, number)
    table.seat_everyone()
    actions = 0
    while table.game.to_act is not None:
        table.act()
        table.score()
        actions += 1
    table.score()
    table.finish()
    return Played(table.game, table.record(), actions)


class _Table:
    """One game under way."""

    def __init__(self, plan: Plan, number: int) -> None:
        self.plan = plan
        self.seed = plan.game_seed(number)
        self.sealed: list[Sealed] = []
        self.minds: dict[str, Chance] = {}
        """By player, the chance that the bot's choices come of."""
        self.ends: dict[int, Game] = {}
        """By round not yet scored, the game as it stood at its end."""
        self._salts = Chance(self._derived("salts"))

    @property
    def game(self) -> Game:
        return self.sealed[-1].game

    def _derived(self, *label: str | int) -> bytes:
        return _derived(self.seed, *label)

    def _add(self, fact: DomainEvent, by: Json, action: Json | None = None) -> None:
        made = seal(
            self.game if self.sealed else None,
            fact,
            game_id=f"playout-{self.seed.hex()[:12]}",
            by=by,
            action=action,
            at=_written(START + PACE * len(self.sealed)),
            salt=lambda: bytes(self._salts.below(256) for _ in range(32)),
        )
        self.sealed.append(made)
        for round, seq in made.game.rounds_ended.items():
            if seq == made.event["seq"]:
                self.ends[round] = made.game

    def seat_everyone(self) -> None:
        """Create the game, let all bots join, start it."""
        plan = self.plan
        players = [f"bot-{place}-{name}" for place, name in enumerate(plan.bots, 1)]
        secret = self._derived("secret")
        fact = lifecycle.create(plan.rules, plan.seats, plan.options, None, secret)
        self._add(fact, {"player": players[0]})
        for player in players:
            nonce = self._derived("nonce", player)
            self._add(lifecycle.join(self.game, player, nonce), {"player": player})
            self.minds[player] = Chance(self._derived("mind", player))
        self._add(lifecycle.start(self.game, secret), {"system": "start"})

    def act(self) -> None:
        """Let the bot whose turn it is act, as a person would."""
        game = self.game
        seat = game.to_act
        assert seat is not None
        rules, player = game.rules, game.players[seat]
        name = player.split("-", 2)[2]
        legal = [rules.action_to_json(action) for action in rules.legal_actions(game.state, seat)]
        position = rules.position(game.state, seat)
        chosen = bot_named(rules, name)(position, legal, seat, self.minds[player])
        action = rules.parse_action(chosen)
        self._add(lifecycle.act(game, seat, action), {"seat": seat}, rules.action_to_json(action))

    def score(self) -> None:
        """Score every round that has ended."""
        while self.game.rounds_ended:
            round = min(self.game.rounds_ended)
            fact = lifecycle.score(self.game, round, self.ends.pop(round))
            self._add(fact, {"system": "scorer"})

    def finish(self) -> None:
        """Rank the players and open the secret."""
        self._add(lifecycle.finish(self.game, self._derived("secret")), {"system": "scorer"})

    def record(self) -> bytes:
        """The record, signed by a key of the playout's own."""
        key = SigningKey.from_seed(_derived(self.plan.seed, "key"))
        keys = [key.published(_written(START))]
        opens = {made.event["seq"]: made.opens for made in self.sealed if made.opens}
        header = record.header(self.game, keys, key.sign_head)
        return b"".join(record.write(header, (made.line for made in self.sealed), opens))


def played(plan: Plan, games: int) -> Iterator[Played]:
    """The first `games` games of a plan, one after the other."""
    for number in range(1, games + 1):
        yield play(plan, number)


def _derived(seed: bytes, *label: str | int) -> bytes:
    """32 bytes that are a seed's own for this label."""
    return sha256(f"cartulary playout v1 {label!r} ".encode() + seed).digest()


def _written(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.000Z")
