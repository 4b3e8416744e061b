"""The texts of the verifier of records (static/js/verify), which contains none.

The names in braces that a text shows, such as `{seq}`, are replaced by the script.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from domain.messages import Message, message
from replay.audit import summary
from replay.audit.evidence_holders import may_have_copy, may_have_receipt

_LINE: Final = "{line}"
_COLUMN: Final = "{column}"
_SEQ: Final = "{seq}"
_FIELD: Final = "{field}"
_KEY: Final = "{key}"
_SECRET: Final = "{secret}"  # noqa: S105 # the name of a place in a text


_TOPICS_OF_AUDIT: Final = frozenset({"rules", "witness"})
"""Topics of questions that only an audit asks."""


class CheckText(NamedTuple):
    """What a check is called, and the question that it decides.

    The explanation claims nothing: the verdict beside it answers the question.
    """

    title: Message
    explanation: Message


CHECKS: Final[Mapping[str, CheckText]] = {
    "form": CheckText(
        message("Form"),
        message(
            "Whether every line is canonical JSON, has the fields that it must have, and comes where it may"
            " come."
        ),
    ),
    "chain": CheckText(
        message("Hash chain"),
        message(
            "Whether every event contains its number, the hash of its own content and that of the event"
            " before, and no time is earlier than the one before."
        ),
    ),
    "head": CheckText(
        message("Signature of the server"),
        message(
            "Whether the header names the last event, and is signed with a key that you trust."
        ),
    ),
    "secrets": CheckText(
        message("Secrets"),
        message("Whether every opened secret is the one that the record committed to before."),
    ),
    "chance": CheckText(
        message("Nonces and draws"),
        message(
            "Who supplied the last nonce, and whether the seats, the board and the tiles at the start are"
            " those that the secret and the nonces give."
        ),
    ),
    "signatures": CheckText(
        message("Signatures of players"),
        message(
            "Whether everything that is signed by a player was signed with a key that this player had then,"
            " for this game and this moment."
        ),
    ),
    "receipts": CheckText(
        message("Receipts"),
        message(
            "Whether the record contains every event for which there is a receipt of the server."
        ),
    ),
    "inclusion": CheckText(
        message("Transparency log"),
        message("Whether the header proves that the log of the server contains this history."),
    ),
}
"""The checks, by the names that the script has for them, in the order in which they are shown."""

_NO_ED25519: Final = message("This check cannot be done in this browser: it has no Ed25519.")

FINDINGS: Final[Mapping[str, Message]] = {
    "unreadable": message("This cannot be checked, because the file cannot be read to its end."),
    "no-ed25519": _NO_ED25519,
    "form record-too-large": message(
        "The file has more than 64 MiB, which no game record has. It was not read."
    ),
    "form no-record": message("The file is not a game record of this format."),
    "form no-events": message("The record contains no events."),
    "form line-too-long": message("Line {line} has more than 1 MiB.", line=_LINE),
    "form too-many-values": message(
        "Up to line {line}, the record has more than four million values.", line=_LINE
    ),
    "form line-order": message("Line {line} is not where it may be.", line=_LINE),
    "form creation": message(
        "Line {line}: the first event, and no other, creates the game.", line=_LINE
    ),
    "form field-missing": message(
        "Line {line}: the field {field} is missing.", line=_LINE, field=_FIELD
    ),
    "form field-invalid": message(
        "Line {line}: the field {field} has an invalid value.", line=_LINE, field=_FIELD
    ),
    "form field-unknown": message(
        "Line {line}: what the field {field} means is not known here. A newer version may know it.",
        line=_LINE,
        field=_FIELD,
    ),
    "form json-utf8": message("Line {line} is not text in UTF-8.", line=_LINE),
    "form json-syntax": message(
        "Line {line} is not JSON: there is an error at character {column}.",
        line=_LINE,
        column=_COLUMN,
    ),
    "form json-space": message(
        "Line {line} is not canonical: there is white space at character {column}.",
        line=_LINE,
        column=_COLUMN,
    ),
    "form json-number": message(
        "Line {line} is not canonical: the number at character {column} is not an integer below 2⁵³ in its"
        " shortest form.",
        line=_LINE,
        column=_COLUMN,
    ),
    "form json-keys": message(
        "Line {line} is not canonical: the key at character {column} occurs twice or is out of order.",
        line=_LINE,
        column=_COLUMN,
    ),
    "form json-string": message(
        "Line {line} is not canonical: at character {column}, a string has an escape that it must not have,"
        " or lacks one.",
        line=_LINE,
        column=_COLUMN,
    ),
    "form json-depth": message(
        "Line {line} has more than 254 levels of lists and objects.", line=_LINE
    ),
    "chain seq": message(
        "Event {seq} follows event {previous}: events were removed, repeated or reordered.",
        seq=_SEQ,
        previous="{previous}",
    ),
    "chain prev": message(
        "Event {seq} does not contain the hash of the event before it: that event was changed, inserted or"
        " removed.",
        seq=_SEQ,
    ),
    "chain hash": message(
        "The hash of event {seq} does not match its content: it was changed after it was sealed.",
        seq=_SEQ,
    ),
    "chain time": message(
        "The time of event {seq} is before that of the event before it.", seq=_SEQ
    ),
    "chain game": message("Event {seq} is of another game, {game}.", seq=_SEQ, game="{game}"),
    "head key-twice": message("The header lists key {key} twice.", key=_KEY),
    "head key-times": message(
        "The header lists key {key} as retired before it became valid.", key=_KEY
    ),
    "head key-id": message("The header lists another key under the id {key}.", key=_KEY),
    "head seq": message(
        "The server has signed event {seq} as the last one, but the last event of the record is {last}.",
        seq=_SEQ,
        last="{last}",
    ),
    "head hash": message("The last event is not the one that the server has signed."),
    "head game": message("The header and the first event are not of the same game and rules."),
    "head key-not-listed": message(
        "The header is signed with key {key}, which it does not list.", key=_KEY
    ),
    "head signature": message("The signature of the header by key {key} is not valid.", key=_KEY),
    "head key-retired": message(
        "The header is signed with key {key} after that key was retired.", key=_KEY
    ),
    "head unknown-key": message(
        "The signature by key {key} is valid, but this key is none of those that you trust. Anybody can make"
        " a key and sign a record with it.",
        key=_KEY,
    ),
    "secrets no-commitment": message(
        "Line {line} opens the secret {secret}, to which event {seq} has not committed.",
        line=_LINE,
        secret=_SECRET,
        seq=_SEQ,
    ),
    "secrets value": message(
        "The secret {secret} as opened in line {line} is not the one that event {seq} has committed to.",
        secret=_SECRET,
        line=_LINE,
        seq=_SEQ,
    ),
    "secrets not-opened": message(
        "The secret {secret} of event {seq} is not opened, although the game has ended.",
        secret=_SECRET,
        seq=_SEQ,
    ),
    "secrets closed": message(
        "The secret {secret} of event {seq} is opened only when the game has ended.",
        secret=_SECRET,
        seq=_SEQ,
    ),
    "secrets in-progress": message(
        "The secret of the game is published only when the game has ended."
    ),
    "secrets game-secret": message(
        "The secret that event {seq} publishes is not the one that the first event has committed to.",
        seq=_SEQ,
    ),
    "chance in-progress": message(
        "What was drawn can be drawn again only when the game has ended and its secret is published."
    ),
    "chance server-nonce": message(
        "The server supplied the last nonce itself, so it could have chosen what was drawn."
    ),
    "chance no-nonce": message(
        "No player sent a nonce after the commitment was published, so the server could have chosen what was"
        " drawn."
    ),
    "chance new-draws": message(
        "The server could have chosen what was drawn again when play resumed with event {seq}, which depends"
        " on a time that the server set.",
        seq=_SEQ,
    ),
    "chance new-draws-nonce": message(
        "Nobody sent a last nonce for what was drawn again when play resumed with event {seq}, so the server"
        " could have chosen it.",
        seq=_SEQ,
    ),
    "chance nonce-origin": message(
        "The record does not say who supplied the last nonce: the player who joined last can decide whether"
        " the server could have chosen what was drawn."
    ),
    "chance sent-commitment": message(
        "The commitment to the secret is not the one that this browser had seen before it sent random bytes."
    ),
    "chance sent-nonce": message(
        "The record does not have the random bytes that this browser sent, although the server had accepted"
        " them."
    ),
    "chance sent-nonce-unconfirmed": message(
        "The record does not have the random bytes that this browser sent. The server has not confirmed that"
        " it got them."
    ),
    "chance seats": message(
        "The seats that event {seq} gives the players are not those that the secret and the nonces give.",
        seq=_SEQ,
    ),
    "chance set-up": message(
        "The board and the tiles of event {seq} are not those that the secret and the nonces give.",
        seq=_SEQ,
    ),
    "signatures no-action": message(
        "Event {seq} has a signature, but no action or statement that it could cover.", seq=_SEQ
    ),
    "signatures key-not-added": message(
        "Event {seq} is signed with key {key}, which its player has not registered.",
        seq=_SEQ,
        key=_KEY,
    ),
    "signatures key-revoked": message(
        "Event {seq} is signed with key {key}, which its player has revoked.", seq=_SEQ, key=_KEY
    ),
    "signatures key-id": message(
        "The key that event {seq} adds is not valid, or has another id.", seq=_SEQ
    ),
    "signatures history": message(
        "The player signed event {seq} after an event that is not in this record.", seq=_SEQ
    ),
    "signatures moment": message(
        "The player signed event {seq} for the position after event {seen}, but event {changed} came after"
        " that.",
        seq=_SEQ,
        seen="{seen}",
        changed="{changed}",
    ),
    "signatures statement": message(
        "The player signed event {seq} after event {seen}, but made another statement with event {stated}.",
        seq=_SEQ,
        seen="{seen}",
        stated="{stated}",
    ),
    "signatures no-mark": message(
        "Event {seq} has the proof of a conditional action, but is not marked as one.", seq=_SEQ
    ),
    "signatures void": message(
        "What the player of event {seq} had prepared after event {seen} was void with event {void}.",
        seq=_SEQ,
        seen="{seen}",
        void="{void}",
    ),
    "signatures not-prepared": message(
        "The action of event {seq} is none of those that its player had prepared and signed.",
        seq=_SEQ,
    ),
    "signatures signature": message(
        "The signature of event {seq} by key {key} is not valid.", seq=_SEQ, key=_KEY
    ),
    "receipts form": message("A receipt does not have the form of one."),
    "receipts key-not-listed": message(
        "The receipt for event {seq} is signed with key {key}, which neither you nor the record know.",
        seq=_SEQ,
        key=_KEY,
    ),
    "receipts signature": message(
        "The signature of the receipt for event {seq} is not valid.", seq=_SEQ
    ),
    "receipts game": message("A receipt is for another game."),
    "receipts omitted": message(
        "The server has signed a receipt for event {seq}, which the record omits.", seq=_SEQ
    ),
    "receipts later": message(
        "There is a receipt for event {seq}, and the record ends before it: a newer record decides whether"
        " the server omits that event.",
        seq=_SEQ,
    ),
    "receipts event": message(
        "The server has signed a receipt for another event {seq} than the one in this record.",
        seq=_SEQ,
    ),
    "receipts key-period": message(
        "The receipt for event {seq} is signed with key {key}, which was not valid then.",
        seq=_SEQ,
        key=_KEY,
    ),
    "inclusion missing": message(
        "The server publishes a log of all games, and the record has no proof that this history is in it: a"
        " record that is downloaded again has the proof, unless the server withholds it."
    ),
    "inclusion earlier": message(
        "The proof that the log of the server contains this history ends with event {seq}: a record that is"
        " downloaded again proves more, unless the server withholds it.",
        seq=_SEQ,
    ),
    "inclusion other-log": message(
        "The proof of inclusion is of the log {origin}, and the header names the log {log}.",
        origin="{origin}",
        log="{log}",
    ),
    "inclusion new-log": message(
        "This history is in the log {origin}, and not in the log {log}, which is known as that of the server:"
        " a witness that has followed both can decide whether one continues the other.",
        origin="{origin}",
        log="{log}",
    ),
    "inclusion form": message("The proof of inclusion does not have the form of one."),
    "inclusion event": message(
        "The server has logged another event {seq} than the one in this record.", seq=_SEQ
    ),
    "inclusion checkpoint": message("The checkpoint of the proof of inclusion cannot be read."),
    "inclusion path": message("The proof of inclusion does not lead to its checkpoint."),
    "inclusion signature": message(
        "The checkpoint of the proof of inclusion is signed by none of the keys that the record lists."
    ),
}
"""What a check has found, by the name of the check and the code; some codes are the same for every check."""


QUESTIONS: Final[Mapping[str, Message]] = {
    **{name: text for name, text in summary.QUESTIONS.items() if name not in _TOPICS_OF_AUDIT},
    "browser": message("what this browser is too old to check"),
}
"""What cannot be known, by topic."""
MEANINGS: Final[Mapping[str, Message]] = {
    **{name: text for name, text in summary.MEANINGS.items() if name in QUESTIONS},
    "browser": message(
        "A newer browser can check the signatures, and so can the command line below."
    ),
}
"""What each of these questions means for the reader, by topic."""
FAULTS: Final[Mapping[str, Message]] = {
    name: text for name, text in summary.FAULTS.items() if name in CHECKS
}
"""What is broken, by the check that has found it."""
NUMBERS: Final = summary.NUMBERS
SENTENCES: Final[Mapping[str, Message]] = {
    "sound": message("Everything that your browser can check is right."),
    "sound-means": message(
        "Nothing was changed since the server signed it. Whether the rules allowed what happened is decided"
        " by an audit, below."
    ),
    "one-open": summary.one_open("{question}"),
    "several-open": summary.several_open("{number}", "{questions}"),
    "open-means": summary.EVERYTHING_ELSE_HOLDS,
    "broken": summary.broken("{fault}", None),
    "broken-event": summary.broken("{fault}", _SEQ),
    **{f"answers-{name}": sentence for name, sentence in summary.ANSWERS.items()},
    "all-signed": summary.ALL_SIGNED,
    "none-signed": summary.NONE_SIGNED,
    "some-signed": summary.some_signed("{actions}", "{signed}"),
    "receipt": may_have_receipt("{player}", _SEQ),
    "copies": may_have_copy("{players}"),
}
"""The sentences for the whole, which the script puts together by the same topics as an audit."""
