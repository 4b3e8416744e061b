"""Erasure: a player leaves for good, nothing that identifies them stays, and the others can play on."""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
import redis
from freezegun import freeze_time

from domain.lifecycle import NewGame
from domain.messages import message
from ledger.canonical import canonical
from ledger.keys import SigningKey
from ledger.player_signatures import key_payload
from ledger.record import read
from ledger.statements import AnswerDispute, GiveRuling, OpenDispute
from replay.audit import audit
from service import wall_clock
from service.accounts.account_reader import Player
from service.accounts.erased import ErasedPlayers
from service.accounts.erasure import SECONDS_TO_SETTLE
from service.bootstrap import Service, build
from service.errors import Forbidden, HandleTaken, Unauthorised, Unavailable
from service.games.erasure import GameErasure
from service.games.listings import Listings
from service.games.repository import GameRepository
from service.operation.embedded_redis import EmbeddedRedis
from service.recovery.reindex import reindex
from service.store.shards import Shards
from tests.support.faults import raises
from tests.support.redis_commands import count_commands
from tests.support.redis_contents import contents
from tests.support.service_games import take_action

PASSWORD = "correct horse"
HANDLE = "Adalbertine"
EMAIL = "ada@erased.example.org"
LOCALE = "fr-CH-erased"
STATEMENT = "My brother moved while I was in hospital"
CLIENT = "adas-own-browser/1"
NETWORK = "203.0.113.77"
KEY_NAME = "key in the pocket"
NOTE = "I should have attacked in the north"
COMMENT = "A fine game all the same"
TRACES = (
    NOTE,
    COMMENT,
    KEY_NAME,
    HANDLE,
    HANDLE.casefold(),
    EMAIL,
    LOCALE,
    STATEMENT,
    CLIENT,
    NETWORK,
    "argon2id",
)
"""What identifies the player, and must be nowhere after the erasure. Only Ada has a password hash."""
KEY = SigningKey.from_seed(b"a" * 32)
IDS = Shards("erased-players")


@dataclass
class Erased:
    """A player who is to be erased, with a token, and the ids of games in which they have a place."""

    player: Player
    token: str
    playing: str
    disputed: str
    dispute: int
    waiting: str
    finished: str


@pytest.fixture
def ada(service: Service) -> Erased:
    player, token = service.accounts.players.register(HANDLE, PASSWORD, EMAIL, LOCALE, CLIENT)
    service.accounts.players.login(HANDLE, PASSWORD, CLIENT)
    proof = KEY.signature(canonical(key_payload(player.id, KEY.public)))
    service.games.key_registry.add(
        player.id, bytes.fromhex(KEY.public), bytes.fromhex(proof), KEY_NAME
    )

    def start() -> str:
        game = service.games.commands.create(
            player.id, NewGame(rules="barony", seats=3, options={"seating": "joined"})
        )
        service.games.commands.join(game.id, "bea")
        service.games.commands.join(game.id, "cid")
        return game.id

    playing, disputed, finished = start(), start(), start()
    take_action(service, playing)
    take_action(service, finished)
    about = service.games.queries.game(disputed).seq
    dispute = service.games.statements.state(
        disputed, player.id, OpenDispute(about, STATEMENT)
    ).events[0]["seq"]
    service.administration.abandon("operator", finished, "a test")
    service.comments.post(finished, player.id, COMMENT)
    service.games.private_notes.write(finished, player.id, 4, NOTE)
    service.sandboxes.create(player.id, NETWORK, finished, None, bytes(32))
    waiting = service.games.commands.create(
        player.id, NewGame(rules="baron", seats=2, options={"private": True}, invited=("bea",))
    )
    return Erased(player, token, playing, disputed, dispute, waiting.id, finished)


def traces(service: Service) -> list[str]:
    """Return what is still stored of the player, anywhere in Redis."""
    stored = repr(contents(service.redis))
    return [trace for trace in TRACES if trace in stored]


def record(service: Service, game_id: str) -> bytes:
    return b"".join(service.games.queries.record(game_id))


def resume_later(service: Service) -> None:
    """Complete erasures as a scheduler does after some time."""
    later = wall_clock.now() + timedelta(seconds=SECONDS_TO_SETTLE + 1)
    with freeze_time(later):
        service.accounts.erasure.resume()


