"""Settings from the environment: their defaults, and how invalid ones are reported."""

from dataclasses import asdict
from pathlib import Path

import pytest

from ledger.keys import SigningKey
from ledger.transparency.signed_note import COSIGNATURE, note_key
from replay.language.renderer import english
from service.bounds import Bounds
from service.operation.data_folder import embedded_redis_url
from service.settings import Settings, SettingsError, load_settings
from service.smtp_server import SmtpServer, parse_smtp_url
from tests.support.faults import raises

KEY = SigningKey.from_seed(bytes(32))
WITNESS = str(note_key("w", KEY, COSIGNATURE))
SIGNER = str(note_key("w", KEY))


def test_by_default_everything_is_in_the_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/srv")
    settings = load_settings({})
    assert settings.data == Path("/srv/cartulary")
    assert settings.is_embedded
    assert settings.redis_url == settings.queue_url == embedded_redis_url(settings.data)
    assert settings.signing_key == Path("/srv/cartulary/signing-key.pem")
    assert settings.cache_games == 1000
    rates = (settings.rate_accounts, settings.rate_games, settings.rate_requests)
    assert rates == ("60/minute", "300/hour", "")
    assert settings.webhook_url is None
    assert (settings.smtp_url, settings.mail_from) == (None, None)
    assert settings.public_url == "http://127.0.0.1:8000"
    assert settings.sweep_seconds == 10
    assert settings.scrub_seconds == 24 * 3600
    assert settings.bot_seconds == 2


def test_every_setting_can_be_set() -> None:
    settings = load_settings(
        {
            "CARTULARY_REDIS_URL": "redis://log:6379/0",
            "CARTULARY_QUEUE_URL": "rediss://queue:6379/1",
            "CARTULARY_DATA": "/data",
            "CARTULARY_SIGNING_KEY": "/keys/here.pem",
            "CARTULARY_CACHE_GAMES": "50",
            "CARTULARY_RATE_ACCOUNTS": "1/hour",
            "CARTULARY_RATE_GAMES": "2/minute",
            "CARTULARY_RATE_REQUESTS": "9/second",
            "CARTULARY_WEBHOOK_URL": "http://hook/",
            "CARTULARY_WEBHOOK_NETWORKS": "10.0.0.0/8, fd00::/8",
            "CARTULARY_PUBLIC_URL": "https://play.example.org/",
            "CARTULARY_SMTP_URL": "smtp://mail.example.org",
            "CARTULARY_MAIL_FROM": "Cartulary <games@example.org>",
            "CARTULARY_ORIGIN": "games.example.org/log",
            "CARTULARY_WITNESSES": f"{WITNESS}, {WITNESS}",
            "CARTULARY_SWEEP_SECONDS": "0.5",
            "CARTULARY_SCRUB_SECONDS": "3600",
            "CARTULARY_BOT_SECONDS": "60",
        }
    )
    assert not settings.is_embedded
    assert settings.redis_url == "redis://log:6379/0"
    assert settings.queue_url == "rediss://queue:6379/1"
    assert settings.signing_key == Path("/keys/here.pem")
    assert settings.cache_games == 50
    rates = (settings.rate_accounts, settings.rate_games, settings.rate_requests)
    assert rates == ("1/hour", "2/minute", "9/second")
    assert settings.webhook_url == "http://hook/"
    assert settings.webhook_networks == ("10.0.0.0/8", "fd00::/8")
    assert settings.public_url == "https://play.example.org"
    assert settings.smtp_url == "smtp://mail.example.org"
    assert settings.mail_from == "Cartulary <games@example.org>"
    assert settings.origin == "games.example.org/log"
    assert settings.witnesses == (WITNESS, WITNESS)
    assert settings.sweep_seconds == 0.5
    assert settings.scrub_seconds == 3600
    assert settings.bot_seconds == 60


def test_every_bound_is_a_setting() -> None:
    changed = {name: default + 1 for name, default in asdict(Bounds()).items()}
    environ = {f"CARTULARY_{name.upper()}": str(value) for name, value in changed.items()}
    assert load_settings(environ).bounds == Bounds(**changed)
    assert load_settings({}).bounds == Bounds()
    with pytest.raises(SettingsError) as error:
        load_settings(dict.fromkeys(environ, "-1"))
    assert all(name in english(error.value.message) for name in environ)


