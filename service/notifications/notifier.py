"""Creates the deliveries of a notification: one for each endpoint of each reader, and one for each channel of
the operator.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from domain.json_types import JsonObject
from domain.messages import message
from service import wall_clock
from service.accounts.account_reader import Player
from service.accounts.accounts import Players
from service.notification_subjects.table import KIND_OF_SUBJECT, Kind, Subject
from service.notifications.channels import OPERATOR, club_reader
from service.notifications.deliveries import Deliveries
from service.notifications.delivery import DIGEST, Delivery, delivery_id
from service.notifications.endpoints import EndpointRegistry
from service.notifications.notification import time_zone_of
from service.notifications.preferences import Preferences, PreferenceStore
from service.notifications.schedule import Slot, next_local_time, slot
from service.wall_clock import TrustedClock

_MAX_DIGESTS: Final = 3
"""The number of digests that are tried for a delivery, if the next one is just being sent."""


BUNDLE_MINUTES: Final = 3
"""The time for which the first message of a game waits for others, which are sent in the same mail."""


@dataclass(frozen=True, slots=True)
class Times:
    """The time at which a notification is to be sent (None: immediately), and after which it is useless."""

    planned_at: datetime | None = None
    deadline: datetime | None = None


ANY_TIME: Final = Times()
OUT_OF_DATE: Final = message("it was out of date before it was sent")
"""The reason for cancelling a notification that is out of date."""


@dataclass(eq=False, repr=False)
class Notifier:
    """Creates deliveries. Thread-safe. Every method raises Unavailable if Redis does not respond."""

    _players: Players
    _deliveries: Deliveries
    _preferences: PreferenceStore
    _endpoints: EndpointRegistry
    _clock: TrustedClock
    _operator_channels: Sequence[str]

    def notify(
        self,
        subject: Subject,
        game_id: str,
        seq: int,
        players: Iterable[str],
        *,
        reference: str | None = None,
        data: JsonObject | None = None,
        times: Times = ANY_TIME,
        operator_channels: Sequence[str] | None = None,
        to_act: str | None = None,
    ) -> list[Delivery]:
        """Create the deliveries of a notification to these players; return those that exist now.

        The caller leaves out players whom it does not concern, and the player who caused it. The method is
        idempotent: a notification is identified by its kind, game and `reference` (None: the seq of the
        event). `data` is the data that the notification needs besides the log. `operator_channels` of None
        stands for the channels in the settings. `to_act` is the player whose turn begins with the same event:
        they get only the mail about that.
        """
        readers = tuple(dict.fromkeys(players))
        kind = KIND_OF_SUBJECT[subject]
        now = self._clock.now()
        # Where several notifications of a kind can be about one event, the subject identifies them.
        reference = f"{subject}/{seq}" if reference is None else reference
        base = _new_delivery(subject, game_id, seq, OPERATOR, now, data)
        channels = self._operator_channels if operator_channels is None else operator_channels
        created = [
            self._create(
                replace(base, channel=channel, data={**base.data, "players": list(readers)}),
                reference,
                Slot(now if times.planned_at is None else max(now, times.planned_at)),
            )
            for channel in channels
        ]
        preferences = self._preferences.of_each(readers)
        choices = self._preferences.choices_in_game(game_id, readers)
        accounts = zip(readers, self._players.get(readers), choices, strict=True)
        for player, account, choice in accounts:
            # Erased players have no account, and bots do not read notifications.
            if account is None or account.bot is not None:
                continue
            chosen = preferences[player].in_game(choice)
            if player == to_act and chosen.includes("email", "your_turn"):
                chosen = chosen.without("email", kind)
            created += self._notify_player(
                replace(base, player=player), kind, reference, chosen, account, now, times
            )
        return created

    def cancel(
        self,
        subject: Subject,
        game_id: str,
        player: str,
        *,
        reference: str,
        operator_channels: Sequence[str],
    ) -> None:
        """Cancel the deliveries of a notification to a player before their first attempt.

        `reference` is the reference with which they were created.
        """
        now = self._clock.now()
        base = _new_delivery(subject, game_id, 0, player, now)
        endpoints = [(OPERATOR, channel, "") for channel in operator_channels]
        endpoints += [(player, item.channel, item.id) for item in self._endpoints.of(player)]
        for reader, channel, endpoint in endpoints:
            delivery = replace(base, player=reader, channel=channel, endpoint=endpoint)
            self._deliveries.cancel(_with_id(delivery, reference).id, now, OUT_OF_DATE)

    def notify_club(self, subject: Subject, club_id: str, game_id: str, seq: int) -> list[Delivery]:
        """Create the delivery of a notification to the webhook of a club, if it has one; return it.

        The method is idempotent.
        """
        now = self._clock.now()
        base = _new_delivery(subject, game_id, seq, club_reader(club_id), now)
        return [
            self._create(
                replace(base, channel=endpoint.channel, endpoint=endpoint.id),
                f"{subject}/{seq}",
                Slot(now),
            )
            for endpoint in self._endpoints.of(base.player)
        ]

    def _notify_player(
        self,
        base: Delivery,
        kind: Kind,
        reference: str,
        preferences: Preferences,
        account: Player,
        now: datetime,
        times: Times,
    ) -> list[Delivery]:
        """Create the deliveries to one player."""
        zone = time_zone_of(account)
        created = []
        for endpoint in self._endpoints.of(base.player):
            if not preferences.includes(endpoint.channel, kind):
                continue
            delivery = replace(base, channel=endpoint.channel, endpoint=endpoint.id)
            planned = slot(
                kind,
                endpoint.channel,
                preferences,
                zone,
                now,
                planned_at=times.planned_at,
                deadline=times.deadline,
            )
            created.append(self._create(delivery, reference, planned, preferences, account))
        return created

    def _create(
        self,
        delivery: Delivery,
        reference: str,
        planned: Slot,
        preferences: Preferences | None = None,
        account: Player | None = None,
    ) -> Delivery:
        """Create a delivery unless it exists, as part of a digest if it is planned so."""
        delivery = _with_id(delivery, reference)
        at = planned.at
        if planned.in_digest and preferences is not None and preferences.digest is not None:
            if existing := self._deliveries.find(delivery.id):
                return existing
            for _ in range(_MAX_DIGESTS):
                digest = self._digest_of(delivery, at)
                self._deliveries.create(digest)
                part = replace(delivery, due_at=wall_clock.format(at), digest=digest.id)
                if self._deliveries.create(part):
                    return part
                # It is being sent, and no more deliveries can be added to it.
                at = next_local_time(at, preferences.digest, time_zone_of(account))
        elif delivery.channel == "email" and delivery.kind == "message":
            return self._bundle(delivery, at)
        single = replace(delivery, due_at=wall_clock.format(at))
        self._deliveries.create(single)
        return single

    def _bundle(self, message: Delivery, at: datetime) -> Delivery:
        """Create the delivery of a message as part of a mail with others of the same game; return it.

        The first message opens the mail, which is sent after BUNDLE, with the messages until then.
        """
        if existing := self._deliveries.find(message.id):
            return existing
        now = wall_clock.parse(message.created_at)
        minute = at.replace(second=0, microsecond=0)
        minutes = [
            minute + timedelta(minutes=1) * number for number in range(1, BUNDLE_MINUTES + 1)
        ]
        # After quiet hours, all messages are sent at the same time anyway.
        times = minutes if at <= now else [at]
        for due_at in times:
            bundle = self._digest_of(message, due_at, message.game_id)
            if due_at != times[-1] and self._deliveries.find(bundle.id) is None:
                continue
            self._deliveries.create(bundle)
            part = replace(message, due_at=wall_clock.format(due_at), digest=bundle.id)
            if self._deliveries.create(part):
                return part
        single = replace(message, due_at=wall_clock.format(at))
        self._deliveries.create(single)
        return single

    @staticmethod
    def _digest_of(delivery: Delivery, at: datetime, game_id: str = "") -> Delivery:
        """Return the digest at a time for the endpoint of a delivery; with `game_id`, of one game."""
        digest = replace(
            delivery,
            kind=DIGEST,
            subject=DIGEST,
            game_id=game_id,
            seq=0,
            due_at=wall_clock.format(at),
            data={},
        )
        return _with_id(digest, wall_clock.format(at))


def _new_delivery(
    subject: Subject,
    game_id: str,
    seq: int,
    player: str,
    now: datetime,
    data: JsonObject | None = None,
) -> Delivery:
    """Return a delivery that has no id and no endpoint yet."""
    return Delivery(
        id="",
        kind=KIND_OF_SUBJECT[subject],
        subject=subject,
        game_id=game_id,
        seq=seq,
        player=player,
        channel="",
        endpoint="",
        created_at=wall_clock.format(now),
        due_at=None,
        data=data or {},
    )


def _with_id(delivery: Delivery, reference: str) -> Delivery:
    """Return a delivery with the id that is derived from its receiver and its subject."""
    about = (delivery.kind, delivery.game_id, reference)
    id = delivery_id(*about, delivery.player, delivery.channel, delivery.endpoint)
    return replace(delivery, id=id)