@pytest.mark.needs_redis("single")
def test_nothing_that_identifies_an_erased_player_is_stored_anywhere(
    service: Service, ada: Erased, redis_server: EmbeddedRedis
) -> None:
    assert traces(service) == list(TRACES)
    service.accounts.erasure.erase(ada.player.id, PASSWORD)
    assert traces(service) == []
    resume_later(service)
    service.accounts.erasure.compact()
    while service.redis.info("persistence")["aof_rewrite_in_progress"]:
        pass
    # The file may have been written by other tests too, but not with this handle.
    files = [path for path in redis_server.data.rglob("*") if path.is_file()]
    appended = b"".join(path.read_bytes() for path in files if "aof" in path.name)
    assert ada.playing.encode() in appended
    assert [trace for trace in TRACES if trace.encode() in appended] == []


def test_an_erased_player_cannot_log_in_and_is_not_found(service: Service, ada: Erased) -> None:
    service.accounts.erasure.erase(ada.player.id, PASSWORD)
    assert service.accounts.players.get([ada.player.id]) == [None]
    assert service.accounts.players.by_handle(HANDLE) is None
    assert service.accounts.players.tokens.owner(ada.token) is None
    assert service.accounts.players.tokens.sessions(ada.player.id) == []
    assert service.accounts.keys.of(ada.player.id) == []
    with pytest.raises(Unauthorised):
        service.accounts.players.login(HANDLE, PASSWORD)


def test_the_others_play_on_and_their_records_hold(service: Service, ada: Erased) -> None:
    service.accounts.erasure.erase(ada.player.id, PASSWORD)
    game = service.games.queries.game(ada.playing)
    events = service.games.queries.event_page(ada.playing, 0, 100)
    assert events[-1]["type"] == "PlayerResigned"
    assert game.state is not None
    assert list(game.state.in_game()) == [1, 2]
    take_action(service, ada.playing)
    waiting = service.games.queries.game(ada.waiting)
    assert (waiting.status, waiting.places) == ("abandoned", ())
    for game_id in (ada.playing, ada.disputed, ada.waiting, ada.finished):
        data = record(service, game_id)
        report = audit(io.BytesIO(data))
        assert report.verdict != "broken", report.findings
        assert ada.player.id not in read(io.BytesIO(data)).names
    header = read(io.BytesIO(record(service, ada.playing))).header
    assert header["players"][0] == {"id": ada.player.id, "handle": None, "keys": []}


def test_only_the_statements_of_the_erased_player_are_erased(service: Service, ada: Erased) -> None:
    answer = service.games.statements.state(
        ada.disputed, "bea", AnswerDispute(ada.dispute, "I waited a week")
    ).events[0]["seq"]
    elsewhere = service.games.commands.create(
        "bea", NewGame(rules="barony", seats=2, options={}, arbiter=ada.player.id)
    ).id
    service.games.commands.join(elsewhere, "cid")
    about = service.games.queries.game(elsewhere).seq
    dispute = service.games.statements.state(
        elsewhere, "bea", OpenDispute(about, "It skipped my turn")
    )
    number = dispute.events[0]["seq"]
    ruling = {"type": "dismiss"}
    service.games.statements.state(elsewhere, ada.player.id, GiveRuling(number, ruling, STATEMENT))
    assert len(service.store.statements(elsewhere)) == 2
    service.accounts.erasure.erase(ada.player.id, PASSWORD)
    assert service.store.statements(ada.disputed) == [answer]
    assert service.store.statements(elsewhere) == [number]
    # A process that has not cached the games can still read their logs.
    restarted = build(service.settings)
    for game_id in (ada.disputed, elsewhere):
        data = record(restarted, game_id)
        assert STATEMENT not in data.decode()
        report = audit(io.BytesIO(data))
        assert report.verdict != "broken", report.findings
    restarted.redis.close()


def test_nobody_can_register_the_handle_of_an_erased_player(service: Service, ada: Erased) -> None:
    service.accounts.erasure.erase(ada.player.id, PASSWORD)
    before = contents(service.redis)
    for handle in (HANDLE, HANDLE.upper(), HANDLE.replace("l", "1")):
        with pytest.raises(HandleTaken):
            service.accounts.players.register(handle, PASSWORD)
    assert contents(service.redis) == before
    service.accounts.players.register("Bertine", PASSWORD)


def test_a_wrong_password_erases_nothing(service: Service, ada: Erased) -> None:
    before = contents(service.redis)
    with pytest.raises(Forbidden):
        service.accounts.erasure.erase(ada.player.id, "wrong horse")
    assert contents(service.redis) == before
    assert not (service.settings.data / "erased-players").exists()


