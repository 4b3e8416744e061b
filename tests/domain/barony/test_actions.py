"""FORMAT: which JSON and which short forms are well-formed actions (docs/formats.md), field by field."""

from typing import Any

import pytest

from domain import barony
from domain.barony import parse_action
from domain.errors import FORMAT, Malformed
from replay.language.renderer import english
from tests.support.faults import faults_of

HERE, THERE = [0, 0], [1, 0]
BUILD, STEP = {"at": HERE, "building": "village"}, [HERE, THERE]
MOST = 2**53 - 1


def place(**fields: Any) -> dict[str, Any]:
    return {"type": "place_city", **fields}


def recruit(**fields: Any) -> dict[str, Any]:
    return {"type": "recruit", "at": HERE, "knights": 1, **fields}


def move(**fields: Any) -> dict[str, Any]:
    return {"type": "move", "moves": [STEP], **fields}


def build(*builds: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "build", "builds": list(builds), **fields}


def title(discard: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "noble_title", "discard": discard, **fields}


def cast(*spells: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "cast", "spells": list(spells), **fields}


NO_OBJECTS: list[Any] = [None, True, 1, 1.5, "pass", [], [{"type": "pass"}]]


@pytest.mark.parametrize("raw", NO_OBJECTS)
def test_an_action_is_an_object(raw: object) -> None:
    with pytest.raises(Malformed) as refused:
        parse_action(raw)
    assert list(refused.value.fields) == [""]


NO_TYPES: list[Any] = [
    {},
    {"type": None},
    {"type": 1},
    {"type": True},
    {"type": ["pass"]},
    {"type": {"pass": 1}},
    {"type": ""},
    {"type": "Pass"},
    {"type": "pass "},
    {"type": "expand"},
    {"type": "KnightsMoved"},
    {"type": "draw", "slot": 1},
    {"type": "place_tile", "tile": "vineyard", "at": HERE},
    {"type": "discard_tile", "tile": "forest"},
    {"type": "place_keep", "at": HERE},
    {"type": "end_turn"},
    {"Type": "pass"},
    {"at": HERE},
]


@pytest.mark.parametrize("raw", NO_TYPES)
def test_an_action_type_must_be_one_of_this_game(raw: object) -> None:
    with pytest.raises(Malformed) as refused:
        parse_action(raw)
    text = english(refused.value.message)
    assert text.startswith("FORMAT: type: must be one of place_city, recruit, move,")


NO_HEXES: list[Any] = [
    None,
    0,
    "0,0",
    [],
    [0],
    [0, 0, 0],
    {"q": 0, "r": 0},
    ["0", "0"],
    [0, None],
    [0, True],
    [False, 0],
    [0.0, 0],
    [0, 1.5],
    [2**53, 0],
    [0, -(2**53)],
    [10**30, 0],
    [[0, 0]],
    [[0], [0]],
]


@pytest.mark.parametrize(
    ("path", "frame"),
    [
        ("at", lambda at: place(at=at)),
        ("at", lambda at: recruit(at=at)),
        ("at", lambda at: {"type": "new_city", "at": at}),
        ("to", lambda at: {"type": "expedition", "to": at}),
        ("moves.0.0", lambda at: move(moves=[[at, THERE]])),
        ("moves.0.1", lambda at: move(moves=[[HERE, at]])),
        ("moves.1.1", lambda at: move(moves=[STEP, [HERE, at]])),
        ("builds.0.at", lambda at: build({"at": at, "building": "village"})),
        ("path.1", lambda at: cast("tornado", path=[HERE, at])),
        ("recruits.0.at", lambda at: cast("charm", recruits=[{"at": at, "knights": 1}])),
        ("at", lambda at: cast("abundance", at=at)),
    ],
)
def test_a_hex_must_be_two_integers(path: str, frame: Any) -> None:
    for no_hex in NO_HEXES:
        with pytest.raises(Malformed) as refused:
            parse_action(frame(no_hex))
        assert list(refused.value.fields) == [path], no_hex


NO_COUNTS: list[Any] = [None, 0, -1, True, False, 1.0, 1.5, "1", [1], {}, 2**53, 10**40]


