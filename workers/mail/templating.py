"""The templates of mails: the environment in which they are rendered, in one language.

{{ text("Players: {players}", players=...) }}     as in the templates of pages (service/pages/templating.py)
{{ plural_text("one event", "{count} events", count=n) }}
{{ render(message) }}, {{ sentence(message) }}
"""

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from domain.messages import Message, Value
from replay.language.renderer import Renderer


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("workers.mail"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def render_template(name: str, renderer: Renderer, **values: Any) -> str:
    """Return a template of this package with these values, in the language of the renderer."""

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
