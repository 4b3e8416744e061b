"""`cartulary play` on a service of real processes: the first move in a terminal, and games against bots.

Without a browser: it is here because the browser tests start such a service.
"""

import io
import itertools
import math
import os
import random
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner, Result

from cartulary.cli import cartulary
from cartulary.client import Client, Conflict, GameSummary
from cartulary.terminal_client.tokens import TokensFile
from ledger.record import read
from tests.support.processes import wait_until
from tests.support.running_service import RunningService
from tests.support.terminal import Terminal
from tests.support.typing_player import Line, Typist, example

FEW_ACTIONS: Final = 12
"""Actions in a short game of Baron; its end by the rules takes several times as many."""


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
        # The completion of what was typed has ended: until then, a tab is ignored.
        terminal.wait_until_idle(0.3)
        terminal.type("\t")
        terminal.wait_for(word)
        terminal.type(f" {rest}\r")
        terminal.wait_for(rf"\d+  guest-\w+  .*{rest}")
        terminal.wait_for("sensible-bot-")
        terminal.wait_for("It is your turn")
        terminal.type("quit\r")
        assert terminal.exit_status() == 0


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cartulary, arguments)


def is_logged(client: Client, game: str) -> bool:
    """Return whether the record proves that the transparency log contains the head of the game."""
    record = read(io.BytesIO(client.record(game)))
    inclusion = record.header.get("inclusion")
    return inclusion is not None and inclusion["seq"] == record.header["head"]["seq"]


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
    """And it audits as sound, with nothing but the key of the server that was accepted once."""
    typist = Typist(monkeypatch, tmp_path / "tokens.json")
    monkeypatch.setenv("CARTULARY_EVIDENCE", str(tmp_path / "evidence"))
    monkeypatch.setenv("CARTULARY_TRUSTED_KEYS", str(tmp_path / "trusted-keys.jsonl"))
    with Client(running_service.url) as client:
        client.become_guest()
        TokensFile(os.environ).keep(running_service.url, client.token)
        game = client.create_game(rules, 2, bots=["sensible"], options=options).id
        written = typist.play(
            f"{running_service.url}/games/{game}", lines=itertools.repeat(example, 30)
        )
        assert "The game is over" in written
        assert client.game(game).status == "finished"
        wait_until(lambda: is_logged(client, game))
    address = f"{running_service.url}/games/{game}"
    assert run("trust", address, "--yes").exit_code == 0
    result = run("audit", address)
    page = " ".join(result.output.split())
    assert result.exit_code == 0, result.output
    for text in (
        "The nonce is the one that your program sent, after it had seen the commitment.",
        "of these receipts were kept by your programs.",
        "sound: every check holds",
    ):
        assert text in page, result.output
    assert re.search(r"guest-\w+ signed (\d+) of \1 actions\.", page), result.output


def play_to_the_end(players: Sequence[Client], game: str, most_actions: float) -> None:
    """Play by chance. The first player takes back the first action, and the others agree to that.

    After `most_actions`, the player whose turn it is resigns.
    """
    chance = random.Random(7)
    actions = 0
    is_taken_back = False

    def is_due(summary: GameSummary) -> bool:
        return summary.to_act is not None or summary.has_ended

    while True:
        wait_until(lambda: is_due(players[0].game(game)))
        summary = players[0].game(game)
        if summary.to_act is None:
            return
        player = players[summary.to_act]
        with suppress(Conflict):  # a round is scored in between
            legal = player.legal_actions(game)
            actions += 1
            action = chance.choice(legal.actions) if actions <= most_actions else {"type": "resign"}
            player.submit(game, action, expected_seq=legal.seq)
            if not is_taken_back:
                is_taken_back = True
                asked = player.request_takeback(game).events[0]
                for other in players:
                    if other is not player:
                        other.answer_takeback(game, asked.seq, agree=True)


@pytest.mark.parametrize(
    "most_actions", [FEW_ACTIONS, pytest.param(math.inf, marks=pytest.mark.nightly)]
)
def test_a_game_of_baron_with_a_takeback_audits_as_sound(
    running_service: RunningService,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    most_actions: float,
) -> None:
    monkeypatch.setenv("CARTULARY_EVIDENCE", str(tmp_path / "evidence"))
    monkeypatch.setenv("CARTULARY_TRUSTED_KEYS", str(tmp_path / "trusted-keys.jsonl"))
    with Client(running_service.url) as first, Client(running_service.url) as second:
        first.become_guest()
        second.become_guest()
        options = {"takebacks": True, "seating": "joined"}
        game = first.create_game("baron", 2, options=options).id
        second.join(game)
        play_to_the_end((first, second), game, most_actions)
        types = {
            event.type for event in first.events(game, conditions={"type": "PlayResumed"}).events
        }
        assert types == {"PlayResumed"}
        wait_until(lambda: is_logged(first, game))
    address = f"{running_service.url}/games/{game}"
    assert run("trust", address, "--yes").exit_code == 0
    result = run("audit", address)
    assert result.exit_code == 0, result.output
    page = " ".join(result.output.split())
    assert page.count("The nonce is the one that your program sent") >= 3
    assert len(re.findall(r"guest-\w+ signed (\d+) of \1 actions\.", page)) == 2, result.output


def test_resigning_twice_ends_a_game_of_baron(
    running_service: RunningService, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    typist = Typist(monkeypatch, tmp_path / "tokens.json")
    arguments = (running_service.url, "--guest", "--rules", "baron")
    lines: list[Line] = [example, example, example, "resign", "resign"]
    written = typist.play(*arguments, lines=iter(lines))
    assert "The game is over" in written
    assert written.count("sensible-bot-") > 2
