"""The example programs of the docs do what their pages say, on a service of real processes.

Without a browser: it is here because the browser tests start such a service.
"""

import csv
import itertools
import json
import random
import runpy
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from cartulary.client import Client, Event
from tests.support.pages import DOCS
from tests.support.processes import HANG_SECONDS, wait_until
from tests.support.running_service import RunningService

BOT, LEAGUE, CHALLENGER = (DOCS / f"example_{name}.py" for name in ("bot", "league", "challenger"))
_numbers = itertools.count(1)


@pytest.fixture
def players(running_service: RunningService) -> Iterator[Callable[[], Client]]:
    """A function that registers a player and returns a client of theirs."""
    with ExitStack() as clients:

        def register() -> Client:
            client = clients.enter_context(Client(running_service.url))
            client.register(f"example-{next(_numbers)}", "correct horse")
            return client

        yield register


def handle_of(client: Client) -> str:
    return client.me().player.handle


def test_the_example_bot_has_at_most_30_lines_and_plays_a_game_to_its_end(
    running_service: RunningService,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert len(BOT.read_text().splitlines()) <= 30
    monkeypatch.setattr(sys, "argv", [str(BOT), running_service.url])
    random.seed(1)
    runpy.run_path(str(BOT), run_name="__main__")
    ranking = json.loads(capsys.readouterr().out.replace("'", '"'))
    assert {entry["place"] for entry in ranking} <= {1, 2}
    assert {entry["seat"] for entry in ranking} == {0, 1}


class Organiser:
    """Starts the program of the league, as the owner of a club whose members the players are."""

    def __init__(
        self,
        url: str,
        owner: Client,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        token = owner.tokens.create(name="league", scopes=["read", "play"], days=30)["token"]
        monkeypatch.setenv("CARTULARY_URL", url)
        monkeypatch.setenv("CARTULARY_TOKEN", token)
        self._monkeypatch, self._capsys, self._folder = monkeypatch, capsys, folder

    def run(self, *words: str) -> str:
        """Run the program with these words, and return what it prints."""
        self._monkeypatch.setattr(sys, "argv", [str(LEAGUE), *words])
        self._monkeypatch.chdir(self._folder)
        runpy.run_path(str(LEAGUE), run_name="__main__")
        return self._capsys.readouterr().out.strip()

    def sheet(self, name: str) -> list[dict[str, str]]:
        """Return the rows of a spreadsheet."""
        with (self._folder / name).open(newline="") as file:
            return list(csv.DictReader(file))

    def write(self, name: str, text: str) -> None:
        """Write a spreadsheet."""
        (self._folder / name).write_text(text)


def test_a_league_is_run_from_a_spreadsheet(
    running_service: RunningService,
    players: Callable[[], Client],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    owner, members = (
        players(),
        {handle_of(client): client for client in (players() for _ in "1234")},
    )
    club = owner.clubs.create(name=f"League {next(_numbers)}", private=True)["id"]
    invitation = owner.clubs.invite(club)["token"]
    for member in members.values():
        member.clubs.join(club, invitation=invitation)
    organiser = Organiser(running_service.url, owner, tmp_path, monkeypatch, capsys)

    organiser.write("players.csv", "handle,phone\nno-such-player,1\n")
    with pytest.raises(SystemExit, match="not in the club: no-such-player"):
        organiser.run("create", club, "Spring league", "players.csv")
    assert owner.tournaments.list(mine=True)["tournaments"] == []
    rows = [f"{handle},{number}" for number, handle in enumerate(members)]
    organiser.write("players.csv", "\n".join(["handle,phone", *rows, ""]))
    league = organiser.run("create", club, "Spring league", "players.csv")
    [first, *others] = members.values()
    first.tournaments.register(league, nonce="00ff")
    organiser.run("registered", league, "players.csv")
    assert [row["registered"] for row in organiser.sheet("players.csv")] == [
        *("yes", "no", "no", "no")
    ]
    assert [row["phone"] for row in organiser.sheet("players.csv")] == [*"0123"]
    with pytest.raises(SystemExit):
        organiser.run("begin", league)
    for member in others:
        member.tournaments.register(league)
    organiser.run("begin", league)

    def drawn() -> list[Any]:
        return owner.tournaments.get(league)["drawn"]

    def begun() -> set[str | None]:
        return {game.id for member in members.values() for game in member.me().games}

    wait_until(drawn)
    (tables,) = [drawn["tables"] for drawn in drawn()]
    assert len(tables) == 2
    wait_until(lambda: begun() == {table["game"] for table in tables})
    winners = []
    for table in tables:
        handles = owner.tournaments.get(league)["handles"]
        winner, loser = (handles[player] or "" for player in table["players"])
        game = table["game"] or ""
        seq = members[loser].game(game).head.seq
        members[loser].submit(game, {"type": "resign"}, expected_seq=seq)
        winners.append(winner)
    wait_until(lambda: owner.tournaments.get(league)["status"] == "finished")
    organiser.run("export", league, "tables.csv", "standings.csv")
    assert [row["game"] for row in organiser.sheet("tables.csv")] == [
        table["game"] for table in tables
    ]
    standings = organiser.sheet("standings.csv")
    assert {row["handle"] for row in standings if row["place"] == "1"} == set(winners)
    assert {row["handle"] for row in standings} == set(members)
    assert {(row["division"], row["victories"], row["games"]) for row in standings} == {
        *((division, wins, "1") for division in "12" for wins in "01")
    }


def test_what_the_program_of_the_league_does_not_know_is_explained(
    running_service: RunningService,
    players: Callable[[], Client],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    organiser = Organiser(running_service.url, players(), tmp_path, monkeypatch, capsys)
    with pytest.raises(SystemExit, match=r"example_league\.py create"):
        organiser.run("end")
    with pytest.raises(SystemExit, match="no tournament"):
        organiser.run("begin", "t0000000000000000")


def test_a_bot_challenges_and_plays_its_opponent_twice(
    running_service: RunningService, players: Callable[[], Client]
) -> None:
    account, opponent = players(), players()
    account.account.mark_as_bot()
    token = account.tokens.create(name="bot", scopes=["read", "play", "chat"], days=30)["token"]
    program = runpy.run_path(str(CHALLENGER))
    plays = runpy.run_path(str(BOT))["play"]
    handle = handle_of(opponent)
    failures: list[BaseException] = []

    def challenge() -> None:
        try:
            with Client(running_service.url, token) as client:
                program["Challenger"](client, [handle]).run(games=2)
        except BaseException as error:  # noqa: BLE001 # the test reports it
            failures.append(error)

    bot = threading.Thread(target=challenge, daemon=True)
    bot.start()
    played: list[str] = []
    for _ in range(2):

        def invited() -> list[str]:
            assert not failures, failures
            listed = opponent.invitations.list().games
            return [game.id for game in listed if game.status == "open"]

        wait_until(invited)
        (game,) = invited()
        opponent.join(game)
        plays(opponent, game)
        played.append(game)
    bot.join(HANG_SECONDS)
    assert (bot.is_alive(), failures, len(set(played))) == (False, [], 2)
    for game in played:
        assert opponent.game(game).status == "finished"
        (message,) = opponent.messages(game).messages
        assert (message.player.id, message.text) == (
            account.me().player.id,
            "Thank you for the game!",
        )
    first = next(iter(opponent.stream(played[0])))
    assert isinstance(first, Event)
