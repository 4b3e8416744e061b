"""The form for a new tournament: its fields, and the body of the API that its values are."""

from collections.abc import Mapping
from typing import Final

from domain.json_types import JsonObject
from domain.messages import Message, Text
from domain.option_fields import OptionField
from domain.registry import RegisteredRuleSystem
from domain.tournaments.format_settings import BOUNDS, FIELDS, FORMATS_WITH_FREE_PAIRING, Format
from service.pages.view_models.new_game_form import (
    CLUB_OPTION,
    entered_handles,
    option_fields,
    request_body,
)
from service.tournaments.view_model import (
    DAY,
    MINUTE,
    SETTING_LABELS,
    entered_moment,
    entered_number,
)

_DECIDED_BY_TOURNAMENTS: Final = frozenset({"name", "seating", "private", "tutorial"})
"""Options of games that a tournament does not offer."""


def setting_fields(format: Format) -> list[tuple[str, Message, int, int, int]]:
    """Return the fields of the form for the settings of a format: name, label, bounds and default."""
    usual = {"rounds": 5, "divisions": 2, "seasons": 2, "minutes": 60}
    return [
        (name, SETTING_LABELS[name], *BOUNDS[name], usual.get(name, BOUNDS[name][0]))
        for name in FIELDS[format]
    ]


def game_option_fields(entry: RegisteredRuleSystem) -> list[OptionField]:
    """Return the options of the games of a tournament, which its form offers."""
    return [
        field for field in option_fields(entry.system) if field.name not in _DECIDED_BY_TOURNAMENTS
    ]


def tournament_body(
    entry: RegisteredRuleSystem, format: Format, values: Mapping[str, str], zone: str
) -> JsonObject:
    """Return the body of `POST /tournaments` of the API that corresponds to the values of the form.

    Entries that are not numbers or dates are left as they are, so that the checks of the API refuse them.
    """
    game = request_body(entry, values)
    offered = {*entry.options, *(field.name for field in game_option_fields(entry))}
    options = {
        name: value
        for name, value in game["options"].items()
        if name in offered and value not in (None, False)
    }
    if club := values.get(CLUB_OPTION, ""):
        options["club"] = club
    if game["clock"] is not None and values.get("clock-remove_after") == "":
        # An empty field is a choice; without the field, the API would use its default for tournaments.
        game["clock"].setdefault("on_deadline", {})["remove_after"] = None
    # An empty field for accelerated rounds means none.
    settings = {
        name: entered_number(values.get(name) or ("0" if name == "accelerated" else ""))
        for name in FIELDS[format]
    }
    boards = entered_number(values.get("boards") or "0")
    of_teams: JsonObject = {}
    if boards:
        of_teams = {"boards": boards, "scoring": values.get("scoring") or "boards"}
    round_seconds: object = entered_number(values.get("days", ""))
    unit = DAY
    if format == "arena":
        round_seconds, unit = entered_number(values.get("after_minutes", "")), MINUTE
    if isinstance(round_seconds, int):
        round_seconds *= unit
    entry_rules: JsonObject = {"starts_when_full": bool(values.get("starts_when_full"))}
    if format in FORMATS_WITH_FREE_PAIRING:
        for name in ("half_point_byes", "late_rounds"):
            entry_rules[name] = entered_number(values.get(name) or "0")
        entry_rules["late_points"] = "1/2" if values.get("late_points") else "0"
    return {
        "name": values.get("name", "").strip(),
        "description": values.get("description", "").strip(),
        "contact": values.get("contact", "").strip(),
        "format": {"format": format, **settings, **of_teams},
        "rules": entry.rules,
        "options": options,
        "clock": game["clock"],
        "private": bool(values.get("private")),
        "least": entered_number(values.get("least", "")),
        "most": entered_number(values.get("most", "")),
        "closes": entered_moment(values.get("closes", ""), zone),
        "round_seconds": round_seconds,
        "invite": entered_handles(values.get("invite", "")),
        **entry_rules,
    }


def tournament_faults(faults: Mapping[str, Text], format: Format) -> dict[str, Text]:
    """Return the faults of a body by the names of the form's fields."""
    length = "after_minutes" if format == "arena" else "days"
    renamed = {"round_seconds": length, "rules": "format"}
    by_field: dict[str, Text] = {}
    for path, fault in faults.items():
        name, _, rest = path.partition(".")
        match name:
            case "format" if rest:
                by_field.setdefault(rest, fault)
            case "options":
                by_field.setdefault(f"option-{rest}", fault)
            case "clock":
                by_field.setdefault("clock", fault)
            case _:
                by_field.setdefault(renamed.get(name, name), fault)
    return by_field
