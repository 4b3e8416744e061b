"""Kinds of forgeries: events are removed, inserted, exchanged and replaced."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Final

from domain import lifecycle
from domain.contract import Json
from tests.support.events import event_of
from tests.support.forger import BROKEN, Change, Forger, holder_of, inside, is_played, later

# Order


def dropped(forger: Forger) -> int | None:
    index = forger.any_event()
    del forger.events[index]
    return index


def doubled(forger: Forger) -> int | None:
    index = forger.any_event()
    forger.events.insert(index, deepcopy(forger.events[index]))
    return index + 1


def neighbours_exchanged(forger: Forger) -> int | None:
    index = forger.chance.randrange(1, len(forger.events) - 1)
    one, other = forger.events[index : index + 2]
    one["at"], other["at"] = other["at"], one["at"]
    forger.events[index : index + 2] = [other, one]
    return index


def moved(forger: Forger) -> int | None:
    """An event elsewhere; the times stay where they are."""
    index, goal = sorted(forger.chance.sample(range(1, len(forger.events)), 2))
    times = [event["at"] for event in forger.events]
    if forger.chance.random() < 0.5:
        forger.events.insert(goal, forger.events.pop(index))
    else:
        forger.events.insert(index, forger.events.pop(goal))
    for event, at in zip(forger.events, times, strict=True):
        event["at"] = at
    return index


def cut_off(forger: Forger) -> int | None:
    length = forger.chance.randrange(forger.start + 1, len(forger.events))
    del forger.events[length:]
    return length


# Seats


def seats_exchanged(forger: Forger) -> int | None:
    index = forger.any_event_that(lambda event: "seat" in event["by"])
    return None if index is None else _exchange_seats(forger, index, index + 1)


def seats_exchanged_from_here(forger: Forger) -> int | None:
    index = forger.any_event_that(lambda event: "seat" in event["by"])
    return None if index is None else _exchange_seats(forger, index, len(forger.events))


def _exchange_seats(forger: Forger, index: int, until: int) -> int:
    one, other = forger.chance.sample(range(forger.created["seats"]), 2)
    swap = {one: other, other: one}
    for event in forger.events[index:until]:
        for part in (event["by"], event["data"]):
            for way, value in list(inside({"it": part})):
                if way[-1] in ("seat", "to_act") and type(value) is int:
                    holder_of({"it": part}, way)[way[-1]] = swap.get(value, value)
    return until


def acts_out_of_turn(forger: Forger) -> int | None:
    """A seat acts as if it were its turn, which goes on afterwards."""
    index = forger.any_action()
    if index is None:
        return None
    game = forger.game_at(index)
    seats = [seat for seat in range(game.seats) if seat != game.to_act]
    seat = forger.chance.choice(seats)
    state = game.rules.copy(game.state)
    state.to_act = seat
    try:
        actions = game.rules.legal_actions(state, seat)
        action = forger.chance.choice(actions)
        fact = game.rules.decide(state, seat, action)
    except (*BROKEN, IndexError):
        return None
    forger.put_in(index, fact, {"seat": seat}, game.rules.action_to_json(action))
    return index + 1


def acts_in_place_of_another(forger: Forger) -> int | None:
    """The action of the seat to act is replaced by one of another seat."""
    index = acts_out_of_turn(forger)
    if index is not None:
        del forger.events[index]
    return index


# Events put in


def forfeit_put_in(forger: Forger) -> int | None:
    index = forger.any_event_that(lambda event: "seat" in event["by"])
    if index is None:
        return None
    fact = lifecycle.forfeit(forger.game_at(index))
    forger.put_in(index, fact, {"system": "clock"})
    return index + 1


def forfeit_in_place_of_action(forger: Forger) -> int | None:
    index = forfeit_put_in(forger)
    if index is not None:
        forger.events[index - 1]["at"] = forger.events[index]["at"]
        del forger.events[index]
    return index


def forfeit_after_its_time(forger: Forger) -> int | None:
    """With all that follows put off for as long as the clock of the turn runs."""
    index = forfeit_put_in(forger)
    if index is not None:
        seconds = (forger.created["clock"] or {"per_turn": 1})["per_turn"]
        for event in forger.events[index - 1 :]:
            event["at"] = later(event["at"], seconds)
    return index


def removal_put_in(forger: Forger) -> int | None:
    index = forger.any_event_that(lambda event: "seat" in event["by"])
    if index is None:
        return None
    game = forger.game_at(index)
    try:
        fact = lifecycle.remove(game, forger.chance.randrange(game.seats))
    except BROKEN:
        return None
    forger.put_in(index, fact, {"system": forger.chance.choice(["clock", "arbiter"])})
    return index + 1


def resignation_put_in(forger: Forger) -> int | None:
    index = forger.any_event_that(lambda event: "seat" in event["by"])
    if index is None:
        return None
    game = forger.game_at(index)
    seat = forger.chance.randrange(game.seats)
    resign = {"type": "resign"}
    try:
        fact = lifecycle.act(game, seat, game.rules.parse_action(resign))
    except BROKEN:
        return None
    forger.put_in(index, fact, {"seat": seat}, resign)
    return index + 1


def seat_taken(forger: Forger) -> int | None:
    index = forger.any_moment()
    player = forger.chance.choice(["stranger", *forger.started["players"]])
    fact = event_of("SeatTaken", {"player": player, "nonce": "00ff"})
    forger.put_in(index, fact, {"player": player})
    return index + 1


def seat_left(forger: Forger) -> int | None:
    index = forger.any_moment()
    player = forger.chance.choice(["stranger", *forger.started["players"]])
    forger.put_in(index, event_of("SeatLeft", {"player": player}), {"player": player})
    return index + 1


def started_again(forger: Forger) -> int | None:
    index = forger.any_moment()
    again = deepcopy(forger.events[forger.start])
    again["at"] = forger.events[index - 1]["at"]
    forger.events.insert(index, again)
    return index + 1


def round_scored(forger: Forger) -> int | None:
    """A round is scored once more, or before it is over, from the position at this moment."""
    index = forger.chance.randint(forger.start + 1, len(forger.events))
    game = forger.game_at(index)
    assert game.state is not None
    round = forger.chance.choice([game.rounds_scored, game.rounds_scored + 1, game.state.round])
    standings = game.rules.standings(game.state)
    fact = event_of("RoundScored", {"round": round, "standings": standings})
    forger.put_in(index, fact, {"system": "scorer"})
    return index + 1


def finished(forger: Forger) -> int | None:
    game = forger.game_at(len(forger.events))
    assert game.state is not None
    ranking = [{"seat": seat, "score": 10, "place": seat + 1} for seat in range(len(game.players))]
    then = {"phase": "finished", "round": game.state.round, "turn": 9, "to_act": None}
    data = {"ranking": ranking, "secret": forger.running.secret, "then": then}
    fact = event_of("GameFinished", data)
    forger.put_in(len(forger.events), fact, {"system": "scorer"})
    return len(forger.events)


def abandoned(forger: Forger) -> int | None:
    """At the end or in the middle, with the secret or another one."""
    index = forger.chance.choice([forger.any_moment(), len(forger.events)])
    secret = forger.chance.choice([forger.running.secret, "00" * 32])
    by = forger.chance.choice(["arbiter", "clock", "start", "scorer"])
    forger.put_in(index, event_of("GameAbandoned", {"secret": secret}), {"system": by})
    return index


def deserted(forger: Forger) -> int | None:
    """Every seat forfeits two turns in a row; the clock abandons the game then, too early, or not at all."""
    forger.created["clock"] = {"per_turn": 60}
    chance, seats = forger.chance, forger.created["seats"]
    for _ in range(chance.choice([2 * seats - 1, 2 * seats, 2 * seats, 2 * seats + 1])):
        game = forger.game_at(len(forger.events))
        if game.to_act is None:
            return None
        fact = lifecycle.forfeit(game)
        forger.put_in(len(forger.events), fact, {"system": "clock"})
        forger.events[-1]["at"] = later(forger.events[-1]["at"], 3600)
    if chance.random() < 0.7:
        fact = event_of("GameAbandoned", {"secret": forger.running.secret})
        by = chance.choice(["clock", "clock", "arbiter"])
        forger.put_in(len(forger.events), fact, {"system": by})
    return len(forger.events)


def unknown_put_in(forger: Forger) -> int | None:
    index = forger.any_moment()
    by: Json = forger.chance.choice([{"system": "clock"}, {"seat": 0}])
    action: Json | None = forger.chance.choice([None, {"type": "serve_tea"}])
    forger.put_in(index, event_of("TeaServed", {"seat": 0}), by, action)
    return index + 1


# Actions


def other_action(forger: Forger) -> int | None:
    """The seat to act takes another action that the rules allow, with all that comes of it."""
    index = forger.any_event_that(lambda event: is_played(event) and event["action"] is not None)
    if index is None:
        return None
    game, event = forger.game_at(index), forger.events[index]
    seat = event["by"]["seat"]
    actions = game.rules.legal_actions(game.state, seat)
    if not actions:
        return None
    action = forger.chance.choice(actions)
    fact = game.rules.decide(game.state, seat, action)
    event.update(type=fact.type, data=deepcopy(fact.data), action=game.rules.action_to_json(action))
    return index + 1


def action_of_another_moment(forger: Forger) -> int | None:
    """What was done at another moment of the game, with a course that fits here."""
    index = forger.any_event_that(lambda event: is_played(event) and event["action"] is not None)
    source = forger.any_event_that(lambda event: is_played(event) and event["action"] is not None)
    if index is None or source is None or index == source:
        return None
    event, other = forger.events[index], deepcopy(forger.events[source])
    then, seat = event["data"]["then"], event["by"]["seat"]
    event["type"], event["action"] = other["type"], other["action"]
    event["data"] = {**other["data"], "then": then, "seat": seat}
    return index + 1


KINDS: Final[Mapping[str, Change]] = {
    "event dropped": dropped,
    "event doubled": doubled,
    "neighbours exchanged": neighbours_exchanged,
    "event moved": moved,
    "end cut off": cut_off,
    "seats exchanged": seats_exchanged,
    "seats exchanged from here": seats_exchanged_from_here,
    "action out of turn": acts_out_of_turn,
    "action of another seat": acts_in_place_of_another,
    "forfeit put in": forfeit_put_in,
    "forfeit in place of an action": forfeit_in_place_of_action,
    "forfeit after its time": forfeit_after_its_time,
    "removal put in": removal_put_in,
    "resignation put in": resignation_put_in,
    "seat taken": seat_taken,
    "seat left": seat_left,
    "started again": started_again,
    "round scored": round_scored,
    "game finished": finished,
    "game abandoned": abandoned,
    "game deserted": deserted,
    "unknown event": unknown_put_in,
    "other action": other_action,
    "action of another moment": action_of_another_moment,
}
