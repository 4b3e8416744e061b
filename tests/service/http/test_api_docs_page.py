"""The page that shows the OpenAPI document, and the script that makes it."""

import re
from hashlib import sha256
from pathlib import Path

import pytest
from markupsafe import escape

from service.http.api_docs import STATIC_FOLDER
from tests.support.accounts import Accounts

RAPIDOC_VERSION = "9.3.8"
FILES_OF_RAPIDOC = {
    # dist/ and LICENSE.txt of `npm pack rapidoc@9.3.8`, whose integrity is
    # sha512-eCYEbr1Xr8OJZvVCw8SXl9zBCRoLJbhNGuG5IZTHq/RWAOq/O4MafUCuFEyZHsrhLrlUcGZMa64pyhpib8fQKQ==
    "rapidoc-min.js": "affbd173a65e870e18f392cca963113bcdafb6e50e88cd2f6a834a65b22db94d",
    "rapidoc-min.js.LICENSE.txt": "b6366d212427ca41732dd93ce56a47ceaf7a0902edc2e90b22ca6a9d6feff20e",
    "rapidoc.LICENSE.txt": "92682ac573adb5e1357f1f41dd0eaa2f0e9dd6116b569218978c2469c1cd085c",
}


@pytest.mark.parametrize("name", FILES_OF_RAPIDOC)
def test_the_files_of_rapidoc_are_those_that_were_published(name: str) -> None:
    assert sha256((STATIC_FOLDER / name).read_bytes()).hexdigest() == FILES_OF_RAPIDOC[name]


def test_rapidoc_has_the_version_that_is_pinned() -> None:
    first_line = (STATIC_FOLDER / "rapidoc-min.js").read_text().partition("\n")[0]
    assert f"RapiDoc {RAPIDOC_VERSION} " in first_line


@pytest.mark.parametrize("path", sorted(STATIC_FOLDER.iterdir()), ids=lambda path: path.name)
def test_every_file_is_served_as_it_is_and_compressed(accounts: Accounts, path: Path) -> None:
    url = f"/api/v1/docs/files/{path.name}"
    media_type = "text/javascript" if path.suffix == ".js" else "text/plain"
    for encoding in ("identity", "br"):
        response = accounts.anonymous.get(url, headers={"Accept-Encoding": encoding})
        assert response.status_code == 200
        assert response.content == path.read_bytes()
        assert response.headers.get("content-encoding", "identity") == encoding
        assert response.headers["content-type"].startswith(media_type)
        assert "max-age" in response.headers["cache-control"]


def test_the_page_loads_nothing_from_other_hosts(accounts: Accounts) -> None:
    page = accounts.anonymous.get("/api/v1/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "http:" not in page.text
    assert "https:" not in page.text
    policy = page.headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "connect-src 'self';" in policy
    scripts = re.findall(r'<script src="([^"]+)"', page.text)
    assert len(scripts) == 2
    for name in (*scripts, *re.findall(r'spec-url="([^"]+)"', page.text)):
        assert accounts.anonymous.get(f"/api/v1/{name}").status_code == 200


@pytest.mark.parametrize(
    ("language", "title"), [("en", "The HTTP API"), ("fr", "L'API HTTP"), ("es", "La API HTTP")]
)
def test_the_page_is_in_the_language_of_the_reader_but_for_the_descriptions(
    accounts: Accounts, language: str, title: str
) -> None:
    page = accounts.anonymous.get("/api/v1/docs", headers={"Accept-Language": language})
    assert f'<html lang="{language}">' in page.text
    assert f"<title>{escape(title)} · Cartulary</title>" in page.text
    assert '<rapi-doc lang="en"' in page.text
