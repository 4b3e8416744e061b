"""The explanations (`explain`) of events of a game with Sorcery."""

import random
from collections.abc import Iterator
from typing import cast

import pytest

from domain.barony import sorcery
from domain.barony.components import SPELLS
from domain.barony.explain import EXPLAINERS
from domain.barony.sorcery.explain import SORCERY_EXPLAINERS
from domain.barony.sorcery.state import SorceryState
from domain.barony.state import State
from domain.chance import Chance
from domain.contract import AnyRuleSystem, DomainEvent, evolve
from replay.language.renderer import english
from tests.support.barony_positions import given, random_game
from tests.support.barony_results import explained, explanation
from tests.support.events import data_of, event_of
from tests.support.given_when import rule_system_for, when


def explained_action(state: State, text: str) -> list[tuple[str, str]]:
    """The clauses of an action of the seat to act, in short form, with their sentences, in order."""
    return explained(state, when(state, state.to_act or 0, text).event)


def sentences_of(state: State, text: str) -> dict[str, list[str]]:
    """The sentences about an action of the seat to act, by clause."""
    return explanation(state, when(state, state.to_act or 0, text).event)


def movement(cells: str, seats: str = "0: baron, magic 4\n1: baron, 1P 2D\n2: baron") -> State:
    return given(
        f"play round 3 seat 0\nspells: celerity teleportation tornado\n{seats}\nboard 0,0\n{cells}"
    )


class TestMovement:
    def test_a_cast_is_explained_clause_by_clause_and_step_by_step(self) -> None:
        state = movement("P0k1k  S*2  F1v2k  P0c")
        assert explained_action(state, "cast celerity tornado 0,0>1,0>2,0 take field") == [
            ("BS-SPL-1", "Celerity and Tornado are available spells of movement"),
            (
                "BS-SPL-2",
                "seat 0 had 4 magic tokens, pays 1 for Celerity and 2 for Tornado, and keeps 1",
            ),
            ("BS-SPL-3", "together they make one move"),
            ("BS-CEL-1", "the knight makes two steps: 0,0>1,0>2,0"),
            ("BY-MOV-1", "a knight of seat 0 stood on 0,0, and 1,0 is adjacent to it"),
            ("BS-TOR-1", "after the knight has left, Tornado destroys seat 1's knight on 0,0"),
            ("BS-SPL-5", "it was the only pawn of its owner on 0,0"),
            ("BS-MYS-2", "seat 0 places the second imprint on 1,0 and gains 2 magic tokens"),
            ("BS-MYS-4", "a step of Celerity counts as an arrival"),
            ("BS-CEL-2", "from 1,0 the knight goes on to 2,0, which is adjacent to it"),
            ("BY-MOV-4", "the building on 2,0 is a village, which does not bar the hex"),
            (
                "BY-MOV-5",
                "seat 2 and seat 1 had one pawn each on 2,0; two pawns of one player would bar the hex",
            ),
            ("BY-MOV-6", "2,0 is a forest; a single opposing pawn bars only a mountain"),
            (
                "BY-CON-1",
                (
                    "seat 0 has only one pawn on 2,0 and shares the hex with seat 2's knight and "
                    "seat 1's village"
                ),
            ),
            (
                "BS-TOR-1",
                ("after the arrival, Tornado destroys seat 2's knight and seat 1's village on 2,0"),
            ),
            ("BS-SPL-5", "each was the only pawn of its owner on 2,0"),
            ("BY-CON-2", "seat 1 gives seat 0 a field token for the village"),
            ("BY-CON-3", "seat 1 had 1 plain token and 2 field tokens, and seat 0 chose"),
        ]

    def test_the_hex_between_is_not_swept(self) -> None:
        sentences = sentences_of(movement("P0k  P1k  P"), "cast celerity tornado 0,0>1,0>2,0")
        assert sentences["BS-TOR-2"] == ["the hex between, 1,0, is not swept"]
        assert sentences["BS-TOR-3"] == ["Tornado found no isolated pawn on 0,0 and 2,0"]

    def test_a_path_back_to_the_start_names_its_hex_once(self) -> None:
        sentences = sentences_of(movement("P0k  P"), "cast celerity tornado 0,0>1,0>0,0")
        assert sentences["BS-TOR-3"] == ["Tornado found no isolated pawn on 0,0"]

    def test_a_path_back_leads_to_a_hex_that_is_already_swept(self) -> None:
        sentences = sentences_of(
            movement("M0k1v  P"), "cast celerity tornado 0,0>1,0>0,0 take field"
        )
        assert sentences["BS-TOR-1"] == [
            "after the knight has left, Tornado destroys seat 1's village on 0,0"
        ]
        assert not {"BS-TEL-1", "BS-TOR-3", "BY-MOV-4", "BY-MOV-5", "BY-MOV-6", "BY-CON-1"} & set(
            sentences
        )

    def test_a_teleportation_shares_the_mountain(self) -> None:
        sentences = sentences_of(movement("P0k  M1v  P"), "cast teleportation 0,0>1,0")
        assert sentences["BS-TEL-1"] == [
            "1,0 is a mountain with seat 1's isolated village: Teleportation lifts BY-MOV-6"
        ]
        assert sentences["BS-TEL-3"] == ["the village stays, and the knight shares its hex"]
        assert sentences["BY-CON-1"] == [
            "seat 0 has only one pawn on 1,0 and shares the hex with seat 1's village"
        ]
        assert not {"BS-TEL-2", "BY-MOV-5", "BY-MOV-6", "BS-SPL-3"} & set(sentences)
        assert sentences["BS-SPL-1"] == ["Teleportation is an available spell of movement"]

    def test_tornado_destroys_the_village_on_the_mountain_that_celerity_reached(self) -> None:
        text = "cast celerity teleportation tornado 0,0>1,0>2,0 take plain"
        sentences = sentences_of(movement("P0k  P  M1v"), text)
        assert sentences["BS-TEL-2"] == ["of the two steps, the one onto 2,0 is the teleportation"]
        assert sentences["BS-SPL-2"][0].endswith("and keeps 0")
        assert sentences["BY-CON-2"] == ["seat 1 gives seat 0 a plain token for the village"]

    def test_a_conflict_on_the_way_is_explained_as_in_a_move(self) -> None:
        sentences = sentences_of(movement("P0k  P0k1k  P"), "cast celerity 0,0>1,0>2,0")
        assert sentences["BY-CON-1"] == [
            "seat 0 now has 2 knights on 1,0 and destroys seat 1's knight"
        ]


