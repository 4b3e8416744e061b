"""Audits of games with Sorcery: what it adds to the set-up, to moves and to scores is checked too."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from domain.event import Event
from domain.json_types import JsonObject
from replay.bots import playout
from replay.language.renderer import english
from tests.support.events import event_of
from tests.support.records import Table, audit_record, first_finding, forge_record
from tests.support.sorcery_games import game_with_casts

Change = Callable[[JsonObject], None]


def test_games_with_casts_of_every_family_pass_every_check() -> None:
    for field in ("moves", "recruits", "replaced"):
        table = game_with_casts(field)
        report = audit_record(table.record(receipts=True))
        assert report.findings == []
        assert report.unknowns == []
        looked_at = {check.name: check.count for check in report.checks}
        assert (looked_at["chance"], looked_at["decisions"]) == (1, table.game.seq)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_whole_games_of_bots_pass(seats: int) -> None:
    plan = playout.plan("barony", seats, bytes(3), {"sorcery": True}, ("random", "sensible"))
    report = audit_record(playout.play(plan).record)
    assert report.findings == []
    assert report.summary["status"] == "finished"


def test_a_running_game_passes() -> None:
    """The secret behind board and spells is not known then, and the report says so."""
    table = game_with_casts("moves")
    cast = next(made.game.seq for made in table.sealed if made.event["type"] == "SpellsCast")
    report = audit_record(table.until(cast).record())
    assert report.findings == []
    checks = {check.name: check for check in report.checks}
    assert checks["chance"].verdict == "unknown"
    assert (checks["decisions"].count, checks["decisions"].verdict) == (cast, "holds")


# Forgeries by somebody with the server's own key: chain, positions and head are repaired


def start_of(events: list[Event]) -> JsonObject:
    """The data of the event that starts the game."""
    return next(event["data"] for event in events if event["type"] == "GameStarted")


def exchange_spell(data: JsonObject) -> None:
    """Another spell lies open than the drawn one."""
    closed = {"abundance", "celerity", "charm", "illusion", "petrification", "portal"}
    data["spells"] = sorted([*data["spells"][1:], min(closed - {*data["spells"]})])


def move_place(data: JsonObject) -> None:
    """A mysterious place is moved."""
    cells = data["board"]
    place = next(cell for cell in cells if cell["terrain"] == "mysterious_place")
    other = next(cell for cell in cells if cell["terrain"] == "lake")
    place["terrain"], other["terrain"] = other["terrain"], place["terrain"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (exchange_spell, "spells is not what the seed gives"),
        (lambda data: data["spells"].pop(), "spells is not what the seed gives"),
        (lambda data: data["spells"].reverse(), "spells is not what the seed gives"),
        (move_place, "board is not what the seed gives"),
        (lambda data: data["board"].pop(), "board is not what the seed gives"),
    ],
)
def test_a_set_up_that_was_chosen_is_reported(change: Change, problem: str) -> None:
    table = Table("barony", 5, {"sorcery": True}).start().abandon()
    first = first_finding(
        forge_record(table.record(), lambda events: change(start_of(events)), states=True), "chance"
    )
    assert (first.seq, english(first.problem)) == (table.game.seq - 1, problem)


@pytest.mark.parametrize("spells", [None, 5, "charm", [], [[]], ["magic"], [{}], {"charm": 1}])
def test_spells_that_do_not_exist_are_reported(spells: object) -> None:
    data = game_with_casts("moves").record()
    report = audit_record(forge_record(data, lambda events: start_of(events).update(spells=spells)))
    assert report.verdict == "broken"
    assert report.first is not None
    assert report.first.check in {"state", "chance"}


def holders(event: Event, field: str) -> Iterator[JsonObject]:
    """The parts of an event's data that have the field: the data, its steps or its standings."""
    data = event["data"]
    parts = [data, *data.get("moves", ()), *data.get("standings", ())]
    yield from (part for part in parts if field in part)


def by(field: str, number: int) -> Change:
    """Add a number to the field."""
    return lambda part: part.update({field: part[field] + number})


def to(field: str, value: Any) -> Change:
    """Put another value into the field."""
    return lambda part: part.update({field: value})


def without(field: str) -> Change:
    """Remove the field."""
    return lambda part: part.pop(field)


