"""Players with confirmed e-mail addresses, on a service that sends its mail to a server of the test."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from service.bootstrap import Service, build
from service.notifications.mail.confirmations import Confirmation
from service.settings import Settings
from tests.support.mail_server import MailServer
from tests.support.processes import HANG_SECONDS

PUBLIC_URL = "https://play.example.org"
SENDER = "Cartulary <games@example.org>"


@contextmanager
def mail_service(
    settings: Settings, server: MailServer, seconds: float = HANG_SECONDS
) -> Iterator[Service]:
    """The parts of a service whose mail goes to this server, in at most `seconds` for each mail."""
    service = build(
        replace(
            settings,
            smtp_url=f"smtp://127.0.0.1:{server.port}?tls=none",
            mail_from=SENDER,
            public_url=PUBLIC_URL,
            bounds=replace(settings.bounds, mail_seconds=seconds),
        )
    )
    yield service
    service.redis.close()


def register(service: Service, handle: str, locale: str | None = None) -> str:
    """Register a player whose address is confirmed, `HANDLE@example.org`, and return the player's id."""
    address = f"{handle.lower()}@example.org"
    player, _ = service.accounts.players.register(handle, "correct horse", address, locale)
    confirm(service, player.id, address)
    return player.id


def confirm(service: Service, player_id: str, address: str) -> None:
    """Confirm the address of a player."""
    confirmations = service.notifications.mail.confirmations
    confirmations.confirm(confirmations.create_token(Confirmation(player_id, address)))
