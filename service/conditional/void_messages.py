"""Why conditional actions are void, in words."""

from domain.contract import AnyRuleSystem
from domain.errors import Malformed
from domain.messages import Text, message
from service.conditional.store import VoidTree


def void_message(void: VoidTree, rules: AnyRuleSystem) -> Text:
    """Return why the last conditional actions of a player are void."""
    if void.reason == "event":
        return message(
            "what you had prepared is void: event {seq} is none of those that you expected",
            seq=void.seq,
        )
    action = _action_text(void, rules)
    if void.clause is None or void.clause not in rules.CLAUSES:
        return message(
            "what you had prepared is void: after event {seq}, “{action}” was not possible",
            seq=void.seq,
            action=action,
        )
    return message(
        "what you had prepared is void: after event {seq}, “{action}” was refused: {clause}",
        seq=void.seq,
        action=action,
        clause=rules.CLAUSES[void.clause],
    )


def _action_text(void: VoidTree, rules: AnyRuleSystem) -> str:
    """Return the action that was refused in short form; "" if the rules of today cannot read it."""
    try:
        return rules.action_text(rules.parse_action(void.action))
    except Malformed:
        return ""