def test_an_empty_variable_has_its_default_but_an_empty_rate_is_not_a_limit() -> None:
    names = ("REDIS_URL", "QUEUE_URL", "DATA", "SIGNING_KEY", "CACHE_GAMES", "WEBHOOK_URL")
    empty = {f"CARTULARY_{name}": "" for name in (*names, "SWEEP_SECONDS")}
    assert load_settings(empty) == load_settings({})
    rates = [name for name in Settings.__dataclass_fields__ if name.startswith("rate_")]
    assert len(rates) >= 7
    for name in rates:
        assert getattr(load_settings({f"CARTULARY_{name.upper()}": ""}), name) == ""


def test_the_queue_is_in_the_redis_of_the_logs_by_default() -> None:
    settings = load_settings({"CARTULARY_REDIS_URL": "unix:///run/redis.sock"})
    assert settings.queue_url == "unix:///run/redis.sock"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CARTULARY_REDIS_URL", "http://:secret@log"),
        ("CARTULARY_REDIS_URL", "redis://:secret@log:port"),
        ("CARTULARY_QUEUE_URL", "queue:secret"),
        ("CARTULARY_QUEUE_URL", "redis://[secret"),
        ("CARTULARY_CACHE_GAMES", "many"),
        ("CARTULARY_CACHE_GAMES", "0"),
        ("CARTULARY_CACHE_GAMES", "1.5"),
        ("CARTULARY_CACHE_GAMES", "inf"),
        ("CARTULARY_RATE_ACCOUNTS", "lots"),
        ("CARTULARY_RATE_GAMES", "-1/hour"),
        ("CARTULARY_RATE_REQUESTS", "60/fortnight"),
        ("CARTULARY_SWEEP_SECONDS", "nan"),
        ("CARTULARY_SWEEP_SECONDS", "inf"),
        ("CARTULARY_SWEEP_SECONDS", "-1"),
        ("CARTULARY_SCRUB_SECONDS", "0"),
        ("CARTULARY_BOT_SECONDS", "0"),
        ("CARTULARY_BOT_SECONDS", "61"),
        ("CARTULARY_BOT_SECONDS", "long"),
        ("CARTULARY_ORIGIN", "a log"),
        ("CARTULARY_WITNESSES", "w+00000000+AAAA"),
        ("CARTULARY_WITNESSES", f"{WITNESS},{SIGNER}"),
        ("CARTULARY_WITNESSES", ",".join([WITNESS] * 33)),
        ("CARTULARY_WEBHOOK_URL", "ftp://:secret@example.org/"),
        ("CARTULARY_WEBHOOK_URL", "https:///secret"),
        ("CARTULARY_WEBHOOK_NETWORKS", "10.0.0.0/8,everywhere"),
        ("CARTULARY_PUBLIC_URL", "play.example.org"),
        ("CARTULARY_PUBLIC_URL", "https://"),
        ("CARTULARY_PUBLIC_URL", "https://ada:secret@play.example.org"),
        ("CARTULARY_PUBLIC_URL", "https://play.example.org/games"),
        ("CARTULARY_PUBLIC_URL", "https://play.example.org/?a=b"),
        ("CARTULARY_PUBLIC_URL", "https://play example.org"),
        ("CARTULARY_SMTP_URL", "https://mail.example.org"),
        ("CARTULARY_SMTP_URL", "smtp://"),
        ("CARTULARY_SMTP_URL", "smtp://mail.example.org:99999"),
        ("CARTULARY_SMTP_URL", "smtp://mail.example.org/secret"),
        ("CARTULARY_SMTP_URL", "smtp://mail.example.org?tls=maybe"),
        ("CARTULARY_SMTP_URL", "smtp://mail.example.org?tls=none&tls=starttls"),
        ("CARTULARY_SMTP_URL", "smtp://mail.example.org?verify=no"),
        ("CARTULARY_SMTP_URL", "smtp://mail.example.org?ca=/no/such/file"),
        ("CARTULARY_SMTP_URL", "smtps://mail.example.org?tls=none"),
        ("CARTULARY_SMTP_URL", "smtp://ada@mail.example.org"),
        ("CARTULARY_SMTP_URL", "smtp://ada:secret@mail.example.org?tls=none"),
        ("CARTULARY_MAIL_FROM", "nobody"),
        ("CARTULARY_MAIL_FROM", "zoë@example.org"),
        ("CARTULARY_MAIL_FROM", "games@example.org\nBcc: bob@example.org"),
        ("CARTULARY_MAIL_FROM", "a-local-part-of-over-thirty-characters@example.org"),
    ],
)
def test_an_invalid_setting_is_named_without_its_password(name: str, value: str) -> None:
    with raises(SettingsError, match=f"^{name} must ") as raised:
        load_settings({name: value})
    assert "secret" not in english(raised.value.message)
    assert "\n" not in english(raised.value.message)


