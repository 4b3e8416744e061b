"""Conditional actions are played when their condition is met, and void when anything else happens."""

from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest

from domain.errors import Malformed, NotNow, Refused
from domain.game import Game
from domain.lifecycle import NewGame
from ledger import commands
from ledger.pending import PendingEvents
from ledger.statements import OpenDispute
from replay.audit import audit
from replay.language.renderer import english
from service.bootstrap import Service
from service.conditional_actions.conditional_actions import ConditionalActions
from service.conditional_actions.store import StoredConditionalActions, VoidConditionalActions
from service.errors import Forbidden, Stale
from service.games.game_cache import CachedGame
from service.recovery.reindex import reindex
from tests.support.conditional import Node, act, legal_actions, line, marks, next_actions, node
from tests.support.faults import raises
from tests.support.service_games import play_set_up, start_game

RESIGN = {"type": "resign"}


@pytest.fixture
def game(service: Service) -> Game:
    """A game of three seats in which it is the turn of seat 0."""
    return play_set_up(service, start_game(service, seats=3).id)


def prepare(service: Service, game: Game, seat: int, tree: list[Node]) -> None:
    """Let the player of a seat prepare these nodes."""
    service.conditional_actions.put(game.id, game.players[seat], tree, game.seq)


def remaining(service: Service, game: Game, seat: int) -> list[Any]:
    """Return the nodes of a seat that are left."""
    return service.conditional_actions.get(game.id, game.players[seat]).as_json()


def void_of(service: Service, game: Game, seat: int) -> VoidConditionalActions | None:
    return service.conditional_actions.get(game.id, game.players[seat]).void


def arbitrate(service: Service, game: Game, command: Callable[[PendingEvents], object]) -> None:
    """Append what a command of an arbiter adds to the log."""

    def handler(_: CachedGame, pending: PendingEvents) -> None:
        command(pending)

    service.games.repository.execute(game.id, handler)


def remove(pending: PendingEvents, seat: int) -> None:
    commands.remove(pending, seat, lambda: b"")


def test_an_action_is_played_immediately_when_its_condition_is_met(
    service: Service, game: Game
) -> None:
    (_, first), (_, second) = next_actions(game, 2)
    prepare(service, game, 1, line((0, first), (1, second)))
    assert "conditional" not in service.store.outbox(game.id)
    act(service, game, first)
    assert "conditional" in service.store.outbox(game.id)
    assert service.conditional_actions.play(game.id)
    event = service.games.queries.event(game.id, game.seq + 2)
    assert (event["by"], event["action"], event["conditional"]) == ({"seat": 1}, second, True)
    assert service.games.queries.event(game.id, game.seq + 1).keys().isdisjoint({"conditional"})
    assert remaining(service, game, 1) == []
    assert void_of(service, game, 1) is None
    assert event["seq"] in service.store.receipts(game.id, [event["seq"]])
    report = audit(BytesIO(b"".join(service.games.queries.record(game.id))))
    assert report.verdict != "broken", report.first


def test_a_tree_continues_over_the_turns_of_several_opponents_and_over_scored_rounds(
    service: Service, game: Game
) -> None:
    actions = next_actions(game, 8)
    prepare(service, game, 1, line(*actions))
    for seat, action in actions:
        if seat != 1:
            act(service, service.games.queries.game(game.id), action)
        service.games.commands.score(game.id)
        service.conditional_actions.play(game.id)
    types = [event["type"] for event in service.games.queries.event_page(game.id, game.seq, 100)]
    assert types.count("RoundScored") == 2
    assert [seat for seat, mark in enumerate(marks(service, game.id)[-8:]) if mark] == [1, 4, 7]


def test_another_action_voids_the_tree_and_another_branch_does_not(
    service: Service, game: Game
) -> None:
    first, other = legal_actions(game)[:2]
    (_, _), (_, second) = next_actions(game, 2)
    tree = [node(0, first, node(1, second)), node(0, other, node(1, RESIGN))]
    prepare(service, game, 1, tree)
    prepare(service, game, 2, line((0, first)))
    act(service, game, other)
    service.conditional_actions.play(game.id)
    assert service.games.queries.event(game.id, game.seq + 2)["type"] == "PlayerResigned"
    assert void_of(service, game, 2) == VoidConditionalActions(game.seq + 1, "event")
    assert remaining(service, game, 2) == []


@pytest.mark.parametrize(
    "happen",
    [
        lambda service, game: service.games.statements.state(
            game.id, "cid", OpenDispute(game.seq, "no")
        ),
        lambda service, game: arbitrate(service, game, lambda pending: remove(pending, 2)),
        lambda service, game: service.games.commands.act(game.id, "cid", RESIGN, game.seq),
    ],
    ids=["dispute", "removal", "resignation"],
)
def test_anything_else_that_happens_voids_the_tree(
    service: Service, game: Game, happen: Callable[[Service, Game], object]
) -> None:
    (_, first), (_, second) = next_actions(game, 2)
    prepare(service, game, 1, line((0, first), (1, second)))
    happen(service, game)
    service.conditional_actions.play(game.id)
    assert void_of(service, game, 1) == VoidConditionalActions(game.seq + 1, "event")
    assert service.conditional_action_store.get(game.id, "bea") is None
    assert service.games.queries.game(game.id).seq == game.seq + 1


