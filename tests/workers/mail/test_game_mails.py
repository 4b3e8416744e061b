"""A real SMTP server receives the mails of a game: what they say, to whom, in which language, and when."""

import socket
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from email.message import EmailMessage
from html import unescape
from typing import Any

import pytest
from freezegun import freeze_time

from domain.game import Game
from domain.lifecycle import NewGame
from replay.language.renderer import Names, renderer
from replay.render.arms import arms_document
from replay.render.styles import Styler
from replay.render.svg import svg
from replay.render.text import text
from service import wall_clock
from service.bootstrap import Service
from service.settings import Settings
from tests.support.mail_server import MailServer, raw_mail_server
from tests.support.mailed_players import PUBLIC_URL, mail_service, register
from tests.support.service_games import play_set_up, start_game, take_action
from tests.support.worker_harness import WorkerHarness
from workers.mail.templating import COLUMNS
from workers.run import channels_of

HANDLES = {"Ada": "en", "Zoë": "fr", "Cid": "es"}
SUBJECTS = {
    "en": ("Barony: it is your turn", "Barony: the game is over"),
    "fr": ("Barony\u00a0: c'est à vous de jouer", "Barony\u00a0: la partie est terminée"),
}
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def players(service: Service) -> list[str]:
    return [register(service, handle, locale) for handle, locale in HANDLES.items()]


def work(workers: WorkerHarness, game: Game) -> None:
    """Do everything that the game calls for, and make the attempts of the deliveries that are due."""
    workers.scheduler.enqueue_tasks_of({game.id})
    workers.work()


def body(mail: EmailMessage, kind: str = "plain") -> str:
    part = mail.get_body((kind,))
    assert part is not None
    return str(part.get_content())


@pytest.mark.usefixtures("quick_pictures")
def test_every_player_gets_the_mails_of_a_whole_game_each_once(
    service: Service, workers: WorkerHarness, server: MailServer, players: list[str]
) -> None:
    game = start_game(service, 2, players=players[:2])
    work(workers, game)
    play_set_up(service, game.id)
    for _ in range(6):
        work(workers, game)
        take_action(service, game.id)
    seq = service.games.queries.game(game.id).seq
    service.games.commands.act(game.id, players[0], {"type": "resign"}, seq)
    while service.store.outbox(game.id):
        work(workers, game)
    assert service.games.queries.game(game.id).status == "finished"
    ids = [mail.message["Message-ID"] for mail in server.mails]
    assert len(ids) == len(set(ids))
    subjects = Counter((mail.recipient, mail.message["Subject"]) for mail in server.mails)
    for recipient, language in [("ada@example.org", "en"), ("zoë@example.org", "fr")]:
        turn, over = SUBJECTS[language]
        assert subjects[recipient, turn] >= 3
        assert subjects[recipient, over] == 1
    deliveries = [
        delivery
        for player in players
        for delivery in service.notifications.deliveries.of_player(player, 1000)[0]
        if delivery.status == "sent"
    ]
    assert len(deliveries) == len(server.mails)
    assert {f"<{delivery.id}@example.org>" for delivery in deliveries} == set(ids)
    assert server.to("cid@example.org") == []


def test_a_mail_has_the_board_the_link_the_names_and_what_has_happened(
    service: Service, workers: WorkerHarness, server: MailServer, players: list[str]
) -> None:
    game = start_game(service, 3, {"per_turn": 86400}, players=players)
    play_set_up(service, game.id)
    for _ in range(3):
        take_action(service, game.id)
    work(workers, game)
    (received,) = server.mails
    mail = received.message
    game = service.games.queries.game(game.id)
    handle = list(HANDLES)[game.to_act or 0]
    assert received.recipient == f"{handle.lower()}@example.org"
    plain, html = body(mail), body(mail, "html")
    for content in (plain, html):
        assert f"{PUBLIC_URL}/games/{game.id}" in content
        assert all(name in content for name in HANDLES)
        assert f"{PUBLIC_URL}/account/notifications" in content
        assert (
            service.notifications.mail.tokens.unsubscribe_token(players[game.to_act or 0])
            in content
        )
    sentence = service.games.recaps.sentence(game, players[game.to_act or 0])
    assert sentence is not None
    in_language = renderer(
        HANDLES[handle], Names(dict(zip(players, HANDLES, strict=True)), game.players)
    )
    for content in (" ".join(plain.split()), unescape(html)):
        assert in_language.sentence(sentence).split(":")[0] in content
    pictures = [part for part in mail.walk() if part.get_content_type() == "image/png"]
    # The board, and the coat of arms of each player.
    assert [picture["Content-ID"] for picture in pictures] == [
        f"<{name}@example.org>" for name in ("board-1", *(f"arms-{id}" for id in game.players))
    ]
    for picture in pictures:
        assert bytes(picture.get_payload(decode=True)).startswith(PNG)
        assert html.count(f'src="cid:{picture["Content-ID"].strip("<>")}"') == 1
    assert "http" not in "".join(part for part in html.split('"') if part.startswith("cid:"))
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert mail["References"] == f"<game-{game.id}@example.org>"
    assert html.count("<li") >= 2


