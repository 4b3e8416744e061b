"""The ratings of players: the games that count, and the changes by each of them (docs/ratings.md).

Ratings are whole numbers of millionths and are rounded after each game, because the last digits of an
exponential differ between machines. (replay/bots/ratings.py rates the bots of an arena.)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, TypedDict, cast

from domain.errors import CartularyError, Unreadable
from domain.event import Event
from domain.json_types import Count, Digest, GameId, JsonObject, PlayerId, PositiveCount, Timestamp
from domain.lifecycle import RATED_SEATS
from domain.messages import Text, message
from domain.registry import UnknownRules, registered_name, rule_system_for
from ledger.canonical import entry_hash

if TYPE_CHECKING:
    from openskill.models import PlackettLuce

UNIT: Final = 1_000_000
"""The number of parts of 1 in which ratings are counted."""
MODEL_NAME: Final = "openskill 6 PlackettLuce, cartulary ratings v1"
PROVISIONAL_SIGMA: Final = 6_500_000
"""The deviation above which a rating is provisional."""
FIRST_HASH: Final = "0" * 64
"""The hash of a table of no games."""
_SETTLING: Final = frozenset({"remove_seat", "move_seat", "abandon"})
"""The decisions of an administrator after which a game does not count."""


@dataclass(frozen=True, slots=True)
class Rating:
    """The mean and the deviation of a player's skill, in millionths."""

    mu: int = 25_000_000
    sigma: int = 8_333_333

    @property
    def points(self) -> int:
        """The displayed number: 1000 for a new player, plus 40 for each 1 of `cautious`."""
        return 1000 + 40 * self.cautious // UNIT

    @property
    def cautious(self) -> int:
        """The mean minus three deviations, by which leaderboards are ordered."""
        return self.mu - 3 * self.sigma

    @property
    def is_provisional(self) -> bool:
        """Whether too little is known about the player."""
        return self.sigma > PROVISIONAL_SIGMA


class NotRated(CartularyError):
    """A game does not count. `clause` is the clause of docs/ratings.md that says so."""

    def __init__(self, clause: str, why: Text) -> None:
        super().__init__(message("{clause}: {why}", clause=clause, why=why))
        self.clause = clause


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a game that counts. `places` has the place of each player, in the order of the seats."""

    game: str
    hash: str
    at: str
    system: str
    places: Mapping[str, int]


class RatedPlayer(TypedDict):
    """A player's place in a game, and the rating after it, in millionths."""

    player: PlayerId
    place: PositiveCount
    mu: int
    sigma: Count


class RatedGame(TypedDict):
    """A line of the history of ratings: game `number`, counted from 1 in the order of the transparency log.

    `last` and `at` are the hash and the time of the event that finished the game, and `players` are in the
    order of the seats. `hash` covers the other fields, among them `prev`, the hash of the line before.
    """

    number: PositiveCount
    game: GameId
    last: Digest
    at: Timestamp
    system: str
    players: list[RatedPlayer]
    prev: Digest
    hash: Digest


class RatingExclusion(TypedDict):
    """A game that does not count by a ruling of an administrator (RT-9), with the time and the reason."""

    game: GameId
    at: Timestamp
    reason: str


def is_asked_to_count(created: Event, club: str | None = None) -> bool:
    """Return whether, by its first event, a game may count (RT-1, RT-2, RT-3), for the ratings in a club or,
    without one, for those of the server.
    """
    try:
        _check_settings(created, club)
    except NotRated:
        return False
    return True


