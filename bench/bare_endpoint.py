"""The peer of the HTTP rows: a Flask and marshmallow endpoint that appends given bytes to Redis, no more.

`python -m bench.bare_endpoint PORT` serves it with our own server. Granian's WSGI server serves `app` itself.
"""

import os
import sys
from types import SimpleNamespace
from typing import Any

import redis
from flask import Flask, Response, jsonify, request
from marshmallow import Schema, fields

LINE = os.environ["BENCH_LINE"].encode()
"""The bytes to append: an event as our own log contains it."""

app = Flask("bare_endpoint")
client = redis.Redis.from_url(os.environ["CARTULARY_REDIS_URL"])


class ActionSchema(Schema):
    """The same request body as ours."""

    action = fields.Dict(required=True)
    expected_seq = fields.Integer(required=True)


@app.post("/api/v1/games/<game>/actions")
def act(game: str) -> tuple[Response, int]:
    """Append the line and return its id."""
    body: dict[str, Any] = ActionSchema().load(request.get_json())
    id = client.xadd(f"bare:{{{game}}}:log", {"e": LINE})
    assert isinstance(id, bytes)
    return jsonify({"seq": id.decode(), "expected": body["expected_seq"]}), 201


def main() -> None:
    """Serve the endpoint behind the same gateway as our own application."""
    # Imported here, because granian's WSGI server should load the endpoint alone.
    from service.http.context import ACCESS_LOG
    from service.server import processes, web_process
    from service.settings import load_settings

    # A web process creates its application by this name, and writes the rest of its access log at the end.
    vars(web_process)["create_web_app"] = lambda *_: app
    app.extensions[ACCESS_LOG] = SimpleNamespace(flush=lambda: None)
    processes.run_web(
        load_settings(os.environ),
        os.environ,
        port=int(sys.argv[1]),
        processes=int(os.environ["BENCH_PROCESSES"]),
    )


if __name__ == "__main__":
    main()