@pytest.mark.usefixtures("quick_pictures")
def test_names_are_text_in_html_and_nothing_is_loaded_from_elsewhere(
    service: Service, workers: WorkerHarness, server: MailServer
) -> None:
    players = [register(service, handle) for handle in ("Ada", "Bea")]
    game = start_game(service, players=players, name="<img src=x onerror=1>&")
    work(workers, game)
    html = body(server.mails[0].message, "html")
    assert "&lt;img src=x onerror=1&gt;&amp;" in html
    assert "<img src=x" not in html
    assert "<script" not in html
    # The coats of arms stand beside the names.
    picture_text, *others = _attributes(html, "alt")
    assert others == ["", ""]
    assert picture_text.startswith("This picture shows the board of &lt;img src=x")
    assert all(source.startswith("cid:") for source in _attributes(html, "src"))
    assert all(target.startswith(PUBLIC_URL) for target in _attributes(html, "href"))


def _attributes(html: str, name: str) -> list[str]:
    return [part.split('"')[0] for part in html.split(f' {name}="')[1:]]


@pytest.mark.usefixtures("quick_pictures")
def test_no_mail_contains_what_its_reader_may_not_know(
    service: Service,
    workers: WorkerHarness,
    server: MailServer,
    monkeypatch: pytest.MonkeyPatch,
    players: list[str],
) -> None:
    documents: list[str] = []

    def draw(svg: str, _width: int, _colours: int) -> bytes:
        documents.append(svg)
        return PNG

    monkeypatch.setattr(service.pictures, "png", draw)
    # The tiles that a player was dealt are secret.
    game = start_game(service, 2, rules="baron", players=players[:2])
    work(workers, game)
    game = service.games.queries.game(game.id)
    (received,) = server.mails
    own, other = (game.to_act or 0), 1 - (game.to_act or 0)

    def drawings(seat: int) -> tuple[str, str]:
        event: Any = service.games.queries.event(game.id, game.seq)
        names = Names(service.accounts.players.handles(players[:2]), game.players)
        language = list(HANDLES.values())[own]
        scene = game.rules.scene(game.position(seat), event)
        board = replace(scene, panels=(), common_rows=())
        in_language = renderer(language, names)
        diagram = text(scene, in_language, Styler(is_on=False), COLUMNS)
        return svg(board, in_language, with_legend=False), diagram

    (picture, diagram), (_, other_diagram) = drawings(own), drawings(other)
    assert documents == [picture, *map(arms_document, game.players)]
    content = body(received.message).replace("\r\n", "\n")
    assert diagram.strip() in content
    assert other_diagram.strip() not in content
    assert received.recipient.startswith(list(HANDLES)[own].lower())


@pytest.mark.usefixtures("quick_pictures")
def test_a_player_without_a_confirmed_address_gets_nothing(
    service: Service, workers: WorkerHarness, server: MailServer
) -> None:
    ada = register(service, "Ada")
    bea, _ = service.accounts.players.register("Bea", "correct horse", "bea@example.org")
    game = start_game(service, players=[ada, bea.id])
    for _ in range(4):
        work(workers, game)
        take_action(service, game.id)
    assert {mail.recipient for mail in server.mails} == {"ada@example.org"}


@pytest.mark.usefixtures("quick_pictures")
def test_a_mail_follows_when_the_server_is_up_again(
    service: Service, workers: WorkerHarness, server: MailServer, players: list[str]
) -> None:
    with freeze_time("2026-01-01T09:00:00Z", tick=False) as time:
        game = start_game(service, players=players[:2])
        server.mail_replies = ["421 4.3.2 Shutting down"] * 3
        for pause in (0, 11, 61, 301):
            time.tick(timedelta(seconds=pause))
            assert server.mails == []
            work(workers, game)
        (received,) = server.mails
        ((delivery,), _) = service.notifications.deliveries.of_player(players[0], 10)
        assert (delivery.status, delivery.attempts) == ("sent", 4)
        assert received.message["Message-ID"] == f"<{delivery.id}@example.org>"


