"""Two organisers change a tournament at the same time, each through a web process of their own."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

import httpx
import pytest

from replay.tournaments.audit import audit_tournament
from replay.tournaments.log import read_tournament
from service.bootstrap import Service
from service.settings import Settings
from tests.support.accounts import Json
from tests.support.server import WebServer
from tests.support.tournaments import create, organiser, register, register_accounts

TIMES = 6


@pytest.fixture
def organisers(settings: Settings, service: Service) -> Iterator[tuple[str, list[httpx.Client]]]:
    """The path of a tournament, and its two organisers, each at another web process."""
    olga = organiser(service)
    register_accounts(service, 4)
    id = create(service, olga, most=3).id
    service.tournaments.changes.make(id, olga, "OrganiserNamed", "to help", {"player": "p1"})
    with WebServer(settings) as first, WebServer(settings) as second:
        clients = [client_of(server, name) for server, name in ((first, "olga"), (second, "p1"))]
        assert first.pid != second.pid
        yield f"/api/v1/tournaments/{id}", clients
        for client in clients:
            client.close()


def client_of(server: WebServer, handle: str) -> httpx.Client:
    """Return a client of a web process with the token of a player."""
    client = httpx.Client(base_url=server.url, timeout=60)
    answer = client.post("/api/v1/tokens", json={"handle": handle, "password": "correct horse"})
    client.headers["Authorization"] = f"Bearer {answer.json()['token']}"
    return client


def at_once(*requests: Callable[[], httpx.Response]) -> list[httpx.Response]:
    """Send requests at the same time, and return the responses in this order."""
    barrier = Barrier(len(requests))

    def send(request: Callable[[], httpx.Response]) -> httpx.Response:
        barrier.wait()
        return request()

    with ThreadPoolExecutor(len(requests)) as pool:
        return list(pool.map(send, requests))


def test_two_organisers_who_change_at_the_same_time_decide_one_after_the_other(
    organisers: tuple[str, list[httpx.Client]], service: Service
) -> None:
    path, clients = organisers

    def change(number: int, type: str, **data: str) -> Callable[[], httpx.Response]:
        body = {"type": type, "reason": f"organiser {number}", "data": data}
        return lambda: clients[number].post(f"{path}/changes", json=body)

    def events() -> list[Json]:
        found: list[Json] = clients[0].get(f"{path}/events").json()["events"]
        return found

    for time in range(TIMES):
        # What contradicts itself happens once: the other organiser is told that it has happened.
        for type in ("TournamentPaused", "TournamentResumed"):
            answers = at_once(change(0, type), change(1, type))
            assert sorted(answer.status_code for answer in answers) == [200, 409]
        # What both may do happens twice, and the last one of the log counts for everybody.
        names = [f"Cup {time} of olga", f"Cup {time} of p1"]
        answers = at_once(*(change(n, "TextsChanged", name=name) for n, name in enumerate(names)))
        assert [answer.status_code for answer in answers] == [200, 200]
        shown = {client.get(path).json()["name"] for client in clients}
        last = events()[-1]
        assert shown == {last["data"]["name"]}
        assert last["data"]["name"] in names
    # Two players, the last place: an organiser is no better off.
    id = path.rpartition("/")[2]
    register(service, id, [service.accounts.players.person_with_handle(p).id for p in ("p3", "p4")])
    answers = at_once(*(partial(client.put, f"{path}/players/me") for client in clients))
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    # A dismissal and a change of the one who is dismissed: whichever was first in the log.
    dismissal, by_dismissed = at_once(
        change(0, "OrganiserDismissed", player="p1"), change(1, "TextsChanged", name="Last")
    )
    assert dismissal.status_code == 200
    types = [event["type"] for event in events()]
    is_before = types[-2:] == ["TextsChanged", "OrganiserDismissed"]
    assert by_dismissed.status_code == (200 if is_before else 403)
    record = read_tournament(clients[1].get(f"{path}/record").content)
    assert audit_tournament(record, lambda _: None).outcome != "broken"
    assert [event["seq"] for event in record.events] == [*range(1, len(record.events) + 1)]
