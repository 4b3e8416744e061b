"""Compares what a service has stored and sent with what it acknowledged, after a crash test."""

import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import orjson

from domain.conditional import KEEPING_EVENTS, seat_of_action
from domain.event import Event, acting_seat
from domain.game import Game
from replay.audit import audit
from service.bootstrap import Service, build
from service.connection import to_text
from service.notification_subjects.table import KIND_OF_SUBJECT, SUBJECT_OF_EVENT, Subject
from service.notifications.delivery import FINAL_STATUSES, delivery_id
from service.operation.data_folder import embedded_redis_url
from service.settings import Settings
from service.store.redis_event_store import game_key
from tests.support.acknowledgements import Acknowledgements, PreparedAction
from tests.support.bot_players import STUCK_SECONDS
from tests.support.processes import wait_until
from tests.support.receiver import WebhookReceiver

_SUBJECTS: dict[str, Subject] = {
    **SUBJECT_OF_EVENT,
    "GameStarted": "game_started",
    "RoundScored": "round_scored",
    "GameFinished": "game_over",
    "GameAbandoned": "game_over",
}
"""What players are notified of whatever comes next. A turn that is over is not announced any more."""


@dataclass
class Counts:
    """The contents of the logs, compared with what the server acknowledged."""

    games: int = 0
    finished: int = 0
    abandoned: int = 0
    events: int = 0
    rounds: int = 0
    rounds_scored_twice: int = 0
    bot_actions: int = 0
    conditional_actions: int = 0
    types: Counter[str] = field(default_factory=Counter)
    """The number of events by type."""
    lost: int = 0
    duplicated: int = 0
    out_of_order: int = 0


def check_everything(
    data: Path,
    acknowledgements: Acknowledgements,
    receiver: WebhookReceiver,
    *,
    must_have_ended: bool,
    redis_url: str | None = None,
) -> dict[str, Any]:
    """Wait for the workers, compare what is stored with what was acknowledged, and return statistics.

    `data` is the data folder of the service, which runs. `must_have_ended`: see `check_deliveries`.
    `redis_url` is that of the logs, by default the Redis in the data folder.
    """
    url = embedded_redis_url(data)
    service = build(Settings(data, redis_url or url, url, data / "signing-key.pem"))
    try:
        wait_until(lambda: not unfinished_work(service), idle_seconds=STUCK_SECONDS)
        counts = check_logs(service, acknowledgements)
        messages = check_messages(service, acknowledgements)
        deliveries = check_deliveries(service, receiver, must_have_ended=must_have_ended)
    finally:
        service.redis.close()
    assert acknowledgements.contradictions == []
    assert (counts.lost, counts.duplicated, counts.out_of_order) == (0, 0, 0), counts
    assert counts.rounds_scored_twice == 0
    types = counts.types
    prepared = sum(map(len, acknowledgements.preparations.values()))
    return {
        "games played to their end": counts.finished,
        "games abandoned by the clock": counts.abandoned,
        "games whose creator got no response": counts.games - counts.finished - counts.abandoned,
        "events": counts.events,
        "  acknowledged to a client": acknowledgements.number_of_events,
        "  events of bots of the service": counts.bot_actions,
        "  rounds scored": counts.rounds,
        "  turns forfeited, players removed": f"{types['TurnForfeited']}, {types['PlayerRemoved']}",
        "  disputes opened, answered": f"{types['DisputeOpened']}, {types['DisputeAnswered']}",
        "  disputes ruled, withdrawn": f"{types['DisputeRuled']}, {types['DisputeWithdrawn']}",
        "  takebacks requested, agreed to": f"{types['TakebackRequested']}, {types['PlayResumed']}",
        "conditional actions prepared, taken": f"{prepared}, {counts.conditional_actions}",
        "messages of players": messages,
        "notifications at webhooks": deliveries,
        "requests that had to be repeated": acknowledgements.repeated_requests,
        "lost, duplicated, out of order": f"{counts.lost}, {counts.duplicated}, {counts.out_of_order}",
        "rounds scored twice": counts.rounds_scored_twice,
    }


def unfinished_work(service: Service) -> list[str]:
    """Return the games with entries in their outboxes, and those that have ended and are still active."""
    waiting = [game_id for game_id in service.store.game_ids() if service.store.outbox(game_id)]
    # A game without a log was marked active by a web server that died before it had created it.
    ended = [
        game_id
        for game_id in service.store.active_games()
        if service.store.head(game_id) and service.games.queries.game(game_id).status != "open"
    ]
    return [*waiting, *ended]


