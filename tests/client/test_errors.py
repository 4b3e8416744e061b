"""Errors of the HTTP library are reported in our own words, and rare ones in those of the library."""

import httpx
import pytest

from client.retries import request_error_reason
from replay.language.renderer import english, renderer


@pytest.mark.parametrize(
    ("error", "reason", "french"),
    [
        (httpx.ReadTimeout("timed out"), "it takes too long", "cela prend trop de temps"),
        (httpx.ConnectTimeout("timed out"), "it takes too long", "cela prend trop de temps"),
        (
            httpx.ConnectError("[Errno 111] Connection refused"),
            "no connection can be made",
            "la connexion est impossible",
        ),
        (httpx.ReadError(""), "the connection is broken off", "la connexion est interrompue"),
        (
            httpx.RemoteProtocolError("Server disconnected without sending a response."),
            "the connection is broken off",
            "la connexion est interrompue",
        ),
        (httpx.UnsupportedProtocol("no ftp"), "the URL is not valid", "l'URL n'est pas valide"),
        (httpx.InvalidURL("no host"), "the URL is not valid", "l'URL n'est pas valide"),
        (httpx.DecodingError("bad\x1bzip"), "bad\ufffdzip", "bad\ufffdzip"),
    ],
)
def test_the_reason_of_an_error_is_a_message(error: Exception, reason: str, french: str) -> None:
    assert english(request_error_reason(error)) == reason
    assert renderer("fr")(request_error_reason(error)) == french
