"""The transparency log over HTTP: checkpoints, proofs, leaves, and the cosignatures of witnesses."""

import pytest
import redis

from domain.json_types import JsonObject
from ledger.keys import check_signed
from ledger.transparency.checkpoint import Checkpoint, head_leaf_hash
from ledger.transparency.merkle import verify_consistency, verify_inclusion
from ledger.transparency.signed_note import NoteKey, SignedNote, cosign_text
from service.store.redis_event_store import RedisEventStore
from service.transparency.head_log import HeadLog
from service.transparency.store import TransparencyStore
from tests.support.accounts import Accounts
from tests.support.processes import wait_until
from tests.support.witnesses import WITNESS_KEY, cosigned

LOG = "/api/v1/log"


@pytest.fixture
def head_log(redis_client: redis.Redis) -> HeadLog:
    return HeadLog(RedisEventStore(redis_client), TransparencyStore(redis_client))


def path_of(proof: JsonObject) -> list[bytes]:
    return [bytes.fromhex(hash) for hash in proof["path"]]


def latest_note(accounts: Accounts) -> SignedNote:
    response = accounts.anonymous.get(f"{LOG}/checkpoint")
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    return SignedNote.parse(response.content)


def test_the_checkpoint_is_a_note_signed_by_a_published_key(accounts: Accounts) -> None:
    note = latest_note(accounts)
    origin = Checkpoint.of_note(note).origin
    entries = accounts.anonymous.get("/api/v1/keys").json()["keys"]
    keys = [NoteKey(origin, 1, bytes.fromhex(entry["public"])) for entry in entries]
    assert len(note.verified_keys(keys)) == 1
    # Another test may have started a server with a key of its own on this Redis before.
    assert origin in {f"cartulary-{entry['key']}" for entry in entries}


def test_proofs_lead_to_the_checkpoints(accounts: Accounts, head_log: HeadLog) -> None:
    game, players = accounts.start_game()
    head_log.log([game])
    proof = accounts.anonymous.get(f"{LOG}/proofs/inclusion", params={"game": game}).json()
    first = Checkpoint.of_note(SignedNote.parse(proof["checkpoint"]))
    leaf = head_leaf_hash(game, proof["seq"], proof["hash"])
    verify_inclusion(leaf, proof["index"], first.size, path_of(proof), first.root)
    assert players[0].act(game).status_code == 201
    head_log.log([game])
    params: dict[str, str | int] = {"game": game, "seq": proof["seq"] + 1}
    later = accounts.anonymous.get(f"{LOG}/proofs/inclusion", params=params).json()
    last = Checkpoint.of_note(SignedNote.parse(later["checkpoint"]))
    sizes = {"from": first.size, "to": last.size}
    between = accounts.anonymous.get(f"{LOG}/proofs/consistency", params=sizes).json()
    verify_consistency(first.size, last.size, first.root, last.root, path_of(between))
    page = {"after": proof["index"], "limit": 1}
    leaves = accounts.anonymous.get(f"{LOG}/leaves", params=page).json()
    assert leaves == {"leaves": [leaf.hex()], "next": proof["index"] + 1}


def test_the_signed_head_comes_with_what_links_it_with_what_was_seen(
    accounts: Accounts, head_log: HeadLog
) -> None:
    game, players = accounts.start_game()
    url = f"/api/v1/games/{game}/head"
    head_log.log([game])
    seen = accounts.anonymous.get(url).json()
    check_signed(seen["head"], seen["keys"])
    first = Checkpoint.of_note(SignedNote.parse(seen["checkpoint"]))
    assert (seen["hash"], seen["events"], seen["consistency"]) == (None, [], None)
    for player in players:
        assert player.act(game).status_code == 201
    head_log.log([game])
    # A checkpoint is replaced when it is a second old.
    wait_until(lambda: Checkpoint.of_note(latest_note(accounts)).size > first.size)
    seq = seen["head"]["seq"]
    now = accounts.anonymous.get(url, params={"seq": seq, "size": first.size, "limit": 9}).json()
    check_signed(now["head"], now["keys"])
    assert now["head"]["shown_at"] >= seen["head"]["shown_at"]
    assert now["hash"] == seen["head"]["hash"] == now["events"][0]["prev"]
    assert now["events"][-1]["hash"] == now["head"]["hash"]
    assert [event["seq"] for event in now["events"]] == [seq + 1, seq + 2]
    last = Checkpoint.of_note(SignedNote.parse(now["checkpoint"]))
    proof = now["consistency"]
    assert (proof["from"], proof["to"], proof["root"]) == (first.size, last.size, first.root.hex())
    verify_consistency(first.size, last.size, first.root, last.root, path_of(proof))
    bounded = accounts.anonymous.get(url, params={"seq": 2, "limit": 999}).json()
    assert bounded["events"][0]["seq"] == 3
    beyond = accounts.anonymous.get(url, params={"seq": 9999, "size": 2**53 - 1}).json()
    assert (beyond["hash"], beyond["events"], beyond["consistency"]) == (None, [], None)


