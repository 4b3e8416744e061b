"""Several actions of a turn in one form: each is an event of its own, and the first refusal ends them."""

import json
import re
from html import unescape
from typing import Any

import pytest
from flask import Flask
from werkzeug.datastructures import MultiDict

from domain.game import Game
from domain.next_step import next_step
from service.bootstrap import Service
from service.pages.view_models.game_forms import new_key
from tests.support.page_players import PlayersOfPages, forms_of

KEEP_OF_NOBODY = {"type": "place_keep", "at": [50, 50]}


class Turn:
    """A game of Baron whose first player has drawn a tile, and can lay a meadow and put down a keep on it."""

    def __init__(self, app: Flask, service: Service) -> None:
        self.service, self._players = service, PlayersOfPages(app, service)
        self.ada, self.grace = self.players = (self._players["ada"], self._players["grace"])
        self.id = self._players.game("baron")
        while not self.actions():
            self._players.act(self.id)
        self.actor = self.ada if self.game.to_act == 0 else self.grace

    @property
    def game(self) -> Game:
        return self.service.games.queries.game(self.id)

    def actions(self) -> list[dict[str, Any]]:
        """The two actions; none while they are not possible."""
        game, service = self.game, self.service
        assert game.to_act is not None
        assert game.state is not None
        if not game.state.players[game.to_act].keeps:
            return []
        legal = service.games.queries.legal_actions(self.id, game.players[game.to_act])[1]
        meadows = [each for each in legal if each.get("tile") == "meadow"]
        return [meadows[0], {"type": "place_keep", "at": meadows[0]["at"]}] if meadows else []

    def fields(self, *actions: object, **others: object) -> MultiDict[str, str]:
        """The fields of a form with these actions, at the head of the game."""
        page = self.actor.get(f"/games/{self.id}")
        fields = MultiDict(
            {
                "csrf_token": forms_of(page)["/language"]["csrf_token"],
                "expected_seq": str(self.game.seq),
                **{name: str(value) for name, value in others.items()},
            }
        )
        for action in actions:
            fields.add("action", json.dumps(action))
            fields.add("key", new_key())
        return fields

    def page(self, query: str) -> str:
        return self.actor.get(f"/games/{self.id}{query}")

    def choices_to(self, action: object) -> str:
        """The query of the page on which this action is the first one that has been chosen."""
        game = self.game
        rules, seat = game.rules, game.to_act
        assert seat is not None
        actions = rules.legal_actions(game.state, seat)
        values: list[str] = []
        wanted = rules.parse_action(action)
        while (step := next_step(rules, game.state, seat, actions, values)).action is None:
            (choice,) = rules.choices(game.state, seat, wanted, step.path)
            values.append(choice.value)
        return "?" + "&".join(f"choose={value}" for value in values)

    def submit(self, fields: MultiDict[str, str], **headers: str) -> Any:
        return self.actor.client.post(f"/games/{self.id}/actions", data=fields, headers=headers)


@pytest.fixture
def turn(app: Flask, service: Service) -> Turn:
    return Turn(app, service)


def test_each_action_of_a_form_becomes_an_event_and_a_repetition_none(turn: Turn) -> None:
    before, fields = turn.game, turn.fields(*turn.actions())
    for _ in range(2):
        assert turn.submit(fields).status_code == 303
        assert turn.game.seq == before.seq + 2
    events = turn.service.games.queries.event_page(turn.id, before.seq, 2)
    assert [event["type"] for event in events] == ["TilePlaced", "KeepPlaced"]
    assert all(event["action"] is not None for event in events)


def test_a_script_gets_a_receipt_for_each_action(turn: Turn) -> None:
    before = turn.game
    page = turn.submit(turn.fields(*turn.actions()), **{"HX-Request": "true"}).text
    receipts = re.findall(r"data-receipt=\"([^\"]+)\"", page)
    seqs = [json.loads(receipt.replace("&#34;", '"'))["seq"] for receipt in receipts]
    assert seqs == [before.seq + 1, before.seq + 2]


def test_a_script_that_asks_for_json_gets_the_receipt_alone(turn: Turn) -> None:
    before, (lay, _) = turn.game, turn.actions()
    response = turn.submit(turn.fields(lay), Accept="application/json")
    assert response.status_code == 200
    assert response.json["receipt"]["seq"] == before.seq + 1
    assert response.json["receipt"]["hash"] == turn.game.hash


def test_the_first_refusal_ends_the_actions_and_the_page_says_how_many_were_accepted(
    turn: Turn,
) -> None:
    before, (lay, keep) = turn.game, turn.actions()
    response = turn.submit(turn.fields(lay, KEEP_OF_NOBODY, keep))
    assert response.status_code == 422
    assert "One action of your turn was accepted, and the next one was refused:" in response.text
    assert "50,50 is not a meadow" in response.text
    assert "data-receipt" in response.text
    assert turn.game.seq == before.seq + 1
    response = turn.submit(turn.fields(KEEP_OF_NOBODY))
    assert response.status_code == 422
    assert "50,50 is not a meadow" in response.text
    assert "of your turn" not in response.text
    # A script sends the actions one by one.
    response = turn.submit(turn.fields(KEEP_OF_NOBODY, accepted=2))
    assert "2 actions of your turn were accepted" in response.text


