"""Computing the ratings of a server again from records, and what is found if they differ."""

from copy import deepcopy
from functools import cache
from io import BytesIO
from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner, Result

from cartulary.cli import cartulary
from ledger.canonical import canonical, digest
from ledger.record import read
from ledger.transparency.checkpoint import Checkpoint, head_leaf_hash
from ledger.transparency.merkle import MemoryTree, prove_inclusion
from ledger.transparency.signed_note import SignedNote, sign_text
from tests.support.rated_games import LOG, RatedServer, rated_server

GAMES = 6


@cache
def _server() -> RatedServer:
    return rated_server(GAMES)


@pytest.fixture
def server() -> RatedServer:
    """A server with rated games, which the test may change."""
    honest = _server()
    return RatedServer(
        dict(honest.records), honest.statement, deepcopy(honest.lines), honest.keys, honest.key
    )


def write(server: RatedServer, folder: Path) -> Path:
    for game, data in server.records.items():
        (folder / f"{game}.jsonl").write_bytes(data)
    stored = {"statement": server.statement, "games": server.lines, "keys": server.keys}
    (folder / "ratings.json").write_bytes(orjson.dumps(stored))
    return folder


def run(folder: Path, *options: str) -> Result:
    return CliRunner().invoke(cartulary, ["ratings", str(folder), *options])


def check(server: RatedServer, folder: Path) -> tuple[int, int | None]:
    """Return the exit status of the command, and the line of the history that it names."""
    result = run(write(server, folder), "--json")
    report = orjson.loads(result.stdout)
    assert report["games"] == len(server.lines)
    return result.exit_code, report["number"]


def test_the_ratings_of_honest_servers_hold(server: RatedServer, tmp_path: Path) -> None:
    assert check(server, tmp_path) == (0, None)
    assert {line["system"] for line in server.lines} == {"barony", "baron", "sorcery"}
    assert "The ratings hold: 6 rated games" in run(tmp_path).stdout
    assert run(tmp_path, "--key", server.keys[0]["public"]).exit_code == 0
    assert run(tmp_path, "--key", "00" * 32).exit_code == 1


def test_a_statement_about_a_club_covers_its_games_alone(
    server: RatedServer, tmp_path: Path
) -> None:
    server.sign(club="0123456789abcdef")
    assert check(server, tmp_path) == (1, 1)
    assert "RT-10" in run(tmp_path).stdout
    server.sign(club=1)
    assert check(server, tmp_path) == (1, None)
    # A club of which no game counts has another history than the server.
    server.publish([])
    server.sign(club="0123456789abcdef")
    assert check(server, tmp_path) == (0, None)


def test_a_changed_result_is_found(server: RatedServer, tmp_path: Path) -> None:
    honest = deepcopy(server.lines)
    for line in (2, 5):
        server.lines = deepcopy(honest)
        places = server.lines[line - 1]["players"]
        places[0]["place"], places[1]["place"] = places[1]["place"], places[0]["place"] + 1
        resign_lines(server)
        assert check(server, tmp_path) == (1, line)
    assert "The ratings differ. game 5: the result of game" in run(tmp_path).stdout


def resign_lines(server: RatedServer) -> None:
    """Chain the lines again as a server would that lies from the beginning, and sign them."""
    prev = "0" * 64
    for number, line in enumerate(server.lines, 1):
        line |= {"number": number, "prev": prev}
        line["hash"] = digest(
            canonical({name: value for name, value in line.items() if name != "hash"})
        )
        prev = line["hash"]
    server.sign(games=len(server.lines), hash=prev)


def test_a_rating_that_differs_in_the_last_digit_is_found(
    server: RatedServer, tmp_path: Path
) -> None:
    server.lines[3]["players"][1]["mu"] += 1
    resign_lines(server)
    assert check(server, tmp_path) == (1, 4)


def test_a_line_that_was_changed_without_the_key_is_found(
    server: RatedServer, tmp_path: Path
) -> None:
    server.lines[3]["players"][1]["mu"] += 1
    assert check(server, tmp_path) == (1, 4)


def test_a_dropped_game_is_found(server: RatedServer, tmp_path: Path) -> None:
    records = [*server.records.values()]
    for dropped in (0, 3, GAMES - 1):
        server.publish([*records[:dropped], *records[dropped + 1 :]])
        assert check(server, tmp_path) == (1, dropped + 1)
        assert "counts, and is left out" in run(tmp_path).stdout


def test_a_reordered_game_is_found(server: RatedServer, tmp_path: Path) -> None:
    records = [*server.records.values()]
    server.publish([records[0], records[2], records[1], *records[3:]])
    assert check(server, tmp_path) == (1, 2)


