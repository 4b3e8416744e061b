"""Secrets do not influence what a viewer receives who may not see them: not a byte differs.

A game of Baron is played over HTTP, to its end or until all but one resign. Then the same actions are played
in games that differ only in what a viewer may not see (the tiles dealt to others, the part of the pile that
has not been drawn). Everything that this viewer receives is compared: responses, refusals, the stream and the
record, and also what the log of the server and the store contain.
"""

import math
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from itertools import count

import orjson
import pytest

from domain.contract import DomainEvent
from ledger.record import read
from replay.audit import audit
from replay.language.renderer import english
from service.bootstrap import Service
from service.settings import Settings
from tests.support import baron_deals
from tests.support.accounts import Accounts
from tests.support.endpoints import FixedEndpoints
from tests.support.events import data_of, secrets_of
from tests.support.recording_client import Json, RecordingClient
from tests.support.records import secret_values
from tests.support.server import WebServer
from tests.support.worker_harness import RecordingChannel, WorkerHarness

Turn = tuple[int, Json]
"""A seat and its action."""
WORK_STEP = 7
"""Events between two runs of the workers."""


@dataclass(frozen=True)
class Length:
    """How long the observed games are."""

    seats: int
    step: int
    """Actions between two observations."""
    turns: float = math.inf
    """The players resign after this number of actions."""


SHORT = Length(3, 12, 12)


class ObservedGames:
    """Games of Baron with prepared deals, one after the other, on a server with workers and observers.

    The observers are the players by seat, a registered player who does not play, and an anonymous client.
    """

    def __init__(self, settings: Settings, service: Service, length: Length) -> None:
        self.seats = seats = length.seats
        self.step = length.step
        self.turns = length.turns
        self.deal = settings.data / "deal.json"
        setup_code = (
            "from tests.support.baron_deals import install_set_up\n"
            f"install_set_up({str(self.deal)!r})"
        )
        self.server = WebServer(settings, setup_code=setup_code)
        self.server.start()
        self.accounts = Accounts(self.server.url)
        self.ids: list[str] = []
        self.players = [self._observer(f"seat{seat}") for seat in range(seats)]
        self.outsider = self._observer("outsider")
        self.anonymous = RecordingClient(self.server.url, "anonymous")
        self.observers = [*self.players, self.outsider, self.anonymous]
        self.service = service
        self.channel = RecordingChannel()
        # The notifications to each player, as an e-mail or a digest has them.
        service.notifications.endpoints.add(FixedEndpoints("email", self.ids))
        self.mail = RecordingChannel(name="email", is_operators=False)
        self.workers = WorkerHarness(service, self.channel, self.mail)
        self.game = ""

    def _observer(self, name: str) -> RecordingClient:
        account = self.accounts.register()
        self.ids.append(account.id)
        return RecordingClient(self.server.url, name, account.token)

    def close(self) -> None:
        for observer in self.observers:
            observer.http.close()
        self.accounts.close()
        self.workers.close()
        self.server.stop()

    def start(self, deal: DomainEvent) -> None:
        """Start a game that begins with this deal."""
        baron_deals.write_set_up(deal, self.deal)
        body = {"rules": "baron", "seats": self.seats, "options": {"seating": "joined"}}
        creator, *others = (player.http for player in self.players)
        response = creator.post("/games", json={**body, "nonce": "00"})
        assert response.status_code == 201, response.text
        self.game = response.json()["id"]
        for http in others:
            assert http.post(f"/games/{self.game}/players", json={"nonce": ""}).status_code == 201
        for observer in self.observers:
            observer.follow(self.game)
        self.channel.sent.clear()
        self.mail.sent.clear()

    def summary(self) -> Json:
        body: Json = self.anonymous.http.get(f"/games/{self.game}").json()
        return body

    def act(self, turn: Turn, *, repeated: bool = False) -> None:
        """Submit an action, twice if `repeated`, and now and then run the workers."""
        seat, action = turn
        seq = self.summary()["head"]["seq"]
        body = {"action": action, "expected_seq": seq}
        key = {"Idempotency-Key": f"after-{seq}"}
        for _ in range(1 + repeated):
            response = self.players[seat].request(
                "POST", f"/games/{self.game}/actions", body, **key
            )
            assert response.status_code == 201, response.text
        if seq % WORK_STEP == 0 or self.summary()["to_act"] is None:
            # A job scores one round, and adds a task for the next one.
            for _ in range(10):
                if self.workers.tasks(self.game):
                    self.workers.scheduler.enqueue_tasks_of({self.game})
                    self.workers.work()
            self.workers.work()

    def observe(self, observers: list[RecordingClient]) -> None:
        """Let observers record everything there is; `outsider` also records the store and notifications."""
        seq = self.summary()["head"]["seq"]
        lines = self.server.complete_lines()
        for observer in observers:
            observer.request_everything(seq)
            observer.submit_refused_actions(seq)
            observer.read_stream(seq)
            if observer in self.players:
                observer.read_player_stream(seq)
                observer.read_feeds()
                self.record_mails(observer)
            observer.record_log(lines)
        for notification in self.channel.sent:
            self.outsider.record(str({**notification.as_json(), "delivery": "is an id"}))
        self.channel.sent.clear()
        for part in ("notes", "answers"):
            entries = self.service.redis.hgetall(f"cartulary:{{{self.game}}}:{part}")
            self.outsider.record(str(sorted(entries.items())))

    def record_mails(self, player: RecordingClient) -> None:
        """Record everything of the notifications that were sent to a player since the last observation."""
        id = self.ids[self.players.index(player)]
        for notification in self.mail.sent:
            if notification.player == id and notification.game_id == self.game:
                recap = [english(event.message) for event in notification.recap.events]
                body = {**notification.as_json(), "delivery": "is an id", "recap": recap}
                player.record(f"{english(notification.title)} {body}")
        self.mail.sent = [item for item in self.mail.sent if item.player != id]

    def play(self, turns: Iterable[Turn], observers: list[RecordingClient]) -> list[Turn]:
        """Play the turns and return them, with observations in between."""
        played: list[Turn] = []
        for turn in turns:
            if len(played) % self.step == 0:
                self.observe(observers)
            self.act(turn, repeated=len(played) % self.step == 1)
            played.append(turn)
        if len(played) % self.step == 0:
            self.observe(observers)
        return played


