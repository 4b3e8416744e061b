"""What the client library keeps by itself on a real server: nonces, signatures and receipts."""

import asyncio
import io
import multiprocessing
import stat
from multiprocessing.synchronize import Barrier
from pathlib import Path

import httpx
import pytest

from cartulary.client import AsyncClient, Client, Evidence, RequestRefused
from client.calls import server_keys
from client.evidence import server_name
from client.receipts import ReceiptFolder, nonces_of_game, read_receipts, receipts_of_game
from domain.messages import Text
from ledger.keys import SigningKey
from ledger.player_signatures import STATED_FIELDS
from ledger.record import Record, read
from replay.audit import audit
from replay.audit.kept_evidence import KeptEvidence
from replay.audit.trusted_keys import TrustedKey, TrustedKeys
from replay.language.renderer import english
from tests.client.test_receipt_pages import receipt
from tests.support.server import WebServer

OPTIONS = {"seating": "joined"}


def record_of(client: Client, game: str) -> Record:
    return read(io.BytesIO(client.record(game)))


def act(client: Client, game: str) -> None:
    legal = client.legal_actions(game)
    client.submit(game, legal.actions[0], expected_seq=legal.seq)


def test_nonces_signatures_and_receipts_are_kept_without_being_asked_for(
    web: WebServer, tmp_path: Path
) -> None:
    first = Client(web.url, evidence=Evidence(tmp_path / "first"))
    second = Client(web.url, evidence=Evidence(tmp_path / "second"))
    with first, second:
        first.become_guest()
        second.become_guest()
        game = first.create_game("barony", 2, options=OPTIONS).id
        second.join(game)
        act(first, game)
        act(second, game)
        record = record_of(first, game)

    created, *_ = record.events
    taken = [event["data"] for event in record.events if event["type"] == "SeatTaken"]
    assert [data["nonce_from"] for data in taken] == ["player", "player"]
    assert [len(bytes.fromhex(data["nonce"])) for data in taken] == [16, 16]
    (sent,) = nonces_of_game(tmp_path / "first", game)
    assert (sent["nonce"], sent["commitment"]) == (taken[0]["nonce"], None)
    (sent,) = nonces_of_game(tmp_path / "second", game)
    assert (sent["nonce"], sent["commitment"]) == (taken[1]["nonce"], created["data"]["commitment"])
    placed = [event for event in record.events if event["type"] == "CityPlaced"]
    assert len(placed) == 2
    assert all(event["signature"]["key"] for event in placed)
    for folder, event in (("first", placed[0]), ("second", placed[1])):
        (kept,) = receipts_of_game(tmp_path / folder, game)
        assert (kept["seq"], kept["hash"]) == (event["seq"], event["hash"])
    (key,) = (tmp_path / "first" / server_name(web.url) / "keys").iterdir()
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


def test_bots_are_added_when_the_commitment_can_be_seen(web: WebServer, tmp_path: Path) -> None:
    with Client(web.url, evidence=Evidence(tmp_path)) as client:
        client.become_guest()
        created = [
            client.create_game(
                "baron", 3, bots=["random", "sensible"], idempotency_key="with two bots"
            )
            for _ in range(2)
        ]
        assert created[0].id == created[1].id
        assert [player.bot for player in client.game(created[0].id).players].count(None) == 1
        record = record_of(client, created[0].id)
        nonces = nonces_of_game(tmp_path, created[0].id)
        with pytest.raises(Exception, match="bot"):
            client.create_game("baron", 2, bots=["no such bot"])
        handle = client.me().player.handle
        assert [game.id for game in client.games(player=handle, status="open").games] == []
    commitment = record.events[0]["data"]["commitment"]
    assert [entry["commitment"] for entry in nonces] == [None, commitment, commitment]
    taken = [event["data"] for event in record.events if event["type"] == "SeatTaken"]
    assert [data["nonce"] for data in taken] == [entry["nonce"] for entry in nonces]
    assert {data["nonce_from"] for data in taken} == {"player"}


def test_the_caller_may_send_their_own_nonce_and_signature(web: WebServer, tmp_path: Path) -> None:
    with (
        Client(web.url, evidence=Evidence(tmp_path, signs=False)) as first,
        Client(web.url, evidence=Evidence.none()) as second,
    ):
        first.become_guest()
        second.become_guest()
        game = first.create_game("barony", 2, options=OPTIONS, nonce="00ff").id
        second.join(game)
        act(first, game)
        act(second, game)
        record = record_of(first, game)
    taken = [event["data"]["nonce"] for event in record.events if event["type"] == "SeatTaken"]
    assert taken[0] == "00ff"
    assert len(bytes.fromhex(taken[1])) == 16
    assert not any("signature" in event for event in record.events)
    assert len(receipts_of_game(tmp_path, game)) == 1


def test_the_asynchronous_client_keeps_the_same(web: WebServer, tmp_path: Path) -> None:
    async def play() -> str:
        async with AsyncClient(web.url, evidence=Evidence(tmp_path)) as client:
            await client.become_guest()
            game = await client.create_game("barony", 2, bots=["random"], options=OPTIONS)
            legal = await client.legal_actions(game.id)
            await client.submit(game.id, legal.actions[0], expected_seq=legal.seq)
            return game.id

    game = asyncio.run(play())
    assert len(receipts_of_game(tmp_path, game)) == 1
    assert len(nonces_of_game(tmp_path, game)) == 2


