"""A game with the expansion over HTTP: created, played by five to its end with casts, looked back at."""

import random
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pytest

from domain.barony.components import FAMILY, SPELLS, Family, Spell
from domain.event import Event
from domain.registry import rule_system_for
from ledger.record import read
from replay.audit import audit
from service.bootstrap import Service
from service.settings import Settings
from tests.support.accounts import Accounts, PlayerClient
from tests.support.http_contract import Json
from tests.support.one_action_game import eager
from tests.support.redis_contents import contents
from tests.support.server import WebServer
from tests.support.worker_harness import RecordingNotifier, WorkerHarness

WITH = {"sorcery": True}


class TestCreating:
    @pytest.mark.http("POST /games", 201)
    @pytest.mark.parametrize("seats", [2, 3, 4, 5])
    def test_for_two_to_five(self, accounts: Accounts, seats: int) -> None:
        game, players = accounts.start_game(seats, options=WITH)
        told = accounts.anonymous.get(f"/api/v1/games/{game}").json()
        assert (told["rules"], told["seats"], told["status"]) == ("barony", seats, "playing")
        assert told["options"]["sorcery"] is True
        position = accounts.anonymous.get(f"/api/v1/games/{game}/position").json()
        assert (position["rules"], position["sorcery"]) == ("barony", True)
        assert len(position["players"]) == len(players) == seats
        assert len(position["board"]) == 27 * seats
        terrains = [cell["terrain"] for cell in position["board"]]
        assert terrains.count("mysterious_place") == {2: 3, 3: 4, 4: 5, 5: 5}[seats]
        assert set(position["bank"].values()) == {25}
        assert position["spells"] == sorted({*position["spells"]})
        assert len(position["spells"]) == 5
        assert {*position["spells"]} < {*SPELLS}
        for player in position["players"]:
            assert (player["magic"], player["imprints"]) == (0, [])

    @pytest.mark.http("POST /games", 201)
    @pytest.mark.parametrize("options", [{}, {"sorcery": False}])
    def test_only_when_it_is_asked_for(self, accounts: Accounts, options: Json) -> None:
        game, _ = accounts.start_game(4, options=options)
        told = accounts.anonymous.get(f"/api/v1/games/{game}").json()
        assert told["options"]["sorcery"] is False
        position = accounts.anonymous.get(f"/api/v1/games/{game}/position").json()
        assert (position["sorcery"], position["spells"]) == (False, [])
        assert set(position["bank"].values()) == {20}

    @pytest.mark.http("POST /games", 400)
    @pytest.mark.parametrize(
        ("seats", "options", "wrong"),
        [
            (5, {}, "seats"),
            (5, {"sorcery": False}, "seats"),
            (6, WITH, "seats"),
            (1, WITH, "seats"),
            (0, WITH, "seats"),
            (2, {"sorcery": None}, "options.sorcery"),
            (2, {"sorcery": 1}, "options.sorcery"),
            (2, {"sorcery": "true"}, "options.sorcery"),
            (2, {"sorcery": []}, "options.sorcery"),
            (2, {"sorcery": {}}, "options.sorcery"),
            (2, {"Sorcery": True}, "options.Sorcery"),
            (5, {**WITH, "spells": ["charm"]}, "options.spells"),
            (5, {**WITH, "round_limit": 0}, "options.round_limit"),
        ],
    )
    def test_names_what_is_wrong(
        self, accounts: Accounts, seats: int, options: Json, wrong: str
    ) -> None:
        body = {"rules": "barony", "seats": seats, "options": options}
        response = accounts.register().http.post("/api/v1/games", json=body)
        assert response.status_code == 400
        assert [error["field"] for error in response.json()["errors"]] == [wrong]

    @pytest.mark.http("POST /games/ID/actions", 400, 422)
    def test_a_cast_without_it_is_of_the_form_and_refused(self, accounts: Accounts) -> None:
        game, players = accounts.start_game(2)
        for seat in (0, 1, 1, 1, 0, 0):
            assert players[seat].act(game).status_code == 201
        cast: Json = {
            "type": "cast",
            "spells": ["charm"],
            "recruits": [{"at": [0, 0], "knights": 1}],
        }
        refused = players[0].act(game, cast)
        assert (refused.status_code, refused.json()["clause"]) == (422, "BS-SPL-1")
        malformed = players[0].act(game, {**cast, "spells": ["charm", "charm"]})
        assert (malformed.status_code, malformed.json()["clause"]) == (400, "FORMAT")


class House:
    """A web server and a worker on one Redis, and five people playing a game."""

    def __init__(self, accounts: Accounts, service: Service) -> None:
        self.accounts = accounts
        self.workers = WorkerHarness(service, RecordingNotifier())
        self.service = service
        self.game, self.players = accounts.start_game(5, options={**WITH, "round_limit": 9})
        self.chance = random.Random(5)

    def get(self, path: str = "", **query: Any) -> Any:
        """What anybody is told about the game."""
        response = self.accounts.anonymous.get(f"/api/v1/games/{self.game}{path}", params=query)
        assert response.status_code == 200, response.text
        return response.json()

    @property
    def on_turn(self) -> tuple[int, PlayerClient] | None:
        """Whose turn it is."""
        seat = self.get()["to_act"]
        return None if seat is None else (seat, self.players[seat])

    def act(self) -> Event:
        """Whose turn it is takes an action that was listed; the event."""
        assert self.on_turn is not None
        seat, player = self.on_turn
        seq, actions = player.legal_actions(self.game)
        chosen = eager(self.get("/position"), actions, seat, self.chance)
        response = player.act(self.game, chosen, seq)
        assert response.status_code == 201, response.text
        event: Event = response.json()["events"][0]
        assert event["action"] == chosen
        return event

    def work(self) -> None:
        """The workers do what the game calls for."""
        self.workers.scheduler.enqueue_tasks_of({self.game})
        self.workers.work()


