"""Games are played by mail while every process is killed with SIGKILL again and again.

Every answer is applied once or refused, and answered by a mail; no mail is lost. The default test is short;
`make kill` kills 200 processes and prints figures, which are in docs/recovery.md.
"""

import io
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from domain.event import acting_seat
from replay.audit import audit
from service.bootstrap import Service
from service.notifications.mail.account_mails import RETRY_PAUSES
from service.operation.data_folder import embedded_redis_url
from service.provenance import decode
from service.settings import Settings
from service.wall_clock import now
from tests.support.bot_players import STUCK_SECONDS
from tests.support.mail_replies import REPLY_ADDRESS, Mailbox, text_of
from tests.support.mail_server import MailServer
from tests.support.mail_tables import MailTable, SentAnswer
from tests.support.mailed_players import PUBLIC_URL, SENDER, mail_service, register
from tests.support.processes import free_port, wait_until
from tests.support.service_games import start_game
from tests.support.service_processes import ServiceProcesses

KILLS: Final = int(os.environ.get("KILLS", "200"))
"""How many processes the long test kills."""
KINDS: Final = ("replies", "redis", "sender", "web", "worker", "scheduler", "redis watcher")
WEIGHTS: Final = [1 if kind == "sender" else 3 for kind in KINDS]
"""How often a process of each kind is killed: after a killed sender, the mails wait for a minute."""
MOST_SECONDS_BETWEEN_KILLS: Final = 90.0
LEAST_ANSWERS_OF_A_KILL: Final = 1.5
"""Answers that must be dealt with for each kill, on average; otherwise the kills would have tested little."""
UNCHANGED: Final = "your answer has changed nothing"


@dataclass
class PlayByMail:
    """A service of real processes, and games that are played by mail on it."""

    processes: ServiceProcesses
    server: MailServer
    service: Service
    """Reads and prepares what the processes use; nothing of it is killed."""
    tables: list[MailTable]
    stop: threading.Event

    @property
    def answers(self) -> list[SentAnswer]:
        """All answers that have been accepted from the players."""
        return [answer for table in self.tables for answer in list(table.answers)]

    def check_players(self) -> None:
        """Fail if a player has failed."""
        errors = [repr(table.error) for table in self.tables if table.error is not None]
        assert not errors, "; ".join(errors)

    def finish(self) -> None:
        """Stop playing, and wait until everything that the answers call for is done and sent."""
        self.stop.set()
        for table in self.tables:
            table.join()
        self.check_players()
        mail = self.service.notifications.mail.account_mails
        wait_until(
            lambda: (
                not any(self.service.store.outbox(table.game_id) for table in self.tables)
                and not self.service.notifications.deliveries.waiting(1)
                and not mail.due(now().replace(year=9999), 1)
            ),
            idle_seconds=STUCK_SECONDS + RETRY_PAUSES[0],
        )


@contextmanager
def playing_by_mail(
    folder: Path, server: MailServer, tables: int, seed: int
) -> Iterator[PlayByMail]:
    """Start a service, and games of two at so many tables."""
    port = free_port()
    settings = {
        "CARTULARY_SMTP_URL": f"smtp://127.0.0.1:{server.port}?tls=none",
        "CARTULARY_MAIL_FROM": SENDER,
        "CARTULARY_PUBLIC_URL": PUBLIC_URL,
        "CARTULARY_REPLY_ADDRESS": REPLY_ADDRESS,
        "CARTULARY_REPLY_LMTP": f"127.0.0.1:{port}",
        "CARTULARY_MAX_REPLIES_PER_PLAYER": "1000000",
    }
    processes = ServiceProcesses(folder, settings=settings)
    stop = threading.Event()
    threads: list[MailTable] = []
    try:
        processes.start()
        url = embedded_redis_url(processes.data)
        own = Settings(
            processes.data,
            url,
            url,
            processes.data / "signing-key.pem",
            reply_address=REPLY_ADDRESS,
        )
        with mail_service(own, server) as service:
            for number in range(tables):
                handles = [f"P{number}{letter}" for letter in "ab"]
                players = [register(service, handle) for handle in handles]
                mailboxes = {
                    player: Mailbox(f"{handle.lower()}@example.org", server, port)
                    for player, handle in zip(players, handles, strict=True)
                }
                game = start_game(service, players=players)
                threads.append(MailTable(game.id, mailboxes, seed * 100 + number, stop))
            for thread in threads:
                thread.start()
            yield PlayByMail(processes, server, service, threads, stop)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        processes.stop()


