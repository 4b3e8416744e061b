"""A table without a server: plays one game through `decisions` and `seal`, and writes its record.

Everything is drawn from the game's name and its number `seed`, so the same script makes the same file. Who
plays what is said in `tests/games/make.py`.
"""

from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Final

from domain import lifecycle
from domain.chance import Chance
from domain.contract import DomainEvent, Json
from domain.event import Event
from domain.game import Game
from ledger.keys import SigningKey
from ledger.record import header, write
from ledger.seal import seal

PLAYERS: Final = ("ada", "bea", "cid", "dan", "eve")
NONCES: Final = (b"", b"north", b"\x00" * 64, b"\xf0\x9f\x8e\xb2", b"\xff")
"""Of the shortest, the longest and three other lengths."""
KEY: Final = SigningKey.from_seed(sha256(b"cartulary tests/games").digest())
"""Signs these records and nothing else: whoever reads this line has the private half."""
KEY_SINCE: Final = "2026-01-01T00:00:00.000Z"

START: Final = {"system": "start"}
SCORER: Final = {"system": "scorer"}
CLOCK: Final = {"system": "clock"}
ARBITER: Final = {"system": "arbiter"}


class Table:
    """One game, from its creation to its record.

    `scorer_delay` is how many events the scorer lets pass before it scores a round that has ended.
    """

    def __init__(
        self,
        name: str,
        seats: int,
        *,
        rules: str = "barony",
        seed: int = 0,
        per_turn: int | None = None,
        scorer_delay: int = 0,
        invited: Sequence[str] = (),
        **options: Any,
    ) -> None:
        self.name = name
        self.secret = sha256(f"cartulary tests/games {name} {seed}".encode()).digest()
        self.chance = Chance(sha256(b"players of " + self.secret).digest())
        self.salts = Chance(sha256(b"salts of " + self.secret).digest())
        self.scorer_delay = scorer_delay
        self.now = datetime(2026, 3, 1, 9, tzinfo=UTC)
        self.events: list[Event] = []
        self.lines: list[bytes] = []
        self.opens: dict[int, dict[str, Json]] = {}
        """By seq, what is secret until the game is over."""
        self.after: list[Game] = []
        """The game after each event."""
        clock = None if per_turn is None else {"per_turn": per_turn}
        creation = lifecycle.create(rules, seats, options, clock, self.secret, invited)
        self._add(creation, {"player": PLAYERS[0]})
        self._take_place(PLAYERS[0])

    @property
    def game(self) -> Game:
        """The game at its head."""
        return self.after[-1]

    def joins(self, *players: str) -> None:
        """Players take places; the one that fills the game starts it in the same moment."""
        for player in players:
            self._wait()
            self._take_place(player)
        if lifecycle.can_start(self.game):
            self._add(lifecycle.start(self.game, self.secret), START)

    def leaves(self, player: str) -> None:
        """A player gives the place back; the last one to leave abandons the game in the same moment."""
        self._wait()
        self._add(lifecycle.leave(self.game, player), {"player": player})
        if not self.game.places:
            self._add(lifecycle.abandon(self.game, self.secret), START)

    def play(self, script: str) -> None:
        """Lines of `SEAT ACTION` in short form; `clock`: time is up; `arbiter SEAT`: is removed."""
        for line in filter(None, map(str.strip, script.splitlines())):
            who, _, what = line.partition(" ")
            if who == "clock":
                self._let_time_pass()
            elif who == "arbiter":
                self._wait()
                self._add(lifecycle.remove(self.game, int(what)), ARBITER)
            else:
                self._act(int(who), self.game.rules.parse_action_text(what))
            self._score(self.scorer_delay)

    def bots(
        self,
        until: Callable[[Game], bool],
        *,
        sensible: bool | Collection[int] = True,
        eager: bool = False,
    ) -> None:
        """Bots play until it is so, or play is over; those that are not sensible choose by chance.

        `sensible` may be the seats that are. Eager ones cast all spells that nobody has cast together yet,
        as soon as they can.
        """
        while (seat := self.game.to_act) is not None and not until(self.game):
            rules = self.game.rules
            actions = rules.legal_actions(self.game.state, seat)
            if eager and (casts := self._new_casts(actions)):
                action = casts[self.chance.below(len(casts))]
            elif sensible if isinstance(sensible, bool) else seat in sensible:
                known = [rules.action_to_json(action) for action in actions]
                view = rules.position(self.game.state, seat)
                action = rules.parse_action(rules.BOTS["sensible"](view, known, seat, self.chance))
            else:
                action = self._by_chance(actions)
            self._act(seat, action)
            self._score(self.scorer_delay)

    def end(self) -> None:
        """Score the rounds that are not scored yet, and finish the game."""
        self._score(0)
        self._wait()
        self._add(lifecycle.finish(self.game, self.secret), SCORER)

    def abandon(self) -> None:
        """The arbiter ends the game as it stands; what is not scored yet stays so."""
        self._wait()
        self._add(lifecycle.abandon(self.game, self.secret), ARBITER)

    def record(self, *, with_receipts: bool = False) -> bytes:
        """The record as a file; with receipts for all actions if they are wanted."""
        head = header(self.game, [KEY.published(KEY_SINCE)], KEY.sign_head)
        acted = [event for event in self.events if with_receipts and event["action"]]
        assert self.game.status in ("finished", "abandoned"), (
            "only then is all that is secret opened"
        )
        return b"".join(write(head, self.lines, self.opens, map(KEY.receipt, acted)))

    def _take_place(self, player: str) -> None:
        nonce = NONCES[PLAYERS.index(player)]
        self._add(lifecycle.join(self.game, player, nonce), {"player": player})

    def _act(self, seat: int, action: Any) -> None:
        self._wait()
        fact = lifecycle.act(self.game, seat, action)
        self._add(fact, {"seat": seat}, self.game.rules.action_to_json(action))

    def _new_casts(self, actions: Sequence[Any]) -> list[Any]:
        known = [event["data"]["spells"] for event in self.events if event["type"] == "SpellsCast"]
        casts = [action for action in actions if action.type == "cast"]
        return [cast for cast in casts if list(cast.spells) not in known]

    def _by_chance(self, actions: Sequence[Any]) -> Any:
        """A kind of action first, so that rare ones are taken too."""
        kinds = sorted({action.type for action in actions})
        kind = kinds[self.chance.below(len(kinds))]
        alike = [action for action in actions if action.type == kind]
        return alike[self.chance.below(len(alike))]

    def _let_time_pass(self) -> None:
        """The turn under way takes a little longer than the clock allows."""
        clock = self.game.clock
        assert clock is not None
        began = datetime.fromisoformat(self.game.turn_at)
        self.now = max(self.now, began + timedelta(seconds=clock["per_turn"], milliseconds=250))
        self._add(lifecycle.forfeit(self.game), CLOCK)

    def _score(self, delay: int) -> None:
        """Score every ended round, in order, once the first of them has waited for so many events."""
        ended = self.game.rounds_ended
        if not ended or self.game.seq - min(ended.values()) < delay:
            return
        for round in sorted(ended):
            at_end = self.after[ended[round] - 1]
            self._add(lifecycle.score(self.game, round, at_end), SCORER)

    def _wait(self) -> None:
        """Some time goes by, up to ten minutes."""
        self.now += timedelta(milliseconds=1 + self.chance.below(600_000))

    def _add(self, fact: DomainEvent, by: Json, action: Json | None = None) -> None:
        at = self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        sealed = seal(
            self.after[-1] if self.after else None,
            fact,
            game_id=self.name,
            by=by,
            action=action,
            at=at,
            salt=lambda: bytes(self.salts.below(256) for _ in range(32)),
        )
        if sealed.opens:
            self.opens[sealed.event["seq"]] = sealed.opens
        self.events.append(sealed.event)
        self.lines.append(sealed.line)
        self.after.append(sealed.game)


def never(game: Game) -> bool:
    """Play on until play is over."""
    return False


def in_round(number: int) -> Callable[[Game], bool]:
    """Until that round has begun."""
    return lambda game: bool(game.state.round >= number)
