"""Playing by answering mails: real mails by SMTP to the players, and their answers by LMTP."""

import random
import smtplib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from email.message import EmailMessage
from email.policy import SMTP
from typing import Any

import pytest

from domain.game import Game
from service.bootstrap import Service
from service.provenance import decode
from service.settings import Settings
from tests.support.mail_replies import REPLY_ADDRESS, Mailbox, forms_of, reply_server, text_of
from tests.support.mail_server import MailServer
from tests.support.mailed_players import mail_service, register
from tests.support.service_games import start_game
from tests.support.worker_harness import WorkerHarness
from workers.mail.reply_text import MAX_HEADER_CHARACTERS, MAX_PARTS

HANDLES = ("Ada", "Bea")
PNG = b"\x89PNG\r\n\x1a\n"
UNCHANGED = "your answer has changed nothing"


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return replace(settings, reply_address=REPLY_ADDRESS)


@pytest.fixture
def service(settings: Settings, server: MailServer) -> Iterator[Service]:
    with mail_service(settings, server) as service:
        yield service


@dataclass
class PlayersByMail:
    """Two players who play a game by mail."""

    service: Service
    workers: WorkerHarness
    players: list[str]
    mailboxes: list[Mailbox]
    game_id: str = ""

    @property
    def game(self) -> Game:
        return self.service.games.queries.game(self.game_id)

    @property
    def ada(self) -> Mailbox:
        return self.mailboxes[0]

    def start(self, rules: str = "barony", **options: Any) -> None:
        self.game_id = start_game(self.service, rules=rules, players=self.players, **options).id
        self.work()

    def work(self) -> None:
        """Do everything that the game calls for, and send all mails."""
        while self.service.store.outbox(self.game_id).keys() - {"deadline"}:
            self.workers.scheduler.enqueue_tasks_of({self.game_id})
            self.workers.work()
        self.send()

    def send(self) -> None:
        """Send the mails about answers."""
        self.workers.dispatcher.send_due()

    def snapshot(self) -> tuple[int, str]:
        game = self.game
        return game.seq, game.hash


