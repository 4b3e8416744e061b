"""The pages of administrators: who sees them, what can be done there, and what the log says of it."""

from dataclasses import replace
from pathlib import Path

import pytest
import redis
from flask import Flask
from flask.testing import FlaskClient

from domain.errors import CartularyError
from service.administration.backups import Backup
from service.administration.log import AdministrationLog
from service.administration.pages.guard import MAX_SHOWN
from service.bootstrap import Service, build
from service.pages.app import create_web_app
from service.settings import Settings
from tests.support.administrators import ended_delivery, last_entries
from tests.support.page_forms import PASSWORD, log_in, post
from tests.support.service_games import start_game
from tests.support.tournaments import create, organiser

WHY = "asked by phone"
PAGES = (
    "/admin",
    "/admin/players",
    "/admin/reports",
    "/admin/games",
    "/admin/damaged-games",
    "/admin/deliveries",
    "/admin/announcements",
    "/admin/backups",
    "/admin/keys",
    "/admin/settings",
    "/admin/log",
)


@pytest.fixture
def admin(browser: FlaskClient, service: Service) -> FlaskClient:
    """A browser in which an administrator, ada, has logged in."""
    id = log_in(browser, service)
    service.administration.set_role("operator", id, "admin", "a test")
    return browser


@pytest.fixture
def marie(app: Flask, service: Service) -> tuple[FlaskClient, str]:
    """The browser of another player, and their id."""
    client = app.test_client()
    return client, log_in(client, service, "marie")


class TestWhoSeesThem:
    @pytest.mark.parametrize("address", PAGES)
    def test_for_others_they_do_not_exist(
        self, address: str, app: Flask, admin: FlaskClient, marie: tuple[FlaskClient, str]
    ) -> None:
        other, _ = marie
        assert admin.get(address).status_code == 200
        for browser in (other, app.test_client()):
            assert browser.get(address).status_code == 404
        unknown = other.get("/admin/nothing")
        assert "There is no page at this address." in other.get(address).text
        assert unknown.status_code == 404

    def test_no_form_of_theirs_works_for_others(
        self, app: Flask, marie: tuple[FlaskClient, str], service: Service
    ) -> None:
        other, id = marie
        before = last_entries(service.redis, 1)
        forms = [
            rule.rule
            for rule in app.url_map.iter_rules()
            if rule.rule.startswith("/admin/") and "POST" in (rule.methods or ())
        ]
        assert len(forms) >= 18
        for form in forms:
            address = form.replace("<player_id>", id)
            assert post(other, address, reason=WHY, sure="yes").status_code == 404, form
        assert last_entries(service.redis, 1) == before
        assert service.accounts.players.get([id]) != [None]

    def test_a_role_that_was_taken_away_ends_it_at_once(
        self, admin: FlaskClient, service: Service
    ) -> None:
        ada = service.accounts.players.by_handle("ada")
        assert ada is not None
        assert 'href="/admin"' in admin.get("/account").text
        page = f"/admin/players/{ada.id}"
        revoked = post(admin, f"{page}/role/revocation", page, reason=WHY)
        assert revoked.location == "/account"
        assert 'href="/admin"' not in admin.get("/account").text
        assert admin.get("/admin").status_code == 404


class TestPlayers:
    def test_a_password_is_shown_once(
        self, admin: FlaskClient, marie: tuple[FlaskClient, str], service: Service
    ) -> None:
        other, id = marie
        page = f"/admin/players/{id}"
        assert "marie" in admin.get("/admin/players?handle=mar").text
        shown = post(admin, f"{page}/password", page, reason=WHY)
        password = shown.text.partition("shown only here:")[2].partition("<code>")[2]
        password = password.partition("</code>")[0]
        assert service.accounts.players.login("marie", password)
        assert password not in admin.get(page).text
        assert other.get("/account").status_code == 302
        assert ("reset_password", WHY) in _reasons(service.redis)

    def test_an_account_is_suspended_and_let_in_again(
        self, admin: FlaskClient, marie: tuple[FlaskClient, str], service: Service
    ) -> None:
        _, id = marie
        page = f"/admin/players/{id}"
        unexplained = post(admin, f"{page}/suspension", page, reason=" ")
        assert unexplained.status_code == 400
        assert unexplained.text.count('<details class="operation" open>') == 1
        suspended = post(admin, f"{page}/suspension", page, reason="insults <b>")
        shown = admin.get(str(suspended.location)).text
        assert "The account is suspended" in shown
        assert "insults &lt;b&gt;" in shown
        post(admin, f"{page}/unsuspension", page, reason=WHY)
        assert service.accounts.players.login("marie", PASSWORD)

    def test_roles_are_given_and_an_administrator_is_not_erased(
        self, admin: FlaskClient, marie: tuple[FlaskClient, str]
    ) -> None:
        _, id = marie
        page = f"/admin/players/{id}"
        shown = admin.get(page).text
        assert 'name="role"' in shown
        assert 'name="sure"' in shown
        assert "cartulary admin delete @marie --reason" in shown
        post(admin, f"{page}/role", page, role="organiser", reason=WHY)
        assert "organiser" in admin.get(page).text
        post(admin, f"{page}/role", page, role="admin", reason=WHY)
        refused = post(admin, f"{page}/erasure", page, sure="yes", reason=WHY)
        assert refused.status_code == 409
        assert "revoke the role before" in refused.text.lower()
        post(admin, f"{page}/role/revocation", page, reason=WHY)
        assert post(admin, f"{page}/erasure", page, reason=WHY).status_code == 400
        erased = post(admin, f"{page}/erasure", page, sure="yes", reason=WHY)
        assert "The player is erased." in admin.get(str(erased.location)).text
        assert admin.get(page).status_code == 404