def test_an_excluded_game_is_left_out_and_shown_with_the_reason(
    server: RatedServer, tmp_path: Path
) -> None:
    records, games = [*server.records.values()], [*server.records]
    server.publish([*records[:2], *records[3:]], games[2], "0" * 16)
    assert check(server, tmp_path) == (0, None)
    shown = run(tmp_path).stdout
    assert "2 games do not count by rulings of administrators" in shown
    assert f"{games[2]} " in shown
    assert ": collusion" in shown
    report = orjson.loads(run(tmp_path, "--json").stdout)
    assert report["excluded"] == server.statement["excluded"]
    # The record of an excluded game is not needed, and changes nothing.
    (tmp_path / f"{games[2]}.jsonl").unlink()
    del server.records[games[2]]
    assert check(server, tmp_path) == (0, None)


def test_a_lie_beside_an_excluded_game_is_found(server: RatedServer, tmp_path: Path) -> None:
    records, games = [*server.records.values()], [*server.records]
    server.publish([*records[:2], *records[3:5]], games[2])
    assert check(server, tmp_path) == (1, 5)
    assert f"game {games[5]} counts, and is left out" in run(tmp_path).stdout
    server.publish([records[1], records[0], *records[3:]], games[2])
    assert check(server, tmp_path) == (1, 1)
    server.publish([*records[:2], *records[3:]], games[2])
    server.lines[3]["players"][0]["mu"] += 1
    resign_lines(server)
    assert check(server, tmp_path) == (1, 4)


def test_an_excluded_game_that_was_counted_is_found(server: RatedServer, tmp_path: Path) -> None:
    server.publish([*server.records.values()], [*server.records][2])
    assert check(server, tmp_path) == (1, 3)
    assert "says that it is excluded (RT-9)" in run(tmp_path).stdout


def test_an_exclusion_that_nobody_has_signed_is_found(server: RatedServer, tmp_path: Path) -> None:
    records = [*server.records.values()]
    server.publish(records[1:], server.lines[0]["game"])
    exclusions = server.statement["excluded"]
    server.publish(records[1:])
    server.statement = {**server.statement, "excluded": exclusions}
    assert check(server, tmp_path) == (1, None)
    assert "by a ruling" not in run(tmp_path).stdout


def test_statements_without_exclusions_are_readable_and_malformed_ones_are_not(
    server: RatedServer, tmp_path: Path
) -> None:
    statement = server.statement
    server.statement = {name: statement[name] for name in statement.keys() - {"excluded"}}
    server.sign()
    assert "excluded" not in server.statement
    assert check(server, tmp_path) == (0, None)
    entry = {"game": "0" * 16, "at": "2026-11-01T00:00:00.000Z", "reason": "collusion"}
    malformed: tuple[object, ...] = (
        None,
        {},
        ["0" * 16],
        [{**entry, "by": "ada"}],
        *([{**entry, name: 1}] for name in entry),
        [{**entry, "at": "yesterday"}],
        [{**entry, "game": "../x"}],
    )
    for excluded in malformed:
        server.sign(excluded=excluded)
        assert check(server, tmp_path) == (1, None)


def test_a_game_that_the_statement_does_not_cover_is_found(
    server: RatedServer, tmp_path: Path
) -> None:
    server.sign(size=4)
    assert check(server, tmp_path) == (1, 5)


def test_without_a_record_it_cannot_be_known(server: RatedServer, tmp_path: Path) -> None:
    game = server.lines[4]["game"]
    del server.records[game]
    assert check(server, tmp_path) == (3, 5)
    assert f"the record of game {game} is missing" in run(tmp_path).stdout


def test_a_record_that_does_not_prove_its_place_decides_nothing(
    server: RatedServer, tmp_path: Path
) -> None:
    game = server.lines[2]["game"]
    header, _, rest = server.records[game].partition(b"\n")
    unsigned = orjson.loads(header)
    del unsigned["inclusion"]
    unsigned["head"] = {name: unsigned["head"][name] for name in ("seq", "hash")}
    signed = orjson.dumps(server.key.sign_head(unsigned), option=orjson.OPT_SORT_KEYS)
    server.records[game] = signed + b"\n" + rest
    assert check(server, tmp_path) == (3, 3)


