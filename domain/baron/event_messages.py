"""`event_message`: a recorded event as one line of English. `explain` states why it could happen.

The line follows the name of the seat that acted (`Seat 1 lays a vineyard on 1,0`); events that no seat
caused are whole sentences (`round 3 is scored: …`).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, assert_never, cast

from domain.baron.formats import (
    BaronyResult,
    Consequences,
    EventOfPlay,
    GameFinished,
    GameStarted,
    KeepPlaced,
    Opponent,
    ReturnedKnight,
    RoundScored,
    TileDiscarded,
    TileDrawn,
    TilePlaced,
)
from domain.baron.phrases import baron_text, knight_text, seats_text, tile_text
from domain.event import EventData
from domain.hex_text import hex_text
from domain.phrases import (
    LIFE_CYCLE_TEXTS,
    EventMessage,
    end_of_play_text,
    listing,
    seating_text,
)


def _game_started(data: GameStarted) -> str:
    market = listing(map(tile_text, data["market"]))
    removed = f", without {listing(map(tile_text, data['removed']))}" if data["removed"] else ""
    seating = seating_text(data.get("players", ()))
    start = tile_text(data["start"])
    return f"the game starts from {start}, with {market} to draw{removed}{seating}"


def _tile_drawn(data: TileDrawn) -> str:
    price = f" for {data['cost']} honour" if data["cost"] else ""
    refill = f"; {tile_text(data['refill'])} comes up" if data["refill"] is not None else ""
    return f"draws {tile_text(data['tile'])}{price}{refill}"


def _tile_placed(data: TilePlaced) -> str:
    bonus = f", earning {data['bonus']} honour" if "bonus" in data else ""
    text = f"lays {tile_text(data['tile'])} on {hex_text(data['at'])}{bonus}"
    return "; ".join([text, *_consequences(data)])


def _tile_discarded(data: TileDiscarded) -> str:
    return f"can lay nothing, and gives up {tile_text(data['tile'])}"


def _keep_placed(data: KeepPlaced) -> str:
    return "; ".join([f"puts a keep on {hex_text(data['at'])}", *_consequences(data)])


def _round_scored(data: RoundScored) -> str:
    scores = listing(f"seat {entry['seat']} {entry['score']}" for entry in data["standings"])
    return f"round {data['round']} is scored: {scores}"


def _game_finished(data: GameFinished) -> str:
    """The winners in the order of their seats, then the others as they are ranked."""
    ranking = data["ranking"]
    winners = sorted(entry["seat"] for entry in ranking if entry["place"] == 1)
    others = [entry for entry in ranking if entry["place"] > 1]
    verb = "share the first place" if winners[1:] else "wins"
    behind = listing(f"seat {entry['seat']} with {entry['score']}" for entry in others)
    before = f", before {behind}" if others else ""
    honour = f"{ranking[0]['score']} honour"
    text = f"the game is over: {seats_text(winners)} {verb} with {honour}{before}"
    return "; ".join([text, *_consequences(data)])


EVENT_MESSAGES: Final[Mapping[str, EventMessage]] = {
    **LIFE_CYCLE_TEXTS,
    "GameStarted": _game_started,
    "TileDrawn": _tile_drawn,
    "TilePlaced": _tile_placed,
    "TileDiscarded": _tile_discarded,
    "KeepPlaced": _keep_placed,
    "TurnEnded": lambda _: "puts down no keep",
    "RoundScored": _round_scored,
    "GameFinished": _game_finished,
}
"""By event type, a function that returns its data as text."""


def event_message(type: str, data: EventData) -> str:
    """The event in one line; its type if the type is unknown."""
    if type not in EVENT_MESSAGES:
        return type
    then = cast("EventOfPlay", data).get("then")
    return EVENT_MESSAGES[type](data) + (end_of_play_text(then["phase"]) if then else "")


def _consequences(data: Consequences) -> Iterator[str]:
    """What an event led to for baronies and seats."""
    for result in data.get("baronies", ()):
        yield barony_text(result)
    if "out" in data:
        seats = data["out"]["seats"]
        yield f"{seats_text(seats)} {'are' if seats[1:] else 'is'} out of the game"


def barony_text(result: BaronyResult) -> str:
    """What became of a knight: `seat 1's knight on 2,0 wins 5 to 2 and is established with 6 (+6 honour)`
    with the barons that it beat, or how it was beaten.
    """
    knight = knight_text(result["seat"], result["at"])
    if result["result"] == "returned":
        return f"{knight} {_defeat(result)}"
    beaten = [
        f"{baron_text(baron['seat'], baron['at'])} ({-baron['loss']:+} honour)"
        for baron in result["beaten"]
    ]
    wins = beats = ""
    if "fight" in result:
        fight = result["fight"]
        wins = f"wins {_odds(fight['strength'], fight['barons'])} and "
    if beaten:
        beats = f", beating {listing(beaten)}"
    return (
        f"{knight} {wins}is established with {result['value']} ({result['gain']:+} honour){beats}"
    )


def _defeat(result: ReturnedKnight) -> str:
    match result["why"]:
        case "lost_battle":
            battle = result["battle"]
            odds = _odds(battle["strength"], battle["opponents"])
            return f"loses the battle {odds} and leaves the board"
        case "carnage":
            battle = result["battle"]
            odds = _odds(battle["strength"], battle["opponents"])
            return f"meets an equal, {odds}, and leaves the board"
        case "weaker_rival":
            return "makes way for a stronger one of the same owner and leaves the board"
        case "lost_fight":
            fight = result["fight"]
            odds = _odds(fight["strength"], fight["barons"])
            return f"loses the fight {odds} and leaves the board"
        case _:
            assert_never(result["why"])


def _odds(strength: int, others: Sequence[Opponent]) -> str:
    """A strength against that of the strongest of the others: `5 to 4`."""
    return f"{strength} to {max(other['strength'] for other in others)}"
