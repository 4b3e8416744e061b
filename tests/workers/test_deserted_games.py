"""A game with a clock that all players have left ends by itself: a real scheduler and worker abandon it."""

import io
from typing import Any

from domain import chance
from domain.game import Game
from ledger.record import read
from replay.audit import audit
from service.bootstrap import Service
from tests.support.processes import Start, wait_until
from tests.support.service_games import play_until, start_game

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("barony", {}),
    ("barony", {"sorcery": True}),
    ("baron", {}),
]


def play_set_up(service: Service, rules: str, options: dict[str, Any]) -> Game:
    """Start a game of two seats with one second per turn, and play its set-up."""
    game = start_game(service, 2, {"per_turn": 1}, rules, **options)
    return play_until(service, game.id, lambda game: game.round >= 1)


def test_a_game_that_all_players_have_left_ends_in_every_rule_system(
    service: Service, start: Start
) -> None:
    games = [play_set_up(service, rules, options) for rules, options in GAMES]
    start("worker")
    start("scheduler")
    wait_until(
        lambda: all(service.games.queries.game(game.id).status != "playing" for game in games)
    )
    for game in games:
        final = service.games.queries.game(game.id)
        assert final.status == "abandoned"
        assert final.ranking is None
        *forfeits, abandoned = service.games.queries.event_page(game.id, game.seq, 100)
        assert [event["type"] for event in forfeits if event["type"] != "RoundScored"] == [
            "TurnForfeited"
        ] * 4
        assert (abandoned["type"], abandoned["by"]) == ("GameAbandoned", {"system": "clock"})

        data = b"".join(service.games.queries.record(game.id))
        record = read(io.BytesIO(data))
        secret = bytes.fromhex(record.events[-1]["data"]["secret"])
        assert chance.commitment(secret) == game.commitment
        report = audit(io.BytesIO(data))
        assert report.verdict != "broken", report.first

    # Nothing happens to these games any more.
    wait_until(lambda: not any(service.store.outbox(game.id) for game in games))
    wait_until(lambda: not set(service.store.active_games()) & {game.id for game in games})
    assert [service.store.head(game.id) for game in games] == [
        service.games.queries.game(game.id).seq for game in games
    ]
