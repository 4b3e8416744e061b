"""Parts of the explanation of an event as messages, for the terminal and for pages."""

from collections.abc import Iterator, Mapping
from typing import Final

from domain.contract import AnyRuleSystem
from domain.event import Event
from domain.json_types import JsonObject
from domain.messages import (
    Instant,
    Message,
    PlayerAt,
    PlayerWithId,
    Value,
    comma_list,
    message,
    message_in,
    plural_message,
)
from ledger.clock.turn_clock import duration_message, time_left_message
from ledger.commands import CLOCK
from replay.history.diff import label_of
from replay.render.descriptions import in_words

_MEANS: Final[Mapping[str, Message]] = {
    "token": message("not signed: the server states that the request had the token of the player"),
    "signature": message("signed with the player's own key, as audit checks"),
}


def identity_messages(explanation: JsonObject) -> Iterator[Message]:
    """Yield the id of the acting player, and the means by which they were identified."""
    event, actor = explanation["event"], explanation["actor"]
    seat, player = actor["seat"], actor["player"]
    is_named = actor["handle"] is not None
    if player is not None and seat is not None and is_named:
        yield message("seat {seat}, player {id}", seat=seat, id=player)
    elif player is not None and (seat is not None or is_named):
        yield message("player {id}", id=player)
    if actor["means"] in _MEANS:
        yield _MEANS[actor["means"]]
    if actor["key"] is None:
        return
    if actor["signed_head"] == event["prev"]:
        yield message(
            "key {key}, for the position after event {seq}", key=actor["key"], seq=event["seq"] - 1
        )
    else:
        yield message(
            "key {key}, for the position after the event {hash}…",
            key=actor["key"],
            hash=actor["signed_head"][:16],
        )


def turn_messages(time: JsonObject) -> Iterator[Message]:
    """Yield the seat whose turn was under way, and the beginning of the turn; nothing without a turn."""
    if time["turn_of"] is not None:
        yield message(
            "round {round}, turn {turn}, of {player}",
            round=time["round"],
            turn=time["turn"],
            player=PlayerAt(time["turn_of"]),
        )
        yield message("began {time}", time=Instant(time["turn_began"], is_exact=True))


NOBODY_ACCUSED: Final = message(
    "Anybody can change a file, so this accuses nobody yet: get the record from the server again."
)
CHANGED_RECORD: Final[tuple[Message, list[Message]]] = (
    message("This record is not as the server signed it, so it does not show who did this."),
    [NOBODY_ACCUSED],
)
"""The conclusion about an event of a record that the signature of the server does not cover."""


def conclusion(event: Event, actor: JsonObject, time: JsonObject) -> tuple[Message, list[Message]]:
    """Return the sentence on who caused an event and how that is known, and its meaning.

    `actor` and `time` are those of the explanation of the event.
    """
    if actor["means"] == "server":
        return _conclusion_about_server(event, time)
    player: Value = (
        PlayerWithId(actor["player"]) if actor["seat"] is None else PlayerAt(actor["seat"])
    )
    meaning = []
    if (
        event["action"] is not None
        and time["remaining_ms"] is not None
        and time["remaining_ms"] <= 0
    ):
        meaning.append(
            message(
                "The action came {time} after the deadline, and is valid: the clock had not ended the turn.",
                time=duration_message(-time["remaining_ms"]),
            )
        )
    if actor["means"] == "signature":
        meaning.append(
            message(
                "Nobody who lacks this key can have made the signature, not even the server: an audit checks"
                " it."
            )
        )
        return message("{player} did this, and signed it.", player=player), meaning
    if event["action"] is None:
        meaning.append(message("An older copy of the record shows whether it was there before."))
    else:
        meaning.append(
            message(
                "If {player} has kept the receipt for event {seq}, it shows whether anything was changed"
                " since.",
                player=player,
                seq=event["seq"],
            )
        )
    return message("{player} did this, says the server: it is not signed.", player=player), meaning


def _conclusion_about_server(event: Event, time: JsonObject) -> tuple[Message, list[Message]]:
    decided_again = message("An audit decides it again, by the rules and the times in the record.")
    only_word = message("There is only the word of the server for it.")
    match event["by"]:
        case {"system": "clock"}:
            meaning = [decided_again]
            remaining = time["remaining_ms"]
            if remaining is not None and remaining <= 0:
                delay = message(
                    "It acted {time} after the deadline: that delay is the server's, not the player's.",
                    time=duration_message(-remaining),
                )
                meaning.insert(0, delay)
            return message("The clock of the server did this, and no player."), meaning
        case {"system": "administrator"}:
            return message("An administrator of the server decided this."), [only_word]
        case {"system": "store"}:
            return message("The server has noticed that its store lost events."), [only_word]
        case {"system": "arbiter"}:
            sentence = message("This followed from what the arbiter or the players had decided.")
        case _:
            sentence = message("This followed by itself from what had happened before.")
    return sentence, [decided_again]


def deadline_message(time: JsonObject, event: Event) -> Value | None:
    """Return the deadline of the turn under way, and the time from the event to the deadline.

    While the clock was stopped, the deadline was unknown.
    """
    if time["deadline"] is None:
        return None
    if time["clock_stopped_until"] is not None:
        return message("the clock stood still")
    deadline = Instant(time["deadline"], is_exact=True)
    if time["remaining_ms"] is None:
        return deadline
    parts: list[Value] = [deadline, _time_left(event, time["remaining_ms"])]
    if time["bank_ms"] is not None:
        bank = duration_message(time["bank_ms"])
        parts.append(message("{time} in the time bank when the turn began", time=bank))
    return comma_list(parts)


