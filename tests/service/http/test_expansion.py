"""Games with Sorcery over HTTP: creating them, casting, and playing a game of five to its end."""

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
from tests.support.records import trusting_signer
from tests.support.redis_contents import contents
from tests.support.server import WebServer
from tests.support.sorcery_games import choose_cast
from tests.support.worker_harness import RecordingChannel, WorkerHarness

WITH_SORCERY = {"sorcery": True}


class TestCreating:
    @pytest.mark.parametrize("seats", [2, 3, 4, 5])
    def test_a_game_has_two_to_five_seats(self, accounts: Accounts, seats: int) -> None:
        game, players = accounts.start_game(seats, options=WITH_SORCERY)
        summary = accounts.anonymous.get(f"/api/v1/games/{game}").json()
        assert (summary["rules"], summary["seats"], summary["status"]) == (
            "barony",
            seats,
            "playing",
        )
        assert summary["options"]["sorcery"] is True
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

    @pytest.mark.parametrize("options", [{}, {"sorcery": False}])
    def test_without_the_option_a_game_has_no_sorcery(
        self, accounts: Accounts, options: Json
    ) -> None:
        game, _ = accounts.start_game(4, options=options)
        summary = accounts.anonymous.get(f"/api/v1/games/{game}").json()
        assert summary["options"]["sorcery"] is False
        position = accounts.anonymous.get(f"/api/v1/games/{game}/position").json()
        assert (position["sorcery"], position["spells"]) == (False, [])
        assert set(position["bank"].values()) == {20}

    @pytest.mark.parametrize(
        ("seats", "options", "invalid"),
        [
            (5, {}, "seats"),
            (5, {"sorcery": False}, "seats"),
            (6, WITH_SORCERY, "seats"),
            (1, WITH_SORCERY, "seats"),
            (0, WITH_SORCERY, "seats"),
            (2, {"sorcery": None}, "options.sorcery"),
            (2, {"sorcery": 1}, "options.sorcery"),
            (2, {"sorcery": "true"}, "options.sorcery"),
            (2, {"sorcery": []}, "options.sorcery"),
            (2, {"sorcery": {}}, "options.sorcery"),
            (2, {"Sorcery": True}, "options.Sorcery"),
            (5, {**WITH_SORCERY, "spells": ["charm"]}, "options.spells"),
            (5, {**WITH_SORCERY, "round_limit": 0}, "options.round_limit"),
        ],
    )
    def test_the_invalid_field_is_named(
        self, accounts: Accounts, seats: int, options: Json, invalid: str
    ) -> None:
        body = {"rules": "barony", "seats": seats, "options": options}
        response = accounts.register().http.post("/api/v1/games", json=body)
        assert response.status_code == 400
        assert [error["field"] for error in response.json()["errors"]] == [invalid]

    def test_a_cast_in_a_game_without_sorcery_is_refused(self, accounts: Accounts) -> None:
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


# The secret of the game and the nonces decide the board, and with it how often a spell can be cast.
_FIXED_CHANCE = """
import secrets, types
from service.games import commands
commands.randomness = types.SimpleNamespace(
    token_bytes=lambda count: bytes([5]) * count, token_hex=secrets.token_hex
)
"""


class FiveSeatGame:
    """A game of five with Sorcery on a web server, and the workers of the service."""

    def __init__(self, accounts: Accounts, service: Service) -> None:
        self.accounts = accounts
        self.workers = WorkerHarness(service, RecordingChannel())
        self.service = service
        self.game, self.players = accounts.start_game(5, options={**WITH_SORCERY, "round_limit": 9})
        self.chance = random.Random(5)

    def get(self, path: str = "", **query: Any) -> Any:
        """Return the response that an anonymous client gets for a path of the game."""
        response = self.accounts.anonymous.get(f"/api/v1/games/{self.game}{path}", params=query)
        assert response.status_code == 200, response.text
        return response.json()

    @property
    def seat_to_act(self) -> tuple[int, PlayerClient] | None:
        """The seat to act and its player, or None."""
        seat = self.get()["to_act"]
        return None if seat is None else (seat, self.players[seat])

    def act(self) -> Event:
        """Let the player to act take a legal action, and return the event."""
        assert self.seat_to_act is not None
        seat, player = self.seat_to_act
        seq, actions = player.legal_actions(self.game)
        chosen = choose_cast(self.get("/position"), actions, seat, self.chance)
        response = player.act(self.game, chosen, seq)
        assert response.status_code == 201, response.text
        event: Event = response.json()["events"][0]
        assert event["action"] == chosen
        return event

    def work(self) -> None:
        """Run the tasks of the game, and those that follow from them."""
        self.workers.scheduler.enqueue_tasks_of({self.game})
        while self.workers.waiting():
            self.workers.work()
            self.workers.scheduler.enqueue_tasks_of({self.game})


@pytest.fixture
def five(settings: Settings, service: Service) -> Iterator[FiveSeatGame]:
    with WebServer(settings, setup_code=_FIXED_CHANCE) as server:
        accounts = Accounts(server.url)
        five = FiveSeatGame(accounts, service)
        yield five
        five.workers.close()
        accounts.close()