def test_an_action_that_the_rules_refuse_then_voids_the_tree(
    service: Service, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = legal_actions(game)[0]
    impossible = {"type": "expedition", "to": [99, 99]}
    # What is certainly impossible cannot be prepared, so the check is left out here.
    monkeypatch.setattr(
        "service.conditional_actions.conditional_actions.check_tree", lambda *_: None
    )
    prepare(service, game, 1, line((0, first), (1, impossible)))
    act(service, game, first)
    assert service.conditional_actions.play(game.id)
    assert service.games.queries.game(game.id).seq == game.seq + 1
    void = void_of(service, game, 1)
    assert void is not None
    assert (void.seq, void.reason, void.action) == (game.seq + 1, "refused", impossible)
    assert void.clause is not None
    service.conditional_actions.delete(game.id, "bea")
    assert void_of(service, game, 1) is None


def test_two_players_conditional_actions_follow_each_other(service: Service, game: Game) -> None:
    actions = next_actions(game, 4)
    prepare(service, game, 1, line(*actions[:2]))
    prepare(service, game, 2, line(*actions[:3]))
    act(service, game, actions[0][1])
    service.conditional_actions.play(game.id)
    assert marks(service, game.id)[-3:] == [False, True, True]


def test_a_tree_survives_what_its_player_plays_by_hand_as_prepared(
    service: Service, game: Game
) -> None:
    actions = next_actions(game, 5)
    prepare(service, game, 1, line(*actions))
    for _, action in actions[:4]:
        act(service, service.games.queries.game(game.id), action)
    service.conditional_actions.play(game.id)
    assert marks(service, game.id)[-5:] == [False] * 4 + [True]


def test_a_tree_that_its_player_changes_meanwhile_is_not_played(
    service: Service, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions = next_actions(game, 2)
    prepare(service, game, 1, line(*actions))
    act(service, game, actions[0][1])
    take = ConditionalActions._take

    def delete_first(self: ConditionalActions, game: Game, *arguments: Any) -> None:
        self.delete(game.id, "bea")
        take(self, game, *arguments)

    monkeypatch.setattr(ConditionalActions, "_take", delete_first)
    assert service.conditional_actions.play(game.id)
    assert service.games.queries.game(game.id).seq == game.seq + 1


def test_a_position_that_changes_meanwhile_is_looked_at_again(
    service: Service, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions = next_actions(game, 2)
    prepare(service, game, 1, line(*actions))
    act(service, game, actions[0][1])
    take = ConditionalActions._take

    def resign_first(self: ConditionalActions, game: Game, *arguments: Any) -> None:
        service.games.commands.act(game.id, "cid", RESIGN, game.seq)
        take(self, game, *arguments)

    monkeypatch.setattr(ConditionalActions, "_take", resign_first)
    assert service.conditional_actions.play(game.id)
    assert service.games.queries.game(game.id).seq == game.seq + 2
    assert void_of(service, game, 1) == VoidConditionalActions(game.seq + 2, "event")


def test_everything_is_deleted_when_the_game_ends(service: Service, game: Game) -> None:
    first = legal_actions(game)[0]
    prepare(service, game, 1, line((0, first)))
    prepare(service, game, 2, line((0, RESIGN)))
    act(service, game, first)
    service.conditional_actions.play(game.id)
    prepare(service, service.games.queries.game(game.id), 0, line((1, RESIGN)))
    assert service.redis.keys("*conditional*")
    arbitrate(service, game, lambda pending: commands.abandon(pending, lambda: b""))
    assert service.redis.keys("*conditional*") == []
    assert "conditional" not in service.store.outbox(game.id)
    assert service.conditional_actions.get(game.id, "ada").tree == ()


def test_reindexing_finds_conditional_actions(service: Service, game: Game) -> None:
    prepare(service, game, 1, line((0, legal_actions(game)[0])))
    reindex(service)
    assert service.store.outbox(game.id)["conditional"] == f'{{"seq":{game.seq}}}'


def test_nothing_can_be_prepared_by_others_or_at_other_times(service: Service, game: Game) -> None:
    actions = service.conditional_actions
    first = line((0, legal_actions(game)[0]))
    with raises(Forbidden, match="not a player"):
        actions.put(game.id, "eve", first, game.seq)
    with raises(NotNow, match="it is your turn"):
        actions.put(game.id, "ada", line((1, RESIGN)), game.seq)
    with raises(Stale, match="no event"):
        actions.put(game.id, "bea", first, game.seq + 1)
    act(service, game, legal_actions(game)[0])
    with raises(Stale, match="has changed"):
        actions.put(game.id, "cid", first, game.seq)
    open_game = service.games.commands.create("ada", NewGame(rules="barony", seats=2, options={}))
    with raises(NotNow, match="not started"):
        actions.put(open_game.id, "ada", [], open_game.seq)
    service.games.commands.act(game.id, "cid", RESIGN, game.seq + 1)
    with raises(NotNow, match="out of the game"):
        actions.put(game.id, "cid", line((0, RESIGN)), game.seq + 2)
    assert actions.reason_not_to_prepare(service.games.queries.game(game.id), 0) is None


def test_bad_trees_are_refused_with_the_path_of_the_fault(service: Service, game: Game) -> None:
    (_, first), (_, second) = next_actions(game, 2)
    other = legal_actions(game)[1]
    turns = node(1, second)

    def fault(tree: Any) -> str:
        with pytest.raises(Refused) as caught:
            service.conditional_actions.put(game.id, "bea", tree, game.seq)
        if isinstance(caught.value, Malformed):
            return english(caught.value.message)
        return f"{caught.value.clause} {english(caught.value.why)}"

    assert "must be a list" in fault({})
    assert "0: must be an object with these fields" in fault([{"seat": 0}])
    assert "0: must be an object with these fields" in fault([{**node(0, first), "if": 1}])
    assert "0.seat: must be 0 to 2" in fault([node(3, first)])
    assert "0.seat: must be another player's" in fault([node(1, second)])
    assert "0.action.type: must be one of" in fault([node(0, {"type": "fly"})])
    assert "0.outcome: must be an object of strings" in fault([{**node(0, first), "outcome": 1}])
    assert "0.outcome.refill: is not a part" in fault([node(0, first, refill="forest")])
    assert "1: contradicts the action at 0: both have the same condition" in fault(
        [node(0, first, turns), node(0, first)]
    )
    assert "0.then.1: contradicts the action at 0.then.0: your own action" in fault(
        [node(0, first, turns, node(2, RESIGN))]
    )
    assert fault([node(0, other), node(0, first, node(1, first))]).startswith("BY-"), (
        "the own action is illegal after that"
    )
    assert "the action at 0 is not possible then" in fault([node(2, second)])
    deep: list[Node] = []
    for _ in range(51):
        deep = [node(0, first, *deep)]
    assert "is too deep" in fault(deep)
    assert "must have at most 50 entries" in fault([node(0, first)] * 51)
    wide = [node(0, first, *[node(2, RESIGN)] * 49) for _ in range(5)]
    assert "is too large: there can be 200 actions" in fault(wide)
    assert service.conditional_action_store.get(game.id, "bea") is None


def test_a_tree_of_another_branch_of_history_is_void(service: Service, game: Game) -> None:
    """A failover of Redis may lose the event with which a tree begins."""
    tree = StoredConditionalActions(1, game.seq, "0" * 64, ())
    assert service.conditional_action_store.put(game.id, "bea", tree)
    assert void_of(service, game, 1) == VoidConditionalActions(game.seq, "event")
    service.conditional_actions.play(game.id)
    assert service.conditional_action_store.get(game.id, "bea") is None


def test_a_damaged_tree_is_ignored_and_stops_no_other(service: Service, game: Game) -> None:
    (_, first), (_, second) = next_actions(game, 2)
    prepare(service, game, 1, line((0, first), (1, second)))
    for part in ("conditional", "conditional-void"):
        service.redis.hset(f"cartulary:{{{game.id}}}:{part}", "cid", '{"branches":[{}]}')
    assert service.conditional_actions.get(game.id, "cid").tree == ()
    act(service, game, first)
    assert service.conditional_actions.play(game.id)
    assert marks(service, game.id)[-2:] == [False, True]


def test_what_an_erased_player_had_prepared_is_erased(service: Service, game: Game) -> None:
    (_, first), (_, second) = next_actions(game, 2)
    prepare(service, game, 1, line((0, first), (1, second)))
    service.accounts.erasure.erase_without_password("bea")
    assert service.conditional_action_store.get(game.id, "bea") is None
    assert service.conditional_action_store.void_actions(game.id, "bea") is None
    assert service.games.queries.event(game.id, game.seq + 1)["type"] == "PlayerResigned"


def test_an_outcome_of_chance_decides_which_branch_continues(service: Service) -> None:
    game = start_game(service, rules="baron")
    draw, refill = {"type": "draw", "slot": 1}, game.state.top_of_pile() if game.state else None
    other = "forest" if refill != "forest" else "field"
    tree = [
        node(0, draw, node(1, RESIGN), refill=other),
        node(0, draw, node(0, RESIGN, node(1, RESIGN)), refill=str(refill)),
    ]
    with raises(Refused, match="is not possible then"):
        prepare(service, game, 1, tree)
    with raises(Malformed, match="must be one of"):
        prepare(service, game, 1, [node(0, draw, refill="dragon")])
    prepare(service, game, 1, [tree[0], node(0, draw, refill=str(refill))])
    act(service, game, draw)
    service.conditional_actions.play(game.id)
    assert service.games.queries.game(game.id).seq == game.seq + 1
    assert service.conditional_action_store.get(game.id, "bea") is None
    assert void_of(service, game, 1) is None
