"""Sends the mails about accounts: confirmations of addresses, and notices to their owners."""

import logging
from datetime import timedelta
from typing import Any, assert_never
from urllib.parse import urlsplit

from domain.messages import Instant, Message, Text, message
from service import wall_clock
from service.accounts.account_reader import Player
from service.bootstrap import Service
from service.errors import Forbidden, NotFound, log_text
from service.notifications.mail.account_mails import AccountMail
from service.notifications.mail.confirmations import Confirmation
from service.notifications.notification import renderer_for
from service.notifications.stored_messages import decode_message
from service.notifications.webhooks.webhooks import Webhook
from workers.mail.layout import Content
from workers.mail.notification_mail import NotificationMails
from workers.mail.outgoing import OutgoingMail
from workers.mail.smtp import MailNotSent, MailRefused
from workers.mail.templating import render_template

log = logging.getLogger(__name__)


class AccountMailSender:
    """Makes the attempts to send mails about accounts."""

    def __init__(self, service: Service, outgoing: OutgoingMail) -> None:
        self._service = service
        self._mails = service.notifications.mail.account_mails
        self._outgoing = outgoing
        self._notification_mails = NotificationMails(service, outgoing.sender.domain)

    def send(self, id: str) -> None:
        """Make the next attempt to send a mail. Raises Unavailable; another attempt then follows."""
        mail = self._mails.begin(id)
        if mail is None:
            return
        reader = self._reader(mail)
        if reader is None:
            self._mails.remove(mail.id)
            return
        refusal: Text | None = None
        try:
            is_about_game = mail.kind == "reply_answer"
            self._outgoing.send(
                self._content(mail, reader),
                reader,
                mail.id,
                thread=f"game-{mail.data['game']}" if is_about_game else None,
                has_unsubscribe=is_about_game,
            )
        except (NotFound, Forbidden):
            # The webhook was removed meanwhile, the player may no longer see the game or the club, or the
            # club has another owner.
            self._mails.remove(mail.id)
        except MailRefused as error:
            log.warning("the mail %s (%s) bounces: %s", mail.id, mail.kind, log_text(error))
            self._mails.remove(mail.id)
            refusal = error.message
        except MailNotSent as error:
            is_last = not self._mails.retry(mail)
            log.log(
                logging.ERROR if is_last else logging.WARNING,
                "the mail %s (%s) %s: %s",
                mail.id,
                mail.kind,
                "is given up" if is_last else "is not sent",
                log_text(error),
            )
            refusal = error.message
        else:
            self._mails.remove(mail.id)
        if mail.kind == "confirmation" and reader.email is not None:
            self._service.notifications.mail.addresses.record_refusal(
                reader.id, reader.email, refusal
            )

    def _reader(self, mail: AccountMail) -> Player | None:
        """Return the player who is to receive a mail; None if it is out of date.

        Nothing but confirmations is sent to an address that is not confirmed.
        """
        if mail.kind == "password_reset":
            return self._service.notifications.mail.password_resets.recipient(
                mail.data["handle"], is_first_attempt=mail.attempts == 1
            )
        (player,) = self._service.accounts.players.get([mail.player])
        if player is None or player.email is None:
            return None
        if self._service.notifications.mail.tokens.digest(player.email) != mail.address:
            return None
        is_for_unconfirmed = mail.kind == "confirmation"
        return player if (player.confirmed_email is None) is is_for_unconfirmed else None

    def _content(self, mail: AccountMail, reader: Player) -> Content:
        if mail.kind == "reply_answer":
            unsubscribe_url = self._outgoing.unsubscribe_url(reader.id)
            return self._notification_mails.answer(mail.data, reader, unsubscribe_url)
        title, path, values = self._notice(mail, reader)
        base = self._service.settings.public_url
        in_language = renderer_for(reader)
        values |= {
            "title": in_language.sentence(title),
            "handle": reader.handle,
            "server": urlsplit(base).netloc,
            "url": f"{base}{path}",
        }
        return Content(
            language=in_language.language,
            subject=values["title"],
            text=render_template(f"{mail.kind}.txt", in_language, **values),
            html=render_template(f"{mail.kind}.html", in_language, **values),
        )

    def _notice(self, mail: AccountMail, reader: Player) -> tuple[Message, str, dict[str, Any]]:
        """Return the title of a mail, the path to which it leads, and what else its templates need."""
        mails, bounds = self._service.notifications.mail, self._service.settings.bounds
        match mail.kind:
            case "confirmation":
                assert reader.email is not None
                token = mails.confirmations.create_token(Confirmation(reader.id, reader.email))
                return (
                    message("Confirm your e-mail address"),
                    f"/email/confirm/{token}",
                    {"valid_until": _after(bounds.confirmation_seconds)},
                )
            case "webhook_disabled":
                webhook = self._service.notifications.webhooks.find(reader.id, mail.data["webhook"])
                return message("Your webhook was disabled"), "/account/webhooks", _failure(webhook)
            case "club_webhook_disabled":
                club = self._service.clubs.of_owner(mail.data["club"], reader.id).club
                webhook = self._service.club_webhooks.find(club.id, reader.id)
                if webhook.id != mail.data["webhook"]:
                    raise NotFound.with_message("the webhook was replaced")
                return (
                    message("The webhook of your club was disabled"),
                    f"/clubs/{club.id}#webhook-heading",
                    {"club": club.name, **_failure(webhook)},
                )
            case "password_reset":
                token = mails.password_resets.create_token(reader)
                return (
                    message("Choose a new password"),
                    f"/password/new/{token}",
                    {"valid_until": _after(bounds.password_reset_seconds)},
                )
            case "password_changed":
                return message("Your password was changed"), "/password/forgotten", {}
            case "token_created":
                values = {"token": mail.data["name"]}
                return message("A personal token was created"), "/account/tokens", values
            case "club_invited":
                entry = self._service.clubs.visible(mail.data["club"], reader.id)
                if entry.relation(reader.id) != "invited":
                    raise NotFound.with_message("the invitation no longer waits for an answer")
                club = entry.club
                owners = self._service.accounts.players.handles([club.owner])
                values = {"owner": owners.get(club.owner, ""), "club": club.name}
                return message("You are invited to a club"), f"/clubs/{club.id}", values
            case "reply_answer":
                raise ValueError("NotificationMails composes this mail")
            case _:
                assert_never(mail.kind)


def _after(seconds: float) -> Instant:
    return Instant(wall_clock.format(wall_clock.now() + timedelta(seconds=seconds)))


def _failure(webhook: Webhook) -> dict[str, Any]:
    return {"webhook_url": webhook.url, "result": decode_message(webhook.result or "")}
