"""Creates the deliveries of a notification: one for each endpoint of each reader, and one for each channel of
the operator.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from domain.json_types import JsonObject
from ledger.time_zones import UTC_NAME, time_zone
from service import clock
from service.accounts.account_reader import Player
from service.accounts.accounts import Players
from service.clock import TrustedClock
from service.games.outbox import Subject
from service.notifications.deliveries import Deliveries
from service.notifications.delivery import DIGEST, Delivery, delivery_id
from service.notifications.endpoints import EndpointRegistry
from service.notifications.kinds import KIND_OF_SUBJECT, OPERATOR, Kind, club_reader
from service.notifications.preferences import Preferences, PreferenceStore
from service.notifications.schedule import Slot, next_local_time, slot

UTC_ZONE: Final = time_zone(UTC_NAME)
_MAX_DIGESTS: Final = 3
"""Digests that are tried for a delivery, if the next one is just being sent."""


BUNDLE_MINUTES: Final = 3
"""Minutes for which the first message of a game waits for others, which come in the same mail."""


@dataclass(frozen=True, slots=True)
class Times:
    """When a notification is planned to be sent (None: at once), and when it is of no use any more."""

    planned_at: datetime | None = None
    deadline: datetime | None = None


ANY_TIME: Final = Times()


class Notifier:
    """Creates deliveries. Thread-safe. Every method raises Unavailable if Redis does not respond."""

    def __init__(
        self,
        players: Players,
        deliveries: Deliveries,
        preferences: PreferenceStore,
        endpoints: EndpointRegistry,
        trusted_clock: TrustedClock,
        operator_channels: Sequence[str],
    ) -> None:
        self._players = players
        self._deliveries = deliveries
        self._preferences = preferences
        self._endpoints = endpoints
        self._clock = trusted_clock
        self._operator_channels = tuple(operator_channels)

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

        The caller leaves out players whom it does not concern, and the one who caused it. Calling this again
        creates nothing twice: a notification is identified by its kind, game and `reference` (None: the seq
        of the event). `data` is what the notification needs besides the log. `operator_channels`: None for
        those that the settings name. `to_act` is the player whose turn begins with the same event: they
        get the mail about that only.
        """
        readers = tuple(dict.fromkeys(players))
        kind = KIND_OF_SUBJECT[subject]
        now = self._clock.now()
        # A notification is identified by its subject where several of a kind can be about one event.
        reference = f"{subject}/{seq}" if reference is None else reference
        base = Delivery(
            id="",
            kind=kind,
            subject=subject,
            game_id=game_id,
            seq=seq,
            player=OPERATOR,
            channel="",
            endpoint="",
            created_at=clock.format(now),
            due_at=None,
            data=data or {},
        )
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
            # Players who were erased have no account, and bots read nothing.
            if account is None or account.bot is not None:
                continue
            chosen = preferences[player].in_game(choice)
            if player == to_act and chosen.includes("email", "your_turn"):
                chosen = chosen.without("email", kind)
            created += self._notify_player(
                replace(base, player=player), kind, reference, chosen, account, now, times
            )
        return created

    def notify_club(self, subject: Subject, club_id: str, game_id: str, seq: int) -> list[Delivery]:
        """Create the delivery of a notification to the webhook of a club, if it has one; return it.

        Calling this again creates nothing twice.
        """
        reader = club_reader(club_id)
        now = self._clock.now()
        return [
            self._create(
                Delivery(
                    id="",
                    kind=KIND_OF_SUBJECT[subject],
                    subject=subject,
                    game_id=game_id,
                    seq=seq,
                    player=reader,
                    channel=endpoint.channel,
                    endpoint=endpoint.id,
                    created_at=clock.format(now),
                    due_at=None,
                ),
                f"{subject}/{seq}",
                Slot(now),
            )
            for endpoint in self._endpoints.of(reader)
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
            created.append(self._create(delivery, reference, planned, preferences, zone))
        return created

    def _create(
        self,
        delivery: Delivery,
        reference: str,
        planned: Slot,
        preferences: Preferences | None = None,
        zone: ZoneInfo = UTC_ZONE,
    ) -> Delivery:
        """Create a delivery unless it exists, as part of a digest if it is planned so."""
        id = delivery_id(
            delivery.kind,
            delivery.game_id,
            reference,
            delivery.player,
            delivery.channel,
            delivery.endpoint,
        )
        at = planned.at
        if planned.in_digest and preferences is not None and preferences.digest is not None:
            if existing := self._deliveries.find(id):
                return existing
            for _ in range(_MAX_DIGESTS):
                digest = self._digest_of(delivery, at)
                self._deliveries.create(digest)
                part = replace(delivery, id=id, due_at=clock.format(at), digest=digest.id)
                if self._deliveries.create(part):
                    return part
                # It is being sent, and takes up nothing more.
                at = next_local_time(at, preferences.digest, zone)
        elif delivery.channel == "email" and delivery.kind == "message":
            return self._bundle(replace(delivery, id=id), at)
        single = replace(delivery, id=id, due_at=clock.format(at))
        self._deliveries.create(single)
        return single

    def _bundle(self, message: Delivery, at: datetime) -> Delivery:
        """Create the delivery of a message as part of a mail with others of the same game; return it.

        The first message opens the mail, which is sent after BUNDLE, and takes up those that come before.
        """
        if existing := self._deliveries.find(message.id):
            return existing
        now = clock.parse(message.created_at)
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
            part = replace(message, due_at=clock.format(due_at), digest=bundle.id)
            if self._deliveries.create(part):
                return part
        single = replace(message, due_at=clock.format(at))
        self._deliveries.create(single)
        return single

    @staticmethod
    def _digest_of(delivery: Delivery, at: datetime, game_id: str = "") -> Delivery:
        """Return the digest of a time to the endpoint of a delivery, of one game if it is given."""
        due_at = clock.format(at)
        id = delivery_id(
            DIGEST, game_id, due_at, delivery.player, delivery.channel, delivery.endpoint
        )
        return replace(
            delivery,
            id=id,
            kind=DIGEST,
            subject=DIGEST,
            game_id=game_id,
            seq=0,
            due_at=due_at,
            data={},
        )


def time_zone_of(account: Player) -> ZoneInfo:
    """Return the time zone of an account; UTC if it has none."""
    return time_zone(account.time_zone or UTC_NAME)
