"""What belongs to the request at hand: the service behind the application, and figures about it."""

from typing import Final, cast

from flask import current_app

from service.bootstrap import Service
from service.http.metrics import Metrics

SERVICE: Final = "cartulary"
METRICS: Final = "cartulary-figures"


def service() -> Service:
    """The service behind the application that handles this request."""
    return cast("Service", current_app.extensions[SERVICE])


def figures() -> Metrics:
    """The figures that this application gives of itself."""
    return cast("Metrics", current_app.extensions[METRICS])
