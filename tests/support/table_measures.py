"""What a script can measure of the table of a game in the window of a browser."""

from typing import Any, Final

from playwright.sync_api import Page

REGIONS: Final = (
    *(".table-top", ".players", ".shelf", ".board", ".side", ".recap", ".bar"),
    *("#replay .moves", ".tools", ".steps", ".scale"),
)
"""The regions of the table and their parts. Those that a window does not show are not measured."""
PARTS: Final = (
    *(".strip", ".board", ".shelf", ".cards > li", ".act", ".bar", ".do .confirm"),
    *(".side", ".steps", ".steps > *", ".scale", ".tools > *"),
)
"""What has the same place before and after each step of a turn."""
_FAULTS: Final = """(regions) => {
    const all = (selector, root = document) => [...root.querySelectorAll(selector)];
    const isShown = (element) =>
        element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
        !element.closest(".visually-hidden, [aria-hidden=true].sprite");
    const nameOf = (element) => element.className.baseVal ?? (element.className || element.tagName);
    const isOn = (a, b) =>
        Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    // The buttons and the slider of a replay stand in its bar, as the signs do at the foot of its list.
    const parts = [
        [".bar", ".steps"], [".bar", ".scale"], [".bar", ".tools"],
        [".side", "#replay .moves"], [".side", ".tools"],
    ];
    const isPart = (...names) => parts.some((pair) => pair.every((name) => names.includes(name)));
    const faults = [];

    // Regions are wholly within the window, and none lies on another one.
    const boxes = regions.flatMap((selector) => {
        const element = document.querySelector(selector);
        return element && isShown(element) ? [[selector, element.getBoundingClientRect()]] : [];
    });
    for (const [index, [name, box]] of boxes.entries()) {
        const isInside =
            box.left >= -1 && box.top >= -1 &&
            box.right <= innerWidth + 1 && box.bottom <= innerHeight + 1;
        if (!isInside) faults.push(`${name} is not in the window`);
        for (const [other, below] of boxes.slice(index + 1))
            if (isOn(box, below) && !isPart(name, other)) faults.push(`${name} is on ${other}`);
    }
    const { scrollWidth, scrollHeight } = document.documentElement;
    if (scrollWidth > innerWidth || scrollHeight > innerHeight)
        faults.push("the page is larger than the window");

    // Parts of a strip, a card and the bar stay within it, and apart from each other.
    for (const whole of all(".strip, .shelf-card, .act, .bar, .table-top").filter(isShown)) {
        const frame = whole.getBoundingClientRect();
        const isPlaced = (part) => isShown(part) && getComputedStyle(part).position !== "absolute";
        const parts = [...whole.children].filter(isPlaced);
        for (const [index, part] of parts.entries()) {
            const box = part.getBoundingClientRect();
            const isWithin = box.left >= frame.left - 1 && box.right <= frame.right + 1;
            if (!isWithin || box.bottom > frame.bottom + 1)
                faults.push(`${nameOf(part)} leaves ${nameOf(whole)}`);
            for (const other of parts.slice(index + 1))
                if (isOn(box, other.getBoundingClientRect()))
                    faults.push(`${nameOf(part)} is on ${nameOf(other)}`);
        }
    }

    // Every icon has its symbol.
    for (const use of all("#page use[href^='#i-']"))
        if (!document.querySelector(use.getAttribute("href")))
            faults.push(`there is no symbol ${use.getAttribute("href")}`);

    // No count is cut off.
    for (const counts of all(".strip .counts:not(.in-words), .shelf .counts").filter(isShown))
        if (counts.scrollWidth > counts.clientWidth + 1)
            faults.push(`${nameOf(counts)} in ${nameOf(counts.parentElement)} is cut off`);

    // What can be pressed has 24 pixels, except hexes, whose size is that of the board, and links in a text.
    for (const target of all("#page a, #page button").filter(isShown)) {
        const { width, height } = target.getBoundingClientRect();
        const isExempt = target.closest("svg") || target.matches("p a");
        if (!isExempt && Math.min(width, height) < 24)
            faults.push(`${nameOf(target)} is ${width} by ${height}`);
    }
    return [...new Set(faults)];
}"""
COUNT_SHIFTS: Final = """() => {
    window.shift = 0;
    const observer = new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) window.shift += value;
    });
    observer.observe({ type: "layout-shift" });
}"""
"""Counts the layout shift that the browser reports from now on, in `window.shift`."""
_PLACES: Final = """(selectors) => Object.fromEntries(selectors.map((selector) => [
    selector,
    [...document.querySelectorAll(selector)].map((part) => {
        const { x, y, width, height } = part.getBoundingClientRect();
        return [x, y, width, height].map(Math.round);
    }),
]))"""


def faults(page: Page) -> list[str]:
    """Return what is wrong with the table: what is outside, on something else, or too small to be pressed."""
    found: list[str] = page.evaluate(_FAULTS, list(REGIONS))
    return found


def places(page: Page) -> dict[str, Any]:
    """Return where the parts of the table are that no step of a turn moves."""
    found: dict[str, Any] = page.evaluate(_PLACES, list(PARTS))
    return found


_WORDS: Final = r"""(apart) => {
    const isShown = (element) =>
        element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const words = [];
    while (texts.nextNode()) {
        const text = texts.currentNode, element = text.parentElement;
        if (!text.data.trim() || element.closest(apart)) continue;
        const range = document.createRange();
        range.selectNodeContents(text);
        const box = range.getBoundingClientRect();
        if (!isShown(element) || box.width < 2 || box.right < 0) continue;
        if (box.bottom < 0 || box.top > innerHeight) continue;
        const moves = element.closest(".moves")?.getBoundingClientRect();
        if (moves && (box.bottom < moves.top || box.top > moves.bottom)) continue;
        // Text for screen readers alone is in a box of one pixel.
        if ([...parents(element)].some((each) => each.clientWidth === 1)) continue;
        words.push(...(text.data.match(/\p{L}[\p{L}\u2019'-]*/gu) ?? []));
    }
    return words;

    function* parents(element) {
        for (let each = element; each; each = each.parentElement) yield each;
    }
}"""
_TAB_STOPS: Final = """() => [...document.querySelectorAll(
    "a[href], button:not([disabled]), input:not([type=hidden]), select, textarea, summary, [tabindex='0']"
)].filter((element) =>
    element.tabIndex >= 0 && element.checkVisibility({ visibilityProperty: true }) &&
    element.getClientRects().length).length"""


def words(page: Page) -> list[str]:
    """Return the words that can be read in the window, without the names of players and cards."""
    found: list[str] = page.evaluate(_WORDS, "script, style, title, desc, .visually-hidden, .name")
    return found


def tab_stops(page: Page) -> int:
    """Return at how many elements of the page the Tab key stops."""
    count: int = page.evaluate(_TAB_STOPS)
    return count