@pytest.mark.parametrize(
    ("type", "field", "change"),
    [
        ("KnightsMoved", "magic", by("magic", 1)),
        ("KnightsMoved", "magic", without("magic")),
        ("ExpeditionSent", "magic", by("magic", -1)),
        ("ExpeditionSent", "magic", without("magic")),
        ("SpellsCast", "cost", by("cost", -1)),
        ("SpellsCast", "cost", to("cost", 0)),
        ("SpellsCast", "spells", to("spells", ["celerity", "portal"])),
        ("SpellsCast", "magic", by("magic", 1)),
        ("SpellsCast", "magic", without("magic")),
        ("SpellsCast", "left", without("left")),
        ("SpellsCast", "left", to("left", [])),
        ("SpellsCast", "swept", without("swept")),
        ("SpellsCast", "swept", lambda part: part["swept"].reverse() or part["swept"].pop()),
        ("SpellsCast", "returned", without("returned")),
        ("SpellsCast", "returned", by("returned", 1)),
        ("SpellsCast", "recruits", lambda part: by("knights", 1)(part["recruits"][0])),
        ("SpellsCast", "token", to("token", None)),
        ("SpellsCast", "token", without("token")),
        ("SpellsCast", "points", by("points", 5)),
        ("SpellsCast", "replaced", without("replaced")),
        ("RoundScored", "imprint_points", by("imprint_points", 3)),
        ("RoundScored", "imprint_points", without("imprint_points")),
        ("RoundScored", "final_score", by("final_score", -3)),
    ],
)
def test_a_value_that_the_rules_do_not_give_is_reported(
    type: str, field: str, change: Change
) -> None:
    """The positions are repaired too, so only deciding again can refute it."""
    table = game_with_casts(*([field] if type == "SpellsCast" else []))
    changed: list[Event] = []

    def forge(events: list[Event]) -> None:
        for event in events:
            for part in holders(event, field) if event["type"] == type else ():
                change(part)
                changed.append(event)
                return

    data = forge_record(table.record(), forge, states=True)
    first = first_finding(data, "decisions")
    assert first.seq == changed[0]["seq"]
    assert "today's rules say otherwise" in english(first.problem)


def test_a_ranking_without_the_points_of_imprints_is_reported() -> None:
    table = game_with_casts()
    position = table.game.rules.position(table.game.state, None)
    imprints = [len(player["imprints"]) for player in position["players"]]
    assert any(imprints)

    def forge(events: list[Event]) -> None:
        for entry in events[-1]["data"]["ranking"]:
            entry["score"] -= 3 * imprints[entry["seat"]]

    assert "ranking" in english(
        first_finding(forge_record(table.record(), forge, states=True), "decisions").problem
    )


def started() -> Iterator[Table]:
    """Yield games that have just started, each with other spells."""
    for nonce in range(256):
        options = {"sorcery": True, "seating": "joined"}
        yield Table("barony", 2, options, nonce=bytes([nonce])).start()


def open_spells(table: Table) -> list[str]:
    """The spells that lie open in a game."""
    return list(table.game.rules.position(table.game.state, None)["spells"])


def cast_for_nothing(spell: str, *, is_open: bool) -> bytes:
    """A game in which a server let seat 0 cast a spell without any magic tokens, open or not."""
    table = next(table for table in started() if (spell in open_spells(table)) == is_open)
    rules = table.game.rules
    while not table.game.round:
        seat = table.game.to_act
        assert seat is not None
        table.act(rules.action_to_json(rules.legal_actions(table.game.state, seat)[0]))
    pawns = rules.position(table.game.state, None)["pawns"]
    city = next(pawn["at"] for pawn in pawns if pawn["seat"] == 0)
    recruits = [{"at": city, "knights": 1}]
    then = {"phase": "play", "round": 1, "turn": table.game.turn + 1, "to_act": 1}
    cast: JsonObject = {"spells": [spell], "recruits": recruits}
    fact = event_of("SpellsCast", {"seat": 0, "cost": 1, "then": then, **cast})
    table.add(fact, {"seat": 0}, {"type": "cast", **cast})
    return table.record()


def test_a_cast_of_a_spell_that_does_not_lie_open_is_reported() -> None:
    first = first_finding(cast_for_nothing("charm", is_open=False), "decisions")
    assert "BS-SPL-1" in english(first.problem)
    assert "SpellsCast" in english(first.problem)


def test_a_cast_that_cannot_be_paid_is_reported() -> None:
    assert "BS-SPL-2" in english(
        first_finding(cast_for_nothing("charm", is_open=True), "decisions").problem
    )


@pytest.mark.parametrize("sorcery", [False, None, 1, "true", [], {}])
def test_a_game_that_denies_its_expansion_is_reported(sorcery: object) -> None:
    """Its events are those of another rule system, and are reported where they do not fit."""

    def forge(events: list[Event]) -> None:
        events[0]["data"]["options"]["sorcery"] = sorcery

    for table in (game_with_casts("moves"), game_with_casts(seats=5)):
        report = audit_record(forge_record(table.record(), forge))
        assert report.verdict == "broken"
        assert any(finding.check == "decisions" for finding in report.findings)


@pytest.mark.parametrize("options", [None, [], "sorcery", 5, True])
def test_options_that_are_not_an_object_are_reported(options: object) -> None:
    def forge(events: list[Event]) -> None:
        events[0]["data"]["options"] = options

    first = first_finding(forge_record(game_with_casts().record(), forge), "form")
    assert (first.line, "options" in english(first.problem)) == (2, True)


@pytest.mark.parametrize("sorcery", [True, "true", None])
def test_a_game_that_claims_an_expansion_is_reported(sorcery: object) -> None:
    table = Table("barony", 2, {"round_limit": 2}).start().play_out()

    def forge(events: list[Event]) -> None:
        events[0]["data"]["options"]["sorcery"] = sorcery

    assert audit_record(forge_record(table.record(), forge)).verdict == "broken"
