"""Play that resumes from an earlier event: the position, the draws, the rounds and the clock after it."""

from collections import Counter
from dataclasses import fields, replace
from hashlib import sha256
from itertools import pairwise
from typing import Any, get_type_hints

import pytest

from domain import chance, lifecycle
from domain.chance import SeedVersion
from domain.errors import NotNow, Unreadable
from domain.event import Event
from domain.fold import EarlierGames, evolve, fold
from domain.game import Game, GameOf, WhenResumed
from tests.support.faults import raises
from tests.support.records import SECRET, Table, read

ORDER = (
    *("meadow", "village", "field", "forest", "vineyard"),
    *("quarry", "pond", "marsh", "cursed_place"),
)
"""The kinds of tiles of Baron, in the order of BN-MAT-1."""
RULES = [("barony", {}), ("barony", {"sorcery": True}), ("baron", {})]


def played(
    rules: str = "baron",
    options: dict[str, bool] | None = None,
    actions: int = 20,
    seed_version: SeedVersion = 2,
) -> Table:
    """A game for two seats that have taken some random actions; event 4 starts it."""
    table = Table(rules, 2, options, seed_version=seed_version)
    return table.start().act_at_random(actions)


def pile_of(game: Game) -> tuple[str, ...]:
    """The tiles left in the pile of a game of Baron, from its top."""
    assert game.state is not None
    pile: tuple[str, ...] = game.state.tiles_in_pile()
    return pile


@pytest.mark.parametrize(("rules", "options"), RULES)
def test_the_position_is_that_after_the_earlier_event(rules: str, options: dict[str, bool]) -> None:
    table = played(rules, options)
    for origin in (4, 9, 15, 24):
        event = table.resume(origin)
        earlier = table.sealed[origin - 1]
        assert event["state"] == earlier.event["state"]
        assert table.game.position(None) == earlier.game.position(None)
        assert (table.game.turn, table.game.round) == (earlier.game.turn, earlier.game.round)
        table = played(rules, options)


@pytest.mark.parametrize(("rules", "options"), RULES)
def test_a_log_with_branches_folds_the_same_in_one_pass_and_step_by_step(
    rules: str, options: dict[str, bool]
) -> None:
    table = played(rules, options)
    table.resume(15)
    table.act_at_random(4, b"second")
    table.resume(10)
    table.act_at_random(4, b"third")
    record = read(table.record())
    opened = record.opened_values()
    earlier = EarlierGames(record.events)
    game: Game | None = None
    for seq, event in enumerate(record.events, 1):
        game = evolve(game, event, opened, earlier)
        earlier.keep(game)
        whole = fold(record.events[:seq], None, opened)
        assert whole is not None
        for viewer in (None, 0, 1):
            assert game.position(viewer) == whole.position(viewer)
        assert (game.turn_at, game.play_seq) == (whole.turn_at, whole.play_seq)
    assert game is not None
    assert [game.is_superseded(seq) for seq in (10, 11, 15, 29, 30, 34)] == [
        *(False, True, True, True),
        *(False, False),
    ]


def test_a_fold_continues_from_a_game_before_the_resumption() -> None:
    table = played()
    table.resume(8)
    table.act_at_random(3)
    record = read(table.record())
    opened = record.opened_values()
    for start in (5, 8, 20, 24, 26):
        half = fold(record.events[:start], None, opened)
        games = {sealed.game.seq: sealed.game for sealed in table.sealed}
        rest = record.events[start:]
        game = fold(rest, half, opened, EarlierGames(rest, load=games.__getitem__))
        assert game is not None
        assert game.position(0) == table.game.position(0)
        assert game.resumptions == table.game.resumptions


def test_with_seed_version_1_the_pile_follows_from_the_hash_of_the_event_before() -> None:
    table = played(seed_version=1)
    pile_at = pile_of(table.sealed[8].game)
    last_hash = table.game.hash
    table.resume(9)
    pile = pile_of(table.game)
    assert pile != pile_at
    assert Counter(pile) == Counter(pile_at)
    seed = chance.seed(SECRET, [b"nonce", b"nonce"], 1)
    resumed = sha256(b"cartulary resume v1" + seed + bytes.fromhex(last_hash)).digest()
    listed = [kind for kind in ORDER for _ in range(pile_at.count(kind))]
    assert list(pile) == chance.Chance(resumed).shuffle(listed)
    opening = table.sealed[-1].openings["pile"]
    assert opening["value"] == list(pile)