@pytest.mark.usefixtures("quick_pictures")
def test_an_address_that_refuses_mail_again_and_again_is_disabled(
    service: Service, workers: WorkerHarness, server: MailServer, players: list[str]
) -> None:
    server.refused_recipients["ada@example.org"] = "550 5.1.1 No such user"
    for expected in ("confirmed", "confirmed", "disabled", "disabled"):
        game = start_game(service, players=players[:2])
        work(workers, game)
        (ada,) = service.accounts.players.get([players[0]])
        assert ada is not None
        assert ada.email_status == expected
    deliveries, _ = service.notifications.deliveries.of_player(players[0], 10)
    assert [delivery.status for delivery in deliveries] == ["bounced"] * 3
    assert "5.1.1 No such user" in str(deliveries[0].as_json()["result"])


def test_a_mail_server_that_hangs_costs_a_worker_a_bounded_time(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hang(connection: socket.socket) -> None:
        connection.sendall(b"220 ready\r\n")
        while connection.recv(65536):
            pass

    with raw_mail_server(hang) as port, mail_service(settings, MailServer(port), 0.2) as service:
        workers = WorkerHarness(service)
        workers.use(channels_of(service))
        players = [register(service, handle) for handle in ("Ada", "Bea")]
        game = start_game(service, players=players)
        monkeypatch.setattr(service.pictures, "png", lambda _svg, _width, _colours: PNG)
        work(workers, game)
        ((delivery,), _) = service.notifications.deliveries.of_player(players[0], 10)
        assert delivery.status == "retrying"
        assert "within 0.2 s" in str(delivery.as_json()["result"])
        workers.close()


@pytest.mark.usefixtures("quick_pictures")
def test_a_digest_is_one_mail_about_all_games(
    service: Service, workers: WorkerHarness, server: MailServer, players: list[str]
) -> None:
    service.notifications.preferences.change(players[0], {"digest": "18:00"})
    with freeze_time("2026-01-01T09:00:00Z", tick=False) as time:
        games = [start_game(service, players=players[:2], name=name) for name in ("One", "Two")]
        for game in games:
            work(workers, game)
        assert server.to("ada@example.org") == []
        time.move_to("2026-01-01T18:00:01Z")
        work(workers, games[0])
        (received,) = server.to("ada@example.org")
        mail = received.message
        assert "2" in mail["Subject"]
        assert mail["References"] is None
        for game in games:
            assert f"{PUBLIC_URL}/games/{game.id}" in body(mail)
        assert body(mail).count("Players: Ada, Zoë") == 2
        pictures = [part["Content-ID"] for part in mail.walk() if part["Content-ID"] is not None]
        assert len(pictures) == len(set(pictures))
        assert [name.split("-")[0] for name in pictures] == ["<board"] * 2 + ["<arms"] * 2
        assert wall_clock.now().hour == 18


@pytest.mark.usefixtures("quick_pictures")
@pytest.mark.parametrize("rules", ["barony", "baron"])
def test_the_text_of_a_mail_lists_what_its_reader_can_do_in_short_form(
    service: Service, workers: WorkerHarness, server: MailServer, rules: str
) -> None:
    players = [register(service, handle) for handle in ("Ada", "Bea")]
    game = service.games.commands.create(
        players[0], NewGame(rules=rules, seats=2, options={"seating": "joined"})
    )
    game = service.games.commands.join(game.id, players[1])
    work(workers, game)
    (to_ada,), (to_bea,) = server.to("ada@example.org"), server.to("bea@example.org")
    assert "What you can do" not in body(to_bea.message)
    lines = body(to_ada.message).replace("\r\n", "\n").split("What you can do, in short form:\n")[1]
    listed, _, _ = lines.partition("\n\n")
    forms = [
        form.strip() for line in listed.split("\n") if line[:1] == " " for form in line.split("|")
    ]
    omitted = [int(form.split()[1]) for form in forms if form.startswith("(and")]
    forms = [form for form in forms if not form.startswith("(and")]
    _, legal = service.games.queries.legal_actions(game.id, players[0])
    assert len(forms) + sum(omitted) == len(legal)
    for form in forms:
        assert dict(game.rules.action_to_json(game.rules.parse_action_text(form))) in legal
    assert max(map(len, listed.split("\n"))) <= COLUMNS
