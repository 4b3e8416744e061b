"""Pages of games, compressed with a dictionary that browsers keep (RFC 9842)."""

import sys
from base64 import b64encode
from hashlib import sha256

import brotli  # type: ignore[import-untyped] # has no annotations
import pytest
from flask.testing import FlaskClient

from replay.language.catalogue import languages
from service.pages.dictionaries import ENCODING, REQUEST_HEADER, dictionaries, dictionary_address
from tests.service.conftest import StoreGame

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

READ: dict[str, str] = {"Accept-Encoding": "gzip, deflate, br, zstd, dcb, dcz"}
MOST_OF_A_PAGE = 0.6
"""The share of its bytes without a dictionary that a page has with one."""


def named(text: bytes) -> dict[str, str]:
    """Return the headers of a request that names this dictionary."""
    return {**READ, REQUEST_HEADER: f":{b64encode(sha256(text).digest()).decode()}:"}


def load(browser: FlaskClient, page: str) -> bytes:
    """Return the dictionary to which a page links."""
    address = page.partition('<link rel="compression-dictionary" href="')[2].partition('"')[0]
    response = browser.get(address, headers=READ)
    assert response.status_code == 200
    assert response.headers["Content-Encoding"] == "br"
    assert response.headers["Use-As-Dictionary"].startswith('match="/*"')
    assert "immutable" in response.headers["Cache-Control"]
    text: bytes = brotli.decompress(response.data)
    return text


@pytest.mark.parametrize("name", ["duke-of-three", "sorcery-imprints-decide", "baron-five"])
@pytest.mark.parametrize("language", ["en", "es", "fr"])
def test_a_page_with_a_dictionary_is_the_same_and_much_smaller(
    browser: FlaskClient, store: StoreGame, name: str, language: str
) -> None:
    game, _ = store(name)
    headers = {"Accept-Language": language}
    for address in (f"/games/{game}", f"/games/{game}?seq=30"):
        page = browser.get(address, headers=headers)
        dictionary = load(browser, page.text)
        without = browser.get(address, headers={**headers, "Accept-Encoding": "br"})
        assert without.headers["Content-Encoding"] == "br"
        response = browser.get(address, headers={**headers, **named(dictionary)})
        assert response.headers["Content-Encoding"] == ENCODING
        assert response.data[:40] == bytes.fromhex("5e2a4d1820000000") + sha256(dictionary).digest()
        assert {"accept-encoding", "available-dictionary"} <= {
            each.strip().lower() for each in response.headers["Vary"].split(",")
        }
        text = zstd.decompress(
            response.data[40:], zstd_dict=zstd.ZstdDict(dictionary, is_raw=True)
        ).decode()
        assert len(text) == len(page.text)
        assert text.partition("<body")[0] == page.text.partition("<body")[0]
        assert len(response.data) < MOST_OF_A_PAGE * len(without.data)


def test_who_has_no_dictionary_or_another_one_gets_the_page_as_before(
    browser: FlaskClient, store: StoreGame
) -> None:
    game, _ = store("duke-of-three")
    dictionary = load(browser, browser.get(f"/games/{game}").text)
    refused = {**named(dictionary), "Accept-Encoding": "gzip, br"}
    for headers in (READ, named(b"another one"), refused, {**READ, REQUEST_HEADER: "?"}):
        response = browser.get(f"/games/{game}", headers=headers)
        assert response.headers["Content-Encoding"] == "br"
        assert b"</html>" in brotli.decompress(response.data)


def test_pages_of_errors_are_compressed_with_a_dictionary(browser: FlaskClient) -> None:
    dictionary = brotli.decompress(dictionaries()["en"].compressed)
    response = browser.get("/games/0000000000000000", headers=named(dictionary))
    assert response.status_code == 404
    assert response.headers["Content-Encoding"] == ENCODING


def test_each_language_has_a_dictionary(browser: FlaskClient) -> None:
    assert set(dictionaries()) == set(languages())
    assert len({each.name for each in dictionaries().values()}) == len(languages())
    with browser.application.test_request_context():
        assert dictionary_address("xx") is None


def test_there_is_no_other_dictionary_and_none_without_brotli(browser: FlaskClient) -> None:
    name = dictionaries()["en"].name
    assert browser.get("/dictionaries/0.dict", headers=READ).status_code == 404
    address = f"/dictionaries/{name}.dict"
    assert browser.get(address, headers={"Accept-Encoding": "gzip"}).status_code == 404
