"""Creates the objects of `service.notifications`, and connects them."""

from dataclasses import dataclass
from urllib.parse import urlsplit

import redis

from service.accounts.accounts import Players
from service.accounts.parts import Accounts
from service.email_address import parse_sender
from service.games.parts import Games
from service.notifications.deliveries import Deliveries
from service.notifications.endpoints import EndpointRegistry
from service.notifications.feed_tokens import FeedTokens
from service.notifications.feeds import Feeds
from service.notifications.mail.account_mails import AccountMails, AccountNotices
from service.notifications.mail.bounces import Bounces
from service.notifications.mail.confirmations import Confirmations
from service.notifications.mail.email_addresses import EmailAddresses, EmailEndpoints
from service.notifications.mail.password_resets import PasswordResets
from service.notifications.mail.reply_addresses import ReplyAddresses
from service.notifications.notifier import Notifier
from service.notifications.preferences import PreferenceStore
from service.notifications.webhooks.push_subscriptions import PushSubscriptions
from service.notifications.webhooks.receivers import Receivers
from service.notifications.webhooks.vapid_key import VapidKey
from service.notifications.webhooks.webhooks import Webhooks
from service.operation.data_folder import VAPID_KEY
from service.settings import Settings
from service.shared_secret import MailTokens
from service.tournaments.tournaments import Tournaments
from service.wall_clock import TrustedClock


@dataclass(frozen=True, slots=True)
class Mail:
    """The objects for e-mail, except for sending it. Thread-safe."""

    addresses: EmailAddresses
    confirmations: Confirmations
    account_mails: AccountMails
    tokens: MailTokens
    bounces: Bounces
    password_resets: PasswordResets
    account_notices: AccountNotices
    reply_addresses: ReplyAddresses


@dataclass(frozen=True, slots=True)
class Notifications:
    """The objects of `service.notifications` for one process. Thread-safe."""

    notifier: Notifier
    deliveries: Deliveries
    preferences: PreferenceStore
    endpoints: EndpointRegistry
    feed_tokens: FeedTokens
    feeds: Feeds
    mail: Mail
    receivers: Receivers
    webhooks: Webhooks
    push_subscriptions: PushSubscriptions
    vapid_key: VapidKey


def build_notifications(
    client: redis.Redis,
    settings: Settings,
    clock: TrustedClock,
    accounts: Accounts,
    games: Games,
    tournaments: Tournaments,
    deliveries: Deliveries,
) -> Notifications:
    """Return the objects for notifications, as these settings describe them."""
    bounds, players = settings.bounds, accounts.players
    preferences = PreferenceStore(client)
    feed_tokens = FeedTokens(client, bounds.max_feeds_per_player)
    receivers = Receivers(settings.webhook_networks)
    webhooks = Webhooks(client, bounds, receivers, deliveries.breakers, players.tokens.personal)
    push_subscriptions = PushSubscriptions(client, bounds, receivers, players.tokens)
    players.tokens.register_ending(push_subscriptions.remove_without_session)
    endpoints = EndpointRegistry()
    endpoints.add(webhooks)
    endpoints.add(push_subscriptions)
    for delete in (
        deliveries.delete_all_of,
        preferences.delete,
        feed_tokens.delete_all_of,
        webhooks.delete_all_of,
        push_subscriptions.delete_all_of,
    ):
        accounts.erasure.register(delete)
    mail = _build_mail(client, settings, players, deliveries)
    if settings.smtp_url is not None:
        endpoints.add(EmailEndpoints(players, mail.tokens))
    operator_channels = ("log",) if settings.webhook_url is None else ("log", "operator_webhook")
    return Notifications(
        notifier=Notifier(players, deliveries, preferences, endpoints, clock, operator_channels),
        deliveries=deliveries,
        preferences=preferences,
        endpoints=endpoints,
        feed_tokens=feed_tokens,
        feeds=Feeds(games.queries, games.listings, players, tournaments, settings.public_url),
        mail=mail,
        receivers=receivers,
        webhooks=webhooks,
        push_subscriptions=push_subscriptions,
        vapid_key=VapidKey(settings.data / VAPID_KEY, _contact(settings)),
    )


def _build_mail(
    client: redis.Redis, settings: Settings, players: Players, deliveries: Deliveries
) -> Mail:
    bounds, has_server = settings.bounds, settings.smtp_url is not None
    reply_to = None if settings.reply_address is None else parse_sender(settings.reply_address)
    addresses = EmailAddresses(client, bounds)
    mails = AccountMails(client)
    tokens = MailTokens(client)
    notices = AccountNotices(players, mails, tokens, is_mail_configured=has_server)
    return Mail(
        addresses=addresses,
        confirmations=Confirmations(
            client, bounds, players, addresses, mails, tokens, is_mail_configured=has_server
        ),
        account_mails=mails,
        tokens=tokens,
        bounces=Bounces(client, players, addresses, deliveries, tokens),
        password_resets=PasswordResets(
            client, bounds, players, mails, tokens, notices, is_mail_configured=has_server
        ),
        account_notices=notices,
        reply_addresses=ReplyAddresses(client, bounds, players, tokens, reply_to),
    )


def _contact(settings: Settings) -> str:
    """Return the address at which operators of push services can reach the operator."""
    if settings.mail_from is not None:
        return f"mailto:{parse_sender(settings.mail_from).addr_spec}"
    return f"mailto:webmaster@{urlsplit(settings.public_url).hostname}"
