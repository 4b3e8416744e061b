"""What a browser does for the evidence of a person unasked: random bytes, signatures, receipts."""

import io
import json
import random
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page

from client.receipts import receipts_by_game
from ledger.canonical import canonical
from ledger.keys import SigningKey
from ledger.player_signatures import key_payload
from replay.audit import audit
from tests.support.browsing import EVIDENCE_MODULE, Visitor, Visitors
from tests.support.playing_by_clicking import RANKING, ClickingPlayer
from tests.support.processes import wait_until
from tests.support.variants import nightly_except


def this_browser(page: Page | Locator) -> Locator:
    """Return the mark of the key of this browser."""
    return page.locator("[data-part=current]:not([hidden])")


def shown_game(page: Page) -> str:
    """Return the id of the game whose page is shown, once it is."""
    page.locator("#game").wait_for()
    return page.url.rpartition("/games/")[2].partition("?")[0]


def record(visitor: Visitor, game_id: str) -> bytes:
    """Return the record of a game as its page offers it."""
    return visitor.context.request.get(f"{visitor.site.url}/games/{game_id}/record").body()


def events(visitor: Visitor, game_id: str) -> list[dict[str, Any]]:
    """Return the events in the record of a game."""
    lines = [json.loads(line) for line in record(visitor, game_id).splitlines()]
    return [line for line in lines if "seq" in line and "type" in line]


def at_game(visitor: Visitor) -> ClickingPlayer:
    """Return the visitor as a player of the game whose page is shown."""
    return ClickingPlayer(visitor, shown_game(visitor.page), random.Random(1))


def server_key(visitor: Visitor) -> str:
    """Return the public key of the server."""
    (key,) = visitor.context.request.get(f"{visitor.site.url}/api/v1/keys").json()["keys"]
    return str(key["public"])


@pytest.mark.nightly
@pytest.mark.parametrize(
    "rules",
    ["barony", *(pytest.param(name, marks=pytest.mark.nightly) for name in ("sorcery", "baron"))],
)
def test_one_click_starts_a_game_whose_draws_nobody_chose(rules: str, visitors: Visitors) -> None:
    guest = visitors.new()
    page = guest.open("/")
    page.locator(f".game-cards form[action='/play']:has(input[value={rules}]) button").click()
    game_id = shown_game(page)
    (nonce,) = guest.kept("nonces")
    created, *others = events(guest, game_id)
    last_place = [event for event in others if event["type"] == "SeatTaken"][-1]
    assert nonce["game"] == game_id
    assert nonce["commitment"] == created["data"]["commitment"]
    assert (nonce["nonce"], nonce["isAccepted"]) == (last_place["data"]["nonce"], True)
    assert last_place["data"]["nonce_from"] == "player"
    assert len(bytes.fromhex(nonce["nonce"])) == 16


def test_a_game_played_with_a_browser_is_proven(visitors: Visitors, tmp_path: Path) -> None:
    guest = visitors.new()
    page = guest.open("/tutorial")
    page.locator("form:has(input[value=barony]) button").click()
    player = at_game(guest)
    page.locator(".your-turn").wait_for()
    player.choose()
    assert not page.get_by_text("Not signed.").is_visible()
    player.confirm()
    key = guest.device_key()
    page.locator(".your-turn").wait_for()
    player.resign()
    page.locator(RANKING).wait_for()
    own = [event for event in events(guest, player.game_id) if event.get("signature")]
    assert [event["signature"]["key"] for event in own] == [key["id"]] * 2
    assert own[-1]["action"] == {"type": "resign"}
    receipts = guest.kept("receipts")
    assert [receipt["hash"] for receipt in receipts] == [event["hash"] for event in own]

    page = guest.open("/account/keys")
    this_browser(page).wait_for()
    with page.expect_download() as download:
        page.get_by_role("link", name="Save all receipts").click()
    saved = tmp_path / download.value.suggested_filename
    download.value.save_as(saved)
    report = audit(
        io.BytesIO(record(guest, player.game_id)),
        keys=[server_key(guest)],
        kept_receipts=receipts_by_game(saved),
    )
    assert report.verdict == "sound", report.unknowns
    assert [check.count for check in report.checks if check.name == "receipts"] == [2]

    page = guest.open(f"/games/{player.game_id}/verify")
    page.locator("[data-part=summary].notice-good").wait_for()
    page.locator("[data-part=details] > summary").click()
    chance, receipts_check = (
        page.locator(f"[data-check={name}]") for name in ("chance", "receipts")
    )
    assert "has the random bytes that this browser sent" in chance.inner_text()
    assert "receipts that this browser has kept were used" in receipts_check.inner_text()
    page.evaluate(
        f"""async () => {{
            const {{ all, put }} = await import({EVIDENCE_MODULE});
            const [sent] = await all("nonces");
            await put("nonces", ["", sent.game, "00"], {{ ...sent, nonce: "00" }});
        }}"""
    )
    page = guest.open(f"/games/{player.game_id}/verify")
    page.locator("[data-part=summary].notice-error").wait_for()
    page.locator("[data-part=details] > summary").click()
    assert "although the server had accepted them" in chance.inner_text()


