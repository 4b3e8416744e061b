"""Jobs do what a note calls for, once, however often, late or at the same time they run."""

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from domain.game import Game
from service import clock
from service.bootstrap import Service, build
from service.errors import Unavailable
from service.settings import Settings
from service.store.redis_event_store import ACTIVE_GAMES_KEY
from tests.support.table import PLAYERS, move, play, played_out, set_up, started
from tests.support.worker_office import Copies, Office
from workers.jobs import PAUSES, Jobs
from workers.tasks import Work

ROOT = Path(__file__).parents[2]

AT_ONCE = """
import sys
from pathlib import Path
from service import clock
from service.bootstrap import build
from service.settings import Settings
from workers.jobs import Jobs
from workers.tasks import Work
url, data, *words = sys.argv[1:]
jobs = Jobs(build(Settings(Path(data), url, url, Path(data) / "signing-key.pem")), ())
print("ready", flush=True)
sys.stdin.readline()
jobs.do(Work(*words))
"""


def types(service: Service, game: Game) -> list[str]:
    return [event["type"] for event in service.queries.events(game.id, 0, 10_000)]


def ended_round(service: Service) -> Game:
    return play(service, started(service).id, lambda game: bool(game.rounds_ended))


def test_a_round_is_scored_and_its_note_gone(service: Service, office: Office) -> None:
    game = ended_round(service)
    work = office.notes(game.id)["score/1"]
    assert office.jobs.do(work)
    assert types(service, game).count("RoundScored") == 1
    notes = office.notes(game.id)
    assert "score/1" not in notes
    assert notes["notify/round/1"].said == {"seq": game.seq + 1}


def test_a_game_that_is_played_out_is_scored_to_its_end(service: Service, office: Office) -> None:
    game = played_out(service, started(service, round_limit=3).id)
    assert office.jobs.do(office.notes(game.id)["finish"])
    assert types(service, game)[-4:] == ["RoundScored"] * 3 + ["GameFinished"]
    left = set(office.notes(game.id))
    assert left == {"notify/round/1", "notify/round/2", "notify/round/3", "notify/over"}


def test_a_job_that_comes_again_or_late_does_nothing(service: Service, office: Office) -> None:
    game = played_out(service, started(service, round_limit=2).id)
    works = office.notes(game.id)
    for _ in range(2):
        for work in works.values():
            assert office.jobs.do(work)
    events = types(service, game)
    assert events.count("RoundScored") == 2
    assert events.count("GameFinished") == 1


def test_jobs_in_many_threads_at_once_append_once(
    service: Service, office: Office, settings: Settings
) -> None:
    game = played_out(service, started(service, round_limit=6).id)
    works = [work for work in office.notes(game.id).values() if work.kind == "score"]
    assert len(works) == 7
    others = [build(settings) for _ in range(6)]
    offices = [Jobs(other, ()) for other in others]
    with ThreadPoolExecutor(6) as pool:
        for done in [pool.submit(jobs.do, work) for jobs in offices for work in works]:
            assert done.result()
    for other in others:
        other.redis.close()
    events = types(service, game)
    assert events[-7:] == ["RoundScored"] * 6 + ["GameFinished"]
    assert len(events) == game.seq + 7


