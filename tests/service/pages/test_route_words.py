"""No word of ours in a path, such as `me`, can be the handle of a new player or the id of anything."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

import pytest
from flask import Flask
from werkzeug.exceptions import HTTPException
from werkzeug.routing import MapAdapter, Rule

from domain.errors import Malformed
from domain.json_types import CLUB_ID
from service.bootstrap import Service
from service.games.loader import GAME_ID
from service.http.route_words import words_for_handles
from tests.support.accounts import PASSWORD

_HANDLES: Final = ("handle", "other")
_IS_ID: Final[Mapping[str, Callable[[str], object]]] = {
    "club_id": re.compile(CLUB_ID).fullmatch,
    "game_id": GAME_ID.fullmatch,
    "tournament_id": re.compile("t[0-9a-f]{16}").fullmatch,
    "token": re.compile(f"{CLUB_ID}-.+").fullmatch,
}
"""Whether a text can be an id, for the parameters of rules in whose place there are words of ours."""


def words_in_place_of(parameters: Callable[[str], bool], app: Flask) -> Iterator[tuple[str, str]]:
    """Yield each parameter with each word that leads to another route if it stands in its place."""
    adapter = app.url_map.bind("localhost")
    rules = list(app.url_map.iter_rules())
    words = {segment for rule in rules for segment in rule.rule.split("/") if "<" not in segment}
    for rule in rules:
        for name in filter(parameters, re.findall(r"<(\w+)>", rule.rule)):
            for word in words - {""}:
                if _leads_elsewhere(adapter, rule, name, word):
                    yield name, word


def _leads_elsewhere(adapter: MapAdapter, rule: Rule, name: str, word: str) -> bool:
    """Return whether a path of a rule with a word as its parameter is a path of another rule."""
    path = rule.rule.replace(f"<{name}>", word)
    path = re.sub("<(int|path)[^>]*>", "1", path)
    path = re.sub("<[^>]*>", "0" * 16, path)
    for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
        try:
            matched, _ = adapter.match(path, method, return_rule=True)
        except HTTPException:
            return True
        if matched.rule != rule.rule:
            return True
    return False


def test_nobody_registers_a_word_that_stands_in_the_place_of_a_handle(
    app: Flask, service: Service
) -> None:
    words = {word for _, word in words_in_place_of(lambda name: name in _HANDLES, app)}
    assert words
    players = service.accounts.players
    guest, _ = players.create_guest()
    for word in words:
        for handle in (word, word.upper(), f" {word}\u200b"):
            with pytest.raises(Malformed) as raised:
                players.register(handle, PASSWORD)
            assert raised.value.fields.keys() == {"handle"}
            with pytest.raises(Malformed):
                players.name_guest(guest.id, handle, PASSWORD)
    assert players.by_handles(words) == dict.fromkeys(words)
    for handle in ("mel", "m_e", "me2"):
        players.register(handle, PASSWORD)


def test_no_word_that_stands_in_the_place_of_an_id_can_be_one(app: Flask) -> None:
    pairs = set(words_in_place_of(lambda name: name not in _HANDLES, app))
    assert {("game_id", "new"), ("club_id", "invitations")} <= pairs
    for name, word in pairs:
        assert name in _IS_ID, f"a rule has {word} in the place of <{name}>: which ids are there?"
        assert not _IS_ID[name](word), f"{word} can be an id of the parameter {name}"


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (["/players/<handle>", "/players/new", "/games/new"], {"new"}),
        (["/clubs/<club>/members/<handle>", "/clubs/<id>/members/me/since"], {"me"}),
        (["/clubs/x/members/<handle>", "/clubs/<id>/members/all"], {"all"}),
        (["/clubs/x/members/<handle>", "/clubs/y/members/all", "/clubs/x/members"], set()),
        (["/<handle>/head-to-head/<other>", "/<handle>/head-to-head/best"], {"best"}),
        (["/players/<handle>", "/players/<id>.png"], set()),
    ],
)
def test_a_new_route_reserves_its_words(rules: list[str], words: set[str]) -> None:
    assert words_for_handles(rules) == words
