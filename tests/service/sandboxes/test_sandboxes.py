"""Stored sandboxes: what they know, their bounds, their expiry, and concurrent changes."""

from dataclasses import replace

import orjson
import pytest
from freezegun import freeze_time

from domain.json_types import JsonObject
from service.bootstrap import Service, build
from service.errors import Forbidden, NotFound, SandboxConflict, TooManySandboxes
from service.sandboxes.sandboxes import OpenSandbox
from service.settings import Settings
from tests.support.damage import store_lines
from tests.support.faults import raises
from tests.support.languages import ENGLISH
from tests.support.redis_contents import contents
from tests.support.service_games import play_out, start_game, take_action
from tests.support.stored_games import rechained

SEED = b"seed"


def create(
    service: Service, game: str, player: str = "ada", network: str = "net", seq: int | None = None
) -> OpenSandbox:
    return service.sandboxes.create(player, network, game, seq, SEED)


def views(service: Service, game: str, player: str) -> list[JsonObject]:
    """The positions of a sandbox in which bots take some turns for everybody."""
    sandbox = create(service, game, player)
    shown = [sandbox.sandbox.position()]
    for _ in range(5):
        sandbox = service.sandboxes.let_bots_act(sandbox.stored, [0, 1, 2], "sensible", 1, None)
        shown.append(sandbox.sandbox.position())
    return shown


def with_bounds(settings: Settings, **bounds: int) -> Service:
    return build(replace(settings, bounds=replace(settings.bounds, **bounds)))


def commit_again(service: Service, game_id: str) -> None:
    """Have the log of a game commit to the secrets that are stored."""
    openings: dict[tuple[int, str], JsonObject] = {}
    for key, opening in service.store.secrets(game_id).items():
        seq, _, name = key.partition("/")
        if name:
            openings[int(seq), name] = orjson.loads(opening)
    store_lines(service, game_id, [*rechained(service.store.read(game_id), openings)])


def test_a_sandbox_does_not_depend_on_secrets_of_others(
    service: Service, settings: Settings
) -> None:
    game = start_game(service, 3, rules="baron")
    for _ in range(2):
        take_action(service, game.id)
    expected = views(service, game.id, "ada")
    key = f"cartulary:{{{game.id}}}:secrets"
    stored = {name.decode(): value for name, value in service.redis.hgetall(key).items()}  # type: ignore[union-attr] # redis-py has no exact types
    hidden = [name for name in stored if name not in {"seed", "5/reserve/0"}]
    assert sorted(hidden) == ["5/pile", "5/reserve/1", "5/reserve/2"]
    for name in hidden:
        opening = orjson.loads(stored[name])
        changed = {**opening, "value": opening["value"][::-1], "salt": "00" * 32}
        service.redis.hset(key, name, orjson.dumps(changed))
    one, two = (orjson.loads(stored[f"5/reserve/{seat}"]) for seat in (1, 2))
    service.redis.hset(key, "5/reserve/1", orjson.dumps(two))
    service.redis.hset(key, "5/reserve/2", orjson.dumps(one))
    commit_again(service, game.id)
    assert views(build(settings), game.id, "ada") == expected
    # What the maker may see does make a difference.
    service.redis.hset(key, "5/reserve/0", orjson.dumps(one))
    commit_again(service, game.id)
    assert views(build(settings), game.id, "ada") != expected


def test_a_sandbox_of_a_finished_game_knows_everything(service: Service) -> None:
    game = start_game(service, 2, rules="baron")
    position = service.games.queries.game_at(game.id, 4).position(None, ended=True)
    play_out(service, game.id)
    service.games.commands.score(game.id)
    sandbox = create(service, game.id, "stranger", seq=4)
    assert sandbox.stored.viewer is None
    assert sandbox.sandbox.position() == position


def test_a_sandbox_leaves_no_trace_in_the_game(service: Service) -> None:
    game = start_game(service)
    take_action(service, game.id)
    before = contents(service.redis)
    sandbox = create(service, game.id)
    service.sandboxes.let_bots_act(sandbox.stored, [0, 1], "random", 9, None)
    new = contents(service.redis).keys() - before.keys()
    assert all(str(name).startswith("cartulary:sandbox") for name in new)
    assert {name: contents(service.redis)[name] for name in before} == before


def test_a_sandbox_begins_at_its_event_even_when_the_game_continues(
    service: Service, settings: Settings
) -> None:
    game = start_game(service)
    sandbox = create(service, game.id)
    position = sandbox.sandbox.position()
    take_action(service, game.id)
    again = build(settings).sandboxes
    assert again.open(again.get(sandbox.stored.id)).sandbox.position() == position


def test_only_players_of_a_running_game_can_make_a_sandbox(service: Service) -> None:
    game = start_game(service)
    with pytest.raises(Forbidden):
        create(service, game.id, "stranger")
    with pytest.raises(NotFound):
        create(service, "unknown", "stranger")


