"""Rows on pages: how fast the server makes them, how heavy they are, and how soon a browser shows a move.

The times are those that a client on the same machine waits for, one request after the other. The weights are
the bytes that a real browser receives when it opens a page for the first time.
"""

import contextlib
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import httpx

from bench.http_rows import free_port, our_server, running_server
from bench.measure import Row
from bench.our_games import play, random_type_bot, renamed
from domain.chance import Chance
from domain.game import Game
from domain.lifecycle import NewGame
from replay.bots.playout import bot_named
from service.bootstrap import Service, build
from service.operation.embedded_redis import EmbeddedRedis
from service.pages.app import create_web_app
from service.pages.session import COOKIE_NAME
from service.settings import load_settings
from service.store.event_store import AppendRequest
from tests.support import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

EVENTS: Final = 200
REQUESTS: Final = 40
MOVES: Final = 12
WIDE_GAMES: Final = 12
"""Games of random bots among whose positions the widest is looked for."""
_COMPRESSED: Final = {"Accept-Encoding": "br, gzip"}
_SECONDS: Final = 10.0
_OPTION: Final = re.compile(r'<a class="choice button" href="([^"]+)"')


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game in the store, with the tokens of its players by seat."""

    id: str
    tokens: list[str]

    def token_to_act(self, service: Service) -> str:
        """Return the token of the player whose turn it is."""
        seat = service.games.queries.game(self.id).to_act
        assert seat is not None, "the game is in progress"
        return self.tokens[seat]


class Visitor:
    """A client with the session of a player."""

    def __init__(self, port: int, cookie: str) -> None:
        self.cookie = cookie
        self.client = httpx.Client(
            base_url=f"http://127.0.0.1:{port}",
            headers=_COMPRESSED,
            cookies={COOKIE_NAME: cookie},
            timeout=30,
        )

    def seconds(self, path: str, headers: Mapping[str, str] | None = None) -> float:
        """Return how long the response to one request takes. Raises RuntimeError for an error."""
        start = time.perf_counter()
        response = self.client.get(path, headers=headers)
        elapsed = time.perf_counter() - start
        if response.status_code != 200:
            raise RuntimeError(f"{path}: {response.status_code}\n{response.text[:2000]}")
        return elapsed


def measure(redis: EmbeddedRedis, folder: Path) -> Iterator[Row]:
    """Measure the rows of this group."""
    port = free_port()
    url = f"{redis.url}?db=5"
    with our_server(port, url, folder):
        service = build(load_settings({"CARTULARY_REDIS_URL": url, "CARTULARY_DATA": str(folder)}))
        app = create_web_app(service)

        def visitor(token: str) -> Visitor:
            with app.test_client() as client:
                with client.session_transaction() as session:
                    session["token"] = token
                cookie = client.get_cookie(COOKIE_NAME)
            assert cookie is not None, "the session has a token"
            return Visitor(port, cookie.value)

        long = _play(service, "long", "barony", 4, {}, "random", lambda game: game.seq >= EVENTS)
        player = visitor(long.token_to_act(service))
        path = f"/games/{long.id}"
        yield _page_row(player, path, folder)
        yield _time_row(
            f"GET the replay of an event in a game of {EVENTS} events",
            25,
            player,
            f"{path}?seq=150",
        )
        wide, width = _widest(service)
        player_of_wide = visitor(wide.token_to_act(service))
        for choices in ("", *_first_choices(player_of_wide, wide.id)):
            yield _time_row(
                f"GET choice {choices.count('choose=') + 1} among {width:,} legal actions",
                10,
                player_of_wide,
                f"/games/{wide.id}{choices}",
                {"HX-Request": "true", "HX-Target": "acting"},
            )
        yield _time_row("GET position.svg", 15, player, f"/api/v1{path}/position.svg?seq=100")
        yield from _browser_rows(service, port, long, player)


def _play(
    service: Service,
    name: str,
    rules: str,
    seats: int,
    options: Mapping[str, Any],
    bot: str,
    is_enough: Callable[[Game], bool],
) -> StoredGame:
    """Play a game in the store among bots of one kind, until it is enough."""
    accounts = [service.accounts.players.create_guest(None) for _ in range(seats)]
    tokens = {account.id: token for account, token in accounts}
    ids = list(tokens)
    game = service.games.commands.create(ids[0], NewGame(rules=rules, seats=seats, options=options))
    for id in ids[1:]:
        game = service.games.commands.join(game.id, id)
    chance = Chance(name.encode())
    choose = bot_named(game.rules, bot)
    while not is_enough(game) and game.to_act is not None:
        seat, system = game.to_act, game.rules
        legal = system.legal_actions(game.state, seat)
        action = choose(system.position(game.state, seat), legal, seat, chance)
        service.games.commands.act(
            game.id, game.players[seat], system.action_to_json(action), game.seq
        )
        service.games.commands.score(game.id)
        game = service.games.queries.game(game.id)
    return StoredGame(game.id, [tokens[id] for id in game.players])


def _widest(service: Service) -> tuple[StoredGame, int]:
    """Store a game that stands at the widest position of some games of bots; return it and the width."""
    games = [
        play("barony", 5, bytes([5, n] * 16), random_type_bot, round_limit=40, sorcery=True)
        for n in range(WIDE_GAMES)
    ]
    width, index, turn = max(
        (
            (len(turn.game.rules.legal_actions(turn.game.state, turn.seat)), index, turn)
            for index, played in enumerate(games)
            for turn in played.turns
        ),
        key=lambda found: found[0],
    )
    accounts = [service.accounts.players.create_guest(None) for _ in range(5)]
    names = {"bench": "widest", **{f"p{n}": player.id for n, (player, _) in enumerate(accounts)}}
    log = renamed(games[index].lines[: turn.game.seq], names)
    service.store.append("widest", 0, AppendRequest(log))
    tokens = {player.id: token for player, token in accounts}
    game = service.games.queries.game("widest")
    return StoredGame(game.id, [tokens[id] for id in game.players]), width


def _first_choices(player: Visitor, game_id: str) -> Iterator[str]:
    """Yield the queries of the first steps of a player who always takes the choice with most to follow."""
    query = ""
    for _ in range(3):
        text = player.client.get(f"/games/{game_id}{query}").text
        if 'id="confirm"' in text:
            return
        options = [unescape(match) for match in _OPTION.findall(text)]
        pages = {option: player.client.get(f"/games/{game_id}{option}").text for option in options}
        query = max(pages, key=lambda option: len(_OPTION.findall(pages[option])))
        if 'id="confirm"' in pages[query]:
            return
        yield query


def _page_row(player: Visitor, path: str, folder: Path) -> Row:
    """Compare the page of a game with the same bytes from a bare Flask template."""
    saved = folder / "page.html"
    saved.write_text(player.client.get(path).text)
    port = free_port()
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--port", str(port)]
    command += ["--no-log", "bench.bare_page:app"]
    with running_server(command, port, folder / "bare-page.log", BENCH_PAGE=str(saved)):
        bare = Visitor(port, "")
        pairs = [(player.seconds(path), bare.seconds("/")) for _ in range(REQUESTS + 1)][1:]
    ours = median(seconds for seconds, _ in pairs) * 1000
    return Row(
        label=f"GET the page of a game of {EVENTS} events, median",
        peer="the same bytes from a bare Flask template, granian's WSGI",
        target="≤ 25 ms",
        ours=ours,
        theirs=median(seconds for _, seconds in pairs) * 1000,
        ratios=tuple(page / template for page, template in pairs),
        unit="ms",
        is_met=ours <= 25,
    )


def _time_row(
    label: str, most: float, player: Visitor, path: str, headers: Mapping[str, str] | None = None
) -> Row:
    """Measure the median time of a request, in milliseconds."""
    times = [player.seconds(path, headers) for _ in range(REQUESTS + 1)][1:]
    return _row(f"{label}, median", f"≤ {most:g} ms", median(times) * 1000, "ms", most)


def _browser_rows(service: Service, port: int, game: StoredGame, player: Visitor) -> Iterator[Row]:
    """Measure what a browser receives, and how soon it shows the move of another player."""
    if reason := chromium.reason_to_skip():
        print(f"… no rows on a browser: {reason}", file=sys.stderr, flush=True)
        return
    from playwright.sync_api import sync_playwright

    address = f"http://127.0.0.1:{port}"
    with (
        sync_playwright() as playwright,
        contextlib.closing(chromium.launch(playwright)) as browser,
    ):
        first = _weights(browser, address, None)
        label = "weight of the first page, with everything that it loads but the fonts"
        yield _row(label, "≤ 60 KB", first.whole - first.fonts, "KB", 60)
        yield _row("… of the fonts", "≤ 60 KB", first.fonts, "KB", 60)
        game_page = _weights(browser, f"{address}/games/{game.id}", player.cookie)
        label = "… of the page of a game with its board, and the fonts"
        yield _row(label, "≤ 160 KB", game_page.whole, "KB", 160)
        yield _row("… of all scripts of that page", "≤ 40 KB", game_page.scripts, "KB", 40)
        delay = _delay_of_moves(service, browser, address, game, player.cookie)
        yield _row(
            "another player's move, from its append to the board in the browser, median",
            "≤ 200 ms",
            delay,
            "ms",
            200,
        )


class Weights(NamedTuple):
    """The kilobytes that a browser without a cache receives for a page, and those of some of its files."""

    whole: float
    scripts: float
    fonts: float
    pictures: float


def weights(page: "Page", address: str) -> Weights:
    """Return the weights of a page."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    types: dict[str, str] = {}
    weights: dict[str, int] = {}

    def response(event: Mapping[str, Any]) -> None:
        types[event["requestId"]] = event["type"]

    def loaded(event: Mapping[str, Any]) -> None:
        weights[event["requestId"]] = event["encodedDataLength"]

    session.on("Network.responseReceived", response)
    session.on("Network.loadingFinished", loaded)
    page.goto(address)
    page.wait_for_timeout(1000)
    by_type: Counter[str] = Counter()
    for id, weight in weights.items():
        by_type[types.get(id, "")] += weight
    of_files = (by_type[type] / 1000 for type in ("Script", "Font", "Image"))
    return Weights(by_type.total() / 1000, *of_files)