def _reasons(client: redis.Redis) -> list[tuple[str, str | None]]:
    return [
        (entry["operation"], entry["details"].get("reason"))
        for entry in AdministrationLog(client).entries()
    ]


class TestGames:
    def test_a_game_is_found_and_decisions_are_events(
        self, admin: FlaskClient, marie: tuple[FlaskClient, str], service: Service
    ) -> None:
        _, id = marie
        game = start_game(service, clock={"per_turn": 3600})
        assert "There is no such game." not in admin.get("/admin/games?status=playing").text
        found = admin.get(f"/admin/games?game=https://play.example.org/games/{game.id}/log")
        page = f"/admin/games/{game.id}"
        assert found.location == page
        assert admin.get("/admin/games?game=nothing").status_code == 404
        assert all(f'name="{name}"' in admin.get(page).text for name in ("hours", "seat", "handle"))
        assert admin.get("/admin/games?handle=nobody").status_code == 404
        assert post(admin, f"{page}/extensions", page, hours="0", reason=WHY).status_code == 400
        extended = post(admin, f"{page}/extensions", page, hours="2", reason=WHY)
        assert "The deadline was extended." in admin.get(str(extended.location)).text
        moved = post(admin, f"{page}/seat-moves", page, seat="1", handle="Marie", reason=WHY)
        assert moved.status_code == 303
        current = service.games.queries.game(game.id)
        assert current.players[1] == id
        again = post(admin, f"{page}/seat-moves", page, seat="1", handle="marie", reason=WHY)
        assert again.status_code == 409
        post(admin, f"{page}/removals", page, seat="0", reason=WHY)
        assert service.games.queries.game(game.id).decision is not None
        assert [operation for operation, why in _reasons(service.redis) if why == WHY] == [
            "extend_deadline",
            "move_seat",
            "remove_seat",
        ]

    def test_a_game_is_ended_without_a_ranking(self, admin: FlaskClient, service: Service) -> None:
        game = start_game(service)
        page = f"/admin/games/{game.id}"
        post(admin, f"{page}/abandonment", page, reason=WHY)
        assert service.games.queries.game(game.id).status == "abandoned"
        assert "there is nothing to decide" in admin.get(page).text

    def test_a_damaged_game_is_named_with_its_command(
        self, admin: FlaskClient, service: Service
    ) -> None:
        assert "Everything that" not in admin.get("/admin").text  # no worker runs
        assert "No game is damaged." in admin.get("/admin/damaged-games").text
        game = start_game(service)
        service.damaged_games.report(game.id, "event 3", "its <hash> is wrong")
        listed = admin.get("/admin/damaged-games").text
        assert f"cartulary repair --game {game.id}" in listed
        assert "its &lt;hash&gt; is wrong" in listed
        assert f'href="/admin/games/{game.id}"' in admin.get("/admin").text
        assert "cannot be read" in admin.get(f"/admin/games/{game.id}").text


