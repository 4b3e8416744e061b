"""While a pause or a dispute stops the clock, nobody is shown a deadline: nobody knows it.

The latest deadline possible is in the year 2027 here, and nothing else is.
"""

import logging
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from io import BytesIO
from typing import Final, TypeAlias

import orjson
import pytest
from click.testing import CliRunner
from flask import Flask
from flask.testing import FlaskClient
from freezegun import freeze_time
from icalendar import Calendar

from cartulary.cli import cartulary
from domain.game import Game
from ledger import record
from ledger.clock import turn_clock
from ledger.statements import AgreeToPause, OpenDispute, WithdrawDispute
from service.bootstrap import Service
from service.pages.app import create_web_app
from service.settings import Settings
from tests.support.explanations import log_of, page
from tests.support.mail_server import MailServer
from tests.support.mailed_players import register
from tests.support.page_forms import PASSWORD, post
from tests.support.processes import ROOT
from tests.support.service_games import start_game, take_action
from tests.support.worker_harness import WorkerHarness

YEAR: Final = "2027"
DAYS: Final = 4 * 86_400
STOPPED: Final = re.compile(r"clock (stands|stood) still|the game is paused", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Table:
    """A game of ada and bea whose clock stands still, in the turn of bea."""

    service: Service
    browser: FlaskClient
    mails: MailServer
    game: Game
    bea: str
    acted: int
    """The event with which ada has acted while the clock stood still."""

    def read(self, path: str) -> str:
        """Return a page as bea sees it."""
        response = self.browser.get(path)
        assert response.status_code == 200, path
        return response.text

    def record(self) -> record.Record:
        """Return the record of the game."""
        return record.read(BytesIO(b"".join(self.service.games.queries.record(self.game.id))))

    def calendar(self) -> str:
        """Return the calendar of bea."""
        return self.service.notifications.feeds.calendar(self.bea).decode()

    def mail(self) -> str:
        """Return the text of the mail that says that it is bea's turn."""
        (mail,) = (
            mail for mail in self.mails.to("bea@example.org") if "turn" in mail.message["Subject"]
        )
        body = mail.message.get_body(("plain",))
        assert body is not None
        return str(body.get_content())

    def list_games(self) -> str:
        """Return what the operator sees of the game in a list."""
        return CliRunner().invoke(cartulary, ["admin", "games"]).stdout


def pause(service: Service, game: Game) -> None:
    for player in game.players:
        service.games.statements.state(game.id, player, AgreeToPause(agree=True))


def dispute(service: Service, game: Game) -> None:
    service.games.statements.state(game.id, game.players[1], OpenDispute(game.seq, "I object."))


def end_pause(service: Service, game: Game) -> None:
    service.games.statements.state(game.id, game.players[0], AgreeToPause(agree=False))


def end_dispute(service: Service, game: Game) -> None:
    number = service.games.queries.game(game.id).disputes[0].seq
    service.games.statements.state(game.id, game.players[1], WithdrawDispute(number))


Change: TypeAlias = Callable[[Service, Game], None]
STOPS: Final[Mapping[str, tuple[str, Change, Change]]] = {
    "pause": ("2026-12-01T10:00:00Z", pause, end_pause),
    "dispute": ("2026-12-28T10:00:00Z", dispute, end_dispute),
}
"""By what stops a clock: when it begins, how, and how it ends."""


@pytest.fixture
def app(service: Service) -> Flask:
    return create_web_app(service)


@pytest.fixture(params=STOPS)
def stop(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def table(
    app: Flask,
    service: Service,
    settings: Settings,
    server: MailServer,
    workers: WorkerHarness,
    stop: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> Iterator[Table]:
    caplog.set_level(logging.INFO)
    monkeypatch.setenv("CARTULARY_DATA", str(settings.data))
    monkeypatch.setenv("CARTULARY_REDIS_URL", settings.redis_url)
    monkeypatch.setattr(service.pictures, "png", lambda _svg, _width, _colours=0: b"")
    begins, start, _ = STOPS[stop]
    with freeze_time(begins) as time:
        ada, bea = register(service, "ada"), register(service, "bea")
        game = start_game(service, 2, {"per_turn": DAYS}, players=(ada, bea))
        time.tick(timedelta(hours=1))
        start(service, game)
        acted = take_action(service, game.id).events[0]["seq"]
        workers.scheduler.enqueue_tasks_of({game.id})
        workers.work()
        browser = app.test_client()
        assert post(browser, "/login", "/login", handle="bea", password=PASSWORD).status_code == 303
        yield Table(service, browser, server, service.games.queries.game(game.id), bea, acted)


SURFACES: Final[Mapping[str, Callable[[Table], str]]] = {
    "page of the game": lambda table: table.read(f"/games/{table.game.id}"),
    "page of the clock": lambda table: table.read(f"/games/{table.game.id}/clock"),
    "first page": lambda table: table.read("/"),
    "page of the action": lambda table: table.read(f"/games/{table.game.id}?seq={table.acted}"),
    "calendar": Table.calendar,
    "mail": Table.mail,
    "log": lambda table: "\n".join(log_of(table.record())),
    "explanation": lambda table: page(table.record(), table.acted),
    "list for the operator": Table.list_games,
}
"""Everything for people that shows deadlines."""
READERS: Final[Mapping[str, frozenset[str]]] = {
    "service/pages/view_models/clock_view.py": frozenset({"page of the game", "page of the clock"}),
    "service/games/pages/clocks.py": frozenset({"page of the clock"}),
    "service/pages/view_models/game_lists.py": frozenset({"first page"}),
    "service/games/templates/game_list.html": frozenset({"first page"}),
    "service/notifications/feeds.py": frozenset({"calendar"}),
    "workers/mail/notification_mail.py": frozenset({"mail"}),
    "replay/history/inspect.py": frozenset({"page of the action", "explanation"}),
    "replay/history/event_text.py": frozenset({"log", "page of the action", "explanation"}),
    "cartulary/commands/admin.py": frozenset({"list for the operator"}),
    # What programs read: the latest deadline possible, beside the time until which the clock stands still.
    "service/games/summary.py": frozenset(),
    "service/notification_subjects/sources.py": frozenset(),
    # What acts on a deadline, or judges it, and shows none.
    "service/notification_subjects/table.py": frozenset(),
    "service/games/outbox.py": frozenset(),
    "workers/notifications/outbox_notifications.py": frozenset(),
    "ledger/clock/turn_clock.py": frozenset(),
    "replay/audit/clock_decisions.py": frozenset(),
}
"""The files that read the deadline of a turn, and where the reader sees it."""
READING: Final = re.compile(
    r"\b(?:turn_clock\.deadline|deadline_timestamp|milliseconds_left)\(|\bsummary\.deadline\b"
    r"|def deadline\("
    r"|\bfrom ledger\.clock\.turn_clock import[^)\n]*\bdeadline\b"
)


def test_every_file_that_reads_a_deadline_is_listed() -> None:
    packages = ("domain", "ledger", "replay", "client", "service", "workers", "cartulary")
    files = (
        path
        for package in packages
        for suffix in ("py", "html")
        for path in (ROOT / package).rglob(f"*.{suffix}")
    )
    reading = {str(path.relative_to(ROOT)) for path in files if READING.search(path.read_text())}
    # This one is a deadline of an event that is explained already.
    assert reading - {"service/pages/view_models/replayed_event.py"} == set(READERS)
    assert frozenset().union(*READERS.values()) == set(SURFACES)


def test_nothing_shows_a_deadline_while_the_clock_stands_still(table: Table) -> None:
    for name, read in SURFACES.items():
        text = read(table)
        assert YEAR not in text, name
        assert STOPPED.search(text), name


def test_the_deadline_is_shown_when_the_clock_runs_again(table: Table, stop: str) -> None:
    STOPS[stop][2](table.service, table.game)
    deadline = turn_clock.deadline(table.service.games.queries.game(table.game.id))
    assert deadline is not None
    for name, shown in {
        "page of the clock": f'datetime="{deadline:%Y-%m-%dT%H:%M}',
        "first page": f'datetime="{deadline:%Y-%m-%dT%H:%M}',
        "calendar": f"DTSTART:{deadline:%Y%m%dT%H%M}",
        "list for the operator": f"{deadline:%H:%M}",
    }.items():
        text = SURFACES[name](table)
        assert shown in text, name


def test_a_turn_is_in_the_calendar_without_a_date_while_the_clock_stands_still(
    table: Table, stop: str
) -> None:
    calendar = Calendar.from_ical(table.calendar())
    assert calendar.walk("VEVENT") == []
    (turn,) = calendar.walk("VTODO")
    assert not {"DTSTART", "DUE", "DTEND", "DURATION"} & set(turn)
    assert str(turn["URL"]).endswith(f"/games/{table.game.id}")
    STOPS[stop][2](table.service, table.game)
    calendar = Calendar.from_ical(table.calendar())
    assert calendar.walk("VTODO") == []
    (event,) = calendar.walk("VEVENT")
    assert event["SUMMARY"] == "Barony: your turn ends"


def test_programs_read_until_when_the_clock_stands_still(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    limit = "2026-12-31T11:00:00.000Z"
    (summary,) = table.service.games.queries.summaries([table.game.id])
    assert summary is not None
    assert summary.timing is not None
    assert summary.timing["clock_stopped_until"] == limit
    (game,) = orjson.loads(CliRunner().invoke(cartulary, ["admin", "games", "--json"]).stdout)[
        "games"
    ]
    assert game["clock_stopped_until"] == limit
    (notified,) = (
        vars(line)["notification"]
        for line in caplog.get_records("setup")
        if vars(line).get("notification", {}).get("seq") == table.acted
    )
    assert notified["clock_stopped_until"] == limit
