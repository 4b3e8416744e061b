"""The actions of Barony, those of Sorcery included: as values, and as JSON (docs/formats.md, Actions).

A cast is a well-formed action in every game of Barony. JSON of any other form breaks FORMAT. Only the form
is checked here, never the board: a step from a hex to itself has the right form. `action_text` has the short
form.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import (
    Annotated,
    ClassVar,
    Final,
    Literal,
    NotRequired,
    TypeAlias,
    TypedDict,
    assert_never,
)

from domain.barony.components import FAMILY, RESOURCES, SPELLS, Family, Resource, Spell
from domain.contract import Resign, ResignJson
from domain.hexes import Hex
from domain.json_fields import FieldReader, Parser, parse_action_fields
from domain.json_types import HexJson, Length, ObjectType, PositiveCount
from domain.messages import comma_list, message

Site: TypeAlias = tuple[Hex, Literal["village", "stronghold"]]
"""A hex, and what to build on it."""


@dataclass(frozen=True, slots=True)
class PlaceCity:
    """Set-up: a city and a knight (BY-SET-3)."""

    type: ClassVar[Literal["place_city"]] = "place_city"
    at: Hex


@dataclass(frozen=True, slots=True)
class Recruit:
    """A. Recruitment (BY-REC)."""

    type: ClassVar[Literal["recruit"]] = "recruit"
    at: Hex
    knights: int


@dataclass(frozen=True, slots=True)
class Move:
    """B. Movement (BY-MOV): one or two moves (from, to); `takes` are kinds of token to take (BY-CON-3)."""

    type: ClassVar[Literal["move"]] = "move"
    moves: tuple[tuple[Hex, Hex], ...]
    takes: tuple[Resource, ...] = ()


@dataclass(frozen=True, slots=True)
class Build:
    """C. Construction (BY-BLD), on sites in order of hexes."""

    type: ClassVar[Literal["build"]] = "build"
    builds: tuple[Site, ...]


@dataclass(frozen=True, slots=True)
class NewCity:
    """D. New city (BY-CTY)."""

    type: ClassVar[Literal["new_city"]] = "new_city"
    at: Hex


@dataclass(frozen=True, slots=True)
class Expedition:
    """E. Expedition (BY-EXP)."""

    type: ClassVar[Literal["expedition"]] = "expedition"
    to: Hex


@dataclass(frozen=True, slots=True)
class NobleTitle:
    """F. Noble title (BY-TTL): tokens to discard, counted by kind in the order of BY-MAT-2."""

    type: ClassVar[Literal["noble_title"]] = "noble_title"
    discard: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Pass:
    """Pass, where no other action is legal (BY-TURN-2)."""

    type: ClassVar[Literal["pass"]] = "pass"


@dataclass(frozen=True, slots=True)
class AgreeToEnd:
    """Ask for the end by agreement, or withdraw that (BY-END-5)."""

    type: ClassVar[Literal["agree_to_end"]] = "agree_to_end"
    agree: bool


@dataclass(frozen=True, slots=True)
class Cast:
    """Spells of one family (BS-SPL), in alphabetical order, with a path, recruits or a hex.

    A cast is a well-formed action in every game of Barony; without Sorcery the rules refuse it (BS-SPL-1).
    """

    type: ClassVar[Literal["cast"]] = "cast"
    spells: tuple[Spell, ...]
    path: tuple[Hex, ...] = ()
    """The start, then the hex on which each step ends."""
    takes: tuple[Resource, ...] = ()
    recruits: tuple[tuple[Hex, int], ...] = ()
    at: Hex | None = None


Action: TypeAlias = (
    PlaceCity
    | Recruit
    | Move
    | Build
    | NewCity
    | Expedition
    | NobleTitle
    | Pass
    | Cast
    | AgreeToEnd
    | Resign
)


class PlaceCityJson(TypedDict):
    """Set-up: a city and a knight."""

    type: Literal["place_city"]
    at: HexJson


class RecruitJson(TypedDict):
    """A. Recruitment, into the city on a hex."""

    type: Literal["recruit"]
    at: HexJson
    knights: PositiveCount


class MoveJson(TypedDict):
    """B. Movement: one or two moves, [from, to] each, in this order. `takes` names a kind of token for each
    village that is destroyed and whose owner has a token.
    """

    type: Literal["move"]
    moves: Annotated[list[Annotated[list[HexJson], Length(2, 2)]], Length(1, 2)]
    takes: NotRequired[list[Resource]]


class BuildSiteJson(TypedDict):
    """A site of a construction."""

    at: HexJson
    building: Literal["village", "stronghold"]


class BuildJson(TypedDict):
    """C. Construction, on any number of sites."""

    type: Literal["build"]
    builds: Annotated[list[BuildSiteJson], Length(1)]


class NewCityJson(TypedDict):
    """D. New city, in place of a village."""

    type: Literal["new_city"]
    at: HexJson


class ExpeditionJson(TypedDict):
    """E. Expedition, to an edge hex."""

    type: Literal["expedition"]
    to: HexJson


class SomeTokens(TypedDict, total=False):
    """Resource tokens by kind; kinds of which there are none are left out."""

    mountain: PositiveCount
    forest: PositiveCount
    plain: PositiveCount
    field: PositiveCount


class NobleTitleJson(TypedDict):
    """F. Noble title; `discard` has at least one token."""

    type: Literal["noble_title"]
    discard: SomeTokens


class PassJson(TypedDict):
    """Pass, where no other action is legal."""

    type: Literal["pass"]


class AgreeToEndJson(TypedDict):
    """Ask for the end by agreement, or withdraw that; whether or not it is one's turn."""

    type: Literal["agree_to_end"]
    agree: bool


