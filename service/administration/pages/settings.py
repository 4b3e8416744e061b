"""The settings and bounds of the process that responds, for administrators; no secret is among them."""

from dataclasses import Field, dataclass, fields
from typing import Any, Final

from flask import Response

from service.administration.pages.guard import administrator, administrators_only
from service.bounds import Bounds
from service.http.context import service
from service.pages.templating import page
from service.settings import PREFIX, Settings

blueprint = administrators_only("admin_settings")

_SECRETS: Final = frozenset({"webhook_url", "smtp_url"})
"""Settings whose values may contain passwords."""


@dataclass(frozen=True, slots=True)
class SettingRow:
    """A setting: its variable, its value as text, and its default; `is_hidden` if it may be secret."""

    variable: str
    value: str
    default: str
    is_hidden: bool = False

    @property
    def is_changed(self) -> bool:
        """Whether the value is not the default."""
        return self.value != self.default


@blueprint.get("/admin/settings")
def show_settings() -> Response:
    """Show all settings and bounds, those that are not as usual first."""
    settings = service().settings
    service().administration.note_reading(administrator(), "read_settings")
    return page(
        "admin_settings.html",
        settings=[_row(field, settings) for field in fields(Settings) if field.metadata],
        bounds=[_row(field, settings.bounds) for field in fields(Bounds)],
    )


def _row(field: Field[Any], values: object) -> SettingRow:
    value = getattr(values, field.name)
    is_hidden = field.name in _SECRETS and value is not None
    return SettingRow(
        f"{PREFIX}{field.name.upper()}",
        "" if is_hidden else _text(value),
        _text(field.default),
        is_hidden,
    )


def _text(value: object) -> str:
    if value is None or value == ():
        return ""
    return ", ".join(value) if isinstance(value, tuple) else str(value)
