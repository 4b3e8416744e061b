"""Nobody is told what they may not know: not a byte changes when only that is another.

A whole game of Baron is played over HTTP. Then the same actions are taken in games that differ in what a
viewer may not know (the tiles dealt to others, the pile beyond what was drawn), and what that viewer was sent
is compared: every answer, every refusal, the stream, the record, and what the log and the store say of it.
"""

import random
from collections.abc import Iterable, Iterator
from io import BytesIO

import httpx
import orjson
import pytest

from domain.contract import DomainEvent
from ledger.record import read
from replay.audit import audit
from service.bootstrap import Service
from service.settings import Settings
from tests.support import baron_set_ups as dealt
from tests.support.accounts import Accounts
from tests.support.events import data_of, secrets_of
from tests.support.recording_client import Json, RecordingClient
from tests.support.server import WebServer
from tests.support.worker_harness import RecordingNotifier, WorkerHarness

Turn = tuple[int, Json]
EVERY = 40
"""After every how-manieth action everybody looks at everything."""
WORKED = 7
"""After every how-manieth event the workers come round."""


class House:
    """A server that deals as it is told, workers, and watchers: the players, a guest, and a stranger."""

    def __init__(self, settings: Settings, service: Service, seats: int) -> None:
        self.seats = seats
        self.deal = settings.data / "deal.json"
        setup_code = (
            f"from tests.support.baron_set_ups import deals_from\ndeals_from({str(self.deal)!r})"
        )
        self.server = WebServer(settings, setup_code=setup_code)
        self.server.start()
        self.accounts = Accounts(self.server.url)
        players = [self.accounts.register() for _ in range(seats)]
        self.at_table = [
            RecordingClient(self.server.url, f"seat{seat}", player.token)
            for seat, player in enumerate(players)
        ]
        guest = self.accounts.register()
        self.guest = RecordingClient(self.server.url, "guest", guest.token)
        self.stranger = RecordingClient(self.server.url, "stranger")
        self.everybody = [*self.at_table, self.guest, self.stranger]
        self.service = service
        self.notifier = RecordingNotifier()
        self.workers = WorkerHarness(service, self.notifier)
        self.game = ""

    def close(self) -> None:
        for watcher in self.everybody:
            watcher.http.close()
        self.accounts.close()
        self.workers.close()
        self.server.stop()

    def starts(self, deal: DomainEvent) -> None:
        """A new game of that deal."""
        dealt.write(deal, self.deal)
        body = {"rules": "baron", "seats": self.seats, "options": {"seating": "joined"}}
        first, *others = (watcher.http for watcher in self.at_table)
        response = first.post("/games", json={**body, "nonce": "00"})
        assert response.status_code == 201, response.text
        self.game = response.json()["id"]
        for http in others:
            assert http.post(f"/games/{self.game}/players", json={"nonce": ""}).status_code == 201
        for watcher in self.everybody:
            watcher.follow(self.game)
        self.notifier.sent.clear()

    def summary(self) -> Json:
        told: Json = self.stranger.http.get(f"/games/{self.game}").json()
        return told

    def acts(self, turn: Turn, *, repeated: bool = False) -> None:
        """A seat acts, once, and now and then the workers do what there is to do."""
        seat, action = turn
        seq = self.summary()["head"]["seq"]
        body = {"action": action, "expected_seq": seq}
        key = {"Idempotency-Key": f"after-{seq}"}
        for _ in range(1 + repeated):
            response = self.at_table[seat].request(
                "POST", f"/games/{self.game}/actions", body, **key
            )
            assert response.status_code == 201, response.text
        if seq % WORKED == 0 or self.summary()["to_act"] is None:
            self.workers.scheduler.enqueue_tasks_of({self.game})
            self.workers.work()

    def is_looked_at(self, watchers: list[RecordingClient]) -> None:
        """These ask for all there is, and keep besides what log and store have of it."""
        seq = self.summary()["head"]["seq"]
        lines = self.server.lines()
        for watcher in watchers:
            watcher.request_everything(seq)
            watcher.submit_refused_actions(seq)
            watcher.read_stream(seq)
            watcher.record_log(lines)
        for notification in self.notifier.sent:
            self.guest.record(str({**notification.as_json(), "delivery": "is an id"}))
        self.notifier.sent.clear()
        for part in ("notes", "answers"):
            lying = self.service.redis.hgetall(f"cartulary:{{{self.game}}}:{part}")
            self.guest.record(str(sorted(lying.items())))

    def plays(self, turns: Iterable[Turn], watchers: list[RecordingClient]) -> list[Turn]:
        """The turns are taken, and now and then these look on; the turns."""
        taken: list[Turn] = []
        for turn in turns:
            if len(taken) % EVERY == 0:
                self.is_looked_at(watchers)
            self.acts(turn, repeated=len(taken) % EVERY == 1)
            taken.append(turn)
        if len(taken) % EVERY == 0:
            self.is_looked_at(watchers)
        return taken


@pytest.fixture(params=[2, 3])
def house(request: pytest.FixtureRequest, settings: Settings, service: Service) -> Iterator[House]:
    house = House(settings, service, request.param)
    yield house
    house.close()


def keeping_back(house: House, deal: DomainEvent) -> Iterator[Turn]:
    """Turns of a whole game in which every seat keeps back what it was dealt for as long as it can."""
    chance = random.Random(7)
    while (seat := house.summary()["to_act"]) is not None:
        held = house.at_table[seat].http
        actions = held.get(f"/games/{house.game}/legal-actions").json()["actions"]
        drawn = held.get(f"/games/{house.game}/position").json()["players"][seat]["reserve"]
        for tile in secrets_of(deal)[f"reserve/{seat}"]:
            if tile in drawn:
                drawn.remove(tile)
        kept = [action for action in actions if action.get("tile", "") in {"", *drawn}]
        yield seat, chance.choice(kept or actions)


