"""The settings of the service, read from environment variables.

    CARTULARY_REDIS_URL      Redis of the logs (service/connection.py); default: the embedded Redis of the
                             data folder
    CARTULARY_REDIS_SERVER   program that is started as the embedded Redis, a path or a name on the PATH
                             (service/operation/engine.py); default: the first one without published
                             vulnerabilities
    CARTULARY_QUEUE_URL      Redis of the job queue, which is not a cluster; default: the Redis of the logs,
                             and needed if that is a cluster
    CARTULARY_WAIT_REPLICAS  replicas of the Redis of the logs that must have an event before it is
                             acknowledged; default: 0
    CARTULARY_DATA           folder of the signing key and the embedded Redis; default: the folder
                             cartulary among the user's data
    CARTULARY_ARCHIVE_URL    folder or bucket of the archived games (service/store/object_store.py);
                             default: the folder archive in the data folder
    CARTULARY_ARCHIVE_AFTER_DAYS  days after its end at which a game moves there; 0, the default: never
    CARTULARY_SIGNING_KEY    PEM file of the Ed25519 key that signs receipts, created by a web
                             process if it does not exist; default: signing-key.pem in the data folder
    CARTULARY_CACHE_GAMES    games in the cache of a process; default: 1000
    CARTULARY_RATE_ACCOUNTS  attempts to register or log in from one network; default: 60/minute
    CARTULARY_RATE_GAMES     requests of one player to create or join a game; default: 300/hour
    CARTULARY_RATE_DISPUTES  requests of one player to write in disputes and takebacks; default: 120/hour
    CARTULARY_RATE_AUDITS    audits that one player or network asks for on pages; default: 60/hour
    CARTULARY_RATE_WEBHOOK_TESTS  tests of webhooks that one player asks for; default: 20/hour
    CARTULARY_RATE_MESSAGES  requests of one player to write messages in games, and to mute; default: 120/hour
    CARTULARY_RATE_REQUESTS  requests of one player or network; default: no limit
    CARTULARY_ARBITER        handle of the player who rules disputes in games whose creator names no
                             arbiter; default: none
    CARTULARY_WEBHOOK_URL    URL to which notifications are posted; default: none
    CARTULARY_BACKUP_FOLDER  folder in which backups are made at regular intervals; default: none
    CARTULARY_BACKUP_HOURS   time from the beginning of a backup to that of the next one; default: 24
    CARTULARY_BACKUP_SECONDS  time after which the process that makes or verifies one is killed; default: 3600
    CARTULARY_BACKUPS_KEPT   backups that are kept; default: 7
    CARTULARY_WEBHOOK_NETWORKS  private networks in which webhooks of players and push services may be,
                             separated by commas; default: none
    CARTULARY_PUBLIC_URL     address at which players reach the pages, with which links begin; default:
                             the address of `serve`, else http://127.0.0.1:8000
    CARTULARY_SMTP_URL       URL of the server that e-mail is sent through (service/smtp_server.py);
                             default: none, and no e-mail
    CARTULARY_MAIL_FROM      sender of all e-mail; needed with CARTULARY_SMTP_URL
    CARTULARY_REPLY_ADDRESS  address to which players answer mails in order to play; needs
                             CARTULARY_SMTP_URL; default: none, and answers are not read
    CARTULARY_REPLY_LMTP     HOST:PORT at which `replies` receives answers; default: 127.0.0.1:8024
    CARTULARY_REPLY_DKIM     `required` if answers need a signature of the player's domain; default: `off`
    CARTULARY_TRUSTED_PROXIES  addresses or networks of reverse proxies, separated by commas, which name
                             their clients in X-Forwarded-For; default: none
    CARTULARY_ORIGIN         name of the transparency log; default: derived from the first signing key
    CARTULARY_WITNESSES      keys of the witnesses whose cosignatures are collected, separated by commas;
                             default: none
    CARTULARY_SWEEP_SECONDS  time between two sweeps of the scheduler; default: 10
    CARTULARY_SCRUB_SECONDS  time in which workers check all games against their hashes; default: 86400, a day
    CARTULARY_REPORT_SECONDS  time between two reports of a worker or scheduler that it is alive; default: 5
    CARTULARY_BOT_SECONDS    thinking time of bots that search, at most 60; default: 2

and one variable for each of the bounds (service/bounds.py).

An empty variable means the default, except that an empty rate means no limit. If variables are invalid,
`load_settings` names all of them; every command calls it before it does anything else.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import Field, dataclass, field, fields
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import unquote, urlsplit

from environs import Env, EnvValidationError, ValidationError
from typing_extensions import override

from domain.errors import CartularyError, Unreadable
from domain.messages import Message, comma_list, message, semicolon_list
from replay.bots.thinking_time import LONGEST_THINKING_TIME
from service.bounds import Bounds
from service.operation.data_folder import (
    ARCHIVE,
    SIGNING_KEY,
    default_data_folder,
    embedded_redis_url,
)

PREFIX: Final = "CARTULARY_"
_RATES: Final = f"{PREFIX}RATE_"
"""The prefix of the names of the variables for rate limits, whose values may be empty."""


_SCHEMES_OF_MANY: Final = ("redis+sentinel", "rediss+sentinel", "redis+cluster", "rediss+cluster")
"""The schemes of URLs that name several servers."""
DEFAULT_PUBLIC_URL: Final = "http://127.0.0.1:8000"
DEFAULT_REPLY_LMTP: Final = "127.0.0.1:8024"
MAX_WITNESSES: Final = 32
"""The most witnesses whose cosignatures are collected; each adds about 150 bytes to a checkpoint."""


class SettingsError(CartularyError):
    """Environment variables that are invalid."""


class InvalidValue(CartularyError):
    """The text in a variable is not valid; validators raise this, or the error of the parser of the text."""


def _url_with(*schemes: str, needs_host: bool = False) -> Callable[[str], None]:
    """Return a validator of URLs. Its messages leave the URL out, which may contain a password."""

    def check(value: str) -> None:
        try:
            parts = urlsplit(value)
            parts.port  # noqa: B018 # raises ValueError for an invalid port
        except ValueError:
            raise InvalidValue.with_message("must be a valid URL") from None
        if parts.scheme not in schemes:
            beginnings = comma_list(f"{scheme}://" for scheme in schemes)
            raise InvalidValue.with_message(
                "must begin with one of these: {beginnings}", beginnings=beginnings
            )
        if needs_host and not parts.hostname:
            raise InvalidValue.with_message("must have a host")

    return check


def _check_redis_url(value: str) -> None:
    # Imported here, so that commands without settings start quickly.
    from service.connection import (
        SENTINEL_SCHEMES,
        is_cluster,
        parse_cluster_url,
        parse_sentinel_url,
    )

    if is_cluster(value):
        parse_cluster_url(value)
    elif value.startswith(SENTINEL_SCHEMES):
        parse_sentinel_url(value)
    else:
        _url_with("redis", "rediss", "unix", *_SCHEMES_OF_MANY)(value)


def _check_archive_url(value: str) -> None:
    parts = urlsplit(value)
    is_folder = parts.scheme == "file" and not parts.netloc and len(parts.path) > 1
    is_bucket = parts.scheme == "s3" and parts.netloc and "@" not in parts.netloc
    if not (is_folder or is_bucket) or parts.query or parts.fragment:
        raise InvalidValue.with_message(
            "must be the URL of a folder, file:///PATH, or of a bucket, s3://BUCKET/PREFIX"
        )


def archive_folder(url: str) -> Path | None:
    """Return the folder that the URL of an archive names; None for a bucket."""
    parts = urlsplit(url)
    return Path(unquote(parts.path)) if parts.scheme == "file" else None


def _check_public_url(value: str) -> None:
    _url_with("http", "https", needs_host=True)(value)
    parts = urlsplit(value)
    has_more = parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc
    if has_more or not value.isprintable() or " " in value:
        raise InvalidValue.with_message("must consist of a scheme, a host and a port")


def _check_smtp_url(value: str) -> None:
    # Imported here, so that commands without settings start quickly.
    from service.smtp_server import parse_smtp_url

    parse_smtp_url(value)


def _check_sender(value: str) -> None:
    # Imported here, so that commands without settings start quickly.
    from service.email_address import parse_sender

    parse_sender(value)


def lmtp_address(value: str) -> tuple[str, int]:
    """Return the host and the port of `HOST:PORT`. Raises ValueError."""
    host, _, port = value.rpartition(":")
    if not host or not port.isascii() or not port.isdecimal() or not 0 < int(port) < 65536:
        raise ValueError(value)
    return host.strip("[]"), int(port)


def _check_lmtp_address(value: str) -> None:
    try:
        lmtp_address(value)
    except ValueError:
        raise InvalidValue.with_message("must be a host and a port: HOST:PORT") from None


def _check_reply_dkim(value: str) -> None:
    if value not in ("off", "required"):
        raise InvalidValue.with_message("must be `off` or `required`")


def _items(value: str) -> tuple[str, ...]:
    """Return the items of a list separated by commas."""
    return tuple(item.strip() for item in value.split(",") if item.strip())


def _check_networks(value: str) -> None:
    for network in _items(value):
        try:
            ip_network(network, strict=False)
        except ValueError:
            raise InvalidValue.with_message(
                "must be IP addresses or networks, separated by commas; {value} is neither",
                value=network,
            ) from None


def _check_origin(value: str) -> None:
    # Imported here, so that commands without settings start quickly.
    from ledger.transparency.checkpoint import check_origin

    if value:
        try:
            check_origin(value)
        except Unreadable as error:
            raise InvalidValue.with_message(
                "must be the name of a log: {reason}", reason=error.why
            ) from None


def _check_witnesses(value: str) -> None:
    # Imported here, so that commands without settings start quickly.
    from ledger.transparency.signed_note import COSIGNATURE, NoteKey

    keys = _items(value)
    if len(keys) > MAX_WITNESSES:
        raise InvalidValue.with_message("must be at most {count} keys", count=MAX_WITNESSES)
    for text in keys:
        try:
            key = NoteKey.parse(text)
        except Unreadable as error:
            raise InvalidValue.with_message(
                "must be keys of witnesses; {value} is none: {reason}", value=text, reason=error.why
            ) from None
        if key.type != COSIGNATURE:
            raise InvalidValue.with_message(
                "must be keys of witnesses; {value} is of another type", value=text
            )


def _check_rate(value: str) -> None:
    # Imported here, so that commands without settings start quickly.
    from limits import parse_many

    if value:
        try:
            parse_many(value)
        except ValueError:
            raise InvalidValue.with_message(
                "must be a rate such as 60/minute, not {value}", value=value
            ) from None


def _check_number(
    read: type[int | float], minimum: float, maximum: float | None
) -> Callable[[str], None]:
    """Return a validator of texts that `read` turns into a number from `minimum` to `maximum`."""

    def check(value: str) -> None:
        with suppress(ValueError):
            number = read(value)
            if minimum <= number < math.inf and (maximum is None or number <= maximum):
                return
        if maximum is not None:
            raise InvalidValue.with_message(
                "must be a number from {least} to {most}, not {value}",
                least=f"{minimum:g}",
                most=f"{maximum:g}",
                value=value,
            )
        if read is int:
            raise InvalidValue.with_message(
                "must be a whole number, {least} or more, not {value}",
                least=f"{minimum:g}",
                value=value,
            )
        raise InvalidValue.with_message(
            "must be a number, {least} or more, not {value}", least=f"{minimum:g}", value=value
        )

    return check


def _folder(value: str) -> str:
    return str(_absolute(Path(value)))


def _setting(
    default: Any,
    check: Callable[[str], None] = lambda _: None,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    parse: Callable[[str], Any] = str,
    repr: bool = True,
) -> Any:
    """Return the field of a setting with a variable, whose name is that of the setting in capitals.

    A setting with a `minimum` is a number, of the type of the default. The text of other settings must pass
    `check`, and `parse` returns the value.
    """
    metadata = {"check": check, "minimum": minimum, "maximum": maximum, "parse": parse}
    return field(default=default, repr=repr, metadata=metadata)


@dataclass(frozen=True, slots=True)
class Settings:
    """The configuration of a deployment. URLs may contain passwords, so `repr` leaves them out."""

    data: Path
    redis_url: str = field(repr=False)
    queue_url: str = field(repr=False)
    signing_key: Path
    wait_replicas: int = _setting(0, minimum=0)
    """The number of replicas of Redis that must have an event before it is acknowledged."""
    archive_url: str = _setting("", _check_archive_url)
    """The folder or bucket of the archive; empty: the folder `archive` in the data folder."""
    archive_after_days: float = _setting(0.0, minimum=0)
    """Days after its end at which a game moves into the archive; 0: never."""
    backup_folder: str | None = _setting(None, parse=_folder)
    """The folder in which scheduled backups are made; None: there are none."""
    backup_hours: float = _setting(24.0, minimum=0.01)
    """The time from the beginning of a scheduled backup to that of the next one, in hours."""
    backup_seconds: float = _setting(3600.0, minimum=1)
    """The time after which the process that makes or verifies one is killed, in seconds."""
    backups_kept: int = _setting(7, minimum=1)
    """The number of scheduled backups that are kept."""
    webhook_url: str | None = _setting(
        None, _url_with("http", "https", needs_host=True), repr=False
    )
    webhook_networks: tuple[str, ...] = _setting((), _check_networks, parse=_items)
    public_url: str = _setting(
        DEFAULT_PUBLIC_URL, _check_public_url, parse=lambda url: url.rstrip("/")
    )
    smtp_url: str | None = _setting(None, _check_smtp_url, repr=False)
    mail_from: str | None = _setting(None, _check_sender)
    reply_address: str | None = _setting(None, _check_sender)
    reply_lmtp: str = _setting(DEFAULT_REPLY_LMTP, _check_lmtp_address)
    reply_dkim: bool = _setting(
        default=False, check=_check_reply_dkim, parse=lambda value: value == "required"
    )
    """Whether an answer to a mail needs a DKIM signature of the domain of the player's address."""
    rate_accounts: str = _setting("60/minute", _check_rate)
    rate_games: str = _setting("300/hour", _check_rate)
    rate_disputes: str = _setting("120/hour", _check_rate)
    rate_audits: str = _setting("60/hour", _check_rate)
    rate_webhook_tests: str = _setting("20/hour", _check_rate)
    rate_messages: str = _setting("120/hour", _check_rate)
    arbiter: str | None = _setting(None)
    rate_requests: str = _setting("", _check_rate)
    cache_games: int = _setting(1000, minimum=1)
    sweep_seconds: float = _setting(10.0, minimum=0.05)
    scrub_seconds: float = _setting(86_400.0, minimum=1)
    report_seconds: float = _setting(5.0, minimum=0.05)
    bot_seconds: float = _setting(2.0, minimum=0.01, maximum=LONGEST_THINKING_TIME)
    """The thinking time of bots that search, in seconds."""
    trusted_proxies: tuple[str, ...] = _setting((), _check_networks, parse=_items)
    origin: str = _setting("", _check_origin)
    witnesses: tuple[str, ...] = _setting((), _check_witnesses, parse=_items)
    bounds: Bounds = field(default_factory=Bounds)
    is_embedded: bool = False
    """Whether the logs are in the embedded Redis of the data folder."""

    @property
    def archive(self) -> str:
        """The URL of the archive."""
        return self.archive_url or (self.data / ARCHIVE).as_uri()