class CastMovementJson(TypedDict):
    """Cast spells of movement: `path` has the hex where the knight starts, then the hex where each step
    ends.
    """

    type: Literal["cast"]
    spells: Annotated[list[Spell], Length(1)]
    path: Annotated[list[HexJson], Length(2, 3)]
    takes: NotRequired[list[Resource]]


class CastRecruitJson(TypedDict):
    """A site of a recruitment by spells, and the number of knights."""

    at: HexJson
    knights: PositiveCount


class CastRecruitmentJson(TypedDict):
    """Cast spells of recruitment, at one or more sites."""

    type: Literal["cast"]
    spells: Annotated[list[Spell], Length(1)]
    recruits: Annotated[list[CastRecruitJson], Length(1)]


class CastConstructionJson(TypedDict):
    """Cast spells of construction: a city on a hex."""

    type: Literal["cast"]
    spells: Annotated[list[Spell], Length(1)]
    at: HexJson


CastJson: TypeAlias = CastMovementJson | CastRecruitmentJson | CastConstructionJson
BaronyActionJson: TypeAlias = (
    PlaceCityJson
    | RecruitJson
    | MoveJson
    | BuildJson
    | NewCityJson
    | ExpeditionJson
    | NobleTitleJson
    | PassJson
    | CastJson
    | AgreeToEndJson
    | ResignJson
)

ACTIONS: Final[Mapping[str, ObjectType]] = {
    "place_city": PlaceCityJson,
    "recruit": RecruitJson,
    "move": MoveJson,
    "build": BuildJson,
    "new_city": NewCityJson,
    "expedition": ExpeditionJson,
    "noble_title": NobleTitleJson,
    "pass": PassJson,
    "cast": CastJson,
    "agree_to_end": AgreeToEndJson,
    "resign": ResignJson,
}


BUILT: Final[tuple[Literal["village", "stronghold"], ...]] = ("village", "stronghold")
FAMILY_FIELD: Final[Mapping[Family, str]] = {
    "construction": "at",
    "movement": "path",
    "recruitment": "recruits",
}
"""The field of a cast that each family of spells needs."""


class ActionFields(FieldReader):
    """Reads the fields that only actions of Barony have."""

    def moves(self) -> tuple[tuple[Hex, Hex], ...]:
        """The field `moves`."""
        moves: list[tuple[Hex, Hex]] = []
        for i, move in enumerate(self.entries("moves", most=2)):
            if isinstance(move, list) and len(move) == 2:
                start = self.hex_of(move[0], f"moves.{i}.0")
                moves.append((start, self.hex_of(move[1], f"moves.{i}.1")))
            else:
                self.errors[f"moves.{i}"] = message("must be a move, [from, to]")
        return tuple(moves)

    def takes(self) -> tuple[Resource, ...]:
        """The optional field `takes`."""
        if "takes" not in self.raw:
            return ()
        values = enumerate(self.entries("takes", least=0))
        return tuple(self.word(value, f"takes.{i}", RESOURCES) for i, value in values)

    def builds(self) -> tuple[Site, ...]:
        """The field `builds`, sorted by hex."""
        builds: list[Site] = []
        for i, value in enumerate(self.entries("builds")):
            site = self.entry(value, f"builds.{i}", ("at", "building"))
            if site:
                at = self.hex_of(site["at"], f"builds.{i}.at")
                builds.append((at, self.word(site["building"], f"builds.{i}.building", BUILT)))
        self.require_unique("builds", [at for at, _ in builds])
        return tuple(sorted(builds))

    def discard(self) -> tuple[int, int, int, int]:
        """The field `discard`, counted by kind in the order of BY-MAT-2."""
        value = self.raw.get("discard")
        if not isinstance(value, dict) or not value:
            self.errors["discard"] = message(
                "must be an object of counts by kind of token, not empty"
            )
            return (0, 0, 0, 0)
        counts = dict.fromkeys(RESOURCES, 0)
        for name, count in value.items():
            kind = self.word(name, f"discard.{name}", RESOURCES)
            counts[kind] = self.count_of(count, f"discard.{name}")
        return (counts["mountain"], counts["forest"], counts["plain"], counts["field"])

    def recruits(self) -> tuple[tuple[Hex, int], ...]:
        """The field `recruits`, sorted by hex."""
        recruits: list[tuple[Hex, int]] = []
        for i, value in enumerate(self.entries("recruits")):
            entry = self.entry(value, f"recruits.{i}", ("at", "knights"))
            if entry:
                at = self.hex_of(entry["at"], f"recruits.{i}.at")
                recruits.append((at, self.count_of(entry["knights"], f"recruits.{i}.knights")))
        self.require_unique("recruits", [at for at, _ in recruits])
        return tuple(sorted(recruits))

    def cast(self) -> Cast:
        """A cast. Its form depends on the families of its spells; whether these may be cast together is
        for the rules to decide (BS-SPL-1).
        """
        listed = self.entries("spells")
        spells = [self.word(value, f"spells.{i}", SPELLS) for i, value in enumerate(listed)]
        self.require_unique("spells", spells)
        if self.errors:
            return Cast(())  # unknown spells do not tell which field is needed
        fields = {FAMILY_FIELD[FAMILY[spell]] for spell in spells}
        given = [field for field in FAMILY_FIELD.values() if field in self.raw]
        if len(given) != 1 or given[0] not in fields:
            self.errors["spells"] = message(
                "need exactly one of these fields: {fields}", fields=comma_list(sorted(fields))
            )
            return Cast(())
        names = tuple(sorted(spells))
        if given == ["path"]:
            self.allow("spells", "path", "takes")
            hexes = enumerate(self.entries("path", least=2, most=3))
            path = tuple(self.hex_of(at, f"path.{i}") for i, at in hexes)
            return Cast(names, path=path, takes=self.takes())
        if given == ["recruits"]:
            self.allow("spells", "recruits")
            return Cast(names, recruits=self.recruits())
        self.allow("spells", "at")
        return Cast(names, at=self.hex("at"))


