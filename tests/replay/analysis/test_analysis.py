"""The analysis of finished games: the same everywhere, resumable, refused for games that go on."""

from functools import cache
from io import BytesIO
from typing import Any

import orjson
import pytest

from domain.errors import Malformed
from domain.playouts import WHOLE
from ledger.record import Record, read
from replay.analysis.analysis import analyse, continued, is_complete, new_analysis, progress_of
from replay.analysis.compare import check_format, differences
from replay.analysis.positions import FinishedGame, NotFinished, finished_game
from replay.analysis.settings import settings_of
from replay.bots.playout import plan, play
from replay.language.renderer import english
from tests.games.records import record_of
from tests.support.seven_hexes.registration import registered

SETTINGS = settings_of(4, bytes(32))
GAMES = ["stones", "seven_hexes", "barony", "sorcery", "baron"]


@pytest.fixture(autouse=True)
def seven_hexes_is_registered() -> Any:
    with registered():
        yield


@cache
def game_of(name: str) -> FinishedGame:
    """A short game of this rule system, between bots."""
    rules, options = ("barony", {"sorcery": True}) if name == "sorcery" else (name, {})
    limit = 5 if rules == "barony" else None
    return finished_game(
        read_bytes(play(plan(rules, 2, b"analysis", options, round_limit=limit)).record)
    )


def read_bytes(record: bytes) -> Record:
    return read(BytesIO(record))


@pytest.mark.parametrize("name", GAMES)
def test_every_game_can_be_analysed(name: str) -> None:
    game = game_of(name)
    result = analyse(game, SETTINGS)
    assert [turn["turn"] for turn in result["turns"]] == [turn.number for turn in game.turns]
    for turn in result["turns"]:
        assert sum(turn["shares"]) == pytest.approx(1, abs=0.001)
        assert all(0 <= share <= 1 for share in turn["shares"])
        assert all(margin >= 0 for margin in turn["margins"])
    third = len(result["turns"]) / 3
    for index, turn in enumerate(result["turns"]):
        assert ("decisions" in turn) is (index >= third)
    assert [entry["seat"] for entry in result["summary"]["accuracy"]] == [0, 1]
    assert result["winners"] == list(game.winners)


@pytest.mark.parametrize("name", ["stones", "seven_hexes", "barony"])
def test_an_interrupted_analysis_goes_on_to_the_same_result(name: str) -> None:
    game = game_of(name)
    states = list(continued(game, SETTINGS, new_analysis(game, SETTINGS)))
    assert [progress_of(state)[0] for state in states] == list(range(1, len(game.turns) + 1))
    assert [is_complete(state) for state in states] == [False] * (len(states) - 1) + [True]
    stored = orjson.loads(orjson.dumps(states[len(states) // 2]))
    *_, last = continued(game, SETTINGS, stored)
    assert last == states[-1]
    assert list(continued(game, SETTINGS, last)) == [last]


def test_another_seed_or_budget_leads_to_another_result() -> None:
    game = game_of("seven_hexes")
    results = [
        analyse(game, settings_of(budget, bytes([seed]) * 32))
        for budget, seed in ((4, 0), (4, 1), (5, 0))
    ]
    assert len({orjson.dumps(result["turns"]) for result in results}) == 3


@pytest.mark.parametrize(
    ("field", "value"),
    [("seed", "11" * 32), ("budget", 5), ("head", "00" * 32), ("playouts", 99), ("version", 0)],
)
def test_the_state_of_another_analysis_is_refused(field: str, value: object) -> None:
    game = game_of("seven_hexes")
    state = {**new_analysis(game, SETTINGS), field: value}
    with pytest.raises(Malformed) as refused:
        list(continued(game, SETTINGS, state))
    assert refused.value.fields.keys() == {field}


@pytest.mark.parametrize("turns", [None, [{}], [{"turn": 2}], [{"turn": True}], ["1"]])
def test_a_state_with_other_turns_is_refused(turns: object) -> None:
    game = game_of("seven_hexes")
    with pytest.raises(Malformed) as refused:
        list(continued(game, SETTINGS, {**new_analysis(game, SETTINGS), "turns": turns}))
    assert refused.value.fields.keys() == {"turns"}


@pytest.mark.parametrize(
    ("budget", "seed", "fields"),
    [(3, bytes(32), {"budget"}), (10_001, bytes(32), {"budget"}), (3, b"", {"budget", "seed"})],
)
def test_settings_are_checked(budget: int, seed: bytes, fields: set[str]) -> None:
    with pytest.raises(Malformed) as refused:
        settings_of(budget, seed)
    assert refused.value.fields.keys() == fields


class TestWhichGames:
    def test_a_game_in_progress_is_refused(self) -> None:
        whole = record_of("duke-of-two")
        for count in (1, 5, len(whole.events) - 1):
            cut = Record(**{**_fields(whole), "events": whole.events[:count]})
            with pytest.raises(NotFinished, match="not finished"):
                finished_game(cut)

    def test_an_abandoned_game_is_refused(self) -> None:
        with pytest.raises(NotFinished, match="abandoned"):
            finished_game(record_of("abandoned-in-play"))

    @pytest.mark.parametrize("name", ["baron-new-draws", "courtesy", "disputes"])
    def test_only_the_current_branch_counts(self, name: str) -> None:
        try:
            game = finished_game(record_of(name))
        except NotFinished:
            pytest.skip("this game was not finished")
        numbers = [turn.number for turn in game.turns]
        assert numbers == sorted(set(numbers))
        seqs = [decision.seq for turn in game.turns for decision in turn.decisions]
        assert seqs == sorted(set(seqs))

    def test_turns_have_their_decisions_with_the_states_before_them(self) -> None:
        game = finished_game(record_of("baron-battles"))
        for turn in game.turns:
            for decision in turn.decisions:
                assert decision.seat == turn.seat == decision.state.to_act
                game.rules.decide(decision.state, decision.seat, decision.action)


def _fields(record: Record) -> dict[str, Any]:
    return {name: getattr(record, name) for name in Record.__dataclass_fields__}


class TestComparing:
    def test_equal_analyses_do_not_differ(self) -> None:
        result = analyse(game_of("seven_hexes"), SETTINGS)
        assert list(differences(result, orjson.loads(orjson.dumps(result)))) == []

    def test_every_difference_is_named(self) -> None:
        result = analyse(game_of("seven_hexes"), SETTINGS)
        other: Any = orjson.loads(orjson.dumps(result))
        other["budget"] = 5
        other["turns"][2]["shares"] = [1.0, 0.0]
        other["turns"].pop()
        assert [english(text) for text in differences(result, other)] == [
            "budget is 4 here and 5 there",
            "turn 3 differs: shares",
            "6 turns are examined here, and 5 there",
        ]
        forged = {**result, "summary": None}
        assert [english(text) for text in differences(result, forged)] == [
            "the turns are equal, and the summary differs"
        ]

    @pytest.mark.parametrize(
        "value", [None, [], {}, {"format": "x"}, {"format": "cartulary-analysis", "turns": 1}]
    )
    def test_what_is_no_analysis_is_refused(self, value: object) -> None:
        with pytest.raises(Malformed):
            check_format(value)


def test_shares_of_many_seats_add_up() -> None:
    assert all(WHOLE % seats == 0 for seats in range(1, 7))
