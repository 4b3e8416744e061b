"""Where the parts of the service that concern e-mail are created."""

from dataclasses import dataclass

import redis

from service.accounts.accounts import Players
from service.email_address import parse_sender
from service.notifications.deliveries import Deliveries
from service.notifications.endpoints import EndpointRegistry
from service.notifications.mail.account_mails import AccountMails, AccountNotices
from service.notifications.mail.bounces import Bounces
from service.notifications.mail.confirmations import Confirmations
from service.notifications.mail.email_addresses import EmailAddresses, EmailEndpoints
from service.notifications.mail.password_resets import PasswordResets
from service.notifications.mail.reply_addresses import ReplyAddresses
from service.settings import Settings
from service.shared_secret import MailTokens


@dataclass(frozen=True, slots=True)
class Mail:
    """Everything about e-mail but sending it. Thread-safe."""

    addresses: EmailAddresses
    confirmations: Confirmations
    account_mails: AccountMails
    tokens: MailTokens
    bounces: Bounces
    password_resets: PasswordResets
    account_notices: AccountNotices
    reply_addresses: ReplyAddresses


def build_mail(
    client: redis.Redis,
    settings: Settings,
    accounts: Players,
    deliveries: Deliveries,
    endpoints: EndpointRegistry,
) -> Mail:
    """Return the parts that these settings describe.

    Adds the addresses of players to the endpoints for notifications if mail is configured.
    """
    addresses = EmailAddresses(client, settings.bounds)
    account_mails = AccountMails(client)
    tokens = MailTokens(client)
    is_mail_configured = settings.smtp_url is not None
    notices = AccountNotices(accounts, account_mails, tokens, is_mail_configured=is_mail_configured)
    if is_mail_configured:
        endpoints.add(EmailEndpoints(accounts, tokens))
    return Mail(
        addresses=addresses,
        confirmations=Confirmations(
            client,
            settings.bounds,
            accounts,
            addresses,
            account_mails,
            tokens,
            is_mail_configured=is_mail_configured,
        ),
        account_mails=account_mails,
        tokens=tokens,
        bounces=Bounces(client, accounts, addresses, deliveries, tokens),
        password_resets=PasswordResets(
            client,
            settings.bounds,
            accounts,
            account_mails,
            tokens,
            notices,
            is_mail_configured=is_mail_configured,
        ),
        account_notices=notices,
        reply_addresses=ReplyAddresses(
            client,
            settings.bounds,
            accounts,
            tokens,
            None if settings.reply_address is None else parse_sender(settings.reply_address),
        ),
    )
