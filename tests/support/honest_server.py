"""A server that keeps to the rules, to decide whether such a server could have written a record.

Each event of a record is requested again from such a server, with every set of secrets that the game can
have. The record is refuted if the server writes the same events with none of them. Since this server always
knows all secrets, it has nothing in common with the way in which an audit decides without them.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any, cast

from domain import baron, barony, lifecycle
from domain.chance import commitment
from domain.clock import substitutes
from domain.clock.deadlines import act_for_absent_seat, deadline_outcome, excuse
from domain.conditional import KEEPING_EVENTS, seat_of_action
from domain.contract import STATEMENT, DomainEvent, Opened
from domain.corrections import RULINGS_SINCE
from domain.errors import CartularyError
from domain.event import ENDINGS, Event, EventData
from domain.fold import NOTHING_OPENED, EarlierGames, evolve
from domain.game import Game
from domain.json_types import JsonObject
from domain.lifecycle import NewGame
from ledger.canonical import canonical, unhex
from ledger.clock.settings import clock_faults
from ledger.clock.turn_clock import deadline
from ledger.commands import by_player
from ledger.envelope import is_hash
from ledger.pending import commitment as commitment_to
from ledger.record import Record
from tests.support.events import event_of
from tests.support.honest_disputes import TYPES as DISPUTE_EVENTS
from tests.support.honest_disputes import decide_dispute, due_event
from tests.support.honest_people import NOT_BY_BOTS, OF_PEOPLE, decide_for_people
from tests.support.possible_set_ups import is_possible_board, possible_secrets
from tests.support.running_games import DATA_ERRORS, read

CLOCK: JsonObject = {"system": "clock"}


class NotWritten(Exception):
    """The server would not have written the event."""


class HonestServer:
    """Follows a game event by event, and decides which event the rules have it write next.

    `secrets` are the secret values of the set-up. `secret` is the game's own, from which the start is drawn;
    without it the start may be any that chance can give.
    """

    def __init__(
        self,
        secrets: Mapping[str, Any],
        secret: bytes | None = None,
        drawn_anew: Opened = NOTHING_OPENED,
    ) -> None:
        """Begin without events. `drawn_anew` has the secrets of events that resume play, by seq and name."""
        self.secrets = dict(secrets)
        self.secret = secret
        self.drawn_anew = drawn_anew
        self.games: list[Game] = []
        self.log: list[JsonObject] = []
        self.game: Game | None = None
        self.round_ends: dict[int, Game] = {}

    def start_with(self, log: Sequence[JsonObject], games: Sequence[Game]) -> None:
        """Begin with these events; `games` has the game after each of them."""
        for event, game in zip(log, games, strict=True):
            self._remember(event, game)

    def accept(self, event: JsonObject) -> None:
        """Append an event to the log without checking it."""
        secrets = self.secrets
        if event["type"] == "PlayResumed":
            secrets = dict(self.drawn_anew.get(event["seq"], {}))
        earlier = EarlierGames([cast("Event", event)], lambda seq: self.games[seq - 1])
        opened = {event["seq"]: secrets}
        self._remember(event, evolve(self.game, cast("Event", event), opened, earlier))

    def _remember(self, event: JsonObject, game: Game) -> None:
        self.log.append(event)
        self.games.append(game)
        self.game = game
        for round, seq in game.rounds_ended.items():
            if seq == game.seq:
                self.round_ends[round] = game

    def decide(self, event: JsonObject) -> tuple[JsonObject, DomainEvent]:
        """Return the event that the server would write in place of this one: `by`, and the domain event.

        Raises NotWritten, Refused, or one of DATA_ERRORS if the data of the event are made up.
        """
        game, type, data, by = self.game, event["type"], event["data"], event["by"]
        if game is None:
            return {"player": by["player"]}, self._creation(data, by["player"])
        if game.seq == 1 and type != "SeatTaken":
            raise NotWritten("the creator joins first")
        if lifecycle.can_start(game) and type != "GameStarted":
            raise NotWritten("a full game starts at once")
        if game.status == "open" and all(place.bot for place in game.places) and game.seq > 1:
            raise NotWritten("a game that all people left is abandoned at once")
        if self._is_deserted() and (type, by) != ("GameAbandoned", {"system": "clock"}):
            raise NotWritten("the clock abandons a deserted game immediately")
        self._check_presence(event, game)
        due = due_event(game, self.log[-1])
        if due is not None and not _includes(event, due):
            raise NotWritten(f"{due} follows at once")
        if event["action"] is not None and by == CLOCK:
            return CLOCK, self._act_for_absent_seat(event, game)
        if event["action"] is not None:
            seat = by["seat"]
            if seat >= game.seats:
                raise NotWritten("the game has no such seat")
            action = game.rules.parse_action(event["action"])
            return {"seat": seat}, game.decide(seat, action)
        match type:
            case "SeatTaken":
                player = game.creator if game.seq == 1 else data["player"]
                bot, inviter = data.get("bot"), data.get("invited_by")
                if inviter is not None and not self._needs_invitation(event, game):
                    raise NotWritten("an invitation is not needed, or nobody's")
                return {"player": player if bot is None else game.creator}, lifecycle.join(
                    game, player, unhex(data["nonce"]), data.get("nonce_from"), bot, inviter
                )
            case "SeatLeft":
                return {"player": data["player"]}, lifecycle.leave(game, data["player"])
            case "GameStarted":
                return {"system": "start"}, self._start(game, data)
            case "RoundScored":
                round = min(game.rounds_ended)
                return {"system": "scorer"}, lifecycle.score(game, round, self.round_ends[round])
            case "PlayerRemoved" if by == {"system": "arbiter"}:
                if due is None and event["at"] >= RULINGS_SINCE:
                    raise NotWritten("nobody has decided the removal")
                return {"system": "arbiter"}, lifecycle.remove(game, data["seat"])
            case "TurnForfeited" | "PlayerRemoved" | "DeadlineExcused":
                return CLOCK, self._missed_deadline(game, event["at"])
            case "SeatVacated" if by == CLOCK:
                return CLOCK, self._missed_deadline(game, event["at"])
            case _ if type in OF_PEOPLE:
                return decide_for_people(game, event)
            case "EventsLost":
                last, hash = data["last"], data["hash"]
                if not is_hash(hash) or type(last) is not int or last < 1:
                    raise TypeError("a loss names an event")
                if any(earlier["hash"] == hash for earlier in self.log):
                    raise NotWritten("the event is there")
                return {"system": "store"}, lifecycle.lose_events(game, last, hash)
            case "PlayResumed" if due is not None:
                origin = self.games[data["from"] - 1]
                because = data["because"]
                return due["by"], lifecycle.resume(game, origin, because, self.secret or b"")
            case _ if type in DISPUTE_EVENTS:
                return decide_dispute(self.games, event, {"system": "arbiter"})
            case "PlayerKeyAdded":
                added = lifecycle.add_key(game, data["player"], data["key"], data["public"])
                return {**by_player(game, data["player"])}, added
            case "PlayerKeyRevoked":
                revoked = lifecycle.revoke_key(game, data["player"], data["key"])
                return {**by_player(game, data["player"])}, revoked
            case "GameFinished" if self.secret is not None:
                return {"system": "scorer"}, lifecycle.finish(game, self.secret)
            case "GameAbandoned" if self.secret is not None:
                if due is None and not self._is_deserted() and event["at"] >= RULINGS_SINCE:
                    raise NotWritten("nobody has decided the end")
                by = {"system": "clock" if self._is_deserted() else "arbiter"}
                return by, lifecycle.abandon(game, self.secret)
            case _:
                raise NotWritten(f"nothing calls for {type} in a game under way")

    def _in_game(self, index: int) -> Sequence[int]:
        """The seats in the game after an event, by its index."""
        state = self.games[index].state
        return () if state is None else state.in_game()

    def _is_deserted(self) -> bool:
        """Whether each person in the game has missed enough turns since one acted or a seat went out."""
        game = self.game
        if game is None or game.state is None or game.to_act is None:
            return False
        bots = {place.player for place in game.places if place.bot is not None}
        people = [
            seat
            for seat in game.state.in_game()
            if game.players[seat] not in bots and seat not in game.vacant_seats
        ]
        if not people:
            return bool(game.vacant_seats)
        misses: Counter[int] = Counter()
        for index in reversed(range(1, len(self.log))):
            event = self.log[index]
            if event["type"] == "SubstituteSeated":
                break
            if event["action"] is not None and event["by"] != CLOCK:
                is_of_bot = game.players[event["by"]["seat"]] in bots
                if not is_of_bot or self._in_game(index) != self._in_game(index - 1):
                    break
            if event["by"] == CLOCK and self.games[index].turn != self.games[index - 1].turn:
                misses[event["data"].get("seat", -1)] += event["type"] != "PlayerRemoved"
        most = ((game.clock or {}).get("on_deadline") or {}).get("abandon_after", 2)
        return all(misses[seat] >= most for seat in people)

    def _check_presence(self, event: JsonObject, game: Game) -> None:
        """Check that somebody is there who causes an event, and that a prepared action can be one."""
        seat = event["by"].get("seat")
        if seat is not None and seat in game.vacant_seats:
            raise NotWritten("nobody has the seat")
        bots = [place.player for place in game.places if place.bot is not None]
        player = event["by"].get("player")
        if seat is not None and seat < len(game.players):
            player = game.players[seat]
        if player in bots and event["type"] in NOT_BY_BOTS:
            raise NotWritten("bots do no such thing")
        if "conditional" not in event:
            return
        if event["action"] is None or seat is None or player in bots or "signature" in event:
            raise NotWritten("nobody has prepared this")
        if not self._can_have_prepared(seat):
            raise NotWritten("nothing can have been prepared")

    def _can_have_prepared(self, seat: int) -> bool:
        """Whether another player has acted while the seat waited, and nothing has voided its tree since."""
        for index in reversed(range(1, len(self.log))):
            event, before = self.log[index], self.games[index - 1]
            if event["action"] is None:
                if event["type"] not in KEEPING_EVENTS:
                    return False
            elif seat_of_action(cast("Event", event)) != seat and before.to_act not in (None, seat):
                return before.state is not None and seat in before.state.in_game()
        return False

    def _needs_invitation(self, event: JsonObject, game: Game) -> bool:
        """Whether a player of a private game had to invite a person by a link, and can have done so."""
        data = event["data"]
        people = [place.player for place in game.places if place.bot is None]
        return (
            game.options["private"]
            and "bot" not in data
            and data["invited_by"] in people
            and data["player"] not in (game.creator, *game.invited)
        )

    def _creation(self, data: JsonObject, creator: str) -> DomainEvent:
        """`GameCreated` with any valid clock, invitations and commitment."""
        invited = data.get("invited", [])
        if clock_faults(data["clock"]) or len({*invited, creator}) <= len(invited):
            raise NotWritten("the clock or the invitations are invalid")
        if not all(isinstance(player, str) for player in invited):
            raise NotWritten("the invitations are invalid")
        new = NewGame(
            rules=data["rules"],
            seats=data["seats"],
            options=data["options"],
            clock=data["clock"],
            invited=invited,
            arbiter=data.get("arbiter"),
        )
        created = lifecycle.create(new, b"", data.get("seed", 1))
        return event_of(created.type, {**created.data, "commitment": data["commitment"]})

    def _start(self, game: Game, data: JsonObject) -> DomainEvent:
        if not lifecycle.can_start(game):
            raise NotWritten("places are free, or it has started")
        if self.secret is not None:
            return lifecycle.start(game, self.secret)
        players, joined = data["players"], [place.player for place in game.places]
        if game.options["seating"] == "joined" and players != joined:
            raise NotWritten("seats are in the order of joining")
        if sorted(players) != sorted(joined):
            raise NotWritten("players are those that joined")
        if game.rules.NAME == barony.NAME and not is_possible_board(
            data, game.seats, sorcery=self.log[0]["data"]["options"]["sorcery"]
        ):
            raise NotWritten("chance gives no such board")
        return DomainEvent("GameStarted", cast("EventData", data), self.secrets)

    def _missed_deadline(self, game: Game, at: str) -> DomainEvent:
        """Return what the clock does at a deadline that has passed, but for playing with a bot."""
        self._require_due(game, at)
        clock = game.clock or {}
        if "on_deadline" not in clock and not game.options.get("substitutes"):
            return lifecycle.forfeit(game)
        match deadline_outcome(game):
            case "excuse":
                return excuse(game)
            case "vacate":
                assert game.to_act is not None
                return substitutes.vacate(game, game.to_act)
            case "remove":
                assert game.to_act is not None
                return lifecycle.remove(game, game.to_act)
            case "forfeit":
                return lifecycle.forfeit(game)
            case _:
                raise NotWritten("a bot plays the turn")

    def _act_for_absent_seat(self, event: JsonObject, game: Game) -> DomainEvent:
        self._require_due(game, event["at"])
        if deadline_outcome(game) != "bot":
            raise NotWritten("no bot plays the turn")
        return act_for_absent_seat(game, game.rules.parse_action(event["action"]))

    def _require_due(self, game: Game, at: str) -> None:
        """Check that the game has a clock and the turn's time is over, unless nobody has the seat."""
        if game.to_act in game.vacant_seats:
            return
        moment = deadline(game)
        if moment is None:
            raise NotWritten("there is no clock")
        if datetime.fromisoformat(at) < moment:
            raise NotWritten("the turn has time left")


