"""Values of messages from events that were made up can be displayed, whatever is in the events."""

import pytest

from domain.messages import (
    Amount,
    HexAt,
    HexPath,
    Message,
    PlayerAt,
    PlayerWithId,
    Value,
    listing,
    message,
    term,
)
from ledger.record import Record
from replay.history.event_values import actor, displayable, names_of, quoted
from replay.language.catalogue import languages
from replay.language.renderer import NO_NAMES, english, renderer

KNIGHT = term("knight; plural: knights; a: a knight; the: the knight")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (PlayerAt([1]), "[1]"),  # type: ignore[arg-type] # a seat that was made up
        (PlayerWithId({"a": 1}), '{"a":1}'),  # type: ignore[arg-type] # an id that was made up
        (HexAt("x", None), '["x",null]'),  # type: ignore[arg-type] # a hex that was made up
        (HexPath((HexAt(0, 0), HexAt(1, "y"))), '0,0, [1,"y"]'),  # type: ignore[arg-type] # as above
        (Amount(None, KNIGHT), "null"),  # type: ignore[arg-type] # a number that was made up
        (Amount(2, KNIGHT), "2 knights"),
        (HexPath((HexAt(0, 0), HexAt(1, 0))), "0,0>1,0"),
        (True, "true"),
        (1.5, "1.5"),
    ],
)
def test_values_of_a_wrong_type_are_displayed_as_json(value: Value, expected: str) -> None:
    text = message("{values}", values=listing([message("{value}", value=value)]))
    shown = displayable(text)
    assert isinstance(shown, Message)
    assert english(shown) == expected
    for language in languages():
        assert renderer(language)(shown)


def test_actors_are_players_or_parts_of_the_server() -> None:
    assert actor({"seat": 3}) == PlayerAt(3)
    assert actor({"player": "ada"}) == PlayerWithId("ada")
    assert renderer("fr")(message("{actor}", actor=actor({"system": "clock"}))) == "la pendule"
    assert english(actor({"system": "x\x1b"})) == "the system x\ufffd"
    assert quoted(7) == 7


def test_a_record_without_a_start_names_nobody_by_seat() -> None:
    assert names_of(Record({})).seat(0) is NO_NAMES.seat(0) is None


@pytest.mark.parametrize("players", [5, None, {"a": 1}, [5, {}, []]])
def test_seats_whose_players_were_made_up_have_no_names(players: object) -> None:
    record = Record({}, [{"type": "GameStarted", "data": {"players": players}}])  # type: ignore[typeddict-item] # made up
    assert names_of(record).seat(0) is None