class TestMysteriousPlaces:
    def test_two_knights_arrive_and_one_imprint_is_placed(self) -> None:
        sentences = sentences_of(movement("P0kk  S"), "move 0,0>1,0 0,0>1,0")
        assert sentences["BS-MYS-2"] == [
            "seat 0 places the first imprint on 1,0 and gains 3 magic tokens"
        ]
        assert sentences["BS-MYS-3"] == ["seat 0 already has an imprint on 1,0 and gains nothing"]

    def test_a_place_that_is_full_gives_nothing(self) -> None:
        four = "0: baron\n1: baron\n2: baron\n3: baron"
        sentences = sentences_of(movement("P0k  S*1*2*3", four), "move 0,0>1,0")
        assert sentences["BS-MYS-3"] == ["1,0 already has 3 imprints, and no more is placed"]
        assert "BS-MYS-2" not in sentences

    def test_an_expedition_counts_as_an_arrival(self) -> None:
        sentences = sentences_of(movement("P0k  S*1*2"), "expedition 1,0")
        assert sentences["BY-EXP-3"] == ["1,0 is a mysterious place"]
        assert sentences["BS-MYS-2"] == [
            "seat 0 places the third imprint on 1,0 and gains 1 magic token"
        ]
        assert sentences["BS-MYS-4"] == ["an expedition counts as an arrival"]
        assert "BS-MYS-4" not in sentences_of(movement("P0k  S*1*2*0"), "expedition 1,0")

    def test_a_first_city_is_placed_away_from_mysterious_places(self) -> None:
        state = given("setup seat 0\nspells: charm\nboard 0,0\nS  F  P  M  P1ck")
        sentences = sentences_of(state, "place 2,0")
        assert sentences["BS-SET-3"] == ["there is no mysterious place on 2,0 or adjacent to it"]


HOME = """
play round 3 seat 0
spells: charm illusion portal
0: baron, removed 2, magic 4
1: baron
board 0,0
P0c  L  F0s  P  P0c  P1c
"""


