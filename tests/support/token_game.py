"""A tiny game that fulfils the contract of rule systems, for tests of the code above the rules.

Seats take turns to take 1 to 3 stones, whose values nobody knows beforehand. Each seat has a lucky number
that only it knows. The last stone ends the game, and most points win. So there are secrets of a seat and
secrets of nobody.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy as shallow
from dataclasses import dataclass
from typing import Any, ClassVar, Final, cast
from unittest.mock import patch

from domain import registry
from domain.chance import Chance
from domain.contract import ALL_SECRETS, AnyRuleSystem, Bot, DomainEvent, Inference, Json, Resign
from domain.errors import Malformed, NotNow, Refused
from domain.event import EventData
from domain.scene import Cell, Panel, Piece, Scene
from tests.support.events import data_of, event_of
from tests.support.token_game_formats import (  # noqa: F401 # names of the contract
    ACTIONS,
    EVENTS,
    OPTIONS,
    POSITION,
    STANDING,
)

NAME: Final = "stones"
CLAUSES: Final[Mapping[str, str]] = {
    "ST-TURN": "Seats take stones in turn, those that are out are passed by.",
    "ST-TAKE": "One to three stones, and no more than there are.",
    "ST-END": "With the last stone the game ends with its round; so it does when one seat is left.",
}


@dataclass(frozen=True, slots=True)
class Take:
    """Take stones."""

    stones: int
    type: ClassVar[str] = "take"


class State:
    """`values` are those of the stones still there, the next one first; None where they are unknown."""

    def __init__(self, seats: int, stones: int, values: Sequence[int] | None) -> None:
        self.phase = "play"
        self.round = 1
        self.turn = 1
        self.to_act: int | None = 0
        self.stones = stones
        self.values = None if values is None else tuple(values)
        self.points = (0,) * seats
        self.out: tuple[int, ...] = ()
        self.lucky: tuple[int | None, ...] = (None,) * seats
        self.limit: int | None = None
        self.ranking: list[Json] | None = None

    def in_game(self) -> list[int]:
        """The seats still in the game."""
        return [seat for seat in range(len(self.points)) if seat not in self.out]


def check_options(seats: int, options: Mapping[str, Any]) -> Json:
    """`stones`: how many there are; `round_limit`: rounds at most."""
    whole = {"stones": 12, "round_limit": None, **options}
    wrong = {f"options.{name}": "unknown" for name in whole.keys() - {"stones", "round_limit"}}
    if type(whole["stones"]) is not int or not 1 <= whole["stones"] <= 1000:
        wrong["options.stones"] = "must be 1 to 1000"
    if not 2 <= seats <= 5:
        wrong["seats"] = "must be 2 to 5"
    if wrong:
        raise Malformed(wrong)
    return whole


def set_up(seats: int, options: Json, chance: Chance) -> DomainEvent:
    """ST-TAKE: stones and lucky numbers are drawn."""
    values = [chance.below(9) + 1 for _ in range(options["stones"])]
    lucky = {f"lucky/{seat}": chance.below(100) for seat in range(seats)}
    secrets = {"values": values, **lucky}
    data = cast("EventData", {"stones": options["stones"]})
    return DomainEvent("GameStarted", data, secrets)


def initial_state(seats: int, options: Json, data: Json, opened: Mapping[str, Any]) -> State:
    """All stones are there; seat 0 begins."""
    state = State(seats, data["stones"], opened.get("values"))
    state.lucky = tuple(opened.get(f"lucky/{seat}") for seat in range(seats))
    state.limit = options.get("round_limit")
    return state


def set_up_faults(seats: int, options: Json, data: Json, opened: Mapping[str, Any]) -> list[str]:
    """ST-TAKE: there are as many stones as were asked for, and nothing else is public."""
    return [] if data.keys() <= {"players", "stones"} else ["it has other fields"]


def infer_secrets(
    seats: int,
    options: Json,
    start: Json,
    played: Iterable[tuple[State, DomainEvent]],
    opened: Mapping[str, Any],
) -> Inference:
    """The stones that were taken have values from 1 to 9; nothing is known about lucky numbers."""
    values: list[int] = []
    contradictions = {}
    for index, (_, event) in enumerate(played):
        taken = data_of(event)["values"] if event.type == "StonesTaken" else []
        values += taken
        if not all(1 <= value <= 9 for value in taken):
            contradictions[index] = "no stone has this value"
    values += [1] * options["stones"]
    lucky = {f"lucky/{seat}": 0 for seat in range(seats)}
    return Inference({"values": values, **lucky, **opened}, contradictions)


def parse_action(raw: object) -> Take | Resign:
    """`{"type": "take", "stones": 2}` or `{"type": "resign"}`."""
    if raw == {"type": "resign"}:
        return Resign()
    if isinstance(raw, dict) and raw.keys() == {"type", "stones"} and raw["type"] == "take":
        stones = raw["stones"]
        if type(stones) is int:
            return Take(stones)
    raise Malformed({"": "is no action of this game"})


def action_to_json(action: Take | Resign) -> Json:
    """The other way."""
    match action:
        case Take(stones):
            return {"type": "take", "stones": stones}
        case Resign():
            return {"type": "resign"}


def decide(state: State, seat: int, action: Take | Resign) -> DomainEvent:
    """ST-TURN, ST-TAKE."""
    if state.phase != "play":
        raise NotNow("ST-TURN", "the game is over")
    if seat in state.out or (isinstance(action, Take) and seat != state.to_act):
        raise Refused("ST-TURN", f"it is not the turn of seat {seat}")
    match action:
        case Resign():
            return _departed(state, seat, "PlayerResigned")
        case Take(stones):
            if not 1 <= stones <= min(3, state.stones):
                raise Refused("ST-TAKE", f"{stones} of {state.stones} stones")
            assert state.values is not None, "the values of the stones are needed to decide"
            values = list(state.values[:stones])
            then = _then(state, state.stones - stones, state.out)
            return event_of("StonesTaken", {"seat": seat, "values": values, "then": then})


def forfeit(state: State) -> DomainEvent:
    """ST-TURN: the turn is over."""
    then = _then(state, state.stones, state.out)
    return event_of("TurnForfeited", {"seat": state.to_act, "then": then})


def remove(state: State, seat: int) -> DomainEvent:
    """ST-TURN: as if it had resigned."""
    if seat in state.out:
        raise Refused("ST-TURN", f"seat {seat} is out")
    return _departed(state, seat, "PlayerRemoved")


def _departed(state: State, seat: int, type: str) -> DomainEvent:
    out = (*state.out, seat)
    if len(out) == len(state.points) - 1:
        then = {"phase": "scoring", "round": state.round, "turn": state.turn, "to_act": None}
    elif seat == state.to_act:
        then = _then(state, state.stones, out)
    else:
        then = {name: getattr(state, name) for name in ("phase", "round", "turn", "to_act")}
    return event_of(type, {"seat": seat, "then": then})


def _then(state: State, stones: int, out: tuple[int, ...]) -> Json:
    """ST-TURN, ST-END: the course after the turn of `to_act`."""
    assert state.to_act is not None
    staying = [seat for seat in range(len(state.points)) if seat not in out]
    later = [seat for seat in staying if seat > state.to_act]
    round = state.round if later else state.round + 1
    if stones == 0 or (not later and state.round == state.limit):
        return {"phase": "scoring", "round": state.round, "turn": state.turn, "to_act": None}
    to_act = (later or staying)[0]
    return {"phase": "play", "round": round, "turn": state.turn + 1, "to_act": to_act}


def finish(state: State) -> DomainEvent:
    """ST-END: most points first, who is out last."""
    order = sorted(
        range(len(state.points)),
        key=lambda seat: (seat in state.out, -state.points[seat], seat),
    )
    ranking = [
        {"seat": seat, "score": state.points[seat], "place": place}
        for place, seat in enumerate(order, 1)
    ]
    return event_of("GameFinished", {"ranking": ranking})


def copy(state: State) -> State:
    """All values in a state are immutable."""
    return shallow(state)


def apply(state: State, type: str, data: Json) -> None:
    """Write a fact into the state."""
    match type:
        case "StonesTaken":
            taken, seat = data["values"], data["seat"]
            state.stones -= len(taken)
            if state.values is not None:
                state.values = state.values[len(taken) :]
            points = list(state.points)
            points[seat] += sum(taken)
            state.points = tuple(points)
        case "PlayerResigned" | "PlayerRemoved":
            state.out += (data["seat"],)
        case "GameFinished":
            state.phase, state.ranking = "finished", data["ranking"]
        case _:
            pass
    for name, value in data.get("then", {}).items():
        setattr(state, name, value)


def legal_actions(state: State, seat: int) -> Sequence[Take]:
    """ST-TAKE."""
    return [Take(n) for n in range(1, min(3, state.stones) + 1)] if seat == state.to_act else []


def position(state: State, viewer: int | None) -> Json:
    """A seat sees its own lucky number only, until the game has ended."""
    players = [
        {
            "seat": seat,
            "status": "out" if seat in state.out else "active",
            "points": points,
            "lucky": state.lucky[seat] if viewer in (seat, ALL_SECRETS) else None,
        }
        for seat, points in enumerate(state.points)
    ]
    whole: Json = {name: getattr(state, name) for name in ("phase", "round", "to_act", "stones")}
    whole |= {"rules": NAME, "players": players}
    if state.ranking is not None:
        whole["ranking"] = state.ranking
    return whole


def standings(state: State) -> list[Json]:
    """Points by seat."""
    return [{"seat": seat, "score": points} for seat, points in enumerate(state.points)]


def action_text(action: Take | Resign) -> str:
    """`take 2` or `resign`."""
    return f"take {action.stones}" if isinstance(action, Take) else "resign"


def parse_action_text(text: str) -> Take | Resign:
    """The other way."""
    word, *rest = text.split()
    return parse_action({"type": word, **({"stones": int(rest[0])} if rest else {})})


def event_text(type: str, data: Json) -> str:
    """One line."""
    if type == "StonesTaken":
        return f"takes {len(data['values'])} worth {sum(data['values'])}"
    return type


def explain(state: State | None, seat: int | None, fact: DomainEvent) -> list[tuple[str, str]]:
    """ST-TAKE for stones taken."""
    if state is None or fact.type != "StonesTaken":
        return []
    return [("ST-TAKE", f"{len(data_of(fact)['values'])} of the {state.stones} stones there were")]


def scene(position: Json, event: Json | None) -> Scene:
    """All stones on one hex."""
    panels = tuple(
        Panel(p["seat"], "taker", p["points"], (("status", p["status"]),))
        for p in position["players"]
    )
    cell = Cell((0, 0), "stones", (Piece("stone", 0, position["stones"]),))
    return Scene(
        f"Stones, round {position['round']}", (cell,), panels, event["type"] if event else ""
    )


def greedy(position: Json, actions: Sequence[Json], seat: int, chance: Chance) -> Json:
    """Takes as many as it may."""
    return actions[-1]


BOTS: Final[Mapping[str, Bot[Any, Any]]] = {"sensible": greedy}


@contextmanager
def registered() -> Iterator[None]:
    """While this lasts, the registry knows the game."""
    import sys

    system = cast("AnyRuleSystem", sys.modules[__name__])
    with patch.dict(cast("dict[str, AnyRuleSystem]", registry.RULES), {NAME: system}):
        yield