def variable_names() -> frozenset[str]:
    """Return the names of the variables of all settings and bounds."""
    names = {each.name for each in (*fields(Settings), *fields(Bounds))} | {"redis_server"}
    return frozenset(PREFIX + name.upper() for name in names - {"bounds", "is_embedded"})


def load_settings(environ: Mapping[str, str]) -> Settings:
    """Return the settings of an environment.

    Raises SettingsError, which names every invalid variable, and a signing key that is not a key.
    """
    env = _Variables(environ)
    data = _absolute(env.path("DATA", default_data_folder()))
    signing_key = _absolute(env.path("SIGNING_KEY", data / SIGNING_KEY))
    redis_url = env.text("REDIS_URL", _check_redis_url)
    queue_url = env.text("QUEUE_URL", _check_redis_url)
    values = {setting.name: env.value(setting) for setting in fields(Settings) if setting.metadata}
    bounds = {bound.name: env.value(bound) for bound in fields(Bounds)}
    _raise_errors(env, signing_key, values, _queue_fault(redis_url, queue_url))
    return Settings(
        data=data,
        redis_url=redis_url or embedded_redis_url(data),
        queue_url=queue_url or redis_url or embedded_redis_url(data),
        signing_key=signing_key,
        bounds=Bounds(**bounds),
        is_embedded=redis_url is None,
        **values,
    )


