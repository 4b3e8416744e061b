"""Plays the actions with which players answer mails, and sends them the results.

An answer goes through the same command as an action over HTTP, with an idempotency key made from the mail. It
therefore acts at most once, on the position that the mail showed, however often it is delivered.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from email.utils import getaddresses
from typing import Any, Final

import dkim

from domain.errors import CartularyError, Malformed, Refused
from domain.json_types import JsonObject
from domain.messages import Message, Text, message
from service.accounts.account_reader import Player
from service.bootstrap import Service
from service.errors import ServiceError, Unavailable, log_text
from service.notifications.mail.reply_addresses import ReplyTarget
from service.notifications.stored_messages import encode_message
from service.provenance import Provenance, working_for
from workers.mail.reply_text import Reply, read_reply

log = logging.getLogger(__name__)

DNS_SECONDS: Final = 5
_MAX_SIGNATURES: Final = 4
"""The most signatures of a mail that are checked."""
TOO_LARGE: Final = message(
    "it is too large: answer with the action alone, without attachments and without the quoted mail"
)
_UNSIGNED: Final = message(
    "it has no valid signature (DKIM) of the domain of your address, which this server requires: play on the"
    " page of the game"
)


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one line: the seq of its event, or the reason why it was refused."""

    form: str
    seq: int | None = None
    why: Text | None = None
    clause: str | None = None

    def as_json(self) -> JsonObject:
        """Return the result in the form in which the account mail stores it."""
        why = None if self.why is None else encode_message(self.why)
        return {"form": self.form, "seq": self.seq, "why": why, "clause": self.clause}


class Replies:
    """Handles the answers of players. Thread-safe."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._mail = service.notifications.mail
        self._needs_signature = service.settings.reply_dkim

    def receive(self, recipient: str, sender: str, content: bytes) -> None:
        """Handle a mail to an address. `sender` is that of its envelope, "" for a mail that must not be
        answered.

        A mail to an unknown address, or from a program, is ignored. Raises TooManyRequests, and Unavailable
        if Redis or a name server does not respond: the mail must then be delivered again, and still acts at
        most once.
        """
        match = self._mail.reply_addresses.find(recipient)
        if match is None or not sender:
            log.info("a mail to no valid reply address, or from no sender, is ignored")
            return
        target, player = match
        reply = read_reply(content, recipient.lower())
        if reply is None:
            log.info("an automatic answer about game %s is ignored", target.game)
            return
        self._handle(target, player, reply, content)

    def refuse_large(self, recipient: str, sender: str) -> None:
        """Inform the player by mail that a mail to an address was too large to be read."""
        match = self._mail.reply_addresses.find(recipient)
        if match is None or not sender:
            return
        target, player = match
        self._mail.reply_addresses.count(player.id)
        self._answer(target, player, None, fault=TOO_LARGE)

    def _handle(self, target: ReplyTarget, player: Player, reply: Reply, content: bytes) -> None:
        addresses = self._mail.reply_addresses
        if addresses.is_handled(reply.id):
            return
        addresses.count(player.id)
        fault, results = reply.fault, []
        if fault is None and self._needs_signature and not is_signed(content, player.email or ""):
            fault = _UNSIGNED
        if fault is None:
            with working_for(Provenance("mail", reply.id)):
                results = self._act(target, player.id, reply)
                for result in results:
                    why = "accepted" if result.why is None else log_text(CartularyError(result.why))
                    log.info("an answer to a mail about game %s: %s", target.game, why)
        self._answer(target, player, reply.id, results, fault)
        addresses.mark_handled(reply.id)

    def _act(self, target: ReplyTarget, player: str, reply: Reply) -> list[Result]:
        """Take the actions of an answer until one is refused; take none if a line is not an action."""
        try:
            game = self._service.games.queries.visible_game(target.game, player)
        except Unavailable:
            raise
        except CartularyError as error:
            return [_refusal(reply.forms[0], error)]
        actions: list[Any] = []
        for form in reply.forms:
            try:
                action = game.rules.parse_action_text(form)
                actions.append(dict(game.rules.action_to_json(action)))
            except CartularyError as error:
                return [_refusal(form, error)]
        results: list[Result] = []
        seq = target.seq
        for number, (form, action) in enumerate(zip(reply.forms, actions, strict=True)):
            try:
                accepted = self._service.games.commands.act(
                    target.game, player, action, seq, f"reply {reply.id} {number}"
                )
            except Unavailable:
                raise
            except CartularyError as error:
                results.append(_refusal(form, error))
                break
            seq = accepted.receipt["seq"]
            results.append(Result(form, seq))
        return results

    def _answer(
        self,
        target: ReplyTarget,
        player: Player,
        id: str | None,
        results: Sequence[Result] = (),
        fault: Message | None = None,
    ) -> None:
        """Have a mail sent to the confirmed address of the player; if it has an id, only once."""
        data: JsonObject = {
            "game": target.game,
            "seq": target.seq,
            "results": [result.as_json() for result in results],
            "fault": None if fault is None else encode_message(fault),
        }
        self._mail.account_mails.add("reply_answer", player.id, target.address, data, id)


def is_signed(content: bytes, address: str) -> bool:
    """Return whether a mail is from an address, and has a valid signature (DKIM) of the address's domain.

    The domain that signs may be a parent domain of that of the address. Raises Unavailable if a name server
    does not respond.
    """
    domain = address.rpartition("@")[2].lower()
    try:
        mail = dkim.DKIM(content, timeout=DNS_SECONDS)
        senders = [value for name, value in mail.headers if name.lower() == b"from"]
        signatures = [value for name, value in mail.headers if name.lower() == b"dkim-signature"]
        if len(senders) != 1 or address.lower() not in _addresses(senders[0]):
            return False
        for index in range(min(len(signatures), _MAX_SIGNATURES)):
            if dkim.DKIM(content, timeout=DNS_SECONDS).verify(index, _key_record):
                signer = dkim.util.parse_tag_value(signatures[index])[b"d"].decode().strip().lower()
                if domain == signer or domain.endswith(f".{signer}"):
                    return True
    except (dkim.DKIMException, UnicodeError, KeyError):
        return False
    return False


def _key_record(name: bytes, timeout: float = DNS_SECONDS) -> bytes | None:
    """Return the DNS record of a key. Raises Unavailable, where dkimpy would call the signature invalid."""
    try:
        record: bytes | None = dkim.get_txt(name, timeout)
    except dkim.DnsTimeoutError as error:
        raise Unavailable(message("no name server responds"), 60) from error
    return record


def _addresses(header: bytes) -> list[str]:
    """Return the addresses in a header `From`; none if there are several."""
    addresses = [
        address.lower() for _, address in getaddresses([header.decode("utf-8", "replace")])
    ]
    return addresses if len(addresses) == 1 else []


def _refusal(form: str, error: CartularyError) -> Result:
    if isinstance(error, Malformed):
        return Result(form, why=error.fields.get("", error.why))
    if isinstance(error, Refused):
        return Result(form, why=error.why, clause=error.clause)
    return Result(form, why=error.why if isinstance(error, ServiceError) else error.message)
