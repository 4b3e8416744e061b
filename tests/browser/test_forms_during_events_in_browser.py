"""A page that follows a stream is neither loaded again nor replaced while one of its forms is answered."""

import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, TypeAlias

import pytest
from playwright.sync_api import Error, Page, Request, Route, expect

from tests.support.browsing import Visitor, Visitors
from tests.support.processes import HANG_SECONDS, ROOT

SCRIPTS: Final = ROOT / "service" / "pages" / "static" / "js"
WITHOUT_FORMS: Final = {"live", "server"}
"""A module that replaces a picture only, and what the others use."""
REPLACING_MILLISECONDS: Final = 500
"""How long a page needs to be read again and replaced."""
_PAUSE_MILLISECONDS: Final = 20
SEND: Final = "(form) => form.querySelector('button').click()"
SEND_BY_THE_BROWSER: Final = """(form) => {
    const { name, value } = form.querySelector("button");
    form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
    form.submit();
}"""
"""Sends a form without the event `submit`, so that neither htmx nor the page hear of it."""
HOLD_NEXT_FORM: Final = """(milliseconds) => addEventListener("submit", (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    event.target.setAttribute("aria-busy", "true");
    setTimeout(() => {
        event.target.removeAttribute("aria-busy");
        event.target.requestSubmit(event.submitter);
    }, milliseconds);
}, { capture: true, once: true })"""
"""Holds the next form back for a while, as a script does that adds something to it."""
LISTEN: Final = """() => new Promise((resolve) => {
    const source = new EventSource(document.querySelector("[data-stream]").dataset.stream);
    const mark = () => (document.documentElement.dataset.hasEvent = "");
    source.onopen = () => resolve();
    source.onmessage = mark;
    source.addEventListener("message-posted", mark);
})"""
"""Opens a second stream of the events that the page follows, which marks the page when one arrives."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A page with a form, an event that arrives while it is answered, and how the page looks afterwards."""

    visitor: Visitor
    page: str
    form: str
    event: Callable[[], object]
    result: str


def join_by_link(visitors: Visitors) -> Scene:
    host, other = visitors.accounts.register(), visitors.accounts.register()
    game = host.create_game(3)
    token = host.http.post(f"/api/v1/games/{game}/invitations").json()["token"]
    return Scene(
        visitors.new(),
        f"/invitations/{token}",
        "form:has(button[name=guest])",
        lambda: other.http.post(
            f"/api/v1/games/{game}/players", json={"nonce": "00"}
        ).raise_for_status(),
        "#board svg.map",
    )


def write_message(visitors: Visitors) -> Scene:
    game, (first, second) = visitors.accounts.start_game(2)
    return Scene(
        visitors.new(second),
        f"/games/{game}",
        f"form[action='/games/{game}/messages']:has(#message-text)",
        lambda: first.act(game).raise_for_status(),
        ":text('Good luck!')",
    )


def agree_to_pause(visitors: Visitors) -> Scene:
    game, (first, second) = visitors.accounts.start_game(2, clock={"per_turn": 86_400})
    url = f"/api/v1/games/{game}"
    first.http.post(f"{url}/pause", json={"agree": True}).raise_for_status()
    return Scene(
        visitors.new(second),
        f"/games/{game}/messages",
        f"#alerts form[action='/games/{game}/clock']",
        lambda: first.http.post(f"{url}/messages", json={"text": "Hello!"}).raise_for_status(),
        "#alerts:has-text('the game is paused')",
    )


def ask_for_takeback(visitors: Visitors) -> Scene:
    game, (first, second) = visitors.accounts.start_game(2, options={"takebacks": True})
    first.act(game).raise_for_status()
    message = {"text": "Hello!"}
    return Scene(
        visitors.new(first),
        f"/games/{game}/takebacks",
        f"form[action='/games/{game}/takebacks']",
        lambda: second.http.post(f"/api/v1/games/{game}/messages", json=message).raise_for_status(),
        f":text('{second.handle} has not answered yet')",
    )


def play_against_bots(visitors: Visitors) -> Scene:
    game, (first, second) = visitors.accounts.start_game(2)
    return Scene(
        visitors.new(second),
        "/",
        "form[action='/play']:has([value=barony])",
        lambda: first.act(game).raise_for_status(),
        "#board svg.map",
    )


