"""Access to the parts of the service from the code that handles a request."""

from typing import Final, cast

from flask import current_app

from service.bootstrap import Service
from service.http.metrics import Metrics

SERVICE: Final = "cartulary"
METRICS: Final = "cartulary-metrics"
"""The names under which `create_app` stores the service and the metrics in `app.extensions`."""


def service() -> Service:
    """Return the service behind the application that handles the current request."""
    return cast("Service", current_app.extensions[SERVICE])


def metrics() -> Metrics:
    """Return the metrics of the application that handles the current request."""
    return cast("Metrics", current_app.extensions[METRICS])
