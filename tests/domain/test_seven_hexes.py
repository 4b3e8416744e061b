"""Seven Hexes, a rule system outside `domain`, fulfils the contract and is found by its entry point."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from domain import registry
from domain.chance import Chance
from domain.choices import Choice
from domain.contract import Resign, evolve
from domain.errors import Malformed, Refused
from domain.hexes import Hex
from domain.next_step import next_step, refusal
from domain.turn_games.definition import NoOutcome
from domain.turn_games.game import TurnGame
from ledger.record import read
from replay.audit import audit
from replay.bots.playout import plan, play
from replay.language.renderer import english
from tests.support.choice_trees import nodes
from tests.support.processes import cartulary
from tests.support.records import trusting_signer
from tests.support.seven_hexes import BOARD, CARDS, Action, Claim, Pass, SevenHexes, State
from tests.support.seven_hexes.registration import SEVEN_HEXES, install, registered
from tests.support.svg import svg


def started() -> State:
    data = SEVEN_HEXES.set_up(2, {}, Chance(b"seed")).data
    return SEVEN_HEXES.initial_state(2, {}, data, {})


def after(*texts: str) -> State:
    """The state after these actions in short form, by the seat whose turn it is."""
    state = started()
    for text in texts:
        assert state.to_act is not None
        action = SEVEN_HEXES.parse_action_text(text)
        state = evolve(SEVEN_HEXES, state, [SEVEN_HEXES.decide(state, state.to_act, action)])
    return state


def clause(state: State, seat: int, text: str) -> str | None:
    with pytest.raises(Refused) as refused:
        SEVEN_HEXES.decide(state, seat, SEVEN_HEXES.parse_action_text(text))
    return refused.value.clause


def test_every_clause_refuses_what_it_forbids() -> None:
    state = after("claim mountain 0,0")
    assert clause(state, 0, "pass") == "SH-TURN-1"
    assert clause(state, 1, "claim field 0,0") == "SH-CLAIM-1"
    assert clause(state, 1, "claim field 2,0") == "SH-CLAIM-1"
    assert clause(after("claim field 0,0", "pass"), 0, "claim field 1,0") == "SH-CARD-1"
    assert clause(after(*["pass"] * 6), 0, "resign") == "SH-TURN-1"
    with pytest.raises(Malformed):
        SEVEN_HEXES.parse_action_text("claim castle 0,0")


def test_a_claim_scores_its_card_and_the_own_hexes_beside_it() -> None:
    state = after("claim mountain 0,0", "claim field 1,0", "claim field 0,1", "pass")
    assert state.points == (5, 1)
    finished = after("claim mountain 0,0", "claim field 1,0", *["pass"] * 4)
    ranking = SEVEN_HEXES.finish(finished).data
    assert [entry["place"] for entry in ranking["ranking"]] == [1, 2]  # type: ignore[typeddict-item] # the data of GameFinished


def test_the_legal_actions_are_those_that_are_accepted() -> None:
    state = after("claim mountain 0,0", "claim field 1,0")
    hexes: list[Hex] = [*BOARD, (2, 0), (0, -2)]
    possible: list[Action] = [Pass(), *(Claim(*pair) for pair in product(CARDS, hexes))]
    accepted = {action for action in possible if not is_refused(state, 0, action)}
    assert set(SEVEN_HEXES.legal_actions(state, 0)) == accepted
    assert SEVEN_HEXES.legal_actions(state, 1) == []


def is_refused(state: State, seat: int, action: Action) -> bool:
    try:
        SEVEN_HEXES.decide(state, seat, action)
    except Refused:
        return True
    return False


def test_choices_lead_to_all_legal_actions_and_to_one_each() -> None:
    state = after("claim mountain 0,0", "pass", "claim field 1,0")
    legal = SEVEN_HEXES.legal_actions(state, 1)
    reached: list[Action] = []
    for _, branches, complete in nodes(SEVEN_HEXES, state, 1, legal):
        assert {choice.question for choice in branches} <= SEVEN_HEXES.QUESTIONS.keys()
        assert len(complete) <= 1
        reached += complete
    assert sorted(map(str, reached)) == sorted(map(str, legal))


def test_a_card_and_a_hex_are_chosen_one_after_the_other() -> None:
    state = after("claim mountain 0,0", "pass")
    legal = SEVEN_HEXES.legal_actions(state, 0)
    step = next_step(SEVEN_HEXES, state, 0, legal, ["claim"])
    assert [option.symbol for option in step.options] == ["field", "forest"]
    step = next_step(SEVEN_HEXES, state, 0, legal, ["claim", "forest"])
    position = SEVEN_HEXES.position(state, 0)
    words = [english(SEVEN_HEXES.choice_message(position, o, step.path)) for o in step.options]
    assert words[0] == "-1,0"
    step = next_step(SEVEN_HEXES, state, 0, legal, ["claim", "forest", "-1,0"])
    assert step.action == Claim("forest", (-1, 0))
    preview = SEVEN_HEXES.preview(state, 0, step.action)
    assert (preview.event, preview.hidden) == (SEVEN_HEXES.decide(state, 0, step.action), None)


def test_a_claimed_hex_is_refused_where_it_is_chosen() -> None:
    state = after("claim mountain 0,0")
    path = (Choice("action", "claim"), Choice("card", "field"))
    for attempted_path in (path[:1], path):
        refused = refusal(SEVEN_HEXES, state, 1, attempted_path, "0,0")
        assert (refused and refused.clause) == "SH-CLAIM-1"
    assert SEVEN_HEXES.action_for_choice(state, 1, path, "castle") is None
    assert refusal(SEVEN_HEXES, state, 1, path, "1,0") is None


@pytest.fixture
def game_is_registered() -> Iterator[None]:
    with registered():
        yield


@pytest.mark.usefixtures("game_is_registered")
def test_a_whole_game_is_recorded_and_the_audit_finds_nothing() -> None:
    record = play(plan("seven_hexes", 2, b"s" * 32, {}, ["random", "sensible"])).record
    report = audit(BytesIO(record), trusted=trusting_signer(record))
    assert (report.findings, report.unknowns) == ([], [])
    events = read(BytesIO(record)).events
    assert events[-1]["type"] == "GameFinished"
    claimed = next(event for event in events if event["type"] == "HexClaimed")
    position = SEVEN_HEXES.position(after("claim mountain 0,0"), None)
    picture = svg(SEVEN_HEXES.scene(position, claimed))
    assert picture.startswith("<svg")


def test_every_process_finds_an_installed_game(tmp_path: Path) -> None:
    assert "seven_hexes" not in registry.RULES
    arguments = ("playout", "--rules", "seven_hexes", "--seats", "2", "--seed", "01")
    played = cartulary(*arguments, "--out", str(tmp_path / "games"), **install(tmp_path / "site"))
    assert played.returncode == 0, played.stderr
    (record,) = (tmp_path / "games").iterdir()
    assert read(BytesIO(record.read_bytes())).events[0]["data"]["rules"] == "seven_hexes"


def test_an_installed_game_cannot_take_the_name_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("other", "tests.support.seven_hexes:GAME", registry.ENTRY_POINTS)
    monkeypatch.setattr(registry, "entry_points", lambda group: [point] if group else [])
    games = registry.with_installed_games(registry.RULES)
    assert games == {**registry.RULES, "seven_hexes": SEVEN_HEXES}
    with pytest.raises(ValueError, match="there is a game called seven_hexes already"):
        registry.with_installed_games(games)


class ClaimAgain(Claim):
    """An action with the name of another one."""


@dataclass(frozen=True, slots=True)
class Inexact:
    """An outcome that has no JSON."""

    points: float


@pytest.mark.parametrize(
    ("members", "fault"),
    [
        ({"TURN": None}, "Incomplete has no TURN"),
        ({"NAME": "Seven Hexes"}, "'Seven Hexes' is no word in lower case"),
        ({"MOVES": {Resign: NoOutcome}}, "Resign, an action of Incomplete, has no event"),
        ({"MOVES": {Claim: int}}, "int of Incomplete is no dataclass"),
        ({"MOVES": {Claim: NoOutcome, ClaimAgain: NoOutcome}}, "two actions of Incomplete have"),
        ({"MOVES": {Claim: Inexact}}, "Inexact.points: <class 'float'> has no JSON"),
    ],
)
def test_a_game_that_lacks_a_part_says_so(members: dict[str, Any], fault: str) -> None:
    bases: tuple[type, ...] = (SevenHexes,)
    if members.get("TURN", "") is None:
        # A game that derives from no other one, and forgets an attribute.
        own = {name: value for name, value in vars(SevenHexes).items() if name != "TURN"}
        bases, members = (TurnGame,), own
    with pytest.raises(TypeError, match=fault):
        type("Incomplete", bases, members)()
