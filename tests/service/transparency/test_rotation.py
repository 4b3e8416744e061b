"""A signing key is replaced and retired: new witnesses follow the server from then on."""

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cartulary.cli import cartulary
from client.witness.folder import WitnessFolder
from service.bootstrap import Service
from service.bounds import Bounds
from service.settings import Settings
from tests.support.server import WebServer
from tests.support.service_games import start_game, take_action


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Settings with which a checkpoint is replaced as soon as the log grows."""
    return replace(settings, bounds=Bounds(max_clock_jump_seconds=1e12, checkpoint_seconds=0.01))


def follow(server: WebServer, folder: Path) -> Result:
    """Let a witness look at the server once."""
    words = ["witness", server.url, "--once", "--dir", str(folder)]
    return CliRunner().invoke(cartulary, words)


def grow(service: Service, game_id: str) -> None:
    """Add an entry to the log."""
    take_action(service, game_id)
    service.transparency.head_log.log([game_id])


@pytest.mark.nightly
@pytest.mark.parametrize("has_both", [True, False], ids=["after both have signed", "at once"])
def test_a_witness_that_begins_after_a_rotation_continues(
    settings: Settings, service: Service, tmp_path: Path, *, has_both: bool
) -> None:
    game = start_game(service).id
    grow(service, game)
    new_settings = replace(settings, signing_key=tmp_path / "new-key.pem")
    early, late = tmp_path / "early", tmp_path / "late"
    with WebServer(settings) as server:
        assert follow(server, early).exit_code == 0
    with WebServer(new_settings) as server:
        if has_both:
            assert follow(server, early).exit_code == 0
        service.keyring.retire(service.keyring.signing_key.id)
        assert follow(server, late).exit_code == 0
        pinned = WitnessFolder.read(late).server_key
        former = WitnessFolder.read(early).server_key
        assert pinned is not None
        assert former is not None
        assert (pinned.name, pinned.public != former.public) == (former.name, True)
        # One that knows the former key is told at once that it has changed.
        result = follow(server, early)
        assert result.exit_code == 1
        assert "key" in result.stderr
        grow(service, game)
        result = follow(server, late)
        assert (result.exit_code, "1 new, consistent" in result.stdout) == (0, True), result.output
