"""A forgotten password over HTTP, on a server that sends mails."""

from service.bootstrap import Service
from service.settings import Settings
from tests.support.accounts import PASSWORD, http_client
from tests.support.http_contract import Contract
from tests.support.mailed_players import SENDER, confirm
from tests.support.server import WebServer

PATH = "/api/v1/password-resets"


def test_a_password_is_replaced_with_a_token(
    settings: Settings, service: Service, contract: Contract
) -> None:
    player, old_token = service.accounts.players.register("zoe", PASSWORD, "zoe@example.org")
    confirm(service, player.id, "zoe@example.org")
    (account,) = service.accounts.players.get([player.id])
    assert account is not None
    token = service.notifications.mail.password_resets.create_token(account)
    smtp = {"CARTULARY_SMTP_URL": "smtp://127.0.0.1:9?tls=none", "CARTULARY_MAIL_FROM": SENDER}
    with WebServer(settings, environ=smtp) as server, http_client(server.url, contract) as client:
        for handle in ("zoe", "nobody"):
            assert client.post(PATH, json={"handle": handle}).status_code == 204
        body = {"token": f" {token[:20]}\r\n{token[20:]}\u200b", "new_password": "battery staple"}
        assert client.put(PATH, json=body).status_code == 204
        assert client.put(PATH, json=body).status_code == 404
        headers = {"Authorization": f"Bearer {old_token}"}
        assert client.get("/api/v1/me", headers=headers).status_code == 401
        login = {"handle": "zoe", "password": "battery staple"}
        assert client.post("/api/v1/tokens", json=login).status_code == 201
