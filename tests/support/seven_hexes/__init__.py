"""Seven Hexes: a tiny game outside `domain`, for tests of everything that handles any game.

Two seats claim hexes of a board of seven in turn, three times each, with the cards field (1), forest (2) and
mountain (3). A claim scores its card, and 1 for each hex of the same seat beside it. There are no secrets.
`registration` adds the game to the registry.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal, TypeAlias

from domain.contract import OwnOptions, Reason, Resign
from domain.hexes import DIRECTIONS, Hex, neighbours
from domain.messages import PlayerAt, Term, Text, comma_list, counted, hex_at, message, reason, term
from domain.position_labels import COMMON_LABELS
from domain.scene import Cell, LegendEntry, Piece, Row
from domain.turn_games.definition import NoOutcome
from domain.turn_games.game import TurnGame
from domain.turn_games.state import Then, TurnState, next_seat, turn_of

Card: TypeAlias = Literal["field", "forest", "mountain"]

ROUNDS: Final = 3
BOARD: Final[tuple[Hex, ...]] = tuple(sorted(((0, 0), *DIRECTIONS)))
VALUES: Final[Mapping[Card, int]] = {"field": 1, "forest": 2, "mountain": 3}
"""What a hex that is claimed with a card scores by itself."""
CARDS: Final = tuple(VALUES)
CARD_TERMS: Final[Mapping[str, Term]] = {
    "field": term("field; plural: fields; a: a field; the: the field"),
    "forest": term("forest; plural: forests; a: a forest; the: the forest"),
    "mountain": term("mountain; plural: mountains; a: a mountain; the: the mountain"),
}
POINT: Final = term("point; plural: points; a: a point; the: the point")


@dataclass(frozen=True, slots=True)
class Claim:
    """Claim a free hex with a card."""

    type: ClassVar = "claim"
    event: ClassVar = "HexClaimed"
    clauses: ClassVar = ("SH-CARD-1", "SH-SCORE-1")
    card: Card
    at: Hex


@dataclass(frozen=True, slots=True)
class Claimed:
    """What the seat scores for a hex."""

    points: int


@dataclass(frozen=True, slots=True)
class Pass:
    """Claim nothing in this turn."""

    type: ClassVar = "pass"
    event: ClassVar = "TurnPassed"
    clauses: ClassVar = ("SH-PASS-1",)


Action: TypeAlias = Claim | Pass | Resign


@dataclass(frozen=True, slots=True)
class ClaimedHex:
    """A hex that a seat has claimed with a card."""

    seat: int
    card: Card


@dataclass(slots=True, kw_only=True)
class State(TurnState):
    """A position of the game."""

    claims: Mapping[Hex, ClaimedHex] = field(default_factory=dict)
    points: tuple[int, ...] = (0, 0)

    def cards(self, seat: int) -> list[Card]:
        """The cards that a seat has left."""
        played = {claim.card for claim in self.claims.values() if claim.seat == seat}
        return [card for card in CARDS if card not in played]


class SevenHexes(TurnGame[State]):
    """The game as a rule system."""

    NAME = "seven_hexes"
    TITLE = term("Seven Hexes")
    DESCRIPTION: Text = message(
        "Two players claim the hexes of a small board with cards; hexes side by side score more."
    )
    SEATS = (2, 2)
    CLAUSES: Mapping[str, Text] = {
        "SH-TURN-1": message("The two seats act in turn, three times each."),
        "SH-CLAIM-1": message("A seat claims a hex of the board that nobody has claimed."),
        "SH-CARD-1": message("A claim uses up one of the seat's three cards."),
        "SH-PASS-1": message("A seat may claim nothing in its turn."),
        "SH-SCORE-1": message("A claim scores its card, and 1 for each own hex beside it."),
        "SH-END-1": message("The game ends after three rounds, or when a seat leaves it."),
    }
    TURN = "SH-TURN-1"
    LEAVING = "SH-END-1"
    STATE = State
    MOVES: Mapping[Any, type] = {Claim: Claimed, Pass: NoOutcome}
    SCORE_NAME: Text = message("points")
    EXPLAINED_BY: Mapping[str, str] = {
        "claim": "SH-CLAIM-1",
        "pass": "SH-PASS-1",
        "score": "SH-SCORE-1",
    }
    LABELS: Mapping[str, Text] = {
        **COMMON_LABELS,
        **CARD_TERMS,
        "card": message("card"),
        "claim": message("claim a hex"),
        "claims": message("claims"),
        "pass": message("claim nothing"),
        "points": message("points"),
    }
    QUESTIONS: Mapping[str, Text] = {
        "card": message("Which card do you play?"),
        "at": message("Which hex do you claim?"),
    }
    LEGEND = (
        LegendEntry("terrain", term("free hex; plural: free hexes"), kind="plain"),
        *(
            LegendEntry("terrain", name, kind=kind, value=f"{VALUES[kind]}")
            for kind, name in zip(CARDS, CARD_TERMS.values(), strict=True)
        ),
        LegendEntry("piece", term("claim; plural: claims"), kind="claim"),
        LegendEntry("changed", message("changed by the last event")),
    )

    def start(self, seats: int, options: OwnOptions) -> State:
        """All hexes are free."""
        return State(seats=seats)

    def moves(self, state: State, seat: int) -> Iterator[Action]:
        """SH-CLAIM-1, SH-PASS-1: each card on each free hex, or no claim."""
        for card in state.cards(seat):
            yield from (Claim(card, at) for at in BOARD if at not in state.claims)
        yield Pass()

    def refusal(self, state: State, seat: int, action: Action) -> Reason | None:
        """SH-CLAIM-1: a hex that is not free; SH-CARD-1: a card that was played."""
        if not isinstance(action, Claim):
            return None
        if action.at not in BOARD:
            return reason("SH-CLAIM-1", "{hex} is not on the board", hex=hex_at(action.at))
        if (claim := state.claims.get(action.at)) is not None:
            owner = PlayerAt(claim.seat)
            return reason(
                "SH-CLAIM-1",
                "{player} has claimed {hex} already",
                player=owner,
                hex=hex_at(action.at),
            )
        if action.card not in state.cards(seat):
            card = CARD_TERMS[action.card]
            return reason(
                "SH-CARD-1", "{player} has no {card} left", player=PlayerAt(seat), card=card
            )
        return None

    def outcome(self, state: State, seat: int, action: Action) -> Claimed | NoOutcome:
        """SH-SCORE-1: the value of the card, and 1 for each hex of the seat beside this one."""
        if not isinstance(action, Claim):
            return NoOutcome()
        near = [state.claims[at] for at in neighbours(action.at) if at in state.claims]
        return Claimed(VALUES[action.card] + sum(claim.seat == seat for claim in near))

    def perform(
        self, state: State, seat: int, action: Action, outcome: Claimed | NoOutcome
    ) -> None:
        """Add the claim, and its points."""
        if isinstance(action, Claim) and isinstance(outcome, Claimed):
            state.claims = {**state.claims, action.at: ClaimedHex(seat, action.card)}
            points = list(state.points)
            points[seat] += outcome.points
            state.points = tuple(points)

    def after_turn(self, after: State) -> Then:
        """SH-TURN-1: the other seat's turn, for three rounds."""
        then = turn_of(after, next_seat(after, lambda _: True))
        return turn_of(after, None) if then["round"] > ROUNDS else then

    def scores(self, state: State) -> Sequence[int]:
        """SH-SCORE-1: the points of the claims."""
        return state.points

    def cells(self, state: State) -> Iterator[Cell]:
        """Return each hex with the terrain of its card, and a flag of the seat that has claimed it."""
        for at in BOARD:
            claim = state.claims.get(at)
            pieces = () if claim is None else (Piece("claim", claim.seat),)
            yield Cell(at, "plain" if claim is None else claim.card, pieces)

    def rows(self, state: State, seat: int) -> Iterator[Row]:
        """Return the cards that the seat has left."""
        yield message("cards"), comma_list(CARD_TERMS[card] for card in state.cards(seat))

    def action_message(self, action: Action, outcome: Claimed | NoOutcome) -> Text:
        """Return what was claimed, and for how many points."""
        if not (isinstance(action, Claim) and isinstance(outcome, Claimed)):
            return message("claims nothing")
        return message(
            "claims {hex} as {card:a} for {points}",
            hex=hex_at(action.at),
            card=CARD_TERMS[action.card],
            points=counted(outcome.points, POINT),
        )


GAME: Final = SevenHexes()