def test_with_seed_version_1_another_event_before_the_resumption_leads_to_another_pile() -> None:
    piles: list[tuple[str, ...]] = []
    for actions in range(10, 14):
        table = played(actions=actions, seed_version=1)
        table.resume(6)
        piles.append(pile_of(table.game))
    assert all(one != other for one, other in pairwise(piles))


def test_the_new_branch_draws_from_the_new_pile() -> None:
    table = played()
    table.resume(6)
    pile = pile_of(table.game)
    refills: list[str] = []
    while len(refills) < 3:
        table.act_at_random(1)
        data = table.sealed[-1].event["data"]
        if data.get("refill") is not None:
            refills.append(data["refill"])
    assert refills == list(pile[:3])


@pytest.mark.parametrize(("rules", "options"), RULES)
def test_play_resumes_from_the_position_that_an_earlier_resumption_made(
    rules: str, options: dict[str, bool]
) -> None:
    table = played(rules, options)
    first = table.resume(15)["seq"]
    made = table.game
    table.act_at_random(4, b"second")
    event = table.resume(first)
    assert event["data"]["from"] == first
    assert event["state"] == made.state_hash
    assert table.game.position(0) == made.position(0)
    assert (table.game.play_seq, table.game.position_seq) == (15, event["seq"])
    on_branch = [seq for seq in range(14, event["seq"] + 1) if not table.game.is_superseded(seq)]
    assert on_branch == [14, 15, first, event["seq"]]
    table.act_at_random(3, b"third")
    record = read(table.record())
    folded = fold(record.events, None, record.opened_values())
    assert folded is not None
    assert folded.position(1) == table.game.position(1)
    with raises(NotNow, match="not an event of play"):
        table.resume(first + 1)


def test_the_pile_of_an_earlier_resumption_is_shuffled_again() -> None:
    table = played()
    first = table.resume(9)["seq"]
    table.act_at_random(8, b"second")
    assert len(pile_of(table.game)) < len(pile_of(table.sealed[first - 1].game))
    table.resume(first)
    pile, pile_before = pile_of(table.game), pile_of(table.sealed[first - 1].game)
    assert pile != pile_before
    assert Counter(pile) == Counter(pile_before)
    seed = chance.resumed_seed(chance.seed(SECRET, [b"nonce"] * 2), 2, [])
    assert list(pile) == chance.Chance(seed).shuffle(sorted(pile, key=ORDER.index))


def test_a_superseded_resumption_is_not_an_origin() -> None:
    table = played()
    superseded = table.resume(9)["seq"]
    table.resume(5)
    with raises(NotNow, match="not an event of play"):
        table.resume(superseded)


def test_barony_draws_nothing_when_play_resumes() -> None:
    table = played("barony")
    event = table.resume(9)
    assert "secrets" not in event
    assert event["data"] == {"from": 9, "because": 24}


def test_the_turn_begins_again_for_the_clock() -> None:
    table = played()
    table.wait(60)
    event = table.resume(9)
    assert table.game.turn_at == event["at"]


def test_a_round_that_ended_later_is_scored_again_and_an_earlier_one_is_not() -> None:
    table = Table("stones", 2, {"stones": 12}).start()
    for _ in range(3):
        table.take(1)
        table.take(1)
        table.score()
    assert table.game.rounds_scored == 3
    second_round_ended = next(
        sealed.event["seq"] - 1
        for sealed in table.sealed
        if sealed.event["type"] == "RoundScored" and sealed.event["data"]["round"] == 2
    )
    table.resume(second_round_ended)
    assert (table.game.rounds_scored, table.game.rounds_ended) == (2, {})
    table.take(2)
    table.take(2)
    table.score()
    scored = [
        sealed.event["data"]["round"]
        for sealed in table.sealed
        if sealed.event["type"] == "RoundScored"
    ]
    assert scored == [1, 2, 3, 3]
    table.play_out()
    assert table.game.status == "finished"


def test_a_round_that_ended_before_the_origin_is_still_scored() -> None:
    table = Table("stones", 2, {"stones": 12}).start()
    table.take(1)
    table.take(1)
    ended = table.game.seq
    table.take(1)
    table.resume(ended)
    assert table.game.rounds_ended == {1: ended}
    table.take(1)
    table.resume(ended)
    table.score()
    assert (table.game.rounds_scored, table.game.rounds_ended) == (1, {})


def test_forfeited_turns_count_as_on_the_branch_that_continues() -> None:
    table = Table("stones", 2).start()
    table.take(1)
    origin = table.game.seq
    table.forfeit()
    assert table.game.forfeits == {1: (table.game.seq,)}
    table.resume(origin)
    assert table.game.forfeits == {}


