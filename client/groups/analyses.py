"""What finished games meant.

`python -m service.http.client_generator` has written this file.
"""

from typing import TypedDict

from client.methods import C_co, Group, Method
from client.requests import Call, call, reader, segment
from domain.json_types import JsonObject


class GameAnalysis(TypedDict):
    """The analysis of a game up to the event with the hash `head`, which is its last one. `done`
    is the part of the work that is done, in per cent. `analysis` is as `cartulary analyse
    --json` prints it (docs/analysis.md), null until it is complete.
    """

    game: str
    head: str
    status: str
    done: int
    requested_at: str
    analysis: JsonObject | None


def request_analysis(game: str, /) -> Call[GameAnalysis]:
    """Request the analysis of a finished game.

    A worker computes it with the settings of `cartulary analyse` without options. It follows from
    the game alone, so everybody who may see the game gets the same one. It is kept while somebody
    reads it now and then. The request can be repeated.
    """
    return call("POST", f"/games/{segment(game)}/analysis", reader(GameAnalysis))


def get_analysis(game: str, /) -> Call[GameAnalysis]:
    """Get the analysis of a finished game, if somebody has requested it."""
    return call("GET", f"/games/{segment(game)}/analysis", reader(GameAnalysis))


class AnalysesCalls(Group[C_co]):
    """What finished games meant."""

    request = Method(request_analysis)
    get = Method(get_analysis)
