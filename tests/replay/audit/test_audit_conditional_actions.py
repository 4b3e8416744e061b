"""The audit of the mark of conditional actions: genuine ones hold, and no other event can have it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from domain.conditional import Node
from domain.event import Event
from domain.json_types import JsonObject
from domain.scene import caption
from ledger import commands
from ledger.statements import WithdrawDispute
from replay.history.event_text import outcome_message
from replay.language.renderer import english
from tests.support.conditional import next_actions
from tests.support.local_game import LocalGame, key_of
from tests.support.records import (
    PLAYER_KEY,
    STRANGER,
    Table,
    audit_record,
    first_finding,
    forge_record,
    prove,
    tree_of,
)

TAKE: JsonObject = {"type": "take", "stones": 1}


def prepared_table() -> Table:
    """Return a game whose last event is a conditional action."""
    table = Table(options={"seating": "joined"}).start()
    table.take(2)
    table.act_as_prepared(TAKE)
    return table


def test_a_conditional_action_is_marked_and_holds() -> None:
    table = prepared_table()
    event = table.sealed[-1].event
    assert event["conditional"] is True
    assert audit_record(table.record()).verdict != "broken"
    rules = table.game.rules
    unmarked: Any = {name: value for name, value in event.items() if name != "conditional"}
    outcome = english(outcome_message(rules, unmarked))
    assert english(outcome_message(rules, event)) == f"{outcome} (as prepared)"
    assert english(caption(event, rules.event_message)) == f"seat 1 {outcome} (as prepared)"


def _mark(event: Any) -> None:
    event["conditional"] = True


def _mark_start(events: list[Event]) -> None:
    _mark(next(event for event in events if event["type"] == "GameStarted"))


def _give_to_other_seat(events: list[Event]) -> None:
    events[-1]["by"] = {"seat": 0}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (_mark_start, "but is not an action of a player"),
        (_give_to_other_seat, "but nothing can have been prepared"),
    ],
)
def test_a_mark_on_an_event_that_cannot_have_it_is_found(
    change: Callable[[list[Event]], None], problem: str
) -> None:
    finding = first_finding(forge_record(prepared_table().record(), change), "decisions")
    assert problem in english(finding.problem)


def test_a_signed_action_cannot_be_marked() -> None:
    table = Table(options={"seating": "joined"}).start()
    table.add_key("player-1", PLAYER_KEY)
    table.take(1)
    table.act_signed(TAKE, table.sign(TAKE, PLAYER_KEY))
    finding = first_finding(
        forge_record(table.record(), lambda events: _mark(events[-1])), "decisions"
    )
    assert "but was signed for a position already seen" in english(finding.problem)


NOTHING_PREPARED = "but nothing can have been prepared"


def problems_of(data: bytes) -> list[str]:
    findings = audit_record(data).findings
    return [english(finding.problem) for finding in findings if finding.check == "decisions"]


def is_refuted(game: LocalGame, seq: int) -> bool:
    """Whether the mark on an event of a game is refuted, and nothing else about it is."""
    marked = forge_record(game.record(), lambda events: _mark(events[seq - 1]), states=True)
    problems = problems_of(marked)
    assert all(NOTHING_PREPARED in problem for problem in problems), problems
    return bool(problems)


def test_the_first_action_of_a_game_cannot_have_been_prepared() -> None:
    game = LocalGame(2)
    game.act(2)
    first, second = (event["seq"] for event in game.pending.events if event["action"])
    assert is_refuted(game, first)
    assert not is_refuted(game, second)


def test_only_another_player_s_action_can_have_met_a_condition() -> None:
    """In Baron a turn has several actions, none of which can be prepared in the first turn of the game."""
    game = LocalGame(2, rules="baron")
    while game.game.turn == 1:
        game.act()
    first_of_next_turn = game.game.seq + 1
    game.act(2)
    own = [event["seq"] for event in game.pending.events if event["by"] == {"seat": 0}]
    assert len(own) > 1
    assert all(is_refuted(game, seq) for seq in own)
    assert not is_refuted(game, first_of_next_turn)
    assert not is_refuted(game, first_of_next_turn + 1)


def test_an_action_after_one_that_was_not_prepared_can_have_been_prepared_before_both() -> None:
    """A player prepares both actions, and takes the first one by hand: the tree goes on after it."""
    game = LocalGame(2, rules="baron")
    while game.game.turn == 1:
        game.act()
    game.act(2)
    assert not is_refuted(game, game.game.seq)


@pytest.mark.parametrize("happening", ["resume", "dispute", "request", "vacate", "forfeit"])
def test_nothing_is_prepared_after_an_event_that_voids_it(happening: str) -> None:
    clock: Any = {"per_turn": 60, "on_deadline": {"excused": 0, "turn": "forfeit"}}
    game = LocalGame(3, arbiter="zoe", takebacks=True, substitutes=True, clock=clock)
    while game.game.round == 0:
        game.act()
    game.act(2)
    match happening:
        case "resume":
            game.rule(game.dispute(0), {"type": "resume", "from": game.game.play_seq})
        case "dispute":
            game.dispute(0)
        case "request":
            assert game.game.last_play is not None
            game.request_takeback(game.game.last_play.actions[-1].seat)
        case "vacate":
            assert game.game.to_act is not None
            game.leave_seat((game.game.to_act + 2) % 3)
        case _:
            assert game.miss_deadline() == "TurnForfeited"
    game.act()
    assert is_refuted(game, game.game.seq)
    game.act()
    assert not is_refuted(game, game.game.seq)


@pytest.mark.parametrize("happening", ["score", "pause", "excuse"])
def test_other_events_leave_what_was_prepared_as_it_is(happening: str) -> None:
    clock: Any = {"per_turn": 60, "on_deadline": {"excused": 1}}
    game = LocalGame(2, clock=clock)
    while not game.game.rounds_ended:
        game.act()
    match happening:
        case "score":
            game.score()
        case "pause":
            game.agree_to_pause(0)
        case _:
            assert game.miss_deadline() == "DeadlineExcused"
    game.act()
    assert not is_refuted(game, game.game.seq)


def test_an_action_out_of_turn_can_have_been_prepared() -> None:
    """A player prepares to ask for the end after another player's action, out of turn too."""
    game = LocalGame(3, end_by_agreement=True)
    while game.game.round == 0:
        game.act()
    game.act()
    assert game.game.to_act is not None
    waiting = (game.game.to_act + 1) % 3
    agree = game.game.rules.parse_action({"type": "agree_to_end", "agree": True})
    game.pending.act(waiting, agree, is_conditional=True)
    assert problems_of(game.record()) == []


