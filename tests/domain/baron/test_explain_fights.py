"""Explanations of fights, clause by clause, as in the examples of the rulebook."""

from domain.baron import finish
from domain.baron.state import State
from tests.support.baron_positions import explanation, given, reasons, text_of
from tests.support.given_when import when, when_scored

EXAMPLE_7 = """
    lay round 3 seat 0
    0: 0, MY
    1: 0
    2: 3
    board 0,0
    .  V   .   .   .
    P   M0k F   Q   .
      M   S   M2b M   .
        .   M   P   .   .
    """


def test_a_fight_against_one_baron_is_explained_clause_by_clause() -> None:
    state = given(EXAMPLE_7)
    event = when(state, 0, "lay vineyard 2,0").event
    assert text_of(event) == (
        "lays a vineyard on 2,0; seat 0's knight on 1,1 wins 5 to 2 and is established with 6 "
        "(+6 honour); seat 2's baron on 2,2 is beaten (-1 honour)"
    )
    knight = "seat 0's knight on 1,1"
    assert reasons(state, event) == [
        (
            "BN-LAY-1",
            "2,0 was empty, and is adjacent to 3 tiles: village 1,0, meadow 1,1 and field 2,1",
        ),
        ("BN-LAY-2", "none of them is a vineyard"),
        (
            "BN-BAR-2",
            (
                f"a vineyard on 2,0 completes the barony of {knight}, which is resolved before the turn "
                "goes on"
            ),
        ),
        (
            "BN-BAR-1",
            f"{knight} claims a barony worth 6 (pond 1, village 3, marsh -1, vineyard 1 and field 2)",
        ),
        (
            "BN-FGT-1",
            f"{knight} fights seat 2's baron on 2,2 over marsh 1,2 (-1) and field 2,1 (2)",
        ),
        (
            "BN-FGT-2",
            f"battlefield of {knight}, which counts for nobody: marsh 1,2 (-1) and field 2,1 (2)",
        ),
        ("BN-FGT-2", f"without it {knight} has 5 (pond 1, village 3 and vineyard 1)"),
        ("BN-FGT-2", "without it seat 2's baron on 2,2 has 2 (pond 1 and quarry 1)"),
        ("BN-FGT-3", f"{knight} wins against seat 2's baron on 2,2, 5 to 2"),
        (
            "BN-FGT-5",
            (
                f"{knight} is established with a barony of 6, the battlefield included: seat 0 gains 6 "
                "honour"
            ),
        ),
        (
            "BN-FGT-5",
            (
                "seat 2's baron on 2,2 is beaten: seat 2 takes back the keep and loses 1 honour for "
                "marsh 1,2 (-1) and field 2,1 (2)"
            ),
        ),
    ]


def test_a_fight_between_equals_is_explained() -> None:
    state = given(EXAMPLE_7.replace("M   P   .", "V   P   ."))
    event = when(state, 0, "lay vineyard 2,0").event
    assert text_of(event).endswith(
        "seat 0's knight on 1,1 loses the fight 5 to 5 and leaves the board"
    )
    why = explanation(state, event)
    assert why["BN-FGT-3"] == [
        "seat 0's knight on 1,1 loses against seat 2's baron on 2,2: equal is not enough"
    ]
    assert why["BN-FGT-4"] == [
        "seat 0's knight on 1,1 is beaten: seat 0 takes back the keep, and no honour changes hands"
    ]
    assert "BN-FGT-5" not in why


EXAMPLE_8 = """
    lay round 3 seat 1
    0: 0
    1: 2, MY
    2: 5
    3: 1
    board -1,0
    .   Q   F   W   V
      M   M3b .   M1k F   Q
        P   M   M   P   M2b W
          .   .   .   M   M
    """


