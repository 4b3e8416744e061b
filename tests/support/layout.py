"""Measures the layout of a page: what leaves its window or its box, overlaps, or is too small to tap."""

from typing import Final

from playwright.sync_api import Page

SMALLEST_TARGET: Final = 24
"""Pixels of the width and the height of a target, which WCAG 2.2 requires at level AA."""
_BOXES: Final = (
    ".site-nav, .site-nav ul, .hero > div, .hero .actions, .bar-row, .game-card, .game-players,"
    " .game-cards .card, .game-rows > li, .panel, .people li, .room-head, .chairs, .chair, .add-bot,"
    " .share, .switch, .result"
)
"""The elements whose children have places of their own."""
_MEASURE: Final = """([boxes, smallest]) => {
    const faults = [];
    const name = ({ localName, className }) => `${localName}.${className.baseVal ?? className}`;
    const isVisible = (element) =>
        element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
        element.getClientRects().length > 0 &&
        !element.closest(".visually-hidden, .skip-link");
    const scrolls = (element) => element.closest(".scroll-x") !== null;
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth > width) faults.push("the page is wider than its window");
    for (const element of document.querySelectorAll("body *")) {
        if (element.closest("svg") !== null && element.tagName !== "svg") continue;
        if (!isVisible(element) || scrolls(element)) continue;
        const { left, right } = element.getBoundingClientRect();
        if (left < -1 || right > width + 1) faults.push(`${name(element)} leaves the window`);
    }
    for (const box of document.querySelectorAll(boxes)) {
        const children = [...box.children].filter(isVisible);
        const area = box.getBoundingClientRect();
        const rectangles = children.map((child) => child.getBoundingClientRect());
        rectangles.forEach((one, i) => {
            const isOut = one.left < area.left - 1 || one.right > area.right + 1;
            if (isOut || one.bottom > area.bottom + 1)
                faults.push(`${name(children[i])} leaves ${name(box)}`);
            rectangles.slice(i + 1).forEach((other, j) => {
                const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
                const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
                const [below, above] = [children[i], children[i + 1 + j]];
                // The time that is left is a label on the picture of a board.
                const isLabel = below.matches(".thumbnail") && above.matches(".chip");
                if (across > 1 && down > 1 && !isLabel)
                    faults.push(`${name(above)} lies on ${name(below)} in ${name(box)}`);
            });
        });
    }
    for (const target of document.querySelectorAll("a, button, select, summary, input:not([type=hidden])")) {
        if (!isVisible(target)) continue;
        const { width, height } = target.getBoundingClientRect();
        // A link in a sentence may be as high as its line.
        const isInText = getComputedStyle(target).display === "inline" && target.closest("p, dd, li");
        if (Math.min(width, height) < smallest && !isInText)
            faults.push(`${name(target)} "${target.textContent.trim()}" is ${width} by ${height}`);
    }
    return [...new Set(faults)];
}"""


def layout_faults(page: Page) -> list[str]:
    """Return what is wrong with the layout of a page in the size of its window, one line for each fault."""
    faults: list[str] = page.evaluate(_MEASURE, [_BOXES, SMALLEST_TARGET])
    return faults
