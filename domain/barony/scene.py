"""The scene of a position of Barony: what there is to draw, and what the last event changed."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from domain.barony.components import BUILDINGS, RESOURCE_POINTS, RESOURCES, TERRAINS, TITLE_PRICE
from domain.barony.event_text import event_text
from domain.contract import Json
from domain.hexes import Hex, hex_of
from domain.phrases import caption, comma_list, counted
from domain.scene import Arrow, Cell, LegendEntry, Panel, Piece, Scene

LEGEND: Final = (
    *(LegendEntry("terrain", name, kind=name) for name in TERRAINS[:5]),
    *(LegendEntry("piece", name, kind=name) for name in (*filter(None, BUILDINGS), "knight")),
    LegendEntry("arrow", "moved by the last action"),
    LegendEntry("removed", "destroyed by the last action"),
    LegendEntry("changed", "changed by the last action"),
)


def scene(
    position: Any,
    event: Any,
    name: str = "Barony",
    event_text: Callable[[str, Any], str] = event_text,
) -> Scene:
    """The scene of a position.

    `event` is the event that led to the position; None draws the position alone. An expansion passes
    its own `name` for the title and its own `event_text` for the caption.
    """
    type, data = (event["type"], event["data"]) if event else ("", {})
    return Scene(
        title=_title(position, name),
        cells=tuple(_cells(position, type, data)),
        panels=tuple(_panel(position, player) for player in position["players"]),
        caption=caption(event, event_text) if event else "",
        arrows=tuple(_arrows(type, data)),
        common_rows=tuple(_common_rows(position)),
        legend=LEGEND,
    )


def _title(position: Json, name: str) -> str:
    round, seat = position["round"], position["to_act"]
    match position["phase"]:
        case "setup":
            return f"{name}, set-up, seat {seat} to place"
        case "play":
            return f"{name}, round {round}, seat {seat} to act"
        case "scoring":
            return f"{name}, being scored after round {round}"
        case _:
            king = position["ranking"][0]["seat"]
            return f"{name}, over after round {round}, seat {king} is King"


def _cells(position: Json, type: str, data: Json) -> Iterator[Cell]:
    pieces: dict[Hex, list[Piece]] = {}
    for pawn in position["pawns"]:
        on_hex = pieces.setdefault(hex_of(pawn["at"]), [])
        if pawn["building"]:
            on_hex.append(Piece(pawn["building"], pawn["seat"]))
        if pawn["knights"]:
            on_hex.append(Piece("knight", pawn["seat"], pawn["knights"]))
    changed, removed = _changes(type, data)
    for cell in position["board"]:
        at = hex_of(cell["at"])
        yield Cell(
            at,
            cell["terrain"],
            tuple(pieces.get(at, ())),
            is_changed=at in changed,
            removed=tuple(removed.get(at, ())),
        )


def _changes(type: str, data: Json) -> tuple[set[Hex], dict[Hex, list[Piece]]]:
    """The hexes that an event changed, and the pieces that it destroyed, by hex."""
    removed: dict[Hex, list[Piece]] = {}
    match type:
        case "CityPlaced" | "KnightsRecruited" | "CityFounded":
            return {hex_of(data["at"])}, removed
        case "ExpeditionSent":
            return {hex_of(data["to"])}, removed
        case "BuildingsBuilt":
            return {hex_of(built["at"]) for built in data["built"]}, removed
        case "KnightsMoved":
            for step in data["moves"]:
                for destroyed in step.get("destroyed", ()):
                    piece = Piece(destroyed["pawn"], destroyed["seat"])
                    removed.setdefault(hex_of(step["to"]), []).append(piece)
            ends = ("from", "to")
            return {hex_of(step[end]) for step in data["moves"] for end in ends}, removed
        case _:
            return set(), removed


def _arrows(type: str, data: Json) -> Iterator[Arrow]:
    if type == "KnightsMoved":
        for step in data["moves"]:
            yield Arrow(data["seat"], hex_of(step["from"]), hex_of(step["to"]))


def _panel(position: Json, player: Json) -> Panel:
    """A seat's panel. After the end of the game the score is the final one."""
    seat = player["seat"]
    ranked = next((entry for entry in position.get("ranking", ()) if entry["seat"] == seat), None)
    return Panel(
        seat=seat,
        heading="king" if ranked and ranked["place"] == 1 else player["rank"],
        score=ranked["score"] if ranked else player["score"],
        rows=tuple(_panel_rows(position, player, ranked)),
        is_to_act=seat == position["to_act"],
        is_out=player["status"] == "out",
    )


def _panel_rows(position: Json, player: Json, ranked: Json | None) -> Iterator[tuple[str, str]]:
    if ranked:
        yield "place", f"{ranked['place']}"
        yield "track", f"{player['score']} as {player['rank']}"
    tokens = player["resources"]
    gold = sum(tokens[kind] * value for kind, value in zip(RESOURCES, RESOURCE_POINTS, strict=True))
    yield "tokens", comma_list(f"{tokens[kind]} {kind}" for kind in RESOURCES if tokens[kind])
    if gold:
        yield "worth", f"{gold} of {TITLE_PRICE}"
    reserve = player["reserve"]
    yield (
        "reserve",
        comma_list(counted(reserve[name], one) for name, one in _PAWNS if reserve[name]),
    )
    if player["new_cities"]:
        yield "new cities", f"{player['new_cities']}"
    if player["removed_knights"]:
        yield "removed", counted(player["removed_knights"], "knight")
    if player["seat"] in position["end_agreed_by"]:
        yield "the end", "asked for"
    if player["seat"] in position["passed"]:
        yield "this round", "passed"


_PAWNS: Final = (
    ("knights", "knight"),
    ("villages", "village"),
    ("strongholds", "stronghold"),
    ("cities", "city"),
)


def _common_rows(position: Json) -> Iterator[tuple[str, str]]:
    bank = position["bank"]
    yield "bank", comma_list(f"{bank[kind]} {kind}" for kind in RESOURCES if bank[kind])
    if position["round_limit"] is not None:
        yield "last round", f"{position['round_limit']}"
