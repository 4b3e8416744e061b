"""The representations of games, players and tournaments that several routes return, as JSON."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from domain.game import Game
from domain.json_types import JsonObject
from domain.tournaments.entry_rules import ENTRY_RULES
from domain.tournaments.teams import Match, Team
from domain.tournaments.tournament import (
    DrawnRound,
    Tournament,
    individuals_as_json,
    standings_as_json,
)
from replay.language.renderer import Renderer
from service.accounts.account_reader import Player
from service.accounts.schemas import Account
from service.chat.conversation import ShownChatMessage
from service.clubs.model import Club
from service.clubs.schemas import ClubEntry
from service.games.player_statistics import KindCounts, PlayerStatistics
from service.games.profiles import Profile
from service.games.summary import Summary, summarize
from service.http.context import service
from service.http.language import request_renderer
from service.http.schemas.lobby import PlayerReliability
from service.http.schemas.responses import GameSummary
from service.notifications.stored_messages import decode_message
from service.notifications.webhooks.webhooks import Webhook
from service.tournaments.arena_view import shown_rounds
from service.tournaments.explanations import counted_results, decisions_in, sentence
from service.tournaments.schemas import TournamentAnnouncement, TournamentDetails, TournamentSummary

MAX_SEEN_EVENTS: Final = 200
"""The most events in a response with a head."""


def body_of(type: Any, source: object, **others: object) -> JsonObject:
    """Return a TypedDict from `others` and, for its other required fields, attributes of `source`."""
    return {
        name: others[name] if name in others else getattr(source, name)
        for name in type.__annotations__
        if name in others or name in type.__required_keys__
    }


def continuation(game_id: str, player: str | None, query: Mapping[str, Any]) -> JsonObject:
    """Return the proof that a game and the log continue what was seen before, as `HeadQuery` describes."""
    queries = service().games.queries
    game = queries.visible_game(game_id, player)
    limit = min(query["limit"], MAX_SEEN_EVENTS)
    return queries.continuation(game, query["seq"], query["size"], limit)


def game_summaries(summaries: Sequence[Summary]) -> list[JsonObject]:
    """Return the summaries of games as JSON. The players of all games are looked up in one round trip."""
    players = [player for summary in summaries for player, _ in summary.players]
    arbiters = [summary.arbiter for summary in summaries if summary.arbiter is not None]
    invited = [id for summary in summaries for id in (*summary.invited, *summary.declined)]
    ids = tuple(dict.fromkeys([*players, *arbiters, *invited]))
    accounts = service().accounts.players.get(ids) if ids else []
    handles = {player.id: player.handle for player in accounts if player is not None}
    programs = {player.id for player in accounts if player is not None and player.is_program}
    return [
        body_of(
            GameSummary,
            summary,
            players=[
                {"id": player, "handle": handles.get(player), "seat": seat}
                | ({"bot": summary.bots[player]} if player in summary.bots else {})
                | ({"program": True} if player in programs else {})
                for player, seat in summary.players
            ],
            head={"seq": summary.seq, "hash": summary.hash},
            invited=_invited_players(summary, handles),
            arbiter=None
            if summary.arbiter is None
            else {"id": summary.arbiter, "handle": handles.get(summary.arbiter)},
        )
        for summary in summaries
    ]


def _invited_players(summary: Summary, handles: Mapping[str, str]) -> list[JsonObject]:
    """Return the players whom the creator of a game has invited, with their answers."""
    joined = {player for player, _ in summary.players}
    answers = dict.fromkeys(summary.declined, "declined") | {
        player: "accepted" if player in joined else None for player in summary.invited
    }
    return [
        {"id": player, "handle": handles.get(player), "answer": answer}
        for player, answer in answers.items()
    ]


def club_json(clubs: Sequence[Club]) -> list[JsonObject]:
    """Return clubs as JSON. Their owners are looked up in one round trip."""
    handles = service().accounts.players.handles({club.owner for club in clubs})
    return [
        body_of(
            ClubEntry,
            club,
            private=club.is_private,
            owner={"id": club.owner, "handle": handles.get(club.owner, "")},
        )
        for club in clubs
    ]


def posts_json(shown: Sequence[ShownChatMessage]) -> list[JsonObject]:
    """Return posts as JSON. Their authors are looked up in one round trip."""
    handles = service().accounts.players.handles({each.message.author for each in shown})
    return [
        {
            "post": each.message.number,
            "at": each.message.at,
            "player": {"id": each.message.author, "handle": handles.get(each.message.author)},
            "text": each.text,
            "erased": each.message.text is None,
            "muted": each.is_muted,
            "removed_by": each.message.removed_by,
            "reason": each.message.reason,
        }
        for each in shown
    ]


def webhook_json(webhook: Webhook, paused_until: str | None = None) -> JsonObject:
    """Return a webhook without its secret as JSON, in the language of the request."""
    result = webhook.result
    text = None if result is None else request_renderer()(decode_message(result))
    return {**webhook.as_json(), "paused_until": paused_until, "result": text}


def player_profile(profile: Profile) -> JsonObject:
    """Return a player as a viewer may see them, as JSON."""
    player, statistics = profile.player, profile.statistics
    fields: JsonObject = {
        "id": player.id,
        "handle": player.handle,
        "shows": player.profile,
        "since": None if statistics is None else player.created,
        "games": None if statistics is None else _counted_games(statistics),
        "reliability": None if statistics is None else _reliability(statistics),
        "clubs": None
        if statistics is None
        else [{"id": club.id, "name": club.name} for club in profile.clubs],
    }
    if player.bot is not None:
        fields["bot"] = player.bot
    if player.is_guest:
        fields["guest"] = True
    if profile.private is not None:
        fields["private"] = asdict(profile.private)
    return fields


def _shown(counts: KindCounts) -> JsonObject:
    return {name: getattr(counts, name) for name in ("playing", "finished", "abandoned", "places")}


def _counted_games(statistics: PlayerStatistics) -> list[JsonObject]:
    return [
        {"system": kind.system, "seats": kind.seats, "bots": kind.has_bots, **_shown(counts)}
        for kind, counts in statistics.by_kind.items()
    ]


def _reliability(statistics: PlayerStatistics) -> JsonObject:
    reliability = statistics.reliability
    return body_of(PlayerReliability, reliability, turns=len(reliability.recent))


def game_summary(game: Game) -> JsonObject:
    """Return the summary of a game as JSON."""
    return game_summaries([summarize(game)])[0]


def account(player: Player) -> JsonObject:
    """Return a player's account, as only that player sees it."""
    marks = {"guest": player.is_guest, "bot": player.is_program}
    return body_of(Account, player) | {name: True for name, is_set in marks.items() if is_set}


