"""The scene of a position of Barony: what there is to draw, and what the last event changed."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from domain.barony.components import (
    POINTS_A_RANK,
    RESOURCE_POINTS,
    RESOURCES,
    TERRAINS,
    TITLE_PRICE,
)
from domain.barony.components import RANKS as RANK_NAMES
from domain.barony.event_messages import event_message
from domain.barony.formats import (
    BaronyPosition,
    BuildingsBuilt,
    CityFounded,
    CityPlaced,
    Destroyed,
    ExpeditionSent,
    KnightsMoved,
    KnightsRecruited,
    PlayerJson,
    Step,
    Tokens,
)
from domain.barony.terms import CITY, KNIGHT, RANKS, STRONGHOLD, TITLE, VERBS, VILLAGE
from domain.barony.terms import TERRAINS as TERRAIN_TERMS
from domain.event import Event, EventData, RankingEntry
from domain.hexes import Hex, hex_of
from domain.messages import (
    Listing,
    Message,
    PlayerAt,
    Term,
    Text,
    comma_list,
    counted,
    listing,
    message,
    message_in,
    term,
)
from domain.scene import (
    Arrow,
    Cell,
    Count,
    CountGroup,
    LegendEntry,
    Panel,
    Piece,
    Row,
    Rung,
    Scene,
    Shelf,
    caption,
)

PACKAGE: Final = "domain.barony"
"""The package that has the drawings of the pieces."""
_KING: Final = term("King; plural: Kings; a: a King; the: the King")

LEGEND: Final = (
    *(LegendEntry("terrain", TERRAIN_TERMS[name], kind=name) for name in TERRAINS[:5]),
    LegendEntry("piece", VILLAGE, kind="village"),
    LegendEntry("piece", STRONGHOLD, kind="stronghold"),
    LegendEntry("piece", CITY, kind="city"),
    LegendEntry("piece", KNIGHT, kind="knight"),
    LegendEntry("arrow", message("moved by the last action")),
    LegendEntry("removed", message("destroyed by the last action")),
    LegendEntry("changed", message("changed by the last action")),
)


@dataclass(frozen=True, slots=True)
class Changes:
    """What an event changed on the board: the hexes, the pieces destroyed on them, and steps."""

    hexes: frozenset[Hex] = frozenset()
    removed: Mapping[Hex, Sequence[Piece]] = field(default_factory=dict)
    arrows: tuple[Arrow, ...] = ()


ChangesOf: TypeAlias = Callable[[Any], Changes]
"""What the data of one type of event changed. The data is `Any` in this table alone: the type of an event
determines the TypedDict of its data.
"""


def changes_at(at: Sequence[int]) -> Changes:
    """The changes of an event that changed a single hex."""
    return Changes(frozenset({hex_of(at)}))


def _one_hex(data: CityPlaced | KnightsRecruited | CityFounded) -> Changes:
    return changes_at(data["at"])


def _expedition_sent(data: ExpeditionSent) -> Changes:
    return changes_at(data["to"])


def _buildings_built(data: BuildingsBuilt) -> Changes:
    return Changes(frozenset(hex_of(built["at"]) for built in data["built"]))


def _knights_moved(data: KnightsMoved) -> Changes:
    steps = data["moves"]
    return changes_by_steps(
        data["seat"], steps, [(step["to"], step.get("destroyed", ())) for step in steps]
    )


def changes_by_steps(
    seat: int, steps: Iterable[Step], destroyed: Iterable[tuple[Sequence[int], Sequence[Destroyed]]]
) -> Changes:
    """The changes of steps that destroyed pawns: (hex, pawns), in order."""
    removed: dict[Hex, list[Piece]] = {}
    for at, pawns in destroyed:
        pieces = [Piece(pawn["pawn"], pawn["seat"]) for pawn in pawns]
        removed.setdefault(hex_of(at), []).extend(pieces)
    arrows = tuple(Arrow(seat, hex_of(step["from"]), hex_of(step["to"])) for step in steps)
    hexes = frozenset(at for arrow in arrows for at in (arrow.start, arrow.end))
    return Changes(hexes, removed, arrows)


CHANGES: Final[Mapping[str, ChangesOf]] = {
    "CityPlaced": _one_hex,
    "KnightsRecruited": _one_hex,
    "KnightsMoved": _knights_moved,
    "BuildingsBuilt": _buildings_built,
    "CityFounded": _one_hex,
    "ExpeditionSent": _expedition_sent,
}
"""By event type; other events change nothing on the board."""


def scene(position: BaronyPosition, event: Event | None) -> Scene:
    """The scene of a position. `event` is the event that led to it; None draws the position alone."""
    return scene_with(position, event, TITLE, event_message, CHANGES)


def scene_with(
    position: BaronyPosition,
    event: Event | None,
    game: Term,
    event_message: Callable[[str, EventData], Text],
    changes_of: Mapping[str, ChangesOf],
) -> Scene:
    """The scene with this name of the game in the title, event message in the caption, and changes."""
    changes = Changes()
    if event and event["type"] in changes_of:
        changes = changes_of[event["type"]](event["data"])
    return Scene(
        title=_title(position, game),
        cells=tuple(_cells(position, changes)),
        panels=tuple(_panel(position, player) for player in position["players"]),
        caption=_caption(position, event, event_message) if event else None,
        arrows=changes.arrows,
        common_rows=tuple(_common_rows(position)),
        legend=LEGEND,
        package=PACKAGE,
        shelves=(_ladder(position), bank_shelf(position)),
        verbs=VERBS,
    )


def has_last_seat_won(position: BaronyPosition) -> bool:
    """BY-END-6: whether the game ended because no other seat than the first one was left in it."""
    winner = position["ranking"][0]["seat"]
    return all(
        player["status"] == "out" for player in position["players"] if player["seat"] != winner
    )


def _caption(
    position: BaronyPosition, event: Event, event_message: Callable[[str, EventData], Text]
) -> Text:
    """The caption for an event; for the end of a game with the reason."""
    line = caption(event, event_message)
    return line if event["type"] != "GameFinished" else _end_with_reason(position, line)


def _end_with_reason(position: BaronyPosition, outcome: Text) -> Text:
    """BY-END-2, 5, 6, BY-TURN-4: the outcome of a game, and why it has ended."""
    if has_last_seat_won(position):
        return message("{outcome}, because all others have left the game", outcome=outcome)
    players = position["players"]
    dukes = [PlayerAt(player["seat"]) for player in players if player["rank"] == "duke"]
    if dukes:
        return message(
            "{outcome}; the game ended with the round in which the title of duke went to {players}",
            outcome=outcome,
            players=listing(dukes),
        )
    if position["round"] == position["round_limit"]:
        return message(
            "{outcome}; the game ended after round {round}, as was set when it was created",
            outcome=outcome,
            round=position["round"],
        )
    agreed = position["end_agreed_by"]
    if all(player["seat"] in agreed for player in players if player["status"] == "active"):
        return message("{outcome}; the game ended by agreement of the players", outcome=outcome)
    return message("{outcome}; the game ended because all players passed", outcome=outcome)


def _title(position: BaronyPosition, game: Term) -> Message:
    round, seat, phase = position["round"], position["to_act"], position["phase"]
    if seat is not None and phase == "setup":
        return message("{game}, set-up, {player} to place", game=game, player=PlayerAt(seat))
    if seat is not None:
        return message(
            "{game}, round {round}, {player} to act", game=game, round=round, player=PlayerAt(seat)
        )
    if phase == "finished" and has_last_seat_won(position):
        return message(
            "{game}, over after round {round}: {player} is King, because all others have left",
            game=game,
            round=round,
            player=PlayerAt(position["ranking"][0]["seat"]),
        )
    if phase == "finished":
        return message(
            "{game}, over after round {round}, {player} is King",
            game=game,
            round=round,
            player=PlayerAt(position["ranking"][0]["seat"]),
        )
    return message("{game}, being scored after round {round}", game=game, round=round)


def _cells(position: BaronyPosition, changes: Changes) -> Iterator[Cell]:
    pieces: dict[Hex, list[Piece]] = {}
    for pawns in position["pawns"]:
        on_hex = pieces.setdefault(hex_of(pawns["at"]), [])
        if pawns["building"]:
            on_hex.append(Piece(pawns["building"], pawns["seat"]))
        if pawns["knights"]:
            on_hex.append(Piece("knight", pawns["seat"], pawns["knights"]))
    for cell in position["board"]:
        at = hex_of(cell["at"])
        yield Cell(
            at,
            cell["terrain"],
            tuple(pieces.get(at, ())),
            is_changed=at in changes.hexes,
            removed=tuple(changes.removed.get(at, ())),
        )


def _panel(position: BaronyPosition, player: PlayerJson) -> Panel:
    """A seat's panel. After the end of the game the score is the final one."""
    seat = player["seat"]
    ranked = next((entry for entry in position.get("ranking", ()) if entry["seat"] == seat), None)
    return Panel(
        seat=seat,
        heading=_KING if ranked and ranked["place"] == 1 else RANKS[player["rank"]],
        score=ranked["score"] if ranked else player["score"],
        rows=tuple(_panel_rows(position, player, ranked)),
        is_to_act=seat == position["to_act"],
        is_out=player["status"] == "out",
        groups=tuple(_count_groups(player)),
        rank=RANK_NAMES.index(player["rank"]) + 1,
        progress=(_worth(player["resources"]), TITLE_PRICE),
    )