def snapshot(client: redis.Redis) -> dict[bytes, bytes]:
    """Return a backup of everything in Redis."""
    return {key: client.dump(key) for key in client.keys("*")}  # type: ignore[misc] # values exist


def restore(client: redis.Redis, backup: dict[bytes, bytes]) -> None:
    client.flushall()
    for key, value in backup.items():
        client.restore(key, 0, value)


def as_a_web_process_does(service: Service) -> None:
    from service.server.web_process import repeat_erasures

    repeat_erasures(service)


def as_reindex_does(service: Service) -> None:
    reindex(service)


@pytest.mark.parametrize("start", [as_a_web_process_does, as_reindex_does])
def test_restoring_a_backup_does_not_bring_an_erased_player_back(
    service: Service, ada: Erased, start: Callable[[Service], None]
) -> None:
    backup = snapshot(service.redis)
    service.accounts.erasure.erase(ada.player.id, PASSWORD)
    restore(service.redis, backup)
    assert traces(service) == list(TRACES)
    restarted = build(service.settings)
    start(restarted)
    assert traces(restarted) == []
    assert restarted.accounts.players.tokens.owner(ada.token) is None
    assert audit(io.BytesIO(record(restarted, ada.playing))).verdict != "broken"
    restarted.redis.close()


@pytest.mark.needs_redis("single")
def test_a_start_costs_the_same_with_ten_times_as_many_erased_players(service: Service) -> None:
    costs = []
    for count in (3, 30):
        erased = ErasedPlayers(service.redis, service.settings.data)
        for number in range(count):
            erased.add(f"player-{count}-{number}")
        with count_commands(service.redis) as commands:
            as_a_web_process_does(service)
        costs.append(commands)
    assert costs[0] == costs[1] == dict.fromkeys(("scard", "smismember"), len(IDS.all))


def test_the_list_of_erased_players_is_kept_in_redis_and_in_the_data_folder(
    service: Service, ada: Erased
) -> None:
    service.accounts.erasure.erase(ada.player.id, PASSWORD)
    file = service.settings.data / "erased-players"
    assert file.read_text() == f"{ada.player.id}\n"
    assert file.stat().st_mode & 0o777 == 0o600
    file.unlink()
    service.accounts.erasure.repeat()
    assert file.read_text() == f"{ada.player.id}\n"
    service.redis.delete(*IDS.all)
    service.accounts.erasure.repeat()
    assert service.redis.smembers(IDS.key(ada.player.id)) == {ada.player.id.encode()}
    assert file.read_text() == f"{ada.player.id}\n"


def test_what_earlier_versions_stored_of_erased_players_in_one_key_is_known_and_moves(
    service: Service, ada: Erased
) -> None:
    service.accounts.erasure.erase(ada.player.id, PASSWORD)
    shards = [Shards(name) for name in ("erased-players", "erased-handles", "statements")]
    others = Shards("handles")
    for number in range(40):
        service.accounts.players.register(f"player-{number:02}", PASSWORD)
    for entry in shards:
        ids = [member for key in entry.all for member in service.redis.smembers(key)]
        service.redis.delete(*entry.all)
        service.redis.sadd(entry.former, *ids, "another")
    names: list[Any] = [name for key in others.all for name in service.redis.zrange(key, 0, -1)]
    service.redis.delete(*others.all)
    service.redis.zadd(others.former, dict.fromkeys(names, 0))
    file = service.settings.data / "erased-players"
    file.write_text(file.read_text() + "another\n")
    with pytest.raises(HandleTaken):
        service.accounts.players.register(ada.player.handle, PASSWORD)
    as_a_web_process_does(service)
    assert service.redis.exists(IDS.former)
    assert len(alphabetical(service)) >= 40
    pages = alphabetical(service)
    reindex(service)
    assert alphabetical(service) == pages
    assert not service.redis.exists(*(entry.former for entry in (*shards, others)))
    with pytest.raises(HandleTaken):
        service.accounts.players.register(ada.player.handle, PASSWORD)


def alphabetical(service: Service) -> list[str]:
    """Return the ids of all players on pages of seven, in alphabetical order of their handles."""
    ids: list[str] = []
    after: str | None = None
    while True:
        page, after = service.accounts.players.page("", after, 7)
        ids += [player.id for player in page]
        if after is None:
            return ids


