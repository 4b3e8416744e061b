"""Explanations of words on the page of a game: without scripts, for everybody, in three languages."""

import re

import pytest
from flask.testing import FlaskClient

from domain.lifecycle import NewGame
from domain.registry import rule_systems
from replay.language.renderer import renderer
from service.bootstrap import Service
from tests.support.page_forms import log_in


@pytest.mark.parametrize("language", ["en", "fr", "es"])
@pytest.mark.parametrize("name", list(rule_systems()))
def test_words_and_actions_open_their_explanations(
    browser: FlaskClient, service: Service, name: str, language: str
) -> None:
    entry = rule_systems()[name]
    ada = log_in(browser, service)
    options = {"seating": "joined", **entry.options}
    game = service.games.commands.create(
        ada, NewGame(rules=entry.rules, seats=2, options=options)
    ).id
    service.games.commands.add_bot(game, ada, "random")
    page = browser.get(f"/games/{game}", headers={"Accept-Language": language}).text
    popovers = re.findall(r'<div popover class="explanation" id="([^"]+)"><p>(.*?) <a', page)
    ids = dict(popovers)
    assert len(ids) == len(popovers)
    targets = re.findall(r'class="explained" popovertarget="([^"]+)"', page)
    described = re.findall(r'class="choice [^"]*"[^>]* aria-describedby="([^"]+)"', page)
    assert {*targets, *described} <= ids.keys()
    assert targets
    render = renderer(language)
    for id, text in ids.items():
        clause = id.removeprefix("explained-")
        assert text.replace("&#39;", "'") == render.sentence(entry.system.CLAUSES[clause])
    labels = re.findall(r"<dt>(.*?)</dt>", page.partition('class="seat-cards"')[2])
    rows = [label for label in labels[:4] if "<kbd>" not in label]
    assert all("popovertarget" in label for label in rows)


def test_options_are_explained_for_those_who_cannot_hover(
    browser: FlaskClient, service: Service
) -> None:
    """Where the question is which action to take."""
    ada = log_in(browser, service)
    commands, queries = service.games.commands, service.games.queries
    options = {"seating": "joined"}
    game = commands.create(ada, NewGame(rules="barony", seats=2, options=options)).id
    commands.add_bot(game, ada, "random")
    while queries.game(game).round == 0 or queries.game(game).to_act != 0:
        head = queries.game(game)
        assert head.to_act is not None
        action = head.rules.legal_actions(head.state, head.to_act)[0]
        raw = head.rules.action_to_json(action)
        commands.act(game, head.players[head.to_act], raw, head.seq)
    page = browser.get(f"/games/{game}").text
    listed = page.partition('class="explained-options"')[2].partition("</details>")[0]
    assert "A player recruits up to 2 knights in one of their cities" in listed
    assert 'href="/rules/barony#BY-REC-1"' in listed
    assert re.search(r'aria-describedby="explained-BY-REC-1"', page)
