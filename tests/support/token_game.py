"""A small game that fulfils the contract of rule systems, for tests of the code that handles any game.

Seats in turn take 1 to 3 of the remaining stones, whose values are secret until they are taken; each seat has
a lucky number that only it knows. The last stone ends the game, and the most points win. So there are secrets
of one seat and secrets of nobody.
"""

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy as shallow
from typing import Any, Final, Literal, cast

from domain.chance import Chance
from domain.choices import Preview
from domain.contract import (
    ALL_SECRETS,
    AnyRuleSystem,
    Bot,
    DomainEvent,
    Inference,
    Opened,
    OwnOptions,
    Reason,
    Resign,
    ResignJson,
    ScoreChange,
)
from domain.errors import Malformed, NotNow, Refused
from domain.event import Event, EventData, Ranked
from domain.features import FeatureModel
from domain.lessons import AnyLesson
from domain.messages import Message, PlayerAt, Text, message, term
from domain.playouts import PlayoutModel
from domain.registry import with_game
from domain.scene import Cell, Panel, Piece, Scene
from tests.support.token_game_choices import QUESTIONS, action_for_choice, choice_message, choices
from tests.support.token_game_formats import (
    ACTIONS,
    CLAUSES,
    DESCRIPTION,
    EVENTS,
    OPTION_FIELDS,
    OPTIONS,
    POSITION,
    STANDING,
    OwnStonesOptions,
    PlayerRemoved,
    PlayerResigned,
    SetUp,
    StonesPosition,
    StonesStanding,
    StonesTaken,
    TakeJson,
    Then,
    TurnForfeited,
    check_options,
)
from tests.support.token_game_state import Action, State, Take

__all__ = [
    "ACTIONS",
    "CLAUSES",
    "DESCRIPTION",
    "EVENTS",
    "OPTIONS",
    "OPTION_FIELDS",
    "POSITION",
    "QUESTIONS",
    "STANDING",
    "Action",
    "State",
    "Take",
    "action_for_choice",
    "check_options",
    "choice_message",
    "choices",
]

NAME: Final = "stones"
TITLE: Final = term("Stones")
SCORE_NAME: Final[Text] = term("points")
EXPLAINED_BY: Final[Mapping[str, str]] = {}
OUT_CLAUSES: Final[Collection[str]] = ("ST-END",)
LESSONS: Final[Sequence[AnyLesson]] = ()
LABELS: Final[Mapping[str, Text]] = {}


def set_up(seats: int, options: OwnOptions, chance: Chance) -> DomainEvent:
    """ST-TAKE: draw the values of the stones, and the lucky numbers."""
    stones = cast("OwnStonesOptions", options)["stones"]
    values = [chance.below(9) + 1 for _ in range(stones)]
    lucky = {f"lucky/{seat}": chance.below(100) for seat in range(seats)}
    data: SetUp = {"stones": stones}
    return DomainEvent("GameStarted", data, {"values": values, **lucky})


def initial_state(
    seats: int, options: OwnOptions, data: EventData, opened: Mapping[str, object]
) -> State:
    """All stones are there; seat 0 begins."""
    values = cast("list[int] | None", opened.get("values"))
    state = State(seats, cast("SetUp", data)["stones"], values)
    state.lucky = tuple(cast("int | None", opened.get(f"lucky/{seat}")) for seat in range(seats))
    state.limit = cast("OwnStonesOptions", options).get("round_limit")
    return state


def set_up_faults(
    seats: int, options: OwnOptions, data: EventData, opened: Mapping[str, object]
) -> list[str]:
    """ST-TAKE: the number of stones is the only public field."""
    return [] if data.keys() <= {"players", "stones"} else ["it has other fields"]


def infer_secrets(
    seats: int,
    options: OwnOptions,
    start: tuple[int, EventData],
    played: Iterable[tuple[int, State, DomainEvent]],
    opened: Opened,
    chance: Chance | None = None,
) -> Inference:
    """The stones that were taken have values from 1 to 9; nothing is known about lucky numbers."""
    values: list[int] = []
    contradictions = {}
    for seq, _, taken in played:
        if taken.type == "StonesTaken":
            new_values = cast("StonesTaken", taken.data)["values"]
            values += new_values
            if not all(1 <= value <= 9 for value in new_values):
                contradictions[seq] = message("no stone has this value")
    stones = cast("OwnStonesOptions", options)["stones"]
    values += [1 if chance is None else chance.below(9) + 1 for _ in range(stones)]
    lucky = {f"lucky/{seat}": 0 if chance is None else chance.below(100) for seat in range(seats)}
    secrets = {"values": values, **lucky, **opened.get(start[0], {})}
    return Inference({start[0]: secrets}, contradictions)