@pytest.fixture(
    params=[
        pytest.param(Length(2, 60), marks=pytest.mark.soak, id="2"),
        pytest.param(Length(3, 60), marks=pytest.mark.nightly, id="3"),
        pytest.param(SHORT, id="short"),
        pytest.param(Length(3, 20, 20), marks=pytest.mark.nightly, id="longer"),
    ]
)
def games(
    request: pytest.FixtureRequest, settings: Settings, service: Service
) -> Iterator[ObservedGames]:
    games = ObservedGames(settings, service, request.param)
    yield games
    games.close()


def turns_with_drawn_tiles(games: ObservedGames, deal: DomainEvent) -> Iterator[Turn]:
    """Yield the turns of a game in which every seat keeps its dealt tiles back as long as it can."""
    chance = random.Random(7)
    for number in count():
        seat = games.summary()["to_act"]
        if seat is None:
            return
        if number >= games.turns:
            yield seat, {"type": "resign"}
            continue
        http = games.players[seat].http
        actions = http.get(f"/games/{games.game}/legal-actions").json()["actions"]
        reserve = http.get(f"/games/{games.game}/position").json()["players"][seat]["reserve"]
        for tile in secrets_of(deal)[f"reserve/{seat}"]:
            if tile in reserve:
                reserve.remove(tile)
        with_drawn_tiles = [
            action for action in actions if action.get("tile", "") in {"", *reserve}
        ]
        yield seat, chance.choice(with_drawn_tiles or actions)


def turns_before_a_dealt_tile(turns: list[Turn], deal: DomainEvent) -> int:
    """Return the number of turns before a seat lays a dealt tile, and so reveals it."""
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


def count_draws(turns: list[Turn]) -> int:
    return sum(action["type"] == "draw" for _, action in turns)


