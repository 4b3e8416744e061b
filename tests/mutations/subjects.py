"""The records that are mutated: small finished games of every rule system, with every kind of evidence."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import cache, partial
from typing import Any, Final

from domain.chance import FIRST_SEED_VERSION, SEED_VERSION, SeedVersion
from domain.event import Clock
from domain.json_types import JsonObject
from ledger import commands
from ledger.canonical import canonical
from ledger.keys import SigningKey
from ledger.record import Record
from ledger.statements import AgreeToPause, AnswerDispute, GiveTime, WithdrawDispute
from ledger.transparency.signed_note import NoteKey
from tests.support.local_game import START, LocalGame
from tests.support.records import KEY, PLAYER_KEY, SECRET, Table, read
from tests.support.witnesses import WITNESS, inclusion_of

WEEK: Final = 7 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Subject:
    """A record without a fault, which is sound unless it `has_unknown_draws`. `KEY` has signed it.

    The audits of a record with a proof of inclusion expect that `witnesses` have cosigned it.
    """

    name: str
    data: bytes
    witnesses: tuple[NoteKey, ...] = ()
    has_unknown_draws: bool = False
    """Whether play resumed with new draws and seed version 1: it cannot be known if the server chose them."""

    @property
    def record(self) -> Record:
        """The record, decoded."""
        return read(self.data)


def _barony() -> bytes:
    """A player leaves before the start, one resigns, the clock runs out, two ask for the end."""
    options = {"round_limit": 2, "end_by_agreement": True}
    table = Table("barony", 3, options, {"per_turn": 60}, nonce=b"north")
    table.join("goes", b"west")
    table.leave("goes")
    table.join("player-1", b"south")
    table.join("player-2", b"east")
    table.act_at_random(7, b"barony")
    table.wait(60)
    table.forfeit()
    table.act({"type": "agree_to_end", "agree": True}, seat=1)
    table.act({"type": "agree_to_end", "agree": False}, seat=1)
    table.act({"type": "resign"}, seat=2)
    return _with_inclusion(table.play_out())


def _sorcery() -> bytes:
    options = {"sorcery": True, "round_limit": 3, "seating": "joined"}
    table = Table("barony", 2, options, nonce=b"north")
    table.join("player-1", b"south")
    return table.act_at_random(7, b"sorcery").play_out().record(receipts=True)


def _baron() -> bytes:
    """A game of three, two of whom resign."""
    table = Table("baron", 3, {}, {"per_turn": 60}, nonce=b"north")
    table.join("player-1", b"south")
    table.join("player-2", b"east")
    table.act_at_random(14, b"baron")
    table.act({"type": "resign"}, seat=0)
    table.act_at_random(5, b"baron again")
    table.act({"type": "resign"}, seat=1)
    return _with_inclusion(table.finish())


def _with_inclusion(table: Table) -> bytes:
    """Return a record with receipts and a proof that the log of the server contains its head."""
    return table.record(receipts=True, inclusion=inclusion_of(table))


def _abandoned() -> bytes:
    """A game of Baron that an administrator abandons."""
    game = LocalGame(2, rules="baron", start=START + timedelta(seconds=WEEK))
    game.act(9)
    commands.abandon_game(game.pending, "operator", game.secret)
    return _with_receipts(game)


def _by_mail() -> bytes:
    """A private game with invitations and a bot, in which players have holidays, pause the game, miss
    deadlines, prepare an action and leave a seat to a substitute.
    """
    clock: Clock = {
        "per_turn": 3600,
        "holidays": True,
        "on_deadline": {"excused": 1, "remove_after": 2},
    }
    options = {"private": True, "seating": "joined", "substitutes": True, "round_limit": 5}
    table = Table("barony", 3, options, clock, nonce=b"north")
    pending = table._pending
    table.wait(WEEK)
    for player in ("declines", "revoked", "substitute"):
        commands.invite(pending, player)
    commands.decline(pending, "declines")
    commands.revoke(pending, "revoked")
    commands.join(pending, "robot", b"west", lambda: SECRET, bot="random")
    commands.join(pending, "guest", b"south", lambda: SECRET, invited_by="player-0")
    commands.announce_holiday(
        pending, "guest", "2026-12-24T00:00:00.000Z", "2026-12-26T00:00:00.000Z"
    )
    while table.game.round < 1 or table.game.to_act != 0:
        table.act_first()
    for agree in (True, False):
        for seat in (0, 2):
            AgreeToPause(agree=agree).add(pending, seat, lambda: SECRET)
    commands.cancel_holiday(pending, "guest", "2026-12-24T00:00:00.000Z")
    GiveTime(0, 3600).add(pending, 2, lambda: SECRET)
    table.act_first()
    table.act_first()
    rules = table.game.rules
    assert table.game.to_act == 2
    table.act_as_prepared({**rules.action_to_json(rules.legal_actions(table.game.state, 2)[0])})
    table.act_first()
    table.act_first()
    while "SeatVacated" not in {sealed.event["type"] for sealed in table.sealed}:
        if table.game.to_act == 2:
            table.wait(2 * 3600)
            commands.end_turn(pending, lambda _: None, lambda: SECRET)
        else:
            table.act_first()
    commands.seat_substitute(pending, 2, "substitute")
    return table.play_out().record(receipts=True)


def _signed() -> bytes:
    """A game whose players sign most of their actions; one of them revokes a key."""
    table = Table("barony", 2, {"round_limit": 2, "seating": "joined"}, nonce=b"north")
    table.join("player-1", b"south")
    keys = PLAYER_KEY, SigningKey.from_seed(b"q" * 32)
    table.add_key("player-0", SigningKey.from_seed(b"lost".ljust(32)))
    for seat, key in enumerate(keys):
        table.add_key(f"player-{seat}", key)
    table.revoke_key("player-0", SigningKey.from_seed(b"lost".ljust(32)))
    while (to_act := table.game.to_act) is not None:
        rules, turn = table.game.rules, table.game.turn
        legal = rules.legal_actions(table.game.state, to_act)
        action: JsonObject = {**rules.action_to_json(legal[turn % 2])}
        if turn == 4:
            table.act(action)
        else:
            table.act_signed(action, table.sign(action, keys[to_act]))
    return table.play_out().record(receipts=True)


def _prepared() -> bytes:
    """A game in which one player prepares actions, and signs all but one of them; another signs by hand."""
    table = Table("barony", 2, {"round_limit": 3, "seating": "joined"}, nonce=b"north")
    table.join("player-1", b"south")
    key = SigningKey.from_seed(b"q" * 32)
    table.add_key("player-0", PLAYER_KEY)
    table.add_key("player-1", key)
    table.act_first()
    while (to_act := table.game.to_act) is not None:
        rules, turn = table.game.rules, table.game.turn
        legal = rules.legal_actions(table.game.state, to_act)
        action: JsonObject = {**rules.action_to_json(legal[turn % 2])}
        if to_act == 1 and table.last_actor == 0:
            table.act_as_prepared(action, None if turn == 4 else key)
        else:
            table.act_signed(action, table.sign(action, (PLAYER_KEY, key)[to_act]))
    return table.play_out().record(receipts=True)


def _local(rules: str, **options: Any) -> LocalGame:
    """A game of three players, who supply their nonces, with an arbiter, a clock and takebacks."""
    return LocalGame(3, rules=rules, per_turn=3600, arbiter="judge", takebacks=True, **options)


def _disputed() -> bytes:
    """A dismissed dispute, one that removes a seat, a takeback and a rewind."""
    game = _local("barony")
    game.act(3)
    game.wait(seconds=5)
    number = game.dispute(1, about=6)
    AnswerDispute(number, "No.").add(game.pending, 0, game.secret)
    game.rule(number, {"type": "dismiss"})
    request = game.request_takeback(2)
    for seat in (0, 1):
        game.answer_takeback(request, seat, agree=True)
    game.act()
    game.rule(game.dispute(0), {"type": "resume", "from": 6})
    game.rule(game.dispute(0), {"type": "remove_seat", "seat": 1})
    game.act()
    game.resign(2)
    commands.finish(game.pending, game.secret)
    return _with_receipts(game)


def _stated() -> bytes:
    """A game whose players and arbiter sign what they state on takebacks, disputes, pauses and seats."""
    game = _local("barony", substitutes=True, round_limit=2)
    while game.game.round < 1 or game.game.to_act != 0:
        game.act()
    game.act()
    game.sign("ada", "TakebackRequested", {})
    request = game.request_takeback(0)
    for seat, player in ((1, "bea"), (2, "cid")):
        game.sign(player, "TakebackAnswered", {"request": request, "agree": True})
        game.answer_takeback(request, seat, agree=True)
    game.sign("bea", "DisputeOpened", {"about": 6}, "I object.")
    number = game.dispute(1, about=6)
    game.sign("cid", "DisputeAnswered", {"dispute": number}, "No.")
    AnswerDispute(number, "No.").add(game.pending, 2, game.secret)
    game.sign("bea", "DisputeWithdrawn", {"dispute": number})
    WithdrawDispute(number).add(game.pending, 1, game.secret)
    number = game.dispute(0)
    ruling = {"type": "dismiss"}
    game.sign("judge", "DisputeRuled", {"dispute": number, "ruling": ruling}, "So be it.")
    game.rule(number, ruling)
    for agree in (True, False):
        game.sign("cid", "PauseAgreed", {"agree": agree})
        game.agree_to_pause(2, agree=agree)
    to = game.game.to_act
    assert to is not None
    giver, seat = next(
        (player, seat) for seat, player in enumerate(game.game.players) if seat != to
    )
    game.sign(giver, "TimeGiven", {"to": to, "seconds": 60})
    game.give_time(seat, to, 60)
    game.sign("cid", "SeatVacated", {})
    game.leave_seat(2)
    game.sign("substitute", "SubstituteSeated", {"seat": 2})
    game.seat_substitute(2, "substitute")
    game.act()
    for seat in (0, 1):
        game.resign(seat)
    while game.game.rounds_ended:
        game.score()
    commands.finish(game.pending, game.secret)
    return _with_receipts(game)


def _rewound(seed_version: SeedVersion = SEED_VERSION) -> bytes:
    """A game of Baron without an arbiter in which the players agree to go back, so the pile is drawn anew."""
    game = LocalGame(2, rules="baron", seed_version=seed_version)
    game.act(8)
    origin = game.game.play_seq - 2
    number = game.dispute(0, nonce=b"opens")
    for seat, nonce in ((0, None), (1, b"agrees")):
        game.propose(number, seat, {"type": "resume", "from": origin}, nonce=nonce)
    game.act(4)
    game.resign(1)
    while game.game.rounds_ended:
        game.score()
    commands.finish(game.pending, game.secret)
    return _with_receipts(game)


def _taken_back() -> bytes:
    """A game of Baron with a bot, in which two actions are taken back."""
    game = LocalGame(3, rules="baron", bots=1, takebacks=True)
    for nonces in ((b"asks", None, b"agrees"), (None, b"", b"agrees again")):
        game.act()
        while game.game.last_play is None or game.game.last_play.actions[-1].seat != 0:
            game.act()
        request = game.request_takeback(0, nonces[0])
        for seat, nonce in ((2, nonces[1]), (1, nonces[2])):
            game.answer_takeback(request, seat, agree=True, nonce=nonce)
    for seat in (0, 1):
        game.resign(seat)
    while game.game.rounds_ended:
        game.score()
    commands.finish(game.pending, game.secret)
    return _with_receipts(game)


def _with_receipts(game: LocalGame) -> bytes:
    receipts = [
        canonical({"receipt": KEY.receipt(event)}) + b"\n"
        for event in game.pending.events
        if event["action"]
    ]
    return game.record() + b"".join(receipts)


FIRST_VERSION: Final = "rewound with seed version 1"

BUILDERS: Final[dict[str, Callable[[], bytes]]] = {
    "barony": _barony,
    "sorcery": _sorcery,
    "baron": _baron,
    "abandoned": _abandoned,
    "by mail": _by_mail,
    "signed": _signed,
    "stated": _stated,
    "prepared": _prepared,
    "disputed": _disputed,
    "rewound": _rewound,
    "taken back": _taken_back,
    FIRST_VERSION: partial(_rewound, FIRST_SEED_VERSION),
}


@cache
def subjects() -> tuple[Subject, ...]:
    """Return all records to mutate."""
    subjects = []
    for name, build in BUILDERS.items():
        data = build()
        witnesses = (WITNESS,) if b'"inclusion":' in data else ()
        subjects.append(Subject(name, data, witnesses, has_unknown_draws=name == FIRST_VERSION))
    return tuple(subjects)


SERVER_KEY: Final = KEY.public
"""The public key, in hex, that the audits of these records expect."""
