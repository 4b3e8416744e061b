"""Teams: entering and joining them, line-ups, matches at boards, and the standings by boards and by sums."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest

from domain.errors import Malformed, NotNow
from domain.tournaments import decisions, team_entries
from domain.tournaments.events import SYSTEM, Decided
from domain.tournaments.format_settings import FormatSettings
from domain.tournaments.standings import Result
from domain.tournaments.team_entries import MAX_TEAM_CHANGES
from domain.tournaments.teams import Match, board_tables
from domain.tournaments.tournament import Tournament, individuals_as_json, standings_as_json
from replay.language.renderer import english
from tests.domain.tournaments.test_decisions import CLOSES, Log
from tests.support.tournaments import SWISS

TEAMS: Mapping[str, Any] = {**SWISS, "rounds": 2, "boards": 2}
NAMES = ("ada", "ben", "cyd", "dan")


def roster(captain: str) -> list[str]:
    """Return the members of a team: the captain, another one, and a substitute."""
    return [captain, f"{captain}2", f"{captain}3"]


class TeamLog(Log):
    """A tournament of teams of two boards and a substitute, named after their captains."""

    def __init__(self, captains: Sequence[str] = (), *, most: int = 8, **format: Any) -> None:
        super().__init__(most=most, **(format or TEAMS))
        for captain in captains:
            self.enter(captain)
            for member in roster(captain)[1:]:
                self.join(member, captain)

    def enter(self, captain: str, members: Any = None, name: str | None = None) -> Tournament:
        """Enter a team."""
        decided = team_entries.enter_team(
            self.tournament,
            captain,
            captain.encode(),
            name or f"Team {captain}",
            members or roster(captain),
            self.pending.at,
        )
        return self.pending.add(decided, {"player": captain})

    def rename(self, captain: str, members: Any, name: str) -> Tournament:
        """Change a team."""
        decided = team_entries.change_team(self.tournament, captain, name, members, self.pending.at)
        return self.pending.add(decided, {"player": captain})

    def join(self, player: str, captain: str) -> Tournament:
        """Join a team."""
        decided = team_entries.join_team(
            self.tournament, player, captain, player.encode(), self.pending.at
        )
        return self.pending.add(decided, {"player": player})

    def line_up(
        self, captain: str, players: Any, round: int = 1, author: str | None = None
    ) -> Tournament:
        """Set a line-up."""
        by = author or captain
        decided = team_entries.set_line_up(
            self.tournament, captain, by, round, players, self.pending.at
        )
        return self.pending.add(decided, {"player": by})

    def hand_on(self, captain: str, player: str, author: str) -> Tournament:
        """Hand a team on."""
        decided = team_entries.name_captain(self.tournament, captain, author, player)
        return self.pending.add(decided, {"player": author})

    def result(self, table: int, *places: int) -> None:
        """Record the result of a table of the current round."""
        drawn = self.tournament.rounds[-1]
        data: Any = {
            "round": drawn.number,
            "table": table,
            "game": drawn.games[table - 1],
            "seq": 1,
            "hash": "0" * 64,
            "places": list(places),
        }
        self.pending.add(Decided("ResultRecorded", data), SYSTEM)


def refusal(command: Any, *args: Any, **kwargs: Any) -> str:
    """Return why a command is refused."""
    with pytest.raises((NotNow, Malformed)) as error:
        command(*args, **kwargs)
    if isinstance(error.value, Malformed):
        return " ".join(f"{name} {english(why)}" for name, why in error.value.fields.items())
    return english(error.value.message)


def test_a_player_agrees_to_play_for_one_team() -> None:
    log = TeamLog(("ada",))
    log.enter("ben", ["ben", "ada2", "ben2"])
    assert set(log.tournament.ready) == {"ada"}, "nobody has agreed"
    assert "takes part already" in refusal(log.join, "ada2", "ben")
    assert "has not named this player" in refusal(log.join, "cyd", "ben")
    assert "has not named this player" in refusal(log.join, "cyd", "eve")
    assert "takes part already" in refusal(log.enter, "ada2", ["ada2", "x"])
    log.join("ben2", "ben")
    assert set(log.tournament.ready) == {"ada", "ben"}
    assert "teams take part" in refusal(log.register, "eve")
    assert not log.tournament.takes_part("eve")
    assert log.tournament.takes_part("ben2")


def test_a_team_has_its_captain_enough_players_and_a_name_of_its_own() -> None:
    log = TeamLog(("ada",))
    assert "another team has this name" in refusal(log.enter, "ben", name="TEAM  ada")
    assert "members must have from 2 to 4 players" in refusal(log.enter, "ben", ["ben"])
    assert "members must have from 2" in refusal(log.enter, "ben", ["ben", *"abcd"])
    assert "members must have from 2" in refusal(log.enter, "ben", ["ben", "ben"])
    assert "members must have from 2" in refusal(log.enter, "ben", ["ben", {}])
    assert "the captain, too" in refusal(log.enter, "ben", ["eve", "fay"])
    assert "name must have 1 to 60" in refusal(log.enter, "ben", name="x" * 61)
    single = Log()
    assert "no teams take part" in refusal(
        team_entries.enter_team, single.tournament, "ada", b"", "A", ["ada", "b"], CLOSES
    )


def test_a_captain_changes_the_team_while_registration_is_open() -> None:
    log = TeamLog(("ada", "ben"))
    log.rename("ada", ["eve", "ada", "ada3"], "Crows")
    team = log.tournament.teams["ada"]
    assert (team.name, team.players) == ("Crows", ("ada", "ada3"))
    assert not log.tournament.takes_part("ada2")
    assert "nothing would change" in refusal(log.rename, "ada", ["eve", "ada", "ada3"], "Crows")
    assert "another team has this name" in refusal(log.rename, "ada", roster("ada"), "team Ben")
    assert "captain of no team" in refusal(log.rename, "ada3", ["ada3", "x"], "Owls")
    log.close()
    assert "registration has closed" in refusal(log.rename, "ada", roster("ada"), "Owls")
    assert "registration has closed" in refusal(log.join, "eve", "ada")


def test_only_complete_teams_are_drawn() -> None:
    log = TeamLog(("ada", "ben"))
    log.enter("cyd")
    log.withdraw("ada2")
    log.withdraw("ada3")
    assert log.tournament.ready == ("ben",)
    log.join("ada2", "ada")
    log.close()
    assert set(log.tournament.entrants) == {"ada", "ben"}
    assert not log.tournament.takes_part("cyd")
    assert log.tournament.number_of("ada2") == log.tournament.number_of("ada")
    few = TeamLog(("ada",))
    few.pending.at = CLOSES
    assert decisions.close_registration(few.tournament, bytes(32)).type == "TournamentCancelled"


def test_teams_meet_at_all_boards_and_never_themselves() -> None:
    log = TeamLog(NAMES)
    log.close()
    (drawn,) = log.tournament.rounds
    assert [len(match.tables) for match in drawn.matches] == [2, 2]
    for match in drawn.matches:
        captains = [log.tournament.entrants[number] for number in match.teams]
        first, second = (drawn.players[table - 1] for table in match.tables)
        assert first == (captains[0], captains[1])
        # The seats are exchanged at the second board.
        assert second == (f"{captains[1]}2", f"{captains[0]}2")
    assert len(set(drawn.games)) == 4
    nonces = {nonce for table in drawn.nonces for nonce in table}
    assert b"ada2".hex() in nonces


def test_a_line_up_stands_until_another_one_is_set() -> None:
    log = TeamLog(NAMES, **{**TEAMS, "rounds": 3})
    log.line_up("ada", ["ada3", "ada"])
    assert "nothing would change" in refusal(log.line_up, "ada", ["ada3", "ada"])
    for wrong in (["ada"], ["ada", "ada"], ["ada", "ben"], ["ada", {}], "ada", None):
        assert "must have 2 players of the team" in refusal(log.line_up, "ada", wrong)
    assert "or an organiser, sets" in refusal(log.line_up, "ada", ["ada", "ada2"], 1, "ben")
    assert "before the round before ends" in refusal(log.line_up, "ada", ["ada", "ada2"], 2)
    assert "captain of no team" in refusal(log.line_up, "ada2", ["ada", "ada2"])
    log.close()
    assert played(log, "ada") == ["ada3", "ada"]
    assert played(log, "ben") == ["ben", "ben2"]
    assert "before the round before ends" in refusal(log.line_up, "ada", ["ada", "ada2"], 1)
    log.line_up("ben", ["ben2", "ben3"], 2, "olga")
    log.withdraw("ada3")
    log.play()
    # The player at the first board has left: the next one moves up.
    assert played(log, "ada") == ["ada", "ada2"]
    assert played(log, "ben") == ["ben2", "ben3"]
    log.play()
    assert played(log, "ben") == ["ben2", "ben3"]
    assert "before the round before ends" in refusal(log.line_up, "ada", ["ada", "ada2"], 4)


def test_a_captain_or_an_organiser_hands_the_team_on_to_another_player() -> None:
    log = TeamLog(NAMES)
    for author, player, why in (
        ("ada", "ada", "another player who has joined it"),
        ("ada", "ben2", "another player who has joined it"),
        ("ada2", "ada2", "or an organiser, hands it on"),
        ("ben", "ada2", "or an organiser, hands it on"),
    ):
        assert why in refusal(log.hand_on, "ada", player, author)
    assert "captain of no team" in refusal(log.hand_on, "ada2", "ada3", "olga")
    log.hand_on("ada", "ada2", "ada")
    assert set(log.tournament.ready) == {"ada2", "ben", "cyd", "dan"}
    # The former captain stays, plays for no other team, and may leave.
    assert "takes part already" in refusal(log.enter, "ada", ["ada", "x"], "Other")
    assert "captain of no team" in refusal(log.line_up, "ada", ["ada", "ada2"])
    log.line_up("ada2", ["ada3", "ada"])
    log.close()
    assert played(log, "ada2") == ["ada3", "ada"]
    log.hand_on("ada2", "ada3", "olga")
    number = log.tournament.entrants.index("ada3")
    log.withdraw("ada2")
    assert log.tournament.withdrawn == frozenset()
    log.play()
    assert played(log, "ada3") == ["ada3", "ada"]
    assert log.tournament.number_of("ada") == number
    handovers = log.tournament.teams["ada3"].handovers
    assert [(each.author, each.former, each.captain) for each in handovers] == [
        ("ada", "ada", "ada2"),
        ("olga", "ada2", "ada3"),
    ]


def test_what_a_former_captain_has_done_counts_on() -> None:
    log = TeamLog(("ada",))
    log.line_up("ada", ["ada2", "ada"])
    log.hand_on("ada", "ada2", "ada")
    log.withdraw("ada")
    log.enter("ada", ["ada", "ada2"], "Another")
    assert log.tournament.teams["ada"].all_changes == 1
    assert log.tournament.teams["ada"].named >= {*roster("ada")}


def played(log: TeamLog, captain: str) -> list[str]:
    """Return who plays for a team in the last round, by board."""
    drawn, number = log.tournament.rounds[-1], log.tournament.entrants.index(captain)
    return [
        players[table.index(number)]
        for table, players in zip(drawn.tables, drawn.players, strict=True)
        if number in table
    ]


def test_a_line_up_changes_a_bounded_number_of_times() -> None:
    log = TeamLog(("ada",))
    line_ups = (["ada", "ada2"], ["ada2", "ada"])
    for number in range(MAX_TEAM_CHANGES):
        log.line_up("ada", line_ups[number % 2])
    assert "at most 100 changes" in refusal(log.line_up, "ada", line_ups[0])


def test_a_board_without_a_player_counts_for_the_others() -> None:
    log = TeamLog(("ada", "ben"), **{**TEAMS, "rounds": 3})
    log.close()
    log.withdraw("ada2")
    log.withdraw("ada3")
    log.play()
    drawn = log.tournament.rounds[-1]
    ben = log.tournament.entrants.index("ben")
    assert [len(table) for table in drawn.tables] == [2, 1]
    assert drawn.tables[1] == (ben,)
    assert drawn.games[1] is None
    log.result(1, 1, 1)
    result = drawn.matches[0].result(log.tournament.rounds[-1].results, log.tournament.format)
    assert result is not None
    assert result.board_points() == {ben: Fraction(3, 2), 1 - ben: Fraction(1, 2)}
    assert result.place(ben) == 1


def test_a_captain_who_withdraws_withdraws_the_team() -> None:
    log = TeamLog(NAMES)
    log.withdraw("dan")
    assert set(log.tournament.teams) == {"ada", "ben", "cyd"}
    log.enter("dan")
    for member in ("dan2", "dan3"):
        log.join(member, "dan")
    log.close()
    log.withdraw("ada", by="olga")
    number = log.tournament.entrants.index("ada")
    assert log.tournament.withdrawn == {number}
    assert not log.tournament.takes_part("ada2")
    assert "captain of no team" in refusal(log.line_up, "ada", ["ada2", "ada3"], 2)
    with pytest.raises(NotNow):
        log.withdraw("ada2")
    log.play()
    drawn = log.tournament.rounds[-1]
    assert all(number not in match.teams for match in drawn.matches)
    # A team is left over: it has a bye, and nobody sits at a table for it.
    bye = next(match for match in drawn.matches if len(match.teams) == 1)
    assert bye.tables == ()


def match_of(*places: tuple[int, int], scoring: str = "boards") -> Any:
    """Return the result of a match of teams 0 and 1 at tables of two, by the places at its boards."""
    settings = FormatSettings.from_json(
        {**SWISS, "boards": len(places), "scoring": scoring, "table_size": 2}
    )
    results = [Result((0, 1), each) for each in places]
    return Match((0, 1), tuple(range(1, len(places) + 1))).result(results, settings)


def test_a_match_counts_by_boards_or_by_sums() -> None:
    places = ((1, 2), (1, 1), (2, 1), (1, 2))
    by_boards = match_of(*places)
    assert by_boards.places == (1, 2)
    assert by_boards.points() == {0: 1, 1: 0}
    assert by_boards.board_points() == {0: Fraction(5, 2), 1: Fraction(3, 2)}
    assert by_boards.score(0, 1) == 1
    by_sums = match_of(*places, scoring="sums")
    assert by_sums.points() == {0: Fraction(5, 2), 1: Fraction(3, 2)}
    assert by_sums.score(0, 1) == Fraction(5, 2)
    assert by_sums.score(1, 0) == Fraction(3, 2)
    drawn = match_of((1, 2), (2, 1))
    assert drawn.points() == {0: Fraction(1, 2), 1: Fraction(1, 2)}


def test_a_team_that_forfeits_every_board_has_no_place() -> None:
    assert match_of((0, 0), (0, 0)).points() == {0: 0, 1: 0}
    one = match_of((0, 1), (0, 0))
    assert one.places == (0, 1)
    assert one.points() == {0: 0, 1: 1}
    # A team that loses every board comes second.
    assert match_of((2, 1), (2, 1)).places == (2, 1)


def test_a_match_has_no_result_until_each_board_has_one() -> None:
    settings = FormatSettings.from_json({**SWISS, "boards": 2})
    assert Match((0, 1), (1, 2)).result([Result((0, 1), (1, 2)), None], settings) is None


def test_at_larger_tables_one_of_each_team_sits_at_each_board() -> None:
    line_ups = {0: ["a1", "a2", "a3"], 1: ["b1", "b2"], 2: ["c1", "c2", "c3"]}
    (match,), tables, players = board_tables([(0, 1, 2)], line_ups)
    assert match.tables == (1, 2, 3)
    assert tables == ((0, 1, 2), (1, 2, 0), (2, 0))
    assert players == [("a1", "b1", "c1"), ("b2", "c2", "a2"), ("c3", "a3")]
    settings = FormatSettings.from_json({**SWISS, "table_size": 3, "boards": 3})
    results = [
        Result(tables[0], (1, 2, 3)),
        Result(tables[1], (1, 2, 3)),
        Result(tables[2], (1, 2)),
    ]
    result = match.result(results, settings)
    assert result is not None
    # The first team has one victory; each of the others shares the points of two boards.
    assert result.board_points() == {0: 1, 1: Fraction(3, 2), 2: Fraction(3, 2)}
    assert result.places == (3, 1, 1)
    assert result.points() == {0: 0, 1: Fraction(3, 4), 2: Fraction(3, 4)}


def test_standings_are_those_of_teams_and_beside_them_those_of_players() -> None:
    log = TeamLog(("ada", "ben"), **{**TEAMS, "rounds": 2})
    log.close()
    numbers = {name: log.tournament.entrants.index(name) for name in ("ada", "ben")}
    for places_of_ada in ((1, 1), (2, 0)):
        drawn = log.tournament.rounds[-1]
        for table, place in zip(drawn.matches[0].tables, places_of_ada, strict=True):
            seats = drawn.tables[table - 1]
            other = 3 - place if place else 1
            log.result(table, *(place if number == numbers["ada"] else other for number in seats))
        log.pending.add(decisions.close_round(log.tournament), SYSTEM)
        log.draw()
    final = log.tournament.final_standings
    assert final == standings_as_json(log.tournament)
    assert final is not None
    (rows,) = final
    # One match each, and two boards each: the lots decide after the direct encounters.
    assert [row["points"] for row in rows] == ["1", "1"]
    assert [row["tie_breaks"]["board_points"] for row in rows] == ["2", "2"]
    people = {row["player"]: row for row in individuals_as_json(log.tournament)}
    assert {name: row["points"] for name, row in people.items()} == {
        "ada": "1",
        "ada2": "1",
        "ben": "1",
        "ben2": "1",
    }
    assert people["ada"]["entrant"] == numbers["ada"]
    assert log.tournament.final_individuals == individuals_as_json(log.tournament)


def test_board_points_come_after_the_points_of_matches() -> None:
    log = TeamLog(NAMES)
    log.close()
    assert log.tournament.tie_breaks[:2] == ("points", "board_points")
    drawn = log.tournament.rounds[0]
    for number, match in enumerate(drawn.matches):
        first, second = match.tables
        # The first team of each match wins: at both boards, and with a shared place at one.
        log.result(first, 1, 2)
        log.result(second, *((2, 1) if number == 0 else (1, 1)))
    (group,) = log.tournament.standings()
    assert [row.points for row in group.standings] == [1, 1, 0, 0]
    assert [row.board_points for row in group.standings] == [2, Fraction(3, 2), Fraction(1, 2), 0]
    sums = TeamLog(NAMES, **{**TEAMS, "scoring": "sums"})
    assert "board_points" not in sums.tournament.tie_breaks


@pytest.mark.parametrize("scoring", ["boards", "sums"])
@pytest.mark.parametrize(
    "format",
    [
        {"format": "swiss", "table_size": 2, "rounds": 3},
        {"format": "round_robin", "table_size": 2, "cycles": 1},
        {"format": "knockout", "table_size": 2, "advance": 1},
        {"format": "league", "table_size": 2, "divisions": 2, "seasons": 2},
        {"format": "ladder", "table_size": 2, "rounds": 3},
        {"format": "single_group", "table_size": 3, "rounds": 3},
    ],
)
def test_every_format_draws_teams(format: dict[str, Any], scoring: str) -> None:
    log = TeamLog(("ada", "ben", "cyd", "dan", "eve"), **format, boards=2, scoring=scoring)
    log.close()
    while log.tournament.status == "running":
        drawn = log.tournament.rounds[-1]
        for table in drawn.players:
            assert len({player.rstrip("23") for player in table}) == len(table)
        log.play()
    assert log.tournament.status == "finished"
    for group in log.tournament.standings():
        for first, second in pairwise(group.standings):
            keys = [
                [row.value(name) for name in log.tournament.tie_breaks] for row in (first, second)
            ]
            assert keys[0] >= keys[1]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"boards": 9}, "format.boards"),
        ({"boards": -1}, "format.boards"),
        ({"boards": True}, "format.boards"),
        ({"boards": 2, "scoring": "both"}, "format.scoring"),
        ({"scoring": "sums"}, "format.scoring"),
    ],
)
def test_settings_of_teams_are_checked(changes: dict[str, Any], fault: str) -> None:
    with pytest.raises(Malformed) as error:
        Log(**{**SWISS, **changes})
    assert list(error.value.fields) == [fault]


def test_teams_have_neither_byes_by_request_nor_late_entry_nor_too_many_players() -> None:
    with pytest.raises(Malformed) as error:
        Log(**TEAMS, stated={"half_point_byes": 1, "late_rounds": 1})
    assert set(error.value.fields) == {"half_point_byes", "late_rounds"}
    with pytest.raises(Malformed) as error:
        Log(**TEAMS, most=65)
    assert list(error.value.fields) == ["most"]
    Log(**TEAMS, most=64)


def test_prohibited_teams_do_not_meet() -> None:
    log = TeamLog(NAMES)
    log.close()
    data: Any = {"players": ["ada2", "ben"], "reason": "x"}
    log.pending.add(Decided("PairingsProhibited", data), {"player": "olga"})
    pairs = log.tournament.prohibited_pairs()
    assert pairs == {tuple(sorted(log.tournament.entrants.index(n) for n in ("ada", "ben")))}
