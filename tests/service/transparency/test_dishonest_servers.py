"""A server that shows two histories, or that drops, reorders or backdates an event, is caught with proof.

The server belongs to somebody who has its disk and its key: a snapshot of Redis is restored, and the history
goes on differently, with valid hashes and signatures. What a third person gets is one file, and `cartulary`.
"""

import functools
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import orjson
import pytest
import redis
from click.testing import CliRunner, Result

from cartulary.cli import cartulary
from client import clients
from domain.event import Event
from domain.json_types import JsonObject
from ledger.canonical import canonical, digest
from service.bootstrap import Service, build
from service.http.app import create_app
from service.settings import Settings
from service.store.redis_event_store import game_key
from tests.support.service_games import start_game, take_action

URL = "http://game.test"


@dataclass
class Attack:
    """Everything that the honest phase left behind, and the server that lies now."""

    game: str
    key: str
    receipts: Sequence[JsonObject]
    folder: Path


def cli(*arguments: object) -> Result:
    """Run the command line."""
    result = CliRunner().invoke(cartulary, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def snapshot(store: redis.Redis) -> dict[bytes, bytes]:
    """Return the value of every key that does not expire."""
    values = ((key, store.dump(key)) for key in store.scan_iter("*") if store.ttl(key) == -1)
    return {key: value for key, value in values if value is not None}


def restore(store: redis.Redis, saved: dict[bytes, bytes]) -> None:
    store.flushall()
    for key, value in saved.items():
        store.restore(key, 0, value)


def append_forged(service: Service, game_id: str, events: Sequence[Event]) -> None:
    """Append events to the log of a game, with the numbers and hashes that they must have there."""
    seq = service.store.head(game_id)
    prev = orjson.loads(service.store.read(game_id, seq - 1)[0])["hash"]
    for number, event in enumerate(events, seq + 1):
        unsealed = {**event, "seq": number, "prev": prev}
        del unsealed["hash"]
        prev = digest(canonical(unsealed))
        line = canonical({**unsealed, "hash": prev})
        service.redis.xadd(game_key(game_id, "log"), {"e": line}, id=f"{number}-0")


def drop(service: Service, game_id: str, events: list[Event]) -> None:
    append_forged(service, game_id, events[1:])


def reorder(service: Service, game_id: str, events: list[Event]) -> None:
    events[0]["at"], events[1]["at"] = events[1]["at"], events[0]["at"]
    append_forged(service, game_id, events[::-1])


def backdate(service: Service, game_id: str, events: list[Event]) -> None:
    seq = service.store.head(game_id)
    events[0]["at"] = orjson.loads(service.store.read(game_id, seq - 1)[0])["at"]
    append_forged(service, game_id, events)


def play_differently(service: Service, game_id: str, events: list[Event]) -> None:
    """Show a second history, within the rules."""
    game = service.games.queries.game(game_id)
    assert game.to_act is not None
    player = game.players[game.to_act]
    seq, actions = service.games.queries.legal_actions(game_id, player)
    other = next(action for action in actions if action != events[0]["action"])
    service.games.commands.act(game_id, player, other, seq)


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Settings with checkpoints that are replaced as soon as the log grows."""
    return replace(settings, bounds=replace(settings.bounds, checkpoint_seconds=0.001))


@pytest.fixture
def connect(monkeypatch: pytest.MonkeyPatch) -> Callable[[Service], None]:
    """Have the commands reach the application of a service at every URL."""
    original = clients.Client

    def connect(service: Service) -> None:
        # Otherwise the checkpoint of a millisecond ago might still be served.
        service.redis.delete("cartulary:{transparency}:fresh")
        transport = httpx.WSGITransport(create_app(service))
        monkeypatch.setattr(clients, "Client", functools.partial(original, transport=transport))

    return connect


@pytest.fixture(params=[play_differently, drop, reorder, backdate], ids=lambda lie: lie.__name__)
def attack(
    request: pytest.FixtureRequest,
    settings: Settings,
    connect: Callable[[Service], None],
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Attack]:
    folder = tmp_path_factory.mktemp("evidence")
    monkeypatch.chdir(folder)
    honest = build(settings)
    game, bystander = start_game(honest).id, start_game(honest).id
    honest.transparency.head_log.log([bystander, game])
    honest.transparency.checkpoints.latest()
    saved = snapshot(honest.redis)
    accepted = [take_action(honest, game) for _ in range(2)]
    honest.transparency.head_log.log([game])
    connect(honest)
    assert cli("witness", URL, "--once", "--dir", "ada").exit_code == 0
    Path("before.jsonl").write_bytes(b"".join(honest.games.queries.record(game)))
    events = [deepcopy(action.events[0]) for action in accepted]
    # Now the server lies.
    restore(honest.redis, saved)
    settings.signing_key.with_suffix(".checkpoint").unlink()
    liar = build(settings)
    request.param(liar, game, events)
    for _ in range(2):
        take_action(liar, bystander)
        liar.transparency.head_log.log([game, bystander])
    connect(liar)
    header = orjson.loads(Path("before.jsonl").read_bytes().splitlines()[0])
    record = (
        b"".join(liar.games.queries.record(game)) if request.param is play_differently else None
    )
    if record is None:
        # The positions of this history contradict the rules, so the server would not even load the game.
        record = forged_record(liar, game)
    Path("after.jsonl").write_bytes(record)
    yield Attack(game, header["keys"][0]["public"], [action.receipt for action in accepted], folder)
    honest.redis.close()
    liar.redis.close()


def forged_record(service: Service, game_id: str) -> bytes:
    """Return a record of the lines in the log, signed by the server's key."""
    lines = service.store.read(game_id)
    head = orjson.loads(lines[-1])
    header = service.keyring.sign_head(
        {
            "format": "cartulary/1",
            "game": game_id,
            "rules": "barony",
            "keys": service.keyring.public_keys(),
            "head": {"seq": head["seq"], "hash": head["hash"]},
            "engine": "0",
        }
    )
    return b"".join(line + b"\n" for line in (canonical(header), *lines))


def check_that_the_witness_catches_it(attack: Attack) -> None:
    caught = cli("witness", URL, "--once", "--dir", "ada")
    assert caught.exit_code == 1
    assert "the server has shown two logs" in caught.stderr
    (proof,) = Path("ada").glob("split-view-*.json")
    check_that_a_third_person_can_verify_it(attack, proof)


def check_that_two_parties_have_the_proof_when_they_compare(attack: Attack) -> None:
    assert cli("witness", URL, "--once", "--dir", "bea").exit_code == 0
    assert cli("witness", "compare", "ada", "bea", "--out", "proof.json").exit_code == 1
    check_that_a_third_person_can_verify_it(attack, Path("proof.json"))


def check_that_a_third_person_can_verify_it(attack: Attack, proof: Path) -> None:
    """Check a proof that was moved to another folder."""
    alone = attack.folder / "alone" / proof.name
    alone.parent.mkdir(exist_ok=True)
    proof.rename(alone)
    verified = cli("witness", "verify", alone, "--key", attack.key)
    assert verified.exit_code == 0
    assert verified.stdout.splitlines()[-1].startswith("proven: ")


def check_that_a_receipt_proves_it(attack: Attack) -> None:
    Path("receipt.json").write_bytes(orjson.dumps(attack.receipts[0]))
    arguments = ("after.jsonl", "--receipt", "receipt.json", "--key", attack.key, "--json")
    audited = cli("audit", *arguments)
    assert audited.exit_code == 1
    findings = orjson.loads(audited.stdout)["records"][0]["findings"]
    assert "receipts" in {finding["check"] for finding in findings}


def check_that_two_records_prove_it(attack: Attack) -> None:
    compared = cli("compare", "before.jsonl", "after.jsonl", "--key", attack.key)
    assert compared.exit_code == 1
    assert "Proof against the server" in compared.stdout


def test_the_lie_is_caught_by_the_witness_the_receipt_and_the_record(attack: Attack) -> None:
    # The record that the player has kept belongs to the log that the witness saw.
    assert cli("witness", "compare", "before.jsonl", "ada").exit_code == 0
    check_that_the_witness_catches_it(attack)
    check_that_two_parties_have_the_proof_when_they_compare(attack)
    check_that_a_receipt_proves_it(attack)
    check_that_two_records_prove_it(attack)
