"""What Seven Hexes shows: positions, texts, scenes, explanations, and the choices that lead to actions."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, cast

from domain.choices import COMMON_QUESTIONS, Choice, Preview, card, hex_choice
from domain.contract import DomainEvent, Reason, Resign
from domain.errors import Malformed
from domain.event import Event, EventData, recorded_data
from domain.hexes import Hex, hex_from_text, hex_of, hex_text, neighbours
from domain.lessons import Lesson
from domain.life_cycle_messages import LIFE_CYCLE_MESSAGES, EventMessage
from domain.messages import (
    Message,
    PlayerAt,
    Term,
    Text,
    comma_list,
    counted,
    hex_at,
    listing,
    message,
    term,
)
from domain.options import OptionField
from domain.position_labels import COMMON_LABELS
from domain.scene import Cell, LegendEntry, Panel, Piece, Scene, caption
from tests.support.seven_hexes.formats import HexClaimed, RoundScored, SevenHexesPosition
from tests.support.seven_hexes.rules import (
    BOARD,
    CARD_TERMS,
    CARDS,
    VALUES,
    Action,
    Claim,
    Pass,
    State,
    decide,
    parse_action_text,
    points_of,
)

TITLE: Final = term("Seven Hexes")
DESCRIPTION: Final[Text] = message(
    "Two players claim the hexes of a small board with cards; hexes side by side score more."
)
LESSONS: Final[Sequence[Lesson[Any, Any]]] = ()
OPTION_FIELDS: Final[Sequence[OptionField]] = ()
POINT: Final = term("point; plural: points; a: a point; the: the point")
SCORE_NAME: Final[Text] = message("points")
EXPLAINED_BY: Final[Mapping[str, str]] = {
    "claim": "SH-CLAIM",
    "pass": "SH-PASS",
    "resign": "SH-END",
    "score": "SH-SCORE",
}
OUT_CLAUSES: Final[Collection[str]] = ("SH-END",)
LABELS: Final[Mapping[str, Text]] = {
    **COMMON_LABELS,
    **dict(CARD_TERMS.items()),
    "board": message("board"),
    "card": message("card"),
    "cards": message("cards"),
    "claim": message("claim a hex"),
    "pass": message("claim nothing"),
    "play": message("play"),
    "points": message("points"),
}
LEGEND: Final = (
    LegendEntry("terrain", term("free hex; plural: free hexes"), kind="plain"),
    *(
        LegendEntry("terrain", name, kind=kind, value=f"{VALUES[kind]}")
        for kind, name in CARD_TERMS.items()
    ),
    LegendEntry("piece", term("claim; plural: claims"), kind="village"),
    LegendEntry("changed", message("changed by the last event")),
)
CLAUSES: Final[Mapping[str, Text]] = {
    "SH-TURN": message("The two seats act in turn, three times each."),
    "SH-CLAIM": message("A seat claims a hex of the board that nobody has claimed."),
    "SH-CARD": message("A claim uses up one of the seat's three cards."),
    "SH-PASS": message("A seat may claim nothing in its turn."),
    "SH-SCORE": message("A claim scores its card, and 1 for each own hex beside it."),
    "SH-END": message("The game ends after three rounds, or when a seat leaves it."),
}
QUESTIONS: Final[Mapping[str, Text]] = {
    **COMMON_QUESTIONS,
    "card": message("Which card do you play?"),
    "hex": message("Which hex do you claim?"),
}


def choices(state: State, seat: int, action: Action, path: Sequence[Choice]) -> Sequence[Choice]:
    """The choices after those of `path` that lead on to the action: a card, then a hex."""
    if not isinstance(action, Claim):
        return ()
    return (card("card", action.card, action.card), hex_choice("hex", action.at))[len(path) - 1 :][
        :1
    ]


def choice_message(position: SevenHexesPosition, choice: Choice, path: Sequence[Choice]) -> Text:
    """The choice in words; for a hex, the hexes beside it that are claimed."""
    if choice.question == "card":
        return _card_message(choice.value)
    if choice.question == "action":
        return LABELS[choice.value]
    at = hex_from_text(choice.value)
    owners = [
        PlayerAt(entry["seat"])
        for entry in position["board"]
        if entry["seat"] is not None and hex_of(entry["at"]) in neighbours(at)
    ]
    return message("{hex}, beside hexes of {players}", hex=hex_at(at), players=comma_list(owners))


def _card_message(name: str) -> Message:
    kind = next(kind for kind in CARDS if kind == name)
    return message(
        "{card}, for {points}", card=CARD_TERMS[kind], points=counted(VALUES[kind], POINT)
    )


def attempt(state: State, seat: int, path: Sequence[Choice], value: str) -> Action | None:
    """The claim, or the other action, that choosing `value` after `path` amounts to, allowed or not."""
    answers = {choice.question: choice.value for choice in path}
    own = (state.cards(seat) or CARDS)[0]
    free = next(at for at in BOARD if at not in state.claims)
    if not path:
        simple: Mapping[str, Action] = {
            "claim": Claim(own, free),
            "pass": Pass(),
            "resign": Resign(),
        }
        return simple.get(value)
    if "card" in answers or "," in value:
        return _claim(answers.get("card", own), value)
    return _claim(value, hex_text(free))


def _claim(card: str, at: str) -> Action | None:
    try:
        return parse_action_text(f"claim {card} {at}")
    except Malformed:
        return None


def preview(state: State, seat: int, action: Action) -> Preview:
    """There are no secrets: exactly what the action leads to."""
    return Preview(decide(state, seat, action))


def actions_at_any_time(state: State, seat: int) -> Sequence[Action]:
    """Resigning, for a seat that is in the game while it is played."""
    return [Resign()] if state.to_act is not None and seat in state.in_game() else []


def position(state: State, viewer: int | None) -> SevenHexesPosition:
    """The whole state, which has no secrets."""
    nobody = (None, None)
    result: SevenHexesPosition = {
        "rules": "seven_hexes",
        "phase": state.phase,
        "round": state.round,
        "to_act": state.to_act,
        "board": [
            {"at": list(at), "seat": seat, "card": card}
            for at in BOARD
            for seat, card in [state.claims.get(at, nobody)]
        ],
        "players": [
            {
                "seat": seat,
                "status": "out" if seat in state.out else "active",
                "points": points,
                "cards": state.cards(seat),
            }
            for seat, points in enumerate(state.points)
        ],
    }
    if state.ranking is not None:
        result["ranking"] = state.ranking
    return result


def _hex_claimed(data: HexClaimed) -> Message:
    return message(
        "claims {hex} as {card:a} for {points}",
        hex=hex_at(data["at"]),
        card=CARD_TERMS[data["card"]],
        points=counted(data["points"], POINT),
    )


def _round_scored(data: RoundScored) -> Message:
    scores = [
        message("{player} {score}", player=PlayerAt(entry["seat"]), score=entry["score"])
        for entry in data["standings"]
    ]
    return message("round {round} is scored: {scores}", round=data["round"], scores=listing(scores))


_EVENT_MESSAGES: Final[Mapping[str, EventMessage]] = {
    **LIFE_CYCLE_MESSAGES,
    "GameStarted": lambda _: message("the game starts"),
    "HexClaimed": _hex_claimed,
    "TurnPassed": lambda _: message("claims nothing"),
    "RoundScored": _round_scored,
    "GameFinished": lambda _: message("the game is over"),
}


def event_message(type: str, data: EventData) -> Message:
    """The event in one line."""
    if type not in _EVENT_MESSAGES:
        return message("{type}", type=type)
    return _EVENT_MESSAGES[type](data)


def explain(state: State | None, seat: int | None, event: DomainEvent) -> list[Reason]:
    """SH-CARD and SH-SCORE for a claim, SH-PASS for a pass."""
    if state is None or seat is None:
        return []
    if event.type == "TurnPassed":
        return [("SH-PASS", message("{player} claims nothing", player=PlayerAt(seat)))]
    if event.type != "HexClaimed":
        return []
    data = cast("HexClaimed", event.data)
    at: Hex = hex_of(data["at"])
    own = points_of(state, seat, data["card"], at) - VALUES[data["card"]]
    return [
        ("SH-CARD", message("{card:the} is played", card=_card_term(data))),
        (
            "SH-SCORE",
            message(
                "{card} scores {value}, and own hexes beside {hex} score {own}",
                card=_card_term(data),
                value=VALUES[data["card"]],
                hex=hex_at(at),
                own=own,
            ),
        ),
    ]


def _card_term(data: HexClaimed) -> Term:
    return CARD_TERMS[data["card"]]


def scene(position: SevenHexesPosition, event: Event | None) -> Scene:
    """The seven hexes, each with the terrain of the card and a village of the seat that claimed it."""
    claimed: HexClaimed | None = None
    if event is not None and event["type"] == "HexClaimed":
        claimed = cast("HexClaimed", recorded_data(event))
    cells = tuple(
        Cell(
            hex_of(entry["at"]),
            entry["card"] or "plain",
            () if entry["seat"] is None else (Piece("village", entry["seat"]),),
            is_changed=claimed is not None and entry["at"] == claimed["at"],
        )
        for entry in position["board"]
    )
    panels = tuple(
        Panel(
            player["seat"],
            message("{player}", player=PlayerAt(player["seat"])),
            player["points"],
            ((LABELS["cards"], comma_list(CARD_TERMS[name] for name in player["cards"])),),
            is_to_act=player["seat"] == position["to_act"],
            is_out=player["status"] == "out",
        )
        for player in position["players"]
    )
    return Scene(
        title=message("{game}, round {round}", game=TITLE, round=position["round"]),
        cells=cells,
        panels=panels,
        caption=caption(event, event_message) if event else None,
        legend=LEGEND,
    )