def test_a_player_who_resigns_in_between_makes_the_rest_stale(turn: Turn) -> None:
    lay, keep = turn.actions()
    first, second = turn.fields(lay), turn.fields(keep)
    second["expected_seq"] = str(turn.game.seq + 1)
    turn.submit(first)
    other = turn.grace if turn.actor is turn.ada else turn.ada
    commands = turn.service.games.commands
    commands.act(turn.id, other.id, {"type": "resign"}, turn.game.seq)
    response = turn.submit(second)
    assert response.status_code == 409


@pytest.mark.parametrize(
    "change",
    [
        lambda fields: fields.add("key", "another"),
        lambda fields: fields.poplist("key"),
        lambda fields: fields.update({"signature_key": "0" * 16, "signature": "0" * 128}),
        lambda fields: [(fields.add("action", "{}"), fields.add("key", "x")) for _ in range(7)],
        lambda fields: fields.setlist("action", ['{"type": "end_turn"}', "no JSON"]),
    ],
)
def test_a_form_of_actions_that_is_not_well_formed_changes_nothing(turn: Turn, change: Any) -> None:
    before, fields = turn.game, turn.fields(*turn.actions())
    change(fields)
    assert turn.submit(fields).status_code == 400
    assert turn.game.seq == before.seq


FIELD = re.compile(r'<input type="hidden" name="(action|key)" value="([^"]*)">')


def test_the_page_asks_for_the_keep_before_the_tile_is_sent_and_confirms_both(turn: Turn) -> None:
    before, (lay, keep) = turn.game, turn.actions()
    at = "{},{}".format(*lay["at"])
    choices = turn.choices_to(lay)
    laid = turn.page(choices)
    assert f"lay meadow {at}" in laid
    # Without a choice, the turn ends without a keep.
    assert [action["type"] for action in actions_of(laid)] == ["place_tile", "end_turn"]
    assert "On which meadow" in laid or "Put down a keep" in laid
    whole = turn.page(f"{choices}&choose={at}")
    assert actions_of(whole) == [lay, keep]
    keys = fields_of(whole, "key")
    assert len(set(keys)) == 2
    fields = turn.fields(lay, keep)
    fields.setlist("key", keys)
    assert turn.submit(fields).status_code == 303
    assert turn.game.seq == before.seq + 2
    assert turn.game.turn == before.turn + 1


def test_a_hex_lays_the_drawn_tile_and_offers_the_others_that_fit_there(turn: Turn) -> None:
    game = turn.game
    assert game.to_act is not None
    assert game.state is not None
    drawn = game.state.drawn
    legal = game.rules.legal_actions(game.state, game.to_act)
    places = {action.at for action in legal if action.tile == drawn}
    at, other = next(
        (action.at, action.tile) for action in legal if action.at in places and action.tile != drawn
    )
    hex = "{},{}".format(*at)
    laid = turn.page(f"?choose={hex}")
    assert actions_of(laid)[0] == {"type": "place_tile", "tile": drawn, "at": list(at)}
    assert f'href="?choose={hex}&amp;choose={other}"' in laid
    assert "Instead: " in laid
    replaced = turn.page(f"?choose={hex}&choose={other}")
    assert actions_of(replaced)[0] == {"type": "place_tile", "tile": other, "at": list(at)}
    assert "Instead: " not in replaced.partition('id="acting"')[2]


def test_going_back_from_a_keep_leads_to_the_tile(turn: Turn) -> None:
    lay, _ = turn.actions()
    at = "{},{}".format(*lay["at"])
    choices = turn.choices_to(lay)
    whole = turn.page(f"{choices}&choose={at}")
    back = re.search(r'<a id="back" class="button icon-button" href="([^"]+)"', whole)
    assert back is not None
    assert unescape(back[1]) == choices
    # The tile that is planned is one choice, which can be made again.
    assert '<a href="?" title="Choose again">' in whole


def test_a_draw_is_confirmed_by_itself_and_the_page_says_why(turn: Turn) -> None:
    turn.submit(turn.fields(*turn.actions()))
    assert turn.game.to_act is not None
    actor = turn.players[turn.game.to_act]
    page = actor.get(f"/games/{turn.id}?choose=1")
    assert [action["type"] for action in actions_of(page)] == ["draw"]
    assert "The tile that comes from the pile into the market is not known yet." in page
    assert "Confirm this first, then choose the rest." in page


def fields_of(page: str, name: str) -> list[str]:
    """The values of a field of the form that confirms actions."""
    form = page[page.index('id="confirm"') :].partition("</form>")[0]
    return [unescape(value) for field, value in FIELD.findall(form) if field == name]


def actions_of(page: str) -> list[Any]:
    """The actions in the form that confirms them."""
    return [json.loads(value) for value in fields_of(page, "action")]