def test_the_head_of_a_private_game_is_signed_for_its_players_only(accounts: Accounts) -> None:
    ada = accounts.register()
    game = ada.create_game(options={"private": True})
    url = f"/api/v1/games/{game}/head"
    assert ada.http.get(url).json()["head"]["seq"] == 2
    assert accounts.anonymous.get(url).status_code == 404
    assert accounts.anonymous.get(f"{url}?seq=x").status_code == 404
    assert ada.http.get(f"{url}?seq=x").status_code == 400


def test_a_log_that_was_never_restored_has_no_epochs(accounts: Accounts) -> None:
    assert accounts.anonymous.get(f"{LOG}/epochs").json() == {"epochs": []}


def test_a_head_that_is_not_logged_has_no_proof(accounts: Accounts, head_log: HeadLog) -> None:
    url = f"{LOG}/proofs/inclusion"
    game, _ = accounts.start_game()
    for params in ({"game": game}, {"game": "nothing"}):
        assert accounts.anonymous.get(url, params=params).status_code == 404
    head_log.log([game])
    beyond = {"game": game, "seq": "99"}
    assert accounts.anonymous.get(url, params=beyond).status_code == 404
    assert accounts.anonymous.get(url).status_code == 400


def test_a_private_game_is_proven_to_its_players_only(
    accounts: Accounts, head_log: HeadLog
) -> None:
    url = f"{LOG}/proofs/inclusion"
    ada = accounts.register()
    game = ada.create_game(options={"private": True})
    head_log.log([game])
    assert ada.http.get(url, params={"game": game}).status_code == 200
    hidden = accounts.anonymous.get(url, params={"game": game})
    missing = accounts.anonymous.get(url, params={"game": "x" * len(game)})
    assert hidden.status_code == missing.status_code == 404
    assert hidden.json()["detail"] == missing.json()["detail"].replace("x" * len(game), game)


def test_invalid_requests_for_proofs_are_refused(accounts: Accounts) -> None:
    url = f"{LOG}/proofs/consistency"
    for query in ("", "?from=1", "?from=0&to=1", "?from=2&to=1", "?from=x&to=1"):
        assert accounts.anonymous.get(url + query).status_code == 400
    assert accounts.anonymous.get(f"{url}?from=1&to=999999").status_code == 404
    assert accounts.anonymous.get(f"{LOG}/leaves?limit=0").status_code == 400


def test_only_listed_witnesses_cosign_published_checkpoints(accounts: Accounts) -> None:
    url = f"{LOG}/cosignatures"
    note = latest_note(accounts)
    accepted = accounts.anonymous.post(url, json={"checkpoint": str(cosigned(note))})
    assert accepted.status_code == 200
    assert SignedNote.parse(accepted.json()["checkpoint"]).text == note.text
    stranger = note.with_signatures([cosign_text(note.text, "stranger", WITNESS_KEY, 1)])
    unpublished = SignedNote(Checkpoint("other", 1, b"1" * 32).text, note.signatures)
    for body, status in (
        ({"checkpoint": "no note"}, 400),
        ({"checkpoint": str(stranger)}, 403),
        ({"checkpoint": str(cosigned(unpublished))}, 409),
        ({"checkpoint": "x" * 70_000}, 413),
    ):
        assert accounts.anonymous.post(url, json=body).status_code == status
