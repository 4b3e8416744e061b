"""Recaps: what has happened over several events, in words, in points and on one board."""

from typing import Final

import pytest

from domain.scene import Arrow, Piece, Scene
from replay.history.recap import Gain, Recap, recap_events, scene_with_recap
from replay.history.timeline import Transition, transitions
from tests.support.languages import ENGLISH, FRENCH, SPANISH
from tests.support.stored_games import recorded_game

BATTLE: Final = 143
"""The event of `baron-battles` in which seat 2 earns a point, and a knight of seat 1 leaves the board."""


def steps_of(name: str) -> list[Transition]:
    return list(transitions(recorded_game(name)))


def recap_of(name: str, first: int, last: int, reader: int | None = None) -> Recap:
    all_steps = steps_of(name)
    events = recap_events(all_steps[first - 1 : last], all_steps[-1].after)
    return Recap(events, is_since_own_turn=True, reader=reader)


def sentence(recap: Recap) -> str:
    assert recap.sentence is not None
    return ENGLISH.sentence(recap.sentence)


def test_a_recap_says_who_gained_points_and_who_lost_pieces() -> None:
    recap = recap_of("baron-battles", 141, BATTLE)
    assert recap.gains == [Gain(2, 1)]
    ((loss, line),) = [(loss, event.seq) for event in recap.events for loss in event.losses]
    assert (loss.seat, loss.count, line) == (1, 1, BATTLE)
    assert sentence(recap) == (
        "Since your last turn (3 events): seat 2 +1; seat 1 loses 1 knight's keep"
    )


def test_a_recap_addresses_its_reader() -> None:
    assert sentence(recap_of("baron-battles", 141, BATTLE, reader=1)).endswith(
        "seat 2 +1; you lose 1 knight's keep"
    )
    assert sentence(recap_of("baron-battles", 141, BATTLE, reader=2)).endswith(
        "you +1; seat 1 loses 1 knight's keep"
    )


def test_gains_are_the_difference_between_the_scores_at_both_ends() -> None:
    all_steps = steps_of("baron-battles")
    first, last = all_steps[99], all_steps[159]
    assert first.before is not None

    def scores(transition: Transition, *, is_before: bool) -> dict[int, int]:
        game = transition.before if is_before else transition.after
        assert game is not None
        return {entry["seat"]: entry["score"] for entry in game.rules.standings(game.state)}

    before, after = scores(first, is_before=True), scores(last, is_before=False)
    gains = recap_of("baron-battles", 100, 160).gains
    assert gains == [
        Gain(seat, after[seat] - before[seat]) for seat in before if after[seat] != before[seat]
    ]


def test_a_recap_without_points_and_losses_names_the_last_action() -> None:
    recap = recap_of("agreement", 28, 30)
    assert recap.events[-1].actor != recap.events[-2].actor
    assert sentence(recap) == (
        "Since your last turn (3 events), "
        "the last one: seat 2: moves a knight -1,-3>-1,-4, then moves another 2,-2>3,-2"
    )


def test_a_single_event_is_the_sentence_itself_and_is_not_listed_again() -> None:
    recap = recap_of("agreement", 26, 26)
    assert sentence(recap) == "Since your last turn: seat 1: asks for the end of the game"
    assert recap.listed_events == ()
    assert len(recap_of("baron-battles", 101, 101).listed_events) == 1


def test_nothing_has_happened_in_no_events() -> None:
    assert Recap().sentence is None


def test_the_first_recap_of_a_game_covers_the_time_since_its_start() -> None:
    events = recap_of("agreement", 28, 30).events
    assert sentence(Recap(events)).startswith("So far (3 events), ")
    # Events that are left out are counted.
    assert sentence(Recap(events, omitted=4)).startswith("So far (7 events), ")


@pytest.mark.parametrize(
    ("renderer", "text"),
    [
        (FRENCH, "Depuis votre dernier tour (3 événements)"),
        (SPANISH, "Desde su último turno (3 eventos)"),
    ],
)
def test_the_sentence_is_translated(renderer: object, text: str) -> None:
    recap = recap_of("baron-battles", 141, BATTLE, reader=1)
    assert recap.sentence is not None
    assert renderer.sentence(recap.sentence).startswith(text)  # type: ignore[attr-defined] # a renderer


def test_the_board_shows_all_movements_and_losses_of_the_events() -> None:
    all_steps = steps_of("baron-battles")
    head = all_steps[166].after
    recap = recap_of("baron-battles", 141, 167)
    scene: Scene = head.rules.scene(head.position(None), None)
    marked = scene_with_recap(scene, recap.events)
    # Each hex stays what it is, and carries the marks of every event.
    for cell, plain in zip(marked.cells, scene.cells, strict=True):
        assert (cell.at, cell.terrain, cell.pieces) == (plain.at, plain.terrain, plain.pieces)
    laid = {
        tuple(transition.event["data"]["at"])
        for transition in all_steps[140:167]
        if transition.event["type"] == "TilePlaced"
    }
    assert laid <= {cell.at for cell in marked.cells if cell.is_changed}
    removed = [piece for cell in marked.cells for piece in cell.removed]
    assert sum(piece.count for piece in removed) == sum(loss.count for loss in recap.losses) == 3


def test_arrows_of_all_events_are_drawn_in_order() -> None:
    recap = recap_of("agreement", 27, 28)
    head = steps_of("agreement")[27].after
    scene: Scene = head.rules.scene(head.position(None), None)
    assert scene_with_recap(scene, recap.events).arrows == (
        Arrow(0, (-3, -1), (-4, 0)),
        Arrow(0, (0, -1), (1, -1)),
        Arrow(1, (-3, 1), (-4, 1)),
        Arrow(1, (3, -1), (2, -1)),
    )


def test_pieces_that_are_lost_twice_on_a_hex_are_counted() -> None:
    recap = recap_of("baron-battles", BATTLE, BATTLE)
    head = steps_of("baron-battles")[BATTLE - 1].after
    scene: Scene = head.rules.scene(head.position(None), None)
    marked = scene_with_recap(scene, [*recap.events, *recap.events])
    (removed,) = [cell.removed for cell in marked.cells if cell.removed]
    assert removed == (Piece("keep_knight", 1, 2),)


def test_actions_that_were_taken_back_are_mentioned_and_not_drawn() -> None:
    all_steps = steps_of("disputes")
    superseded = [transition for transition in all_steps if transition.event["seq"] == 34]
    head = all_steps[-1].after
    assert head.is_superseded(34)
    (event,) = recap_events(superseded, head)
    assert ENGLISH(event.message).startswith("seat 0: moves a knight")
    assert (event.arrows, event.cells, event.losses) == ((), (), ())


def test_events_about_keys_are_left_out() -> None:
    names = {transition.event["type"] for transition in steps_of("signed-actions")}
    if "PlayerKeyAdded" not in names:
        pytest.fail("the record has no event about a key")
    all_steps = steps_of("signed-actions")
    events = recap_events(all_steps, all_steps[-1].after)
    keys = [
        transition for transition in all_steps if transition.event["type"].startswith("PlayerKey")
    ]
    assert len(events) == len(all_steps) - len(keys)
