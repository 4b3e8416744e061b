"""Domain events: what the rules decide, before it is sealed."""

from domain.event import DomainEvent, PlayerResigned

DATA: PlayerResigned = {"seat": 1}


def test_the_repr_of_a_domain_event_does_not_contain_its_secrets() -> None:
    event = DomainEvent("GameStarted", DATA, {"deal/1": ["the hidden keep"]})
    for text in (repr(event), str(event), f"{event}"):
        assert text == "DomainEvent(type='GameStarted', data={'seat': 1})"


def test_a_domain_event_has_no_secrets_unless_they_are_given() -> None:
    event = DomainEvent("PlayerResigned", DATA)
    assert event == DomainEvent("PlayerResigned", DATA, {})
    assert dict(event.secrets) == {}
