"""The pages that verify records: what they show without scripts, the record and the audit of a game."""

import re
from html import unescape
from io import BytesIO

import pytest
from flask.testing import FlaskClient

from domain.lifecycle import NewGame
from ledger.record import read
from replay.audit import audit
from service.audits.audits import Audits
from service.bootstrap import Service
from service.bounds import Bounds
from service.errors import Unavailable
from service.pages.assets import FOLDER
from service.pages.view_models.verifier_texts import CHECKS, FINDINGS
from tests.service.conftest import StoreGame
from tests.support.page_forms import log_in, post

SCRIPTS = [*(FOLDER / "js" / "verify").glob("*.js")]
SIGNATURE_CODES = re.compile(r'return (?:\(.*\[|\[)"([a-z0-9-]+)"|[?:] "([a-z-]+)"')
LINE_CODES = re.compile(r'new BrokenLine\("([a-z-]+)"|new BrokenLine\(`json-')
CODES = re.compile(r'findings\.(?:broken|unknown)\(\s*"(\w+)",\s*([^{]+?)(?:,|\))')
PROBLEMS = re.compile(r"(?:return|null :) \[([^\],]+)")
"""The codes in the function of player_signatures.js that returns what is wrong with a signature."""


def codes_of_scripts() -> set[str]:
    """Return the codes of everything that the scripts can find, with the names of their checks."""
    codes = set()
    for path in SCRIPTS:
        text = path.read_text()
        for check, expression in CODES.findall(text):
            codes |= {f"{check} {code}" for code in re.findall(r'"([a-z0-9-]+)"', expression)}
        if path.stem == "player_signatures":
            found = [
                code
                for pair in SIGNATURE_CODES.findall(text)
                for code in pair
                if code not in ("", "unknown")
            ]
            codes |= {f"signatures {code}" for code in found}
        codes |= {f"form {code}" for code in LINE_CODES.findall(text) if code}
        if path.stem == "player_signatures":
            problems = re.findall(r'"([a-z0-9-]+)"', " ".join(PROBLEMS.findall(text)))
            codes |= {f"signatures {code}" for code in problems}
    reasons = re.search(r"CanonicalFault = (.*);", (FOLDER / "js/verify/types.d.ts").read_text())
    assert reasons is not None
    codes |= {f"form json-{reason}" for reason in re.findall(r'"(\w+)"', reasons[1])}
    codes |= {f"form field-{problem}" for problem in ("missing", "invalid", "unknown")}
    return codes - {"form receipts"}


def test_everything_that_the_scripts_find_has_a_text() -> None:
    codes = codes_of_scripts()
    assert len(codes) > 55
    general = {code for code in FINDINGS if " " not in code}
    assert {
        code for code in codes if code not in FINDINGS and code.split()[1] not in general
    } == set()
    assert FINDINGS.keys() - codes - general == set()
    checks = re.search(r"CheckName = (.*);", (FOLDER / "js/verify/types.d.ts").read_text())
    assert checks is not None
    assert re.findall(r'"(\w+)"', checks[1]) == list(CHECKS)


def test_the_page_for_files_has_all_texts_and_the_keys_of_the_server(
    browser: FlaskClient, service: Service
) -> None:
    text = browser.get("/verify").text
    assert [*FINDINGS] == re.findall(r'data-finding="([^"]+)"', text)
    (key,) = service.keyring.public_keys()
    assert f'"public": "{key["public"]}"' in unescape(text)
    assert "needs JavaScript" in text
    assert "data-record" not in text
    assert "cartulary audit game.jsonl" in text


@pytest.mark.parametrize(
    ("language", "text"), [("fr", "Vérifier cette partie"), ("es", "Verificar esta partida")]
)
def test_the_page_of_a_game_is_in_the_language_of_the_visitor(
    browser: FlaskClient, store: StoreGame, language: str, text: str
) -> None:
    game_id, _ = store("one-left")
    page = browser.get(f"/games/{game_id}/verify", headers={"Accept-Language": language}).text
    assert f"<h1>{text}</h1>" in page
    assert f'data-record="/games/{game_id}/record"' in page
    assert f'href="/games/{game_id}/record"' in page


def test_a_player_gets_a_record_that_opens_their_own_secrets_only(
    browser: FlaskClient, service: Service
) -> None:
    player = log_in(browser, service)
    other, _ = service.accounts.players.register("grace", "correct horse")
    game = service.games.commands.create(player, NewGame(rules="baron", seats=2, options={}))
    game = service.games.commands.join(game.id, other.id)
    own = read(BytesIO(browser.get(f"/games/{game.id}/record").data))
    assert [*own.openings[game.seq]] == [f"reserve/{game.players.index(player)}"]
    response = browser.get(f"/games/{game.id}/record")
    assert response.mimetype == "application/jsonl"
    assert response.headers["Content-Disposition"] == f'attachment; filename="{game.id}.jsonl"'
    assert "Cookie" in response.headers["Vary"]
    browser.delete_cookie("cartulary")
    assert read(BytesIO(browser.get(f"/games/{game.id}/record").data)).openings == {}


