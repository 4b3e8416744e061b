"""What mail programs add directly below an action is left out, in the languages in which players write."""

import time
from typing import Final

import pytest

from workers.mail.quotations import LANGUAGES
from workers.mail.reply_text import MAX_ACTIONS, action_lines, read_reply

FORM: Final = "move 0,0>1,0"
ADDRESS: Final = "Cartulary <games+0123456789abcdef0123456789abcdef@example.org>"
NOTICES: Final = {
    "en": ("Sent from my iPhone", "Get Outlook for iOS", "Sent with Proton Mail secure email."),
    "fr": (
        *("Envoyé de mon iPhone", "Envoyé depuis mon appareil Galaxy", "Obtenir Outlook pour iOS"),
        *("Provenance\u202f: Courrier pour Windows", "Envoyé à partir de Outlook pour Android"),
    ),
    "es": ("Enviado desde mi iPhone", "Obtener Outlook para Android", "Enviado con Proton Mail"),
    "de": (
        *("Von meinem iPhone gesendet", "Von meinem/meiner Galaxy gesendet"),
        *("Gesendet von Outlook für iOS", "Gesendet mit der GMX Mail App"),
        "Diese Nachricht wurde von meinem Android Mobiltelefon mit WEB.DE Mail gesendet.",
    ),
    "it": ("Inviato da iPhone", "Inviato dal mio Galaxy", "Ottieni Outlook per iOS"),
    "pt": ("Enviado do meu iPhone", "Enviado a partir do meu Galaxy", "Obter o Outlook para iOS"),
}
"""By language, lines that phones and programs add."""
HEADERS: Final = {
    "en": (f"From: {ADDRESS}\nSent: Monday, March 2, 2026 10:00 AM\nTo: ada@example.org",),
    "fr": (
        f"De : {ADDRESS}\nEnvoyé : lundi 2 mars 2026 10:00\nÀ : ada@example.org\nObjet : Partie",
        f"De\u00a0: {ADDRESS}\nEnvoyé\u00a0: lundi 2 mars 2026 10:00\nÀ\u00a0: ada@example.org",
        f"**De :** {ADDRESS}\n**Date :** 2 mars 2026",
    ),
    "es": (f"De: {ADDRESS}\nEnviado: lunes, 2 de marzo de 2026 10:00\nPara: ada@example.org",),
    "de": (f"Von: {ADDRESS}\nGesendet: Montag, 2. März 2026 10:00\nAn: ada@example.org",),
    "it": (f"Da: {ADDRESS}\nInviato: lunedì 2 marzo 2026 10:00\nA: ada@example.org",),
    "pt": (f"De: {ADDRESS}\nEnviada em: segunda-feira, 2 de março de 2026 10:00\nPara: ada",),
}
"""By language, headers of the mail that is answered, as Outlook writes them."""
SENTENCES: Final = {
    "en": (
        f"On Mon, Mar 2, 2026 at 10:00 AM {ADDRESS}\nwrote:",
        f"On Mon, Mar 2, 2026 at 10:00 AM Cartulary\n<{ADDRESS[11:]}\nwrote:",
        "On 3/2/26 10:00, Cartulary wrote:",
    ),
    "fr": (
        f"Le lun. 2 mars 2026 à 10:00, {ADDRESS} a\nécrit :",
        f"Le lun. 2 mars 2026 à 10:00, {ADDRESS}\na e\u0301crit\u00a0:",
        "Le 02/03/2026 à 10:00, Cartulary a écrit :",
    ),
    "es": (
        f"El lun, 2 mar 2026 a las 10:00, Cartulary (<{ADDRESS[11:]})\nescribió:",
        f"El 2 mar 2026, a las 10:00,\n{ADDRESS}\nescribió:",
    ),
    "de": (
        f"Am Mo., 2. März 2026 um 10:00 Uhr schrieb Cartulary <\n{ADDRESS[11:]}:",
        "Am 02.03.2026 um 10:00 schrieb Cartulary:",
        f"Am Montag, 2. März 2026 um 10:00:00 MEZ hat {ADDRESS}\nFolgendes geschrieben:",
    ),
    "it": (
        f"Il giorno lun 2 mar 2026 alle ore 10:00 {ADDRESS} ha\nscritto:",
        "Il 02/03/2026 10:00, Cartulary ha scritto:",
    ),
    "pt": (
        f"Em seg., 2 de mar. de 2026 às 10:00, {ADDRESS}\nescreveu:",
        f"{ADDRESS} escreveu (dia segunda,\n2/03/2026 à(s) 10:00):",
        f"No dia 2 de mar. de 2026, às 10:00,\n{ADDRESS} escreveu:",
    ),
}
"""By language, sentences with which programs introduce a quotation, some of them broken into lines."""


def additions() -> list[str]:
    return [
        text
        for table in (NOTICES, HEADERS, SENTENCES)
        for language in LANGUAGES
        for text in table[language]
    ]


def test_every_language_has_examples_of_every_addition() -> None:
    for table in (NOTICES, HEADERS, SENTENCES):
        assert tuple(table) == LANGUAGES


@pytest.mark.parametrize("addition", additions())
def test_an_addition_below_an_action_is_left_out(addition: str) -> None:
    for rest in ("", "\n> It is your turn.\n", "\n\nIt is your turn.\n"):
        for gap in ("\n", "\n\n", " \u200b\r\n"):
            text = f"\u00a0Move 0,0>1,0\nbuild village 1,0{gap}{addition}{rest}"
            assert action_lines(text) == [FORM, "build village 1,0"]
        assert action_lines(f"{addition}{rest}") == []


@pytest.mark.parametrize("addition", [text for table in SENTENCES.values() for text in table])
def test_an_action_below_a_quotation_is_read(addition: str) -> None:
    for gap in ("\n", "\n\n"):
        assert action_lines(f"{addition}{gap}> It is your turn.\n>\n\n{FORM}\n") == [FORM]


@pytest.mark.parametrize(
    "text", ["2026年3月2日 10:00 Cartulary <games@example.org>:", "Dne 2. 3. 2026 napsal(a):"]
)
def test_a_sentence_in_another_language_is_left_out_before_a_quotation(text: str) -> None:
    assert action_lines(f"{FORM}\n{text}\n> It is your turn.\n") == [FORM]


def test_other_lines_are_kept() -> None:
    lines = [FORM, "expedition 3,-1", "pass", "onward", "wrote 1", "from 1,0", "seat a: pass"]
    assert action_lines("\n".join(lines)) == lines


HOSTILE: Final = (
    *("\n", "\u200b", "> ", "On ", "On x@y wrote\n", "x:\n\n", "On x wrote:\n>\n", "Sent from my"),
    *("On x wrote:\n\n>\n", "move 0,0>1,0\n", "e\u0301"),
)


@pytest.mark.parametrize(
    ("piece", "form"),
    [*((piece, "fixed") for piece in HOSTILE), ("a \n", "flowed"), (" \n", "flowed")],
)
def test_a_hostile_text_of_a_megabyte_is_read_immediately(piece: str, form: str) -> None:
    head = f"Content-Type: text/plain; charset=utf-8; format={form}\r\n\r\n"
    text = piece * ((1 << 20) // len(piece.encode()))
    start = time.process_time()
    reply = read_reply((head + text).encode(), "token")
    # It takes a second at most. If the time grows with the square of the length, it takes minutes.
    assert time.process_time() - start < 10
    assert reply is not None
    assert len(reply.forms) <= MAX_ACTIONS
