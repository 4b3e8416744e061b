"""The OpenAPI document and a page to read it, all served from here: no other host is asked for anything."""

from typing import Final

import orjson
from flask import Flask, Response, send_from_directory
from swagger_ui_bundle import swagger_ui_path

from service.http.blueprint import Api

PREFIX: Final = "/api/v1"
_CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
    " connect-src 'self'; frame-ancestors 'none'"
)
_PAGE: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cartulary: the HTTP interface</title>
<link rel="stylesheet" href="docs/files/swagger-ui.css">
<link rel="icon" href="docs/files/favicon-32x32.png">
<div id="page"></div>
<script src="docs/files/swagger-ui-bundle.js"></script>
<script src="docs/begin.js"></script>
</html>
"""
_BEGIN: Final = """SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#page",
  deepLinking: true,
  presets: [SwaggerUIBundle.presets.apis],
  validatorUrl: null
});
"""


def register(app: Flask, api: Api) -> None:
    """Serve the document of `api`, as it is once all routes are known."""
    document = orjson.dumps(api.spec.to_dict(), option=orjson.OPT_NON_STR_KEYS)

    def openapi() -> Response:
        return Response(document, content_type="application/json")

    def page() -> Response:
        return _readable(Response(_PAGE, content_type="text/html; charset=utf-8"))

    def begin() -> Response:
        return _readable(Response(_BEGIN, content_type="text/javascript; charset=utf-8"))

    def files(name: str) -> Response:
        response = send_from_directory(swagger_ui_path, name, max_age=3600)
        # Nothing of a file's bytes is worth a thread waiting for a slow reader: they are small.
        response.direct_passthrough = False
        return _readable(response)

    for rule, view in (
        ("/openapi.json", openapi),
        ("/docs", page),
        ("/docs/begin.js", begin),
        ("/docs/files/<name>", files),
    ):
        app.add_url_rule(PREFIX + rule, f"page-{view.__name__}", view)


def _readable(response: Response) -> Response:
    response.headers["Content-Security-Policy"] = _CSP
    return response
