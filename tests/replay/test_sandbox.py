"""Sandboxes: a game goes on from any event, with no more than its viewer knows, and without a trace."""

from collections import Counter
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from domain.contract import Opened
from domain.errors import Malformed, NotNow, Refused
from domain.fold import fold
from domain.json_types import JsonObject
from ledger.record import Record, read
from replay.bots.playout import plan, play
from replay.sandbox import Sandbox, game_with_drawn_secrets, known_secrets
from tests.support.local_game import LocalGame

GAMES = Path(__file__).parent.parent / "games"
SEED = bytes(32)
START = 5
"""The seq of `GameStarted` in a game for three."""


def recorded(name: str) -> Record:
    with (GAMES / f"{name}.jsonl").open("rb") as file:
        return read(file)


@pytest.fixture(scope="module")
def baron() -> Record:
    """A whole game of Baron for three among bots."""
    planned = plan("baron", 3, bytes([5]) * 32, {}, ["random", "sensible"])
    return read(BytesIO(play(planned).record))


def sandbox_at(
    record: Record, seq: int, viewer: int | None = None, seed: bytes = SEED, opened: Any = None
) -> Sandbox:
    """A sandbox from event `seq`, as a seat knows the game, or with all that the record opens."""
    known = record.opened_values() if opened is None else opened
    if viewer is not None:
        known = known_secrets(known, viewer)
    return Sandbox(game_with_drawn_secrets(record.events[:seq], known, seed), seed)


def let_everybody_act(sandbox: Sandbox, turns: int) -> list[JsonObject]:
    """Let bots take some turns for all seats, and return the position before and after each action."""
    positions = [sandbox.position()]
    for _ in range(turns):
        sandbox.let_bots_act(range(sandbox.game.seats), "random", turns=1, max_actions=50)
        positions.append(sandbox.position())
    return positions


def test_a_sandbox_begins_with_an_event_that_resumed_play_twice() -> None:
    game = LocalGame(2, rules="baron", arbiter="zoe")
    game.act(6)
    game.rule(game.dispute(0), {"type": "resume", "from": 7})
    resumed = game.game.seq
    game.act(6)
    game.rule(game.dispute(1), {"type": "resume", "from": resumed})
    record = read(BytesIO(game.record()))
    made = game.pending.game_at(resumed)
    for seq in (resumed, game.game.seq):
        for viewer in (None, 0, 1):
            sandbox = sandbox_at(record, seq, viewer, opened=record.opened_values())
            assert sandbox.game.position(viewer) == made.position(viewer)
            let_everybody_act(sandbox, 3)


def test_the_actions_of_a_finished_game_lead_to_its_positions_again(baron: Record) -> None:
    """With all secrets known, a sandbox in which everybody acts as recorded is the game."""
    sandbox = sandbox_at(baron, 12)
    for event in baron.events[12:]:
        if event["action"] is not None:
            assert event["action"] in sandbox.legal_actions()
            sandbox.act(event["action"])
            game = fold(baron.events[: event["seq"]], None, baron.opened_values())
            assert game is not None
            if game.is_played_out:
                break
            assert sandbox.position() == game.position(None, ended=True)
    assert sandbox.to_act is None
    final = fold(baron.events, None, baron.opened_values())
    assert final is not None
    assert sandbox.position() == final.position(None)


def swapped_secrets(opened: Opened, viewer: int) -> dict[int, dict[str, Any]]:
    """The same secrets, but the pile is reversed, and the other seats were dealt each other's tiles."""
    changed: dict[int, dict[str, Any]] = {seq: dict(values) for seq, values in opened.items()}
    for values in changed.values():
        others = [name for name in values if name.startswith("reserve/")]
        others.remove(f"reserve/{viewer}")
        dealt = [values[name] for name in others]
        values.update(zip(others, dealt[::-1], strict=True))
        values["pile"] = values["pile"][::-1]
    return changed


@pytest.mark.parametrize("viewer", [0, 1, 2])
@pytest.mark.parametrize("seq", [START, 30])
def test_a_sandbox_depends_only_on_what_its_viewer_can_see(
    baron: Record, viewer: int, seq: int
) -> None:
    opened = baron.opened_values()
    other = swapped_secrets(opened, viewer)
    assert other != opened
    positions = let_everybody_act(sandbox_at(baron, seq, viewer, opened=opened), 6)
    assert positions == let_everybody_act(sandbox_at(baron, seq, viewer, opened=other), 6)
    dealt = sandbox_at(baron, START, viewer).position()["players"][viewer]["reserve"]
    assert dealt == opened[START][f"reserve/{viewer}"]


@pytest.mark.parametrize("seq", [START, 20, 60])
def test_secrets_that_are_drawn_agree_with_the_game_so_far(baron: Record, seq: int) -> None:
    real = sandbox_at(baron, seq).position()
    for number in range(20):
        sandbox = sandbox_at(baron, seq, 1, bytes([number]))
        position = sandbox.position()
        for name in ("tiles", "keeps", "market", "pile", "removed", "to_act"):
            assert position[name] == real[name]
        mine, drawn = real["players"][1], position["players"][1]
        assert mine == drawn
        for entry, other in zip(real["players"], position["players"], strict=True):
            assert len(other["reserve"]) == entry["reserve_size"]
        let_everybody_act(sandbox, 2)