@pytest.fixture
def by_mail(
    service: Service, workers: WorkerHarness, server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[PlayersByMail]:
    monkeypatch.setattr(service.pictures, "png", lambda _svg, _width, _colours=0: PNG)
    players = [register(service, handle) for handle in HANDLES]
    with reply_server(service) as port:
        mailboxes = [Mailbox(f"{handle.lower()}@example.org", server, port) for handle in HANDLES]
        yield PlayersByMail(service, workers, players, mailboxes)


def play_by_mail(by_mail: PlayersByMail, turns: int | None, seed: int = 0) -> None:
    """Let the players answer the mails about their turns, so many times or to the end of the game."""
    chance = random.Random(seed)
    count = 0
    while (to_act := by_mail.game.to_act) is not None and count != turns:
        count += 1
        mailbox = by_mail.mailboxes[to_act]
        forms = forms_of(mailbox.text)
        assert forms, mailbox.text
        seq = by_mail.game.seq
        mailbox.answer(chance.choice(forms))
        by_mail.work()
        assert by_mail.game.seq > seq, mailbox.text


@pytest.mark.parametrize("rules", ["barony", "sorcery", "baron"])
def test_a_game_is_played_by_answering_mails(by_mail: PlayersByMail, rules: str) -> None:
    options = {"sorcery": True} if rules == "sorcery" else {}
    by_mail.start("baron" if rules == "baron" else "barony", private=True, **options)
    play_by_mail(by_mail, 8)
    events = by_mail.service.games.queries.event_page(by_mail.game_id, 0, 100)
    stored = by_mail.service.store.provenance(by_mail.game_id)
    actions = [event["seq"] for event in events if event.get("action") is not None]
    assert len(actions) == 8
    assert all((origin := decode(stored[seq])) and origin.kind == "mail" for seq in actions)


def test_an_answer_takes_several_actions_and_shows_the_new_position(by_mail: PlayersByMail) -> None:
    by_mail.start()
    first, second = by_mail.ada.text, by_mail.ada.last
    (form, *_) = forms_of(first)
    by_mail.ada.answer(f"  {form.upper()}  \nEnvoyé de mon iPhone")
    by_mail.work()
    answer = next(
        mail.message
        for mail in by_mail.ada.mails
        if "your action was accepted" in mail.message["Subject"]
    )
    assert f"`{form}`" in text_of(answer)
    assert "It is the turn of Bea." in text_of(answer) or "Bea" in text_of(answer)
    assert answer["Reply-To"] is None
    assert answer["References"] == second["References"]
    # In the set-up, the last player places several cities one after the other.
    bea = by_mail.mailboxes[1]
    game, seq = by_mail.game, by_mail.game.seq
    first_form = forms_of(bea.text)[0]
    rules, state = game.rules, game.rules.copy(game.state)
    event = rules.decide(state, 1, rules.parse_action_text(first_form))
    rules.apply(state, event.type, event.data)
    second_form = rules.action_text(rules.legal_actions(state, 1)[0])
    bea.answer(f"{first_form}\n{second_form}")
    by_mail.work()
    assert by_mail.game.seq == seq + 2
    assert any("your 2 actions were accepted" in mail.message["Subject"] for mail in bea.mails)


def test_an_answer_acts_once_and_an_old_one_changes_nothing(by_mail: PlayersByMail) -> None:
    by_mail.start()
    form, other = forms_of(by_mail.ada.text)[:2]
    mail = by_mail.ada.last
    answer = by_mail.ada.reply(form)
    by_mail.ada.deliver(answer)
    by_mail.work()
    head, count = by_mail.snapshot(), len(by_mail.ada.mails)
    # The same mail once more, as after a lost reply of LMTP: it was answered.
    by_mail.ada.deliver(answer)
    by_mail.work()
    assert (by_mail.snapshot(), len(by_mail.ada.mails)) == (head, count)
    # Another mail to the same address is about a position that has passed.
    by_mail.ada.deliver(by_mail.ada.reply(other, mail))
    by_mail.work()
    assert by_mail.snapshot() == head
    assert UNCHANGED in by_mail.ada.last["Subject"]
    assert "the position has changed since event" in " ".join(by_mail.ada.text.split())


def test_an_answer_that_was_handled_in_part_is_handled_again_and_acts_once(
    by_mail: PlayersByMail, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_mail.start()
    answer = by_mail.ada.reply(forms_of(by_mail.ada.text)[0])
    mails = by_mail.service.notifications.mail.account_mails

    def fail(*_: object) -> None:
        raise RuntimeError("the process dies")

    with monkeypatch.context() as patch:
        patch.setattr(type(mails), "add", fail)
        with pytest.raises(smtplib.SMTPDataError) as error:
            by_mail.ada.deliver(answer)
    assert error.value.smtp_code == 451
    head = by_mail.snapshot()
    by_mail.ada.deliver(answer)
    by_mail.work()
    assert by_mail.snapshot() == head
    subjects = [mail.message["Subject"] for mail in by_mail.ada.mails]
    assert sum("your action was accepted" in subject for subject in subjects) == 1


HTML_ONLY = "<p>place 0,0</p>"


def broken(mail: EmailMessage, how: str, form: str) -> EmailMessage | bytes:
    """Return an answer that is broken in some way."""
    match how:
        case "not an action":
            mail.set_content("jump over the lazy dog\n")
        case "an action that the rules forbid":
            mail.set_content("place 99,99\n")
        case "a second line that is no action":
            mail.set_content(f"{form}\nThank you for the game!\n")
        case "only a quotation":
            mail.set_content("On Monday, Cartulary wrote:\n> place 0,0\n")
        case "HTML only":
            mail.set_content(HTML_ONLY, subtype="html")
        case "a charset that is not kept to":
            return (
                mail.as_bytes().split(b"\n\n")[0].replace(b"7bit", b"8bit") + b"\n\n\xff\xfe place"
            )
        case "a charset that is unknown":
            return mail.as_bytes(policy=SMTP).replace(b'charset="utf-8"', b'charset="klingon"')
        case "too many lines":
            mail.set_content(f"{form}\n" * 9)
        case "a header that is too long":
            mail.set_content(f"{form}\n")
            content_type = mail["Content-Type"] + "; x=y" * MAX_HEADER_CHARACTERS
            return mail.as_bytes(policy=SMTP).replace(
                f"Content-Type: {mail['Content-Type']}".encode(),
                f"Content-Type: {content_type}".replace("; ", ";\r\n ").encode(),
            )
        case "too many parts":
            mail.set_content(f"{form}\n")
            for _ in range(MAX_PARTS):
                mail.add_attachment(form)
        case "too large":
            mail.set_content(f"{form}\n\n" + ("x" * 70 + "\n") * 16_000)
        case _:
            raise AssertionError(how)
    return mail


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("not an action", "not accepted: “jump over the lazy dog” cannot be read as an action"),
        ("an action that the rules forbid", "forbids it"),
        (
            "a second line that is no action",
            "not accepted: “thank you for the game!” cannot be read",
        ),
        ("only a quotation", "no line above what it quotes"),
        ("HTML only", "answer in plain text"),
        ("a charset that is not kept to", "charset"),
        ("a charset that is unknown", "charset"),
        ("a header that is too long", "the form of the mail"),
        ("too many parts", "the form of the mail"),
        ("too many lines", "more than 8 lines"),
        ("too large", "it is too large"),
    ],
)
def test_an_answer_that_cannot_be_played_changes_nothing_and_says_what_is_possible(
    by_mail: PlayersByMail, how: str, why: str
) -> None:
    by_mail.start()
    head, forms, address = (
        by_mail.snapshot(),
        forms_of(by_mail.ada.text),
        by_mail.ada.last["Reply-To"],
    )
    by_mail.ada.deliver(broken(by_mail.ada.reply(forms[0]), how, forms[0]), address)
    by_mail.work()
    assert by_mail.snapshot() == head
    assert UNCHANGED in by_mail.ada.last["Subject"]
    assert why in " ".join(by_mail.ada.text.lower().split()) or why in " ".join(
        by_mail.ada.text.split()
    )
    for line in ("jump over the lazy dog", "thank you for the game!", "place 99,99"):
        assert " ".join(by_mail.ada.text.lower().split()).count(line) <= 1
    # The answer can be answered.
    assert forms_of(by_mail.ada.text) == forms
    assert by_mail.ada.last["Reply-To"] == address
    by_mail.ada.answer(forms[0])
    assert by_mail.game.seq > head[0]


