"""The rules of Seven Hexes (clauses SH): the state, `decide`, `apply` and the legal actions."""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy as shallow
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, TypeAlias, assert_never, cast

from domain.chance import Chance
from domain.contract import (
    DomainEvent,
    Inference,
    Opened,
    OwnOptions,
    Resign,
    ResignJson,
    ScoreChange,
)
from domain.errors import Malformed, NotNow, Refused
from domain.event import EventData, Ranked, RankingEntry
from domain.hexes import DIRECTIONS, Hex, hex_of, hex_pair, hex_text, json_from_text, neighbours
from domain.json_fields import FieldReader, Parser, parse_action_fields
from domain.json_types import JsonObject
from domain.life_cycle_messages import ENDED_PHASES
from domain.messages import Message, PlayerAt, Term, Text, hex_at, message, term
from tests.support.seven_hexes.formats import (
    Card,
    ClaimJson,
    HexClaimed,
    PassJson,
    Phase,
    PlayerRemoved,
    PlayerResigned,
    SetUp,
    SevenHexesStanding,
    Then,
    TurnForfeited,
    TurnPassed,
)

SEATS: Final = 2
ROUNDS: Final = 3
BOARD: Final[tuple[Hex, ...]] = tuple(sorted(((0, 0), *DIRECTIONS)))
VALUES: Final[Mapping[Card, int]] = {"field": 1, "forest": 2, "mountain": 3}
"""What a hex that is claimed with a card scores by itself."""
CARDS: Final = tuple(VALUES)
CARD_TERMS: Final[Mapping[Card, Term]] = {
    "field": term("field; plural: fields; a: a field; the: the field"),
    "forest": term("forest; plural: forests; a: a forest; the: the forest"),
    "mountain": term("mountain; plural: mountains; a: a mountain; the: the mountain"),
}


@dataclass(frozen=True, slots=True)
class Claim:
    """Claim a free hex with a card (SH-CLAIM)."""

    type: ClassVar[Literal["claim"]] = "claim"
    card: Card
    at: Hex


@dataclass(frozen=True, slots=True)
class Pass:
    """Claim nothing (SH-PASS)."""

    type: ClassVar[Literal["pass"]] = "pass"


Action: TypeAlias = Claim | Pass | Resign


class State:
    """A position of the game; all values are immutable."""

    def __init__(self) -> None:
        self.phase: Phase = "play"
        self.round = 1
        self.turn = 1
        self.to_act: int | None = 0
        self.claims: Mapping[Hex, tuple[int, Card]] = {}
        """The seat and the card of each hex that is claimed."""
        self.points: tuple[int, ...] = (0,) * SEATS
        self.out: tuple[int, ...] = ()
        self.ranking: list[RankingEntry] | None = None

    def in_game(self) -> list[int]:
        """The seats still in the game."""
        return [seat for seat in range(SEATS) if seat not in self.out]

    def cards(self, seat: int) -> list[Card]:
        """The cards that a seat has left."""
        played = {card for owner, card in self.claims.values() if owner == seat}
        return [card for card in CARDS if card not in played]


def check_options(seats: int, options: Mapping[str, object]) -> OwnOptions:
    """Seven Hexes has no options of its own. Raises Malformed."""
    errors: dict[str, Text] = {
        f"options.{name}": message("is not an option of this game") for name in options
    }
    if seats != SEATS:
        errors["seats"] = message("must be {seats}", seats=SEATS)
    if errors:
        raise Malformed(errors)
    return {}


def set_up(seats: int, options: OwnOptions, chance: Chance) -> DomainEvent:
    """Nothing is drawn."""
    data: SetUp = {}
    return DomainEvent("GameStarted", data)


def initial_state(
    seats: int, options: OwnOptions, data: EventData, opened: Mapping[str, object]
) -> State:
    """All hexes are free; seat 0 begins."""
    return State()


def set_up_faults(
    seats: int, options: OwnOptions, data: Mapping[str, object], opened: Mapping[str, object]
) -> Sequence[Message]:
    """The set-up has no field of its own."""
    return [message("it has no field {name}", name=name) for name in data if name != "players"]