def test_jobs_in_several_processes_at_once_append_once(
    service: Service, office: Office, settings: Settings
) -> None:
    game = played_out(service, started(service, round_limit=6).id)
    work = office.notes(game.id)["finish"]
    words = [settings.redis_url, str(settings.data), work.game, work.note, work.value]
    command = [sys.executable, "-c", AT_ONCE, *words]
    processes = [
        subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.communicate("go\n")
    assert [process.returncode for process in processes] == [0, 0, 0]
    events = types(service, game)
    assert events[-7:] == ["RoundScored"] * 6 + ["GameFinished"]
    assert len(events) == game.seq + 7


def test_whose_turn_it_is_is_told(service: Service, office: Office, copies: Copies) -> None:
    game = started(service, clock={"per_turn": 3600})
    work = office.notes(game.id)["notify/turn"]
    assert office.jobs.do(work)
    (notice,) = copies.sent
    assert game.to_act is not None
    assert notice.subject == "your_turn"
    assert notice.players == (game.players[game.to_act],)
    assert notice.as_json() == {
        "delivery": work.id,
        "subject": "your_turn",
        "game": game.id,
        "rules": game.rules.NAME,
        "seq": game.seq,
        "players": [game.players[game.to_act]],
        "seat": game.to_act,
        "round": 0,
        "deadline": clock.deadline(game),
    }
    assert "notify/turn" not in office.notes(game.id)


def test_a_turn_that_is_over_is_not_told(service: Service, office: Office, copies: Copies) -> None:
    game = set_up(service, started(service).id)
    work = office.notes(game.id)["notify/turn"]
    move(service, game.id)
    assert office.jobs.do(work)
    assert copies.sent == []
    assert office.notes(game.id)["notify/turn"].value != work.value


def test_rounds_and_the_end_are_told_to_all_and_the_game_is_live_no_more(
    service: Service, office: Office, copies: Copies
) -> None:
    game = played_out(service, started(service, round_limit=2).id)
    while works := office.notes(game.id):
        for work in works.values():
            office.jobs.do(work)
    assert [notice.subject for notice in copies.sent] == [
        "round_scored",
        "round_scored",
        "game_over",
    ]
    assert {notice.players for notice in copies.sent} == {PLAYERS[:2]}
    first, second, last = (notice.facts for notice in copies.sent)
    assert (first["round"], second["round"]) == (1, 2)
    assert [entry["seat"] for entry in second["standings"]] == [0, 1]
    assert last == {"status": "finished", "ranking": service.queries.game(game.id).ranking}
    assert not service.redis.sismember(ACTIVE_GAMES_KEY, game.id)


def test_a_game_abandoned_before_it_began_is_told_to_nobody_who_left(
    service: Service, office: Office, copies: Copies
) -> None:
    game = service.commands.create(
        "ada", rules="barony", seats=2, options={}, clock=None, invited=(), nonce=None
    )
    game = service.commands.leave(game.id, "ada")
    office.jobs.do(office.notes(game.id)["notify/over"])
    (notice,) = copies.sent
    assert notice.players == ()
    assert notice.facts == {"status": "abandoned", "ranking": None}


def test_one_sender_that_fails_keeps_the_others_from_nothing_and_is_tried_alone(
    service: Service, copies: Copies
) -> None:
    late = Copies(away=1)
    late.name = "late"
    office = Office(service, late, copies)
    game = started(service)
    work = office.notes(game.id)["notify/turn"]
    told: set[str] = set()
    assert not office.jobs.do(work, told, 0)
    assert told == {"copies"}
    assert office.notes(game.id)["notify/turn"] == work
    assert office.jobs.do(work, told, 1)
    assert [len(late.sent), len(copies.sent)] == [1, 1]
    assert late.sent == copies.sent
    assert "notify/turn" not in office.notes(game.id)
    office.client.close()


def test_a_notice_that_cannot_be_delivered_is_given_up_after_the_last_try(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    office = Office(service, Copies(away=1000))
    game = started(service)
    work = office.notes(game.id)["notify/turn"]
    assert not office.jobs.do(work, set(), len(PAUSES) - 1)
    assert office.jobs.do(work, set(), len(PAUSES))
    assert "given up: nobody answers" in caplog.text
    assert "notify/turn" not in office.notes(game.id)
    office.client.close()


def test_what_is_to_be_listed_is_listed(service: Service, office: Office) -> None:
    game = started(service)
    assert service.listings.playing("ada") == [game.id]
    service.listings.clear()
    service.redis.hset(f"cartulary:{{{game.id}}}:notes", "index", '{"seq":4}')
    assert office.jobs.do(office.notes(game.id)["index"])
    assert service.listings.playing("ada") == [game.id]
    assert "index" not in office.notes(game.id)


@pytest.mark.parametrize("note", ["notify/birthday", "recount"])
def test_a_note_of_a_later_version_is_left_for_that(
    service: Service, office: Office, copies: Copies, caplog: pytest.LogCaptureFixture, note: str
) -> None:
    game = started(service)
    service.redis.hset(f"cartulary:{{{game.id}}}:notes", note, "{}")
    assert office.jobs.do(Work(game.id, note, "{}"))
    assert note in office.notes(game.id)
    assert copies.sent == []
    assert "a later version has to see to" in caplog.text


def test_a_note_without_a_log_is_said_and_stops_nobody(
    service: Service, office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    service.redis.hset("cartulary:{nothing}:notes", "finish", "{}")
    assert office.jobs.do(Work("nothing", "finish", "{}"))
    assert "has a note, finish, and no log" in caplog.text


def test_a_store_that_is_away_leaves_the_note(
    service: Service, office: Office, settings: Settings, tmp_path: Path
) -> None:
    nowhere = f"unix://{tmp_path}/nothing.sock"
    away = build(Settings(tmp_path, nowhere, nowhere, tmp_path / "signing-key.pem"))
    with pytest.raises(Unavailable):
        Jobs(away, ()).do(Work("any", "finish", "{}"))
    away.redis.close()


@pytest.mark.parametrize(
    "other",
    [
        lambda work: Work(work.game, work.note, '{"seq":8}'),
        lambda work: Work(work.game, "finish", work.value),
        lambda work: Work("h", work.note, work.value),
    ],
)
def test_the_same_note_has_the_same_id_and_another_has_another(
    other: Callable[[Work], Work],
) -> None:
    work = Work("g", "score/1", '{"seq":7}')
    assert work.id == Work("g", "score/1", '{"seq":7}').id
    assert other(work).id != work.id
