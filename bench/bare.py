"""The peer of the HTTP row: a bare Flask + marshmallow endpoint that appends bytes to Redis, no more."""

import os
import sys

import redis
from flask import Flask, Response, jsonify, request
from marshmallow import Schema, fields

LINE = os.environ["BENCH_LINE"].encode()
"""The bytes of an event as our own log has it."""

app = Flask("bare")
store = redis.Redis.from_url(os.environ["CARTULARY_REDIS_URL"])


class Act(Schema):
    """The same body as ours."""

    action = fields.Dict(required=True)
    expected_seq = fields.Integer(required=True)


@app.post("/api/v1/games/<game>/actions")
def act(game: str) -> tuple[Response, int]:
    """Append, and say where."""
    body = Act().load(request.get_json())
    seq = store.xadd(f"bare:{{{game}}}:log", {"e": LINE})
    return jsonify({"seq": seq.decode(), "expected": body["expected_seq"]}), 201


if __name__ in ("__main__", "__mp_main__"):
    # Behind the very gateway that our own application is behind, in every process of it.
    from service.server import processes as serve

    serve.create_app = lambda *_: app

if __name__ == "__main__":
    from service.settings import load_settings

    serve.run_web(
        load_settings(os.environ), port=int(sys.argv[1]), workers=int(os.environ["BENCH_PROCESSES"])
    )
