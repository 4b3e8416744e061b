"""Projections over the event feed: each event counts once, and a rebuild leads to the same values."""

from collections import Counter
from collections.abc import Sequence

import pytest
from click.testing import CliRunner, Result
from typing_extensions import override

from cartulary.cli import cartulary
from domain.errors import Unreadable
from domain.event import Event
from domain.lifecycle import NewGame
from domain.messages import message
from service.bootstrap import Service
from service.connection import to_text
from service.games.statistics import GameCounts
from service.projections import event_feed
from service.projections.event_feed import EventFeed
from service.projections.projections import Changes, Projections, ReadValues
from service.settings import Settings
from tests.support.service_games import play_out, start_game, take_action
from tests.support.worker_harness import WorkerHarness

NAME = GameCounts.name


class EventTypes:
    """Counts the events by type."""

    name = "event-types"
    fails = False

    def handle(self, events: Sequence[Event], feed: EventFeed, _: ReadValues) -> Changes:
        assert feed.size()
        if self.fails:
            raise Unreadable(message("a test"))
        return Changes(Counter(event["type"] for event in events))


def log(service: Service, *game_ids: str) -> None:
    for game_id in game_ids:
        service.transparency.head_log.log([game_id])


def score(service: Service, game_id: str) -> str:
    while service.games.queries.game(game_id).status != "finished":
        service.games.commands.score(game_id)
    return game_id


def finish(service: Service, *, private: bool = False) -> str:
    game = play_out(service, start_game(service, round_limit=1, private=private).id).id
    return score(service, game)


def test_games_that_ended_are_counted_by_kind_and_ending_and_private_ones_never(
    service: Service,
) -> None:
    finished = [finish(service), finish(service)]
    resigned = start_game(service, rules="baron").id
    seq = service.games.queries.game(resigned).seq
    service.games.commands.act(resigned, "ada", {"type": "resign"}, seq)
    score(service, resigned)
    removed = start_game(service, rules="baron").id
    service.administration.remove_seat("operator", removed, 0, "a test")
    score(service, removed)
    abandoned = start_game(service).id
    service.administration.abandon("operator", abandoned, "a test")
    games = [*finished, resigned, removed, abandoned]
    log(service, *games, finish(service, private=True), start_game(service, private=True).id)
    projections = service.games.projections
    assert projections.catch_up()
    winners = Counter(
        entry["seat"]
        for game in finished
        for entry in service.games.queries.game(game).ranking or ()
        if entry["place"] == 1
    )
    wins = {f"barony 2 wins {seat}": count for seat, count in winners.items()}
    events = sum(service.store.head(game) for game in games)
    expected = {
        "events": events,
        "barony 2 ended completed": 2,
        "barony 2 ended abandonment": 1,
        "baron 2 ended resignation": 1,
        "baron 2 ended removal": 1,
        "baron 2 wins 1": 2,
        **wins,
    }
    assert projections.values(NAME) == expected
    assert projections.catch_up()
    assert projections.values(NAME) == expected


def test_position_and_lag_say_how_far_a_projection_is(service: Service) -> None:
    projections = service.games.projections
    games = [start_game(service).id for _ in range(3)]
    log(service, *games)
    before = next(state for state in projections.states() if state.name == NAME)
    assert (before.name, before.position, before.lag) == (NAME, "", 3)
    projections.catch_up()
    after = next(state for state in projections.states() if state.name == NAME)
    assert after.lag == 0
    assert after.position.startswith("3-0-")


def test_a_page_that_two_processes_handle_counts_once(service: Service) -> None:
    class Racing(EventTypes):
        """Lets another process handle the page first."""

        other: Projections | None = None

        @override
        def handle(self, events: Sequence[Event], feed: EventFeed, _: ReadValues) -> Changes:
            other, self.other = self.other, None
            if other is not None:
                other.catch_up()
            return super().handle(events, feed, _)

    racing = Racing()
    feed = service.games.event_feed
    first = Projections(service.redis, feed, [racing])
    racing.other = Projections(service.redis, feed, [EventTypes()])
    log(service, start_game(service).id)
    assert first.catch_up()
    assert first.values("event-types")["GameStarted"] == 1


