"""The mails about clubs that workers send."""

from domain.messages import message
from service.accounts.account_reader import Player
from service.bootstrap import Service
from service.errors import NotFound
from service.notifications.mail.notice import Notice
from service.notifications.stored_messages import decode_message


def invitation_notice(service: Service, club_id: str, reader: Player, server: str) -> Notice:
    """Return the mail to a player who is invited to a club. Raises NotFound for other players."""
    entry = service.clubs.visible(club_id, reader.id)
    if entry.relation(reader.id) != "invited":
        raise NotFound.with_message("the invitation no longer waits for an answer")
    club = entry.club
    inviter = entry.inviter(reader.id)
    handles = service.accounts.players.handles([inviter])
    sentence = message(
        "{owner} invites {handle} to the club “{club}” on {server}.",
        owner=handles.get(inviter, ""),
        handle=reader.handle,
        club=club.name,
        server=server,
    )
    return Notice(
        message("You are invited to a club"),
        (sentence, message("Look at the club, and accept or decline the invitation:")),
        f"/clubs/{club.id}",
        message("{name}", name=club.name),
    )


def webhook_notice(service: Service, club_id: str, webhook_id: str, reader: Player) -> Notice:
    """Return the mail to the owner of a club whose webhook was disabled.

    Raises NotFound if the webhook was replaced or removed, and Forbidden if the club has another owner.
    """
    club = service.clubs.of_owner(club_id, reader.id).club
    webhook = service.club_webhooks.find(club.id, reader.id)
    if webhook.id != webhook_id:
        raise NotFound.with_message("the webhook was replaced")
    sentence = message(
        "Notifications to the webhook {url} of your club “{club}” have failed again and again. The last"
        " result was: {result}",
        url=webhook.url,
        club=club.name,
        result=decode_message(webhook.result or ""),
    )
    return Notice(
        message("The webhook of your club was disabled"),
        (
            sentence,
            message(
                "Nothing is sent there now. When it works again, you can set it again on the page of the"
                " club:"
            ),
        ),
        f"/clubs/{club.id}#webhook-heading",
        message("{name}", name=club.name),
    )
