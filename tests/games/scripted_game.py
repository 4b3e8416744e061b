"""Plays one game without a server, from a script or by bots, and writes its record.

Everything derives from the game's name and its `seed`, so the same script writes the same file. The scripts
are in tests/games/*_scripts.py.
"""

from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from typing import Any, Final, TypeAlias

from domain.chance import Chance
from domain.event import Clock
from domain.game import Game
from domain.lifecycle import NewGame
from ledger import commands
from ledger.canonical import format_timestamp
from ledger.clock.turn_clock import deadline
from ledger.commands import SecretSource
from ledger.keys import SigningKey
from ledger.pending import SALT_BYTES, PendingEvents
from ledger.player_signatures import sign_action
from ledger.record import header, write
from replay.bots.absent_player import action_for_absent_player

PLAYERS: Final = ("ada", "bea", "cid", "dan", "eve")
NONCES: Final = (b"", b"north", b"\x00" * 64, b"\xf0\x9f\x8e\xb2", b"\xff")
"""One per player: the shortest, the longest, and three other lengths."""
KEY: Final = SigningKey.from_seed(sha256(b"cartulary tests/games").digest())
"""Signs these records and nothing else: everybody who reads this line has the private key."""
KEY_SINCE: Final = "2026-01-01T00:00:00.000Z"

Command: TypeAlias = Callable[[PendingEvents, SecretSource], None]
"""A command of the ledger on pending events; it gets the game's secret too."""


