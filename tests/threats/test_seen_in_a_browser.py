"""What somebody sees who only ever used a browser: the table of docs/threats.md, attack by attack.

Ada and Bea play in their browsers, which sign every action, send a nonce and keep the receipts. The operator
repairs every hash, signs the head again with the true key, and puts the forged history into the log as well,
unless the attack is another one. Ada verifies the record on the page, and has it audited.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import orjson
import pytest

from domain.event import Event
from domain.json_types import JsonObject
from ledger import commands
from ledger.canonical import canonical
from ledger.keys import SigningKey
from ledger.player_signatures import sign_action
from ledger.transparency.checkpoint import Checkpoint, head_leaf_hash
from ledger.transparency.merkle import MemoryTree, prove_inclusion
from ledger.transparency.signed_note import SignedNote, sign_text
from replay.audit import TrustedKey, TrustedKeys, audit
from replay.audit.kept_evidence import KeptEvidence
from replay.language.renderer import english
from service.pages.assets import FOLDER
from tests.support.local_game import LocalGame, key_of
from tests.support.records import KEY, SINCE, STRANGER, Table, forge_record, read, signed_again
from tests.support.verifier import NODE, Verifier
from tests.support.witnesses import ORIGIN
from tests.threats.test_table import ids

TEMPLATES: Final = FOLDER.parent / "templates"
DOCS: Final = Path(__file__).parent.parent.parent / "docs"
HEADING: Final = "## What *Verify* says to a player in a browser"
NOTHING: Final = "\N{EN DASH}"
PER_TURN: Final = 24 * 3600


@dataclass(frozen=True, slots=True)
class Evidence:
    """A record that Ada downloads, the receipts that her browser has kept, and the log that it knows."""

    record: bytes
    receipts: tuple[JsonObject, ...] = ()
    log: str | None = ORIGIN
    nonces: tuple[str, ...] = ()


class Game(LocalGame):
    """A game between Ada and Bea, whose browsers sign."""

    def __init__(self, **options: Any) -> None:
        super().__init__(per_turn=PER_TURN, round_limit=3, **options)
        for player in ("ada", "bea"):
            key = key_of(player)
            commands.add_key(self.pending, player, key.id, key.public)

    def play(self, times: int, choice: int = 0) -> "Game":
        for _ in range(times):
            game = self.game
            assert game.to_act is not None
            self.wait(hours=2)
            legal = game.rules.legal_actions(game.state, game.to_act)
            action = legal[choice % len(legal)]
            plain: JsonObject = {**game.rules.action_to_json(action)}
            signer = key_of(game.players[game.to_act])
            self.pending.sign_next(sign_action(signer, game.id, game.hash, plain))
            self.pending.act(game.to_act, action)
        return self

    def finish(self) -> "Game":
        while self.game.to_act is not None:
            self.play(1)
        while self.game.rounds_ended:
            self.score()
        commands.finish(self.pending, self.secret)
        return self

    def receipts(self) -> tuple[JsonObject, ...]:
        """What Ada's browser has kept."""
        return tuple(
            KEY.receipt(event)
            for event in self.pending.events
            if event["by"] == {"seat": 0} and event["action"] is not None
        )

    def evidence(self) -> Evidence:
        return Evidence(logged(self.record()), self.receipts())


def logged(data: bytes, key: SigningKey = KEY) -> bytes:
    """The record with a proof that the log of the server contains its head, signed again."""
    head = orjson.loads(data.split(b"\n", 1)[0])["head"]
    game = orjson.loads(data.split(b"\n", 1)[0])["game"]
    tree = MemoryTree()
    tree.append([head_leaf_hash(game, head["seq"], head["hash"])])
    text = Checkpoint(ORIGIN, tree.size, tree.root()).text
    proof = {
        "checkpoint": str(SignedNote(text, (sign_text(text, ORIGIN, key),))),
        "game": game,
        "seq": head["seq"],
        "hash": head["hash"],
        "index": 0,
        "path": [hash.hex() for hash in prove_inclusion(tree, 0, tree.size)],
    }
    return signed_again(data, key, log=ORIGIN, inclusion=proof)


def without_proof(data: bytes) -> bytes:
    """The record without the proof, and without the name of the log, signed again."""
    line, rest = data.split(b"\n", 1)
    header = orjson.loads(line)
    header["head"] = {name: header["head"][name] for name in ("seq", "hash")}
    plain = {name: value for name, value in header.items() if name not in ("log", "inclusion")}
    return canonical(KEY.sign_head(plain)) + b"\n" + rest


