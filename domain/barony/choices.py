"""The choices by which a player of Barony comes to an action (`domain.choices`), and their texts.

Parts of an action whose order makes no difference can be chosen in any order: the knights that move, and the
sites of a construction.

`action_for_choice` returns the action that a choice stands for, whether or not the rules allow it. The parts
of the action that are not chosen yet are tried out, and the first action that is allowed is taken. If there
is none, one is taken that breaks a clause which is checked late: the clauses of a group are numbered in the
order in which they are checked, and those about single spells come last.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, product
from typing import Final, Literal, TypeAlias, assert_never, cast

from domain.barony.actions import (
    Action,
    AgreeToEnd,
    Build,
    Cast,
    Expedition,
    Move,
    NewCity,
    NobleTitle,
    Pass,
    PlaceCity,
    Recruit,
)
from domain.barony.components import CITY, RESOURCES, VILLAGE, Building, Resource, Terrain
from domain.barony.decide import decide as base_decide
from domain.barony.event_messages import pawn
from domain.barony.formats import BaronyPosition
from domain.barony.movement import NO_CHOICE, Takes, does_order_matter, takes_of_arrival
from domain.barony.state import State, StateT
from domain.barony.terms import KNIGHT, LABELS, PAWNS, RESOURCE_POINT, TERRAINS, TOKENS
from domain.barony.titles import legal_titles, worth
from domain.choices import COMMON_QUESTIONS, Choice, card, hex_choice
from domain.contract import DomainEvent, Resign
from domain.errors import Refused
from domain.hexes import Hex, hex_from_text, neighbours, number_from_text
from domain.messages import (
    Message,
    PlayerAt,
    Text,
    counted,
    hex_at,
    listing,
    message,
    plural_message,
)

Moves: TypeAlias = tuple[tuple[Hex, Hex], ...]
"""The moves of one action: where each begins and ends."""

QUESTIONS: Final[Mapping[str, Text]] = {
    **COMMON_QUESTIONS,
    "first_city": message("Where do you place a city and a knight?"),
    "city": message("In which city do you recruit?"),
    "knights": message("How many knights do you recruit?"),
    "knight": message("Which knight moves?"),
    "destination": message("Where does the knight move?"),
    "token": message("Which token do you take for the village?"),
    "next_knight": message("Which other knight moves?"),
    "site": message("On which hex do you build?"),
    "building": message("What do you build there?"),
    "next_site": message("On which other hex do you build?"),
    "village": message("Which village becomes a city?"),
    "edge": message("Where does the expedition arrive?"),
    "payment": message("Which tokens do you discard?"),
    "agreement": message("What do you say about the end of the game?"),
}

DONE: Final = "done"
"""The value of the choice that an action has no further part."""


def choices(state: State, seat: int, action: Action, path: Sequence[Choice]) -> Sequence[Choice]:
    """The choices after those of `path` that lead on to the action."""
    match action:
        case Move():
            return _move_choices(state, seat, action, path)
        case Build():
            return _build_choices(action, path)
        case _:
            return _fixed_sequence(action)[len(path) - 1 : len(path)]


def _fixed_sequence(action: Action) -> tuple[Choice, ...]:
    """The choices after the type of an action whose parts are chosen in one order only."""
    match action:
        case PlaceCity(at):
            return (hex_choice("first_city", at),)
        case Recruit(at, knights):
            return (hex_choice("city", at), card("knights", str(knights), "knight"))
        case NewCity(at):
            return (hex_choice("village", at),)
        case Expedition(to):
            return (hex_choice("edge", to),)
        case NobleTitle(discard):
            return (card("payment", "-".join(map(str, discard))),)
        case AgreeToEnd(agree):
            return (card("agreement", "agree" if agree else "disagree"),)
        case Pass() | Resign() | Move() | Build() | Cast():
            return ()
        case _:
            assert_never(action)


def _move_choices(
    state: State, seat: int, action: Move, path: Sequence[Choice]
) -> Sequence[Choice]:
    """BY-MOV, BY-CON-3: each knight with its end and its token; in either order, unless it matters."""
    moves = action.moves
    is_either = len(moves) == 2 and moves[0] != moves[1] and not _is_ordered(state, seat, moves)
    if len(path) == 1:
        starts = dict.fromkeys(start for start, _ in (moves if is_either else moves[:1]))
        return [hex_choice("knight", start) for start in starts]
    following = [next_in(_move_sequence(state, seat, moves, action.takes), path)]
    if is_either:
        following.append(
            next_in(_move_sequence(state, seat, moves[::-1], action.takes[::-1]), path)
        )
        if following[0] == following[1]:
            del following[1]
    return [choice for choice in following if choice]


def _is_ordered(state: State, seat: int, moves: Moves) -> bool:
    """Whether the action with these two moves in the other order is another action."""
    (start, end), (second_start, second_end) = moves
    if end != second_start and start != second_end:
        return False
    index = state.board.index
    first, second = (index[start], index[end]), (index[second_start], index[second_end])
    return does_order_matter(state, seat, first, second)


def _move_sequence(state: State, seat: int, moves: Moves, takes: Takes) -> Iterator[Choice]:
    """The choices for these moves in this order; `takes` are the tokens that they take, in this order."""
    for number, (start, end) in enumerate(moves):
        if number:
            yield hex_choice("next_knight", start, addition=True)
        else:
            yield hex_choice("knight", start)
        yield hex_choice("destination", end)
        if takes and (number or _takes_token(state, seat, moves, takes)):
            yield token_choice(takes[0], state.owner[state.board.index[end]])
            takes = takes[1:]
    if len(moves) == 1:
        yield card("next_knight", DONE, addition=False)


def _takes_token(state: State, seat: int, moves: Moves, takes: Takes) -> bool:
    """Whether the first of the moves takes the first of the tokens, and not the second move."""
    if len(takes) == len(moves):
        return True
    end = state.board.index[moves[0][1]]
    return takes_of_arrival(state, seat, end) != NO_CHOICE


def token_choice(token: Resource, owner: int) -> Choice:
    """The choice of a token to take from the owner of a destroyed village."""
    return card("token", f"{token}-{owner}", token)


def next_in(sequence: Iterator[Choice], path: Sequence[Choice]) -> Choice | None:
    """The choice of the sequence after those of `path`; None if the sequence is another or at its end."""
    for choice in path[1:]:
        if next(sequence, None) != choice:
            return None
    return next(sequence, None)


def _build_choices(action: Build, path: Sequence[Choice]) -> Sequence[Choice]:
    """BY-BLD-1: the sites in any order, each with its building, and then that there is no other."""
    last = path[-1]
    if last.question in ("site", "next_site"):
        return [card("building", name, name) for at, name in action.builds if at == last.at]
    if len(path) == 1:
        return [hex_choice("site", at) for at, _ in action.builds]
    chosen = {choice.at for choice in path}
    sites = [at for at, _ in action.builds if at not in chosen]
    if not sites:
        return [card("next_site", DONE, addition=False)]
    return [hex_choice("next_site", at, addition=True) for at in sites]


FIXED_MESSAGES: Final[Mapping[tuple[str, str], Message]] = {
    ("next_knight", "done"): message("no other knight moves"),
    ("next_site", "done"): message("nothing else is built"),
    ("agreement", "agree"): message("ask for the end of the game"),
    ("agreement", "disagree"): message("no longer ask for the end of the game"),
}
"""By question and value."""


def choice_message(
    position: BaronyPosition,
    choice: Choice,
    path: Sequence[Choice],
    fixed_messages: Mapping[tuple[str, str], Message] = FIXED_MESSAGES,
) -> Text:
    """The choice after those of `path` in words."""
    if choice.at is not None:
        return _hex_message(position, choice.question, choice.at, path)
    match choice.question:
        case "action" | "building":
            return LABELS[choice.value]
        case "knights":
            return counted(int(choice.value), KNIGHT)
        case "token":
            token, _, owner = choice.value.partition("-")
            return message(
                "{token:a} from {player}",
                token=TOKENS[cast("Resource", token)],
                player=PlayerAt(int(owner)),
            )
        case "payment":
            counts = tuple(map(int, choice.value.split("-")))
            tokens = zip(RESOURCES, counts, strict=True)
            return message(
                "{tokens}, worth {points}",
                tokens=listing(counted(count, TOKENS[name]) for name, count in tokens if count),
                points=counted(worth(counts), RESOURCE_POINT),
            )
        case question:
            return fixed_messages[question, choice.value]


def _hex_message(
    position: BaronyPosition, question: str, at: Hex, path: Sequence[Choice]
) -> Message:
    """The choice of a hex: the pawn of the player on it, or its terrain and what happens there."""
    knights, building = _own_pawns(position, at)
    match question:
        case "knight" | "next_knight":
            moved = sum(choice.at == at for choice in path if choice.question == "knight")
            return plural_message(
                "the knight on {hex}",
                "one of the {count} knights on {hex}",
                count=knights - moved,
                hex=hex_at(at),
            )
        case "city" | "village" | "recruitment_site" | "next_recruitment_site" if building:
            return message("{building:the} on {hex}", building=PAWNS[building], hex=hex_at(at))
        case "destination" if path[0].value == "move" and _is_attacked(position, at, path):
            return message(
                "{terrain:the} on {hex}, where the knight destroys {pawns}",
                terrain=TERRAINS[terrain_at(position, at)],
                hex=hex_at(at),
                pawns=listing(_opposing_pawns(position, at)),
            )
        case "destination" if path[0].value == "move" and _can_be_attacked_by_two(
            position, at, path
        ):
            return message(
                "{terrain:the} on {hex}, where a second knight would destroy {pawns}",
                terrain=TERRAINS[terrain_at(position, at)],
                hex=hex_at(at),
                pawns=listing(_opposing_pawns(position, at)),
            )
        case _:
            return message(
                "{terrain:the} on {hex}", terrain=TERRAINS[terrain_at(position, at)], hex=hex_at(at)
            )


def terrain_at(position: BaronyPosition, at: Hex) -> Terrain:
    """The terrain of a hex of the board."""
    board = position["board"]
    return board[bisect_left(board, [*at], key=lambda cell: cell["at"])]["terrain"]


def _own_pawns(position: BaronyPosition, at: Hex) -> tuple[int, Building | None]:
    """The number of knights and the building that the seat to act has on the hex."""
    for pawns in position["pawns"]:
        if pawns["seat"] == position["to_act"] and pawns["at"] == [*at]:
            return pawns["knights"], pawns["building"]
    return 0, None


def _opposing_pawns(position: BaronyPosition, at: Hex) -> list[Message]:
    """The pawns of other seats on a hex that a knight can enter: knights, and then villages."""
    opposing = [
        pawns
        for pawns in position["pawns"]
        if pawns["seat"] != position["to_act"] and pawns["at"] == [*at]
    ]
    knights = [pawn(pawns["seat"], "knight") for pawns in opposing if pawns["knights"]]
    return knights + [pawn(pawns["seat"], "village") for pawns in opposing if pawns["building"]]


def _is_attacked(position: BaronyPosition, at: Hex, path: Sequence[Choice]) -> bool:
    """BY-CON-1: whether a knight that arrives on the hex after the moves of `path` destroys pawns there: it
    joins another pawn of its seat, and no knight before it has done so.
    """
    knights, building = _own_pawns(position, at)
    own = knights + bool(building)
    for choice, following in pairwise(path):
        if following.question == "destination":
            own -= choice.at == at
            if following.at == at:
                if own:
                    return False
                own += 1
    return own > 0 and bool(_opposing_pawns(position, at))


def _can_be_attacked_by_two(position: BaronyPosition, at: Hex, path: Sequence[Choice]) -> bool:
    """BY-CON-1: whether pawns on the hex survive the first knight of the action, but not a second one."""
    is_first = all(choice.question != "destination" for choice in path)
    return (
        is_first
        and bool(_opposing_pawns(position, at))
        and sum(
            pawns["knights"] for pawns in position["pawns"] if pawns["seat"] == position["to_act"]
        )
        > 1
    )


Decide: TypeAlias = Callable[[StateT, int, Action], DomainEvent]
"""The function `decide` of a rule system."""

MOST_TAKES: Final = 3
"""The greatest number of villages that one action can destroy, with Celerity and Tornado."""
BUILDINGS: Final[tuple[Literal["village", "stronghold"], ...]] = ("village", "stronghold")


def action_for_choice(
    state: StateT,
    seat: int,
    path: Sequence[Choice],
    value: str,
    decide: Decide[StateT] = base_decide,
) -> Action | None:
    """The simplest action that choosing `value` after the choices of `path` amounts to; None if none.

    Actions that the whole game or the rest of it does not have amount to none: casts, a request for the end
    without the option, and first cities after the set-up.
    """
    type, *values = [*(choice.value for choice in path), value]
    try:
        return most_favourable(state, seat, _candidates(state, seat, type, values), decide)
    except ValueError:  # the text of a hex or a number
        return None


def most_favourable(
    state: StateT, seat: int, candidates: Iterable[Action], decide: Decide[StateT]
) -> Action | None:
    """The first action that is allowed, or else one that breaks the latest clause; None if there is none.

    Tokens for destroyed villages are added where they are missing.
    """
    best: Action | None = None
    latest = (False, "")
    for candidate in candidates:
        for action in _with_takes(candidate):
            try:
                decide(state, seat, action)
            except Refused as error:
                clause = error.clause or ""
            else:
                return action
            rank = (not clause.startswith("BY"), clause)
            if best is None or rank > latest:
                best, latest = action, rank
            if clause != "BY-CON-3":
                break
    return best


def _with_takes(action: Action) -> Iterator[Action]:
    """BY-CON-3: the action as it is, and then with more tokens to take."""
    yield action
    if isinstance(action, Move | Cast):
        for count in range(1, MOST_TAKES + 1 - len(action.takes)):
            for takes in product(RESOURCES, repeat=count):
                yield replace(action, takes=(*action.takes, *takes))


def _candidates(state: State, seat: int, type: str, values: Sequence[str]) -> Iterable[Action]:
    """The actions of a type to which the values can lead. Raises ValueError."""
    hexes = state.board.hexes
    match type, values:
        case "place_city", [] if state.phase == "setup":
            return map(PlaceCity, hexes)
        case "place_city", [at]:
            return [PlaceCity(hex_from_text(at))]
        case "recruit", []:
            return [Recruit(at, 1) for at in hexes_or_any(state, state.built(seat, CITY))]
        case "recruit", [at]:
            return [Recruit(hex_from_text(at), 1)]
        case "recruit", [at, knights] if number_from_text(knights) > 0:
            return [Recruit(hex_from_text(at), number_from_text(knights))]
        case "move", _:
            return _moves(state, seat, values)
        case "build", _:
            return _builds(state, seat, values)
        case "new_city", []:
            return map(NewCity, hexes_or_any(state, state.built(seat, VILLAGE)))
        case "new_city", [at]:
            return [NewCity(hex_from_text(at))]
        case "expedition", []:
            return [
                Expedition(at)
                for at, is_edge in zip(hexes, state.board.edge, strict=True)
                if is_edge
            ]
        case "expedition", [to]:
            return [Expedition(hex_from_text(to))]
        case _:
            return _cards(state, seat, type, values)


def hexes_or_any(state: State, hexes: Sequence[int]) -> list[Hex]:
    """The hexes with these numbers, or one hex of the board if there are none."""
    return [state.board.hexes[hex] for hex in hexes or [0]]


def hexes_with_knights(state: State, seat: int) -> list[Hex]:
    """The hexes from which a knight of the seat could move, or one hex of the board if it has none there."""
    return hexes_or_any(state, [hex for hex, count in enumerate(state.knights[seat]) if count])


def _cards(state: State, seat: int, type: str, values: Sequence[str]) -> Iterable[Action]:
    """The actions of a type whose choices are no hexes. Raises ValueError."""
    match type, values:
        case "noble_title", []:
            mountain, forest, plain, field = state.resources[seat]
            return [*legal_titles(state, seat), NobleTitle((mountain, forest, plain, field))]
        case "noble_title", [payment]:
            mountain, forest, plain, field = map(number_from_text, payment.split("-"))
            return [NobleTitle((mountain, forest, plain, field))]
        case "agree_to_end", [] if state.end_by_agreement:
            return [AgreeToEnd(agree=seat not in state.end_agreed_by)]
        case "agree_to_end", ["agree" | "disagree" as answer]:
            return [AgreeToEnd(agree=answer == "agree")]
        case "pass", []:
            return [Pass()]
        case "resign", []:
            return [Resign()]
        case _:
            return []


def token_of(value: str) -> Resource | None:
    """The kind of token in the value of a choice, such as `plain-1`; None if the value is another choice."""
    word = value.partition("-")[0]
    return next((name for name in RESOURCES if name == word), None)


def _moves(state: State, seat: int, values: Sequence[str]) -> Iterator[Move]:
    """Moves of knights; of a knight without a destination yet, to every adjacent hex. Raises ValueError."""
    takes = tuple(token for value in values if (token := token_of(value)))
    places = [value for value in values if value != DONE and not token_of(value)]
    hexes = [hex_from_text(place) for place in places]
    if not values:
        starts = hexes_with_knights(state, seat)
        paths = [[start, end] for start in starts for end in neighbours(start)]
    elif len(hexes) % 2 == 0:
        paths = [hexes]
    elif values[-1] == places[-1]:
        paths = [[*hexes, end] for end in neighbours(hexes[-1])]
    else:
        paths = []
    for path in paths:
        if 2 <= len(path) <= 4 and DONE not in values[:-1]:
            yield Move(tuple(zip(path[::2], path[1::2], strict=True)), takes)


def _builds(state: State, seat: int, values: Sequence[str]) -> Iterator[Build]:
    """Constructions; on a site without a building yet, each of the two kinds. Raises ValueError."""
    places = values[:-1:2] if values[-1:] == [DONE] else values[::2]
    names = values[1::2]
    buildings = [building for name in names for building in BUILDINGS if building == name]
    hexes = [hex_from_text(place) for place in places]
    if len(buildings) < len(names) or len(set(hexes)) < len(hexes):
        return
    for sites in [hexes] if values else [[at] for at in hexes_with_knights(state, seat)]:
        for last in product(BUILDINGS, repeat=len(sites) - len(buildings)):
            if sites:
                yield Build(tuple(sorted(zip(sites, [*buildings, *last], strict=True))))
