"""Attacks with valid requests that cost the server more than the client: long reads, writes, passwords."""

from collections.abc import Iterator
from typing import Final

import orjson

from bench.siege.attack import (
    API,
    MANY_ADDRESSES,
    ONE_ADDRESS,
    Attack,
    Target,
    repeat,
    request,
    send_and_read,
)
from bench.siege.traffic import Pause, Read, Step, Traffic

PAUSE: Final = Pause(0.01)
"""Between two requests on one connection, so that the attacker itself costs little."""
GAMES_OF_ONE_PLAYER: Final = 2_000
CONNECTIONS: Final = 10


def _cold_games(target: Target) -> Traffic:
    def script(number: int) -> Iterator[Step]:
        for round in range(1_000_000):
            game = target.games[(number + round) % len(target.games)]
            seq = target.events_per_game - 1 - round * 101 % (target.events_per_game // 2)
            yield request("GET", f"{API}/games/{game}/position?seq={seq}")
            yield Read()
            yield PAUSE

    return Traffic(script, 16, 100, ONE_ADDRESS)


def _records(target: Target) -> Traffic:
    send = request("GET", f"{API}/games/{target.long_game}/record")
    return Traffic(send_and_read(send), 4, 10, ONE_ADDRESS)


def _listings(target: Target) -> Traffic:
    return Traffic(
        repeat(request("GET", f"{API}/games?status=playing,finished,open"), Read(), PAUSE),
        CONNECTIONS,
        100,
        ONE_ADDRESS,
    )


def _many_invitations(target: Target) -> Traffic:
    handles = [f"h{number:06}" for number in range(5_036)]
    body = orjson.dumps({"rules": "barony", "seats": 2, "invite": handles})
    return Traffic(
        send_and_read(request("POST", f"{API}/games", body, target.tokens[5])), 16, 20, ONE_ADDRESS
    )


def _many_games(target: Target) -> Traffic:
    token = target.tokens[6]
    me = request("GET", f"{API}/me", token=token)

    def script(number: int) -> Iterator[Step]:
        invited = target.player_handles[number % len(target.player_handles)]
        body = orjson.dumps(
            {"rules": "barony", "seats": 2, "options": {"private": True}, "invite": [invited]}
        )
        for _ in range(GAMES_OF_ONE_PLAYER // CONNECTIONS):
            yield request("POST", f"{API}/games", body, token)
            yield Read()
            yield me
            yield Read()
        while True:
            yield me
            yield Read()
            yield PAUSE

    return Traffic(script, CONNECTIONS, 100, ONE_ADDRESS)


def _actions(target: Target) -> Traffic:
    path, head = f"{API}/games/{target.short_game}/actions", target.short_game_events
    far_away = {"type": "move", "moves": [[[900, 900], [900, 901]]]}
    bodies = [
        orjson.dumps({"action": action, "expected_seq": seq})
        for action, seq in ((far_away, head), (far_away, head - 2), ({"type": "unknown"}, head))
    ]
    requests = [
        request("POST", path, body, token) for body in bodies for token in target.tokens[:2]
    ]

    def script(number: int) -> Iterator[Step]:
        while True:
            for send in requests:
                yield send
                yield Read()
                yield PAUSE

    return Traffic(script, CONNECTIONS, 100, ONE_ADDRESS)


def _joining(target: Target) -> Traffic:
    token = target.tokens[1]

    def script(number: int) -> Iterator[Step]:
        path = f"{API}/games/{target.open_games[number % len(target.open_games)]}/players"
        while True:
            yield request("POST", path, b"{}", token)
            yield Read()
            yield request("DELETE", f"{path}/me", token=token)
            yield Read()
            yield PAUSE

    return Traffic(script, len(target.open_games), 100, ONE_ADDRESS)


def _idempotency_keys(target: Target) -> Traffic:
    # The head has moved on from this event, so the action is refused, whatever the key.
    body = orjson.dumps({"action": {"type": "resign"}, "expected_seq": 4})

    def script(number: int) -> Iterator[Step]:
        for round in range(1_000_000):
            key = f"{number}-{round}-".ljust(200, "k")
            yield request(
                "POST",
                f"{API}/games/{target.long_game}/actions",
                body,
                target.tokens[0],
                headers=f"Idempotency-Key: {key}\r\n",
            )
            yield Read()
            yield PAUSE

    return Traffic(script, CONNECTIONS, 100, ONE_ADDRESS)


def _webhooks(target: Target) -> Traffic:
    def script(number: int) -> Iterator[Step]:
        # When a game starts, the first player to act is notified. Nobody acts, so nothing else is sent.
        path = f"{API}/games/{target.games_to_start[number]}/players"
        yield request("POST", path, b"{}", target.tokens[2])
        yield Read()

    total = len(target.games_to_start)
    return Traffic(script, CONNECTIONS, 20, ONE_ADDRESS, total=total)


def _analyses(target: Target) -> Traffic:
    tokens, games = target.tokens[2:], target.finished_games

    def script(number: int) -> Iterator[Step]:
        path = f"{API}/games/{games[number % len(games)]}/analysis"
        yield request("POST", path, token=tokens[number % len(tokens)])
        yield Read()

    return Traffic(script, 100, 1_000, ONE_ADDRESS, total=100)


def _log_ins(target: Target) -> Traffic:
    def script(number: int) -> Iterator[Step]:
        handle = target.player_handles[number % len(target.player_handles)]
        body = orjson.dumps({"handle": handle, "password": f"wrong password {number}"})
        yield request("POST", f"{API}/tokens", body)
        yield Read()

    return Traffic(script, 250, 100, MANY_ADDRESSES)


def _metrics(target: Target) -> Traffic:
    paths = ("//metrics", "/%6detrics", "/metrics")

    def script(number: int) -> Iterator[Step]:
        while True:
            yield request("GET", paths[number % len(paths)])
            yield Read()
            yield PAUSE

    return Traffic(script, CONNECTIONS, 100, ONE_ADDRESS)


def _readiness(target: Target) -> Traffic:
    return Traffic(repeat(request("GET", "/readyz"), Read(), PAUSE), CONNECTIONS, 100, ONE_ADDRESS)


ATTACKS: Final = (
    Attack("cold-games", "reads early positions of many different long games", _cold_games),
    Attack("records", "downloads a record of several megabytes on four connections", _records),
    Attack("listings", "requests GET /games on ten connections", _listings),
    Attack("many-invitations", "creates games with 5,036 invited handles", _many_invitations),
    Attack(
        "many-games",
        "creates up to 2,000 private games with one account, invites the players, and requests GET /me",
        _many_games,
    ),
    Attack("actions", "submits actions that are refused on ten connections", _actions),
    Attack("joining", "joins and leaves four open games again and again", _joining),
    Attack(
        "idempotency-keys",
        "submits the same action again and again, each time with a new key",
        _idempotency_keys,
    ),
    Attack("log-ins", "logs in with wrong passwords from 250 addresses", _log_ins),
    Attack(
        "analyses",
        "requests the analyses of 100 finished games at once, with five accounts",
        _analyses,
        seconds=20,
        waves=1,
    ),
    Attack("metrics", "requests //metrics, /%6detrics and /metrics", _metrics),
    Attack("readiness", "requests /readyz on ten connections", _readiness),
    Attack(
        "webhooks",
        "starts 40 games, and receives the notifications with responses that trickle, redirect or never come",
        _webhooks,
        waves=1,
        receives_webhooks=True,
        environ={"CARTULARY_WEBHOOK_URL": "http://127.0.0.1:{webhook_port}/"},
    ),
)
