"""`cartulary replies`: receives mails until it is stopped, and needs an address."""

import smtplib
from contextlib import suppress

from tests.support.processes import (
    HANG_SECONDS,
    Start,
    cartulary_here,
    free_port,
    wait_for_exit,
    wait_until,
)


def test_the_command_receives_mails_until_it_is_stopped(start: Start) -> None:
    port = free_port()
    process = start(
        "replies",
        CARTULARY_SMTP_URL="smtp://127.0.0.1:1?tls=none",
        CARTULARY_MAIL_FROM="games@example.org",
        CARTULARY_REPLY_ADDRESS="play@example.org",
        CARTULARY_REPLY_LMTP=f"127.0.0.1:{port}",
    )

    def is_receiving() -> bool:
        with suppress(OSError), smtplib.LMTP("127.0.0.1", port, timeout=HANG_SECONDS) as client:
            client.sendmail(
                "ada@example.org", ["play+0@example.org"], b"Subject: x\r\n\r\nplace\r\n"
            )
            return True
        return False

    wait_until(is_receiving)
    process.terminate()
    assert wait_for_exit(process) == 0


def test_the_command_needs_an_address() -> None:
    result = cartulary_here("replies")
    assert result.returncode != 0
    assert "CARTULARY_REPLY_ADDRESS must be set" in result.stderr


def test_settings_that_make_no_sense_are_named() -> None:
    result = cartulary_here(
        "replies",
        CARTULARY_REPLY_ADDRESS="nobody",
        CARTULARY_REPLY_LMTP="8024",
        CARTULARY_REPLY_DKIM="maybe",
    )
    assert result.returncode != 0
    for variable in ("ADDRESS", "LMTP", "DKIM"):
        assert f"CARTULARY_REPLY_{variable} must be" in result.stderr
    result = cartulary_here("replies", CARTULARY_REPLY_ADDRESS="play@example.org")
    assert "CARTULARY_SMTP_URL must be set" in result.stderr