def infer_secrets(
    seats: int,
    options: OwnOptions,
    start: tuple[int, Mapping[str, object]],
    played: Iterable[tuple[int, State, DomainEvent]],
    opened: Opened,
    chance: Chance | None = None,
) -> Inference:
    """There are no secrets."""
    return Inference(opened)


def redraw(state: State, chance: Chance) -> Mapping[str, object]:
    """Nothing is drawn."""
    return {}


def apply_redraw(state: State, opened: Mapping[str, object]) -> None:
    """Change nothing, because nothing is drawn anew."""


def copy(state: State) -> State:
    """A state that can be changed without changing this one."""
    return shallow(state)


class _ClaimFields(FieldReader):
    def card(self) -> Card:
        return self.word(self.raw.get("card"), "card", CARDS)


_PARSERS: Final[Mapping[str, Parser[_ClaimFields, Action]]] = {
    "claim": (["card", "at"], lambda fields: Claim(fields.card(), fields.hex("at"))),
    "pass": ([], lambda _: Pass()),
    "resign": ([], lambda _: Resign()),
}


def parse_action(raw: object) -> Action:
    """The action that decoded JSON stands for. Raises Malformed."""
    return parse_action_fields(raw, _ClaimFields, _PARSERS)


def action_to_json(action: Action) -> ClaimJson | PassJson | ResignJson:
    """The action as JSON."""
    match action:
        case Claim(card, at):
            return {"type": "claim", "card": card, "at": list(at)}
        case Pass():
            return {"type": "pass"}
        case Resign():
            return {"type": "resign"}


def action_text(action: Action) -> str:
    """`claim forest 1,0`, `pass` or `resign`."""
    return (
        f"claim {action.card} {hex_text(action.at)}" if isinstance(action, Claim) else action.type
    )


def parse_action_text(text: str) -> Action:
    """The action that the short form stands for. Raises Malformed."""
    return parse_action(json_from_text(text, _json_from_words))


def _json_from_words(word: str, others: list[str]) -> JsonObject:
    match word, others:
        case "claim", [card, at]:
            return {"type": "claim", "card": card, "at": hex_pair(at)}
        case (("pass" | "resign"), []):
            return {"type": word}
        case _:
            raise ValueError(word)


def decide(state: State, seat: int, action: Action) -> DomainEvent:
    """What a seat's action leads to. Raises Refused with the clause, NotNow when play is over."""
    if state.to_act is None:
        raise NotNow("SH-TURN", ENDED_PHASES[state.phase])
    if seat in state.out or (seat != state.to_act and not isinstance(action, Resign)):
        raise Refused("SH-TURN", message("it is not the turn of {player}", player=PlayerAt(seat)))
    match action:
        case Resign():
            resignation: PlayerResigned = _departure(state, seat)
            return DomainEvent("PlayerResigned", resignation)
        case Pass():
            passed: TurnPassed = {"seat": seat, "then": _after_turn(state, state.out)}
            return DomainEvent("TurnPassed", passed)
        case Claim(card, at):
            if (why := _why_not_free(state, at)) is not None:
                raise Refused("SH-CLAIM", why)
            if card not in state.cards(seat):
                played = message(
                    "{player} has no {card} left", player=PlayerAt(seat), card=CARD_TERMS[card]
                )
                raise Refused("SH-CARD", played)
            data: HexClaimed = {
                "seat": seat,
                "card": card,
                "at": list(at),
                "points": points_of(state, seat, card, at),
                "then": _after_turn(state, state.out),
            }
            return DomainEvent("HexClaimed", data)
        case _:
            assert_never(action)


def _why_not_free(state: State, at: Hex) -> Message | None:
    """SH-CLAIM: why a hex cannot be claimed; None if it can."""
    if at not in BOARD:
        return message("{hex} is not on the board", hex=hex_at(at))
    if at in state.claims:
        owner = PlayerAt(state.claims[at][0])
        return message("{player} has claimed {hex} already", player=owner, hex=hex_at(at))
    return None


