"""Holidays of accounts: which are possible, and how they get into the logs of the player's games."""

from datetime import UTC, date, datetime, timedelta

import pytest
from freezegun import freeze_time

from domain.errors import Malformed
from domain.event import Clock
from domain.messages import message
from ledger.clock.turn_clock import deadline_timestamp
from service import wall_clock
from service.accounts.account_reader import Player
from service.bootstrap import Service
from service.errors import HolidayNotPossible, NotFound, Unavailable
from service.games.registries import HolidayRegistry
from tests.support.faults import faults_of, raises
from tests.support.service_games import start_game
from workers.scheduler import Scheduler

NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)
WITH_HOLIDAYS: Clock = {"per_turn": 24 * 3600, "holidays": True}


def register(service: Service, handle: str, zone: str | None = None) -> Player:
    player, token = service.accounts.players.register(handle, "correct horse")
    if zone is not None:
        service.accounts.players.change_settings(player.id, token, {"time_zone": zone})
    return player


def types(service: Service, game_id: str) -> list[str]:
    return [event["type"] for event in service.games.queries.event_page(game_id, 0, 100)]


def day(text: str) -> date:
    return date.fromisoformat(f"2027-{text}")


@freeze_time(NOW)
def test_a_holiday_is_recorded_in_current_games_whose_clock_has_holidays(service: Service) -> None:
    ada = register(service, "ada", "Europe/Paris")
    game = start_game(service, clock=WITH_HOLIDAYS, players=(ada.id, "bea"))
    other = start_game(service, clock={"per_turn": 3600}, players=(ada.id, "bea"))
    without_clock = start_game(service, players=(ada.id, "bea"))
    holiday = service.games.holiday_registry.announce(ada.id, day("03-10"), day("03-12"))
    assert (holiday.since, holiday.until) == (
        "2027-03-09T23:00:00.000Z",
        "2027-03-12T23:00:00.000Z",
    )
    (event,) = service.games.queries.event_page(game.id, game.seq, 10)
    assert (event["type"], event["by"]) == ("HolidayAnnounced", {"seat": 0})
    assert event["data"] == {"player": ada.id, "from": holiday.since, "to": holiday.until}
    for unchanged in (other, without_clock):
        assert service.games.queries.game(unchanged.id).seq == unchanged.seq
    assert ada.id not in service.accounts.holidays.to_record()
    # Doing it again changes nothing.
    service.accounts.holidays.require_recording(ada.id)
    service.games.holiday_registry.complete()
    assert service.games.queries.game(game.id).seq == game.seq + 1


@freeze_time(NOW)
def test_a_player_brings_holidays_into_games_that_they_create_or_join(service: Service) -> None:
    ada, bea = register(service, "ada"), register(service, "bea")
    for player in (ada, bea):
        service.games.holiday_registry.announce(player.id, day("03-10"), day("03-12"))
    cancelled = service.games.holiday_registry.announce(ada.id, day("04-01"), day("04-02"))
    service.games.holiday_registry.cancel(ada.id, cancelled.id)
    game = start_game(service, clock=WITH_HOLIDAYS, players=(ada.id, bea.id))
    announced = ["HolidayAnnounced"]
    assert types(service, game.id) == [
        *("GameCreated", "SeatTaken", *announced, "SeatTaken", "GameStarted", *announced)
    ]
    assert {holiday.player for holiday in game.holidays} == {ada.id, bea.id}


@freeze_time(NOW)
def test_a_substitute_brings_holidays_and_the_former_player_can_announce_no_more(
    service: Service,
) -> None:
    ada, bea = register(service, "ada"), register(service, "bea")
    service.games.holiday_registry.announce(bea.id, day("03-10"), day("03-12"))
    players = (ada.id, "cid", "dan")
    game = start_game(service, 3, WITH_HOLIDAYS, players=players, substitutes=True)
    service.games.commands.leave_seat(game.id, ada.id)
    taken = service.games.commands.take_seat(game.id, bea.id, 0)
    (holiday,) = taken.holidays
    assert holiday.player == bea.id
    service.games.holiday_registry.announce(ada.id, day("03-10"), day("03-12"))
    assert service.games.queries.game(game.id).seq == taken.seq


