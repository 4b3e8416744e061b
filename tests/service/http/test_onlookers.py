"""What is private changes nothing that onlookers receive: private games, imports, clubs and their matches."""

from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any

import httpx
import orjson
import pytest

from domain.event import ZEROS
from domain.features import SPANS_OF_ROUNDS
from service import wall_clock
from service.bootstrap import Service, build
from tests.games.records import FOLDER
from tests.support.accounts import Accounts
from tests.support.recording_client import RecordingClient
from tests.support.records import forge_record
from tests.support.server import WebServer
from tests.support.service_games import play_out, play_set_up, start_game


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
