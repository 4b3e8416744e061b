"""The page of proofs: commitments, receipts, checkpoints, witnesses and keys of a game."""

import re
from pathlib import Path

import pytest
from flask import Flask

from client.receipts import read_receipts
from domain.game import Game
from domain.lifecycle import NewGame
from ledger.statements import AnswerTakeback, RequestTakeback
from service.bootstrap import Service
from tests.games.records import FOLDER
from tests.service.conftest import StoreGame
from tests.support.claims import contradictions
from tests.support.page_players import PlayersOfPages


@pytest.fixture
def players(app: Flask, service: Service) -> PlayersOfPages:
    return PlayersOfPages(app, service)


def rows(page: str) -> dict[str, str]:
    """The table of commitments: by the name of the value, whether the viewer's record opens it."""
    pattern = (
        r'<th scope="row">[^<]*<br><code class="fine-print">([^<]+)</code></th>'
        r"<td>[^<]*</td><td>([^<]*)</td><td><code"
    )
    return dict(re.findall(pattern, page))


def test_the_page_shows_commitments_and_what_the_viewer_may_open(
    players: PlayersOfPages, service: Service
) -> None:
    game = players.game("baron")
    closed = "closed until the game ends"
    page = players["ada"].get(f"/games/{game}/proofs")
    assert rows(page) == {"pile": closed, "reserve/0": "open", "reserve/1": closed}
    assert set(rows(players.visitor.get(f"/games/{game}/proofs").text).values()) == {closed}
    french = players.visitor.get(f"/games/{game}/proofs", headers={"Accept-Language": "fr"}).text
    for name in ("Pioche", "Réserve d&#39;ada", "Réserve de grace"):
        assert f'<th scope="row">{name}<br>' in french
    stored: Game = service.games.queries.game(game)
    assert stored.hash in page
    assert stored.commitment in page
    assert "No player sent the last bytes after the commitment was published" in page
    assert service.keyring.current_entry()["public"] in page
    assert "This game is not in the log yet." in page


def test_the_page_says_who_sent_the_last_random_bytes(
    players: PlayersOfPages, service: Service
) -> None:
    commands = service.games.commands
    ada, grace = players["ada"], players["grace"]
    game = commands.create(ada.id, NewGame(rules="baron", seats=3, options={}), nonce=b"early").id
    path = f"/games/{game}/proofs"
    assert "ada sent random bytes (event 2)." in ada.get(path)
    assert "Nobody has sent the last bytes after the commitment was published yet." in ada.get(path)
    commands.join(game, grace.id, b"bytes")
    commands.leave(game, grace.id)
    commands.add_bot(game, ada.id)
    page = ada.get(path)
    assert "grace sent random bytes (event 3)." in page
    assert (
        "grace sent the last bytes after the commitment was published, so the server could" in page
    )
    commands.add_bot(game, ada.id, nonce=b"for a bot")
    page = ada.get(path)
    assert "ada sent random bytes (event 6)." in page
    assert "ada sent the last bytes after the commitment was published, so the server could" in page


@pytest.mark.parametrize(
    ("nonces", "supplier"), [(("ab", "cd"), "grace"), (("ab", None), "ada"), ((None, None), None)]
)
def test_the_page_says_who_sent_the_last_bytes_for_redrawn_secrets(
    players: PlayersOfPages,
    service: Service,
    nonces: tuple[str | None, str | None],
    supplier: str | None,
) -> None:
    game = players.game("baron", takebacks=True)
    players.act(game)
    ada, grace = players["ada"], players["grace"]
    state = service.games.statements.state
    asked = state(game, ada.id, RequestTakeback(nonce=nonces[0])).events[0]["seq"]
    state(game, grace.id, AnswerTakeback(asked, agree=True, nonce=nonces[1]))
    page = ada.get(f"/games/{game}/proofs")
    if supplier is None:
        assert "The server could have chosen what was drawn again when play resumed" in page
    else:
        assert f"{supplier} sent the last bytes for what was drawn again when play resumed" in page


def test_a_player_downloads_all_receipts_as_a_file_for_the_audit(
    players: PlayersOfPages, service: Service, tmp_path: Path
) -> None:
    game = players.game("barony")
    assert "You have no receipts yet" in players["ada"].get(f"/games/{game}/proofs")
    for _ in range(3):
        players.act(game)
    response = players["ada"].client.get(f"/games/{game}/receipts")
    assert response.headers["Content-Disposition"] == f'attachment; filename="{game}.receipts"'
    file = tmp_path / f"{game}.receipts"
    file.write_bytes(response.data)
    expected = service.games.receipts.page(players["ada"].id, game_id=game).receipts
    assert list(read_receipts(file)) == expected
    assert expected
    page = players["ada"].get(f"/games/{game}/proofs")
    assert all(receipt["hash"] in page for receipt in expected)


def test_a_visitor_has_no_receipts_and_is_asked_to_log_in(players: PlayersOfPages) -> None:
    game = players.game("barony")
    assert players.visitor.get(f"/games/{game}/receipts").status_code == 302
    assert "/login?next=" in players.visitor.get(f"/games/{game}/proofs").text


def test_a_game_in_the_log_shows_its_entry_and_the_checkpoint(
    players: PlayersOfPages, service: Service
) -> None:
    game = players.game("barony")
    service.transparency.head_log.log([game])
    page = players["ada"].get(f"/games/{game}/proofs")
    assert "This game is not in the log yet." not in page
    assert "1 of 1" in page
    assert service.transparency.checkpoints.origin in page


def sentence_of(page: str) -> str:
    """The sentence with which the page begins."""
    (sentence,) = re.findall(r'<p class="notice[^"]*" role="status">([^<]*)</p>', page)
    return str(sentence)


def text_of(page: str) -> str:
    """What a reader sees of a page."""
    return re.sub(r"<[^>]+>", " ", page)


def test_the_page_begins_with_what_cannot_be_known_and_folds_the_details(
    players: PlayersOfPages, service: Service
) -> None:
    game = players.game("baron")
    path = f"/games/{game}/proofs"
    page = players["ada"].get(path)
    assert sentence_of(page) == (
        "Almost everything about this game can be checked, and these three things cannot be known: whether"
        " everybody was shown the same history, whether the server chose what was drawn at the start and what"
        " stays hidden until the game ends."
    )
    assert "<section" not in page[page.index('role="status"') :]
    assert page.count('<details class="proof">') == 8
    service.transparency.head_log.log([game])
    assert "these two things" in sentence_of(players["ada"].get(path))
    commands, ada, grace = service.games.commands, players["ada"], players["grace"]
    fair = commands.create(ada.id, NewGame(rules="baron", seats=2, options={})).id
    commands.join(fair, grace.id, b"bytes of grace")
    service.transparency.head_log.log([fair])
    assert "one thing cannot be known: what stays hidden" in sentence_of(
        ada.get(f"/games/{fair}/proofs")
    )


def test_no_page_of_a_recorded_game_contradicts_itself(
    players: PlayersOfPages, store: StoreGame, service: Service
) -> None:
    sentences = set()
    for path in sorted(FOLDER.glob("*.jsonl")):
        game_id, _ = store(path.stem)
        service.transparency.head_log.log([game_id])
        response = players.visitor.get(f"/games/{game_id}/proofs")
        if response.status_code == 404:  # a private game
            continue
        page = response.text
        assert contradictions(text_of(page)) == [], path.stem
        sentences.add(sentence_of(page))
    assert "Everything about this game can be checked." in sentences
    assert len(sentences) > 2
