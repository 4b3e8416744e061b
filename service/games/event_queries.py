"""The queries about single events: the explanation of an event, and pages of events that pass a filter.

The work for each query is bounded, however long the game is.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from domain.event import Event
from domain.game import Game
from domain.json_types import JsonObject
from replay.history.branches import can_be_superseded
from replay.history.event_filter import EventFilter
from replay.history.event_text import scored_round_end, seat_in_play
from replay.history.inspect import EventContext, explain_event, published_secret
from replay.history.timeline import Transition
from replay.language.renderer import Names, Renderer
from service.bounds import Bounds
from service.errors import GameDamaged
from service.games.loader import PAGE_LINES, GameLoader
from service.games.visibility import Visibility, visibility_for
from service.store.event_store import LogReader
from service.store.log_check import decode_opening

SEARCHED_EVENTS: Final = 500
"""The most events searched after an event for the scoring of its round, and before the start for nonces."""
NEXT_EVENTS: Final = 16
"""The number of events that are searched first: a round is usually scored right after its end."""


DeliveriesAbout: TypeAlias = Callable[[str, int, str, Renderer], list[JsonObject]]
"""Takes a game id, a seq and a player id, and returns the deliveries that the player may see."""


@dataclass(eq=False, repr=False)
class EventQueries:
    """Explains and filters events, limited to what a viewer may see. Thread-safe.

    `head` is always the game at its head, which the viewer must be allowed to see. Every method raises
    Unavailable if the store does not respond, and Unreadable if the game is damaged.
    """

    _loader: GameLoader
    _log_reader: LogReader
    _deliveries_about: DeliveriesAbout
    _bounds: Bounds

    def transition(self, head: Game, seq: int) -> Transition:
        """Return event `seq` with the games before and after it. Raises NotFound if there is none."""
        return self._loader.transition(head, seq)

    def superseded_by(self, head: Game, event: Event) -> int | None:
        """Return the event with which play resumed from before this event; None if it is on the current
        branch.

        A scored round belongs to the branch of the event that ended it.
        """
        if not can_be_superseded(event):
            return None
        seq: int | None = event["seq"]
        if event["type"] == "RoundScored" and head.is_superseded(event["seq"]):
            seq = scored_round_end(self.transition(head, event["seq"]))
        for resumption in head.resumptions:
            if seq is not None and resumption.has_superseded(seq):
                return resumption.seq
        return None

    def explain(
        self,
        head: Game,
        transition: Transition,
        player: str | None,
        renderer: Renderer,
        visibility: Visibility | None = None,
        *,
        lists_all_actions: bool = False,
    ) -> JsonObject:
        """Return the explanation of an event for a player, or for a spectator (None).

        Its texts are in the language of the renderer, with its names for the players. `visibility` is one
        that the player may have, by default that of the player.
        """
        if visibility is None:
            visibility = visibility_for(head, player)
        event, before, after = transition.event, transition.before, transition.after
        seq = event["seq"]
        others = [*self._following_events(head, seq, before, after), *self._resumptions(head, seq)]
        secret = None
        if event["type"] == "GameStarted":
            others = [*self._loader.event_range(head.id, max(0, seq - SEARCHED_EVENTS), seq)]
            if visibility.sees_everything:
                (last,) = self._loader.event_range(head.id, head.seq - 1, head.seq)
                secret = published_secret(last)
        context = EventContext(
            viewer=visibility.seat,
            has_ended=visibility.sees_everything,
            sees_actor=_sees_actor(visibility, before, event),
            openings=self._openings(head, event, visibility),
            others=others,
            secret=secret,
            deliveries=self._deliveries_for(head, seq, player, renderer),
        )
        return explain_event(
            transition,
            renderer.with_names(_names(head, event, renderer.names)),
            context,
            lists_all_actions=lists_all_actions,
        )

    def filtered_page(
        self, head: Game, after: int, limit: int, event_filter: EventFilter
    ) -> tuple[list[Event], int | None]:
        """Return at most `limit` events after event `after` that pass the filter, and the next `after`.

        A page examines a bounded number of events, fewer if the filter has clauses. It may therefore have
        fewer events than `limit`, even none, and still a next page. A page also ends before a damaged event.
        Raises GameDamaged if it would begin with one.
        """
        start = max(after, event_filter.first - 1)
        end = head.seq if event_filter.last is None else min(head.seq, event_filter.last)
        bounds = self._bounds
        examined = (
            bounds.max_explained_events if event_filter.needs_games else bounds.max_filtered_events
        )
        upto = min(end, start + examined)
        events: list[Event] = []
        try:
            for event, is_match in self._examined(head, start, upto, event_filter):
                if event_filter.is_past(event):
                    return events, None
                if is_match:
                    events.append(event)
                    if len(events) == limit:
                        return events, event["seq"] if event["seq"] < end else None
        except GameDamaged as damage:
            if damage.event == start + 1:
                raise
            # The next page is the error.
            return events, damage.event - 1
        return events, upto if upto < end else None

    def _examined(
        self, head: Game, after: int, upto: int, event_filter: EventFilter
    ) -> Iterator[tuple[Event, bool]]:
        """Yield the events after+1 … upto, each with True if it passes the filter."""
        if after >= upto:
            return
        if event_filter.needs_games:
            for transition in self._loader.transitions(head, after, upto):
                # The openings of secrets are left out, so that every viewer finds the same events.
                yield transition.event, event_filter.matches(transition)
            return
        while after < upto:
            page = self._loader.event_page(head.id, after, min(upto - after, PAGE_LINES))
            for event in page:
                yield event, event_filter.matches_event(event, head.rules)
            if not page:
                # The log has lost its last events.
                return
            after += len(page)

    def _following_events(
        self, head: Game, seq: int, before: Game | None, after: Game
    ) -> Sequence[Event]:
        """Return the events after one that ended a round or play, up to those that scored it."""
        rounds = [round for round, ended_by in after.rounds_ended.items() if ended_by == seq]
        ends_play = after.is_played_out and not (before is not None and before.is_played_out)
        if not rounds and not ends_play:
            return ()
        # Rounds are scored in order, and the game is finished after the last of them.
        last = ("GameFinished", None) if ends_play else ("RoundScored", max(rounds))
        events: list[Event] = []
        for searched in (NEXT_EVENTS, SEARCHED_EVENTS):
            upto = min(head.seq, seq + searched)
            events += self._loader.event_range(head.id, seq + len(events), upto)
            if any((event["type"], event["data"].get("round")) == last for event in events):
                break
        return events

    def _resumptions(self, head: Game, seq: int) -> Iterator[Event]:
        """Yield the events with which play has resumed from before event `seq`."""
        for resumption in head.resumptions:
            if resumption.has_superseded(seq):
                yield from self._loader.event_range(head.id, resumption.seq - 1, resumption.seq)

    def _openings(self, head: Game, event: Event, visibility: Visibility) -> JsonObject:
        """Return the openings of an event's secrets that are shown."""
        names = [name for name in event.get("secrets", ()) if visibility.may_see(name)]
        keys = {f"{event['seq']}/{name}": name for name in names}
        stored = self._log_reader.secrets(head.id, keys) if keys else {}
        return {keys[key]: decode_opening(opening) for key, opening in stored.items()}

    def _deliveries_for(
        self, head: Game, seq: int, player: str | None, renderer: Renderer
    ) -> list[JsonObject] | None:
        """Return the deliveries about an event for a player or the arbiter of the game; None for others."""
        if player is None or player not in (*head.participants, head.arbiter):
            return None
        return self._deliveries_about(head.id, seq, player, renderer)


def _names(head: Game, event: Event, names: Names) -> Names:
    """Return the names of the players and the arbiter, and of the player who caused the event."""
    by: Mapping[str, Any] = event["by"]
    others = (head.arbiter, by.get("player"))
    ids = dict.fromkeys([*head.all_players, *(id for id in others if id is not None)])
    handles = {id: handle for id in ids if (handle := names.handle(id)) is not None}
    return Names(handles, head.players)


def _sees_actor(visibility: Visibility, before: Game | None, event: Event) -> bool:
    """Return whether the viewer may see everything that the acting seat saw."""
    seat = seat_in_play(event)
    if seat is None or before is None or before.state is None:
        return True
    return visibility.sees_as(before, seat)
