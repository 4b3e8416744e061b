"""Conditional actions that players have signed: the events that play them prove it, and reveal no others."""

from io import BytesIO
from typing import Any

import orjson
import pytest

from domain.conditional import read_tree
from domain.errors import Malformed
from domain.game import Game
from ledger.keys import SigningKey
from ledger.player_signatures import PreparedActions, sign_prepared
from ledger.statements import OpenDispute, WithdrawDispute
from replay.audit import audit
from replay.language.renderer import english
from service.bootstrap import Service
from service.errors import InvalidPlayerSignature, KeyNotUsable, Stale
from service.games.player_signatures import PlayerSignature
from tests.service.games.test_signed_actions import KEY, OTHER_KEY, add_key
from tests.support.conditional import Node, act, legal_actions, line, next_actions, node
from tests.support.faults import raises
from tests.support.service_games import play_set_up, start_game, take_action

SALT = "5a" * 32


@pytest.fixture
def game(service: Service) -> Game:
    """A game of two seats in which it is the turn of ada, and bea has a key."""
    add_key(service, "bea")
    return play_set_up(service, start_game(service).id)


def signature(
    game: Game, tree: list[Node], key: SigningKey = KEY, salt: str | None = SALT
) -> PlayerSignature:
    """Return the signature of seat 1 for conditional actions after the last event of a game."""
    actions = PreparedActions(read_tree(tree), 1, bytes.fromhex(SALT))
    return PlayerSignature(
        key.id, sign_prepared(key, game.id, game.hash, actions)["signature"], None, salt
    )


def put(service: Service, game: Game, tree: list[Node], *options: Any) -> None:
    signed = signature(game, tree, *options)
    service.conditional_actions.put(game.id, "bea", tree, game.seq, signed)


def events(service: Service, game: Game) -> list[Any]:
    return service.games.queries.event_page(game.id, game.seq, 500)


def record(service: Service, game: Game) -> bytes:
    return b"".join(service.games.queries.record(game.id))


def test_the_played_actions_prove_that_they_were_prepared(service: Service, game: Game) -> None:
    actions = next_actions(game, 4)
    others = [action for action in legal_actions(game) if action != actions[0][1]]
    hidden = {"type": "resign"}
    tree = [*line(*actions), node(0, others[0], node(1, hidden))]
    put(service, game, tree)
    for seat, action in actions:
        if seat == 0:
            current = service.games.queries.game(game.id)
            act(service, current, action)
            assert service.conditional_actions.play(game.id)
    played = events(service, game)
    assert [event["action"] for event in played] == [action for _, action in actions]
    assert [event.get("prepared", {}).get("key") for event in played] == [None, KEY.id] * 2
    assert len({event["prepared"]["root"] for event in played[1::2]}) == 1
    data = record(service, game)
    report = audit(BytesIO(data))
    assert report.findings == []
    assert any("signed 2 of" in english(note.text) for note in report.notes)
    assert b"resign" not in data


def test_a_tree_that_its_player_did_not_sign_is_played_as_before(
    service: Service, game: Game
) -> None:
    actions = next_actions(game, 2)
    service.conditional_actions.put(game.id, "bea", line(*actions), game.seq)
    act(service, game, actions[0][1])
    assert service.conditional_actions.play(game.id)
    last = events(service, game)[-1]
    assert last["conditional"] is True
    assert "prepared" not in last


def test_a_tree_is_void_when_its_key_is_revoked(service: Service, game: Game) -> None:
    actions = next_actions(game, 2)
    put(service, game, line(*actions))
    service.games.key_registry.revoke("bea", KEY.id)
    act(service, service.games.queries.game(game.id), actions[0][1])
    assert service.conditional_actions.play(game.id)
    revocation, _ = events(service, game)
    assert revocation["type"] == "PlayerKeyRevoked"
    assert service.conditional_actions.get(game.id, "bea").void is not None


def test_a_signature_must_be_that_of_the_player_for_this_tree_and_moment(
    service: Service, game: Game
) -> None:
    actions = next_actions(game, 4)
    tree = line(*actions)
    shorter = line(*actions[:2])
    with raises(InvalidPlayerSignature, match="cartulary conditional actions v1"):
        service.conditional_actions.put(game.id, "bea", tree, game.seq, signature(game, shorter))
    with pytest.raises(KeyNotUsable):
        put(service, game, tree, OTHER_KEY)
    with raises(Malformed, match="salt"):
        put(service, game, tree, KEY, None)
    assert service.conditional_actions.get(game.id, "bea").tree == ()
    dispute = service.games.statements.state(game.id, "ada", OpenDispute(5, "No.")).events[0]["seq"]
    service.games.statements.state(game.id, "ada", WithdrawDispute(dispute))
    with pytest.raises(Stale):
        put(service, game, tree)
    # Without a signature, it is enough that the position is the same.
    service.conditional_actions.put(game.id, "bea", tree, game.seq)


def test_an_action_taken_by_hand_is_part_of_what_was_prepared(service: Service, game: Game) -> None:
    actions = next_actions(game, 4)
    put(service, game, line(*actions))
    act(service, game, actions[0][1])
    take_action(service, game.id)
    act(service, service.games.queries.game(game.id), actions[2][1])
    assert service.conditional_actions.play(game.id)
    marks = ["prepared" in event for event in events(service, game)]
    assert marks == [False, False, False, True]
    assert audit(BytesIO(record(service, game))).findings == []


def with_later_members(value: Any) -> Any:
    """Return JSON with one more member in every object, except for actions and outcomes."""
    if isinstance(value, list):
        return [with_later_members(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = ("action", "outcome")
    fields = {
        name: item if name in kept else with_later_members(item) for name, item in value.items()
    }
    return {**fields, "later": {"a": ["a later word"]}}


def test_additions_of_a_later_version_are_kept_as_the_game_continues(
    service: Service, game: Game
) -> None:
    actions = next_actions(game, 6)
    put(service, game, line(*actions))
    key = f"cartulary:{{{game.id}}}:conditional"

    def stored() -> Any:
        value = service.redis.hget(key, "bea")
        assert isinstance(value, bytes)
        return orjson.loads(value)

    before = with_later_members(stored())
    service.redis.hset(key, "bea", orjson.dumps(before))
    for _, action in actions[:3:2]:
        act(service, service.games.queries.game(game.id), action)
        assert service.conditional_actions.play(game.id)
    played = events(service, game)
    assert [event["action"] for event in played] == [action for _, action in actions[:4]]
    branches = before["branches"]
    for _ in range(4):
        branches = branches[0]["then"]
    head = {"seq": played[-1]["seq"], "hash": played[-1]["hash"]}
    assert stored() == {**before, **head, "branches": branches}
