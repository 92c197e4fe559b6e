"""Every operation that changes something, with a situation in which it can be done and a count of its effect."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.campaigns.harness.wire import Answer, Wire, accepted


def _nothing(_: Situation) -> None:
    return


@dataclass
class Situation:
    """What was prepared for one operation, over `wire`, which is nobody else's."""

    wire: Wire
    rng: random.Random
    path: str = ""
    body: Any = None
    other: Any = None
    token: str | None = None
    match: str = ""
    later: int = 0
    key: str = field(init=False)

    def __post_init__(self) -> None:
        self.key = f"{self.rng.getrandbits(160):040x}"

    def post(self, path: str, body: Any = None, token: str | None = None) -> Any:
        """One POST of the preparation, with a key of its own."""
        key = f"{self.rng.getrandbits(160):040x}"
        return accepted(self.wire.settled("POST", path, body, token=token or self.token, key=key))

    def get(self, path: str, token: str | None = None) -> Any:
        """What is there now."""
        return accepted(self.wire.settled("GET", path, token=token or self.token), 200)

    def account(self) -> str:
        """The key of a new account."""
        return str(self.post("/v1/accounts", {"name": "Ada"})["key"])

    def made(self, **wanted: Any) -> Any:
        """A new match of the account with `token`, which is made if there is none."""
        self.token = self.token or self.account()
        made = self.post("/v1/matches", {"game": "neues-land", "seats": ["me", "me"], **wanted})
        self.match = f"/v1/matches/{made['id']}"
        return made

    def events(self, kind: str) -> int:
        """How many events of a kind the log of the match has."""
        found = self.get(f"{self.match}/events")["events"]
        return sum(event["type"] == kind for event in found)

    def legal(self) -> tuple[int, list[Any]]:
        """The seat that must act, and what it may do."""
        seat = self.get(f"{self.match}/view?seat=0")["to_act"]
        return seat, self.get(f"{self.match}/legal-actions?seat={seat}")["legal_actions"]

    def play(self, count: int) -> None:
        """A few actions."""
        self.later += count
        for _ in range(count):
            seat, legal = self.legal()
            self.post(f"{self.match}/actions", {"actions": [self.rng.choice(legal)], "seat": seat})


@dataclass(frozen=True)
class Operation:
    """`prepare` fills a situation, `effects` counts what came of it, `move_on` lets more happen.

    One without a `key` has no Idempotency-Key; its copies may be refused with one of the statuses `again`.
    """

    name: str
    prepare: Callable[[Situation], None]
    effects: Callable[[Situation], int]
    move_on: Callable[[Situation], None] = _nothing
    method: str = "POST"
    key: bool = True
    again: Sequence[int] = ()

    def send(self, wire: Wire, situation: Situation, *, another_body: bool = False) -> Answer:
        """The request of the situation, until it is answered."""
        body = situation.other if another_body else situation.body
        key = situation.key if self.key else None
        return wire.settled(self.method, situation.path, body, token=situation.token, key=key)


def _create_account(s: Situation) -> None:
    s.path, s.body, s.other = "/v1/accounts", {"name": "Eve"}, {"name": "Eva"}


def _accounts(s: Situation) -> int:
    key = accepted(s.wire.settled("POST", s.path, s.body, key=s.key))["key"]
    return int(s.get("/v1/me", key)["account"]["name"] == "Eve")


def _create_match(s: Situation) -> None:
    s.token = s.account()
    s.path = "/v1/matches"
    s.body = {"game": "wunderland", "seats": ["me", "invite"], "metadata": {"n": "1"}}
    s.other = {**s.body, "metadata": {"n": "2"}}


def _take_seat(s: Situation) -> None:
    s.made(seats=["me", "open", "open"])
    s.token = s.account()
    s.path, s.body, s.other = f"{s.match}/seats", {"nonce": "bob"}, {"nonce": "eve"}


def _take_seat_by_invitation(s: Situation) -> None:
    made = s.made(seats=["me", "invite", "open"])
    s.path = f"{s.match}/seats"
    s.body = {"invitation": made["invitations"][0]["token"], "name": "Guest"}
    s.other, s.token = {**s.body, "name": "Ghost"}, None


def _start(s: Situation) -> None:
    s.made(start="manual")
    s.path, s.body, s.other = f"{s.match}/start", {"nonces": {"0": "ada"}}, {"nonces": {"0": "eve"}}