@pytest.fixture
def house(settings: Settings, service: Service) -> Iterator[House]:
    with WebServer(settings) as server:
        accounts = Accounts(server.url)
        house = House(accounts, service)
        yield house
        house.workers.close()
        accounts.close()


def test_five_play_to_the_end_with_casts(house: House) -> None:
    events: list[Event] = []
    while house.on_turn is not None:
        events.append(house.act())
        house.work()
    casts = [event for event in events if event["type"] == "SpellsCast"]
    assert len(casts) > 3
    summary = house.get()
    assert summary["status"] == "finished"

    log = house.get("/events", limit=500)["events"]
    assert [event for event in log if event["action"]] == events
    scored = [event["data"] for event in log if event["type"] == "RoundScored"]
    assert [data["round"] for data in scored] == list(range(1, 10))
    position = house.get("/position")
    for entry, player in zip(scored[-1]["standings"], position["players"], strict=True):
        points = 3 * len(player["imprints"])
        assert entry["imprint_points"] == points
        assert entry["final_score"] == entry["score"] + entry["token_points"] + points
    finals = {entry["seat"]: entry["final_score"] for entry in scored[-1]["standings"]}
    assert {entry["seat"]: entry["score"] for entry in position["ranking"]} == finals

    for cast in casts[:3]:
        told = house.get(f"/events/{cast['seq']}")
        before, after = (
            told[when]["players"][cast["data"]["seat"]] for when in ("before", "after")
        )
        gained = sum(step.get("magic", 0) for step in cast["data"].get("moves", ()))
        assert after["magic"] == before["magic"] - cast["data"]["cost"] + gained
        assert house.get("/position", seq=cast["seq"]) == told["after"]

    record = house.accounts.anonymous.get(f"/api/v1/games/{house.game}/record").content
    assert read(BytesIO(record)).events == log
    report = audit(BytesIO(record))
    assert report.findings == []
    assert not any(check.left_out for check in report.checks)


def test_a_cast_that_the_rules_forbid_changes_nothing(house: House) -> None:
    while house.get("/position")["phase"] == "setup":
        house.act()
    seq, actions = house.players[0].legal_actions(house.game)
    assert actions
    assert not [action for action in actions if action["type"] == "cast"]
    spells = house.get("/position")["spells"]
    closed, lone = min({*SPELLS} - {*spells}), spells[0]
    before = contents(house.service.redis)
    for cast, status, clause in [
        (cast_of(closed), 422, "BS-SPL-1"),
        ({**cast_of(lone), "spells": [lone, closed]}, 422, "BS-SPL-1"),
        (cast_of(lone), 422, "BS-SPL-2"),
        ({**cast_of(lone), "spells": [lone, lone]}, 400, "FORMAT"),
        ({"type": "cast", "spells": [lone]}, 400, "FORMAT"),
        ({**cast_of(lone), "spells": ["abracadabra"]}, 400, "FORMAT"),
    ]:
        refused = house.players[0].act(house.game, cast, seq)
        assert (refused.status_code, refused.json()["clause"]) == (status, clause), refused.text
    other = house.players[1].act(house.game, cast_of(lone), seq)
    assert (other.status_code, other.json()["clause"]) == (422, "BY-TURN-3")
    assert contents(house.service.redis) == before


def cast_of(spell: Spell) -> Json:
    """A well-formed cast of one spell."""
    fields: dict[Family, Json] = {
        "movement": {"path": [[0, 0], [1, 0]]},
        "recruitment": {"recruits": [{"at": [0, 0], "knights": 1}]},
        "construction": {"at": [0, 0]},
    }
    return {"type": "cast", "spells": [spell], **fields[FAMILY[spell]]}


def test_casts_that_can_be_paid_are_listed_and_accepted(house: House) -> None:
    rules = rule_system_for("barony", WITH)
    while not (casts := listed_casts(house)):
        house.act()
    assert house.on_turn is not None
    seat, player = house.on_turn
    seq, _ = player.legal_actions(house.game)
    position = house.get("/position")
    assert position["players"][seat]["magic"] > 0
    for cast in casts:
        assert set(cast["spells"]) <= set(position["spells"])
        assert {**rules.action_to_json(rules.parse_action(cast))} == cast
    assert house.players[seat - 1].legal_actions(house.game) == (seq, [])

    key = {"Idempotency-Key": "one cast"}
    first, again = (player.act(house.game, casts[-1], seq, **key) for _ in range(2))
    assert first.status_code == again.status_code == 201
    assert first.json() == again.json()
    (event,) = first.json()["events"]
    assert (event["type"], event["action"]) == ("SpellsCast", casts[-1])
    assert event["data"]["spells"] == sorted(casts[-1]["spells"])
    assert house.get()["head"] == {"seq": seq + 1, "hash": event["hash"]}


def listed_casts(house: House) -> list[Json]:
    """The casts that the seat whose turn it is may make."""
    assert house.on_turn is not None
    _, player = house.on_turn
    return [action for action in player.legal_actions(house.game)[1] if action["type"] == "cast"]
