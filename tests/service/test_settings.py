"""Settings of the environment: their defaults, and what is said of those that cannot be read."""

from pathlib import Path

import pytest

from service.data_folder import url_of
from service.settings import SettingsError, load_settings


def test_without_a_word_everything_is_in_the_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/srv/data")
    settings = load_settings({})
    assert settings.data == Path("/srv/data/cartulary")
    assert settings.is_embedded
    assert settings.redis_url == settings.queue_url == url_of(settings.data)
    assert settings.signing_key == Path("/srv/data/cartulary/signing-key.pem")
    assert settings.cache_games == 1000
    assert settings.webhook_url is None
    assert settings.sweep_seconds == 10


def test_everything_can_be_chosen() -> None:
    settings = load_settings(
        {
            "CARTULARY_REDIS_URL": "redis://log:6379/0",
            "CARTULARY_QUEUE_URL": "rediss://queue:6379/1",
            "CARTULARY_DATA": "/data",
            "CARTULARY_SIGNING_KEY": "/keys/here.pem",
            "CARTULARY_CACHE_GAMES": "50",
            "CARTULARY_RATE_ACCOUNTS": "1/hour",
            "CARTULARY_RATE_REQUESTS": "9/second",
            "CARTULARY_WEBHOOK_URL": "http://hook/",
            "CARTULARY_SWEEP_SECONDS": "0.5",
        }
    )
    assert not settings.is_embedded
    assert settings.redis_url == "redis://log:6379/0"
    assert settings.queue_url == "rediss://queue:6379/1"
    assert settings.signing_key == Path("/keys/here.pem")
    assert settings.cache_games == 50
    assert (settings.rate_accounts, settings.rate_requests) == ("1/hour", "9/second")
    assert settings.webhook_url == "http://hook/"
    assert settings.sweep_seconds == 0.5


def test_the_queue_is_where_the_logs_are_unless_it_is_named() -> None:
    settings = load_settings({"CARTULARY_REDIS_URL": "unix:///run/redis.sock"})
    assert settings.queue_url == "unix:///run/redis.sock"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CARTULARY_REDIS_URL", "http://:secret@log"),
        ("CARTULARY_QUEUE_URL", "queue:secret"),
        ("CARTULARY_CACHE_GAMES", "many"),
        ("CARTULARY_CACHE_GAMES", "0"),
        ("CARTULARY_CACHE_GAMES", "inf"),
        ("CARTULARY_SWEEP_SECONDS", "nan"),
        ("CARTULARY_SWEEP_SECONDS", "-1"),
    ],
)
def test_what_cannot_be_read_is_named_and_no_password_repeated(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name) as refused:
        load_settings({name: value})
    assert "secret" not in str(refused.value)


def test_passwords_stay_out_of_repr() -> None:
    settings = load_settings({"CARTULARY_REDIS_URL": "redis://:secret@log:6379/0"})
    assert "secret" not in repr(settings)
