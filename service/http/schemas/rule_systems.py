"""The components of the OpenAPI document that every rule system defines: options, actions, events, positions.

For each rule system there are components named after it (`BaronAction`), and for all of them together one
without such a name (`Action`), which is what the calls of the API return.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from domain.contract import AnyRuleSystem
from domain.event import LIFE_CYCLE_EVENTS, Event, GameCreated
from domain.json_types import JsonObject
from domain.registry import EXPANSIONS, RULES
from service.http.schemas.type_schemas import NULL, REFERENCE, Components

KINDS: Final = ("Options", "Action", "Event", "Position", "Standing")
"""The components without the name of a rule system."""


def add_rule_systems(components: Components) -> None:
    """Add the components of all rule systems in the registry."""
    members: dict[str, dict[str, JsonObject]] = {kind: {} for kind in KINDS}
    for name, rules in _rule_systems():
        for kind, references in _members(components, name, rules).items():
            members[kind] |= references
            if len(references) > 1 or name + kind not in components.schemas:
                components.add(name + kind, _any_of(references, f"{kind} of a game of {name}."))
    for kind, references in members.items():
        components.add(kind, _any_of(references, f"{kind} of any game."))


def _rule_systems() -> Iterator[tuple[str, AnyRuleSystem]]:
    """Yield every rule system with its name in components."""
    for name, rules in RULES.items():
        yield name.capitalize(), rules
    for (_, option), rules in EXPANSIONS.items():
        yield option.capitalize(), rules


def _members(
    components: Components, name: str, rules: AnyRuleSystem
) -> Mapping[str, dict[str, JsonObject]]:
    """Return references to the components of a rule system, by kind and name."""
    kinds: dict[str, dict[str, JsonObject]] = {kind: {} for kind in KINDS}

    def add(kind: str, reference: JsonObject) -> None:
        kinds[kind][reference["$ref"]] = reference

    add("Options", components.schema_of(rules.OPTIONS))
    add("Position", components.schema_of(rules.POSITION))
    add("Standing", components.schema_of(rules.STANDING))
    for action_type in rules.ACTIONS.values():
        for reference in _references(components.schema_of(action_type)):
            add("Action", reference)
    for event_type, data_type in rules.EVENTS.items():
        for reference in _event_variants(components, name, rules, event_type, data_type):
            add("Event", reference)
    return kinds


def _event_variants(
    components: Components, name: str, rules: AnyRuleSystem, event_type: str, type: Any
) -> Iterator[JsonObject]:
    """Yield references to the envelopes of one event type, one for each form of its data."""
    if type is GameCreated:
        options = components.schema_of(rules.OPTIONS)
        data_name = _name_of(options).removesuffix("Options") + event_type
        forms = [components.add(data_name, components.object_schema(GameCreated, options=options))]
    else:
        forms = list(_references(components.schema_of(type)))
    action = "Action" if event_type in LIFE_CYCLE_EVENTS else name + "Action"
    for data in forms:
        envelope_name = _name_of(data) + "Event"
        if envelope_name not in components.schemas:  # else another rule system has the same event
            envelope = components.object_schema(
                Event,
                type={"type": "string", "enum": [event_type]},
                data=data,
                action={"anyOf": [{"$ref": REFERENCE + action}, NULL]},
            )
            description = components.schemas[_name_of(data)].get("description", event_type)
            components.add(envelope_name, envelope | {"description": description})
        yield {"$ref": REFERENCE + envelope_name}


def _references(schema: JsonObject) -> Iterator[JsonObject]:
    """Yield the references of a schema that is a reference or a union of references."""
    yield from schema.get("anyOf", [schema])


def _name_of(reference: JsonObject) -> str:
    name: str = reference["$ref"].rpartition("/")[2]
    return name


def _any_of(references: Mapping[str, JsonObject], description: str) -> JsonObject:
    members = list(references.values())
    if len(members) == 1:
        return {"allOf": members, "description": description}
    return {"anyOf": members, "description": description}