class TestRecruitment:
    def test_charm(self) -> None:
        sentences = sentences_of(given(HOME), "cast charm 1 at 0,0 1 at 4,0")
        assert sentences["BS-CHA-1"] == [
            "one knight is recruited on each of 0,0 and 4,0; seat 0 has 2 cities in all"
        ]
        assert sentences["BY-REC-2"] == ["the reserve goes from 5 knights to 3"]

    def test_illusion(self) -> None:
        sentences = sentences_of(given(HOME), "cast illusion 3 at 2,0")
        assert sentences["BS-ILL-1"] == ["the stronghold on 2,0 recruits as a city would"]
        assert sentences["BY-REC-1"] == [
            "seat 0 has a stronghold on 2,0, beside the lake on 1,0: up to 3 knights"
        ]

    def test_all_three_together(self) -> None:
        sentences = sentences_of(
            given(HOME), "cast charm illusion portal 1 at 0,0 1 at 2,0 1 at 4,0"
        )
        assert sentences["BS-ILL-2"] == [
            "one knight is recruited on each of 0,0, 2,0 and 4,0; seat 0 has 2 cities and 1 stronghold in all"
        ]
        assert sentences["BS-SPL-3"] == ["together they make one recruitment"]
        assert sentences["BS-POR-1"] == ["expeditions had removed 2 knights, of which 2 come back"]
        assert sentences["BS-POR-2"] == [
            "the removed knights are used first; 1 more comes from the reserve"
        ]
        assert sentences["BY-REC-2"] == ["the reserve goes from 5 knights to 4"]
        assert not {"BS-CHA-1", "BS-ILL-1", "BS-POR-3"} & set(sentences)

    def test_portal_alone_brings_back_as_many_knights_as_it_recruits(self) -> None:
        sentences = sentences_of(given(HOME), "cast portal 1 at 4,0")
        assert sentences["BS-POR-3"] == ["without Illusion the site is a city: 4,0"]
        assert sentences["BS-POR-1"] == ["expeditions had removed 2 knights, of which 1 comes back"]
        assert sentences["BS-POR-2"] == [
            "the removed knights are used first; the reserve was not needed"
        ]
        assert "BY-REC-2" not in sentences

    def test_portal_without_removed_knights(self) -> None:
        sentences = sentences_of(
            given(HOME.replace(", removed 2", "")), "cast illusion portal 1 at 2,0"
        )
        assert sentences["BS-SPL-7"] == ["seat 0 had no knight that Portal could bring back"]
        assert sentences["BS-POR-3"] == ["with Illusion the site is a stronghold: 2,0"]
        assert "BS-POR-2" not in sentences


FOREST = """
play round 3 seat 0
spells: abundance petrification sanctuary
0: viscount, magic 4
1: baron
board 0,0
P0c  F0k  P  F0v  P  P0v  M1c  P0c
"""


class TestConstruction:
    def test_all_three_together(self) -> None:
        sentences = sentences_of(given(FOREST), "cast abundance petrification sanctuary at 1,0")
        assert sentences["BS-SAN-1"] == [
            "seat 0's knight on 1,0 makes room for a city; no opposing pawn stood there"
        ]
        assert sentences["BS-SAN-2"] == ["there was no building on 1,0"]
        assert sentences["BS-PET-1"] == [
            "1,0 is a forest: BY-CTY-2 is lifted",
            "1,0 is adjacent to seat 0's own city on 0,0: BY-CTY-3 is lifted",
        ]
        assert sentences["BY-CTY-3"] == ["no hex adjacent to 1,0 had an opponent's city"]
        assert sentences["BS-ABU-1"] == [
            "1,0 is a forest and yields a forest token, which leaves 24 in the bank"
        ]
        assert sentences["BS-SPL-6"] == ["a city founded by spells earns 10 points like any other"]
        assert sentences["BY-END-1"] == ["seat 0 advances by 10 points to 25 on the score track"]
        assert not {"BY-CTY-1", "BY-CTY-2", "BY-CTY-4"} & set(sentences)

    def test_petrification_of_a_village(self) -> None:
        sentences = sentences_of(given(FOREST), "cast petrification at 3,0")
        assert sentences["BY-CTY-1"] == [
            "seat 0's village on 3,0 goes back to the reserve and makes room for a city"
        ]
        assert sentences["BS-PET-1"] == ["3,0 is a forest: BY-CTY-2 is lifted"]
        assert sentences["BY-CTY-4"] == ["no opponent's knight stood on 3,0"]

    def test_abundance_from_an_empty_bank(self) -> None:
        poor = FOREST.replace("M1c", "M").replace("board", "bank: 1M\nboard")
        sentences = sentences_of(given(poor), "cast abundance at 5,0")
        assert sentences["BY-MAT-4"] == ["5,0 is a plain, and the bank had no plain token left"]
        assert sentences["BY-CTY-2"] == ["5,0 is a plain, not a forest"]
        assert sentences["BY-CTY-3"] == ["no hex adjacent to 5,0 had a city"]
        assert "BS-ABU-1" not in sentences


