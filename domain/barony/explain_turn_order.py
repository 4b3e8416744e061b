"""What clauses did to the course of the game: set-up, departures, the end of a round, of play, the score.

A part of `explain`; the actions themselves are explained there.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, TypeAlias

from domain.barony.apply import apply
from domain.barony.components import DUKE, FIRST_CITIES, TERRAINS
from domain.barony.scoring import token_points
from domain.barony.state import State
from domain.barony.turn_order import can_hold_first_city, cities_placed, is_end_agreed
from domain.contract import DomainEvent, Json, untyped_data
from domain.hex_text import hex_text
from domain.phrases import counted, listing

Reason: TypeAlias = tuple[str, str]
"""A clause's id and a sentence about this board."""


def explain_placement(state: State, data: Json) -> Iterator[Reason]:
    """`CityPlaced`: BY-SET-3, 4."""
    seat, here = data["seat"], hex_text(data["at"])
    hex = state.board.index[data["at"][0], data["at"][1]]
    number = cities_placed(state, seat) + 1
    yield (
        "BY-SET-3",
        f"it is city {number} of {FIRST_CITIES} of seat {seat}; a knight comes with it",
    )
    ground = TERRAINS[state.board.terrain[hex]]
    yield "BY-SET-4", f"{here} is a {ground}, and there was no city on it or beside it"


def explain_departure(state: State, data: Json) -> Iterator[Reason]:
    """`PlayerResigned`, `PlayerRemoved`: BY-END-5, 6, BY-SET-6."""
    seat = data["seat"]
    knights = sum(state.knights[seat])
    owned = zip(state.building, state.owner, strict=True)
    buildings = sum(building > 0 and owner == seat for building, owner in owned)
    left = f"{counted(knights, 'knight')} and {counted(buildings, 'building')}"
    yield "BY-END-6", f"seat {seat} is out; {left} of its own stay on the board"
    if seat in state.end_agreed_by:
        yield "BY-END-5", f"seat {seat} no longer stands among those who asked for the end"
    forgone = FIRST_CITIES - cities_placed(state, seat)
    if state.phase == "setup" and forgone:
        yield "BY-SET-6", f"its turns to place are skipped: it forgoes {counted(forgone, 'city')}"


def explain_request(state: State, data: Json) -> Iterator[Reason]:
    """`EndAgreed`: BY-END-5."""
    asked, playing = data["end_agreed_by"], state.in_game()
    who = f"{listing(f'seat {seat}' for seat in asked)} of {counted(len(playing), 'seat')}"
    if set(playing) <= set(asked):
        yield "BY-END-5", f"all have asked: the game ends with round {state.round}"
    elif asked:
        yield "BY-END-5", f"{who} {'have' if asked[1:] else 'has'} asked for the end; all must"
    else:
        yield "BY-END-5", "nobody asks for the end now"


def explain_standings(state: State, data: Json) -> Iterator[Reason]:
    """`RoundScored`: BY-END-1, 3."""
    standings = data["standings"]
    yield (
        "BY-END-1",
        listing(
            f"seat {entry['seat']} has {entry['score']} as {entry['rank']} with "
            f"{counted(entry['new_cities'], 'new city')}"
            for entry in standings
        ),
    )
    tokens = [entry for entry in standings if entry["token_points"]]
    if tokens:
        yield (
            "BY-END-3",
            listing(
                f"seat {entry['seat']}'s tokens are worth {entry['token_points']} points"
                for entry in tokens
            ),
        )


def explain_ranking(state: State, data: Json) -> Iterator[Reason]:
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
    yield "BY-END-4", f"seat {ranking[0]['seat']} stands first and is King"
    playing = [entry for entry in ranking if not state.is_out[entry["seat"]]]
    for better, worse in pairwise(playing):
        if better["score"] == worse["score"]:
            yield (
                "BY-END-4",
                f"seats {better['seat']} and {worse['seat']} are equal: the higher number is first",
            )
    out = [f"seat {entry['seat']}" for entry in ranking if entry not in playing]
    if out:
        yield "BY-END-6", f"{listing(out)} left the game and {'are' if out[1:] else 'is'} last"


def explain_course(
    state: State, fact: DomainEvent, apply: Callable[[Any, str, Json], None] = apply
) -> Iterator[Reason]:
    """What followed for the course from a fact that says so, under `then`; `apply`: what writes facts."""
    then = untyped_data(fact).get("then")
    if then is None:
        return
    after = state.copy()
    apply(after, fact.type, untyped_data(fact))
    if then["phase"] == "scoring":
        yield from _end_of_play(state, after, fact)
    elif state.phase == "setup" and then["phase"] == "play":
        yield from _end_of_set_up(after)
    elif then["round"] > state.round:
        yield (
            "BY-TURN-1",
            f"round {state.round} is over, and seat {then['to_act']} begins round {then['round']}",
        )
    dukes = [seat for seat, rank in enumerate(after.rank) if rank == DUKE]
    if then["phase"] == "play" and dukes:
        yield "BY-END-2", f"{_seats(dukes)} rose to duke: round {then['round']} is the last"


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
        who = listing(
            f"seat {seat} forgoes {counted(count, 'city')}" for seat, count in forgone.items()
        )
        yield "BY-SET-5", f"no hex is left for a first city; {who}; {begins}"
    if after.to_act:
        yield "BY-SET-6", f"seat {after.to_act} is the first that is still in the game"


def _end_of_play(state: State, after: State, fact: DomainEvent) -> Iterator[Reason]:
    """Every clause by which play is over with this fact."""
    playing = after.in_game()
    if len(playing) == 1:
        yield "BY-END-6", f"only seat {playing[0]} is left: the game ends at once"
        return
    dukes = [seat for seat, rank in enumerate(after.rank) if rank == DUKE]
    if dukes:
        yield "BY-END-2", f"{_seats(dukes)} rose to duke: round {state.round} was the last"
    if state.round == state.round_limit:
        yield "BY-END-5", f"the game was limited to {counted(state.round, 'round')}"
    if is_end_agreed(after):
        yield "BY-END-5", f"all who play had asked for the end: round {state.round} was the last"
    passed = {*state.passed, *([untyped_data(fact)["seat"]] if fact.type == "TurnPassed" else [])}
    if set(playing) <= passed:
        yield "BY-TURN-4", f"every seat still in the game passed in round {state.round}"


def _seats(seats: list[int]) -> str:
    return listing(f"seat {seat}" for seat in seats)