def test_of_two_concurrent_changes_one_is_refused(service: Service) -> None:
    sandbox = create(service, start_game(service).id)
    action = sandbox.sandbox.legal_actions()[0]
    changed = service.sandboxes.act(sandbox.stored, action, None, None)
    with raises(SandboxConflict, match="changed at the same moment"):
        service.sandboxes.act(sandbox.stored, action, None, None)
    with raises(SandboxConflict, match="has one action, not 0"):
        service.sandboxes.undo(changed.stored, 1, 0)
    assert len(service.sandboxes.get(sandbox.stored.id).steps) == 1


def test_the_number_of_sandboxes_is_bounded_by_player_and_by_network(settings: Settings) -> None:
    service = with_bounds(settings, max_sandboxes_per_player=2, max_sandboxes_per_network=3)
    game = start_game(service).id
    first = create(service, game)
    create(service, game)
    with raises(TooManySandboxes, match="2 sandboxes"):
        create(service, game, network="other")
    create(service, game, "bea")
    with raises(TooManySandboxes, match="3 sandboxes"):
        create(service, game, "bea")
    service.sandboxes.delete(first.stored)
    create(service, game)


@pytest.mark.parametrize(
    ("bounds", "message"),
    [({"max_sandbox_actions": 3}, "at most 3 actions"), ({"max_sandbox_bytes": 1024}, "too large")],
)
def test_the_size_of_a_sandbox_is_bounded(
    settings: Settings, bounds: dict[str, int], message: str
) -> None:
    service = with_bounds(settings, **bounds)
    sandbox = create(service, start_game(service).id)

    def act(times: int) -> None:
        nonlocal sandbox
        for _ in range(times):
            action = sandbox.sandbox.legal_actions()[0]
            sandbox = service.sandboxes.act(sandbox.stored, action, None, None)

    with raises(SandboxConflict, match=message):
        act(20)
    steps = len(sandbox.stored.steps)
    assert service.sandboxes.get(sandbox.stored.id).steps == sandbox.stored.steps
    service.sandboxes.undo(sandbox.stored, 1, steps)


def test_bots_take_a_bounded_number_of_actions(settings: Settings) -> None:
    service = with_bounds(settings, max_bot_actions=4, max_sandbox_actions=6)
    sandbox = create(service, start_game(service).id)
    lengths = []
    for _ in range(2):
        sandbox = service.sandboxes.let_bots_act(sandbox.stored, [0, 1], "random", 99, None)
        lengths.append(len(sandbox.stored.steps))
    assert lengths == [4, 6]


def test_a_sandbox_expires_when_it_is_not_changed(service: Service) -> None:
    with freeze_time("2026-11-20T09:00:00Z"):
        sandbox = create(service, start_game(service).id)
    assert sandbox.stored.expires == "2026-11-27T09:00:00.000Z"
    names = [f"cartulary:sandbox:{sandbox.stored.id}", "cartulary:sandboxes:of:ada"]
    assert all(7 * 86400 - 60 < service.redis.ttl(name) <= 7 * 86400 for name in names)
    service.redis.delete(names[0])
    with pytest.raises(NotFound):
        service.sandboxes.get(sandbox.stored.id)


def test_all_sandboxes_of_a_player_can_be_deleted(service: Service) -> None:
    game = start_game(service).id
    kept = create(service, game, "bea")
    before = contents(service.redis)
    create(service, game)
    create(service, game)
    service.sandboxes.delete_all_of("ada")
    assert contents(service.redis).keys() == before.keys()
    assert service.sandboxes.get(kept.stored.id) == kept.stored
    with pytest.raises(NotFound):
        service.sandboxes.get("unknown")


def test_a_sandbox_ends_with_the_event_that_its_game_has_lost(
    service: Service, settings: Settings
) -> None:
    """As after a failover of Redis that lost the last events."""
    game = start_game(service)
    take_action(service, game.id)
    sandbox = create(service, game.id)
    service.redis.xtrim(f"cartulary:{{{game.id}}}:log", maxlen=0)
    fresh = build(settings).sandboxes
    stored = fresh.get(sandbox.stored.id)
    with pytest.raises(NotFound):
        fresh.open(stored)


def test_a_process_does_not_play_a_sandbox_again_that_it_has_played(service: Service) -> None:
    game = start_game(service)
    sandbox = create(service, game.id)
    played = service.sandboxes.let_bots_act(sandbox.stored, [0, 1], "random", 2, None)
    service.redis.delete(f"cartulary:{{{game.id}}}:log")
    shown = service.sandboxes.open(service.sandboxes.get(sandbox.stored.id))
    assert shown.as_json(ENGLISH) == played.as_json(ENGLISH)
    undone = service.sandboxes.undo(shown.stored, 1, None)
    assert played.as_json(ENGLISH) == shown.as_json(ENGLISH) != undone.as_json(ENGLISH)
