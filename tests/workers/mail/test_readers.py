"""Mails as their readers see them: not more of them than needed, light, and readable as text."""

from email.message import EmailMessage
from pathlib import Path

import orjson
import pytest
from freezegun import freeze_time

from domain.fold import fold
from domain.game import Game
from domain.lifecycle import NewGame
from replay.language.renderer import renderer
from replay.language.text_layout import columns
from service import wall_clock
from service.bootstrap import Service
from service.notifications.mail.confirmations import Confirmation
from tests.support.mail_server import MailServer
from tests.support.mailed_players import PUBLIC_URL, register
from tests.support.service_games import play_set_up, start_game, take_action
from tests.support.variants import nightly_except
from tests.support.worker_harness import WorkerHarness
from workers.mail.board import board_picture
from workers.mail.layout import Content, Headers, Picture, compose, recipient_address
from workers.mail.notification_mail import MAX_PICTURE_BYTES
from workers.mail.templating import COLUMNS

RECORDS = Path(__file__).parents[2] / "games"
LATE_GAMES = ("baron-five", "sorcery-duke-of-five", "duke-of-four", "baron-battles")
MAX_BYTES = 100_000


def body(mail: EmailMessage, kind: str = "plain") -> str:
    part = mail.get_body((kind,))
    assert part is not None
    return str(part.get_content()).replace("\r\n", "\n")


def start(service: Service, seats: int = 2) -> tuple[Game, list[str]]:
    players = [register(service, handle) for handle in ("Ada", "Bea", "Cid")[:seats]]
    return start_game(service, seats, players=players), players


def send(workers: WorkerHarness, *games: Game) -> None:
    workers.scheduler.enqueue_tasks_of({game.id for game in games})
    workers.work()


@pytest.mark.usefixtures("quick_pictures")
def test_messages_of_some_minutes_are_one_mail_without_the_board_that_leads_to_them(
    service: Service, workers: WorkerHarness, server: MailServer
) -> None:
    with freeze_time("2026-11-22T09:00:50Z") as time:
        game, (ada, bea) = start(service)
        send(workers, game)
        server.mails.clear()
        for number in range(4):
            service.chat.post(game.id, bea, f"line {number}")
            time.tick(20)
            workers.work()
        assert server.mails == []
        time.tick(180)
        workers.work()
        (received,) = server.mails
        mail = received.message
        assert mail["Subject"] == "Barony: 4 messages"
        text = body(mail)
        places = [text.index(f"> line {number}") for number in range(4)]
        assert places == sorted(places)
        assert f"{PUBLIC_URL}/games/{game.id}/messages#message-1\n" in text
        assert "Since your last turn" not in text
        assert [part.get_content_type() for part in mail.walk() if not part.is_multipart()] == [
            "text/plain",
            "text/html",
        ]
        assert len(mail.as_bytes()) < 10_000
        # A later message is a mail of its own.
        service.chat.post(game.id, bea, "one more")
        time.tick(240)
        workers.work()
        assert server.mails[-1].message["Subject"] == "Barony: a message from Bea"
        assert f"/games/{game.id}/messages#message-5" in body(server.mails[-1].message)
    statuses = {item.status for item in service.notifications.deliveries.of_player(ada, 100)[0]}
    assert statuses == {"sent"}


@pytest.mark.usefixtures("quick_pictures")
def test_the_first_player_gets_one_mail_about_the_start(
    service: Service, workers: WorkerHarness, server: MailServer
) -> None:
    ada, bea = (register(service, handle) for handle in ("Ada", "Bea"))
    game = service.games.commands.create(
        ada, NewGame(rules="barony", seats=2, options={"seating": "joined"})
    )
    service.games.commands.join(game.id, bea)
    send(workers, game)
    subjects = sorted((mail.recipient[:3], mail.message["Subject"]) for mail in server.mails)
    assert subjects == [
        ("ada", "Barony: the game has begun, and it is your turn"),
        ("bea", "Barony: the game has begun"),
    ]


