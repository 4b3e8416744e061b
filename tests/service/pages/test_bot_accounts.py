"""The page on which players mark their account as one for which a program plays."""

from flask.testing import FlaskClient

from domain.lifecycle import NewGame
from service.bootstrap import Service
from tests.support.page_forms import log_in, post


def test_the_page_marks_an_account_and_names_it_as_a_bot(
    browser: FlaskClient, service: Service
) -> None:
    ada = log_in(browser, service)
    assert post(browser, "/account/bot", "/account/tokens").status_code == 400
    (account,) = service.accounts.players.get([ada])
    assert account is not None
    assert not account.is_bot
    assert post(browser, "/account/bot", "/account/tokens", sure="yes").status_code == 303
    (account,) = service.accounts.players.get([ada])
    assert account is not None
    assert account.is_bot
    assert service.accounts.players.shown_names([ada]) == {ada: "ada (bot)"}
    assert service.accounts.players.handles([ada]) == {ada: "ada"}
    game = service.games.commands.create(ada, NewGame(rules="barony", seats=2, options={}))
    assert "ada (bot)" in browser.get(f"/games/{game.id}").text