class _Variables(Env):
    """Reads the variables of a given environment, and collects errors instead of raising the first."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        super().__init__(eager=False, prefix=PREFIX)
        self._given = environ

    @override
    def _get_value(self, env_key: str, default: Any) -> Any:
        value = self._given.get(env_key)
        is_unset = value is None or (not value and not env_key.startswith(_RATES))
        return default if is_unset else value

    def text(self, name: str, check: Callable[[str], object]) -> str | None:
        """Return the text in a variable, which must pass `check`; None for the default."""

        def validate(value: str) -> None:
            try:
                check(value)
            except CartularyError as error:
                raise ValidationError([error.message]) from None

        return self.str(name, None, validate=validate)

    def value(self, setting: Field[Any]) -> Any:
        """Return the value of a setting that `_setting` has declared, or of a bound."""
        options: Mapping[str, Any] = setting.metadata
        default: Any = setting.default
        if options["minimum"] is None:
            check, parse = options["check"], options["parse"]
        else:
            parse = type(default)
            check = _check_number(parse, options["minimum"], options["maximum"])
        text = self.text(setting.name.upper(), check)
        return default if text is None else parse(text)


def _queue_fault(redis_url: str | None, queue_url: str | None) -> Message | None:
    """Return the fault of a Redis Cluster for the queue: RQ uses keys of several slots in one transaction."""
    # Imported here, so that commands without settings start quickly.
    from service.connection import is_cluster

    if queue_url is not None and is_cluster(queue_url):
        return message("must not be a cluster: the job queue needs a Redis of its own")
    if queue_url is None and redis_url is not None and is_cluster(redis_url):
        return message(
            "must be set, because {variable} is a cluster", variable=f"{PREFIX}REDIS_URL"
        )
    return None


def _raise_errors(
    env: Env, signing_key: Path, values: Mapping[str, object], queue_fault: Message | None
) -> None:
    """Raise SettingsError if a variable is invalid or missing, or the file of the signing key has no key."""
    # Imported here, so that commands without settings start quickly.
    from ledger.keys import SigningKey

    errors: dict[str, Sequence[Message]] = {}
    try:
        env.seal()
    except EnvValidationError as error:
        errors.update(cast("Mapping[str, Sequence[Message]]", error.error_messages))
    for name, user in (("MAIL_FROM", "SMTP_URL"), ("SMTP_URL", "REPLY_ADDRESS")):
        if values[user.lower()] is not None and values[name.lower()] is None:
            fault = message("must be set, because {variable} is", variable=PREFIX + user)
            errors.setdefault(PREFIX + name, [fault])
    if queue_fault is not None:
        errors.setdefault(f"{PREFIX}QUEUE_URL", [queue_fault])
    try:
        SigningKey.load(signing_key)
    except (Unreadable, IsADirectoryError):
        fault = message(
            "must name the PEM file of an Ed25519 private key, or a file that does not exist yet; {file} is"
            " neither",
            file=str(signing_key),
        )
        errors[f"{PREFIX}SIGNING_KEY"] = [fault]
    except OSError:
        # There is no key yet, or only another user can read it. The commands that sign report that.
        pass
    if errors:
        faults = semicolon_list(
            message("{variable} {fault}", variable=name, fault=fault)
            for name, variable_faults in errors.items()
            for fault in variable_faults
        )
        raise SettingsError.with_message("{faults}", faults=faults)


def _absolute(path: Path) -> Path:
    return path.expanduser().absolute()
