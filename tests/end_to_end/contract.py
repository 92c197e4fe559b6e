"""Who asks in the tests of the contract: requests over HTTP and nothing else, with answers as they came."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from flask.testing import FlaskClient

LAND = "neues-land"
WONDER = "wunderland"
GAMES = (LAND, WONDER)
NOBODY = "mt_" + "0" * 32


class Asker:
    """Somebody with a token, or nobody."""

    def __init__(self, client: FlaskClient, token: str | None = None, account: str | None = None) -> None:
        self.client = client
        self.token = token
        self.account = account

    @classmethod
    def named(cls, client: FlaskClient, name: str) -> Asker:
        """A new account."""
        made = client.post("/v1/accounts", json={"name": name})
        assert made.status_code == 201, made.data
        assert made.json is not None
        return cls(client, made.json["key"], made.json["account"]["id"])

    def by(self, token: str) -> Asker:
        """Whoever has this token."""
        return Asker(self.client, token)

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Ask; `body` is JSON, or bytes that are declared as JSON; `If_None_Match="…"` becomes a header."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.token is not None:
            named.setdefault("Authorization", f"Bearer {self.token}")
        if body is not None:
            named.setdefault("Content-Type", "application/json")
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.client.open(path, method=method, data=body, headers=named)

    def get(self, path: str, **headers: str) -> Any:
        return self.send("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.send("POST", path, body, **headers)

    def delete(self, path: str, **headers: str) -> Any:
        return self.send("DELETE", path, **headers)

    def creates(self, game: str = LAND, seats: Sequence[str] = ("me", "me"), **wanted: Any) -> str:
        """The path of a new match."""
        made = self.post("/v1/matches", {"game": game, "seats": list(seats), **wanted})
        assert made.status_code == 201, made.data
        return str(made.headers["Location"])

    def acts(self, path: str, choice: int = 0) -> Any:
        """Play one of the legal actions of whichever own seat must act."""
        seat = self.get(f"{path}/view").json["to_act"]
        legal = self.get(f"{path}/legal-actions?seat={seat}").json["legal_actions"]
        acted = self.post(f"{path}/actions", {"actions": [legal[choice % len(legal)]]})
        assert acted.status_code == 200, acted.data
        return acted.json

    def plays(self, path: str, choices: Iterator[int], most: int = 10_000) -> Any:
        """Play all seats until the match has ended, or `most` actions; the last view."""
        view = self.get(f"{path}/view").json
        for choice, _ in zip(choices, range(most), strict=False):
            if view["status"] != "running":
                break
            view = self.acts(path, choice)["view"]
        return view

    def events(self, path: str) -> list[dict[str, Any]]:
        """The whole log."""
        found: list[dict[str, Any]] = []
        while page := self.get(f"{path}/events?after={len(found)}").json["events"]:
            found += page
        return found


def refused(answer: Any, status: int, code: str) -> Mapping[str, Any]:
    """The problem document, which has this status and code."""
    assert (answer.status_code, answer.json.get("code")) == (status, code), answer.data
    problem: Mapping[str, Any] = answer.json
    return problem


def faults(answer: Any) -> set[tuple[str, str]]:
    """Where and what, of everything that was wrong."""
    return {(error.get("pointer", error.get("parameter")), error["code"]) for error in answer.json["errors"]}
