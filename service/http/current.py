"""What belongs to the request at hand: the service behind the application, and figures about it."""

from typing import Final, cast

from flask import current_app

from service.bootstrap import Service
from service.http.metrics import Figures

SERVICE: Final = "cartulary"
FIGURES: Final = "cartulary-figures"


def service() -> Service:
    """The service behind the application that handles this request."""
    return cast("Service", current_app.extensions[SERVICE])


def figures() -> Figures:
    """The figures that this application gives of itself."""
    return cast("Figures", current_app.extensions[FIGURES])