def tournament_summary(tournament: Tournament) -> JsonObject:
    """Return a tournament as `TournamentSummary`."""
    is_open = tournament.status == "open" or not tournament.entrants
    return body_of(
        TournamentSummary,
        tournament,
        organiser=tournament.creator,
        format=tournament.format.to_json(),
        players=len(tournament.registered if is_open else tournament.entrants),
        rounds=len(tournament.rounds),
        **{name: getattr(tournament.entry_rules, name) for name in ENTRY_RULES},
    )


def current_standings(tournament: Tournament, render: Renderer) -> Sequence[Sequence[JsonObject]]:
    """Return the standings of a tournament by group: the final ones, or those after the results so far.

    Each place has what decides that its player comes before the next one, in the language of the renderer.
    """
    rows = tournament.final_standings or standings_as_json(tournament)
    results = counted_results(tournament)
    return [
        [
            {
                **row,
                "team": None if (team := tournament.team_at(row["entrant"])) is None else team.name,
                "place": place,
                "decision": None
                if decision is None
                else {
                    "tie_break": decision.decision.tie_break,
                    "value": str(decision.decision.value),
                    "against": str(decision.decision.against),
                    "text": render(sentence(decision, render.language)),
                },
            }
            for place, (row, decision) in enumerate(
                zip(standings, decisions_in(tournament, group, results), strict=True), 1
            )
        ]
        for standings, group in zip(rows, tournament.standings(), strict=True)
    ]