def check_logs(service: Service, acknowledgements: Acknowledgements) -> Counts:
    """Compare every log with what was acknowledged, and audit it."""
    counts = Counts()
    game_ids = set(service.store.game_ids())
    counts.lost += len(set(acknowledgements.games) - game_ids)
    for game_id in game_ids:
        events = service.games.queries.event_page(game_id, 0, 100_000)
        counts.games += 1
        counts.events += len(events)
        acknowledged = acknowledgements.event_hashes.get(game_id, {})

        # An acknowledged event is in the log once, at its seq and with its hash.
        hashes = {event["seq"]: event["hash"] for event in events}
        counts.lost += sum(hashes.get(seq) != hash for seq, hash in acknowledged.items())
        counts.duplicated += len(events) - len({event["hash"] for event in events})
        # Players repeat a request until it is acknowledged, so nothing else of theirs may be in the log.
        game = service.games.queries.game(game_id)
        of_seats = [event for event in events if acting_seat(event["by"]) is not None]
        of_bots = [event for event in of_seats if acting_seat(event["by"]) in game.bot_seats]
        counts.bot_actions += len(of_bots)
        conditional = check_conditional_actions(game_id, events, acknowledgements)
        counts.conditional_actions += len(conditional)
        withdrawn = [event for event in events if event["type"] == "DisputeWithdrawn"]
        assert sorted(event["data"]["dispute"] for event in withdrawn) == sorted(
            acknowledgements.withdrawals.get(game_id, [])
        )
        explained = {event["seq"] for event in (*of_bots, *conditional, *withdrawn)}
        counts.duplicated += len(
            {event["seq"] for event in of_seats} - explained - acknowledged.keys()
        )
        counts.out_of_order += [event["seq"] for event in events] != [*range(1, len(events) + 1)]

        types = [event["type"] for event in events]
        rounds = scored_rounds(service, game_id, events)
        counts.rounds += len(rounds)
        counts.rounds_scored_twice += len(rounds) - len(set(rounds))
        counts.out_of_order += rounds != sorted(rounds)
        counts.types.update(types)

        if game.status == "abandoned":
            # While no web server ran, the clock forfeited two turns of every seat.
            assert events[-1]["by"] == {"system": "clock"}
            counts.abandoned += 1
        elif game_id in acknowledgements.games:
            assert game.status == "finished", f"{game_id} is {game.status}"
            assert types.count("GameFinished") == 1
            assert types[-1] == "GameFinished"
            # The rounds are scored in order and without a gap. A game that ended in the set-up had no round.
            assert rounds == list(range(1, game.rounds_scored + 1))
            assert not game.rounds_ended
            counts.finished += 1
        else:
            # The response to its creation was lost, so no bot knows of this game.
            assert types == ["GameCreated", "SeatTaken"]
        receipts = acknowledgements.receipts.get(game_id, [])
        report = audit(
            io.BytesIO(b"".join(service.games.queries.record(game_id))), receipts=receipts
        )
        assert report.verdict != "broken", report.first
    return counts


def scored_rounds(service: Service, game_id: str, events: Sequence[Event]) -> list[int]:
    """Return the rounds that were scored, without those that ended after the event where play has resumed."""
    rounds: list[int] = []
    for event in events:
        if event["type"] == "RoundScored":
            rounds.append(event["data"]["round"])
        elif event["type"] == "PlayResumed":
            origin = service.games.queries.game_at(game_id, event["data"]["from"])
            ended = origin.rounds_scored + len(origin.rounds_ended)
            rounds = [round for round in rounds if round <= ended]
    return rounds


def check_messages(service: Service, acknowledgements: Acknowledgements) -> int:
    """Every acknowledged message is stored once, and no other one is; return their number."""
    count = 0
    for game_id, texts in acknowledgements.messages.items():
        written = [message["text"] for message in stored_messages(service, game_id).values()]
        assert sorted(written) == sorted(texts)
        count += len(texts)
    return count


def stored_messages(service: Service, game_id: str) -> dict[str, dict[str, Any]]:
    """Return the messages of a game by their numbers."""
    stored = service.redis.hgetall(game_key(game_id, "messages"))
    return {to_text(name): orjson.loads(value) for name, value in stored.items() if name.isdigit()}