def redraw(state: State, chance: Chance) -> Mapping[str, object]:
    """The values of the stones that are left are drawn anew."""
    assert state.values is not None
    return {"values": [chance.below(9) + 1 for _ in state.values]}


def apply_redraw(state: State, opened: Mapping[str, object]) -> None:
    """Put the values that were drawn anew in place of those drawn before."""
    values = cast("list[int] | None", opened.get("values"))
    state.values = None if values is None else tuple(values)


def parse_action(raw: object) -> Action:
    """`{"type": "take", "stones": 2}` or `{"type": "resign"}`. Raises Malformed."""
    if raw == {"type": "resign"}:
        return Resign()
    if isinstance(raw, dict) and raw.keys() == {"type", "stones"} and raw["type"] == "take":
        stones = raw["stones"]
        if type(stones) is int:
            return Take(stones)
    raise Malformed({"": message("is no action of this game")})


def action_to_json(action: Action) -> TakeJson | ResignJson:
    """The action as JSON."""
    match action:
        case Take(stones):
            return {"type": "take", "stones": stones}
        case Resign():
            return {"type": "resign"}


def decide(state: State, seat: int, action: Action) -> DomainEvent:
    """ST-TURN, ST-TAKE. Raises Refused."""
    if state.phase != "play":
        raise NotNow("ST-TURN", message("the game is over"))
    if seat in state.out or (isinstance(action, Take) and seat != state.to_act):
        raise Refused("ST-TURN", message("it is not the turn of {player}", player=PlayerAt(seat)))
    match action:
        case Resign():
            resignation: PlayerResigned = _departure(state, seat)
            return DomainEvent("PlayerResigned", resignation)
        case Take(stones):
            if not 1 <= stones <= min(3, state.stones):
                raise Refused(
                    "ST-TAKE", message("{count} of {all} stones", count=stones, all=state.stones)
                )
            assert state.values is not None, "a decision requires the values of the stones"
            then = _after_turn(state, state.stones - stones, state.out)
            data: StonesTaken = {"seat": seat, "values": [*state.values[:stones]], "then": then}
            return DomainEvent("StonesTaken", data)


def forfeit(state: State) -> DomainEvent:
    """ST-TURN: the turn is over."""
    assert state.to_act is not None
    then = _after_turn(state, state.stones, state.out)
    data: TurnForfeited = {"seat": state.to_act, "then": then}
    return DomainEvent("TurnForfeited", data)


def remove(state: State, seat: int) -> DomainEvent:
    """ST-TURN: as if the seat had resigned. Raises Refused when it is out."""
    if seat in state.out:
        raise Refused("ST-TURN", message("{player} is out", player=PlayerAt(seat)))
    data: PlayerRemoved = _departure(state, seat)
    return DomainEvent("PlayerRemoved", data)


def _departure(state: State, seat: int) -> PlayerResigned:
    out = (*state.out, seat)
    if len(out) == len(state.points) - 1:
        return {"seat": seat, "then": _then(state, "scoring", state.round, state.turn, None)}
    if seat == state.to_act:
        return {"seat": seat, "then": _after_turn(state, state.stones, out)}
    return {"seat": seat, "then": _then(state, "play", state.round, state.turn, state.to_act)}


def _after_turn(state: State, stones: int, out: tuple[int, ...]) -> Then:
    """ST-TURN, ST-END: the turn order after the turn of `to_act`."""
    assert state.to_act is not None
    staying = [seat for seat in range(len(state.points)) if seat not in out]
    later = [seat for seat in staying if seat > state.to_act]
    if stones == 0 or (not later and state.round == state.limit):
        return _then(state, "scoring", state.round, state.turn, None)
    round = state.round if later else state.round + 1
    return _then(state, "play", round, state.turn + 1, (later or staying)[0])


def _then(
    state: State, phase: Literal["play", "scoring"], round: int, turn: int, to_act: int | None
) -> Then:
    return {"phase": phase, "round": round, "turn": turn, "to_act": to_act}


def finish(state: State) -> DomainEvent:
    """ST-END: the most points first, seats that are out last."""
    order = sorted(
        range(len(state.points)), key=lambda seat: (seat in state.out, -state.points[seat], seat)
    )
    data: Ranked = {
        "ranking": [
            {"seat": seat, "score": state.points[seat], "place": place}
            for place, seat in enumerate(order, 1)
        ]
    }
    return DomainEvent("GameFinished", data)


def copy(state: State) -> State:
    """A state that can be changed without changing this one."""
    return shallow(state)


