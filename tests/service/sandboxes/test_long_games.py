"""What sandboxes and plans cost in a long game does not depend on the length of its log."""

from collections.abc import Iterator
from dataclasses import replace

import orjson
import pytest

from domain.contract import ALL_SECRETS
from domain.game import Game
from domain.lifecycle import NewGame
from replay.sandbox import game_with_drawn_secrets, known_secrets
from service.bootstrap import Service
from service.conditional_actions.conditional_actions import ConditionalActions
from service.connection import connect
from service.errors import TooManySandboxes
from service.games.game_cache import GameCache
from service.games.loader import GameLoader
from service.games.visibility import GamesForViewers
from service.sandboxes.sandboxes import Sandboxes
from service.sandboxes.store import SandboxStore
from service.settings import Settings
from tests.support.counting_store import CountingStore
from tests.support.service_games import play_until, start_game

INTERVAL = 8
LENGTH = 80
MOST_LINES = 3 * INTERVAL
"""Lines of a log for reading an earlier state, and the head some times."""
SEED = b"seed"


@pytest.fixture
def store(settings: Settings) -> Iterator[CountingStore]:
    with connect(settings.redis_url) as client:
        yield CountingStore(client)


@pytest.fixture
def loader(store: CountingStore) -> GameLoader:
    """A loader with a cache of its own, as in another process."""
    return GameLoader(store, GameCache(10, snapshot_interval=INTERVAL))


@pytest.fixture
def games(loader: GameLoader, store: CountingStore) -> GamesForViewers:
    return GamesForViewers(loader, store)


def sandboxes(
    service: Service, loader: GameLoader, games: GamesForViewers, **bounds: int
) -> Sandboxes:
    changed = replace(service.settings.bounds, **bounds)
    return Sandboxes(loader, games, SandboxStore(service.redis, changed), changed)


def long_game(service: Service, rules: str = "barony") -> Game:
    return play_until(
        service,
        start_game(service, rules=rules).id,
        lambda game: game.seq >= LENGTH or game.to_act is None,
    )


def test_a_sandbox_of_a_long_game_begins_from_a_cached_prefix(
    service: Service, loader: GameLoader, games: GamesForViewers, store: CountingStore
) -> None:
    game = loader.load(long_game(service).id).game
    seq = game.seq - 2 * INTERVAL
    made = sandboxes(service, loader, games)
    create = lambda: made.create("ada", "net", game.id, seq, SEED)  # noqa: E731 # it is measured
    assert store.lines_read_by(create) <= MOST_LINES
    stored = made.of_player("ada", game.id)[0]
    other_process = sandboxes(service, loader, games)
    assert store.lines_read_by(lambda: other_process.open(stored)) <= MOST_LINES


def test_a_player_with_too_many_sandboxes_costs_no_fold(
    service: Service, loader: GameLoader, games: GamesForViewers, store: CountingStore
) -> None:
    game = loader.load(long_game(service).id).game
    full = sandboxes(service, loader, games, max_sandboxes_per_player=0)

    def create() -> None:
        with pytest.raises(TooManySandboxes):
            full.create("ada", "net", game.id, 2 * INTERVAL - 1, SEED)

    assert store.lines_read_by(create) == 1


def test_the_outlook_in_a_long_game_begins_from_its_head(
    service: Service, loader: GameLoader, games: GamesForViewers, store: CountingStore
) -> None:
    game = loader.load(long_game(service).id).game
    actions = ConditionalActions(
        service.games.repository,
        games,
        service.conditional_action_store,
        service.games.signatures,
        service.settings.bounds,
    )
    assert store.lines_read_by(lambda: actions.outlook(game, 0)) <= MOST_LINES
    assert actions.outlook(game, 0).state is game.state


@pytest.mark.parametrize("rules", ["barony", "baron"])
@pytest.mark.parametrize("viewer", [None, 0, 1])
def test_a_viewer_knows_the_same_as_after_folding_the_whole_log(
    service: Service,
    loader: GameLoader,
    games: GamesForViewers,
    store: CountingStore,
    rules: str,
    viewer: int | None,
) -> None:
    head = loader.load(long_game(service, rules).id).game
    events = loader.event_range(head.id, 0, head.seq)
    opened: dict[int, dict[str, object]] = {}
    for key, opening in store.secrets(head.id, None).items():
        event, _, name = key.partition("/")
        if name:
            opened.setdefault(int(event), {})[name] = orjson.loads(opening)["value"]
    for seq in (head.start_seq, head.seq // 2, head.seq):
        secrets = opened if viewer is None else known_secrets(opened, viewer)
        expected = game_with_drawn_secrets(events[:seq], secrets, SEED)
        game = games.game(head.id, seq, viewer, SEED)
        assert game.rules.position(game.state, ALL_SECRETS) == expected.rules.position(
            expected.state, ALL_SECRETS
        )


def test_a_game_with_secrets_is_folded_from_its_start(
    service: Service, loader: GameLoader, games: GamesForViewers, store: CountingStore
) -> None:
    created = service.games.commands.create("ada", NewGame(rules="baron", seats=3, options={}))
    for _ in range(20):
        service.games.commands.join(created.id, "bea")
        service.games.commands.leave(created.id, "bea")
    service.games.commands.join(created.id, "bea")
    service.games.commands.join(created.id, "cid")
    head = loader.load(created.id).game
    assert head.start_seq > 40
    assert store.lines_read_by(lambda: games.game(head.id, head.seq, 0, SEED)) <= MOST_LINES