MakeScene: TypeAlias = Callable[[Visitors], Scene]
SCENES: Final[Mapping[str, tuple[MakeScene, ...]]] = {
    "game": (join_by_link, write_message, ask_for_takeback),
    "alerts": (agree_to_pause,),
    "own-games": (play_against_bots,),
}
"""By module that follows a stream, the forms that are sent on its pages."""


def hold_form(page: Page, form: str, send: str, path: str = "") -> Callable[[], None]:
    """Have a script send a form, whose request is held back; return what lets it go on.

    `path`: the end of the address to which it is sent, if the page may send something else.
    """
    held: list[Route] = []

    def is_sent(request: Request) -> bool:
        return request.method == "POST" and request.url.endswith(path)

    def hold(route: Route) -> None:
        if is_sent(route.request) and not held:
            held.append(route)
        else:
            route.continue_()

    page.route("**/*", hold)
    with page.expect_request(is_sent):
        page.locator(form).first.evaluate(send)

    def go_on() -> None:
        while not held:
            # Playwright hears of a request before it can hold it back.
            page.wait_for_timeout(_PAUSE_MILLISECONDS)
        held[0].continue_()

    return go_on


def wait_until_held(page: Page, held: list[Route]) -> None:
    """Wait until a request is held back."""
    deadline = time.monotonic() + HANG_SECONDS
    while not held:
        assert time.monotonic() < deadline
        page.wait_for_timeout(_PAUSE_MILLISECONDS)


@pytest.mark.parametrize("make", [make for scenes in SCENES.values() for make in scenes])
def test_no_event_replaces_a_form_while_it_is_answered(make: MakeScene, visitors: Visitors) -> None:
    scene = make(visitors)
    page = scene.visitor.open(scene.page)
    page.evaluate(LISTEN)
    if page.locator(f"{scene.form} #message-text").count():
        page.locator("#show-messages").check()
        page.locator("#message-text").fill("Good luck!")
    form = page.locator(scene.form).first.element_handle()
    go_on = hold_form(page, scene.form, SEND)
    scene.event()
    page.locator("html[data-has-event]").wait_for(state="attached")
    # A page that did not wait for the response would have been replaced by then.
    page.wait_for_timeout(REPLACING_MILLISECONDS)
    assert form.evaluate("(form) => form.isConnected")
    go_on()
    page.locator(scene.result).first.wait_for(state="attached")


def test_no_event_overtakes_a_form_that_the_browser_sends_by_itself(visitors: Visitors) -> None:
    scene = join_by_link(visitors)
    page = scene.visitor.open(scene.page)
    go_on = hold_form(page, scene.form, SEND_BY_THE_BROWSER)
    scene.event()
    # Playwright reads nothing of a page while it is being left.
    page.wait_for_timeout(2 * REPLACING_MILLISECONDS)
    go_on()
    page.wait_for_url(re.compile("/games/[0-9a-f]{16}$"))
    page.locator(scene.result).first.wait_for()


@pytest.mark.parametrize("is_held", [True, False], ids=["held-back", "pressed"])
def test_a_form_that_is_sent_while_its_page_is_on_its_way_again_is_answered(
    visitors: Visitors, *, is_held: bool
) -> None:
    """The new page would swallow the click of a press that has begun, or a form that a script holds back."""
    scene = join_by_link(visitors)
    page = scene.visitor.open(scene.page)
    loads: list[Route] = []

    def hold_first(route: Route) -> None:
        if route.request.method == "GET" and not loads:
            loads.append(route)
        else:
            route.continue_()

    page.route(f"**{scene.page}", hold_first)
    # Playwright reads nothing of a page while it is being left.
    box = page.locator(f"{scene.form} button[name=guest]").bounding_box()
    assert box is not None
    if is_held:
        page.evaluate(HOLD_NEXT_FORM, 2 * REPLACING_MILLISECONDS)
    scene.event()
    wait_until_held(page, loads)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    if is_held:
        page.mouse.up()
    with suppress(Error):  # The page has given this request up.
        loads[0].continue_()
    page.wait_for_timeout(REPLACING_MILLISECONDS)
    if not is_held:
        page.mouse.up()
    page.wait_for_url(re.compile("/games/[0-9a-f]{16}$"))
    page.locator(scene.result).first.wait_for()