def forged(change: Callable[[list[Event]], None], game: Game | None = None) -> Evidence:
    """The record of a finished game, changed and repaired, with the receipts of what really happened."""
    honest = game or Game().finish()
    data = forge_record(without_proof(honest.evidence().record), change)
    return replace(honest.evidence(), record=logged(data))


def acted(events: list[Event], seat: int, number: int = 2) -> Event:
    """An action of a seat: its third one."""
    return [e for e in events if e["action"] is not None and e["by"] == {"seat": seat}][number]


def unsign(event: Event) -> None:
    """Remove the signature of an event, which the operator cannot make."""
    del event["signature"]


def edit_without_repair() -> Evidence:
    honest = Game().finish().evidence()
    event = acted(read(honest.record).events, 0)
    time = canonical(event["at"])
    other = canonical(event["at"][:-4] + "007Z")
    return replace(honest, record=honest.record.replace(b'"at":' + time, b'"at":' + other, 1))


def make_up_an_action() -> Evidence:
    """From Ada's fourth turn on, the operator plays another game in her name."""
    honest, lie = Game().play(9), Game().play(6)
    lie.play(1, choice=1)
    for _ in range(2):
        lie.play(1)
    data = forge_record(lie.record(), lambda events: unsign(acted(events, 0, 3)))
    return replace(honest.evidence(), record=logged(data))


def make_up_an_action_of_the_opponent() -> Evidence:
    """The operator takes another action in Bea's name, who cannot be asked; Ada acted after it."""
    honest = Game().play(8)
    lie = Game().play(7)
    lie.play(1, choice=1)
    data = forge_record(lie.record(), lambda events: unsign(events[-1]))
    return replace(honest.evidence(), record=logged(data))


def drop_an_action() -> Evidence:
    """The server had accepted Ada's action, and forfeits her turn instead."""
    honest, lie = Game().play(6), Game().play(6)
    honest.play(1)
    lie.now += (honest.now - lie.now) * 20
    lie.forfeit()
    lie.play(1)
    return replace(honest.evidence(), record=logged(lie.record()))


def change_a_time() -> Evidence:
    def change(events: list[Event]) -> None:
        event = acted(events, 0)
        event["at"] = events[event["seq"] - 2]["at"]

    return forged(change)


def restore_yesterdays_backup() -> Evidence:
    today, yesterday = Game().play(9), Game().play(5)
    return replace(today.evidence(), record=logged(yesterday.record()))


def remove_the_proof() -> Evidence:
    honest = Game().finish().evidence()
    return replace(honest, record=without_proof(honest.record))


def show_a_proof_of_another_history() -> Evidence:
    honest, other = Game().finish().evidence(), Game().play(9, choice=1).finish().evidence()
    proof = orjson.loads(honest.record.split(b"\n", 1)[0])["inclusion"]
    data = signed_again(other.record, log=ORIGIN, inclusion=proof)
    return Evidence(data, other.receipts)


def choose_the_draws() -> Evidence:
    """Ada and Bea have switched scripts off, so no person supplied a nonce."""
    table = Table("barony", 2, {"round_limit": 1}, nonce=b"", nonce_from="none")
    table.join("player-1", b"", "none")
    return Evidence(logged(table.play_out().record()))


def exchange_the_board() -> Evidence:
    """Before anybody has seen it, the server lays another board than the one that was drawn."""

    def change(events: list[Event]) -> None:
        board = next(e for e in events if e["type"] == "GameStarted")["data"]["board"]
        board[0]["terrain"], board[-1]["terrain"] = board[-1]["terrain"], board[0]["terrain"]

    table = Table("barony", 2, {"round_limit": 1}).start().abandon()
    return Evidence(logged(forge_record(table.record(), change, states=True)))


def exchange_the_secret() -> Evidence:
    return forged(lambda events: events[-1]["data"].update(secret="ab" * 32))


def make_up_a_result() -> Evidence:
    return forged(lambda events: events[-1]["data"]["ranking"].reverse())


def sign_with_another_key() -> Evidence:
    honest = Game().finish().evidence()
    entry = STRANGER.public_entry(SINCE)
    data = signed_again(honest.record, STRANGER, keys=[entry])
    return replace(honest, record=logged(data, STRANGER), receipts=())


def change_the_header() -> Evidence:
    honest = Game().finish().evidence()
    return replace(honest, record=honest.record.replace(b'"rules":"barony"', b'"rules":"baron"', 1))


def reuse_a_signature() -> Evidence:
    def change(events: list[Event]) -> None:
        acted(events, 0, 4)["signature"] = acted(events, 0, 2)["signature"]

    return replace(forged(change), receipts=())


def state_another_nonce() -> Evidence:
    """The server takes a nonce of its own in place of the one that Ada's browser sent last."""
    honest = Game().finish().evidence()
    return replace(honest, nonces=("ab" * 16,))


