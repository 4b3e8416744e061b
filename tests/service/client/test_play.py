"""`cartulary play` on a real web server, with typed lines instead of a terminal."""

import itertools
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from cartulary.client import Client
from cartulary.terminal_client.tokens import TokensFile
from tests.support.processes import HANG_SECONDS
from tests.support.server import WebServer
from tests.support.typing_player import Line, Typist, example

_numbers = itertools.count(1)


@pytest.fixture
def typist(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Typist:
    return Typist(monkeypatch, tmp_path / "tokens.json")


@pytest.fixture
def clients(web: WebServer) -> Iterator[tuple[Client, Client]]:
    """The player whose account the typist uses, and an opponent."""
    with Client(web.url) as first, Client(web.url) as second:
        first.register(f"typist-{next(_numbers)}", "correct horse")
        second.become_guest()
        yield first, second


def place_and_ask_for_takeback(client: Client, game: str) -> None:
    """Place two of the three cities of the second seat when the first has placed one, and ask for a takeback.

    The third city follows the answer, so that nobody else can act before.
    """
    placed = 0
    for event in client.stream(game):
        placed += event.type == "CityPlaced"
        if (placed in {1, 2} and event.type == "CityPlaced") or event.type == "TakebackAnswered":
            legal = client.legal_actions(game)
            client.submit(game, legal.actions[0], expected_seq=legal.seq)
        elif placed == 3 and event.type == "CityPlaced":
            client.request_takeback(game)
        if placed == 4:
            return


def place_cities(client: Client, game: str) -> None:
    """Place the three cities of the second seat when the first has placed one."""
    placed = 0
    for event in client.stream(game):
        placed += event.type == "CityPlaced"
        if placed == 4:
            return
        if event.type == "CityPlaced":
            legal = client.legal_actions(game)
            client.submit(game, legal.actions[0], expected_seq=legal.seq)


def test_somebody_logs_in_and_continues_with_a_game(
    typist: Typist, web: WebServer, clients: tuple[Client, Client]
) -> None:
    player, opponent = clients
    handle = player.me().player.handle
    game = player.create_game("barony", 2, options={"seating": "joined", "takebacks": True}).id
    opponent.join(game)
    thread = threading.Thread(target=place_and_ask_for_takeback, args=(opponent, game))
    thread.start()

    def lines() -> Iterator[Line]:
        yield from ("7", "2", handle, "wrong password", handle, "correct horse", "")
        yield from ("help", "place", "place 99,99", "move 0,0>1,0", "fly")
        yield from ("rules BY-SET", "rules", "rules XX", "takeback maybe", "resign", "log 2")
        yield example
        yield from ("takeback no", "undo", "quit")

    written = typist.play(web.url, lines=lines())
    thread.join(HANG_SECONDS)

    for text in (
        "Type a number from 1 to 3",
        "password",
        f"1  Barony, game {game}",
        "Type an action such as `place ",
        "takeback   answer an opponent",
        "You can type: place ",
        "Not allowed by BY-SET-4: 99,99 is not on the board",
        "Not allowed by BY-SET-6: ",
        "“fly” cannot be read as an action",
        "  BY-SET-3  All but the last player place one city",
        f"  {web.url}/rules/barony#BY-SET-4",
        "There is no clause XX",
        "“takeback maybe” cannot be read as an action",
        "This ends the game for you",
        "An opponent asks to take back an action (event 10)",
    ):
        assert text in written, text
    assert written.count("It is your turn") == 2
    assert "> undo\n" in written
    types = [event.type for event in player.events(game, after=6).events]
    takeback = ("TakebackRequested", "TakebackAnswered")
    assert types == [*["CityPlaced"] * 3, *takeback, "CityPlaced"]


def test_the_player_whose_turn_it_is_is_given_more_time(
    typist: Typist, web: WebServer, clients: tuple[Client, Client]
) -> None:
    player, opponent = clients
    options = {"seating": "joined", "takebacks": True}
    game = player.create_game("barony", 2, options=options, clock={"per_turn": 86400}).id
    opponent.join(game)
    TokensFile(os.environ).keep(web.url, player.token)
    # The question about the takeback lets the player type a line while it is the opponent's turn.
    thread = threading.Thread(target=place_and_ask_for_takeback, args=(opponent, game))
    thread.start()
    wrong = ("time", "time 1w", "time 0m", "time 8d")
    lines: list[Line] = ["time 1h", example, *wrong, "TIME 2 D", "time 6d", "takeback no", "quit"]
    written = typist.play(f"{web.url}/games/{game}", lines=iter(lines))
    thread.join(HANG_SECONDS)
    for text in (
        "players who are still in the game give time to each other",
        "Type how much time to give: `time 45m`",
        "seconds: must be a whole number of seconds, 1 to 604800",
        "seconds: must be a whole number of seconds, 1 to 432000",
        "2 days",
    ):
        assert text in written, text
    (given,) = player.events(game, conditions={"type": "TimeGiven"}).events
    assert given.json["data"] == {"seat": 0, "to": 1, "seconds": 2 * 86400}
    assert "signature" in given.json


def test_the_session_is_kept_and_texts_are_in_the_language_of_the_command(
    typist: Typist, web: WebServer, clients: tuple[Client, Client]
) -> None:
    player, opponent = clients
    handle = player.me().player.handle
    game = player.create_game("baron", 2, options={"seating": "joined"}).id
    opponent.join(game)
    TokensFile(os.environ).keep(web.url, player.token)
    written = typist.play(web.url, "--lang", "fr", lines=iter(["1", "help", "quit"]))
    assert f"Vous jouez sous le pseudo {handle}" in written
    assert "C'est à vous de jouer" in written
    player.log_out()
    written = typist.play(
        web.url, "--lang", "es", lines=iter(["2", handle, "correct horse", "", "quit"])
    )
    assert "Su última sesión" in written
    assert "Es su turno" in written


def test_an_invitation_takes_a_place(
    typist: Typist, web: WebServer, clients: tuple[Client, Client]
) -> None:
    player, opponent = clients
    game = player.create_game("barony", 2, options={"seating": "joined", "private": True}).id
    invitation = f"{web.url}/invitations/{player.invite(game).token}"

    def act() -> None:
        for event in player.stream(game):
            if event.type == "GameStarted":
                legal = player.legal_actions(game)
                player.submit(game, legal.actions[0], expected_seq=legal.seq)
                return

    thread = threading.Thread(target=act)
    thread.start()
    written = typist.play(invitation, "--guest", lines=iter(["quit"]))
    thread.join(HANG_SECONDS)
    assert "It is your turn" in written
    assert opponent.me().player.id not in {player.id for player in player.game(game).players}


def test_actions_are_signed_unless_the_player_declines(
    typist: Typist, web: WebServer, clients: tuple[Client, Client]
) -> None:
    player, opponent = clients
    TokensFile(os.environ).keep(web.url, player.token)
    for options, is_signed in (((), True), (("--no-sign",), False)):
        game = player.create_game("barony", 2, options={"seating": "joined"}).id
        opponent.join(game)
        thread = threading.Thread(target=place_cities, args=(opponent, game))
        thread.start()
        typist.play(f"{web.url}/games/{game}", *options, lines=iter([example, "quit"]))
        thread.join(HANG_SECONDS)
        placed = player.events(game, conditions={"type": "CityPlaced", "seat": "0"}).events
        assert [("signature" in event.json) for event in placed] == [is_signed]


def test_what_cannot_be_played_is_an_error(typist: Typist, web: WebServer) -> None:
    for url, error in (
        ("http://127.0.0.1:9", "the server does not respond"),
        (f"{web.url}/games/unknown", "there is no game unknown"),
        ("http://x y/rules", "is not the address of a server"),
    ):
        with pytest.raises(click.ClickException, match=error):
            typist.play(url, "--guest", lines=iter(()))
    with pytest.raises(click.ClickException, match="the input has ended"):
        typist.play(web.url, lines=iter(()))