@pytest.mark.parametrize(
    "how",
    [
        "an unknown token",
        "no token",
        "the token of another mail secret",
        "no sender",
        "an automatic answer",
        "a vacation notice",
        "a report about a bounce",
        "a mailing list",
        "an address that was changed",
        "an address that has expired",
        "a suspended player",
    ],
)
def test_nothing_follows_from_forged_late_and_automatic_mails(
    by_mail: PlayersByMail, server: MailServer, how: str
) -> None:
    by_mail.start()
    ada, head, count = by_mail.ada, by_mail.snapshot(), len(server.mails)
    mail = ada.reply(forms_of(ada.text)[0])
    recipient, sender = str(mail["To"]), None
    match how:
        case "an unknown token":
            recipient = f"play+{'0' * 32}@reply.example.org"
        case "no token":
            recipient = REPLY_ADDRESS
        case "the token of another mail secret":
            token = recipient.partition("+")[2].partition("@")[0]
            recipient = recipient.replace(token, token[::-1])
        case "no sender":
            sender = ""
        case "an automatic answer":
            mail["Auto-Submitted"] = "auto-replied"
        case "a vacation notice":
            mail["Precedence"] = "bulk"
        case "a report about a bounce":
            text = mail.get_content()
            mail.clear_content()
            mail.make_mixed()
            mail.add_attachment(text)
            mail.replace_header(
                "Content-Type",
                f'multipart/report; report-type=delivery-status; boundary="{mail.get_boundary()}"',
            )
        case "a mailing list":
            mail["List-Id"] = "<list.example.org>"
        case "an address that was changed":
            by_mail.service.notifications.mail.addresses.set(by_mail.players[0], "eve@example.org")
        case "a suspended player":
            by_mail.service.administration.suspend("operator", by_mail.players[0], "insults")
        case "an address that has expired":
            seconds = by_mail.service.settings.bounds.reply_seconds
            client = by_mail.service.redis
            for key in client.scan_iter("cartulary:reply-address:*"):
                assert 0 < client.ttl(key) <= seconds
                client.delete(key)
        case _:
            raise AssertionError(how)
    ada.deliver(mail, recipient, sender)
    by_mail.work()
    assert by_mail.snapshot() == head
    assert len(server.mails) == count