def test_a_cancelled_holiday_is_cancelled_in_the_logs_and_ends_immediately(
    service: Service,
) -> None:
    with freeze_time(NOW) as frozen:
        ada = register(service, "ada")
        game = start_game(service, clock=WITH_HOLIDAYS, players=(ada.id, "bea"))
        holiday = service.games.holiday_registry.announce(ada.id, day("03-03"), day("03-10"))
        frozen.move_to(datetime(2027, 3, 5, 6, tzinfo=UTC))
        cancelled = service.games.holiday_registry.cancel(ada.id, holiday.id)
        assert service.games.holiday_registry.cancel(ada.id, holiday.id) == cancelled
        assert [*cancelled.days()] == [day("03-03"), day("03-04"), day("03-05")]
        assert service.accounts.holidays.days_used(service.accounts.holidays.of(ada.id)) == {
            2027: 3
        }
        assert types(service, game.id)[-2:] == ["HolidayAnnounced", "HolidayCancelled"]
        # The time from 3 March until the cancellation did not count; it was 36 hours before.
        deadline = deadline_timestamp(service.games.queries.game(game.id))
        assert deadline == "2027-03-02T12:00:00.000Z"


def test_the_deadline_of_a_turn_follows_a_holiday(service: Service) -> None:
    with freeze_time(NOW) as frozen:
        ada = register(service, "ada")
        clocks: Clock = {"per_turn": 3 * 24 * 3600, "holidays": True}
        game = start_game(service, clock=clocks, players=(ada.id, "bea"))
        holiday = service.games.holiday_registry.announce(ada.id, day("03-03"), day("03-10"))
        later = "2027-03-12T12:00:00.000Z"
        assert later in service.store.outbox(game.id)["deadline"]
        frozen.move_to(datetime(2027, 3, 5, tzinfo=UTC))
        service.games.holiday_registry.cancel(ada.id, holiday.id)
        assert "2027-03-06T12:00:00.000Z" in service.store.outbox(game.id)["deadline"]


