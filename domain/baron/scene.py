"""The scene of a position of Baron: what there is to draw, and what the last event changed."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from domain.baron.components import BARON, KNIGHT, SLOT_COSTS, VALUES
from domain.baron.event_text import event_text
from domain.baron.phrases import kind_text
from domain.contract import Json
from domain.hexes import Hex, hex_of, neighbours
from domain.phrases import caption, comma_list, counted
from domain.scene import Cell, LegendEntry, Outline, Panel, Piece, Scene

LEGEND: Final = (
    *(
        LegendEntry("terrain", kind_text(tile), kind=tile, value=f"{value}")
        for tile, value in VALUES.items()
    ),
    LegendEntry("piece", "knight's keep", kind="keep_knight"),
    LegendEntry("piece", "baron's keep", kind="keep_baron"),
    LegendEntry("value", "value of a tile"),
    LegendEntry("piece_note", "value of the barony when it was established"),
    LegendEntry("outline", "barony"),
    LegendEntry("contested", "battlefield of the last fights"),
    LegendEntry("note", "strength in the last fights, own : strongest opponent's"),
    LegendEntry("removed", "left the board in the last event"),
    LegendEntry("changed", "changed by the last event"),
)


def scene(position: Any, event: Any) -> Scene:
    """The scene of a position.

    `event` is the event that led to the position; None draws the position alone.
    """
    return Scene(
        title=_title(position),
        cells=tuple(_cells(position, event["data"] if event else {})),
        panels=tuple(_panel(position, player) for player in position["players"]),
        caption=caption(event, event_text) if event else "",
        outlines=tuple(_outlines(position)),
        common_rows=tuple(_common_rows(position)),
        legend=LEGEND,
    )


_TURN_PARTS: Final = {"draw": "to draw", "lay": "to lay a tile", "keep": "may put down a keep"}


def _title(position: Json) -> str:
    round, phase = position["round"], position["phase"]
    if phase == "scoring":
        return f"Baron, being scored after round {round}"
    if phase == "finished":
        winners = [entry for entry in position["ranking"] if entry["place"] == 1]
        seats = " and ".join(f"seat {entry['seat']}" for entry in winners)
        return f"Baron, over after round {round}, won by {seats}"
    return f"Baron, round {round}, seat {position['to_act']} {_TURN_PARTS[phase]}"


def _cells(position: Json, data: Json) -> Iterator[Cell]:
    keeps = {hex_of(keep["at"]): keep for keep in position["keeps"]}
    removed = dict(_removed(data))
    changed = {hex_of(barony["at"]) for barony in data.get("baronies", ())} | removed.keys()
    if "at" in data:
        changed.add(hex_of(data["at"]))
    odds, contested = _odds(data), set(_contested(data))
    for entry in position["tiles"]:
        at = hex_of(entry["at"])
        yield Cell(
            at,
            entry["tile"],
            (_piece(keeps[at]),) if at in keeps else (),
            is_changed=at in changed,
            removed=(removed[at],) if at in removed else (),
            note=odds.get(at, ""),
            is_contested=at in contested,
            value=f"{VALUES[entry['tile']] or ''}",
        )


def _piece(keep: Json) -> Piece:
    value = keep["value"]
    return Piece(f"keep_{keep['side']}", keep["seat"], note="" if value is None else f"{value}")


def _removed(data: Json) -> Iterator[tuple[Hex, Piece]]:
    """The keeps that the last event took off the board, with their hexes."""
    for barony in data.get("baronies", ()):
        if barony["result"] == "returned":
            yield hex_of(barony["at"]), Piece("keep_knight", barony["seat"])
        else:
            for beaten in barony["beaten"]:
                yield hex_of(beaten["at"]), Piece("keep_baron", beaten["seat"])


def _contested(data: Json) -> Iterator[Hex]:
    """The battlefields of the last event."""
    for barony in data.get("baronies", ()):
        for conflict in ("battle", "fight"):
            yield from map(hex_of, barony.get(conflict, {"battlefield": ()})["battlefield"])


def _odds(data: Json) -> dict[Hex, str]:
    """Each fighter's strength and that of the strongest opponent in the last event, by hex: `5:4`."""
    odds: dict[Hex, str] = {}
    for barony in data.get("baronies", ()):
        at = hex_of(barony["at"])
        if "battle" in barony:
            battle = barony["battle"]
            odds[at] = _against(battle, [*battle["opponents"], *battle["rivals"]])
        if "fight" in barony:
            fight = barony["fight"]
            odds[at] = _against(fight, fight["barons"])
            odds |= {hex_of(baron["at"]): _against(baron, [fight]) for baron in fight["barons"]}
    return odds


def _against(fighter: Json, opponents: Iterable[Json]) -> str:
    return f"{fighter['strength']}:{max(opponent['strength'] for opponent in opponents)}"


def _outlines(position: Json) -> Iterator[Outline]:
    """The baronies on the board, each around its baron."""
    tiles = {hex_of(entry["at"]) for entry in position["tiles"]}
    for keep in position["keeps"]:
        if keep["side"] == BARON:
            at = hex_of(keep["at"])
            hexes = sorted(near for near in (at, *neighbours(at)) if near in tiles)
            yield Outline(keep["seat"], tuple(hexes), note=f"{keep['value']}")


def _panel(position: Json, player: Json) -> Panel:
    """A seat's panel, with its honour as the score."""
    seat = player["seat"]
    ranked = next((entry for entry in position.get("ranking", ()) if entry["seat"] == seat), None)
    sides = [keep["side"] for keep in position["keeps"] if keep["seat"] == seat]
    heading = counted(sides.count(BARON), "barony") if BARON in sides else "no barony"
    if ranked and ranked["place"] == 1:
        heading = "winner"
    return Panel(
        seat=seat,
        heading=heading,
        score=player["honour"],
        rows=tuple(_panel_rows(player, sides, ranked)),
        is_to_act=seat == position["to_act"],
        is_out=player["status"] == "out",
    )


def _panel_rows(player: Json, sides: list[str], ranked: Json | None) -> Iterator[tuple[str, str]]:
    if ranked:
        yield "place", f"{ranked['place']}"
    if player["reserve"] is None:
        yield "reserve", counted(player["reserve_size"], "tile")
    else:
        yield "reserve", comma_list(map(kind_text, player["reserve"]))
    yield "keeps", f"{player['keeps'] or 'none'}"
    if player["keeps_resting"]:
        yield "keeps resting", f"{player['keeps_resting']}"
    on_board = [counted(sides.count(side), side) for side in (KNIGHT, BARON) if side in sides]
    yield "on the board", comma_list(on_board)
    if player["turns_left"] is not None:
        yield "turns left", f"{player['turns_left'] or 'none'}"


def _common_rows(position: Json) -> Iterator[tuple[str, str]]:
    slots = zip(position["market"], SLOT_COSTS, strict=False)
    yield "market", comma_list(f"{kind_text(tile)} for {cost}" for tile, cost in slots)
    yield "pile", counted(position["pile"], "tile")
    if position["removed"]:
        yield "taken out", comma_list(map(kind_text, position["removed"]))
