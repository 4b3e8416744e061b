"""Where the parts of the service that concern e-mail are created."""

from dataclasses import dataclass

import redis

from service.mail.account_mails import AccountMails
from service.mail.confirmations import Confirmations
from service.mail.email_addresses import EmailAddresses
from service.mail.tokens import MailTokens
from service.players.account_reader import AccountReader
from service.settings import Settings


@dataclass(frozen=True, slots=True)
class Mail:
    """Everything about e-mail but sending it. Thread-safe."""

    addresses: EmailAddresses
    confirmations: Confirmations
    account_mails: AccountMails
    tokens: MailTokens


def build_mail(client: redis.Redis, settings: Settings, accounts: AccountReader) -> Mail:
    """Return the parts that these settings describe."""
    addresses = EmailAddresses(client, settings.bounds)
    account_mails = AccountMails(client)
    tokens = MailTokens(client)
    return Mail(
        addresses=addresses,
        confirmations=Confirmations(
            client,
            settings.bounds,
            accounts,
            addresses,
            account_mails,
            tokens,
            is_mail_configured=settings.smtp_url is not None,
        ),
        account_mails=account_mails,
        tokens=tokens,
    )