@pytest.mark.usefixtures("quick_pictures")
def test_an_invited_player_reads_of_no_last_turn(
    service: Service, workers: WorkerHarness, server: MailServer
) -> None:
    ada, bea = (register(service, handle) for handle in ("Ada", "Bea"))
    game = service.games.commands.create(
        ada, NewGame(rules="barony", seats=2, options={}, invited=(bea,))
    )
    send(workers, game)
    (invitation,) = server.mails
    assert "happened" not in body(invitation.message)
    service.games.commands.join(game.id, bea)
    send(workers, game)
    for received in server.mails[1:]:
        assert "since your last turn" not in body(received.message).lower()


@pytest.mark.usefixtures("quick_pictures")
def test_the_text_has_the_board_in_72_columns(
    service: Service, workers: WorkerHarness, server: MailServer
) -> None:
    game, _ = start(service, 3)
    play_set_up(service, game.id)
    for _ in range(4):
        take_action(service, game.id)
    send(workers, game)
    text = body(server.mails[-1].message)
    assert "Since your last turn" in text
    # A knight and a city of seat 0 as the diagram writes them, among hexes of several terrains.
    assert "0C" in text
    assert [
        line for line in text.splitlines() if columns(line) > COLUMNS and "://" not in line
    ] == []


@pytest.mark.usefixtures("quick_pictures")
def test_a_digest_names_each_game_once_in_order_of_time(
    service: Service, workers: WorkerHarness, server: MailServer
) -> None:
    with freeze_time("2026-11-22T09:00:00Z") as time:
        ada, bea = (register(service, handle) for handle in ("Ada", "Bea"))
        service.notifications.preferences.change(ada, {"digest": "18:00"})
        games = []
        for name in ("First club", "Second club"):
            games.append(start_game(service, players=[ada, bea], name=name))
            send(workers, games[-1])
            time.tick(60)
        service.chat.post(games[0].id, bea, "hello")
        time.move_to("2026-11-22T18:00:01Z")
        workers.work()
        (digest,) = server.to("ada@example.org")
    text = body(digest.message)
    assert digest.message["Subject"] == "Your games: 3 notifications"
    order = ["First club\n---", "it is your turn", "a message from Bea", "> hello", "Second club: "]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert text.count(f"{PUBLIC_URL}/games/{games[0].id}\n") == 1
    assert "Since your last turn" not in text


def test_a_refused_confirmation_is_shown_until_one_is_accepted(
    service: Service, workers: WorkerHarness, server: MailServer
) -> None:
    player, _ = service.accounts.players.register("ada", "correct horse", "ada@example.org")
    server.refused_recipients["ada@example.org"] = "550 5.1.1 no such user"
    service.notifications.mail.confirmations.request(player.id, "192.0.2.1")
    workers.work()
    refusal = service.notifications.mail.addresses.refusal(player.id)
    assert refusal is not None
    assert "no such user" in str(refusal)
    server.refused_recipients.clear()
    service.notifications.mail.confirmations.request(player.id, "192.0.2.1")
    workers.work()
    assert service.notifications.mail.addresses.refusal(player.id) is None
    service.notifications.mail.confirmations.confirm(
        service.notifications.mail.confirmations.create_token(
            Confirmation(player.id, "ada@example.org")
        )
    )


@pytest.mark.nightly
@pytest.mark.parametrize("record", nightly_except(["sorcery-duke-of-five"], LATE_GAMES))
def test_the_picture_of_a_late_large_board_leaves_a_mail_below_100_kb(
    service: Service, monkeypatch: pytest.MonkeyPatch, record: str
) -> None:
    lines = (RECORDS / f"{record}.jsonl").read_bytes().splitlines()
    events = [event for event in map(orjson.loads, lines) if "seq" in event and "type" in event]
    game = fold(events)
    assert game is not None
    last = [event for event in events if event["action"] is not None][-1]
    monkeypatch.setattr(service.games.queries, "event", lambda _game, _seq: last)
    board = board_picture(service, game, game.players[0], renderer("fr"), MAX_PICTURE_BYTES)
    assert board is not None
    assert board.png is not None
    words = "a word " * 1500
    content = Content("fr", "s", board.diagram + words, words, (Picture("b", board.png),))
    address = recipient_address("Ada", "ada@example.org")
    mail = compose(content, Headers(address, address, "id", wall_clock.now()))
    assert len(mail.as_bytes()) < MAX_BYTES
