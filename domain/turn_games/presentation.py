"""What people see of a game with turns: sentences, explanations and scenes."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from domain.contract import DomainEvent, Reason, ScoreChange, package_of
from domain.event import Event, EventData, RoundScored
from domain.hexes import Hex, hex_of
from domain.lessons import Lesson
from domain.life_cycle_messages import LIFE_CYCLE_MESSAGES
from domain.messages import PlayerAt, Text, comma_list, listing, message, message_in
from domain.scene import Arrow, Cell, LegendEntry, Panel, Row, Scene, caption
from domain.turn_games.choices import Choices
from domain.turn_games.definition import S
from domain.turn_games.fields import fields_of, form_of


class Presentation(Choices[S]):
    """Sentences, explanations and scenes, each good enough to play with."""

    SCORE_NAME: Text = message_in("label", "score")
    EXPLAINED_BY: Mapping[str, str] = {}
    LEGEND: tuple[LegendEntry, ...] = ()
    LESSONS: Sequence[Lesson[Any, Any]] = ()
    OUT_CLAUSES: Collection[str]

    def __init__(self) -> None:
        super().__init__()
        self.OUT_CLAUSES = (self.LEAVING,)

    def event_message(self, type: str, data: EventData) -> Text:
        """Return an event in one line."""
        if type in LIFE_CYCLE_MESSAGES:
            return LIFE_CYCLE_MESSAGES[type](data)
        if type in self.actions_by_event:
            return self.action_message(*self.read_event(type, data))
        match type:
            case "GameStarted":
                return message("the game starts")
            case "RoundScored":
                return _round_scored(cast("RoundScored", data))
            case "GameFinished":
                return message("the game is over")
            case _:
                return message("{type}", type=type)

    def action_message(self, action: Any, outcome: Any) -> Text:
        """Return an action in one line, without the player: its label, and the values of its fields."""
        words = [
            self.label(value) if isinstance(value, str) else form_of(hint).words(value)
            for part in (action, outcome)
            for name, hint in fields_of(type(part)).items()
            if (value := getattr(part, name)) is not None
        ]
        name = self.label(action.type)
        if not words:
            return name
        return message("{action}: {details}", action=name, details=comma_list(words))

    def explain(self, state: S | None, seat: int | None, event: DomainEvent) -> list[Reason]:
        """Return the clauses of an action, that of leaving with the seat, or that of turns for a forfeit."""
        if event.type in self.actions_by_event:
            clauses = self.actions_by_event[event.type].clauses
            return [(clause, self.CLAUSES[clause]) for clause in clauses]
        data: Any = event.data
        if event.type in ("PlayerResigned", "PlayerRemoved"):
            leaves = message("{player} leaves the game", player=PlayerAt(data["seat"]))
            return [(self.LEAVING, leaves)]
        return [(self.TURN, self.CLAUSES[self.TURN])] if event.type == "TurnForfeited" else []

    def score_changes(self, state: S, type: str, data: EventData) -> Sequence[ScoreChange]:
        """Return by how much an action changes the score of each seat."""
        if type not in self.actions_by_event:
            return []
        after = self.copy(state)
        self.apply(after, type, data)
        source = self.label(self.actions_by_event[type].type)
        scores = zip(self.scores(state), self.scores(after), strict=True)
        return [
            (seat, source, later - earlier)
            for seat, (earlier, later) in enumerate(scores)
            if later != earlier
        ]

    def scene(self, position: Any, event: Event | None) -> Scene:
        """Return the cells, with the hexes that the last event has named marked, and a panel for each seat.

        An event with two hexes `start` and `end` is an arrow between them.
        """
        state = self.read_position(position)
        data = {} if event is None else event["data"]
        named = _hexes_in(data)
        ends = [hex_of(data[name]) for name in ("start", "end") if name in data]
        return Scene(
            title=message("{game}, round {round}", game=self.TITLE, round=state.round),
            cells=tuple(_marked(cell, named) for cell in self.cells(state)),
            panels=tuple(
                Panel(
                    player["seat"],
                    message("{player}", player=PlayerAt(player["seat"])),
                    player["score"],
                    tuple(self.rows(state, player["seat"])),
                    is_to_act=player["seat"] == state.to_act,
                    is_out=player["status"] == "out",
                )
                for player in position["players"]
            ),
            caption=None if event is None else caption(event, self.event_message),
            arrows=(Arrow(data["seat"], *ends),) if len(ends) == 2 else (),
            legend=self.LEGEND,
            package=package_of(self),
        )

    def rows(self, state: S, seat: int) -> Iterable[Row]:
        """Return what a seat has beside the board, as labels with values."""
        return ()


def _round_scored(data: RoundScored) -> Text:
    scores = [
        message("{player} {score}", player=PlayerAt(entry["seat"]), score=entry["score"])
        for entry in data["standings"]
    ]
    return message("round {round} is scored: {scores}", round=data["round"], scores=listing(scores))


def _hexes_in(data: object) -> frozenset[Hex]:
    """The hexes that a value of JSON contains anywhere: lists of two whole numbers."""
    if isinstance(data, Mapping):
        return frozenset(at for part in data.values() for at in _hexes_in(part))
    if not isinstance(data, list):
        return frozenset()
    if len(data) == 2 and all(type(part) is int for part in data):
        return frozenset({hex_of(data)})
    return frozenset(at for part in data for at in _hexes_in(part))


def _marked(cell: Cell, named: Collection[Hex]) -> Cell:
    return replace(cell, is_changed=True) if cell.at in named else cell
