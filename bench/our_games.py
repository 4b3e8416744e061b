"""The games that are measured: whole games among bots, with logs as a server writes them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from domain.chance import Chance
from domain.contract import Action, Bot, Opened
from domain.event import ZEROS, Event
from domain.game import Game
from domain.lifecycle import NewGame
from ledger import commands
from ledger.canonical import canonical, digest
from ledger.pending import SALT_BYTES, PendingEvents

TIMESTAMP: Final = "2026-01-01T00:00:00.000Z"
ROUND_LIMIT: Final = 60


@dataclass(frozen=True, slots=True)
class Turn:
    """A game in progress, and the action that the seat to act then chose."""

    game: Game
    seat: int
    action: Action


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A whole log, as events and as the lines in which they are stored, and every turn of the game.

    `opened` has the values behind the log's commitments, by seq and name, as a server knows them.
    """

    events: list[Event]
    lines: list[bytes]
    turns: list[Turn]
    opened: Opened


def random_type_bot(position: Any, actions: Sequence[Any], seat: int, chance: Chance) -> Any:
    """Choose a type of action first and then one action of that type; implements `Bot`.

    Most legal actions are moves, so games in which every action is equally likely would consist of moves.
    """
    types = sorted({action.type for action in actions})
    type = types[chance.below(len(types))]
    of_type = [action for action in actions if action.type == type]
    return of_type[chance.below(len(of_type))]


def play(
    rules: str, seats: int, seed: bytes, bot: Bot[Any, Any] | None = None, **options: object
) -> PlayedGame:
    """Play a whole game among bots of one kind, sensible ones by default. Equal seeds give equal logs."""
    pending = PendingEvents("bench", None, timestamp=TIMESTAMP, salt=lambda: bytes(SALT_BYTES))
    commands.create(
        pending, "p0", NewGame(rules=rules, seats=seats, options=options), secret=seed, nonce=b""
    )
    for number in range(1, seats):
        commands.join(pending, f"p{number}", b"", lambda: seed)
    system, chance = pending.game.rules, Chance(seed)
    choose = bot or system.BOTS["sensible"]
    turns: list[Turn] = []
    while (seat := pending.game.to_act) is not None:
        game = pending.game
        legal = system.legal_actions(game.state, seat)
        action = choose(system.position(game.state, seat), legal, seat, chance)
        turns.append(Turn(game, seat, action))
        pending.act(seat, action)
    opened = {
        seq: {name: opening["value"] for name, opening in openings.items()}
        for seq, openings in pending.openings.items()
    }
    return PlayedGame(list(pending.events), list(pending.lines), turns, opened)


def renamed(lines: Iterable[bytes], names: Mapping[str, str]) -> tuple[bytes, ...]:
    """Return a log with other ids for its game and its players, with a sound chain of hashes."""
    log: list[bytes] = []
    prev = ZEROS
    for line in lines:
        for name, other in names.items():
            line = line.replace(b'"%b"' % name.encode(), b'"%b"' % other.encode())  # noqa: PLW2901 # step by step
        event = orjson.loads(line)
        del event["hash"]
        event["prev"] = prev
        event["hash"] = prev = digest(canonical(event))
        log.append(canonical(event))
    return tuple(log)


def resumed_log(length: int, resumptions: int) -> list[bytes]:
    """Play a game of Barony of so many events, in which play goes back now and then, at equal intervals."""
    pending = PendingEvents("bench", None, timestamp=TIMESTAMP, salt=lambda: bytes(SALT_BYTES))
    seed, chance = bytes(32), Chance(b"resumed")
    commands.create(
        pending, "p0", NewGame(rules="barony", seats=4, options={}), secret=seed, nonce=b""
    )
    for number in range(1, 4):
        commands.join(pending, f"p{number}", b"", lambda: seed)
    interval = length // (resumptions + 1)
    while (game := pending.game).seq < length:
        if len(game.resumptions) < resumptions and game.seq % interval == 0:
            origin = game.seq - interval // 2
            while game.is_superseded(origin) or pending.game_at(origin).play_seq != origin:
                origin -= 1
            commands.resume(pending, origin, game.seq, lambda: seed, by=commands.ARBITER)
            continue
        assert game.to_act is not None, "play is not over"
        # Without titles, the game is long enough.
        legal = [
            action
            for action in game.rules.legal_actions(game.state, game.to_act)
            if action.type != "noble_title"
        ]
        pending.act(game.to_act, random_type_bot(None, legal, game.to_act, chance))
    return list(pending.lines)


def barony_games() -> list[PlayedGame]:
    """Play games of Barony for 2, 3 and 4 seats, two of each."""
    return [
        play("barony", seats, bytes([seats, n] * 16), round_limit=ROUND_LIMIT)
        for seats in (2, 3, 4)
        for n in (1, 2)
    ]


def sorcery_games() -> list[PlayedGame]:
    """Play games with Sorcery for 2 to 5 seats, one of sensible bots and one of `random_type_bot` each."""
    return [
        play("barony", seats, bytes([seats, n] * 16), bot, round_limit=ROUND_LIMIT, sorcery=True)
        for seats in (2, 3, 4, 5)
        for n, bot in enumerate((None, random_type_bot))
    ]


def baron_games() -> list[PlayedGame]:
    """Play games of Baron, which has secrets, for 2 to 5 seats, two of each."""
    return [play("baron", seats, bytes([seats, n] * 16)) for seats in (2, 3, 4, 5) for n in (1, 2)]


def long_game() -> PlayedGame:
    """Play a game of Barony with a little more than 300 events."""
    return play("barony", 4, bytes(range(32)), random_type_bot, round_limit=80)


def untitled_bot(position: Any, actions: Sequence[Any], seat: int, chance: Chance) -> Any:
    """Choose like `random_type_bot`, but never buy a title, which would end the game; implements `Bot`."""
    others = [action for action in actions if action.type != "noble_title"]
    return random_type_bot(position, others or actions, seat, chance)


def very_long_game(rounds: int = 1250) -> PlayedGame:
    """Play a game of Barony for four seats with this many rounds of four events: by default 5,018 events."""
    return play("barony", 4, bytes(range(32)), untitled_bot, round_limit=rounds)
