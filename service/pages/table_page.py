"""Pages that are one table: their views need no template of their own."""

from collections.abc import Sequence
from dataclasses import dataclass

from flask import Response

from domain.game import Game
from domain.messages import Text, Value
from service.http.language import request_renderer
from service.pages.templating import page


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table; `has_numbers` aligns it to the right."""

    heading: Value
    has_numbers: bool = False


def table_page(
    title: Text,
    columns: Sequence[Column],
    rows: Sequence[Sequence[Value]],
    *,
    if_empty: Text,
    heading: Text | None = None,
    remarks: Sequence[Text] = (),
    game: Game | None = None,
) -> Response:
    """Return the page of a table, with its rows from left to right; `if_empty` stands in place of no rows.

    The first value of a row is its heading. `heading` is that of the page, if it is not `title`; `remarks`
    stand below the table. The page of a `game` has the navigation of the game.
    """
    renderer = request_renderer()
    return page(
        "table_page.html",
        title=title,
        heading=heading or title,
        headings=[renderer.sentence(column.heading) for column in columns],
        numbers=[index for index, column in enumerate(columns) if column.has_numbers],
        rows=rows,
        if_empty=if_empty,
        remarks=remarks,
        game=game,
    )
