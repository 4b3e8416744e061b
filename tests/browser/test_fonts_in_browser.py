"""The fonts of the pages in a browser have every letter that the languages need, and no page needs them."""

from collections.abc import Sequence
from typing import Final

import pytest

from replay.language.catalogue import DOMAIN, FOLDER
from tests.browser.test_table_in_browser import at_table, resize
from tests.support.board_windows import SIZES
from tests.support.browsing import Visitors
from tests.support.table_measures import faults

# A character that a font lacks is as wide as that of the font after it.
MISSING: Final = """async ([family, weight, characters]) => {
    await document.fonts.load(`${weight} 40px "${family}"`);
    const context = document.createElement("canvas").getContext("2d");
    const width = (text, fallback) => {
        context.font = `${weight} 40px "${family}", ${fallback}`;
        return context.measureText(text).width;
    };
    return [...characters].filter((each) => width(each, "monospace") !== width(each, "sans-serif"));
}"""
PUNCTUATION: Final = "\u00ab\u00bb\u201c\u201d\u2019\u2013\u2014\u2026\u00bf\u00a1\u00b7"


def characters() -> set[str]:
    """Return all letters and figures of the catalogues, and their common punctuation."""
    texts = [path.read_text("utf-8") for path in FOLDER.glob(f"*/LC_MESSAGES/{DOMAIN}.po")]
    assert len(texts) > 1
    return {each for text in texts for each in text if each.isalnum() or each in PUNCTUATION}


@pytest.mark.parametrize(("family", "weight"), [("Inter", 400), ("EB Garamond", 600)])
def test_a_font_has_the_letters_of_all_languages(
    visitors: Visitors, family: str, weight: int
) -> None:
    page = visitors.new().open("/")
    wanted = "".join(sorted(characters()))
    assert len(wanted) > 80
    assert page.evaluate(MISSING, [family, weight, wanted]) == []


# Each run tries the narrowest window, the lowest and the widest.
@pytest.mark.nightly
@pytest.mark.parametrize(
    ("language", "sizes"),
    [
        pytest.param("fr", (SIZES[0], SIZES[3], SIZES[-1]), id="fr"),
        pytest.param("fr", SIZES, id="fr-all", marks=pytest.mark.nightly),
        pytest.param("es", SIZES, id="es-all", marks=pytest.mark.nightly),
    ],
)
def test_the_table_has_the_same_measures_with_the_fonts_of_the_system(
    visitors: Visitors, language: str, sizes: Sequence[tuple[int, int]]
) -> None:
    game_id, player = at_table(visitors, "sorcery of five", 40)
    visitor = visitors.new(player, language=language, fresh=True)
    visitor.expects_failed_requests = True
    visitor.page.route("**/*.woff2", lambda route: route.abort())
    for size in sizes:
        resize(visitor.page, size)
        visitor.open(f"/games/{game_id}")
        assert (size, faults(visitor.page)) == (size, [])