def _match(tournament: Tournament, drawn: DrawnRound, match: Match) -> JsonObject:
    result = match.result(drawn.results, tournament.format)
    points = None if result is None else result.points()
    at_boards = None if result is None else result.board_points()
    return {
        "teams": list(match.teams),
        "tables": list(match.tables),
        "board_points": None if at_boards is None else [str(at_boards[n]) for n in match.teams],
        "points": None if points is None else [str(points[n]) for n in match.teams],
    }


def _team(tournament: Tournament, team: Team) -> JsonObject:
    return {
        "captain": team.captain,
        "name": team.name,
        "entrant": tournament.places.get(team.captain),
        "members": list(team.roster),
        "players": list(team.players),
        "line_ups": [
            {"round": round, "players": list(players)} for round, players in team.line_ups.items()
        ],
    }


def tournament_details(
    tournament: Tournament,
    handles: Callable[[Sequence[str]], Mapping[str, str | None]],
    render: Renderer,
) -> JsonObject:
    """Return a tournament as `TournamentDetails`; `handles` returns the handles of players by id."""
    rounds: list[dict[str, Any]] = [
        {
            "round": drawn.number,
            "drawn_at": drawn.drawn_at,
            "ends": drawn.ends,
            "pairing": drawn.pairing,
            "half_points": sorted(drawn.half_points),
            "closed": drawn.is_closed,
            "matches": [_match(tournament, drawn, match) for match in drawn.matches],
            "tables": [
                {
                    "players": list(players),
                    "game": game,
                    "places": None if result is None else list(result.places),
                    "ruling": drawn.rulings.get(number),
                    "former_games": list(drawn.former_games.get(number, ())),
                }
                for number, (players, game, result) in enumerate(
                    zip(drawn.players, drawn.games, drawn.results, strict=True), 1
                )
            ],
        }
        for drawn in shown_rounds(tournament)
    ]
    entrants = tournament.entrants or tournament.registered
    seated = [player for drawn in tournament.rounds for table in drawn.players for player in table]
    replacements: list[dict[str, Any]] = [
        {
            "entrant": replacement.number,
            "player": replacement.player,
            "replaces": replacement.replaces,
            "round": replacement.round,
        }
        for replacement in tournament.replacements
    ]
    replaced = [replacement.replaces for replacement in tournament.replacements]
    named = [player for team in tournament.teams.values() for player in team.roster]
    people = [
        *named,
        *(*tournament.organisers, *entrants, *tournament.volunteers, *seated),
        *(*sorted(tournament.excluded), *replaced),
    ]
    return body_of(
        TournamentDetails,
        tournament,
        **tournament_summary(tournament),
        organisers=list(tournament.organisers),
        entrants=list(entrants),
        teams=[_team(tournament, team) for team in tournament.teams.values()],
        withdrawn=sorted(tournament.withdrawn),
        excluded=sorted(tournament.excluded),
        replacements=replacements,
        substitutes=list(tournament.volunteers),
        byes=[
            {"player": player, "round": round}
            for player, asked in tournament.requested_byes.items()
            for round in sorted(asked)
        ],
        late=[{"entrant": number, "round": round} for number, round in tournament.late.items()],
        arena=None
        if tournament.arena is None
        else {"ends": tournament.arena.ends, "resting": sorted(tournament.arena.resting)},
        announcements=[body_of(TournamentAnnouncement, each) for each in tournament.announcements],
        drawn=rounds,
        standings=current_standings(tournament, render),
        individuals=individuals_as_json(tournament),
        handles=handles(people),
    )