def _act(s: Situation) -> None:
    made = s.made(seats=["me"] * s.rng.randint(2, 3))
    seat, legal = s.legal()
    s.path, s.body = f"{s.match}/actions", {"actions": [s.rng.choice(legal)], "seat": seat}
    s.other = {**s.body, "version": made["version"]}


def _resign(s: Situation) -> None:
    s.made(seats=["me", "me", "me"])
    s.path, s.body, s.other = f"{s.match}/resignation", {"seat": 1}, {"seat": 2}


def _rematch(s: Situation) -> None:
    s.made(game="wunderland", options={"round_limit": 1})
    for seat in (0, 1):
        if s.get(s.match)["status"] == "running":
            s.post(f"{s.match}/resignation?seat={seat}")
    s.path, s.body = f"{s.match}/rematch", {}


def _rematches(s: Situation) -> int:
    return int(len(s.get("/v1/matches?mine=true&limit=100")["matches"]) - 1)


def _leave(s: Situation) -> None:
    s.made(seats=["me", "open", "open"])
    s.token = s.account()
    s.post(f"{s.match}/seats", {})
    s.path = f"{s.match}/seats/1"


def _abort(s: Situation) -> None:
    s.made(seats=["me", "open"])
    s.path = s.match


def _erase(s: Situation) -> None:
    s.token, s.path = s.account(), "/v1/me"


def _create_key(s: Situation) -> None:
    s.token = s.account()
    s.path, s.body, s.other = "/v1/me/keys", {"name": "bot"}, {"name": "other bot"}


def _keys(s: Situation) -> int:
    return len(s.get("/v1/me/keys")["keys"]) - 1


def _rotate_key(s: Situation) -> None:
    s.token = s.account()
    made = s.post("/v1/me/keys", {"name": "bot"})["id"]
    s.path, s.body, s.other = f"/v1/me/keys/{made}/rotation", {"overlap_s": 60}, {"overlap_s": 61}


def _revoke_key(s: Situation) -> None:
    s.token = s.account()
    s.path = f"/v1/me/keys/{s.post('/v1/me/keys', {'name': 'bot'})['id']}"


def _replace_token(s: Situation) -> None:
    s.made()
    s.path, s.body = f"{s.match}/seats/0/token", {}


def _replacements(s: Situation) -> int:
    """The token tells which one of its seat it is; asking makes one more, which does not count."""
    s.later += 1
    return int(s.post(s.path, {})["token"].split("_")[4]) - s.later


def _invite(s: Situation) -> None:
    s.made(seats=["me", "invite", "invite"])
    s.path, s.body, s.other = f"{s.match}/invitations", {"uses": 2, "expires_in_s": 3600}, {"uses": 3}


def _invitations(s: Situation) -> int:
    return sum(each["uses"] is not None for each in s.get(f"{s.match}/invitations")["invitations"])


def _use_invitation(s: Situation) -> None:
    token = s.post(s.path, s.body)["invitations"][0]["token"]
    accepted(s.wire.settled("POST", f"{s.match}/seats", {"invitation": token}, key=f"{s.rng.getrandbits(160):040x}"))
    for made in s.get(s.path)["invitations"]:
        if made["used"]:
            accepted(s.wire.settled("DELETE", f"{s.path}/{made['id']}", token=s.token))


def _revoke_invitation(s: Situation) -> None:
    _invite(s)
    s.path = f"{s.match}/invitations/{s.post(s.path, s.body)['invitations'][0]['id']}"


CLOCK = {"kind": "correspondence", "per_decision_ms": 86_400_000}


def _cup(s: Situation, *bots: str, **wanted: Any) -> None:
    """A tournament that the account with `token` organizes, with these house bots."""
    s.token = s.token or s.account()
    body = {"game": "wunderland", "name": "Cup", "format": "swiss", "clock": CLOCK, **wanted}
    s.match = f"/v1/tournaments/{s.post('/v1/tournaments', body)['id']}"
    for bot in bots:
        s.post(f"{s.match}/entrants", {"bot": bot})


def _create_cup(s: Situation) -> None:
    s.token, s.path = s.account(), "/v1/tournaments"
    s.body = {"game": "wunderland", "name": "Cup", "format": "swiss", "clock": CLOCK}
    s.other = {**s.body, "name": "Other cup"}


