"""A visitor verifies a file of their own, and the record of a game, in a real browser."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
import pytest

from ledger.canonical import canonical
from tests.games.records import FOLDER
from tests.mutations.subjects import subjects
from tests.support.records import KEY

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.support.browsing import Visitors

SUMMARY = "[data-part=summary]"


def ready(page: "Page") -> "Page":
    """Wait until the script of the page has started, which then shows the form."""
    page.locator("#verifier").wait_for()
    return page


def verdicts(page: "Page") -> dict[str, str]:
    """Return the verdict that the page shows for each check, once the verification has ended."""
    page.wait_for_function(
        "() => [...document.querySelectorAll('[data-check]')]"
        ".every((check) => ['holds', 'broken', 'unknown'].includes(check.dataset.verdict))"
    )
    items = page.locator("[data-check]").all()
    return {
        str(item.get_attribute("data-check")): str(item.get_attribute("data-verdict"))
        for item in items
    }


def write(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def test_the_page_counts_the_lines_of_the_file(visitors: "Visitors") -> None:
    file = FOLDER / "baron-last-turns-run-out.jsonl"
    page = ready(visitors.new().open("/verify"))
    page.get_by_label("Game record, and files of your receipts").set_input_files(file)
    verdicts(page)
    page.get_by_text("What was checked, one by one").click()
    count = len(file.read_bytes().splitlines())
    page.locator("[data-part=progress]").get_by_text(f"{count} lines read").wait_for()


def test_a_visitor_verifies_files_from_another_server(visitors: "Visitors", tmp_path: Path) -> None:
    subject = subjects()[0]
    page = ready(visitors.new().open("/verify"))
    files = page.get_by_label("Game record, and files of your receipts")
    files.set_input_files(write(tmp_path, "game.jsonl", subject.data))
    assert verdicts(page) == {**dict.fromkeys(verdicts(page), "holds"), "head": "unknown"}
    page.get_by_text("What was checked, one by one").click()
    assert KEY.public in page.locator("[data-part=claim]").inner_text()
    assert "none of those that you trust" in page.locator("[data-check=head]").inner_text()

    page.get_by_label("the keys of another server:").check()
    page.get_by_label("Public keys of the other server").fill(
        json.dumps({"keys": [{"public": KEY.public}]})
    )
    page.get_by_role("button", name="Verify").click()
    page.locator(SUMMARY).get_by_text("Everything that your browser can check is right.").wait_for()

    changed = subject.data.replace(b'"at":"2026-11-20T09:15:07', b'"at":"2026-11-20T09:15:08', 1)
    receipt = KEY.receipt({**subject.record.events[4], "hash": "ab" * 32})
    lie = write(tmp_path, "game.receipts", canonical({"receipt": receipt}) + b"\n")
    files.set_input_files([write(tmp_path, "game.jsonl", changed), lie])
    page.locator(SUMMARY).get_by_text("Something is broken at event").wait_for()
    assert "was changed after it was sealed" in page.locator("[data-part=meaning]").inner_text()
    assert {check for check, verdict in verdicts(page).items() if verdict == "broken"} == {
        "chain",
        "receipts",
    }

    files.set_input_files([write(tmp_path, "board.png", b"\x89PNG\r\n" * 99)])
    page.locator(SUMMARY).get_by_text("Something is broken: the file is damaged").wait_for()
    assert verdicts(page)["form"] == "broken"
    files.set_input_files([write(tmp_path, "bad.receipts", b"{}\n"), tmp_path / "board.png"])
    page.get_by_text("line 1 is not a receipt").wait_for()


def test_a_file_of_a_gigabyte_is_refused_without_reading_it(
    visitors: "Visitors", tmp_path: Path
) -> None:
    path = tmp_path / "huge.jsonl"
    with path.open("wb") as file:
        file.truncate(2**30)  # a sparse file, which takes no space on the disk
    page = ready(visitors.new().open("/verify"))
    page.get_by_label("Game record, and files of your receipts").set_input_files(path)
    page.locator("[data-part=meaning]").get_by_text("It was not read").wait_for()


def test_a_file_is_dropped_on_the_page(visitors: "Visitors") -> None:
    page = ready(visitors.new(phone=True, language="fr").open("/verify"))
    data = (FOLDER / "one-left.jsonl").read_text()
    page.evaluate(
        """(text) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([text], "game.jsonl"));
            const zone = document.querySelector("[data-part=drop-zone]");
            const options = { dataTransfer: transfer, bubbles: true, cancelable: true };
            zone.dispatchEvent(new DragEvent("drop", options));
        }""",
        data,
    )
    assert verdicts(page)["chain"] == "holds"
    page.locator(SUMMARY).get_by_text("à savoir").wait_for()


@pytest.mark.nightly
def test_a_player_verifies_a_game_and_has_the_server_audit_it(visitors: "Visitors") -> None:
    player = visitors.accounts.register()
    game_id = player.create_game(2, rules="baron")
    visitors.accounts.register().join(game_id)
    page = visitors.new(player).open(f"/games/{game_id}/verify")
    page.locator(SUMMARY).get_by_text("what stays hidden until the game ends").wait_for()
    assert verdicts(page)["head"] == "holds"
    page.get_by_text("What was checked, one by one").click()
    link = page.get_by_role("link", name="See event").first
    assert str(link.get_attribute("href")).startswith(f"/games/{game_id}?seq=")
    page.get_by_role("button", name="Let the server audit the game").click()
    page.get_by_role("button", name="Audit again").wait_for()
    page.get_by_text("The audit, check by check").click()
    assert page.get_by_role("table", name="The checks of the audit").is_visible()
    assert orjson.loads(page.locator("#verifier").get_attribute("data-keys") or "")