def check_conditional_actions(
    game_id: str, events: Sequence[Event], acknowledgements: Acknowledgements
) -> list[Event]:
    """Every prepared action whose time had come was taken once; return the events of those."""
    # Some events that no player causes change nothing for what was prepared.
    relevant = [event for event in events if event["type"] not in KEEPING_EVENTS]
    pairs = list(pairwise(relevant))
    requested = acknowledgements.requested_preparations.get(game_id, [])
    taken = [event for event in events if "conditional" in event]
    explained = [
        after["seq"]
        for before, after in pairs
        if "conditional" in after
        and any(
            _is_condition(before, preparation) and _is_taken(after, preparation)
            for preparation in requested
        )
    ]
    assert [event["seq"] for event in taken] == explained
    for preparation in acknowledgements.preparations.get(game_id, []):
        before, after = next(
            (pair for pair in pairs if pair[0]["seq"] > preparation.seq), (None, None)
        )
        if before is None or after is None or not _is_condition(before, preparation):
            continue
        # An event without an action, such as a dispute, makes void what was prepared.
        if after["action"] is not None:
            assert "conditional" in after, (game_id, after["seq"])
            assert _is_taken(after, preparation), (game_id, after["seq"])
    return taken


def _is_condition(event: Event, preparation: PreparedAction) -> bool:
    return (
        event["seq"] > preparation.seq
        and event["action"] == preparation.condition
        and seat_of_action(event) == preparation.rival
    )


def _is_taken(event: Event, preparation: PreparedAction) -> bool:
    return event["action"] == preparation.action and seat_of_action(event) == preparation.seat


def check_deliveries(service: Service, receiver: WebhookReceiver, *, must_have_ended: bool) -> int:
    """Every notification arrived with one id, or is on record as given up; return how many arrived.

    A sender that dies between the response and recording it posts the same delivery again. What it had
    claimed is sent when the claim expires; unless it `must_have_ended`, it may still wait for that.
    """
    if must_have_ended:
        wait_until(
            lambda: service.notifications.deliveries.waiting(1) == [], idle_seconds=STUCK_SECONDS
        )
    content_of: dict[str, str] = {}
    for request in list(receiver.requests):
        id, data = request.headers["webhook-id"], dict(request.body["data"])
        assert data.pop("delivery") == id
        names = ("subject", "game", "seq", "players", "message")
        content = repr([data.get(name) for name in names])
        assert content_of.setdefault(id, content) == content
    assert len(set(content_of.values())) == len(content_of), "a notification has two deliveries"

    for id, content in expected_deliveries(service):
        if id not in content_of:
            delivery = service.notifications.deliveries.find(id)
            assert delivery is not None, f"no delivery of {content}"
            # It may have arrived since the requests were read above.
            has_arrived = any(it.headers["webhook-id"] == id for it in list(receiver.requests))
            assert has_arrived or delivery.status != "sent", (
                f"recorded as sent, but never received: {content}"
            )
            assert delivery.status in FINAL_STATUSES or not must_have_ended, (content, delivery)
    return len(content_of)


def expected_deliveries(service: Service) -> Iterator[tuple[str, str]]:
    """Yield the id of each delivery to a webhook that the logs and the messages call for, and what it is."""
    for game_id in service.store.game_ids():
        game = service.games.queries.game(game_id)
        people = [player for player in game.players if game.bot_of(player) is None]
        for event in service.games.queries.event_page(game_id, 0, 100_000):
            subject = _SUBJECTS.get(event["type"])
            if subject is None or (subject == "round_scored" and game.is_superseded(event["seq"])):
                continue
            for player in _readers(game, event, people):
                yield from _to_webhook(
                    service, player, game_id, subject, f"{subject}/{event['seq']}"
                )
        for number, message in stored_messages(service, game_id).items():
            for player in people:
                if player != message["author"]:
                    yield from _to_webhook(service, player, game_id, "message", f"message/{number}")


def _readers(game: Game, event: Event, people: Sequence[str]) -> list[str]:
    """Return the players who are notified of an event: all but the one who caused it."""
    if event["type"] == "TurnForfeited":
        player = game.players[event["data"]["seat"]]
        return [player] if player in people else []
    if event["type"] == "TimeGiven":
        return [game.players[event["data"]["to"]]]
    if event["type"] == "PlayerRemoved" and game.players[event["data"]["seat"]] not in people:
        return []
    seat = acting_seat(event["by"])
    return [player for player in people if seat is None or player != game.players[seat]]


def _to_webhook(
    service: Service, player: str, game_id: str, subject: Subject, reference: str
) -> Iterator[tuple[str, str]]:
    for endpoint in service.notifications.endpoints.of(player):
        if endpoint.channel == "webhook":
            kind = KIND_OF_SUBJECT[subject]
            id = delivery_id(kind, game_id, reference, player, "webhook", endpoint.id)
            yield id, f"{reference} of game {game_id} to {player}"
