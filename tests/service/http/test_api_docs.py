"""The examples of docs/http.md, run in order by a shell with curl, on a server of their own."""

import json
import re
import subprocess
from pathlib import Path

from service.embedded_redis import EmbeddedRedis
from tests.service.conftest import settings_for
from tests.support.server import ROOT, WebServer

PAGE = ROOT / "docs" / "http.md"


def test_the_examples_run_and_have_the_results_that_the_page_describes(tmp_path: Path) -> None:
    examples = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(examples) == 7
    marked = "".join(f"{example}echo; echo '---'\n" for example in examples)
    with (
        EmbeddedRedis(tmp_path / "redis") as redis_server,
        WebServer(settings_for(redis_server, tmp_path)) as server,
    ):
        done = subprocess.run(
            ["/bin/bash", "-euo", "pipefail", "-c", marked],
            env={"URL": server.url, "PATH": "/usr/local/bin:/usr/bin:/bin"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    _, table, acted, read, listed, streamed, refused = done.stdout.split("---\n")[:-1]
    assert json.loads(table)["status"] == "playing"
    accepted = json.loads(acted)
    assert accepted["events"][0]["type"] == "CityPlaced"
    assert accepted["receipt"]["seq"] == 5
    decoder = json.JSONDecoder()
    position, end = decoder.raw_decode(read)
    events, more = decoder.raw_decode(read[end:])
    event, _ = decoder.raw_decode(read[end + more :])
    assert position == event["before"]
    assert events["events"] == [event["event"]]
    assert (tmp_path / "game.jsonl").read_text().count("\n") >= 6
    assert [game["id"] for game in json.loads(listed)["games"]] == [event["event"]["game"]]
    assert f"id: 5\ndata: {json.dumps(event['event'], separators=(',', ':'))}\n\n" in streamed
    problem = json.loads(refused)
    assert (problem["status"], problem["clause"]) == (422, "BY-SET-4")
