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
from datetime import timedelta
from io import BytesIO
from itertools import count
from typing import Any

import httpx
import orjson
import pytest

from domain.contract import DomainEvent
from domain.event import ZEROS
from domain.features import SPANS_OF_ROUNDS
from ledger.record import read
from replay.audit import audit
from replay.language.renderer import english
from service import wall_clock
from service.bootstrap import Service, build
from service.settings import Settings
from tests.games.records import FOLDER
from tests.support import baron_deals
from tests.support.accounts import Accounts
from tests.support.endpoints import FixedEndpoints
from tests.support.events import data_of, secrets_of
from tests.support.recording_client import Json, RecordingClient
from tests.support.records import forge_record, secret_values
from tests.support.server import WebServer
from tests.support.service_games import play_out, play_set_up, start_game
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


class Onlookers:
    """A player who takes no part in the games of ada and bea, a visitor, and what they can see of them."""

    def __init__(self, accounts: Accounts, service: Service) -> None:
        self.accounts = accounts
        self.service = service
        self.ada, self.bea, self.outsider = (accounts.register() for _ in range(3))

    def finish(self, **options: Any) -> str:
        """Have ada and bea play a game to its end, and return its id."""
        players = (self.ada.id, self.bea.id)
        game = start_game(self.service, players=players, round_limit=1, **options).id
        play_out(self.service, game)
        while self.service.games.queries.game(game).status != "finished":
            self.service.games.commands.score(game)
        self.publish(game)
        return game

    def publish(self, game: str) -> None:
        """Log the head of a game, and bring all projections up to date."""
        self.service.transparency.head_log.log([game])
        assert self.service.games.projections.catch_up()

    def observe(self) -> dict[str, str]:
        """Return everything that is made from the games of players, by who has asked for it."""
        ada, bea = self.ada.handle, self.bea.handle
        paths = (
            *(f"/players/{ada}", f"/players/{ada}/games", f"/players/{ada}/head-to-head/{bea}"),
            *(f"/players/{ada}/games?status=finished&opponent={bea}&result=won", "/games"),
            *("/leaderboards/barony", "/leaderboards/sorcery", "/leaderboards/baron"),
            *("/ratings/games?limit=500", "/statistics", "/imports"),
        )
        seen = {}
        for name, http in (("visitor", self.accounts.anonymous), ("player", self.outsider.http)):
            for path in paths:
                response = http.get(f"/api/v1{path}")
                assert response.status_code == 200, (path, response.text)
                seen[f"{name} {path}"] = response.text
            statement = http.get("/api/v1/ratings/statement").json()
            # The log as a whole grows with every game.
            seen[f"{name} statement"] = str([statement[key] for key in ("model", "games", "hash")])
        exported = self.outsider.http.get("/api/v1/me/records").text.splitlines()
        seen["export"] = str([orjson.loads(line)["record"].split("\n")[1:] for line in exported])
        return seen


@pytest.fixture
def onlookers(accounts: Accounts, web: WebServer) -> Iterator[Onlookers]:
    service = build(web.settings)
    yield Onlookers(accounts, service)
    service.redis.close()


def test_private_games_change_nothing_that_others_see_of_their_players(
    onlookers: Onlookers,
) -> None:
    public = onlookers.finish(rated=True)
    own = onlookers.outsider.create_game()
    onlookers.publish(own)
    before = onlookers.observe()
    assert f'"{public}"' in before[f"visitor /players/{onlookers.ada.handle}/games"]
    private = onlookers.finish(private=True)
    finished = onlookers.ada.http.get(f"/api/v1/games/{private}/record").content
    uploaded = onlookers.ada.http.post(
        "/api/v1/imports", content=finished, headers={"Content-Type": "application/jsonl"}
    )
    assert uploaded.status_code == 201, uploaded.text
    assert onlookers.observe() == before
    # What is seen does change with a public game.
    onlookers.finish(rated=True)
    after = onlookers.observe()
    for part in ("", "/games", f"/head-to-head/{onlookers.bea.handle}"):
        path = f"visitor /players/{onlookers.ada.handle}{part}"
        assert after[path] != before[path]
    for part in ("visitor /leaderboards/barony", "visitor /ratings/games?limit=500"):
        assert after[part] != before[part]


