"""An event leads to the lines of the operator's log: the id of its request or job is kept beside it."""

from pathlib import Path

import orjson

from domain.lifecycle import NewGame
from service.provenance import Provenance, decode, working_for
from service.recovery.reindex import reindex
from service.settings import Settings
from tests.support.processes import Start, cartulary_here, wait_until
from tests.support.service_games import start_game, take_action
from tests.support.worker_harness import WorkerHarness

REQUEST = Provenance("request", "c0ffee-1")


def test_events_have_the_id_of_their_request_or_job_which_no_record_has(
    workers: WorkerHarness,
) -> None:
    service = workers.service
    with working_for(REQUEST):
        game = start_game(service)
    with working_for(Provenance("job", "j1")):
        service.games.commands.act(game.id, "ada", {"type": "resign"}, game.seq)
    stored = service.store.provenance(game.id)
    assert [*stored] == [*range(1, service.store.head(game.id) + 1)]
    assert {stored[seq] for seq in range(1, game.seq + 1)} == {"r c0ffee-1"}
    assert decode(stored[game.seq + 1]) == Provenance("job", "j1")
    for data in (*service.games.queries.record(game.id), *service.store.read(game.id)):
        assert REQUEST.id.encode() not in data
    reindex(service, lambda _: None)
    assert service.store.provenance(game.id) == stored


def test_the_log_of_a_worker_has_the_job_of_each_event_and_inspect_shows_it(
    workers: WorkerHarness, start: Start, settings: Settings, tmp_path: Path
) -> None:
    service = workers.service
    game = service.games.commands.create(
        "ada", NewGame(rules="barony", seats=2, options={"seating": "joined"}), bots=("sensible",)
    )
    take_action(service, game.id)
    start("worker", "--scheduler")
    wait_until(lambda: service.store.provenance(game.id))
    seq, stored = next(iter(service.store.provenance(game.id).items()))
    job = decode(stored)
    assert job is not None
    assert job.kind == "job"
    ending = f"game {game.id}, event {seq}"
    wait_until(lambda: ending in (tmp_path / "err").read_text())
    lines = [orjson.loads(line) for line in (tmp_path / "err").read_bytes().splitlines()]
    assert [line["job"] for line in lines if line["message"].endswith(ending)] == [job.id]
    data = {"CARTULARY_DATA": str(settings.data), "CARTULARY_QUEUE_URL": settings.queue_url}
    command = ("inspect", game.id, str(seq), "--redis", settings.redis_url)
    assert f"appended by the job {job.id}" in cartulary_here(*command, **data).stdout
    printed = orjson.loads(cartulary_here(*command, "--json", **data).stdout)
    assert printed["provenance"] == {"kind": "job", "id": job.id}
    # An event of which the id is not known, as those of earlier versions.
    earlier = orjson.loads(
        cartulary_here("inspect", game.id, "1", *command[3:], "--json", **data).stdout
    )
    assert earlier["provenance"] is None