class TestDeliveries:
    def test_a_delivery_is_sent_again_and_cancelled(
        self, admin: FlaskClient, marie: tuple[FlaskClient, str], service: Service
    ) -> None:
        assert "No delivery was given up." in admin.get("/admin/deliveries").text
        delivery = ended_delivery(service.redis, marie[1], "5f0c2d9a41e7b603")
        page = f"/admin/deliveries/{delivery}"
        assert "was given up in the last day" in admin.get("/admin").text
        refused = post(admin, f"{page}/cancellation", "/admin/deliveries", reason=WHY)
        assert refused.status_code == 409
        assert "The delivery has ended" in refused.text
        sent = post(admin, f"{page}/attempts", "/admin/deliveries", reason=WHY)
        assert "is sent again now" in admin.get(str(sent.location)).text
        # Another administrator does the same, from the page that they had opened before.
        late = post(admin, f"{page}/attempts", "/admin/deliveries", reason=WHY)
        assert late.status_code == 409
        assert "Another administrator may have dealt with it" in late.text
        post(admin, f"{page}/cancellation", "/admin/deliveries", reason=WHY)
        cancelled = service.notifications.deliveries.find(delivery)
        assert cancelled is not None
        assert cancelled.status == "cancelled"
        unknown = post(admin, "/admin/deliveries/x/attempts", "/admin/deliveries", reason=WHY)
        assert unknown.status_code == 404


class TestReports:
    def test_a_report_leads_to_its_event_and_is_closed_once(
        self, admin: FlaskClient, marie: tuple[FlaskClient, str], service: Service
    ) -> None:
        _, id = marie
        game = start_game(service)
        author = game.players[0]
        service.chat.post(game.id, author, "You <fool>", 2)
        report = service.chat_message_reports.add(game.id, 1, author, id, "You <fool>", "insult")
        shown = admin.get("/admin/reports").text
        assert "You &lt;fool&gt;" in shown
        assert f'href="/games/{game.id}?seq=2"' in shown
        assert f'href="/admin/players/{author}"' in shown
        assert "1 report of a player is open" in admin.get("/admin").text
        form = f"/admin/reports/{report.id}"
        assert post(admin, f"{form}/comment", "/admin/reports", reason=WHY).status_code == 409
        assert post(admin, f"{form}/closing", "/admin/reports").status_code == 400
        closed = post(admin, f"{form}/closing", "/admin/reports", reason=WHY)
        assert "The report is closed." in admin.get(str(closed.location)).text
        late = post(admin, f"{form}/closing", "/admin/deliveries", reason=WHY)
        assert late.status_code == 404
        assert "Another administrator may have dealt with it" in late.text

    def test_a_reported_comment_is_erased(
        self, admin: FlaskClient, marie: tuple[FlaskClient, str], service: Service
    ) -> None:
        _, id = marie
        game = start_game(service)
        service.administration.abandon("operator", game.id, WHY)
        comment = service.comments.post(game.id, game.players[0], "Cheats!", 2)
        report = service.chat_message_reports.add(
            game.id, comment.number, game.players[0], id, "Cheats!", None, "comment"
        )
        assert "Erase the comment" in admin.get("/admin/reports").text
        post(admin, f"/admin/reports/{report.id}/comment", "/admin/reports", reason=WHY)
        assert service.comments.require(game.id, comment.number).text is None
        assert service.chat_message_reports.count() == 0

    def test_a_reported_post_is_erased(
        self, admin: FlaskClient, marie: tuple[FlaskClient, str], service: Service
    ) -> None:
        _, id = marie
        club = service.clubs.create(id, "Wednesdays", is_private=True).id
        service.club_wall.post(club, id, "Spam")
        report = service.chat_message_reports.add(club, 1, id, "nobody", "Spam", None, "post")
        shown = admin.get("/admin/reports").text
        assert "Erase the post" in shown
        assert "Wednesdays" not in shown
        assert f"admin remove-post {club} 1" in shown
        post(admin, f"/admin/reports/{report.id}/comment", "/admin/reports", reason=WHY)
        assert service.club_wall.require(club, 1).text is None
        assert service.chat_message_reports.count() == 0

    def test_a_reported_post_in_a_tournament_is_erased(
        self, admin: FlaskClient, marie: tuple[FlaskClient, str], service: Service
    ) -> None:
        _, id = marie
        olga = organiser(service)
        tournament = create(service, olga, name="Zanzibar", private=True).id
        service.tournament_posts.post(tournament, olga, "Spam")
        service.chat_message_reports.add(
            tournament, 1, id, "nobody", "Spam", None, "tournament_post"
        )
        (report,), _ = service.chat_message_reports.page()
        shown = admin.get("/admin/reports").text
        assert f"admin remove-tournament-post {tournament} 1" in shown
        assert "Zanzibar" not in shown
        post(admin, f"/admin/reports/{report.id}/comment", "/admin/reports", reason=WHY)
        assert service.tournament_posts.require(tournament, 1).text is None
        assert service.chat_message_reports.count() == 0


