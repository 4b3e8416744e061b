"""The rules that games with turns have in common: turns, forfeits, departures, ranking, and no secrets."""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import Any, cast

from domain.chance import Chance
from domain.contract import DomainEvent, Inference, Opened, OwnOptions, Resign
from domain.errors import NotNow, Refused
from domain.event import EventData, Ranked, RankingEntry, Standing
from domain.json_fields import FieldReader
from domain.messages import Text, message
from domain.turn_games.definition import S
from domain.turn_games.fields import read_fields, write_fields
from domain.turn_games.formats import Formats, PlayerResigned, TurnForfeited
from domain.turn_games.state import (
    Then,
    apply_then,
    next_seat,
    ranking,
    require_in_game,
    require_play,
    require_turn,
    same_turn,
    turn_of,
)


class TurnRules(Formats[S]):
    """The rules that follow from the actions of a game, and from who acts when."""

    def set_up(self, seats: int, options: OwnOptions, chance: Chance) -> DomainEvent:
        """Draw nothing."""
        return DomainEvent("GameStarted", cast("EventData", {}))

    def initial_state(
        self, seats: int, options: OwnOptions, data: EventData, opened: Mapping[str, object]
    ) -> S:
        """Return the state at the start."""
        return self.start(seats, options)

    def set_up_faults(
        self,
        seats: int,
        options: OwnOptions,
        data: Mapping[str, object],
        opened: Mapping[str, object],
    ) -> Sequence[Text]:
        """Report every field: the set-up of such a game has no fields."""
        return [message("it has no field {name}", name=name) for name in data if name != "players"]

    def infer_secrets(
        self,
        seats: int,
        options: OwnOptions,
        start: tuple[int, Mapping[str, object]],
        played: Iterable[tuple[int, S, DomainEvent]],
        opened: Opened,
        chance: Chance | None = None,
    ) -> Inference:
        """Return what is open: there are no secrets."""
        return Inference(opened)

    def redraw(self, state: S, chance: Chance) -> Mapping[str, object]:
        """Draw nothing."""
        return {}

    def apply_redraw(self, state: S, opened: Mapping[str, object]) -> None:
        """Change nothing."""

    def decide(self, state: S, seat: int, action: Any) -> DomainEvent:
        """Return the event of an action. Raises Refused with the clause, and NotNow when play is over."""
        if isinstance(action, Resign):
            return self._departure("PlayerResigned", state, seat)
        require_turn(state, seat, self.TURN)
        if (reason := self.refusal(state, seat, action)) is not None:
            raise Refused(*reason)
        outcome = self.outcome(state, seat, action)
        after = self.copy(state)
        self.perform(after, seat, action, outcome)
        data = {
            "seat": seat,
            **write_fields(action),
            **write_fields(outcome),
            "then": self.after_turn(after),
        }
        return DomainEvent(action.event, cast("EventData", data))

    def after_turn(self, after: S) -> Then:
        """Return the turn order after a turn; in `after`, its seat is still to act.

        By default it is the turn of the next seat that has an action, and play is over if none has.
        """
        seat = next_seat(after, lambda seat: any(True for _ in self.moves(after, seat)))
        return turn_of(after, seat)

    def after_departure(self, after: S, seat: int) -> Then:
        """Return the turn order when a seat has left the game: with one seat left, play is over."""
        if len(after.in_game()) == 1:
            return turn_of(after, None)
        return self.after_turn(after) if seat == after.to_act else same_turn(after)

    def forfeit(self, state: S) -> DomainEvent:
        """Return `TurnForfeited`: the turn is over without an action. Raises NotNow."""
        seat = require_play(state, self.TURN)
        data: TurnForfeited = {"seat": seat, "then": self.after_turn(state)}
        return DomainEvent("TurnForfeited", data)

    def remove(self, state: S, seat: int) -> DomainEvent:
        """Return `PlayerRemoved`: as if the seat had resigned. Raises Refused."""
        return self._departure("PlayerRemoved", state, seat)

    def _departure(self, type: str, state: S, seat: int) -> DomainEvent:
        require_in_game(state, seat, self.TURN)
        after = self.copy(state)
        after.out = (*state.out, seat)
        data: PlayerResigned = {"seat": seat, "then": self.after_departure(after, seat)}
        return DomainEvent(type, data)

    def finish(self, state: S) -> DomainEvent:
        """Return `GameFinished` but for `secret`. Raises NotNow before play is over."""
        if state.phase != "scoring":
            raise NotNow(self.TURN, message("the game is not being scored"))
        data: Ranked = {"ranking": self.ranking(state)}
        return DomainEvent("GameFinished", data)

    def ranking(self, state: S) -> list[RankingEntry]:
        """Return the ranking: the highest score first, and seats that have left the game last."""
        return ranking(state, self.scores(state))

    def standings(self, state: S) -> Sequence[Standing]:
        """Return the scores by seat."""
        return [{"seat": seat, "score": score} for seat, score in enumerate(self.scores(state))]

    def copy(self, state: S) -> S:
        """Return a state that can be changed without changing this one."""
        return copy(state)

    def apply(self, state: S, type: str, data: EventData) -> None:
        """Write a recorded event into a state that the caller owns."""
        fields: Any = data
        if type in self.actions_by_event:
            self.perform(state, fields["seat"], *self.read_event(type, data))
        elif type in ("PlayerResigned", "PlayerRemoved"):
            state.out = (*state.out, fields["seat"])
        elif type == "GameFinished":
            state.phase, state.ranking = "finished", fields["ranking"]
            return
        apply_then(state, fields["then"])

    def read_event(self, type: str, data: EventData) -> tuple[Any, Any]:
        """Return the action that became an event of this type, and its outcome."""
        action = self.actions_by_event[type]
        reader = FieldReader(cast("Any", data))
        parts = (action, self.MOVES[action])
        performed, outcome = (read_fields(part, reader, reader.raw) for part in parts)
        return performed, outcome

    def legal_actions(self, state: S, seat: int) -> Sequence[Any]:
        """Return the actions of the seat whose turn it is; [] for any other."""
        return list(self.moves(state, seat)) if seat == state.to_act else []

    def actions_at_any_time(self, state: S, seat: int) -> Sequence[Any]:
        """Return resigning, for a seat that is in the game while it is played."""
        return [Resign()] if state.to_act is not None and seat in state.in_game() else []