def test_values_are_set_and_deleted_by_what_was_stored(service: Service) -> None:
    class LastEvents:
        """By open game, the last event; and the longest log of any game."""

        name = "last-events"

        def handle(self, events: Sequence[Event], _: EventFeed, read: ReadValues) -> Changes:
            values: dict[str, str | None] = {}
            longest = int(read(["longest"]).get("longest", "0"))
            for event in events:
                is_open = event["type"] != "GameStarted"
                values[event["game"]] = event["type"] if is_open else None
                longest = max(longest, event["seq"])
            return Changes({"pages": 1}, {**values, "longest": str(longest)})

    projections = Projections(service.redis, service.games.event_feed, [LastEvents()])
    open_game = service.games.commands.create(
        "ada", NewGame(rules="barony", seats=2, options={})
    ).id
    log(service, open_game)
    projections.catch_up()
    fields = [open_game, "longest", "pages"]
    assert projections.read("last-events", fields)[open_game] == "SeatTaken"
    service.games.commands.join(open_game, "bea", b"bea")
    log(service, open_game)
    projections.catch_up()
    length = str(service.games.queries.game(open_game).seq)
    assert projections.read("last-events", fields)["pages"] == "2"
    started = projections.read("last-events", fields)
    assert open_game not in started
    assert started["longest"] == length


def test_a_rebuild_replaces_the_values_when_it_is_complete(service: Service) -> None:
    projection = EventTypes()
    projections = Projections(service.redis, service.games.event_feed, [projection])
    game = start_game(service).id
    log(service, game)
    projections.catch_up()
    expected = projections.values("event-types")
    service.redis.hset("cartulary:{projection:event-types}:1", "GameStarted", 99)
    projection.fails = True
    with pytest.raises(Unreadable):
        projections.rebuild("event-types")
    assert projections.values("event-types")["GameStarted"] == 99, "the old ones are still read"
    projection.fails = False
    projections.rebuild("event-types")
    assert projections.values("event-types") == expected
    take_action(service, game)
    log(service, game)
    projections.catch_up()
    assert sum(projections.values("event-types").values()) == sum(expected.values()) + 1
    keys = {to_text(key) for key in service.redis.keys("cartulary:{projection:*")}
    key = "cartulary:{projection:event-types}"
    assert keys == {key, f"{key}:2", f"{key}:2:heads"}


def test_the_command_lists_projections_and_rebuilds_one_with_its_progress(
    service: Service, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_feed, "MAX_ENTRIES", 2)  # entries of the log on a page
    log(service, *[start_game(service).id for _ in range(5)])
    command = ["projections", "--redis", settings.redis_url]
    variables = {"CARTULARY_DATA": str(settings.data), "CARTULARY_QUEUE_URL": settings.queue_url}

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(cartulary, [*command, *arguments], env=variables)

    def line_of(result: Result) -> list[str]:
        assert result.exit_code == 0, result.output
        (line,) = [line for line in result.stdout.splitlines() if line.startswith(NAME)]
        return line.split(maxsplit=2)

    assert line_of(run()) == [NAME, "-", "5 entries behind"]
    service.games.projections.catch_up()
    values = service.games.projections.values(NAME)
    service.redis.hset(f"cartulary:{{projection:{NAME}}}:1", "events", 99)
    result = run("--rebuild", NAME)
    assert result.stderr == "2 of 5 entries ...\n4 of 5 entries ...\n"
    _, position, lag = line_of(result)
    assert (position[:4], lag) == ("5-0-", "0 entries behind")
    assert service.games.projections.values(NAME) == values
    refused = run("--rebuild", "ratio")
    assert refused.exit_code == 2
    assert f"name one of {NAME}" in refused.stderr


def test_a_projection_of_another_history_begins_again(service: Service) -> None:
    projections = service.games.projections
    log(service, finish(service))
    projections.catch_up()
    expected = projections.values(NAME)
    position = "9-0-" + "0" * 16
    service.redis.hset(f"cartulary:{{projection:{NAME}}}", "position:1", position)
    assert not projections.catch_up()
    assert projections.catch_up()
    assert projections.values(NAME) == expected


def test_the_scheduler_advances_projections_and_reports_their_lag(
    service: Service, workers: WorkerHarness
) -> None:
    log(service, finish(service))
    workers.scheduler.report()
    (report,) = [item for item in service.process_reports.all() if item.kind == "scheduler"]
    assert report.figures is not None
    assert report.figures[f"projection_lag {NAME}"] == 1
    assert workers.scheduler.advance_projections()
    workers.scheduler.report()
    (report,) = [item for item in service.process_reports.all() if item.kind == "scheduler"]
    assert report.figures is not None
    assert report.figures[f"projection_lag {NAME}"] == 0


def test_a_projection_that_fails_does_not_stop_the_scheduler(
    service: Service, workers: WorkerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Changes:
        raise KeyError("a test")

    monkeypatch.setattr(GameCounts, "handle", fail)
    log(service, start_game(service).id)
    assert workers.scheduler.advance_projections()
    assert service.games.projections.states()[0].lag == 1
