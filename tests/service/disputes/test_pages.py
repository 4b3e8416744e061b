"""The pages of disputes and takebacks: opened, answered, ruled by agreement or by the arbiter, withdrawn."""

from html import unescape

import pytest
from flask import Flask

from domain.game import Game
from service.bootstrap import Service
from tests.support.page_players import PlayersOfPages, forms_of

STATEMENT = "Seat 1 <script>alert(1)</script> moved twice"


@pytest.fixture
def players(app: Flask, service: Service) -> PlayersOfPages:
    return PlayersOfPages(app, service)


def opened(players: PlayersOfPages, game: str, about: int = 4) -> str:
    """Open a dispute in a browser and return the address of its page."""
    address = f"/games/{game}/disputes"
    response = players["ada"].submit(
        f"{address}?seq={about}", address, seq=about, statement=STATEMENT
    )
    assert response.status_code == 303
    return response.location


def test_a_form_that_is_sent_twice_takes_effect_once(
    players: PlayersOfPages, service: Service
) -> None:
    game = players.game("barony")
    address = f"/games/{game}/disputes"
    form = forms_of(players["ada"].get(address))[address] | {"statement": STATEMENT}
    locations = {players["ada"].post(address, form).location for _ in range(2)}
    assert locations == {f"{address}/5"}
    assert game_of(service, game).seq == 5
    del form["csrf_token"]
    assert players["ada"].post(address, {**form, "key": "other"}).status_code == 403
    assert game_of(service, game).seq == 5


def test_a_statement_that_was_signed_for_an_earlier_moment_can_be_sent_again(
    players: PlayersOfPages, service: Service
) -> None:
    game = players.game("barony")
    address, seq = f"/games/{game}/disputes", game_of(service, game).seq
    signed = {"signature_key": "0" * 16, "signature": "0" * 128, "salt": "0" * 64}
    response = players["ada"].submit(
        address, address, statement=STATEMENT, expected_seq=1, **signed
    )
    assert response.status_code == 409
    assert "The position has changed since event 1" in response.text
    assert STATEMENT in unescape(response.text)
    assert forms_of(response.text)[address]["expected_seq"] == str(seq)
    assert game_of(service, game).seq == seq


def game_of(service: Service, id: str) -> Game:
    return service.games.queries.game(id)


def test_a_dispute_is_opened_at_an_event_answered_and_withdrawn(
    players: PlayersOfPages, service: Service
) -> None:
    game = players.game("barony")
    page = players["ada"].get(f"/games/{game}/disputes?seq=3")
    assert forms_of(page)[f"/games/{game}/disputes"]["seq"] == "3"
    dispute = opened(players, game)
    assert dispute == f"/games/{game}/disputes/5"
    page = players["grace"].get(dispute)
    assert STATEMENT not in page
    assert STATEMENT in unescape(page)
    answered = players["grace"].submit(dispute, f"{dispute}/answers", statement="I did not")
    assert answered.status_code == 303
    assert "I did not" in players["ada"].get(dispute)
    assert f"{dispute}/withdrawal" not in forms_of(players["grace"].get(dispute))
    unsure = players["ada"].submit(dispute, f"{dispute}/withdrawal")
    assert unsure.status_code == 400
    assert "because this cannot be undone" in unsure.text
    assert game_of(service, game).open_dispute is not None
    players["ada"].submit(dispute, f"{dispute}/withdrawal", sure="yes")
    assert game_of(service, game).disputes[0].status == "withdrawn"
    assert "Withdrawn by the player who opened it" in players["grace"].get(dispute)
    assert forms_of(players["grace"].get(dispute)).keys() == {"/language", "/theme"}


def test_a_form_that_is_refused_keeps_what_was_entered(players: PlayersOfPages) -> None:
    game = players.game("barony")
    address = f"/games/{game}/disputes"
    for fields, fault in (
        ({"seq": "99", "statement": "a & b"}, "there is no event 99"),
        ({"seq": "x", "statement": "a & b"}, "whole number"),
        ({"seq": "3", "statement": ""}, "is missing"),
        ({"seq": "3", "statement": "x" * 3000}, "characters"),
    ):
        response = players["ada"].submit(address, address, **fields)
        assert response.status_code in (400, 409)
        assert fault in response.text.lower() or fault.capitalize() in response.text
        assert fields["statement"] in unescape(response.text)
        assert f'value="{fields["seq"]}"' in response.text