def test_mail_needs_a_sender() -> None:
    with raises(SettingsError, match="^CARTULARY_MAIL_FROM must be set"):
        load_settings({"CARTULARY_SMTP_URL": "smtp://mail.example.org"})


@pytest.mark.parametrize(
    ("url", "server"),
    [
        ("smtp://mail.example.org", SmtpServer("mail.example.org", 587, "starttls")),
        ("smtp://[::1]:25/?tls=none", SmtpServer("::1", 25, "none")),
        (
            "smtps://ada%40home:a%2Fb@mail.example.org",
            SmtpServer("mail.example.org", 465, "implicit", "ada@home", "a/b"),
        ),
    ],
)
def test_the_url_of_a_mail_server_names_its_port_its_encryption_and_a_login(
    url: str, server: SmtpServer
) -> None:
    settings = load_settings({"CARTULARY_SMTP_URL": url, "CARTULARY_MAIL_FROM": "a@example.org"})
    assert parse_smtp_url(str(settings.smtp_url)) == server
    assert "a/b" not in repr(server)


def test_all_invalid_settings_are_named_together(tmp_path: Path) -> None:
    (tmp_path / "signing-key.pem").write_text("not a key")
    names = ["REDIS_URL", "QUEUE_URL", "CACHE_GAMES", "RATE_ACCOUNTS", "RATE_GAMES"]
    names += ["RATE_REQUESTS", "WEBHOOK_URL", "SWEEP_SECONDS"]
    environ = {f"CARTULARY_{name}": "wrong" for name in names}
    with pytest.raises(SettingsError) as raised:
        load_settings({**environ, "CARTULARY_DATA": str(tmp_path)})
    for name in [*environ, "CARTULARY_SIGNING_KEY"]:
        assert f"{name} must " in english(raised.value.message)


@pytest.mark.parametrize("content", ["", "not a key", "-----BEGIN PRIVATE KEY-----\n"])
def test_a_signing_key_that_is_not_a_key_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "key.pem"
    path.write_text(content)
    with raises(SettingsError, match=r"^CARTULARY_SIGNING_KEY must ") as raised:
        load_settings({"CARTULARY_SIGNING_KEY": str(path)})
    assert str(path) in english(raised.value.message)


def test_a_folder_is_not_a_signing_key(tmp_path: Path) -> None:
    with raises(SettingsError, match="CARTULARY_SIGNING_KEY"):
        load_settings({"CARTULARY_SIGNING_KEY": str(tmp_path)})


def test_a_signing_key_may_exist_or_not(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    environ = {"CARTULARY_SIGNING_KEY": str(path)}
    assert load_settings(environ).signing_key == path
    SigningKey.load_or_generate(path)
    assert load_settings(environ).signing_key == path


def test_repr_leaves_passwords_out() -> None:
    settings = load_settings(
        {
            "CARTULARY_REDIS_URL": "redis://:secret@log:6379/0",
            "CARTULARY_WEBHOOK_URL": "http://user:secret@hook/",
        }
    )
    assert "secret" not in repr(settings)
