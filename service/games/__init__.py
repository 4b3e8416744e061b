"""The one door: whoever creates, joins, plays, scores or reads a game comes through `Games`.

The door itself, with the optimistic append, is in door.py; who comes through is sorted by role: players
before the start in lobby.py, players at play in play.py, the workers in referee.py, readers in
reading.py.
"""

from service.games.lobby import Lobby
from service.games.play import Accepted, Play
from service.games.reading import Reading
from service.games.referee import Referee

__all__ = ("Accepted", "Games")


class Games(Lobby, Play, Referee, Reading):
    """All games of a service, for every role. Safe for threads.

    Games that it hands out are shared: nobody may change one. Everything raises Unavailable when the
    store does not answer.
    """
