"""Keys: signing and checking receipts and heads, and key files that only their owner may read."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from domain.errors import Unreadable
from domain.event import Event
from domain.json_types import JsonObject
from ledger.canonical import canonical
from ledger.keys import BadSignature, SigningKey, check_signed
from tests.support.faults import raises
from tests.support.records import KEY, SINCE, STRANGER, Table


@pytest.fixture
def event() -> Event:
    return Table().start().take(1)


def test_the_id_of_a_key_derives_from_its_public_bytes() -> None:
    assert KEY.id == sha256(bytes.fromhex(KEY.public)).hexdigest()[:16]
    assert KEY.public_entry(SINCE) == {
        "key": KEY.id,
        "public": KEY.public,
        "from": SINCE,
        "until": None,
    }


def test_a_receipt_is_an_ed25519_signature_over_its_other_fields(event: Event) -> None:
    receipt = KEY.receipt(event)
    assert receipt.keys() == {"game", "seq", "hash", "at", "key", "signature"}
    signature = bytes.fromhex(receipt.pop("signature"))
    public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(KEY.public))
    public.verify(signature, canonical(receipt))


def test_a_receipt_that_is_changed_or_checked_with_another_key_is_not_genuine(event: Event) -> None:
    keys = [STRANGER.public_entry(SINCE), KEY.public_entry(SINCE)]
    receipt = KEY.receipt(event)
    check_signed(receipt, keys)
    changed: list[JsonObject] = [
        {**receipt, "signature": receipt["signature"].upper()},
        {**receipt, "more": 1},
        {**receipt, "signature": None},
    ]
    for name, value in receipt.items():
        changed.append({**receipt, name: value + 1 if name == "seq" else f"{value[:-1]}~"})
        changed.append({field: value for field, value in receipt.items() if field != name})
    for statement in changed:
        with pytest.raises(BadSignature):
            check_signed(statement, keys)
    for others in (
        [STRANGER.public_entry(SINCE)],
        [{**STRANGER.public_entry(SINCE), "key": KEY.id}],
        [],
    ):
        with pytest.raises(BadSignature):
            check_signed(receipt, others)


def test_an_invalid_public_key_is_rejected(event: Event) -> None:
    for public in ("", "zz", "00", "0" * 64, "f" * 64):
        with pytest.raises(BadSignature):
            check_signed(KEY.receipt(event), [{**KEY.public_entry(SINCE), "public": public}])


def test_a_key_file_is_generated_once_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "key.pem"
    with ThreadPoolExecutor(8) as threads:
        keys = list(threads.map(lambda _: SigningKey.load_or_generate(path), range(16)))
    assert len({key.id for key in keys}) == 1
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(path.parent.iterdir()) == [path]
    assert SigningKey.load(path).sign({"a": 1}) == keys[0].sign({"a": 1})
    with pytest.raises(FileExistsError):
        SigningKey.generate().save(path)


def test_concurrent_processes_get_the_same_key(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    code = (
        "import sys, pathlib; from ledger.keys import SigningKey;"
        "print(SigningKey.load_or_generate(pathlib.Path(sys.argv[1])).id)"
    )
    runs = [
        subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    ids = {run.communicate()[0] for run in runs}
    assert ids == {f"{SigningKey.load(path).id}\n".encode()}


def test_a_file_without_an_ed25519_key_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_bytes(b"nothing")
    with raises(Unreadable, match="does not contain a readable private key"):
        SigningKey.load_or_generate(path)
    other = generate_private_key(SECP256R1())
    path.write_bytes(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with raises(Unreadable, match="not an Ed25519 key"):
        SigningKey.load_or_generate(path)


def test_the_repr_of_a_key_does_not_contain_the_private_key() -> None:
    assert (b"k" * 32).hex() not in repr(KEY)
    assert "kkkk" not in repr(KEY)
