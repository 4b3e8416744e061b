"""The example bot of the docs plays a whole game, on a service of real processes.

Without a browser: it is here because the browser tests start such a service.
"""

import json
import random
import runpy
import sys

import pytest

from tests.support.pages import DOCS
from tests.support.running_service import RunningService

BOT = DOCS / "example_bot.py"


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
