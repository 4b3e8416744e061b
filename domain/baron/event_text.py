"""`event_text`: what a recorded fact says, in one line of English; why it could come about tells `explain`.

The line is read after the name of who did it (`seat 1 lays a vineyard on 1,0`); facts that nobody at the
table brought about are whole sentences (`round 3 is scored: …`).
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from domain.baron.phrases import baron_text, knight_text, seats_text, tile_text
from domain.contract import Json
from domain.hex_text import hex_text
from domain.phrases import LIFE_CYCLE_TEXTS, EventText, end_of_play_text, listing, seating_text


def _game_started(data: Json) -> str:
    market = listing(map(tile_text, data["market"]))
    out = f", without {listing(map(tile_text, data['removed']))}" if data["removed"] else ""
    seating = seating_text(data.get("players", ()))
    return f"the game starts from {tile_text(data['start'])}, with {market} to draw{out}{seating}"


def _tile_drawn(data: Json) -> str:
    price = f" for {data['cost']} honour" if data["cost"] else ""
    refill = f"; {tile_text(data['refill'])} comes up" if data["refill"] is not None else ""
    return f"draws {tile_text(data['tile'])}{price}{refill}"


def _tile_placed(data: Json) -> str:
    earned = f", earning {data['bonus']} honour" if "bonus" in data else ""
    return f"lays {tile_text(data['tile'])} on {hex_text(data['at'])}{earned}"


def _round_scored(data: Json) -> str:
    scores = listing(f"seat {entry['seat']} {entry['score']}" for entry in data["standings"])
    return f"round {data['round']} is scored: {scores}"


def _game_finished(data: Json) -> str:
    """The winners in the order of their seats, then the others as they are ranked."""
    ranking = data["ranking"]
    first = sorted(entry["seat"] for entry in ranking if entry["place"] == 1)
    others = [entry for entry in ranking if entry["place"] > 1]
    verb = "share the first place" if first[1:] else "wins"
    behind = listing(f"seat {entry['seat']} with {entry['score']}" for entry in others)
    before = f", before {behind}" if others else ""
    return f"the game is over: {seats_text(first)} {verb} with {ranking[0]['score']} honour{before}"


TEXTS: Final[Mapping[str, EventText]] = {
    **LIFE_CYCLE_TEXTS,
    "GameStarted": _game_started,
    "TileDrawn": _tile_drawn,
    "TilePlaced": _tile_placed,
    "TileDiscarded": lambda data: f"can lay nothing, and gives up {tile_text(data['tile'])}",
    "KeepPlaced": lambda data: f"puts a keep on {hex_text(data['at'])}",
    "TurnEnded": lambda _: "puts down no keep",
    "RoundScored": _round_scored,
    "GameFinished": _game_finished,
}
"""What says each type of fact."""

_DEPARTURES: Final = ("PlayerResigned", "PlayerRemoved")


def _set_off(data: Json, *, departs: bool) -> Iterator[str]:
    """What came of it for baronies and seats; who departs is out, which needs no word."""
    for barony in data.get("baronies", ()):
        yield barony_text(barony)
    if "out" in data and not departs:
        seats = data["out"]["seats"]
        yield f"{seats_text(seats)} {'are' if seats[1:] else 'is'} out of the game"


def barony_text(barony: Json) -> str:
    """What became of a knight: `seat 1's knight on 2,0 wins 5 to 2 and is established with 6 (+6 honour)`,
    and whom he beat; or who was in his way.
    """
    who = knight_text(barony)
    if barony["result"] == "returned":
        return f"{who} {_defeat(barony)}"
    beaten = [f"{baron_text(entry)} ({-entry['loss']:+} honour)" for entry in barony["beaten"]]
    wins = f"wins {_odds(barony['fight'], 'barons')} and " if "fight" in barony else ""
    beats = f", beating {listing(beaten)}" if beaten else ""
    return f"{who} {wins}is established with {barony['value']} ({barony['gain']:+} honour){beats}"


def _defeat(barony: Json) -> str:
    match barony["why"]:
        case "lost_battle":
            return f"loses the battle {_odds(barony['battle'], 'opponents')} and leaves the board"
        case "carnage":
            return f"meets an equal, {_odds(barony['battle'], 'opponents')}, and leaves the board"
        case "weaker_rival":
            return "makes way for a stronger one of the same owner and leaves the board"
        case _:
            return f"loses the fight {_odds(barony['fight'], 'barons')} and leaves the board"


def _odds(met: Json, whom: str) -> str:
    """His strength against the strongest that he met: `5 to 4`."""
    return f"{met['strength']} to {max(entry['strength'] for entry in met[whom])}"


def event_text(type: str, data: Any) -> str:
    """The fact in one line; of a type that is not known here its name."""
    if type not in TEXTS:
        return type
    set_off = _set_off(data, departs=type in _DEPARTURES)
    return "; ".join([TEXTS[type](data), *set_off]) + end_of_play_text(
        data.get("then", {}).get("phase")
    )