@freeze_time(NOW)
def test_a_process_that_dies_before_the_logs_have_a_holiday_leaves_it_to_the_sweep(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = register(service, "ada")
    games = [start_game(service, clock=WITH_HOLIDAYS, players=(ada.id, "bea")) for _ in range(2)]

    def fail(registry: HolidayRegistry, player: str) -> None:
        raise Unavailable(message("the process has died"))

    with monkeypatch.context() as patch:
        patch.setattr(HolidayRegistry, "_record", fail)
        with pytest.raises(Unavailable):
            service.games.holiday_registry.announce(ada.id, day("03-10"), day("03-12"))
    assert [types(service, game.id)[-1] for game in games] == ["GameStarted"] * 2
    scheduler = Scheduler(service, service.redis)
    scheduler.complete_holidays()
    scheduler.complete_holidays()
    assert [types(service, game.id).count("HolidayAnnounced") for game in games] == [1, 1]
    assert service.accounts.holidays.to_record() == {}


@freeze_time(NOW)
def test_a_change_during_the_recording_is_recorded_again(service: Service) -> None:
    ada = register(service, "ada")
    service.accounts.holidays.require_recording(ada.id)
    changes = service.accounts.holidays.to_record()[ada.id]
    service.accounts.holidays.require_recording(ada.id)
    service.accounts.holidays.mark_recorded(ada.id, changes)
    assert ada.id in service.accounts.holidays.to_record()


@pytest.mark.parametrize(
    ("first", "last", "faults"),
    [
        ("03-02", "03-04", {"first_day": "must begin at least 24 hours from now"}),
        ("02-01", "03-20", {"first_day": "must begin at least 24 hours from now"}),
        ("03-10", "03-09", {"last_day": "must not be before the first day"}),
    ],
)
@freeze_time(NOW)
def test_a_holiday_with_wrong_days_is_refused(
    service: Service, first: str, last: str, faults: dict[str, str]
) -> None:
    ada = register(service, "ada")
    with pytest.raises(Malformed) as refused:
        service.games.holiday_registry.announce(ada.id, day(first), day(last))
    assert faults_of(refused.value) == faults
    assert service.accounts.holidays.of(ada.id) == []


@freeze_time(NOW)
def test_a_holiday_in_two_years_or_at_the_end_of_time_is_refused(service: Service) -> None:
    ada = register(service, "ada")
    with raises(Malformed, match="must be within a year"):
        service.games.holiday_registry.announce(ada.id, date(2029, 1, 1), date(2029, 1, 2))
    with raises(Malformed, match="is too late"):
        service.games.holiday_registry.announce(ada.id, date(9999, 12, 31), date(9999, 12, 31))
    with raises(HolidayNotPossible, match="30 days of holidays in a year"):
        service.games.holiday_registry.announce(ada.id, day("05-01"), date(9000, 1, 1))


@freeze_time(NOW)
def test_holidays_that_overlap_are_refused_in_any_time_zone(service: Service) -> None:
    ada, token = service.accounts.players.register("ada", "correct horse")
    announce = service.games.holiday_registry.announce
    announce(ada.id, day("03-10"), day("03-12"))
    for first, last in (("03-10", "03-10"), ("03-12", "03-14"), ("03-08", "03-20")):
        with raises(
            HolidayNotPossible, match="from Wed, Mar 10, 2027 to Fri, Mar 12, 2027 are a holiday"
        ):
            announce(ada.id, day(first), day(last))
    # In Auckland, 13 March begins while it is still 12 March in UTC.
    service.accounts.players.change_settings(ada.id, token, {"time_zone": "Pacific/Auckland"})
    with raises(HolidayNotPossible, match="are a holiday already"):
        announce(ada.id, day("03-13"), day("03-13"))
    announce(ada.id, day("03-14"), day("03-14"))


@freeze_time(NOW)
def test_the_allowance_is_by_calendar_year_and_cancelling_gives_it_back(service: Service) -> None:
    ada = register(service, "ada")
    announce = service.games.holiday_registry.announce
    first = announce(ada.id, day("04-01"), day("04-20"))
    with raises(HolidayNotPossible, match="of which 10 are left in 2027"):
        announce(ada.id, day("05-01"), day("05-11"))
    # Ten days in 2027, thirty in 2028.
    announce(ada.id, day("12-22"), date(2028, 1, 30))
    with raises(HolidayNotPossible, match="of which 0 are left in 2028"):
        announce(ada.id, date(2028, 2, 1), date(2028, 2, 1))
    assert service.accounts.holidays.days_used(service.accounts.holidays.of(ada.id)) == {
        2027: 30,
        2028: 30,
    }
    service.games.holiday_registry.cancel(ada.id, first.id)
    announce(ada.id, day("05-01"), day("05-20"))


@freeze_time(NOW)
def test_announcing_and_cancelling_for_ever_is_refused(service: Service) -> None:
    ada = register(service, "ada")
    for _ in range(40):
        holiday = service.accounts.holidays.announce(ada.id, "UTC", day("04-01"), day("04-20"))
        service.accounts.holidays.cancel(ada.id, holiday.id)
    with raises(HolidayNotPossible, match="40 holidays in a year"):
        service.accounts.holidays.announce(ada.id, "UTC", day("04-01"), day("04-20"))


def test_a_holiday_of_somebody_else_or_that_is_over_cannot_be_cancelled(service: Service) -> None:
    with freeze_time(NOW) as frozen:
        ada, bea = register(service, "ada"), register(service, "bea")
        holiday = service.games.holiday_registry.announce(ada.id, day("03-10"), day("03-12"))
        with pytest.raises(NotFound):
            service.games.holiday_registry.cancel(bea.id, holiday.id)
        frozen.move_to(NOW + timedelta(days=30))
        with pytest.raises(NotFound):
            service.games.holiday_registry.cancel(ada.id, holiday.id)


@freeze_time(NOW)
def test_the_holidays_of_an_erased_player_are_erased(service: Service) -> None:
    ada = register(service, "ada")
    service.games.holiday_registry.announce(ada.id, day("03-10"), day("03-12"))
    service.accounts.erasure.erase(ada.id, "correct horse")
    assert service.accounts.holidays.of(ada.id) == []


@pytest.mark.parametrize(
    ("zone", "begins", "deadline"),
    [
        # Clocks change in the first night. Half of each day counts, so a turn takes two days.
        ("Europe/Paris", "2027-03-27T12:00+01:00", "2027-03-29T00:00+02:00"),
        ("Europe/Paris", "2027-10-30T12:00+02:00", "2027-11-01T00:00+01:00"),
        ("America/New_York", "2027-03-13T12:00-05:00", "2027-03-15T00:00-04:00"),
        ("America/New_York", "2027-11-06T12:00-04:00", "2027-11-08T00:00-05:00"),
        ("Australia/Sydney", "2027-10-02T12:00+10:00", "2027-10-04T00:00+11:00"),
        ("Australia/Sydney", "2027-04-03T12:00+11:00", "2027-04-05T00:00+10:00"),
        ("Australia/Lord_Howe", "2027-10-02T12:00+10:30", "2027-10-04T00:00+11:00"),
        ("Australia/Lord_Howe", "2027-04-03T12:00+11:00", "2027-04-05T00:00+10:30"),
    ],
)
def test_a_turn_is_forfeited_at_its_deadline_when_clocks_have_changed(
    service: Service, zone: str, begins: str, deadline: str
) -> None:
    start, end = (datetime.fromisoformat(text).astimezone(UTC) for text in (begins, deadline))
    clocks: Clock = {"per_turn": 24 * 3600, "time_zone": zone, "nights": ["00:00", "12:00"]}
    clocks["on_deadline"] = {"placement": "remove"}
    with freeze_time(start) as frozen:
        game = start_game(service, clock=clocks)
        frozen.move_to(end - timedelta(milliseconds=1))
        assert service.games.commands.end_turn(game.id, game.turn) == []
        frozen.move_to(end)
        assert service.games.commands.end_turn(game.id, game.turn)[0]["at"] == wall_clock.format(
            end
        )