@pytest.mark.parametrize(
    ("path", "frame"),
    [
        ("knights", lambda count: recruit(knights=count)),
        ("discard.plain", lambda count: title({"plain": count})),
        ("discard.field", lambda count: title({"plain": 3, "field": count})),
        ("recruits.0.knights", lambda n: cast("charm", recruits=[{"at": HERE, "knights": n}])),
    ],
)
def test_a_count_must_be_an_integer_from_1(path: str, frame: Any) -> None:
    for no_count in NO_COUNTS:
        with pytest.raises(Malformed) as refused:
            parse_action(frame(no_count))
        assert list(refused.value.fields) == [path], no_count


MALFORMED: list[tuple[str, dict[str, Any]]] = [
    # a field that is missing
    ("at", place()),
    ("at", {"type": "recruit", "knights": 1}),
    ("knights", {"type": "recruit", "at": HERE}),
    ("moves", {"type": "move"}),
    ("moves", {"type": "move", "takes": []}),
    ("builds", {"type": "build"}),
    ("at", {"type": "new_city"}),
    ("to", {"type": "expedition"}),
    ("discard", {"type": "noble_title"}),
    ("agree", {"type": "agree_to_end"}),
    ("spells", {"type": "cast"}),
    ("spells", {"type": "cast", "at": HERE}),
    ("spells", cast("charm")),
    # a field that is unknown, here
    ("note", place(at=HERE, note="hello")),
    ("knights", place(at=HERE, knights=1)),
    ("seat", recruit(seat=0)),
    ("takes", recruit(takes=[])),
    ("path", move(path=[HERE, THERE])),
    ("takes", build(BUILD, takes=[])),
    ("to", {"type": "new_city", "at": HERE, "to": HERE}),
    ("at", {"type": "expedition", "to": HERE, "at": HERE}),
    ("rank", title({"plain": 4}, rank="viscount")),
    ("at", {"type": "pass", "at": HERE}),
    ("agree", {"type": "resign", "agree": True}),
    ("why", {"type": "agree_to_end", "agree": True, "why": ""}),
    ("", {"type": "pass", "": 0}),
    ("slot", cast("charm", recruits=[{"at": HERE, "knights": 1}], slot=1)),
    ("takes", cast("charm", recruits=[{"at": HERE, "knights": 1}], takes=[])),
    ("takes", cast("abundance", at=HERE, takes=[])),
    # moves: one or two, each from a hex to a hex
    ("moves", move(moves=None)),
    ("moves", move(moves={})),
    ("moves", move(moves="0,0>1,0")),
    ("moves", move(moves=[])),
    ("moves", move(moves=[STEP, STEP, STEP])),
    ("moves.0", move(moves=[None])),
    ("moves.0", move(moves=[[]])),
    ("moves.0", move(moves=[[HERE]])),
    ("moves.0", move(moves=[[HERE, THERE, HERE]])),
    ("moves.0", move(moves=[{"from": HERE, "to": THERE}])),
    ("moves.1", move(moves=[STEP, 7])),
    # takes: kinds of token
    ("takes", move(takes=None)),
    ("takes", move(takes="plain")),
    ("takes", move(takes={"plain": 1})),
    ("takes.0", move(takes=["lake"])),
    ("takes.0", move(takes=["mysterious_place"])),
    ("takes.0", move(takes=["Plain"])),
    ("takes.0", move(takes=[2])),
    ("takes.1", move(takes=["plain", None])),
    ("takes.1", move(takes=["plain", ["field"]])),
    ("takes.0", cast("tornado", path=STEP, takes=["gold"])),
    # builds: sites, none twice
    ("builds", build(builds=None)),
    ("builds", build(builds={})),
    ("builds", build()),
    ("builds.0", build(None)),
    ("builds.0", build([HERE, "village"])),
    ("builds.0", build({})),
    ("builds.0", build({"at": HERE})),
    ("builds.0", build({"building": "village"})),
    ("builds.0", build({**BUILD, "token": "plain"})),
    ("builds.1", build(BUILD, {**BUILD, "at": THERE, "seat": 0})),
    ("builds.0.building", build({"at": HERE, "building": "city"})),
    ("builds.0.building", build({"at": HERE, "building": None})),
    ("builds.0.building", build({"at": HERE, "building": 1})),
    ("builds.0.building", build({"at": HERE, "building": ["village"]})),
    ("builds.1.building", build(BUILD, {"at": THERE, "building": "Village"})),
    ("builds", build(BUILD, BUILD)),
    ("builds", build(BUILD, {"at": HERE, "building": "stronghold"})),
    ("builds", build(BUILD, {**BUILD, "at": THERE}, BUILD)),
    # discard: counts by kind of token, not empty
    ("discard", title(None)),
    ("discard", title({})),
    ("discard", title([])),
    ("discard", title([["plain", 4]])),
    ("discard", title("4 plain")),
    ("discard.lake", title({"lake": 1})),
    ("discard.gold", title({"plain": 4, "gold": 1})),
    ("discard.", title({"": 1})),
    # agree
    ("agree", {"type": "agree_to_end", "agree": None}),
    ("agree", {"type": "agree_to_end", "agree": 0}),
    ("agree", {"type": "agree_to_end", "agree": 1}),
    ("agree", {"type": "agree_to_end", "agree": "true"}),
    ("agree", {"type": "agree_to_end", "agree": []}),
    # spells: known, none twice, with the field that one of their families needs
    ("spells", {"type": "cast", "spells": None, "at": HERE}),
    ("spells", {"type": "cast", "spells": "charm", "at": HERE}),
    ("spells", cast(at=HERE)),
    ("spells", cast("charm", "charm", recruits=[{"at": HERE, "knights": 1}])),
    ("spells", cast("charm", at=HERE)),
    ("spells", cast("abundance", path=STEP)),
    ("spells", cast("abundance", "charm", at=HERE, recruits=[{"at": HERE, "knights": 1}])),
    ("spells.0", cast("Abundance", at=HERE)),
    ("spells.1", cast("abundance", "fireball", at=HERE)),
    ("spells.0", cast(None, at=HERE)),
    ("spells.1", cast("abundance", ["sanctuary"], at=HERE)),
    ("spells", {"type": "cast", "spells": {"charm": 1}, "at": HERE}),
    ("spells", cast("abundance", at=HERE, path=STEP)),
    ("spells", cast("tornado", path=STEP, at=None)),
    # path: two or three hexes, takes: kinds of token
    ("takes", cast("tornado", path=STEP, takes=None)),
    ("takes", cast("tornado", path=STEP, takes={"plain": 1})),
    ("takes.1", cast("tornado", path=STEP, takes=["plain", "lake"])),
    ("path", cast("tornado", path={"from": HERE, "to": THERE})),
    ("path.0", cast("tornado", path=[STEP, HERE])),
    ("path", cast("tornado", path=None)),
    ("path", cast("tornado", path=[])),
    ("path", cast("tornado", path=[HERE])),
    ("path", cast("celerity", path=[HERE, THERE, HERE, THERE])),
    # recruits: sites, none twice
    ("recruits", cast("charm", recruits=[])),
    ("recruits", cast("charm", recruits={"at": HERE, "knights": 1})),
    ("recruits.0", cast("charm", recruits=[HERE])),
    ("recruits", cast("charm", recruits=None)),
    ("recruits.0", cast("charm", recruits=[[HERE, 1]])),
    ("recruits.0", cast("charm", recruits=[{"at": HERE}])),
    ("recruits.0", cast("charm", recruits=[{"knights": 1}])),
    ("recruits.0", cast("charm", recruits=[{"at": HERE, "knights": 1, "site": "city"}])),
    ("recruits", cast("charm", recruits=[{"at": HERE, "knights": n} for n in (1, 2)])),
]


