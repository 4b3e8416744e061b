"""Mails about clubs through a real SMTP server: invitations, and webhooks that are disabled."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from freezegun import freeze_time

from service import wall_clock
from service.bootstrap import Service
from service.pages.app import create_web_app
from service.settings import Settings
from tests.support.mail_server import MailServer, ReceivedMail
from tests.support.mailed_players import PUBLIC_URL, register
from tests.support.page_players import forms_of
from tests.support.receiver import WebhookReceiver, webhook_receiver
from tests.support.worker_harness import WorkerHarness

PASSWORD = "correct horse"
ADDRESS = "bea@example.org"


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Settings with which webhooks on this machine are posted to."""
    return replace(settings, webhook_networks=("127.0.0.1",))


@pytest.fixture
def receiver() -> Iterator[WebhookReceiver]:
    with webhook_receiver() as receiver:
        yield receiver


def body(mail: ReceivedMail, kind: str) -> str:
    """Return the text of a mail (`plain`), or its page (`html`)."""
    part = mail.message.get_body((kind,))
    assert part is not None
    return str(part.get_content())


def club_of(service: Service, owner: str) -> str:
    return service.clubs.create(owner, "Wednesdays", is_private=True).id


@pytest.mark.parametrize(
    ("locale", "subject", "sentence"),
    [
        (None, "You are invited to a club", "ada invites bea to the club “{}” on {}."),
        ("fr", "Vous êtes invité dans un club", "ada invite bea dans le club « {} » sur {}."),
        ("es", "Le han invitado a un club", "ada invita a bea al club «{}» en {}."),
    ],
)
def test_the_link_of_a_club_invitation_leads_to_the_club_after_logging_in(
    service: Service,
    workers: WorkerHarness,
    server: MailServer,
    locale: str | None,
    subject: str,
    sentence: str,
) -> None:
    ada, bea = register(service, "ada"), register(service, "bea", locale)
    club = club_of(service, ada)
    service.club_notices.invite(club, ada, bea)
    workers.work()
    (mail,) = server.to(ADDRESS)
    assert mail.message["Subject"] == subject
    text, html = body(mail, "plain"), body(mail, "html")
    expected = sentence.format("Wednesdays", "play.example.org")
    assert expected in re.sub(r"\s+", " ", text)
    assert "Wednesdays" in html
    (link,) = re.findall(rf"{PUBLIC_URL}/clubs/\S+", text)
    assert link == f"{PUBLIC_URL}/clubs/{club}"
    assert f'href="{link}"' in html
    browser = create_web_app(service).test_client()
    hidden = browser.get(link)
    assert hidden.status_code == 404
    assert "Wednesdays" not in hidden.text
    (login,) = re.findall(r'class="button primary" href="(/login[^"]*)"', hidden.text)
    page = log_in(browser, login)
    assert page == f"/clubs/{club}"
    shown = browser.get(f"{PUBLIC_URL}{page}")
    assert shown.status_code == 200
    assert "Wednesdays" in shown.text
    assert f"/clubs/{club}/join" in forms_of(shown.text)


def log_in(browser: FlaskClient, login: str) -> str:
    """Log in as bea on a page, and return the address to which it leads."""
    form = forms_of(browser.get(f"{PUBLIC_URL}{login}").text)["/login"]
    fields = {**form, "handle": "bea", "password": PASSWORD}
    answer = browser.post(
        f"{PUBLIC_URL}/login", data=fields, headers={"Referer": f"{PUBLIC_URL}{login}"}
    )
    assert answer.status_code == 303, answer.text
    return str(answer.location)


def test_no_mail_is_sent_about_an_answered_or_unwanted_club_invitation(
    service: Service, workers: WorkerHarness, server: MailServer
) -> None:
    ada, bea = register(service, "ada"), register(service, "bea")
    club = club_of(service, ada)
    notices = service.club_notices
    notices.invite(club, ada, bea)
    service.clubs.remove(club, ada, bea)
    workers.work()
    service.accounts.mutes.add(bea, ada)
    notices.invite(club, ada, bea)
    workers.work()
    assert server.mails == []


