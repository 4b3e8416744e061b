"""Explanations of set-up, departures, scores, and of the turn order after any event: a part of `explain`.

It also has what the explanations of all actions share: hexes, terrains, reserves and points.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from domain.barony.components import DUKE, FIRST_CITIES
from domain.barony.components import TERRAINS as TERRAIN_NAMES
from domain.barony.formats import BaronyStanding, CityPlaced, Departure, EndAgreed, RoundScored
from domain.barony.state import State
from domain.barony.terms import BUILDING, CITY, KNIGHT, NEW_CITY, POINT, RANKS, ROUND, TERRAINS
from domain.barony.turn_order import can_hold_first_city, cities_placed, is_end_agreed, token_points
from domain.contract import DomainEvent, Reason
from domain.event import Ranked
from domain.messages import (
    Listing,
    Message,
    PlayerAt,
    Term,
    counted,
    hex_at,
    listing,
    message,
    plural_reason,
    reason,
    semicolon_list,
)


def explain_first_city(state: State, data: CityPlaced) -> Iterator[Reason]:
    """`CityPlaced`: BY-SET-3, 4."""
    seat = data["seat"]
    yield reason(
        "BY-SET-3",
        "this is city {number} of {total} of {player}, and a knight comes with it",
        number=cities_placed(state, seat) + 1,
        total=FIRST_CITIES,
        player=PlayerAt(seat),
    )
    yield reason(
        "BY-SET-4",
        "{hex} is {terrain:a}, and there was no city on it or adjacent to it",
        hex=hex_at(data["at"]),
        terrain=terrain_at(state, number_of(state, data["at"])),
    )


def explain_departure(state: State, data: Departure) -> Iterator[Reason]:
    """`PlayerResigned`, `PlayerRemoved`: BY-END-5, 6, BY-SET-6."""
    seat, player = data["seat"], PlayerAt(data["seat"])
    knights = sum(state.knights[seat])
    owners = zip(state.building, state.owner, strict=True)
    buildings = sum(building > 0 and owner == seat for building, owner in owners)
    counts = [(knights, KNIGHT), (buildings, BUILDING)]
    pawns = [counted(count, kind) for count, kind in counts if count]
    if pawns:
        yield reason(
            "BY-END-6",
            "{player} leaves the game, and these pawns stay on the board: {pawns}",
            player=player,
            pawns=listing(pawns),
        )
    else:
        yield reason(
            "BY-END-6", "{player} leaves the game and has no pawns on the board", player=player
        )
    if seat in state.end_agreed_by:
        yield reason(
            "BY-END-5",
            "{player} no longer counts among the players who ask for the end",
            player=player,
        )
    forgone = FIRST_CITIES - cities_placed(state, seat)
    if state.phase == "setup" and forgone:
        yield reason(
            "BY-SET-6",
            "{player} places no more cities and forgoes {cities}",
            player=player,
            cities=counted(forgone, CITY),
        )


def explain_request(state: State, data: EndAgreed) -> Iterator[Reason]:
    """`EndAgreed`: BY-END-5."""
    asking, staying = data["end_agreed_by"], state.in_game()
    if set(staying) <= set(asking):
        yield reason(
            "BY-END-5",
            "all players ask for the end, so the game ends with round {round}",
            round=state.round,
        )
    elif asking:
        yield plural_reason(
            "BY-END-5",
            "{players} asks for the end; the game ends early if all {total} players do",
            "{players} ask for the end; the game ends early if all {total} players do",
            count=len(asking),
            players=_players(asking),
            total=len(staying),
        )
    else:
        yield reason("BY-END-5", "nobody asks for the end now")


def explain_round(state: State, data: RoundScored) -> Iterator[Reason]:
    """`RoundScored`: BY-END-1, 3: the score tracks, and the points of tokens."""
    standings = data["standings"]
    yield "BY-END-1", semicolon_list(map(_track_score, standings))
    tokens = [
        message(
            "{player}'s tokens are worth {points}",
            player=PlayerAt(entry["seat"]),
            points=counted(entry["token_points"], POINT),
        )
        for entry in standings
        if entry["token_points"]
    ]
    if tokens:
        yield "BY-END-3", listing(tokens)


def _track_score(entry: BaronyStanding) -> Message:
    """What the score on the track consists of."""
    player, points = PlayerAt(entry["seat"]), counted(entry["score"], POINT)
    rank, cities = RANKS[entry["rank"]], entry["new_cities"]
    if not cities:
        return message(
            "{player} has {points} as {rank} without new cities",
            player=player,
            points=points,
            rank=rank,
        )
    return message(
        "{player} has {points} as {rank} with {cities}",
        player=player,
        points=points,
        rank=rank,
        cities=counted(cities, NEW_CITY),
    )


def explain_ranking(state: State, data: Ranked) -> Iterator[Reason]:
    """`GameFinished`: BY-END-3, 4, 6."""
    ranking = data["ranking"]
    scores = (
        _final_score(entry["seat"], entry["score"], token_points(state, entry["seat"]))
        for entry in ranking
    )
    yield "BY-END-3", semicolon_list(scores)
    king = PlayerAt(ranking[0]["seat"])
    yield reason("BY-END-4", "{player} ranks first and is King", player=king)
    staying = [entry for entry in ranking if not state.is_out[entry["seat"]]]
    for better, worse in pairwise(staying):
        if better["score"] == worse["score"]:
            yield reason(
                "BY-END-4",
                "{better} and {worse} have equal scores; {better} ranks first,"
                " further from the first player",
                better=PlayerAt(better["seat"]),
                worse=PlayerAt(worse["seat"]),
            )
    out = [entry["seat"] for entry in ranking if entry not in staying]
    if out:
        yield plural_reason(
            "BY-END-6",
            "{players} left the game and ranks last",
            "{players} left the game and rank last",
            count=len(out),
            players=_players(out),
        )


def _final_score(seat: int, score: int, for_tokens: int) -> Message:
    """How much of a final score is for tokens."""
    player, points = PlayerAt(seat), counted(score, POINT)
    if not for_tokens:
        return message(
            "{player} has {points}, none of them for tokens", player=player, points=points
        )
    return message(
        "{player} has {points}, {tokens} of them for tokens",
        player=player,
        points=points,
        tokens=for_tokens,
    )


def explain_turn_order(state: State, after: State, event: DomainEvent) -> Iterator[Reason]:
    """What the event between these states changed in the turn order: the end of set-up, a round or play."""
    if after.phase == "scoring":
        yield from _end_of_play(state, after, event)
    elif state.phase == "setup" and after.phase == "play":
        yield from _end_of_set_up(after)
    elif after.round > state.round and after.to_act is not None:
        yield reason(
            "BY-TURN-1",
            "round {round} is over, and {player} begins round {next}",
            round=state.round,
            player=PlayerAt(after.to_act),
            next=after.round,
        )
    dukes = _dukes(after)
    if after.phase == "play" and dukes:
        yield plural_reason(
            "BY-END-2",
            "{players} became duke, so round {round} is the last",
            "{players} became dukes, so round {round} is the last",
            count=len(dukes),
            players=_players(dukes),
            round=after.round,
        )


def _end_of_set_up(after: State) -> Iterator[Reason]:
    forgone = {
        seat: missing
        for seat in after.in_game()
        if (missing := FIRST_CITIES - cities_placed(after, seat))
    }
    first = PlayerAt(after.to_act or 0)
    if not forgone:
        yield reason(
            "BY-SET-3",
            "all players in the game have placed their cities; {player} begins",
            player=first,
        )
    elif not any(can_hold_first_city(after, hex) for hex in range(len(after.board.hexes))):
        shares = [
            message("{player} forgoes {cities}", player=PlayerAt(seat), cities=counted(count, CITY))
            for seat, count in forgone.items()
        ]
        yield reason(
            "BY-SET-5",
            "no hex is left for a first city; {players}; {first} begins",
            players=listing(shares),
            first=first,
        )
    if after.to_act:
        yield reason("BY-SET-6", "the players before {player} left the game", player=first)


def _end_of_play(state: State, after: State, event: DomainEvent) -> Iterator[Reason]:
    """Every clause by which play is over after the event."""
    staying = after.in_game()
    if len(staying) == 1:
        last = PlayerAt(staying[0])
        yield reason("BY-END-6", "only {player} is left, so the game ends immediately", player=last)
        return
    dukes = _dukes(after)
    if dukes:
        yield plural_reason(
            "BY-END-2",
            "{players} became duke, so round {round} was the last",
            "{players} became dukes, so round {round} was the last",
            count=len(dukes),
            players=_players(dukes),
            round=state.round,
        )
    if state.round == state.round_limit:
        rounds = counted(state.round, ROUND)
        yield reason("BY-END-5", "the game was limited to {rounds}", rounds=rounds)
    if is_end_agreed(after):
        yield reason(
            "BY-END-5",
            "all players in the game had asked for the end, so round {round} was the last",
            round=state.round,
        )
    passed = {*state.passed, *([state.to_act] if event.type == "TurnPassed" else [])}
    if set(staying) <= passed:
        yield reason(
            "BY-TURN-4", "all players still in the game passed in round {round}", round=state.round
        )


def _dukes(state: State) -> list[int]:
    return [seat for seat, rank in enumerate(state.rank) if rank == DUKE]


def _players(seats: Sequence[int]) -> Listing:
    return listing(map(PlayerAt, seats))


def number_of(state: State, at: Sequence[int]) -> int:
    """The number of a hex of the board."""
    return state.board.index[at[0], at[1]]


def terrain_at(state: State, hex: int) -> Term:
    """The terrain of a hex."""
    return TERRAINS[TERRAIN_NAMES[state.board.terrain[hex]]]


def reserve_change(pawn: Term, before: int, used: int) -> Message:
    """The pawns of one kind in reserve before and after an action."""
    return message(
        "the reserve goes from {pawns} to {rest}", pawns=counted(before, pawn), rest=before - used
    )


def explain_points(state: State, seat: int, points: int) -> Reason:
    """BY-END-1: points on the score track."""
    return reason(
        "BY-END-1",
        "{player} advances by {points} to {score} on the score track",
        player=PlayerAt(seat),
        points=counted(points, POINT),
        score=state.score[seat] + points,
    )
