"""The OpenAPI document, and a page to read it. The page loads nothing from other hosts."""

from typing import Final

import orjson
from flask import Flask, Response, send_from_directory
from swagger_ui_bundle import swagger_ui_path

from service.http.blueprint import Api
from service.http.schemas.rule_systems import add_rule_systems
from service.http.schemas.type_schemas import RESPONSES, Components

PREFIX: Final = "/api/v1"
_CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
    " connect-src 'self'; frame-ancestors 'none'"
)
_PAGE: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cartulary: the HTTP API</title>
<link rel="stylesheet" href="docs/files/swagger-ui.css">
<link rel="icon" href="docs/files/favicon-32x32.png">
<div id="page"></div>
<script src="docs/files/swagger-ui-bundle.js"></script>
<script src="docs/init.js"></script>
</html>
"""
_SCRIPT: Final = """SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#page",
  deepLinking: true,
  presets: [SwaggerUIBundle.presets.apis],
  validatorUrl: null
});
"""


def add_components(api: Api) -> None:
    """Add the schemas of responses and of the rule systems in the registry to the document."""
    components = Components(RESPONSES.schemas)
    add_rule_systems(components)
    for name, schema in sorted(components.schemas.items()):
        api.spec.components.schema(name, schema)


def register(app: Flask, api: Api) -> None:
    """Serve the document of `api`. Call this after all routes are registered."""
    document = orjson.dumps(api.spec.to_dict(), option=orjson.OPT_NON_STR_KEYS)

    def openapi() -> Response:
        return Response(document, content_type="application/json")

    def page() -> Response:
        return _allow_scripts(Response(_PAGE, content_type="text/html; charset=utf-8"))

    def script() -> Response:
        return _allow_scripts(Response(_SCRIPT, content_type="text/javascript; charset=utf-8"))

    def files(name: str) -> Response:
        file = send_from_directory(swagger_ui_path, name, max_age=3600)
        # The gateway sends whole bodies, not files.
        file.direct_passthrough = False
        return _allow_scripts(file)

    for rule, view in (
        ("/openapi.json", openapi),
        ("/docs", page),
        ("/docs/init.js", script),
        ("/docs/files/<name>", files),
    ):
        app.add_url_rule(PREFIX + rule, f"docs-{view.__name__}", view)


def _allow_scripts(response: Response) -> Response:
    response.headers["Content-Security-Policy"] = _CONTENT_SECURITY_POLICY
    return response