def test_a_form_that_is_sent_before_the_scripts_have_loaded_is_answered(visitors: Visitors) -> None:
    scene = join_by_link(visitors)
    page = scene.visitor.page
    scripts: list[Route] = []
    page.route("**/*.js", lambda route: scripts.append(route))  # noqa: PLW0108 # Playwright sets an attribute
    page.goto(f"{scene.visitor.site.url}{scene.page}", wait_until="commit")
    page.locator(f"{scene.form} button[name=guest]").click(no_wait_after=True)
    scene.event()
    page.wait_for_url(re.compile("/games/[0-9a-f]{16}$"), wait_until="commit")
    assert scripts
    page.unroute("**/*.js")
    for script in scripts:
        with suppress(Error):  # The page that asked for it has been left.
            script.continue_()
    page.locator(scene.result).first.wait_for()


def test_every_script_that_follows_a_stream_waits_for_the_responses_to_forms() -> None:
    """All scripts read pages by `pageAt`, which waits, or ask whether a response is to come."""
    following = {
        path.stem
        for path in SCRIPTS.glob("*.js")
        if re.search(r"new EventSource\(|followWhileShown\(", path.read_text())
    }
    assert following - WITHOUT_FORMS == set(SCENES)
    for name in following - WITHOUT_FORMS:
        text = (SCRIPTS / f"{name}.js").read_text()
        assert re.search(r"\b(?:pageAt|isSending|waitForResponses)\(", text), name


@pytest.mark.parametrize("is_private", [False, True])
def test_the_friend_who_takes_the_last_place_comes_to_the_game(
    visitors: Visitors, *, is_private: bool
) -> None:
    host = visitors.accounts.register()
    game = host.create_game(2, rules="baron", options={"private": is_private})
    token = host.http.post(f"/api/v1/games/{game}/invitations").json()["token"]
    friend = visitors.new(phone=True)
    page = friend.open(f"/invitations/{token}")
    # The event arrives before the browser has followed the redirection of the form.
    friend.slow_down(page)
    page.get_by_role("button", name="Join as a guest").click()
    page.wait_for_url(f"**/games/{game}")
    expect(page.locator("svg.map").first).to_be_visible()
    # Going back leads to the game as well.
    page.goto(f"{friend.site.url}/invitations/{token}")
    page.wait_for_url(f"**/games/{game}")


@pytest.mark.parametrize("is_signed", [True, False], ids=["signed", "unsigned"])
def test_a_dispute_is_opened_while_another_player_acts(
    visitors: Visitors, *, is_signed: bool
) -> None:
    """A signed statement names the head of the log, so the server may refuse it; nothing typed is lost."""
    statement = "This was not agreed.\nNot by me."
    game, (first, second) = visitors.accounts.start_game(2)
    visitor = visitors.new(second)
    address = f"/games/{game}/disputes?seq=1"
    page = visitor.open(address)
    if is_signed:
        # Pages that are opened later name the key that the first one has registered.
        while not page.locator("form[data-sign][data-keys]:not([data-keys=''])").count():
            page.wait_for_timeout(REPLACING_MILLISECONDS)
            page = visitor.open(address)
    form = f"form[action='/games/{game}/disputes']"
    page.locator(f"{form} textarea").fill(statement)
    go_on = hold_form(page, form, SEND, "/disputes")
    first.act(game).raise_for_status()
    with visitor.expecting(409):
        with page.expect_response(
            lambda response: (
                response.request.method == "POST" and response.url.endswith("/disputes")
            )
        ) as answer:
            go_on()
        if answer.value.status == 409:
            expect(page.get_by_role("alert")).to_be_visible()
            expect(page.locator(f"{form} textarea")).to_have_value(statement)
            expect(page.locator(f"{form} [name=seq]")).to_have_value("1")
            page.get_by_role("button", name="Open the dispute").click()
        page.wait_for_url(re.compile(f"/games/{game}/disputes/[0-9]+$"))
    expect(page.get_by_text("This was not agreed.").first).to_be_visible()
    (dispute,) = first.http.get(f"/api/v1/games/{game}/disputes").json()["disputes"]
    assert dispute["about"] == 1
