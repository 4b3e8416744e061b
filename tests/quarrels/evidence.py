"""The files that the pages in docs/quarrels are about: records and receipts of games in which people quarrel.

They are all from the same server, whose key the reader has accepted earlier. Those in docs/quarrels were
written with `python -m tests.quarrels.evidence docs/quarrels`.
"""

import sys
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from domain.event import Event
from domain.json_types import JsonObject
from ledger import commands
from ledger.canonical import canonical
from ledger.keys import SigningKey
from ledger.player_signatures import sign_action
from ledger.record import header, write
from tests.support.local_game import LocalGame
from tests.support.records import KEY, PLAYER_KEY, SINCE, Table, forge_record

SERVER: Final = KEY
ADAS_KEY: Final = PLAYER_KEY
PER_TURN: Final = 24 * 3600
TRUSTED_KEYS: Final = "trusted-keys.jsonl"
NAMES: Final = {"ada": "Ada", "bea": "Bea", "cid": "Cid"}


class Game(LocalGame):
    """A game between Ada and Bea, a turn a day, in which Ada signs her actions with a key of her own."""

    def __init__(self, seats: int = 2, **options: Any) -> None:
        super().__init__(seats, per_turn=PER_TURN, round_limit=4, **options)
        self.is_signed = True
        """Whether Ada signs. In a history that the server made up, she cannot."""
        commands.add_key(self.pending, "ada", ADAS_KEY.id, ADAS_KEY.public)

    def play(self, times: int, *, choice: int = 0, hours: float = 3) -> None:
        """Let the seats to act take one of their legal actions; Ada signs hers."""
        for _ in range(times):
            game = self.game
            assert game.to_act is not None
            self.wait(hours=hours)
            rules = game.rules
            legal = rules.legal_actions(game.state, game.to_act)
            action = legal[choice % len(legal)]
            if game.to_act == 0 and self.is_signed:
                plain: JsonObject = {**rules.action_to_json(action)}
                self.pending.sign_next(sign_action(ADAS_KEY, game.id, game.hash, plain))
            self.pending.act(game.to_act, action)

    def finish(self) -> None:
        """Play to the end."""
        while self.game.to_act is not None:
            self.play(1)
        while self.game.rounds_ended:
            self.score()
        commands.finish(self.pending, self.secret)

    def signed_record(self, *, key: SigningKey = SERVER) -> bytes:
        """The record as the server exports it, with the names of the players."""
        players = [
            {"id": id, "handle": NAMES[id], "keys": []} for id in sorted(self.game.participants)
        ]
        signed = header(self.game, [key.public_entry(SINCE)], key.sign_head, players)
        shown = self.pending.openings if self.game.has_ended else {}
        return b"".join(write(signed, self.pending.lines, shown))

    def receipts(self, seat: int) -> bytes:
        """The receipts that the program of this seat has kept, a line each."""
        return b"".join(
            canonical(SERVER.receipt(event)) + b"\n"
            for event in self.pending.events
            if event["by"] == {"seat": seat} and event["action"] is not None
        )


def finished_game() -> bytes:
    game = Game()
    game.play(6)
    game.play(4, choice=3)
    game.finish()
    return game.signed_record()


def fair_tiles() -> bytes:
    """A finished game of Baron, whose tiles were drawn."""
    table = Table("baron", 2, {"seating": "joined"}, nonce=b"from Ada's program")
    table.join("player-1", b"from Bea's program")
    return table.act_at_random(24, b"tiles").abandon().record()


def forfeited() -> tuple[bytes, bytes]:
    """Bea's turn is forfeited, although the server had accepted her action and given her a receipt.

    Returns the record and Bea's receipts.
    """
    honest, lying = Game(), Game()
    for game in (honest, lying):
        game.play(7)
    honest.play(1)
    lying.is_signed = False
    lying.now += timedelta(hours=24)
    lying.forfeit()
    lying.play(2)
    return lying.signed_record(), honest.receipts(1)


def late() -> bytes:
    game = Game()
    game.play(7)
    game.now += timedelta(seconds=PER_TURN + 2, milliseconds=843)
    game.play(1, hours=0)
    game.play(1)
    return game.signed_record()


def two_weeks() -> tuple[bytes, bytes]:
    """The record of last week, and today's, in which an action of Bea has become another one."""
    before, after = Game(), Game()
    before.play(10)
    after.play(7)
    after.is_signed = False
    after.play(1, choice=2)
    after.play(3)
    return before.signed_record(), after.signed_record()


def edited() -> tuple[bytes, bytes]:
    """A record in which the admin has changed the time of an action of Bea, and Bea's receipts."""
    game = Game()
    game.play(10)
    seq = game.game.seq - 2

    def change(events: list[Event]) -> None:
        events[seq - 1]["at"] = events[seq - 2]["at"]

    return forge_record(game.signed_record(), change), game.receipts(1)


def taken_back() -> bytes:
    game = Game(3, takebacks=True)
    game.play(10)
    request = game.request_takeback(0)
    for seat in (1, 2):
        game.wait(minutes=20)
        game.answer_takeback(request, seat, agree=True)
    game.play(2, choice=1)
    return game.signed_record()


def files() -> Mapping[str, bytes]:
    """All files by the names that the pages use."""
    skipped, receipts = forfeited()
    last_week, today = two_weeks()
    moved, moved_receipts = edited()
    return {
        "finished.jsonl": finished_game(),
        "tiles.jsonl": fair_tiles(),
        "skipped.jsonl": skipped,
        "my-receipts/local.receipts": receipts,
        "late.jsonl": late(),
        "last-week.jsonl": last_week,
        "today.jsonl": today,
        "edited.jsonl": moved,
        "beas-receipts/local.receipts": moved_receipts,
        "taken-back.jsonl": taken_back(),
    }


def write_files(folder: Path) -> None:
    """Write all files into a folder, and the key of the server as one that is trusted."""
    key = {"from": SINCE, "public": SERVER.public, "source": "finished.jsonl", "until": None}
    (folder / TRUSTED_KEYS).write_bytes(canonical(key) + b"\n")
    for name, data in files().items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)


if __name__ == "__main__":
    write_files(Path(sys.argv[1]))