def test_every_deal_that_is_possible_is_drawn_by_its_probability() -> None:
    """BN-SET-2: with two ponds and no other tile of value 1 in sight, a pond was less probably dealt."""
    from domain import baron as rules
    from domain.chance import Chance

    start: JsonObject = {"market": ["pond", "pond", "field"], "start": "village", "removed": []}
    dealt: Counter[str] = Counter()
    for number in range(600):
        chance = Chance(number.to_bytes(2, "big"))
        opened = {1: {"reserve/0": ["meadow", "quarry"]}}
        inference = rules.infer_secrets(2, {}, (1, start), [], opened, chance)
        (kind,) = {*inference.secrets[1]["reserve/1"]} - {"meadow"}  # type: ignore[misc] # a list of tiles
        dealt[kind] += 1
    # Six ponds: two of six are drawn in 30 ways, two of five in 20.
    assert dealt.keys() == {"vineyard", "pond"}
    assert 0.35 < dealt["pond"] / 600 < 0.45


def test_equal_seeds_give_equal_sandboxes(baron: Record) -> None:
    positions = let_everybody_act(sandbox_at(baron, 20, 0), 5)
    assert positions == let_everybody_act(sandbox_at(baron, 20, 0), 5)
    assert positions != let_everybody_act(sandbox_at(baron, 20, 0, b"other"), 5)


def test_going_back_restores_the_position_and_other_actions_can_follow() -> None:
    sandbox = sandbox_at(recorded("agreement"), 30)
    positions = [sandbox.position()]
    for _ in range(4):
        sandbox.act(sandbox.legal_actions()[0])
        positions.append(sandbox.position())
    sandbox.undo()
    assert sandbox.position() == positions[3]
    sandbox.undo(3)
    assert sandbox.position() == positions[0]
    assert sandbox.steps == []
    with pytest.raises(NotNow):
        sandbox.undo()
    sandbox.act(sandbox.legal_actions()[-1])
    assert sandbox.position() not in positions


def test_the_rules_decide_in_a_sandbox_too() -> None:
    sandbox = sandbox_at(recorded("agreement"), 30)
    before = sandbox.position()
    assert sandbox.to_act is not None
    waiting = (sandbox.to_act + 1) % sandbox.game.seats
    with pytest.raises(Refused) as error:
        sandbox.act(sandbox.legal_actions()[0], waiting)
    assert error.value.clause is not None
    with pytest.raises(Malformed):
        sandbox.act({"type": "castle"})
    with pytest.raises(Malformed):
        sandbox.act({"type": "pass"}, 9)
    assert sandbox.position() == before
    sandbox.act({"type": "resign"}, waiting)
    assert sandbox.position()["players"][waiting]["status"] == "out"


def test_bots_act_for_their_seats_only_and_within_bounds() -> None:
    sandbox = sandbox_at(recorded("agreement"), 30)
    first = sandbox.to_act
    assert first is not None
    others = {seat for seat in range(sandbox.game.seats) if seat != first}
    assert sandbox.let_bots_act(others, "sensible", turns=5, max_actions=50) == []
    sandbox.act(sandbox.legal_actions()[0])
    steps = sandbox.let_bots_act(others, "sensible", turns=5, max_actions=50)
    assert {step.seat for step in steps} <= others
    assert {step.bot for step in steps} == {"sensible"}
    everybody = range(sandbox.game.seats)
    assert len(sandbox.let_bots_act(everybody, "random", turns=99, max_actions=7)) == 7
    assert sandbox.let_bots_act(everybody, "random", turns=0, max_actions=7) == []
    for seats, bot in (([9], "random"), ([], "random"), ([0], "clever")):
        with pytest.raises(Malformed):
            sandbox.let_bots_act(seats, bot, turns=1, max_actions=1)


def test_a_game_in_a_sandbox_can_be_played_to_its_end_and_further_back(baron: Record) -> None:
    sandbox = sandbox_at(baron, 20, 0)
    sandbox.let_bots_act(range(3), "random", turns=1000, max_actions=1000)
    assert sandbox.to_act is None
    assert sandbox.legal_actions() == []
    assert len(sandbox.position()["ranking"]) == 3
    assert [event.type for event in sandbox.steps[-1].events][-1] == "GameFinished"
    with pytest.raises(NotNow):
        sandbox.act({"type": "end_turn"})
    sandbox.undo()
    assert sandbox.to_act is not None


def test_a_sandbox_can_be_made_again_from_its_steps(baron: Record) -> None:
    sandbox = sandbox_at(baron, 20, 0)
    sandbox.let_bots_act(range(3), "sensible", turns=4, max_actions=50)
    again = sandbox_at(baron, 20, 0)
    again.replay([step.as_json() for step in sandbox.steps])
    assert again.steps == sandbox.steps
    assert again.position() == sandbox.position()


def test_there_is_no_sandbox_before_the_start(baron: Record) -> None:
    with pytest.raises(NotNow):
        sandbox_at(baron, 2)
