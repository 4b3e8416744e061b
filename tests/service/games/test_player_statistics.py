"""The statistics of players: what is counted of games and turns, in any order of pages, and what is not."""

import random
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest
from freezegun import freeze_time

from domain.event import Clock, Event, acting_seat
from domain.fold import EarlierGames, evolve
from domain.game import Game
from domain.lifecycle import NewGame
from ledger.record import read
from service.bootstrap import Service
from service.connection import to_text
from service.games.player_statistics import (
    LEAST_TURNS,
    RECENT_TURNS,
    HeadToHead,
    PlayersProjection,
    PlayerStatistics,
    Reliability,
)
from service.projections.counted_kind import CountedKind
from service.projections.event_feed import EventFeed
from tests.support.service_games import play_out, play_until, start_game, take_action
from tests.support.stored_games import GAMES, recorded_game, store_game

RECORDS = sorted(GAMES.glob("*.jsonl"))
FEED = cast("EventFeed", None)
"""The projection does not use the feed."""


class Values:
    """The values of the projection, in memory."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self.pairs: Counter[str] = Counter()

    def read(self, fields: Collection[str]) -> dict[str, str]:
        return {field: self.values[field] for field in fields if field in self.values}

    def handle(self, events: Sequence[Event]) -> None:
        changes = PlayersProjection().handle(events, FEED, self.read)
        self.pairs.update(changes.growth)
        for name, value in changes.values.items():
            if value is None:
                self.values.pop(name, None)
            else:
                self.values[name] = value

    def of(self, player: str) -> PlayerStatistics:
        return PlayerStatistics.decode(self.values.get(f"player {player}"))


def handled(events: Sequence[Event], size: int = 500) -> Values:
    values = Values()
    for start in range(0, len(events), size):
        values.handle(events[start : start + size])
    return values


def games_after(events: Sequence[Event]) -> Iterable[tuple[Event, Game | None, Game]]:
    """Iterate over events with the game before and after each."""
    earlier, game = EarlierGames(events), None
    for event in events:
        after = evolve(game, event, earlier=earlier)
        earlier.keep(after)
        yield event, game, after
        game = after


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_turns_are_counted_as_the_rules_count_them(path: Path) -> None:
    with path.open("rb") as file:
        events = read(file).events
    expected: Counter[tuple[str, str]] = Counter()
    misses: list[tuple[int, str]] = []
    for event, before, after in games_after(events):
        if event["type"] == "PlayResumed":
            origin = event["data"]["from"]
            for _, player in (miss for miss in misses if miss[0] > origin):
                expected[player, "missed"] -= 1
            misses = [miss for miss in misses if miss[0] <= origin]
        if before is None or before.turn == 0 or after.has_ended:
            continue
        if before.clock is None or before.bot_seats:
            continue
        if event["type"] in ("PlayerResigned", "PlayerRemoved", "PlayResumed", "SeatVacated"):
            is_lost = event["type"] in ("PlayerRemoved", "SeatVacated")
            if is_lost and event["by"] == {"system": "clock"}:
                player = before.players[event["data"]["seat"]]
                expected[player, "missed"] += 1
                misses.append((event["seq"], player))
        elif before.turn != after.turn:
            seat = acting_seat(event["by"])
            if seat is not None:
                expected[before.players[seat], "taken"] += 1
            elif event["data"]["seat"] not in before.vacant_seats:
                player = before.players[event["data"]["seat"]]
                expected[player, "missed"] += 1
                misses.append((event["seq"], player))
    values = handled(events)
    counts = {
        (name.removeprefix("player "), kind): count
        for name in values.values
        if name.startswith("player ")
        for kind, count in (
            ("taken", values.of(name.removeprefix("player ")).reliability.taken),
            ("missed", values.of(name.removeprefix("player ")).reliability.missed),
        )
        if count
    }
    assert counts == +expected
    assert handled(events, 1).values == values.values
    assert handled(events, 7).pairs == values.pairs
    is_over = events[-1]["type"] in ("GameFinished", "GameAbandoned")
    assert any(name.startswith("game ") for name in values.values) is not is_over


DAY = 24 * 3600


def finish(service: Service, *, private: bool = False) -> Game:
    """Play a game of ada and bea to its end."""
    game = play_out(service, start_game(service, round_limit=1, private=private).id)
    while service.games.queries.game(game.id).status != "finished":
        service.games.commands.score(game.id)
    return service.games.queries.game(game.id)


def catch_up(service: Service, *game_ids: str) -> None:
    for game_id in game_ids:
        service.transparency.head_log.log([game_id])
    assert service.games.projections.catch_up()


def statistics(service: Service, player: str = "ada") -> PlayerStatistics:
    return service.games.statistics.of([player])[player]


TWO = CountedKind("barony", 2, has_bots=False)


def test_games_and_places_are_counted_by_rules_and_seats(service: Service) -> None:
    games = [finish(service), finish(service)]
    running = start_game(service, 3, rules="baron")
    catch_up(service, *(game.id for game in (*games, running)))
    for seat, player in enumerate(("ada", "bea")):
        of_player = statistics(service, player).by_kind
        assert list(of_player) == [TWO, CountedKind("baron", 3, has_bots=False)]
        counts = of_player[TWO]
        assert (counts.playing, counts.finished, counts.abandoned) == (0, 2, 0)
        places = Counter(
            entry["place"]
            for game in games
            for entry in game.ranking or ()
            if entry["seat"] == seat
        )
        assert {place: n for place, n in enumerate(counts.places, 1) if n} == places
        assert of_player[CountedKind("baron", 3, has_bots=False)].playing == 1
    assert statistics(service).finished == 2


def test_two_players_are_compared_by_their_places(service: Service) -> None:
    games = [finish(service), finish(service)]
    catch_up(service, *(game.id for game in games))
    results: Counter[str] = Counter()
    for game in games:
        ada, bea = (
            next(entry["place"] for entry in game.ranking or () if entry["seat"] == seat)
            for seat in (0, 1)
        )
        results["ahead" if ada < bea else "behind" if ada > bea else "equal"] += 1
    row = HeadToHead("barony", results["ahead"], results["behind"], results["equal"])
    assert service.games.statistics.head_to_head("ada", "bea") == [row]
    mirrored = row._replace(ahead=row.behind, behind=row.ahead)
    assert service.games.statistics.head_to_head("bea", "ada") == [mirrored]
    assert service.games.statistics.head_to_head("ada", "cid") == []


def test_private_games_count_nowhere(service: Service) -> None:
    public = finish(service)
    catch_up(service, public.id)
    values = stored_values(service)
    private = [finish(service, private=True), start_game(service, 3, private=True)]
    catch_up(service, *(game.id for game in private))
    assert stored_values(service) == values


def stored_values(service: Service) -> dict[str, str]:
    key = "cartulary:{projection:players}"
    live = to_text(service.redis.hget(key, "live") or "1")
    stored = service.redis.hgetall(f"{key}:{live}")
    return {to_text(field): to_text(value) for field, value in stored.items()}


def test_a_rebuild_leads_to_the_same_bytes(service: Service) -> None:
    for name in ("by-mail", "disputes", "clock-runs-out", "baron-five"):
        store_game(service, recorded_game(name))
        catch_up(service, recorded_game(name).game)
    running = start_game(service)
    catch_up(service, running.id)
    take_action(service, running.id)
    catch_up(service, running.id)
    values = stored_values(service)
    assert any(field.startswith("player ") for field in values)
    service.games.projections.rebuild("players")
    assert stored_values(service) == values


def test_a_seat_that_is_left_counts_for_the_player_and_the_rest_for_the_substitute(
    service: Service,
) -> None:
    game = start_game(service, 3, {"per_turn": DAY}, substitutes=True)
    game = play_until(service, game.id, lambda game: game.round >= 1)
    assert game.to_act is not None
    leaver = game.players[game.to_act]
    service.games.commands.leave_seat(game.id, leaver)
    turn = service.games.queries.game(game.id).turn
    assert service.games.commands.end_turn(game.id, turn)
    service.games.commands.take_seat(game.id, "zoe", game.to_act)
    catch_up(service, game.id)
    left, substitute = statistics(service, leaver), statistics(service, "zoe")
    assert (left.reliability.seats_left, left.reliability.missed) == (1, 0)
    kind = CountedKind("barony", 3, has_bots=False)
    assert left.by_kind[kind].playing == 0
    assert substitute.by_kind[kind].playing == 1
    assert substitute.reliability.missed == 0, "nobody had the seat"


def test_missed_turns_count_and_excused_ones_do_not(service: Service) -> None:
    with freeze_time("2026-11-20T09:00:00Z") as time:
        clock: Clock = {"per_turn": 60, "on_deadline": {"excused": 1}}
        game = play_until(service, start_game(service, 2, clock).id, lambda game: game.round >= 1)
        catch_up(service, game.id)
        assert game.to_act is not None
        player = game.players[game.to_act]
        before = statistics(service, player).reliability
        for _ in range(2):
            time.tick(timedelta(seconds=61))
            service.games.commands.end_turn(game.id, game.turn)
        catch_up(service, game.id)
    after = statistics(service, player).reliability
    assert (after.excused, after.missed) == (1, 1)
    assert after.taken == before.taken > 0
    assert after.recent == before.recent + "0"


def test_games_without_a_clock_and_with_bots_say_nothing_about_reliability(
    service: Service,
) -> None:
    without_clock = play_until(service, start_game(service, 2).id, lambda game: game.round >= 1)
    clock: Clock = {"per_turn": DAY}
    with_bot = service.games.commands.create(
        "ada",
        NewGame(rules="barony", seats=2, options={"seating": "joined"}, clock=clock),
        bots=("random",),
    )
    take_action(service, with_bot.id)
    catch_up(service, without_clock.id, with_bot.id)
    assert statistics(service).reliability == Reliability()
    assert statistics(service).by_kind[CountedKind("barony", 2, has_bots=True)].playing == 1
    assert statistics(service).finished == 0


def test_only_the_last_turns_matter_so_a_player_can_come_back() -> None:
    reliability = Reliability()
    for turn in range(LEAST_TURNS - 1):
        reliability.count_missed_turn("game", turn)
    percents = [reliability.percent]
    reliability.count_missed_turn("game", LEAST_TURNS)
    percents.append(reliability.percent)
    assert percents == [None, 0], "with too few turns, nothing is known"
    for _ in range(RECENT_TURNS):
        reliability.take_turn()
        percents.append(reliability.percent)
    assert percents[1:] == sorted(percent for percent in percents if percent is not None)
    assert percents[-2:] == [99, 100]
    assert (reliability.taken, reliability.missed) == (RECENT_TURNS, LEAST_TURNS)


@pytest.mark.parametrize("seed", range(20))
def test_a_miss_that_is_forgiven_is_that_one_and_no_other(seed: int) -> None:
    """The reference keeps the turns themselves; the misses of some have left the last turns already."""
    chance = random.Random(seed)
    reliability = Reliability()
    window: list[tuple[str, int] | None] = []
    misses: list[tuple[str, int]] = []
    left = 0
    for seq in range(1_000):
        choice = chance.random()
        if choice < 0.1 and misses:
            miss = misses.pop(chance.randrange(len(misses)))
            left += miss not in window
            reliability.take_back_missed_turn(*miss)
            window = [turn for turn in window if turn != miss]
        elif choice < 0.3:
            miss = (chance.choice(("a", "b", "c")), seq)
            misses.append(miss)
            window.append(miss)
            reliability.count_missed_turn(*miss)
        else:
            window.append(None)
            reliability.take_turn()
        window = window[-RECENT_TURNS:]
        assert reliability.recent == "".join("1" if turn is None else "0" for turn in window)
        assert reliability.missed == len(misses)
        stored = PlayerStatistics(reliability=reliability).encode()
        reliability = PlayerStatistics.decode(stored).reliability
    assert left > 10


def test_missed_turns_counted_by_an_earlier_version_stay_until_a_rebuild() -> None:
    earlier = '{"games":{},"reliability":{"recent":"0110","taken":2,"missed":2}}'
    reliability = PlayerStatistics.decode(earlier).reliability
    reliability.count_missed_turn("game", 7)
    reliability.take_back_missed_turn("game", 3)
    assert (reliability.recent, reliability.missed) == ("01100", 2)
    reliability.take_back_missed_turn("game", 7)
    assert (reliability.recent, reliability.missed) == ("0110", 1)
    for _ in range(RECENT_TURNS):
        reliability.take_turn()
    reliability.count_missed_turn("game", 9)
    reliability.take_back_missed_turn("game", 9)
    assert reliability.recent == "1" * (RECENT_TURNS - 1)
