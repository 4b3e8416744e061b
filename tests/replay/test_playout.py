"""Playouts: whole games among bots, by the same door as persons, the same bytes for the same seed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest

from domain import lifecycle
from domain.baron.actions import Draw
from domain.chance import Chance
from domain.contract import Json
from domain.errors import Malformed, Refused
from replay import playout
from replay.bots import at_random
from replay.tournament import played_to_files
from tests.support import token_game
from tests.support.records import audited, read

SEED = bytes(range(20))


def test_the_same_plan_gives_the_same_bytes() -> None:
    plan = playout.plan("barony", 2, SEED, {}, round_limit=4)
    assert playout.play(plan, 3).record == playout.play(plan, 3).record
    records = {playout.play(plan, number).record for number in (1, 2, 3)}
    records.add(playout.play(playout.plan("barony", 2, b"", {}, round_limit=4)).record)
    assert len(records) == 4


@pytest.mark.parametrize("rules", ["heap", "barony", "baron"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_game_ends_and_passes_its_audit(rules: str, seats: int) -> None:
    played = playout.play(playout.plan(rules, seats, SEED, {}))
    assert played.game.status == "finished"
    assert played.actions == sum(e["action"] is not None for e in read(played.record).events)
    report = audited(played.record)
    assert report.findings == []
    assert not any(check.left_out for check in report.checks)


def test_bots_see_what_a_seat_sees_and_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def watching(
        position: Json, actions: Sequence[token_game.Take], seat: int, chance: Chance
    ) -> token_game.Take:
        own = [player["lucky"] is not None for player in position["players"]]
        assert own == [other == seat for other in range(3)]
        assert actions == [token_game.Take(n) for n in range(1, len(actions) + 1)]
        orjson.dumps(position)  # plain JSON, no state of the rules
        seen.append(seat)
        chosen: token_game.Take = actions[chance.below(len(actions))]
        return chosen

    monkeypatch.setattr(token_game, "BOTS", {"watching": watching})
    played = playout.play(playout.plan("heap", 3, SEED, {}, ("watching",)))
    assert len(seen) == played.actions > 5


def test_a_bot_that_breaks_a_rule_is_refused_as_a_person_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def cheating(
        position: Json, actions: Sequence[token_game.Take], seat: int, chance: Chance
    ) -> token_game.Take:
        return token_game.Take(100)

    monkeypatch.setattr(token_game, "BOTS", {"cheating": cheating})
    with pytest.raises(Refused, match="HP-TAKE"):
        playout.play(playout.plan("heap", 2, SEED, {}, ("cheating",)))


def test_seats_are_taken_in_turn_by_the_bots_named() -> None:
    plan = playout.plan("heap", 5, SEED, {}, ("random", "sensible"))
    assert plan.bots == ("random", "sensible", "random", "sensible", "random")
    players = playout.play(plan).game.players
    assert sorted(players) == [
        "bot-1-random",
        "bot-2-sensible",
        "bot-3-random",
        "bot-4-sensible",
        "bot-5-random",
    ]


@pytest.mark.parametrize(
    ("asked", "limit"),
    [({}, playout.ROUND_LIMIT), ({"round_limit": 7}, 7), ({"round_limit": 0}, None)],
)
def test_games_have_a_round_limit_unless_none_is_wanted(asked: Any, limit: int | None) -> None:
    assert playout.plan("barony", 2, SEED, {}, **asked).options == {
        **lifecycle.check_options("barony", 2, {}),
        "round_limit": limit,
    }


def test_a_game_that_knows_no_round_limit_is_played_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checked = token_game.check_options

    def without(seats: int, options: Json) -> Json:
        if "round_limit" in options:
            raise Malformed({"options.round_limit": "unknown"})
        return {name: v for name, v in checked(seats, options).items() if name != "round_limit"}

    monkeypatch.setattr(token_game, "check_options", without)
    plan = playout.plan("heap", 2, SEED, {})
    assert plan.options == {"stones": 12, "seating": "drawn", "private": False}
    assert playout.play(plan).game.status == "finished"
    with pytest.raises(Malformed, match="round_limit"):
        playout.plan("heap", 2, SEED, {}, round_limit=5)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"rules": "chess"}, "rules"),
        ({"seats": 9}, "seats"),
        ({"options": {"sorcery": "yes"}}, "options.sorcery"),
        ({"seats": 5}, "seats"),
        ({"seats": 5, "options": {"sorcery": False}}, "seats"),
        ({"seats": 6, "options": {"sorcery": True}}, "seats"),
        ({"bots": ("clever",)}, "bots"),
        ({"bots": ()}, "bots"),
    ],
)
def test_what_cannot_be_played_is_refused(fields: Any, field: str) -> None:
    asked: Any = {"rules": "barony", "seats": 2, "options": {}, **fields}
    with pytest.raises(Malformed) as refused:
        playout.plan(seed=SEED, **asked)
    assert refused.value.fields.keys() == {field}


def test_the_random_bot_takes_every_action_now_and_then() -> None:
    actions = [Draw(number) for number in range(5)]
    chance = Chance(SEED)
    drawn = [at_random({"round": 1, "to_act": 0}, actions, 0, chance).slot for _ in range(200)]
    assert set(drawn) == {0, 1, 2, 3, 4}


def test_several_processes_write_the_files_that_one_does(tmp_path: Path) -> None:
    plan = playout.plan("barony", 2, SEED, {}, round_limit=2)
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    one = list(played_to_files(plan, 5, tmp_path / "one"))
    two = list(played_to_files(plan, 5, tmp_path / "two", jobs=2))
    assert [Path(t["file"]).name for t in one] == [Path(t["file"]).name for t in two]
    for told in one:
        path = Path(told["file"])
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()
        assert told["events"] == len(read(path.read_bytes()).events)
        assert [place["place"] for place in told["ranking"]] == [1, 2]
