"""What a server that keeps to the rules writes about the people of a game (tests/support/honest_server.py).

These are invitations, holidays, pauses, seats that are left and taken, and decisions of administrators.
"""

from typing import Any, cast

from domain import administration, hints, invitations
from domain.clock import decisions, substitutes
from domain.contract import DomainEvent
from domain.errors import NotNow
from domain.game import Game
from domain.json_types import JsonObject
from domain.messages import message
from ledger.clock.turn_clock import is_pause_over
from ledger.commands import by_player
from ledger.envelope import is_timestamp

OF_PEOPLE = frozenset(
    {
        *("PlayerInvited", "InvitationDeclined", "InvitationRevoked", "SeatVacated"),
        *("SubstituteSeated", "HolidayAnnounced", "HolidayCancelled", "PauseAgreed"),
        *("TimeGiven", "HintGiven"),
        "AdministratorDecided",
    }
)
NOT_BY_BOTS = frozenset(
    {
        *("SeatLeft", "PlayerKeyAdded", "PlayerKeyRevoked", "DisputeOpened", "DisputeAnswered"),
        *("DisputeWithdrawn", "TakebackRequested", "HintGiven"),
    }
)


def decide_for_people(game: Game, event: JsonObject) -> tuple[JsonObject, DomainEvent]:
    """Return the author and the domain event that the server writes in place of this one.

    Raises Refused, or what made-up data lead to.
    """
    data, at, by = event["data"], event["at"], event["by"]
    creator: JsonObject = {"player": game.creator}
    match event["type"]:
        case "PlayerInvited":
            return creator, invitations.invite(game, data["player"])
        case "InvitationRevoked":
            return creator, invitations.revoke(game, data["player"])
        case "InvitationDeclined":
            return {"player": data["player"]}, invitations.decline(game, data["player"])
        case "HintGiven":
            return {"seat": data["seat"]}, hints.give_hint(game, data["seat"])
        case "SeatVacated":
            return {"seat": data["seat"]}, substitutes.vacate(game, data["seat"])
        case "SubstituteSeated":
            player = data["player"]
            if by == {"system": "administrator"}:
                return by, substitutes.seat_by_decision(game, data["seat"], player)
            if game.options["private"] and player not in game.invited:
                raise NotNow(None, message("this player cannot see the game"))
            return {"player": player}, substitutes.seat_substitute(game, data["seat"], player)
        case "PauseAgreed":
            seat, agree = by["seat"], data["agree"]
            if not isinstance(agree, bool):
                raise TypeError("a player agrees or does not")
            return {"seat": seat}, decisions.agree_to_pause(
                game, seat, agree=agree, is_over=is_pause_over(game, at)
            )
        case "TimeGiven":
            return {"seat": by["seat"]}, decisions.give_time(
                game, by["seat"], data["to"], data["seconds"]
            )
        case "AdministratorDecided":
            decided: Any = data
            if not isinstance(data["administrator"], str):
                raise TypeError("an administrator has an id")
            return {"system": "administrator"}, administration.decide_again(game, decided)
        case type:
            times = [data[name] for name in ("from", "to") if name in data]
            if not all(is_timestamp(time) for time in times):
                raise TypeError("a holiday has times")
            player = data["player"]
            author = cast("JsonObject", by_player(game, player))
            if type == "HolidayAnnounced":
                since, until = times
                return author, decisions.announce_holiday(game, player, since, until, at)
            return author, decisions.cancel_holiday(game, player, times[0], at)
