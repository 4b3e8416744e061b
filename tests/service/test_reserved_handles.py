"""Handles that seem to speak for the server are refused; what only contains one of them is not."""

import pytest

from domain.errors import Malformed
from service.accounts.account_reader import Player
from service.bootstrap import Service


@pytest.mark.parametrize(
    "handle",
    [
        *(
            "admin",
            "ADMIN",
            "Admin",
            "aDmIn",
            "a.d-m_i.n",
            "admin1",
            "admin-2026",
            "adm1n",
            "4dmin",
        ),
        *(
            "\u0430dm\u0456n",
            "ádmin",
            "\uff41\uff44\uff4d\uff49\uff4e",
            "adm\u0131n",
            "root",
            "R00T",
            "Administrator",
            "administrateur",
        ),
        *(
            "système",
            "system",
            "5ystem",
            "moderator",
            "rnoderator",
            "support",
            "operator",
            "Arbiter",
        ),
        *("cartulary", "CartuIary", "árbitro", "juez", "staff", "security", "postmaster"),
    ],
)
def test_a_handle_that_seems_to_speak_for_the_server_is_refused(
    service: Service, handle: str
) -> None:
    with pytest.raises(Malformed) as raised:
        service.accounts.players.register(handle, "correct horse")
    assert "handle" in raised.value.fields
    guest, _ = service.accounts.players.create_guest()
    with pytest.raises(Malformed):
        service.accounts.players.name_guest(guest.id, handle, "correct horse")


@pytest.mark.parametrize(
    "handle",
    ["adam", "adamina", "rooter", "badminton", "arbitrage", "ada1", "modest", "2026", "юля"],
)
def test_a_handle_that_only_contains_a_reserved_one_is_allowed(
    service: Service, handle: str
) -> None:
    player, _ = service.accounts.players.register(handle, "correct horse")
    assert player.handle == handle


def test_an_account_with_a_handle_that_is_reserved_now_continues_working(service: Service) -> None:
    service.accounts.players._create(
        Player("0123456789abcdef", "admin", "2025-01-01T00:00:00.000Z")
    )
    service.accounts.players.replace_password("0123456789abcdef", "correct horse")
    assert service.accounts.players.login("Admin", "correct horse")
