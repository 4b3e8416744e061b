"""The page on which players prepare conditional actions: step by step, without scripts."""

import re
from html import unescape

import pytest
from flask import Flask

from service.bootstrap import Service
from tests.support.conditional import line, next_actions
from tests.support.page_players import PlayersOfPages, forms_of

OPTION = re.compile(r'<a class="choice button" href="([^"]+)"')


@pytest.fixture
def players(app: Flask, service: Service) -> PlayersOfPages:
    return PlayersOfPages(app, service)


def prepare_one(players: PlayersOfPages, handle: str, address: str, **entered: str) -> str:
    """Choose the first option at each question and prepare the action; return the address that follows."""
    player = players[handle]
    path = address.split("?", maxsplit=1)[0]
    page = player.get(address)
    for _ in range(10):
        if path in forms_of(page):
            break
        option = OPTION.search(page)
        assert option is not None
        address = path + unescape(option[1])
        page = player.get(address)
    response = player.submit(address, path, **entered)
    assert response.status_code == 303, response.text
    return str(response.location)


@pytest.mark.parametrize("rules", ["barony", "baron"])
def test_a_player_prepares_actions_step_by_step_and_the_server_plays_it(
    players: PlayersOfPages, service: Service, rules: str
) -> None:
    game = players.game(rules)
    grace = players["grace"]
    assert f'href="/games/{game}/conditional-actions"' in grace.get(f"/games/{game}")
    address = f"/games/{game}/conditional-actions"
    count = 5 if rules == "baron" else 2
    for _ in range(count):
        address = prepare_one(players, "grace", address)
    prepared = service.conditional_actions.get(game, grace.id)
    seats = []
    tree = prepared.tree
    while tree:
        (node,) = tree
        seats.append(node.seat)
        tree = node.then
    # How many actions a turn of Baron takes depends on the tiles.
    assert (len(seats), seats[0], seats[-1]) == (count, 0, 1)
    assert seats == sorted(seats)
    page = grace.get(address)
    assert 'aria-current="step"' in page
    assert page.count('<li class="indent-0"') == count
    for seat in seats:
        if seat == 0:
            head = service.games.queries.game(game)
            action = prepared.tree[0].action
            service.games.commands.act(game, players["ada"].id, action, head.seq)
            service.conditional_actions.play(game)
            prepared = service.conditional_actions.get(game, grace.id)
    assert service.games.queries.event_page(game, 0, 100)[-1]["conditional"] is True


def test_actions_are_deleted_one_by_one_or_together(
    players: PlayersOfPages, service: Service
) -> None:
    game = players.game("barony")
    head, grace = service.games.queries.game(game), players["grace"]
    two = [*line(*next_actions(head, 2)), {"seat": 0, "action": {"type": "resign"}}]
    service.conditional_actions.put(game, grace.id, two, head.seq)
    page = grace.get(f"/games/{game}/conditional-actions")
    assert page.count('class="indent-1"') == 3
    deletion = f"/games/{game}/conditional-actions/deletion"
    form = forms_of(page)[deletion] | {"at": "0.0", "expected_seq": str(head.seq)}
    tree = re.search(r'name="tree" value="([0-9a-f]+)"', page)
    assert tree is not None
    assert grace.post(deletion, {**form, "tree": tree[1]}).location.endswith("?at=0")
    assert len(service.conditional_actions.get(game, grace.id).tree[0].then) == 0
    outdated = grace.post(deletion, {**form, "tree": tree[1]})
    assert outdated.status_code == 400
    assert "What you have prepared has changed meanwhile" in outdated.text
    assert grace.post(deletion, {"csrf_token": form["csrf_token"]}).status_code == 303
    assert service.conditional_actions.get(game, grace.id).tree == ()


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ("choose=no-such-thing", "This page was about a choice that is no longer possible"),
        ("at=0.1&choose=1,1", "What you have prepared does not, or no longer, have this step"),
    ],
)
def test_going_back_to_deleted_conditional_actions_shows_the_current_ones(
    players: PlayersOfPages, query: str, line: str
) -> None:
    game = players.game("barony")
    page = players["grace"].get(f"/games/{game}/conditional-actions?{query}")
    assert line in page
    assert OPTION.search(page)


def test_an_outcome_of_chance_can_be_asked_for(players: PlayersOfPages, service: Service) -> None:
    game = players.game("baron")
    address = prepare_one(
        players, "grace", f"/games/{game}/conditional-actions", outcome="refill=forest"
    )
    (node,) = service.conditional_actions.get(game, players["grace"].id).tree
    assert node.outcome == {"refill": "forest"}
    page = players["grace"].get(address)
    assert "(forest)" in page
    assert "If this happens: ada draws a " in " ".join(re.sub("<[^>]+>", " ", page).split())


def test_the_page_explains_why_nothing_can_be_prepared_and_why_all_is_void(
    players: PlayersOfPages, service: Service
) -> None:
    game = players.game("barony")
    address = f"/games/{game}/conditional-actions"
    ada, grace = players["ada"], players["grace"]
    assert "It is your turn" in ada.get(address)
    assert "Only the players" in players["eve"].get(address)
    assert players.visitor.get(address).status_code == 200
    head = service.games.queries.game(game)
    service.conditional_actions.put(
        game, grace.id, [{"seat": 0, "action": {"type": "resign"}}], head.seq
    )
    service.games.commands.act(game, ada.id, next_actions(head, 1)[0][1], head.seq)
    for handle, is_told in (("ada", False), ("grace", True)):
        page = players[handle].get(f"/games/{game}")
        assert ("What you had prepared is void" in page) is is_told
    service.conditional_actions.play(game)
    grace.submit(address, f"{address}/deletion")
    assert "is void" not in grace.get(f"/games/{game}")


def test_the_earlier_address_of_the_page_leads_to_it(players: PlayersOfPages) -> None:
    game = players.game("barony")
    response = players["grace"].client.get(f"/games/{game}/plan")
    assert (response.status_code, response.location) == (301, f"/games/{game}/conditional-actions")


def test_only_a_player_can_change_conditional_actions_and_bad_forms_are_refused(
    players: PlayersOfPages, service: Service
) -> None:
    game = players.game("barony")
    address = f"/games/{game}/conditional-actions"
    head, grace = service.games.queries.game(game), players["grace"]
    action = next_actions(head, 1)[0][1]
    fields = {"action": str(action).replace("'", '"'), "seat": "0", "tree": "x"}
    forged = players["eve"].forge("/games", address, {**fields, "expected_seq": str(head.seq)})
    assert forged.status_code == 403
    page = grace.get(f"{address}?action=resign")
    form = forms_of(page)[address]
    assert grace.post(address, {**form, "expected_seq": "1"}).status_code == 409
    assert grace.post(address, {**form, "action": '{"type": "fly"}'}).status_code == 400
    assert grace.post(address, {**form, "action": "{"}).status_code == 400
    assert service.conditional_actions.get(game, grace.id).tree == ()