class TestTheCourse:
    def test_the_board_and_the_spells(self) -> None:
        event = sorcery.set_up(5, sorcery.check_options(5, {"sorcery": True}), Chance(bytes(32)))
        sentences = dict(sorcery.explain(None, None, event))
        assert english(sentences["BY-SET-1"]) == (
            "the board consists of 45 tiles, drawn and laid at random: 135 hexes"
        )
        assert english(sentences["BS-SET-1"]).startswith("the board has 5 mysterious places: ")
        assert english(sentences["BS-SET-2"]).startswith(
            "the distance between the two nearest places is "
        )
        assert english(sentences["BS-SET-4"]).startswith(
            f"5 of 9 spells are available: {data_of(event)['spells'][0].capitalize()}, "
        )

    def test_places_too_near_or_too_many_are_not_explained_by_their_distance(self) -> None:
        for places in (2, 6):
            cells = [{"at": [q, 0], "terrain": "mysterious_place"} for q in range(places)]
            event = event_of("GameStarted", {"board": cells, "spells": []})
            assert "BS-SET-2" not in dict(sorcery.explain(None, None, event))

    def test_a_cast_that_ends_a_round(self) -> None:
        sentences = sentences_of(
            given(HOME.replace("seat 0", "seat 1").replace("1: baron", "1: baron, magic 1")),
            "cast charm 1 at 5,0",
        )
        assert sentences["BY-TURN-1"] == ["round 3 is over, and seat 0 begins round 4"]

    @pytest.mark.parametrize(("magic", "is_explained"), [(2, False), (1, True)])
    def test_a_pass_is_explained_only_where_no_cast_was_possible(
        self, magic: int, *, is_explained: bool
    ) -> None:
        state = given(
            f"""
            play round 7 seat 0
            spells: portal
            0: baron, removed 1, magic {magic}
            1: baron
            board 0,0
            M0ckkkkkk  L  M1skkkkkkk
            """
        )
        passed = event_of("TurnPassed", {"seat": 0})
        assert bool(explained(state, passed)) is is_explained

    def test_imprints_count_at_the_end_in_addition_to_tokens(self) -> None:
        state = given(
            """
            scoring round 9
            spells: charm
            0: count, 2P
            1: count, new cities 1
            board 0,0
            S*0  P0ck  M  S*0*1
            """
        )
        standings = rule_system_for(state).standings(state)
        scored = dict(
            explained(state, event_of("RoundScored", {"round": 9, "standings": standings}))
        )
        assert scored["BY-END-3"] == "seat 0's tokens are worth 4 points"
        assert scored["BS-MYS-5"] == (
            "seat 0's imprints are worth 6 points; seat 1's imprints are worth 3 points"
        )
        assert explained(state, rule_system_for(state).finish(state)) == [
            (
                "BY-END-3",
                "seat 1 has 43 points, none of them for tokens; seat 0 has 40 points, 4 of them for tokens",
            ),
            ("BS-MYS-5", "seat 1 has 3 points for 1 imprint; seat 0 has 6 points for 2 imprints"),
            ("BY-END-4", "seat 1 ranks first and is King"),
        ]


def random_casts(seats: int) -> Iterator[tuple[SorceryState, DomainEvent]]:
    """Casts on the boards of a random game, with all spells open and magic tokens for each of them."""
    rng = random.Random(seats)
    for state, _ in random_game(seats, seed=seats, rules=sorcery):
        if state.phase == "play" and isinstance(state, SorceryState):
            rich = state.copy()
            rich.spells, rich.magic = SPELLS, [9] * seats
            assert rich.to_act is not None
            actions = sorcery.legal_actions(rich, rich.to_act)
            casts = [action for action in actions if action.type == "cast"]
            for cast in rng.sample(casts, min(len(casts), 8)):
                yield rich, sorcery.decide(rich, rich.to_act, cast)


@pytest.mark.parametrize("seats", [2, 5])
def test_every_cast_is_explained_by_known_clauses(seats: int) -> None:
    clauses: set[str] = set()
    for state, event in random_casts(seats):
        before = sorcery.position(state, None)
        sentences = explained(state, event)
        assert {clause for clause, _ in sentences} <= set(sorcery.CLAUSES)
        assert {"BS-SPL-1", "BS-SPL-2"} <= {clause for clause, _ in sentences}
        assert "\n" not in english(sorcery.event_message(event.type, event.data))
        assert sorcery.position(state, None) == before
        clauses |= {clause for clause, _ in sentences}
    assert clauses >= {"BS-CEL-2", "BS-TOR-3", "BS-CHA-1", "BS-POR-3", "BS-SAN-1", "BS-ABU-1"}


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_every_event_of_a_game_is_explained_by_known_clauses(seats: int) -> None:
    for state, event in random_game(seats, seed=seats, rules=sorcery):
        sentences = explained(state, event)
        assert sentences, event
        assert {clause for clause, _ in sentences} <= set(sorcery.CLAUSES)
        assert "\n" not in english(sorcery.event_message(event.type, event.data))
        after = evolve(cast("AnyRuleSystem", sorcery), state, [event])
        scored = event_of("RoundScored", {"round": 1, "standings": sorcery.standings(after)})
        assert dict(explained(after, scored))["BY-END-1"]


def test_the_expansion_adds_to_what_the_base_game_explains() -> None:
    replaced = {type for type, of_base in EXPLAINERS.items() if SORCERY_EXPLAINERS[type] != of_base}
    # Imprints are told between the steps of a move and between scores and places; casts keep from passing.
    assert replaced == {"KnightsMoved", "GameFinished", "TurnPassed"}
