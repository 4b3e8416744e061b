"""Explanations of set-up, departures, scores, and of the turn order after any event: a part of `explain`."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from domain.barony.components import DUKE, FIRST_CITIES, TERRAINS
from domain.barony.formats import BaronyStanding, CityPlaced, Departure, EndAgreed, RoundScored
from domain.barony.scoring import token_points
from domain.barony.state import State
from domain.barony.turn_order import can_hold_first_city, cities_placed, is_end_agreed
from domain.contract import DomainEvent, Reason
from domain.event import Ranked
from domain.hex_text import hex_text
from domain.phrases import counted, listing


def explain_first_city(state: State, data: CityPlaced) -> Iterator[Reason]:
    """`CityPlaced`: BY-SET-3, 4."""
    seat, here = data["seat"], hex_text(data["at"])
    q, r = data["at"]
    hex = state.board.index[q, r]
    number = cities_placed(state, seat) + 1
    yield (
        "BY-SET-3",
        f"this is city {number} of {FIRST_CITIES} of seat {seat}, and a knight comes with it",
    )
    terrain = TERRAINS[state.board.terrain[hex]]
    yield "BY-SET-4", f"{here} is a {terrain}, and there was no city on it or adjacent to it"


def explain_departure(state: State, data: Departure) -> Iterator[Reason]:
    """`PlayerResigned`, `PlayerRemoved`: BY-END-5, 6, BY-SET-6."""
    seat = data["seat"]
    knights = sum(state.knights[seat])
    owners = zip(state.building, state.owner, strict=True)
    buildings = sum(building > 0 and owner == seat for building, owner in owners)
    pawns = f"{counted(knights, 'knight')} and {counted(buildings, 'building')}"
    yield "BY-END-6", f"seat {seat} is out; {pawns} of its own stay on the board"
    if seat in state.end_agreed_by:
        yield "BY-END-5", f"seat {seat} no longer counts among the seats that ask for the end"
    forgone = FIRST_CITIES - cities_placed(state, seat)
    if state.phase == "setup" and forgone:
        cities = counted(forgone, "city")
        yield "BY-SET-6", f"its placements are skipped, so it forgoes {cities}"


def explain_request(state: State, data: EndAgreed) -> Iterator[Reason]:
    """`EndAgreed`: BY-END-5."""
    asking, staying = data["end_agreed_by"], state.in_game()
    if set(staying) <= set(asking):
        yield "BY-END-5", f"all seats ask for the end, so the game ends with round {state.round}"
    elif asking:
        ask = "ask" if asking[1:] else "asks"
        seats = f"{_seats(asking)} of {counted(len(staying), 'seat')}"
        yield "BY-END-5", f"{seats} {ask} for the end; it takes all of them"
    else:
        yield "BY-END-5", "no seat asks for the end any more"


def explain_round(state: State, data: RoundScored) -> Iterator[Reason]:
    """`RoundScored`: BY-END-1, 3."""
    return explain_standings(data["standings"])


def explain_standings(standings: Sequence[BaronyStanding]) -> Iterator[Reason]:
    """BY-END-1, 3: the score tracks, and the points of tokens."""
    yield (
        "BY-END-1",
        listing(
            f"seat {entry['seat']} has {entry['score']} as {entry['rank']} with "
            f"{counted(entry['new_cities'], 'new city')}"
            for entry in standings
        ),
    )
    tokens = [
        f"seat {entry['seat']}'s tokens are worth {counted(entry['token_points'], 'point')}"
        for entry in standings
        if entry["token_points"]
    ]
    if tokens:
        yield "BY-END-3", listing(tokens)


def explain_ranking(state: State, data: Ranked) -> Iterator[Reason]:
    """`GameFinished`: BY-END-3, 4, 6."""
    ranking = data["ranking"]
    yield (
        "BY-END-3",
        listing(
            f"seat {entry['seat']} has {entry['score']}, "
            f"{token_points(state, entry['seat'])} of it for tokens"
            for entry in ranking
        ),
    )
    yield "BY-END-4", f"seat {ranking[0]['seat']} ranks first and is King"
    staying = [entry for entry in ranking if not state.is_out[entry["seat"]]]
    for better, worse in pairwise(staying):
        if better["score"] == worse["score"]:
            seats = f"seats {better['seat']} and {worse['seat']}"
            yield "BY-END-4", f"{seats} have equal scores, so the higher seat ranks first"
    out = [entry["seat"] for entry in ranking if entry not in staying]
    if out:
        yield "BY-END-6", f"{_seats(out)} left the game and {'rank' if out[1:] else 'ranks'} last"


def explain_turn_order(state: State, after: State, event: DomainEvent) -> Iterator[Reason]:
    """What the event, between these two states, changed in the turn order: the end of set-up, of a round, of
    play.
    """
    if after.phase == "scoring":
        yield from _end_of_play(state, after, event)
    elif state.phase == "setup" and after.phase == "play":
        yield from _end_of_set_up(after)
    elif after.round > state.round:
        begins = f"seat {after.to_act} begins round {after.round}"
        yield "BY-TURN-1", f"round {state.round} is over, and {begins}"
    dukes = _dukes(after)
    if after.phase == "play" and dukes:
        yield "BY-END-2", f"{_seats(dukes)} became duke, so round {after.round} is the last"


def _end_of_set_up(after: State) -> Iterator[Reason]:
    forgone = {
        seat: missing
        for seat in after.in_game()
        if (missing := FIRST_CITIES - cities_placed(after, seat))
    }
    begins = f"play begins with seat {after.to_act}"
    if not forgone:
        yield "BY-SET-3", f"every seat in the game has placed its cities: {begins}"
    elif not any(can_hold_first_city(after, hex) for hex in range(len(after.board.hexes))):
        seats = listing(
            f"seat {seat} forgoes {counted(count, 'city')}" for seat, count in forgone.items()
        )
        yield "BY-SET-5", f"no hex is left for a first city; {seats}; {begins}"
    if after.to_act:
        yield "BY-SET-6", f"seat {after.to_act} is the first seat still in the game"


def _end_of_play(state: State, after: State, event: DomainEvent) -> Iterator[Reason]:
    """Every clause by which play is over after the event."""
    staying = after.in_game()
    if len(staying) == 1:
        yield "BY-END-6", f"only seat {staying[0]} is left, so the game ends at once"
        return
    dukes = _dukes(after)
    if dukes:
        yield "BY-END-2", f"{_seats(dukes)} became duke, so round {state.round} was the last"
    if state.round == state.round_limit:
        yield "BY-END-5", f"the game was limited to {counted(state.round, 'round')}"
    if is_end_agreed(after):
        all_asked = "all seats in the game had asked for the end"
        yield "BY-END-5", f"{all_asked}, so round {state.round} was the last"
    passed = {*state.passed, *([state.to_act] if event.type == "TurnPassed" else [])}
    if set(staying) <= passed:
        yield "BY-TURN-4", f"every seat still in the game passed in round {state.round}"


def _dukes(state: State) -> list[int]:
    return [seat for seat, rank in enumerate(state.rank) if rank == DUKE]


def _seats(seats: Sequence[int]) -> str:
    return listing(f"seat {seat}" for seat in seats)
