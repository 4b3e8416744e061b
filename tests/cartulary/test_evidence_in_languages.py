"""Audits, comparisons and witnesses in French and Spanish, with the names of the players."""

import functools
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import httpx
import orjson
import pytest
from click.testing import CliRunner, Result

from cartulary.cli import cartulary
from client import clients
from client.clients import Client
from client.errors import ServerUnavailable
from client.retries import UNTRUSTED_SERVER
from client.witness.calls import checkpoint
from domain.event import Event
from replay.language.catalogue import languages
from replay.language.renderer import renderer
from tests.quarrels.evidence import late, two_weeks
from tests.support.log_server import LogServer
from tests.support.records import KEY, Table, forge_record, signed_again

Run = Callable[..., Result]
URL: Final = "http://log.test:8000"
LANGUAGES: Final = ("fr", "es")


def words(text: str) -> str:
    """The text with single spaces, so that it does not matter where lines are broken."""
    return " ".join(text.split())


def identifiers(value: Any) -> Any:
    """The JSON of an audit without its sentences."""
    sentences = {"what", "means", "evidence", "holders", "of", "left_out", "conclusion"}
    if isinstance(value, dict):
        return {name: identifiers(part) for name, part in value.items() if name not in sentences}
    return [identifiers(part) for part in value] if isinstance(value, list) else value


def sentences(value: Any) -> list[str]:
    """The problems and meanings in the JSON of an audit."""
    if isinstance(value, dict):
        names = ("what", "means", "evidence", "sentence")
        own = [value[name] for name in names if name in value]
        return own + [text for part in value.values() for text in sentences(part)]
    return [text for part in value for text in sentences(part)] if isinstance(value, list) else []


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (
            "fr",
            (
                "partie local, Barony à 2 joueurs, 14 événements, en cours, enregistrement signé par la clé",
                "✓ chaîne 14 empreintes d'événements recalculées",
                (
                    "décisions événement 13 : Bea a agi le dim. 22 nov. 2026, 06:00:02,843 (UTC), avec"
                    " 2,843 s de retard :"
                    " l'échéance était le dim. 22 nov. 2026, 06:00:00,000 (UTC). L'action est valable"
                ),
                "signatures Ada a signé 5 actions sur 5.",
                "signatures Bea n'a signé aucune de ses 4 actions",
                "indéterminé : 2 questions restent ouvertes, énumérées ci-dessus",
            ),
        ),
        (
            "es",
            (
                "partida local, Barony para 2 jugadores, 14 eventos, en curso, archivo firmado con la clave",
                "✓ cadena 14 hashes de eventos recalculados",
                (
                    "decisiones evento 13: Bea actuó el dom, 22 nov 2026, 6:00:02,843 (UTC), con"
                    " 2,843 s de retraso: el"
                    " plazo vencía el dom, 22 nov 2026, 6:00:00,000 (UTC). La acción es válida"
                ),
                "firmas Ada firmó 5 acciones de 5.",
                "firmas Bea no firmó ninguna de sus 4 acciones",
                "indeterminado: quedan 2 preguntas abiertas, enumeradas arriba",
            ),
        ),
    ],
)
def test_an_audit_is_reported_in_the_language_with_names(
    run: Run, tmp_path: Path, language: str, expected: tuple[str, ...]
) -> None:
    path = tmp_path / "late.jsonl"
    path.write_bytes(late())
    result = run("audit", path, "--lang", language)
    assert result.exit_code == 3
    for text in expected:
        assert text in words(result.stdout)


@pytest.mark.parametrize(
    ("language", "first", "verdict"),
    [
        (
            "fr",
            (
                "premier défaut ligne 6, événement 5 : son empreinte ne correspond pas à son contenu"
                " L'événement a été modifié après avoir été scellé."
            ),
            "non conforme : ligne 6, événement 5 : son empreinte ne correspond pas à son contenu (et",
        ),
        (
            "es",
            (
                "primer fallo línea 6, evento 5: su hash no corresponde a su contenido"
                " El evento se modificó después de sellarse."
            ),
            "incorrecto: línea 6, evento 5: su hash no corresponde a su contenido (y",
        ),
    ],
)
def test_a_broken_record_is_reported_in_the_language(
    run: Run, path: Path, language: str, first: str, verdict: str
) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    lines[5] = lines[5].replace(b'"at":"2026-', b'"at":"2027-')
    path.write_bytes(b"".join(lines))
    result = run("audit", path, "--lang", language)
    assert result.exit_code == 1
    assert first in words(result.stdout)
    assert words(result.stdout.splitlines()[-1]).startswith(verdict)


