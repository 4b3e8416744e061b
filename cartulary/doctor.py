"""Checks a deployment: what the command `doctor` does.

Each check yields findings, in the order in which they are read. A check changes nothing, except that it asks
the mail server and the public address for a sign of life, and writes an object into the archive and deletes
it. What cannot be looked at, such as the configuration of a Redis that hides it, is a warning and no fault.
"""

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from importlib.metadata import version
from itertools import chain, islice
from shutil import disk_usage
from typing import Any, Final, Literal, TypeAlias
from urllib.parse import urlsplit

import httpx
import orjson
import redis

from cartulary.language import text
from domain.errors import CartularyError, Unreadable
from domain.messages import Text, comma_list, message, plural_message
from replay.language.renderer import english
from service import clock
from service.administration.work import WorkOverview
from service.bootstrap import Service
from service.cluster import ClusterClient
from service.connection import connect, to_text, unavailable_on_error
from service.errors import Unavailable, log_text
from service.operation.process_reports import KINDS, ProcessReport
from service.settings import DEFAULT_PUBLIC_URL, Settings
from service.smtp_server import parse_smtp_url
from service.transparency.restores import Restores
from service.transparency.store import TransparencyStore
from workers.mail.smtp import SmtpClient
from workers.tasks import tasks_of

Status: TypeAlias = Literal["ok", "warning", "fault"]

