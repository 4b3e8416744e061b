"""What players sign: every field that a person decides, and nothing that the server adds."""

from typing import Any, get_type_hints

from domain.conditional import KEEPING_EVENTS, Node
from domain.event import LIFE_CYCLE_EVENTS
from ledger.player_signatures import (
    LEAST_LEAVES,
    MAX_EVENTS_BETWEEN,
    STATED_FIELDS,
    PreparedActions,
    steps_to,
)

ADDED_BY_THE_SERVER = {
    "TakebackRequested": {"seat", "from"},
    "TakebackAnswered": {"seat"},
    "DisputeOpened": {"seat", "clock_stopped_until"},
    "DisputeAnswered": {"seat"},
    "DisputeWithdrawn": {"seat"},
    "RulingProposed": {"seat"},
    "DisputeRuled": {"arbiter", "agreed_by"},
    "PauseAgreed": {"seat"},
    "TimeGiven": {"seat"},
    "SeatVacated": {"seat", "player"},
    "SubstituteSeated": {"player", "replaces"},
}
"""By the type of a statement, the fields that follow from its author and the game."""
NOT_SIGNED = {
    *("SeatTaken", "SeatLeft", "PlayerInvited", "InvitationDeclined", "InvitationRevoked"),
    *("PlayerKeyAdded", "PlayerKeyRevoked", "HolidayAnnounced", "HolidayCancelled"),
    *("DeadlineExcused", "PlayResumed", "AdministratorDecided", "EventsLost", "GameAbandoned"),
    "HintGiven",
}
"""Events before the start, of keys, of whole accounts, of the server, and hints."""


def test_every_event_without_an_action_is_a_statement_or_is_not_signed() -> None:
    assert LIFE_CYCLE_EVENTS.keys() == STATED_FIELDS.keys() | NOT_SIGNED
    assert not STATED_FIELDS.keys() & NOT_SIGNED


def test_every_field_of_a_statement_is_signed_or_added_by_the_server() -> None:
    for type, signed in STATED_FIELDS.items():
        fields = get_type_hints(LIFE_CYCLE_EVENTS[type]).keys()
        assert {*signed} <= fields
        assert fields - {*signed} == ADDED_BY_THE_SERVER[type], type


def test_more_actions_than_leaves_double_the_tree() -> None:
    own = [Node(1, {"type": "take", "stones": stones}, {}) for stones in range(LEAST_LEAVES + 1)]
    tree = tuple(Node(0, {"type": "take", "stones": n}, {}, (node,)) for n, node in enumerate(own))
    steps = [
        {"seat": 0, "action": {"type": "take", "stones": LEAST_LEAVES}},
        {"seat": 1, "action": {"type": "take", "stones": LEAST_LEAVES}},
    ]
    proof = PreparedActions(tree, 1, bytes(32)).proof(steps, "", "", "")
    assert len(proof["path"]) == 9


def test_a_proof_goes_back_over_a_bounded_number_of_events() -> None:
    """Otherwise an audit of a record with many proofs would take time that is quadratic in its length."""
    keeping: Any = {"type": min(KEEPING_EVENTS), "action": None, "data": {}, "by": {"seat": 0}}
    events: list[Any] = [{**keeping, "seq": seq} for seq in range(1, MAX_EVENTS_BETWEEN + 2)]
    event: Any = {"seq": 2000, "by": {"seat": 1}, "action": {"type": "resign"}, "data": {}}
    proof: Any = {}
    assert steps_to(event, events[:-1], proof) == [{"seat": 1, "action": {"type": "resign"}}]
    assert steps_to(event, events, proof) == MAX_EVENTS_BETWEEN + 1
