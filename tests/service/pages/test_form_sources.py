"""A form is accepted from a page of this server only, also behind the documented proxy."""

import re
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import httpx
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.bootstrap import Service
from service.notifications.mail.confirmations import Confirmation
from service.settings import Settings
from tests.support.mail_server import make_certificate
from tests.support.page_forms import PASSWORD
from tests.support.processes import free_port, wait_until
from tests.support.server import WebServer

DOCS = Path(__file__).parents[3] / "docs" / "running.md"
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")


def site_configuration() -> str:
    """Return the configuration of nginx in docs/running.md."""
    (block,) = re.findall(r"^```nginx\n(.*?)^```", DOCS.read_text(), re.MULTILINE | re.DOTALL)
    return str(block)


@pytest.mark.parametrize(
    ("base_url", "headers"),
    [
        ("http://localhost", {}),
        ("http://play.example.org:8080", {"Origin": "http://play.example.org:8080"}),
        ("https://play.example.org:8443", {"Origin": "https://play.example.org:8443"}),
        ("https://play.example.org", {"Origin": "https://play.example.org"}),
        ("https://play.example.org", {"Referer": "https://play.example.org/register"}),
        ("https://play.example.org", {"Origin": "null", "Referer": "https://play.example.org/"}),
        # The proxy has removed TLS, and does not say so.
        ("http://play.example.org", {"Origin": "https://play.example.org"}),
        ("http://play.example.org:443", {"Origin": "https://play.example.org"}),
        ("https://PLAY.example.org", {"Origin": "https://play.example.org"}),
    ],
)
def test_a_form_from_a_page_of_this_server_is_accepted(
    browser: FlaskClient, base_url: str, headers: dict[str, str]
) -> None:
    assert register(browser, base_url, headers).status_code == 303


@pytest.mark.parametrize(
    ("headers", "source"),
    [
        ({"Origin": "https://play.example.org:8443"}, "play.example.org:8443"),
        ({"Origin": "https://evil.example"}, "evil.example"),
        ({"Origin": "https://play.example.org.evil.example"}, "play.example.org.evil.example"),
        ({"Referer": "https://evil.example/?https://play.example.org/"}, "evil.example"),
        (
            {"Origin": "https://evil.example", "Referer": "https://play.example.org/"},
            "evil.example",
        ),
    ],
)
def test_a_form_from_another_host_is_refused_with_both_hosts(
    browser: FlaskClient, headers: dict[str, str], source: str
) -> None:
    response = register(browser, "https://play.example.org", headers)
    assert response.status_code == 403
    assert (
        f"comes from a page of {source}, but its request has arrived as one to play.example.org."
        in (unescape(response.text))
    )
    assert "too old" not in response.text


@pytest.mark.parametrize("headers", [{}, {"Origin": "null"}, {"Referer": "https://[evil"}])
def test_a_form_over_tls_needs_a_source(browser: FlaskClient, headers: dict[str, str]) -> None:
    response = register(browser, "https://play.example.org", headers)
    assert response.status_code == 403
    assert "allow it to send the header Origin or Referer" in response.text


def test_no_page_keeps_the_browser_from_saying_where_a_form_comes_from(
    browser: FlaskClient, service: Service
) -> None:
    player, _ = service.accounts.players.register("ada", PASSWORD, "ada@example.org")
    confirmation = Confirmation(player.id, "ada@example.org")
    token = service.notifications.mail.confirmations.create_token(confirmation)
    for path in ("/", "/login", f"/email/confirm/{token}"):
        assert browser.get(path).headers["Referrer-Policy"] == "same-origin"


def register(browser: FlaskClient, base_url: str, headers: dict[str, str]) -> TestResponse:
    page = browser.get("/register", base_url=base_url)
    match = re.search(r'name="csrf_token" value="([^"]+)"', page.text)
    assert match is not None
    data = {"csrf_token": unescape(match[1]), "handle": "ada", "password": PASSWORD}
    return browser.post("/register", data=data, headers=headers, base_url=base_url)


def test_the_documented_proxy_passes_on_what_the_server_needs() -> None:
    headers = dict(re.findall(r"proxy_set_header (\S+) (.*);", site_configuration()))
    # $host is without the port, and a form from another port is refused.
    assert headers == {
        "Host": "$http_host",
        "Connection": '""',
        "X-Forwarded-For": "$remote_addr",
        "X-Forwarded-Proto": "$scheme",
    }


@pytest.fixture
def proxied_port(settings: Settings, tmp_path: Path) -> Iterator[int]:
    """The port of an nginx with the documented configuration, in front of a web server."""
    if NGINX is None:
        pytest.skip("there is no nginx on this machine")
    certificate, port = make_certificate(tmp_path / "certificate.pem"), free_port()
    proxies = {"CARTULARY_TRUSTED_PROXIES": "127.0.0.1"}
    with WebServer(settings, environ=proxies) as server:
        site = site_configuration()
        for documented, used in (
            (r"listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
            (r"/etc/letsencrypt/live/play\.example\.org/\w+\.pem", str(certificate)),
            (r"http://127\.0\.0\.1:8000", server.url.rstrip("/")),
        ):
            site, count = re.subn(documented, used, site)
            assert count
        folders = "".join(
            f"{name}_temp_path {tmp_path}/{name};\n"
            for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        configuration = tmp_path / "nginx.conf"
        configuration.write_text(
            f"daemon off;\nmaster_process off;\npid {tmp_path}/nginx.pid;\nevents {{}}\n"
            f"http {{\naccess_log off;\n{folders}{site}}}\n"
        )
        errors = tmp_path / "errors"
        command = [NGINX, "-p", str(tmp_path), "-e", str(errors), "-c", str(configuration)]
        nginx = subprocess.Popen(command)
        try:
            wait_until(lambda: (tmp_path / "nginx.pid").exists() or nginx.poll() is not None)
            assert nginx.poll() is None, errors.read_text()
            yield port
        finally:
            nginx.terminate()
            nginx.wait()


def test_forms_are_accepted_behind_the_documented_proxy(proxied_port: int) -> None:
    url = f"https://localhost:{proxied_port}"
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with httpx.Client(base_url=url, verify=context) as client:
        page = client.get("/register")
        match = re.search(r'name="csrf_token" value="([^"]+)"', page.text)
        assert match is not None
        data = {"csrf_token": unescape(match[1]), "handle": "ada", "password": PASSWORD}
        foreign = client.post("/register", data=data, headers={"Origin": "https://localhost"})
        assert foreign.status_code == 403
        assert (
            f"comes from a page of localhost, but its request has arrived as one to localhost:{proxied_port}"
            in foreign.text
        )
        response = client.post("/register", data=data, headers={"Origin": url})
        assert (response.status_code, response.headers["Location"]) == (303, "/")
        assert "Secure" in response.headers["Set-Cookie"]
        assert client.get("/metrics").status_code == 403