def _includes(event: JsonObject, due: JsonObject) -> bool:
    """Whether an event has these fields, and in its data at least these values."""
    return all(event[name] == due[name] for name in ("type", "by", "at")) and all(
        event["data"].get(name) == value for name, value in due["data"].items()
    )


def refutation(data: bytes) -> str | None:
    """Return why no server that keeps to the rules can have written the record, or None if one can."""
    try:
        record = read(data)
        _check_envelopes(record)
        return _first_difference(record, _published_secret(record))
    except NotWritten as error:
        return str(error)
    except (CartularyError, *DATA_ERRORS) as error:
        return f"cannot be read: {error}"


def _first_difference(record: Record, secret: bytes | None) -> str | None:
    """Return None if an honest server writes the same with some possible set of secrets.

    Otherwise, return a difference.
    """
    difference = "chance gives no such set-up"
    for secrets in _secrets(record):
        try:
            _write_again(record, HonestServer(secrets, secret, record.opened_values()))
        except NotWritten as error:
            difference = str(error)
        else:
            return None
    return difference


def _write_again(record: Record, server: HonestServer) -> None:
    """Raise NotWritten at the first event that the server would have written differently."""
    for event in record.events:
        try:
            by, expected = server.decide(dict(event))
            if event["by"] != by:
                raise NotWritten(f"event {event['seq']} would be by {by}")
            if canonical([expected.type, expected.data, sorted(expected.secrets)]) != canonical(
                [event["type"], event["data"], sorted(event.get("secrets", ()))]
            ):
                raise NotWritten(f"event {event['seq']} would be {expected}")
            server.accept(dict(event))
        except (CartularyError, *DATA_ERRORS) as error:
            raise NotWritten(f"event {event['seq']}: {error}") from error


