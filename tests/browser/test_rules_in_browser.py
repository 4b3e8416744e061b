"""The rules in a browser: links lead to their clauses, and the pictures are shown."""

from playwright.sync_api import expect

from tests.support.browsing import Visitors


def test_a_link_to_a_clause_on_another_page_shows_the_clause(visitors: Visitors) -> None:
    page = visitors.new().open("/rules/barony")
    page.locator("a[href='/rules/sorcery#BS-TOR-2']").first.click()
    expect(page).to_have_url(f"{visitors.site.url}/rules/sorcery#BS-TOR-2")
    expect(page.locator("#BS-TOR-2")).to_be_focused()
    expect(page.locator("#BS-TOR-2")).to_be_in_viewport()


def test_the_pictures_of_the_rules_are_shown_on_a_phone(visitors: Visitors) -> None:
    page = visitors.new(phone=True, language="fr").open("/rules/baron")
    pictures = page.locator("figure img")
    assert pictures.count() >= 4
    for picture in pictures.all():
        picture.scroll_into_view_if_needed()
        expect(picture).to_have_js_property("complete", value=True)
        assert picture.evaluate("image => image.naturalWidth") > 100
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
