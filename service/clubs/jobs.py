"""The mails about clubs that workers send."""

from typing import assert_never, cast

from domain.json_types import JsonObject
from domain.messages import message
from service.accounts.account_reader import Player
from service.bootstrap import Service
from service.clubs.notices import Occasion
from service.clubs.permissions import require_right
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


def change_notice(service: Service, data: JsonObject, reader: Player, server: str) -> Notice:
    """Return the mail to a player whom a change of a club concerns.

    Raises NotFound or Forbidden if it does not any more. `data` is that of `ClubNotices`.
    """
    occasion = cast("Occasion", data["occasion"])
    entry = service.clubs.visible(data["club"], reader.id)
    relation, by = entry.relation(reader.id), data["by"] or ""
    player, club = service.accounts.players.handles([by]).get(by, ""), entry.club.name
    other = service.clubs.visible_name(data.get("other") or "", None) or ""
    match occasion:
        case "requested":
            require_right(entry, reader.id, "invite")
            is_current = entry.relation(by) == "requesting"
            title = message("A player asks to join your club")
            sentence = message(
                "{player} asks to join the club “{club}” on {server}.",
                player=player,
                club=club,
                server=server,
            )
            advice = message("Look at the request, and admit the player or decline it:")
        case "admitted":
            is_current = relation == "member"
            title = message("You are a member of a club")
            sentence = message(
                "The club “{club}” on {server} has admitted you.", club=club, server=server
            )
            advice = message("Look at its members and its games:")
        case "declined":
            is_current = relation is None
            title = message("Your request to join a club was declined")
            sentence = message(
                "Your request to join the club “{club}” on {server} was declined.",
                club=club,
                server=server,
            )
            advice = message("This is the page of the club:")
        case "appointed":
            is_current = bool(entry.rights(reader.id))
            title = message("You are an officer of a club")
            sentence = message(
                "You are an officer of the club “{club}” on {server} now.", club=club, server=server
            )
            advice = message("What you can do stands on its page:")
        case "handed_on":
            is_current = entry.club.owner == reader.id
            title = message("You own a club")
            sentence = message(
                "{player} has handed the club “{club}” on {server} on to you. Its invitation link and its"
                " webhook have ended.",
                player=player,
                club=club,
                server=server,
            )
            advice = message("Look at its page, where you manage it:")
        case "challenged":
            require_right(entry, reader.id, "edit")
            is_current = True
            title = message("A club challenges yours")
            sentence = message(
                "{player} challenges the club “{club}” on {server} to a match with the club “{other}”.",
                player=player,
                club=club,
                server=server,
                other=other,
            )
            advice = message("Look at the challenge, and accept or decline it:")
        case "challenge_accepted":
            is_current = relation == "member"
            title = message("A club has accepted your challenge")
            sentence = message(
                "The club “{other}” on {server} has accepted the challenge of the club “{club}”. Enter your"
                " team now.",
                club=club,
                server=server,
                other=other,
            )
            advice = message("The match is among the tournaments of the club:")
        case "challenge_declined":
            is_current = relation == "member"
            title = message("A club has declined your challenge")
            sentence = message(
                "The club “{other}” on {server} has declined the challenge of the club “{club}”.",
                club=club,
                server=server,
                other=other,
            )
            advice = message("This is the page of the club:")
        case _:
            assert_never(occasion)
    if not is_current:
        raise NotFound.with_message("this has changed in the meantime")
    return Notice(
        title,
        (sentence, advice),
        f"/clubs/{entry.club.id}{'/challenges' if occasion == 'challenged' else ''}",
        message("{name}", name=entry.club.name),
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
