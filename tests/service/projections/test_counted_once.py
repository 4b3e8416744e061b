"""Every projection counts a game once, whatever events the store loses behind a failover, and how it ends."""

from collections.abc import Callable, Sequence

import pytest

from domain.event import Clock
from domain.game import Game
from service.bootstrap import Service
from service.connection import to_text
from service.projections.event_feed import FeedCursor
from service.store.redis_event_store import game_key
from tests.support.service_games import start_game, take_action

CLOCK: Clock = {"per_turn": 24 * 3600}
NAMES = ("game-counts", "players", "ratings", "explorer")
MAX_PAGES = 50


def log(service: Service, game_id: str) -> None:
    service.transparency.head_log.log([game_id])


def catch_up(service: Service) -> None:
    """Advance projections, one page at a time, until none lacks any."""
    for _ in range(MAX_PAGES):
        if service.games.projections.catch_up(max_pages=1):
            return
    pytest.fail("the projections never catch up")


def act(service: Service, game_id: str, count: int = 1) -> None:
    for _ in range(count):
        take_action(service, game_id)


def resign(service: Service, game_id: str, player: str) -> None:
    """Finish a game for two with a resignation."""
    seq = service.games.queries.game(game_id).seq
    service.games.commands.act(game_id, player, {"type": "resign"}, seq)
    while service.games.queries.game(game_id).status != "finished":
        service.games.commands.score(game_id)


