"""`event_message`: a recorded event as one line. `explain` has the reasons for it.

The line is read after the name of the player that caused the event (`Ada moves a knight 0,0>1,0`). Events
that the system causes are whole sentences (`round 3 is scored: …`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeVar, cast

from domain.barony.actions import SomeTokens
from domain.barony.components import RESOURCES, Resource
from domain.barony.formats import (
    BaronyStanding,
    BuildingsBuilt,
    BuiltJson,
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
from domain.barony.terms import HEX, KNIGHT, PAWNS, POINT, RANKS, TOKENS, Pawn
from domain.event import EventData, Ranked
from domain.life_cycle_messages import (
    LIFE_CYCLE_MESSAGES,
    EventMessage,
    with_end_of_play,
    with_seating,
)
from domain.messages import Listing, Message, PlayerAt, counted, hex_at, hex_path, listing, message

StandingT = TypeVar("StandingT", bound=BaronyStanding)


def tokens(tokens: Tokens | SomeTokens) -> Listing:
    """`2 plain tokens and 1 field token` in the order of the rulebook, `nothing` for no tokens."""
    return listing(
        counted(count, TOKENS[kind]) for kind in RESOURCES if (count := tokens.get(kind, 0))
    )


def token(kind: Resource) -> Message:
    """`a plain token`."""
    return message("{token:a}", token=TOKENS[kind])


def pawn(seat: int, kind: Pawn) -> Message:
    """`seat 2's knight`."""
    return message("{player}'s {pawn}", player=PlayerAt(seat), pawn=PAWNS[kind])


def pawns(destroyed: Iterable[Destroyed]) -> Listing:
    """`seat 2's knight and seat 1's village`."""
    return listing(pawn(entry["seat"], entry["pawn"]) for entry in destroyed)


def game_started(data: GameStarted) -> Message:
    """`GameStarted`: the board, and the seats of the players."""
    start = message("the game starts on {hexes}", hexes=counted(len(data["board"]), HEX))
    return with_seating(start, data.get("players", ()))


def _city_placed(data: CityPlaced) -> Message:
    if data["then"]["phase"] == "play":
        return message(
            "places a city and a knight on {hex}; set-up is over", hex=hex_at(data["at"])
        )
    return message("places a city and a knight on {hex}", hex=hex_at(data["at"]))


def _knights_recruited(data: KnightsRecruited) -> Message:
    return message(
        "recruits {knights} on {hex}",
        knights=counted(data["knights"], KNIGHT),
        hex=hex_at(data["at"]),
    )


def destruction(destroyed: Sequence[Destroyed]) -> list[Message]:
    """[`destroys seat 1's village, taking a plain token`]; [] where no pawn was destroyed."""
    if not destroyed:
        return []
    taken = tokens_taken(destroyed)
    if taken is None:
        return [message("destroys {pawns}", pawns=pawns(destroyed))]
    if not taken:
        return [message("destroys {pawns}, taking no token", pawns=pawns(destroyed))]
    return [
        message("destroys {pawns}, taking {tokens}", pawns=pawns(destroyed), tokens=listing(taken))
    ]


def tokens_taken(destroyed: Iterable[Destroyed]) -> list[Message] | None:
    """[`a plain token`], the tokens taken for destroyed villages; None if no village was destroyed."""
    villages = [entry for entry in destroyed if entry["pawn"] == "village"]
    if not villages:
        return None
    return [token(kind) for village in villages if (kind := village["token"])]


def with_effects(action: Message, effects: Iterable[Message]) -> Message:
    """The message for an action, followed by those for its effects, which have the same subject."""
    for effect in effects:
        action = message("{action} and {effect}", action=action, effect=effect)
    return action


def moves(steps: Sequence[Step], effects: Iterable[Iterable[Message]]) -> Message:
    """The moves of one or two knights, with the messages for the effects of each step."""
    text: Message | None = None
    for step, effects_of_step in zip(steps, effects, strict=True):
        path = hex_path([step["from"], step["to"]])
        if text is None:
            text = with_effects(message("moves a knight {path}", path=path), effects_of_step)
        else:
            second = with_effects(message("moves another {path}", path=path), effects_of_step)
            text = message("{first}, then {second}", first=text, second=second)
    assert text is not None
    return text


def _knights_moved(data: KnightsMoved) -> Message:
    steps = data["moves"]
    return moves(steps, [destruction(step.get("destroyed", ())) for step in steps])


def _buildings_built(data: BuildingsBuilt) -> Message:
    return message("builds {buildings}", buildings=listing(map(_building, data["built"])))


def _building(built: BuiltJson) -> Message:
    building, hex, kind = PAWNS[built["building"]], hex_at(built["at"]), built["token"]
    if kind is None:
        return message("{building:a} on {hex} (gains no token)", building=building, hex=hex)
    return message(
        "{building:a} on {hex} (gains {token:a})", building=building, hex=hex, token=TOKENS[kind]
    )


def _city_founded(data: CityFounded) -> Message:
    return message(
        "turns the village on {hex} into a city and gains {points}",
        hex=hex_at(data["at"]),
        points=counted(data["points"], POINT),
    )


def expedition_sent(data: ExpeditionSent) -> Message:
    """`ExpeditionSent`."""
    return message(
        "sends an expedition to {hex}, giving up a knight for good", hex=hex_at(data["to"])
    )


def _title_bought(data: TitleBought) -> Message:
    return message(
        "discards {tokens}, becomes {rank} and scores {points}",
        tokens=tokens(data["discarded"]),
        rank=RANKS[data["rank"]],
        points=counted(data["points"], POINT),
    )


def _end_agreed(data: EndAgreed) -> Message:
    if data["agree"]:
        return message("asks for the end of the game")
    return message("no longer asks for the end of the game")


def _round_scored(data: RoundScored) -> Message:
    return round_scored(data["round"], data["standings"], standing)


def round_scored(
    round: int, standings: Iterable[StandingT], standing: Callable[[StandingT], Message]
) -> Message:
    """The scores after a round, with a message for each of the standings."""
    return message(
        "round {round} is scored: {standings}",
        round=round,
        standings=listing(map(standing, standings)),
    )


def standing(entry: BaronyStanding) -> Message:
    """`seat 1 has 30`, and the final score if it is not the same."""
    player, score = PlayerAt(entry["seat"]), entry["score"]
    if not entry["token_points"]:
        return message("{player} has {score}", player=player, score=score)
    return message(
        "{player} has {score} ({final_score} with tokens)",
        player=player,
        score=score,
        final_score=entry["final_score"],
    )


def _game_finished(data: Ranked) -> Message:
    king, *entries = data["ranking"]
    others = listing(
        message("{player} with {score}", player=PlayerAt(entry["seat"]), score=entry["score"])
        for entry in entries
    )
    return message(
        "the game is over: {king} is King with {points}, before {others}",
        king=PlayerAt(king["seat"]),
        points=counted(king["score"], POINT),
        others=others,
    )


EVENT_MESSAGES: Final[Mapping[str, EventMessage]] = {
    **LIFE_CYCLE_MESSAGES,
    "GameStarted": game_started,
    "CityPlaced": _city_placed,
    "KnightsRecruited": _knights_recruited,
    "KnightsMoved": _knights_moved,
    "BuildingsBuilt": _buildings_built,
    "CityFounded": _city_founded,
    "ExpeditionSent": expedition_sent,
    "TitleBought": _title_bought,
    "TurnPassed": lambda _: message("passes"),
    "EndAgreed": _end_agreed,
    "RoundScored": _round_scored,
    "GameFinished": _game_finished,
}
"""By event type."""


def event_message(
    type: str, data: EventData, messages: Mapping[str, EventMessage] = EVENT_MESSAGES
) -> Message:
    """The event in one line, by the function for its type; of an unknown type, the type."""
    if type not in messages:
        return message("{type}", type=type)
    text = messages[type](data)
    if "then" in data:
        return with_end_of_play(text, cast("TurnPassed", data)["then"]["phase"])
    return text
