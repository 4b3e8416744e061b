"""Checks a deployment: what the command `doctor` does.

Each check yields findings, in the order in which they are read. A check changes nothing, except that it asks
the mail server and the public address for a sign of life, and writes an object into the archive and deletes
it. What cannot be looked at, such as the configuration of a Redis that hides it, is a warning and no fault.
"""

import os
import stat
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias
from urllib.parse import urlsplit

import httpx

from cartulary.doctor import service_health
from cartulary.doctor.settings_file import SETTINGS, check_names
from domain.errors import CartularyError
from domain.messages import Text, message, plural_message
from service import wall_clock
from service.administration.finding import Finding, Status
from service.bootstrap import Service
from service.connection import unavailable_on_error
from service.errors import Unavailable, log_text
from service.settings import DEFAULT_PUBLIC_URL, Settings
from service.smtp_server import parse_smtp_url
from workers.mail.smtp import SmtpClient

SLIGHT_DIFFERENCE: Final = 1.0
"""Seconds by which clocks may differ without a warning."""
SECONDS_TO_RESPOND: Final = 5.0
"""Time that the public address has to respond."""
_LOCAL_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "::1"})


Check: TypeAlias = Callable[[Service], Iterator[Finding]]
"""Yields its findings about a service."""


def diagnose(service: Service) -> Iterator[tuple[Text, Finding]]:
    """Yield the findings of all checks of a deployment, each with its subject.

    A Redis that does not respond is one fault.
    """
    has_redis = True
    for subject, check in _CHECKS:
        try:
            for finding in check(service):
                yield subject, finding
        except Unavailable as error:
            if has_redis:
                advice = message("start it, or correct its address among the settings")
                yield subject, Finding("fault", error.message, advice)
            has_redis = has_redis and check is not _check_logs


def _check_environment(_service: Service) -> Iterator[Finding]:
    faults = [*check_names(os.environ)]
    yield from faults or [Finding("ok", message("every variable of the environment is a setting"))]


def _check_logs(service: Service) -> Iterator[Finding]:
    return service.health.logs()


def _check_clock(service: Service) -> Iterator[Finding]:
    with unavailable_on_error():
        seconds, microseconds = service.redis.time()
    difference = wall_clock.now().timestamp() - (seconds + microseconds / 1e6)
    most = service.settings.bounds.max_clock_jump_seconds
    far = abs(difference)
    status: Status = "ok" if far <= SLIGHT_DIFFERENCE else "warning" if far <= most else "fault"
    yield Finding(
        status,
        message(
            "this machine's clock differs from that of Redis by {seconds} s",
            seconds=f"{difference:+.1f}",
        ),
        None
        if status == "ok"
        else message("synchronize the clocks of all machines, for example with chrony"),
    )
    jumps = service.clock.observed_jumps()
    if jumps:
        yield Finding(
            "warning",
            plural_message(
                "{count} jump of a clock has been observed since the service was created",
                "{count} jumps of clocks have been observed since the service was created",
                count=jumps,
            ),
            message("if this number grows, look at what sets the clock"),
        )


def _check_key(service: Service) -> Iterator[Finding]:
    path = service.settings.signing_key
    if not path.exists():
        yield Finding(
            "warning",
            message("there is no file {path}", path=str(path)),
            message(
                "the first web process on this machine creates it; web processes on several machines need the"
                " same file"
            ),
        )
        return
    try:
        service.keyring.check()
        id = service.keyring.signing_key.id
    except Unavailable:
        raise
    except (CartularyError, OSError) as error:
        yield Finding(
            "fault",
            error.message
            if isinstance(error, CartularyError)
            else message("the signing key cannot be read"),
            message("configure a signing key that this service has published and not retired"),
        )
        return
    yield Finding("ok", message("key {key} is published and valid", key=id))
    status = path.stat()
    is_own = status.st_uid == os.getuid()
    if stat.S_IMODE(status.st_mode) & (0o077 if is_own else 0o007):
        yield Finding(
            "fault",
            message("other users have access to {path}", path=str(path)),
            message("run `chmod 600 {path}`", path=str(path)),
        )


