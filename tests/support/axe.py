"""Runs axe, which finds obstacles for people with disabilities, in a page of the browser tests."""

from typing import Any, Final

from playwright.sync_api import Page

from tests.support.chromium import TOOLS

_SCRIPT: Final = TOOLS / "node_modules" / "axe-core" / "axe.min.js"
_RUN: Final = """async (colours) => {
    const options = { resultTypes: ["violations"], elementRef: false };
    if (colours) options.runOnly = ["color-contrast", "link-in-text-block"];
    const results = await axe.run(document, options);
    return results.violations.map((violation) => [
        violation.id,
        violation.help,
        violation.nodes.map((node) => node.html.slice(0, 300)),
    ]);
}"""


def violations(page: Page) -> list[str]:
    """Return what axe finds in a page, in light and in dark mode, one line for each rule and mode.

    All rules run in light mode. In dark mode, only colours differ, so only the rules about colours run.
    """
    # A page whose parts were replaced since the last call still has it.
    if page.evaluate("typeof axe === 'undefined'"):
        page.evaluate(_SCRIPT.read_text(encoding="utf-8"))
    lines: list[str] = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        results: list[Any] = page.evaluate(_RUN, scheme == "dark")
        lines += [f"{scheme}: {rule}: {help} in {nodes[:3]}" for rule, help, nodes in results]
    return lines
