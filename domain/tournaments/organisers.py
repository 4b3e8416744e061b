"""Who organises a tournament besides its creator (docs/tournaments.md, What organisers change)."""

from dataclasses import replace
from typing import Any, Final

from domain.errors import not_now
from domain.json_types import JsonObject
from domain.messages import message
from domain.tournaments.change import Change, Situation
from domain.tournaments.events import OrganiserDismissed, OrganiserNamed, TournamentEvent
from domain.tournaments.tournament import Tournament

MAX_ORGANISERS: Final = 8
"""The most organisers of a tournament, its creator included."""


def _player(it: Situation) -> str:
    player = it.fields.raw.get("player")
    if not isinstance(player, str):
        it.fields.faults["player"] = message("must be a player")
    it.fields.check()
    return str(player)


def _decide_naming(it: Situation) -> JsonObject:
    player, organisers = _player(it), it.tournament.organisers
    if player in organisers:
        raise not_now("this player is an organiser already")
    if len(organisers) >= MAX_ORGANISERS:
        raise not_now("at most {count} organisers are possible", count=MAX_ORGANISERS)
    return {"player": player}


def _apply_naming(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    return replace(tournament, named=(*tournament.named, data["player"]))


def _decide_dismissal(it: Situation) -> JsonObject:
    player = _player(it)
    if player not in it.tournament.named:
        raise not_now("this player was not named as an organiser")
    return {"player": player}


def _apply_dismissal(tournament: Tournament, event: TournamentEvent, data: Any) -> Tournament:
    left = (player for player in tournament.named if player != data["player"])
    return replace(tournament, named=tuple(left))


ORGANISER_CHANGES: Final = (
    Change(
        data=OrganiserNamed,
        chosen=("player",),
        handles=("player",),
        decide=_decide_naming,
        apply=_apply_naming,
    ),
    Change(
        data=OrganiserDismissed,
        chosen=("player",),
        handles=("player",),
        decide=_decide_dismissal,
        apply=_apply_dismissal,
    ),
)
