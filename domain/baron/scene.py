"""The scene of a position of Baron: what there is to draw, and what the last event changed."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, cast

from domain.baron.actions import Draw
from domain.baron.components import BARON, KNIGHT, SLOT_COSTS, VALUES
from domain.baron.event_messages import event_message
from domain.baron.formats import (
    BaronPosition,
    BaronyResult,
    BoardChange,
    KeepJson,
    Phase,
    PlayerJson,
    Side,
    Tile,
)
from domain.baron.terms import BARONY, KEEP, SIDE_TERMS, TILE, TILE_TERMS, TITLE, VERBS
from domain.event import Event, RankingEntry, recorded_data
from domain.hexes import Hex, hex_of, neighbours
from domain.messages import (
    Listing,
    Message,
    PlayerAt,
    Text,
    comma_list,
    counted,
    listing,
    message,
    message_in,
    term,
)
from domain.scene import (
    Card,
    Cell,
    Count,
    CountGroup,
    LegendEntry,
    Outline,
    Panel,
    Piece,
    Row,
    Scene,
    Shelf,
    caption,
)

PACKAGE: Final = "domain.baron"
"""The package that has the drawings of the pieces."""
_KEEPS: Final = {
    KNIGHT: term(
        "knight's keep; plural: knight's keeps; a: a knight's keep; the: the knight's keep"
    ),
    BARON: term("baron's keep; plural: baron's keeps; a: a baron's keep; the: the baron's keep"),
}
"""Keeps on the board, by the side that they show (BN-MAT-2)."""

_RESERVE_PLACES: Final = 3
"""The places for tiles of a reserve: two are in it at first, and drawing adds one."""
_FIRST_ROOM: Final = 4
_ROOM_STEP: Final = 3
"""The hexes between the start tile and each side of the room for the board, at first, and by how many they
grow at a time.
"""

LEGEND: Final = (
    *(
        LegendEntry("terrain", TILE_TERMS[tile], kind=tile, value=f"{value}")
        for tile, value in VALUES.items()
    ),
    LegendEntry("piece", _KEEPS[KNIGHT], kind="keep_knight"),
    LegendEntry("piece", _KEEPS[BARON], kind="keep_baron"),
    LegendEntry("value", message("value of a tile")),
    LegendEntry("piece_note", message("value of the barony when it was established")),
    LegendEntry("outline", BARONY),
    LegendEntry("contested", message("battlefield of the last fights")),
    LegendEntry("note", message("strength in the last fights, own : strongest opponent's")),
    LegendEntry("removed", message("left the board in the last event")),
    LegendEntry("changed", message("changed by the last event")),
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
        caption=_caption(position, event) if event else None,
        outlines=tuple(_outlines(position)),
        common_rows=tuple(_common_rows(position)),
        legend=LEGEND,
        room=_room(position, change),
        package=PACKAGE,
        shelves=tuple(_shelves(position)),
        verbs=VERBS,
        sent_at_once=(Draw.type,),
    )


def _room(position: BaronPosition, change: BoardChange) -> tuple[Hex, ...]:
    """Hexes as far from the start tile, to each of the four sides, as a tile laid in this turn can be.

    Distances are rounded up, so that the room grows only now and then, and at the end of a turn: the tile
    that was laid in a turn does not count until then.
    """
    tiles = {hex_of(entry["at"]) for entry in position["tiles"]}
    if position["phase"] == "keep" and "at" in change:
        tiles.discard(hex_of(change["at"]))
    reach = [near for at in tiles for near in neighbours(at)]
    left, right = (
        _rounded_up(max((side * (2 * q + r) + 1) // 2 for q, r in reach)) for side in (-1, 1)
    )
    top, bottom = (_rounded_up(max(side * r for _, r in reach)) for side in (-1, 1))
    return ((-left, 0), (right, 0), (top // 2, -top), (-(bottom // 2), bottom))


def _rounded_up(distance: int) -> int:
    """The least distance to a side of the room that is no less than this one."""
    steps = -(-max(distance - _FIRST_ROOM, 0) // _ROOM_STEP)
    return _FIRST_ROOM + steps * _ROOM_STEP


def has_last_seat_won(position: BaronPosition) -> bool:
    """BN-OUB-3: whether the game ended because at most one seat was left in it."""
    return sum(player["status"] == "active" for player in position["players"]) <= 1


def _caption(position: BaronPosition, event: Event) -> Text:
    """The caption for an event; for the end of a game with the reason (BN-END-1, BN-OUB-3)."""
    line = caption(event, event_message)
    if event["type"] != "GameFinished":
        return line
    if has_last_seat_won(position):
        return message("{outcome}, because all others are out of the game", outcome=line)
    return message(
        "{outcome}; the game ended when all players had taken their last turns", outcome=line
    )


def _title(position: BaronPosition) -> Message:
    round, seat = position["round"], position["to_act"]
    if seat is not None:
        return _turn_title(position["phase"], round, PlayerAt(seat))
    if position["phase"] == "finished":
        winners = [entry for entry in position.get("ranking", ()) if entry["place"] == 1]
        if has_last_seat_won(position):
            return message(
                "{game}, over after round {round}: won by {players}, because all others are out",
                game=TITLE,
                round=round,
                players=listing(PlayerAt(entry["seat"]) for entry in winners),
            )
        return message(
            "{game}, over after round {round}, won by {players}",
            game=TITLE,
            round=round,
            players=listing(PlayerAt(entry["seat"]) for entry in winners),
        )
    return message("{game}, being scored after round {round}", game=TITLE, round=round)


def _turn_title(phase: Phase, round: int, player: PlayerAt) -> Message:
    match phase:
        case "draw":
            return message(
                "{game}, round {round}, {player} to draw", game=TITLE, round=round, player=player
            )
        case "lay":
            return message(
                "{game}, round {round}, {player} to lay a tile",
                game=TITLE,
                round=round,
                player=player,
            )
        case _:
            return message(
                "{game}, round {round}, {player} may put down a keep",
                game=TITLE,
                round=round,
                player=player,
            )


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
    heading: Text = message_in("heading", "no barony")
    if ranked and ranked["place"] == 1:
        heading = message_in("heading", "winner")
    elif BARON in sides:
        heading = counted(sides.count(BARON), BARONY)
    return Panel(
        seat=seat,
        heading=heading,
        score=player["honour"],
        rows=tuple(_panel_rows(player, sides, ranked)),
        is_to_act=seat == position["to_act"],
        is_out=player["status"] == "out",
        groups=tuple(_count_groups(player, sides)),
    )


def _count_groups(player: PlayerJson, sides: Sequence[Side]) -> Iterator[CountGroup]:
    on_board = (
        Count(f"keep_{side}", SIDE_TERMS[side], sides.count(side)) for side in (BARON, KNIGHT)
    )
    yield CountGroup(message_in("label", "on the board"), tuple(on_board))
    tiles = player["reserve"]
    counts: tuple[Count, ...]
    if tiles is None:
        counts = (Count("tile", TILE, player["reserve_size"]),)
    else:
        kinds = (kind for kind in TILE_TERMS if kind in tiles)
        counts = tuple(Count(kind, TILE_TERMS[kind], tiles.count(kind)) for kind in kinds)
    yield CountGroup(message_in("label", "reserve"), counts)
    keeps = Count("keep_knight", KEEP, player["keeps"])
    yield CountGroup(message_in("label", "keeps"), (keeps,))


def _shelves(position: BaronPosition) -> Iterator[Shelf]:
    market = (
        Card(tile, TILE_TERMS[tile], ("draw", f"{slot}"), price=cost, currency="honour")
        for slot, (tile, cost) in enumerate(
            zip(position["market"], SLOT_COSTS, strict=False), start=1
        )
    )
    pile = Count("tile", message_in("label", "pile"), position["pile"])
    yield Shelf(
        message_in("label", "market"), cards=tuple(market), total=pile, places=len(SLOT_COSTS)
    )
    visible = [player["reserve"] for player in position["players"] if player["reserve"]]
    if len(visible) == 1:
        # Others see no reserve, and somebody who may see all has none.
        cards = (Card(tile, TILE_TERMS[tile], ("place_tile", tile)) for tile in visible[0])
        label = message_in("label", "your tiles")
        yield Shelf(label, cards=tuple(cards), places=_RESERVE_PLACES)


def _panel_rows(
    player: PlayerJson, sides: Sequence[Side], ranked: RankingEntry | None
) -> Iterator[Row]:
    if ranked:
        yield message_in("label", "place"), ranked["place"]
    reserve = player["reserve"]
    tiles = _tile_list(reserve) if reserve else counted(player["reserve_size"], TILE)
    yield message_in("label", "reserve"), tiles
    yield message_in("label", "keeps"), player["keeps"]
    if player["keeps_resting"]:
        yield message_in("label", "keeps resting"), player["keeps_resting"]
    on_board = [counted(sides.count(side), SIDE_TERMS[side]) for side in (KNIGHT, BARON)]
    yield message_in("label", "on the board"), comma_list(keep for keep in on_board if keep.count)
    if player["turns_left"] is not None:
        yield message_in("label", "turns left"), player["turns_left"]


def _tile_list(tiles: Iterable[Tile]) -> Listing:
    return comma_list(TILE_TERMS[tile] for tile in tiles)


def _common_rows(position: BaronPosition) -> Iterator[Row]:
    market = (
        message("{tile} for {cost}", tile=TILE_TERMS[tile], cost=cost)
        for tile, cost in zip(position["market"], SLOT_COSTS, strict=False)
    )
    tiles = comma_list(market) if position["market"] else counted(0, TILE)
    yield message_in("label", "market"), tiles
    yield message_in("label", "pile"), counted(position["pile"], TILE)
    if position["removed"]:
        yield message_in("label", "removed from the game"), _tile_list(position["removed"])
