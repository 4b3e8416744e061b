"""The requirements of a game for the players who join it, and those that a player does not meet."""

from collections.abc import Mapping
from typing import Any, Final

from domain.contract import AnyRuleSystem
from domain.game import Game
from domain.messages import Text, message, plural_message, semicolon_list
from domain.options import REQUIREMENTS
from domain.registry import registered_name
from service.clubs.clubs import Clubs
from service.errors import Forbidden
from service.games.player_statistics import Statistics
from service.ratings.ratings import PlayerRating, Ratings

_MEMBERS_ONLY: Final = message("only the members of its club can join this game")
_RATINGS: Final = ("least_rating", "most_rating")


class Requirements:
    """Compares players with the requirements of games. Methods raise Unavailable.

    Players whom the creator has invited, and players with an invitation link, meet all of them; but in the
    game of a club they must be members as well.
    """

    def __init__(self, statistics: Statistics, ratings: Ratings, clubs: Clubs) -> None:
        self._clubs = clubs
        self._statistics = statistics
        self._ratings = ratings

    def require(self, game: Game, player: str) -> None:
        """Raise Forbidden, with all requirements that the player does not meet, if there are any."""
        if missing := self.missing(game, player):
            raise Forbidden.with_message(
                "you cannot join this game: {reasons}", reasons=semicolon_list(missing)
            )

    def require_member(self, game: Game, player: str) -> None:
        """Raise Forbidden in the game of a club unless the player is a member; others cost no round trip."""
        if self._is_outsider(game, player):
            raise Forbidden(_MEMBERS_ONLY)

    def _is_outsider(self, game: Game, player: str) -> bool:
        club = game.options.get("club")
        return club is not None and not self._clubs.is_member(club, player)

    def missing(self, game: Game, player: str) -> list[Text]:
        """Return the requirements that the player does not meet.

        A game without requirements costs no round trip. An unknown reliability meets them: a requirement of
        finished games keeps newcomers out.
        """
        if self._is_outsider(game, player):
            return [_MEMBERS_ONLY]
        if player == game.creator or player in game.invited:
            return []
        return self.missing_for(game.options, game.rules, player)

    def missing_for(
        self, options: Mapping[str, Any], rules: AnyRuleSystem, player: str
    ) -> list[Text]:
        """Return the requirements of these options that the player does not meet; see `missing`."""
        if not any(name in options for name in REQUIREMENTS):
            return []
        statistics = self._statistics.of([player])[player]
        percent, finished = statistics.reliability.percent, statistics.finished
        missing: list[Text] = []
        if percent is not None and percent < options.get("least_reliability", 0):
            missing.append(
                message(
                    "the game is for players who take {least} % of their turns in time, and you take"
                    " {percent} %",
                    least=options["least_reliability"],
                    percent=percent,
                )
            )
        if finished < options.get("least_finished", 0):
            missing.append(
                plural_message(
                    "the game is for players who have finished a public game without bots, and you have"
                    " finished {finished}",
                    "the game is for players who have finished {count} public games without bots, and you"
                    " have finished {finished}",
                    count=options["least_finished"],
                    finished=finished,
                )
            )
        if any(name in options for name in _RATINGS):
            current = self._ratings.of(player).get(registered_name(rules))
            points = (current or PlayerRating.decode(None)).rating.points
            if points < options.get("least_rating", points):
                missing.append(
                    message(
                        "the game is for players with a rating of at least {least}, and yours is {points}",
                        least=options["least_rating"],
                        points=points,
                    )
                )
            if points > options.get("most_rating", points):
                missing.append(
                    message(
                        "the game is for players with a rating of at most {most}, and yours is {points}",
                        most=options["most_rating"],
                        points=points,
                    )
                )
        return missing