def points_of(state: State, seat: int, card: Card, at: Hex) -> int:
    """SH-SCORE: the value of the card, and 1 for each hex of the seat beside this one."""
    own = [near for near in neighbours(at) if state.claims.get(near, (None,))[0] == seat]
    return VALUES[card] + len(own)


def forfeit(state: State) -> DomainEvent:
    """SH-TURN: the turn is over. Raises NotNow."""
    if state.to_act is None:
        raise NotNow("SH-TURN", ENDED_PHASES[state.phase])
    data: TurnForfeited = {"seat": state.to_act, "then": _after_turn(state, state.out)}
    return DomainEvent("TurnForfeited", data)


def remove(state: State, seat: int) -> DomainEvent:
    """SH-END: as if the seat had resigned. Raises Refused."""
    if state.to_act is None:
        raise NotNow("SH-TURN", ENDED_PHASES[state.phase])
    if seat in state.out:
        raise Refused("SH-TURN", message("{player} is out of the game", player=PlayerAt(seat)))
    data: PlayerRemoved = _departure(state, seat)
    return DomainEvent("PlayerRemoved", data)


def _departure(state: State, seat: int) -> PlayerResigned:
    """SH-END: with one seat left, play is over."""
    return {"seat": seat, "then": _after_turn(state, (*state.out, seat))}


def _after_turn(state: State, out: tuple[int, ...]) -> Then:
    """SH-TURN, SH-END: the turn order after the turn of `to_act`."""
    assert state.to_act is not None
    following = (state.to_act + 1) % SEATS
    round = state.round if following else state.round + 1
    if out or round > ROUNDS:
        return {"phase": "scoring", "round": state.round, "turn": state.turn, "to_act": None}
    return {"phase": "play", "round": round, "turn": state.turn + 1, "to_act": following}


def finish(state: State) -> DomainEvent:
    """SH-END: the most points first; equal seats share a place, and a seat that is out is last."""
    results = [(seat in state.out, -points) for seat, points in enumerate(state.points)]
    order = sorted(range(SEATS), key=lambda seat: (results[seat], seat))
    data: Ranked = {
        "ranking": [
            {
                "seat": seat,
                "score": state.points[seat],
                "place": 1 + sum(other < results[seat] for other in results),
            }
            for seat in order
        ]
    }
    return DomainEvent("GameFinished", data)


def standings(state: State) -> list[SevenHexesStanding]:
    """The points by seat."""
    return [{"seat": seat, "score": points} for seat, points in enumerate(state.points)]


def score_changes(state: State, type: str, data: EventData) -> list[ScoreChange]:
    """SH-SCORE: what a claim scores."""
    if type != "HexClaimed":
        return []
    claimed = cast("HexClaimed", data)
    return [(claimed["seat"], CARD_TERMS[claimed["card"]], claimed["points"])]


def apply(state: State, type: str, data: EventData) -> None:
    """Write a recorded event into a state that the caller owns."""
    match type:
        case "HexClaimed":
            claimed = cast("HexClaimed", data)
            seat = claimed["seat"]
            state.claims = {**state.claims, hex_of(claimed["at"]): (seat, claimed["card"])}
            points = list(state.points)
            points[seat] += claimed["points"]
            state.points = tuple(points)
        case "PlayerResigned" | "PlayerRemoved":
            state.out += (cast("PlayerResigned", data)["seat"],)
        case "GameFinished":
            state.phase, state.ranking = "finished", cast("Ranked", data)["ranking"]
            return
        case _:
            pass
    then = cast("TurnForfeited", data)["then"]
    state.phase, state.round = then["phase"], then["round"]
    state.turn, state.to_act = then["turn"], then["to_act"]


def legal_actions(state: State, seat: int) -> Sequence[Action]:
    """SH-CLAIM, SH-PASS: each card on each free hex, or no claim; [] when it is not the seat's turn."""
    if seat != state.to_act:
        return []
    free = [at for at in BOARD if at not in state.claims]
    return [*(Claim(card, at) for card in state.cards(seat) for at in free), Pass()]