def test_the_last_player_to_join_sends_the_bytes_that_count(visitors: Visitors) -> None:
    creator = visitors.accounts.register()
    game_id = creator.create_game(2)
    guest = visitors.new()
    page = guest.open(f"/games/{game_id}")
    page.get_by_role("button", name="Join as a guest").click()
    assert shown_game(page) == game_id
    (nonce,) = guest.kept("nonces", "", game_id)
    place = [event for event in events(guest, game_id) if event["type"] == "SeatTaken"][-1]
    assert nonce["nonce"] == place["data"]["nonce"]


@pytest.mark.nightly
def test_a_bot_that_is_added_by_hand_comes_with_bytes_of_the_browser(visitors: Visitors) -> None:
    creator = visitors.accounts.register()
    visitor = visitors.new(creator)
    page = visitor.open("/games/new?rules=baron")
    page.get_by_label("Players", exact=True).select_option("2")
    page.get_by_role("button", name="Create the game").click()
    page.get_by_role("button", name="Add a bot").click()
    game_id = shown_game(page)
    (nonce,) = visitor.kept("nonces", creator.id, game_id)
    place = [event for event in events(visitor, game_id) if event["type"] == "SeatTaken"][-1]
    assert nonce["nonce"] == place["data"]["nonce"]


@pytest.mark.nightly
def test_statements_are_signed_and_come_with_random_bytes(visitors: Visitors) -> None:
    options = {"takebacks": True}
    game_id, accounts = visitors.accounts.start_game(
        2, rules="baron", options=options, clock={"per_turn": 86400}
    )
    first, second = (visitors.new(account) for account in accounts)
    for visitor in (first, second):
        visitor.open("/")
        visitor.device_key()
    first.open(f"/games/{game_id}")
    player = at_game(first)
    player.act()

    def send(visitor: Visitor, path: str, button: str, status: str) -> None:
        """Press a button of a page of the game, and wait for what the next page says."""
        if path:
            visitor.open(f"/games/{game_id}/{path}")
        visitor.page.get_by_role("button", name=button).click()
        visitor.page.get_by_text(status).first.wait_for()

    send(first, "takebacks", "Ask the other players", "has not answered yet")
    send(second, "takebacks", "Agree: the action", "Ask for a takeback")
    send(second, "clock", "Agree to a pause", "has not agreed")
    page = first.open(f"/games/{game_id}/disputes")
    page.get_by_label("What is wrong with it?").fill("first line\nsecond “line”")
    send(first, "", "Open the dispute", "opened the dispute")
    dispute = page.url.partition(f"/games/{game_id}/")[2]
    page = second.open(f"/games/{game_id}/{dispute}")
    page.get_by_label("What do you say to it?").fill("nothing\n\nat all")
    send(second, "", "Send the answer", "at all")
    page.get_by_label("I am sure. A ruling").check()
    send(second, "", "Propose this ruling", "proposed a ruling")
    page = first.open(f"/games/{game_id}/{dispute}")
    page.get_by_label("I am sure: the dispute ends").check()
    send(first, "", "Withdraw the dispute", "Withdrawn by the player")

    signed_events = [event for event in events(first, game_id) if "signature" in event]
    keys = [visitor.device_key()["id"] for visitor in (first, second)]
    assert [
        (event["type"], keys.index(event["signature"]["key"])) for event in signed_events[1:]
    ] == [
        ("TakebackRequested", 0),
        ("TakebackAnswered", 1),
        ("PauseAgreed", 1),
        ("DisputeOpened", 0),
        ("DisputeAnswered", 1),
        ("RulingProposed", 1),
        ("DisputeWithdrawn", 0),
    ]
    sent = {entry["nonce"] for visitor in (first, second) for entry in visitor.kept("nonces")}
    assert {event["data"]["nonce"] for event in signed_events if "nonce" in event["data"]} == sent
    assert len(sent) == 5
    report = audit(io.BytesIO(record(first, game_id)), keys=[server_key(first)])
    assert report.verdict != "broken", report.first
    (signatures,) = [check for check in report.checks if check.name == "signatures"]
    assert (signatures.verdict, signatures.count) == ("holds", len(signed_events))
    own = [event["hash"] for event in signed_events if event["by"] == {"seat": 1}]
    wait_until(lambda: len(second.kept("receipts")) >= len(own))
    assert [receipt["hash"] for receipt in second.kept("receipts")] == own


