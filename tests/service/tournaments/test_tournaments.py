"""Tournaments from their creation to their end, with a real store, scheduler and worker."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from freezegun import freeze_time

from domain.errors import Unreadable
from domain.tournaments.events import TournamentEvent
from domain.tournaments.places import places_in
from ledger.pending import PendingEvents
from replay.audit import audit
from replay.language.renderer import english
from replay.tournaments.audit import audit_tournament
from replay.tournaments.log import read_tournament
from service import wall_clock
from service.bootstrap import Service, build
from service.errors import Forbidden, NotFound
from service.games.game_cache import CachedGame
from service.recovery.reindex import reindex
from tests.simulation.mailboxes import Mailbox
from tests.support.service_games import play_set_up, take_action
from tests.support.tournaments import (
    CLOCK,
    DAY,
    START,
    SWISS,
    advance,
    create,
    end_game,
    organiser,
    play_without,
    register,
    register_accounts,
)
from tests.support.worker_harness import RecordingChannel, WorkerHarness


class Killed(BaseException):
    """The worker was killed."""


@pytest.fixture
def harness(service: Service) -> Iterator[WorkerHarness]:
    """A scheduler and a worker."""
    harness = WorkerHarness(service)
    yield harness
    harness.close()


def test_a_swiss_tournament_runs_to_its_end(service: Service, harness: WorkerHarness) -> None:
    with freeze_time(START) as time:
        olga = organiser(service)
        players = register_accounts(service, 5)
        id = create(service, olga).id
        register(service, id, players)
        advance(harness)
        assert service.tournaments.tournaments.load(id).status == "open"
        time.tick(timedelta(days=1))
        for number in range(1, 4):
            advance(harness)
            tournament = service.tournaments.tournaments.load(id)
            drawn = tournament.rounds[-1]
            assert (tournament.status, drawn.number) == ("running", number)
            assert sorted(map(len, drawn.tables)) == [1, 2, 2]
            for table, game_id in enumerate(drawn.games, 1):
                if game_id is None:
                    continue
                game = service.games.queries.game(game_id)
                assert game.players == drawn.players[table - 1]
                assert game.options["tournament"]["drawn"] == drawn.hash
                end_game(service, game_id)
            time.tick(timedelta(minutes=1))
        advance(harness)
        tournament = service.tournaments.tournaments.load(id)
        assert tournament.status == "finished"
        assert tournament.final_standings is not None
        (group,) = tournament.final_standings
        assert sorted(row["player"] for row in group) == sorted(players)
        assert tournament.games_secret is not None
        assert service.tournaments.store.due(10**12, 100) == []
        record = read_tournament(b"".join(service.tournaments.tournaments.record(id, None)))
        assert len(record.events) == tournament.seq


def test_the_games_of_a_private_tournament_begin_and_are_seen_by_their_players_only(
    service: Service, harness: WorkerHarness
) -> None:
    with freeze_time(START) as time:
        olga, players = organiser(service), register_accounts(service, 4)
        id = create(service, olga, private=True, invite=["p1", "p2", "p3", "p4"]).id
        register(service, id, players)
        time.tick(timedelta(days=1))
        advance(harness)
        drawn = service.tournaments.tournaments.load(id).rounds[0]
        for game_id, seated in zip(drawn.games, drawn.players, strict=True):
            assert game_id is not None
            for player in (olga, *players, None):
                if player in seated:
                    assert service.games.queries.visible_game(game_id, player).status == "playing"
                else:
                    with pytest.raises(NotFound):
                        service.games.queries.visible_game(game_id, player)
            end_game(service, game_id)
            report = audit(BytesIO(b"".join(service.games.queries.record(game_id))))
            assert report.verdict != "broken", report
        record = read_tournament(b"".join(service.tournaments.tournaments.record(id, olga)))
        games = {game: b"".join(service.games.queries.record(game)) for game in drawn.games if game}
        assert audit_tournament(record, games.get).outcome != "broken"


def test_the_games_of_a_private_tournament_of_a_club_belong_to_the_club(
    service: Service, harness: WorkerHarness
) -> None:
    with freeze_time(START) as time:
        owner, ben, cyd, eve = register_accounts(service, 4)
        club = service.clubs.create(owner, "Wednesdays", is_private=True).id
        for member in (ben, cyd):
            service.clubs.invite(club, owner, member)
            service.clubs.join(club, member)
        changes = {"options": {"round_limit": 1, "club": club}, "private": True}
        id = create(service, owner, **changes).id
        with pytest.raises(NotFound):
            service.tournaments.tournaments.register(id, eve)
        register(service, id, (ben, cyd))
        time.tick(timedelta(days=1))
        advance(harness)
        (game_id,) = service.tournaments.tournaments.load(id).rounds[0].games
        assert game_id is not None
        game = service.games.queries.visible_game(game_id, owner)
        assert (game.options["club"], game.options["private"]) == (club, True)
        with pytest.raises(NotFound):
            service.games.queries.visible_game(game_id, eve)
        assert "notify/created" not in service.store.outbox(game_id)
        end_game(service, game_id)
        report = audit(BytesIO(b"".join(service.games.queries.record(game_id))))
        assert report.verdict != "broken"

        def listed(viewer: str | None) -> list[str]:
            found, _ = service.tournaments.tournaments.page(viewer=viewer, club=club)
            return [tournament.id for tournament in found]

        assert listed(cyd) == listed(owner) == [id]
        assert listed(eve) == listed(None) == []
        reindex(service)
        assert listed(owner) == [id]
        service.clubs.close(club, owner)
        with pytest.raises(Forbidden):
            service.tournaments.tournaments.register(id, owner)
        assert listed(eve) == []


def test_a_table_is_settled_by_the_position_at_the_last_date(
    service: Service, harness: WorkerHarness
) -> None:
    with freeze_time(START) as time:
        id = create(service, organiser(service), round_seconds=DAY).id
        register(service, id, register_accounts(service, 2))
        time.tick(timedelta(days=1))
        advance(harness)
        (game_id,) = service.tournaments.tournaments.load(id).rounds[0].games
        assert game_id is not None
        game = play_set_up(service, game_id)
        time.tick(timedelta(days=1, seconds=4))
        # By now the last date has passed, but an action may be on its way.
        advance(harness)
        assert len(service.tournaments.tournaments.load(id).rounds) == 1
        end_game(service, game_id)
        time.tick(timedelta(minutes=1))
        advance(harness)
        settled = event_of_type(service, id, "TableSettled")["data"]
        assert (settled["seq"], settled["hash"]) == (game.seq, game.hash)
        assert settled["places"] == list(places_in(game))
        assert service.games.queries.game(game_id).status == "finished"


@pytest.mark.parametrize(("remove_after", "type"), [(None, "TableSettled"), (2, "ResultRecorded")])
def test_a_player_who_never_acts_has_no_place_whatever_the_scores_are(
    service: Service, harness: WorkerHarness, remove_after: int | None, type: str
) -> None:
    absence = {**CLOCK, "on_deadline": {"remove_after": remove_after, "abandon_after": 20}}
    with freeze_time(START) as time:
        id = create(
            service, organiser(service), clock=absence, options={}, round_seconds=5 * DAY
        ).id
        register(service, id, register_accounts(service, 2))
        time.tick(timedelta(days=1))
        advance(harness)
        (game_id,) = service.tournaments.tournaments.load(id).rounds[0].games
        assert game_id is not None
        play_without(service, harness, time, game_id, absent=0, days=5)
        time.tick(timedelta(minutes=1))
        advance(harness)
        assert event_of_type(service, id, type, 1)["data"]["places"] == [0, 1]
        assert_sound(service, id)


def test_a_player_who_has_acted_once_is_placed_by_the_position(
    service: Service, harness: WorkerHarness
) -> None:
    absence = {**CLOCK, "on_deadline": {"remove_after": None, "abandon_after": 20}}
    with freeze_time(START) as time:
        id = create(
            service, organiser(service), clock=absence, options={}, round_seconds=5 * DAY
        ).id
        register(service, id, register_accounts(service, 2))
        time.tick(timedelta(days=1))
        advance(harness)
        (game_id,) = service.tournaments.tournaments.load(id).rounds[0].games
        assert game_id is not None
        take_action(service, game_id)
        play_without(service, harness, time, game_id, absent=0, days=5)
        time.tick(timedelta(minutes=1))
        advance(harness)
        assert 0 not in event_of_type(service, id, "TableSettled", 1)["data"]["places"]


def test_a_game_that_waits_for_its_first_player_in_half_of_the_round_is_forfeited(
    service: Service, harness: WorkerHarness
) -> None:
    patient: Any = {"per_turn": 30 * DAY}
    with freeze_time(START) as time:
        id = create(service, organiser(service), clock=patient, round_seconds=4 * DAY).id
        register(service, id, register_accounts(service, 4))
        time.tick(timedelta(days=1))
        advance(harness)
        first, second = service.tournaments.tournaments.load(id).rounds[0].games
        assert first is not None
        assert second is not None
        # At the second table, the second player gets the turn too late to be blamed for it.
        time.tick(timedelta(days=3))
        take_action(service, second)
        time.tick(timedelta(days=1, minutes=1))
        advance(harness)
        assert event_of_type(service, id, "TableSettled", 1)["data"]["places"] == [0, 1]
        assert 0 not in event_of_type(service, id, "TableSettled", 2)["data"]["places"]
        assert_sound(service, id)


def test_an_action_delayed_past_the_last_date_is_late(
    service: Service, harness: WorkerHarness
) -> None:
    with freeze_time(START) as time:
        id = create(service, organiser(service), round_seconds=DAY).id
        register(service, id, register_accounts(service, 2))
        time.tick(timedelta(days=1))
        advance(harness)
        drawn = service.tournaments.tournaments.load(id).rounds[0]
        (game_id,) = drawn.games
        assert game_id is not None
        time.tick(timedelta(days=1, seconds=-1))
        times: list[str] = []

        def resign(cached: CachedGame, pending: PendingEvents) -> None:
            times.append(pending.next_at)
            if len(times) == 1:
                # The process is suspended, while a worker settles the table.
                time.tick(timedelta(minutes=1))
                advance(harness)
            assert cached.game.to_act is not None
            pending.act(cached.game.to_act, cached.game.rules.parse_action({"type": "resign"}))

        (event, *_) = service.games.repository.execute(game_id, resign).events
        assert times[0] < drawn.ends < times[1] == event["at"]
        assert len(service.tournaments.tournaments.load(id).rounds) == 2
        assert_sound(service, id)


def test_the_next_round_is_drawn_when_the_last_game_ends(
    service: Service, harness: WorkerHarness
) -> None:
    with freeze_time(START) as time:
        id = create(service, organiser(service)).id
        register(service, id, register_accounts(service, 4))
        time.tick(timedelta(days=1))
        advance(harness)
        for number in (1, 2, 3):
            drawn = service.tournaments.tournaments.load(id).rounds[-1]
            assert drawn.number == number
            for game_id in drawn.games:
                assert game_id is not None
                end_game(service, game_id)
                # No scheduler looks at the tournament: the job of the game's end draws the round.
                harness.scheduler.enqueue_tasks_of({game_id})
                harness.work()
        assert service.tournaments.tournaments.load(id).status == "finished"


def test_a_tournament_is_never_earlier_than_the_games_that_it_records(
    service: Service, harness: WorkerHarness
) -> None:
    # The clocks of two machines always differ a little.
    with freeze_time(START) as time:
        id = create(service, organiser(service), format={**SWISS, "rounds": 1}).id
        register(service, id, register_accounts(service, 2))
        time.tick(timedelta(days=1))
        advance(harness)
        (game_id,) = service.tournaments.tournaments.load(id).rounds[0].games
        assert game_id is not None
        time.tick(timedelta(seconds=1))
        end_game(service, game_id)
        time.tick(timedelta(milliseconds=-300))
        harness.scheduler.enqueue_tasks_of({game_id})
        harness.work()
        tournament = service.tournaments.tournaments.load(id)
        assert tournament.games_secret is not None
        assert tournament.at == service.games.queries.game(game_id).at
        assert_sound(service, id)


def assert_sound(service: Service, id: str) -> None:
    """Check that the audit of a tournament finds nothing."""
    record = read_tournament(b"".join(service.tournaments.tournaments.record(id, None)))
    verdict = audit_tournament(record, lambda game: b"".join(service.games.queries.record(game)))
    assert verdict.outcome != "broken", verdict
    assert not verdict.missing


def test_too_few_players_cancel_a_tournament(service: Service, harness: WorkerHarness) -> None:
    with freeze_time(START) as time:
        id = create(service, organiser(service), least=3).id
        register(service, id, register_accounts(service, 2))
        time.tick(timedelta(days=1))
        advance(harness)
        tournament = service.tournaments.tournaments.load(id)
        assert (tournament.status, tournament.cancel_reason) == ("cancelled", "too_few_players")
        advance(harness)
        assert service.tournaments.store.due(10**12, 100) == []


def test_concurrent_workers_draw_one_round_and_create_each_game_once(service: Service) -> None:
    with freeze_time(START) as time:
        id = create(service, organiser(service)).id
        register(service, id, register_accounts(service, 6))
        time.tick(timedelta(days=1))
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(service.tournaments.progress.advance, [id] * 4))
        (drawn,) = service.tournaments.tournaments.load(id).rounds
        assert sorted(service.store.game_ids()) == sorted(game or "" for game in drawn.games)


def test_players_are_notified_of_rounds_last_dates_and_the_end(service: Service) -> None:
    channel = RecordingChannel(name="email", is_operators=False)
    with freeze_time(START) as time:
        olga, players = organiser(service), register_accounts(service, 4)
        endpoints = Mailbox("email", [olga, *players], wall_clock.now)
        service.notifications.endpoints.add(endpoints)
        harness = WorkerHarness(service, channel)
        format = {"format": "swiss", "table_size": 2, "rounds": 1}
        id = create(service, olga, format=format, round_seconds=10 * DAY).id
        register(service, id, players)
        time.tick(timedelta(days=1))
        advance(harness)
        first, _ = service.tournaments.tournaments.load(id).rounds[0].games
        assert first is not None
        end_game(service, first)
        time.tick(timedelta(days=9, minutes=1))
        advance(harness)
        time.tick(timedelta(days=2))
        advance(harness)
        harness.close()
    drawn = service.tournaments.tournaments.load(id).rounds[0]
    sent = [item for item in channel.sent if item.kind == "tournament"]
    readers = {
        subject: sorted(item.player for item in sent if item.subject == subject)
        for subject in ("tournament_round", "tournament_last_date", "tournament_over")
    }
    assert readers == {
        "tournament_round": sorted(players),
        "tournament_last_date": sorted(drawn.players[1]),
        "tournament_over": sorted([olga, *players]),
    }
    assert {item.path for item in sent} == {f"/tournaments/{id}"}


def test_a_player_is_notified_once_when_a_captain_names_them(service: Service) -> None:
    channel = RecordingChannel(name="email", is_operators=False)
    with freeze_time(START) as time:
        olga, (ada, bea, cid) = organiser(service), register_accounts(service, 3)
        endpoints = Mailbox("email", [olga, ada, bea, cid], wall_clock.now)
        service.notifications.endpoints.add(endpoints)
        harness = WorkerHarness(service, channel)
        format = {"format": "swiss", "table_size": 2, "rounds": 1, "boards": 1}
        id = create(service, olga, format=format).id
        teams = service.tournaments.teams
        for members in (["p1", "p2"], ["p1"], ["p1", "p2"], ["p1", "p3"]):
            teams.enter(id, ada, "Crows", members)
            time.tick(timedelta(minutes=1))
            advance(harness)
        harness.close()
    sent = [item for item in channel.sent if item.kind == "tournament"]
    assert [(item.player, item.subject) for item in sent] == [
        (bea, "tournament_team"),
        (cid, "tournament_team"),
    ]
    assert {item.path for item in sent} == {f"/tournaments/{id}"}
    assert "Crows" in english(sent[0].title)


def test_players_are_notified_when_the_organiser_cancels(service: Service) -> None:
    channel = RecordingChannel(name="email", is_operators=False)
    with freeze_time(START):
        olga, players = organiser(service), register_accounts(service, 2)
        endpoints = Mailbox("email", [olga, *players], wall_clock.now)
        service.notifications.endpoints.add(endpoints)
        harness = WorkerHarness(service, channel)
        id = create(service, olga).id
        register(service, id, players)
        service.tournaments.tournaments.cancel(id, olga)
        advance(harness)
        harness.close()
    sent = [item for item in channel.sent if item.subject == "tournament_over"]
    assert sorted(item.player for item in sent) == sorted([olga, *players])
    assert service.tournaments.store.due(10**12, 100) == []


def begin_without_games(service: Service, id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a worker draw the first round, and die before it creates a game."""

    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patched, suppress(Killed):
        patched.setattr(service.store, "append", die)
        service.tournaments.progress.advance(id)
    assert list(service.store.game_ids()) == []