OLDEST_REDIS: Final = (6, 2)
"""The oldest version of Redis for a service whose Redis is not the embedded one."""
FULL: Final = 0.8
"""Part of the memory of Redis from which on it is nearly full."""
LITTLE_DISK: Final = 1 << 30
"""Bytes of free disk space below which a warning is given: 1 GiB."""
SLIGHT_DIFFERENCE: Final = 1.0
"""Seconds by which clocks may differ without a warning."""
LONG_WAIT: Final = timedelta(minutes=1)
"""Time after which work that is due should be done."""
GAMES: Final = 1000
"""Games whose outboxes are read at most: those that have changed lately come first."""
SECONDS_TO_RESPOND: Final = 5.0
"""Time that the public address has to respond."""
_SIGNS: Final[Mapping[Status, str]] = {"ok": "ok", "warning": "? ", "fault": "! "}
_LOCAL_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check has found, and for anything but `ok` what to do about it."""

    subject: Text
    status: Status
    sentence: Text
    advice: Text | None = None

    def as_text(self) -> str:
        """Return the finding in one line, and its advice in a second one."""
        line = f"{_SIGNS[self.status]} {text(self.subject)}: {text(self.sentence)}"
        return line if self.advice is None else f"{line}\n    {text(self.advice)}"

    def as_json(self) -> str:
        """Return the finding as a line of JSON, in English."""
        fields = {
            "subject": english(self.subject),
            "status": self.status,
            "text": english(self.sentence),
            "advice": None if self.advice is None else english(self.advice),
        }
        return orjson.dumps(fields).decode()


Check: TypeAlias = Callable[[Service], Iterator[Finding]]


def diagnose(service: Service) -> Iterator[Finding]:
    """Yield the findings of all checks of a deployment. A Redis that does not respond is one fault."""
    has_redis = True
    for subject, check in _CHECKS:
        try:
            yield from check(service)
        except Unavailable as error:
            if has_redis:
                yield Finding(
                    subject,
                    "fault",
                    error.message,
                    message("start it, or correct its address among the settings"),
                )
            has_redis = has_redis and check is not _check_logs


_LOGS: Final = message("Redis of the logs")
_QUEUE: Final = message("Redis of the queue")
_CLOCK: Final = message("clock")
_KEY: Final = message("signing key")
_FOLDER: Final = message("data folder")
_ARCHIVE: Final = message("archive")
_PROCESSES: Final = message("processes")
_WORK: Final = message("work")
_TRANSPARENCY: Final = message("transparency log")
_MAIL: Final = message("e-mail")
_ADDRESS: Final = message("public address")


def _check_logs(service: Service) -> Iterator[Finding]:
    """The Redis of the logs must keep every write that it has acknowledged."""
    for client in _masters(service.redis):
        yield from _check_master(service.settings, client)


def _masters(client: redis.Redis) -> Sequence[redis.Redis]:
    """Return clients of all masters: one for each node of a cluster, else the only one."""
    if not isinstance(client, ClusterClient):
        return [client]
    with unavailable_on_error():
        return [node.redis_connection for node in client.masters()]


def _check_master(settings: Settings, client: redis.Redis) -> Iterator[Finding]:
    with unavailable_on_error():
        info = client.info()
    release = str(info["redis_version"])
    yield Finding(_LOGS, "ok", message("version {version} responds", version=release))
    if not settings.is_embedded and tuple(map(int, release.split(".")[:2])) < OLDEST_REDIS:
        yield Finding(
            _LOGS,
            "warning",
            message("this version of Redis is old"),
            message("upgrade to Redis 6.2 or later"),
        )
    if info.get("role") != "master":
        yield Finding(
            _LOGS,
            "fault",
            message("it is a replica, which accepts no writes"),
            message("let CARTULARY_REDIS_URL name the master"),
        )
    yield from _check_durability(client, info)
    yield from _check_memory(_LOGS, client, info)


def _check_durability(client: redis.Redis, info: Mapping[str, Any]) -> Iterator[Finding]:
    if not info.get("aof_enabled"):
        yield Finding(
            _LOGS,
            "fault",
            message("it does not write every event to disk: events are lost when it ends"),
            message("set `appendonly yes` and `appendfsync always` in its configuration"),
        )
    else:
        match _configuration(client, "appendfsync"):
            case "always":
                yield Finding(_LOGS, "ok", message("every write is on disk before its response"))
            case None:
                yield Finding(
                    _LOGS,
                    "warning",
                    message("it does not show how often it writes to disk"),
                    message("make sure that `appendfsync` is `always`"),
                )
            case value:
                yield Finding(
                    _LOGS,
                    "warning",
                    message(
                        "with `appendfsync {value}`, a power cut loses events that were acknowledged",
                        value=value,
                    ),
                    message("set `appendfsync always` in its configuration"),
                )
    for name in ("aof_last_write_status", "aof_last_bgrewrite_status", "rdb_last_bgsave_status"):
        if info.get(name, "ok") != "ok":
            yield Finding(
                _LOGS,
                "fault",
                message("it could not write its file ({name})", name=name),
                message("look at its log; usually the disk is full"),
            )


def _check_memory(subject: Text, client: redis.Redis, info: Mapping[str, Any]) -> Iterator[Finding]:
    limit = info.get("maxmemory") or 0
    policy = info.get("maxmemory_policy")
    if limit and policy != "noeviction":
        yield Finding(
            subject,
            "fault",
            message("it deletes data when its memory is full ({policy})", policy=str(policy)),
            message("set `maxmemory-policy noeviction` in its configuration"),
        )
    limit = limit or info.get("total_system_memory") or 0
    used = info.get("used_memory", 0)
    if limit:
        is_nearly_full = used > FULL * limit
        yield Finding(
            subject,
            "warning" if is_nearly_full else "ok",
            message("{used} of {limit} MiB of memory are used", used=used >> 20, limit=limit >> 20),
            message("give it more memory before it refuses writes") if is_nearly_full else None,
        )


def _configuration(client: redis.Redis, name: str) -> str | None:
    """Return a value of the configuration; None if this Redis does not show it."""
    try:
        with unavailable_on_error():
            values = client.config_get(name)
    except redis.ResponseError:
        return None
    value = values.get(name)
    return None if value is None else to_text(value)


def _check_queue(service: Service) -> Iterator[Finding]:
    """The Redis of the queue may lose everything at once, but must not delete what it likes."""
    settings = service.settings
    if settings.queue_url == settings.redis_url:
        return
    client = connect(settings.queue_url)
    try:
        with unavailable_on_error():
            info = client.info()
        yield Finding(
            _QUEUE, "ok", message("version {version} responds", version=str(info["redis_version"]))
        )
        yield from _check_memory(_QUEUE, client, info)
    finally:
        client.close()


def _check_clock(service: Service) -> Iterator[Finding]:
    with unavailable_on_error():
        seconds, microseconds = service.redis.time()
    difference = clock.now().timestamp() - (seconds + microseconds / 1e6)
    most = service.settings.bounds.max_clock_jump_seconds
    far = abs(difference)
    status: Status = "ok" if far <= SLIGHT_DIFFERENCE else "warning" if far <= most else "fault"
    yield Finding(
        _CLOCK,
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
            _CLOCK,
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
            _KEY,
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
        id = service.keyring.key_id()
    except Unavailable:
        raise
    except (CartularyError, OSError) as error:
        yield Finding(
            _KEY,
            "fault",
            error.message
            if isinstance(error, CartularyError)
            else message("the signing key cannot be read"),
            message("configure a signing key that this service has published and not retired"),
        )
        return
    yield Finding(_KEY, "ok", message("key {key} is published and valid", key=id))
    status = path.stat()
    is_own = status.st_uid == os.getuid()
    if stat.S_IMODE(status.st_mode) & (0o077 if is_own else 0o007):
        yield Finding(
            _KEY,
            "fault",
            message("other users have access to {path}", path=str(path)),
            message("run `chmod 600 {path}`", path=str(path)),
        )


def _check_folder(service: Service) -> Iterator[Finding]:
    folder = service.settings.data
    if not folder.is_dir():
        yield Finding(
            _FOLDER,
            "warning",
            message("there is no folder {path}", path=str(folder)),
            message("a process of the service creates it; or set CARTULARY_DATA"),
        )
        return
    if stat.S_IMODE(folder.stat().st_mode) & 0o077:
        yield Finding(
            _FOLDER,
            "warning",
            message("other users have access to {path}", path=str(folder)),
            message("run `chmod 700 {path}`", path=str(folder)),
        )
    free = disk_usage(folder).free
    is_low = free < LITTLE_DISK
    yield Finding(
        _FOLDER,
        "warning" if is_low else "ok",
        message("{free} MiB are free on the disk of {path}", free=free >> 20, path=str(folder)),
        message("free some space before the logs can no longer be written") if is_low else None,
    )


def _check_processes(service: Service) -> Iterator[Finding]:
    reports = service.process_reports.alive()
    for kind in KINDS:
        alive = [report for report in reports if report.kind == kind]
        yield _process_finding(kind, alive)
    versions = {report.version for report in reports} | {version("cartulary")}
    if len(versions) > 1:
        yield Finding(
            _PROCESSES,
            "warning",
            message("different versions run: {versions}", versions=comma_list(sorted(versions))),
            message("upgrade and restart the processes that are left behind"),
        )


def _process_finding(kind: str, alive: list[ProcessReport]) -> Finding:
    if not alive:
        return Finding(
            _PROCESSES,
            "fault",
            message("no process `{kind}` has reported lately", kind=kind),
            message("start `cartulary {kind}`", kind=kind),
        )
    hosts = sorted({report.host for report in alive})
    return Finding(
        _PROCESSES,
        "ok",
        plural_message(
            "{count} process `{kind}` is alive, on {hosts}",
            "{count} processes `{kind}` are alive, on {hosts}",
            count=len(alive),
            kind=kind,
            hosts=comma_list(hosts),
        ),
    )


def _check_work(service: Service) -> Iterator[Finding]:
    """What events call for must be done soon: outboxes, queues, deadlines, deliveries; nothing is damaged."""
    late = _late_games(service)
    yield Finding(
        _WORK,
        "fault" if late else "ok",
        plural_message(
            "{count} game has work in its outbox that has been due for over a minute",
            "{count} games have work in their outboxes that has been due for over a minute",
            count=late,
        )
        if late
        else message("no work in the outboxes is late"),
        message("look at the logs of the scheduler and the workers; start more workers")
        if late
        else None,
    )
    overview = WorkOverview(
        service.process_reports, service.damaged_games, service.notifications.deliveries
    ).read()
    overdue = timedelta(milliseconds=overview["overdue_milliseconds"] or 0)
    if overdue > LONG_WAIT:
        yield Finding(
            _WORK,
            "fault",
            message(
                "a deadline of {seconds} s ago has not taken effect",
                seconds=int(overdue.total_seconds()),
            ),
            message("check the clocks, and that a worker takes the queue `games`"),
        )
    failed = sum(overview["failed_jobs"].values())
    if failed:
        yield Finding(
            _WORK,
            "warning",
            plural_message(
                "{count} job has failed lately", "{count} jobs have failed lately", count=failed
            ),
            message("`cartulary admin work` and the logs of the workers say why"),
        )
    if overview["damaged_games"]:
        yield Finding(
            _WORK,
            "fault",
            plural_message(
                "{count} game has a stored value that cannot be read",
                "{count} games have stored values that cannot be read",
                count=service.damaged_games.count(),
            ),
            message("`cartulary admin work` lists them; see docs/recovery.md"),
        )
    waiting = service.notifications.deliveries.count_waiting()
    yield Finding(
        _WORK,
        "ok",
        plural_message(
            "{count} delivery of a notification waits",
            "{count} deliveries of notifications wait",
            count=waiting,
        ),
    )


def _late_games(service: Service) -> int:
    """Return the number of active games with work that has been due for longer than LONG_WAIT.

    An entry is at least as old as the last event of its game, unless it names a time of its own.
    """
    before = clock.format(clock.now() - LONG_WAIT)
    late = 0
    changed = (game_id for game_id, _ in service.store.changed_games())
    game_ids = dict.fromkeys(islice(chain(changed, service.store.active_games()), GAMES))
    for game_id, game_tasks in tasks_of(service.store, game_ids).items():
        due = [task for task in game_tasks.tasks if task.kind and task.due_at < before]
        if any(task.due_at for task in due) or (due and _last_time(service, game_id) < before):
            late += 1
    return late


def _last_time(service: Service, game_id: str) -> str:
    """Return the time of the last event of a game; "" if there is none that can be read."""
    with suppress(Unreadable, IndexError, KeyError):
        lines = service.store.read(game_id, after=service.store.head(game_id) - 1)
        return str(orjson.loads(lines[-1])["at"])
    return ""


def _check_transparency(service: Service) -> Iterator[Finding]:
    restores = Restores(
        service.redis, service.settings.data, is_embedded=service.settings.is_embedded
    )
    if restores.is_marked:
        yield Finding(
            _TRANSPARENCY,
            "warning",
            message("the data was restored, and no new epoch has begun yet"),
            message("it begins with the next checkpoint, which a web process signs"),
        )
    store = TransparencyStore(service.redis)
    logged = store.size()
    note, _ = store.latest_checkpoint()
    yield Finding(
        _TRANSPARENCY,
        "ok",
        plural_message("{count} head is logged", "{count} heads are logged", count=logged)
        if note
        else message("no checkpoint has been signed yet"),
    )
    if service.settings.witnesses and note and store.cosigned_checkpoint() is None:
        yield Finding(
            _TRANSPARENCY,
            "warning",
            message("no witness has signed a checkpoint yet"),
            message("ask the operators of the witnesses whether they follow this server"),
        )


def _check_archive(service: Service) -> Iterator[Finding]:
    """Objects must be written and read, if any are: one is written for this, and deleted."""
    archive, url = service.archive, service.settings.archive
    if not archive.schedule.is_on and not archive.schedule.figures():
        yield Finding(_ARCHIVE, "ok", message("games that are over stay in Redis"))
        return
    try:
        archive.check()
    except Unavailable as error:
        reason = str(error.__cause__ or log_text(error)).partition("\n")[0]
        yield Finding(
            _ARCHIVE,
            "fault",
            message("{url} does not respond: {reason}", url=url, reason=reason),
            message("correct CARTULARY_ARCHIVE_URL, the credentials, or the permissions"),
        )
    else:
        yield Finding(_ARCHIVE, "ok", message("{url} can be written and read", url=url))


def _check_mail(service: Service) -> Iterator[Finding]:
    settings = service.settings
    if settings.smtp_url is None:
        yield Finding(_MAIL, "ok", message("no mail server is configured: no e-mail is sent"))
        return
    server = parse_smtp_url(settings.smtp_url)
    try:
        SmtpClient(server, settings.bounds.mail_seconds).check()
    except CartularyError as error:
        yield Finding(
            _MAIL,
            "fault",
            error.message,
            message("correct CARTULARY_SMTP_URL, or ask the operator of the mail server"),
        )
    else:
        yield Finding(
            _MAIL, "ok", message("the mail server {host} accepts mails", host=server.host)
        )


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
            _ADDRESS,
            "warning" if settings.public_url == DEFAULT_PUBLIC_URL else "fault",
            message("no web process of this service responds at {url}", url=settings.public_url),
            message("start `cartulary web`, and check CARTULARY_PUBLIC_URL and the proxy"),
        )
        return
    own = {entry["key"] for entry in service.keyring.public_keys()}
    is_own = bool(keys & own)
    yield Finding(
        _ADDRESS,
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
            _ADDRESS,
            "fault",
            message("all visitors share one rate limit: no proxy may name them"),
            message("set CARTULARY_TRUSTED_PROXIES to the addresses of the proxy"),
        )
    if parts.scheme == "http" and parts.hostname not in _LOCAL_HOSTS:
        yield Finding(
            _ADDRESS,
            "warning",
            message("passwords travel unencrypted: {url} is not https", url=settings.public_url),
            message("put a proxy with TLS before the web processes; see docs/running.md"),
        )


_CHECKS: Final[tuple[tuple[Text, Check], ...]] = (
    (_LOGS, _check_logs),
    (_QUEUE, _check_queue),
    (_CLOCK, _check_clock),
    (_KEY, _check_key),
    (_FOLDER, _check_folder),
    (_PROCESSES, _check_processes),
    (_WORK, _check_work),
    (_TRANSPARENCY, _check_transparency),
    (_ARCHIVE, _check_archive),
    (_MAIL, _check_mail),
    (_ADDRESS, _check_address),
)
