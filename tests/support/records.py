"""Records for tests: of games played action by action, and forged ones.

`Table` plays with the same commands as the service. `forge_record` changes the events of a record and
computes the chain, the states and the signature again, so that only the rules can refute it.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import copy, deepcopy
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any, Literal

import orjson

from domain import lifecycle
from domain.chance import SEED_VERSION, Chance, SeedVersion
from domain.conditional import Node, Tree
from domain.contract import DomainEvent
from domain.event import (
    ZEROS,
    ActionSignature,
    By,
    Clock,
    Event,
    NonceSource,
    PreparedSignature,
    acting_seat,
)
from domain.fold import EarlierGames, evolve
from domain.game import Game
from domain.json_types import JsonObject
from domain.lifecycle import NewGame
from ledger import commands, record
from ledger.canonical import canonical, digest
from ledger.keys import SigningKey
from ledger.pending import PendingEvents, Sealed, state_hash
from ledger.player_signatures import PreparedActions, sign_action, sign_prepared, step_of
from ledger.record import Record
from replay.audit import Finding, Report, TrustedKey, TrustedKeys, audit
from replay.language.catalogue import languages
from replay.language.renderer import renderer

KEY = SigningKey.from_seed(b"k" * 32)
STRANGER = SigningKey.from_seed(b"s" * 32)
PLAYER_KEY = SigningKey.from_seed(b"p" * 32)
SINCE = "2026-01-01T00:00:00.000Z"
SECRET = bytes(range(32))
ENGLISH = renderer("en")


def secret_values(record: Record) -> dict[str, Any]:
    """Return the values of all opened secrets by name, for a record in which no two have the same name."""
    return {
        name: value
        for by_name in record.opened_values().values()
        for name, value in by_name.items()
    }


def tree_of(actions: Sequence[tuple[By, JsonObject | None]]) -> Tree:
    """Return conditional actions of one line: actions with their actors, each after the one before it."""
    tree: Tree = ()
    for by, action in reversed(actions):
        seat = acting_seat(by)
        assert seat is not None
        assert action is not None
        tree = (Node(seat, action, {}, tree),)
    return tree


def prove(
    key: SigningKey, tree: Tree, seat: int, game: str, head: str, path: Sequence[Node] = ()
) -> PreparedSignature:
    """Return the proof that the last action of a path in a tree was prepared after `head`; without a path,
    the first action of the seat in a tree of one line.
    """
    actions = PreparedActions(tree, seat, b"salt".ljust(32))
    signature = sign_prepared(key, game, head, actions)["signature"]
    nodes = [*path]
    while not path:
        (node,) = nodes[-1].then if nodes else tree
        nodes.append(node)
        if node.seat == seat:
            break
    steps = [*map(step_of, nodes[:-1]), {"seat": seat, "action": nodes[-1].action}]
    return actions.proof(steps, key.id, head, signature)


class Table:
    """A game played action by action without a server; each event is a second later than the previous one."""

    def __init__(
        self,
        rules: str = "stones",
        seats: int = 2,
        options: Mapping[str, Any] | None = None,
        clock: Clock | None = None,
        *,
        nonce: bytes = b"nonce",
        nonce_from: NonceSource = "player",
        seed_version: SeedVersion = SEED_VERSION,
    ) -> None:
        """Create the game; `player-0` takes its first place, with this nonce."""
        self._pending = PendingEvents(
            "game-1", None, timestamp=self._next_timestamp, salt=self._salt
        )
        self._at = datetime(2026, 11, 20, 9, 15, tzinfo=UTC)
        commands.create(
            self._pending,
            "player-0",
            NewGame(rules=rules, seats=seats, options=options or {}, clock=clock),
            secret=SECRET,
            nonce=nonce,
            nonce_from=nonce_from,
            seed_version=seed_version,
        )

    @property
    def sealed(self) -> Sequence[Sealed]:
        """All events so far, each with the game after it."""
        return self._pending.sealed

    @property
    def game(self) -> Game:
        """The game after its last event."""
        return self._pending.game

    def add(self, event: DomainEvent, by: By, action: Mapping[str, object] | None = None) -> Event:
        """Seal an event, whether or not the rules allow it, and return it."""
        self._pending.add(event, by, action)
        return self._last_event

    def wait(self, seconds: int) -> None:
        """Let time pass before the next event."""
        self._at += timedelta(seconds=seconds)

    def join(
        self, player: str, nonce: bytes = b"nonce", nonce_from: NonceSource = "player"
    ) -> None:
        """Let a player join; the last free place starts the game."""
        commands.join(self._pending, player, nonce, lambda: SECRET, nonce_from=nonce_from)

    def add_bot(self, player: str, nonce: bytes = b"") -> None:
        """Let the creator add a bot; the last free place starts the game."""
        commands.join(self._pending, player, nonce, lambda: SECRET, bot="random")

    def leave(self, player: str) -> None:
        """Let a player leave before the start."""
        commands.leave(self._pending, player, lambda: SECRET)

    def start(self) -> "Table":
        """Let players take the remaining places, which starts the game."""
        while self.game.status == "open":
            self.join(f"player-{len(self.game.places)}")
        return self

    def act(self, action: Mapping[str, object], seat: int | None = None) -> Event:
        """Let a seat act, by default the one whose turn it is, and return the event."""
        actor = self.game.to_act if seat is None else seat
        assert actor is not None
        self._pending.act(actor, self.game.rules.parse_action(action))
        return self._last_event

    def add_key(self, player: str, key: SigningKey) -> Event:
        """Register a key with which the player may sign actions."""
        commands.add_key(self._pending, player, key.id, key.public)
        return self._last_event

    def revoke_key(self, player: str, key: SigningKey) -> Event:
        """Revoke a key of the player."""
        commands.revoke_key(self._pending, player, key.id)
        return self._last_event

    def sign(self, action: JsonObject, key: SigningKey, head: str | None = None) -> ActionSignature:
        """Return a signature for an action on the current position, or on that after another event."""
        return sign_action(key, self.game.id, head or self.game.hash, action)

    def act_signed(self, action: JsonObject, signature: ActionSignature) -> Event:
        """Let the seat whose turn it is take an action with a signature, which is not checked."""
        assert self.game.to_act is not None
        parsed = self.game.rules.parse_action(action)
        self._pending.sign_next(signature)
        self._pending.act(self.game.to_act, parsed)
        return self._last_event

    def act_as_prepared(self, action: JsonObject, key: SigningKey | None = None) -> Event:
        """Let the seat whose turn it is take an action that it had prepared before the last action; with a
        key, it had signed this.
        """
        seat = self.game.to_act
        assert seat is not None
        prepared = None
        if key is not None:
            events = self._pending.events
            last = max(event["seq"] for event in events if event["action"])
            tree = tree_of(
                [(events[last - 1]["by"], events[last - 1]["action"]), ({"seat": seat}, action)]
            )
            prepared = prove(key, tree, seat, self.game.id, events[last - 2]["hash"])
        parsed = self.game.rules.parse_action(action)
        self._pending.act(seat, parsed, is_conditional=True, prepared=prepared)
        return self._last_event

    def act_first(self) -> Event:
        """Let the seat whose turn it is take its first legal action."""
        rules, seat = self.game.rules, self.game.to_act
        assert seat is not None
        return self.act(rules.action_to_json(rules.legal_actions(self.game.state, seat)[0]))

    def take(self, stones: int) -> Event:
        """Act in the token game (tests/support/token_game.py)."""
        return self.act({"type": "take", "stones": stones})

    def forfeit(self) -> Event:
        """Let the clock forfeit the turn under way, but not abandon a deserted game."""
        return self.add(lifecycle.forfeit(self.game), commands.CLOCK)

    def remove(self, seat: int) -> Event:
        """Let the arbiter remove a seat, without the clock abandoning a deserted game."""
        return self.add(lifecycle.remove(self.game, seat), commands.ARBITER)

    def resume(self, origin: int) -> Event:
        """Resume play after event `origin`, without a ruling or an agreement."""
        seq = self.game.seq
        commands.resume(self._pending, origin, seq, lambda: SECRET, by=commands.ARBITER)
        return self._last_event

    def act_at_random(self, actions: int, seed: bytes = b"") -> "Table":
        """Let the seats take so many of their legal actions, drawn from a seed."""
        chance = Chance(seed)
        for _ in range(actions):
            rules, seat = self.game.rules, self.game.to_act
            assert seat is not None
            legal = rules.legal_actions(self.game.state, seat)
            self.act(rules.action_to_json(legal[chance.below(len(legal))]))
        return self

    def score(self) -> None:
        """Score all rounds that have ended."""
        while self.game.rounds_ended:
            commands.score_next_round(self._pending, self._pending.game_at)

    def finish(self) -> "Table":
        """Score the remaining rounds and finish the game."""
        self.score()
        commands.finish(self._pending, lambda: SECRET)
        return self

    def play_out(self) -> "Table":
        """Let every seat take its first legal action until play is over, and finish the game."""
        while self.game.to_act is not None:
            self.act_first()
        return self.finish()

    def abandon(self, by: Literal["arbiter", "start", "clock"] = "arbiter") -> "Table":
        """Abandon the game."""
        commands.abandon(self._pending, lambda: SECRET, by={"system": by})
        return self

    def until(self, seq: int) -> "Table":
        """Return the same game as it was after event `seq`."""
        earlier = copy(self)
        earlier._pending = copy(self._pending)
        earlier._pending.sealed = self._pending.sealed[:seq]
        return earlier

    def record(
        self,
        *,
        opened: bool = True,
        receipts: bool = False,
        key: SigningKey = KEY,
        inclusion: JsonObject | None = None,
    ) -> bytes:
        """Return the record, with or without its secrets and a receipt for every action."""
        events = self._pending.events
        signed = [key.receipt(event) for event in events if event["action"] and receipts]
        header = record.header(
            self.game, [key.public_entry(SINCE)], key.sign_head, inclusion=inclusion
        )
        openings = self._pending.openings if opened else {}
        return b"".join(record.write(header, self._pending.lines, openings, signed))

    @property
    def last_actor(self) -> int | None:
        """The seat that took the last action; None before the first one."""
        seats = [acting_seat(event["by"]) for event in self._pending.events if event["action"]]
        return seats[-1] if seats else None

    @property
    def _last_event(self) -> Event:
        return self._pending.sealed[-1].event

    def _next_timestamp(self) -> str:
        timestamp = self._at.strftime("%Y-%m-%dT%H:%M:%S.000Z")
        self._at += timedelta(seconds=1)
        return timestamp

    def _salt(self) -> bytes:
        return digest(str(len(self._pending.sealed)).encode()).encode()[:32]


def read(data: bytes) -> Record:
    """Return the record in these bytes."""
    return record.read(BytesIO(data))


TRUSTED = TrustedKeys((TrustedKey(KEY.public, "test"),))


def signed_again(data: bytes, key: SigningKey = KEY, **fields: Any) -> bytes:
    """The record with other fields in its header, which the key has signed."""
    first, _, rest = data.partition(b"\n")
    header = orjson.loads(first)
    head = {name: header["head"][name] for name in ("seq", "hash")}
    return canonical(key.sign_head({**header, **fields, "head": head})) + b"\n" + rest


def audit_record(data: bytes, *, trusted: TrustedKeys = TRUSTED, **options: Any) -> Report:
    """Return the report of an audit of these bytes by a reader who trusts the key of the test records.

    The report can be shown in every language.
    """
    report = audit(BytesIO(data), trusted=trusted, **options)
    for language in languages():
        assert canonical(report.as_json(renderer(language)))
    return report


def trusting_signer(data: bytes) -> TrustedKeys:
    """Return the key that signed a record, as that of a reader who trusts it."""
    header = orjson.loads(data.split(b"\n", 1)[0])
    publics = {entry["key"]: entry["public"] for entry in header["keys"]}
    return TrustedKeys((TrustedKey(publics[header["head"]["key"]], "test"),))


def first_finding(data: bytes, check: str, **options: Any) -> Finding:
    """Return the first finding of an audit, which must come from this check."""
    report = audit_record(data, **options)
    assert report.verdict == "broken"
    first = report.first
    assert first is not None
    assert first.check == check, first
    return first


def forge_record(
    data: bytes,
    change: Callable[[list[Event]], None] | None = None,
    *,
    states: bool = False,
    key: SigningKey = KEY,
) -> bytes:
    """Return the record with its events changed (None: as they are) and with a valid hash chain.

    With `states`, the state hashes are computed again as well. `key` signs the header.
    """
    original = read(data)
    earlier = EarlierGames(original.events)
    events = deepcopy(original.events)
    if change is not None:
        change(events)
    game: Game | None = None
    prev = ZEROS
    lines = []
    for seq, event in enumerate(events, 1):
        event["seq"], event["prev"] = seq, prev
        if states:
            game = evolve(game, event, original.opened_values(), earlier)
            earlier.keep(game)
            event["state"] = state_hash(game)
        unsealed = {name: value for name, value in event.items() if name != "hash"}
        event["hash"] = prev = digest(canonical(unsealed))
        if game is not None:
            game.hash = prev
        lines.append(canonical(event))
    header = {
        **original.header,
        "keys": [key.public_entry(SINCE)],
        "head": {"seq": len(events), "hash": prev},
    }
    return b"".join(record.write(key.sign_head(header), lines, original.openings))