@pytest.mark.nightly
def test_five_play_to_the_end_with_casts(five: FiveSeatGame) -> None:
    events: list[Event] = []
    while five.seat_to_act is not None:
        events.append(five.act())
        five.work()
    casts = [event for event in events if event["type"] == "SpellsCast"]
    assert len(casts) > 3
    summary = five.get()
    assert summary["status"] == "finished"

    log = five.get("/events", limit=500)["events"]
    assert [event for event in log if event["action"]] == events
    scored = [event["data"] for event in log if event["type"] == "RoundScored"]
    assert [data["round"] for data in scored] == list(range(1, 10))
    position = five.get("/position")
    for entry, player in zip(scored[-1]["standings"], position["players"], strict=True):
        points = 3 * len(player["imprints"])
        assert entry["imprint_points"] == points
        assert entry["final_score"] == entry["score"] + entry["token_points"] + points
    finals = {entry["seat"]: entry["final_score"] for entry in scored[-1]["standings"]}
    assert {entry["seat"]: entry["score"] for entry in position["ranking"]} == finals

    for cast in casts[:3]:
        event = five.get(f"/events/{cast['seq']}")
        before, after = (
            event[when]["players"][cast["data"]["seat"]] for when in ("before", "after")
        )
        gained = sum(step.get("magic", 0) for step in cast["data"].get("moves", ()))
        assert after["magic"] == before["magic"] - cast["data"]["cost"] + gained
        assert five.get("/position", seq=cast["seq"]) == event["after"]

    record = five.accounts.anonymous.get(f"/api/v1/games/{five.game}/record").content
    assert read(BytesIO(record)).events == log
    report = audit(BytesIO(record), trusted=trusting_signer(record))
    assert report.findings == []
    assert report.unknowns == []


def test_a_cast_that_the_rules_forbid_changes_nothing(five: FiveSeatGame) -> None:
    while five.get("/position")["phase"] == "setup":
        five.act()
    seq, actions = five.players[0].legal_actions(five.game)
    assert actions
    assert not [action for action in actions if action["type"] == "cast"]
    spells = five.get("/position")["spells"]
    closed, open_ = min({*SPELLS} - {*spells}), spells[0]
    before = contents(five.service.redis)
    for cast, status, clause in [
        (cast_of(closed), 422, "BS-SPL-1"),
        ({**cast_of(open_), "spells": [open_, closed]}, 422, "BS-SPL-1"),
        (cast_of(open_), 422, "BS-SPL-2"),
        ({**cast_of(open_), "spells": [open_, open_]}, 400, "FORMAT"),
        ({"type": "cast", "spells": [open_]}, 400, "FORMAT"),
        ({**cast_of(open_), "spells": ["abracadabra"]}, 400, "FORMAT"),
    ]:
        refused = five.players[0].act(five.game, cast, seq)
        assert (refused.status_code, refused.json()["clause"]) == (status, clause), refused.text
    other = five.players[1].act(five.game, cast_of(open_), seq)
    assert (other.status_code, other.json()["clause"]) == (422, "BY-TURN-3")
    assert contents(five.service.redis) == before


def cast_of(spell: Spell) -> Json:
    """A well-formed cast of one spell."""
    fields: dict[Family, Json] = {
        "movement": {"path": [[0, 0], [1, 0]]},
        "recruitment": {"recruits": [{"at": [0, 0], "knights": 1}]},
        "construction": {"at": [0, 0]},
    }
    return {"type": "cast", "spells": [spell], **fields[FAMILY[spell]]}


def test_affordable_casts_are_legal_and_accepted(five: FiveSeatGame) -> None:
    rules = rule_system_for("barony", WITH_SORCERY)
    while not (casts := legal_casts(five)):
        five.act()
    assert five.seat_to_act is not None
    seat, player = five.seat_to_act
    seq, _ = player.legal_actions(five.game)
    position = five.get("/position")
    assert position["players"][seat]["magic"] > 0
    for cast in casts:
        assert set(cast["spells"]) <= set(position["spells"])
        assert {**rules.action_to_json(rules.parse_action(cast))} == cast
    assert five.players[seat - 1].legal_actions(five.game) == (seq, [])

    key = {"Idempotency-Key": "one cast"}
    first, again = (player.act(five.game, casts[-1], seq, **key) for _ in range(2))
    assert first.status_code == again.status_code == 201
    assert first.json() == again.json()
    (event,) = first.json()["events"]
    assert (event["type"], event["action"]) == ("SpellsCast", casts[-1])
    assert event["data"]["spells"] == sorted(casts[-1]["spells"])
    assert five.get()["head"] == {"seq": seq + 1, "hash": event["hash"]}


def legal_casts(five: FiveSeatGame) -> list[Json]:
    """Return the legal casts of the player to act."""
    assert five.seat_to_act is not None
    _, player = five.seat_to_act
    return [action for action in player.legal_actions(five.game)[1] if action["type"] == "cast"]