def _check_archive(service: Service) -> Iterator[Finding]:
    """Objects must be written and read, if any are: one is written for this, and deleted."""
    archive, url = service.archive, service.settings.archive
    if not archive.schedule.is_on and not archive.schedule.figures():
        yield Finding("ok", message("games that are over stay in Redis"))
        return
    try:
        archive.check()
    except Unavailable as error:
        reason = str(error.__cause__ or log_text(error)).partition("\n")[0]
        yield Finding(
            "fault",
            message("{url} does not respond: {reason}", url=url, reason=reason),
            message("correct CARTULARY_ARCHIVE_URL, the credentials, or the permissions"),
        )
    else:
        yield Finding("ok", message("{url} can be written and read", url=url))


def _check_mail(service: Service) -> Iterator[Finding]:
    settings = service.settings
    if settings.smtp_url is None:
        yield Finding("ok", message("no mail server is configured: no e-mail is sent"))
        return
    server = parse_smtp_url(settings.smtp_url)
    try:
        SmtpClient(server, settings.bounds.mail_seconds).check()
    except CartularyError as error:
        yield Finding(
            "fault",
            error.message,
            message("correct CARTULARY_SMTP_URL, or ask the operator of the mail server"),
        )
    else:
        yield Finding("ok", message("the mail server {host} accepts mails", host=server.host))


def _check_address(service: Service) -> Iterator[Finding]:
    settings = service.settings
    yield from _address_faults(settings)
    url = f"{settings.public_url.rstrip('/')}/api/v1/keys"
    try:
        response = httpx.get(url, timeout=SECONDS_TO_RESPOND)
        keys = {entry["key"] for entry in response.raise_for_status().json()["keys"]}
    except (httpx.HTTPError, ValueError, KeyError, TypeError):
        # Only `serve` knows its port; without a setting, the address is a guess.
        yield Finding(
            "warning" if settings.public_url == DEFAULT_PUBLIC_URL else "fault",
            message("no web process of this service responds at {url}", url=settings.public_url),
            message("start `cartulary web`, and check CARTULARY_PUBLIC_URL and the proxy"),
        )
        return
    own = {entry["key"] for entry in service.keyring.public_keys()}
    is_own = bool(keys & own)
    yield Finding(
        "ok" if is_own else "fault",
        message("this service responds at {url}", url=settings.public_url)
        if is_own
        else message("another service responds at {url}", url=settings.public_url),
        None if is_own else message("correct CARTULARY_PUBLIC_URL, or the proxy"),
    )


def _address_faults(settings: Settings) -> Iterator[Finding]:
    parts = urlsplit(settings.public_url)
    if parts.scheme == "https" and not settings.trusted_proxies:
        # Web processes speak no TLS, so there is a proxy before them.
        yield Finding(
            "fault",
            message("all visitors share one rate limit: no proxy may name them"),
            message("set CARTULARY_TRUSTED_PROXIES to the addresses of the proxy"),
        )
    if parts.scheme == "http" and parts.hostname not in _LOCAL_HOSTS:
        yield Finding(
            "warning",
            message("passwords travel unencrypted: {url} is not https", url=settings.public_url),
            message("put a proxy with TLS before the web processes; see docs/running.md"),
        )


_CHECKS: Final[tuple[tuple[Text, Check], ...]] = (
    (SETTINGS, _check_environment),
    (message("Redis of the logs"), _check_logs),
    (message("Redis of the queue"), lambda service: service.health.queue()),
    (message("clock"), _check_clock),
    (message("signing key"), _check_key),
    (message("data folder"), lambda service: service.health.folder()),
    (message("processes"), lambda service: service.health.processes()),
    (message("work"), service_health.check_work),
    (message("reports"), lambda service: service.health.reports()),
    (message("backups"), lambda service: service.health.backups()),
    (message("transparency log"), service_health.check_transparency),
    (message("projections"), lambda service: service.health.projections()),
    (message("archive"), _check_archive),
    (message("e-mail"), _check_mail),
    (message("public address"), _check_address),
)
