"""Makes the pictures of mails in docs/screenshots: `python -m tests.browser.mails FOLDER`, called by make.

A worker sends the mails of a game through an SMTP server of its own, and Chromium shows them.
"""

import random
import sys
import tempfile
from base64 import b64encode
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

from freezegun import freeze_time
from playwright.sync_api import ViewportSize, sync_playwright

from service.bootstrap import Service
from service.bounds import Bounds
from service.operation.embedded_redis import EmbeddedRedis
from service.settings import Settings
from tests.support import chromium
from tests.support.mail_server import MailServer, mail_server
from tests.support.mailed_players import mail_service, register
from tests.support.service_games import play_set_up, start_game, take_action
from tests.support.worker_harness import WorkerHarness
from workers.run import channels_of

PHONE: ViewportSize = {"width": 360, "height": 740}
DESKTOP: ViewportSize = {"width": 800, "height": 700}
PLAYERS = {"Ada": "en", "Zoe": "fr", "Cid": "es"}


def send_mails(
    service: Service, server: MailServer, move_to: Callable[[str], None]
) -> dict[str, EmailMessage]:
    """Play two games, and return the last mail to each player by language; that to Cid is a digest."""
    ids = [register(service, handle, locale) for handle, locale in PLAYERS.items()]
    service.notifications.preferences.change(ids[2], {"digest": "18:00"})
    workers = WorkerHarness(service)
    workers.use(channels_of(service))
    chance = random.Random(5)
    games = [
        start_game(service, 3, {"per_turn": 86400}, rules, ids, name=name)
        for rules, name in (("barony", "Sunday club"), ("baron", "Northern march"))
    ]
    play_set_up(service, games[0].id)

    def is_digest_due() -> bool:
        """Whether Cid has to act in a game: a digest without news is not sent."""
        stored = [service.games.queries.game(game.id) for game in games]
        return any(
            game.to_act is not None and game.players[game.to_act] == ids[2] for game in stored
        )

    while (
        min(map(len, map(server.to, ("ada@example.org", "zoe@example.org")))) < 4
        or not is_digest_due()
    ):
        for game in games:
            take_action(service, game.id, chance)
            workers.scheduler.enqueue_tasks_of({game.id})
            workers.work()
        workers.work()
    move_to("2026-11-22T18:00:01Z")
    workers.work()
    workers.close()
    return {
        language: server.to(f"{handle.lower()}@example.org")[-1].message
        for handle, language in PLAYERS.items()
    }


def html_of(mail: EmailMessage) -> str:
    """Return the HTML of a mail with its pictures inside."""
    body = mail.get_body(("html",))
    assert body is not None
    html = str(body.get_content())
    for part in mail.walk():
        if part.get_content_type() == "image/png":
            png = b64encode(bytes(part.get_payload(decode=True))).decode()
            html = html.replace(
                f"cid:{part['Content-ID'].strip('<>')}", f"data:image/png;base64,{png}"
            )
    return html


def main(folder: Path) -> None:
    """Write the pictures."""
    with (
        tempfile.TemporaryDirectory() as data,
        EmbeddedRedis(Path(data) / "redis") as redis,
        mail_server() as server,
    ):
        settings = Settings(
            data=Path(data),
            redis_url=redis.url,
            queue_url=redis.url,
            signing_key=Path(data) / "key.pem",
            bounds=Bounds(max_clock_jump_seconds=1e12),
        )
        # The clock of a service never goes back, so it begins with the time of the games.
        with (
            freeze_time("2026-11-22T17:00:00Z", tick=False) as time,
            mail_service(settings, server) as service,
        ):
            mails = send_mails(service, server, time.move_to)
    with sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        for name, language, viewport, is_dark in (
            ("turn-desktop-light", "en", DESKTOP, False),
            ("turn-phone-dark", "fr", PHONE, True),
            ("digest-phone-light", "es", PHONE, False),
        ):
            page = browser.new_page(viewport=viewport, color_scheme="dark" if is_dark else "light")
            page.set_content(html_of(mails[language]))
            page.screenshot(path=folder / f"mail-{name}-{language}.png", full_page=True)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
