"""Access to the parts of the service from the code that handles a request."""

from typing import Final, cast

from flask import current_app

from service.bootstrap import Service
from service.http.access_log import AccessLog
from service.http.metrics import Metrics

SERVICE: Final = "cartulary"
METRICS: Final = "cartulary-metrics"
ACCESS_LOG: Final = "cartulary-access-log"
"""The names under which `create_app` stores these objects in `app.extensions`."""


def service() -> Service:
    """Return the service behind the application that handles the current request."""
    return cast("Service", current_app.extensions[SERVICE])


def metrics() -> Metrics:
    """Return the metrics of the application that handles the current request."""
    return cast("Metrics", current_app.extensions[METRICS])


def access_log() -> AccessLog:
    """Return the access log of the application that handles the current request."""
    return cast("AccessLog", current_app.extensions[ACCESS_LOG])