class ScriptedGame:
    """One game, from its creation to its record.

    `scorer_delay` is the number of events that the scorer lets pass before it scores a round.
    """

    def __init__(
        self,
        name: str,
        seats: int,
        *,
        rules: str = "barony",
        seed: int = 0,
        per_turn: int | None = None,
        clock: Clock | None = None,
        scorer_delay: int = 0,
        invited: Sequence[str] = (),
        **options: Any,
    ) -> None:
        self._secret = sha256(f"cartulary tests/games {name} {seed}".encode()).digest()
        self._chance = Chance(sha256(b"players of " + self._secret).digest())
        salts = Chance(sha256(b"salts of " + self._secret).digest())
        self._scorer_delay = scorer_delay
        self._now = datetime(2026, 3, 1, 9, tzinfo=UTC)
        self._pending = PendingEvents(
            name,
            None,
            timestamp=lambda: format_timestamp(self._now),
            salt=lambda: bytes(salts.below(256) for _ in range(SALT_BYTES)),
        )
        commands.create(
            self._pending,
            PLAYERS[0],
            NewGame(
                rules=rules,
                seats=seats,
                options=options,
                clock=clock if per_turn is None else {"per_turn": per_turn},
                invited=invited,
            ),
            secret=self._secret,
            nonce=NONCES[0],
        )

    @property
    def game(self) -> Game:
        """The game after its last event."""
        return self._pending.game

    def join(self, *players: str) -> None:
        """Let players join, one after the other; the last free place starts the game."""
        for player in players:
            self._wait()
            nonce = NONCES[PLAYERS.index(player)]
            commands.join(self._pending, player, nonce, lambda: self._secret)

    def add_bot(self, player: str, bot: str, nonce: bytes | None = None) -> None:
        """Let the creator add the bot with this name, as this player; the last free place starts the game."""
        self._wait()
        nonce = player.encode() if nonce is None else nonce
        commands.join(self._pending, player, nonce, lambda: self._secret, bot=bot)

    def leave(self, player: str) -> None:
        """Let a player leave before the start; the last one to leave abandons the game."""
        self._wait()
        commands.leave(self._pending, player, lambda: self._secret)

    def add_key(self, player: str) -> None:
        """Let a player register a key; from then on, they sign their actions."""
        self._wait()
        key = self._key_of(player)
        commands.add_key(self._pending, player, key.id, key.public)

    def revoke_key(self, player: str) -> None:
        """Let a player revoke their key."""
        self._wait()
        commands.revoke_key(self._pending, player, self._key_of(player).id)

    def give_hint(self, seat: int) -> None:
        """Let a seat get a hint for the position in which it is its turn."""
        self._wait()
        commands.give_hint(self._pending, seat)

    def play(self, script: str) -> None:
        """Play lines of `SEAT ACTION`, in short form, or `clock` (a deadline passes), or `arbiter SEAT`
        (the arbiter removes that seat).
        """
        for line in filter(None, map(str.strip, script.splitlines())):
            actor, _, action = line.partition(" ")
            if actor == "clock":
                self._pass_deadline()
            elif actor == "arbiter":
                self._wait()
                commands.remove(self._pending, int(action), lambda: self._secret)
            else:
                self._act(int(actor), self.game.rules.parse_action_text(action))
            self._score(self._scorer_delay)

    def play_bots(
        self,
        until: Callable[[Game], bool],
        *,
        sensible: bool | Collection[int] = True,
        eager: bool = False,
    ) -> None:
        """Let bots play until the condition holds or play is over.

        `sensible`: whether the seats, or which of them, play sensibly; the others choose at random. With
        `eager`, a seat casts a combination of spells that nobody has cast yet as soon as it can.
        """
        while (seat := self.game.to_act) is not None and not until(self.game):
            rules = self.game.rules
            actions = rules.legal_actions(self.game.state, seat)
            if eager and (casts := self._new_casts(actions)):
                action = casts[self._chance.below(len(casts))]
            elif sensible if isinstance(sensible, bool) else seat in sensible:
                position = rules.position(self.game.state, seat)
                bot = rules.BOTS["sensible"]
                action = bot(position, actions, seat, self._chance)
            else:
                action = self._random_action(actions)
            self._act(seat, action)
            self._score(self._scorer_delay)

    def command(self, command: Command) -> None:
        """Carry out a command on the game."""
        self._wait()
        command(self._pending, lambda: self._secret)

    def miss_deadline(self) -> None:
        """Let the deadline of the turn under way pass, and the clock do what the game's options say."""
        moment = deadline(self.game)
        assert moment is not None
        self._now = max(self._now, moment) + timedelta(milliseconds=250)
        choose = partial(action_for_absent_player, chance=self._chance)
        commands.end_turn(self._pending, choose, lambda: self._secret)
        self._score(self._scorer_delay)

    def finish(self) -> None:
        """Score the remaining rounds and finish the game."""
        self._score(0)
        self._wait()
        commands.finish(self._pending, lambda: self._secret)

    def abandon(self) -> None:
        """Let the arbiter abandon the game; rounds that are not scored stay unscored."""
        self._wait()
        commands.abandon(self._pending, lambda: self._secret)

    def record(self, *, with_receipts: bool = False) -> bytes:
        """Return the record as a file, with a receipt for each action if asked for."""
        assert self.game.has_ended, "only then may all secrets be in the record"
        head = header(self.game, [KEY.public_entry(KEY_SINCE)], KEY.sign_head)
        actions = [event for event in self._pending.events if with_receipts and event["action"]]
        receipts = map(KEY.receipt, actions)
        return b"".join(write(head, self._pending.lines, self._pending.openings, receipts))

    def _act(self, seat: int, action: Any) -> None:
        self._wait()
        game = self.game
        player = game.players[seat]
        key = self._key_of(player)
        if game.keys.get(player, {}).get(key.id) is not None:
            action_json = game.rules.action_to_json(action)
            self._pending.sign_next(sign_action(key, game.id, game.hash, action_json))
        self._pending.act(seat, action)

    def _key_of(self, player: str) -> SigningKey:
        return SigningKey.from_seed(
            sha256(f"cartulary tests/games key of {player}".encode()).digest()
        )

    def _new_casts(self, actions: Sequence[Any]) -> list[Any]:
        cast = [
            event["data"]["spells"]
            for event in self._pending.events
            if event["type"] == "SpellsCast"
        ]
        return [
            action
            for action in actions
            if action.type == "cast" and list(action.spells) not in cast
        ]

    def _random_action(self, actions: Sequence[Any]) -> Any:
        """Draw a type of action first, so that rare types are taken as well."""
        types = sorted({action.type for action in actions})
        type = types[self._chance.below(len(types))]
        candidates = [action for action in actions if action.type == type]
        return candidates[self._chance.below(len(candidates))]

    def _pass_deadline(self) -> None:
        """Let the turn under way take a little longer than the clock allows."""
        clock = self.game.clock
        assert clock is not None
        turn_start = datetime.fromisoformat(self.game.turn_at)
        self._now = max(
            self._now, turn_start + timedelta(seconds=clock["per_turn"], milliseconds=250)
        )
        commands.forfeit(self._pending, lambda: self._secret)

    def _score(self, delay: int) -> None:
        """Score all ended rounds once `delay` events have followed the end of the first of them."""
        ended = self.game.rounds_ended
        if not ended or self.game.seq - min(ended.values()) < delay or self.game.has_ended:
            return
        while self.game.rounds_ended:
            commands.score_next_round(self._pending, self._pending.game_at)

    def _wait(self) -> None:
        """Let up to ten minutes pass."""
        self._now += timedelta(milliseconds=1 + self._chance.below(600_000))


def never(_game: Game) -> bool:
    """The condition to play until play is over."""
    return False


def in_round(number: int) -> Callable[[Game], bool]:
    """Return the condition that this round has begun."""
    return lambda game: bool(game.round >= number)
