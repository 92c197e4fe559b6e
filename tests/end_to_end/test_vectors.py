"""Whole games from an independent reading of the rules, played over HTTP: legal actions and scores at every ply."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

VECTORS = sorted(Path(__file__).parent.parent.joinpath("vectors").glob("*.json"))
#: The longest games are played through the engines alone (tests/games/*/test_vectors.py).
MOST_PLIES = 350


def digest(actions: list[dict[str, Any]]) -> dict[str, Any]:
    """How a vector tells the legal actions (tests/vectors/README.md)."""
    lines = sorted(json.dumps(action, sort_keys=True, separators=(",", ":")) for action in actions)
    return {"count": len(lines), "sha256": hashlib.sha256("\n".join(lines).encode()).hexdigest()}


def short(path: Path) -> bool:
    return len(json.loads(path.read_text())["plies"]) <= MOST_PLIES


@pytest.mark.parametrize("path", [path for path in VECTORS if short(path)], ids=lambda path: path.stem)
def test_a_vector_over_http(client: FlaskClient, path: Path) -> None:
    vector = json.loads(path.read_text())
    key = client.post("/v1/accounts", json={"name": "Ada"}).get_json()["key"]
    headers = {"Authorization": f"Bearer {key}"}
    wanted = {
        "game": vector["game"],
        "seats": ["me"] * vector["players"],
        "options": vector["options"],
        "deal": vector["deal"],
    }
    created = client.post("/v1/matches", json=wanted, headers=headers)
    assert created.status_code == 201
    where = created.headers["Location"]
    for number, ply in enumerate(vector["plies"]):
        legal = client.get(f"{where}/legal-actions?seat={ply['seat']}", headers=headers).get_json()
        assert digest(legal["legal_actions"]) == ply["legal"]
        answer = client.post(f"{where}/actions", json={"actions": [ply["action"]]}, headers=headers)
        assert answer.status_code == 200
        told = answer.get_json()
        assert told["version"] == number + 3 + (told["view"]["status"] == "finished")
        assert told["events"][0]["data"]["scores"] == ply["scores"]
        if told["view"]["status"] == "running":
            assert told["view"]["scores"] == ply["scores"]
    match = client.get(where, headers=headers).get_json()
    if vector["result"] is None:
        assert match["status"] == "running"
    else:
        assert {key: match["result"][key] for key in ("scores", "ranks")} == vector["result"]
        assert client.get(f"{where}/view", headers=headers).get_json()["scores"] == vector["result"]["scores"]
        assert client.get(f"{where}/record").get_json()["deal"]["deck"] == vector["deal"]["deck"]
