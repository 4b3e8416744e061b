"""The peer of the HTTP rows: a Flask and marshmallow endpoint that appends given bytes to Redis, no more.

`python -m bench.bare_endpoint PORT` serves it with our own server. Granian's WSGI server serves `app` itself.
"""

import os
import sys
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


def process_command(address: str, port: int) -> list[str]:
    """Return the command that starts one of several web processes."""
    return [sys.executable, "-m", "bench.bare_endpoint", address, str(port)]


def main() -> None:
    """Serve the endpoint behind the same gateway as our own application."""
    # Imported here, because granian's WSGI server should load the endpoint alone.
    from service.server import processes, web_process
    from service.settings import load_settings

    # The web process creates its application by this name.
    vars(web_process)["create_web_app"] = lambda *_: app
    _, *arguments = sys.argv
    if len(arguments) > 1:
        # One of several processes: the arguments are those of `process_command`.
        web_process.main()
    else:
        processes.run_web(
            load_settings(os.environ),
            os.environ,
            port=int(arguments[0]),
            processes=int(os.environ["BENCH_PROCESSES"]),
            process_command=process_command,
        )


if __name__ == "__main__":
    main()
