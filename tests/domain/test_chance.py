"""Chance: the stream, the draws and the published vectors of docs/formats.md."""

import json
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from domain import baron
from domain.barony import sorcery
from domain.barony.components import LETTERS, TERRAINS
from domain.barony.set_up import lay_board
from domain.chance import Chance, SeedVersion, commitment, resumed_seed, seed
from domain.errors import Malformed
from tests.support import baron_reference_set_up
from tests.support.events import data_of

VECTORS = json.loads((Path(__file__).parent / "chance_vectors.json").read_text())


@pytest.mark.parametrize("vector", VECTORS["seeds"])
def test_seeds(vector: dict[str, object]) -> None:
    secret = bytes.fromhex(str(vector["secret"]))
    nonces = [bytes.fromhex(nonce) for nonce in vector["nonces"]]  # type: ignore[attr-defined]
    assert commitment(secret) == vector["commitment"]
    assert seed(secret, nonces, vector["version"]).hex() == vector["seed"]  # type: ignore[arg-type] # 1 or 2


@pytest.mark.parametrize("vector", VECTORS["resumed_seeds"])
def test_seeds_of_what_is_drawn_anew(vector: dict[str, Any]) -> None:
    seed, nonces = bytes.fromhex(vector["seed"]), map(bytes.fromhex, vector["nonces"])
    assert resumed_seed(seed, vector["number"], nonces).hex() == vector["resumed_seed"]


@pytest.mark.parametrize("vector", VECTORS["below"])
def test_draws_below(vector: dict[str, list[int]]) -> None:
    chance = Chance(bytes.fromhex(str(vector["seed"])))
    assert [chance.below(n) for n in vector["n"]] == vector["drawn"]


@pytest.mark.parametrize("vector", VECTORS["shuffle"])
def test_shuffles(vector: dict[str, list[str]]) -> None:
    assert Chance(bytes.fromhex(str(vector["seed"]))).shuffle(vector["of"]) == vector["shuffled"]


@pytest.mark.parametrize("vector", VECTORS["boards"])
def test_boards(vector: dict[str, object]) -> None:
    terrain = lay_board(int(str(vector["seats"])), Chance(bytes.fromhex(str(vector["seed"]))))
    letters = "".join(LETTERS[terrain[at]] for at in sorted(terrain))
    assert [list(at) for at in sorted(terrain)] == vector["hexes"]
    assert letters == vector["terrain"]


@pytest.mark.parametrize("vector", VECTORS["sorcery"])
def test_set_ups_with_sorcery(vector: dict[str, object]) -> None:
    seats, seed = int(str(vector["seats"])), bytes.fromhex(str(vector["seed"]))
    opening = data_of(sorcery.set_up(seats, {}, Chance(seed)))
    assert [cell["at"] for cell in opening["board"]] == vector["hexes"]
    letters = [LETTERS[TERRAINS.index(cell["terrain"])] for cell in opening["board"]]
    assert "".join(letters) == vector["terrain"]
    assert opening["spells"] == vector["spells"]


@pytest.mark.parametrize("vector", VECTORS["baron"])
def test_set_ups_of_baron(vector: dict[str, object]) -> None:
    seats, seed = int(str(vector["seats"])), bytes.fromhex(str(vector["seed"]))
    assert baron_set_up(seats, seed) == {
        name: value for name, value in vector.items() if name not in ("seats", "seed")
    }


def baron_set_up(seats: int, seed: bytes) -> dict[str, object]:
    """The set-up that the program draws, with its secrets, in the form of the vectors."""
    event = baron.set_up(seats, {}, Chance(seed))
    reserves = [event.secrets[f"reserve/{seat}"] for seat in range(seats)]
    return {**event.data, "reserves": reserves, "pile": event.secrets["pile"]}


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_set_ups_of_baron_agree_with_the_published_order(seats: int) -> None:
    """The reference set-up is a second implementation, from the bytes of the seed on."""
    returned_counts = set()
    for number in range(150):
        seed = bytes([seats, number])
        expected = asdict(baron_reference_set_up.set_up(seats, seed))
        returned_counts.add(len(expected.pop("returned")))
        assert baron_set_up(seats, seed) == expected
    assert returned_counts >= {0, 1, 2}, "too few start tiles of negative value"


def test_the_stream_is_sha256_of_seed_and_counter() -> None:
    """A second implementation of the definition; 2^64 - 2^64 mod n is the first rejected word."""
    words = [
        int.from_bytes(sha256(b"seed" + counter.to_bytes(8, "big")).digest()[i : i + 8], "big")
        for counter in range(250)
        for i in range(0, 32, 8)
    ]
    n = 2**63 + 1
    chance = Chance(b"seed")
    draws = [chance.below(n) for _ in range(300)]
    assert draws == [word for word in words if word < n][:300]


def test_a_draw_below_zero_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Chance(b"").below(0)


@pytest.mark.parametrize("version", [1, 2])
def test_a_nonce_of_65_bytes_is_refused(version: SeedVersion) -> None:
    seed(b"", [bytes(64)], version)
    with pytest.raises(Malformed):
        seed(b"", [bytes(65)], version)
