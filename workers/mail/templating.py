"""The templates of mails: the environment in which they are rendered, in one language.

{{ text("Players: {players}", players=...) }}     as in the templates of pages (service/pages/templating.py)
{{ plural_text("one event", "{count} events", count=n) }}
{{ render(message) }}, {{ sentence(message) }}
{{ paragraph | wrapped("- ") }}                   in lines, of which the first begins with "- "
"""

from functools import cache
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from domain.messages import Message, Value
from replay.language.renderer import Renderer
from replay.language.text_layout import columns, wrap

COLUMNS: Final = 72
"""The width of the lines of plain text."""


def _wrapped(text: str, first: str = "", others: str | None = None) -> str:
    """Return a text in lines of at most COLUMNS, of which the first begins with `first`.

    The other lines begin with `others`, or are indented by the width of `first`.
    """
    indent = " " * len(first) if others is None else others
    lines = wrap(text, COLUMNS - columns(first), columns)
    return "\n".join(f"{indent if number else first}{line}" for number, line in enumerate(lines))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("workers.mail"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["wrapped"] = _wrapped
    return environment


def render_template(name: str, renderer: Renderer, **values: Any) -> str:
    """Return a template of this package, rendered with these values in the language of the renderer."""

    def text(template: str, /, **fields: Value) -> str:
        return renderer(Message(template, fields))

    def plural_text(one: str, other: str, /, count: int, **fields: Value) -> str:
        return renderer(Message(one, {**fields, "count": count}, other))

    return (
        _environment()
        .get_template(name)
        .render(
            text=text,
            plural_text=plural_text,
            render=renderer,
            sentence=renderer.sentence,
            language=renderer.language,
            **values,
        )
    )
