"""Plays whole games among bots, without a server, and writes their records.

Games run through the same commands as those of the service. A bot gets what a player at its seat gets: the
position as this seat may see it, and the list of legal actions. Everything derives from one seed: equal plans
give equal records, byte for byte.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from domain import lifecycle
from domain.chance import Chance
from domain.contract import Action, AnyRuleSystem, Bot, Position
from domain.errors import Malformed
from domain.event import Options
from domain.game import Game
from domain.json_fields import one_of
from domain.json_types import JsonObject
from domain.lifecycle import NewGame
from domain.registry import EXPANSIONS, rule_system_for
from domain.search import MayContinue, SearchBot
from ledger import commands, record
from ledger.canonical import format_timestamp
from ledger.files.output_files import write_file
from ledger.keys import SigningKey
from ledger.pending import SALT_BYTES, PendingEvents

A = TypeVar("A", bound=Action)
N = TypeVar("N")
T = TypeVar("T")

RANDOM: Final = "random"
"""The bot that plays every game, by chance alone."""
_ROUND_LIMIT: Final = "round_limit"
"""The option of games that can go on for ever, which ends them after a number of rounds."""
STRONG: Final = "strong"
"""The bot that searches, which every game of this project has."""
DEFAULT_BOTS: Final = ("sensible", RANDOM)
DEFAULT_ROUND_LIMIT: Final = 100
"""The round limit of games that have this option: bots need not end a game."""
START: Final = datetime(2026, 1, 1, tzinfo=UTC)
PACE: Final = timedelta(seconds=10)
"""The time between two events."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The games to play. `options` are complete; `bots` are in the order of joining, one per seat."""

    rules: str
    seats: int
    options: Options
    bots: tuple[str, ...]
    seed: bytes

    def game_seed(self, number: int) -> bytes:
        """Return the 32 bytes from which the game of this number (from 1) derives."""
        return _derived(self.seed, "game", number)

    def signing_key(self) -> SigningKey:
        """Return the key that signs the records, which everybody who knows the seed can derive."""
        return SigningKey.from_seed(_derived(self.seed, "key"))


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A game that was played to its end, its record, and the number of its actions."""

    game: Game
    record: bytes
    actions: int


def random_bot(position: Position, actions: Sequence[A], seat: int, chance: Chance) -> A:
    """Return any of the actions, each with the same probability."""
    return actions[chance.below(len(actions))]


def bot_names(rules: AnyRuleSystem) -> list[str]:
    """Return the names of the bots that can play this game, sorted."""
    return sorted({*rules.BOTS, RANDOM})


def quick_bot_names(rules: AnyRuleSystem) -> list[str]:
    """Return the names of the bots that can play this game and do not search, sorted."""
    return [name for name in bot_names(rules) if not isinstance(rules.BOTS.get(name), SearchBot)]


def bot_named(
    rules: AnyRuleSystem, name: str, may_continue: MayContinue | None = None
) -> Bot[Any, Any]:
    """Return the bot with one of the names of `bot_names`.

    `may_continue` limits the search of a bot that searches; without it, the bot makes its own number of
    playouts.
    """
    if name == RANDOM:
        return random_bot
    bot = rules.BOTS[name]
    if may_continue is not None and isinstance(bot, SearchBot):
        return replace(bot, may_continue=may_continue)
    return bot


def plan(
    rules: str,
    seats: int,
    seed: bytes,
    options: Mapping[str, Any],
    bots: Sequence[str] = DEFAULT_BOTS,
    round_limit: int | None = None,
) -> Plan:
    """Return a valid plan. The bots take the seats in turn, again from the first if there are more seats.

    A `round_limit` of 0 means no limit, None the default one. Raises Malformed, which names the wrong fields:
    `rules`, `seats`, `options.NAME`, `bots`.
    """
    system = rule_system_for(rules, options)
    if not bots or any(name not in bot_names(system) for name in bots):
        raise Malformed({"bots": one_of(bot_names(system))})
    if round_limit is not None or _ROUND_LIMIT in {field.name for field in system.OPTION_FIELDS}:
        limit = DEFAULT_ROUND_LIMIT if round_limit is None else round_limit or None
        options = {**options, _ROUND_LIMIT: limit}
    complete = lifecycle.check_options(rules, seats, options)
    names = tuple(bots[place % len(bots)] for place in range(seats))
    return Plan(rules, seats, complete, names, seed)


def play(
    plan: Plan, number: int = 1, observe: Callable[[PendingEvents], None] = lambda _: None
) -> FinishedGame:
    """Play the game of this number (from 1) to its end and return it with its record.

    `observe` is called with the events so far before each action, and at the end.
    """
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
        NewGame(rules=plan.rules, seats=plan.seats, options=plan.options),
        secret=secret,
        nonce=_derived(seed, "nonce", players[0]),
    )
    for player in players[1:]:
        commands.join(pending, player, _derived(seed, "nonce", player), lambda: secret)
    chances = {player: Chance(_derived(seed, "mind", player)) for player in players}
    actions = 0
    while (seat := pending.game.to_act) is not None:
        observe(pending)
        pending.act(seat, _chosen_action(pending.game, seat, chances))
        while pending.game.rounds_ended:
            commands.score_next_round(pending, pending.game_at)
        actions += 1
    commands.finish(pending, lambda: secret)
    observe(pending)
    return FinishedGame(pending.game, _record(plan, pending), actions)


def _chosen_action(game: Game, seat: int, chances: Mapping[str, Chance]) -> Any:
    rules, player = game.rules, game.players[seat]
    legal = rules.legal_actions(game.state, seat)
    bot = bot_named(rules, player.split("-", 2)[2])
    return bot(rules.position(game.state, seat), legal, seat, chances[player])


def _record(plan: Plan, pending: PendingEvents) -> bytes:
    """The record of a whole game, signed by a key that derives from the plan's seed."""
    key = plan.signing_key()
    header = record.header(pending.game, [key.public_entry(format_timestamp(START))], key.sign_head)
    return b"".join(record.write(header, pending.lines, pending.openings))


