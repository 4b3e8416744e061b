"""A browser reads the same rules in the style sheet that is served as in those of the features."""

import re
from typing import TYPE_CHECKING

from service.pages.assets import FOLDER, STYLE_SHEET, files

if TYPE_CHECKING:
    from playwright.sync_api import Browser

RULES_OF = """text => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return [...sheet.cssRules].map(rule => rule.cssText);
}"""


def test_a_browser_reads_the_same_rules_without_comments_and_white_space(
    browser: "Browser",
) -> None:
    page = browser.new_page()
    general, *others = sorted(
        FOLDER.glob("css/*.css"), key=lambda path: (path.name != "base.css", path.name)
    )
    source = "\n".join(path.read_text("utf-8") for path in (general, *others))
    written, served = (
        [re.sub(r"\s*([,:;{}])\s*", r"\1", rule) for rule in page.evaluate(RULES_OF, text)]
        for text in (source, files()[STYLE_SHEET].decode())
    )
    page.close()
    assert len(written) > 500
    assert served == written


def test_a_page_in_the_dark_theme_is_printed_in_the_colours_of_the_light_one(
    browser: "Browser",
) -> None:
    page = browser.new_page(color_scheme="dark")
    page.set_content(f"<html data-theme=dark><style>{files()[STYLE_SHEET].decode()}</style>")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
    page.close()
