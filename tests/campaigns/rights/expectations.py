"""What each operation lets whom do, written down by hand from the API's contract, not from the code that decides it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

#: Who asks. The first row never gets further than the token, the last one knows a seat that is not theirs.
Who: TypeAlias = Literal[
    "empty", "malformed", "wrong_checksum", "revoked", "left_seat",
    "nobody", "other_account", "token_of_another_match", "creator", "player", "player_token", "player_for_other_seat",
]  # fmt: skip
BAD_TOKENS: tuple[Who, ...] = ("empty", "malformed", "wrong_checksum", "revoked", "left_seat")
EVERYBODY: tuple[Who, ...] = (
    *BAD_TOKENS,
    "nobody",
    "other_account",
    "token_of_another_match",
    "creator",
    "player",
    "player_token",
    "player_for_other_seat",
)
SEATED: tuple[Who, ...] = ("creator", "player", "player_token", "player_for_other_seat")
SEAT_TOKENS: tuple[Who, ...] = ("player_token", "token_of_another_match")

STATUSES = ("open", "running", "finished", "aborted")
VISIBILITIES = ("public", "unlisted", "private")

Rule: TypeAlias = Literal[
    "no tokens", "anybody", "known", "account", "read", "seated", "creator", "abort", "join", "leave"
]

#: Every operation by its id. One that is missing here fails the campaign.
RULES: Mapping[str, Rule] = {
    "getIndex": "anybody",
    "getLive": "no tokens",
    "getReady": "anybody",
    "getMetrics": "no tokens",
    "getProblem": "anybody",
    "listGames": "anybody",
    "getGame": "anybody",
    "getRules": "anybody",
    "createAccount": "anybody",
    "getMe": "known",
    "eraseMe": "account",
    "listDecisions": "known",
    "createMatch": "account",
    "listMatches": "anybody",
    "getMatch": "read",
    "takeSeat": "join",
    "leaveSeat": "leave",
    "startMatch": "creator",
    "abortMatch": "abort",
    "listInvitations": "creator",
    "createInvitation": "creator",
    "revokeInvitation": "creator",
    "replaceSeatToken": "seated",
    "resign": "seated",
    "rematch": "seated",
    "getView": "read",
    "getLegalActions": "read",
    "act": "seated",
    "getRecord": "read",
    "getBoardText": "read",
    "getEvents": "read",
    "imagine": "known",
    "listKeys": "account",
    "createKey": "account",
    "getKey": "account",
    "revokeKey": "account",
    "rotateKey": "account",
}
#: What takes the seat that is meant from the path, the query or the body.
NAMES_A_SEAT = frozenset(
    {
        *("getMatch", "getView", "getLegalActions", "getRecord", "getBoardText", "getEvents"),
        *("act", "resign", "leaveSeat", "replaceSeatToken"),
    }
)
#: Operations on a match that need more than a seat token may ever do.
NO_SEAT_TOKENS = frozenset({"listInvitations", "createInvitation", "revokeInvitation"})
#: Operations about something of the account's own, which the matrix names by an id of somebody else: not found.
OF_SOMEBODY_ELSE = frozenset({"getKey", "revokeKey", "rotateKey"})

REFUSED_TOKEN, FORBIDDEN, HIDDEN = 401, 403, 404


@dataclass(frozen=True, slots=True)
class Case:
    """One cell of the matrix."""

    operation: str
    who: Who
    status: str
    visibility: str


def expected(case: Case) -> int | None:
    """The status of the refusal; None: the rights let it through, and whatever follows is not about them."""
    rule = RULES[case.operation]
    if rule == "no tokens":
        return None
    if case.who in BAD_TOKENS:
        return REFUSED_TOKEN
    if rule == "anybody":
        return None
    if case.who == "nobody" and rule != "read":
        return REFUSED_TOKEN
    if rule == "known":
        return None
    if rule == "account":
        if case.who in SEAT_TOKENS:
            return FORBIDDEN
        return HIDDEN if case.operation in OF_SOMEBODY_ELSE else None
    if case.operation in NO_SEAT_TOKENS and case.who in SEAT_TOKENS:
        return FORBIDDEN
    if case.visibility == "private" and case.who not in SEATED:
        return HIDDEN
    if case.who == "player_for_other_seat" and case.operation in NAMES_A_SEAT:
        return FORBIDDEN
    return FORBIDDEN if not _lets(rule, case) else None


def _lets(rule: Rule, case: Case) -> bool:
    """Whether the rights let somebody who is known, and may see the match, do it."""
    if rule == "read":
        return True
    if rule == "join":
        return case.who not in SEAT_TOKENS
    if rule == "creator":
        return case.who == "creator"
    if rule == "abort":
        return case.who == "creator" or (case.who in SEATED and case.status != "open")
    assert rule in ("seated", "leave"), rule
    return case.who in SEATED
