"""Settings: read from the environment, once, in one place.

    CARTULARY_REDIS_URL      where the logs are; `cartulary serve` starts a Redis of its own
                             where none is named
    CARTULARY_QUEUE_URL      where the job queue is; default: where the logs are
    CARTULARY_DATA           folder of the signing key and the embedded Redis; default
                             cartulary in the user's data folder
    CARTULARY_SIGNING_KEY    PEM file of the Ed25519 key that signs receipts, made on first
                             use; default signing-key.pem in the data folder
    CARTULARY_CACHE_GAMES    games a process keeps folded in memory; default 1000
    CARTULARY_RATE_ACCOUNTS  registrations and log-ins an address may try; default
                             60/minute, "" for no limit
    CARTULARY_RATE_REQUESTS  requests of one player or address; default "": no limit
    CARTULARY_WEBHOOK_URL    where notifications are posted besides the log; default nowhere
    CARTULARY_SWEEP_SECONDS  how often the scheduler looks through all live games; default 10

A value that cannot be read is said by its name when the process starts (SettingsError).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from domain.errors import CartularyError
from service.data_folder import default_data_folder, url_of


class SettingsError(CartularyError):
    """An environment variable that cannot be read."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a deployment chooses. URLs may hold passwords, so they stay out of `repr`."""

    data: Path
    redis_url: str = field(repr=False)
    queue_url: str = field(repr=False)
    signing_key: Path
    cache_games: int = 1000
    rate_accounts: str = "60/minute"
    rate_requests: str = ""
    webhook_url: str | None = field(default=None, repr=False)
    sweep_seconds: float = 10.0
    is_embedded: bool = False
    """No Redis was named: the one of the data folder is meant."""


def load_settings(environ: Mapping[str, str]) -> Settings:
    """The settings of an environment, defaults filled in. Raises SettingsError."""
    named = environ.get("CARTULARY_REDIS_URL") or None
    data = Path(environ.get("CARTULARY_DATA") or default_data_folder()).expanduser().absolute()
    redis_url = url_of(data) if named is None else _redis_url("CARTULARY_REDIS_URL", named)
    queue = environ.get("CARTULARY_QUEUE_URL") or None
    key = environ.get("CARTULARY_SIGNING_KEY") or None
    return Settings(
        data=data,
        redis_url=redis_url,
        queue_url=redis_url if queue is None else _redis_url("CARTULARY_QUEUE_URL", queue),
        signing_key=data / "signing-key.pem" if key is None else Path(key).expanduser().absolute(),
        cache_games=int(_at_least(environ, "CARTULARY_CACHE_GAMES", 1000, 1)),
        rate_accounts=environ.get("CARTULARY_RATE_ACCOUNTS", "60/minute"),
        rate_requests=environ.get("CARTULARY_RATE_REQUESTS", ""),
        webhook_url=environ.get("CARTULARY_WEBHOOK_URL") or None,
        sweep_seconds=_at_least(environ, "CARTULARY_SWEEP_SECONDS", 10, 0.05),
        is_embedded=named is None,
    )


def _redis_url(name: str, value: str) -> str:
    # The value itself is not repeated: it may hold a password.
    if urlsplit(value).scheme not in ("redis", "rediss", "unix"):
        raise SettingsError(f"{name} must begin with redis://, rediss:// or unix://")
    return value


def _at_least(environ: Mapping[str, str], name: str, default: float, least: float) -> float:
    raw = environ.get(name, "")
    try:
        value = float(raw or default)
    except ValueError:
        raise SettingsError(f"{name} must be a number, not {raw!r}") from None
    if not least <= value < math.inf:
        raise SettingsError(f"{name} must be {least:g} or more, not {raw!r}")
    return value
