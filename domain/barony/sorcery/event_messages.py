"""`event_message` with Sorcery: casts, and arrivals on mysterious places."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from domain.barony import event_messages as base
from domain.barony.formats import Destroyed, GameStarted
from domain.barony.sorcery.components import MAGIC_TOKEN, SPELL_NAMES, TITLE
from domain.barony.sorcery.formats import (
    CastStep,
    ConstructionCast,
    ExpeditionSent,
    KnightsMoved,
    MovedStep,
    MovementCast,
    RecruitmentCast,
    RoundScored,
    SorceryStanding,
    SpellsCast,
)
from domain.barony.terms import KNIGHT, POINT, TOKENS
from domain.event import EventData, GameCreated
from domain.life_cycle_messages import EventMessage, game_created
from domain.messages import (
    HexAt,
    Message,
    PlayerAt,
    counted,
    hex_at,
    hex_path,
    listing,
    message,
    plural_message,
)


def _imprint(arrival: MovedStep | ExpeditionSent) -> list[Message]:
    """[`places an imprint and gains 3 magic tokens`]; [] where no imprint was placed."""
    if "magic" not in arrival:
        return []
    return [
        message(
            "places an imprint and gains {tokens}", tokens=counted(arrival["magic"], MAGIC_TOKEN)
        )
    ]


def _arrival(step: MovedStep) -> list[Message]:
    return [*base.destruction(step.get("destroyed", ())), *_imprint(step)]


def _sweep(hex: HexAt, destroyed: Sequence[Destroyed]) -> list[Message]:
    """[`on 0,0 sweeps away seat 1's knight`]; [] where no pawn was destroyed."""
    if not destroyed:
        return []
    taken = base.tokens_taken(destroyed)
    if taken is None:
        return [message("on {hex} sweeps away {pawns}", hex=hex, pawns=base.pawns(destroyed))]
    if not taken:
        return [
            message(
                "on {hex} sweeps away {pawns}, taking no token",
                hex=hex,
                pawns=base.pawns(destroyed),
            )
        ]
    return [
        message(
            "on {hex} sweeps away {pawns}, taking {tokens}",
            hex=hex,
            pawns=base.pawns(destroyed),
            tokens=listing(taken),
        )
    ]


def _effects_of_cast(step: CastStep) -> Iterable[Message]:
    """Everything that happened with a step, in order (BS-TOR-2)."""
    return [
        *_sweep(hex_at(step["from"]), step.get("left", ())),
        *_arrival(step),
        *_sweep(hex_at(step["to"]), step.get("swept", ())),
    ]


def _game_created(data: GameCreated) -> Message:
    return game_created(data, TITLE)


def _game_started(data: GameStarted) -> Message:
    return message(
        "{start}; the available spells are {spells}",
        start=base.game_started(data),
        spells=listing(SPELL_NAMES[spell] for spell in data["spells"]),
    )


def _knights_moved(data: KnightsMoved) -> Message:
    return base.moves(data["moves"], map(_arrival, data["moves"]))


def _expedition_sent(data: ExpeditionSent) -> Message:
    return base.with_effects(base.expedition_sent(data), _imprint(data))


def _spells_cast(data: SpellsCast) -> Message:
    if "moves" in data:
        effect = _movement(data)
    elif "recruits" in data:
        effect = _recruitment(data)
    else:
        effect = _construction(data)
    return message(
        "casts {spells} for {tokens}: {effect}",
        spells=listing(SPELL_NAMES[spell] for spell in data["spells"]),
        tokens=counted(data["cost"], MAGIC_TOKEN),
        effect=effect,
    )


def _movement(data: MovementCast) -> Message:
    first, *others = data["moves"]
    path = hex_path([first["from"], first["to"]])
    text = base.with_effects(message("moves a knight {path}", path=path), _effects_of_cast(first))
    for step in others:
        path = hex_path([step["from"], step["to"]])
        second = base.with_effects(message("moves it on {path}", path=path), _effects_of_cast(step))
        text = message("{first}, then {second}", first=text, second=second)
    return text


def _recruitment(data: RecruitmentCast) -> Message:
    recruits = listing(
        message(
            "{knights} on {hex}", knights=counted(entry["knights"], KNIGHT), hex=hex_at(entry["at"])
        )
        for entry in data["recruits"]
    )
    returned = data.get("returned", 0)
    if not returned:
        return message("recruits {recruits}", recruits=recruits)
    return plural_message(
        "recruits {recruits}, one of them removed before",
        "recruits {recruits}, {count} of them removed before",
        count=returned,
        recruits=recruits,
    )


def _construction(data: ConstructionCast) -> Message:
    hex, points = hex_at(data["at"]), counted(data["points"], POINT)
    by_knight = data["replaced"] == "knight"
    if "token" not in data:
        if by_knight:
            return message(
                "turns the knight on {hex} into a city and gains {points}", hex=hex, points=points
            )
        return message(
            "turns the village on {hex} into a city and gains {points}", hex=hex, points=points
        )
    kind = data["token"]
    gain = message("no token") if kind is None else message("{token:a}", token=TOKENS[kind])
    if by_knight:
        return message(
            "turns the knight on {hex} into a city and gains {points} and {token}",
            hex=hex,
            points=points,
            token=gain,
        )
    return message(
        "turns the village on {hex} into a city and gains {points} and {token}",
        hex=hex,
        points=points,
        token=gain,
    )


def _round_scored(data: RoundScored) -> Message:
    return base.round_scored(data["round"], data["standings"], _standing)


def _standing(entry: SorceryStanding) -> Message:
    """`seat 1 has 30`, and the final score if it is not the same."""
    if not entry["imprint_points"]:
        return base.standing(entry)
    player, score, final_score = PlayerAt(entry["seat"]), entry["score"], entry["final_score"]
    if not entry["token_points"]:
        return message(
            "{player} has {score} ({final_score} with imprints)",
            player=player,
            score=score,
            final_score=final_score,
        )
    return message(
        "{player} has {score} ({final_score} with tokens and imprints)",
        player=player,
        score=score,
        final_score=final_score,
    )


SORCERY_EVENT_MESSAGES: Final[Mapping[str, EventMessage]] = {
    **base.EVENT_MESSAGES,
    "GameCreated": _game_created,
    "GameStarted": _game_started,
    "KnightsMoved": _knights_moved,
    "ExpeditionSent": _expedition_sent,
    "SpellsCast": _spells_cast,
    "RoundScored": _round_scored,
}
"""By event type."""


def event_message(type: str, data: EventData) -> Message:
    """The event in one line, by the function for its type; of an unknown type, the type."""
    return base.event_message(type, data, SORCERY_EVENT_MESSAGES)
