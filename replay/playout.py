"""Whole games among bots, without a server: decided, sealed and recorded by the same code as any game.

A bot gets what a person at its seat gets, the position as it may see it and the list of legal actions, and
what it chooses goes the same way. Everything comes of one seed: equal plans give records of equal bytes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import count
from typing import Any, Final

from domain import lifecycle
from domain.chance import Chance
from domain.errors import Malformed
from domain.event import Options
from domain.game import Game
from domain.registry import rule_system_for
from ledger import commands, record
from ledger.envelope import format_timestamp
from ledger.keys import SigningKey
from ledger.pending import PendingEvents
from ledger.seal import SALT_BYTES
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
    options: Options
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
    """Play the game of this number (from 1) to its end and return it with its record."""
    seed = plan.game_seed(number)
    secret = _derived(seed, "secret")
    salts = Chance(_derived(seed, "salts"))
    events = count()
    pending = PendingEvents(
        f"playout-{seed.hex()[:12]}",
        None,
        timestamp=lambda: format_timestamp(START + PACE * next(events)),
        salt=lambda: bytes(salts.below(256) for _ in range(SALT_BYTES)),
    )
    players = [f"bot-{place}-{name}" for place, name in enumerate(plan.bots, 1)]
    commands.create(
        pending,
        players[0],
        rules=plan.rules,
        seats=plan.seats,
        options=plan.options,
        clock=None,
        secret=secret,
        nonce=_derived(seed, "nonce", players[0]),
    )
    for player in players[1:]:
        commands.join(pending, player, _derived(seed, "nonce", player), lambda: secret)
    chances = {player: Chance(_derived(seed, "mind", player)) for player in players}
    actions = 0
    while (seat := pending.game.to_act) is not None:
        commands.act(pending, seat, _chosen_action(pending.game, seat, chances))
        _score_rounds(pending)
        actions += 1
    commands.finish(pending, lambda: secret)
    return Played(pending.game, _record(plan, pending), actions)


def _chosen_action(game: Game, seat: int, chances: Mapping[str, Chance]) -> Any:
    """The action that the seat's bot chooses from what a person at its seat would see."""
    rules, player = game.rules, game.players[seat]
    legal = rules.legal_actions(game.state, seat)
    bot = bot_named(rules, player.split("-", 2)[2])
    return bot(rules.position(game.state, seat), legal, seat, chances[player])


def _score_rounds(pending: PendingEvents) -> None:
    while pending.game.rounds_ended:
        commands.score_next_round(pending, pending.game_at)


def _record(plan: Plan, pending: PendingEvents) -> bytes:
    """The record of a whole game, signed by a key that derives from the plan's seed."""
    key = SigningKey.from_seed(_derived(plan.seed, "key"))
    header = record.header(pending.game, [key.public_entry(format_timestamp(START))], key.sign_head)
    return b"".join(record.write(header, pending.lines, pending.openings))


def played(plan: Plan, games: int) -> Iterator[Played]:
    """The first `games` games of a plan, one after the other."""
    for number in range(1, games + 1):
        yield play(plan, number)


def _derived(seed: bytes, *label: str | int) -> bytes:
    """32 bytes that are a seed's own for this label."""
    return sha256(f"cartulary playout v1 {label!r} ".encode() + seed).digest()
