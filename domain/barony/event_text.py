"""`event_text`: what a recorded fact says, in one line of English; why it could come about tells `explain`.

The line is read after the name of who did it (`seat 1 moves a knight 0,0>1,0`); facts that nobody at the
table brought about are whole sentences (`round 3 is scored: …`).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from domain.barony.components import RESOURCES
from domain.contract import Json
from domain.hex_text import hex_text
from domain.phrases import (
    LIFE_CYCLE_TEXTS,
    EventText,
    counted,
    end_of_play_text,
    listing,
    seating_text,
)


def tokens_text(tokens: Mapping[str, int]) -> str:
    """`2 plain and 1 field` in the order of the rulebook, `nothing` for none."""
    return listing(f"{tokens[kind]} {kind}" for kind in RESOURCES if tokens.get(kind))


def token_text(kind: str | None) -> str:
    """`a plain token`, `no token`."""
    return f"a {kind} token" if kind else "no token"


def fallen_text(destroyed: Sequence[Json]) -> str:
    """`seat 2's knight and seat 1's village`."""
    return listing(f"seat {fallen['seat']}'s {fallen['pawn']}" for fallen in destroyed)


def game_started(data: Json) -> str:
    """`GameStarted`: the board, and who sits where."""
    return f"the game starts on {len(data['board'])} hexes{seating_text(data.get('players', ()))}"


def _city_placed(data: Json) -> str:
    over = "; set-up is over" if data["then"]["phase"] == "play" else ""
    return f"places a city and a knight on {hex_text(data['at'])}{over}"


def _knights_recruited(data: Json) -> str:
    return f"recruits {counted(data['knights'], 'knight')} at {hex_text(data['at'])}"


def way_text(step: Json) -> str:
    """`0,0>1,0`."""
    return f"{hex_text(step['from'])}>{hex_text(step['to'])}"


def destruction(verb: str, destroyed: Sequence[Json]) -> list[str]:
    """`destroys seat 1's village, taking a plain token`; [] where nothing fell."""
    if not destroyed:
        return []
    text = f"{verb} {fallen_text(destroyed)}"
    for fallen in destroyed:
        if fallen["pawn"] == "village":
            text += f", taking {token_text(fallen['token'])}"
    return [text]


def step_text(step: Json) -> str:
    """One knight's way, and what its arrival destroyed."""
    return " and ".join([way_text(step), *destruction("destroys", step.get("destroyed", ()))])


def knights_moved(data: Json, step_text: EventText = step_text) -> str:
    """`KnightsMoved`; `step_text`: what says one step."""
    return f"moves a knight {', then another '.join(map(step_text, data['moves']))}"


def _buildings_built(data: Json) -> str:
    return "builds " + listing(
        f"a {built['building']} on {hex_text(built['at'])} for {token_text(built['token'])}"
        for built in data["built"]
    )


def _city_founded(data: Json) -> str:
    return f"turns the village on {hex_text(data['at'])} into a city for {data['points']} points"


def expedition_sent(data: Json) -> str:
    """`ExpeditionSent`."""
    return f"sends an expedition to {hex_text(data['to'])}, giving up a knight for good"


def _title_bought(data: Json) -> str:
    paid = tokens_text(data["discarded"])
    return f"becomes {data['rank']} for {paid}, worth {data['points']} points"


def _end_agreed(data: Json) -> str:
    return "asks for the end of the game" if data["agree"] else "no longer asks for the end"


TOKENS: Final[Mapping[str, str]] = {"token_points": "tokens"}
"""What the final score counts beside the track: the fields of a standing, and what they count."""


def round_scored(data: Json, beside: Mapping[str, str] = TOKENS) -> str:
    """`RoundScored`: the track, and the final score where it is another; `beside`: what it counts."""
    scores = listing(
        f"seat {entry['seat']} {entry['score']}{_final_text(entry, beside)}"
        for entry in data["standings"]
    )
    return f"round {data['round']} is scored: {scores}"


def _final_text(entry: Json, beside: Mapping[str, str]) -> str:
    counting = [name for field, name in beside.items() if entry[field]]
    return f" (with its {listing(counting)} {entry['final_score']})" if counting else ""


def _game_finished(data: Json) -> str:
    king, *others = data["ranking"]
    behind = listing(f"seat {entry['seat']} with {entry['score']}" for entry in others)
    return f"the game is over: seat {king['seat']} is King with {king['score']}, before {behind}"


TEXTS: Final[Mapping[str, EventText]] = {
    **LIFE_CYCLE_TEXTS,
    "GameStarted": game_started,
    "CityPlaced": _city_placed,
    "KnightsRecruited": _knights_recruited,
    "KnightsMoved": knights_moved,
    "BuildingsBuilt": _buildings_built,
    "CityFounded": _city_founded,
    "ExpeditionSent": expedition_sent,
    "TitleBought": _title_bought,
    "TurnPassed": lambda _: "passes",
    "EndAgreed": _end_agreed,
    "RoundScored": round_scored,
    "GameFinished": _game_finished,
}
"""What says each type of fact."""


def event_text(type: str, data: Any, texts: Mapping[str, EventText] = TEXTS) -> str:
    """The fact in one line; of a type that is not known here its name.

    `texts`: what says each type.
    """
    if type not in texts:
        return type
    return texts[type](data) + end_of_play_text(data.get("then", {}).get("phase"))
