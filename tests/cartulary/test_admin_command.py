"""The command admin: every operation, allowed and refused, on a real Redis."""

import os
from collections.abc import Callable
from datetime import timedelta

import orjson
import pytest
from click.testing import CliRunner, Result
from typing_extensions import override

from cartulary.cli import cartulary
from domain.administration import OPERATOR
from service import wall_clock
from service.administration.log import ADMINISTRATION_LOG, AdministrationLog
from service.bootstrap import Service
from service.errors import Forbidden
from service.notifications.delivery import Delivery
from service.settings import Settings
from tests.games.records import FOLDER
from tests.support.accounts import PASSWORD
from tests.support.raw_times import raw_times
from tests.support.service_games import start_game
from tests.support.tournaments import create, organiser, settings
from tests.support.worker_harness import WorkerHarness

Admin = Callable[..., Result]
WHY = ("--reason", "asked for")


@pytest.fixture
def admin(settings: Settings, service: Service, monkeypatch: pytest.MonkeyPatch) -> Admin:
    """Runs `cartulary admin` on the Redis of the test."""
    for name in [name for name in os.environ if name.startswith("CARTULARY_REDIS")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("CARTULARY_DATA", str(settings.data))
    monkeypatch.setenv("CARTULARY_REDIS_URL", settings.redis_url)

    def run(*arguments: str) -> Result:
        result = CliRunner().invoke(cartulary, ["admin", *arguments])
        assert result.stdout.startswith("{") or raw_times(result.output) == []
        return result

    return run


@pytest.fixture
def ada(service: Service) -> str:
    """The id of a registered player."""
    player, _ = service.accounts.players.register("Ada", PASSWORD)
    return player.id


def operations(service: Service) -> list[str]:
    return [entry["operation"] for entry in AdministrationLog(service.redis).entries()]


def test_a_player_whose_handle_is_the_id_of_another_is_named_with_a_mark(
    admin: Admin, service: Service, ada: str
) -> None:
    service.accounts.players.register(ada, PASSWORD)
    refused = admin("suspend", ada, *WHY)
    assert (refused.exit_code, f"@{ada}" in refused.output, "@Ada" in refused.output) == (
        1,
        True,
        True,
    )
    for player, is_suspended in ((f"@{ada}", False), (" @ADA ", True)):
        assert admin("suspend", player, *WHY).exit_code == 0
        assert service.accounts.players.is_suspended(ada) == is_suspended
    bea, _ = service.accounts.players.register("Bea", PASSWORD)
    assert admin("suspend", f" {bea.id}\u00a0", *WHY).exit_code == 0
    assert service.accounts.players.is_suspended(bea.id)


def test_players_are_listed_with_what_they_are(admin: Admin, service: Service, ada: str) -> None:
    service.accounts.players.register("Adele", PASSWORD)
    service.accounts.players.register("Bea", PASSWORD)
    assert admin("suspend", "ada", "--reason", "insults").exit_code == 0
    result = admin("players", "ad")
    assert result.exit_code == 0
    rows = result.stdout.splitlines()
    assert [row.split()[1] for row in rows] == ["Ada", "Adele"]
    assert rows[0].endswith(": insults")
    page = orjson.loads(admin("players", "--limit", "1", "--json").stdout)
    assert [player["id"] for player in page["players"]] == [ada]
    assert page["next"] == "ada"
    after = admin("players", "--after", "ada")
    assert [row.split()[1] for row in after.stdout.splitlines()] == ["Adele", "Bea"]


def test_games_are_listed_private_ones_included(admin: Admin, service: Service, ada: str) -> None:
    public = start_game(service)
    private = start_game(service, players=(ada, "bea"), private=True)
    rows = admin("games").stdout.splitlines()
    assert {row.split()[0] for row in rows} == {public.id, private.id}
    of_ada = orjson.loads(admin("games", "--player", "ada", "--json").stdout)["games"]
    assert [(game["id"], game["private"]) for game in of_ada] == [(private.id, True)]
    assert admin("games", "--status", "finished").stdout == ""
    refused = admin("games", "--status", "lost")
    assert refused.exit_code == 1
    assert "separated by commas" in refused.stderr


def test_a_password_is_reset_and_printed(admin: Admin, service: Service, ada: str) -> None:
    password = admin("reset-password", "ada", *WHY).stdout.strip()
    assert service.accounts.players.login("ada", password)
    guest, _ = service.accounts.players.create_guest()
    refused = admin("reset-password", guest.id, *WHY)
    assert (refused.exit_code, refused.stdout) == (1, "")


def test_sessions_are_ended(admin: Admin, service: Service, ada: str) -> None:
    token = service.accounts.players.login("ada", PASSWORD)
    assert admin("end-sessions", ada, *WHY).exit_code == 0
    assert service.accounts.players.tokens.sessions(ada) == []
    assert not service.redis.exists(f"cartulary:token:{token}")


def test_an_account_is_suspended_and_released(admin: Admin, service: Service, ada: str) -> None:
    assert admin("suspend", "ada", "--reason", "insults").exit_code == 0
    with pytest.raises(Forbidden, match="insults"):
        service.accounts.players.login("ada", PASSWORD)
    ended = admin("unsuspend", "ada", *WHY)
    assert (ended.exit_code, ended.stderr) == (0, "the account ada is no longer suspended\n")
    assert service.accounts.players.login("ada", PASSWORD)


def test_an_account_is_erased_after_confirmation(admin: Admin, service: Service, ada: str) -> None:
    assert admin("delete", "ada", *WHY).exit_code == 1
    assert service.accounts.players.by_handle("ada") is not None
    assert admin("delete", "ada", *WHY, "--yes").exit_code == 0
    assert service.accounts.players.by_handle("ada") is None
    assert operations(service)[-1] == "delete_player"


def test_roles_are_granted_and_revoked_and_protect_the_account(
    admin: Admin, service: Service, ada: str
) -> None:
    assert admin("grant", "ada", *WHY).exit_code == 0
    service.administration.require_administrator(ada)
    assert admin("suspend", "ada", *WHY).exit_code == 1
    assert admin("delete", "ada", *WHY, "--yes").exit_code == 1
    assert admin("revoke", "ada", *WHY).exit_code == 0
    with pytest.raises(Forbidden):
        service.administration.require_administrator(ada)


def test_a_seat_is_removed(admin: Admin, service: Service) -> None:
    game = start_game(service, 3)
    assert admin("remove", game.id, "1", *WHY).stdout.split()[1::2] == [
        "AdministratorDecided",
        "PlayerRemoved",
    ]
    decision = service.games.queries.event(game.id, game.seq + 1)
    assert decision["data"]["administrator"] == OPERATOR
    refused = admin("remove", game.id, "1", *WHY)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert operations(service) == ["remove_seat"]


def test_a_seat_is_moved_to_another_account(admin: Admin, service: Service, ada: str) -> None:
    game = start_game(service, players=("bea", "cid"))
    assert admin("move-seat", game.id, "1", "Ada", *WHY).stdout.split()[1::2] == [
        "AdministratorDecided",
        "SubstituteSeated",
    ]
    moved = service.games.queries.game(game.id)
    assert moved.players == ("bea", ada)
    refused = admin("move-seat", game.id, "0", "ada", *WHY)
    assert (refused.exit_code, refused.stdout) == (1, "")
    unknown = admin("move-seat", game.id, "0", "nobody", *WHY)
    assert (unknown.exit_code, unknown.stderr) == (1, "Error: there is no player nobody\n")
    assert service.games.queries.game(game.id).seq == moved.seq
    assert operations(service) == ["move_seat"]


def test_a_game_is_abandoned(admin: Admin, service: Service) -> None:
    game = start_game(service)
    assert admin("abandon", game.id, *WHY).exit_code == 0
    assert service.games.queries.game(game.id).status == "abandoned"
    assert admin("abandon", game.id, *WHY).exit_code == 1


def test_a_deadline_is_extended(admin: Admin, service: Service) -> None:
    game = start_game(service, clock={"per_turn": 60})
    assert admin("extend", game.id, "30", *WHY).exit_code == 0
    assert admin("extend", game.id, "0", *WHY).exit_code == 2
    assert admin("extend", start_game(service).id, "30", *WHY).exit_code == 1


@pytest.mark.parametrize(
    "command",
    [
        ("reset-password", "nobody", *WHY),
        ("suspend", "nobody", *WHY),
        ("delete", "nobody", "--yes", *WHY),
        ("remove", "0" * 16, "0", *WHY),
        ("abandon", "../etc", *WHY),
        ("suspend", "ada", "--reason", " "),
        ("suspend", "ada", "--reason", "x" * 501),
    ],
)
def test_what_cannot_be_done_is_an_error_and_leaves_no_entry(
    admin: Admin, service: Service, ada: str, command: tuple[str, ...]
) -> None:
    result = admin(*command)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert operations(service) == []


def test_a_reason_is_required(admin: Admin, ada: str) -> None:
    assert admin("suspend", "ada").exit_code == 2


def test_a_delivery_that_has_ended_is_sent_again(admin: Admin, service: Service) -> None:
    game = start_game(service)
    delivery = Delivery(
        id="d" * 32,
        kind="your_turn",
        subject="your_turn",
        game_id=game.id,
        seq=4,
        player="ada",
        channel="email",
        endpoint="address",
        created_at=game.at,
        due_at=game.at,
    )
    service.notifications.deliveries.create(delivery)
    assert admin("resend", delivery.id, *WHY).exit_code == 1
    service.notifications.deliveries.finish(
        [delivery], "bounced", wall_clock.now(), is_claimed=False
    )
    assert orjson.loads(admin("resend", delivery.id, *WHY).stdout)["status"] == "pending"
    assert admin("resend", "0", *WHY).exit_code == 1
    cancelled = orjson.loads(admin("cancel-delivery", delivery.id, *WHY).stdout)
    assert (cancelled["status"], cancelled["result"]) == (
        "cancelled",
        "an administrator has cancelled it",
    )
    assert admin("cancel-delivery", delivery.id, *WHY).exit_code == 1


def test_reports_of_messages_are_read_and_closed(admin: Admin, service: Service) -> None:
    game = start_game(service)
    message = service.chat.post(game.id, "ada", "Spam.")
    service.chat.report(game.id, "bea", message.number, "spam")
    (report,) = orjson.loads(admin("reports").stdout)["reports"]
    assert (report["text"], report["reporter"]) == ("Spam.", "bea")
    assert admin("close-report", report["id"], *WHY).exit_code == 0
    assert admin("close-report", report["id"], *WHY).exit_code == 1
    assert orjson.loads(admin("reports").stdout)["reports"] == []


def test_clubs_are_renamed_and_closed(admin: Admin, service: Service) -> None:
    owner = service.accounts.players.register("owner-of-clubs", "correct horse")[0].id
    club = service.clubs.create(owner, "Mondays").id
    assert admin("rename-club", club, "Admin", *WHY).exit_code == 1
    assert "Tuesdays" in admin("rename-club", club, "Tuesdays", *WHY).stderr
    assert service.clubs.find(club).name == "Tuesdays"
    assert admin("close-club", club, *WHY).exit_code == 0
    assert admin("close-club", club, *WHY).exit_code == 1
    assert service.clubs.public_page() == ([], None)


def test_private_tournaments_are_listed_read_and_cancelled(admin: Admin, service: Service) -> None:
    owner = service.accounts.players.register("owner-of-cups", "correct horse")[0].id
    club = service.clubs.create(owner, "Mondays", is_private=True).id
    fields = settings(wall_clock.now() + timedelta(days=1), options={"club": club}, private=True)
    id = service.tournaments.tournaments.create(owner, fields).id
    listed = orjson.loads(admin("tournaments", "--status", "open").stdout)
    assert ([each["id"] for each in listed["tournaments"]], listed["next"]) == ([id], None)
    assert orjson.loads(admin("tournaments", "--status", "finished").stdout)["tournaments"] == []
    shown = orjson.loads(admin("tournament", id).stdout)
    assert (shown["status"], shown["handles"]) == ("open", {owner: "owner-of-cups"})
    assert id in admin("cancel-tournament", id, *WHY).stderr
    assert admin("cancel-tournament", id, *WHY).exit_code == 1
    assert admin("tournament", "t0000000000000000").exit_code == 1
    assert service.tournaments.tournaments.get(id, owner).status == "cancelled"
    record = service.tournaments.tournaments.record(id, owner)
    last = orjson.loads(list(record)[-1])
    assert (last["type"], last["by"]) == ("TournamentCancelled", {"player": OPERATOR})


def test_the_overview_names_what_waits_and_which_processes_are_missing(
    admin: Admin, service: Service
) -> None:
    harness = WorkerHarness(service)
    game = start_game(service)
    harness.scheduler.enqueue_tasks_of({game.id})
    harness.scheduler.report()
    overview = orjson.loads(admin("work").stdout)
    assert overview["missing"] == ["worker"]
    assert sum(overview["waiting_jobs"].values()) > 0
    assert overview["overdue_milliseconds"] == 0
    health = CliRunner().invoke(cartulary, ["health"])
    assert (health.exit_code, orjson.loads(health.stdout)["missing"]) == (1, ["worker"])
    harness.work()
    health = CliRunner().invoke(cartulary, ["health"])
    assert (health.exit_code, orjson.loads(health.stdout)["status"]) == (0, "healthy")


def test_an_announcement_is_listed_and_withdrawn(admin: Admin, service: Service) -> None:
    ends = wall_clock.format(wall_clock.now() + timedelta(days=1))
    french = ("--translation", "fr=Arrêt dimanche")
    result = admin("announce", "Down on Sunday", "--until", ends, *french, *WHY)
    assert result.exit_code == 0, result.output
    id = result.stdout.split()[-1]
    (listed,) = orjson.loads(admin("announcements").stdout)["announcements"]
    assert listed["id"] == id
    assert listed["texts"] == {"en": "Down on Sunday", "fr": "Arrêt dimanche"}
    assert admin("announce", "Late", "--until", "2020-01-01T00:00:00Z", *WHY).exit_code != 0
    assert admin("announce", "A", "--until", ends, "--translation", "B", *WHY).exit_code != 0
    assert admin("withdraw", id, *WHY).exit_code == 0
    assert orjson.loads(admin("announcements").stdout)["announcements"] == []
    assert admin("withdraw", id, *WHY).exit_code != 0
    assert operations(service) == ["announce", "withdraw_announcement"]


def test_a_changed_log_is_detected(admin: Admin, service: Service, ada: str) -> None:
    for _ in range(3):
        assert admin("end-sessions", ada, *WHY).exit_code == 0
    assert admin("log").exit_code == 0
    service.redis.xdel(ADMINISTRATION_LOG, "2-0")
    result = admin("log", "--json")
    assert result.exit_code == 1
    assert "breaks the chain" in result.stderr
    listed = orjson.loads(result.stdout)["entries"]
    assert [entry["seq"] for entry in listed] == [1, 3, 4]


def test_an_imported_record_is_deleted(admin: Admin, service: Service, ada: str) -> None:
    data = (FOLDER / "clock-leaves-one.jsonl").read_bytes()
    record = service.imports.upload(ada, data, is_public=True)
    assert admin("delete-import", record.id, *WHY).exit_code == 0
    assert admin("delete-import", record.id, *WHY).exit_code == 1
    assert service.imports.of_player(ada) == []
    assert operations(service) == ["delete_import"]


def test_a_game_is_excluded_from_the_ratings_and_counts_again(
    admin: Admin, service: Service
) -> None:
    game = start_game(service, rules="baron", rated=True)
    assert admin("exclude-rating", game.id, *WHY).exit_code == 1
    service.games.commands.act(game.id, game.players[0], {"type": "resign"}, game.seq)
    while service.games.queries.game(game.id).status != "finished":
        service.games.commands.score(game.id)
    assert admin("exclude-rating", game.id).exit_code == 2
    assert admin("include-rating", game.id, *WHY).exit_code == 1
    result = admin("exclude-rating", game.id, *WHY)
    assert (result.exit_code, result.stderr) == (
        0,
        f"game {game.id} is excluded from the ratings\n",
    )
    (exclusion,) = service.games.rating_exclusions.all()
    assert (exclusion["game"], exclusion["reason"]) == (game.id, "asked for")
    assert admin("exclude-rating", game.id, *WHY).exit_code == 1
    assert admin("include-rating", game.id, *WHY).exit_code == 0
    assert service.games.rating_exclusions.all() == []
    assert operations(service) == ["exclude_rating", "include_rating"]


def test_entries_of_concurrent_processes_form_one_chain(service: Service) -> None:
    log = AdministrationLog(service.redis)
    first = log.append(OPERATOR, "read_log", {})

    class SlowLog(AdministrationLog):
        """Another process appends between the reading of the last entry and the writing of the next."""

        has_raced = False

        @override
        def _last(self) -> dict[str, object]:
            last = super()._last()
            if not self.has_raced:
                self.has_raced = True
                log.append("other", "read_log", {})
            return last

    third = SlowLog(service.redis).append(OPERATOR, "read_log", {})
    assert (first["seq"], third["seq"]) == (1, 3)
    assert log.first_fault() is None


def test_a_comment_is_erased(admin: Admin, service: Service) -> None:
    game = start_game(service)
    service.administration.abandon("operator", game.id, "a test")
    comment = service.comments.post(game.id, "ada", "Spam.")
    service.comments.report(game.id, "bea", comment.number)
    (report,) = orjson.loads(admin("reports").stdout)["reports"]
    assert (report["of"], report["number"]) == ("comment", comment.number)
    assert admin("remove-comment", game.id, "1", *WHY).exit_code == 0
    assert service.comments.require(game.id, comment.number).text is None
    assert admin("remove-comment", game.id, "9", *WHY).exit_code == 1


def test_a_reported_post_is_erased(admin: Admin, service: Service) -> None:
    ada, bea = (
        service.accounts.players.register(name, "correct horse")[0].id for name in ("ada", "bea")
    )
    club = service.clubs.create(ada, "Wednesdays").id
    service.clubs.join(club, bea, service.clubs.create_link(club, ada))
    service.club_wall.post(club, bea, "Spam.")
    service.club_wall.report(club, ada, 1)
    (report,) = orjson.loads(admin("reports").stdout)["reports"]
    assert (report["of"], report["club"], report["game"]) == ("post", club, None)
    assert admin("remove-post", club, "1", *WHY).exit_code == 0
    assert service.club_wall.require(club, 1).text is None
    assert admin("remove-post", club, "9", *WHY).exit_code == 1


def test_a_reported_post_in_a_tournament_is_erased(admin: Admin, service: Service) -> None:
    olga = organiser(service)
    ada = service.accounts.players.register("ada", "correct horse")[0].id
    tournament = create(service, olga).id
    service.tournament_posts.post(tournament, olga, "Spam.")
    service.tournament_posts.report(tournament, ada, 1)
    (report,) = orjson.loads(admin("reports").stdout)["reports"]
    assert (report["of"], report["tournament"]) == ("tournament_post", tournament)
    assert admin("remove-tournament-post", tournament, "1", *WHY).exit_code == 0
    assert service.tournament_posts.require(tournament, 1).text is None
    assert admin("remove-tournament-post", tournament, "9", *WHY).exit_code == 1