def test_a_bot_prepares_nothing() -> None:
    game = LocalGame(2, bots=1)
    game.act(2)
    marked = forge_record(game.record(), lambda events: _mark(events[-1]), states=True)
    assert any("bots do not prepare actions" in problem for problem in problems_of(marked))


def signed_table() -> Table:
    """Return a game whose last event is a conditional action that its player had signed."""
    table = Table(options={"seating": "joined"}).start()
    table.add_key("player-1", PLAYER_KEY)
    table.take(2)
    table.act_as_prepared(TAKE, PLAYER_KEY)
    return table


def signature_problem(data: bytes) -> str:
    return english(first_finding(data, "signatures").problem)


class TestProofs:
    def test_a_signed_conditional_action_proves_itself(self) -> None:
        report = audit_record(signed_table().record())
        assert report.findings == []
        notes = [english(note.text) for note in report.notes]
        assert "seat 1 signed 1 of 1 actions." in notes

    def test_nothing_shows_how_much_was_prepared_or_what_else(self) -> None:
        """Whatever a player has prepared, the proofs have the same size."""
        other = Node(1, {"type": "take", "stones": 3}, {})
        mine = Node(1, TAKE, {})
        small = (Node(0, TAKE, {}, (mine,)),)
        many = tuple(
            Node(0, {"type": "take", "stones": stones}, {}, (other,)) for stones in range(2, 90)
        )
        large = (*many, *small)
        proofs = [
            prove(PLAYER_KEY, tree, 1, "game-1", "0" * 64, [small[0], mine])
            for tree in (small, large)
        ]
        assert [len(proof["path"]) for proof in proofs] == [8, 8]
        assert proofs[0].keys() == proofs[1].keys()

    @pytest.mark.parametrize(
        ("field", "value", "problem"),
        [
            ("key", STRANGER.id, "has not registered"),
            ("head", "0" * 64, "not in this record"),
            ("root", "0" * 64, "leads to another root"),
            ("signature", "0" * 128, "is not valid"),
            ("index", 0, "leads to another root"),
            ("index", 999, "has no leaf"),
            ("salt", "0" * 64, "leads to another root"),
            ("path", [], "has no leaf"),
            ("outcomes", [{}], "was void with event"),
            ("outcomes", [{"refill": "forest"}], "was void with event"),
        ],
    )
    def test_a_forged_proof_is_found(self, field: str, value: Any, problem: str) -> None:
        def change(events: list[Event]) -> None:
            proof: Any = events[-1]["prepared"]
            assert proof.get(field) != value
            proof[field] = value

        assert problem in signature_problem(forge_record(signed_table().record(), change))

    def test_another_action_than_the_prepared_one_is_found(self) -> None:
        table = Table(options={"seating": "joined"}).start()
        table.add_key("player-1", PLAYER_KEY)
        table.take(2)
        proof = table.until(table.game.seq).act_as_prepared(TAKE, PLAYER_KEY)["prepared"]
        for stones, others in ((2, 2), (1, 1)):
            other = Table(options={"seating": "joined"}).start()
            other.add_key("player-1", PLAYER_KEY)
            other.take(others)
            parsed = other.game.rules.parse_action({"type": "take", "stones": stones})
            other._pending.act(1, parsed, is_conditional=True, prepared=proof)
            assert "leads to another root" in signature_problem(other.record())

    def test_a_proof_without_the_mark_is_found(self) -> None:
        def change(events: list[Event]) -> None:
            del events[-1]["conditional"]

        problem = signature_problem(forge_record(signed_table().record(), change))
        assert "is not marked as one" in problem

    def test_a_proof_cannot_be_used_again(self) -> None:
        table = signed_table()
        proof = table.sealed[-1].event["prepared"]
        table.take(2)
        parsed = table.game.rules.parse_action(TAKE)
        table._pending.act(1, parsed, is_conditional=True, prepared=proof)
        assert "leads to another root" in signature_problem(table.record())

    def test_a_proof_by_a_revoked_key_is_found(self) -> None:
        table = Table(options={"seating": "joined"}).start()
        table.add_key("player-1", PLAYER_KEY)
        table.take(2)
        table.revoke_key("player-1", PLAYER_KEY)
        table.act_as_prepared(TAKE, PLAYER_KEY)
        assert "has revoked" in signature_problem(table.record())

    def test_what_was_void_cannot_be_played(self) -> None:
        game = LocalGame(3, arbiter="judge")
        actions = next_actions(game.game, 2)
        while actions[0][0] == actions[1][0]:
            game.act()
            actions = next_actions(game.game, 2)
        player = game.game.players[actions[-1][0]]
        key = key_of(player)
        commands.add_key(game.pending, player, key.id, key.public)
        head = game.game.hash
        tree = tree_of([({"seat": seat}, action) for seat, action in actions])
        seat = actions[-1][0]
        proof = prove(key, tree, seat, "local", head)
        game.act()
        WithdrawDispute(game.dispute(0)).add(game.pending, 0, game.secret)
        parsed = game.game.rules.parse_action(actions[-1][1])
        game.pending.act(seat, parsed, is_conditional=True, prepared=proof)
        problems = [english(finding.problem) for finding in audit_record(game.record()).findings]
        assert any("was void with event" in problem for problem in problems)

    def test_conditions_on_outcomes_are_part_of_what_was_signed(self) -> None:
        game = LocalGame(2, rules="baron")
        commands.add_key(game.pending, "bea", PLAYER_KEY.id, PLAYER_KEY.public)
        while game.game.to_act != 0 or game.game.state.phase != "draw":  # type: ignore[union-attr] # Baron's
            game.act()
        head, start = game.game.hash, game.game.seq
        while game.game.to_act == 0:
            game.act()
        nodes: list[Node] = []
        for event in game.pending.events[start:]:
            refill = event["data"].get("refill")
            outcome = {"refill": refill} if isinstance(refill, str) else {}
            nodes.append(Node(0, event["action"] or {}, outcome))
        assert any(node.outcome for node in nodes)
        (_, action), *_ = next_actions(game.game, 1)
        nodes.append(Node(1, action, {}))
        tree: Any = ()
        for node in reversed(nodes):
            tree = (replace(node, then=tree),)
        proof = prove(PLAYER_KEY, tree, 1, "local", head, nodes)
        assert proof["outcomes"] == [node.outcome for node in nodes[:-1]]
        parsed = game.game.rules.parse_action(action)
        game.pending.act(1, parsed, is_conditional=True, prepared=proof)
        assert audit_record(game.record()).findings == []

        def change(events: list[Event]) -> None:
            proof = events[-1]["prepared"]
            del proof["outcomes"]

        assert "leads to another root" in signature_problem(forge_record(game.record(), change))
