"""`event_message`: a recorded event as one line. `explain` explains why it could happen.

The line follows the name of the player who acted (`seat 1 lays a vineyard on 1,0`); events that no player
caused are whole sentences (`round 3 is scored: …`).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, assert_never, cast

from domain.baron.formats import (
    BaronyResult,
    Battle,
    Consequences,
    EstablishedBarony,
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
from domain.baron.terms import HONOUR, TILE_TERMS, baron, kinds, knight, players
from domain.event import EventData, RankingEntry
from domain.life_cycle_messages import (
    LIFE_CYCLE_MESSAGES,
    EventMessage,
    with_end_of_play,
    with_seating,
)
from domain.messages import (
    Message,
    PlayerAt,
    counted,
    hex_at,
    listing,
    message,
    plural_message,
    semicolon_list,
)


def _game_started(data: GameStarted) -> Message:
    start = message(
        "the game starts from {start:a}, with {market} to draw",
        start=TILE_TERMS[data["start"]],
        market=kinds(data["market"]),
    )
    if data["removed"]:
        start = message("{start}, without {tiles}", start=start, tiles=kinds(data["removed"]))
    return with_seating(start, data.get("players", ()))


def _tile_drawn(data: TileDrawn) -> Message:
    tile, refill = TILE_TERMS[data["tile"]], data["refill"]
    if data["cost"]:
        draw = message(
            "draws {tile:a} for {honour}", tile=tile, honour=counted(data["cost"], HONOUR)
        )
    else:
        draw = message("draws {tile:a}", tile=tile)
    if refill is None:
        return draw
    return message("{draw}; {tile:a} comes up", draw=draw, tile=TILE_TERMS[refill])


def _tile_placed(data: TilePlaced) -> Message:
    tile, at = TILE_TERMS[data["tile"]], hex_at(data["at"])
    if "bonus" not in data:
        return _with_consequences(message("lays {tile:a} on {hex}", tile=tile, hex=at), data)
    lay = message(
        "lays {tile:a} on {hex}, earning {honour}",
        tile=tile,
        hex=at,
        honour=counted(data["bonus"], HONOUR),
    )
    return _with_consequences(lay, data)


def _tile_discarded(data: TileDiscarded) -> Message:
    return message("can lay nothing, and gives up {tile:a}", tile=TILE_TERMS[data["tile"]])


def _keep_placed(data: KeepPlaced) -> Message:
    return _with_consequences(message("puts a keep on {hex}", hex=hex_at(data["at"])), data)


def _round_scored(data: RoundScored) -> Message:
    scores = [
        message("{player} {score}", player=PlayerAt(entry["seat"]), score=entry["score"])
        for entry in data["standings"]
    ]
    return message("round {round} is scored: {scores}", round=data["round"], scores=listing(scores))


def _game_finished(data: GameFinished) -> Message:
    """The winners in the order of their seats, then the others as they are ranked."""
    ranking = data["ranking"]
    result = _victory(ranking)
    others = [
        message("{player} with {score}", player=PlayerAt(entry["seat"]), score=entry["score"])
        for entry in ranking
        if entry["place"] > 1
    ]
    if others:
        result = message("{result}, before {others}", result=result, others=listing(others))
    return _with_consequences(result, data)


def _victory(ranking: Sequence[RankingEntry]) -> Message:
    winners = sorted(entry["seat"] for entry in ranking if entry["place"] == 1)
    honour = counted(ranking[0]["score"], HONOUR)
    return plural_message(
        "the game is over: {players} wins with {honour}",
        "the game is over: {players} share the first place with {honour}",
        count=len(winners),
        players=players(winners),
        honour=honour,
    )


EVENT_MESSAGES: Final[Mapping[str, EventMessage]] = {
    **LIFE_CYCLE_MESSAGES,
    "GameStarted": _game_started,
    "TileDrawn": _tile_drawn,
    "TilePlaced": _tile_placed,
    "TileDiscarded": _tile_discarded,
    "KeepPlaced": _keep_placed,
    "TurnEnded": lambda _: message("places no keep"),
    "RoundScored": _round_scored,
    "GameFinished": _game_finished,
}
"""By event type, a function that returns its data as a message."""


def event_message(type: str, data: EventData) -> Message:
    """The event in one line; its type if the type is unknown."""
    if type not in EVENT_MESSAGES:
        return message("{type}", type=type)
    event = EVENT_MESSAGES[type](data)
    then = cast("EventOfPlay", data).get("then")
    return with_end_of_play(event, then["phase"]) if then else event


def _with_consequences(event: Message, data: Consequences) -> Message:
    """The event, followed by its consequences for baronies and seats."""
    consequences = [*_consequences(data)]
    if not consequences:
        return event
    return message(
        "{event}; {consequences}", event=event, consequences=semicolon_list(consequences)
    )


def _consequences(data: Consequences) -> Iterator[Message]:
    for result in data.get("baronies", ()):
        yield from _barony(result)
    if "out" in data:
        seats = data["out"]["seats"]
        yield plural_message(
            "{players} is out of the game",
            "{players} are out of the game",
            count=len(seats),
            players=players(seats),
        )


def _barony(result: BaronyResult) -> Iterator[Message]:
    """The result of a knight, and the barons that it beat."""
    if result["result"] == "returned":
        yield _defeat(result)
        return
    yield _establishment(result)
    for beaten in result["beaten"]:
        yield message(
            "{baron} is beaten ({change:signed} honour)",
            baron=baron(beaten["seat"], beaten["at"]),
            change=-beaten["loss"],
        )


def _establishment(result: EstablishedBarony) -> Message:
    winner, value, gain = knight(result["seat"], result["at"]), result["value"], result["gain"]
    if "fight" not in result:
        return message(
            "{knight} is established with {value} ({change:signed} honour)",
            knight=winner,
            value=value,
            change=gain,
        )
    fight = result["fight"]
    return message(
        "{knight} wins {strength} to {other} and is established with {value} ({change:signed} honour)",
        knight=winner,
        strength=fight["strength"],
        other=_greatest_strength(fight["barons"]),
        value=value,
        change=gain,
    )


def _defeat(result: ReturnedKnight) -> Message:
    loser = knight(result["seat"], result["at"])
    match result["why"]:
        case "lost_battle":
            return _lost_battle(loser, result["battle"])
        case "carnage":
            return _carnage(loser, result["battle"])
        case "weaker_rival":
            return message(
                "{knight} makes way for a stronger one of the same owner and leaves the board",
                knight=loser,
            )
        case "lost_fight":
            fight = result["fight"]
            return message(
                "{knight} loses the fight {strength} to {other} and leaves the board",
                knight=loser,
                strength=fight["strength"],
                other=_greatest_strength(fight["barons"]),
            )
        case _:
            assert_never(result["why"])


def _lost_battle(loser: Message, battle: Battle) -> Message:
    return message(
        "{knight} loses the battle {strength} to {other} and leaves the board",
        knight=loser,
        strength=battle["strength"],
        other=_greatest_strength(battle["opponents"]),
    )


def _carnage(loser: Message, battle: Battle) -> Message:
    return message(
        "{knight} meets an equal, {strength} to {other}, and leaves the board",
        knight=loser,
        strength=battle["strength"],
        other=_greatest_strength(battle["opponents"]),
    )


def _greatest_strength(opponents: Sequence[Opponent]) -> int:
    return max(opponent["strength"] for opponent in opponents)
