"""The laws of rule systems hold for every game, and each law names a game that breaks it."""

import importlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from domain.contract import ALL_SECRETS, DomainEvent
from domain.messages import message
from domain.registry import RegisteredRuleSystem, rule_systems, with_game
from domain.turn_games.formats import TurnForfeited
from domain.turn_games.state import same_turn
from replay.laws.game_laws import LAWS, LawReport, check_game, possible_seats
from tests.support import token_game
from tests.support.processes import cartulary
from tests.support.seven_hexes import Claim, Claimed, SevenHexes, State
from tests.support.seven_hexes.registration import install
from tests.support.variants import nightly_except


def report_of(game: RegisteredRuleSystem, seats: Sequence[int]) -> LawReport:
    *_, report = check_game(game.rules, game.system, game.options, seats, games=1)
    return report


def checked(rules: Any, seats: int = 2) -> LawReport:
    """The report about a game that is registered while it is checked."""
    with with_game(rules):
        return report_of(RegisteredRuleSystem(rules.NAME, rules, rules.NAME, {}), [seats])


@pytest.mark.parametrize("name", nightly_except(["baron"], rule_systems()))
def test_every_game_keeps_the_laws(name: str) -> None:
    game = rule_systems()[name]
    report = report_of(game, possible_seats(game.system, game.options)[:1])
    assert report.broken == {}
    assert report.has_held


class RunsOutOfActions(SevenHexes):
    def moves(self, state: State, seat: int) -> Iterator[Any]:
        if state.round == 1:
            yield from super().moves(state, seat)


class HasABotOfItsOwnMind(SevenHexes):
    BOTS: Mapping[str, Any] = {"free": lambda *_: Claim("field", (9, 9))}


class CopiesNothing(SevenHexes):
    def copy(self, state: State) -> State:
        return state


class ForgetsAnAction(SevenHexes):
    def moves(self, state: State, seat: int) -> Iterator[Any]:
        yield from list(super().moves(state, seat))[1:]


class ForgetsAHex(SevenHexes):
    def moves(self, state: State, seat: int) -> Iterator[Any]:
        for move in super().moves(state, seat):
            if not isinstance(move, Claim) or move.at[0] != 1:
                yield move


class RefusesWhatItLists(SevenHexes):
    def moves(self, state: State, seat: int) -> Iterator[Any]:
        yield from super().moves(state, seat)
        yield Claim("field", (5, 5))


class HasAnUnknownField(SevenHexes):
    def position(self, state: State, viewer: int | None) -> Any:
        return {**super().position(state, viewer), "weather": "fine"}


class LeavesOutTheCard(SevenHexes):
    def action_text(self, action: Any) -> str:
        return super().action_text(action).replace(" field", "")


class AsksForTheCardOnly(SevenHexes):
    def choices(self, state: Any, seat: int, action: Any, path: Any) -> Any:
        return () if len(path) > 1 else super().choices(state, seat, action, path)


class NeverEndsATurn(SevenHexes):
    def forfeit(self, state: State) -> Any:
        forfeited: Any = super().forfeit(state)
        data: TurnForfeited = {"seat": forfeited.data["seat"], "then": same_turn(state)}
        return DomainEvent(forfeited.type, data)


class HidesItsScores(SevenHexes):
    def score_changes(self, state: State, type: str, data: Any) -> Any:
        return []


class NamesNoClause(SevenHexes):
    LEAVING = "SH-TURN-1"

    def explain(self, state: Any, seat: int | None, event: Any) -> Any:
        return [("SH-TURN-1", message("somebody leaves"))]


class LeavesByAnUnknownClause(SevenHexes):
    LEAVING = "SH-LEAVE-1"


class ExplainsByAnUnknownClause(SevenHexes):
    EXPLAINED_BY: Mapping[str, str] = {"claim": "SH-CLAIMS-1"}


class DrawsNothing(SevenHexes):
    def cells(self, state: State) -> Iterator[Any]:
        yield from ()


class ScoresAtRandom(SevenHexes):
    numbers = count(1)

    def outcome(self, state: State, seat: int, action: Any) -> Any:
        outcome = super().outcome(state, seat, action)
        return Claimed(next(self.numbers)) if isinstance(outcome, Claimed) else outcome


def shows_everything() -> Any:
    position = token_game.position
    open_to_all: Mapping[str, Any] = {
        **vars(token_game),
        "position": lambda state, _: position(state, ALL_SECRETS),
    }
    return SimpleNamespace(**open_to_all)


BROKEN: list[tuple[str, Callable[[], Any]]] = [
    ("play", RunsOutOfActions),
    ("bots", HasABotOfItsOwnMind),
    ("apply", CopiesNothing),
    ("legal actions", ForgetsAnAction),
    ("legal actions", ForgetsAHex),
    ("legal actions", RefusesWhatItLists),
    ("forms", HasAnUnknownField),
    ("short form", LeavesOutTheCard),
    ("choices", AsksForTheCardOnly),
    ("secrets", shows_everything),
    ("turns", NeverEndsATurn),
    ("scores", HidesItsScores),
    ("clauses", NamesNoClause),
    ("clauses", LeavesByAnUnknownClause),
    ("clauses", ExplainsByAnUnknownClause),
    ("pictures", DrawsNothing),
    ("record", ScoresAtRandom),
]


@pytest.mark.parametrize(
    ("law", "game"), BROKEN, ids=lambda value: getattr(value, "__name__", value)
)
def test_each_law_finds_a_game_that_breaks_it(law: str, game: Callable[[], Any]) -> None:
    assert law in checked(game()).broken


@pytest.mark.parametrize(
    ("clauses", "fault"),
    [
        ([*SevenHexes.CLAUSES], None),
        ([*SevenHexes.CLAUSES][1:], "SH-TURN-1 is missing"),
        ([*SevenHexes.CLAUSES, "SH-MAGIC-1"], "SH-MAGIC-1 is not in CLAUSES"),
    ],
    ids=["the same", "one fewer", "one more"],
)
def test_the_page_of_rules_has_the_clauses_of_the_game(
    clauses: Sequence[str], fault: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / f"paged_game_of_{len(clauses)}_clauses"
    package.mkdir()
    (package / "__init__.py").touch()
    anchors = [f'<a id="{clause}"></a>**{clause}.** A rule.' for clause in clauses]
    (package / "rules.md").write_text("# Seven Hexes\n\n" + "\n\n".join(anchors))
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module(package.name)
    paged_game = type("PagedGame", (SevenHexes,), {"__module__": package.name})
    broken = checked(paged_game()).broken.get("rules page")
    assert broken is fault if fault is None else fault in (broken or "")


def test_every_law_has_a_game_that_breaks_it() -> None:
    assert {*(law for law, _ in BROKEN), "rules page"} == LAWS.keys()


def test_the_command_reports_each_law(tmp_path: Any) -> None:
    environment = install(tmp_path / "site")
    result = cartulary("check-game", "seven_hexes", **environment)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("Holds.") == len(LAWS)
    result = cartulary("check-game", "seven_hexes", "--json", **environment)
    report = json.loads(result.stdout)
    assert report["broken"] == {}
    assert report["checked"].keys() == LAWS.keys()
    assert cartulary("check-game", "chess").returncode == 2
    refused = cartulary("check-game", "baron", "--seats", "6")
    assert refused.returncode == 2
    assert "must be one of 2, 3, 4, 5" in refused.stderr
