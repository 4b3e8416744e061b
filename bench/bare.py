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


def process_command(address: str, port: int, threads: int) -> list[str]:
    """The command of one of several processes."""
    return [sys.executable, "-m", "bench.bare", address, str(port), str(threads)]


if __name__ == "__main__":
    # The endpoint runs behind the same gateway as our own application, in every process.
    from service.server import processes, web_process
    from service.settings import load_settings

    web_process.create_app = lambda *_: app
    if len(sys.argv) == len(("bare", "address", "port", "threads")):
        web_process.main()
    else:
        processes.run_web(
            load_settings(os.environ),
            os.environ,
            port=int(sys.argv[1]),
            processes=int(os.environ["BENCH_PROCESSES"]),
            process_command=process_command,
        )
