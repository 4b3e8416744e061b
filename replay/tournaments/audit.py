"""Checks the record of a tournament: its chain, the draws, the pairings, the results and the standings.

Every event is decided again from the events before it. Results are compared with the records of the games;
results that cannot be checked without a missing record are reported.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, Final, cast

from domain import chance
from domain.errors import CartularyError, Refused, Unreadable
from domain.event import ENDINGS, ZEROS, Event
from domain.fold import fold
from domain.json_fields import is_integer
from domain.json_types import JsonObject
from domain.lifecycle import check_options
from domain.messages import Message, message
from domain.tournaments import arena_decisions, decisions, draws, team_entries
from domain.tournaments.arena import PATIENCE_SECONDS
from domain.tournaments.byes import cancel_bye, request_bye
from domain.tournaments.changes import CHANGES, can_change, decide_change
from domain.tournaments.events import SYSTEM, Decided, TournamentEvent
from domain.tournaments.folding import evolve_tournament
from domain.tournaments.tournament import DrawnRound, Tournament
from ledger.keys import BadSignature, check_head
from ledger.record import Record, read
from replay.audit.findings import Outcome
from replay.audit.inclusion import check_inclusion
from replay.audit.quick import quick_audit
from replay.tournaments.dates import CALENDAR, middle_of
from replay.tournaments.log import TournamentRecord, chain_fault

LoadGame = Callable[[str], bytes | None]
"""Returns the record of a game by its id; None if it is missing."""
_BY_PLAYERS: Final = frozenset(
    {
        *("PlayerRegistered", "SubstituteRegistered", "LateEntrantRegistered"),
        *("ByeRequested", "ByeCancelled"),
        *("TeamEntered", "TeamChanged", "TeamJoined"),
        *("BreakTaken", "BreakEnded"),
    }
)
"""The types of events of which each player is the author of their own."""


@dataclass(frozen=True, slots=True)
class TournamentVerdict:
    """The result of an audit. `seq` is the first wrong event, if any.

    `missing` are the games whose records are needed to check the rest.
    """

    outcome: Outcome
    reason: Message
    seq: int | None = None
    missing: tuple[str, ...] = ()


class _Differs(CartularyError):
    """An event differs from the expected one, by the events before it or the record of a game."""


@dataclass(slots=True)
class _Audit:
    """The state of an audit: the tournament so far, and the games that could not be examined."""

    load_game: LoadGame
    missing: list[str] = field(default_factory=list)
    games: dict[str, Record | None] = field(default_factory=dict)

    def game(self, game_id: str, keys: Sequence[JsonObject]) -> Record | None:
        """Return the record of a game; None if it is missing. Raises _Differs if it is broken."""
        if game_id not in self.games:
            data = self.load_game(game_id)
            self.games[game_id] = None if data is None else _checked_game(data, game_id, keys)
            if data is None:
                self.missing.append(game_id)
        return self.games[game_id]


def audit_tournament(
    record: TournamentRecord, load_game: LoadGame, keys: Sequence[JsonObject] = ()
) -> TournamentVerdict:
    """Check a record of a tournament, signed by one of `keys`, by default of the keys that it lists."""
    audit = _Audit(load_game)
    listed = record.header["keys"]
    tournament: Tournament | None = None
    try:
        _check_head(record, keys or listed)
    except _Differs as error:
        return TournamentVerdict("broken", _message(error), None)
    for event in record.events:
        try:
            _check_chain(tournament, event, record.header["tournament"])
            if tournament is not None:
                _check_event(audit, tournament, event, listed)
            tournament = evolve_tournament(tournament, event)
            if event["type"] in ("RoundDrawn", "TableReplayed"):
                _check_games(audit, tournament, listed)
            if event["type"] == "GamesSecretPublished":
                _check_secrets(audit, tournament, listed)
        except (_Differs, Refused, Unreadable) as error:
            return TournamentVerdict("broken", _message(error), event["seq"])
        except (KeyError, TypeError, ValueError, IndexError):
            return TournamentVerdict(
                "broken", message("its data does not have the form of its type"), event["seq"]
            )
    return _verdict_of_log(audit, record)


def _verdict_of_log(audit: _Audit, record: TournamentRecord) -> TournamentVerdict:
    events: Any = [{**event, "game": event["tournament"]} for event in record.events]
    header = {**record.header, "game": record.header["tournament"]}
    check = check_inclusion(Record(header=header, events=events))
    missing = tuple(dict.fromkeys(audit.missing))
    if check.findings and check.verdict == "broken":
        return TournamentVerdict(
            "broken",
            message("the proof that the log of the server contains the tournament is wrong"),
        )
    if missing:
        return TournamentVerdict(
            "unknown",
            message(
                "the record of game {game} is missing: its result cannot be compared",
                game=missing[0],
            ),
            missing=missing,
        )
    if check.verdict == "unknown":
        return TournamentVerdict(
            "unknown",
            message("there is no proof that the log of the server contains all of this history"),
        )
    return TournamentVerdict("sound", message("the tournament went as its rules and games say"))


def _message(error: CartularyError) -> Message:
    return message("{reason}", reason=error.message)


def _check_head(record: TournamentRecord, keys: Sequence[JsonObject]) -> None:
    head, last = record.header["head"], record.events[-1]
    if (head["seq"], head["hash"]) != (last["seq"], last["hash"]):
        raise _Differs.with_message("the signed head is not the last event of the record")
    try:
        check_head(record.header, keys)
    except BadSignature as bad:
        raise _Differs(bad.message) from None


def _check_chain(before: Tournament | None, event: TournamentEvent, id: str) -> None:
    if fault := chain_fault(event, id, ZEROS if before is None else before.hash):
        raise _Differs(fault)
    if before is not None and event["at"] < before.at:
        raise _Differs.with_message("it is earlier than the previous event")


def _check_event(
    audit: _Audit, before: Tournament, event: TournamentEvent, keys: Sequence[JsonObject]
) -> None:
    """Decide an event again from the tournament before it. Raises _Differs and Refused."""
    data, by = event["data"], event["by"]
    _check_handover(before, event)
    expected: Decided
    match event["type"]:
        case "PlayerRegistered" | "SubstituteRegistered" | "LateEntrantRegistered":
            nonce = _nonce(data)
            expected = decisions.register(before, data["player"], nonce, event["at"])
        case "ByeRequested" | "ByeCancelled" as type:
            decide = request_bye if type == "ByeRequested" else cancel_bye
            if not is_integer(data["round"]):
                raise _Differs.with_message("the round is not a number")
            expected = decide(before, data["player"], data["round"], event["at"])
        case "CaptainNamed" if by == SYSTEM:
            expected = team_entries.pass_on(before, str(data.get("captain"))) or Decided("", {})
        case "TeamEntered" | "TeamChanged" | "TeamJoined" | "LineUpSet" | "CaptainNamed":
            expected = _of_team(before, event)
        case "BreakTaken":
            expected = arena_decisions.take_break(before, data["player"], event["at"])
        case "BreakEnded":
            expected = arena_decisions.end_break(before, data["player"], event["at"])
        case "EntrantInvited":
            expected = decisions.invite(before, data["player"])
        case "PlayerWithdrawn":
            expected = decisions.withdraw(before, data["player"])
        case "EntrantReplaced" if by == SYSTEM:
            expected = next(decisions.waiting_substitutions(before), Decided("", {}))
        case "EntrantReplaced":
            expected = decisions.replace_entrant(before, data["entrant"], data["player"])
        case "RegistrationClosed":
            expected = _closing(before, event)
        case "TournamentCancelled" if data["reason"] == "organiser":
            expected = decisions.cancel(before)
        case "TournamentCancelled":
            if not before.has_closed(event["at"]) or decisions.can_begin(before):
                raise _Differs.with_message("enough players had registered, or more could have")
            expected = Decided("TournamentCancelled", cast("Any", {"reason": "too_few_players"}))
        case "RoundDrawn" | "TournamentFinished" if before.arena is not None:
            expected = _of_arena(before, event)
        case "RoundDrawn" | "TournamentFinished" | "PairingFailed":
            if next(decisions.waiting_substitutions(before), None) is not None:
                raise _Differs.with_message(
                    "substitutes waited for the places of those who withdrew"
                )
            ends = CALENDAR.plus(event["at"], before.round_seconds)
            expected = decisions.draw_round(before, ends)
        case "ResultRecorded" | "TableSettled":
            _check_result(audit, before, event, keys)
            return
        case "RoundClosed":
            expected = decisions.close_round(before)
        case "GamesSecretPublished":
            games_secret = bytes.fromhex(data["secret"])
            if chance.commitment(games_secret) != before.games_commitment:
                raise _Differs.with_message(
                    "the secret is not the one that the server has committed to"
                )
            expected = decisions.publish_games_secret(before, games_secret)
        case type if type in CHANGES:
            expected = _change(before, event)
        case type:
            raise _Differs.with_message(
                "this version does not know events of type {type}", type=type
            )
    if not _is_same(expected, event):
        raise _Differs.with_message(
            "what follows from the events before it is another {type}", type=event["type"]
        )
    if event["type"] in CHANGES and "hash" in CHANGES[event["type"]].supplied:
        _check_ground(audit, event, keys)
    if event["type"] in _BY_PLAYERS and by != {"player": data["player"]}:
        raise _Differs.with_message("nobody but the player can do this")


def _of_arena(before: Tournament, event: TournamentEvent) -> Decided:
    """Return the expected draw, or the end, of an arena."""
    at = event["at"]
    if event["type"] == "TournamentFinished":
        return arena_decisions.finish_arena(before, at)
    assert before.arena is not None, "an arena that has begun has a state"
    ends = CALENDAR.plus(before.arena.ends, before.round_seconds)
    patient_since = CALENDAR.plus(at, -PATIENCE_SECONDS)
    return arena_decisions.draw_tables(before, at, ends, patient_since)


def _check_handover(before: Tournament, event: TournamentEvent) -> None:
    """Raise _Differs if the server has handed a team on whose captain is not withdrawn at once."""
    for team in before.teams.values():
        last = team.handovers[-1] if team.handovers else None
        if last is None or last.author is not None or last.former not in team.joined:
            continue
        withdrawal = ("PlayerWithdrawn", SYSTEM, {"player": last.former})
        if (event["type"], event["by"], event["data"]) != withdrawal:
            raise _Differs.with_message(
                "the server has handed a team on, and its captain was not erased"
            )


def _of_team(before: Tournament, event: TournamentEvent) -> Decided:
    """Return what a captain or a player of a team is expected to have done."""
    data, by, at = event["data"], event["by"], event["at"]
    author = by.get("player")
    is_of_captain = event["type"] in ("LineUpSet", "CaptainNamed")
    player = data.get("captain" if is_of_captain else "player")
    if not isinstance(author, str) or not isinstance(player, str):
        raise _Differs.with_message("its author is not a player")
    match event["type"]:
        case "TeamEntered":
            return team_entries.enter_team(
                before, player, _nonce(data), data.get("name"), data.get("members"), at
            )
        case "TeamChanged":
            return team_entries.change_team(
                before, player, data.get("name"), data.get("members"), at
            )
        case "TeamJoined":
            captain = str(data.get("captain"))
            return team_entries.join_team(before, player, captain, _nonce(data), at)
        case "CaptainNamed":
            return team_entries.name_captain(before, player, author, str(data.get("player")))
        case _:
            if not is_integer(round := data.get("round")):
                raise _Differs.with_message("the round is not a number")
            return team_entries.set_line_up(before, player, author, round, data.get("players"), at)


def _nonce(data: JsonObject) -> bytes:
    try:
        return bytes.fromhex(data["nonce"])
    except (KeyError, TypeError, ValueError):
        raise _Differs.with_message("the nonce cannot be read") from None


def _is_same(expected: Decided, event: TournamentEvent) -> bool:
    data: JsonObject = {**expected.data}
    return expected.type == event["type"] and data == event["data"]


def _change(before: Tournament, event: TournamentEvent) -> Decided:
    """Return the change of an organiser that is expected with what the organiser has chosen."""
    data, by = event["data"], event["by"]
    if "system" in by or not can_change(before, by["player"]):
        raise _Differs.with_message("its author is not an organiser of the tournament")
    type = event["type"]
    raw = {name: data[name] for name in CHANGES[type].given if name in data}
    return decide_change(before, type, raw, data.get("reason"), event["at"], CALENDAR)


def _check_ground(audit: _Audit, event: TournamentEvent, keys: Sequence[JsonObject]) -> None:
    """Raise _Differs unless the event of a game on which a ruling is based has the stated hash."""
    data = event["data"]
    if (record := audit.game(data["game"], keys)) is None:
        return
    if data["seq"] > len(record.events):
        # The record of the game is older than that of the tournament.
        audit.missing.append(data["game"])
    elif record.events[data["seq"] - 1]["hash"] != data["hash"]:
        raise _Differs.with_message(
            "event {event} of game {game} is another one", event=data["seq"], game=data["game"]
        )


def _closing(before: Tournament, event: TournamentEvent) -> Decided:
    """Return the expected closing of registration with the secret of the draw that an event publishes."""
    secret = bytes.fromhex(event["data"]["secret"])
    if chance.commitment(secret) != before.commitment:
        raise _Differs.with_message("the secret is not the one that the server has committed to")
    if not before.has_closed(event["at"]) and before.paused_at is None:
        raise _Differs.with_message("registration was not over yet")
    ratings = event["data"].get("ratings")
    if ratings is not None and not all(is_integer(rating) for rating in ratings.values()):
        raise _Differs.with_message("the ratings are not numbers")
    ends = None
    if before.format.is_arena:
        ends = CALENDAR.plus(event["at"], 60 * before.format.minutes)
    return decisions.close_registration(before, secret, ratings, ends)


def _checked_game(data: bytes, game_id: str, keys: Sequence[JsonObject]) -> Record:
    """Return the record of a game. Raises _Differs if it is broken, or of another game or server."""
    try:
        record = read(BytesIO(data))
    except Unreadable as error:
        raise _Differs.with_message(
            "the record of game {game}: {reason}", game=game_id, reason=error.message
        ) from None
    publics = {entry["public"] for entry in keys}
    if (
        record.game != game_id
        or quick_audit(BytesIO(data)).verdict == "broken"
        or any(entry["public"] not in publics for entry in record.header["keys"])
    ):
        raise _Differs.with_message(
            "the record of game {game} is broken: `cartulary audit` says where", game=game_id
        )
    return record


def _check_games(audit: _Audit, tournament: Tournament, keys: Sequence[JsonObject]) -> None:
    drawn = tournament.rounds[-1]
    for table, game_id in enumerate(drawn.games, 1):
        record = None if game_id is None else audit.game(game_id, keys)
        if record is not None:
            _check_settings(tournament, drawn, table, record)


def _check_settings(tournament: Tournament, drawn: DrawnRound, table: int, record: Record) -> None:
    created, players = record.events[0]["data"], drawn.players[table - 1]
    options = decisions.game_options(tournament, drawn.number, table)
    stated = created["options"]
    # Defaults are used for options that the tournament leaves open. A later version may have more of them.
    expected = {**check_options(tournament.rules, len(players), options)}
    taken = [
        event for event in record.events[: 3 * len(players) + 1] if event["type"] == "SeatTaken"
    ]
    nonces = [
        draws.game_nonce(bytes.fromhex(nonce), record.game).hex()
        for nonce in drawn.nonces[table - 1]
    ]
    is_same = (
        created["rules"] == tournament.rules
        and created["clock"] == tournament.clock
        and created["seats"] == len(players)
        and all(stated.get(name) == expected.get(name) for name in {*options, *stated})
        and not {"arbiter", "invited"} & created.keys()
        and [event["data"]["player"] for event in taken] == list(players)
        and [event["data"]["nonce"] for event in taken] == nonces
    )
    if not is_same:
        raise _Differs.with_message(
            "game {game} is not the one of table {table}: its settings, players or nonces differ",
            game=record.game,
            table=table,
        )


def _check_result(
    audit: _Audit, before: Tournament, event: TournamentEvent, keys: Sequence[JsonObject]
) -> None:
    data, drawn = event["data"], before.open_round(event["data"]["round"])
    if drawn is None or data["table"] not in drawn.open_tables:
        raise _Differs.with_message("the table has a result already")
    if data["game"] != drawn.games[data["table"] - 1]:
        raise _Differs.with_message("it is the result of another game")
    if len(data["places"]) != len(drawn.tables[data["table"] - 1]):
        raise _Differs.with_message("not each seat has a place")
    has_ended = event["at"] >= drawn.ends and before.paused_at is None
    if event["type"] == "TableSettled" and not has_ended and any(data["places"]):
        raise _Differs.with_message("the last date of the round had not come")
    record = audit.game(data["game"], keys)
    if record is None:
        return
    seq, last = data["seq"], _last_by(record.events, drawn.ends)
    if seq > len(record.events):
        # The record of the game is older than that of the tournament.
        audit.missing.append(data["game"])
        return
    if record.events[seq - 1]["hash"] != data["hash"]:
        raise _Differs.with_message(
            "event {event} of game {game} is another one", event=seq, game=data["game"]
        )
    if seq != last or (not has_ended and record.events[seq - 1]["type"] not in ENDINGS):
        raise _Differs.with_message(
            "the last event of game {game} by the last date is {event}",
            game=data["game"],
            event=last,
        )
    game = fold(record.events[:seq])
    assert game is not None, "the record has events"
    expected = decisions.record_result(
        before, drawn.number, data["table"], game, record.events[:seq], middle_of(drawn)
    )
    if not _is_same(expected, event):
        raise _Differs.with_message("game {game} has another result", game=data["game"])


def _last_by(events: Sequence[Event], last_date: str) -> int:
    """Return the seq of the last event of a game by a date; of its beginning if all events are later."""
    until = max(last_date, events[0]["at"])
    return max(event["seq"] for event in events if event["at"] <= until)


def _check_secrets(audit: _Audit, tournament: Tournament, keys: Sequence[JsonObject]) -> None:
    games_secret = bytes.fromhex(tournament.games_secret or "")
    for drawn in tournament.rounds:
        for game_id in drawn.all_games:
            if (record := audit.game(game_id, keys)) is None:
                continue
            secret = draws.game_secret(games_secret, game_id)
            last = record.events[-1]
            if last["type"] in ENDINGS and last["at"] > tournament.at:
                raise _Differs.with_message(
                    "the secret was published before game {game} had ended", game=game_id
                )
            if record.events[0]["data"]["commitment"] != chance.commitment(secret):
                raise _Differs.with_message(
                    "the secret of game {game} is not the one that was committed to before the"
                    " registration",
                    game=game_id,
                )
