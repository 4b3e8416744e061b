"""Who does not meet, the seeding, and rounds that organisers release or pair by hand."""

import random
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from typing import Any

import pytest

from domain.errors import NotNow
from domain.tournaments import decisions
from domain.tournaments.format_settings import FormatSettings
from domain.tournaments.formats import next_round
from domain.tournaments.pairing import NoPairing, Pair, Table, pair, swiss
from domain.tournaments.tournament import Tournament
from tests.domain.tournaments.test_changes import Organised


def pairings(players: Sequence[int], prohibited: Collection[Pair]) -> Iterator[list[Table]]:
    """Yield all ways to pair players without a prohibited pair."""
    if not players:
        yield []
        return
    first, *rest = players
    for other in rest:
        if pair(first, other) not in prohibited:
            left = [player for player in rest if player != other]
            for tables in pairings(left, prohibited):
                yield [(first, other), *tables]


def best_cost(players: Sequence[int], prohibited: Collection[Pair]) -> int | None:
    """Return the least sum of squares of differences of ranks; None if there is no pairing."""
    return min(
        (
            sum((one - other) ** 2 for one, other in tables)
            for tables in pairings(players, prohibited)
        ),
        default=None,
    )


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 7, 8])
def test_pairs_are_the_cheapest_without_a_prohibited_one(count: int) -> None:
    generator, failures = random.Random(count), 0
    every = list(combinations(range(count), 2))
    for _ in range(60):
        prohibited = frozenset(generator.sample(every, generator.randrange(1, len(every) + 1)))
        byes = Counter({player: generator.randrange(2) for player in range(count)})
        ways: dict[int | None, int] = {}
        candidates: list[int | None] = [None]
        if count % 2:
            by_turn = sorted(range(count), key=lambda player: (byes[player], -player))
            candidates = list(by_turn)
        for candidate in candidates:
            cost = best_cost([each for each in range(count) if each != candidate], prohibited)
            if cost is not None:
                ways[candidate] = cost
        if not ways:
            failures += 1
            with pytest.raises(NoPairing):
                swiss([range(count)], 2, {}, byes, 3, prohibited)
            continue
        tables = swiss([range(count)], 2, {}, byes, 3, prohibited)
        pairs = [table for table in tables if len(table) == 2]
        assert not {pair(*two) for two in pairs} & prohibited
        bye = next((table[0] for table in tables if len(table) == 1), None)
        assert bye == next(iter(ways)), (byes, prohibited)
        assert sum((one - other) ** 2 for one, other in pairs) == ways[bye]
    assert failures == 60 if count == 2 else 0 < failures < 60


@pytest.mark.parametrize("size", [3, 4, 5])
def test_nobody_meets_a_prohibited_opponent_at_a_larger_table(size: int) -> None:
    for seed in range(20):
        generator = random.Random(seed)
        every = list(combinations(range(12), 2))
        prohibited = frozenset(generator.sample(every, 6))
        orders = [generator.sample(range(12), 12) for _ in range(12)]
        tables = swiss(orders, size, {}, {}, 3, prohibited)
        assert not {pair(*two) for table in tables for two in combinations(table, 2)} & prohibited
        with pytest.raises(NoPairing):
            swiss(orders, size, {}, {}, 3, frozenset(every))


class Unshuffled:
    """A draw that leaves the order as it is."""

    def shuffle(self, items: Any, label: str) -> Any:
        """Return the items in their order."""
        assert label
        return list(items)


def first_round(format: str, count: int, size: int = 2) -> Any:
    """Return the tables of the first round of seeded players."""
    settings = FormatSettings.from_json({"format": format, "table_size": size})
    draw, players = Unshuffled(), range(count)
    return next_round(settings, players, (), frozenset(), draw, is_seeded=True)


def test_the_upper_half_of_the_seeds_meets_the_lower_half() -> None:
    assert first_round("swiss", 8) == ((0, 4), (1, 5), (2, 6), (3, 7))
    assert first_round("swiss", 7) == ((0, 3), (1, 4), (2, 5), (6,))
    assert first_round("swiss", 8, 4) == ((0, 2, 4, 6), (1, 3, 5, 7))


