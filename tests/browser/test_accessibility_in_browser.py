"""axe finds no obstacle on any page, in three languages, in light and in dark mode."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Final

import httpx
import pytest
from flask import Flask

from domain.event import Event
from replay.language.catalogue import ENGLISH, languages
from service import wall_clock
from service.accounts.account_reader import Player
from service.bootstrap import Service, build
from service.notifications.mail.confirmations import Confirmation
from service.pages.app import create_web_app
from service.pages.session import COOKIE_NAME
from service.settings import Settings, load_settings
from tests.games.records import FOLDER
from tests.support.accounts import PASSWORD, Accounts, take_turn
from tests.support.administrators import ended_delivery
from tests.support.axe import violations
from tests.support.browsing import Visitors, signed_session
from tests.support.processes import wait_until
from tests.support.records import forge_record
from tests.support.running_service import RunningService
from tests.support.tournaments import begin, create

NO_PAGES = {
    "conditional_actions.redirect_earlier_address": "a redirection",
    "sandboxes.redirect_earlier_link": "a redirection",
    "home.get_picture": "a picture",
    "home.get_thumbnail": "a picture",
    "home.show_live_board": "a part of a page",
    "dictionaries.get_dictionary": "for browsers",
    "pictures.get_png": "a picture",
    "pictures.get_svg": "a picture",
    "play.stream_events": "an event stream",
    "home.stream_own_games": "an event stream",
    "installation.count_turns": "for scripts",
    "installation.get_icon": "a picture",
    "installation.get_manifest": "for browsers",
    "installation.get_service_worker": "a script",
    "notifications.get_push_state": "for scripts",
    "proofs.download_receipts": "a file",
    "rules.get_picture": "a picture",
    "proofs.download_record": "a file",
    "proofs.get_head": "for scripts",
    "programs.export_games": "a file",
    "puzzles.show_puzzle": "checked in test_puzzles_in_browser.py, which makes a puzzle",
    "imports.download_record": "a file",
    "static_files.get_file": "a static file",
    "tournaments.get_calendar": "for calendars",
    "live_tournament.get_standings_table": "for spreadsheets",
    "live_tournament.get_bracket": "a picture",
}
"""Views whose responses are no pages, by endpoint."""
FOR_STRANGERS = {
    "accounts.show_login",
    "accounts.show_registration",
    "invitation_links.open_invitation",
}
"""Views that a player who has logged in does not see."""
PAGES_OF_A_TURN = (
    "accounts.show_registration",
    "home.show_home",
    "lobby.show_new_game",
    "play.show_game",
    "chat.show_chat",
    "disputes.show_dispute",
    "replay.list_events",
    "notifications.show_notifications",
)
"""Views that most players see often, of different kinds."""


class Scenes:
    """Games in every state that a page can show, and the addresses of their pages by endpoint."""

    def __init__(self, site: RunningService, accounts: Accounts) -> None:
        self.site = site
        self.accounts = accounts
        self.player = accounts.register()
        self.friend = accounts.register()
        self.finished = ""
        """A game that has ended."""
        self.addresses: dict[str, list[str]] = {
            "home.show_home": ["/"],
            "home.list_games": [
                "/games",
                "/games?list=finished",
                f"/games?list=all&player={self.player.handle}",
            ],
            "home.show_statistics": ["/statistics"],
            "explorer.show_explorer": ["/explorer?of=me", "/explorer?pattern=seat.0"],
            "players.show_player": [
                f"/players/{self.player.handle}",
                f"/players/{self.player.handle}?opponent={self.friend.handle}&result=won",
            ],
            "home.show_leaderboards": ["/leaderboards"],
            "installation.show_offline_page": ["/offline"],
            "accounts.show_login": ["/login"],
            "accounts.show_registration": ["/register"],
            "accounts.show_account": ["/account"],
            "accounts.show_keys": ["/account/keys"],
            "programs.show_tokens": ["/account/tokens"],
            "clocks.show_holidays": ["/account/holidays"],
            "notifications.show_notifications": ["/account/notifications"],
            "analyses.retry_mistakes": ["/retry", "/retry?after=0.1"],
            "notifications.show_webhooks": ["/account/webhooks"],
            "clubs.show_clubs": ["/clubs"],
            "clubs.show_new_club": ["/clubs/new"],
            "quick_play.show_tutorials": ["/tutorial"],
            "lobby.show_new_game": ["/games/new", "/games/new?rules=baron"],
            "proofs.verify_file": ["/verify"],
            "rules.show_index": ["/rules"],
            "rules.show_rules": ["/rules/baron", "/rules/sorcery"],
            "rules.show_introduction": ["/rules/sorcery/introduction"],
        }
        self._add_administration()
        self._add_clubs()
        self._add_open_game()
        self._add_running_games()
        self._add_finished_game()
        self._add_tournaments()
        self._add_pages_of_mails()
        self._add_imported_records()

    def _add_imported_records(self) -> None:
        """A sound record, and one that was forged."""
        sound = (FOLDER / "baron-battles.jsonl").read_bytes()

        def forge(events: list[Event]) -> None:
            events[40]["action"] = {"type": "resign"}

        self._add("imports.show_imports", "/imports")
        address = ""
        for data in (forge_record(sound, forge), sound):
            response = self.player.http.post(
                "/api/v1/imports?public=true",
                content=data,
                headers={"Content-Type": "application/jsonl"},
            )
            assert response.status_code == 201, response.text
            address = f"/imports/{response.json()['id']}"
            self._add("imports.show_import", address)
            self._add("imports.show_event", f"{address}/replay?seq=30")
        self._add("imports.show_table", f"{address}/table?seq=30")
        self._add("imports.list_events", f"{address}/log")
        self._add("imports.compare_events", f"{address}/compare?from=20&to=30")
        self._add("imports.show_scores", f"{address}/scores")

    def _add(self, endpoint: str, *addresses: str) -> None:
        self.addresses.setdefault(endpoint, []).extend(addresses)

    def _start(self, **fields: object) -> str:
        game_id = self.player.create_game(2, **fields)
        self.friend.join(game_id)
        return game_id

    def _add_clubs(self) -> None:
        """Add a club of the player with a request, an invitation and a game, and one of the friend."""
        third = self.accounts.register()
        body = {"name": "Wednesdays", "about": "We play on Wednesdays.", "private": True}
        own = self.player.http.post("/api/v1/clubs", json=body).json()["id"]
        invitations = f"/api/v1/clubs/{own}/invitations"
        token = self.player.http.post(invitations).json()["token"]
        self.player.http.post(invitations, json={"handle": self.friend.handle}).raise_for_status()
        self.player.create_game(3, options={"private": True, "club": own})
        webhook = {"url": f"https://example.org/{'long' * 30}", "format": "discord"}
        self.player.http.put(f"/api/v1/clubs/{own}/webhook", json=webhook).raise_for_status()
        public = self.player.http.post("/api/v1/clubs", json={"name": "Fridays"}).json()["id"]
        for other in (self.friend, third):
            other.http.put(f"/api/v1/clubs/{public}/members/me").raise_for_status()
        path = f"/api/v1/clubs/{public}/members/{third.handle}"
        self.player.http.put(path).raise_for_status()
        foreign = self.friend.http.post("/api/v1/clubs", json={"name": "Mondays"}).json()["id"]
        handle = {"handle": self.player.handle}
        self.friend.http.post(
            f"/api/v1/clubs/{foreign}/invitations", json=handle
        ).raise_for_status()
        officer = f"/api/v1/clubs/{public}/officers/{third.handle}"
        self.player.http.put(officer).raise_for_status()
        self._add("clubs.show_officers", *(f"/clubs/{club}/officers" for club in (own, public)))
        meeting = {
            "title": "Barony night",
            "at": wall_clock.format(wall_clock.now() + timedelta(days=2)),
        }
        meetings = f"/api/v1/clubs/{public}/meetings"
        self.player.http.post(meetings, json=meeting).raise_for_status()
        dates = [wall_clock.format(wall_clock.now() + timedelta(days=days)) for days in (2, 3)]
        poll = {"title": "Baron night", "dates": dates}
        polls = f"/api/v1/clubs/{public}/polls"
        self.player.http.post(polls, json=poll).raise_for_status()
        foreign_club = self.friend.http.post("/api/v1/clubs", json={"name": "Rivals"}).json()["id"]
        challenge = {"rules": "barony", "clock": {"per_turn": 86_400}, "boards": 2}
        challenge |= {"closes": dates[0], "round_seconds": 86_400, "public": True}
        for player, club, other in (
            (self.player, public, foreign_club),
            (self.friend, foreign_club, public),
        ):
            path = f"/api/v1/clubs/{club}/challenges"
            player.http.post(path, json={**challenge, "club": other}).raise_for_status()
        pages = (f"/clubs/{club}/challenges" for club in (own, public))
        self._add("club_challenges.show_challenges", *pages)
        self._add("club_agenda.show_agenda", f"/clubs/{own}/agenda", f"/clubs/{public}/agenda")
        posts = f"/api/v1/clubs/{public}/posts"
        for author in (self.player, third):
            author.http.post(posts, json={"text": "Who plays?"}).raise_for_status()
        self._add("clubs.show_wall", f"/clubs/{own}/posts", f"/clubs/{public}/posts")
        options = {"rated": True, "private": True, "club": public}
        game = self.player.create_game(rules="baron", options=options)
        third.join(game)
        self.player.act(game, {"type": "resign"}).raise_for_status()
        table = f"/api/v1/clubs/{public}/leaderboards/baron"
        wait_until(lambda: third.http.get(table).json()["places"])
        pages = (f"/clubs/{club}/ratings" for club in (own, public))
        self._add("club_ratings.show_club_ratings", *pages)
        self._add("clubs.show_handover", f"/clubs/{public}/owner?player={third.id}")
        self._add("clubs.show_club", *(f"/clubs/{club}" for club in (own, public, foreign)))
        self._add("home.list_games", f"/games?list=open&club={own}")
        self._add("lobby.show_new_game", f"/games/new?club={own}")
        link = self.friend.http.post(f"/api/v1/clubs/{foreign}/invitations").json()["token"]
        self._add("clubs.open_link", f"/clubs/invitations/{link}")
        assert token != link

    def _add_administration(self) -> None:
        """Make the player an administrator, with a report, a delivery and an account to look at."""
        service = build(load_settings({"CARTULARY_DATA": str(self.site.data)}))
        service.administration.set_role("operator", self.player.id, "admin", "a test")
        game = self.friend.create_game(3)
        self.friend.http.post(f"/api/v1/games/{game}/messages", json={"text": "Spam.", "seq": 1})
        service.chat_message_reports.add(game, 1, self.friend.id, self.player.id, "Spam.", None)
        ended_delivery(service.redis, self.friend.id, game)
        service.redis.close()
        account = f"/admin/players/{self.friend.id}"
        self._add("admin_players.search_players", "/admin/players?handle=x", "/admin/players")
        self._add("admin_players.show_player", f"/admin/players/{self.player.id}", account)
        self._add("admin_games.search_games", "/admin/games?status=open", "/admin/games")

    def _add_open_game(self) -> None:
        self._write_messages(self.friend.create_game(3, invite=[self.player.handle]))
        game_id = self.player.create_game(
            2, options={"private": True, "name": "Friday"}, invite=[self.friend.handle]
        )
        self._add("play.show_game", f"/games/{game_id}")
        invitation = f"/games/{game_id}/invitation"
        self._add("invitation_links.show_invitation", invitation)
        with httpx.Client(base_url=self.site.url, follow_redirects=True) as client:
            session = signed_session(self.site, {"token": self.player.token})
            client.cookies.set(COOKIE_NAME, session, domain="127.0.0.1")
            form = re.search(r'name="csrf_token" value="([^"]+)"', client.get(invitation).text)
            assert form is not None
            data = {"csrf_token": form[1], "change": "create"}
            link = re.search(r"/invitations/[\w-]+", client.post(invitation, data=data).text)
        assert link is not None
        self._add("invitation_links.open_invitation", link[0])

    def _add_pages_of_mails(self) -> None:
        """Add the pages that the links in mails open."""
        body = {"email": "ada@example.org", "password": PASSWORD}
        self.player.http.post("/api/v1/me/email", json=body).raise_for_status()
        mail = build(
            load_settings({"CARTULARY_DATA": str(self.site.data)}), read_only=True
        ).notifications.mail
        confirmation = Confirmation(self.player.id, "ada@example.org")
        token = mail.confirmations.create_token(confirmation)
        self._add("email.show_confirmation", f"/email/confirm/{token}")
        mail.confirmations.confirm(token)
        player = self.player.http.get("/api/v1/me").json()["player"]
        account = Player(player["id"], player["handle"], player["created"], player["email"])
        token = mail.password_resets.create_token(account)
        self._add("accounts.show_request", "/password/forgotten")
        self._add("accounts.show_new_password", f"/password/new/{token}")
        token = mail.tokens.unsubscribe_token(self.player.id)
        self._add("email.show_unsubscription", f"/unsubscribe/{token}")

    def _add_tournaments(self) -> None:
        service = build(load_settings({"CARTULARY_DATA": str(self.site.data)}))
        player, friend = (
            person.http.get("/api/v1/me").json()["player"]["id"]
            for person in (self.player, self.friend)
        )
        opened = create(service, player, private=True, description="For friends.").id
        league = {"format": "league", "table_size": 2}
        running = begin(service, player, [player, friend], format=league)
        service.tournaments.changes.make(running, player, "TournamentPaused", "a holiday", {})
        teams = self._team_pages(service, player, friend)
        service.tournament_posts.post(running, player, "When do we begin?")
        service.tournament_posts.post(running, friend, "Tomorrow.")
        arena = begin(service, player, [player, friend], format={"format": "arena"})
        service.redis.close()
        self._add("tournaments.list_tournaments", "/tournaments?status=open", "/tournaments")
        formats = (f"/tournaments/new?format={format}" for format in ("swiss", "league", "arena"))
        self._add("tournaments.show_new_tournament", *formats)
        pages = [f"/tournaments/{id}" for id in (opened, running, arena)]
        self._add("tournaments.show_own_table", f"/tournaments/{arena}/table")
        self._add("teams.show_entry", f"{teams}/team")
        self._add("teams.show_team", f"{teams}/teams/{self.player.handle}")
        self._add("tournaments.show_tournament", *pages)
        self._add("chat.show_tournament_posts", *(f"{page}/posts" for page in pages))
        self._add("live_tournament.show_live", *(f"{page}/live" for page in pages))
        self._add(
            "organiser.show_changes", *(f"/tournaments/{id}/organise" for id in (opened, running))
        )

    def _team_pages(self, service: Service, captain: str, other: str) -> str:
        """Enter a team with another player, who joins it, and return the address of its tournament."""
        format = {"format": "swiss", "table_size": 2, "rounds": 3, "boards": 2}
        id = create(service, captain, format=format, most=8).id
        names = [self.player.handle, self.friend.handle]
        service.tournaments.teams.enter(id, captain, "Crows", names)
        service.tournaments.teams.join(id, other, self.player.handle)
        return f"/tournaments/{id}"

    def _write_messages(self, game_id: str) -> None:
        """Add a game to which the player was invited, with messages by both players, one of them erased."""
        self.player.join(game_id)
        messages = f"/api/v1/games/{game_id}/messages"
        for writer in (self.player, self.friend, self.player):
            body = {"text": "Hello!", "seq": 1}
            writer.http.post(messages, json=body).raise_for_status()
        self.player.http.delete(f"{messages}/3").raise_for_status()
        self._add("chat.show_chat", f"/games/{game_id}/messages")
        self._add("play.show_game", f"/games/{game_id}")
        # Another game still waits for the player's answer.
        self.friend.create_game(2, invite=[self.player.handle])

    def _add_running_games(self) -> None:
        barony = self._start(options={"takebacks": True, "end_by_agreement": True})
        baron = self._start(rules="baron")
        clock = {"per_turn": 86400, "bank": 86400, "nights": ["22:00", "08:00"], "holidays": True}
        timed = self._start(clock=clock)
        self.player.http.post(f"/api/v1/games/{timed}/pause", json={"agree": True})
        self._add("clocks.show_clock", f"/games/{timed}/clock")
        self._add("notifications.show_game_notifications", f"/games/{timed}/notifications")
        for game_id in (barony, baron):
            self._add("play.show_game", f"/games/{game_id}", f"/games/{game_id}?try=resign")
        self._add("play.show_game", f"/games/{barony}?action=resign", f"/games/{baron}?seq=3")
        self._add("play.show_table", f"/games/{baron}/table")
        self.player.act(barony).raise_for_status()
        http = self.player.http
        http.post(f"/api/v1/games/{barony}/takebacks", json={}).raise_for_status()
        self._add("disputes.show_takebacks", f"/games/{barony}/takebacks")
        seq, actions = self.friend.legal_actions(barony)
        own = {"seat": 0, "action": {"type": "resign"}}
        branches = [
            {"seat": 1, "action": action, "then": [own] if index else []}
            for index, action in enumerate(actions[:2])
        ]
        body = {"branches": branches, "expected_seq": seq}
        address = f"/games/{barony}/conditional-actions"
        http.put(f"/api/v1{address}", json=body).raise_for_status()
        page = f"/games/{barony}/conditional-actions"
        endpoint = "conditional_actions.show_conditional_actions"
        self._add(endpoint, *(page + query for query in ("?action=resign", "?at=1.0", "?at=0", "")))
        body = {"seq": 4, "statement": "<b>The</b> board is wrong."}
        event = http.post(f"/api/v1/games/{baron}/disputes", json=body).raise_for_status().json()
        disputes = f"/games/{baron}/disputes"
        self._add("disputes.list_disputes", disputes, f"/games/{barony}/disputes")
        self._add("disputes.show_dispute", f"{disputes}/{event['events'][0]['seq']}")

    def _add_finished_game(self) -> None:
        self.finished = game_id = self._start(options={"round_limit": 1})
        game = f"/games/{game_id}"
        http = self.player.http
        while http.get(f"/api/v1{game}").json()["to_act"] is not None:
            take_turn(game_id, [self.player, self.friend])
        wait_until(lambda: http.get(f"/api/v1{game}").json()["status"] == "finished")
        for player in (self.player, self.friend):
            body = {"text": "Well played!", "seq": 8}
            player.http.post(f"/api/v1{game}/comments", json=body).raise_for_status()
        http.put(f"/api/v1{game}/notes/8", json={"text": "Why?"}).raise_for_status()
        self._add("chat.show_comments", f"{game}/comments")
        self._add("play.show_game", f"{game}?seq=8", f"{game}?seq=9&as=0", game)
        self._add("play.show_table", f"{game}/table")
        self._add("replay.list_events", f"{game}/log", f"{game}/log?seat=0")
        self._add("replay.compare_events", f"{game}/compare?from=5&to=9")
        self._add("replay.show_scores", f"{game}/scores")
        self._add("proofs.show_proofs", f"{game}/proofs")
        self._add("proofs.verify_game", f"{game}/verify")
        self._add("proofs.show_witness", f"{game}/witness")
        body = {"game": game_id, "seq": 6}
        sandbox = http.post("/api/v1/sandboxes", json=body).raise_for_status().json()["id"]
        self._add("sandboxes.list_sandboxes", f"{game}/sandboxes")
        self._add("sandboxes.show_sandbox", f"/sandboxes/{sandbox}")
        self._add("sandboxes.show_table", f"/sandboxes/{sandbox}/table")


@pytest.fixture(scope="module")
def scenes(running_service: RunningService) -> Iterator[Scenes]:
    accounts = Accounts(running_service.url)
    yield Scenes(running_service, accounts)
    accounts.close()


@pytest.fixture
def app(settings: Settings) -> Iterator[Flask]:
    service = build(settings)
    yield create_web_app(service)
    service.redis.close()


def addresses_of_pages(app: Flask, scenes: Scenes) -> dict[str, list[str]]:
    """Return the addresses of all pages by endpoint.

    A page that needs at most the id of a game needs no scene of its own: that of a finished game is checked.
    """
    rules = {
        rule.endpoint.removeprefix("pages."): rule
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith("pages.") and "GET" in (rule.methods or ())
    }
    assert scenes.addresses.keys() | NO_PAGES.keys() <= rules.keys()
    others = rules.keys() - scenes.addresses.keys() - NO_PAGES.keys()
    return scenes.addresses | {
        endpoint: [rules[endpoint].rule.replace("<game_id>", scenes.finished)]
        for endpoint in others
    }


def test_every_page_is_checked(app: Flask, scenes: Scenes) -> None:
    addresses = [page for pages in addresses_of_pages(app, scenes).values() for page in pages]
    assert [address for address in addresses if "<" in address] == []


ADMINISTRATION: Final = "admin_"
"""How the endpoints of the pages of administrators begin."""


@pytest.mark.parametrize(("language", "first"), [("es", 0), ("fr", 1)])
def test_axe_finds_no_obstacle_on_the_pages_of_administrators(
    language: str, first: int, app: Flask, scenes: Scenes, visitors: Visitors
) -> None:
    """Checks every second page in one language, and the others in the other one; at night, each in both."""
    visitor = visitors.new(scenes.player, language=language)
    pages = addresses_of_pages(app, scenes)
    endpoints = sorted(endpoint for endpoint in pages if endpoint.startswith(ADMINISTRATION))
    assert len(endpoints) > 10
    obstacles: list[str] = []
    for endpoint in endpoints[first::2]:
        page = visitor.open(pages[endpoint][-1])
        obstacles += [f"{endpoint} {line}" for line in violations(page)]
        assert "`" not in page.locator("main").inner_text()
    assert not obstacles, "\n".join(obstacles)


@pytest.mark.parametrize(
    ("language", "extent"),
    [
        (ENGLISH, "turn"),
        pytest.param(ENGLISH, "states", marks=pytest.mark.nightly),
        *(
            pytest.param(language, "pages", marks=pytest.mark.nightly)
            for language in languages()
            if language != ENGLISH
        ),
    ],
)
def test_axe_finds_no_obstacle(
    language: str, extent: str, app: Flask, scenes: Scenes, visitors: Visitors
) -> None:
    """Checks the pages of a turn, all pages, or all pages in each of their states."""
    visitor = visitors.new(scenes.player, language=language)
    stranger = visitors.new(language=language)
    obstacles: list[str] = []
    pages = addresses_of_pages(app, scenes)
    for endpoint in PAGES_OF_A_TURN if extent == "turn" else pages:
        addresses = pages[endpoint]
        for address in addresses if extent == "states" else addresses[-1:]:
            page = (stranger if endpoint in FOR_STRANGERS else visitor).open(address)
            assert page.locator("html").get_attribute("lang") == language
            obstacles += [f"{address} {line}" for line in violations(page)]
    page = visitor.open("/nowhere", 404)
    obstacles += [f"/nowhere {line}" for line in violations(page)]
    assert not obstacles, "\n".join(obstacles)
