"""Folding a log into a game: `fold` and `evolve` apply events and never check them against the rules.

The rule system applies the events of play to its state; this module does everything else that the events of
every game mean.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

from domain.chance import FIRST_SEED_VERSION
from domain.clock.fold import (
    CLOCK_APPLIERS,
    begin_or_end_pause,
    clear_missed_deadlines,
    count_missed_deadline,
    end_turn,
    excused,
    leave_holidays,
    missed_until,
    substituted,
    vacated,
)
from domain.contract import A, Opened, P, S
from domain.disputes.history import LastPlay, disputes_after, last_play_after
from domain.errors import Malformed, Unreadable
from domain.event import (
    VERSION,
    AdministratorDecided,
    ByPlayer,
    Event,
    EventData,
    GameCreated,
    GameFinished,
    GameStarted,
    HintGiven,
    InvitationDeclined,
    InvitationRevoked,
    PlayerInvited,
    PlayerKeyAdded,
    PlayerKeyRevoked,
    PlayResumed,
    RoundScored,
    SeatLeft,
    SeatTaken,
    acting_seat,
)
from domain.game import AdministratorDecision, Game, GameOf, Place, Resumption, copy
from domain.registry import rule_system_for
from domain.upcasters import upcast

NOTHING_OPENED: Final[Opened] = {}
"""No secret is known."""


class EarlierGames:
    """The earlier games from which events resume play, kept while these events are folded."""

    def __init__(
        self, events: Iterable[Event] = (), load: Callable[[int], Game] | None = None
    ) -> None:
        """Prepare for folding these events.

        `load` returns the game after an event that was folded before, by seq.
        """
        self.seqs = frozenset(
            origin
            for event in events
            if event["type"] == "PlayResumed" and type(origin := event["data"].get("from")) is int
        )
        """The events after which play is resumed."""
        self._games: dict[int, Game] = {}
        self._load = load

    def keep(self, game: Game) -> None:
        """Keep a game, which must not change afterwards, in case play resumes from it."""
        if game.seq in self.seqs:
            self._games[game.seq] = game

    def game_after(self, seq: int) -> Game:
        """Return the game after event `seq`. Raises Unreadable if no such game was folded before."""
        if seq in self._games:
            return self._games[seq]
        if self._load is None:
            raise Unreadable.with_message(
                "the game after event {event}, from which play resumes, is missing", event=seq
            )
        return self._load(seq)


NO_EARLIER_GAMES: Final = EarlierGames()


def fold(
    events: Sequence[Event],
    game: Game | None = None,
    opened: Opened = NOTHING_OPENED,
    earlier: EarlierGames | None = None,
) -> Game | None:
    """Return the game after the events, from the beginning or on from `game`, which stays as it was.

    `earlier` has the games from which play may resume; by default, only those that this call folds. Raises
    Unreadable for anything that cannot be an event of this game: a gap in `seq`, an unknown version.
    """
    if earlier is None:
        earlier = EarlierGames(events)
    if not events:
        return game
    current = None
    if game is not None:
        earlier.keep(game)
        current = copy(game)
    for event in events:
        current = _apply(current, event, opened, earlier)
        if current.seq in earlier.seqs:
            earlier.keep(copy(current))
    assert current is not None, "there is at least one event"
    last = events[-1]
    current.hash, current.state_hash, current.at = last["hash"], last["state"], last["at"]
    return current


def evolve(
    game: Game | None,
    event: Event,
    opened: Opened = NOTHING_OPENED,
    earlier: EarlierGames = NO_EARLIER_GAMES,
) -> Game:
    """The game after one more event; the given game stays as it was.

    `earlier` has the game from which the event resumes play, if it does.
    """
    owned = None if game is None else copy(game)
    after = _apply(owned, event, opened, earlier)
    after.hash, after.state_hash, after.at = event["hash"], event["state"], event["at"]
    return after


def _apply(game: Game | None, event: Event, opened: Opened, earlier: EarlierGames) -> Game:
    """Write an event into a game that the caller owns, but for its hashes and its time.

    Those of earlier events than the last one do not matter.
    """
    seq, type = event["seq"], event["type"]
    if event["v"] != VERSION:
        event = upcast(event)
    if game is None:
        if type != "GameCreated" or seq != 1:
            raise Unreadable.with_message(
                "a log begins with GameCreated as event 1, not with {type} as event {event}",
                type=type,
                event=seq,
            )
        game = _created(event, cast("GameCreated", event["data"]))
    elif seq != game.seq + 1:
        raise Unreadable.with_message(
            "event {event} follows event {previous}", event=seq, previous=game.seq
        )
    elif (has_action := event["action"] is not None) or type in _PLAY_WITHOUT_ACTION:
        _apply_play(game, event, type, has_action=has_action)
    elif type == "PlayResumed":
        _resume(game, event, cast("PlayResumed", event["data"]), opened, earlier)
    elif type in _LIFE_CYCLE_APPLIERS:
        _LIFE_CYCLE_APPLIERS[type](game, event, event["data"], opened)
    if game.pauses.agreed_by:
        begin_or_end_pause(game, event)
    game.seq = seq
    return game


def _created(event: Event, data: GameCreated) -> Game:
    try:
        rules = rule_system_for(data["rules"], data["options"])
    except Malformed as unknown:
        raise Unreadable.with_message(
            "the game is unknown here: {reason}", reason=unknown.why
        ) from unknown
    return Game(
        id=event["game"],
        rules=rules,
        seats=data["seats"],
        options=data["options"],
        clock=data["clock"],
        creator=cast("ByPlayer", event["by"])["player"],
        commitment=data["commitment"],
        invited=tuple(data.get("invited", ())),
        invitations=len(data.get("invited", ())),
        created_at=event["at"],
        seed_version=data.get("seed", FIRST_SEED_VERSION),
        arbiter=data.get("arbiter"),
    )


def _apply_play(game: GameOf[S, A, P], event: Event, type: str, *, has_action: bool) -> None:
    """Let the rule system apply an event of play, and note whether a turn or a round ended with it."""
    state = game.state
    assert state is not None, "an event of play follows GameStarted"
    turn, round, to_act = state.turn, state.round, state.to_act
    in_game = len(state.in_game()) if game.forfeits else 0
    # Without cast(), which would cost time at every event of a log; see `recorded_data`.
    game.rules.apply(state, type, event["data"])  # type: ignore[arg-type] # as above
    game.play_seq = event["seq"]
    if state.turn != turn:
        if game.clock is not None:
            end_turn(game, to_act, event)
        game.turn_at = event["at"]
        game.turn_extension = 0
    if round and (state.round != round or state.phase == "scoring"):
        game.rounds_ended[round] = event["seq"]
    if game.last_play is not None:
        game.last_play = game.last_play.followed_by(event)
    by = event["by"]
    if "seat" not in by:
        # In a forged log, an action may be by anybody; only the clock's are decided again.
        if not has_action or state.turn != turn:
            count_missed_deadline(game, event)
        return
    if by["seat"] in game.missed_deadlines:
        clear_missed_deadlines(game, by["seat"])
    if game.forfeits and _resets_forfeits(game, event, in_game):
        game.forfeits = {}


def _resets_forfeits(game: Game, event: Event, in_game: int) -> bool:
    """Whether an action shows that the game is not deserted: a person's, or one that puts a seat out.

    `in_game` is the number of seats that were in the game before.
    """
    assert game.state is not None, "an action follows GameStarted"
    is_of_bot = acting_seat(event["by"]) in game.bot_seats
    return not is_of_bot or len(game.state.in_game()) != in_game


def _seat_taken(game: Game, event: Event, data: SeatTaken, opened: Opened) -> None:
    game.places += (Place(data["player"], data["nonce"], data.get("bot")),)
    game.all_nonces += (data["nonce"],)


def _seat_left(game: Game, event: Event, data: SeatLeft, opened: Opened) -> None:
    game.places = tuple(place for place in game.places if place.player != data["player"])
    game.keys = {player: keys for player, keys in game.keys.items() if player != data["player"]}
    leave_holidays(game, data["player"])


def _invited(game: Game, event: Event, data: PlayerInvited, opened: Opened) -> None:
    game.invited += (data["player"],)
    game.invitations += 1


def _declined(game: Game, event: Event, data: InvitationDeclined, opened: Opened) -> None:
    game.invited = tuple(player for player in game.invited if player != data["player"])
    game.declined += (data["player"],)


def _revoked(game: Game, event: Event, data: InvitationRevoked, opened: Opened) -> None:
    game.invited = tuple(player for player in game.invited if player != data["player"])


def _key_added(game: Game, event: Event, data: PlayerKeyAdded, opened: Opened) -> None:
    _set_key(game, data["player"], data["key"], data["public"])


def _key_revoked(game: Game, event: Event, data: PlayerKeyRevoked, opened: Opened) -> None:
    _set_key(game, data["player"], data["key"], None)


def _set_key(game: Game, player: str, key: str, public: str | None) -> None:
    game.keys = {**game.keys, player: {**game.keys.get(player, {}), key: public}}


def _started(game: GameOf[S, A, P], event: Event, data: GameStarted, opened: Opened) -> None:
    game.status = "playing"
    game.players = tuple(data["players"])
    secrets = opened.get(event["seq"], {})
    game.state = game.rules.initial_state(game.seats, game.options, data, secrets)
    game.turn_at = event["at"]
    game.start_seq = game.play_seq = event["seq"]
    if game.options.get("takebacks"):
        game.last_play = LastPlay(event["seq"])


def _resume(
    game: GameOf[S, A, P], event: Event, data: PlayResumed, opened: Opened, earlier: EarlierGames
) -> None:
    """Restore the position after an earlier event, except for what the event has drawn again.

    `domain.game` says of each field whether it is restored. A round that had ended by then stays scored; one
    that ended later is scored again when it ends again.
    """
    if data["from"] >= event["seq"]:
        raise Unreadable.with_message(
            "play cannot resume after event {event}, which is not an earlier one",
            event=data["from"],
        )
    origin: GameOf[S, A, P] = earlier.game_after(data["from"])
    assert origin.state is not None, "play resumes from a position"
    nonces = game.resumption_nonces(data.get("because", 0))
    state = game.rules.copy(origin.state)
    game.rules.apply_redraw(state, opened.get(event["seq"], {}))
    game.state = state
    game.turn_at = event["at"]
    game.turn_extension = 0
    game.play_seq = origin.play_seq
    game.last_play = None if origin.last_play is None else replace(origin.last_play, takeback=None)
    game.resumptions += (Resumption(event["seq"], origin.seq, nonces),)
    game.forfeits = missed_until(game.forfeits, origin.seq)
    game.missed_deadlines = missed_until(game.missed_deadlines, origin.seq)
    game.turn_times = origin.turn_times
    ended = origin.rounds_scored + len(origin.rounds_ended)
    game.rounds_scored = min(game.rounds_scored, ended)
    game.rounds_ended = {
        round: seq for round, seq in origin.rounds_ended.items() if round > game.rounds_scored
    }


def _scored(game: Game, event: Event, data: RoundScored, opened: Opened) -> None:
    game.rounds_scored = data["round"]
    game.rounds_ended.pop(data["round"], None)


def _finished(game: GameOf[S, A, P], event: Event, data: GameFinished, opened: Opened) -> None:
    assert game.state is not None, "GameFinished follows GameStarted"
    game.rules.apply(game.state, event["type"], data)
    game.status = "finished"
    game.ranking = data["ranking"]


def _abandoned(game: Game, event: Event, data: EventData, opened: Opened) -> None:
    game.status = "abandoned"


def _disputed(game: Game, event: Event, data: EventData, opened: Opened) -> None:
    game.disputes = disputes_after(game.disputes, event)


def _administrator_decided(
    game: Game, event: Event, data: AdministratorDecided, opened: Opened
) -> None:
    game.turn_extension += data.get("seconds", 0)
    game.decision = AdministratorDecision(
        event["seq"], data["decision"], data.get("seat"), data.get("player")
    )


def _takeback(game: Game, event: Event, data: EventData, opened: Opened) -> None:
    if game.last_play is not None:
        if event["type"] == "TakebackRequested":
            action = game.last_play.action_of(acting_seat(event["by"]))
            game.requested_takebacks |= {game.last_play.seq if action is None else action.seq}
        game.last_play = last_play_after(game.last_play, event)


def _hinted(game: Game, event: Event, data: HintGiven, opened: Opened) -> None:
    game.hinted_at = game.position_seq
    game.hints += 1


_LIFE_CYCLE_APPLIERS: Final[Mapping[str, Callable[[Game, Event, Any, Opened], None]]] = {
    "SeatTaken": _seat_taken,
    "SeatLeft": _seat_left,
    "PlayerInvited": _invited,
    "InvitationDeclined": _declined,
    "InvitationRevoked": _revoked,
    "PlayerKeyAdded": _key_added,
    "PlayerKeyRevoked": _key_revoked,
    "GameStarted": _started,
    "RoundScored": _scored,
    "GameFinished": _finished,
    "GameAbandoned": _abandoned,
    "AdministratorDecided": _administrator_decided,
    "HintGiven": _hinted,
    "DeadlineExcused": excused,
    "SeatVacated": vacated,
    "SubstituteSeated": substituted,
    "DisputeOpened": _disputed,
    "DisputeAnswered": _disputed,
    "RulingProposed": _disputed,
    "DisputeWithdrawn": _disputed,
    "DisputeRuled": _disputed,
    "TakebackRequested": _takeback,
    "TakebackAnswered": _takeback,
    **CLOCK_APPLIERS,
}
"""By event type. The data is `Any` here alone: the type of an event determines the TypedDict of its data."""

_PLAY_WITHOUT_ACTION: Final = frozenset({"TurnForfeited", "PlayerRemoved"})
"""Events of play that no action causes: any other event without an action changes no position."""
