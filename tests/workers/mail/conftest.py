"""A service whose mail goes to a real SMTP server, with workers that send it."""

from collections.abc import Iterator

import pytest

from service.bootstrap import Service
from service.settings import Settings
from tests.support.mail_server import MailServer, mail_server
from tests.support.mailed_players import mail_service
from tests.support.raw_times import raw_times, visible_text
from tests.support.worker_harness import WorkerHarness
from workers.run import channels_of

PNG = b"\x89PNG\r\n\x1a\n"
"""What stands for each picture that is not drawn."""


@pytest.fixture
def server() -> Iterator[MailServer]:
    with mail_server() as server:
        yield server
        for mail in server.mails:
            for part in mail.message.walk():
                if part.get_content_type() in ("text/plain", "text/html"):
                    assert raw_times(visible_text(part.get_content())) == []


@pytest.fixture
def service(settings: Settings, server: MailServer) -> Iterator[Service]:
    with mail_service(settings, server) as service:
        yield service


@pytest.fixture
def workers(service: Service) -> Iterator[WorkerHarness]:
    workers = WorkerHarness(service)
    workers.use(channels_of(service))
    yield workers
    workers.close()


@pytest.fixture
def quick_pictures(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw no pictures, each of which takes half a second: for tests of all else in a mail."""
    monkeypatch.setattr(service.pictures, "png", lambda _svg, _width, _colours=0: PNG)