@pytest.mark.parametrize(
    ("locale", "subject", "sentence"),
    [
        (
            None,
            "The webhook of your club was disabled",
            "Notifications to the webhook {} of your club “{}” have failed again and again.",
        ),
        (
            "fr",
            "Le webhook de votre club a été désactivé",
            "Les notifications au webhook {} de votre club « {} » ont échoué à plusieurs reprises.",
        ),
        (
            "es",
            "El webhook de su club se ha desactivado",
            "Las notificaciones al webhook {} de su club «{}» han fallado una y otra vez.",
        ),
    ],
)
def test_the_owner_of_a_club_reads_that_its_webhook_is_disabled(
    service: Service,
    workers: WorkerHarness,
    server: MailServer,
    receiver: WebhookReceiver,
    locale: str | None,
    subject: str,
    sentence: str,
) -> None:
    register(service, "ada")
    bea = register(service, "bea", locale)
    club = club_of(service, bea)
    url = disable_webhook(service, workers, receiver, club, bea)
    (mail,) = server.mails
    assert (mail.recipient, mail.message["Subject"]) == (ADDRESS, subject)
    text = body(mail, "plain")
    assert sentence.format(url, "Wednesdays") in re.sub(r"\s+", " ", text)
    assert f"{PUBLIC_URL}/clubs/{club}#webhook-heading" in text
    assert "410" in text
    assert "Wednesdays" in body(mail, "html")


def disable_webhook(
    service: Service, workers: WorkerHarness, receiver: WebhookReceiver, club: str, owner: str
) -> str:
    """Have the webhook of a club disabled, because its receiver is gone, and return its address."""
    url = receiver.url.replace("somebody:secret-word@", "")
    service.club_webhooks.set(club, owner, url, "slack")
    receiver.statuses = [410]
    service.club_webhooks.request_test(club, owner)
    workers.work()
    workers.work()
    webhook = service.club_webhooks.find(club, owner)
    assert webhook.disabled_at is not None
    return url


@pytest.mark.parametrize("change", ["handed_on", "replaced", "removed", "closed"])
def test_no_mail_is_sent_about_a_club_webhook_that_has_ended_or_passed_to_another(
    service: Service,
    workers: WorkerHarness,
    server: MailServer,
    receiver: WebhookReceiver,
    change: str,
) -> None:
    ada, bea = register(service, "ada"), register(service, "bea")
    with freeze_time("2026-01-01T09:00:00Z", tick=False) as time:
        club = club_of(service, bea)
        service.clubs.invite(club, bea, ada)
        service.clubs.join(club, ada)
        server.data_replies = ["451 4.3.0 Try again later"]
        url = disable_webhook(service, workers, receiver, club, bea)
        webhooks = service.club_webhooks
        match change:
            case "handed_on":
                service.clubs.hand_on(club, bea, ada)
            case "replaced":
                webhooks.set(club, bea, url, "slack")
            case "removed":
                webhooks.remove(club, bea)
            case _:
                service.clubs.close(club, bea)
        time.tick(timedelta(seconds=11))
        workers.work()
    assert server.data_replies == []
    assert server.mails == []


