"""Private notes over HTTP: their author alone reads them, and exports them."""

from typing import Any

import orjson
import redis

from service.bounds import Bounds
from tests.support.accounts import Accounts, Json, PlayerClient
from tests.support.http_contract import invalid_fields

MINE = "/api/v1/me/notes"


def notes_of(player: PlayerClient, game: str) -> list[Json]:
    body: Json = player.http.get(f"/api/v1/games/{game}/notes").json()
    assert body["next"] is None
    return [{"seq": note["seq"], "text": note["text"]} for note in body["notes"]]


def address(game: str, seq: int) -> str:
    return f"/api/v1/games/{game}/notes/{seq}"


def test_only_the_author_of_a_note_reads_it(accounts: Accounts) -> None:
    game, (ada, bea) = accounts.start_game()
    spectator = accounts.register()
    for player, seq, text in (
        (ada, 4, "Why?"),
        (ada, 2, "Second"),
        (ada, 4, "Because!"),
        (spectator, 4, "Nice."),
    ):
        written = player.http.put(address(game, seq), json={"text": text})
        assert (written.status_code, written.json()["text"]) == (200, text)
    assert notes_of(ada, game) == [{"seq": 2, "text": "Second"}, {"seq": 4, "text": "Because!"}]
    assert notes_of(spectator, game) == [{"seq": 4, "text": "Nice."}]
    assert notes_of(bea, game) == []
    for player in (bea, accounts.register()):
        for page in (f"/api/v1/games/{game}", f"/api/v1/games/{game}/record", "/api/v1/events"):
            assert b"Because!" not in player.http.get(page).content
    for _ in range(2):
        assert ada.http.delete(address(game, 4)).status_code == 204
    assert notes_of(ada, game) == [{"seq": 2, "text": "Second"}]
    assert notes_of(spectator, game) == [{"seq": 4, "text": "Nice."}]

    head = ada.http.get(f"/api/v1/games/{game}").json()["head"]["seq"]
    for text in ("", "x" * 1001, "\x00"):
        response = ada.http.put(address(game, 4), json={"text": text})
        assert (response.status_code, invalid_fields(response)) == (400, {"text"})
    for seq in (0, head + 1):
        response = ada.http.put(address(game, seq), json={"text": "x"})
        assert (response.status_code, invalid_fields(response)) == (400, {"seq"})
    private = ada.create_game(options={"private": True})
    for method, path, options in _calls(private):
        assert spectator.http.request(method, path, **options).status_code == 404


def _calls(game: str) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        ("GET", f"/api/v1/games/{game}/notes", {}),
        ("PUT", address(game, 1), {"json": {"text": "x"}}),
        ("DELETE", address(game, 1), {}),
    ]


def test_a_player_reads_and_exports_all_notes(accounts: Accounts) -> None:
    ada, bea = accounts.register(), accounts.register()
    own, other = ada.create_game(), bea.create_game()
    for game, text in ((own, "mine"), (other, "theirs")):
        ada.http.put(address(game, 1), json={"text": text}).raise_for_status()
    expected = sorted([(own, "mine"), (other, "theirs")])
    first = ada.http.get(MINE, params={"limit": 1}).json()
    second = ada.http.get(MINE, params={"limit": 1, "cursor": first["next"]}).json()
    notes = [*first["notes"], *second["notes"]]
    assert [(note["game"], note["text"]) for note in notes] == expected
    assert second["next"] is None
    assert [note["seq"] for note in notes] == [1, 1]
    (line,) = ada.http.get("/api/v1/me/records").content.splitlines()
    (note,) = orjson.loads(line)["notes"]
    assert (note["seq"], note["text"]) == (1, "mine")
    (line,) = bea.http.get("/api/v1/me/records").content.splitlines()
    assert orjson.loads(line)["notes"] == []
    assert bea.http.get(MINE).json() == {"notes": [], "next": None}
    assert ada.http.get(f"{MINE}?limit=0").status_code == 400


def test_a_player_has_a_bounded_number_of_notes(
    accounts: Accounts, redis_client: redis.Redis
) -> None:
    game, (ada, _) = accounts.start_game()
    most = Bounds().max_notes_per_player
    index = {f"{'0' * 16}/{seq:010}": 0 for seq in range(most - 2)}
    redis_client.zadd(f"cartulary:private-note-index:{ada.id}", index)
    for seq, status in ((1, 200), (2, 200), (3, 409), (2, 200)):
        assert ada.http.put(address(game, seq), json={"text": "x"}).status_code == status
    assert [note["seq"] for note in notes_of(ada, game)] == [1, 2]
    assert ada.http.delete(address(game, 1)).status_code == 204
    assert ada.http.put(address(game, 3), json={"text": "x"}).status_code == 200
