"""The games of a large store are real: each copy passes an audit, and the service lists and shows it."""

from collections.abc import Iterator
from io import BytesIO

import pytest

from bench.large_store import PASSWORD, fill, play_templates, player_id
from ledger.record import read
from replay.audit import audit
from service.bootstrap import Service, build
from service.operation.embedded_redis import EmbeddedRedis
from service.settings import load_settings

pytestmark = pytest.mark.nightly

TEMPLATES = 45
GAMES = 90


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("large")
    with EmbeddedRedis(folder) as server:
        variables = {"CARTULARY_REDIS_URL": server.url, "CARTULARY_DATA": str(folder)}
        service = build(load_settings(variables))
        service.keyring.publish_key()
        size = fill(service, play_templates(TEMPLATES), GAMES, 1 << 40)
        assert size.games == GAMES
        assert 0 < size.in_progress < GAMES
        assert size.events == sum(service.store.head(id) for id in service.store.game_ids())
        yield service
        service.redis.close()


def test_every_copy_passes_an_audit_with_its_receipts(filled: Service) -> None:
    games = list(filled.store.game_ids())
    assert len(games) == GAMES
    for game_id in games:
        data = b"".join(filled.games.queries.record(game_id))
        report = audit(BytesIO(data))
        assert report.verdict != "broken", (game_id, report.first)
        game = filled.games.queries.game(game_id)
        receipts = filled.store.receipts(game_id, range(1, game.seq + 1))
        assert len(receipts) == sum(
            event["action"] is not None for event in read(BytesIO(data)).events
        )


def test_the_copies_are_listed_and_can_be_played_on(filled: Service) -> None:
    player = player_id(0)
    filled.accounts.players.require_password(player, PASSWORD)
    playing = filled.games.listings.games_in_progress(player).games
    game = next(
        game
        for game in filter(None, filled.games.queries.games(playing))
        if game.to_act is not None and game.seat_of(player) == game.to_act
    )
    seq, actions = filled.games.queries.legal_actions(game.id, player)
    accepted = filled.games.commands.act(game.id, player, actions[0], seq)
    assert accepted.events[0]["prev"] == game.hash
    assert filled.transparency.log.size() >= GAMES
