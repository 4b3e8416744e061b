"""A notice: the mail that tells the owner of an account something."""

from dataclasses import dataclass

from domain.messages import Message


@dataclass(frozen=True, slots=True)
class Notice:
    """What a mail about an account says: sentences, a link to a page of this server, and what follows it.

    `button` is what the link is called where mails have buttons. `footer` is for people whom the mail does
    not concern.
    """

    title: Message
    sentences: tuple[Message, ...]
    path: str
    button: Message
    closing: Message | None = None
    footer: Message | None = None
