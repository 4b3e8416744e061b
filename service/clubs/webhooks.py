"""The webhook of a club, which reports its games and is set by its owner."""

from service.clubs.clubs import Clubs
from service.errors import Forbidden, NotFound
from service.notifications.channels import club_reader
from service.notifications.deliveries import Deliveries
from service.notifications.delivery import Delivery
from service.notifications.webhooks.webhooks import Format, Webhook, Webhooks


class ClubWebhooks:
    """The webhooks of all clubs. Methods raise Unavailable if Redis does not respond.

    They are for the owner of the club: they raise NotFound if there is no such club, or the player may not
    see it, and Forbidden for other players.
    """

    def __init__(self, clubs: Clubs, webhooks: Webhooks, deliveries: Deliveries) -> None:
        self._clubs = clubs
        self._webhooks = webhooks
        self._deliveries = deliveries

    def get(self, club_id: str, owner: str) -> Webhook | None:
        """Return the webhook of a club; None if it has none."""
        self._clubs.of_owner(club_id, owner)
        return next(reversed(self._webhooks.of(club_reader(club_id))), None)

    def find(self, club_id: str, owner: str) -> Webhook:
        """Return the webhook of a club. Raises NotFound, also if the club has none."""
        webhook = self.get(club_id, owner)
        if webhook is None:
            raise NotFound.with_message("this club has no webhook")
        return webhook

    def set(
        self, club_id: str, owner: str, url: str, format: Format, token_digest: str | None = None
    ) -> Webhook:
        """Give a club a webhook, which replaces an earlier one, and return it with its secret.

        `token_digest` is the hash of the personal token with which it ends. Raises Malformed.
        """
        self._clubs.of_owner(club_id, owner)
        reader = club_reader(club_id)
        webhook = self._webhooks.replace_all(reader, url, format, token_digest)
        try:
            # The club may have been closed, or have got another owner, in the meantime.
            self._clubs.of_owner(club_id, owner)
        except (NotFound, Forbidden):
            self._webhooks.delete_all_of(reader)
            raise
        return webhook

    def remove(self, club_id: str, owner: str) -> None:
        """Remove the webhook of a club. Idempotent."""
        self._clubs.of_owner(club_id, owner)
        reader = club_reader(club_id)
        for webhook in self._webhooks.of(reader):
            self._webhooks.remove(reader, webhook.id)

    def request_test(self, club_id: str, owner: str) -> None:
        """Request a test of the webhook of a club. Raises NotFound if it has none."""
        self._webhooks.request_test(club_reader(club_id), self.find(club_id, owner).id)

    def paused_until(self, club_id: str, webhook: Webhook) -> str | None:
        """Return the time until which the webhook of a club is paused after failures; None if it is not."""
        (until,) = self._webhooks.paused_until(club_reader(club_id), [webhook])
        return until

    def deliveries(
        self, club_id: str, owner: str, limit: int, before: str | None = None
    ) -> tuple[list[Delivery], str | None]:
        """Return a page of the deliveries to the webhook, newest first, and the cursor of the next page."""
        self._clubs.of_owner(club_id, owner)
        return self._deliveries.of_player(club_reader(club_id), limit, before)

    def delete_all_of(self, club_id: str) -> None:
        """Delete the webhook and the deliveries of a club that was closed."""
        self._webhooks.delete_all_of(club_reader(club_id))
        self._deliveries.delete_all_of(club_reader(club_id))