def test_only_finished_public_games_change_what_others_find_in_the_explorer(
    onlookers: Onlookers,
) -> None:
    service = onlookers.service
    readers = {"visitor": onlookers.accounts.anonymous, "player": onlookers.outsider.http}
    kind = "system=barony&seats=2"

    def found(paths: Iterable[str]) -> dict[str, str]:
        """Return what an outsider and a visitor receive."""
        seen = {}
        for name, http in readers.items():
            for path in paths:
                response = http.get(path)
                assert response.status_code == 200, (path, response.text)
                seen[f"{name} {path}"] = response.text
        return seen

    def observe() -> dict[str, str]:
        tables = f"/api/v1/explorer?{kind}"
        games = f"/api/v1/explorer/games?{kind}&table"
        seen = found(
            [
                tables,
                *(f"{games}=seat&value={seat}" for seat in range(2)),
                *(f"{games}=rounds&value={span}" for span in SPANS_OF_ROUNDS),
            ]
        )
        own = onlookers.outsider.http.get(f"{tables}&of=me")
        address = str(readers["visitor"].base_url).rstrip("/")
        page = httpx.get(f"{address}/explorer?kind=barony+2&pattern=seat.1").text
        shown = page.partition("<main")[2].partition("</main>")[0]
        return {**seen, "own": own.text, "page": shown}

    def positions_found(game: str) -> set[str]:
        """Return the games that are found by the positions of a game, which one of its players knows."""
        events = onlookers.ada.http.get(f"/api/v1/games/{game}/events").json()["events"]
        states = sorted({event["state"] for event in events} - {ZEROS})
        assert len(states) > 2
        paths = [f"/api/v1/explorer/positions?state={state}" for state in states]
        answers = map(orjson.loads, found(paths).values())
        return {event["game"] for answer in answers for event in answer["events"]}

    public = onlookers.finish()
    assert positions_found(public) == {public}
    before = observe()
    assert f"/games/{public}?seq=" in before["page"]
    assert f'"{public}"' in before[f"visitor /api/v1/explorer/games?{kind}&table=seat&value=1"]
    players = (onlookers.ada.id, onlookers.bea.id)
    running = start_game(service, players=players).id
    play_set_up(service, running)
    abandoned = start_game(service, players=players).id
    play_set_up(service, abandoned)
    service.administration.abandon("operator", abandoned, "a test")
    hidden = [onlookers.finish(private=True), running, abandoned]
    for game in hidden:
        onlookers.publish(game)
    assert observe() == before
    for game in hidden:
        assert positions_found(game) == set()
    # Nor does a rebuild bring them in.
    service.games.projections.rebuild("explorer")
    assert observe() == before
    onlookers.finish()
    assert observe() != before


def test_an_import_reveals_nothing_of_the_games_of_this_server(onlookers: Onlookers) -> None:
    private = onlookers.finish(private=True)
    record = (FOLDER / "clock-leaves-one.jsonl").read_bytes()
    answers = []
    for game in (private, private[::-1]):
        assert onlookers.outsider.http.get(f"/api/v1/games/{game}").status_code == 404
        claimed = record.replace(b'"game":"clock-leaves-one"', b'"game":"%b"' % game.encode())
        assert claimed != record
        response = onlookers.outsider.http.post(
            "/api/v1/imports",
            content=forge_record(claimed),
            headers={"Content-Type": "application/jsonl"},
        )
        assert response.status_code == 201, response.text
        assert onlookers.outsider.http.get(f"/api/v1/games/{game}").status_code == 404
        answer = response.json()
        answers.append({k: v for k, v in answer.items() if k not in ("id", "game", "uploaded")})
    assert answers[0] == answers[1]


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