@pytest.mark.parametrize("locale", [None, "fr", "es"])
def test_those_whom_a_change_concerns_get_a_mail(
    service: Service, workers: WorkerHarness, server: MailServer, locale: str | None
) -> None:
    ada, bea, cid = (register(service, name, locale) for name in ("ada", "bea", "cid"))
    club, notices = service.clubs.create(ada, "Wednesdays").id, service.club_notices
    service.clubs.invite(club, ada, cid)
    service.clubs.join(club, cid)
    seen: list[str] = []

    def mails() -> dict[str, str]:
        """Return the subjects of the new mails by recipient."""
        workers.work()
        new = server.mails[len(seen) :]
        for mail in new:
            seen.append(body(mail, "plain"))
            assert "Wednesdays" in seen[-1]
            assert f"{PUBLIC_URL}/clubs/{club}" in seen[-1]
        return {mail.recipient.partition("@")[0]: mail.message["Subject"] for mail in new}

    expected = {
        None: ("You are an officer of a club", "A player asks to join your club", "declined"),
        "fr": ("Vous êtes responsable d'un club", "Un joueur demande à entrer dans", "refusée"),
        "es": ("Es encargado de un club", "Un jugador pide entrar en su club", "rechazada"),
    }[locale]
    notices.appoint(club, ada, cid, ["invite", "edit"])
    assert mails()["cid"].startswith(expected[0])
    notices.appoint(club, ada, cid, ["invite"])
    notices.join(club, bea)
    asked = mails()
    assert set(asked) == {"ada", "cid"}
    assert asked["ada"].startswith(expected[1])
    notices.join(club, bea)
    assert mails() == {}
    notices.remove(club, cid, bea)
    assert expected[2] in mails()["bea"]
    service.accounts.mutes.add(cid, bea)
    notices.join(club, bea)
    assert set(mails()) == {"ada"}
    notices.admit(club, ada, bea)
    notices.admit(club, ada, bea)
    assert set(mails()) == {"bea"}
    notices.hand_on(club, ada, bea)
    assert set(mails()) == {"bea"}
    notices.remove(club, bea, ada)
    assert mails() == {}


@pytest.mark.parametrize("end", ["withdrawn", "dismissed", "closed"])
def test_no_mail_is_sent_about_a_request_that_does_not_wait_any_more(
    service: Service, workers: WorkerHarness, server: MailServer, end: str
) -> None:
    ada, bea, cid = (register(service, name) for name in ("ada", "bea", "cid"))
    club, notices = service.clubs.create(ada, "Wednesdays").id, service.club_notices
    service.clubs.invite(club, ada, cid)
    service.clubs.join(club, cid)
    service.clubs.appoint(club, ada, cid, ["invite"])
    notices.join(club, bea)
    match end:
        case "withdrawn":
            service.clubs.leave(club, bea)
        case "dismissed":
            service.clubs.appoint(club, ada, cid, ["edit"])
        case _:
            service.clubs.close(club, ada)
    workers.work()
    assert [mail.recipient for mail in server.mails] == (
        ["ada@example.org"] if end == "dismissed" else []
    )


@pytest.mark.parametrize(
    ("is_accepted", "subject", "sentence"),
    [
        (True, "A club has accepted your challenge", "The club “Owls” on {} has accepted the"),
        (False, "A club has declined your challenge", "The club “Owls” on {} has declined the"),
    ],
)
def test_officers_get_mails_about_challenges(
    service: Service,
    workers: WorkerHarness,
    server: MailServer,
    is_accepted: bool,
    subject: str,
    sentence: str,
) -> None:
    ada, bea = register(service, "ada"), register(service, "bea")
    crows, owls = (
        service.clubs.create(owner, name).id for owner, name in ((ada, "Crows"), (bea, "Owls"))
    )
    closes = wall_clock.format(wall_clock.now() + timedelta(days=2))
    body_of_challenge = {
        "club": owls,
        "rules": "barony",
        "options": {},
        "clock": {"per_turn": 86_400},
        "boards": 1,
        "cycles": 1,
        "closes": closes,
        "round_seconds": 86_400,
        "public": True,
    }
    matches = service.club_matches
    challenge = matches.challenge(crows, ada, body_of_challenge)
    workers.work()
    (mail,) = server.to(ADDRESS)
    assert mail.message["Subject"] == "A club challenges yours"
    text = re.sub(r"\s+", " ", body(mail, "plain"))
    assert "ada challenges the club “Owls” on play.example.org to a match with the club" in text
    assert f"{PUBLIC_URL}/clubs/{owls}/challenges" in text
    if is_accepted:
        matches.accept(owls, bea, challenge.id, public=True)
    else:
        matches.refuse(owls, bea, challenge.id)
    workers.work()
    (answer,) = server.to("ada@example.org")
    assert answer.message["Subject"] == subject
    assert sentence.format("play.example.org") in re.sub(r"\s+", " ", body(answer, "plain"))
    # Who has muted the author of a challenge is told of none.
    service.accounts.mutes.add(bea, ada)
    matches.challenge(crows, ada, body_of_challenge)
    workers.work()
    assert len(server.to(ADDRESS)) == 1
