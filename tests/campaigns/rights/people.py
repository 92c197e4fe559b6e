"""Everybody who could ask about one match, with what they show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.campaigns.harness.asking import Asking, Reply
from tests.campaigns.rights.expectations import Who

DECK = ["8m", "44mg", "161mgm", "8s", "116mmg", "17mg"]
CREATOR, PLAYER = 0, 1


class People:
    """A match of three in a status and visibility: seat 0 is its creator's, seat 1 the player's."""

    def __init__(self, asking: Asking, status: str, visibility: str) -> None:
        self._asking = asking
        self.status = status
        creator, player, third, stranger = (self._key(name) for name in ("Ada", "Bob", "Cem", "Dora"))
        wanted = {"game": "neues-land", "seats": ["me", "invite", "invite"], "start": "manual", "deal": {"deck": DECK}}
        made = self._done(asking.ask("POST", "/v1/matches", creator, {**wanted, "visibility": visibility}))
        self.match = f"/v1/matches/{made['id']}"
        invitations = [each["token"] for each in made["invitations"]]
        self.invitation = self._done(asking.ask("GET", f"{self.match}/invitations", creator))["invitations"][0]["id"]
        token = self._joins(player, invitations[0])
        if status == "aborted":
            self._done(asking.ask("DELETE", self.match, creator))
        elif status != "open":
            self._joins(third, invitations[1])
            self._done(asking.ask("POST", f"{self.match}/start", creator, {}))
        if status == "finished":
            for resigning in (creator, player):
                self._done(asking.ask("POST", f"{self.match}/resignation", resigning, {}))
        self.tokens: Mapping[Who, str | None] = {
            "nobody": None,
            "empty": "",
            "malformed": "not-a-token",
            "wrong_checksum": player[:-5] + ("AAAAA" if player[-5:] != "AAAAA" else "BBBBB"),
            "revoked": self._revoked(),
            "left_seat": self._left_seat(),
            "other_account": stranger,
            "token_of_another_match": self._token_of_another_match(),
            "creator": creator,
            "player": player,
            "player_token": token,
            "player_for_other_seat": player,
        }

    def version(self) -> int:
        """The match's version, as its creator sees it."""
        version: int = self._done(self._asking.ask("GET", self.match, self.tokens["creator"]))["version"]
        return version

    def legal(self) -> list[Any]:
        """What may be done by whoever must act."""
        view = self._done(self._asking.ask("GET", f"{self.match}/view?seat=0", self.tokens["creator"]))
        return view["legal_actions"] or [{"type": "pass"}]

    def _key(self, name: str) -> str:
        key: str = self._done(self._asking.ask("POST", "/v1/accounts", None, {"name": name}))["key"]
        return key

    def _joins(self, key: str, invitation: str) -> str:
        joined = self._done(self._asking.ask("POST", f"{self.match}/seats", key, {"invitation": invitation}))
        token: str = joined["grants"][0]["token"]
        return token

    def _revoked(self) -> str:
        key = self._key("Eve")
        self._done(self._asking.ask("DELETE", "/v1/me", key))
        return key

    def _other_match(self, seats: list[str]) -> tuple[str, str, str]:
        key = self._key("Fay")
        made = self._done(self._asking.ask("POST", "/v1/matches", key, {"game": "wunderland", "seats": seats}))
        return f"/v1/matches/{made['id']}", key, made["grants"][0]["token"]

    def _left_seat(self) -> str:
        match, key, token = self._other_match(["me", "open"])
        self._done(self._asking.ask("DELETE", f"{match}/seats/0", key))
        return token

    def _token_of_another_match(self) -> str:
        return self._other_match(["me", "me"])[2]

    @staticmethod
    def _done(reply: Reply) -> Any:
        assert reply.status in (200, 201), reply
        return reply.json