def apply(state: State, type: str, data: EventData) -> None:
    """Write a recorded event into the state."""
    match type:
        case "StonesTaken":
            taken = cast("StonesTaken", data)
            count, seat = len(taken["values"]), taken["seat"]
            state.stones -= count
            if state.values is not None:
                state.values = state.values[count:]
            points = list(state.points)
            points[seat] += sum(taken["values"])
            state.points = tuple(points)
        case "PlayerResigned" | "PlayerRemoved":
            state.out += (cast("PlayerResigned", data)["seat"],)
        case "GameFinished":
            state.phase = "finished"
            state.ranking = cast("Ranked", data)["ranking"]
            return
        case _:
            pass
    then = cast("TurnForfeited", data)["then"]
    state.phase, state.round = then["phase"], then["round"]
    state.turn, state.to_act = then["turn"], then["to_act"]


def legal_actions(state: State, seat: int) -> Sequence[Action]:
    """ST-TAKE."""
    return [Take(n) for n in range(1, min(3, state.stones) + 1)] if seat == state.to_act else []


def actions_at_any_time(state: State, seat: int) -> Sequence[Action]:
    """ST-TURN: resigning."""
    return [Resign()] if state.phase == "play" and seat not in state.out else []


def preview(state: State, seat: int, action: Action) -> Preview:
    """ST-TAKE: the same whatever the stones are worth, because nobody knows that before taking them."""
    state = copy(state)
    state.values = (0,) * state.stones
    hidden = message("The values of the stones are not known yet.")
    return Preview(decide(state, seat, action), hidden if isinstance(action, Take) else None)


def position(state: State, viewer: int | None) -> StonesPosition:
    """The whole state; a seat sees no lucky number but its own until the game has ended."""
    result: StonesPosition = {
        "rules": "stones",
        "phase": state.phase,
        "round": state.round,
        "to_act": state.to_act,
        "stones": state.stones,
        "players": [
            {
                "seat": seat,
                "status": "out" if seat in state.out else "active",
                "points": points,
                "lucky": state.lucky[seat] if viewer in (seat, ALL_SECRETS) else None,
            }
            for seat, points in enumerate(state.points)
        ],
    }
    if state.ranking is not None:
        result["ranking"] = state.ranking
    return result


def standings(state: State) -> list[StonesStanding]:
    """Points by seat."""
    return [{"seat": seat, "score": points} for seat, points in enumerate(state.points)]


def score_changes(state: State, type: str, data: EventData) -> list[ScoreChange]:
    """The values of the stones that were taken."""
    if type != "StonesTaken":
        return []
    taken = cast("StonesTaken", data)
    return [(taken["seat"], SCORE_NAME, sum(taken["values"]))]


def action_text(action: Action) -> str:
    """`take 2` or `resign`."""
    return f"take {action.stones}" if isinstance(action, Take) else "resign"


def parse_action_text(text: str) -> Action:
    """The action that a short form stands for."""
    word, *rest = text.split()
    return parse_action({"type": word, **({"stones": int(rest[0])} if rest else {})})


def event_message(type: str, data: EventData) -> Message:
    """The event in one line."""
    if type == "StonesTaken":
        values = cast("StonesTaken", data)["values"]
        return message("takes {count} worth {sum}", count=len(values), sum=sum(values))
    return message("{type}", type=type)


def explain(state: State | None, seat: int | None, event: DomainEvent) -> list[Reason]:
    """ST-TAKE for stones that were taken."""
    if state is None or event.type != "StonesTaken":
        return []
    count = len(cast("StonesTaken", event.data)["values"])
    return [
        (
            "ST-TAKE",
            message("{count} of the {all} stones there were", count=count, all=state.stones),
        )
    ]


def scene(position: StonesPosition, event: Event | None) -> Scene:
    """The stones on one hex."""
    status = message("status")
    panels = tuple(
        Panel(player["seat"], message("taker"), player["points"], ((status, player["status"]),))
        for player in position["players"]
    )
    cell = Cell((0, 0), "stones", (Piece("stone", 0, position["stones"]),))
    caption = message("{type}", type=event["type"]) if event else None
    title = message("Stones, round {round}", round=position["round"])
    return Scene(title, (cell,), panels, caption)


def greedy(
    position: StonesPosition, actions: Sequence[Action], seat: int, chance: Chance
) -> Action:
    """Take as many stones as possible."""
    return actions[-1]


BOTS: Final[Mapping[str, Bot[Action, StonesPosition]]] = {"sensible": greedy}
PLAYOUTS: Final[PlayoutModel[Any, Action] | None] = None
FEATURES: Final[FeatureModel | None] = None


@contextmanager
def registered() -> Iterator[None]:
    """Add the game to the registry while this lasts."""
    system = cast("AnyRuleSystem", sys.modules[__name__])
    with with_game(system):
        yield