def test_a_fight_against_two_barons_is_explained() -> None:
    state = given(EXAMPLE_8)
    event = when(state, 1, "lay vineyard 1,1").event
    why = explanation(state, event)
    assert why["BN-LAY-3"] == ["laid against 6 tiles, it earns seat 1 9 honour at once"]
    assert why["BN-FGT-2"] == [
        (
            "battlefield of seat 1's knight on 2,1, which counts for nobody: vineyard 1,1 (1), "
            "pond 2,2 (1) and field 3,1 (2)"
        ),
        "without it seat 1's knight on 2,1 has 5 (forest 2 and village 3)",
        "without it seat 3's baron on 0,1 has 4 (pond 1, quarry 1 and field 2)",
        "without it seat 2's baron on 3,2 has 3 (quarry 1 and forest 2)",
    ]
    assert why["BN-FGT-3"] == [
        "seat 1's knight on 2,1 wins against the strongest of them, seat 3's baron on 0,1, 5 to 4"
    ]
    assert [sentence.split(": ")[1] for sentence in why["BN-FGT-5"]] == [
        "seat 1 gains 9 honour",
        "seat 3 takes back the keep and loses 1 honour for vineyard 1,1 (1)",
        "seat 2 takes back the keep and loses 3 honour for pond 2,2 (1) and field 3,1 (2)",
    ]
    assert why["BN-OUB-4"] == [
        "seat 1's honour goes from 2 to 20 at once: +9 for the tile and +9 for 2,1"
    ]


EXAMPLE_12 = """
    lay round 3 seat 0
    0: 0, MP
    1: 0
    2: 5
    3: 1
    board -1,0
    .   M   P   Y   Q   Y   M   M   M
      W   M2b V   M0k .   M1k Q   M3b V
        M   M   M   F   W   M   M   M   .
          .   .   M   M2b Q
            .   .   M   F
    """


def test_a_battle_before_a_fight_is_explained() -> None:
    state = given(EXAMPLE_12)
    event = when(state, 0, "lay pond 3,1").event
    white, blue = "seat 0's knight on 2,1", "seat 1's knight on 4,1"
    assert f"{white} loses the fight 3 to 5 and leaves the board" in text_of(event)
    assert f"{blue} loses the battle 1 to 2 and leaves the board" in text_of(event)
    why = explanation(state, event)
    assert why["BN-SIM-6"] == ["all 2 knights are resolved at once, on the board as it stood"]
    assert why["BN-SIM-1"] == [
        (
            f"{white} and {blue} are opponents: they share pond 3,1 (1); both face "
            "seat 2's baron on 2,3"
        )
    ]
    assert f"{white} has 2 against 1 of {blue}, and goes on" in why["BN-SIM-2"]
    assert (
        f"{white} has 2, more than 1: {blue} is beaten, and seat 1 takes back the keep"
        in why["BN-SIM-2"]
    )
    assert why["BN-SIM-4"] == [
        f"the battlefield of {white} without the knights that left: pond 3,1 (1) counts again",
        f"seat 3's baron on 6,1 takes no part, since {blue} does not go on",
    ]
    assert why["BN-FGT-3"] == [
        f"{white} loses against the strongest of them, seat 2's baron on 2,3, 3 to 5"
    ]


EXAMPLE_10 = """
    scoring round 20
    0: 0
    1: 3
    2: 1
    3: 4
    board 0,0
    V   Q   M   P   .   .   W   .   .   .   .   .   V
      M1k Y   M3b M   M   M   M0k F   M2k Q   M   M   M0k
        M   M   S   .   .   .   .   .   P
    """