def _time_left(event: Event, milliseconds: int) -> Message:
    if milliseconds <= 0 and event["by"] == CLOCK:
        return message("the clock acted {time} later", time=duration_message(-milliseconds))
    return time_left_message(milliseconds)


def legal_actions_message(legal: JsonObject, rules: AnyRuleSystem) -> Message:
    """Return the numbers of legal actions of the acting seat, by type."""
    if not legal["count"]:
        return message(
            "nothing: it was another player's turn, in which only resign and agree are possible"
        )
    types = (
        message("{type} {count}", type=label_of(type, rules), count=count)
        for type, count in legal["by_type"].items()
    )
    return plural_message(
        "{count} action: {types}",
        "{count} actions: {types}",
        count=legal["count"],
        types=comma_list(types),
    )


def chance_messages(start: JsonObject) -> Iterator[Message]:
    """Yield the sources of the chance of a game, for the event that starts it."""
    yield message("commitment {hash}", hash=start["commitment"])
    if start["secret"] is None:
        yield message("the secret of the server is not published before the end of the game")
    else:
        yield message("secret {secret}", secret=start["secret"])
        yield message("seed {seed}", seed=start["seed"])
    yield from map(nonce_message, start["nonces"])


def nonce_message(entry: JsonObject) -> Message:
    """Return the nonce of a player, and who supplied it."""
    player = PlayerWithId(entry["player"])
    nonce: Value = entry["nonce"] or message_in("nonce", "(empty)")
    match entry["nonce_from"]:
        case "player" if "bot" in entry:
            return message(
                "nonce of {player}: {nonce}, supplied by the creator of the game",
                player=player,
                nonce=nonce,
            )
        case "player":
            return message(
                "nonce of {player}: {nonce}, supplied by the player", player=player, nonce=nonce
            )
        case "server":
            return message(
                "nonce of {player}: {nonce}, drawn by the server", player=player, nonce=nonce
            )
        case "none":
            return message("{player} supplied no nonce", player=player)
        case _:
            return message(
                "nonce of {player}: {nonce}, the record does not state who supplied it",
                player=player,
                nonce=nonce,
            )


def following_messages(explanation: JsonObject) -> Iterator[Message]:
    """Yield the consequences that needed no action, and the notifications, if they may be shown."""
    yield from consequence_messages(explanation["consequences"])
    deliveries: list[JsonObject] | None = explanation["deliveries"]
    yield from map(delivery_message, deliveries or ())
    if deliveries == []:
        yield message("no notification is stored")
    match explanation.get("provenance"):
        case {"kind": "request", "id": id}:
            yield message("appended by the request {id}", id=id)
        case {"kind": "job", "id": id}:
            yield message("appended by the job {id}", id=id)
        case {"kind": "mail", "id": id}:
            yield message("appended because a player answered a mail: {id}", id=id)
        case _:
            pass


def consequence_messages(outcome: JsonObject) -> Iterator[Message]:
    """Yield the next turn, and the scoring of the round and the game."""
    if outcome["clock_stopped_until"] is not None:
        yield message(
            "turn of {player}; the clock stands still", player=PlayerAt(outcome["to_act"])
        )
    elif outcome["deadline"] is not None:
        yield message(
            "turn of {player} until {time}",
            player=PlayerAt(outcome["to_act"]),
            time=Instant(outcome["deadline"], is_exact=True),
        )
    elif outcome["to_act"] is not None:
        yield message("turn of {player}, without a deadline", player=PlayerAt(outcome["to_act"]))
    for entry in outcome["rounds"]:
        round, scored_by = entry["round"], entry["scored_by"]
        if scored_by is None:
            yield message("round {round} ended, not scored yet", round=round)
        else:
            yield message(
                "round {round} ended, scored by event {event}", round=round, event=scored_by
            )
    if outcome["round_ended_by"] is not None:
        yield message("the round ended with event {event}", event=outcome["round_ended_by"])
    if outcome["ends_play"] and outcome["finished_by"] is None:
        yield message("play is over, not finished yet")
    elif outcome["ends_play"]:
        yield message("play is over, finished by event {event}", event=outcome["finished_by"])
    if outcome["superseded_by"] is not None:
        yield message(
            "superseded: with event {event}, play resumed from an earlier event",
            event=outcome["superseded_by"],
        )


def delivery_message(delivery: JsonObject) -> Message:
    """Return a notification with its recipients and its result."""
    recipients = [PlayerWithId(id) for id in delivery["players"]]
    return message(
        "notification “{subject}” to {recipients}, by {channel}: {result}",
        subject=delivery.get("about", in_words(delivery["subject"])),
        recipients=comma_list(recipients) if recipients else message_in("recipients", "nobody"),
        channel=delivery["channel"],
        result=_delivery_result(delivery),
    )


def _delivery_result(delivery: JsonObject) -> Message:
    attempts = delivery["attempts"]
    match delivery["status"]:
        case "sent" if attempts == 1:
            return message("sent {time}", time=Instant(delivery["sent_at"], is_exact=True))
        case "sent":
            return message(
                "sent {time} at attempt {attempt}",
                time=Instant(delivery["sent_at"], is_exact=True),
                attempt=attempts,
            )
        case "given_up":
            return plural_message(
                "given up after {count} attempt", "given up after {count} attempts", count=attempts
            )
        case "bounced":
            return message("refused by the receiver")
        case "cancelled":
            return message("not sent, because it was out of date or had no receiver")
        case "retrying":
            return message(
                "not sent yet, last tried {time}", time=Instant(delivery["tried_at"], is_exact=True)
            )
        case _:
            return message("not sent yet")
