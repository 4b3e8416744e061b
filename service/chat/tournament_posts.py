"""The conversation of a tournament: posts that its players and its organisers write, and others read.

    cartulary:{tournament:ID}:posts     the posts; see service/chat/public_texts.py
    cartulary:tournament-posts:PLAYER   set: the ids of the tournaments in which the player has written or
                                        removed posts

Everybody who may see the tournament reads them. They are not in the log of the tournament: nothing that is
decided depends on them, and they can be erased.
"""

from dataclasses import dataclass
from typing import ClassVar, Final

import redis
from typing_extensions import override

from domain.messages import message
from domain.tournaments.tournament import Tournament
from service.chat.moderated import ModeratedConversation
from service.chat.public_texts import Bounds, PublicTexts
from service.chat.reports import TextKind
from service.errors import Forbidden
from service.tournaments.tournaments import Tournaments

_TOURNAMENTS_OF: Final = "cartulary:tournament-posts:"


def tournament_texts(
    client: redis.Redis, most_per_tournament: int, most_per_player: int
) -> PublicTexts:
    """Return the posts in Redis."""
    bounds = Bounds(most_per_tournament, most_per_player, keeps_last=True)
    return PublicTexts(client, posts_key, _TOURNAMENTS_OF, bounds)


def posts_key(tournament_id: str) -> str:
    """Return the key in Redis of the posts of a tournament."""
    return f"cartulary:{{tournament:{tournament_id}}}:posts"


@dataclass(eq=False, repr=False)
class TournamentPosts(ModeratedConversation):
    """The conversations of all tournaments. Thread-safe.

    Methods raise NotFound if there is no such tournament or post, or the player may not see the tournament;
    Forbidden if the player may not write or remove; Unavailable if Redis does not respond.
    """

    _kind: ClassVar[TextKind] = "tournament_post"
    _if_too_many: ClassVar = message(
        "this player has written as many posts in the tournament as are allowed"
    )

    _tournaments: Tournaments

    def can_write(self, tournament: Tournament, player: str | None) -> bool:
        """Return whether a player who sees a tournament takes part in it, or is one of its organisers."""
        if player is None or player in tournament.excluded:
            return False
        return tournament.takes_part(player) or self.can_moderate(tournament, player)

    def can_moderate(self, tournament: Tournament, player: str | None) -> bool:
        """Return whether a player who sees a tournament may remove posts."""
        return self._tournaments.is_organiser(tournament, player)

    @override
    def _require_reader(self, id: str, player: str | None) -> None:
        self._tournaments.get(id, player)

    @override
    def _require_writer(self, id: str, player: str) -> None:
        if not self.can_write(self._tournaments.get(id, player), player):
            raise Forbidden.with_message(
                "only the players and the organisers of a tournament write in its conversation"
            )

    @override
    def _require_moderator(self, id: str, player: str) -> None:
        if not self.can_moderate(self._tournaments.get(id, player), player):
            raise Forbidden.with_message("only the organiser of the tournament can do this")