def _cups(s: Situation) -> int:
    return len(s.get("/v1/tournaments?mine=true")["tournaments"])


def _enter(s: Situation) -> None:
    _cup(s)
    s.token = s.account()
    s.path, s.body, s.other = f"{s.match}/entrants", {}, {"bot": "random"}


def _leave_cup(s: Situation) -> None:
    _cup(s, "random", "greedy")
    s.path = f"{s.match}/entrants/bot:random"


def _invite_entrant(s: Situation) -> None:
    _cup(s, entrants_allowed="invited")
    s.path, s.body, s.other = f"{s.match}/invitations", {"account": "ac_" + "1" * 32}, {"account": "ac_" + "2" * 32}


def _own_round(s: Situation) -> None:
    _cup(s, "random", "greedy", own_pairings=True, rounds=9)
    s.post(f"{s.match}/start", {})
    s.path, s.body = f"{s.match}/rounds", {"tables": [["bot:random", "bot:greedy"]]}
    s.other = {"tables": [["bot:greedy", "bot:random"]]}


def _step(name: str, *before: str) -> Callable[[Situation], None]:
    """Prepare one of the organizer's steps, after others. The organizer pairs, so that nothing else happens."""

    def prepare(s: Situation) -> None:
        _cup(s, "random", "greedy", own_pairings=True, rounds=9)
        for each in before:
            s.post(f"{s.match}/{each}", {})
        s.path, s.body = f"{s.match}/{name}", {}

    return prepare


def _cancel(s: Situation) -> None:
    _cup(s, "random", "greedy")
    s.path = s.match


def _withdrawals(s: Situation) -> int:
    return s.events("withdrawn")


#: POSTs that leave nothing behind.
CHANGES_NOTHING = frozenset({"imagine"})

#: All that leave something behind.
OPERATIONS: Sequence[Operation] = (
    Operation("createAccount", _create_account, _accounts),
    Operation("createMatch", _create_match, lambda s: len(s.get("/v1/matches?mine=true")["matches"])),
    Operation("takeSeat", _take_seat, lambda s: s.events("seat_taken")),
    Operation("takeSeat by invitation", _take_seat_by_invitation, lambda s: s.events("seat_taken")),
    Operation("startMatch", _start, lambda s: s.events("match_started"), lambda s: s.play(2)),
    Operation("act", _act, lambda s: s.events("action") - s.later, lambda s: s.play(3)),
    Operation("resign", _resign, lambda s: s.events("seat_resigned"), lambda s: s.play(2)),
    Operation("rematch", _rematch, _rematches),
    Operation("leaveSeat", _leave, lambda s: s.events("seat_left"), method="DELETE", key=False, again=(403, 404, 409)),
    Operation("abortMatch", _abort, lambda s: s.events("match_aborted"), method="DELETE", key=False, again=(409,)),
    Operation("replaceSeatToken", _replace_token, _replacements, lambda s: s.post(f"{s.match}/seats/1/token", {})),
    Operation("createInvitation", _invite, _invitations, _use_invitation),
    Operation("revokeInvitation", _revoke_invitation, lambda s: 1 - _invitations(s), method="DELETE", key=False),
    Operation("createKey", _create_key, _keys),
    Operation("rotateKey", _rotate_key, lambda s: _keys(s) - 1),
    Operation("revokeKey", _revoke_key, lambda s: 1 - _keys(s), method="DELETE", key=False, again=(404,)),
    Operation("createTournament", _create_cup, _cups),
    Operation("enterTournament", _enter, lambda s: s.events("entered")),
    Operation("inviteEntrant", _invite_entrant, lambda s: s.events("invited")),
    Operation("startTournament", _step("start"), lambda s: s.events("started")),
    Operation("pauseTournament", _step("pause", "start"), lambda s: s.events("paused")),
    Operation("resumeTournament", _step("resumption", "start", "pause"), lambda s: s.events("resumed")),
    Operation("stopTournament", _step("stop", "start"), lambda s: s.events("stopped")),
    Operation("pairRound", _own_round, lambda s: s.events("round_paired")),
    Operation("withdrawEntrant", _leave_cup, _withdrawals, method="DELETE", key=False),
    Operation("cancelTournament", _cancel, lambda s: s.events("cancelled"), method="DELETE", key=False),
    Operation("eraseMe", _erase, lambda _: 1, method="DELETE", key=False, again=(401,)),
)
