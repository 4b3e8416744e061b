"""Where a worker gets the channels that the settings describe."""

from service.bootstrap import Service
from workers.mail.account_mail import AccountMailSender
from workers.mail.channel import EmailChannel
from workers.mail.outgoing import OutgoingMail
from workers.notifications.channel import Channel
from workers.notifications.dispatcher import Channels
from workers.notifications.operator import operator_channels_of
from workers.webhooks.channel import WebhookChannel
from workers.webhooks.push import PushChannel
from workers.webhooks.requests import ReceiverRequests


def channels_of(service: Service) -> Channels:
    """Return the channels of a service. Raises SettingsError."""
    channels: list[Channel] = [*operator_channels_of(service.settings)]
    account_mails = None
    if service.settings.smtp_url is not None:
        outgoing = OutgoingMail(service)
        channels.append(EmailChannel(service, outgoing))
        account_mails = AccountMailSender(service, outgoing)
    seconds = service.settings.bounds.webhook_seconds
    requests = ReceiverRequests(service.notifications.receivers, seconds)
    webhooks = WebhookChannel(service, requests)
    channels += [webhooks, PushChannel(service, requests)]
    return Channels(channels, account_mails, webhooks)