class TestAnnouncements:
    def test_an_announcement_is_made_and_withdrawn(self, admin: FlaskClient) -> None:
        page = "/admin/announcements"
        fields = {"text_en": "Down on Sunday", "text_fr": "Arrêt", "hours": "24", "reason": WHY}
        empty = post(admin, page, page, **{**fields, "text_en": ""})
        assert empty.status_code == 400
        assert 'id="field-text_en-fault"' in empty.text
        long = post(admin, page, page, **{**fields, "hours": "99999"})
        assert long.status_code == 400
        made = post(admin, page, page, **fields)
        assert made.status_code == 303
        shown = admin.get(page).text
        assert "Down on Sunday" in shown
        assert "Arrêt" in shown
        address = shown.partition(f'action="{page}/')[2].partition("/withdrawal")[0]
        post(admin, f"{page}/{address}/withdrawal", page, reason=WHY)
        assert "Nothing is announced now." in admin.get(page).text
        late = post(admin, f"{page}/{address}/withdrawal", page, reason=WHY)
        assert late.status_code == 404


class TestKeysAndSettings:
    def test_the_key_that_signs_is_not_retired(
        self, admin: FlaskClient, service: Service, settings: Settings, tmp_path: Path
    ) -> None:
        own = service.keyring.signing_key.id
        shown = admin.get("/admin/keys").text
        assert "signs now" in shown
        assert "/retirement" not in shown
        refused = post(admin, f"/admin/keys/{own}/retirement", reason=WHY, sure="yes")
        assert refused.status_code == 409
        old = build(replace(settings, signing_key=tmp_path / "old.pem"))
        key = old.keyring.signing_key.id
        form = f"/admin/keys/{key}/retirement"
        assert post(admin, form, "/admin/keys", reason=WHY).status_code == 400
        post(admin, form, "/admin/keys", reason=WHY, sure="yes")
        with pytest.raises(CartularyError):
            old.keyring.check()
        assert post(admin, "/admin/keys/x/retirement", reason=WHY, sure="yes").status_code == 404
        old.redis.close()

    def test_settings_show_no_secret(self, settings: Settings) -> None:
        url = "smtp://user:hidden-word@mail.example.org:587"
        changed = replace(settings, smtp_url=url, mail_from="a@example.org", sweep_seconds=3.0)
        other = build(changed)
        browser = create_web_app(other).test_client()
        id = log_in(browser, other, "bea")
        other.administration.set_role("operator", id, "admin", WHY)
        shown = browser.get("/admin/settings").text
        assert "hidden-word" not in shown
        assert "set, and not shown" in shown
        assert shown.index("CARTULARY_SWEEP_SECONDS") < shown.index("CARTULARY_CACHE_GAMES")
        other.redis.close()


class TestBackups:
    def test_a_backup_is_requested(self, service: Service, settings: Settings) -> None:
        other = build(
            replace(settings, backup_folder=str(settings.data / "backups"), backup_hours=0.5)
        )
        browser = create_web_app(other).test_client()
        id = log_in(browser, other, "bea")
        other.administration.set_role("operator", id, "admin", WHY)
        empty = browser.get("/admin/backups").text
        assert "There is no backup yet." in empty
        assert "made every 0.5 hours" in empty
        post(browser, "/admin/backups", "/admin/backups", reason=WHY)
        assert other.backups.is_requested()
        assert "begins soon" in browser.get("/admin/backups").text
        now = "2026-11-30T13:00:00.000Z"
        reason = "game <x>: wrong"
        service.backups.store(Backup("n", "host", now, "broken", bytes=5 << 20, reason=reason))
        shown = browser.get("/admin/backups").text
        assert "game &lt;x&gt;: wrong" in shown
        assert "5 MiB" in shown
        assert "The backup of" in browser.get("/admin").text
        other.redis.close()

    def test_without_a_folder_none_is_requested(self, admin: FlaskClient) -> None:
        assert "set CARTULARY_BACKUP_FOLDER" in admin.get("/admin/backups").text
        refused = post(admin, "/admin/backups", "/admin/backups", reason=WHY)
        assert refused.status_code == 409


class TestLog:
    def test_the_newest_entries_come_first_and_the_chain_is_checked(
        self, admin: FlaskClient, service: Service
    ) -> None:
        log = AdministrationLog(service.redis)
        for number in range(MAX_SHOWN):
            log.append("operator", "a_test", {"number": f"<{number}>"})
        shown = admin.get("/admin/log").text
        assert f"&lt;{MAX_SHOWN - 1}&gt;" in shown
        assert "grant_role" not in shown
        before = shown.partition("?before=")[2].partition('"')[0]
        assert "grant_role" in admin.get(f"/admin/log?before={before}").text
        assert "The chain is unbroken" in admin.get("/admin/log?check=yes").text
        service.redis.xdel("cartulary:administration", "3-0")
        assert "Entry 3 breaks the chain" in admin.get("/admin/log?check=yes").text