def when_resumed() -> dict[str, WhenResumed]:
    """Return by the name of each field of a game what becomes of it when play resumes."""
    answers = {}
    for name, hint in get_type_hints(GameOf, include_extras=True).items():
        marks = [mark for mark in getattr(hint, "__metadata__", ()) if type(mark) is WhenResumed]
        assert len(marks) == 1, f"the field {name} says {marks}"
        answers[name] = marks[0]
    return answers


def test_every_field_of_a_game_states_its_treatment() -> None:
    answers = when_resumed()
    assert list(answers) == [field.name for field in fields(GameOf)]
    assert {
        *("players", "former_players", "vacant_seats", "excuses", "keys", "holidays"),
        *("pauses", "disputes", "requested_takebacks"),
    } <= {name for name, answer in answers.items() if answer is WhenResumed.KEPT}


def test_each_field_is_restored_or_kept_as_it_says() -> None:
    """Values that occur nowhere else show where the fields after `PlayResumed` come from."""
    table = played("barony")
    event = table.resume(9)
    before, origin = (table.sealed[seq - 1].game for seq in (event["seq"] - 1, 9))
    written_by_the_event = {"seq", "hash", "state_hash", "at", "resumptions"}
    needed_by_the_fold = {"rules", "state", "pauses", "status", "last_play", "disputes"}
    free: list[str] = []
    ours: Any = before
    theirs: Any = origin
    for name, answer in when_resumed().items():
        if answer is not WhenResumed.PRUNED and name not in needed_by_the_fold:
            free.append(name)
            if name not in written_by_the_event:
                ours = replace(ours, **{name: f"{name} before"})
                theirs = replace(theirs, **{name: f"{name} of the origin"})
    earlier = EarlierGames([event], load={9: theirs}.__getitem__)
    after: Any = evolve(ours, event, {}, earlier)
    for name in free:
        value = getattr(after, name)
        match when_resumed()[name]:
            case WhenResumed.KEPT if name not in written_by_the_event:
                assert value == f"{name} before"
            case WhenResumed.RESTORED:
                assert value == f"{name} of the origin"
            case WhenResumed.BEGUN_ANEW:
                assert value in (event["at"], 0)
            case _:
                assert name in written_by_the_event
    assert after.position(None) == origin.position(None)


def test_a_count_that_was_reset_does_not_come_back() -> None:
    """Seat 1 misses a turn, acts, and misses another; then play resumes from the first miss."""
    table = Table("stones", 2, {"stones": 12}).start()
    table.take(1)
    table.forfeit()
    first = table.game.seq
    table.take(1)
    table.take(1)
    assert table.game.missed_deadlines == {}
    table.take(1)
    table.forfeit()
    assert list(table.game.missed_deadlines) == [1]
    table.resume(first)
    assert (table.game.missed_deadlines, table.game.forfeits) == ({}, {})


def test_a_miss_that_stands_counts_after_a_later_one_is_superseded() -> None:
    table = Table("stones", 2, {"stones": 12}).start()
    table.take(1)
    table.forfeit()
    first = table.game.seq
    table.take(1)
    table.forfeit()
    assert len(table.game.missed_deadlines[1]) == 2
    table.resume(first)
    assert table.game.missed_deadlines == {1: (first,)}


def test_play_resumes_only_from_an_event_of_play_on_the_current_branch() -> None:
    table = Table("stones", 2).start()
    table.take(1)
    table.take(1)
    table.score()
    scored = table.game.seq
    for origin in (3, scored):
        with raises(NotNow, match="not an event of play"):
            table.resume(origin)
    table.take(1)
    superseded = table.game.seq
    table.resume(5)
    with raises(NotNow, match=f"event {superseded}, which is not an event of play"):
        table.resume(superseded)
    table.resume(4)


def test_a_game_that_has_ended_is_not_resumed() -> None:
    table = Table("stones", 2).start().play_out()
    with raises(NotNow, match="finished"):
        table.resume(5)
    fresh = Table("stones", 2)
    with raises(NotNow, match="the game has not started"):
        lifecycle.resume(fresh.game, fresh.game, 1, SECRET)


@pytest.mark.parametrize("origin", [0, 1, 25, 99, -1, "5", None, [5], 5.5])
def test_an_event_that_cannot_be_the_origin_is_unreadable(origin: object) -> None:
    table = played()
    table.resume(5)
    events: list[Event] = [sealed.event for sealed in table.sealed]
    events[-1] = {**events[-1], "data": {"from": origin, "because": 1}}
    with pytest.raises((Unreadable, AssertionError, TypeError)):
        fold(events)
