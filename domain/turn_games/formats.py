"""The JSON of a game with turns: its actions, events, options and positions, derived from its dataclasses."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final, Literal, NotRequired, cast, get_type_hints

from domain import event as events
from domain.contract import ActionJson, OwnOptions, Resign, ResignJson
from domain.errors import Malformed
from domain.event import LIFE_CYCLE_EVENTS, RankingEntry, RoundScored, Standing
from domain.hexes import json_from_text
from domain.json_fields import FieldReader, one_of
from domain.json_types import JsonObject, ObjectType, PositiveCount, Seat
from domain.messages import message
from domain.option_fields import checked_options
from domain.turn_games.definition import Definition, S
from domain.turn_games.fields import (
    fields_from_text,
    fields_of,
    form_of,
    json_types,
    read_fields,
    text_of_fields,
    typed_dict,
    write_fields,
)
from domain.turn_games.state import Phase, Then, TurnState

_TURN_FIELDS: Final = frozenset(field.name for field in fields(TurnState))


class PlayerJson(Standing):
    """A seat with its score."""

    status: Literal["active", "out"]


class TurnForfeited(events.TurnForfeited):
    """The time for a turn has run out."""

    then: Then


class PlayerResigned(events.PlayerResigned):
    """A player left the game."""

    then: Then


class PlayerRemoved(events.PlayerRemoved):
    """A player was removed from the game."""

    then: Then


class Formats(Definition[S]):
    """The JSON of a game."""

    OPTIONS: type
    POSITION: type
    STANDING: type
    ACTIONS: Mapping[str, ObjectType]
    EVENTS: Mapping[str, ObjectType]

    def __init__(self) -> None:
        super().__init__()
        self.actions_by_type: Mapping[str, Any] = {action.type: action for action in self.MOVES}
        self.actions_by_event: Mapping[str, Any] = {action.event: action for action in self.MOVES}
        self._own_fields = {
            name: form_of(hint)
            for name, hint in fields_of(self.STATE).items()
            if name not in _TURN_FIELDS
        }
        self.STANDING = self._typed_dict(
            "Standing",
            "The score of a seat at the end of a round.",
            get_type_hints(Standing, include_extras=True),
        )
        self.OPTIONS = self._options_type()
        self.POSITION = self._position_type()
        self.ACTIONS = {
            **{name: self._action_type(action) for name, action in self.actions_by_type.items()},
            "resign": ResignJson,
        }
        self.EVENTS = self._event_types()

    def _typed_dict(self, name: str, description: str | None, types: Mapping[str, object]) -> type:
        return typed_dict(name, type(self).__module__, description, types)

    def _options_type(self) -> type:
        own = {field.name: field.json_type for field in self.OPTION_FIELDS}
        types = get_type_hints(events.Options, include_extras=True) | own
        return self._typed_dict("Options", "All options of a game.", types)

    def _position_type(self) -> type:
        types = {
            "rules": Literal[self.NAME],
            "phase": Phase,
            "round": PositiveCount,
            "to_act": Seat | None,
            "players": list[PlayerJson],
            "ranking": NotRequired[list[RankingEntry]],
            **{name: form.json_type for name, form in self._own_fields.items()},
        }
        return self._typed_dict("Position", "A position.", types)

    def _action_type(self, action: Any) -> type:
        types = {"type": Literal[action.type], **json_types(action)}
        return self._typed_dict(f"{action.__name__}Json", action.__doc__, types)

    def _event_types(self) -> Mapping[str, ObjectType]:
        settings = get_type_hints(events.GameSettings, include_extras=True)
        created = {**settings, "options": self.OPTIONS}
        standings: Any = list
        round_scored = {"round": PositiveCount, "standings": standings[self.STANDING]}
        return {
            **LIFE_CYCLE_EVENTS,
            "GameCreated": self._typed_dict("GameCreated", "A player opens a game.", created),
            "GameStarted": events.GameStarted,
            **{
                action.event: self._typed_dict(
                    action.event,
                    action.__doc__,
                    {"seat": Seat, **json_types(action), **json_types(outcome), "then": Then},
                )
                for action, outcome in self.MOVES.items()
            },
            "TurnForfeited": TurnForfeited,
            "PlayerResigned": PlayerResigned,
            "PlayerRemoved": PlayerRemoved,
            "RoundScored": self._typed_dict("RoundScored", RoundScored.__doc__, round_scored),
            "GameFinished": events.GameFinished,
        }

    def check_options(self, seats: int, options: Mapping[str, object]) -> OwnOptions:
        """Return the game's own options with their defaults (OPTION_FIELDS). Raises Malformed."""
        checked, errors = checked_options(self.OPTION_FIELDS, options)
        least, most = self.SEATS
        if seats not in range(least, most + 1):
            errors["seats"] = (
                message("must be {seats}", seats=least)
                if least == most
                else message(
                    "must be a whole number from {least} to {most}", least=least, most=most
                )
            )
        if errors:
            raise Malformed(errors)
        return cast("OwnOptions", checked)

    def parse_action(self, raw: object) -> Any:
        """Return the action that decoded JSON stands for. Raises Malformed."""
        if not isinstance(raw, dict):
            raise Malformed({"": message("an action is an object")})
        type = raw.get("type")
        if not isinstance(type, str) or type not in self.ACTIONS:
            raise Malformed({"type": one_of(self.ACTIONS)})
        reader = FieldReader(raw)
        action = self.actions_by_type.get(type, Resign)
        reader.allow(*fields_of(action))
        parsed = read_fields(action, reader, raw)
        if reader.errors:
            raise Malformed(reader.errors)
        return parsed

    def action_to_json(self, action: Any) -> ActionJson:
        """Return the action as JSON, without optional fields that are None."""
        return cast("ActionJson", {"type": action.type, **write_fields(action)})

    def action_text(self, action: Any) -> str:
        """Return the type and the fields of an action in their order: `claim forest 1,0`."""
        return " ".join([action.type, *text_of_fields(action)])

    def parse_action_text(self, text: str) -> Any:
        """Return the action that the short form stands for. Raises Malformed."""
        return self.parse_action(json_from_text(text, self._json_from_words))

    def _json_from_words(self, word: str, others: list[str]) -> JsonObject:
        if word not in self.ACTIONS:
            raise ValueError(word)
        fields = fields_from_text(self.actions_by_type.get(word, Resign), others)
        return {"type": word, **fields}

    def position(self, state: S, viewer: int | None) -> Any:
        """Return the state as JSON: everybody sees everything."""
        result: JsonObject = {
            "rules": self.NAME,
            "phase": state.phase,
            "round": state.round,
            "to_act": state.to_act,
            "players": [
                {"seat": seat, "score": score, "status": "out" if seat in state.out else "active"}
                for seat, score in enumerate(self.scores(state))
            ],
        }
        for name, form in self._own_fields.items():
            result[name] = form.write(getattr(state, name))
        if state.ranking is not None:
            result["ranking"] = state.ranking
        return result

    def read_position(self, position: Any) -> S:
        """Return the state that a position shows; the turns before it are not counted."""
        reader = FieldReader(position)
        players = position["players"]
        return self.STATE(
            seats=len(players),
            phase=position["phase"],
            round=position["round"],
            to_act=position["to_act"],
            out=tuple(player["seat"] for player in players if player["status"] == "out"),
            **{
                name: form.read(reader, position[name], name)
                for name, form in self._own_fields.items()
            },
        )
