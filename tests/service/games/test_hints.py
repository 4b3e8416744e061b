"""Hints in games against bots: on the record, refused where others play, and nothing hidden in them."""

import secrets
from hashlib import sha256
from io import BytesIO
from typing import Any

import pytest
from flask import Flask

from domain.chance import Chance
from domain.errors import Malformed, NotNow
from domain.game import Game, copy
from replay.analysis.playouts import start_of_playout
from replay.audit import audit
from replay.bots.hints import hint_for
from service.bootstrap import Service
from service.errors import Forbidden
from tests.support.accounts import Accounts
from tests.support.page_players import PlayersOfPages
from tests.support.service_games import create_game, start_game

HINTS = {"seating": "joined", "hints": True}


def against_bots(
    service: Service, rules: str = "barony", seats: int = 2, player: str = "ada", **options: Any
) -> Game:
    """A game of ada, or of another player, who begins, against bots."""
    options = {**HINTS, **options}
    game = create_game(service, player, rules=rules, seats=seats, options=options)
    for _ in range(1, seats):
        game = service.games.commands.add_bot(game.id, player)
    return game


def test_a_hint_is_a_legal_action_and_on_the_record(service: Service) -> None:
    game = against_bots(service)
    after, action = service.games.commands.give_hint(game.id, "ada")
    event = service.games.queries.event(game.id, after.seq)
    assert (event["type"], event["by"], event["data"]) == ("HintGiven", {"seat": 0}, {"seat": 0})
    assert event["action"] is None
    assert (after.hints, after.position_seq, after.to_act) == (1, game.position_seq, 0)
    # It is given again, and recorded once.
    again, same = service.games.commands.give_hint(game.id, "ada")
    assert (again.seq, same) == (after.seq, action)
    taken = after.rules.action_to_json(action)
    service.games.commands.act(game.id, "ada", taken, after.seq)
    record = b"".join(service.games.queries.record(game.id))
    # Its end, which opens the secrets, is to come.
    assert audit(BytesIO(record)).verdict == "unknown"


def test_there_is_one_for_each_position(service: Service) -> None:
    game = against_bots(service)
    for count in (1, 2):
        after, action = service.games.commands.give_hint(game.id, "ada")
        assert after.hints == count
        taken = after.rules.action_to_json(action)
        service.games.commands.act(game.id, "ada", taken, after.seq)
        while (head := service.games.queries.game(game.id)).to_act != 0:
            assert head.to_act is not None
            seq, actions = service.games.queries.legal_actions(game.id, head.players[head.to_act])
            service.games.commands.act(game.id, head.players[head.to_act], actions[0], seq)


def test_refusals(service: Service) -> None:
    give = service.games.commands.give_hint
    without = against_bots(service, hints=False)
    with pytest.raises(NotNow, match="not allowed hints"):
        give(without.id, "ada")
    people = start_game(service, hints=True)
    for player in people.players:
        with pytest.raises(NotNow, match="another person"):
            give(people.id, player)
    mixed = create_game(service, seats=3, options=HINTS)
    service.games.commands.add_bot(mixed.id, "ada")
    service.games.commands.join(mixed.id, "bea", b"b")
    with pytest.raises(NotNow, match="another person"):
        give(mixed.id, "ada")
    game = against_bots(service)
    with pytest.raises(Forbidden):
        give(game.id, "bea")
    hinted, action = give(game.id, "ada")
    taken = hinted.rules.action_to_json(action)
    after = service.games.commands.act(game.id, "ada", taken, hinted.seq)
    assert after.events
    with pytest.raises(NotNow, match="own turn"):
        give(game.id, "ada")
    # Nothing was recorded but the one hint.
    types = [event["type"] for event in service.games.queries.event_page(game.id, 0, 100)]
    assert types.count("HintGiven") == 1
    assert "HintGiven" not in [
        event["type"] for event in service.games.queries.event_page(people.id, 0, 100)
    ]


@pytest.mark.parametrize(
    "options", [{"rated": True}, {"tournament": {"id": "t" + "0" * 16, "round": 1, "table": 1}}]
)
def test_rated_games_and_tournaments_have_none(
    service: Service, options: dict[str, object]
) -> None:
    with pytest.raises(Malformed):
        create_game(service, options={**HINTS, **options})


def test_old_games_have_no_hints(service: Service) -> None:
    game = start_game(service)
    assert "hints" not in game.options
    assert game.hints == 0


@pytest.mark.parametrize("rules", ["barony", "baron"])
def test_a_hint_follows_from_what_the_seat_sees(service: Service, rules: str) -> None:
    game = against_bots(service, rules=rules, seats=3)
    head = service.games.queries.game(game.id)
    assert head.to_act == 0
    asked: list[object] = []
    position = type(head).position

    def observed(self: Game, viewer: int | None, **how: bool) -> object:
        asked.append(viewer)
        return position(self, viewer, **how)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(head), "position", observed)
        first = hint_for(head, 0)
    assert asked == [0]
    # What the others hold and what comes next does not change it.
    for number in range(3):
        changed = copy(head)
        chance = Chance(sha256(b"%d" % number).digest())
        changed.state = start_of_playout(head.rules, head.state, 0, chance)
        assert hint_for(changed, 0) == first


class TestPages:
    def test_the_page_previews_it(self, app: Flask, service: Service) -> None:
        players = PlayersOfPages(app, service)
        ada = players["ada"]
        game = against_bots(service, player=ada.id)
        address = f"/games/{game.id}/hints"
        answered = ada.submit(f"/games/{game.id}", address)
        assert answered.status_code == 303
        page = ada.get(answered.headers["Location"])
        assert 'id="confirm"' in page
        assert "Show a hint" not in players["a-stranger"].get(f"/games/{game.id}")
        without = against_bots(service, player=ada.id, hints=False)
        assert "Show a hint" not in ada.get(f"/games/{without.id}")


class TestHttp:
    def test_it_is_given_over_http(self, accounts: Accounts) -> None:
        ada, bea = accounts.register(), accounts.register()
        game = ada.create_game(options=HINTS)
        path = f"/api/v1/games/{game}/hints"
        assert ada.http.post(path).status_code == 409
        ada.http.post(f"/api/v1/games/{game}/bots")
        assert bea.http.post(path).status_code == 403
        hint = ada.http.post(path)
        assert hint.status_code == 200
        legal = ada.http.get(f"/api/v1/games/{game}/legal-actions").json()
        assert hint.json()["action"] in legal["actions"]
        assert hint.json()["seq"] == legal["seq"]
        assert ada.http.post(f"/api/v1/games/{secrets.token_hex(8)}/hints").status_code == 404
