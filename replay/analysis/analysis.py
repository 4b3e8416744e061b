"""The analysis of a whole game, which can be interrupted and continued.

The state of an analysis is a plain value, which can be stored as JSON: the header, and an entry for each turn
that has been examined. Every entry depends on the game, the seed and the budget alone, so the order and the
number of processes make no difference.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from domain.errors import Malformed
from domain.json_fields import is_integer
from domain.json_types import JsonObject
from domain.messages import message
from domain.registry import registered_name
from replay.analysis.examination import ANALYSIS_VERSION, examine, tasks
from replay.analysis.playouts import version_of_playouts
from replay.analysis.positions import FinishedGame
from replay.analysis.settings import Settings
from replay.analysis.summary import summary
from replay.bots.playout import in_processes

FORMAT: Final = "cartulary-analysis"


def new_analysis(game: FinishedGame, settings: Settings) -> JsonObject:
    """Return the state of an analysis of which nothing is done yet."""
    return {
        "format": FORMAT,
        "version": ANALYSIS_VERSION,
        "playouts": version_of_playouts(game.rules),
        "game": game.id,
        "head": game.head,
        "rules": registered_name(game.rules),
        "seats": game.seats,
        "winners": list(game.winners),
        "budget": settings.budget,
        "seed": settings.seed.hex(),
        "of": len(game.turns),
        "turns": [],
    }


def check_state(game: FinishedGame, settings: Settings, state: Mapping[str, object]) -> None:
    """Raise Malformed, by field, for a state that is not one of an analysis of this game with these settings,
    by this version of the program.
    """
    expected = new_analysis(game, settings)
    turns = state.get("turns")
    faults = {
        name: message("belongs to another analysis")
        for name, value in expected.items()
        if name != "turns" and state.get(name) != value
    }
    numbers = [turn.number for turn in game.turns]
    if not isinstance(turns, list) or numbers[: len(turns)] != [
        turn.get("turn") if isinstance(turn, dict) and is_integer(turn.get("turn")) else None
        for turn in turns
    ]:
        faults["turns"] = message("must be the first turns of the game")
    if faults:
        raise Malformed(faults)


def continued(
    game: FinishedGame, settings: Settings, state: JsonObject, processes: int = 1
) -> Iterator[JsonObject]:
    """Yield the state after each turn that is examined from here on, up to the complete analysis.

    `state` is that of `new_analysis`, or one that this function has yielded; it stays as it was. The last
    state has the summary. Yields a complete state once. Raises Malformed for the state of another analysis.
    """
    check_state(game, settings, state)
    turns = list(state["turns"])
    left = tasks(game, settings)[len(turns) :]
    for turn in in_processes(examine, left, processes) if left else ():
        turns.append(turn)
        if len(turns) < len(game.turns):
            yield {**state, "turns": list(turns)}
    whole = {name: value for name, value in state.items() if name != "summary"} | {"turns": turns}
    yield {**whole, "summary": summary(whole)}


def analyse(game: FinishedGame, settings: Settings, processes: int = 1) -> JsonObject:
    """Return the complete analysis of a game."""
    *_, complete = continued(game, settings, new_analysis(game, settings), processes)
    return complete


def is_complete(state: Mapping[str, object]) -> bool:
    """Return whether all turns have been examined."""
    return "summary" in state


def progress_of(state: JsonObject) -> tuple[int, int]:
    """Return how many turns have been examined, and how many there are."""
    return len(state["turns"]), state["of"]
