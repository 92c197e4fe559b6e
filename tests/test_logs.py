"""The log of a process: lines of JSON on stderr, and no token in any of them."""

import json
import subprocess
import sys

import pytest

from spieltisch_service.app.callers import SeatGrant
from spieltisch_service.app.tokens import Tokens
from spieltisch_service.logs import without_tokens

TOKENS = Tokens(b"a secret of the tests, thirty-two bytes or more")
ISSUED = [
    TOKENS.key("ac_" + "1" * 32, "ky_" + "5" * 32),
    TOKENS.seat(SeatGrant("mt_" + "2" * 32, 3, 0)),
    TOKENS.invitation("mt_" + "4" * 32, "iv_" + "6" * 32),
]

_PROCESS = """
import logging, sys
import structlog
from spieltisch_service.logs import log_to_stderr
token = sys.argv[2]
served = logging.getLogger("gunicorn.error")
served.propagate = False
served.addHandler(logging.StreamHandler(sys.stdout))
log_to_stderr(sys.argv[1])
ours = structlog.get_logger("spieltisch_service.x")
ours.info("told", path=f"/v1/{token}")
ours.warning("warned", detail=token)
served.warning("Invalid HTTP header: %r", f"Authorization Bearer {token}")
logging.getLogger("somebody.else").info("chatter")
try:
    raise ValueError(f"unexpected {token}")
except ValueError:
    ours.exception("failed")
    served.exception("Error handling request /x?key=%s", token)
"""


def lines(level: str, token: str) -> list[dict[str, str]]:
    command = [sys.executable, "-c", _PROCESS, level, token]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == ""
    assert token not in done.stderr
    assert token.rpartition("_")[2] not in done.stderr
    return [json.loads(line) for line in done.stderr.splitlines()]


@pytest.mark.parametrize("token", ISSUED, ids=["key", "seat", "invitation"])
def test_every_line_is_json_without_tokens(token: str) -> None:
    told = lines("info", token)
    assert [line["event"].split(" ")[0] for line in told] == ["told", "warned", "Invalid", "failed", "Error"]
    assert all(line["time"].endswith("Z") and line["level"] for line in told)
    kind = token.split("_")[1]
    assert told[0]["path"] == f"/v1/spt_{kind}_…"
    assert f"ValueError: unexpected spt_{kind}_…" in told[3]["exception"]
    assert "Traceback" in told[4]["exception"]


def test_by_default_only_what_went_wrong_is_told() -> None:
    assert [line["level"] for line in lines("warning", ISSUED[0])] == ["warning", "warning", "error", "error"]


def test_what_only_looks_like_a_token_stays() -> None:
    line = {"event": "spt_ is how tokens begin", "status": 200}
    assert without_tokens(None, "info", dict(line)) == line