def test_the_end_of_the_game_is_explained() -> None:
    state = given(EXAMPLE_10)
    event = when_scored(state).event
    assert text_of(event).startswith(
        "the game is over: seat 1 wins with 6 honour, before seat 3 with 3, seat 0 with 2 and seat 2 "
        "with 1; seat 1's knight on 0,1 wins 2 to 0 and is established with 5 (+3 honour); "
        "seat 3's baron on 2,1 is beaten (-1 honour); seat 0's knight on 6,1 meets an equal, 1 to 1, and "
        "leaves"
    )
    why = explanation(state, event)
    assert why["BN-END-2"] == [
        (
            "4 knights still on the board try to establish baronies, complete or not; their strengths "
            "and gains are halved and rounded up"
        ),
        (
            "seat 1's knight on 0,1 claims a barony worth 5 (village 3, quarry 1 and vineyard 1), with 4 "
            "of the 6 tiles around it"
        ),
        (
            "seat 0's knight on 6,1 claims a barony worth 4 (forest 2 and field 2), with 3 of the 6 tiles "
            "around it"
        ),
        (
            "seat 2's knight on 8,1 claims a barony worth 4 (field 2, pond 1 and quarry 1), with 3 of the "
            "6 tiles around it"
        ),
        "seat 0's knight on 12,1 claims a barony worth 3 (village 3), with 2 of the 6 tiles around it",
        "half of 5 for seat 1's knight on 0,1 is 3, rounded up",
        "half of 3 for seat 0's knight on 12,1 is 2, rounded up",
    ]
    assert (
        "without it seat 1's knight on 0,1 has 4 (village 3 and quarry 1), halved to 2"
        in why["BN-FGT-2"]
    )
    assert why["BN-SIM-3"] == [
        "seat 2's knight on 8,1 has 1 as well: it is carnage, and seat 0 takes back the keep",
        "seat 0's knight on 6,1 has 1 as well: it is carnage, and seat 2 takes back the keep",
    ]
    assert why["BN-BAR-3"] == [
        "nobody opposes seat 0's knight on 12,1: it is established with 3",
        "seat 0 gains 2 honour",
    ]
    assert why["BN-END-3"] == [
        "seat 1 has 6 honour and is on place 1",
        "seat 3 has 3 honour and is on place 2",
        "seat 0 has 2 honour and is on place 3",
        "seat 2 has 1 honour and is on place 4",
    ]


IN_A_ROW = """
    {head}
    {seats}
    board -1,0
    .   M   {0}   M   {2}   M   {4}
      M   M{a} {1}   M{b} {3}   M{c} M
        M   M   M   M   M   M   .
    """
"""Keeps at 0,1, 2,1 and 4,1 share the tiles at 1,1 and 3,1; those at 1,0, 3,0 and 5,0 are their own."""


def in_a_row(keeps: str, tiles: str, *seats: str, head: str = "scoring round 20") -> State:
    a, b, c = keeps.split()
    lines = "\n    ".join(f"{seat}: {words}" for seat, words in enumerate(seats))
    text = IN_A_ROW.format(*tiles, a=a, b=b, c=c, head=head, seats=lines)
    return given(text)


def test_the_stronger_of_two_equal_rivals_is_explained() -> None:
    state = in_a_row("0k 1k 0k", "VPMQV", "0", "0")
    event = when_scored(state).event
    assert "makes way for a stronger one of the same owner" in text_of(event)
    first, second = "seat 0's knight on 0,1", "seat 0's knight on 4,1"
    why = explanation(state, event)
    assert (
        f"{first} and {second} are rivals: both have seat 1's knight on 2,1 against them"
        in (why["BN-SIM-1"])
    )
    tie = f"equal as they are, {first} counts as the stronger: "
    assert (
        why["BN-SIM-3"] == [f"{tie}their baronies are worth the same, and its hex comes first"] * 2
    )
    assert why["BN-SIM-5"] == [
        (
            f"{first} with 2 is the stronger of them: {second} with 2 does not fight, and seat 0 takes "
            "back the keep"
        )
    ]
    worthier = in_a_row("0k 1k 0k", "VPMFV", "0", "0")
    tie = f"equal as they are, {second} counts as the stronger: "
    assert (
        explanation(worthier, finish(worthier))["BN-SIM-3"]
        == [f"{tie}its barony is worth 5, and the other's 4"] * 2
    )


def test_tiles_that_earned_before_and_ones_own_barons_are_explained() -> None:
    state = in_a_row("0b 0k 0k", "VPVFS", "0", "0")
    why = explanation(state, when_scored(state).event)
    assert why["BN-FGT-1"] == [
        "seat 0's knight on 2,1 does not fight seat 0's baron on 0,1, which has the same owner"
    ]
    assert why["BN-BAR-4"] == [
        "seat 0 already has a barony with pond 1,1 (1), whose value of 1 is not earned again"
    ]
    assert why["BN-SIM-6"][1:] == [
        (
            "another knight of seat 0 was established before it with field 3,1 (2), whose value of 2 is not "
            "earned again"
        )
    ]
    assert why["BN-BAR-3"][1::2] == [
        "seat 0 gains 3 honour",
        "seat 0 neither gains nor loses honour",
    ]


