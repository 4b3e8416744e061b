"""`cartulary play` on a service of real processes: the first move in a terminal, and games against bots.

Without a browser: it is here because the browser tests start such a service.
"""

import itertools
import os
import time
from pathlib import Path

import pytest

from cartulary.client import Client
from cartulary.terminal_client.tokens import TokensFile
from tests.support.running_service import RunningService
from tests.support.terminal import Terminal
from tests.support.typing_player import Line, Typist, example


def test_a_newcomer_makes_a_move_in_a_terminal(
    running_service: RunningService, tmp_path: Path
) -> None:
    environ = {"CARTULARY_TOKENS": str(tmp_path / "tokens.json"), "NO_COLOR": "1"}
    with Terminal("play", running_service.url, environ=environ) as terminal:
        terminal.wait_for(r"Number \[1\]:")
        terminal.type("\r")
        terminal.wait_for("You play as the guest")
        terminal.wait_for(r"Number \[1\]:")
        terminal.type("\r")
        terminal.wait_for(r"\| Choose a hex for a city")
        terminal.wait_for(r"\| rules: BY-SET-3, BY-SET-4")
        terminal.wait_for("It is your turn")
        form = terminal.wait_for(r"(place -?\d+,-?\d+)")[1]
        word, _, rest = form.partition(" ")
        terminal.wait_for(">")
        terminal.type(word[:-1])
        terminal.wait_for(word[:-1])
        time.sleep(0.3)
        terminal.type("\t")
        terminal.wait_for(word)
        terminal.type(f" {rest}\r")
        terminal.wait_for(rf"\d+  guest-\w+  .*{rest}")
        terminal.wait_for("sensible-bot-")
        terminal.wait_for("It is your turn")
        terminal.type("quit\r")
        assert terminal.exit_status() == 0


@pytest.mark.parametrize(
    ("rules", "options"),
    [("barony", {"round_limit": 1}), ("barony", {"round_limit": 1, "sorcery": True})],
)
def test_typed_lines_play_a_game_to_its_end(
    running_service: RunningService,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    rules: str,
    options: dict[str, object],
) -> None:
    typist = Typist(monkeypatch, tmp_path / "tokens.json")
    with Client(running_service.url) as client:
        client.become_guest()
        TokensFile(os.environ).keep(running_service.url, client.token)
        game = client.create_game(rules, 2, bots=["sensible"], options=options).id
        written = typist.play(
            f"{running_service.url}/games/{game}", lines=itertools.repeat(example, 30)
        )
        assert "The game is over" in written
        assert client.game(game).status == "finished"


def test_resigning_twice_ends_a_game_of_baron(
    running_service: RunningService, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    typist = Typist(monkeypatch, tmp_path / "tokens.json")
    arguments = (running_service.url, "--guest", "--rules", "baron")
    lines: list[Line] = [example, example, example, "resign", "resign"]
    written = typist.play(*arguments, lines=iter(lines))
    assert "The game is over" in written
    assert written.count("sensible-bot-") > 2
