"""What the events of a tournament change: they are applied, and never checked against the rules.

`domain.tournaments.decisions` and `domain.tournaments.changes` decide what may happen.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from domain.errors import Malformed, Unreadable
from domain.tournaments.arena import ArenaState
from domain.tournaments.changes import CHANGES
from domain.tournaments.entry_rules import EntryRules
from domain.tournaments.events import TournamentEvent
from domain.tournaments.format_settings import FormatSettings
from domain.tournaments.standings import NO_PLACE, Result
from domain.tournaments.teams import Handover, Match, Team
from domain.tournaments.tournament import DrawnRound, RecordedChange, Replacement, Tournament


def fold_tournament(
    events: Sequence[TournamentEvent], tournament: Tournament | None = None
) -> Tournament:
    """Return the tournament after events, from the beginning or on from `tournament`.

    Raises Unreadable, also if there are none.
    """
    for event in events:
        tournament = evolve_tournament(tournament, event)
    if tournament is None:
        raise Unreadable.with_message("there are no events")
    return tournament


def evolve_tournament(tournament: Tournament | None, event: TournamentEvent) -> Tournament:
    """Return the tournament after one more event. Raises Unreadable for one that cannot follow."""
    type, data = event["type"], event["data"]
    try:
        if tournament is None:
            if type != "TournamentCreated" or event["seq"] != 1:
                raise Unreadable.with_message(
                    "a tournament begins with TournamentCreated as event 1"
                )
            after = _created(event, data)
        else:
            if event["seq"] != tournament.seq + 1:
                raise Unreadable.with_message(
                    "event {event} follows event {previous}",
                    event=event["seq"],
                    previous=tournament.seq,
                )
            if event["v"] != tournament.version:
                raise Unreadable.with_message(
                    "event {event} is of another version of tournaments", event=event["seq"]
                )
            after = _applied(tournament, event, data)
    except (KeyError, TypeError, ValueError, IndexError, Malformed):
        raise Unreadable.with_message(
            "event {event} does not have the form of its type", event=event["seq"]
        ) from None
    return replace(after, seq=event["seq"], hash=event["hash"], at=event["at"])


def _applied(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    type = event["type"]
    if (change := CHANGES.get(type)) is not None:
        recorded = RecordedChange(event["seq"], type, event["at"], event["by"], data)
        changed = change.apply(tournament, event, data)
        return replace(changed, has_no_pairing=False, changes=(*tournament.changes, recorded))
    apply = _APPLIERS.get(type)
    after = tournament if apply is None else apply(tournament, event, data)
    return replace(after, has_no_pairing=type == "PairingFailed")


def _created(event: TournamentEvent, data: Any) -> Tournament:
    by = event["by"]
    if "system" in by:
        raise Unreadable.with_message("a tournament must be created by a player")
    return Tournament(
        id=event["tournament"],
        creator=by["player"],
        name=data["name"],
        description=data["description"],
        format=FormatSettings.from_json(data["format"]),
        rules=data["rules"],
        options=data["options"],
        clock=data["clock"],
        private=data["private"],
        least=data["least"],
        most=data["most"],
        closes=data["closes"],
        round_seconds=data["round_seconds"],
        commitment=data["commitment"],
        games_commitment=data["games_commitment"],
        created_at=event["at"],
        version=event["v"],
        invited=tuple(data.get("invited", ())),
        contact=data.get("contact", ""),
        entry_rules=EntryRules.of(data),
    )


def _member(tournament: Tournament, data: Any) -> Tournament:
    player = data["player"]
    return replace(
        tournament,
        nonces={**tournament.nonces, player: data["nonce"]},
        members=tuple(dict.fromkeys((*tournament.members, player))),
    )


def _registered(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    return replace(
        _member(tournament, data),
        registered=(*tournament.registered, data["player"]),
        registrations=(*tournament.registrations, (data["player"], data["nonce"])),
    )


def _invited(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    return replace(tournament, invited=(*tournament.invited, data["player"]))


def _volunteered(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    player, counts = data["player"], tournament.volunteer_counts
    return replace(
        _member(tournament, data),
        volunteers=(*tournament.volunteers, player),
        volunteer_counts={**counts, player: counts.get(player, 0) + 1},
    )


def _entered_late(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    player, number = data["player"], data["entrant"]
    if tournament.arena is not None:
        return _entered_arena(tournament, event, data)
    if number != len(tournament.entrants):
        raise ValueError("another number than the next one")
    rounds = tournament.rounds
    if tournament.entry_rules.late_points != "0":
        rounds = tuple(
            replace(drawn, half_points=drawn.half_points | {number}) for drawn in tournament.rounds
        )
    return replace(
        _member(tournament, data),
        entrants=(*tournament.entrants, player),
        places={**tournament.places, player: number},
        late={**tournament.late, number: len(tournament.rounds) + 1},
        rounds=rounds,
    )


def _entered_arena(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    player, number, arena = data["player"], data["entrant"], _arena(tournament)
    entrants, counts = tournament.entrants, tournament.volunteer_counts
    is_new = number == len(entrants)
    if not is_new and entrants[number] != player:
        raise ValueError("the place of another player")
    if is_new or number in arena.free_since:
        arena = arena.with_free([number], event["at"])
    return replace(
        _member(tournament, data),
        entrants=(*entrants, player) if is_new else entrants,
        places={**tournament.places, player: number},
        withdrawn=tournament.withdrawn - {number},
        volunteer_counts={**counts, player: counts.get(player, 0) + 1},
        arena=replace(arena, resting=arena.resting - {number}),
    )


def _break_taken(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    number = tournament.places[data["player"]]
    return replace(tournament, arena=_arena(tournament).with_break(number))


def _break_ended(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    number = tournament.places[data["player"]]
    return replace(tournament, arena=_arena(tournament).without_break(number, event["at"]))


def _arena(tournament: Tournament) -> ArenaState:
    if tournament.arena is None:
        raise ValueError("no arena has begun")
    return tournament.arena


def _bye_requested(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    asked = tournament.requested_byes.get(data["player"], frozenset())
    return _with_byes(tournament, data["player"], asked | {data["round"]})


def _bye_cancelled(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    asked = tournament.requested_byes.get(data["player"], frozenset())
    return _with_byes(tournament, data["player"], asked - {data["round"]})


def _with_byes(tournament: Tournament, player: str, rounds: frozenset[int]) -> Tournament:
    others = {each: asked for each, asked in tournament.requested_byes.items() if each != player}
    return replace(tournament, requested_byes={**others, player: rounds} if rounds else others)


def _team_entered(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    captain = data["player"]
    members = tuple(data["members"])
    joined, named = frozenset({captain}), frozenset(members)
    if (former := tournament.former_teams.get(captain)) is not None:
        named |= former.named
    former_changes = 0 if former is None else former.all_changes
    team = Team(captain, data["name"], members, joined, named=named, former_changes=former_changes)
    return replace(_registered(tournament, event, data), teams={**tournament.teams, captain: team})


def _team_changed(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    team, members = tournament.teams[data["player"]], tuple(data["members"])
    return _with_team(
        tournament,
        replace(
            team,
            name=data["name"],
            roster=members,
            joined=team.joined & frozenset(members),
            named=team.named | frozenset(members),
            changes=team.changes + 1,
        ),
    )


def _team_joined(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    team, player = tournament.teams[data["captain"]], data["player"]
    after = replace(
        _member(tournament, data),
        registrations=(*tournament.registrations, (player, data["nonce"])),
    )
    return _with_team(after, replace(team, joined=team.joined | {player}))


def _line_up_set(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    team = tournament.teams[data["captain"]]
    line_ups = {**team.line_ups, data["round"]: tuple(data["players"])}
    return _with_team(tournament, replace(team, line_ups=line_ups, changes=team.changes + 1))


def _captain_named(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    former, captain = data["captain"], data["player"]
    team = tournament.teams[former]
    by = event["by"]
    author = None if "system" in by else by["player"]
    handover = Handover(event["at"], author, former, captain)
    handed_on = replace(
        team, captain=captain, changes=team.changes + 1, handovers=(*team.handovers, handover)
    )

    def with_captain(players: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(captain if player == former else player for player in players)

    return replace(
        tournament,
        teams={
            handed_on.captain if each == former else each: handed_on if each == former else other
            for each, other in tournament.teams.items()
        },
        # What the former captain has done counts on if they enter another team.
        former_teams={**tournament.former_teams, former: team},
        registered=with_captain(tournament.registered),
        entrants=with_captain(tournament.entrants),
        seeds=with_captain(tournament.seeds),
    )


def _with_team(tournament: Tournament, team: Team) -> Tournament:
    return replace(tournament, teams={**tournament.teams, team.captain: team})


def _withdrawn(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    player = data["player"]
    number = tournament.number_of(player)
    is_excluded = event["by"].get("player", player) != player
    team = tournament.team_of(player)
    if team is not None and team.captain != player:
        # The others play on without this player.
        excluded = tournament.excluded | {player} if is_excluded else tournament.excluded
        left = replace(team, joined=team.joined - {player})
        return _with_team(replace(tournament, excluded=excluded), left)
    if team is not None and tournament.status == "open":
        others = {each: other for each, other in tournament.teams.items() if each != player}
        former = {**tournament.former_teams, player: team}
        tournament = replace(tournament, teams=others, former_teams=former)
    return replace(
        _with_byes(tournament, player, frozenset()),
        excluded=tournament.excluded | {player} if is_excluded else tournament.excluded,
        registered=_without(tournament.registered, player),
        volunteers=_without(tournament.volunteers, player),
        withdrawn=tournament.withdrawn if number is None else tournament.withdrawn | {number},
    )


def _replaced(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    number, player = data["entrant"], data["player"]
    entrants = list(tournament.entrants)
    former, entrants[number] = entrants[number], player
    replacements = tournament.replacements
    if former != player:
        replacements += (Replacement(number, player, former, len(tournament.rounds) + 1),)
    return replace(
        _with_byes(tournament, former, frozenset()),
        replacements=replacements,
        entrants=tuple(entrants),
        places={**tournament.places, player: number},
        withdrawn=tournament.withdrawn - {number},
        volunteers=_without(tournament.volunteers, player),
    )


def _without(players: tuple[str, ...], player: str) -> tuple[str, ...]:
    return tuple(other for other in players if other != player)


def _closed(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    players = tuple(data["players"])
    bytes.fromhex(data["secret"])
    return replace(
        tournament,
        status="running",
        entrants=players,
        lots=players,
        places={
            member: number
            for number, player in enumerate(players)
            for member in (tournament.teams[player].players if tournament.teams else (player,))
        },
        secret=data["secret"],
        arena=ArenaState(data["ends"], dict.fromkeys(range(len(players)), event["at"]))
        if tournament.format.is_arena
        else None,
    )


def _drawn(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    tables = tuple(map(tuple, data["tables"]))
    players = tuple(tuple(tournament.entrants[n] for n in table) for table in tables)
    if tournament.format.boards:
        players = tuple(map(tuple, data["players"]))
        if list(map(len, players)) != list(map(len, tables)):
            raise ValueError("a seat without a player")
    drawn = DrawnRound(
        number=data["round"],
        tables=tables,
        players=players,
        nonces=tuple(
            tuple(tournament.nonces.get(player, "") for player in table) for table in players
        ),
        games=tuple(data["games"]),
        absent=frozenset(data["absent"]),
        half_points=frozenset(data.get("half_points", ())),
        drawn_at=event["at"],
        ends=data["ends"],
        results=tuple(Result(table, (1,)) if len(table) == 1 else None for table in tables),
        hash=event["hash"],
        title=tournament.name,
        pairing=data.get("pairing"),
        matches=tuple(
            Match(tuple(match["teams"]), tuple(match["tables"]))
            for match in data.get("matches", ())
        ),
    )
    if len(drawn.games) != len(tables):
        raise ValueError("a table without a game")
    byes = {
        player: rounds - {drawn.number}
        for player, rounds in tournament.requested_byes.items()
        if rounds != {drawn.number}
    }
    arena = tournament.arena
    return replace(
        tournament,
        rounds=(*tournament.rounds, drawn),
        released=None,
        requested_byes=byes,
        arena=None if arena is None else arena.after_draw(tables),
    )


def _with_result(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    drawn = tournament.rounds[data["round"] - 1]
    results = list(drawn.results)
    result = Result(drawn.tables[data["table"] - 1], tuple(data["places"]))
    results[data["table"] - 1] = result
    arena = tournament.arena
    if arena is not None:
        absent = {player for player in result.table if result.place(player) == NO_PLACE}
        arena = arena.with_free(result.table, event["at"])
        arena = replace(arena, resting=arena.resting | absent)
    after = replace(tournament, arena=arena)
    return after.with_round(replace(drawn, results=tuple(results)))


def _round_closed(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    return tournament.with_round(replace(tournament.rounds[data["round"] - 1], is_closed=True))


def _pairing_failed(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    # An organiser who has paired by hand has to do it again.
    return replace(tournament, released=None)


def _finished(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    return replace(
        tournament,
        status="finished",
        final_standings=data["standings"],
        final_individuals=data.get("individuals"),
    )


def _cancelled(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    return replace(tournament, status="cancelled", cancel_reason=data["reason"])


def _secret_published(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    return replace(tournament, games_secret=data["secret"])


_APPLIERS: Final[Mapping[str, Callable[[Tournament, TournamentEvent, Any], Tournament]]] = {
    "PlayerRegistered": _registered,
    "EntrantInvited": _invited,
    "SubstituteRegistered": _volunteered,
    "LateEntrantRegistered": _entered_late,
    "ByeRequested": _bye_requested,
    "ByeCancelled": _bye_cancelled,
    "TeamEntered": _team_entered,
    "TeamChanged": _team_changed,
    "TeamJoined": _team_joined,
    "LineUpSet": _line_up_set,
    "BreakTaken": _break_taken,
    "BreakEnded": _break_ended,
    "CaptainNamed": _captain_named,
    "PlayerWithdrawn": _withdrawn,
    "EntrantReplaced": _replaced,
    "RegistrationClosed": _closed,
    "RoundDrawn": _drawn,
    "ResultRecorded": _with_result,
    "TableSettled": _with_result,
    "RoundClosed": _round_closed,
    "PairingFailed": _pairing_failed,
    "TournamentFinished": _finished,
    "TournamentCancelled": _cancelled,
    "GamesSecretPublished": _secret_published,
}
"""By event type. Types of later versions change nothing that this version knows."""