def _count_groups(player: PlayerJson) -> Iterator[CountGroup]:
    yield CountGroup(message_in("label", "tokens"), _token_counts(player["resources"]))
    reserve = player["reserve"]
    pawns = tuple(Count(kind, name, reserve[field]) for kind, field, name in _PAWNS)
    yield CountGroup(message_in("label", "reserve"), pawns)


def _token_counts(tokens: Tokens) -> tuple[Count, ...]:
    """Tokens of every kind, the most precious first."""
    kinds = reversed(RESOURCES)
    return tuple(Count(kind, TERRAIN_TERMS[kind], tokens[kind]) for kind in kinds)


def _worth(tokens: Tokens) -> int:
    """BY-MAT-3: the resource points of tokens."""
    return sum(tokens[kind] * value for kind, value in zip(RESOURCES, RESOURCE_POINTS, strict=True))


def bank_shelf(position: BaronyPosition) -> Shelf:
    """The tokens of the bank."""
    return Shelf(message_in("label", "bank"), counts=_token_counts(position["bank"]))


def _ladder(position: BaronyPosition) -> Shelf:
    """The titles, the highest first, with the players who have them (BY-TTL)."""
    rungs = (
        Rung(
            RANKS[rank],
            number * POINTS_A_RANK,
            number + 1,
            tuple(each["seat"] for each in position["players"] if each["rank"] == rank),
        )
        for number, rank in reversed([*enumerate(RANK_NAMES)])
    )
    return Shelf(message_in("label", "titles"), rungs=tuple(rungs))