def test_a_refused_new_game_says_why(visitors: Visitors) -> None:
    visitor = visitors.new(visitors.accounts.register())
    page = visitor.open("/games/new?rules=barony")
    page.get_by_label("Invite players").fill("nobody-of-this-name")
    with visitor.expecting(400):
        page.get_by_role("button", name="Create the game").click()
        page.locator(".fault").wait_for()
    assert page.get_by_label("Invite players").input_value() == "nobody-of-this-name"


WITHOUT = {
    "Ed25519": "crypto.subtle.generateKey = async () => { throw new DOMException('', 'NotSupportedError'); }",
    "WebCrypto": "Object.defineProperty(crypto, 'subtle', { value: undefined })",
    "IndexedDB": "indexedDB.open = () => { throw new DOMException('', 'SecurityError'); }",
    "response": "indexedDB.open = () => ({})",
}
"""What a browser lacks, as scripts; the last one has a database that never responds."""
COUNT_OPENINGS = "indexedDB.open = () => { opened += 1; return {}; };"
"""A database that never responds, and how often it was opened."""


@pytest.mark.parametrize("missing", nightly_except(["Ed25519"], WITHOUT))
def test_a_browser_that_cannot_sign_says_so_and_plays(missing: str, visitors: Visitors) -> None:
    game_id, (first, _) = visitors.accounts.start_game(2)
    visitor = visitors.new(first, has_key=False, fresh=True)
    visitor.context.add_init_script(WITHOUT[missing])
    page = visitor.open(f"/games/{game_id}")
    player = at_game(visitor)
    player.choose()
    assert page.get_by_text("Not signed.").is_visible()
    player.confirm()
    page.locator("#status:not(.your-turn)").wait_for()
    assert "signature" not in events(visitor, game_id)[-1]
    visitor.open("/account/keys")
    page.get_by_text("This browser does not sign: it cannot make a key").wait_for()


def test_a_database_that_does_not_respond_is_waited_for_once(visitors: Visitors) -> None:
    visitor = visitors.new(visitors.accounts.register(), has_key=False, fresh=True)
    visitor.context.add_init_script(f"globalThis.opened = 0; {COUNT_OPENINGS}")
    page = visitor.open("/games/new")
    module = page.evaluate(EVIDENCE_MODULE)
    for _ in range(2):
        refusal = "(module) => import(module).then(({ get }) => get('keys', ['a'])).catch(() => 'refused')"
        assert page.evaluate(refusal, module) == "refused"
    assert page.evaluate("opened") == 1


@pytest.mark.nightly
def test_a_page_without_scripts_names_what_that_costs(visitors: Visitors) -> None:
    game_id = visitors.accounts.register().create_game(2)
    visitor = visitors.new(visitors.accounts.register(), javascript=False)
    for path in ("/", "/games/new", "/tutorial", f"/games/{game_id}"):
        page = visitor.open(path)
        assert page.get_by_text("sends no random bytes and signs nothing").is_visible(), path
    visitor.page.get_by_role("button", name="Join the game").click()
    assert shown_game(visitor.page) == game_id


@pytest.mark.nightly
def test_a_key_is_named_and_revoked_on_its_page(visitors: Visitors) -> None:
    game_id, (first, _) = visitors.accounts.start_game(2)
    visitor = visitors.new(first, has_key=False)
    page = visitor.open("/account/keys")
    this_browser(page).wait_for()
    key = visitor.device_key()
    row = page.locator(f"[data-key='{key['id']}']")
    name = row.get_by_label(f"Name of key {key['id']}")
    assert name.input_value() == "Chrome, Linux"
    hostile = '"><img src=x onerror=alert(1)>'
    name.fill(hostile)
    row.get_by_role("button", name="Save").click()
    page.locator("body:not(:has(.htmx-request))").wait_for()
    page = visitor.open("/account/keys")
    assert row.get_by_label(f"Name of key {key['id']}").input_value() == hostile
    (entry,) = first.http.get("/api/v1/me/keys").json()["keys"]
    assert (entry["key"], entry["name"], entry["last_used"]) == (key["id"], hostile, None)

    row.get_by_role("button", name="Revoke").click()
    page.get_by_text("This browser no longer signs").wait_for()
    visitor.open(f"/games/{game_id}")
    player = at_game(visitor)
    player.choose()
    assert page.get_by_text("Not signed.").is_visible()
    visitor.open("/account/keys")
    page.get_by_role("button", name="Let this browser sign").click()
    this_browser(page.locator("tr:not([data-revoked])")).wait_for()
    assert visitor.device_key()["id"] != key["id"]
    visitor.open(f"/games/{game_id}")
    player.choose()
    player.confirm()
    page.locator("#status:not(.your-turn)").wait_for()
    signed = events(visitor, game_id)[-1]["signature"]
    assert signed["key"] == visitor.device_key()["id"]


