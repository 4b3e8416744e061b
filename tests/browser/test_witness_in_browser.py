"""Browsers as witnesses: they remember what a server has signed, and notice when it shows something else.

The server belongs to somebody who has its disk and its keys, and changes what is stored. A browser must
never accuse an honest one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
import redis
from click.testing import CliRunner, Result

from cartulary.cli import cartulary
from service.bounds import Bounds
from service.keyring import Keyring
from service.operation.embedded_redis import EmbeddedRedis
from service.settings import Settings
from service.store.redis_event_store import RedisEventStore
from service.transparency.head_log import HeadLog
from service.transparency.store import TransparencyStore
from tests.support.accounts import PlayerClient
from tests.support.server import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from tests.support.browsing import Visitor, Visitors

CLOCK: Final = """
import datetime, pathlib
import service.wall_clock
read_clock = service.wall_clock.now
offset = pathlib.Path({path!r})
service.wall_clock.now = lambda: read_clock() + datetime.timedelta(seconds=float(offset.read_text()))
"""
"""Shifts the wall clock of the server by the seconds in a file."""
STORED: Final = """async ([store, key, value]) => {
    const site = document.querySelector("script[src$='js/site.js']").src;
    const { get, put } = await import(site.replace("site.js", "evidence.js"));
    if (value !== null) await navigator.locks.request("cartulary-witness", () => put(store, key, value));
    return (await get(store, key)) ?? null;
}"""
"""Stores a value, if there is one, while no check is under way, and returns the stored value."""
BAR: Final = "#contradiction"


class Site:
    """A web server on a Redis of its own, whose data a test can exchange while it is stopped."""

    def __init__(self, folder: Path) -> None:
        self.data = folder
        self.embedded = EmbeddedRedis(folder)
        self._offset = folder / "clock-offset"
        self.set_clock(0)
        settings = Settings(
            data=folder,
            redis_url=self.embedded.url,
            queue_url=self.embedded.url,
            signing_key=folder / "signing-key.pem",
            rate_accounts="",
            rate_games="",
            bounds=replace(Bounds(), checkpoint_seconds=0.01, max_clock_jump_seconds=1e12),
        )
        self.server = WebServer(settings, setup_code=CLOCK.format(path=str(self._offset)))

    @property
    def url(self) -> str:
        """The address of the server."""
        return self.server.url

    @property
    def client(self) -> redis.Redis:
        """A client of its Redis."""
        return redis.Redis.from_url(self.embedded.url)

    def set_clock(self, seconds: float) -> None:
        """Shift the clock of the server."""
        self._offset.write_text(str(seconds))

    def log_heads(self, *games: str) -> None:
        """Enter the heads of games into the transparency log, as the scheduler does."""
        with self.client as client:
            HeadLog(RedisEventStore(client), TransparencyStore(client)).log(games)

    def snapshot(self) -> dict[bytes, tuple[int, bytes]]:
        """Return everything that is stored: for how many milliseconds (0: for ever), and its dump."""
        with self.client as client:
            keys = [*client.scan_iter("*")]
            dumps = {key: (max(0, client.pttl(key)), client.dump(key)) for key in keys}
            return {key: (ttl, dump) for key, (ttl, dump) in dumps.items() if dump is not None}

    @contextmanager
    def stopped(self) -> Iterator[redis.Redis]:
        """Let somebody change the data while the server does not run."""
        self.server.stop()
        with self.client as client:
            yield client
        self.server.start()

    def restore(self, saved: dict[bytes, tuple[int, bytes]]) -> None:
        """Put a snapshot in place of everything that is stored."""
        with self.stopped() as client:
            client.flushall()
            for key, (ttl, dump) in saved.items():
                client.restore(key, ttl, dump)
        (self.data / "signing-key.checkpoint").unlink(missing_ok=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    site = Site(tmp_path_factory.mktemp("dishonest"))
    with site.embedded, site.server:
        yield site


@pytest.fixture
def visitors(site: Site, browser: "Browser") -> "Iterator[Visitors]":
    from tests.support.browsing import Visitors

    visitors = Visitors(site, browser)  # type: ignore[arg-type] # it needs only the address and the folder
    yield visitors
    site.set_clock(0)
    problems = visitors.close()
    assert not problems, "\n".join(problems)


def stored(page: "Page", store: str, key: Any, value: Any = None) -> Any:
    """Read or change what the browser keeps, again if the page is loaded anew meanwhile, as on an event."""
    from playwright.sync_api import Error

    while True:
        try:
            return page.evaluate(STORED, [store, key, value])
        except Error as error:
            if "Execution context was destroyed" not in error.message:
                raise
            page.wait_for_load_state()


def leave(visitor: "Visitor") -> None:
    """Leave the site for so long that the next visit begins with a check."""
    stored(visitor.page, "checkpoints", "checked", 0)
    visitor.page.goto("about:blank")


def wait_for_bar(page: "Page", sentence: str) -> None:
    """Wait until the bar says something."""
    page.locator(f"{BAR} [data-part=sentence]", has_text=sentence).wait_for()


def is_checked(entry: Any, seq: int) -> bool:
    """Whether what a browser remembers of a game was checked up to an event."""
    return bool(entry) and "seen" not in entry and entry["head"]["seq"] == seq


def seq_of(player: PlayerClient, game: str) -> int:
    seq: int = player.http.get(f"/api/v1/games/{game}/head").json()["head"]["seq"]
    return seq


def cli(*arguments: object) -> Result:
    return CliRunner().invoke(cartulary, [str(argument) for argument in arguments])


def saved_evidence(page: "Page", folder: Path) -> Path:
    """Save the evidence of the bar."""
    with page.expect_download() as download:
        page.locator(f"{BAR} [data-part=save]").click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def dismiss(page: "Page") -> None:
    page.locator(f"{BAR} summary").click()
    page.locator(f"{BAR} [data-part=dismiss]").click()
    page.locator(BAR).wait_for(state="hidden")


def check(visitor: "Visitor", game: str, player: PlayerClient) -> "Page":
    """Visit a game until it was checked up to its last event, and leave.

    The first visit of a player adds the key of the browser to the game.
    """
    account = "" if visitor.account is None else visitor.account.id
    page = visitor.open(f"/games/{game}")
    entry = None
    for number in range(1, 600):
        entry = stored(page, "heads", [account, game])
        if is_checked(entry, seq_of(player, game)):
            assert page.locator(BAR).is_hidden()
            leave(visitor)
            return page
        if number % 20 == 0:
            leave(visitor)
            visitor.open(f"/games/{game}")
        page.wait_for_timeout(100)
    raise AssertionError(f"not checked: {entry}")


def act(game: str, players: list[PlayerClient], choice: int = 0) -> None:
    """Let the player to act take one of the legal actions."""
    seat = players[0].http.get(f"/api/v1/games/{game}").json()["to_act"]
    seq, actions = players[seat].legal_actions(game)
    assert players[seat].act(game, actions[choice], seq).status_code == 201


@pytest.mark.nightly
def test_a_backup_that_was_restored_is_noticed(
    site: Site, visitors: "Visitors", tmp_path: Path
) -> None:
    game, players = visitors.accounts.start_game(2)
    visitor = visitors.new(players[0])
    check(visitor, game, players[0])
    saved = site.snapshot()
    for _ in range(2):
        act(game, players)
    check(visitor, game, players[0])
    last = seq_of(players[0], game)
    site.restore(saved)
    site.set_clock(3600)
    wait_for_bar(visitor.open(f"/games/{game}"), f"your browser saw event {last}, and now")
    page = visitor.open("/rules")
    wait_for_bar(page, "has taken back a part of a game")
    other = visitors.new(players[1]).open(f"/games/{game}")
    other.locator("#game").wait_for()
    assert other.locator(BAR).is_hidden()
    path = saved_evidence(page, tmp_path)
    result = cli("compare", path)
    assert result.exit_code == 1, result.output
    assert "who took back events of game" in result.output
    dismiss(page)
    leave(visitor)
    visitor.open(f"/games/{game}").locator("#game").wait_for()
    assert page.locator(BAR).is_hidden()


def test_a_history_that_was_rewritten_is_noticed(
    site: Site, visitors: "Visitors", tmp_path: Path
) -> None:
    game, players = visitors.accounts.start_game(2)
    saved = site.snapshot()
    visitor = visitors.new(players[0], language="fr")
    act(game, players)
    check(visitor, game, players[0])
    site.restore(saved)
    act(game, players, choice=-1)
    act(game, players)
    # The visitor follows a link before the server has answered: the next page begins the check again.
    visitor.page.route("**/head?*", lambda _: None)
    with visitor.page.expect_request("**/head?*"):
        visitor.open(f"/games/{game}")
    visitor.page.unroute("**/head?*")
    page = visitor.open(f"/games/{game}")
    wait_for_bar(page, "Ce serveur a modifié une partie")
    result = cli("compare", saved_evidence(page, tmp_path))
    assert result.exit_code == 1, result.output
    assert "who signed two histories of game" in result.output


@pytest.mark.nightly
def test_two_people_compare_what_the_server_has_shown_them(
    site: Site, visitors: "Visitors", tmp_path: Path
) -> None:
    game, players = visitors.accounts.start_game(2)
    saved = site.snapshot()
    act(game, players)
    ada, grace = (visitors.new(player) for player in players)
    check(ada, game, players[0])
    page = ada.open(f"/games/{game}/witness")
    page.get_by_label("Send this link").wait_for()
    link = page.get_by_label("Send this link").input_value()
    code = page.get_by_label("Or read out this code").input_value()
    leave(ada)
    assert len(code) < 60
    same = f"has shown both of you the same game, up to event {code.split()[0]}"
    result = "[data-part=result]"
    act(game, players)
    page = grace.open(link.removeprefix(site.url))
    page.locator(result, has_text=same).wait_for()
    enter(page, code)
    page.locator(result, has_text=same).wait_for()
    enter(page, "nonsense")
    page.locator(result, has_text="neither such a link nor such a code").wait_for()
    enter(page, code[:-1] + ("0" if code[-1] != "0" else "1"))
    page.locator(result, has_text="If the code is typed correctly").wait_for()
    enter(page, link[:-1] + ("0" if link[-1] != "0" else "1"))
    page.locator(result, has_text=same).wait_for()
    assert page.locator(BAR).is_hidden()
    leave(grace)
    site.restore(saved)
    for _ in range(5):
        act(game, players, choice=-1)
    third = visitors.new()
    page = third.open(f"/games/{game}/witness")
    page.get_by_label("Send this link").wait_for()
    enter(page, link.replace(link.split(".")[-1], "00" * 64))
    page.locator(result, has_text="the server has not signed this link").wait_for()
    assert page.locator(BAR).is_hidden()
    page.goto("about:blank")
    page = third.open(link.removeprefix(site.url))
    wait_for_bar(page, "This server shows different people different games")
    compared = cli("compare", saved_evidence(page, tmp_path))
    assert compared.exit_code == 1, compared.output
    assert "who signed two histories of game" in compared.output


def enter(page: "Page", text: str) -> None:
    """Enter what another player saw."""
    page.get_by_label("The link or the code of the other player").fill(text)
    page.get_by_role("button", name="Compare").click()


@pytest.mark.nightly
def test_a_log_that_was_rewritten_is_noticed(
    site: Site, visitors: "Visitors", tmp_path: Path
) -> None:
    games = [visitors.accounts.start_game(2) for _ in range(3)]
    game, players = games[0]
    site.log_heads(*(game for game, _ in games))
    visitor = visitors.new()
    check(visitor, game, players[0])
    with site.stopped() as client:
        for key in client.scan_iter("cartulary:{transparency}:*"):
            if not key.endswith(b":origin"):
                client.delete(key)
        (site.data / "signing-key.checkpoint").unlink(missing_ok=True)
    for other, others_players in reversed(games):
        act(other, others_players)
        site.log_heads(other)
    page = visitor.open(f"/games/{game}")
    wait_for_bar(page, "This server has rewritten its list of all games")
    result = cli("compare", saved_evidence(page, tmp_path))
    assert result.exit_code == 1, result.output
    assert "two checkpoints of different lists" in result.output


@pytest.mark.nightly
def test_an_honest_server_is_never_accused(site: Site, visitors: "Visitors") -> None:
    """It restarts, has another clock, another key, no log for a while, and hides a private game."""
    game, players = visitors.accounts.start_game(2)
    private = players[0].create_game(2, options={"private": True})
    visitor = visitors.new(players[0])
    site.log_heads(game, private)
    check(visitor, private, players[0])
    check(visitor, game, players[0])
    with site.stopped() as client:
        (site.data / "signing-key.pem").rename(site.data / "old-key.pem")
        lost = {
            key: client.dump(key) or b"" for key in client.scan_iter("cartulary:{transparency}:*")
        }
        client.delete(*lost)
    site.set_clock(-7200)
    act(game, players)
    check(visitor, game, players[0])
    old, new = players[0].http.get("/api/v1/keys").json()["keys"]
    with site.stopped() as client:
        Keyring(client, site.data / "signing-key.pem", read_only=True).retire(
            min(old, new, key=lambda key: key["from"])["key"]
        )
        for key, dump in lost.items():
            if not key.endswith(b":fresh"):
                client.restore(key, 0, dump, replace=True)
    site.set_clock(0)
    act(game, players)
    site.log_heads(game)
    check(visitor, game, players[0])
    visitor.context.clear_cookies()
    visitor.account = None
    check(visitor, game, players[0])
    visitor.open(f"/games/{private}", status=404)
    visitor.page.locator("main").wait_for()
    assert visitor.page.locator(BAR).is_hidden()
    assert stored(visitor.page, "contradictions", [players[0].id, "unproven", private]) is None
