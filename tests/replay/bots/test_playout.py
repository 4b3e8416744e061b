"""Playouts: whole games among bots, with the same bytes for the same seed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest

from domain import lifecycle
from domain.baron.actions import Draw
from domain.chance import Chance
from domain.errors import Malformed, Refused
from domain.json_types import JsonObject
from domain.messages import message
from replay.bots import playout
from replay.bots.playout import play_to_files, random_bot
from tests.support import token_game
from tests.support.faults import raises
from tests.support.records import audit_record, read, trusting_signer

SEED = bytes(range(20))


def test_the_same_plan_gives_the_same_bytes() -> None:
    plan = playout.plan("barony", 2, SEED, {}, round_limit=4)
    assert playout.play(plan, 3).record == playout.play(plan, 3).record
    records = {playout.play(plan, number).record for number in (1, 2, 3)}
    records.add(playout.play(playout.plan("barony", 2, b"", {}, round_limit=4)).record)
    assert len(records) == 4


@pytest.mark.parametrize("rules", ["stones", "barony", "baron"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_game_ends_and_passes_the_audit(rules: str, seats: int) -> None:
    played = playout.play(playout.plan(rules, seats, SEED, {}))
    assert played.game.status == "finished"
    assert played.actions == sum(e["action"] is not None for e in read(played.record).events)
    report = audit_record(played.record, trusted=trusting_signer(played.record))
    assert report.findings == []
    assert report.unknowns == []


def test_bots_see_only_what_their_seat_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    seats: list[int] = []

    def watching(
        position: JsonObject, actions: Sequence[token_game.Take], seat: int, chance: Chance
    ) -> token_game.Take:
        own = [player["lucky"] is not None for player in position["players"]]
        assert own == [other == seat for other in range(3)]
        assert actions == [token_game.Take(n) for n in range(1, len(actions) + 1)]
        orjson.dumps(position)  # plain JSON, no state of the rules
        seats.append(seat)
        chosen: token_game.Take = actions[chance.below(len(actions))]
        return chosen

    monkeypatch.setattr(token_game, "BOTS", {"watching": watching})
    played = playout.play(playout.plan("stones", 3, SEED, {}, ("watching",)))
    assert len(seats) == played.actions > 5


def test_a_bot_that_breaks_a_rule_is_refused_like_a_player(monkeypatch: pytest.MonkeyPatch) -> None:
    def cheating(
        position: JsonObject, actions: Sequence[token_game.Take], seat: int, chance: Chance
    ) -> token_game.Take:
        return token_game.Take(100)

    monkeypatch.setattr(token_game, "BOTS", {"cheating": cheating})
    with raises(Refused, match="ST-TAKE"):
        playout.play(playout.plan("stones", 2, SEED, {}, ("cheating",)))


def test_the_named_bots_take_the_seats_in_turn() -> None:
    plan = playout.plan("stones", 5, SEED, {}, ("random", "sensible"))
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
    ("arguments", "limit"),
    [({}, playout.DEFAULT_ROUND_LIMIT), ({"round_limit": 7}, 7), ({"round_limit": 0}, None)],
)
def test_games_have_the_default_round_limit_unless_told_otherwise(
    arguments: Any, limit: int | None
) -> None:
    assert playout.plan("barony", 2, SEED, {}, **arguments).options == {
        **lifecycle.check_options("barony", 2, {}),
        "round_limit": limit,
    }


def test_a_game_without_the_option_is_played_without_a_round_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checked = token_game.check_options

    def without(seats: int, options: JsonObject) -> JsonObject:
        if "round_limit" in options:
            raise Malformed({"options.round_limit": message("unknown")})
        return {name: v for name, v in checked(seats, options).items() if name != "round_limit"}

    fields = [field for field in token_game.OPTION_FIELDS if field.name != "round_limit"]
    monkeypatch.setattr(token_game, "OPTION_FIELDS", fields)
    monkeypatch.setattr(token_game, "check_options", without)
    plan = playout.plan("stones", 2, SEED, {})
    assert plan.options == {"stones": 12, "seating": "drawn", "private": False}
    assert playout.play(plan).game.status == "finished"
    with raises(Malformed, match="round_limit"):
        playout.plan("stones", 2, SEED, {}, round_limit=5)


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
def test_an_invalid_plan_is_refused_with_its_wrong_fields(fields: Any, field: str) -> None:
    arguments: Any = {"rules": "barony", "seats": 2, "options": {}, **fields}
    with pytest.raises(Malformed) as refused:
        playout.plan(seed=SEED, **arguments)
    assert refused.value.fields.keys() == {field}


def test_the_random_bot_chooses_every_action_sometimes() -> None:
    actions = [Draw(number) for number in range(5)]
    chance = Chance(SEED)
    slots = [random_bot({"round": 1, "to_act": 0}, actions, 0, chance).slot for _ in range(200)]
    assert set(slots) == {0, 1, 2, 3, 4}


def test_several_processes_write_the_same_files_as_one(tmp_path: Path) -> None:
    plan = playout.plan("barony", 2, SEED, {}, round_limit=2)
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    by_one = list(play_to_files(plan, 5, tmp_path / "one"))
    by_two = list(play_to_files(plan, 5, tmp_path / "two", jobs=2))
    assert [Path(t["file"]).name for t in by_one] == [Path(t["file"]).name for t in by_two]
    for summary in by_one:
        path = Path(summary["file"])
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()
        assert summary["events"] == len(read(path.read_bytes()).events)
        assert [place["place"] for place in summary["ranking"]] == [1, 2]
