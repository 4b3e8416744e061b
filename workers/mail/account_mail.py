"""Sends the mails about accounts: confirmations of addresses, and notices to their owners."""

import logging
from datetime import timedelta
from typing import assert_never
from urllib.parse import urlsplit

from domain.messages import Instant, Text, message
from service import wall_clock
from service.accounts.account_reader import Player
from service.bootstrap import Service
from service.clubs.jobs import change_notice, invitation_notice, webhook_notice
from service.errors import Forbidden, NotFound, log_text
from service.notifications.mail.account_mails import AccountMail
from service.notifications.mail.confirmations import Confirmation
from service.notifications.mail.notice import Notice
from service.notifications.notification import renderer_for
from service.notifications.stored_messages import decode_message
from workers.mail.layout import Content
from workers.mail.notification_mail import NotificationMails
from workers.mail.outgoing import OutgoingMail
from workers.mail.smtp import MailNotSent, MailRefused
from workers.mail.templating import render_template

log = logging.getLogger(__name__)


class AccountMailSender:
    """Sends mails about accounts, in one or several attempts."""

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
            # In the meantime, the webhook was removed, the player may no longer see the game or the club, or
            # the club has another owner.
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
        notice = self._notice(mail, reader)
        in_language = renderer_for(reader)
        title = in_language.sentence(notice.title)
        url = f"{self._service.settings.public_url}{notice.path}"
        values = {"title": title, "notice": notice, "url": url}
        return Content(
            language=in_language.language,
            subject=title,
            text=render_template("notice.txt", in_language, **values),
            html=render_template("notice.html", in_language, **values),
        )

    def _notice(self, mail: AccountMail, reader: Player) -> Notice:
        """Return the content of a mail. Raises NotFound or Forbidden if the reason for it is gone."""
        handle, server = reader.handle, urlsplit(self._service.settings.public_url).netloc
        mails, bounds = self._service.notifications.mail, self._service.settings.bounds
        match mail.kind:
            case "confirmation":
                assert reader.email is not None
                token = mails.confirmations.create_token(Confirmation(reader.id, reader.email))
                until = _after(bounds.confirmation_seconds)
                sentence = message(
                    "{handle} has named this address for mails about games on {server}. Is it yours? Then"
                    " open this page and confirm it:",
                    handle=handle,
                    server=server,
                )
                return Notice(
                    message("Confirm your e-mail address"),
                    (sentence,),
                    f"/email/confirm/{token}",
                    message("Confirm the address"),
                    message("The link is valid until {time}.", time=until),
                    message(
                        "If you know nothing about this, do nothing: no further mails are sent to you."
                    ),
                )
            case "webhook_disabled":
                webhook = self._service.notifications.webhooks.find(reader.id, mail.data["webhook"])
                sentence = message(
                    "Notifications to your webhook {url} have failed again and again. The last result was:"
                    " {result}",
                    url=webhook.url,
                    result=decode_message(webhook.result or ""),
                )
                return Notice(
                    message("Your webhook was disabled"),
                    (
                        sentence,
                        message(
                            "Nothing is sent there now. When it works again, you can enable it on this page:"
                        ),
                    ),
                    "/account/webhooks",
                    message("Webhooks"),
                )
            case "password_reset":
                token = mails.password_resets.create_token(reader)
                until = _after(bounds.password_reset_seconds)
                sentence = message(
                    "Somebody has asked for a new password for {handle} on {server}. If it was you, open"
                    " this page and choose it:",
                    handle=handle,
                    server=server,
                )
                return Notice(
                    message("Choose a new password"),
                    (sentence,),
                    f"/password/new/{token}",
                    message("Choose a new password"),
                    message("The link is valid until {time}, and can be used once.", time=until),
                    message("If it was not you, do nothing: your password stays as it is."),
                )
            case "password_changed":
                sentence = message(
                    "The password of {handle} on {server} was changed, and all other sessions have ended.",
                    handle=handle,
                    server=server,
                )
                return Notice(
                    message("Your password was changed"),
                    (sentence, message("If it was not you, choose a new password immediately:")),
                    "/password/forgotten",
                    message("Forgotten password"),
                )
            case "token_created":
                sentence = message(
                    "The personal token {name} was created for {handle} on {server}. A program that has it"
                    " can act for you, within the scopes of the token.",
                    name=mail.data["name"],
                    handle=handle,
                    server=server,
                )
                return Notice(
                    message("A personal token was created"),
                    (
                        sentence,
                        message(
                            "If it was not you, revoke it immediately, and change your password:"
                        ),
                    ),
                    "/account/tokens",
                    message("Personal tokens"),
                )
            case "club_invited":
                return invitation_notice(self._service, mail.data["club"], reader, server)
            case "club_changed":
                return change_notice(self._service, mail.data, reader, server)
            case "club_webhook_disabled":
                return webhook_notice(
                    self._service, mail.data["club"], mail.data["webhook"], reader
                )
            case "reply_answer":
                raise ValueError("NotificationMails composes this mail")
            case _:
                assert_never(mail.kind)


def _after(seconds: float) -> Instant:
    return Instant(wall_clock.format(wall_clock.now() + timedelta(seconds=seconds)))
