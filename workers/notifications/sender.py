"""The sender, which makes one attempt of a delivery and records the result."""

import logging
from collections.abc import Sequence
from datetime import timedelta

from domain.errors import Unreadable
from domain.messages import Text, message
from replay.language.renderer import english
from service.bootstrap import Service
from service.errors import log_text
from service.notifications.channels import OPERATOR
from service.notifications.circuit_breakers import Receiver
from service.notifications.delivery import DIGEST, Delivery, Status
from service.notifications.factory import NotificationFactory
from service.notifications.notifier import OUT_OF_DATE
from workers.notifications.channel import Channel, NotDelivered, Undeliverable

log = logging.getLogger(__name__)


class DeliverySender:
    """Makes the attempts of deliveries through some channels."""

    def __init__(self, service: Service, channels: Sequence[Channel]) -> None:
        self._deliveries = service.notifications.deliveries
        self._breakers = service.notifications.deliveries.breakers
        self._endpoints = service.notifications.endpoints
        self._clock = service.clock
        self._factory = NotificationFactory(
            service.games.queries,
            service.games.recaps,
            service.accounts.players,
            service.tournaments.tournaments,
            service.clubs,
        )
        self._channels = {channel.name: channel for channel in channels}

    def send(self, delivery_id: str) -> None:
        """Make the next attempt of a delivery, unless it has ended or another worker makes it.

        Raises Unavailable. The attempt then counts as failed, and the next one follows when the claim has
        expired, as after the death of the worker.
        """
        try:
            delivery = self._deliveries.claim(delivery_id, self._clock.now())
        except Unreadable as error:
            log.error("delivery %s is left out: %s", delivery_id, log_text(error))  # noqa: TRY400 # a traceback would add nothing
            return
        if delivery is None:
            return
        channel = self._channels.get(delivery.channel)
        parts = self._deliveries.items(delivery.id) if delivery.kind == DIGEST else []
        if channel is None:
            self._end(
                delivery, parts, "cancelled", message("this server does not send by this channel")
            )
        elif not self._has_endpoint(delivery):
            self._end(delivery, parts, "cancelled", message("this receiver no longer exists"))
        elif delivery.attempts > len(channel.retry_pauses) + 1:
            # In each of the attempts, the worker died or the store did not respond.
            self._end(delivery, parts, "given_up", message("the attempts were interrupted"))
        else:
            self._attempt(delivery, parts, channel)

    def give_up(self, delivery_id: str) -> None:
        """Give up a delivery whose receiver has failed for too long. Raises Unavailable."""
        delivery = self._deliveries.find(delivery_id)
        if delivery is not None:
            reason = message("the receiver has failed for too long")
            self._deliveries.finish(
                [delivery], "given_up", self._clock.now(), result=reason, is_claimed=False
            )

    def _has_endpoint(self, delivery: Delivery) -> bool:
        if delivery.player == OPERATOR:
            return True
        endpoint = self._endpoints.find(delivery.player, delivery.channel, delivery.endpoint)
        return endpoint is not None

    def _attempt(self, delivery: Delivery, parts: list[Delivery], channel: Channel) -> None:
        """Send a delivery that was claimed, and record the result."""
        try:
            if delivery.kind == DIGEST:
                current = {part.id for part, _ in self._factory.current_parts(parts)}
                self._deliveries.finish(
                    [part for part in parts if part.id not in current],
                    "cancelled",
                    self._clock.now(),
                    result=OUT_OF_DATE,
                    is_claimed=False,
                )
                parts = [part for part in parts if part.id in current]
            notification = self._factory.notification(delivery, parts)
        except Unreadable as error:
            self._fail(delivery, parts, channel, error.message, is_receivers_fault=False)
            return
        if notification is None:
            self._end(delivery, parts, "cancelled", OUT_OF_DATE)
            return
        try:
            channel.send(delivery, notification)
        except NotDelivered as error:
            self._fail(delivery, parts, channel, error.message, is_receivers_fault=True)
        except Undeliverable as error:
            log.warning("%s: delivery %s bounces: %s", channel.name, delivery.id, log_text(error))
            self._end(delivery, parts, "bounced", error.message)
        else:
            if channel.has_breakers:
                self._breakers.record_success(_receiver_of(delivery))
            self._end(delivery, parts, "sent", None)

    def _fail(
        self,
        delivery: Delivery,
        parts: Sequence[Delivery],
        channel: Channel,
        reason: Text,
        *,
        is_receivers_fault: bool,
    ) -> None:
        """Record a failed attempt, and the time of the next one; the last attempt ends the delivery."""
        now = self._clock.now()
        next_at = now
        if channel.has_breakers and is_receivers_fault:
            next_at = self._breakers.record_failure(_receiver_of(delivery), now)
        failed = len(channel.retry_pauses) < delivery.attempts
        log.log(
            logging.ERROR if failed else logging.WARNING,
            "%s: %s of game %s%s: %s",
            channel.name,
            delivery.subject,
            delivery.game_id or "-",
            " is given up" if failed else "",
            english(reason),
        )
        if failed:
            self._end(delivery, parts, "given_up", reason)
            return
        pause = timedelta(seconds=channel.retry_pauses[delivery.attempts - 1])
        next_at = max(next_at, now + pause)
        self._deliveries.finish([delivery], "retrying", now, result=reason, next_at=next_at)

    def _end(
        self, delivery: Delivery, parts: Sequence[Delivery], status: Status, result: Text | None
    ) -> None:
        """Record the final status of a delivery, and of the deliveries that it contains."""
        now = self._clock.now()
        self._deliveries.finish(parts, status, now, result=result, is_claimed=False)
        self._deliveries.finish([delivery], status, now, result=result)


def _receiver_of(delivery: Delivery) -> Receiver:
    return Receiver(delivery.channel, delivery.player, delivery.endpoint)