def test_a_game_has_the_nonces_of_the_draw_even_if_it_is_created_later(
    service: Service, harness: WorkerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    with freeze_time(START) as time:
        id = create(service, organiser(service)).id
        players = register_accounts(service, 2)
        register(service, id, players)
        time.tick(timedelta(days=1))
        begin_without_games(service, id, monkeypatch)
        tournaments = service.tournaments.tournaments
        tournaments.withdraw(id, players[0])
        tournaments.register(id, players[0], b"another")
        time.tick(timedelta(minutes=6))
        advance(harness)
        assert len(list(service.store.game_ids())) == 1
        record = read_tournament(b"".join(tournaments.record(id, None)))
        verdict = audit_tournament(
            record, lambda game: b"".join(service.games.queries.record(game))
        )
        assert verdict.outcome == "sound", verdict


def test_the_secret_of_the_games_stays_secret_while_a_worker_may_create_one(
    service: Service, harness: WorkerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    with freeze_time(START) as time:
        olga = organiser(service)
        id = create(service, olga).id
        register(service, id, register_accounts(service, 2))
        time.tick(timedelta(days=1))
        begin_without_games(service, id, monkeypatch)
        service.tournaments.tournaments.cancel(id, olga)
        advance(harness)
        assert service.tournaments.tournaments.load(id).games_secret is None
        time.tick(timedelta(hours=2))
        advance(harness)
        assert service.tournaments.tournaments.load(id).games_secret is not None


def test_a_player_who_is_erased_is_withdrawn(service: Service, harness: WorkerHarness) -> None:
    with freeze_time(START) as time:
        id = create(service, organiser(service)).id
        players = register_accounts(service, 4)
        register(service, id, players)
        service.accounts.erasure.erase(players[0], "correct horse")
        assert not service.tournaments.tournaments.load(id).takes_part(players[0])
        time.tick(timedelta(days=1))
        advance(harness)
        assert players[0] not in service.tournaments.tournaments.load(id).entrants
        service.accounts.erasure.erase(players[1], "correct horse")
        assert service.tournaments.tournaments.load(id).number_of(players[1]) is None


def test_a_damaged_tournament_does_not_prevent_an_erasure(service: Service) -> None:
    olga, (ada,) = organiser(service), register_accounts(service, 1)
    damaged, other = (create(service, olga).id for _ in range(2))
    for id in (damaged, other):
        register(service, id, (ada,))
    service.redis.xadd(f"cartulary:{{tournament:{damaged}}}:events", {"e": "{}"}, id="9-0")
    with pytest.raises(Unreadable):
        service.tournaments.tournaments.load(damaged)
    service.accounts.erasure.erase(ada, "correct horse")
    assert not service.tournaments.tournaments.load(other).takes_part(ada)
    assert service.accounts.players.get([ada]) == [None]


@pytest.mark.parametrize("is_cached", [True, False], ids=["cached", "cold"])
@pytest.mark.parametrize(
    ("damage", "fault"),
    [
        ((b'"at":"2', b'"at":"3'), "its hash does not match its content"),
        ((b'"prev":"', b'"prev":"0'), "its hash does not match its content"),
        ((b'"seq":3', b'"seq":4'), "its hash does not match its content"),
        (None, "it is missing"),
    ],
    ids=["byte", "field", "seq", "event"],
)
def test_a_changed_event_is_never_served(
    service: Service, damage: tuple[bytes, bytes] | None, fault: str, *, is_cached: bool
) -> None:
    olga, players = organiser(service), register_accounts(service, 3)
    id = create(service, olga).id
    register(service, id, players)
    key = f"cartulary:{{tournament:{id}}}:events"
    rows: Any = service.redis.xrange(key)
    service.redis.delete(key)
    for number, fields in rows:
        if number != b"3-0":
            service.redis.xadd(key, fields, id=number)
        elif damage is not None:
            service.redis.xadd(key, {"e": fields[b"e"].replace(*damage)}, id=number)
    tournaments = (service if is_cached else build(service.settings)).tournaments.tournaments

    def read_all() -> Iterator[Callable[[], object]]:
        yield lambda: tournaments.events(id, None, after=1)
        yield lambda: list(tournaments.record(id, None))
        if not is_cached:
            yield lambda: tournaments.load(id)

    for read in read_all():
        with pytest.raises(Unreadable) as raised:
            read()
        assert english(raised.value.message) == f"event 3 of tournament {id} is damaged: {fault}"


def test_no_list_of_games_has_a_tournament_and_reindexing_lists_it_again(service: Service) -> None:
    olga = organiser(service)
    public, private = create(service, olga), create(service, olga, private=True)
    assert list(service.store.game_ids()) == []
    assert service.games.listings.page_of_all().games == ()
    service.tournaments.store.clear_lists()
    assert service.tournaments.tournaments.page(viewer=olga) == ([], None)
    reindex(service)
    shown, _ = service.tournaments.tournaments.page(viewer=olga)
    assert {tournament.id for tournament in shown} == {public.id, private.id}
    shown, _ = service.tournaments.tournaments.page()
    assert [tournament.id for tournament in shown] == [public.id]


def test_the_heads_of_a_tournament_are_in_the_transparency_log(
    service: Service, harness: WorkerHarness
) -> None:
    tournament = create(service, organiser(service))
    advance(harness)
    data = b"".join(service.tournaments.tournaments.record(tournament.id, None))
    inclusion = read_tournament(data).header["inclusion"]
    assert (inclusion["seq"], inclusion["hash"]) == (tournament.seq, tournament.hash)


def event_of_type(
    service: Service, id: str, type: str, table: int | None = None
) -> TournamentEvent:
    """Return the only event of a type, or that of a table in the first round."""
    (found,) = (
        event
        for event in service.tournaments.tournaments.events(id, None)
        if event["type"] == type
        and (table is None or (event["data"]["round"], event["data"]["table"]) == (1, table))
    )
    return found


def test_a_change_while_the_next_look_is_planned_is_examined_immediately(
    service: Service, harness: WorkerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    with freeze_time(START):
        olga = organiser(service)
        (ada,) = register_accounts(service, 1)
        id = create(service, olga).id
        advance(harness)
        assert service.tournaments.progress.due(100) == []
        store, read_outbox = service.tournaments.store, service.tournaments.store.outbox

        def outbox_before_a_registration(id: str) -> dict[str, Any]:
            entries = read_outbox(id)
            monkeypatch.setattr(store, "outbox", read_outbox)
            service.tournaments.tournaments.register(id, ada)
            return entries

        monkeypatch.setattr(store, "outbox", outbox_before_a_registration)
        service.tournaments.progress.advance(id)
        assert service.tournaments.progress.due(100) == [id]
