"""`event_message` with Sorcery: casts, and arrivals on mysterious places."""

from collections.abc import Mapping
from typing import Final

from domain.barony.event_messages import (
    EVENT_MESSAGES,
    destruction_text,
    leg_text,
    moves_text,
    round_text,
    token_text,
)
from domain.barony.event_messages import event_message as base_event_message
from domain.barony.event_messages import expedition_sent as base_expedition_sent
from domain.barony.event_messages import game_started as base_game_started
from domain.barony.formats import GameStarted
from domain.barony.sorcery.formats import (
    CastStep,
    ConstructionCast,
    ExpeditionSent,
    KnightsMoved,
    MovedStep,
    MovementCast,
    RecruitmentCast,
    RoundScored,
    SpellsCast,
)
from domain.event import EventData, GameCreated
from domain.hex_text import hex_text
from domain.phrases import EventMessage, counted, game_created_text, listing


def magic_text(count: int) -> str:
    """`1 magic token`, `2 magic tokens`."""
    return counted(count, "magic token")


def _imprint_text(arrival: MovedStep | ExpeditionSent) -> list[str]:
    """[`places an imprint for 3 magic tokens`]; [] where no imprint was placed."""
    return [f"places an imprint for {magic_text(arrival['magic'])}"] if "magic" in arrival else []


def _arrival_text(step: MovedStep) -> list[str]:
    return [*destruction_text("destroys", step.get("destroyed", ())), *_imprint_text(step)]


def _step_text(step: MovedStep) -> str:
    return " and ".join([leg_text(step), *_arrival_text(step)])


def _cast_step_text(step: CastStep) -> str:
    """A step and everything that happened with it, in order (BS-TOR-2)."""
    return " and ".join(
        [
            leg_text(step),
            *destruction_text(f"on {hex_text(step['from'])} sweeps away", step.get("left", ())),
            *_arrival_text(step),
            *destruction_text(f"on {hex_text(step['to'])} sweeps away", step.get("swept", ())),
        ]
    )


def _game_created(data: GameCreated) -> str:
    return f"{game_created_text(data)}, with Sorcery"


def _game_started(data: GameStarted) -> str:
    return f"{base_game_started(data)}; the open spells are {listing(data['spells'])}"


def _knights_moved(data: KnightsMoved) -> str:
    return moves_text([_step_text(step) for step in data["moves"]])


def _expedition_sent(data: ExpeditionSent) -> str:
    return ", and ".join([base_expedition_sent(data), *_imprint_text(data)])


def _spells_cast(data: SpellsCast) -> str:
    if "moves" in data:
        effect = _movement_text(data)
    elif "recruits" in data:
        effect = _recruitment_text(data)
    else:
        effect = _construction_text(data)
    return f"casts {listing(data['spells'])} for {magic_text(data['cost'])}: {effect}"


def _movement_text(data: MovementCast) -> str:
    return f"moves a knight {', then '.join(map(_cast_step_text, data['moves']))}"


def _recruitment_text(data: RecruitmentCast) -> str:
    recruits = listing(
        f"{counted(entry['knights'], 'knight')} at {hex_text(entry['at'])}"
        for entry in data["recruits"]
    )
    returned = data.get("returned", 0)
    back = f", {returned} of them removed before" if returned else ""
    return f"recruits {recruits}{back}"


def _construction_text(data: ConstructionCast) -> str:
    token = f" and {token_text(data['token'])}" if "token" in data else ""
    replaced = f"the {data['replaced']} on {hex_text(data['at'])}"
    return f"turns {replaced} into a city for {data['points']} points{token}"


def _round_scored(data: RoundScored) -> str:
    standings = data["standings"]
    parts = [
        [
            *(["tokens"] if entry["token_points"] else []),
            *(["imprints"] if entry["imprint_points"] else []),
        ]
        for entry in standings
    ]
    return round_text(data["round"], standings, parts)


SORCERY_EVENT_MESSAGES: Final[Mapping[str, EventMessage]] = {
    **EVENT_MESSAGES,
    "GameCreated": _game_created,
    "GameStarted": _game_started,
    "KnightsMoved": _knights_moved,
    "ExpeditionSent": _expedition_sent,
    "SpellsCast": _spells_cast,
    "RoundScored": _round_scored,
}
"""By event type."""


def event_message(type: str, data: EventData) -> str:
    """The event in one line, by the function for its type; of an unknown type, the type."""
    return base_event_message(type, data, SORCERY_EVENT_MESSAGES)