def kill_at_random(play: PlayByMail, kills: int, chance: random.Random) -> None:
    """Kill processes at random and start them again. The first kills cover every kind of process."""
    for number in range(kills):
        if chance.random() < 0.8:
            wait_for_answers(play, chance)
        name = KINDS[number] if number < len(KINDS) else chance.choices(KINDS, weights=WEIGHTS)[0]
        if name not in play.processes.names:
            name = f"{name} 0"
        play.processes.kill(name)
        time.sleep(chance.choice((0, 0, chance.uniform(0, 0.6))))
        play.processes.start_one(name)


def wait_for_answers(play: PlayByMail, chance: random.Random) -> None:
    """Wait until the players have gone on answering, which takes a minute after a killed sender."""
    count = len(play.answers) + chance.randint(1, 3)
    end = time.monotonic() + MOST_SECONDS_BETWEEN_KILLS
    while len(play.answers) < count and time.monotonic() < end:
        play.check_players()
        time.sleep(0.05)
    time.sleep(chance.uniform(0, 0.3))


def check_answers(play: PlayByMail) -> dict[str, Any]:
    """Compare the logs and the mails with the answers that the players sent, and return figures."""
    answers = play.answers
    applied = Counter[str]()
    events = 0
    for game_id in {answer.game_id for answer in answers}:
        stored = play.service.store.provenance(game_id)
        log = play.service.games.queries.event_page(game_id, 0, 100_000)
        events += len(log)
        for event in log:
            if acting_seat(event["by"]) is not None and event.get("action") is not None:
                origin = decode(stored[event["seq"]])
                assert origin is not None
                assert origin.kind == "mail", event
                applied[origin.id] += 1
        report = audit(io.BytesIO(b"".join(play.service.games.queries.record(game_id))))
        assert report.verdict != "broken", report.first
    # Each legal answer has caused one event, and the others none.
    assert applied == Counter(answer.id for answer in answers if answer.is_legal)
    copies = check_mails(play.server, answers)
    return {
        "events": events,
        "answers applied": applied.total(),
        "answers refused": len(answers) - applied.total(),
        "answers that had to be delivered again": sum(it.repeated_deliveries for it in play.tables),
        "mails to players": len(play.server.mails) - copies,
        "mails that came twice, with one Message-ID": copies,
        "lost, doubled": "0, 0",
    }


def check_mails(server: MailServer, answers: Sequence[SentAnswer]) -> int:
    """Each answer was answered by one mail that says what came of it; return the number of copies.

    A sender that dies between the response of the mail server and recording it sends the same mail again.
    """
    texts: dict[str, str] = {}
    for received in list(server.mails):
        mail = received.message
        id, text = str(mail["Message-ID"]).strip("<>").partition("@")[0], text_of(mail)
        # The position that a copy shows may have gone on; what came of the answer is the same.
        is_refusal = UNCHANGED in text
        assert (UNCHANGED in texts.setdefault(id, text)) == is_refusal, (texts[id], text)
    missing = [answer for answer in answers if answer.id not in texts]
    assert not missing, f"answers without a mail: {missing}"
    wrong = [answer for answer in answers if (UNCHANGED in texts[answer.id]) == answer.is_legal]
    assert not wrong, [(answer, texts[answer.id]) for answer in wrong]
    return len(server.mails) - len(texts)


@pytest.mark.nightly
@pytest.mark.parametrize("kills", [2, len(KINDS)])
def test_a_few_kills_neither_lose_nor_double_an_answer(
    tmp_path: Path, server: MailServer, kills: int
) -> None:
    # What a sender had claimed when it was killed is sent a minute later, so the short test kills none.
    with playing_by_mail(tmp_path, server, 2, 1) as play:
        kill_at_random(play, kills, random.Random(1))
        play.finish()
        check_answers(play)


@pytest.mark.soak
def test_many_kills_neither_lose_nor_double_an_answer(
    tmp_path: Path, server: MailServer, capsys: pytest.CaptureFixture[str]
) -> None:
    seed, start = int(time.time()), time.monotonic()
    with playing_by_mail(tmp_path, server, 12, seed) as play:
        kill_at_random(play, KILLS, random.Random(seed))
        play.finish()
        figures = check_answers(play)
        assert len(play.answers) >= LEAST_ANSWERS_OF_A_KILL * KILLS
    rows = {
        "seed": seed,
        "kills": play.processes.kills.total(),
        **{f"  {kind}": number for kind, number in sorted(play.processes.kills.items())},
        **figures,
        "seconds": round(time.monotonic() - start),
    }
    with capsys.disabled():
        print("\n\n" + "\n".join(f"  {name:<44}{value}" for name, value in rows.items()))  # noqa: T201 # these are the figures for the docs