def test_all_players_agree_on_a_ruling(players: PlayersOfPages, service: Service) -> None:
    game = players.game("barony")
    dispute = opened(players, game)
    address = f"{dispute}/rulings"
    ruling = {"type": "resume", "from": "3", "sure": "yes"}
    refused = players["ada"].submit(dispute, address, **{**ruling, "from": "1"})
    assert refused.status_code == 409
    assert "play cannot resume after event 1" in refused.text.lower()
    note = players["ada"].submit(dispute, address, type="result_stands", sure="yes")
    assert note.status_code == 400
    assert "a result stands with a note" in note.text
    assert players["ada"].submit(dispute, address, **{**ruling, "from": "4"}).status_code == 303
    page = players["grace"].get(dispute)
    assert "Play resumes after event 4" in page
    agreement = forms_of(page, key_suffix="-0")[address]
    assert (agreement["type"], agreement["from"]) == ("resume", "4")
    players["grace"].post(address, {**agreement, "sure": "yes"})
    ended = game_of(service, game).disputes[0].ending
    assert ended is not None
    assert ended.ruling == {"type": "resume", "from": 4}
    assert game_of(service, game).resumptions[0].origin == 4
    assert "All players agreed on a ruling" in players["ada"].get(dispute)


def test_only_the_arbiter_rules_a_game_that_has_one(
    players: PlayersOfPages, service: Service
) -> None:
    arbiter = players["hilda"].id
    game = players.game("barony", arbiter=arbiter)
    dispute = opened(players, game)
    assert f"{dispute}/rulings" not in forms_of(players["grace"].get(dispute))
    assert f"{dispute}/answers" not in forms_of(players["hilda"].get(dispute))
    ruled = players["hilda"].submit(
        dispute, f"{dispute}/rulings", type="dismiss", statement="Nothing wrong", sure="yes"
    )
    assert ruled.status_code == 303
    assert game_of(service, game).disputes[0].status == "ruled"
    page = players["grace"].get(dispute)
    assert "hilda ruled as the arbiter" in page
    assert "Nothing wrong" in page


def test_a_visitor_reads_disputes_and_is_asked_to_log_in(
    players: PlayersOfPages, service: Service
) -> None:
    game = players.game("barony")
    dispute = opened(players, game)
    for address in (f"/games/{game}/disputes", dispute, f"/games/{game}/takebacks"):
        assert forms_of(players.visitor.get(address).text).keys() == {"/language", "/theme"}
    assert "/login?next=" in players.visitor.get(dispute).text
    assert players.visitor.post(f"{dispute}/answers", data={"statement": "x"}).status_code == 403
    assert players.visitor.get(f"/games/{game}/disputes/3").status_code == 404
    private = players.game("barony", private=True)
    for page in ("disputes", "takebacks", "branches", "proofs", "receipts"):
        assert players.visitor.get(f"/games/{private}/{page}").status_code == 404


def test_the_last_action_is_taken_back_by_agreement(
    players: PlayersOfPages, service: Service
) -> None:
    game = players.game("barony", takebacks=True)
    address = f"/games/{game}/takebacks"
    assert "only the player who acted last" in players["ada"].get(address).lower()
    actor = players.act(game)
    other = players["ada" if actor == "grace" else "grace"]
    before = game_of(service, game).seq
    asked = players[actor].submit(address, address)
    assert asked.status_code == 303
    answers = f"{address}/{before + 1}/answers"
    assert answers not in forms_of(players[actor].get(address))
    assert other.submit(address, answers, answer="maybe").status_code == 400
    assert other.submit(address, answers, answer="agree").status_code == 303
    assert game_of(service, game).resumptions[0].origin == before - 1
    again = players.act(game)
    number = game_of(service, game).seq + 1
    players[again].submit(address, address)
    refuser = players["ada" if again == "grace" else "grace"]
    refuser.submit(address, f"{address}/{number}/answers", answer="decline")
    last = game_of(service, game).last_play
    assert last is not None
    assert last.takeback is not None
    assert last.takeback.declined_by is not None
    assert "has been requested before" in players[again].get(address)
