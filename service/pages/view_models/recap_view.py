"""What has happened since the viewer's last turn, as the page of a game shows it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import parse_qs, urlsplit

from flask import request

from domain.game import Game
from domain.hexes import Hex
from domain.scene import Scene
from replay.history.recap import Recap, RecapEvent, scene_with_recap
from service.http.context import service
from service.pages.forms import number_parameter

SINCE: Final = "since"
"""The parameter of an address with which the board shows one event of a recap."""


@dataclass(frozen=True, slots=True)
class RecapView:
    """A recap for the player in a seat; `shown` is the event that the board shows, None: all of them."""

    game: Game
    seat: int
    recap: Recap
    shown: RecapEvent | None = None

    @property
    def events(self) -> Sequence[RecapEvent]:
        """The events, oldest first."""
        return self.recap.events

    @property
    def number(self) -> int:
        """The number of the shown event, from 1; 0 if the board shows all of them."""
        return 0 if self.shown is None else self.events.index(self.shown) + 1

    @property
    def all_address(self) -> str:
        """The address at which the board shows all events together."""
        return f"/games/{self.game.id}"

    def address(self, event: RecapEvent) -> str:
        """Return the address at which the board shows an event."""
        return f"{self.all_address}?{SINCE}={event.seq}"

    @property
    def previous(self) -> str | None:
        """The address of the event before the shown one, or of the last one; None at the first one."""
        if self.number == 1:
            return None
        return self.address(self.events[self.number - 2 if self.shown else -1])

    @property
    def next(self) -> str:
        """The address of the event after the shown one, or of the first one; after the last one, of all."""
        if self.number == len(self.events):
            return self.all_address
        return self.address(self.events[self.number])

    def scene(self, current: Scene, beside: Iterable[Hex] = ()) -> Scene:
        """Return the scene that the page shows in place of the current one; the board has the same room.

        The shown event is drawn on the board as it was after it, as the seat may see it. All events are drawn
        on the current board. Either way, the page has no caption for the board: the recap says more.
        """
        if self.shown is None:
            return replace(scene_with_recap(current, self.events), caption=None)
        head = self.game
        step = service().games.events.transition(head, self.shown.seq)
        position = step.after.position(self.seat, ended=head.has_ended)
        scene: Scene = step.after.rules.scene(position, step.event)
        hexes = {cell.at for cell in current.cells}
        return replace(
            current,
            cells=scene.cells,
            arrows=scene.arrows,
            outlines=scene.outlines,
            caption=None,
            room=tuple(sorted({*current.room, *hexes, *beside})),
        )


def recap_view(game: Game, seat: int | None) -> RecapView | None:
    """Return the recap for a seat; None if it has none, or nothing has happened since its last turn."""
    if seat is None or game.state is None or seat not in game.state.in_game():
        return None
    recap = service().games.recaps.recap(game, seat)
    events = [event for event in recap.events if event.has_board]
    if not any(event.is_action for event in events) and not recap.is_since_own_turn:
        # The start alone says nothing that the board does not show.
        return None
    is_silent = all(event.scores and not event.gains for event in events)
    if not events or (is_silent and not recap.omitted):
        # A round that was scored without a change says nothing.
        return None
    seq = number_parameter(SINCE)
    shown = next((event for event in events if event.seq == seq), None)
    return RecapView(game, seat, replace(recap, events=tuple(events)), shown)


def is_on_earlier_board() -> bool:
    """Return whether a script asks from a page whose board shows one event of a recap."""
    return SINCE in parse_qs(urlsplit(request.headers.get("HX-Current-URL", "")).query)
