"""The scene of a position of Baron: what there is to draw, and what the last event changed."""

from collections.abc import Iterator, Sequence
from typing import Final, assert_never, cast

from domain.baron.components import BARON, KNIGHT, SLOT_COSTS, VALUES
from domain.baron.event_messages import event_message
from domain.baron.formats import (
    BaronPosition,
    BaronyResult,
    BoardChange,
    KeepJson,
    PlayerJson,
    Side,
)
from domain.baron.phrases import kind_text
from domain.event import Event, RankingEntry, recorded_data
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


def scene(position: BaronPosition, event: Event | None) -> Scene:
    """The scene of a position.

    `event` is the event that led to the position; None draws the position alone.
    """
    change: BoardChange = cast("BoardChange", recorded_data(event)) if event else {}
    return Scene(
        title=_title(position),
        cells=tuple(_cells(position, change)),
        panels=tuple(_panel(position, player) for player in position["players"]),
        caption=caption(event, event_message) if event else "",
        outlines=tuple(_outlines(position)),
        common_rows=tuple(_common_rows(position)),
        legend=LEGEND,
    )


def _title(position: BaronPosition) -> str:
    round, phase = position["round"], position["phase"]
    now = f"Baron, round {round}, seat {position['to_act']}"
    match phase:
        case "draw":
            return f"{now} to draw"
        case "lay":
            return f"{now} to lay a tile"
        case "keep":
            return f"{now} may put down a keep"
        case "scoring":
            return f"Baron, being scored after round {round}"
        case "finished":
            winners = [entry for entry in position.get("ranking", ()) if entry["place"] == 1]
            seats = " and ".join(f"seat {entry['seat']}" for entry in winners)
            return f"Baron, over after round {round}, won by {seats}"
        case _:
            assert_never(phase)


def _cells(position: BaronPosition, change: BoardChange) -> Iterator[Cell]:
    keeps = {hex_of(keep["at"]): keep for keep in position["keeps"]}
    results = change.get("baronies", ())
    removed = dict(_removed(results))
    changed = {hex_of(result["at"]) for result in results} | removed.keys()
    if "at" in change:
        changed.add(hex_of(change["at"]))
    odds, contested = _odds(results), set(_contested(results))
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


def _piece(keep: KeepJson) -> Piece:
    value = keep["value"]
    return Piece(f"keep_{keep['side']}", keep["seat"], note="" if value is None else f"{value}")


def _removed(results: Sequence[BaronyResult]) -> Iterator[tuple[Hex, Piece]]:
    """The keeps that the last event took off the board, with their hexes."""
    for result in results:
        if result["result"] == "returned":
            yield hex_of(result["at"]), Piece("keep_knight", result["seat"])
        else:
            for beaten in result["beaten"]:
                yield hex_of(beaten["at"]), Piece("keep_baron", beaten["seat"])


def _contested(results: Sequence[BaronyResult]) -> Iterator[Hex]:
    """The battlefields of the last event."""
    for result in results:
        if "battle" in result:
            yield from map(hex_of, result["battle"]["battlefield"])
        if "fight" in result:
            yield from map(hex_of, result["fight"]["battlefield"])


def _odds(results: Sequence[BaronyResult]) -> dict[Hex, str]:
    """Each fighter's strength and that of the strongest opponent in the last event, by hex: `5:4`."""
    odds: dict[Hex, str] = {}
    for result in results:
        at = hex_of(result["at"])
        if "battle" in result:
            battle = result["battle"]
            strengths = [knight["strength"] for knight in battle["opponents"]]
            strengths += [knight["strength"] for knight in battle["rivals"]]
            odds[at] = f"{battle['strength']}:{max(strengths)}"
        if "fight" in result:
            fight = result["fight"]
            strongest = max(baron["strength"] for baron in fight["barons"])
            odds[at] = f"{fight['strength']}:{strongest}"
            for baron in fight["barons"]:
                odds[hex_of(baron["at"])] = f"{baron['strength']}:{fight['strength']}"
    return odds


def _outlines(position: BaronPosition) -> Iterator[Outline]:
    """The baronies on the board, each around its baron."""
    tiles = {hex_of(entry["at"]) for entry in position["tiles"]}
    for keep in position["keeps"]:
        if keep["side"] == BARON:
            at = hex_of(keep["at"])
            hexes = sorted(near for near in (at, *neighbours(at)) if near in tiles)
            yield Outline(keep["seat"], tuple(hexes), note=f"{keep['value']}")


def _panel(position: BaronPosition, player: PlayerJson) -> Panel:
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


def _panel_rows(
    player: PlayerJson, sides: Sequence[Side], ranked: RankingEntry | None
) -> Iterator[tuple[str, str]]:
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


def _common_rows(position: BaronPosition) -> Iterator[tuple[str, str]]:
    slots = zip(position["market"], SLOT_COSTS, strict=False)
    yield "market", comma_list(f"{kind_text(tile)} for {cost}" for tile, cost in slots)
    yield "pile", counted(position["pile"], "tile")
    if position["removed"]:
        yield "taken out", comma_list(map(kind_text, position["removed"]))
