"""Words that all games have in common: lists, counts, and what is said of a game's life around its play."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from domain.contract import Json
from domain.event import Event

Text: TypeAlias = Callable[[Json], str]
"""Says the data of one type of fact."""


def listing(words: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *others, last = list(words) or ["nothing"]
    return f"{', '.join(others)} and {last}" if others else last


def counted(count: int, word: str) -> str:
    """`1 knight`, `2 knights`, `no villages`, `3 cities`."""
    plural = word[:-1] + "ies" if word.endswith("y") else word + "s"
    return f"{count or 'no'} {word if count == 1 else plural}"


def row(words: Iterable[str]) -> str:
    """`a, b, c`, or `none`."""
    return ", ".join(words) or "none"


def caption(event: Event, event_text: Callable[[str, Any], str]) -> str:
    """Who, where it was a seat or a player, and what; `event_text` says what."""
    text = event_text(event["type"], event["data"])
    match event["by"]:
        case {"seat": seat}:
            return f"Seat {seat} {text}"
        case {"player": player}:
            return f"Player {player} {text}"
        case _:
            return text[:1].upper() + text[1:]


def end_of_play(data: Json) -> str:
    """`; play is over` of a fact that brought it about, to be added."""
    return "; play is over" if data.get("then", {}).get("phase") == "scoring" else ""


OVER: Final[Mapping[str, str]] = {"scoring": "being scored", "finished": "over"}
"""What a game is in the phases in which nobody is to act."""


def game_created(data: Json) -> str:
    """`GameCreated`."""
    clock = f", {counted(data['clock']['per_turn'], 'second')} a turn" if data["clock"] else ""
    return f"creates a game of {data['rules']} for {data['seats']}{clock}"


def seating(data: Json) -> str:
    """Of `GameStarted`, who sits where, to be added: `: ada is seat 0 and bert is seat 1`."""
    seats = [f"{player} is seat {seat}" for seat, player in enumerate(data.get("players", ()))]
    return f": {listing(seats)}" if seats else ""


LIFE: Final[Mapping[str, Text]] = {
    "GameCreated": game_created,
    "SeatTaken": lambda _: "takes a place",
    "SeatLeft": lambda _: "gives up the place",
    "TurnForfeited": lambda data: f"seat {data['seat']}'s turn is forfeited",
    "PlayerResigned": lambda _: "resigns",
    "PlayerRemoved": lambda data: f"seat {data['seat']} is removed from the game",
    "GameAbandoned": lambda _: "the game is abandoned",
}
"""What says the facts that every game has."""
