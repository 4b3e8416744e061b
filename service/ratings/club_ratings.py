"""The ratings of the members of clubs, from the rated games of each club, private ones included.

They are a projection with the values of `service/ratings/ratings.py` for each club, whose names begin with
the id of the club and a space (`head`, `line NUMBER`, `of SYSTEM ID`), and these:

    exclusions     the games without which all tables were derived, as canonical JSON
    ID excluded    of these, the ids of the games of club ID, with spaces between them

There are no leaderboards: the table of a club has its members, whose number is bounded. A player who leaves
keeps the rating, which is shown again if they come back. What is derived from private games is read by the
members only.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from domain.errors import Unreadable
from domain.event import Event
from domain.json_types import JsonObject
from domain.registry import rule_systems
from ledger.canonical import canonical
from ledger.keys import ratings_payload
from ledger.transparency.merkle import root
from replay.ratings.player_ratings import (
    MODEL_NAME,
    NotRated,
    RatedGame,
    is_asked_to_count,
    rated_result,
)
from service import wall_clock
from service.accounts.account_reader import AccountReader
from service.clubs.clubs import Clubs
from service.clubs.permissions import require_member
from service.errors import NotFound
from service.keyring import Keyring
from service.projections.event_feed import EventFeed
from service.projections.projections import Changes, Projections, ReadValues
from service.ratings.ratings import (
    MAX_LINES,
    PlayerRating,
    RatingExclusions,
    count_result,
    parse_exclusions,
    parse_head,
    parse_line,
)
from service.transparency.parts import Transparency


@dataclass(frozen=True, slots=True)
class ClubStanding:
    """A place in the table of a club, counted from 1. Members with equal ratings share it."""

    place: int
    player: str
    handle: str
    current: PlayerRating


class ClubRatingsProjection:
    """Derives the ratings in all clubs. It follows a feed of the games that are rated in clubs."""

    name = "club-ratings"

    def __init__(self, exclusions: RatingExclusions) -> None:
        self._exclusions = exclusions

    def is_outdated(self, read: ReadValues, /) -> bool:
        """Return whether the excluded games have changed since the ratings were derived."""
        stored = read(["exclusions"]).get("exclusions")
        return stored is not None and parse_exclusions(stored) != self._exclusions.all()

    def handle(self, events: Sequence[Event], feed: EventFeed, read: ReadValues, /) -> Changes:
        """See `Projection.handle`."""
        ends = [event for event in events if event["type"] == "GameFinished"]
        created = feed.created_events([event["game"] for event in ends])
        values: dict[str, str] = {}
        stored = read(["exclusions"]).get("exclusions")
        if ends and stored is None:
            # Once a generation has counted a game, its list of exclusions stays the same.
            stored = values["exclusions"] = canonical(self._exclusions.all()).decode()
        excluded = {exclusion["game"] for exclusion in parse_exclusions(stored)}
        for end in ends:
            first = created.get(end["game"])
            club = None if first is None else first["data"]["options"].get("club")
            if first is None or club is None or not is_asked_to_count(first, club):
                continue
            if end["game"] in excluded:
                name = f"{club} excluded"
                others = {**read([name]), **values}.get(name, "")
                values[name] = f"{others} {end['game']}".strip()
                continue
            (log,) = feed.event_ranges([(end["game"], 1, end["seq"])])
            try:
                result = rated_result(log, club)
            except (NotRated, Unreadable):
                continue
            count_result(result, values, read, f"{club} ")
        return Changes(values=values)


@dataclass(eq=False, repr=False)
class ClubRatings:
    """Reads the ratings in clubs, for their members. Thread-safe.

    Methods raise NotFound if there is no such club, or the player may not see it; Forbidden if the player is
    no member of it; Unavailable if Redis does not respond.
    """

    _projections: Projections
    _clubs: Clubs
    _accounts: AccountReader
    _transparency: Transparency
    _keyring: Keyring

    def standings(self, club_id: str, player: str, system: str) -> list[ClubStanding]:
        """Return the members of a club with rated games in a rule system, the best first.

        Raises NotFound for an unknown rule system, too.
        """
        if system not in rule_systems():
            raise NotFound.with_message("there is no rule system {name}", name=system[:64])
        entry = self._clubs.visible(club_id, player)
        require_member(entry, player)
        names = {id: f"{club_id} of {system} {id}" for id in entry.with_relation("member")}
        stored = self._projections.read(ClubRatingsProjection.name, [*names.values()])
        current = {
            id: PlayerRating.decode(stored[name]) for id, name in names.items() if name in stored
        }
        handles = self._accounts.handles([*current])
        rated = sorted(
            (id for id in current if id in handles),
            key=lambda player: (-current[player].rating.cautious, handles[player]),
        )
        better = [current[id].rating.cautious for id in rated]
        return [
            ClubStanding(
                1 + better.index(current[id].rating.cautious), id, handles[id], current[id]
            )
            for id in rated
        ]

    def games(
        self, club_id: str, player: str, after: int, limit: int = MAX_LINES
    ) -> tuple[list[RatedGame], int | None]:
        """Return lines of the history of a club after line `after`, and `after` of the next page or None."""
        self._require_member(club_id, player)
        limit = min(limit, MAX_LINES)
        fields = [f"{club_id} line {number}" for number in range(after + 1, after + limit + 2)]
        stored = self._projections.read(ClubRatingsProjection.name, fields)
        lines = [parse_line(stored[name]) for name in fields if name in stored]
        return lines[:limit], after + limit if len(lines) > limit else None

    def statement(self, club_id: str, player: str) -> JsonObject:
        """Return the signed statement of the table of a club and of the part of the log that it covers."""
        self._require_member(club_id, player)
        names = {name: f"{club_id} {name}" for name in ("head", "excluded")}
        cursor, stored = self._projections.read_at(
            ClubRatingsProjection.name, ["exclusions", *names.values()]
        )
        number, hash = parse_head(stored.get(names["head"]))
        of_club = stored.get(names["excluded"], "").split()
        payload = ratings_payload(
            log=self._transparency.checkpoints.origin,
            size=cursor.entries,
            root=root(self._transparency.log, cursor.entries).hex(),
            model=MODEL_NAME,
            games=number,
            hash=hash,
            excluded=[
                exclusion
                for exclusion in parse_exclusions(stored.get("exclusions"))
                if exclusion["game"] in of_club
            ],
            at=wall_clock.format(wall_clock.now()),
            club=club_id,
        )
        return self._keyring.signing_key.sign(payload)

    def _require_member(self, club_id: str, player: str) -> None:
        require_member(self._clubs.visible(club_id, player), player)