def test_the_json_of_an_audit_has_the_same_identifiers_in_every_language(
    run: Run, path: Path
) -> None:
    def change(events: list[Event]) -> None:
        events[9]["at"] = "2026-01-01T00:00:00.000Z"

    path.write_bytes(forge_record(path.read_bytes(), change))
    documents: Mapping[str, Any] = {
        language: orjson.loads(run("audit", path, "--json", "--lang", language).stdout)
        for language in languages()
    }
    assert len(sentences(documents["en"])) > 5
    for language in LANGUAGES:
        assert identifiers(documents[language]) == identifiers(documents["en"])
        assert not {*sentences(documents[language])} & {*sentences(documents["en"])}


def test_totals_agree_with_their_numbers(run: Run, path: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.jsonl").write_bytes(b"{}\n")
    french = run("audit", path, path, "broken.jsonl", "missing.jsonl", "--lang", "fr")
    assert french.stdout.splitlines()[-1] == "2 conformes sur 4, 1 non conforme, 1 introuvable"
    spanish = run("audit", path, "broken.jsonl", "broken.jsonl", "--lang", "es")
    assert spanish.stdout.splitlines()[-1] == "1 correcto de 3, 2 incorrectos"


@pytest.mark.parametrize(
    ("language", "proof", "verdict"),
    [
        (
            "fr",
            (
                "Preuve contre le serveur qui a la clé {key} : il a signé la tête d'un enregistrement,"
                " événement 15, avec l'empreinte"
            ),
            "divergence : l'événement 13 a été réécrit",
        ),
        (
            "es",
            (
                "Prueba contra el servidor que tiene la clave {key}: firmó la cabeza de un archivo de"
                " partida, evento 15, con el hash"
            ),
            "divergencia: el evento 13 se reescribió",
        ),
    ],
)
def test_a_comparison_is_reported_in_the_language_with_names(
    run: Run, tmp_path: Path, language: str, proof: str, verdict: str
) -> None:
    for name, data in zip(("a.jsonl", "b.jsonl"), two_weeks(), strict=True):
        (tmp_path / name).write_bytes(data)
    result = run("compare", "a.jsonl", "b.jsonl", "--lang", language)
    assert result.exit_code == 1
    assert proof.format(key=KEY.id) in words(result.stdout)
    assert "(UTC), Bea, KnightsRecruited" in words(result.stdout)
    assert words(result.stdout.splitlines()[-1]) == verdict


@pytest.mark.parametrize(
    ("language", "two_logs", "proven"),
    [
        (
            "fr",
            "deux journaux : le nouveau point de contrôle a une autre racine pour 2 entrées",
            "prouvé : cette clé a signé deux points de contrôle de journaux différents : 2 entrées de racine",
        ),
        (
            "es",
            "dos registros: el nuevo punto de control tiene otra raíz para 2 entradas",
            "demostrado: esta clave firmó dos puntos de control de registros distintos: 2 entradas con la",
        ),
    ],
)
def test_a_witness_reports_two_logs_in_the_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str, two_logs: str, proven: str
) -> None:
    server = LogServer("a", "b")
    with_transport = functools.partial(clients.Client, transport=server.transport)
    monkeypatch.setattr(clients, "Client", with_transport)
    monkeypatch.chdir(tmp_path)

    def witness(*arguments: str) -> Result:
        return CliRunner().invoke(cartulary, ["witness", *arguments, "--lang", language])

    assert witness(URL, "--once").exit_code == 0
    server.show("a", "x")
    result = witness(URL, "--once")
    assert result.exit_code == 1
    assert two_logs in words(result.stderr)
    (evidence,) = tmp_path.glob("*/split-view-*.json")
    assert proven in words(witness("verify", os.fspath(evidence)).stdout)


def test_a_witness_asks_for_problems_in_the_language() -> None:
    asked: list[str] = []

    def respond(request: httpx.Request) -> httpx.Response:
        asked.append(request.headers["Accept-Language"])
        return httpx.Response(503, json={"detail": "le service est arrêté"})

    transport = httpx.MockTransport(respond)
    with (
        Client(URL, language="fr", limits=UNTRUSTED_SERVER, transport=transport) as client,
        pytest.raises(ServerUnavailable) as raised,
    ):
        client.run(checkpoint())
    assert renderer("fr")(raised.value.message_with_status).endswith(": le service est arrêté")
    assert asked == ["fr"]


def test_a_name_that_could_do_harm_is_displayed_harmlessly(run: Run, path: Path) -> None:
    table = Table(options={"seating": "joined"}).start()
    table.take(1)
    table.take(1)
    players = [
        {"id": "player-0", "handle": "Ada", "keys": []},
        {"id": "player-1", "handle": "<b>\u202eBea\x1b[31m\nsound: every check holds", "keys": []},
    ]
    path.write_bytes(signed_again(table.record(), players=players))
    page = run("audit", path, "--lang", "fr").stdout
    assert "\u202e" not in page
    assert "<b>Bea\ufffd[31m sound: every check holds, qui peut le confirmer" in words(page)
