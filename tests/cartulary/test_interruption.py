"""Ctrl-C while a command imports its modules ends it without a traceback."""

import signal
import sys
from pathlib import Path

import pytest

from tests.support.processes import ROOT, environment, free_port, run_program

INTERRUPT = """
import os, signal, sys

class Interrupter:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["INTERRUPTED_IMPORT"]:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupter())
"""


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("arguments", "module", "status"),
    [
        (["serve"], "service.operation.embedded_redis", -signal.SIGINT),
        (["serve"], "workers.scheduler", 0),
        (["worker"], "rq", -signal.SIGINT),
        (["audit", "game.jsonl"], "domain.registry", -signal.SIGINT),
        *(
            pytest.param(*values, marks=pytest.mark.nightly)
            for values in (
                (["serve"], "click", -signal.SIGINT),
                (["serve"], "service.server.web_process", 0),
                (["web", "--processes", "1"], "service.server.web_process", -signal.SIGINT),
                (["scheduler"], "workers.scheduler", -signal.SIGINT),
            )
        ),
    ],
)
def test_ctrl_c_during_an_import_ends_a_command_without_a_traceback(
    tmp_path: Path, arguments: list[str], module: str, status: int
) -> None:
    (tmp_path / "sitecustomize.py").write_text(INTERRUPT)
    if arguments[0] in ("serve", "web"):
        arguments = [*arguments, "--port", str(free_port())]
    result = run_program(
        [sys.executable, "-m", "cartulary", *arguments],
        cwd=ROOT,
        env=environment(
            PYTHONPATH=str(tmp_path),
            INTERRUPTED_IMPORT=module,
            CARTULARY_DATA=str(tmp_path / "data"),
        ),
    )
    assert result.returncode == status
    assert "Traceback" not in result.stderr
    assert result.stderr == ("" if status else "stopping\nstopped\n")
    assert not (tmp_path / "data" / "redis" / "redis.pid").exists()