def _derived(seed: bytes, *label: str | int) -> bytes:
    return sha256(f"cartulary playout v1 {label!r} ".encode() + seed).digest()


def play_to_files(
    plan: Plan, games: int, folder: Path, jobs: int = 1, *, overwrite: bool = False
) -> Iterator[JsonObject]:
    """Play the first games of a plan and write their records; yield a summary of each, in order.

    The files are named after rules, expansions, seats, the seed of the game and its number, so that
    equal plans write equal files. `jobs` is the number of processes. Raises FileExistsError for a file that
    exists, unless it is to be overwritten, and OSError if one cannot be written.
    """
    play_one = partial(_play_to_file, plan, folder, overwrite)
    yield from in_processes(play_one, range(1, games + 1), jobs, chunksize=4)


def in_processes(
    run: Callable[[N], T], tasks: Sequence[N], jobs: int, chunksize: int = 1
) -> Iterator[T]:
    """Yield the results of tasks, such as games by their numbers, in order, from so many processes."""
    if jobs == 1 or len(tasks) == 1:
        yield from map(run, tasks)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(min(jobs, len(tasks)), get_context("spawn"))
    try:
        yield from pool.map(run, tasks, chunksize=chunksize)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def record_path(plan: Plan, folder: Path, number: int) -> Path:
    """Return the file in a folder for the record of one of the games of a plan."""
    expansions = [
        name
        for rules, name in EXPANSIONS
        if rules == plan.rules and cast("JsonObject", plan.options)[name]
    ]
    words = (plan.rules, *expansions, plan.seats, plan.game_seed(number).hex()[:8], f"{number:04}")
    return folder / f"{'-'.join(map(str, words))}.jsonl"


def _play_to_file(plan: Plan, folder: Path, overwrite: bool, number: int) -> JsonObject:  # noqa: FBT001 # by position, as `map` passes the number
    finished = play(plan, number)
    game, path = finished.game, record_path(plan, folder, number)
    write_file(path, finished.record, overwrite=overwrite)
    return {
        "file": str(path),
        "game": game.id,
        "events": game.seq,
        "actions": finished.actions,
        "rounds": game.rounds_scored,
        "ranking": [
            {**place, "player": game.players[place["seat"]]} for place in game.ranking or ()
        ],
    }
