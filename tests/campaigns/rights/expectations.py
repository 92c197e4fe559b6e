"""What each operation lets whom do, written down by hand from the API's contract, not from the code that decides it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tests.web.test_scopes import NEEDS

#: Who asks. The first two rows never get further than the token; `…_for_other_seat` know a seat that is not theirs.
Who: TypeAlias = Literal[
    "empty", "malformed", "wrong_checksum", "invitation_as_token", "erased_account", "revoked_key", "rotated_key",
    "expired_key", "left_seat", "replaced_token",
    "nobody", "other_account", "other_with_webhooks", "token_of_another_match",
    "creator", "creator_with_play", "creator_with_create", "creator_with_organize", "creator_with_webhooks",
    "creator_with_admin", "player", "player_token", "player_for_other_seat", "token_for_other_seat",
    "used_invitation", "expired_invitation", "revoked_invitation", "invitation_elsewhere", "invitation_for_other_seat",
    "fresh_invitation",
]  # fmt: skip
BAD_TOKENS: tuple[Who, ...] = (
    *("empty", "malformed", "wrong_checksum", "invitation_as_token", "erased_account"),
    *("revoked_key", "rotated_key", "expired_key", "left_seat", "replaced_token"),
)
#: Keys with one scope each.
CREATORS_KEYS: tuple[Who, ...] = (
    *("creator_with_play", "creator_with_create", "creator_with_organize"),
    *("creator_with_webhooks", "creator_with_admin"),
)
CREATORS: tuple[Who, ...] = ("creator", *CREATORS_KEYS)
SEATED: tuple[Who, ...] = (
    *CREATORS,
    *("player", "player_token", "player_for_other_seat", "token_for_other_seat"),
)
FOR_OTHER_SEAT: tuple[Who, ...] = ("player_for_other_seat", "token_for_other_seat")
SEAT_TOKENS: tuple[Who, ...] = ("player_token", "token_for_other_seat", "token_of_another_match")
EVERYBODY: tuple[Who, ...] = (
    *BAD_TOKENS,
    *("nobody", "other_account", "other_with_webhooks", "token_of_another_match"),
    *SEATED,
)
#: Who shows no token, and an invitation in the body: what can join alone.
BY_INVITATION: tuple[Who, ...] = (
    *("used_invitation", "expired_invitation", "revoked_invitation", "invitation_elsewhere"),
    *("invitation_for_other_seat", "fresh_invitation"),
)
#: What these tokens may do; all others have every scope.
SCOPES_OF: Mapping[Who, str] = {
    **{who: who.removeprefix("creator_with_") for who in CREATORS_KEYS},
    **dict.fromkeys(SEAT_TOKENS, "play"),
    "other_with_webhooks": "webhooks",
}

STATUSES = ("open", "running", "finished", "aborted")
VISIBILITIES = ("public", "unlisted", "private")

Rule: TypeAlias = Literal[
    "no tokens", "anybody", "known", "account", "read", "seated", "creator", "abort", "join", "leave",
    "enter", "withdraw", "organize",
]  # fmt: skip

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
    "listTournaments": "anybody",
    "getTournament": "anybody",
    "getRounds": "anybody",
    "getStandings": "anybody",
    "getCrosstable": "anybody",
    "getStatistics": "anybody",
    "getResults": "anybody",
    "exportMatches": "anybody",
    "getTournamentReport": "anybody",
    "exportTournament": "anybody",
    "getTournamentEvents": "anybody",
    "getRatings": "anybody",
    "createTournament": "account",
    "enterTournament": "enter",
    "withdrawEntrant": "withdraw",
    "inviteEntrant": "organize",
    "startTournament": "organize",
    "pauseTournament": "organize",
    "resumeTournament": "organize",
    "stopTournament": "organize",
    "cancelTournament": "organize",
    "pairRound": "organize",
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
#: The scope that each operation needs; those of `RULES` that are in none need no scope.
SCOPES: Mapping[str, str] = {operation: scope for scope, operations in NEEDS.items() for operation in operations}
#: Operations about something of an account's own, which the matrix names by the id of what is the creator's.
OF_THE_CREATOR = frozenset({"getKey", "revokeKey", "rotateKey"})
#: What is let through and never done: full matches are started on the way to running ones only.
NEVER_DONE = frozenset({"startMatch"})

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
    if case.who in BY_INVITATION:
        return _by_invitation(case)
    if case.who == "nobody" and rule != "read":
        return REFUSED_TOKEN
    scope = SCOPES.get(case.operation)
    if scope is not None and SCOPES_OF.get(case.who, scope) != scope:
        return FORBIDDEN
    if rule == "known":
        return None
    if rule == "account":
        return HIDDEN if case.operation in OF_THE_CREATOR and case.who not in CREATORS else None
    if rule in ("enter", "withdraw", "organize"):
        return _of_a_tournament(rule, case)
    if case.visibility == "private" and case.who not in SEATED:
        return HIDDEN
    if case.who in FOR_OTHER_SEAT and case.operation in NAMES_A_SEAT:
        return FORBIDDEN
    return FORBIDDEN if not _lets(rule, case) else None


def tells_nothing(case: Case) -> bool:
    """Whether the refusal must be the very same as that of what does not exist."""
    return expected(case) == HIDDEN or (case.visibility == "private" and case.who == "other_with_webhooks")


def must_succeed(declared: Iterable[str]) -> set[tuple[str, Who]]:
    """Who must get what they want somewhere in the matrix: nothing is refused because it can never be done.

    The creator does everything, by a key that has all scopes and by one that has the needed one alone.
    """
    wanted: set[tuple[str, Who]] = {("takeSeat", "fresh_invitation")}
    for operation in declared:
        if operation in NEVER_DONE:
            continue
        scope = SCOPES.get(operation)
        wanted |= {(operation, who) for who in CREATORS if scope in (None, SCOPES_OF.get(who, scope))}
    return wanted


def _of_a_tournament(rule: Rule, case: Case) -> int | None:
    """Everybody may read one. The creator organizes it; the player has entered, and leaves, or is put out."""
    if case.who in SEAT_TOKENS:
        return FORBIDDEN
    lets = {
        "enter": True,
        "withdraw": case.who in (*CREATORS, "player", "player_for_other_seat"),
        "organize": case.who in CREATORS,
    }
    return None if lets[rule] else FORBIDDEN


def _by_invitation(case: Case) -> int | None:
    """An invitation to the match shows that it is known to whoever has it."""
    if case.who == "fresh_invitation":
        return None
    return HIDDEN if case.who == "invitation_elsewhere" and case.visibility == "private" else FORBIDDEN


def _lets(rule: Rule, case: Case) -> bool:
    """Whether the rights let somebody who is known, and may see the match, do it."""
    if rule == "read":
        return True
    if rule == "join":
        return case.who not in SEAT_TOKENS
    if rule == "creator":
        return case.who in CREATORS
    if rule == "abort":
        return case.who in CREATORS or (case.who in SEATED and case.status != "open")
    assert rule in ("seated", "leave"), rule
    return case.who in SEATED