@pytest.mark.nightly
def test_a_key_that_is_revoked_elsewhere_meanwhile_leaves_a_way_forward(visitors: Visitors) -> None:
    game_id, (first, _) = visitors.accounts.start_game(2)
    visitor = visitors.new(first, has_key=False)
    page = visitor.open("/")
    key = visitor.device_key()
    # So that the page does not learn of it.
    page.route("**/stream**", lambda route: route.abort())
    visitor.expects_failed_requests = True
    visitor.open(f"/games/{game_id}")
    player = at_game(visitor)
    player.choose()
    first.http.delete(f"/api/v1/me/keys/{key['id']}").raise_for_status()
    with visitor.expecting(409):
        page.locator("#confirm button[type=submit]").click()
        page.get_by_text("is not a key of this player in this game").wait_for()
    page.get_by_role("link", name="See the game as it stands").click()
    page.locator("#choices").wait_for()
    player.choose()
    player.confirm()
    page.locator("#status:not(.your-turn)").wait_for()


@pytest.mark.nightly
def test_a_ninth_device_plays_unsigned(visitors: Visitors) -> None:
    game_id, (first, _) = visitors.accounts.start_game(2)
    for number in range(8):
        key = SigningKey.from_seed(bytes([number]) * 32)
        proof = key.signature(canonical(key_payload(first.id, key.public)))
        body = {"public": key.public, "proof": proof}
        first.http.post("/api/v1/me/keys", json=body).raise_for_status()
    visitor = visitors.new(first, has_key=False)
    with visitor.expecting(409):
        page = visitor.open(f"/games/{game_id}")
        wait_until(lambda: [key["state"] for key in visitor.kept("keys")] == ["refused"])
    player = at_game(visitor)
    player.choose()
    assert page.get_by_text("Not signed.").is_visible()
    visitor.open("/account/keys")
    page.get_by_text("your account had too many keys").wait_for()
    page.get_by_role("button", name="Revoke").first.click()
    page.get_by_role("button", name="Let this browser sign").click()
    this_browser(page).wait_for()


@pytest.mark.nightly
def test_each_account_and_each_browser_has_a_key_that_no_script_can_read(
    visitors: Visitors,
) -> None:
    first, second = visitors.accounts.register(), visitors.accounts.register()
    shared, other = (visitors.new(first, has_key=False) for _ in range(2))
    page = shared.open("/")
    of_first = shared.device_key()
    exported = page.evaluate(
        f"""async () => {{
            const [key] = await (await import({EVIDENCE_MODULE})).all("keys");
            const read = (format) => crypto.subtle.exportKey(format, key.pair.privateKey);
            const tried = ["raw", "pkcs8", "jwk"].map(read);
            return (await Promise.allSettled(tried)).map(({{ status }}) => status);
        }}"""
    )
    assert set(exported) == {"rejected"}
    shared.log_in(second)
    shared.open("/")
    wait_until(lambda: len(shared.kept("keys")) == 2)
    (of_second,) = shared.kept("keys", second.id)
    (unchanged,) = shared.kept("keys", first.id)
    assert unchanged["id"] == of_first["id"] != of_second["id"]
    other.open("/")
    assert other.device_key()["id"] != of_first["id"]


@pytest.mark.nightly
def test_conditional_actions_are_signed_when_they_are_prepared(visitors: Visitors) -> None:
    game_id, accounts = visitors.accounts.start_game(2)
    seat = accounts[0].http.get(f"/api/v1/games/{game_id}").json()["to_act"]
    actor, waiting = accounts[seat], accounts[1 - seat]
    visitor = visitors.new(waiting)
    visitor.open("/")
    visitor.device_key()
    page = visitor.open(f"/games/{game_id}/conditional-actions")
    player = ClickingPlayer(visitor, game_id, random.Random(1))
    for _ in ("the action of the other player", "the answer to it"):
        player.choose()
        player.confirm()
    page.locator("[data-part=signed]").wait_for()
    prepared = waiting.http.get(f"/api/v1/games/{game_id}/conditional-actions").json()["branches"]
    assert actor.act(game_id, prepared[0]["action"]).status_code == 201
    wait_until(lambda: any("prepared" in event for event in events(visitor, game_id)))
    (played,) = (event for event in events(visitor, game_id) if "prepared" in event)
    assert played["action"] == prepared[0]["then"][0]["action"]
    assert played["prepared"]["key"] == visitor.device_key()["id"]
    report = audit(io.BytesIO(record(visitor, game_id)), keys=[server_key(visitor)])
    assert report.verdict != "broken", report.first