def without_order(values: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """Return values without what depends on the order of the games: the lines of ratings and lists."""
    return {
        projection: {
            name: "\n".join(sorted(text.splitlines()))
            for name, text in stored.items()
            if not name.startswith(("head", "line ", "of ", "ring")) or name.count(" ") == 2
        }
        for projection, stored in values.items()
    }


def abandon(service: Service, game_id: str) -> None:
    service.administration.abandon("operator", game_id, "a test")


def values(service: Service) -> dict[str, dict[str, str]]:
    """Return the values and leaderboards of all projections, as they are read."""
    return {name: values_of(service, name) for name in NAMES}


def values_of(service: Service, name: str) -> dict[str, str]:
    key = f"cartulary:{{projection:{name}}}"
    key = f"{key}:{to_text(service.redis.hget(key, 'live') or '1')}"
    values = {to_text(field): to_text(text) for field, text in service.redis.hgetall(key).items()}
    for board in service.redis.smembers(f"{key}:boards"):
        members = service.redis.zrange(f"{key}:{to_text(board)}", 0, -1, withscores=True)
        values[f"board {to_text(board)}"] = str(members)
    return values


def derive_afresh(service: Service, *game_ids: str) -> None:
    """Derive everything as on a server that has logged the games, as they are now, for the first time."""
    for pattern in ("cartulary:{transparency}:*", "cartulary:{projection:*"):
        for key in service.redis.keys(pattern):
            service.redis.delete(key)
    for game_id in game_ids:
        log(service, game_id)
    catch_up(service)


def new_game(service: Service, players: Sequence[str] = ("ada", "bea")) -> Game:
    game = start_game(service, rules="baron", rated=True, clock=CLOCK, players=players)
    act(service, game.id, 2)
    return game


Step = Callable[[Service, Game], None]


def finish_later(service: Service, game: Game) -> None:
    act(service, game.id, 9)
    resign(service, game.id, game.players[1])


LOST: dict[str, Step] = {
    "finished": lambda service, game: resign(service, game.id, game.players[0]),
    "abandoned": lambda service, game: abandon(service, game.id),
    "running": lambda service, game: act(service, game.id, 6),
}
AFTERWARDS: dict[str, Step] = {
    "finished the same way": LOST["finished"],
    "finished with another ranking": lambda service, game: resign(
        service, game.id, game.players[1]
    ),
    "finished later": finish_later,
    "abandoned": LOST["abandoned"],
    "running": lambda service, game: act(service, game.id),
    "running on": lambda service, game: act(service, game.id, 12),
    "as it was": lambda *_: None,
}


@pytest.mark.parametrize("lost", LOST)
def test_a_game_that_has_lost_events_counts_once(service: Service, lost: str) -> None:
    """In each game other people play, so that a difference names the game."""
    games = []
    for afterwards, step in AFTERWARDS.items():
        for is_logged in (True, False):
            name = f"{afterwards} {is_logged}"
            game = new_game(service, (f"ada {name}", f"bea {name}"))
            games.append(game.id)
            log(service, game.id)
            key = game_key(game.id, "log")
            earlier = service.redis.dump(key)
            assert earlier is not None
            LOST[lost](service, game)
            log(service, game.id)
            catch_up(service)
            service.redis.restore(key, 0, earlier, replace=True)
            if is_logged:
                log(service, game.id)
                catch_up(service)
            step(service, game)
            log(service, game.id)
            catch_up(service)
    counted = values(service)
    for name in NAMES:
        service.games.projections.rebuild(name)
    assert without_order(values(service)) == without_order(counted), "a rebuild changes nothing"
    derive_afresh(service, *games)
    assert without_order(values(service)) == without_order(counted)


@pytest.mark.parametrize("name", NAMES)
def test_values_of_an_earlier_version_are_rebuilt_while_they_are_read(
    service: Service, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An earlier version stores no heads, and moves the position only: it may have counted games twice."""
    games = [new_game(service) for _ in range(3)]
    for game in games:
        resign(service, game.id, "ada")
        log(service, game.id)
    catch_up(service)
    expected = values_of(service, name)
    key = f"cartulary:{{projection:{name}}}"
    service.redis.hdel(key, "heads:1")
    service.redis.delete(f"{key}:1:heads")
    service.redis.hset(f"{key}:1", "events", "99")
    monkeypatch.setattr("service.projections.event_feed.MAX_EVENTS", 5)
    assert not service.games.projections.catch_up(max_pages=1)
    assert values_of(service, name)["events"] == "99", "the former values are read meanwhile"
    act(service, new_game(service).id)
    catch_up(service)
    assert values_of(service, name) == expected
    left = {to_text(key) for key in service.redis.keys(f"{key}*")}
    assert not [key for key in left if key.startswith(f"{key}:1")]


def test_a_page_of_an_earlier_version_in_between_is_noticed(service: Service) -> None:
    """A process of an earlier version runs beside this one, and handles a page that this one does not see."""
    game = new_game(service)
    log(service, game.id)
    catch_up(service)
    act(service, game.id)
    log(service, game.id)
    cursor = str(service.games.event_feed.page(FeedCursor()).cursor)
    key = "cartulary:{projection:game-counts}"
    service.redis.hset(key, "position:1", cursor)
    service.redis.hincrby(f"{key}:1", "events", 1)
    act(service, game.id)
    log(service, game.id)
    catch_up(service)
    assert service.redis.hget(key, "live") == b"2"
    assert values_of(service, "game-counts")["events"] == str(
        service.games.queries.game(game.id).seq
    )


def test_events_that_are_lost_during_a_rebuild_are_not_counted(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = new_game(service)
    log(service, game.id)
    catch_up(service)
    earlier = service.redis.dump(game_key(game.id, "log"))
    assert earlier is not None
    act(service, game.id, 4)
    log(service, game.id)
    catch_up(service)
    service.redis.hdel("cartulary:{projection:game-counts}", "heads:1")
    monkeypatch.setattr("service.projections.event_feed.MAX_EVENTS", 8)
    assert not service.games.projections.catch_up(max_pages=1)
    service.redis.restore(game_key(game.id, "log"), 0, earlier, replace=True)
    act(service, game.id)
    log(service, game.id)
    catch_up(service)
    assert values_of(service, "game-counts")["events"] == str(
        service.games.queries.game(game.id).seq
    )
