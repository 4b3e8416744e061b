"""Notices: what there is to tell the players of a game, made of a note and the log.

A notice says where to look and not more; it holds nothing that only some may see. How it reaches
anybody is in senders.py.
"""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from domain.contract import Json
from service import clock
from service.games.queries import GameQueries
from workers.tasks import Work

Subject: TypeAlias = Literal["your_turn", "round_scored", "game_over"]


@dataclass(frozen=True, slots=True)
class Notification:
    """One thing to tell. `players` are the ids of those it is for, `delivery` is the same whenever the
    same note is told again.
    """

    delivery: str
    subject: Subject
    game: str
    rules: str
    seq: int
    players: tuple[str, ...]
    facts: Json = field(default_factory=dict)
    """`your_turn`: seat, round, deadline; `round_scored`: round, standings; `game_over`: status, ranking."""

    def as_json(self) -> Json:
        """The notice as it is posted: the fields above in one object, the facts among them."""
        return {
            "delivery": self.delivery,
            "subject": self.subject,
            "game": self.game,
            "rules": self.rules,
            "seq": self.seq,
            "players": list(self.players),
            **self.facts,
        }


def notice(queries: GameQueries, work: Work) -> Notification | None:
    """What a `notify` note has to tell; None for one that this version does not know.

    Raises NotFound, Unavailable.
    """
    game = queries.game(work.game)
    said = work.said
    subject: Subject
    players = game.players or tuple(place.player for place in game.places)
    match work.note.split("/"):
        case ["notify", "turn"]:
            subject = "your_turn"
            players = (game.players[said["seat"]],)
            facts = {
                "seat": said["seat"],
                "round": game.round,
                "deadline": clock.deadline(game),
            }
        case ["notify", "round", round]:
            subject = "round_scored"
            (event,) = queries.events(work.game, said["seq"] - 1, 1)
            facts = {"round": int(round), "standings": event["data"]["standings"]}
        case ["notify", "over"]:
            subject = "game_over"
            facts = {"status": game.status, "ranking": game.ranking}
        case _:
            return None
    return Notification(work.id, subject, game.id, game.rules.NAME, said["seq"], players, facts)
