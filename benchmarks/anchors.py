"""The anchors: what Flask, gunicorn and the store cost by themselves. A WSGI application, served like the service.

`hello` answers a constant, `get` one `HGET` of 4 KB, and `move` is the floor for a durable move: `HMGET` of 4 KB, then
one script that compares the version, writes 4 KB and appends an event; no rules, no caller, no schema.
"""

from __future__ import annotations

import os
from typing import Any

import orjson
import redis
from flask import Flask, Response, request

#: The size of a state: 4 KB of JSON that resembles a list of tiles.
STATE = orjson.dumps([{"x": n % 13, "y": -(n % 7), "tile": f"{n:04d}mmms", "rotation": 90} for n in range(80)])[:4096]
HELLO = orjson.dumps({"hello": "world"})
_EVENT = b'{"data":{"action":{"type":"pass"},"cause":"player","points":0,"scores":[0,0]},"seat":0,"type":"action"}'

_MOVE = """\
local version = redis.call('HGET', KEYS[1], 'version')
if version ~= ARGV[1] then return false end
redis.call('HSET', KEYS[1], 'version', ARGV[1] + 1, 'state', ARGV[2])
redis.call('XADD', KEYS[2], '*', 'event', ARGV[3])
return ARGV[1] + 1
"""


def names(number: int) -> tuple[str, str]:
    """The keys of one anchor match: its hash and its log."""
    return f"anchor:{{{number}}}", f"anchor:{{{number}}}:log"


def lay_out(store: redis.Redis, count: int) -> None:
    """Write `count` matches for `get` and `move`."""
    for number in range(count):
        store.hset(names(number)[0], mapping={"version": 0, "state": STATE})


def create_app() -> Flask:
    """The application over the store that `REDIS_URL` names."""
    app = Flask(__name__)
    store = redis.Redis.from_url(os.environ["REDIS_URL"])
    sha = store.script_load(_MOVE)

    def answered(body: bytes) -> Response:
        return Response(body, mimetype="application/json")

    @app.get("/hello")
    def hello() -> Response:
        return answered(HELLO)

    @app.get("/get/<int:number>")
    def get(number: int) -> Response:
        state: Any = store.hget(names(number)[0], "state")
        return answered(state)

    @app.post("/move/<int:number>")
    def move(number: int) -> Response:
        orjson.loads(request.get_data())
        match, log = names(number)
        version: Any
        state: Any
        version, state = store.hmget(match, "version", "state")
        now: Any = store.evalsha(sha, 2, match, log, version, state, _EVENT)
        if now is None:
            return Response(status=409)
        return answered(orjson.dumps({"version": now}))

    return app


# Only gunicorn loads this module with a store; the benchmarks import what it lays out.
application = create_app() if "REDIS_URL" in os.environ else None