def _published_secret(record: Record) -> bytes | None:
    """Return the secret that the end of the game publishes, or None while the game is under way."""
    end = record.events[-1]
    if end["type"] not in ENDINGS:
        return None
    secret = unhex(end["data"]["secret"])
    if commitment(secret) != record.events[0]["data"]["commitment"]:
        raise NotWritten("another secret was committed to")
    return secret


def _check_envelopes(record: Record) -> None:
    """Check that all events are of one game and in order of time, and that the openings fit the commitments.

    At the end of a game, all secrets must be opened.
    """
    events = record.events
    for before, after in pairwise(events):
        if after["game"] != before["game"] or after["at"] < before["at"]:
            raise NotWritten(f"event {after['seq']} does not follow the one before it")
    for seq, openings in record.openings.items():
        for name, opening in openings.items():
            if commitment_to(opening) != events[seq - 1].get("secrets", {}).get(name):
                raise NotWritten(f"event {seq} did not commit to {name}")
    if events[-1]["type"] in ENDINGS:
        committed = {(e["seq"], name) for e in events for name in e.get("secrets", ())}
        opened = {(seq, name) for seq, values in record.openings.items() for name in values}
        if any(name != STATEMENT for _, name in committed - opened):
            raise NotWritten("the game is over, and secrets are not opened")


def _secrets(record: Record) -> Iterator[Mapping[str, Any]]:
    """Iterate over the sets of secrets that the game can have; a game without secrets has one empty set."""
    first = record.events[0]["data"]
    start = next((event for event in record.events if event["type"] == "GameStarted"), None)
    if first["rules"] == baron.NAME and start is not None:
        shown = record.opened_values().get(start["seq"], {})
        yield from possible_secrets(start, record.events, first["seats"], shown)
    else:
        yield {}