def test_viewers_receive_the_same_bytes_whatever_the_secrets_of_others_are(
    games: ObservedGames,
) -> None:
    deal = baron_deals.draw_set_up(games.seats, b"non-interference")
    games.start(deal)
    turns = games.play(turns_with_drawn_tiles(games, deal), games.observers)
    assert games.summary()["status"] == "finished"
    assert_everything_is_revealed(games, deal)
    original = {observer.name: observer.records for observer in games.observers}

    step = games.step
    most = turns_before_a_dealt_tile(turns, deal) // step * step
    assert most > len(turns) * 2 // 3
    # With two seats, the changed deal exchanges a dealt tile with one that must still be in the pile.
    lengths = {None: most, 0: step, 1: max(step, most // 2 // step * step), 2: most}
    for viewer in (None, *range(games.seats)):
        part = turns[: lengths[viewer]]
        changed_deal = baron_deals.indistinguishable_set_up(deal, viewer, count_draws(part))
        assert changed_deal.secrets != secrets_of(deal)
        unaffected = (
            [games.outsider, games.anonymous] if viewer is None else [games.players[viewer]]
        )
        affected = games.players[0 if viewer is None else viewer - 1]
        games.start(changed_deal)
        games.play(part, [*unaffected, affected])
        for observer in unaffected:
            assert len(observer.records) > 100
            for record, before in zip(observer.records, original[observer.name], strict=False):
                assert record == before
        # A player whose own tiles have changed does receive something else.
        assert affected.records != original[affected.name][: len(affected.records)]
        games.service.administration.abandon("operator", games.game, "a test")


def assert_everything_is_revealed(games: ObservedGames, deal: DomainEvent) -> None:
    """Check that everybody sees every reserve of a finished game, and that the deal was prepared."""
    start = games.seats + 2
    for observer in games.observers:
        for seq in (None, start, start + 1, start + 15):
            query = "" if seq is None else f"?seq={seq}"
            position = observer.http.get(f"/games/{games.game}/position{query}").json()
            assert all(player["reserve"] is not None for player in position["players"])
        position = observer.http.get(f"/games/{games.game}/position?seq={start}").json()
        for player in position["players"]:
            assert player["reserve"] == secrets_of(deal)[f"reserve/{player['seat']}"]
        event = observer.http.get(f"/games/{games.game}/events/{start + 1}").json()
        assert all(player["reserve"] is not None for player in event["before"]["players"])
        record = get_record(observer)
        assert secret_values(read(BytesIO(record))) == secrets_of(deal)
        report = audit(BytesIO(record))
        assert {finding.check for finding in report.findings} == {"chance"}
        findings = " ".join(english(finding.problem) for finding in report.findings)
        assert "the secret “pile” is not what the seed gives" in findings


@pytest.mark.parametrize("games", [SHORT], indirect=True, ids=["3"])
def test_positions_and_records_of_a_running_game_show_only_the_own_reserve(
    games: ObservedGames,
) -> None:
    deal = baron_deals.draw_set_up(3, b"own")
    games.start(deal)
    opened = {
        observer.name: secret_values(read(BytesIO(get_record(observer))))
        for observer in games.observers
    }
    for seat in range(3):
        assert opened[f"seat{seat}"] == {f"reserve/{seat}": secrets_of(deal)[f"reserve/{seat}"]}
    assert opened["outsider"] == opened["anonymous"] == {}
    for observer in games.observers:
        position = observer.http.get(f"/games/{games.game}/position").json()
        for player in position["players"]:
            is_own = observer.name == f"seat{player['seat']}"
            assert player["reserve"] == (
                secrets_of(deal)[f"reserve/{player['seat']}"] if is_own else None
            )
        assert audit(BytesIO(get_record(observer))).verdict != "broken"


@pytest.mark.parametrize("games", [SHORT], indirect=True, ids=["3"])
def test_salts_and_the_seed_of_a_running_game_are_shown_to_nobody_else(
    games: ObservedGames,
) -> None:
    games.start(baron_deals.draw_set_up(3, b"own"))
    secrets = games.service.store.secrets(games.game)
    salts = [orjson.loads(text)["salt"] for name, text in secrets.items() if name != "seed"]
    assert len(set(salts)) == 4
    for observer in games.observers:
        observer.request_everything(5)
        game = f"/games/{games.game}"
        paths = ("", "/position", "/legal-actions", "/events", "/events/5", "/record")
        text = "".join(observer.http.get(game + path).text for path in paths)
        name = f"5/reserve/{observer.name.removeprefix('seat')}"
        own = {orjson.loads(secrets[name])["salt"]} if name in secrets else set()
        assert {salt for salt in salts if salt in text} == own
        assert secrets["seed"] not in text
    log = "".join(games.server.complete_lines())
    assert not any(secret in log for secret in [*salts, secrets["seed"]])


def get_record(observer: RecordingClient) -> bytes:
    return observer.http.get(f"/games/{observer.game_id}/record").content


@pytest.mark.parametrize("games", [SHORT], indirect=True, ids=["3"])
def test_exports_of_a_running_game_have_only_the_own_tiles_and_cannot_be_imported(
    games: ObservedGames,
) -> None:
    deal = baron_deals.draw_set_up(3, b"own")
    games.start(deal)
    for seat, player in enumerate(games.players):
        (line,) = player.http.get("/me/records?limit=1").text.splitlines()
        record = orjson.loads(line)["record"].encode()
        reserve = f"reserve/{seat}"
        assert secret_values(read(BytesIO(record))) == {reserve: secrets_of(deal)[reserve]}
        response = player.http.post(
            "/imports", content=record, headers={"Content-Type": "application/jsonl"}
        )
        assert response.status_code == 400, response.text