@pytest.mark.parametrize("page", ["verify", "record"])
def test_a_private_game_has_no_such_pages_for_others(
    browser: FlaskClient, service: Service, page: str
) -> None:
    player, _ = service.accounts.players.register("ada", "correct horse")
    game = service.games.commands.create(
        player.id, NewGame(rules="baron", seats=2, options={"private": True})
    )
    assert browser.get(f"/games/{game.id}/{page}").status_code == 404
    assert post(browser, f"/games/{game.id}/audit").status_code == 404


def test_the_server_audits_a_game_in_the_language_of_the_visitor(
    browser: FlaskClient, store: StoreGame, service: Service
) -> None:
    game_id, _ = store("disputes")
    service.transparency.head_log.log([game_id])
    page = post(browser, f"/games/{game_id}/audit").text
    report = audit(BytesIO(browser.get(f"/games/{game_id}/record").data))
    assert page.count("<tr>") == len(report.checks) + 1
    # Another server has signed the actions that were recorded, but this server's key signs its record.
    assert "Everything checks out." in page
    assert page.index("Everything checks out.") < page.index("<summary>The audit, check by check")
    assert "Audit again" in page
    keys = service.keyring.public_keys()
    french = service.audits.audit(service.games.queries.record(game_id), keys, "fr")
    assert french["verdict"] == "sound"
    assert {check["of"] for check in french["checks"]} >= {"lignes lues"}


def test_a_damaged_record_is_reported_with_links_to_its_events(
    browser: FlaskClient, store: StoreGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    game_id, _ = store("one-left")
    report = {
        "verdict": "broken",
        "conclusion": {
            "sentence": "Something is <b>broken</b>.",
            "meaning": ["Somebody lied."],
            "holders": ["Ada has a receipt."],
        },
        "findings": [
            {"line": 8, "seq": 7, "what": "it is <b>wrong</b>", "means": "Somebody lied."}
        ],
        "unknowns": [
            {"what": "whether it is so", "evidence": "Nothing decides it.", "holders": ["Ask Ada."]}
        ],
        "notes": [{"seq": 3, "what": "It was late."}],
        "checks": [
            {"name": "chain", "verdict": "broken", "looked_at": 9, "of": "events hashed again"}
        ],
    }
    monkeypatch.setattr(Audits, "audit", lambda *_: report)
    page = post(browser, f"/games/{game_id}/audit").text
    assert f'<a href="/games/{game_id}?seq=7">Event 7</a>: it is &lt;b&gt;wrong&lt;/b&gt;' in page
    assert "It cannot be known whether it is so. Nothing decides it. Ask Ada." in page
    assert "Something is &lt;b&gt;broken&lt;/b&gt;." in page
    assert "<li>Ada has a receipt.</li>" in page
    assert f'<a href="/games/{game_id}?seq=3">Event 3</a>: It was late.' in page


def test_a_game_that_is_too_long_is_not_audited(
    browser: FlaskClient, store: StoreGame, monkeypatch: pytest.MonkeyPatch
) -> None:
    game_id, _ = store("one-left")
    monkeypatch.setattr(Audits, "can_audit", lambda *_: False)
    monkeypatch.setattr(Audits, "audit", lambda *_: pytest.fail("it was audited"))
    page = post(browser, f"/games/{game_id}/audit").text
    assert "too long for an audit" in page
    assert "<h3>" not in page[page.index('id="audit"') :]


def test_audits_are_bounded_in_number_and_time(monkeypatch: pytest.MonkeyPatch) -> None:
    record = (b"{}\n",)
    with pytest.raises(Unavailable, match=r"took too long"):
        Audits(Bounds(audit_seconds=0.001)).audit(record, [], "en")
    audits = Audits(Bounds(max_audits=1))
    refused = []

    def audit_meanwhile(*_: object) -> dict[str, object]:
        with pytest.raises(Unavailable, match=r"other audits"):
            audits.audit(record, [], "en")
        refused.append(True)
        return {}

    monkeypatch.setattr(Audits, "_audit", audit_meanwhile)
    audits.audit(record, [], "en")
    audits.audit(record, [], "en")
    assert refused == [True, True]
    assert Audits(Bounds(max_audited_events=5)).can_audit(5)
    assert not Audits(Bounds(max_audited_events=5)).can_audit(6)
