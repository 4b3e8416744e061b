"""What a server that keeps to the rules writes in disputes and takebacks (tests/support/honest_server.py)."""

from collections.abc import Sequence

from domain.contract import DomainEvent
from domain.disputes import disputes, takebacks
from domain.game import Game
from domain.json_types import JsonObject
from ledger.canonical import unhex
from ledger.clock.turn_clock import clock_stopped_until

TYPES = frozenset(
    {
        *("DisputeOpened", "DisputeAnswered", "RulingProposed", "DisputeWithdrawn", "DisputeRuled"),
        *("TakebackRequested", "TakebackAnswered"),
    }
)
RESULTS = {"resume": "PlayResumed", "remove_seat": "PlayerRemoved", "abandon": "GameAbandoned"}
"""By the type of a ruling, the event that the server appends together with it."""


def decide_dispute(
    games: Sequence[Game], event: JsonObject, arbiter: JsonObject
) -> tuple[JsonObject, DomainEvent]:
    """Return the author and the domain event that the server writes in place of this one.

    `games` has the game after each event before it, `arbiter` is the author of rulings.
    """
    game, data, type = games[-1], event["data"], event["type"]
    number = data.get("dispute", 0)
    nonce = unhex(data["nonce"]) if "nonce" in data else None
    statement = "text" if "statement" in event.get("secrets", {}) else None

    def is_play(seq: int) -> bool:
        is_resumption = any(resumption.seq == seq for resumption in game.resumptions)
        return is_resumption or (
            games[seq - 1].state is not None and games[seq - 1].play_seq == seq
        )

    if type == "DisputeRuled":
        if game.arbiter is None:
            return arbiter, disputes.rule_by_agreement(game, number)
        ruling = disputes.parse_ruling(data["ruling"])
        return arbiter, disputes.rule(game, number, ruling, statement, is_play, nonce)
    seat = event["by"]["seat"]
    if seat >= game.seats:
        raise ValueError("the game has no such seat")
    match type:
        case "DisputeOpened":
            until = clock_stopped_until(game, event["at"])
            decided = disputes.open_dispute(game, seat, data["about"], "text", until, nonce)
        case "DisputeAnswered":
            decided = disputes.answer(game, number, seat, "text", nonce)
        case "RulingProposed":
            ruling = disputes.parse_ruling(data["ruling"])
            decided = disputes.propose(game, number, seat, ruling, statement, is_play, nonce)
        case "DisputeWithdrawn":
            decided = disputes.withdraw(game, number, seat)
        case "TakebackRequested":
            decided = takebacks.request(game, seat, nonce)
        case _:
            agree = data["agree"]
            if not isinstance(agree, bool):
                raise TypeError("an answer is true or false")
            decided = takebacks.answer(game, data["request"], seat, agree=agree, nonce=nonce)
    return {"seat": seat}, decided


def due_event(game: Game, last: JsonObject) -> JsonObject | None:
    """Return the parts of the event that the server appends together with the last one; None if none is."""
    together = {"at": last["at"]}
    if last["type"] == "DisputeRuled":
        ruling = last["data"]["ruling"]
        type = RESULTS.get(ruling["type"])
        if type is None:
            return None
        data = {name: ruling[name] for name in ("from", "seat") if name in ruling}
        return {**together, "type": type, "by": {"system": "arbiter"}, "data": data}
    if last["type"] == "AdministratorDecided":
        decided = last["data"]
        if decided["decision"] == "move_seat":
            seat, player = decided["seat"], decided["player"]
            data = {"seat": seat, "player": player, "replaces": game.players[seat]}
            return {**together, "type": "SubstituteSeated", "by": last["by"], "data": data}
        type = {"remove_seat": "PlayerRemoved", "abandon": "GameAbandoned"}.get(decided["decision"])
        if type is None:
            return None
        data = {"seat": decided["seat"]} if type == "PlayerRemoved" else {}
        return {**together, "type": type, "by": {"system": "arbiter"}, "data": data}
    if last["type"] == "RulingProposed":
        dispute = game.open_dispute
        if dispute is not None and disputes.agreed_ruling(game, dispute) is not None:
            return {**together, "type": "DisputeRuled", "by": {"system": "arbiter"}, "data": {}}
    if last["type"] == "TakebackAnswered":
        takeback = takebacks.agreed_takeback(game)
        if takeback is not None:
            data = {"from": takeback.origin, "because": last["seq"]}
            return {**together, "type": "PlayResumed", "by": {"system": "takeback"}, "data": data}
    return None
