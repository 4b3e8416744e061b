"""A notice: a mail that informs the owner of an account."""

from dataclasses import dataclass

from domain.messages import Message


@dataclass(frozen=True, slots=True)
class Notice:
    """The content of a mail about an account: sentences, a link to a page of this server, and more sentences.

    `button` is the label of the link where mails have buttons. `footer` is for people whom the mail does not
    concern.
    """

    title: Message
    sentences: tuple[Message, ...]
    path: str
    button: Message
    closing: Message | None = None
    footer: Message | None = None