def test_an_answer_never_goes_to_the_sender_of_a_mail(
    by_mail: PlayersByMail, server: MailServer
) -> None:
    by_mail.start()
    mail = by_mail.ada.reply("nonsense")
    mail.replace_header("From", "eve@example.com")
    mail["Reply-To"] = "eve@example.com"
    by_mail.ada.deliver(mail, sender="eve@example.com")
    by_mail.work()
    assert server.to("eve@example.com") == []
    assert UNCHANGED in by_mail.ada.last["Subject"]


def test_the_answers_of_a_player_are_limited_and_later_ones_wait(
    settings: Settings, server: MailServer, by_mail: PlayersByMail
) -> None:
    by_mail.start()
    bounds = replace(by_mail.service.settings.bounds, max_replies_per_player=2)
    with (
        mail_service(replace(settings, bounds=bounds), server) as limited,
        reply_server(limited) as port,
    ):
        mailbox = Mailbox("ada@example.org", server, port)
        form = forms_of(mailbox.text)[0]
        mailbox.answer("nonsense")
        mailbox.answer("nonsense")
        with pytest.raises(smtplib.SMTPDataError) as error:
            mailbox.answer(form)
        assert error.value.smtp_code == 451
        assert by_mail.game.seq == by_mail.snapshot()[0]
    assert not by_mail.service.store.receipts(by_mail.game_id, [by_mail.game.seq])


def test_a_connection_has_one_recipient_and_no_commands_of_smtp(by_mail: PlayersByMail) -> None:
    by_mail.start()
    address = by_mail.ada.last["Reply-To"]
    with smtplib.LMTP("127.0.0.1", by_mail.ada.port) as client:
        client.ehlo_or_helo_if_needed()
        assert client.mail("ada@example.org")[0] == 250
        assert client.rcpt(address)[0] == 250
        assert client.rcpt(address)[0] == 452
        assert client.docmd("EHLO", "example.org")[0] == 500


@pytest.mark.nightly
@pytest.mark.parametrize("rules", ["barony", "sorcery", "baron"])
def test_a_whole_game_is_played_by_answering_mails(
    settings: Settings, server: MailServer, by_mail: PlayersByMail, rules: str
) -> None:
    options: dict[str, Any] = {"sorcery": True} if rules == "sorcery" else {}
    if rules != "baron":
        options["round_limit"] = 6
    by_mail.start("baron" if rules == "baron" else "barony", **options)
    play_by_mail(by_mail, None)
    by_mail.work()
    assert by_mail.game.status == "finished"
    assert any("the game is over" in mail.message["Subject"] for mail in by_mail.ada.mails)


def test_an_answer_without_a_signature_changes_nothing_where_one_is_required(
    settings: Settings, server: MailServer, by_mail: PlayersByMail
) -> None:
    by_mail.start()
    head = by_mail.snapshot()
    strict = replace(settings, reply_dkim=True)
    with mail_service(strict, server) as service, reply_server(service) as port:
        mailbox = Mailbox("ada@example.org", server, port)
        mailbox.answer(forms_of(mailbox.text)[0])
    by_mail.work()
    assert by_mail.snapshot() == head
    assert "no valid signature (DKIM)" in by_mail.ada.text