def _panel_rows(
    position: BaronyPosition, player: PlayerJson, ranked: RankingEntry | None
) -> Iterator[Row]:
    if ranked:
        yield message_in("label", "place"), ranked["place"]
        rank = RANKS[player["rank"]]
        track = message("{score} as {rank}", score=player["score"], rank=rank)
        yield message_in("label", "score track"), track
    tokens = player["resources"]
    worth = _worth(tokens)
    yield message_in("label", "tokens"), _token_list(tokens)
    if worth:
        points = message("{points} of {price}", points=worth, price=TITLE_PRICE)
        yield message_in("label", "resource points"), points
    reserve = player["reserve"]
    pawns = comma_list(counted(reserve[name], one) for _, name, one in _PAWNS if reserve[name])
    yield message_in("label", "reserve"), pawns
    if player["new_cities"]:
        yield message_in("label", "new cities"), player["new_cities"]
    if player["removed_knights"]:
        removed = counted(player["removed_knights"], KNIGHT)
        yield message_in("label", "removed from the game"), removed
    if player["seat"] in position["end_agreed_by"]:
        yield message_in("label", "end of the game"), message_in("end of the game", "asked for")
    if player["seat"] in position["passed"]:
        yield message_in("label", "this round"), message_in("a player in a round", "passed")


_PAWNS: Final[
    tuple[tuple[str, Literal["knights", "villages", "strongholds", "cities"], Term], ...]
] = (
    ("knight", "knights", KNIGHT),
    ("village", "villages", VILLAGE),
    ("stronghold", "strongholds", STRONGHOLD),
    ("city", "cities", CITY),
)
"""The pawns of a reserve: their kind, the field of the reserve, and the term for one of them."""


def _token_list(tokens: Tokens) -> Listing:
    """Tokens by kind: `mountain 2, field 1`."""
    return comma_list(
        message("{kind} {count}", kind=TERRAIN_TERMS[kind], count=tokens[kind])
        for kind in RESOURCES
        if tokens[kind]
    )


def _common_rows(position: BaronyPosition) -> Iterator[Row]:
    yield message_in("label", "bank"), _token_list(position["bank"])
    if position["round_limit"] is not None:
        yield message_in("label", "last round"), position["round_limit"]
