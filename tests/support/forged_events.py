"""Kinds of forgeries: events are removed, inserted, exchanged and replaced."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Final

from domain import lifecycle
from domain.json_types import JsonObject
from tests.support.events import event_of
from tests.support.forger import BROKEN, Change, Forger, container_of, is_played, shift_time, walk

# Order


def drop_event(forger: Forger) -> int | None:
    index = forger.any_event()
    del forger.events[index]
    return index


def duplicate_event(forger: Forger) -> int | None:
    index = forger.any_event()
    forger.events.insert(index, deepcopy(forger.events[index]))
    return index + 1


def exchange_neighbours(forger: Forger) -> int | None:
    index = forger.chance.randrange(1, len(forger.events) - 1)
    one, other = forger.events[index : index + 2]
    one["at"], other["at"] = other["at"], one["at"]
    forger.events[index : index + 2] = [other, one]
    return index


def move_event(forger: Forger) -> int | None:
    """Move an event to another place; the times stay where they are."""
    index, goal = sorted(forger.chance.sample(range(1, len(forger.events)), 2))
    times = [event["at"] for event in forger.events]
    if forger.chance.random() < 0.5:
        forger.events.insert(goal, forger.events.pop(index))
    else:
        forger.events.insert(index, forger.events.pop(goal))
    for event, at in zip(forger.events, times, strict=True):
        event["at"] = at
    return index


def cut_off_end(forger: Forger) -> int | None:
    length = forger.chance.randrange(forger.start + 1, len(forger.events))
    del forger.events[length:]
    return length


# Seats


def exchange_seats_once(forger: Forger) -> int | None:
    index = forger.any_event_that(lambda event: "seat" in event["by"])
    return None if index is None else _exchange_seats(forger, index, index + 1)


def exchange_seats_from_here(forger: Forger) -> int | None:
    index = forger.any_event_that(lambda event: "seat" in event["by"])
    return None if index is None else _exchange_seats(forger, index, len(forger.events))


def _exchange_seats(forger: Forger, index: int, until: int) -> int:
    one, other = forger.chance.sample(range(forger.created["seats"]), 2)
    swap = {one: other, other: one}
    for event in forger.events[index:until]:
        for part in (event["by"], event["data"]):
            for path, value in list(walk({"it": part})):
                if path[-1] in ("seat", "to_act") and type(value) is int:
                    container_of({"it": part}, path)[path[-1]] = swap.get(value, value)
    return until


def act_out_of_turn(forger: Forger) -> int | None:
    """Insert an action of a seat that is not to act, as if it were its turn."""
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
        domain_event = game.rules.decide(state, seat, action)
    except (*BROKEN, IndexError):
        return None
    forger.insert(index, domain_event, {"seat": seat}, game.rules.action_to_json(action))
    return index + 1


def act_in_place_of_another(forger: Forger) -> int | None:
    """Replace the action of the seat to act with one of another seat."""
    index = act_out_of_turn(forger)
    if index is not None:
        del forger.events[index]
    return index


# Inserted events


def insert_forfeit(forger: Forger) -> int | None:
    index = forger.any_event_that(lambda event: "seat" in event["by"])
    if index is None:
        return None
    domain_event = lifecycle.forfeit(forger.game_at(index))
    forger.insert(index, domain_event, {"system": "clock"})
    return index + 1


def replace_action_with_forfeit(forger: Forger) -> int | None:
    index = insert_forfeit(forger)
    if index is not None:
        forger.events[index - 1]["at"] = forger.events[index]["at"]
        del forger.events[index]
    return index


def insert_due_forfeit(forger: Forger) -> int | None:
    """Insert a forfeit, and delay it and everything after it by the time for a turn."""
    index = insert_forfeit(forger)
    if index is not None:
        seconds = (forger.created["clock"] or {"per_turn": 1})["per_turn"]
        for event in forger.events[index - 1 :]:
            event["at"] = shift_time(event["at"], seconds)
    return index


def insert_removal(forger: Forger) -> int | None:
    index = forger.any_event_that(lambda event: "seat" in event["by"])
    if index is None:
        return None
    game = forger.game_at(index)
    try:
        domain_event = lifecycle.remove(game, forger.chance.randrange(game.seats))
    except BROKEN:
        return None
    forger.insert(index, domain_event, {"system": forger.chance.choice(["clock", "arbiter"])})
    return index + 1


def insert_resignation(forger: Forger) -> int | None:
    index = forger.any_event_that(lambda event: "seat" in event["by"])
    if index is None:
        return None
    game = forger.game_at(index)
    seat = forger.chance.randrange(game.seats)
    resign = {"type": "resign"}
    try:
        domain_event = game.decide(seat, game.rules.parse_action(resign))
    except BROKEN:
        return None
    forger.insert(index, domain_event, {"seat": seat}, resign)
    return index + 1


def insert_seat_taken(forger: Forger) -> int | None:
    index = forger.any_insertion_point()
    player = forger.chance.choice(["stranger", *forger.started["players"]])
    domain_event = event_of("SeatTaken", {"player": player, "nonce": "00ff"})
    forger.insert(index, domain_event, {"player": player})
    return index + 1


def insert_seat_left(forger: Forger) -> int | None:
    index = forger.any_insertion_point()
    player = forger.chance.choice(["stranger", *forger.started["players"]])
    forger.insert(index, event_of("SeatLeft", {"player": player}), {"player": player})
    return index + 1


def start_again(forger: Forger) -> int | None:
    index = forger.any_insertion_point()
    again = deepcopy(forger.events[forger.start])
    again["at"] = forger.events[index - 1]["at"]
    forger.events.insert(index, again)
    return index + 1


def insert_round_scored(forger: Forger) -> int | None:
    """Score a round again, or before it is over, from the position at this point."""
    index = forger.chance.randint(forger.start + 1, len(forger.events))
    game = forger.game_at(index)
    assert game.state is not None
    round = forger.chance.choice([game.rounds_scored, game.rounds_scored + 1, game.state.round])
    standings = game.rules.standings(game.state)
    domain_event = event_of("RoundScored", {"round": round, "standings": standings})
    forger.insert(index, domain_event, {"system": "scorer"})
    return index + 1


def insert_game_finished(forger: Forger) -> int | None:
    game = forger.game_at(len(forger.events))
    assert game.state is not None
    ranking = [{"seat": seat, "score": 10, "place": seat + 1} for seat in range(len(game.players))]
    then = {"phase": "finished", "round": game.state.round, "turn": 9, "to_act": None}
    data = {"ranking": ranking, "secret": forger.running.secret, "then": then}
    domain_event = event_of("GameFinished", data)
    forger.insert(len(forger.events), domain_event, {"system": "scorer"})
    return len(forger.events)


def insert_game_abandoned(forger: Forger) -> int | None:
    """Abandon the game at its end or in the middle, with its secret or another one."""
    index = forger.chance.choice([forger.any_insertion_point(), len(forger.events)])
    secret = forger.chance.choice([forger.running.secret, "00" * 32])
    by = forger.chance.choice(["arbiter", "clock", "start", "scorer"])
    forger.insert(index, event_of("GameAbandoned", {"secret": secret}), {"system": by})
    return index


def desert_game(forger: Forger) -> int | None:
    """Let every seat forfeit two turns in a row; the clock abandons the game then, too early, or never."""
    forger.created["clock"] = {"per_turn": 60}
    chance, seats = forger.chance, forger.created["seats"]
    for _ in range(chance.choice([2 * seats - 1, 2 * seats, 2 * seats, 2 * seats + 1])):
        game = forger.game_at(len(forger.events))
        if game.to_act is None:
            return None
        domain_event = lifecycle.forfeit(game)
        forger.insert(len(forger.events), domain_event, {"system": "clock"})
        forger.events[-1]["at"] = shift_time(forger.events[-1]["at"], 3600)
    if chance.random() < 0.7:
        domain_event = event_of("GameAbandoned", {"secret": forger.running.secret})
        by = chance.choice(["clock", "clock", "arbiter"])
        forger.insert(len(forger.events), domain_event, {"system": by})
    return len(forger.events)


def insert_unknown_event(forger: Forger) -> int | None:
    index = forger.any_insertion_point()
    by: JsonObject = forger.chance.choice([{"system": "clock"}, {"seat": 0}])
    action: JsonObject | None = forger.chance.choice([None, {"type": "serve_tea"}])
    forger.insert(index, event_of("TeaServed", {"seat": 0}), by, action)
    return index + 1


# Actions


def take_other_action(forger: Forger) -> int | None:
    """Let the seat to act take another legal action, with its effects."""
    index = forger.any_event_that(lambda event: is_played(event) and event["action"] is not None)
    if index is None:
        return None
    game, event = forger.game_at(index), forger.events[index]
    seat = event["by"]["seat"]
    actions = game.rules.legal_actions(game.state, seat)
    if not actions:
        return None
    action = forger.chance.choice(actions)
    domain_event = game.rules.decide(game.state, seat, action)
    event.update(
        type=domain_event.type,
        data=deepcopy(domain_event.data),
        action=game.rules.action_to_json(action),
    )
    return index + 1


def copy_action_from_elsewhere(forger: Forger) -> int | None:
    """Replace an action with one from elsewhere in the game, but keep the turn order."""
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
    "event dropped": drop_event,
    "event doubled": duplicate_event,
    "neighbours exchanged": exchange_neighbours,
    "event moved": move_event,
    "end cut off": cut_off_end,
    "seats exchanged": exchange_seats_once,
    "seats exchanged from here": exchange_seats_from_here,
    "action out of turn": act_out_of_turn,
    "action of another seat": act_in_place_of_another,
    "forfeit put in": insert_forfeit,
    "forfeit in place of an action": replace_action_with_forfeit,
    "forfeit after its time": insert_due_forfeit,
    "removal put in": insert_removal,
    "resignation put in": insert_resignation,
    "seat taken": insert_seat_taken,
    "seat left": insert_seat_left,
    "started again": start_again,
    "round scored": insert_round_scored,
    "game finished": insert_game_finished,
    "game abandoned": insert_game_abandoned,
    "game deserted": desert_game,
    "unknown event": insert_unknown_event,
    "other action": take_other_action,
    "action of another moment": copy_action_from_elsewhere,
}