def alter_a_receipt() -> Evidence:
    honest = Game().finish().evidence()
    first, *rest = honest.receipts
    return replace(honest, receipts=({**first, "at": "2026-01-01T00:00:00.000Z"}, *rest))


def tell_the_truth() -> Evidence:
    return Game().finish().evidence()


ATTACKS: Final[dict[str, Callable[[], Evidence]]] = {
    "tells the truth": tell_the_truth,
    "edits an event, and repairs nothing": edit_without_repair,
    "takes an action in your name": make_up_an_action,
    "takes an action in the name of your opponent": make_up_an_action_of_the_opponent,
    "drops your action, and forfeits your turn": drop_an_action,
    "changes the time of your action": change_a_time,
    "restores yesterday's backup": restore_yesterdays_backup,
    "removes the proof": remove_the_proof,
    "shows the proof of another history": show_a_proof_of_another_history,
    "chooses the draws, where nobody used a script": choose_the_draws,
    "exchanges the board": exchange_the_board,
    "publishes another secret": exchange_the_secret,
    "makes up a result": make_up_a_result,
    "signs with another key": sign_with_another_key,
    "changes the header, and does not sign it": change_the_header,
    "uses a signature again": reuse_a_signature,
    "alters a receipt": alter_a_receipt,
    "says that you sent another nonce": state_another_nonce,
}


def sent_nonces(evidence: Evidence) -> list[JsonObject]:
    """The nonces that the browser has kept, with the game and the commitment that it had seen."""
    created = read(evidence.record).events[0]
    return [
        {"game": created["game"], "commitment": created["data"]["commitment"], "nonce": nonce}
        for nonce in evidence.nonces
    ]


def audited(evidence: Evidence) -> str:
    """The sentence with which an audit begins, with the receipts that the browser has exported."""
    trusted = TrustedKeys((TrustedKey(KEY.public, "test", log=evidence.log),))
    nonces = [{**nonce, "seq": 3} for nonce in sent_nonces(evidence)]
    report = audit(
        BytesIO(evidence.record),
        trusted=trusted,
        receipts=evidence.receipts,
        kept_evidence=lambda _: KeptEvidence(nonces=nonces),
    )
    return english(report.conclusion.sentence)


def verified(verifier: Verifier, evidence: Evidence) -> str:
    """The sentence with which the page Verify begins."""
    nonces = [{**nonce, "isAccepted": True} for nonce in sent_nonces(evidence)]
    return verifier.verify(
        evidence.record, receipts=evidence.receipts, log=evidence.log, nonces=nonces
    ).sentence


def table() -> list[list[str]]:
    """The cells of the table: what the operator does, Verify, an audit, what else is seen, and the rows."""
    text = (DOCS / "threats.md").read_text()
    section = text[text.index(HEADING) + 1 :].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


@pytest.fixture(scope="module")
def verifier() -> Iterator[Verifier]:
    if not NODE.exists():
        pytest.skip("there is no Node for this machine")
    with Verifier() as running:
        yield running


def without_seqs(sentence: str) -> str:
    """A sentence of the table, in which N stands for the number of an event."""
    return re.sub(r"event \d+", "event N", sentence)


def test_the_table_has_every_attack_every_threat_and_every_quarrel_once() -> None:
    cells = table()
    assert all(len(row) == 5 for row in cells)
    named = [row[0] for row in cells if row[1] != NOTHING]
    assert named == [*ATTACKS]
    listed = [id for row in cells for id in re.findall("`([a-z-]+)`", row[4])]
    assert sorted(listed) == sorted(ids())
    quarrels = {path.name for path in (DOCS / "quarrels").glob("*.md")} - {"README.md"}
    linked = [name for row in cells for name in re.findall(r"\(quarrels/([a-z-]+\.md)\)", row[4])]
    assert sorted(linked) == sorted(quarrels)


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_answered_with_the_sentences_of_the_table(
    attack: str, verifier: Verifier
) -> None:
    (row,) = [row for row in table() if row[0] == attack]
    evidence = ATTACKS[attack]()
    expected = [cell.strip("*") for cell in row[1:3]]
    assert [without_seqs(verified(verifier, evidence)), without_seqs(audited(evidence))] == expected


def test_the_other_sentences_of_the_table_are_those_of_the_warning() -> None:
    warning = (TEMPLATES / "contradiction.html").read_text()
    quoted = {text for row in table() for text in re.findall(r"\*“([^”]+)”\*", row[3])}
    assert quoted
    for text in quoted:
        assert text in re.sub(r"\{\w+\}", "N", warning), text
