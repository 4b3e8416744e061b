"""Records made move by move for tests, by the rules, or forged by somebody who can seal as well as we can.

`Table` plays through the same decisions and seals as anything else; `forged` changes the events of a record
and makes chain, positions and head fit again, so that only the rules can tell.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

from domain import lifecycle
from domain.contract import DomainEvent, Json
from domain.event import ZEROS, Event
from domain.game import Game, evolve
from ledger import record
from ledger.canonical import canonical, digest
from ledger.keys import SigningKey
from ledger.record import Record
from ledger.seal import Sealed, seal, state_hash
from replay.audit import Finding, Report, audit

KEY = SigningKey.from_seed(b"k" * 32)
STRANGER = SigningKey.from_seed(b"s" * 32)
SINCE = "2026-01-01T00:00:00.000Z"
SECRET = bytes(range(32))


class Table:
    """A game played move by move; every event comes a second after the one before."""

    def __init__(
        self,
        rules: str = "heap",
        seats: int = 2,
        options: Mapping[str, Any] | None = None,
        clock: Json | None = None,
    ) -> None:
        self.at = datetime(2026, 11, 20, 9, 15, tzinfo=UTC)
        self.sealed: list[Sealed] = []
        self.ends: dict[int, Game] = {}
        self.add(
            lifecycle.create(rules, seats, options or {}, clock, SECRET), {"player": "player-0"}
        )

    @property
    def game(self) -> Game:
        return self.sealed[-1].game

    def add(self, fact: DomainEvent, by: Json, action: Json | None = None) -> Event:
        """Seal a fact, whoever says that it is one."""
        made = seal(
            self.game if self.sealed else None,
            fact,
            game_id="game-1",
            by=by,
            action=action,
            at=self.at.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            salt=lambda: digest(str(len(self.sealed)).encode()).encode()[:32],
        )
        self.sealed.append(made)
        self.at += timedelta(seconds=1)
        for round, seq in made.game.rounds_ended.items():
            if seq == made.game.seq:
                self.ends[round] = made.game
        return made.event

    def wait(self, seconds: int) -> None:
        self.at += timedelta(seconds=seconds)

    def join(self, player: str, nonce: bytes = b"nonce") -> None:
        self.add(lifecycle.join(self.game, player, nonce), {"player": player})

    def start(self) -> "Table":
        """Everybody joins who is still missing, and the game starts."""
        while len(self.game.places) < self.game.seats:
            self.join(f"player-{len(self.game.places)}")
        self.add(lifecycle.start(self.game, SECRET), {"system": "start"})
        return self

    def act(self, action: Json, seat: int | None = None) -> Event:
        who = self.game.to_act if seat is None else seat
        assert who is not None
        parsed = self.game.rules.parse_action(action)
        return self.add(lifecycle.act(self.game, who, parsed), {"seat": who}, action)

    def take(self, stones: int) -> Event:
        return self.act({"type": "take", "stones": stones})

    def forfeit(self) -> Event:
        return self.add(lifecycle.forfeit(self.game), {"system": "clock"})

    def remove(self, seat: int) -> Event:
        return self.add(lifecycle.remove(self.game, seat), {"system": "arbiter"})

    def score(self) -> None:
        while self.game.rounds_ended:
            round = min(self.game.rounds_ended)
            self.add(lifecycle.score(self.game, round, self.ends[round]), {"system": "scorer"})

    def finish(self) -> "Table":
        self.score()
        self.add(lifecycle.finish(self.game, SECRET), {"system": "scorer"})
        return self

    def play_out(self) -> "Table":
        """Whoever is to act takes the first legal action, to the end."""
        while (seat := self.game.to_act) is not None:
            rules = self.game.rules
            self.act(rules.action_to_json(rules.legal_actions(self.game.state, seat)[0]))
        return self.finish()

    def abandon(self, by: str = "arbiter") -> "Table":
        self.add(lifecycle.abandon(self.game, SECRET), {"system": by})
        return self

    def record(
        self, *, opened: bool = True, receipts: bool = False, key: SigningKey = KEY
    ) -> bytes:
        """The record; `opened`: with all secrets, `receipts`: with one for every action."""
        opens = {made.game.seq: made.opens for made in self.sealed if made.opens and opened}
        signed = [
            key.receipt(made.event) for made in self.sealed if made.event["action"] and receipts
        ]
        header = record.header(self.game, [key.published(SINCE)], key.sign_head)
        return b"".join(record.write(header, (made.line for made in self.sealed), opens, signed))


def read(data: bytes) -> Record:
    return record.read(BytesIO(data))


def audited(data: bytes, **options: Any) -> Report:
    return audit(BytesIO(data), **options)


def found(data: bytes, check: str, **options: Any) -> Finding:
    """The first thing that is wrong, which must be by that check."""
    report = audited(data, **options)
    assert not report.is_sound
    first = report.first
    assert first is not None
    assert first.check == check, first
    return first


def forged(
    data: bytes,
    change: Callable[[list[Event]], None] | None = None,
    *,
    states: bool = False,
    key: SigningKey = KEY,
) -> bytes:
    """The record with its events changed (None: as they are) and the chain made to fit.

    `states`: the positions too. `key` signs it.
    """
    told = read(data)
    events = deepcopy(told.events)
    if change is not None:
        change(events)
    game: Game | None = None
    prev = ZEROS
    lines = []
    for seq, event in enumerate(events, 1):
        event["seq"], event["prev"] = seq, prev
        if states:
            game = evolve(game, event, told.opened())
            event["state"] = state_hash(game)
        unsealed = {name: value for name, value in event.items() if name != "hash"}
        event["hash"] = prev = digest(canonical(unsealed))
        if game is not None:
            game.hash = prev
        lines.append(canonical(event))
    header = {
        **told.header,
        "keys": [key.published(SINCE)],
        "head": {"seq": len(events), "hash": prev},
    }
    return b"".join(record.write(key.sign_head(header), lines, told.opens))