def test_outsiders_receive_the_same_bytes_whatever_happens_in_a_private_club(
    accounts: Accounts,
) -> None:
    ada, bea, eve = (accounts.register() for _ in range(3))
    url = str(accounts.anonymous.base_url)
    observers = [RecordingClient(url, "outsider", eve.token), RecordingClient(url, "anonymous")]
    none, poll_id = "0" * 16, "e" * 16

    def observed(club: str, game: str) -> list[list[str]]:
        """Return what each observer receives, without the ids of the club and the game."""
        paths = (
            *("/clubs?limit=100", f"/clubs/{club}", f"/clubs/{club}/members", "/me/clubs", "/me"),
            *(f"/clubs/{club}/posts", f"/clubs/{club}/meetings", f"/clubs/{club}/polls"),
            f"/clubs/{club}/challenges",
            *(f"/clubs/{club}/ratings/games", f"/clubs/{club}/ratings/statement"),
            *(f"/clubs/{club}/leaderboards/barony", "/ratings/games?limit=500"),
            *(f"/games?club={club}", f"/games?club={club}&status=open", "/games?limit=100"),
            *(f"/tournaments?club={club}", "/tournaments?limit=100"),
            *("/games?vacant=true", f"/games?player={ada.handle}", f"/games/{game}"),
            *(f"/games/{game}/events", f"/games/{game}/stream", f"/games/{game}/record"),
            *(f"/players/{ada.handle}", f"/players/{bea.handle}", f"/players/{ada.handle}/games"),
            *(f"/players/{ada.handle}/head-to-head/{bea.handle}", "/leaderboards/barony"),
        )
        received: list[list[str]] = []
        for observer in observers:
            observer.follow(game)
            for path in paths:
                observer.request("GET", path)
            for method, path in (
                ("PUT", f"/clubs/{club}/members/me"),
                ("DELETE", f"/clubs/{club}/members/me"),
                ("PATCH", f"/clubs/{club}"),
                ("POST", f"/clubs/{club}/invitations"),
                ("POST", f"/clubs/{club}/posts"),
                ("POST", f"/clubs/{club}/meetings"),
                ("POST", f"/clubs/{club}/polls"),
                ("PUT", f"/clubs/{club}/polls/{poll_id}/votes/me"),
                ("POST", f"/clubs/{club}/polls/{poll_id}/meeting"),
                ("DELETE", f"/clubs/{club}/polls/{poll_id}"),
                ("POST", f"/clubs/{club}/challenges"),
                ("POST", f"/clubs/{club}/challenges/{poll_id}/tournament"),
                ("DELETE", f"/clubs/{club}/challenges/{poll_id}"),
                ("DELETE", f"/clubs/{club}/posts/1"),
                ("POST", f"/clubs/{club}/posts/1/report"),
                ("PUT", f"/clubs/{club}/officers/{bea.handle}"),
                ("DELETE", f"/clubs/{club}/officers/{bea.handle}"),
                ("POST", f"/games/{game}/players"),
            ):
                observer.request(method, path, {})
            received.append([record.replace(club, "CLUB") for record in observer.records])
        return received

    before = observed(none, "f" * 16)
    club = ada.http.post("/api/v1/clubs", json={"name": "Hidden", "private": True}).json()["id"]
    path = f"/api/v1/clubs/{club}"
    ada.http.post(f"{path}/invitations", json={"handle": bea.handle}).raise_for_status()
    bea.http.put(f"{path}/members/me").raise_for_status()
    options = {"private": True, "rated": True, "club": club, "name": "Hidden"}
    game = ada.create_game(2, options=options)
    assert observed(club, game) == before
    bea.join(game)
    ada.http.patch(path, json={"name": "Hidden still", "about": "x"}).raise_for_status()
    bea.http.post(f"{path}/posts", json={"text": "x"}).raise_for_status()
    meeting = {"title": "x", "at": wall_clock.format(wall_clock.now() + timedelta(days=2))}
    ada.http.post(f"{path}/meetings", json=meeting).raise_for_status()
    later = wall_clock.format(wall_clock.now() + timedelta(days=3))
    poll = {"title": "x", "dates": [meeting["at"], later]}
    opened = ada.http.post(f"{path}/polls", json=poll).raise_for_status().json()["id"]
    vote = {"dates": [later]}
    bea.http.put(f"{path}/polls/{opened}/votes/me", json=vote).raise_for_status()
    ada.http.put(f"{path}/officers/{bea.handle}").raise_for_status()
    assert observed(club, game) == before
    bea.http.delete(f"{path}/members/me").raise_for_status()
    assert observed(club, game) == before
    assert bea.http.get(f"/api/v1/games/{game}").status_code == 200
    for observer in observers:
        observer.http.close()


def test_outsiders_receive_the_same_bytes_whether_or_not_two_clubs_play_a_private_match(
    accounts: Accounts,
) -> None:
    ada, bea, eve = (accounts.register() for _ in range(3))
    url = str(accounts.anonymous.base_url)
    observers = [RecordingClient(url, "outsider", eve.token), RecordingClient(url, "anonymous")]
    own, other = (
        str(player.http.post("/api/v1/clubs", json={"name": name}).json()["id"])
        for player, name in ((ada, "Larks"), (bea, "Wrens"))
    )

    def observed(challenge: str, match: str) -> list[list[str]]:
        """Return what each observer receives, without the ids of the challenge and the match."""
        clubs = [f"/clubs/{club}{part}" for club in (own, other) for part in ("", "/challenges")]
        lists = (f"/tournaments?club={own}", f"/tournaments?club={other}", "/tournaments?limit=100")
        players = [f"/players/{player.handle}" for player in (ada, bea)]
        parts = ("", "/events", "/record", "/standings", "/posts")
        of_match = [f"/tournaments/{match}{part}" for part in parts]
        for observer in observers:
            observer.follow("d" * 16)
            for path in (*clubs, *lists, *players, *of_match, "/games?limit=100"):
                observer.request("GET", path)
            for club in (own, other):
                answer = f"/clubs/{club}/challenges/{challenge}"
                observer.request("POST", f"{answer}/tournament", {})
                observer.request("DELETE", answer)
            observer.request("PUT", f"/tournaments/{match}/players/me", {})
        return [
            [each.replace(challenge, "CHALLENGE").replace(match, "MATCH") for each in seen.records]
            for seen in observers
        ]

    none = "t" + "e" * 16
    before = observed("f" * 16, none)
    closes = wall_clock.format(wall_clock.now() + timedelta(days=2))
    body = {"club": other, "rules": "barony", "clock": {"per_turn": 86_400}, "boards": 1}
    body |= {"closes": closes, "round_seconds": 86_400, "public": True}
    sent = ada.http.post(f"/api/v1/clubs/{own}/challenges", json=body).raise_for_status().json()
    assert observed(sent["id"], none) == before
    accepting = f"/api/v1/clubs/{other}/challenges/{sent['id']}/tournament"
    match = bea.http.post(accepting).raise_for_status().json()["id"]
    assert observed(sent["id"], match) == before
    team = {"name": "Larks", "members": [ada.handle]}
    ada.http.put(f"/api/v1/tournaments/{match}/teams/mine", json=team).raise_for_status()
    assert observed(sent["id"], match) == before
    for observer in observers:
        observer.http.close()
