"""A game without a server, whose time the test sets: for disputes, takebacks and clocks."""

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from domain.chance import SEED_VERSION, SeedVersion
from domain.event import ActionSignature, Clock
from domain.game import Game
from domain.json_types import JsonObject
from domain.lifecycle import NewGame
from ledger import commands, record
from ledger.canonical import format_timestamp
from ledger.clock.turn_clock import deadline
from ledger.keys import SigningKey
from ledger.pending import PendingEvents, commitment
from ledger.player_signatures import sign, statement_payload
from ledger.statements import (
    AgreeToPause,
    AnswerTakeback,
    GiveRuling,
    GiveTime,
    OpenDispute,
    RequestTakeback,
)
from tests.support.records import KEY, SINCE

PLAYERS = ("ada", "bea", "cid", "dan", "eve")
SECRET = b"s" * 32
NONCE = b"nonce"
"""What each person supplies, which lets them join in any order."""
START = datetime(2026, 11, 20, 9, tzinfo=UTC)


def key_of(player: str) -> SigningKey:
    """Return the key with which a person signs."""
    return SigningKey.from_seed(player.encode().ljust(32))


class LocalGame:
    """A game that has started; the seats are in the order of PLAYERS, those of bots last.

    Its time begins at `start`. People supply nonces, bots do not.
    """

    def __init__(
        self,
        seats: int = 2,
        *,
        rules: str = "barony",
        per_turn: int | None = None,
        clock: Clock | None = None,
        start: datetime = START,
        arbiter: str | None = None,
        bots: int = 0,
        seed_version: SeedVersion = SEED_VERSION,
        **options: Any,
    ) -> None:
        self.now = start
        self.pending = PendingEvents(
            "local",
            None,
            timestamp=lambda: format_timestamp(self.now),
            salt=lambda: sha256(b"salt %d" % len(self.pending.sealed)).digest(),
        )
        commands.create(
            self.pending,
            PLAYERS[0],
            NewGame(
                rules=rules,
                seats=seats,
                options={"seating": "joined", **options},
                clock=clock if per_turn is None else {"per_turn": per_turn},
                arbiter=arbiter,
            ),
            secret=SECRET,
            nonce=NONCE,
            seed_version=seed_version,
        )
        for seat, player in enumerate(PLAYERS[1:seats], 1):
            bot = "sensible" if seat >= seats - bots else None
            nonce = NONCE if bot is None else b""
            commands.join(self.pending, player, nonce, self.secret, bot=bot)

    @staticmethod
    def secret() -> bytes:
        """Return the secret of the game."""
        return SECRET

    @property
    def game(self) -> Game:
        """The game after its last event."""
        return self.pending.game

    @property
    def types(self) -> list[str]:
        """The types of all events."""
        return [event["type"] for event in self.pending.events]

    @property
    def seconds_left(self) -> float:
        """The seconds until the deadline of the turn under way."""
        moment = deadline(self.game)
        assert moment is not None
        return (moment - self.now).total_seconds()

    def record(self) -> bytes:
        """Return the record of the game, with all secrets opened."""
        header = record.header(self.game, [KEY.public_entry(SINCE)], KEY.sign_head)
        return b"".join(record.write(header, self.pending.lines, self.pending.openings))

    def wait(self, **duration: float) -> None:
        """Let time pass."""
        self.now += timedelta(**duration)

    def act(self, times: int = 1) -> None:
        """Let the seat to act take its first legal action, so many times."""
        for _ in range(times):
            game = self.game
            assert game.to_act is not None
            action = game.rules.legal_actions(game.state, game.to_act)[0]
            self.pending.act(game.to_act, action)

    def sign(
        self,
        player: str,
        type: str,
        data: JsonObject,
        text: str | None = None,
        head: str | None = None,
    ) -> ActionSignature:
        """Have the next event, a statement with this text, signed by a person; return the signature.

        The game gets the key of the person, unless it has it already.
        """
        key = key_of(player)
        if key.id not in self.game.keys.get(player, {}):
            commands.add_key(self.pending, player, key.id, key.public)
        salt = sha256(f"{player} {self.game.seq}".encode()).digest()
        secrets = None
        if text is not None:
            secrets = {"statement": commitment({"salt": salt.hex(), "value": text})}
        payload = statement_payload("local", head or self.game.hash, type, data, secrets)
        signature = sign(key, payload)
        self.pending.sign_next(signature, None if text is None else salt)
        return signature

    def resign(self, seat: int) -> None:
        """Let a seat resign."""
        action = self.game.rules.parse_action({"type": "resign"})
        self.pending.act(seat, action)

    def forfeit(self) -> None:
        """Forfeit the turn under way."""
        commands.forfeit(self.pending, self.secret)

    def miss_deadline(self) -> str:
        """Let the time for the turn under way pass; return the type of the last event of the clock."""
        self.wait(seconds=max(0, self.seconds_left))
        commands.end_turn(self.pending, _first_action, self.secret)
        return self.types[-1]

    def leave_seat(self, seat: int) -> None:
        """Let the player of a seat leave it to a substitute."""
        commands.leave_seat(self.pending, seat, {"seat": seat}, self.secret)

    def seat_substitute(self, seat: int, player: str) -> None:
        """Give a vacant seat to a player."""
        commands.seat_substitute(self.pending, seat, player)

    def score(self) -> None:
        """Score the next round."""
        commands.score_next_round(self.pending, self.pending.game_at)

    def dispute(self, seat: int, about: int | None = None, nonce: bytes | None = None) -> int:
        """Let a seat dispute an event, by default the last one; return the number of the dispute."""
        about = self.game.seq if about is None else about
        OpenDispute(about, "I object.", nonce=_hex(nonce)).add(self.pending, seat, self.secret)
        return self.game.seq

    def rule(
        self,
        number: int,
        ruling: Any,
        statement: str | None = "So be it.",
        nonce: bytes | None = None,
    ) -> None:
        """Let the arbiter rule a dispute."""
        GiveRuling(number, ruling, statement, nonce=_hex(nonce)).add(
            self.pending, None, self.secret
        )

    def propose(self, number: int, seat: int, ruling: Any, nonce: bytes | None = None) -> None:
        """Let a seat propose a ruling."""
        GiveRuling(number, ruling, nonce=_hex(nonce)).add(self.pending, seat, self.secret)

    def request_takeback(self, seat: int, nonce: bytes | None = None) -> int:
        """Let a seat ask for a takeback; return the number of the request."""
        RequestTakeback(nonce=_hex(nonce)).add(self.pending, seat, self.secret)
        return self.game.seq

    def answer_takeback(
        self, number: int, seat: int, *, agree: bool, nonce: bytes | None = None
    ) -> None:
        """Let a seat answer a takeback."""
        AnswerTakeback(number, agree=agree, nonce=_hex(nonce)).add(self.pending, seat, self.secret)

    def agree_to_pause(self, seat: int, *, agree: bool = True) -> None:
        """Let a seat agree to a pause, or withdraw its agreement."""
        AgreeToPause(agree=agree).add(self.pending, seat, self.secret)

    def give_time(self, seat: int, to: int, seconds: int) -> None:
        """Let a seat give another one, whose turn it is, more time."""
        GiveTime(to, seconds).add(self.pending, seat, self.secret)

    def announce_holiday(self, player: str, start: float, end: float) -> str:
        """Let a player announce a holiday, in hours from now; return when it begins."""
        since, until = (
            format_timestamp(self.now + timedelta(hours=hours)) for hours in (start, end)
        )
        commands.announce_holiday(self.pending, player, since, until)
        return since

    def cancel_holiday(self, player: str, since: str) -> None:
        """Let a player cancel a holiday."""
        commands.cancel_holiday(self.pending, player, since)


def _first_action(game: Game) -> Any:
    """Return the first legal action of the seat whose turn it is; None if there is none."""
    assert game.to_act is not None
    return next(iter(game.rules.legal_actions(game.state, game.to_act)), None)


def _hex(nonce: bytes | None) -> str | None:
    return None if nonce is None else nonce.hex()
