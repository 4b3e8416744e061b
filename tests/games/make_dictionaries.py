"""Makes the dictionaries of service/pages/dictionaries from pages: `python -m tests.games.make_dictionaries`.

A service of its own runs a game of each kind between two players. The pages that one of them sees are taken
apart into lines; a dictionary has each line once, without those of one player, game or event alone.
"""

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import brotli  # type: ignore[import-untyped] # has no annotations
import httpx

from replay.language.catalogue import languages
from service.pages.dictionaries import FOLDER
from service.pages.session import COOKIE_NAME
from tests.support.accounts import Accounts, take_turn
from tests.support.browsing import signed_session
from tests.support.running_service import RunningService

GAMES: Final[list[dict[str, Any]]] = [
    {"seats": 3, "options": {"sorcery": True}},
    {"seats": 3, "rules": "baron"},
]
"""A page of Sorcery has what one of Barony has, and the spells."""
_TURNS: Final = 36
_MIN_CHARACTERS: Final = 8


def shared_lines(pages: Iterable[str], private: Iterable[str]) -> Iterator[str]:
    """Yield each line of the pages once, without short ones and those that contain a private word."""
    words = tuple(private)
    seen: set[str] = set()
    for page in pages:
        for line in page.splitlines():
            if line not in seen and len(line) >= _MIN_CHARACTERS:
                seen.add(line)
                if not any(word in line for word in words):
                    yield line


def main() -> None:
    """Write the dictionary of each language."""
    with tempfile.TemporaryDirectory() as data:
        site = RunningService(Path(data), CARTULARY_RATE_ACCOUNTS="", CARTULARY_RATE_GAMES="")
        site.start()
        try:
            _make(site)
        finally:
            site.stop()


def _make(site: RunningService) -> None:
    accounts = Accounts(site.url)
    addresses: list[tuple[str, str]] = []
    private = ["csrf_token", "data-head=", "?seq=", 'class="arrows"']
    for fields in GAMES:
        game, players = accounts.start_game(**fields)
        for _ in range(_TURNS):
            take_turn(game, players)
        to_act = players[0].http.get(f"/api/v1/games/{game}").json()["to_act"]
        cookie = signed_session(site, {"token": players[to_act].token})
        addresses += [(f"/games/{game}", cookie), (f"/games/{game}?seq={_TURNS}", cookie)]
        private += [game, *(word for player in players for word in (player.id, player.handle))]
    accounts.close()
    for language in languages():
        pages = [
            httpx.get(
                site.url + address,
                headers={"Accept-Language": language},
                cookies={COOKIE_NAME: cookie},
            )
            .raise_for_status()
            .text
            for address, cookie in addresses
        ]
        text = "\n".join(shared_lines(pages, private)).encode()
        (FOLDER / f"{language}.br").write_bytes(brotli.compress(text))


if __name__ == "__main__":
    main()
