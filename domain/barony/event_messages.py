"""`event_message`: a recorded event as one line of English. `explain` has the reasons for it.

The line is read after the name of the seat or player that caused the event (`seat 1 moves a knight 0,0>1,0`).
Events that the system causes are whole sentences (`round 3 is scored: …`).
"""

from collections.abc import Mapping, Sequence
from typing import Final, cast

from domain.barony.action_formats import SomeTokens
from domain.barony.components import RESOURCES, Resource
from domain.barony.formats import (
    BaronyStanding,
    BuildingsBuilt,
    CityFounded,
    CityPlaced,
    Destroyed,
    EndAgreed,
    ExpeditionSent,
    GameStarted,
    KnightsMoved,
    KnightsRecruited,
    RoundScored,
    Step,
    TitleBought,
    Tokens,
    TurnPassed,
)
from domain.event import EventData, Ranked
from domain.hex_text import hex_text
from domain.phrases import (
    LIFE_CYCLE_TEXTS,
    EventMessage,
    counted,
    end_of_play_text,
    listing,
    seating_text,
)


def tokens_text(tokens: Tokens | SomeTokens) -> str:
    """`2 plain and 1 field` in the order of the rulebook, `nothing` for no tokens."""
    return listing(f"{count} {kind}" for kind in RESOURCES if (count := tokens.get(kind, 0)))


def token_text(kind: Resource | None) -> str:
    """`a plain token`, `no token`."""
    return f"a {kind} token" if kind else "no token"


def pawns_text(destroyed: Sequence[Destroyed]) -> str:
    """`seat 2's knight and seat 1's village`."""
    return listing(f"seat {pawn['seat']}'s {pawn['pawn']}" for pawn in destroyed)


def game_started(data: GameStarted) -> str:
    """`GameStarted`: the board, and the seats of the players."""
    return f"the game starts on {len(data['board'])} hexes{seating_text(data.get('players', ()))}"


def _city_placed(data: CityPlaced) -> str:
    end = "; set-up is over" if data["then"]["phase"] == "play" else ""
    return f"places a city and a knight on {hex_text(data['at'])}{end}"


def _knights_recruited(data: KnightsRecruited) -> str:
    return f"recruits {counted(data['knights'], 'knight')} at {hex_text(data['at'])}"


def leg_text(step: Step) -> str:
    """`0,0>1,0`."""
    return f"{hex_text(step['from'])}>{hex_text(step['to'])}"


def destruction_text(verb: str, destroyed: Sequence[Destroyed]) -> list[str]:
    """[`destroys seat 1's village, taking a plain token`]; [] where no pawn was destroyed."""
    if not destroyed:
        return []
    text = f"{verb} {pawns_text(destroyed)}"
    for pawn in destroyed:
        if pawn["pawn"] == "village":
            text += f", taking {token_text(pawn['token'])}"
    return [text]


def _step_text(step: Step) -> str:
    destruction = destruction_text("destroys", step.get("destroyed", ()))
    return " and ".join([leg_text(step), *destruction])


def moves_text(steps: Sequence[str]) -> str:
    """The moves of one or two knights, given the text of each step."""
    return f"moves a knight {', then another '.join(steps)}"


def _knights_moved(data: KnightsMoved) -> str:
    return moves_text([_step_text(step) for step in data["moves"]])


def _buildings_built(data: BuildingsBuilt) -> str:
    return "builds " + listing(
        f"a {built['building']} on {hex_text(built['at'])} for {token_text(built['token'])}"
        for built in data["built"]
    )


def _city_founded(data: CityFounded) -> str:
    return f"turns the village on {hex_text(data['at'])} into a city for {data['points']} points"


def expedition_sent(data: ExpeditionSent) -> str:
    """`ExpeditionSent`."""
    return f"sends an expedition to {hex_text(data['to'])}, giving up a knight for good"


def _title_bought(data: TitleBought) -> str:
    paid = tokens_text(data["discarded"])
    return f"becomes {data['rank']} for {paid}, worth {data['points']} points"


def _end_agreed(data: EndAgreed) -> str:
    return "asks for the end of the game" if data["agree"] else "no longer asks for the end"


def _round_scored(data: RoundScored) -> str:
    standings = data["standings"]
    parts = [["tokens"] if entry["token_points"] else [] for entry in standings]
    return round_text(data["round"], standings, parts)


def round_text(
    round: int, standings: Sequence[BaronyStanding], parts: Sequence[Sequence[str]]
) -> str:
    """The score tracks after a round, and the final scores that differ from them.

    `parts` names, for each standing, what its final score counts in addition to the track.
    """
    scores = listing(
        f"seat {entry['seat']} {entry['score']}"
        + (f" (with its {listing(names)} {entry['final_score']})" if names else "")
        for entry, names in zip(standings, parts, strict=True)
    )
    return f"round {round} is scored: {scores}"


def _game_finished(data: Ranked) -> str:
    king, *others = data["ranking"]
    behind = listing(f"seat {entry['seat']} with {entry['score']}" for entry in others)
    return f"the game is over: seat {king['seat']} is King with {king['score']}, before {behind}"


EVENT_MESSAGES: Final[Mapping[str, EventMessage]] = {
    **LIFE_CYCLE_TEXTS,
    "GameStarted": game_started,
    "CityPlaced": _city_placed,
    "KnightsRecruited": _knights_recruited,
    "KnightsMoved": _knights_moved,
    "BuildingsBuilt": _buildings_built,
    "CityFounded": _city_founded,
    "ExpeditionSent": expedition_sent,
    "TitleBought": _title_bought,
    "TurnPassed": lambda _: "passes",
    "EndAgreed": _end_agreed,
    "RoundScored": _round_scored,
    "GameFinished": _game_finished,
}
"""By event type."""


def event_message(
    type: str, data: EventData, event_texts: Mapping[str, EventMessage] = EVENT_MESSAGES
) -> str:
    """The event in one line, by the function for its type; of an unknown type, the type."""
    if type not in event_texts:
        return type
    text = event_texts[type](data)
    if "then" in data:
        text += end_of_play_text(cast("TurnPassed", data)["then"]["phase"])
    return text