def _weights(browser: "Browser", address: str, cookie: str | None) -> Weights:
    """Return the same for a browser of its own, with the session of a player if there is a cookie."""
    context = _context(browser, address, cookie)
    with contextlib.closing(context):
        return weights(context.new_page(), address)


def _delay_of_moves(
    service: Service, browser: "Browser", address: str, game: StoredGame, cookie: str
) -> float:
    """Return the median of the milliseconds after which the board shows a move of any player."""
    context = _context(browser, address, cookie)
    page = context.new_page()
    page.goto(f"{address}/games/{game.id}")
    page.wait_for_timeout(500)
    delays = []
    chance = Chance(b"moves")
    for _ in range(MOVES):
        head = service.games.queries.game(game.id)
        if head.to_act is None:
            break
        rules = head.rules
        legal = rules.legal_actions(head.state, head.to_act)
        action = bot_named(rules, "sensible")(
            rules.position(head.state, head.to_act), legal, head.to_act, chance
        )
        player = head.players[head.to_act]
        service.games.commands.act(game.id, player, rules.action_to_json(action), head.seq)
        start = time.perf_counter()
        _wait_for(page, head.seq + 1)
        delays.append((time.perf_counter() - start) * 1000)
        service.games.commands.score(game.id)
        _wait_for(page, service.games.queries.game(game.id).seq)
    context.close()
    return median(delays)


def _wait_for(page: "Page", seq: int) -> None:
    """Wait until the page shows event `seq` or a later one."""
    page.wait_for_function(
        "seq => Number(document.getElementById('game')?.dataset.seq) >= seq",
        arg=seq,
        timeout=_SECONDS * 1000,
    )


def _context(browser: "Browser", address: str, cookie: str | None) -> "BrowserContext":
    """Return a browser without a cache, with the session of a player if there is a cookie."""
    context = browser.new_context()
    if cookie is not None:
        context.add_cookies([{"name": COOKIE_NAME, "value": cookie, "url": address}])
    return context


def _row(label: str, target: str, ours: float, unit: str, most: float) -> Row:
    """Return a row without a peer."""
    return Row(
        label=label,
        peer="none",
        target=target,
        ours=ours,
        theirs=None,
        ratios=(),
        unit=unit,
        is_met=ours <= most,
    )