@pytest.mark.parametrize(("path", "raw"), MALFORMED)
def test_a_malformed_action_is_refused_naming_the_field(path: str, raw: dict[str, Any]) -> None:
    with pytest.raises(Malformed) as refused:
        parse_action(raw)
    assert refused.value.clause == FORMAT
    assert [field for field, fault in faults_of(refused.value).items() if fault] == [path]


def test_every_wrong_field_is_named() -> None:
    with pytest.raises(Malformed) as refused:
        parse_action(recruit(at="a1", knights=0, seat=3))
    assert sorted(refused.value.fields) == ["at", "knights", "seat"]


WELL_FORMED: list[tuple[dict[str, Any], str]] = [
    (place(at=[MOST, -MOST]), f"place {MOST},{-MOST}"),
    (recruit(knights=MOST), f"recruit {MOST} at 0,0"),
    (move(moves=[[HERE, HERE]]), "move 0,0>0,0"),
    (move(moves=[STEP, STEP]), "move 0,0>1,0 0,0>1,0"),
    (move(moves=[STEP, [THERE, HERE]]), "move 0,0>1,0 1,0>0,0"),
    (move(takes=[]), "move 0,0>1,0"),
    (move(takes=["plain"] * 3), "move 0,0>1,0 take plain plain plain"),
    (build({"building": "stronghold", "at": THERE}, BUILD), "build village 0,0 stronghold 1,0"),
    (title({"field": 1, "mountain": MOST}), f"title {MOST} mountain 1 field"),
    ({"type": "pass"}, "pass"),
    ({"type": "resign"}, "resign"),
    ({"type": "agree_to_end", "agree": False}, "disagree"),
    (cast("tornado", "celerity", path=[HERE, THERE, HERE]), "cast celerity tornado 0,0>1,0>0,0"),
    (cast("tornado", path=[HERE, HERE], takes=[]), "cast tornado 0,0>0,0"),
    (cast("celerity", path=STEP), "cast celerity 0,0>1,0"),
    (
        cast("teleportation", path=[*STEP, HERE], takes=["field", "mountain", "field"]),
        "cast teleportation 0,0>1,0>0,0 take field mountain field",
    ),
    (cast("charm", recruits=[{"at": HERE, "knights": MOST}]), f"cast charm {MOST} at 0,0"),
    (cast("petrification", at=[-MOST, MOST]), f"cast petrification at {-MOST},{MOST}"),
    (
        cast("portal", recruits=[{"at": at, "knights": 2} for at in (THERE, HERE)]),
        "cast portal 2 at 0,0 2 at 1,0",
    ),
    (cast("sanctuary", "abundance", at=HERE), "cast abundance sanctuary at 0,0"),
    (cast("charm", "tornado", path=STEP), "cast charm tornado 0,0>1,0"),
]