def rated_result(events: Sequence[Event], club: str | None = None) -> Result:
    """Return the result of a game, from all its events, for the ratings in a club or those of the server.

    Raises NotRated, and Unreadable if the ranking is not a ranking of the players.
    """
    system = _check_settings(events[0], club)
    players: list[str] = []
    for event in events:
        data = event["data"]
        match event["type"]:
            case "SeatTaken" if "bot" in data:
                raise NotRated("RT-4", message("a bot has joined the game"))
            case "GameStarted":
                players = data["players"]
            case "AdministratorDecided" if data["decision"] in _SETTLING:
                raise NotRated("RT-6", message("an administrator has settled the game"))
            case _:
                pass
    end = events[-1]
    if end["type"] != "GameFinished":
        raise NotRated("RT-5", message("the game was not finished"))
    by_seat = {entry["seat"]: entry["place"] for entry in end["data"]["ranking"]}
    if by_seat.keys() != set(range(len(players))) or len(set(players)) != len(players):
        raise Unreadable.with_message("the ranking does not have each player once")
    places = {player: by_seat[seat] for seat, player in enumerate(players)}
    return Result(end["game"], end["hash"], end["at"], system, places)


def _check_settings(created: Event, club: str | None) -> str:
    settings = created["data"]
    options = settings["options"]
    if options.get("rated") is not True:
        raise NotRated("RT-1", message("the game was not created as a rated game"))
    if club is None and options["private"]:
        raise NotRated("RT-2", message("the game is private"))
    if club is not None and options.get("club") != club:
        raise NotRated("RT-10", message("it is not a game of this club"))
    if settings["seats"] not in RATED_SEATS:
        raise NotRated("RT-3", message("only games of two to five players are rated"))
    try:
        return registered_name(rule_system_for(settings["rules"], options))
    except UnknownRules:
        raise NotRated("RT-3", message("the rules of the game are not installed")) from None


@cache
def model() -> "PlackettLuce":
    """Return the model of docs/ratings.md. A change to it changes the ratings of past games."""
    # Most processes only read ratings, and need not import the library when they start.
    from openskill.models import PlackettLuce

    return PlackettLuce(
        mu=25.0,
        sigma=25.0 / 3,
        beta=25.0 / 6,
        kappa=0.0001,
        tau=25.0 / 300,
        limit_sigma=False,
        balance=False,
    )


def rate(result: Result, before: Mapping[str, Rating]) -> dict[str, Rating]:
    """Return the ratings of the players of a game after it. New players begin with the initial rating."""
    return rate_places(result.places, before)


def rate_places(places: Mapping[str, int], before: Mapping[str, Rating]) -> dict[str, Rating]:
    """Return the ratings after a competition with these places. New ones begin with the initial rating."""
    teams = [
        [model().rating(mu=rating.mu / UNIT, sigma=rating.sigma / UNIT)]
        for rating in (before.get(player, Rating()) for player in places)
    ]
    rated = model().rate(teams, ranks=[float(place) for place in places.values()])
    return {
        player: Rating(round(team[0].mu * UNIT), round(team[0].sigma * UNIT))
        for player, team in zip(places, rated, strict=True)
    }


def rated_game(
    number: int, result: Result, after: Mapping[str, Rating], prev: str = FIRST_HASH
) -> RatedGame:
    """Return the line of the history for a game after which its players have these ratings."""
    players: list[RatedPlayer] = [
        {"player": player, "place": place, "mu": after[player].mu, "sigma": after[player].sigma}
        for player, place in result.places.items()
    ]
    line: JsonObject = {
        "number": number,
        "game": result.game,
        "last": result.hash,
        "at": result.at,
        "system": result.system,
        "players": players,
        "prev": prev,
    }
    return cast("RatedGame", {**line, "hash": entry_hash(line)})


class RatingTable:
    """The ratings by system and player after some games. Not thread-safe."""

    def __init__(self) -> None:
        self.ratings: dict[tuple[str, str], Rating] = {}
        self.number = 0
        self.hash = FIRST_HASH

    def add(self, result: Result) -> RatedGame:
        """Add the next game, and return its line of the history."""
        before = {
            player: self.ratings[result.system, player]
            for player in result.places
            if (result.system, player) in self.ratings
        }
        after = rate(result, before)
        line = rated_game(self.number + 1, result, after, self.hash)
        self.ratings |= {(result.system, player): rating for player, rating in after.items()}
        self.number, self.hash = line["number"], line["hash"]
        return line