def test_the_first_seeds_meet_late_in_a_knockout() -> None:
    assert first_round("knockout", 8) == ((0, 7), (1, 6), (3, 4), (2, 5))
    assert first_round("knockout", 6) == ((0,), (1,), (3, 4), (2, 5))
    assert first_round("knockout", 2) == ((0, 1),)
    log = Organised([f"p{number}" for number in range(16)], format="knockout", table_size=2)
    log.change("SeedingChanged", seeding="hand", players=[f"p{number}" for number in range(16)])
    log.close()
    remaining = 16
    while len(log.tournament.rounds[-1].tables) > 1:
        # At each table the better seed wins, so the first seeds are left, and meet the last of them.
        log.play()
        remaining //= 2
        tables = sorted(tuple(sorted(table)) for table in log.tournament.rounds[-1].tables)
        assert tables == [(seed, remaining - 1 - seed) for seed in range(remaining // 2)]


def test_seeds_are_ordered_by_rating_or_by_hand_and_others_by_lot() -> None:
    players = ["ada", "ben", "cyd", "dan", "eve"]

    def entrants(ratings: dict[str, int] | None = None, **fields: Any) -> list[str]:
        log = Organised(players)
        log.change("SeedingChanged", **fields)
        decided: Any = decisions.close_registration(log.tournament, bytes(32), ratings).data
        assert sorted(decided["players"]) == players
        return list(decided["players"])

    lots = entrants(seeding="lots")
    rated = {"ada": 1000, "ben": 1200, "cyd": 1000, "dan": 900}
    equal = [player for player in lots if player in ("ada", "cyd")]
    assert entrants(rated, seeding="rating") == ["ben", *equal, "dan", "eve"]
    others = [player for player in lots if player not in ("eve", "ben")]
    assert entrants(seeding="hand", players=["eve", "gus", "ben"]) == ["eve", "ben", *others]
    log = Organised(players)
    assert "by hand only" in log.refused("SeedingChanged", seeding="lots", players=["ada"])
    assert "seeding" in log.refused("SeedingChanged", seeding="age")
    assert "each once" in log.refused("SeedingChanged", seeding="hand", players=["ada", "ada"])
    log.close()
    assert log.refused("SeedingChanged", seeding="lots") == "the tournament is in progress"


def waiting(*players: str, **format: Any) -> Organised:
    """Return a tournament whose first round waits for its release."""
    log = Organised(players, **format)
    log.change("ReviewChanged", review=True)
    log.pending.at = log.tournament.closes
    decided = decisions.close_registration(log.tournament, bytes(32))
    log.pending.add(decided, {"system": "tournament"})
    return log


def draw(tournament: Tournament) -> Any:
    """Return what follows when a round is drawn."""
    return decisions.draw_round(tournament, tournament.closes)


def test_a_round_waits_for_its_release() -> None:
    log = waiting("ada", "ben", "cyd", "dan")
    with pytest.raises(NotNow):
        draw(log.tournament)
    assert log.refused("RoundReleased", round=2) == "this is not the next round"
    log.change("RoundReleased", round=1)
    decided = draw(log.tournament)
    assert (decided.type, decided.data["pairing"]) == ("RoundDrawn", "exact")
    log.pending.add(decided, {"system": "tournament"})
    assert log.tournament.released is None
    assert log.refused("RoundReleased") == "no round waits for its release"
    assert log.refused("ReviewChanged", review=True) == "nothing would change"
    assert "true or false" in log.refused("ReviewChanged", review=1)


def test_tables_by_hand_seat_everybody_once_with_the_sizes_of_a_draw() -> None:
    log = waiting("ada", "ben", "cyd", "dan", "eve")
    log.change("PairingsProhibited", players=["ada", "ben"])
    for tables, why in (
        ([["ada", "cyd"], ["ben", "dan"]], "once"),
        ([["ada", "cyd"], ["ben", "dan"], ["eve"], ["gus"]], "once"),
        ([["ada", "cyd"], ["ben", "dan"], ["eve", "eve"]], "once"),
        ([["ada", "cyd"], ["ben"], ["dan"], ["eve"]], "sizes"),
        ([["ada", "ben"], ["cyd", "dan"], ["eve"]], "prohibited"),
        ([["ada", 7]], "lists"),
        ("ada", "lists"),
    ):
        assert why in log.refused("RoundReleased", tables=tables), tables
    log.change("RoundReleased", tables=[["cyd", "ada"], ["ben", "dan"], ["eve"]])
    decided = draw(log.tournament)
    names = log.tournament.entrants
    seated = [[names[number] for number in table] for table in decided.data["tables"]]
    assert seated == [["cyd", "ada"], ["ben", "dan"], ["eve"]]
    assert decided.data["pairing"] == "organiser"
    # Whoever withdraws before the draw makes the tables void.
    log.withdraw("cyd")
    assert draw(log.tournament).type == "PairingFailed"


def test_tables_by_hand_are_for_formats_in_which_anybody_meets_anybody() -> None:
    log = waiting("ada", "ben", format="knockout")
    assert "not free" in log.refused("RoundReleased", tables=[["ada", "ben"]])
    assert "known who meets" in log.refused("PairingsProhibited", players=["ada", "ben"])


def test_a_round_without_a_pairing_is_not_drawn_until_something_changes() -> None:
    log = Organised(("ada", "ben", "cyd", "dan"))
    log.change("PairingsProhibited", players=["dan", "ada", "ben", "cyd"])
    assert log.refused("PairingsProhibited", players=["ada", "ben", "cyd", "dan"])
    log.close()
    assert (log.tournament.rounds, log.tournament.has_no_pairing) == ((), True)
    assert "no pairing was found" in log.refused("RoundReleased")
    assert "no such prohibition" in log.refused("PairingsAllowed", players=["ada", "ben"])
    log.change("PairingsAllowed", players=["ada", "ben", "cyd", "dan"])
    assert not log.tournament.has_no_pairing
    assert draw(log.tournament).type == "RoundDrawn"


def test_a_prohibition_is_of_players_and_not_of_their_places() -> None:
    log = Organised(("ada", "ben"), format="single_group", rounds=3)
    log.change("PairingsProhibited", players=["ada", "eve"])
    log.close()
    assert log.tournament.prohibited_pairs() == frozenset()
    log.withdraw("ben")
    log.register("eve")
    log.play()
    assert log.tournament.has_no_pairing
    assert log.tournament.prohibited_pairs() == {(0, 1)}