def test_statements_are_signed_and_add_nonces_to_the_draws_of_a_resumption(
    web: WebServer, tmp_path: Path
) -> None:
    first = Client(web.url, evidence=Evidence(tmp_path / "first"))
    second = Client(web.url, evidence=Evidence(tmp_path / "second"))
    with first, second:
        first.become_guest()
        second.become_guest()
        options = {**OPTIONS, "takebacks": True}
        game = first.create_game("baron", 2, options=options, clock={"per_turn": 86_400}).id
        second.join(game)
        act(first, game)
        asked = [first.request_takeback(game, idempotency_key="asked once") for _ in range(2)]
        assert asked[0] == asked[1]
        number = asked[0].events[0].seq
        agreed = second.answer_takeback(game, number, agree=True)
        assert agreed.events[-1].type == "PlayResumed"
        second.agree_to_pause(game, agree=True)
        dispute = first.open_dispute(game, number, "I had not seen the board.")
        second.answer_dispute(game, dispute.events[0].seq, "You had.")
        first.withdraw_dispute(game, dispute.events[0].seq)
        act(first, game)
        first.request_takeback(game)
        second.answer_takeback(game, first.game(game).head.seq, agree=False)
        record = first.record(game)
        trusted = TrustedKeys.of(
            [TrustedKey(key.public, "test") for key in first.run(server_keys()).keys]
        )

    statements = [
        event for event in read(io.BytesIO(record)).events if event["type"] in STATED_FIELDS
    ]
    assert [event["type"] for event in statements] == [
        *("TakebackRequested", "TakebackAnswered", "PauseAgreed"),
        *("DisputeOpened", "DisputeAnswered", "DisputeWithdrawn"),
        *("TakebackRequested", "TakebackAnswered"),
    ]
    assert all("signature" in event for event in statements)
    with_nonce = [event["seq"] for event in statements if "nonce" in event["data"]]
    assert len(with_nonce) == 5
    for name in ("first", "second"):
        evidence = KeptEvidence(
            receipts_of_game(tmp_path / name, game), nonces_of_game(tmp_path / name, game)
        )
        report = audit(
            io.BytesIO(record), trusted=trusted, kept_evidence={game: evidence}.__getitem__
        )
        assert not report.findings
        seqs = {note.seq for note in report.notes if "your program sent" in english(note.text)}
        assert seqs & set(with_nonce)
        assert len(evidence.receipts) > 2


def test_an_action_is_signed_in_the_form_of_the_log(web: WebServer, tmp_path: Path) -> None:
    with Client(web.url, evidence=Evidence(tmp_path)) as client:
        client.become_guest()
        game = client.create_game("barony", 2, bots=["random"], options=OPTIONS).id
        with pytest.raises(RequestRefused):
            client.submit(
                game,
                {"type": "move", "moves": [[[0, 0], [1, 0]]], "takes": []},
                expected_seq=client.game(game).head.seq,
            )
        client.submit(game, {"type": "resign"}, expected_seq=client.game(game).head.seq)
        (resigned,) = client.events(game, conditions={"type": "PlayerResigned"}).events
    assert resigned.json["signature"]["key"]


def test_evidence_that_cannot_be_kept_is_reported_once_and_the_game_continues(
    web: WebServer, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    reported: list[Text] = []
    evidence = Evidence(tmp_path / "file" / "folder", report=reported.append)
    with Client(web.url, evidence=evidence) as client:
        client.become_guest()
        for _ in range(2):
            game = client.create_game("barony", 2, bots=["random"], options=OPTIONS).id
            act(client, game)
    assert reported
    assert len({english(text) for text in reported}) == len(reported)
    assert all("cannot write" in english(text) for text in reported)


def test_a_key_that_was_revoked_is_reported_and_not_used(web: WebServer, tmp_path: Path) -> None:
    reported: list[Text] = []
    with Client(web.url, evidence=Evidence(tmp_path)) as client:
        client.become_guest()
        token = client.token
        client.create_game("barony", 2)
        (path,) = (tmp_path / server_name(web.url) / "keys").iterdir()
    key = SigningKey.load(path).id
    headers = {"Authorization": f"Bearer {token}"}
    assert httpx.delete(f"{web.url}/api/v1/me/keys/{key}", headers=headers).status_code == 204
    evidence = Evidence(tmp_path, report=reported.append)
    with Client(web.url, token, evidence=evidence) as client:
        game = client.create_game("barony", 2, bots=["random"], options=OPTIONS).id
        act(client, game)
        assert not any("signature" in event for event in record_of(client, game).events)
    (text,) = reported
    assert english(text).startswith("your actions are not signed: ")


def _add(path: Path, barrier: Barrier, first: int) -> None:
    barrier.wait()
    for seq in range(first, first + 60):
        ReceiptFolder(path).add([receipt(seq)])


@pytest.mark.nightly
def test_two_programs_keep_receipts_in_one_file_at_the_same_time(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(2)
    programs = [context.Process(target=_add, args=(tmp_path, barrier, first)) for first in (1, 41)]
    for program in programs:
        program.start()
    for program in programs:
        program.join()
    (path,) = tmp_path.glob("*.receipts")
    seqs = [kept["seq"] for kept in read_receipts(path)]
    assert sorted(seqs) == list(range(1, 101))