ACTION_PARSERS: Final[Mapping[str, Parser[ActionFields, Action]]] = {
    "place_city": (["at"], lambda fields: PlaceCity(fields.hex("at"))),
    "recruit": (
        ["at", "knights"],
        lambda fields: Recruit(fields.hex("at"), fields.count("knights")),
    ),
    "move": (["moves", "takes"], lambda fields: Move(fields.moves(), fields.takes())),
    "build": (["builds"], lambda fields: Build(fields.builds())),
    "new_city": (["at"], lambda fields: NewCity(fields.hex("at"))),
    "expedition": (["to"], lambda fields: Expedition(fields.hex("to"))),
    "noble_title": (["discard"], lambda fields: NobleTitle(fields.discard())),
    "pass": ([], lambda _: Pass()),
    "cast": (None, ActionFields.cast),
    "agree_to_end": (["agree"], lambda fields: AgreeToEnd(fields.flag("agree"))),
    "resign": ([], lambda _: Resign()),
}
"""By action type."""


parse_action: Final = partial(parse_action_fields, reader=ActionFields, parsers=ACTION_PARSERS)
"""Returns the action that decoded JSON stands for. Raises Malformed, which names every wrong field."""


def action_to_json(action: Action) -> BaronyActionJson:
    """The action as JSON, without optional fields that are empty."""
    match action:
        case PlaceCity(at):
            return {"type": "place_city", "at": list(at)}
        case Recruit(at, knights):
            return {"type": "recruit", "at": list(at), "knights": knights}
        case Move(moves, takes):
            return _move_to_json(moves, takes)
        case Build(builds):
            sites: list[BuildSiteJson] = [
                {"at": list(at), "building": building} for at, building in builds
            ]
            return {"type": "build", "builds": sites}
        case NewCity(at):
            return {"type": "new_city", "at": list(at)}
        case Expedition(to):
            return {"type": "expedition", "to": list(to)}
        case NobleTitle(discard):
            tokens: SomeTokens = {}
            for name, count in zip(RESOURCES, discard, strict=True):
                if count:
                    tokens[name] = count
            return {"type": "noble_title", "discard": tokens}
        case Pass():
            return {"type": "pass"}
        case Cast():
            return _cast_to_json(action)
        case AgreeToEnd(agree):
            return {"type": "agree_to_end", "agree": agree}
        case Resign():
            return {"type": "resign"}
        case _:
            assert_never(action)


def _move_to_json(moves: tuple[tuple[Hex, Hex], ...], takes: tuple[Resource, ...]) -> MoveJson:
    raw: MoveJson = {"type": "move", "moves": [[list(start), list(end)] for start, end in moves]}
    if takes:
        raw["takes"] = list(takes)
    return raw


def _cast_to_json(cast: Cast) -> CastJson:
    """A cast with the one field that its family needs."""
    spells = list(cast.spells)
    if cast.at is not None:
        return {"type": "cast", "spells": spells, "at": list(cast.at)}
    if cast.recruits:
        recruits: list[CastRecruitJson] = [
            {"at": list(at), "knights": knights} for at, knights in cast.recruits
        ]
        return {"type": "cast", "spells": spells, "recruits": recruits}
    raw: CastMovementJson = {
        "type": "cast",
        "spells": spells,
        "path": [list(at) for at in cast.path],
    }
    if cast.takes:
        raw["takes"] = list(cast.takes)
    return raw
