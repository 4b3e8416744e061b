"""`python -m bench.page`: what playing on the page of a game costs, in clicks, keys, bytes and milliseconds.

A service of its own runs whole games of Barony, Sorcery and Baron, in which a player at a browser uses the
mouse, and then games in which the player uses the keyboard only. The opponents play over HTTP. The choices
are random, preferably on the board. The figures go into bench/page.json beside those of the page before it
was changed, and from there into the tables of docs/page.md.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Final

from playwright.sync_api import Locator, ViewportSize, sync_playwright
from typing_extensions import override

from bench.page_rows import weights
from tests.support import chromium
from tests.support.accounts import PlayerClient, take_turn
from tests.support.board_windows import SIZES, count_hexes
from tests.support.browsing import Visitors
from tests.support.playing_by_clicking import BOARD_OPTIONS, CHOICES, YOUR_TURN, ClickingPlayer
from tests.support.playing_by_keyboard import KeyboardPlayer
from tests.support.processes import wait_until
from tests.support.running_service import RunningService

GAMES: Final[dict[str, dict[str, Any]]] = {
    "Barony": {"rules": "barony", "seats": 2, "options": {"round_limit": 16}},
    "Sorcery": {"rules": "barony", "seats": 2, "options": {"round_limit": 16, "sorcery": True}},
    "Baron": {"rules": "baron", "seats": 3},
}
"""The fields of the request that creates the game of each system."""
LARGE_GAMES: Final[dict[str, dict[str, Any]]] = {
    "Barony": {"rules": "barony", "seats": 4},
    "Sorcery": {"rules": "barony", "seats": 5, "options": {"sorcery": True}},
    "Baron": {"rules": "baron", "seats": 5},
}
"""Games whose boards are large, of which a page should show the whole."""
ACTIONS_IN_LARGE_GAMES: Final = 40
PHONE_WIDTH: Final = 700
"""In CSS pixels: narrower windows are those of phones."""
FIGURES: Final = Path(__file__).with_suffix(".json")
PAGE: Final = Path(__file__).parent.parent / "docs" / "page.md"
MARKS: Final = ("<!-- figures -->\n", "<!-- end of the figures -->\n")
AIMS: Final = {
    "Barony: a placement": ("clicks", 2),
    "Barony: one knight moved": ("clicks", 3),
    "Sorcery: any turn": ("keys", 25),
    "Baron: any turn": ("clicks", 5),
}
BYTES: Final = {"page": "a game's page on a first visit", "scripts": "… of which scripts"}
TIMES: Final = {
    "server": ("the server's time for a choice", "≤ 10 ms"),
    "answer": ("from a click to its answer on the screen", "≤ 100 ms"),
    "event": ("from an opponent's request until the page shows the event", "≤ 2 s"),
}
"""By name: what was measured, and the aim."""
SHARE_OF_WORDS: Final = 0.35
"""How often a player who has begun an action goes on in words where the board has choices as well."""
_OBSERVE: Final = """
let clickedAt = 0;
addEventListener("click", (event) => { clickedAt ||= event.timeStamp; }, true);
addEventListener("keydown", (event) => { if (event.key !== "Tab") clickedAt = event.timeStamp; }, true);
addEventListener("htmx:afterSettle", () => {
    if (!clickedAt) return;
    const began = clickedAt;
    clickedAt = 0;
    requestAnimationFrame(() => setTimeout(() => reportTime("answer", performance.now() - began)));
});
new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
        if (entry.initiatorType === "xmlhttprequest" && entry.name.includes("choose="))
            reportTime("server", entry.responseStart - entry.requestStart);
}).observe({ type: "resource" });
"""
"""Reports the time until the answer to a click is drawn, and the time that the server needs for a choice."""


_TWO_FRAMES: Final = """() => new Promise((resolve) =>
    requestAnimationFrame(() => requestAnimationFrame(resolve)))"""
_ONLY_IN_WORDS: Final = """(links) => {
    const hexes = [...document.querySelectorAll("#board a.option[data-at]")];
    const addresses = new Set(hexes.map((hex) => hex.getAttribute("href")));
    return [...links.keys()].filter((index) => !addresses.has(links[index].getAttribute("href")));
}"""
"""Returns which of the choices in words are not on the board as well."""


@dataclass
class Measurement:
    """What was measured, by name: numbers of clicks and keys, milliseconds."""

    values: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, name: str, value: float) -> None:
        """Add a value."""
        self.values[name].append(value)

    def summary(self) -> dict[str, dict[str, float]]:
        """Return the number, the median and the maximum of the values of each name."""
        return {
            name: {
                "n": len(values),
                "median": round(median(values), 1),
                "max": round(max(values), 1),
            }
            for name, values in sorted(self.values.items())
        }


class MousePlayer(ClickingPlayer):
    """A player who chooses on the board where that is possible, and sometimes in words."""

    @override
    def option(self) -> Locator:
        return choose_on_board(self)


class KeysPlayer(KeyboardPlayer):
    """The same player with the keyboard."""

    @override
    def option(self) -> Locator:
        return choose_on_board(self)


def choose_on_board(player: ClickingPlayer) -> Locator:
    """Return one of the options, on the board or in words."""
    hexes, words = player.page.locator(BOARD_OPTIONS), player.page.locator(CHOICES)
    only_words = words.evaluate_all(_ONLY_IN_WORDS)
    count = hexes.count()
    has_begun = "choose=" in player.page.url
    if count and not (has_begun and only_words and player.chance.random() < SHARE_OF_WORDS):
        return hexes.nth(player.chance.randrange(count))
    return words.nth(player.chance.choice(only_words))


def kind_of_turn(system: str, events: Sequence[Mapping[str, Any]]) -> str:
    """Return what a turn consisted of, in words, from its events."""
    actions = [event["action"] for event in events]
    if system == "Baron":
        has_battle = any("baronies" in event["data"] for event in events)
        return "a turn with a barony" if has_battle else "a turn without a barony"
    action = actions[-1]
    match action["type"]:
        case "place_city":
            return "a placement"
        case "move":
            return "one knight moved" if len(action["moves"]) == 1 else "two knights moved"
        case "build":
            return "one building" if len(action["builds"]) == 1 else "several buildings"
        case "recruit":
            return "a recruitment"
        case "new_city":
            return "a new city"
        case "noble_title":
            return "a title"
        case "cast":
            return "a spell"
        case "expedition":
            return "an expedition"
        case other:
            return str(other).replace("_", " ")


@dataclass
class Table:
    """A game between a player at a browser, at seat 0, and opponents who play over HTTP."""

    system: str
    game_id: str
    player: ClickingPlayer
    opponents: list[PlayerClient]
    measurement: Measurement
    chance: random.Random = field(default_factory=lambda: random.Random(7))

    def play(self) -> None:
        """Play the game to its end."""
        self.player.open()
        while self._is_to_be_continued():
            if self._summary()["to_act"] == 0:
                self._take_turn()
            else:
                self._answer()

    def _is_to_be_continued(self) -> bool:
        """Wait until somebody is to act or the game has ended; return whether somebody is."""
        wait_until(
            lambda: self._summary()["to_act"] is not None or self._summary()["status"] == "finished"
        )
        return self._summary()["to_act"] is not None

    def _summary(self) -> Any:
        return self.opponents[0].http.get(f"/api/v1/games/{self.game_id}").json()

    def _last_seq(self) -> int:
        return int(self._summary()["head"]["seq"])

    def _events(self, after: int) -> list[Any]:
        address = f"/api/v1/games/{self.game_id}/events?after={after}"
        return list(self.opponents[0].http.get(address).json()["events"])

    def _take_turn(self) -> None:
        """Take a turn in the browser, and count what it takes."""
        page = self.player.page
        page.locator(YOUR_TURN).wait_for()
        head = self._last_seq()
        clicks, keys = self.player.clicks, getattr(self.player, "keys", 0)
        while True:
            self._act()
            own = [
                each for each in self._events(head) if each["action"] and each["by"]["seat"] == 0
            ]
            turns = {event["data"]["then"]["turn"] for event in own}
            if own[-1]["data"]["then"]["to_act"] != 0 or len(turns) > 1 or self.system != "Baron":
                break
        kind = kind_of_turn(self.system, own)
        if isinstance(self.player, KeyboardPlayer):
            device, count = "keys", self.player.keys - keys
        else:
            device, count = "clicks", self.player.clicks - clicks
        for name in (kind, "any turn"):
            self.measurement.add(f"{device}: {self.system}: {name}", count)
        self._wait_for_page()

    def _act(self) -> None:
        """Choose and confirm in the browser, and wait until the log has the action."""
        before = self._last_seq()
        self.player.act()
        wait_until(lambda: self._last_seq() > before)

    def _answer(self) -> None:
        """Let an opponent act, and measure how soon the browser of the player shows it."""
        opponent = self.opponents[self._summary()["to_act"] - 1]
        _, actions = opponent.legal_actions(self.game_id)
        types = sorted({action["type"] for action in actions})
        type = self.chance.choice(types)
        began = time.perf_counter()
        opponent.act(
            self.game_id, self.chance.choice([each for each in actions if each["type"] == type])
        ).raise_for_status()
        self._wait_for_page()
        self.measurement.add("milliseconds: event", (time.perf_counter() - began) * 1000)

    def _wait_for_page(self) -> None:
        """Wait until the page shows the last event."""
        self.player.page.wait_for_function(
            "seq => Number(document.getElementById('game')?.dataset.seq) >= seq",
            arg=self._last_seq(),
            polling=5,
        )


def _take_turn(game_id: str, players: Sequence[PlayerClient]) -> None:
    """Let the player to act take the first legal action, once a round that has ended is scored."""
    http = players[0].http
    wait_until(lambda: http.get(f"/api/v1/games/{game_id}").json()["to_act"] is not None)
    take_turn(game_id, players)


class Site:
    """A service with a browser, and what is measured there."""

    def __init__(self, visitors: Visitors) -> None:
        self.visitors = visitors
        self.measurement = Measurement()

    def play(self, system: str, player_class: type[ClickingPlayer], seed: int) -> None:
        """Play a game of a system."""
        fields = GAMES[system]
        accounts = [self.visitors.accounts.register() for _ in range(fields["seats"])]
        game_id = accounts[0].create_game(**fields)
        for account in accounts[1:]:
            account.join(game_id)
        visitor = self.visitors.new(accounts[0])
        visitor.page.expose_function(
            "reportTime", lambda name, value: self.measurement.add(f"milliseconds: {name}", value)
        )
        visitor.page.add_init_script(_OBSERVE)
        player = player_class(visitor, game_id, random.Random(seed))
        Table(system, game_id, player, accounts[1:], self.measurement).play()
        visitor.context.close()

    def _large_games(self) -> Iterator[tuple[str, str, PlayerClient]]:
        """Start games with large boards; yield the system, the id and a player of each."""
        for system, fields in LARGE_GAMES.items():
            game_id, players = self.visitors.accounts.start_game(**fields)
            for _ in range(ACTIONS_IN_LARGE_GAMES):
                _take_turn(game_id, players)
            yield system, game_id, players[0]

    def visible_parts(self) -> dict[str, dict[str, int]]:
        """Return what per cent of the hexes are visible, by size of the window and kind of page."""
        parts: dict[str, dict[str, int]] = {f"{width}×{height}": {} for width, height in SIZES}
        for system, game_id, account in self._large_games():
            for is_phone in (True, False):
                visitor = self.visitors.new(account, phone=is_phone)
                for width, height in SIZES:
                    if (width < PHONE_WIDTH) != is_phone:
                        continue
                    visitor.page.set_viewport_size(ViewportSize(width=width, height=height))
                    for kind, path in (("play", ""), ("replay", "?seq=30")):
                        visitor.open(f"/games/{game_id}{path}")
                        # A script has fitted the board when two frames have been drawn.
                        visitor.page.evaluate(_TWO_FRAMES)
                        visible, total = count_hexes(visitor.page)
                        parts[f"{width}×{height}"][f"{system}, {kind}"] = 100 * visible // total
                visitor.context.close()
        return parts

    def weights(self) -> dict[str, dict[str, float]]:
        """Return the kilobytes of the page of a game on a first visit, and those of scripts, by system."""
        rows = {}
        for system, game_id, account in self._large_games():
            visitor = self.visitors.new(account)
            whole, scripts, *_ = weights(visitor.page, f"{self.visitors.site.url}/games/{game_id}")
            rows[system] = {"page": round(whole, 1), "scripts": round(scripts, 1)}
            visitor.context.close()
        return rows


@contextmanager
def running_site() -> Iterator[Site]:
    """Run a service and a browser until the end of the block."""
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        service = RunningService(
            Path(data),
            CARTULARY_RATE_ACCOUNTS="",
            CARTULARY_RATE_GAMES="",
            CARTULARY_RATE_WRITES="",
        )
        service.start()
        try:
            visitors = Visitors(service, chromium.launch(playwright))
            yield Site(visitors)
            if problems := visitors.close():
                sys.exit("\n".join(problems))
        finally:
            service.stop()


def measure(games: int) -> dict[str, Any]:
    """Measure everything, with this number of games of each system by mouse and by keyboard."""
    with running_site() as site:
        parts, bytes = site.visible_parts(), site.weights()
        for system in GAMES:
            for seed in range(games):
                for player_class in (MousePlayer, KeysPlayer):
                    _report_progress(f"{system}, game {seed + 1}, {player_class.__name__}")
                    site.play(system, player_class, seed)
        return {"visible": parts, "bytes": bytes, "values": site.measurement.summary()}


def tables(figures: Mapping[str, Any]) -> str:
    """Return the figures before and after the change as tables in Markdown."""
    before, after = figures["before"], figures["after"]
    lines = [
        "| a turn of this kind | clicks before | clicks now | keys before | keys now | aim |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    names = sorted({*before["values"], *after["values"]})
    turns = sorted(
        {name.split(": ", 1)[1] for name in names if not name.startswith("milliseconds")}
    )
    for turn in turns:
        cells = [
            _spread(page["values"].get(f"{device}: {turn}"))
            for device in ("clicks", "keys")
            for page in (before, after)
        ]
        lines.append(f"| {turn} | {' | '.join(cells)} | {_aim(turn, after['values'])} |")
    lines += [
        "",
        "| window | visible in play before | now | in replay before | now |",
        "| --- | --- | --- | --- | --- |",
    ]
    for size in after["visible"]:
        cells = [
            _smallest_share(page["visible"].get(size, {}), kind)
            for kind in (", play", ", replay")
            for page in (before, after)
        ]
        lines.append(f"| {size} | {' | '.join(cells)} |")
    lines += ["", "| measured | before | now | aim |", "| --- | --- | --- | --- |"]
    for part, most in (("page", 160), ("scripts", 40)):
        heaviest = [max(row[part] for row in page["bytes"].values()) for page in (before, after)]
        lines.append(f"| {BYTES[part]} | {heaviest[0]} KB | {heaviest[1]} KB | ≤ {most} KB |")
    for name, label in TIMES.items():
        cells = [
            _spread(page["values"].get(f"milliseconds: {name}"), " ms") for page in (before, after)
        ]
        lines.append(f"| {label[0]} | {' | '.join(cells)} | {label[1]} |")
    return "\n".join(lines) + "\n"


def _smallest_share(shares: Mapping[str, int], kind: str) -> str:
    """Return the smallest share of a kind of page; nothing if it was not measured in this window."""
    of_kind = [share for name, share in shares.items() if name.endswith(kind)]
    return f"{min(of_kind)} %" if of_kind else ""


def _spread(values: Mapping[str, float] | None, unit: str = "") -> str:
    """Return the median and the maximum in words; nothing if nothing was measured."""
    if values is None:
        return ""
    return f"{values['median']:g}{unit} (at most {values['max']:g})"


def _aim(turn: str, values: Mapping[str, Mapping[str, float]]) -> str:
    """Return the aim for a kind of turn, and whether the median and the maximum meet it."""
    device, most = AIMS.get(turn, ("", 0))
    measured = values.get(f"{device}: {turn}")
    if measured is None:
        return ""
    if measured["max"] <= most:
        return f"{most} {device}: ✓"
    return f"{most} {device}: {'the median ✓' if measured['median'] <= most else '✗'}"


def _report_progress(text: str) -> None:
    print(f"… {text}", file=sys.stderr, flush=True)


def main() -> None:
    """Measure, and write the figures into the file and the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.page", description=__doc__)
    parser.add_argument("--games", type=int, default=2, help="games by mouse and by keyboard (2)")
    parser.add_argument("--print", action="store_true", help="print the figures, and write nothing")
    options = parser.parse_args()
    measured = measure(options.games)
    if options.print:
        print(json.dumps(measured, indent=1, ensure_ascii=False))
        return
    figures = {**json.loads(FIGURES.read_text()), "after": measured}
    FIGURES.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n")
    PAGE.write_text(with_tables(PAGE.read_text(), figures))


def with_tables(page: str, figures: Mapping[str, Any]) -> str:
    """Return the text of the page with the tables of these figures."""
    head, _, rest = page.partition(MARKS[0])
    _, _, tail = rest.partition(MARKS[1])
    return f"{head}{MARKS[0]}\n{tables(figures)}\n{MARKS[1]}{tail}"


if __name__ == "__main__":
    main()