@pytest.mark.parametrize(("raw", "text"), WELL_FORMED)
def test_a_well_formed_action_reads_as_its_short_form(raw: dict[str, Any], text: str) -> None:
    action = parse_action(raw)
    assert barony.action_text(action) == text
    assert barony.parse_action_text(text) == action
    assert parse_action(barony.action_to_json(action)) == action


def test_only_the_order_of_moves_matters() -> None:
    there, back = {**BUILD, "at": THERE}, [THERE, HERE]
    assert parse_action(build(BUILD, there)) == parse_action(build(there, BUILD))
    assert parse_action({"knights": 1, "at": HERE, "type": "recruit"}) == parse_action(recruit())
    assert parse_action(move(moves=[STEP, back])) != parse_action(move(moves=[back, STEP]))


NO_TEXTS = [
    "",
    "   ",
    "jump 0,0",
    "place",
    "place 0,0 1,0",
    "place 0;0",
    "place 0,0,0",
    "place 1.5,0",
    "recruit two at 0,0",
    "recruit 2 in 0,0",
    "recruit 0 at 0,0",
    "recruit 1_0 at 0,0",
    "recruit \u0661 at 0,0",
    "place \u0661,0",
    "move",
    "move 0,0",
    "move 0,0>1,0>2,0",
    "move take plain",
    "move 0,0>1,0 take gold",
    "move 0,0>1,0 1,0>2,0 2,0>3,0",
    "build",
    "build village",
    "build city 0,0",
    "build village 0,0 village 0,0",
    "title",
    "title plain",
    "title plain 2",
    "title 2 lake",
    "title 2 plain 3 plain",
    "pass now",
    "resign please",
    "agree no",
    "cast",
    "cast charm",
    "cast fireball at 0,0",
    "cast abundance at",
    "cast charm 1 in 0,0",
    "cast tornado 0,0>1,0>2,0>3,0",
    "PASS",
]


@pytest.mark.parametrize("text", NO_TEXTS)
def test_malformed_short_forms_are_refused(text: str) -> None:
    with pytest.raises(Malformed):
        barony.parse_action_text(text)
