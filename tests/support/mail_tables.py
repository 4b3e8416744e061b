"""Players who play whole games by mail while the service is killed, and remember every answer they sent.

An answer is delivered as a mail server does it: again and again until it is accepted. What comes of each is
known beforehand: the first answer with a legal action to the mail about a position is applied, and every
other one is refused.
"""

import random
import smtplib
import threading
import time
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP

from typing_extensions import override

from tests.support.bot_players import STUCK_SECONDS
from tests.support.mail_replies import Mailbox, forms_of, text_of
from tests.support.processes import Patience
from workers.mail.reply_text import read_reply

PAUSE = 0.05
"""Seconds between two looks into a mailbox, and before a mail is delivered again."""
NONSENSE = "I think about it"


@dataclass(frozen=True)
class SentAnswer:
    """An answer, its id for the service, and whether its action is to be taken."""

    id: str
    game_id: str
    player: str
    is_legal: bool


class MailTable(threading.Thread):
    """A thread in which players answer the mails of one game until `stop` is set, or the game is over.

    `error` is what went wrong, if anything did.
    """

    def __init__(
        self, game_id: str, mailboxes: dict[str, Mailbox], seed: int, stop: threading.Event
    ) -> None:
        """`mailboxes` has that of each player."""
        super().__init__(name=f"table {game_id}")
        self.game_id = game_id
        self._mailboxes = mailboxes
        self._chance = random.Random(seed)
        self._stop_event = stop
        self._answered: set[str] = set()
        """The addresses that were answered with a legal action; each stands for one position."""
        self._read = dict.fromkeys(mailboxes, 0)
        """How many mails of each player were looked at."""
        self._former: dict[str, EmailMessage] = {}
        """By player, the last mail that was answered with a legal action."""
        self.answers: list[SentAnswer] = []
        self.repeated_deliveries = 0
        self.is_over = False
        self.error: BaseException | None = None

    @override
    def run(self) -> None:
        """Play."""
        try:
            patience = Patience(idle_seconds=STUCK_SECONDS)
            while not self._stop_event.is_set() and not self.is_over:
                if self._answer_next():
                    patience = Patience(idle_seconds=STUCK_SECONDS)
                else:
                    patience.check(f"the next mail of game {self.game_id} is missing")
                    time.sleep(PAUSE)
        except BaseException as error:  # noqa: BLE001 # the test that waits for this thread raises it
            self.error = error

    def _answer_next(self) -> bool:
        """Answer the next mail about a position that was not answered yet; return False if there is none."""
        for player, mailbox in self._mailboxes.items():
            mails = mailbox.mails
            while self._read[player] < len(mails):
                mail = mails[self._read[player]].message
                self._read[player] += 1
                text = text_of(mail)
                self.is_over = self.is_over or "The game is over" in text
                forms, address = forms_of(text), str(mail["Reply-To"])
                if forms and address not in self._answered:
                    self._answer(player, mail, self._chance.choice(forms))
                    return True
        return False

    def _answer(self, player: str, mail: EmailMessage, form: str) -> None:
        chance = self._chance.random()
        if chance < 0.15:
            self._send(player, self._mailboxes[player].reply(NONSENSE, mail), is_legal=False)
        elif chance < 0.25 and player in self._former:
            # The position of that mail has passed.
            former = self._mailboxes[player].reply(form, self._former[player])
            self._send(player, former, is_legal=False)
        answer = self._mailboxes[player].reply(form, mail)
        self._answered.add(str(mail["Reply-To"]))
        self._send(player, answer, is_legal=True)
        if self._chance.random() < 0.15:
            # A mail server that has not got the response delivers a mail once more.
            self._deliver(player, answer)
        self._former[player] = mail

    def _send(self, player: str, answer: EmailMessage, *, is_legal: bool) -> None:
        """Deliver an answer, and remember it."""
        reply = read_reply(answer.as_bytes(policy=SMTP), str(answer["To"]).lower())
        assert reply is not None
        self._deliver(player, answer)
        self.answers.append(SentAnswer(reply.id, self.game_id, player, is_legal))

    def _deliver(self, player: str, answer: EmailMessage) -> None:
        """Deliver a mail until it is accepted."""
        patience = Patience(idle_seconds=STUCK_SECONDS)
        while True:
            try:
                self._mailboxes[player].deliver(answer)
            except (smtplib.SMTPException, OSError):
                self.repeated_deliveries += 1
                patience.check("the response to a mail is missing")
                time.sleep(PAUSE)
            else:
                return