def test_barons_with_only_meadows_in_common_are_explained() -> None:
    state = in_a_row("1b 0k 1b", "VMVMS", "0", "0")
    why = explanation(state, when_scored(state).event)
    assert why["BN-FGT-1"] == [
        f"seat 0's knight on 2,1 does not fight seat 1's baron on {at}, with which it shares only "
        "1 meadow"
        for at in ("0,1", "4,1")
    ]


def test_a_tile_that_two_beaten_barons_shared_is_explained_as_lost_once() -> None:
    state = given(
        """
        keep round 9 seat 0
        0: 0, keeps 1
        1: 9, keeps 1
        board 0,0
        .   M   M   V   M
          M   M1b P   M   W
            M   M   M1b M   M
              .   M   M   .   .
        """
    )
    event = when(state, 0, "keep 3,1").event
    lost = explanation(state, event)["BN-FGT-5"][1:]
    assert lost == [
        (
            "seat 1's baron on 1,1 is beaten: seat 1 takes back the keep and loses 1 honour for "
            "pond 2,1 (1)"
        ),
        (
            "seat 1's baron on 2,2 is beaten: seat 1 takes back the keep and neither gains nor loses "
            "honour for 3 meadows; lost only once: pond 2,1 (1)"
        ),
    ]
    assert explanation(state, event)["BN-BAR-2"] == [
        "all six tiles around 3,1 are there: the barony is resolved at once"
    ]


def test_a_seat_that_goes_out_by_its_honour_is_explained() -> None:
    state = given(EXAMPLE_7.replace("2: 3", "2: -4, MM, keeps 2"))
    event = when(state, 0, "lay vineyard 2,0").event
    assert text_of(event).endswith("; seat 2 is out of the game")
    why = explanation(state, event)
    assert why["BN-OUB-1"] == [
        (
            "seat 2 is at -5 honour and therefore out: 2 tiles and 3 keeps leave the game, and 0 keeps "
            "stay on the board"
        )
    ]
    assert "BN-OUB-2" not in why


def test_fights_of_seats_that_are_out_are_explained() -> None:
    state = in_a_row("2b 1k 2k", "PPVFS", "0", "0", "-5, out 1")
    why = explanation(state, when_scored(state).event)
    assert why["BN-OUB-2"] == [
        (
            "seat 2's baron on 0,1 is beaten, but seat 2 is out: the keep leaves the game, and no honour "
            "changes"
        )
    ]
    assert any(
        sentence.endswith("is beaten, and its keep leaves the game, since seat 2 is out")
        for sentence in why["BN-SIM-2"]
    )
    won = in_a_row("2k 1b 2b", "VPMMM", "0", "0", "-5, out 1")
    assert (
        "seat 2 is out: the honour of this seat stays as it is, whatever seat 2's knight on 0,1 won"
        in explanation(won, when_scored(won).event)["BN-OUB-2"]
    )


def test_keeps_that_came_back_are_explained_to_rest() -> None:
    board = EXAMPLE_7.replace("M   P   .", "V   P   .").replace("0: 0", "0: 0, keeps 0")
    board = board.replace("board 0,0", "market M\n    board 0,0")
    state = given(board)
    event = when(state, 0, "lay vineyard 2,0").event
    why = explanation(state, event)
    assert why["BN-KEP-4"] == [
        "seat 0 has no keep but what came back in this turn: the turn ends by itself"
    ]
    assert why["BN-KEP-2"] == [
        "the turn is over: 1 keep that came back to seat 0 can be put down again"
    ]
    ready = given(board.replace("keeps 0", "keeps 1"))
    after = when(ready, 0, "lay vineyard 2,0").after
    event = when(after, 0, "end").event
    assert explanation(after, event) == {
        "BN-KEP-1": ["seat 0 need not put down a keep: 1 keep in reserve"],
        "BN-KEP-2": [
            "1 keep of seat 0 came back in this turn, and has to rest",
            "the turn is over: 1 keep that came back to seat 0 can be put down again",
        ],
    }
