"""Our games: whole logs of games among sensible bots, sealed as a server seals them."""

from collections.abc import Sequence
from dataclasses import dataclass

from domain.chance import Chance
from domain.contract import Bot, Json
from domain.event import Event
from domain.game import Game
from ledger import commands
from ledger.pending import PendingEvents
from ledger.seal import SALT_BYTES

AT = "2026-01-01T00:00:00.000Z"
ROUNDS = 60


@dataclass(frozen=True, slots=True)
class Played:
    """A log with its lines, and the game before each action."""

    events: list[Event]
    lines: list[bytes]
    turns: list[tuple[Game, int, object]]
    opened: dict[str, object]
    """What is secret, by name, as a server knows it."""


def any_of_a_kind(position: Json, actions: Sequence[Json], seat: int, chance: Chance) -> Json:
    """A bot that draws a kind of action first, so that its games go on and on."""
    kinds = sorted({action["type"] for action in actions})
    kind = kinds[chance.below(len(kinds))]
    kindred = [action for action in actions if action["type"] == kind]
    return kindred[chance.below(len(kindred))]


def play(
    rules: str,
    seats: int,
    seed: bytes,
    bot: Bot | None = None,
    **options: object,
) -> Played:
    """A whole game of sensible bots, or of the bot given; equal seeds give equal logs."""
    pending = PendingEvents("bench", None, timestamp=lambda: AT, salt=lambda: bytes(SALT_BYTES))
    commands.create(
        pending,
        "p0",
        rules=rules,
        seats=seats,
        options=options,
        clock=None,
        secret=seed,
        nonce=b"",
    )
    for number in range(1, seats):
        commands.join(pending, f"p{number}", b"", lambda: seed)
    turns: list[tuple[Game, int, object]] = []
    chance, system = Chance(seed), pending.game.rules
    while (seat := pending.game.to_act) is not None:
        game = pending.game
        legal = [system.action_to_json(a) for a in system.legal_actions(game.state, seat)]
        position = system.position(game.state, seat)
        raw_action = (bot or system.BOTS["sensible"])(position, legal, seat, chance)
        action = system.parse_action(raw_action)
        turns.append((game, seat, action))
        commands.act(pending, seat, action)
    opened = {
        name: opening["value"]
        for openings in pending.openings.values()
        for name, opening in openings.items()
    }
    return Played(list(pending.events), list(pending.lines), turns, opened)


def some_games() -> list[Played]:
    """Games of 2, 3 and 4 seats."""
    return [
        play("barony", seats, bytes([seats, n] * 16), round_limit=ROUNDS)
        for seats in (2, 3, 4)
        for n in (1, 2)
    ]


def expanded_games() -> list[Played]:
    """Games of 2 to 5 seats with the expansion."""
    return [
        play("barony", seats, bytes([seats, n] * 16), bot=bot, round_limit=ROUNDS, sorcery=True)
        for seats in (2, 3, 4, 5)
        for n, bot in enumerate((None, any_of_a_kind))
    ]


def games_with_secrets() -> list[Played]:
    """Games of 2 to 5 seats in which some things are known to some only."""
    return [play("baron", seats, bytes([seats, n] * 16)) for seats in (2, 3, 4, 5) for n in (1, 2)]


def long_game() -> Played:
    """A game of 300 events and a few more."""
    return play("barony", 4, bytes(range(32)), round_limit=80, bot=any_of_a_kind)