def kept_back(turns: list[Turn], deal: DomainEvent) -> int:
    """How many turns go by before a seat lays more than it has drawn, and so shows what it was dealt."""
    market, pile = list(data_of(deal)["market"]), list(secrets_of(deal)["pile"])
    drawn: dict[int, list[str]] = {}
    for number, (seat, action) in enumerate(turns):
        if action["type"] == "draw":
            drawn.setdefault(seat, []).append(market.pop(action["slot"] - 1))
            market += [pile.pop(0)] if pile else []
        elif "tile" in action:
            if action["tile"] not in drawn[seat]:
                return number
            drawn[seat].remove(action["tile"])
    return len(turns)


def draws(turns: list[Turn]) -> int:
    return sum(action["type"] == "draw" for _, action in turns)


def test_what_a_viewer_may_not_know_changes_no_byte_of_what_the_viewer_is_sent(
    house: House,
) -> None:
    deal = dealt.a_deal(house.seats, b"non-interference")
    house.starts(deal)
    turns = house.plays(keeping_back(house, deal), house.everybody)
    assert house.summary()["status"] == "finished"
    everything_is_open(house, deal)
    told = {watcher.name: watcher.records for watcher in house.everybody}

    most = kept_back(turns, deal) // EVERY * EVERY
    assert most > len(turns) * 2 // 3
    # With two seats a tile that was dealt is exchanged with one that must be in the pile still.
    cuts = {None: most, 0: EVERY, 1: most // 2 // EVERY * EVERY, 2: most}
    for viewer in (None, *range(house.seats)):
        part = turns[: cuts[viewer]]
        other = dealt.another(deal, viewer, draws(part))
        assert other.secrets != secrets_of(deal)
        lookers = [house.guest, house.stranger] if viewer is None else [house.at_table[viewer]]
        changed = house.at_table[0 if viewer is None else viewer - 1]
        house.starts(other)
        house.plays(part, [*lookers, changed])
        for watcher in lookers:
            assert len(watcher.records) > 100
            for now, before in zip(watcher.records, told[watcher.name], strict=False):
                assert now == before
        # And those whose own tiles are others are told so.
        count = len(changed.records)
        assert changed.records != told[changed.name][:count]
        house.service.commands.abandon(house.game)


def everything_is_open(house: House, deal: DomainEvent) -> None:
    """Who asks now is told every reserve, at every event; and that the deal was not drawn."""
    start = house.seats + 2
    for watcher in house.everybody:
        for seq in (None, start, start + 1, 50):
            query = "" if seq is None else f"?seq={seq}"
            told = watcher.http.get(f"/games/{house.game}/position{query}").json()
            assert all(player["reserve"] is not None for player in told["players"])
        told = watcher.http.get(f"/games/{house.game}/position?seq={start}").json()
        for player in told["players"]:
            assert player["reserve"] == secrets_of(deal)[f"reserve/{player['seat']}"]
        event = watcher.http.get(f"/games/{house.game}/events/{start + 1}").json()
        assert all(player["reserve"] is not None for player in event["before"]["players"])
        record = watcher.http.get(f"/games/{house.game}/record").content
        assert read(BytesIO(record)).opened() == secrets_of(deal)
        report = audit(BytesIO(record))
        assert {finding.check for finding in report.findings} == {"chance"}
        found = " ".join(finding.what for finding in report.findings)
        assert "the secret pile is not what the seed gives" in found


@pytest.mark.parametrize("house", [3], indirect=True)
def test_while_it_is_on_only_the_own_reserve_is_in_a_record_and_a_position(house: House) -> None:
    deal = dealt.a_deal(3, b"own")
    house.starts(deal)
    opened = {watcher.name: read(BytesIO(_record(watcher))).opened() for watcher in house.everybody}
    for seat in range(3):
        assert opened[f"seat{seat}"] == {f"reserve/{seat}": secrets_of(deal)[f"reserve/{seat}"]}
    assert opened["guest"] == opened["stranger"] == {}
    for watcher in house.everybody:
        told = watcher.http.get(f"/games/{house.game}/position").json()
        for player in told["players"]:
            own = watcher.name == f"seat{player['seat']}"
            assert player["reserve"] == (
                secrets_of(deal)[f"reserve/{player['seat']}"] if own else None
            )
        report = audit(BytesIO(_record(watcher)))
        assert report.is_sound
    lying = house.service.store.secrets(house.game)
    salts = [orjson.loads(text)["salt"] for name, text in lying.items() if name != "seed"]
    assert len(set(salts)) == 4
    for watcher in house.everybody:
        watcher.request_everything(5)
        seen = "".join([response.text for response in _everything(watcher)])
        name = f"5/reserve/{watcher.name.removeprefix('seat')}"
        mine = {orjson.loads(lying[name])["salt"]} if name in lying else set()
        assert {salt for salt in salts if salt in seen} == mine
        assert lying["seed"] not in seen
    assert not any(salt in "".join(house.server.lines()) for salt in [*salts, lying["seed"]])


def _record(watcher: RecordingClient) -> bytes:
    return watcher.http.get(f"/games/{watcher.game_id}/record").content


def _everything(watcher: RecordingClient) -> list[httpx.Response]:
    game = f"/games/{watcher.game_id}"
    paths = ("", "/position", "/legal-actions", "/events", "/events/5", "/record")
    return [watcher.http.get(game + path) for path in paths]