def unfinished(server: RatedServer, game: str) -> bytes:
    """Return the record of a game as it was before its last event."""
    record = read(BytesIO(server.records[game]))
    last = record.events[-2]
    unsigned = {name: value for name, value in record.header.items() if name != "inclusion"}
    unsigned["head"] = {"seq": last["seq"], "hash": last["hash"]}
    return b"".join(
        line + b"\n" for line in (canonical(server.key.sign_head(unsigned)), *record.lines[:-1])
    )


def test_an_older_copy_of_a_record_changes_nothing(server: RatedServer, tmp_path: Path) -> None:
    game = server.lines[3]["game"]
    older = unfinished(server, game)
    for name in ("0-older", "z-older"):
        (tmp_path / f"{name}.jsonl").write_bytes(older)
    assert check(server, tmp_path) == (0, None)
    # Alone, it does not show whether the game was finished.
    (tmp_path / f"{game}.jsonl").unlink()
    del server.records[game]
    assert check(server, tmp_path) == (3, 4)
    assert "does not prove when the game was finished" in run(tmp_path).stdout


def in_other_log(server: RatedServer, game: str, index: int, size: int) -> bytes:
    """Return the record of a game with the proof that another log of the same name has it at this index."""
    header, _, rest = server.records[game].partition(b"\n")
    unsigned = orjson.loads(header)
    proof = unsigned["inclusion"]
    tree = MemoryTree()
    leaf = head_leaf_hash(game, proof["seq"], proof["hash"])
    tree.append([leaf if number == index else bytes(32) for number in range(size)])
    text = Checkpoint(LOG, size, tree.root()).text
    unsigned["inclusion"] = {
        **proof,
        "checkpoint": str(SignedNote(text, (sign_text(text, LOG, server.key),))),
        "index": index,
        "path": [node.hex() for node in prove_inclusion(tree, index, size)],
    }
    unsigned["head"] = {name: unsigned["head"][name] for name in ("seq", "hash")}
    return canonical(server.key.sign_head(unsigned)) + b"\n" + rest


def test_two_logs_that_the_server_has_signed_are_found(server: RatedServer, tmp_path: Path) -> None:
    records, games = [*server.records.values()], [*server.records]
    # The server leaves a game out, whose players were given the place of another one.
    server.publish([*records[:3], *records[4:]])
    del server.records[games[3]]
    left_out = tmp_path / "0.jsonl"
    records[3] = in_other_log(
        RatedServer({games[3]: records[3]}, {}, [], [], server.key), games[3], 2, GAMES + 1
    )
    left_out.write_bytes(records[3])
    assert check(server, tmp_path) == (1, None)
    assert f"games {games[3]} and {games[2]} have the same place" in run(tmp_path).stdout
    left_out.unlink()
    # A checkpoint of the size that the statement covers has another root.
    server.records = dict(zip(games, [*_server().records.values()], strict=True))
    server.publish([*server.records.values()])
    server.records[games[3]] = in_other_log(server, games[3], 3, GAMES)
    assert check(server, tmp_path) == (1, None)
    assert f"two different checkpoints of size {GAMES}" in run(tmp_path).stdout


def test_a_record_that_was_changed_is_broken(server: RatedServer, tmp_path: Path) -> None:
    game = server.lines[2]["game"]
    honest = server.records[game]
    assert b'"place":1' in honest
    for changed in (
        honest.replace(b'"place":1', b'"place":3', 1),
        honest.replace(b'"index":2', b'"index":1', 1),
    ):
        assert changed != honest
        server.records[game] = changed
        assert check(server, tmp_path) == (1, None)
        assert "is broken" in run(tmp_path).stdout


def test_a_statement_that_is_not_valid_is_broken(server: RatedServer, tmp_path: Path) -> None:
    honest = server.statement
    for changes in ({"games": 5}, {"signature": "00" * 64}, {"key": "00" * 8}, {"size": "6"}):
        server.statement = {**honest, **changes}
        assert check(server, tmp_path) == (1, None)
    server.statement = {}
    assert check(server, tmp_path) == (1, None)
    server.statement = honest
    server.sign(model="another model")
    assert check(server, tmp_path) == (3, None)


def test_a_folder_without_a_statement_is_refused(tmp_path: Path) -> None:
    assert run(tmp_path).exit_code == 2
    (tmp_path / "ratings.json").write_text("[]")
    assert run(tmp_path).exit_code == 1


@pytest.mark.nightly
def test_ten_thousand_games_agree_to_the_last_digit(tmp_path: Path) -> None:
    server = rated_server(10_000, round_limit=1)
    assert check(server, tmp_path) == (0, None)
    records = [*server.records.values()]
    server.publish([*records[:7_000], *records[7_001:]])
    assert check(server, tmp_path) == (1, 7_001)
