"""The examples of docs/http.md, run in order by a shell with curl, on a server of their own."""

import json
import re
import sys
from pathlib import Path

from service.operation.embedded_redis import EmbeddedRedis
from tests.service.conftest import settings_for
from tests.support.processes import run_program
from tests.support.server import ROOT, WebServer

COMMANDS = Path(sys.executable).parent
"""The folder of the command `cartulary`."""
PAGE = ROOT / "docs" / "http.md"


def test_the_examples_run_and_have_the_results_that_the_page_describes(tmp_path: Path) -> None:
    examples = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(examples) == 21
    script = "".join(f"{example}echo; echo '---'\n" for example in examples)
    with (
        EmbeddedRedis(tmp_path / "redis") as redis_server,
        WebServer(settings_for(redis_server, tmp_path)) as server,
    ):
        process = run_program(
            ["/bin/bash", "-euo", "pipefail", "-c", script],
            env={"URL": server.url, "PATH": f"{COMMANDS}:/usr/local/bin:/usr/bin:/bin"},
            cwd=tmp_path,
        )
    assert process.returncode == 0, process.stdout + process.stderr
    outputs = process.stdout.split("---\n")[:-1]
    _, game, receipt, history, with_token, _, _, in_french, games, filtered, *rest = outputs
    explained, stream, feed, sandbox, invited, in_club, talk, with_bot, refusal, key, signed = rest
    assert '"bot":"random"' in with_bot
    assert json.loads(game)["status"] == "playing"
    assert json.loads(with_token)["rules"] == "barony"
    (exported,) = (tmp_path / "games.jsonl").read_text().splitlines()
    assert json.loads(exported)["game"] == json.loads(game)["id"]
    assert json.loads(in_french)["title"] == "Ressource introuvable"
    # No scheduler has logged a head.
    assert json.loads(feed) == {"events": [], "cursor": "0-0-", "next": None}
    accepted = json.loads(receipt)
    assert accepted["events"][0]["type"] == "CityPlaced"
    assert accepted["receipt"]["seq"] == 5
    decoder = json.JSONDecoder()
    position, end = decoder.raw_decode(history)
    events, length = decoder.raw_decode(history[end:])
    event, _ = decoder.raw_decode(history[end + length :])
    assert position == event["before"]
    assert events["events"] == [event["event"]]
    assert (tmp_path / "game.jsonl").read_text().count("\n") >= 6
    listed, end = decoder.raw_decode(games)
    assert [game["id"] for game in listed["games"]] == [event["event"]["game"]]
    assert json.loads(games[end:])["games"] == []
    _, end = decoder.raw_decode(invited)
    (waiting,) = json.loads(invited[end:])["games"]
    assert waiting["options"]["name"] == "Friday evening"
    *_, club_games = in_club.splitlines()
    (club_game,) = json.loads(club_games[club_games.rindex('{"games":') :])["games"]
    assert club_game["options"]["private"] is True
    assert len(club_game["options"]["club"]) == 16
    posted, end = decoder.raw_decode(talk)
    read, length = decoder.raw_decode(talk[end:])
    muted, _ = decoder.raw_decode(talk[end + length :])
    assert read["messages"] == [posted]
    assert muted["messages"] == [{**posted, "text": None, "muted": True}]
    assert json.loads(filtered)["events"] == [event["event"]]
    assert json.loads(explained)["event"] == event["event"]
    assert f"id: 5\ndata: {json.dumps(event['event'], separators=(',', ':'))}\n\n" in stream
    bots, end = decoder.raw_decode(sandbox)
    undone, length = decoder.raw_decode(sandbox[end:])
    shown, _ = decoder.raw_decode(sandbox[end + length :])
    assert [action["seat"] for action in bots["actions"]] == [1, 1, 1]
    assert undone == shown
    assert undone["actions"] == bots["actions"][:2]
    problem = json.loads(refusal)
    assert (problem["status"], problem["clause"]) == (422, "BY-SET-4")
    generated, end = decoder.raw_decode(key)
    registered, _ = decoder.raw_decode(key[end + 1 :])
    assert (registered["key"], registered["public"]) == (generated["key"], generated["public"])
    assert json.loads(signed)["events"][0]["signature"]["key"] == generated["key"]