@pytest.mark.parametrize(
    ("part", "step"),
    [(Listings, "current_games"), (GameRepository, "execute_each"), (GameErasure, "_statements")],
)
def test_an_interrupted_erasure_is_completed_later(
    service: Service, ada: Erased, monkeypatch: pytest.MonkeyPatch, part: type, step: str
) -> None:
    def fail(*_: Any) -> Iterator[str]:
        raise Unavailable(message("the store does not respond"))

    with monkeypatch.context() as patch:
        patch.setattr(part, step, fail)
        with pytest.raises(Unavailable):
            service.accounts.erasure.erase(ada.player.id, PASSWORD)
    assert service.accounts.players.tokens.owner(ada.token) is None
    with pytest.raises(Unauthorised):
        service.accounts.players.login(HANDLE, PASSWORD)
    service.accounts.erasure.resume()
    assert traces(service) != [], "a request may still be under way"
    resume_later(service)
    assert traces(service) == []


def test_a_place_taken_while_the_erasure_was_under_way_is_given_up(
    service: Service, ada: Erased
) -> None:
    game = service.games.commands.create("bea", NewGame(rules="barony", seats=3, options={}))
    service.accounts.erasure.erase(ada.player.id, PASSWORD)
    # Another process may trust the token for some seconds.
    service.games.commands.join(game.id, ada.player.id)
    resume_later(service)
    assert not service.games.queries.game(game.id).has_joined(ada.player.id)
    before = contents(service.redis)
    resume_later(service)
    assert contents(service.redis) == before


def test_the_append_only_file_is_rewritten_at_most_once_an_hour(
    service: Service, ada: Erased, monkeypatch: pytest.MonkeyPatch
) -> None:
    rewrites: list[str] = []
    monkeypatch.setattr(redis.Redis, "bgrewriteaof", lambda _: rewrites.append("rewrite"))
    service.accounts.erasure.compact()
    assert rewrites == []
    for _ in range(3):
        service.accounts.erasure.erase(ada.player.id, PASSWORD) if not rewrites else None
        resume_later(service)
        service.accounts.erasure.compact()
    assert rewrites == ["rewrite"]
    service.redis.set("cartulary:rewrite-due", "1")
    service.accounts.erasure.compact()
    assert rewrites == ["rewrite"]
    assert 0 < service.redis.ttl("cartulary:rewritten") <= 3600


def test_a_rewrite_that_is_under_way_is_followed_by_another_one(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_busy(_: redis.Redis) -> None:
        raise redis.ResponseError("Background append only file rewriting already in progress")

    rewrites: list[str] = []
    service.redis.set("cartulary:rewrite-due", "1")
    with monkeypatch.context() as patch:
        patch.setattr(redis.Redis, "bgrewriteaof", is_busy)
        service.accounts.erasure.compact()
    monkeypatch.setattr(redis.Redis, "bgrewriteaof", lambda _: rewrites.append("rewrite"))
    service.accounts.erasure.compact()
    assert rewrites == ["rewrite"]


def test_a_game_that_cannot_be_read_does_not_prevent_an_erasure(
    service: Service, ada: Erased
) -> None:
    service.redis.delete(f"cartulary:{{{ada.playing}}}:log")
    service.redis.set(f"cartulary:{{{ada.disputed}}}:log", "damaged", keepttl=True)
    restarted = build(service.settings)
    restarted.accounts.erasure.erase(ada.player.id, PASSWORD)
    assert restarted.accounts.players.get([ada.player.id]) == [None]
    assert restarted.games.queries.game(ada.waiting).status == "abandoned"
    restarted.redis.close()


def test_an_erasure_begins_only_when_its_id_is_in_the_file(service: Service, ada: Erased) -> None:
    file = service.settings.data / "erased-players"
    file.mkdir()
    before = contents(service.redis)
    with raises(Unavailable, match="cannot be written"):
        service.accounts.erasure.erase(ada.player.id, PASSWORD)
    assert contents(service.redis) == before
    file.rmdir()
    service.accounts.erasure.erase(ada.player.id, PASSWORD)
    assert traces(service) == []


def test_a_file_that_cannot_be_written_does_not_prevent_that_erasures_are_repeated(
    service: Service, ada: Erased, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise Unavailable(message("the file of erased players cannot be written"))

    backup = snapshot(service.redis)
    service.accounts.erasure.erase(ada.player.id, PASSWORD)
    restore(service.redis, backup)
    service.redis.sadd(IDS.key("another"), "another")
    monkeypatch.setattr(ErasedPlayers, "_write", fail)
    assert service.accounts.erasure.repeat() == 1
    assert traces(service) == []
    assert "cannot be written" in caplog.text
